"""The tight joint privacy loss of the state and the output of the published mechanism, for every number of users."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.joint_loss import FIRST, SECOND, A, B, E, joint_ratio, limit, p, p0, p1, q, r
from pan_proofs.engines.identities import equality
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import bounded, counterexample, found, lemma

_ATTAINED = ("zero_up_attained", "one_up_attained")


def joint_loss_tight() -> Claim:
    """The theorem, which Coq has checked from the draws of the bits on, and its special cases."""
    return Claim(
        id="joint_loss.tight",
        title="The joint loss of state and output",
        references=(Reference("here", "for the mechanism of Algorithms 1 and 2 of the paper, any pair and any noise"),),
        statement=r"Each of $m$ sampled users has a bit, $\operatorname{Bernoulli}(p_0)$ at first and drawn afresh "
        r"from $\operatorname{Bernoulli}(p_1)$ at each appearance, with $0 < p_0 < p_1 < 1$; let $q_i = 1 - p_i$, $A "
        r"= p_1/p_0$, $B = q_0/q_1$. The output is the number of ones plus noise of which the densities one bit "
        r"apart have ratios between $1/r$ and $r > 1$, both taken on sets of positive probability. The sample is seen, "
        r"or all $U = m$ users are in it; the state at one unannounced intrusion and the output are seen. Then the "
        r"privacy loss over all user-level adjacent pairs of streams, all moments of the intrusion, and all events is "
        r"exactly $\log \max\{B (q_1 + p_1 r),\ A (p_1 + q_1 r)\}$. For $p_0 + p_1 \ge 1$ it is $\log B(q_1 + p_1 r)$; "
        r"for the symmetric pair $p_1 = \frac{E}{1+E} = 1 - p_0$ with $E = e^{\varepsilon_1}$ it is $\varepsilon_1 + "
        r"\log\frac{1 + E r}{1 + E}$.",
        notation=(("$S$, $S'$", "adjacent streams"),),
        hypotheses=(
            r"$0 < p_0 < p_1 < 1$",
            r"$r > 1$",
            r"the bits, the noise and the sample are independent",
            r"the sample is seen, or $m = U$",
        ),
        silent=(
            r"The intrusion falls at the same place among the other users' updates in both streams, as for streams "
            r"with a common clock. The last part judges the literal reading of the same index.",
            r"The sample does not depend on the stream. If it is hidden, all probabilities are means over it, and what "
            r"is stated is an upper bound.",
            r"If the ratios of the noise only approach $1/r$ and $r$, these being the essential bounds, the loss is "
            r"the same supremum, and no event attains it.",
            r"Streams differ in updates of one user. If these may be replaced by another user's, two users differ, and "
            r"the loss is at most twice as large.",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "one user, one bit",
                r"For $m = 1$ the largest ratio of the densities of seen bit and output is $\max\{B (q_1 + p_1 r),\ A "
                r"(p_1 + q_1 r)\}$, and it is attained.",
                (),
                theorems=("intrusion_and_release", "two_ratios", *_ATTAINED),
            ),
            Part(
                Role.PUBLISHED,
                "all users and all streams",
                r"For every $m$ and every pair of adjacent streams the loss is at most that of one user, and for every "
                r"$m$ some pair attains it.",
                (),
                theorems=("one_cell", "joint_private", "any_output", "laplace_joint", "two_ratios", *_ATTAINED),
            ),
            Part(
                Role.PUBLISHED,
                "another user's updates instead",
                r"If one user's updates may become another user's, the loss is at most twice as large.",
                (),
                theorems=("replaced_user",),
            ),
            _noise(),
            _special_pairs(),
            Part(
                Role.PUBLISHED,
                "narrower adjacency",
                r"If one stream must arise from the other by removing appearances, the loss is the logarithm of the "
                r"largest of $q_1 + p_1 r$, $A(p_1 + q_1 r)$ and $B/(q_1 + p_1/r)$. If a single appearance is added "
                r"or removed, it is that of $A$, $B$, $q_1 + p_1 r$ and $p_1 + q_1 r$.",
                (),
                theorems=("narrower_adjacency", "narrower_attained", "zero_down_attained", "one_up_attained"),
            ),
            Part(
                Role.PUBLISHED,
                "deletions, and noise with two limits",
                r"If users can be deleted, which draws the bit from $\operatorname{Bernoulli}(p_0)$ again, the loss is "
                r"the logarithm of $\max\{B (q_1 + p_1 r),\ A (p_0 + q_0 r)\}$. Without deletions, and with $\ell \le "
                r"\rho \le h$ instead, $\ell < 1 < h$, it is that of the largest of $B(q_1 + p_1 h)$, $\frac{B}{q_1 + "
                r"p_1 \ell}$, $A(p_1 + q_1/\ell)$ and $\frac{A}{p_1 + q_1/h}$.",
                (),
                theorems=(
                    "joint_private",
                    "two_ratios",
                    *_ATTAINED,
                    "zero_down_attained",
                    "one_down_attained",
                    "one_up_deleted",
                ),
            ),
            _same_index(),
        ),
        remark=r"The events: for the first ratio, the user appears only after the intrusion in the one stream and "
        r"only before it in the other, the seen bit is 0, and the output lies above every count. For the second, the "
        r"user appears before and after in the one stream and never in the other, the seen bit is 1, and the output "
        r"lies below every count. Neither the state nor the output alone tells as much: the two budgets do not add "
        r"up, since what is drawn again after the intrusion is a new secret.",
    )


def _noise() -> Part:
    place = sp.Symbol("y", real=True)
    width, spread, rate = sp.symbols("w s r", positive=True)
    excess = sp.Symbol("h", nonnegative=True)
    count = sp.Symbol("k", integer=True, positive=True)
    apart = (sp.Abs(place) - sp.Abs(place - width)) / spread
    inside = width * excess / (1 + excess)  # it covers the interval between 0 and w
    laplace = (
        (apart.subs(place, width + excess), 1),
        (apart.subs(place, -excess), -1),
        ((2 * inside - width) / spread, (excess - 1) / (excess + 1)),
    )
    most = sp.exp(width / spread)
    geometric = (eq(rate ** (1 - count) / rate ** (-count), rate), eq(rate ** (-count) / rate ** (1 - count), 1 / rate))
    return Part(
        Role.PUBLISHED,
        "which noise has these limits",
        r"Laplace noise of scale $s$ has $r = e^{w/s}$, where $w$ is the weight of one bit in the output. Two-sided "
        r"geometric noise $P(N = k) \propto r^{-|k|}$ on the number of ones has $\rho \in \{1/r, r\}$ at every count.",
        (
            lemma(
                "laplace_limits",
                r"Laplace noise of scale $s$, with one bit of weight $w$ in the output: let $\eta = w/s$. Above both "
                r"centres $\rho = e^\eta$, below both $\rho = e^{-\eta}$, and between them, at $y = w\frac{h}{1+h}$, "
                r"it is $e^{\eta (h-1)/(h+1)}$. So $r = e^\eta$, and both ends are taken.",
                [
                    equality(f"laplace_limits.{number}", sp.exp(exponent), most**times)
                    for number, (exponent, times) in enumerate(laplace)
                ],
                (r"\frac{f(y - w)}{f(y)} = e^{(|y| - |y - w|)/s} &\in [e^{-\eta}, e^\eta]",),
            ),
            lemma(
                "geometric_limits",
                r"Integer noise with $P(N = k)$ proportional to $r^{-|k|}$: at every count $\rho$ is $r$ or $1/r$.",
                [equality(f"geometric_limits.{number}", *one.args) for number, one in enumerate(geometric)],
                (r"\frac{P(N = k-1)}{P(N = k)} &= r^{\pm 1}",),
            ),
        ),
        formal=(
            *symbolic(le(sp.exp(apart), most), ge(sp.exp(apart), 1 / most)),
            *symbolic(eq(sp.exp(apart), most), given=(ge(place, width),)),
            *symbolic(eq(sp.exp(apart), 1 / most), given=(le(place, 0),)),
            *symbolic(*geometric),
        ),
    )


def _special_pairs() -> Part:
    pair = {p0: q, p1: p}
    return derived(
        Role.PUBLISHED,
        "heavy and symmetric pairs",
        r"For $p_0 + p_1 \ge 1$ the first ratio is the largest. For the symmetric pair the loss is $\varepsilon_1 + "
        r"\log\frac{1+Er}{1+E}$, which is less than $\varepsilon_1 + \log r$.",
        bounded(
            "heavy",
            r"If $p_0 + p_1 \ge 1$, the second of the two ratios is not larger than the first.",
            le(SECOND, FIRST),
            *(p0 > 0, p0 < p1, p1 < 1, p0 + p1 >= 1, r > 1),
            lines=r"A\,(p_1 + q_1 r) &\le B\,(q_1 + p_1 r) \qquad (p_0 + p_1 \ge 1)",
        ),
        equal_as(
            "symmetric",
            r"With $p_1 = \frac{E}{1+E}$, $p_0 = \frac{1}{1+E}$ we have $A = B = E$, and",
            (FIRST.subs(pair, simultaneous=True), joint_ratio()),
            r"B\,(q_1 + p_1 r) = E \left(\frac{1}{1+E} + \frac{E r}{1+E}\right) &= \frac{E\,(1 + E r)}{1 + E}",
        ),
        bounded(
            "below_the_sum",
            r"The sum of the budgets of the state, $\varepsilon_1$, and of one bit in the output, $\log r$, is an "
            r"upper bound that is never attained.",
            lt(joint_ratio(), E * r),
            *(E > 1, r > 1),
            lines=r"\frac{E\,(1 + E r)}{1+E} &< E r",
        ),
        theorems=("heavy_joint",),
    )


def _same_index() -> Part:
    k, j = sp.symbols("k j", integer=True, positive=True)
    excess, bound = sp.symbols("z K", positive=True)
    ratio = A * B**k
    third = sp.Rational(1, 3)
    example = {p0: third, p1: 2 * third, limit: sp.Integer(2)}

    def zeros(chance: sp.Expr) -> sp.Expr:
        return sp.product(1 - chance, (j, 1, k))

    return Part(
        Role.READING,
        "intrusions at the same index",
        r"If the intrusion is after the same number of updates in both streams, which need not have the same length, "
        r"the loss has no bound over $m$, with any pair and any noise: with $m$ sampled users it is at least $\log A "
        r"+ (m-1) \log B$. In the formulas $k$ is the number of other users, and $K$ any bound.",
        (
            equal_as(
                "shifted",
                r"Let user $u$ appear $k = m - 1$ times in a row at the beginning, or not at all, before the $k$ other "
                r"sampled users appear once each. After $k$ updates the others have not appeared yet in the one "
                r"stream, and all have in the other. The bits are independent. The bit 1 of $u$ and zeros of the "
                r"others have the ratio",
                (lambda: p1 * zeros(p0) / (p0 * zeros(p1)), ratio),
                r"\frac{p_1 q_0^k}{p_0 q_1^k} &= A B^k",
            ),
            found(
                "unbounded",
                r"Since $B > 1$, this tends to infinity with $k$.",
                "the limit of (1 + z)^k for positive z",
                lambda: sp.limit((1 + excess) ** k, k, sp.oo),
                sp.oo,
                engine="sympy",
            ),
            counterexample(
                "exceeds",
                r"With $p_0 = \frac13$, $p_1 = \frac23$, $r = 2$ already two sampled users, $k = 1$, exceed the number "
                r"for one place of the intrusion.",
                le(A * B, sp.Max(FIRST, SECOND)),
                example,
                lines=(r"A B = 4 &> \tfrac{10}{3} = \max\{B\,(q_1 + p_1 r),\ A\,(p_1 + q_1 r)\}",),
            ),
        ),
        formal=(
            *symbolic(eq(sp.Symbol("ratio"), ratio)),
            *symbolic(gt(ratio, bound), given=(p0 > 0, p0 < p1, p1 < 1, ge(k * (B - 1), bound))),
            *symbolic(gt(A * B, sp.Max(FIRST, SECOND)), where=example),
        ),
        holds=False,
        departs="The intrusion falls at the same place among the other users' updates in both streams",
    )


CLAIMS = {"joint_loss.tight": joint_loss_tight}
