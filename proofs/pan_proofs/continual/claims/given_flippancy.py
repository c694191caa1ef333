"""Theorem 3.2 and Corollary 3.8: the mechanism for a given bound on the flippancy."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product

import sympy as sp

from pan_proofs.continual.dyadic_tree import decomposition, squared_distance
from pan_proofs.continual.flippancy import flips, truncated
from pan_proofs.continual.formulas import change, in_turn, place, x, y
from pan_proofs.continual.formulas import length as stream_length
from pan_proofs.continual.neighbour_examples import example
from pan_proofs.continual.streams import Bits, Stream, elements, existence, streams
from pan_proofs.continual.truncation_steps import vectors
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.walks import Machine, bounded_for_every_length
from pan_proofs.engines.word_sums import Words, bounded_sums
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.statements import about
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, lemma

_flips, _rho, _variance = sp.symbols("w rho v", positive=True)
_square, _nodes = sp.symbols("S N", nonnegative=True)
_height = sp.Symbol("L", real=True)
_length = sp.Symbol("T", positive=True)

VARIANCE = 4 * _flips * (_height + 1) / _rho
"""The variance of the noise of a node, ``1/rho'``."""
_SENSITIVE = (sp.Ge(_height, 0), sp.Le(_square, 8 * _flips * (_height + 1)))
_number, _element = sp.symbols("m u", integer=True, positive=True)
_entry, _cut_off = (sp.IndexedBase(sp.Symbol(name, integer=True)) for name in ("a", "g"))
_missed, _larger = sp.symbols("D E", real=True)
_CHANGED = (ge(_missed, 0), le(_missed, _larger))
_LEAVES = sp.Symbol("Q", real=True)
_WHOLE = eq(_LEAVES, stream_length)
_FITS = le(_length, 8 * _flips * (sp.log(_length) / sp.log(2) + 1))
_ORDER = 64 * _height**3 - 8 * (_height + 1) ** 2 * (sp.log(200) + _height * sp.log(2))


