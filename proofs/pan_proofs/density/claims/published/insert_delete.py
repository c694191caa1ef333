"""Sections 2.2.1 and 3 of the paper: users who are inserted and deleted, and the density of a graph."""

from __future__ import annotations

from functools import partial
from itertools import product

import sympy as sp

from pan_proofs.density.claims.published.privacy import CLOCK, SEEN
from pan_proofs.density.lemmas.cell_enumeration import Pattern, Update, patterns
from pan_proofs.density.lemmas.joint_loss import FIRST, WITH_DELETIONS, limit, p0, p1
from pan_proofs.density.lemmas.private_pairs import bernoulli
from pan_proofs.density.lemmas.published_events import (
    COIN,
    EVERY_SIZE,
    EXAMPLE,
    PAIR,
    States,
    added_appearance,
    drawn,
    event_refutes,
    half,
    ratio_of_bits,
)
from pan_proofs.density.lemmas.published_losses import optimal_pair
from pan_proofs.engines.relations import eq, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, derived, symbolic
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import bounded, enumerated, equal, found

_DISTRIBUTIONS = (sp.Rational(1, 5), sp.Rational(2, 5))
_HEAVY = (p0 > 0, p0 < p1, p1 < 1, p0 + p1 >= 1, limit > 1)


def insert_delete() -> Claim:
    """The extension to deletions, judged as Theorems 3.1 and 4.1 are."""
    return Claim(
        id="density.insert_delete",
        title="Insertions and deletions",
        references=(
            Reference("paper", "section 2.2.1, and section 3, second remark"),
            Reference("thesis", "section 4.2, second remark, and the introduction of chapter 4"),
        ),
        statement=r"The algorithms extend to streams of insertions and deletions in which every user is at any time "
        r"present once or absent: an insertion draws the bit from $f_{\mathrm{upd}}$, a deletion draws it again from "
        r"$f_{\mathrm{init}}$. Edges in the place of users give the density $\frac{2|E|}{|V|(|V|-1)}$ of a graph. The "
        r"guarantee, $2\varepsilon$-pan-privacy for $\varepsilon \le \frac12$, carries over.",
        notation=(
            (r"$\mathrm{density}$", "density of the stream of edges"),
            ("$R(b)$", "ratio of the probabilities of the bit $b$ after and before an appearance"),
            (r"$\eta$", "weight of one bit in the output, in units of the noise's scale"),
        ),
        hypotheses=(r"$0 < \varepsilon \le \frac12$", r"a user is at any time present once or absent"),
        silent=(
            r"Adjacent streams differ in insertions and deletions of one user, and both are streams of the model.",
            f"{CLOCK}.",
            SEEN,
        ),
        uses=("joint_loss.tight",),
        parts=(_state(), _same_streams(), *_refuted(), _graphs()),
        nearby="calibrated.insert_delete",
        remark=r"There is no guarantee to carry over. Deletions as such do not make it worse: the joint loss with "
        r"them is the same as without.",
    )


def _state() -> Part:
    steps = [
        equal(
            f"ratio_{name}_{bit}",
            rf"For Algorithm {number} the ratio of the bit {bit} is",
            rf"R({bit})",
            partial(ratio_of_bits, pair, bit),
            stated,
        )
        for name, number, pair, both in (
            ("coin", 1, COIN, (1 - epsilon / 2, 1 + epsilon / 2)),
            ("pair", 2, optimal_pair(), (sp.exp(-epsilon), sp.exp(epsilon))),
        )
        for bit, stated in enumerate(both)
    ]
    kept = [
        le(one, sp.exp(epsilon) * other)
        for low, high in (COIN, optimal_pair())
        for one, other in ((high, low), (low, high), (1 - low, 1 - high), (1 - high, 1 - low))
    ]
    return Part(
        Role.PUBLISHED,
        "the state",
        r"With deletions, too, the state at any one moment of a common clock is $\varepsilon$-differentially private "
        r"for $\varepsilon \le \frac12$: all ratios and their inverses are at most $e^\varepsilon$.",
        (
            enumerated(
                "two_distributions",
                r"Whatever a user's updates were, at any one time the bit has one of two distributions, by the last "
                r"of them: that of an absent or that of a present user.",
                "the bit's distribution after each stream of two moments is that of the last update, at p_init = 1/5, "
                "p_upd = 2/5",
                product((None, 1, 0), repeat=2),
                lambda stream: _distribution_of_the_bit(stream) == _distribution_of_the_last(stream),
                # The first update counts.
                mutant=lambda stream: _distribution_of_the_bit(stream) == _distribution_of_the_last(stream[::-1]),
            ),
            *steps,
        ),
        formal=symbolic(*kept, given=(epsilon <= half,)),
    )


def _distribution_of_the_bit(stream: tuple[int | None, ...]) -> sp.Expr:
    """Probability of a one after insertions (1), deletions (0) and other users' updates, by running them."""
    states: States = {(bit,): chance for bit, chance in bernoulli(_DISTRIBUTIONS[0]).items()}
    for update in stream:
        states = states if update is None else drawn(states, 0, _DISTRIBUTIONS[update])
    return states[1,]


def _distribution_of_the_last(stream: tuple[int | None, ...]) -> sp.Expr:
    """Probability of a one for a present user or for an absent one, by the last update alone."""
    return _DISTRIBUTIONS[([0] + [update for update in stream if update is not None])[-1]]


