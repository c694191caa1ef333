"""A bitmap that is released as it is, after an intrusion, has an infinite joint loss."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.density.lemmas.intrusions.one_user import two_draws
from pan_proofs.density.lemmas.intrusions.whole_mechanism import Pair, Stream, fresh, run
from pan_proofs.density.lemmas.losses.observations import Update, p0, p1
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.quantities import one_of
from pan_proofs.engines.relations import eq, gt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import at_most, related

_stream = sp.Symbol("s", integer=True, positive=True)
_changed, _never = sp.symbols("P_changed P_never")
_PAIRS: tuple[Pair, ...] = ((Fraction(1, 5), Fraction(2, 5)), (Fraction(1, 2), Fraction(5, 6)))
_OTHERS: tuple[Stream, ...] = (((1, True),), ((1, True), None), (None,))
_chances = (p0 > 0, p1 > p0, p1 < 1)


def distinct_published_bitmap() -> Claim:
    """The event of a bit that changes between the intrusion and the release."""
    return Claim(
        id="distinct.published_bitmap",
        title="A bitmap that is published as it is",
        references=(Reference("here", "for the distinct counter", "of redrawn bitmaps that are released themselves"),),
        statement=r"Let the bits be redrawn at each appearance, as in distinct.joint\_privacy. Let all bits be seen at "
        r"one intrusion, and let the bitmap itself be the output at the end, with no noise. For every "
        r"$0 < p_{\mathrm{init}} < p_{\mathrm{upd}} < 1$ the joint privacy loss is infinite: a user changes the bit "
        r"of a cell after the intrusion with a positive probability, and without an appearance the bit is the same.",
        hypotheses=(r"$0 < p_{\mathrm{init}} < p_{\mathrm{upd}} < 1$",),
        silent=("No other user has the cell. The adversary may know this.",),
        in_words=(
            (
                "never",
                "the event has a positive probability for one of two adjacent streams and probability 0 for the "
                "other, which no finite loss allows; nobody else draws this bit",
            ),
        ),
        parts=(_one_bit(), _whole_runs()),
        remark=r"The state alone, and the output alone, lose the logarithm of the larger likelihood ratio of a bit. It "
        r"is their pair that tells everything. The counter therefore releases noisy counts.",
    )


def _one_bit() -> Part:
    before = two_draws((Update.INSERT, Update.NONE))
    return Part(
        Role.PUBLISHED,
        "one bit",
        r"A bit that is $0$ at the intrusion is $1$ in the output with probability $(1-p_{\mathrm{init}})\,"
        r"p_{\mathrm{upd}} > 0$ if the user appears after the intrusion, and with probability $0$ if not.",
        (
            equal_as(
                "changed",
                r"If the user appears after the intrusion only, a $0$ becomes a $1$ with probability",
                (lambda: two_draws((Update.NONE, Update.INSERT))[0, 1], (1 - p0) * p1),
                r"P(0, 1) &= (1 - p_{\mathrm{init}})\,p_{\mathrm{upd}}",
            ),
            at_most(
                "positive",
                r"It is positive.",
                Inequality(
                    "published_bitmap.positive",
                    sp.S.Zero,
                    (1 - p0) * p1,
                    _chances,
                    strict=True,
                    touching={p0: 0, p1: 0},
                    raised=sp.Rational(1, 2),
                ),
                (r"0 &< (1 - p_{\mathrm{init}})\,p_{\mathrm{upd}}",),
            ),
            equal_as(
                "never",
                r"Otherwise the distribution of both has no such value.",
                (lambda: sp.sympify(before.get((0, 1), 0)), sp.S.Zero),
                r"P'(0, 1) &= 0",
            ),
        ),
        formal=symbolic(gt((1 - p0) * p1, 0), given=_chances),
    )


def _chance(stream: Stream, look: int, pair: Pair) -> Fraction:
    """The probability that the bit of the first user is 0 after ``look`` moments, and 1 at the end."""
    found = Fraction(0)
    for bits, chance in run(fresh(2, pair), stream[:look], pair).items():
        if not bits[0]:
            found += sum(
                (weight for final, weight in run({bits: chance}, stream[look:], pair).items() if final[0]), Fraction(0)
            )
    return found


def _whole_runs() -> Part:
    cases = [
        {
            _changed: _chance((*others, (0, True)), 1, pair),
            _never: _chance((*others, None), 1, pair),
            _stream: number,
            p0: pair[0],
            p1: pair[1],
        }
        for number, others in enumerate(_OTHERS, 1)
        for pair in _PAIRS
    ]
    return Part(
        Role.PUBLISHED,
        "whole streams",
        r"In runs with another user the event has a positive probability $P_{\mathrm{changed}}$ with the user, and "
        r"$P_{\mathrm{never}} = 0$ without. No finite factor bounds the first by the second. In the formula $s$ is the "
        r"number of the other user's stream: the user appears once, or once and then not, or never.",
        (
            related(
                "positive_runs",
                r"The whole mechanism, run in fractions, gives the event a positive probability with the user:",
                "two users, an intrusion after the first moment, three streams of the other user and two pairs of "
                "probabilities",
                gt(_changed, 0),
                cases,
                mutant=gt(_changed, sp.Rational(1, 2)),
                parameters=(_stream, p0, p1),
                lines=(r"P_{\mathrm{changed}} &> 0",),
            ),
            related(
                "never_runs",
                r"Without the user the event never occurs:",
                "the same streams without the user",
                eq(_never, 0),
                cases,
                mutant=eq(_never, sp.Rational(1, 10)),
                parameters=(_stream, p0, p1),
                lines=(r"P_{\mathrm{never}} &= 0",),
            ),
        ),
        formal=symbolic(
            gt(_changed, sp.exp(epsilon) * _never),
            given=(one_of({one: case[one] for one in (_stream, p0, p1)} for case in cases),),
        ),
    )


CLAIMS = {"distinct.published_bitmap": distinct_published_bitmap}
