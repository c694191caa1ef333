"""The privacy of the calibrated tree: choices, noisy counts, their sum, and the conversion to a delta."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, le
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import at_most, counterexample
from pan_proofs.tables.lemmas.bounded_range import bounded_range, cost_of_range, share, stated_cost, stated_range
from pan_proofs.tables.lemmas.from_rho import from_rho, stated_from_rho
from pan_proofs.tables.lemmas.noise_of_counts import noise_of_counts, number, part, rho, stated_noise
from pan_proofs.tables.lemmas.round_weights import close_exponents, stated_close_exponents

_bound = sp.Symbol("epsilon", positive=True)
_of_choices, _of_singles, _of_pairs = _SHARES = sp.symbols("w_1 w_2 w_3", positive=True)
_losses = sp.symbols("l_1 l_2 l_3", real=True)
_edges = sp.Symbol("m", positive=True)
"""The number of pairs."""
_tables = sp.Symbol("k", integer=True, nonnegative=True)
_loss, _part = sp.symbols("l q", real=True)
"""The loss of one table of counts, and its share."""
_lost, _parts = sp.symbols("L W", real=True)
_OF_TABLES = {_lost: _loss, _parts: _part}
_CHOICES = le(_edges * share**2 / 8, _of_choices * rho)
_OF_ONE = (le(share**2, 8 * _of_choices * rho / _edges),)
_ALL_SHARES = eq(sum(_SHARES), 1)
_squares = sp.Symbol("S", nonnegative=True)
_ADDED_ROW = le(_squares / (2 * (number / (2 * part * rho))), part * rho)
"""The loss for the variance that the squares of an added row need."""


def _within(budget: sp.Symbol) -> tuple[sp.Basic, ...]:
    each = zip(_losses, _SHARES, strict=True)
    return (*(le(loss, share * budget) for loss, share in each), _ALL_SHARES)


def _total(budget: sp.Symbol) -> sp.Basic:
    return le(sum(_losses), budget)


def calibrated_tree_privacy() -> Claim:
    """Each step keeps its share, the shares add up, and the rho implies the epsilon and the delta."""
    return Claim(
        id="bayesnet.calibrated_tree_privacy",
        title="Privacy of the calibrated tree",
        references=(Reference("here", "for the mechanism calibrated-tree"),),
        statement=r"At most $m$ pairs of the $N$ attributes are chosen one after the other by the exponential "
        r"mechanism, each with the epsilon $e$. Then the counts of the $N$ attributes and of the chosen pairs are "
        r"released with independent noise. The shares $q$ of the tables of one attribute add up to $w_2$, those of the "
        r"tables of two attributes to $w_3$, and $w_1 + w_2 + w_3 = 1$. For a replaced record: with $e = \frac{w_1 "
        r"\varepsilon}{m}$ and Laplace noise of the scale $\frac{2}{q \varepsilon}$ for each table all that is "
        r"released is $\varepsilon$-differentially private. With $e = \sqrt{8 w_1 \rho / m}$ and Gaussian noise of "
        r"the variance $\frac{1}{q \rho}$ for each table it is $\rho$-zCDP, and $(\varepsilon, "
        r"\delta)$-differentially private for $\varepsilon = \alpha \rho + \frac{\log(1/(\alpha \delta))}{\alpha - 1}"
        r" + \log(1 - \frac1\alpha)$ with any $\alpha > 1$.",
        notation=NOTATION,
        hypotheses=("adjacent tables have $n$ records, of which one differs (bounded adjacency)",),
        silent=(
            r"$n$ and the schema are public, and $N \ge 2$",
            r"the score of a pair is the distance $R$ to independence, whose sensitivity is at most $\Delta = "
            r"\frac3n$ (bayesnet.score\_sensitivities), less a number that no record changes",
            "which pairs are candidates depends on the schema and on the chosen pairs alone, and so do the shares of "
            "the tables",
            "all draws and all noise are independent, and real numbers",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "a choice, for a pure epsilon",
                r"The exponents of a candidate for two neighbours differ by at most half of $\frac{\varepsilon_1}{r}$, "
                r"with $\varepsilon_1 = w_1 \varepsilon$ and $r = m$. So a choice loses at most $e$, for all choices "
                r"before it (thesis.exponential\_mechanism).",
                (
                    close_exponents(
                        "exponents", r"The weights are exponential in the score, as in bayesnet.privbayes\_privacy."
                    ),
                ),
                formal=stated_close_exponents(),
            ),
            Part(
                Role.PUBLISHED,
                "a choice, for a rho",
                r"The loss $\ell$ of a choice lies in an interval of length $e$, and for every $\alpha = 1 + b > 1$ "
                r"the logarithm of the expectation of $e^{b \ell}$ is at most $b\,(1 + b)\,\frac{e^2}{8}$. So a choice "
                r"is $\frac{e^2}{8}$-zCDP.",
                (*bounded_range(), *cost_of_range()),
                formal=(*stated_range(), *stated_cost()),
            ),
            Part(
                Role.PUBLISHED,
                "the noisy counts",
                r"The counts of $r$ sets of attributes with their share $w$ lose at most $w \varepsilon$ with Laplace"
                r" noise of scale $\frac{2 r}{w \varepsilon}$, and $w \rho$ with Gaussian noise of variance "
                r"$\frac{r}{w \rho}$. For one table $r = 1$ and $w = q$. In the formulas $a_1$ and $a_2$ are the "
                r"changes of two counts, $t$ and $T$ the changes of one and of all sets, $C$ and $S$ the sum of all "
                r"changes and of their squares.",
                noise_of_counts(),
                formal=stated_noise(),
            ),
            Part(
                Role.PUBLISHED,
                "all steps",
                r"The losses $l$ of the tables of a step add up to at most the sum of their shares: in the formulas "
                r"$L$ and $W$ are the sums of $l$ and of $q$. The $m$ choices cost $w_1 \rho$, and the losses $l_1$, "
                r"$l_2$ and $l_3$ of the three steps add up to the budget (thesis.sequential\_composition, "
                r"turnstile.composition). All later work reads the transcript alone (thesis.post\_processing, "
                r"turnstile.post\_processing).",
                _all_steps(),
                formal=(
                    *_of_tables(_bound),
                    *_of_tables(rho),
                    *symbolic(_CHOICES, given=_OF_ONE),
                    *symbolic(_total(_bound), given=_within(_bound)),
                    *symbolic(_total(rho), given=_within(rho)),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "an epsilon and a delta",
                r"With $b = \alpha - 1$ the excess $P - e^{\varepsilon} P'$ of an event is at most $\delta$. In the "
                r"formulas $z_1$ and $z_2$ are logarithms, and $D$ and $V$ are sums over the outputs of the event.",
                from_rho(),
                formal=stated_from_rho(),
            ),
            Part(
                Role.READING,
                "noise for an added record",
                r"An added record changes one count of each set. Half of the variance fits it, and does not fit a "
                r"replaced record.",
                (
                    counterexample(
                        "half_the_variance",
                        r"A set of counts of which two change by $1$:",
                        _ADDED_ROW,
                        {_squares: sp.Integer(2), number: sp.S.One, part: sp.Rational(1, 2), rho: sp.S.One},
                        (le(_squares, 2 * number),),
                    ),
                ),
                formal=symbolic(_ADDED_ROW, given=(le(_squares, 2 * number),), refuted=True),
                holds=False,
                departs="of which one differs (bounded adjacency)",
            ),
        ),
        uses=(
            "bayesnet.score_sensitivities",
            "lemma.hoeffding",
            "thesis.exponential_mechanism",
            "thesis.sequential_composition",
            "thesis.post_processing",
            "density.laplace_mechanism",
            "turnstile.gaussian_mechanism",
            "turnstile.composition",
            "turnstile.post_processing",
        ),
        in_words=IN_WORDS,
        remark=r"The cost $\frac{e^2}{8}$ is that of M.~Cesar and R.~Rogers (2021), and the conversion is "
        r"Proposition 12 of C.~L.~Canonne, G.~Kamath and T.~Steinke (2020).",
    )


NOTATION = (
    (r"$e$; $m$, $r$", "epsilon of one choice; number of pairs, and of sets of attributes"),
    (r"$w$, $w_1$, $w_2$, $w_3$", "shares of the budget: of some counts, of the choices, of the attributes, the pairs"),
    ("$q$", "share of the budget that one table of counts has"),
    (r"$\ell$, $\mu$", "privacy loss of an output, and its expectation"),
    (r"$b$", r"in the parts on choices and on a delta, $\alpha - 1$ for the order $\alpha$ of a divergence"),
    ("$v$, $y$; $t$, $A$, $B$", "place in an interval, and a factor; values of the exponential function"),
    (r"$V$, $Q$, $P$; $h$", "sums over outputs; logarithm of a moment"),
)
IN_WORDS = (
    (
        "two_places",
        r"the expectation of $e^{-\ell}$ under one distribution is the sum of the probabilities under the other, "
        r"which is $1$",
    ),
    (
        "loss_of_gaussian_noise",
        r"all counts of a step are one vector with independent noise, so that the claim on the Gaussian mechanism "
        r"applies, and that on the Laplace mechanism in the step before",
    ),
    ("outputs_of_an_event", r"an output whose loss is at most $\varepsilon$ adds nothing positive"),
)


def _below(budget: sp.Symbol) -> tuple[sp.Basic, sp.Basic]:
    """The loss of one table is at most its share, and the sum of the losses at most the sum of the shares."""
    return le(_loss, _part * budget), le(_lost, _parts * budget)


def _of_tables(budget: sp.Symbol) -> tuple[str, ...]:
    each, together = _below(budget)
    return symbolic(
        together,
        given=(each, sp.Ge(_tables, 0)),
        where={one: sum_over_entries(term, tuple(_OF_TABLES.values()), _tables) for one, term in _OF_TABLES.items()},
    )


def _tables_of_a_step(name: str, budget: sp.Symbol, symbol: str) -> Step:
    each, together = _below(budget)
    return for_every_length(
        f"tables_of_{name}",
        r"The tables of a step, each with a loss of at most its share of $" + symbol + "$:",
        Induction(
            f"calibrated_tree.tables_of_{name}",
            together,
            _tables,
            tuple(_OF_TABLES.values()),
            {total: total + term for total, term in _OF_TABLES.items()},
            ((1, 1), (1, 1)),
            {budget: 1},
            (each,),
        ),
        rf"L &\le W {symbol}",
    )


def _all_steps() -> Steps:
    return (
        _tables_of_a_step("epsilon", _bound, r"\varepsilon"),
        _tables_of_a_step("rho", rho, r"\rho"),
        at_most(
            "cost_of_the_choices",
            r"Each of the $m$ choices costs $\frac{e^2}{8}$ with $e^2 \le \frac{8 w_1 \rho}{m}$.",
            Inequality(
                "calibrated_tree.choices",
                _CHOICES.lhs,
                _CHOICES.rhs,
                _OF_ONE,
                touching={share: 2, _edges: 2, _of_choices: sp.Rational(1, 2), rho: 2},
            ),
        ),
        *(
            at_most(
                f"sum_of_{name}",
                text,
                Inequality(
                    f"calibrated_tree.{name}",
                    sum(_losses),
                    budget,
                    _within(budget),
                    touching={
                        **dict.fromkeys(_losses, 1),
                        **dict.fromkeys(_SHARES, sp.Rational(1, 3)),
                        budget: 3,
                    },
                ),
            )
            for name, budget, text in (
                ("epsilons", _bound, r"The three steps of a pure epsilon:"),
                ("rhos", rho, r"The three steps of a rho:"),
            )
        ),
    )


CLAIMS = {"bayesnet.calibrated_tree_privacy": calibrated_tree_privacy}
