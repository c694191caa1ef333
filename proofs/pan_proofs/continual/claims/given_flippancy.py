"""Theorem 3.2 and Corollary 3.8: the mechanism for a given bound on the flippancy."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import sympy as sp

from pan_proofs.continual import formulas
from pan_proofs.continual.dyadic_tree import squared_distance
from pan_proofs.continual.formulas import change, place, x, y
from pan_proofs.continual.steps import by_sums, noise_fits
from pan_proofs.continual.streams import Bits, existence, in_turn
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.word_sums import Words
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.statements import about
from pan_proofs.ledger.steps import bounded, counterexample, lemma

_flips, _rho, _variance, _length = sp.symbols("w rho v T", positive=True)
_square, _nodes = sp.symbols("S N", nonnegative=True)
_height = sp.Symbol("L", real=True)
_number, _element = sp.symbols("m u", integer=True, positive=True)
_entry, _cut_off = (sp.IndexedBase(sp.Symbol(name, integer=True)) for name in ("a", "g"))
_missed, _larger, _apart = sp.symbols("D E Q", real=True)
MOST = 8 * _flips * (_height + 1)
"""The squared sensitivity of the nodes."""
VARIANCE = MOST / (2 * _rho)
"""The variance of the noise of a node, ``1/rho'``."""
_FITS = le(_length, 8 * _flips * (sp.log(_length) / sp.log(2) + 1))
_ORDER = 64 * _height**3 - 8 * (_height + 1) ** 2 * (sp.log(200) + _height * sp.log(2))


def of_elements() -> Words:
    """For each element its entry, and whether it is cut off: how much the sum misses, and how many are cut off."""
    kept = _entry[_element] * (1 - _cut_off[_element])
    terms = {_missed: _entry[_element] - kept, _larger: _cut_off[_element]}
    sums = {symbol: sp.Sum(term, (_element, 1, _number)) for symbol, term in terms.items()}
    return Words(_number, _element, (_entry, _cut_off), sums, {_entry: (0, 1), _cut_off: (0, 1)})


def leaves_in_turn() -> Words:
    """The squared distance of the leaves for insertions and deletions in turn and the same without the first."""
    apart = sp.Sum((change(x[place]) - change(y[place])) ** 2, (place, 1, formulas.length))
    return replace(formulas.in_turn(), sums={_apart: apart})