def _same_streams() -> Part:
    return derived(
        Role.READING,
        "which streams there are",
        r"All patterns of last updates before and after the intrusion occur in streams in which a user is always "
        r"present once or absent. With deletions the joint loss for a seen sample of pairs with $p_{\mathrm{init}} + "
        r"p_{\mathrm{upd}} \ge 1$ is the same as without. In the first formula $n$ is the number of patterns.",
        found(
            "realised",
            r"Before each deletion the user is inserted if absent, and before each insertion deleted if present; "
            r"what counts is the last update. So all nine patterns occur.",
            "the number of patterns for which a legal stream is built",
            lambda: sum(map(_realised, patterns(2, deletions=True))),
            9,
            quantities=(sp.Symbol("n"),),
        ),
        bounded(
            "deleted",
            r"Let $p_0 = p_{\mathrm{init}}$, $p_1 = p_{\mathrm{upd}}$, $q_i = 1 - p_i$, $A = p_1/p_0$, $B = "
            r"q_0/q_1$. With deletions the joint loss is the larger of $\log B(q_1 + p_1 r)$ and $\log A(p_0 + q_0 "
            r"r)$ (joint\_loss.tight). The second is that of a user who is inserted and then deleted, against one "
            r"who never appears, and not the larger one:",
            le(WITH_DELETIONS, FIRST),
            *_HEAVY,
        ),
    )


def _realised(pattern: Pattern) -> bool:
    """Build a stream with the pattern, and check that it is legal."""
    present, made = False, []
    for update in pattern:
        updates: list[Update] = []
        if update is not Update.NONE:
            if present == (update is Update.INSERT):
                updates.append(Update.DELETE if present else Update.INSERT)
            updates.append(update)
            present = update is Update.INSERT
        made.append(updates)
    legal, now = True, False
    for one in (update for updates in made for update in updates):
        legal &= now == (one is Update.DELETE)
        now = one is Update.INSERT
    return legal and tuple(updates[-1] if updates else Update.NONE for updates in made) == pattern


def _refuted() -> tuple[Part, Part]:
    """For either algorithm one insertion that is added, by hand; Coq carries all budgets and sizes."""
    rows = (
        (
            "Algorithm 1 with deletions",
            r"The joint loss exceeds $2\varepsilon$ for all $0 < \varepsilon \le \frac12$, every number of users and "
            r"every sample size.",
            r"With $\varepsilon = \frac12$, $U = m = 2$: in $S$ user $v$ is inserted and then user $u$, in $S'$ only "
            r"$v$; the intrusion is after the first update. The output is $4n - 4$ plus Laplace noise of scale 1, if "
            r"$n$ bits are 1 at the end. The event: the bit of $u$ is seen as 0, and the output exceeds 4. "
            + EVERY_SIZE,
            (COIN, half, sp.Rational(3, 8) + sp.Rational(5, 8) * sp.exp(4)),
            r"\frac{P_S}{P_{S'}} = q_1 + p_1 e^4 &= \tfrac38 + \tfrac58 e^4 = 34.4\ldots > e = e^{2\varepsilon}",
            "dwork_refuted",
        ),
        (
            "Algorithm 2 with deletions",
            r"The joint loss exceeds $2\varepsilon$ for every $\varepsilon > 0$, every number of users and every "
            r"sample size.",
            r"With $e^\varepsilon = \frac32$, $U = m = 2$, the same streams, the bit 0 of $u$, and an output above 3, "
            r"its value for two ones without noise:",
            (PAIR, EXAMPLE, sp.Rational(793, 160)),
            r"\frac{P_S}{P_{S'}} = q_1 + p_1 e^\eta &= \tfrac{793}{160} > \tfrac94 = e^{2\varepsilon}",
            "optimal_bernoulli_refuted",
        ),
    )
    first, second = (
        Part(
            Role.COUNTEREXAMPLE,
            title,
            statement,
            (
                event_refutes(
                    f"event_{number}", text, added_appearance(pair), at, ratio, (line,), hypotheses=(epsilon <= half,)
                ),
            ),
            theorems=(theorem,),
        )
        for number, (title, statement, text, (pair, at, ratio), line, theorem) in enumerate(rows, start=1)
    )
    return first, second


def _graphs() -> Part:
    nodes, edges = sp.symbols("V E_G", positive=True)
    density = 2 * edges / (nodes * (nodes - 1))
    return Part(
        Role.READING,
        "graphs",
        r"With the pairs of nodes as users, the density of the stream is that of the graph. The mechanism is the "
        r"same, and so is its loss. In the formulas $E_G$ and $V$ are the numbers of edges and nodes.",
        (
            equal(
                "graph_density",
                r"There are $\binom{|V|}{2}$ users, of which $|E|$ are present.",
                r"\mathrm{density}",
                lambda: edges / sp.simplify(sp.binomial(nodes, 2).expand(func=True)),
                density,
            ),
            event_refutes(
                "graph_event",
                r"By hand, with $e^\varepsilon = \frac32$ and three nodes, so that $m = U = 3$: in $S$ an edge is "
                r"inserted and then the edge $u$, in $S'$ only the first of them; the intrusion is after the first "
                r"update. The event: the bit of $u$ is seen as 0, and the output exceeds its value for three ones "
                r"without noise. The promise fails as for users:",
                added_appearance(PAIR, 3),
                EXAMPLE,
                sp.Rational(793, 160),
                (r"\frac{P_S}{P_{S'}} = q_1 + p_1 e^\eta &= \tfrac{793}{160} > \tfrac94 = e^{2\varepsilon}",),
                hypotheses=(epsilon <= half,),
            ),
        ),
        formal=symbolic(eq(sp.Symbol("density"), density)),
        theorems=("optimal_bernoulli_refuted",),
        holds=False,
    )


CLAIMS = {"density.insert_delete": insert_delete}