def given_flippancy() -> Claim:
    """Privacy for all streams, the error for streams of bounded flippancy, and the error for others."""
    return Claim(
        id="turnstile.given_flippancy",
        title="The mechanism for a given bound on the flippancy",
        references=(
            Reference("turnstile", "Theorem 3.2, section 3.1", "the formulas and the listing are lost"),
            Reference("turnstile", "Corollary 3.8, section 3.2", "the formula is lost"),
        ),
        statement=r"Algorithm 1 with the bound $w$ is $\rho$-item-level-zCDP for all streams. With probability $0.99$ "
        r"all outputs have an error of at most $\alpha_w = O(\sqrt{w} \log^{3/2} T / \sqrt{\rho})$ on a stream of "
        r"maximum flippancy at most $w$, and of at most $\alpha_w + \max_t |\{u : "
        r"\mathrm{flip}(u, x[1:t]) > w\}|$ on any stream.",
        hypotheses=(r"$w \ge 1$ is a whole number", r"$T$ is sufficiently large"),
        silent=(
            r"Algorithm 1 puts out $\sum_u \tilde f_u[t] + Z_t$, with the truncated existence vectors and the "
            r"binary-tree random variable with variance $1/\rho'$ at each node, $\rho' = \rho / (4 w (\log_2 T + 1))$. "
            r"Its listing is lost",
            r"the error bound is read as $\sqrt w \log^{3/2} T / \sqrt\rho$, as its proof gives",
            r"for $T$ no power of $2$ the tree has $2^{\lceil \log_2 T \rceil}$ leaves",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "privacy for all streams",
                r"The values of the nodes with their noise are $\rho$-item-level-zCDP, and all outputs are computed "
                r"from them.",
                privacy(),
                formal=symbolic(le(_square / (2 * VARIANCE), _rho), given=_SENSITIVE),
            ),
            Part(
                Role.PUBLISHED,
                "the error for flippancy at most w",
                r"For $T \ge 4$ a power of $2$ and $L = \log_2 T$, all errors are at most $8 \sqrt{w}\, L^{3/2} / "
                r"\sqrt\rho$ with probability $0.99$.",
                accuracy(),
                formal=symbolic(ge(_ORDER, 0), given=(sp.Ge(_height, 2),)),
            ),
            Part(
                Role.PUBLISHED,
                "any stream (Corollary 3.8)",
                r"The truncation changes the sum at time $t$ by at most the number of elements whose flippancy in the "
                r"first $t$ entries exceeds $w$. In the formula $a_u = f_u(x)[t]$, and $g_u = 1$ if the "
                r"flippancy of $u$ exceeds $w$ by then, so that $\tilde f_u[t] = a_u (1 - g_u)$.",
                any_stream(),
                formal=about(of_elements(), sp.And(*_CHANGED)),
            ),
            Part(
                Role.READING,
                "without the truncation",
                r"Without the truncation the noise is too little: for streams of larger flippancy the sensitivity of "
                r"the nodes has no bound in terms of $w$. The leaves alone have the squared distance $Q = T$.",
                untruncated(),
                formal=(*about(leaves_in_turn(), _WHOLE), *symbolic(_FITS, given=(sp.Ge(_flips, 1),), refuted=True)),
                holds=False,
                departs="with the truncated existence vectors",
            ),
        ),
        in_words=(
            ("sums_of_nodes", "the decomposition of every time covers it once, for trees of every size"),
            ("variance_of_a_sum", "variances of independent noises add up"),
            ("several_elements", "the errors of the elements that are cut off add up, for any number of elements"),
        ),
        uses=(
            "turnstile.node_sensitivity",
            "turnstile.gaussian_mechanism",
            "turnstile.post_processing",
            "turnstile.dyadic",
            "turnstile.gaussian_max",
        ),
    )


def of_elements() -> Words:
    """For each element its entry, and whether it is cut off: how much the sum misses, and how many are cut off."""
    kept = _entry[_element] * (1 - _cut_off[_element])
    terms = {_missed: _entry[_element] - kept, _larger: _cut_off[_element]}
    sums = {symbol: sp.Sum(term, (_element, 1, _number)) for symbol, term in terms.items()}
    return Words(_number, _element, (_entry, _cut_off), sums, {_entry: (0, 1), _cut_off: (0, 1)})


def leaves_in_turn() -> Words:
    """The squared distance of the leaves for insertions and deletions in turn and the same without the first."""
    words = in_turn()
    apart = sp.Sum((change(x[place]) - change(y[place])) ** 2, (place, 1, stream_length))
    return replace(words, sums={_LEAVES: apart})


def privacy() -> Steps:
    """The noise fits the sensitivity, and the outputs are sums of nodes."""
    return (
        at_most(
            "noise_of_nodes",
            r"By Lemma 3.5 the squared sensitivity $S$ of the nodes is at most $8 w (L + 1)$, and the variance is $v = "
            r"1/\rho' = 4 w (L + 1) / \rho$. By Lemma 2.9 the loss is $S / (2 v)$.",
            Inequality(
                "given_flippancy.noise",
                _square / (2 * VARIANCE),
                _rho,
                _SENSITIVE,
            ),
            lines=r"\frac{S}{2 v} &\le \rho",
        ),
        enumerated(
            "sums_of_nodes",
            r"The output at time $t$ is the sum of the noisy values of the nodes in the decomposition of $(0, t]$: "
            r"without noise it is $\sum_u \tilde f_u[t]$, as $\tilde f_u[0] = 0$.",
            "vectors of 6 entries, w = 1, 2, times 1 to 6: the changes of the truncated vector over the intervals of "
            "the decomposition add up to its entry",
            product(vectors(6), (1, 2), range(1, 7)),
            lambda case: _over(case, decomposition(case[2])) == truncated(case[0], case[1])[case[2] - 1],
            mutant=lambda case: _over(case, decomposition(case[2])[:-1]) == truncated(case[0], case[1])[case[2] - 1],
        ),
    )


