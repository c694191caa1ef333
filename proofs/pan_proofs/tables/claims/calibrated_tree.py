"""The privacy of the calibrated tree: choices, noisy counts, their sum, and the conversion to a delta."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import sympy as sp

from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.engines.shapes import Convex
from pan_proofs.foundations.hoeffding_bound import cumulant, probability, tilt
from pan_proofs.ledger.claim import Claim, Reference, Role, Step, Steps, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import by_shape, over_entries
from pan_proofs.ledger.steps import bounded, counterexample, related
from pan_proofs.tables.lemmas.shares import close_exponents, entered, left
from pan_proofs.tables.lemmas.small_tables import Records, adjacent, change

share, excess, _sensitivity, _rho, _delta, _ratio, _steep_from, budget, part, number, _bound, _edges = sp.symbols(
    "e b Delta rho delta t c epsilon w r epsilon m", positive=True
)
(
    _exponent,
    _place,
    _turn,
    _t,
    _upper,
    _lower,
    _mass,
    _steep,
    _V,
    _masses,
    _mean,
    _loss_bounded,
    _log_moment,
    _difference,
    _tilted,
    _sum,
    _changes,
    _loss,
    _part,
    _lost,
    _parts,
) = sp.symbols("z v y t A B p c V Q P mu h d u D T l q L W", real=True)
_k, _sets = sp.symbols("k m", integer=True, nonnegative=True)
_change, _S = sp.symbols("C S", nonnegative=True)
_found, _found_squares = sp.symbols("L Q")
_scores = sp.symbols("q_1 q_2 qprime_1 qprime_2", real=True)
CLOSE = tuple(
    le(one, _sensitivity)
    for number in (0, 1)
    for one in (_scores[number] - _scores[number + 2], _scores[number + 2] - _scores[number])
)
"""Both scores change by at most the sensitivity."""
_ENTRY = (_mass, _place, _t)
_logs = sp.symbols("z_1 z_2", real=True)
_FACTOR = excess**excess / (1 + excess) ** (1 + excess)
"""The largest value of ``(1 - t) t^b``."""
_EPSILON = (1 + excess) * _rho + sp.log(1 / ((1 + excess) * _delta)) / excess + sp.log(excess / (1 + excess))
_REACHED = sp.log(_FACTOR) + excess * ((1 + excess) * _rho - _EPSILON)
Measure = Callable[[Records, Records, Sequence[Sequence[int]]], int]
"""A measure of the change of the counts of some sets of attributes."""
_SHAPES = (((2, 2), 3), ((2, 3), 2), ((2, 2, 2), 2))
_SHARES = sp.symbols("w_1 w_2 w_3", positive=True)
_losses = sp.symbols("l_1 l_2 l_3", real=True)


def _within(budget: sp.Symbol) -> tuple[sp.Basic, ...]:
    each = zip(_losses, _SHARES, strict=True)
    return (*(le(loss, share * budget) for loss, share in each), eq(sum(_SHARES), 1))


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
        notation=(
            (r"$e$; $m$, $r$", "epsilon of one choice; number of pairs, and of sets of attributes"),
            (
                r"$w$, $w_1$, $w_2$, $w_3$",
                "shares of the budget: of some counts, of the choices, of the attributes, the pairs",
            ),
            ("$q$", "share of the budget that one table of counts has"),
            (r"$\ell$, $\mu$", "privacy loss of an output, and its expectation"),
            (r"$b$", r"in the parts on choices and on a delta, $\alpha - 1$ for the order $\alpha$ of a divergence"),
            ("$v$, $y$; $t$, $A$, $B$", "place in an interval, and a factor; values of the exponential function"),
            (r"$V$, $Q$, $P$; $h$", "sums over outputs; logarithm of a moment"),
        ),
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
            derived(
                Role.PUBLISHED,
                "a choice, for a pure epsilon",
                r"The exponents of a candidate for two neighbours differ by at most half of $\frac{\varepsilon_1}{r}$, "
                r"with $\varepsilon_1 = w_1 \varepsilon$ and $r = m$. So a choice loses at most $e$, for all choices "
                r"before it (thesis.exponential\_mechanism).",
                close_exponents(
                    "exponents", r"The weights are exponential in the score, as in bayesnet.privbayes\_privacy."
                ),
            ),
            derived(
                Role.PUBLISHED,
                "a choice, for a rho",
                r"The loss $\ell$ of a choice lies in an interval of length $e$, and for every $\alpha = 1 + b > 1$ "
                r"the logarithm of the expectation of $e^{b \ell}$ is at most $b\,(1 + b)\,\frac{e^2}{8}$. So a choice "
                r"is $\frac{e^2}{8}$-zCDP.",
                *bounded_range(),
                by_shape(
                    "tangent",
                    r"The exponential function lies above its tangent at $0$, for every number $z$.",
                    Convex(
                        "bounded_range.tangent",
                        _exponent,
                        sp.exp(_exponent) - 1,
                        _exponent,
                        sp.S.Zero,
                        {_exponent: sp.Rational(1, 10)},
                        sp.Rational(1, 100),
                    ),
                ),
                bounded(
                    "chord",
                    r"Write the loss of an output as $\ell_0 + e v$ with $0 \le v \le 1$, and let $t = e^{y v}$. The "
                    r"tangent at this place gives $t\,(1 + y (1 - v)) \le A = e^{y}$ and $t\,(1 - y v) \le B = 1$. "
                    r"Hence $t$ lies below the chord.",
                    le(_t, _place * _upper + (1 - _place) * _lower),
                    sp.Ge(_place, 0),
                    sp.Le(_place, 1),
                    sp.Gt(_t, 0),
                    sp.Le(_t * (1 + _turn * (1 - _place)), _upper),
                    sp.Le(_t * (1 - _turn * _place), _lower),
                ),
                over_entries(
                    "sum_of_chords",
                    r"With the probabilities $p$ of the outputs, and $c = e^y - 1$: $V$ is the expectation of $e^{y "
                    r"v}$, $Q$ is $1$, and $P$ is the expectation of $v$.",
                    le(_V, _masses + _steep * _mean),
                    _k,
                    {_V: _mass * _t, _masses: _mass, _mean: _mass * _place},
                    _ENTRY,
                    ((1, 1, 3), (1, 1, 3)),
                    r"V &\le Q + c P",
                    (sp.Ge(_mass, 0), le(_t, 1 + _steep * _place)),
                    at={_steep: 2},
                ),
                by_shape(
                    "one_bit",
                    r"Hence the logarithm of $V$ is at most that of $1 - p + p e^y$ with $p = P$, the moment of one "
                    r"bit, and this is at most $p y + \frac{y^2}{8}$. Here $\lambda$ stands for $y$.",
                    Convex(
                        "bounded_range.bit",
                        cumulant(),
                        tilt**2 / 8,
                        tilt,
                        sp.S.Zero,
                        {tilt: sp.Rational(1, 10), probability: sp.Rational(1, 3)},
                        sp.Rational(1, 100),
                        (probability < 1,),
                    ),
                ),
                bounded(
                    "two_places",
                    r"Let $\mu$ be the expected loss. For $y = -e$ the expectation of $e^{-\ell}$ is $1$, so that $0 "
                    r"\le -\mu + \frac{e^2}{8}$. For $y = b e$ the logarithm $h$ of the expectation of $e^{b \ell}$ "
                    r"is at most $b \mu + \frac{b^2 e^2}{8}$. Together, with the order $\alpha = 1 + b$:",
                    le(_log_moment, excess * (1 + excess) * share**2 / 8),
                    ge(-_loss_bounded + share**2 / 8, 0),
                    le(_log_moment, excess * _loss_bounded + excess**2 * share**2 / 8),
                    lines=r"h &\le b\,(1 + b)\,\frac{e^2}{8} = (\alpha - 1)\,\alpha\,\frac{e^2}{8}",
                ),
                but=("normalisers_cancel",),
            ),
            derived(
                Role.PUBLISHED,
                "the noisy counts",
                r"The counts of $r$ sets of attributes with their share $w$ lose at most $w \varepsilon$ with Laplace"
                r" noise of scale $\frac{2 r}{w \varepsilon}$, and $w \rho$ with Gaussian noise of variance "
                r"$\frac{r}{w \rho}$. For one table $r = 1$ and $w = q$. In the formulas $a_1$ and $a_2$ are the "
                r"changes of two counts, $t$ and $T$ the changes of one and of all sets, $C$ and $S$ the sum of all "
                r"changes and of their squares.",
                bounded(
                    "one_record",
                    r"A record leaves one cell of each set of attributes, and enters one. The squares of the changes "
                    r"add up to $2$ at most, as the changes do.",
                    le(left**2 + entered**2, sp.Integer(2)),
                    le(sp.Abs(left), 1),
                    le(sp.Abs(entered), 1),
                ),
                over_entries(
                    "all_sets",
                    r"The sets together: $t_1, \ldots, t_m$ are the changes of $m$ sets, as L1 norms or as squared L2 "
                    r"norms.",
                    le(_changes, 2 * _sets),
                    _sets,
                    {_changes: _t},
                    (_t,),
                    ((2,), (2,)),
                    r"t_1 + \ldots + t_m &\le 2 m",
                    (le(_t, 2),),
                ),
                _attained(
                    "attained",
                    r"Two records that differ in every attribute attain it. Over all small tables the largest change "
                    r"$L$ of the counts of $r$ sets, in the L1 norm, is",
                    _found,
                    change,
                    r"L = \max \lVert c - c' \rVert_1 &= 2 r",
                ),
                _attained(
                    "squares_attained",
                    r"The largest change $Q$ in the squared L2 norm is",
                    _found_squares,
                    partial(change, power=2),
                    r"Q = \max \lVert c - c' \rVert_2^2 &= 2 r",
                ),
                bounded(
                    "loss_of_laplace_noise",
                    r"Laplace noise of scale $\frac{2 r}{w \varepsilon}$ has the loss",
                    le(_change / (2 * number / (part * budget)), part * budget),
                    le(_change, 2 * number),
                    lines=r"C \Big/ \frac{2 r}{w \varepsilon} &\le w \varepsilon",
                ),
                bounded(
                    "loss_of_gaussian_noise",
                    r"Gaussian noise of variance $\sigma^2 = \frac{r}{w \rho}$ has the zCDP loss $\frac{S}{2 "
                    r"\sigma^2}$ for changes whose squares add up to $S$.",
                    le(_S / (2 * (number / (part * _rho))), part * _rho),
                    le(_S, 2 * number),
                    lines=r"S \Big/ \frac{2 r}{w \rho} &\le w \rho",
                ),
            ),
            derived(
                Role.PUBLISHED,
                "all steps",
                r"The losses $l$ of the tables of a step add up to at most the sum of their shares: in the formulas "
                r"$L$ and $W$ are the sums of $l$ and of $q$. The $m$ choices cost $w_1 \rho$, and the losses $l_1$, "
                r"$l_2$ and $l_3$ of the three steps add up to the budget (thesis.sequential\_composition, "
                r"turnstile.composition). All later work reads the transcript alone (thesis.post\_processing, "
                r"turnstile.post\_processing).",
                _tables_of_a_step("epsilon", _bound, r"\varepsilon"),
                _tables_of_a_step("rho", _rho, r"\rho"),
                bounded(
                    "cost_of_the_choices",
                    r"Each of the $m$ choices costs $\frac{e^2}{8}$ with $e^2 \le \frac{8 w_1 \rho}{m}$.",
                    le(_edges * share**2 / 8, _SHARES[0] * _rho),
                    le(share**2, 8 * _SHARES[0] * _rho / _edges),
                ),
                *(
                    bounded(
                        f"sum_of_{name}",
                        text,
                        le(sum(_losses), budget),
                        *_within(budget),
                    )
                    for name, budget, text in (
                        ("epsilons", _bound, r"The three steps of a pure epsilon:"),
                        ("rhos", _rho, r"The three steps of a rho:"),
                    )
                ),
            ),
            derived(
                Role.PUBLISHED,
                "an epsilon and a delta",
                r"With $b = \alpha - 1$ the excess $P - e^{\varepsilon} P'$ of an event is at most $\delta$. In the "
                r"formulas $z_1$ and $z_2$ are logarithms, and $D$ and $V$ are sums over the outputs of the event.",
                bounded(
                    "largest_factor",
                    r"Let $t = e^{\varepsilon - \ell}$ for an output with the loss $\ell > \varepsilon$, so that "
                    r"$0 < t < 1$, and $b = \alpha - 1$. The logarithms $z_1$ of $(1 + b)(1 - t)$ and $z_2$ of "
                    r"$\frac{1 + b}{b}\,t$ are at most their tangents.",
                    le(_logs[0] + excess * _logs[1], 0),
                    le(_logs[0], (1 + excess) * (1 - _ratio) - 1),
                    le(_logs[1], _ratio * (1 + excess) / excess - 1),
                    lines=r"z_1 + b z_2 \le (1 + b)(1 - t) - 1 + b \Bigl(\tfrac{1 + b}{b}\,t - 1\Bigr) &\le 0",
                    raised=sp.Rational(1, 1000),
                ),
                equal_as(
                    "factor",
                    r"So $(1 - t)\,t^b$ is at most $c = \frac{b^b}{(1 + b)^{1 + b}}$.",
                    (
                        sp.log(1 + excess) + excess * sp.log((1 + excess) / excess),
                        lambda: -sp.expand_log(sp.log(_FACTOR)),
                    ),
                    r"\log(1 + b) + b \log \frac{1 + b}{b} &= -\log c",
                ),
                over_entries(
                    "outputs_of_an_event",
                    r"An output of an event with the probabilities $p$ and $q$ adds $d = p - e^{\varepsilon} q = "
                    r"p\,(1 - t)$. This is at most $c\,u$ with $u = p\,t^{-b} = p\,e^{b(\ell - \varepsilon)}$, "
                    r"also if it is negative. $D$ and $V$ are the sums.",
                    le(_sum, _steep_from * _V),
                    _k,
                    {_sum: _difference, _V: _tilted},
                    (_difference, _tilted),
                    ((2, 1), (2, 1)),
                    r"D &\le c V",
                    (le(_difference, _steep_from * _tilted),),
                    at={_steep_from: 2},
                ),
                equal_as(
                    "epsilon_of_an_order",
                    r"The expectation of $e^{b \ell}$ is at most $e^{b (1 + b) \rho}$, so that $P \le "
                    r"e^{\varepsilon} P' + c \,e^{b ((1 + b) \rho - \varepsilon)}$. For $\varepsilon = \alpha "
                    r"\rho + \frac{\log(1/(\alpha \delta))}{\alpha - 1} + \log\bigl(1 - \frac1\alpha\bigr)$ the "
                    r"last term is $\delta$.",
                    (lambda: sp.expand(sp.expand_log(_REACHED)), sp.log(_delta)),
                    r"\log c + b\,((1 + b) \rho - \varepsilon) &= \log \delta",
                ),
                but=("epsilon_of_an_order",),
                formal=symbolic(eq(sp.expand_log(_REACHED), sp.log(_delta))),
            ),
            derived(
                Role.READING,
                "noise for an added record",
                r"An added record changes one count of each set. Half of the variance fits it, and does not fit a "
                r"replaced record.",
                counterexample(
                    "half_the_variance",
                    r"A set of counts of which two change by $1$:",
                    le(_S / (2 * (number / (2 * part * _rho))), part * _rho),
                    {_S: 2, number: 1, part: sp.Rational(1, 2), _rho: 1},
                    (le(_S, 2 * number),),
                ),
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
        in_words=(
            (
                "two_places",
                r"the expectation of $e^{-\ell}$ under one distribution is the sum of the probabilities under the "
                r"other, which is $1$",
            ),
            (
                "loss_of_gaussian_noise",
                r"all counts of a step are one vector with independent noise, so that the claim on the Gaussian "
                r"mechanism applies, and that on the Laplace mechanism in the step before",
            ),
            ("outputs_of_an_event", r"an output whose loss is at most $\varepsilon$ adds nothing positive"),
        ),
        remark=r"The cost $\frac{e^2}{8}$ is that of M.~Cesar and R.~Rogers (2021), and the conversion is "
        r"Proposition 12 of C.~L.~Canonne, G.~Kamath and T.~Steinke (2020).",
    )


def _tables_of_a_step(name: str, budget: sp.Symbol, symbol: str) -> Step:
    return over_entries(
        f"tables_of_{name}",
        r"The tables of a step, each with a loss of at most its share of $" + symbol + "$:",
        le(_lost, _parts * budget),
        _k,
        {_lost: _loss, _parts: _part},
        (_loss, _part),
        ((1, 1), (1, 1)),
        rf"L &\le W {symbol}",
        (le(_loss, _part * budget),),
        at={budget: 1},
    )


def bounded_range() -> Steps:
    """The range of the loss of a choice."""
    first, second, one, other = sp.symbols("w_1 w_2 wprime_1 wprime_2", positive=True)
    total, other_total = sp.symbols("n nprime", positive=True)
    return (
        equal_as(
            "normalisers_cancel",
            r"Two candidates have the weights $w_1, w_2$ and $w_1', w_2'$ for two neighbours, and the sums of all "
            r"weights are $n$ and $n'$. In the ratio of their probabilities the sums cancel.",
            (
                lambda: (first / total) / (one / other_total) / ((second / total) / (other / other_total)),
                (first / one) / (second / other),
            ),
            r"\frac{w_1/n}{w_1'/n'} \Big/ \frac{w_2/n}{w_2'/n'} &= \frac{w_1}{w_1'} \Big/ \frac{w_2}{w_2'}",
        ),
        bounded(
            "range_of_a_choice",
            r"The weights are $\exp\frac{e q}{2 \Delta}$ for scores $q$. The scores $q_1$ and $q_2$ of two candidates, "
            r"and $q_1'$ and $q_2'$ for the neighbour, differ by at most $\Delta$. So the losses of the candidates "
            r"differ by at most $e$.",
            le(
                share * (_scores[0] - _scores[2]) / (2 * _sensitivity)
                - share * (_scores[1] - _scores[3]) / (2 * _sensitivity),
                share,
            ),
            *CLOSE,
            lines=r"\frac{e\,(q_1 - q_1')}{2 \Delta} - \frac{e\,(q_2 - q_2')}{2 \Delta} &\le e",
        ),
    )


def _attained(name: str, text: str, found: sp.Symbol, measure: Measure, line: str) -> Step:
    return related(
        name,
        text,
        "the largest changes of the counts of all single attributes, and of all pairs along a path",
        eq(found, 2 * number),
        _cases(found, measure),
        mutant=eq(found, number),
        parameters=(number,),
        lines=(line,),
    )


def _cases(found: sp.Symbol, measure: Measure) -> Iterator[dict[sp.Symbol, int]]:
    for sizes, rows in _SHAPES:
        width = len(sizes)
        for sets in ([(one,) for one in range(width)], [(one, one + 1) for one in range(width - 1)]):
            yield {found: max(measure(one, other, sets) for one, other in adjacent(sizes, rows)), number: len(sets)}


CLAIMS = {"bayesnet.calibrated_tree_privacy": calibrated_tree_privacy}
