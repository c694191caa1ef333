"""Theorem 5.1 of the paper: the privacy of distinct sampling."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.hashing.fixed_level import members, pair, ratio_steps, weight_of_a_member
from pan_proofs.density.lemmas.hashing.random_level_privacy import (
    appearances_replaced,
    no_bound,
    one_user,
    seeing_the_level,
    two_users_at_level_zero,
)
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import at_most, counterexample


def ppds_privacy() -> Claim:
    """The theorem, and the sentences of its proof."""
    return Claim(
        id="density.ppds_privacy",
        title="Privacy of pan-private distinct sampling",
        references=(Reference("paper", "Theorem 5.1, section 5.2 and appendix C"),),
        statement=r"If $\varepsilon \le \frac12$, then Algorithm 3 is $2\varepsilon$-pan-private and uses all of its "
        r"budget. In the proof: a user's membership has the ratios "
        r"$p_{\mathrm{upd}}/p_{\mathrm{init}} = e^\varepsilon$ and $(1-p_{\mathrm{upd}})/(1-p_{\mathrm{init}}) = "
        r"e^{-\varepsilon}$; protecting membership also protects against who sees the level $L$; and users who do not "
        r"qualify have perfect privacy.",
        notation=(
            ("$S$, $S'$", "streams with one appearance of $v$, and with none"),
            (r"$\eta$", "largest logarithm of a ratio of two densities of the output"),
        ),
        hypotheses=(r"$0 < \varepsilon \le \frac12$",),
        silent=(
            r"$m \le U$; otherwise the sample is never full, the level never changes and all users are kept.",
            r"Streams are adjacent if one user's appearances are added or removed; replacing them by another user's is "
            r"judged in a part of its own.",
            r"Fullness is checked once after the turn of a user outside of the sample, as printed. The "
            r"counterexamples hold as well if the check is repeated until there is room.",
        ),
        parts=(
            _membership(),
            two_users_at_level_zero(),
            no_bound(),
            seeing_the_level(),
            _output(),
            appearances_replaced(),
            one_user(),
            _budget(),
        ),
        nearby="distinct_sampling.fixed_level",
        remark=r"Nor is there approximate privacy with a small $\delta$: the event of the general counterexample "
        r"keeps its probability without appearances, and loses it with many. So $\delta \ge p_{\mathrm{init}}^{m-1} "
        r"(1-p_{\mathrm{init}})^{U-m+1}$ for any $\varepsilon$; for $U = m = 2$ and $e^\varepsilon = \frac32$ this is "
        r"$\frac{6}{25}$. What fails is that the level depends on the data. It must be fixed before, or chosen by a "
        r"private mechanism of its own. (That the hash function, seen alone, reveals nothing is no theorem: it is "
        r"drawn before the stream begins and never changes.)",
    )


def _membership() -> Part:
    before, after = pair(sp.tanh(epsilon / 2))
    return Part(
        Role.PUBLISHED,
        "one membership, at a fixed level",
        r"If the level is fixed and a user qualifies, the displayed ratios of the probabilities of membership hold.",
        ratio_steps(
            r"A user who qualifies is a member with probability $p_{\mathrm{init}} = \frac12(1 - "
            r"\tanh(\varepsilon/2))$ before, and with probability $p_{\mathrm{upd}} = \frac12(1 + "
            r"\tanh(\varepsilon/2))$ after an appearance.",
            "For the other value the ratio is",
        ),
        formal=symbolic(eq(after / before, sp.exp(epsilon))),
    )


def _output() -> Part:
    largest = epsilon / sp.tanh(epsilon / 2)
    weight = equal_as(
        "weight",
        r"At a fixed level $\ell$ let $n = U/2^\ell$. The output divides by $t = \tanh(\varepsilon/2)$: one member "
        r"moves it by $\frac{1}{nt}$, and not by $\frac1n$, for which the noise of scale $\frac{1}{n\varepsilon}$ is "
        r"made. The largest logarithm of a ratio of two densities is",
        (weight_of_a_member(1 / (members * epsilon), sp.tanh(epsilon / 2)), largest),
        r"\eta = \frac{1}{nt} \cdot n\varepsilon &= \frac{\varepsilon}{\tanh(\varepsilon/2)}",
    )
    gap = sp.Symbol("t", real=True)
    larger = at_most(
        "larger",
        r"This exceeds $\varepsilon$, as $t < 1$. (It exceeds 2 for every $\varepsilon$, as $t < \varepsilon/2$.)",
        Inequality("ppds.noise", sp.Integer(1), 1 / gap, (gap > 0, gap < 1), strict=True, touching={gap: 1}),
        lines=(r"1 &< \frac1t",),
    )
    example = counterexample(
        "noise_example",
        r"For instance,",
        le(largest, epsilon),
        {epsilon: sp.Rational(1, 2)},
        (le(epsilon, sp.Rational(1, 2)),),
    )
    return Part(
        Role.COUNTEREXAMPLE,
        "the noise of the output",
        r"Given the state, the output is not $\varepsilon$-differentially private, not even at a fixed level.",
        (weight, larger, example),
        formal=symbolic(eq(sp.Symbol("eta"), largest), gt(largest, epsilon)),
    )


def _budget() -> Part:
    before, after = pair(sp.tanh(epsilon / 2))
    exact = equal_as(
        "exact",
        r"At a level fixed beforehand the state's loss is the larger of the logarithms of "
        r"$p_{\mathrm{upd}}/p_{\mathrm{init}}$ and $(1-p_{\mathrm{init}})/(1-p_{\mathrm{upd}})$, and these are both "
        r"$\varepsilon$.",
        ((1 - before) / (1 - after), after / before, sp.exp(epsilon)),
        r"\frac{1-p_{\mathrm{init}}}{1-p_{\mathrm{upd}}} = \frac{p_{\mathrm{upd}}}{p_{\mathrm{init}}} &= e^\varepsilon",
    )
    return Part(
        Role.READING,
        "all of the budget, at a fixed level",
        r"At a level fixed beforehand the state uses exactly $\varepsilon$. Where the level depends on the data there "
        r"is no budget of which it could be said.",
        (exact,),
        formal=symbolic(
            eq((1 - before) / (1 - after), sp.exp(epsilon)),
            eq(after / before, sp.exp(epsilon)),
        ),
    )


CLAIMS = {"density.ppds_privacy": ppds_privacy}