def _over(case: tuple[Bits, int, int], intervals: tuple[tuple[int, int], ...]) -> int:
    at = (0, *truncated(case[0], case[1]))
    return sum(at[end] - at[start] for start, end in intervals)


def accuracy() -> Steps:
    """Nothing is truncated; the variance of a sum of nodes; the largest of T errors."""
    return (
        enumerated(
            "nothing_truncated",
            r"If the flippancy of $u$ is at most $w$, then $\tilde f_u$ is the existence vector.",
            "vectors of 7 entries, w from 1 to 6: those with at most w flips are kept",
            [(bits, bound) for bits in vectors(7) for bound in range(1, 7) if flips(bits) <= bound],
            lambda case: truncated(*case) == case[0],
            mutant=lambda case: truncated(case[0], case[1] - 1) == case[0],
        ),
        at_most(
            "variance_of_a_sum",
            r"So the error at time $t$ is $Z_t$, a sum of $N \le L + 1$ independent noises. Its variance is at most",
            Inequality(
                "given_flippancy.sum",
                _nodes * VARIANCE,
                4 * _flips * (_height + 1) ** 2 / _rho,
                (sp.Ge(_height, 0), sp.Le(_nodes, _height + 1)),
            ),
            lines=r"N v &\le 4 w (L + 1)^2 / \rho",
        ),
        equal_as(
            "largest_error",
            r"By Lemma A.2 the largest of $T$ errors of variance $V$ or less exceeds $\lambda$ with probability at "
            r"most $2 T e^{-\lambda^2 / (2 V)}$. This is $0.01$ for",
            (_squared_error, 2 * _variance * sp.log(200 * _length)),
            r"2 T e^{-\lambda^2 / (2 V)} = \tfrac{1}{100} \quad\text{for}\quad \lambda^2 &= 2 V \log(200 T)",
        ),
        lemma(
            "order",
            r"With $V = 4 w (L + 1)^2 / \rho$ and $T = 2^L$ this is $\lambda^2 = \frac{w}{\rho}\, 8 (L + 1)^2 (\log "
            r"200 + L \log 2)$. For $L \ge 2$ it is at most $64\, \frac{w}{\rho} L^3$.",
            Slopes(
                "given_flippancy.order",
                _ORDER,
                _height,
                sp.Rational(39, 20),
                {_height: sp.Integer(2)},
                sp.Integer(100),
            ).discharge(),
            lines=r"8 (L + 1)^2 (\log 200 + L \log 2) &\le 64 L^3",
        ),
    )


def _squared_error() -> sp.Expr:
    """The squared error that the bound of Lemma A.2 gives the probability 0.01."""
    square = sp.Symbol("lambda2", positive=True)
    solutions = sp.solve(2 * _length * sp.exp(-square / (2 * _variance)) - sp.Rational(1, 100), square)
    return solutions[0]