def given_flippancy() -> Claim:
    """Privacy for all streams, the error for streams of bounded flippancy, and the error for others."""
    noise = noise_fits(
        "noise_of_nodes",
        r"By Lemma 3.5 the squared sensitivity $S$ of the nodes is at most $8 w (L + 1)$, and the variance is $v = "
        r"1/\rho' = 4 w (L + 1) / \rho$. By Lemma 2.9 the loss is $S / (2 v)$. By turnstile.dyadic the output at time "
        r"$t$ is the sum of the noisy values of the nodes in the decomposition of $(0, t]$.",
        _square,
        MOST,
        _rho,
        sp.Ge(_height, 0),
    )
    missed = by_sums(
        "any_number_of_elements",
        r"An element whose flippancy is at most $w$ is followed, and another one adds at most $1$. So for any number "
        r"of elements the sums differ by $D$, and $E$ elements are cut off.",
        of_elements(),
        ge(_missed, 0),
        le(_missed, _larger),
        by_definition={
            _missed: lambda entries, cut: sum(a for a, gone in zip(entries, cut, strict=True) if gone),
            _larger: lambda entries, cut: sum(cut),
        },
    )

    def squared(_: Bits, __: Bits, one: Bits, other: Bits) -> int:
        gaps = [a - b for a, b in zip(one, other, strict=True)]
        return sum((after - before) ** 2 for before, after in pairwise((0, *gaps)))

    leaves = by_sums(
        "leaves",
        r"At every length all leaves differ by $1$.",
        leaves_in_turn(),
        eq(_apart, formulas.length),
        by_definition={_apart: squared},
        up_to=16,
    )
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
            derived(
                Role.PUBLISHED,
                "privacy for all streams",
                r"The values of the nodes with their noise are $\rho$-item-level-zCDP, and all outputs are computed "
                r"from them.",
                noise,
            ),
            Part(
                Role.PUBLISHED,
                "the error for flippancy at most w",
                r"For $T \ge 4$ a power of $2$ and $L = \log_2 T$, all errors are at most $8 \sqrt{w}\, L^{3/2} / "
                r"\sqrt\rho$ with probability $0.99$. Nothing is cut off.",
                (
                    bounded(
                        "variance_of_a_sum",
                        r"So the error at time $t$ is $Z_t$, a sum of $N \le L + 1$ independent noises. Its variance "
                        r"$N v$ is at most",
                        le(_nodes * VARIANCE, 4 * _flips * (_height + 1) ** 2 / _rho),
                        sp.Ge(_height, 0),
                        sp.Le(_nodes, _height + 1),
                    ),
                    equal_as(
                        "largest_error",
                        r"By Lemma A.2 the largest of $T$ errors of variance $V$ or less exceeds $\lambda$ with "
                        r"probability at most $2 T e^{-\lambda^2 / (2 V)}$. This is $0.01$ for",
                        (_squared_error, 2 * _variance * sp.log(200 * _length)),
                        r"2 T e^{-\lambda^2 / (2 V)} = \tfrac{1}{100} \quad\text{for}\quad \lambda^2 &= 2 V \log(200 "
                        r"T)",
                    ),
                    lemma(
                        "order",
                        r"With $V = 4 w (L + 1)^2 / \rho$ and $T = 2^L$ this is $\lambda^2 = \frac{w}{\rho}\, 8 (L + "
                        r"1)^2 (\log 200 + L \log 2)$. For $L \ge 2$ it is at most $64\, \frac{w}{\rho} L^3$.",
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
                ),
                formal=symbolic(ge(_ORDER, 0), given=(sp.Ge(_height, 2),)),
                theorems=("truncation_keeps",),
            ),
            Part(
                Role.PUBLISHED,
                "any stream (Corollary 3.8)",
                r"The truncation changes the sum at time $t$ by at most the number of elements whose flippancy in the "
                r"first $t$ entries exceeds $w$. In the formula $a_u = f_u(x)[t]$, and $g_u = 1$ if the "
                r"flippancy of $u$ exceeds $w$ by then, so that $\tilde f_u[t] = a_u (1 - g_u)$.",
                (missed,),
                formal=about(of_elements(), sp.And(ge(_missed, 0), le(_missed, _larger))),
                theorems=("truncation_keeps",),
            ),
            derived(
                Role.READING,
                "without the truncation",
                r"Without the truncation the noise is too little: for streams of larger flippancy the sensitivity of "
                r"the nodes has no bound in terms of $w$. The leaves alone have the squared distance $Q = T$.",
                counterexample(
                    "many_flips",
                    r"Insertions and deletions of one element in turn, $T = 64$, and the neighbour without the "
                    r"first insertion: the existence vectors differ at all $64$ leaves. For $w = 1$ the noise is "
                    r"made for $8 \cdot 7 = 56$.",
                    le(_square, 8 * _flips * (_nodes + 1)),
                    {
                        _square: lambda: squared_distance(*(existence(stream, 0) for stream in in_turn(64))),
                        _flips: sp.Integer(1),
                        _nodes: sp.Integer(6),
                    },
                ),
                leaves,
                counterexample(
                    "more_than_the_noise",
                    r"This exceeds the squared sensitivity for which the noise is made, as for $w = 1$ and $T = "
                    r"64$.",
                    _FITS,
                    {_flips: sp.Integer(1), _length: sp.Integer(64)},
                    (sp.Ge(_flips, 1),),
                ),
                only=(
                    "leaves",
                    "more_than_the_noise",
                ),
                holds=False,
                departs="with the truncated existence vectors",
            ),
        ),
        in_words=(
            ("noise_of_nodes", "the decomposition of every time covers it once, for trees of every size"),
            ("variance_of_a_sum", "variances of independent noises add up"),
            ("any_number_of_elements", "the errors of the elements that are cut off add up, for any number of them"),
        ),
        uses=(
            "turnstile.node_sensitivity",
            "turnstile.gaussian_mechanism",
            "turnstile.post_processing",
            "turnstile.dyadic",
            "turnstile.gaussian_max",
        ),
    )


def _squared_error() -> sp.Expr:
    """The squared error that the bound of Lemma A.2 gives the probability 0.01."""
    square = sp.Symbol("lambda2", positive=True)
    return sp.solve(2 * _length * sp.exp(-square / (2 * _variance)) - sp.Rational(1, 100), square)[0]


CLAIMS = {"turnstile.given_flippancy": given_flippancy}
