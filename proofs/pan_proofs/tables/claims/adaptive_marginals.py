"""The privacy of adaptive marginals: rounds whose noise depends on earlier outputs, within one rho."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.relations import ge, le
from pan_proofs.ledger.claim import Claim, Reference, Role, derived
from pan_proofs.ledger.display import displayed
from pan_proofs.ledger.lengths_and_limits import over_entries
from pan_proofs.ledger.steps import bounded, counterexample, equal

_rho, _deviation, _least, _round, _left_over, share, excess = sp.symbols("rho sigma rho_0 rho_t R e b", positive=True)
_spent, _cost, _squares, _value, _weight, _inner, _factor, _later = sp.symbols("K kappa S V W u H U", nonnegative=True)
_count, _other, _model, _change, _moved, _score, _distance = sp.symbols("c cprime a f d F D", real=True)
_cells = sp.Symbol("k", integer=True, nonnegative=True)
_SUMS = {_score: _change, _distance: _moved}
_LEFT = (
    sp.exp(excess * (1 + excess) * _cost) * sp.exp(excess * (1 + excess) * (_rho - _spent - _cost)),
    sp.exp(excess * (1 + excess) * (_rho - _spent)),
)


def adaptive_marginals_privacy() -> Claim:
    """The score moves by 2, a round costs its rho, and rounds that depend on outputs add up."""
    return Claim(
        id="bayesnet.adaptive_marginals_privacy",
        title="Privacy of adaptive marginals",
        references=(Reference("here", "for the mechanism adaptive-marginals"),),
        statement=r"The counts of each attribute are released with Gaussian noise. In each round the exponential "
        r"mechanism with the epsilon $e$ chooses a pair of attributes, and its counts are released with Gaussian noise "
        r"of standard deviation $\sigma$. The score is the L1 distance of the counts from those of a model, less a "
        r"number that no record changes. The model, the candidates, $e$ and $\sigma$ depend on earlier outputs. A "
        r"round costs $\frac{e^2}{8} + \frac{1}{\sigma^2}$ and is made only if its cost is at most the rest of $\rho$. "
        r"All that is released is $\rho$-zCDP for a replaced record.",
        notation=(
            (r"$e$; $\sigma$, $\sigma^2$", "epsilon of one choice; standard deviation and variance of the noise"),
            ("$c$, $c'$, $a$", "counts of a cell for two neighbours, and that of the model"),
            (r"$\kappa$, $K$", "cost of a step, and of all steps before it"),
            (r"$\rho_t$, $\rho_0$; $R$", "budget of a round, and of a round that is not the last; rest of the budget"),
        ),
        hypotheses=("adjacent tables have $n$ records, of which one differs (bounded adjacency)",),
        silent=(
            r"$n$ and the schema are public",
            "all draws and all noise are independent, and real numbers",
        ),
        parts=(
            derived(
                Role.PUBLISHED,
                "the score of a pair",
                r"A replaced record changes the score by at most the L1 distance of the counts, which is at most $2$. "
                r"In the formulas $f$ and $d$ are the changes of one cell, $F$ and $D$ those of all cells.",
                bounded(
                    "one_cell",
                    r"The distance of one cell from the model changes by at most the change of its count.",
                    le(sp.Abs(_count - _model) - sp.Abs(_other - _model), sp.Abs(_count - _other)),
                    *(),
                    lines=r"|c - a| - |c' - a| &\le |c - c'|",
                ),
                over_entries(
                    "all_cells",
                    r"All cells of a pair together; the changes of the counts add up to at most $2$ "
                    r"(bayesnet.calibrated\_tree\_privacy).",
                    le(_score, _distance),
                    _cells,
                    _SUMS,
                    tuple(_SUMS.values()),
                    ((1, 1), (1, 1)),
                    r"F &\le D",
                    (le(_change, _moved),),
                ),
            ),
            derived(
                Role.PUBLISHED,
                "the cost of a round",
                r"The choice costs $\frac{e^2}{8}$, as in bayesnet.calibrated\_tree\_privacy. Counts whose changes "
                r"have squares with the sum $S \le 2$ cost $\frac{S}{2 \sigma^2}$.",
                bounded(
                    "cost_of_a_round",
                    r"A round costs what is spent on it.",
                    le(share**2 / 8 + _squares / (2 * _deviation**2), _round),
                    le(_squares, 2),
                    le(share**2 / 8 + 1 / _deviation**2, _round),
                    lines=r"\frac{e^2}{8} + \frac{S}{2 \sigma^2} &\le \rho_t",
                ),
            ),
            derived(
                Role.PUBLISHED,
                "rounds that depend on earlier outputs",
                r"Let $\kappa$ be the cost of a step and $K$ the cost of the steps before it; both depend on earlier "
                r"outputs. If $K + \kappa \le \rho$ always, all outputs together are $\rho$-zCDP. After a round that "
                r"is not the last one, at least $\rho_0$ is left.",
                displayed(
                    equal(
                        "what_is_left",
                        r"Let $p$ and $q$ be the densities for two neighbours, $\alpha = 1 + b$, and $t$ a step. The "
                        r"claim is that the expectation of $(p/q)^\alpha$ of all outputs from $t$ on is at most $e^{b "
                        r"(1 + b)(\rho - K)}$. After the last output it is $1$, and $K \le \rho$. For one step more:",
                        "",
                        *_LEFT,
                    ),
                    r"e^{b (1 + b) \kappa}\, e^{b (1 + b)(\rho - K - \kappa)} &= e^{b (1 + b)(\rho - K)}",
                ),
                bounded(
                    "one_step_more",
                    r"Here $H = e^{b (1 + b) \kappa}$ bounds the expectation $W$ of the factor of the step, and $u "
                    r"\le U$ is the expectation of the later factors for an output of the step. Hence the expectation "
                    r"$V$ of all factors from the step on is at most $W U$.",
                    le(_value, _factor * _later),
                    sp.Le(_value, _weight * _inner),
                    sp.Le(_inner, _later),
                    sp.Le(_weight, _factor),
                    lines=r"V \le W u &\le H U",
                ),
                bounded(
                    "rest_after_a_round",
                    r"A round has the budget $\rho_0$ if the rest $R$ is at least $2 \rho_0$, and all of $R$ "
                    r"otherwise.",
                    le(_least, _left_over - _least),
                    ge(_left_over, 2 * _least),
                ),
            ),
            derived(
                Role.READING,
                "each round with the whole budget",
                r"If each round may cost $\rho$, two rounds cost more.",
                counterexample(
                    "two_rounds",
                    r"Two rounds that cost $\rho$ each:",
                    le(2 * _round, _rho),
                    {_round: 1, _rho: 1},
                    (le(_round, _rho),),
                ),
                holds=False,
                departs=r"is made only if its cost is at most the rest of $\rho$",
            ),
        ),
        uses=(
            "bayesnet.calibrated_tree_privacy",
            "turnstile.gaussian_mechanism",
            "turnstile.composition",
            "turnstile.post_processing",
        ),
        in_words=(
            (
                "one_step_more",
                r"the induction begins after the last step and goes back to the first one, step by step",
            ),
            ("what_is_left", r"the density of all outputs is the product of the densities of each given those before"),
        ),
        remark=r"An epsilon and a delta follow from $\rho$ as in bayesnet.calibrated\_tree\_privacy.",
    )


CLAIMS = {"bayesnet.adaptive_marginals_privacy": adaptive_marginals_privacy}