def any_stream() -> Steps:
    """One element at every length, and several elements."""
    return (
        *(
            lemma(
                f"one_element_{bound}",
                rf"For $w = {bound}$: let $d$ be the difference of the entries of $f_u$ and $\tilde f_u$, and $e = 1$ "
                rf"if "
                r"the flippancy up to there exceeds $w$, $0$ if not. As $2 d - e \le 1$ for whole numbers, $d \le e$.",
                bounded_for_every_length(
                    f"given_flippancy.cut.{bound}",
                    f"w = {bound}: twice the entry of the vector minus the truncated one, less 1 if the flippancy "
                    "exceeds w",
                    _cut(bound),
                    1,
                    by_definition=lambda bits, bound=bound: (  # type: ignore[misc]
                        2 * (bits[-1] - truncated(bits, bound)[-1]) - int(flips(bits) > bound)
                    ),
                    up_to=7,
                ),
            )
            for bound in (1, 2, 3)
        ),
        enumerated(
            "several_elements",
            r"Summing over the elements gives the corollary.",
            "streams of up to 4 entries over 2 elements, w = 1, 2: the sums of the vectors and of the truncated ones "
            "differ at the end by at most the number of elements of larger flippancy",
            ((stream, bound) for length in range(1, 5) for stream in streams(length, 2) for bound in (1, 2)),
            lambda case: 0 <= _missing(*case) <= _exceeding(*case),
            mutant=lambda case: _missing(*case) == 0,
        ),
        lemma(
            "any_number_of_elements",
            r"For any number of elements the sums differ by $D$, and $E$ elements are cut off.",
            tuple(
                bounded_sums(
                    f"given_flippancy.elements.{number}",
                    one,
                    of_elements(),
                    by_definition={
                        _missed: lambda entries, cut: sum(a for a, gone in zip(entries, cut, strict=True) if gone),
                        _larger: lambda entries, cut: sum(cut),
                    },
                    up_to=4,
                )
                for number, one in enumerate(_CHANGED)
            ),
            lines=r"0 \le D &\le E",
        ),
    )


def _squared(_: Bits, __: Bits, one: Bits, other: Bits) -> int:
    """The squared distance of two vectors on the level of the leaves."""
    gaps = [a - b for a, b in zip(one, other, strict=True)]
    return sum((after - before) ** 2 for before, after in pairwise((0, *gaps)))


def _cut(bound: int) -> Machine:
    """The state: the bit, the flips up to one more than the bound, and what was added so far."""

    def step(state: tuple[int, int, int], bit: int) -> tuple[tuple[int, int, int], int]:
        last, flipped, total = state
        flipped = 0 if last < 0 else min(bound + 1, flipped + int(bit != last))
        after = 2 * (bit if flipped > bound else 0) - int(flipped > bound)
        return (bit, flipped, after), after - total

    return Machine((-1, 0, 0), (0, 1), step)


def _missing(stream: Stream, bound: int) -> int:
    """The distinct count at the end, minus the sum of the truncated vectors."""
    ends = [(existence(stream, one)[-1], truncated(existence(stream, one), bound)[-1]) for one in elements(stream)]
    return sum(kept for kept, _ in ends) - sum(cut for _, cut in ends)


def _exceeding(stream: Stream, bound: int) -> int:
    return sum(flips(existence(stream, element)) > bound for element in elements(stream))


def untruncated() -> Steps:
    """Insertions and deletions in turn, without the first insertion."""
    return (
        counterexample(
            "many_flips",
            r"Insertions and deletions of one element in turn, $T = 64$, and the neighbour without the first "
            r"insertion: the existence vectors differ at all $64$ leaves. For $w = 1$ the noise is made for $8 \cdot 7 "
            r"= 56$.",
            le(_square, 8 * _flips * (_nodes + 1)),
            {
                _square: lambda: squared_distance(*(existence(stream, 0) for stream in example(64))),
                _flips: sp.Integer(1),
                _nodes: sp.Integer(6),
            },
        ),
        lemma(
            "leaves",
            r"At every length all leaves differ by $1$.",
            bounded_sums(
                "given_flippancy.leaves", _WHOLE, leaves_in_turn(), by_definition={_LEAVES: _squared}, up_to=16
            ),
            lines=r"Q &= T",
        ),
        counterexample(
            "more_than_the_noise",
            r"This exceeds the squared sensitivity for which the noise is made, as for $w = 1$ and $T = 64$.",
            _FITS,
            {_flips: sp.Integer(1), _length: sp.Integer(64)},
            (sp.Ge(_flips, 1),),
        ),
    )


CLAIMS = {"turnstile.given_flippancy": given_flippancy}
