"""The promises of the calibrated estimators: the least noise for a given joint loss, in four settings.

Coq carries what the mechanism loses. Here that is solved for the noise.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.density.lemmas.flipped_bits import (
    TRANSITIONS,
    flip,
    gap,
    gaps,
    noise_solutions,
    rate,
    runs,
    stated_noise,
    stretches,
)
from pan_proofs.density.lemmas.joint_loss import (
    AFTER_A_FLIP,
    LIMITS,
    RATIOS,
    A,
    B,
    E,
    S,
    inversion,
    limit,
    noise_factor,
    p0,
    p1,
    stated_noise_factor,
    u,
    v,
)
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.steps import bounded, equal, lemma

_total, _state = sp.symbols("T epsilon_1", positive=True)
_half = sp.Rational(1, 2)
_pair = (p0 > 0, p0 < p1, p1 < 1)
_region = (*_pair, S > A, S > B)
_ONE_USER, _ALL_USERS = "one user", "all users and streams"
_PLACE = r"The intrusion falls at the same place among the other users' updates in both streams."
_INDEPENDENT = r"the bits, the noise and the sample are independent"


def calibrated_joint_privacy() -> Claim:
    """The limits of the noise, that they are reached, and the symmetric case in closed form."""
    return Claim(
        id="calibrated.joint_privacy",
        title="A joint promise that is kept",
        references=(
            Reference("here", "for the calibrated Bernoulli estimator, in the place of the published promises"),
        ),
        statement=r"Let $0 < p_0 < p_1 < 1$, $A = p_1/p_0$, $B = q_0/q_1$, $T > \max\{\log A, \log B\}$ and $S = "
        r"e^T$. To the number of ones add integer noise with $P(N = k)$ proportional to $u^k$ for $k \ge 0$ and to "
        r"$v^{-k}$ for $k \le 0$, where $u = \max\left\{\frac{p_1}{S/B - q_1}, \frac{A/S - p_1}{q_1}\right\}$ and $v "
        r"= \max\left\{\frac{q_1}{S/A - p_1}, \frac{B/S - q_1}{p_1}\right\}$. Then $0 < u, v < 1$, and the joint "
        r"privacy loss of the state at one unannounced intrusion and the output, user-level, is exactly $T$; less of "
        r"either noise exceeds $T$. For the symmetric pair with $A = B = e^{\varepsilon_1}$ and $u = v = e^{-\eta}$ "
        r"the joint loss is $T$ for $\eta = \log\left(e^{T - \varepsilon_1} + e^{T - 2\varepsilon_1} - "
        r"e^{-\varepsilon_1}\right)$.",
        notation=((r"$\varepsilon_1$", r"$\log A$ for the symmetric pair"),),
        hypotheses=(
            r"$0 < p_0 < p_1 < 1$",
            r"$T > \log A$ and $T > \log B$: the state alone must not use up the promise",
            _INDEPENDENT,
        ),
        silent=(r"The intrusion comes before the output, after which the state is erased.", _PLACE),
        uses=("joint_loss.tight",),
        parts=(
            Part(
                Role.PUBLISHED,
                "the four ratios",
                r"With this noise, for any $0 < u, v < 1$, the joint loss is the logarithm of the largest of $B(q_1 + "
                r"p_1/u)$, $\frac{A}{p_1 + q_1 u}$, $A(p_1 + q_1/v)$ and $\frac{B}{q_1 + p_1 v}$.",
                (),
                theorems=("geometric_promise",),
            ),
            _least_noise(),
            Part(
                Role.PUBLISHED,
                "the symmetric pair",
                r"For $A = B = E = e^{\varepsilon_1} < S$ and $u = v = 1/r$ the joint loss is at most $T$ if and only "
                r"if $r \le e^{T - \varepsilon_1} + e^{T - 2\varepsilon_1} - e^{-\varepsilon_1}$.",
                (),
                theorems=("least_noise_symmetric",),
            ),
        ),
        remark=r"The published promise of $2\varepsilon$ is kept with $T = 2\varepsilon$. The formulas are for real "
        r"numbers; an implementation whose probabilities are rounded keeps the promise if the four ratios, computed "
        r"exactly for the rounded numbers, are at most $S$.",
    )


def _least_noise() -> Part:
    return Part(
        Role.PUBLISHED,
        "the least noise",
        r"The joint loss is at most $T$ if and only if $u$ and $v$ are at least the stated numbers, which lie in "
        r"$(0, 1)$. With these numbers it is $T$. If $S \le B$ or $S \le A$, no noise is enough: already the state has "
        r"these ratios.",
        (
            lemma(
                "reached",
                r"At its limit each of the four ratios is $S$. Two of them reach it at $u$ and $v$.",
                [
                    one
                    for name, ratio in RATIOS.items()
                    for one in equal(
                        name, "", "", partial(ratio.subs, u if name.endswith("high") else v, LIMITS[name]), S
                    ).obligations
                ],
                (r"B \left(q_1 + p_1 \cdot \frac{S/B - q_1}{p_1}\right) &= S",),
            ),
            _inside(),
        ),
        theorems=("least_noise", "geometric_promise"),
    )


def _inside() -> Step:
    bounds = {f"{name}.below_one": (one, sp.S.One) for name, one in LIMITS.items()}
    bounds |= {"zero_high.denominator": (sp.S.One, S / B), "one_low.denominator": (sp.S.One, S / A)}
    return lemma(
        "inside",
        r"The first limits of $u$ and of $v$ are positive, since $S/B > 1 > q_1$ and $S/A > 1 > p_1$; all four are "
        r"below 1, since $S$ exceeds $A$ and $B$.",
        [Inequality(f"calibrated.{name}", *sides, _region, strict=True).discharge() for name, sides in bounds.items()],
        (
            r"0 < \frac{p_1}{S/B - q_1} < 1,\quad \frac{A/S - p_1}{q_1} < 1 &,\quad 0 < \frac{q_1}{S/A - p_1} < "
            r"1,\quad \frac{B/S - q_1}{p_1} < 1",
        ),
    )


def _noise_for_total(
    title: str, statement: str, *more: Step, factor: sp.Symbol = limit, given: tuple[sp.Basic, ...] = ()
) -> Part:
    """The noise of the symmetric pair for a total, for the factor that all outputs together can lose by one bit."""
    solved = noise_factor().subs({S: sp.exp(_total), E: sp.exp(_state)}, simultaneous=True)
    stated = sp.exp(_total - _state) + sp.exp(_total - 2 * _state) - sp.exp(-_state)
    return Part(
        Role.PUBLISHED,
        title,
        statement,
        (
            lemma(
                "inversion",
                r"With $S = e^T$, the equation $\frac{E (1 + E r)}{1 + E} = S$ is linear in $r$ (for $R$ outputs, in "
                r"$r^R$). Its solution exceeds 1 just if $S > E$.",
                (*inversion(), equality("calibrated.exponentials", solved, stated)),
                (
                    r"r = \frac{S}{E} + \frac{S}{E^2} - \frac1E &= e^{T-\varepsilon_1} + e^{T-2\varepsilon_1} - "
                    r"e^{-\varepsilon_1}",
                ),
            ),
            *more,
        ),
        formal=stated_noise_factor(factor, _total, _state, *given),
    )


def calibrated_insert_delete() -> Claim:
    """Deletions add nothing to the joint loss of the symmetric pair; the noise for a total."""
    smaller, larger = E * (1 + E) / (1 + E / limit), E * (1 + E * limit) / (1 + E)
    region = (E > 1, limit > 1)
    return Claim(
        id="calibrated.insert_delete",
        title="A joint promise with deletions",
        references=(Reference("here", "for the calibrated estimator with insertions and deletions"),),
        statement=r"Let the bits be drawn from $\operatorname{Bernoulli}(\frac{1}{1+E})$ at first and at each "
        r"deletion, and from $\operatorname{Bernoulli}(\frac{E}{1+E})$ at each insertion, $E = e^{\varepsilon_1} > "
        r"1$. To the number of ones add noise with $P(N = k) \propto e^{-\eta |k|}$. The joint privacy loss of the "
        r"state at one unannounced intrusion and the output, over streams of insertions and deletions that differ in "
        r"one user, is exactly $\varepsilon_1 + \log\frac{1 + E e^\eta}{1 + E}$, as without deletions. For any $T > "
        r"\varepsilon_1$ it is exactly $T$ if $\eta = \log\left(e^{T - \varepsilon_1} + e^{T - 2\varepsilon_1} - "
        r"e^{-\varepsilon_1}\right)$.",
        hypotheses=(r"$T > \varepsilon_1 > 0$", _INDEPENDENT),
        silent=(_PLACE, r"Nothing is assumed of the order of a user's insertions and deletions."),
        uses=("joint_loss.tight",),
        parts=(
            Part(
                Role.PUBLISHED,
                _ONE_USER,
                r"For one user the largest ratio is $\frac{E (1 + E r)}{1 + E}$, $r = e^\eta$, with deletions and "
                r"without.",
                (
                    bounded(
                        "larger_ratio",
                        r"Of the four ratios that the theorem names two are $\frac{E (1 + E r)}{1 + E}$ for the "
                        r"symmetric pair, and the other two are not larger.",
                        le(smaller, larger),
                        *region,
                    ),
                ),
                formal=symbolic(le(smaller, larger), given=region),
                theorems=("geometric_promise",),
            ),
            Part(
                Role.PUBLISHED,
                _ALL_USERS,
                r"With any number of users the loss is the same.",
                (),
                theorems=("intrusion_and_release", "geometric_promise", "one_up_deleted"),
            ),
            _noise_for_total(
                "the noise",
                r"The noise reaches $r = e^\eta$ at every count, and the joint loss is $T$ for the stated $\eta > 0$, "
                r"which exists if and only if $T > \varepsilon_1$.",
            ),
        ),
        remark=r"For other pairs deletions can cost something: with $p_0 + p_1 < 1$ the ratio $A(p_0 + q_0 r)$ of an "
        r"inserted and then deleted user, seen as 1, can be larger than all ratios without deletions.",
    )


def calibrated_continual_output() -> Claim:
    """The joint loss for every number of outputs, and the noise for a total."""
    theorems = ("releases_private", "releases_attained")
    power, rate_of_noise = sp.symbols("a r", positive=True)
    outputs = sp.Symbol("R", integer=True, positive=True)
    return Claim(
        id="calibrated.continual_output",
        title="A joint promise for several outputs",
        references=(Reference("here", "for the calibrated estimator that releases at several public times"),),
        statement=r"Let the bits be drawn from $\operatorname{Bernoulli}(\frac{1}{1+E})$ at first and from "
        r"$\operatorname{Bernoulli}(\frac{E}{1+E})$ at each appearance, $E = e^{\varepsilon_1} > 1$. At each of $R "
        r"\ge 1$ public times the number of ones is released with fresh noise, $P(N = k) \propto r^{-|k|}$, $r > 1$. "
        r"The joint privacy loss, user-level, of the state at one unannounced intrusion at any time and of all $R$ "
        r"outputs is exactly $\varepsilon_1 + \log\frac{1 + E r^R}{1 + E}$, for every $R$, with deletions or "
        r"without. For any $T > \varepsilon_1$ it is exactly $T$ if $\log r = \frac{\eta}{R}$, where $\eta = "
        r"\log\left(e^{T - \varepsilon_1} + e^{T - 2\varepsilon_1} - e^{-\varepsilon_1}\right)$ is the rate for a "
        r"single output.",
        notation=(("$k$", "number of outputs that are made"),),
        hypotheses=(
            r"$T > \varepsilon_1 > 0$, $r > 1$",
            r"the bits, the noise of each output and the sample are independent",
            r"the times of the outputs do not depend on the stream",
        ),
        silent=(
            r"Intrusion and outputs fall at the same places among the other users' updates in both streams.",
            r"Only the symmetric pair is treated.",
        ),
        uses=("joint_loss.tight",),
        parts=(
            Part(
                Role.PUBLISHED,
                "one user, any number of outputs",
                r"For one user, every place of the intrusion among the outputs, and all outputs, two likelihoods have "
                r"at most the ratio $\frac{E (1 + E r^R)}{1 + E}$, and it is attained.",
                (),
                theorems=theorems,
            ),
            Part(Role.PUBLISHED, _ALL_USERS, r"With any number of users the loss is the same.", (), theorems=theorems),
            _noise_for_total(
                "the noise",
                r"The noise reaches both ends of the range of $\rho$ at every count of every output. The joint loss is "
                r"$T$ if and only if $r^R = e^{T - \varepsilon_1} + e^{T - 2\varepsilon_1} - e^{-\varepsilon_1}$.",
                fewer_step("fewer", "Fewer outputs lose less: the loss increases with $r^R$."),
                factor=power,
                given=(eq(rate_of_noise**outputs, power),),
            ),
        ),
        remark=r"So a single rate serves for all $R$: that for one output, divided by $R$. The intrusion may also "
        r"come after the last output.",
    )


_one, _more = sp.symbols("a b", real=True)
FEWER = le(E * (1 + E * _one) / (1 + E), E * (1 + E * _more) / (1 + E))
"""That fewer outputs lose less, where ``a`` and ``b`` stand for the powers of r."""
FEWER_WITHIN = (E > 1, _one >= 1, _more >= _one)


def fewer_step(name: str, text: str) -> Step:
    """The loss increases with the factor of the noise."""
    return bounded(
        name,
        text,
        le(FEWER.lhs, FEWER.rhs),
        *FEWER_WITHIN,
        lines=r"\frac{E\,(1 + E\, r^k)}{1 + E} &\le \frac{E\,(1 + E\, r^R)}{1 + E} \qquad (k \le R)",
    )


_P, _Q = (1 + gap) / 2, (1 - gap) / 2
_zero = sp.Symbol("s_0", real=True)


def calibrated_announced_intrusions() -> Claim:
    """The recursion along the looks, and the noise for a total."""
    return Claim(
        id="calibrated.announced_intrusions",
        title="A joint promise with announced intrusions",
        references=(Reference("here", "for the calibrated estimator against announced intrusions"),),
        statement=r"Let the first pair be symmetric, $p_1 = \frac{E}{1+E} = 1 - p_0$, $E = e^{\varepsilon_1} > 1$, "
        r"with gap $g = \frac{E-1}{E+1}$. After each of $K \ge 0$ announced intrusions every bit is flipped with "
        r"probability $\varphi < \frac12$, and later draws come from the pair with gap $g_i = g (1 - 2\varphi)^i$: "
        r"$P_i = \frac{1+g_i}{2}$, $Q_i = \frac{1-g_i}{2}$. Put $s^{(0)}_0 = s^{(0)}_1 = E$ and $s^{(i)}_b = "
        r"\max\{s^{(i-1)}_0 w_i(0, b),\ s^{(i-1)}_1 w_i(1, b)\}$ with $w_i(0,0) = \frac{1-\varphi}{Q_i}$, $w_i(0,1) "
        r"= \frac{P_i}{\varphi}$, $w_i(1,0) = \frac{Q_i}{\varphi}$, $w_i(1,1) = \frac{1-\varphi}{P_i}$. With noise "
        r"$P(N = k) \propto r^{-|k|}$ on the number of ones, the joint privacy loss, user-level, of the states at "
        r"the $K$ announced intrusions and at one unannounced one after them, and of the output, is exactly "
        r"$\log\max\{s^{(K)}_0 (Q_K + P_K r),\ s^{(K)}_1 (P_K + Q_K r)\}$. It is exactly $T = \log S$ for $r = "
        r"\min\left\{\frac{S/s^{(K)}_0 - Q_K}{P_K}, \frac{S/s^{(K)}_1 - P_K}{Q_K}\right\}$, which exceeds 1 if and "
        r"only if $S$ exceeds both $s^{(K)}_b$.",
        notation=(
            ("$b_i$", "bit that look $i$ shows"),
            ("$P$, $Q$", "probabilities of the bits $1$ and $0$ at the last draw"),
        ),
        hypotheses=(
            r"$\varepsilon_1 > 0$, $0 < \varphi < \frac12$, $r > 1$",
            r"the bits, the flips, the noise and the sample are independent",
        ),
        silent=(
            r"Intrusions fall at the same places among the other users' updates in both streams.",
            r"The unannounced intrusion comes after all announced ones, and before the output: if it came just before "
            r"an announced one, no flip would lie between the two looks, and the loss would be infinite.",
            r"There are no deletions.",
            r"If fewer intrusions may be announced, $r$ is the least of the rates for $0, \ldots, K$ of them.",
        ),
        uses=("joint_loss.tight",),
        in_words=(
            (
                "runs",
                "Coq takes the maximum from the last look back, and the recursion from the first look on: both are the "
                "largest of the products along all sequences of bits",
            ),
        ),
        parts=(_looks(), _output(), _noise_after_looks(), _one_announced()),
        remark=r"Announced looks are dear: from one look to the next the gap shrinks by $1 - 2\varphi$, and "
        r"$P_i/\varphi$ is what a seen 0 followed by a seen 1 costs.",
    )


def _looks() -> Part:
    odds = sp.Symbol("E", positive=True)
    high, low = odds / (1 + odds), 1 / (1 + odds)
    return Part(
        Role.PUBLISHED,
        "the looks",
        r"The largest ratio of the probabilities of all bits seen at the looks, ending with $b$, is $s^{(K)}_b$, for "
        r"every $K$. In the formulas $G$ is the gap of a bit, $P_K - Q_K$, and $\varphi$ the probability of a flip.",
        (
            gaps(),
            equal(
                "first_look",
                r"At the first look both bits have the ratio $E$, in the one order or the other.",
                r"\frac{q_0}{q_1} = \frac{p_1}{p_0}",
                (1 - low) / (1 - high),
                high / low,
                odds,
            ),
            stretches(),
        ),
        formal=symbolic(
            *(ge(value, 1 / value) for value in TRANSITIONS.values()),
            given=(flip > 0, flip < _half, gap > 0, gap <= 1 - 2 * flip),
        ),
        theorems=("announced_private", "announced_attained"),
    )


def _output() -> Part:
    return Part(
        Role.PUBLISHED,
        "with the output",
        r"The joint loss is $\log\max\{s^{(K)}_0 (Q_K + P_K r),\ s^{(K)}_1 (P_K + Q_K r)\}$, for every number of "
        r"users.",
        (runs(),),
        theorems=("announced_private", "announced_attained", "announced_exact"),
    )


def _noise_after_looks() -> Part:
    return Part(
        Role.PUBLISHED,
        "the noise",
        r"The joint loss is $T = \log S$ for the stated $r$, and there is such an $r > 1$ if and only if $S > "
        r"\max\{s^{(K)}_0, s^{(K)}_1\}$. In the formulas $G = P_K - Q_K$, and $s_b$ is $s^{(K)}_b$.",
        (
            *noise_solutions(),
            bounded(
                "necessary",
                r"Both bounds grow with $S$ and are 1 at $S = s_b$. At the smaller of them one ratio is $S$ and the "
                r"other at most $S$; and $S$ must exceed $s_b$, since for $r > 1$",
                lt(_zero, _zero * (_Q + _P * rate)),
                gap > 0,
                gap < 1,
                _zero > 1,
                rate > 1,
                lines=r"s_0 &< s_0\,(Q + P r)",
            ),
        ),
        formal=stated_noise(),
    )


def _one_announced() -> Part:
    at = {flip: 1 / (1 + E), gap: ((E - 1) / (E + 1)) ** 2, rate: limit}
    step = {key: value.subs(at, simultaneous=True) for key, value in TRANSITIONS.items()}
    products = [
        E * step[0, bit] * last.subs(at, simultaneous=True) for bit, last in enumerate((_Q + _P * rate, _P + _Q * rate))
    ]
    orders = [(step[1, bit], step[0, bit]) for bit in (0, 1)]
    return Part(
        Role.PUBLISHED,
        "one announced intrusion, with the flip of randomised response",
        r"For $K = 1$ and $\varphi = \frac{1}{1+E}$ the joint loss is the logarithm of the larger of "
        r"$\frac{E ((1 + E^2) r + 2E)}{2 (1 + E)}$ and $\frac{E (1 + E^2) (1 + E^2 + 2 E r)}{(1 + E)^3}$.",
        (
            lemma(
                "products",
                r"These are $E\, w_1(0, 0)\, w(0)$, which equals $E\, w_1(1, 0)\, w(0)$ or exceeds it, and $E\, "
                r"w_1(0, 1)\, w(1)$, which is not less than $E\, w_1(1, 1)\, w(1)$.",
                (
                    *(equality(f"announced.product_{bit}", products[bit], AFTER_A_FLIP[bit]) for bit in (0, 1)),
                    *(
                        Inequality(f"announced.order_{bit}", sp.cancel(one), sp.cancel(other), (E > 1,)).discharge()
                        for bit, (one, other) in enumerate(orders)
                    ),
                ),
                (
                    r"E\, w_1(0, 0)\, w(0) &= \frac{E\,((1 + E^2)\, r + 2E)}{2\,(1 + E)}",
                    r"E\, w_1(0, 1)\, w(1) &= \frac{E\,(1 + E^2)\,(1 + E^2 + 2 E r)}{(1 + E)^3}",
                ),
            ),
        ),
        formal=(
            *symbolic(*(eq(*sides) for sides in zip(products, AFTER_A_FLIP, strict=True))),
            *symbolic(*(le(*sides) for sides in orders), given=(E > 1,)),
        ),
    )


CLAIMS = {
    "calibrated.joint_privacy": calibrated_joint_privacy,
    "calibrated.insert_delete": calibrated_insert_delete,
    "calibrated.continual_output": calibrated_continual_output,
    "calibrated.announced_intrusions": calibrated_announced_intrusions,
}
