"""Section 4.1 of the paper: the budget that the state of Algorithm 1 really uses."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.intrusions.coin_cells import (
    chain,
    half,
    kept_exactly_up_to,
    ratio_of_bits,
    ratios,
    taylor,
    zero_is_worse,
)
from pan_proofs.density.lemmas.losses.published_losses import published_loss
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import displayed
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import at_most, equal, lemma

_e, _one, _zero, _factor = sp.symbols("e R_1 R_0 F", real=True)
_actual = sp.Symbol("epsilon_actual")
_used = sp.Max(sp.log(1 + epsilon / 2), -sp.log(1 - epsilon / 2), evaluate=False)


def dwork_budget() -> Claim:
    """The two ratios, the budget as their larger logarithm, and that it is below the one allowed."""
    return Claim(
        id="density.dwork_budget",
        title="The budget that Algorithm 1 uses",
        references=(
            Reference("paper", "section 4.1, figures 2 and 3"),
            Reference("thesis", "section 4.3.1, figures 4.2 and 4.3"),
        ),
        statement=r"With $R(b) = f_{\mathrm{upd}}(b)/f_{\mathrm{init}}(b)$: $R(0) = 1 - \frac\varepsilon2$ and $R(1) "
        r"= 1 + \frac\varepsilon2$. The budget $\varepsilon_{\mathrm{actual}}$ that the state uses is at least "
        r"$\max\{\log(1 + \frac\varepsilon2),\ -\log(1 - \frac\varepsilon2)\}$, and less than $\varepsilon$.",
        hypotheses=(r"$0 < \varepsilon \le \frac12$",),
        silent=(
            r"The budget that is used is the least $\varepsilon'$ for which the state is "
            r"$\varepsilon'$-differentially private.",
        ),
        parts=(_ratios(), _budget(), kept_exactly_up_to()),
        remark=r"The bound is printed as a lower one. It is attained, so that the budget used is exactly $-\log(1 - "
        r"\frac\varepsilon2) = \frac\varepsilon2 + \frac{\varepsilon^2}{8} + \ldots$, about half of what is allowed. "
        r"This is about the state alone; jointly with the output far more than $2\varepsilon$ is used.",
    )


def _ratios() -> Part:
    return Part(
        Role.PUBLISHED,
        "the ratios",
        r"$R(0) = 1 - \frac\varepsilon2$ and $R(1) = 1 + \frac\varepsilon2$. "
        r"In the formulas $R_0$ and $R_1$ are $R(0)$ and $R(1)$.",
        (ratios(),),
        formal=symbolic(sp.Eq(sp.Symbol("R_0"), ratio_of_bits(0)), sp.Eq(sp.Symbol("R_1"), ratio_of_bits(1))),
    )


def _budget() -> Part:
    within = (_factor >= 1, _one > 0, _zero > 0, _one <= _factor, _zero <= _factor, _factor * _one >= 1)
    least = at_most(
        "least",
        r"Both orders of the streams and both bits count: $F = e^{\varepsilon'}$ must be at least $R(0)$, $R(1)$, "
        r"$\frac{1}{R(0)}$ and $\frac{1}{R(1)}$, and this is enough, since what is seen is the bit. The constraint "
        r"$\frac1F \le R(0)$ says that",
        Inequality(
            "budget.least",
            1 / _zero,
            _factor,
            (*within, _factor * _zero >= 1),
            touching={_factor: 2, _zero: half, _one: 1},
        ),
        (r"-\log R(0) &\le \varepsilon'",),
    )
    at_zero, at_one = (ratio_of_bits(bit).subs(epsilon, _e) for bit in (0, 1))
    others = {"one": at_one, "zero": at_zero, "one_inverse": 1 / at_one}
    exact = equal("exact", "", "", lambda: 1 / ratio_of_bits(0), 1 / (1 - epsilon / 2))
    suffices = lemma(
        "suffices",
        r"With $F = \frac{1}{R(0)}$ the other three constraints hold as well: $R(1) \le F$, $R(0) \le F$ and "
        r"$\frac{1}{R(1)} \le F$ for $0 < \varepsilon < 2$. So $\varepsilon_{\mathrm{actual}} = -\log R(0)$ is the "
        r"largest of the four logarithms, and with it of the two that are named. It is also what the joint loss leaves "
        r"if the noise has no end.",
        [
            Inequality(
                f"budget.suffices.{name}", one, 1 / at_zero, (_e > 0, _e < 2), strict=True, touching={_e: 0}
            ).discharge()
            for name, one in others.items()
        ],
        (r"\max\left\{R(0),\ R(1),\ \frac{1}{R(0)},\ \frac{1}{R(1)}\right\} &= \frac{1}{R(0)}",),
    )
    listed = equal("listed", "", "", lambda: sp.exp(published_loss("dwork").state_loss), 1 / (1 - epsilon / 2))
    exponential = sp.Symbol("X", real=True)
    below = at_most(
        "below",
        r"It is less than $\varepsilon$: with $X = e^\varepsilon \ge 1 + \varepsilon + \frac{\varepsilon^2}{2}$,",
        Inequality(
            "budget.below",
            1 / (1 - _e / 2),
            exponential,
            (_e > 0, _e <= half, exponential >= 1 + _e + _e**2 / 2),
            strict=True,
            touching={_e: 0, exponential: 1},
        ),
        (r"-\log(1 - \tfrac\varepsilon2) &< \varepsilon \qquad (0 < \varepsilon \le \tfrac12)",),
    )
    return Part(
        Role.PUBLISHED,
        "the budget",
        r"$\varepsilon_{\mathrm{actual}} = \max\{\log(1 + \frac\varepsilon2),\ -\log(1 - \frac\varepsilon2)\} = "
        r"-\log(1 - \frac\varepsilon2) < \varepsilon$.",
        (
            taylor(),
            chain(),
            least,
            suffices,
            zero_is_worse(),
            displayed(
                Step(exact.name, "So, written out,", exact.lines, (*exact.obligations, *listed.obligations)),
                r"\varepsilon_{\mathrm{actual}} = -\log R(0) &= -\log(1 - \tfrac\varepsilon2)",
            ),
            below,
        ),
        formal=symbolic(
            sp.Eq(_actual, -sp.log(1 - epsilon / 2)),
            sp.Lt(_actual, epsilon),
            given=(epsilon <= half,),
            where={_actual: _used},
        ),
    )


CLAIMS = {"density.dwork_budget": dwork_budget}
