"""Sections 2.2.1 and 3 of the paper: users who are inserted and deleted, and the density of a graph."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.density.claims.optimal_bernoulli.privacy import FACTOR as OPTIMAL_FACTOR
from pan_proofs.density.lemmas.intrusions.coin_cells import COIN, FACTOR, chain, half, ratios, taylor
from pan_proofs.density.lemmas.intrusions.coin_cells import ONCE as ONCE_OF_COIN
from pan_proofs.density.lemmas.intrusions.coin_cells import added_exceeds as coin_added_exceeds
from pan_proofs.density.lemmas.intrusions.edge_events import edges, graph_steps, nodes
from pan_proofs.density.lemmas.intrusions.legal_streams import legal_stream_steps
from pan_proofs.density.lemmas.intrusions.maximal_ratio_steps import FIRST, SECOND, WITH_DELETIONS
from pan_proofs.density.lemmas.intrusions.published_events import (
    EVERY_SIZE,
    FOR_EVERY_SIZE,
    OF_BOTH,
    added_appearance,
    event_refutes,
    is_the_entry,
    loss_formula,
)
from pan_proofs.density.lemmas.intrusions.tanh_cells import (
    ETA,
    EXAMPLE,
    IS_WEIGHT,
    ONCE,
    ONCE_WEIGHED,
    PAIR,
    added_exceeds,
    state_ratios,
)
from pan_proofs.density.lemmas.intrusions.whole_mechanism import Stream, fresh, run
from pan_proofs.density.lemmas.losses.joint_loss import Setting, limit, maximal_ratios, state_factor
from pan_proofs.density.lemmas.losses.published_loss_proofs import coin_fails, optimal_pair_fails
from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import enumerated, lemma


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
            ("$b_1(S)$", "bit of the user at the intrusion, in the stream $S$"),
            (r"$\mathrm{density}$", "density of the stream of edges"),
        ),
        hypotheses=(r"$0 < \varepsilon \le \frac12$", r"a user is at any time present once or absent"),
        silent=(
            r"Adjacent streams differ in insertions and deletions of one user, and both are streams of the model.",
            r"The intrusion falls at the same place among the other users' updates in both streams, that is, streams "
            r"have a common clock. This holds for what is said of the state, too.",
            r"The sample is seen, or $m = U$. If it is hidden, the joint loss that is named is an upper bound.",
        ),
        in_words=(
            ("event_1", FOR_EVERY_SIZE),
            ("event_2", FOR_EVERY_SIZE),
        ),
        uses=("joint_loss.tight",),
        parts=(_state(), _same_streams(), _first(), _second(), _graphs()),
        nearby="calibrated.insert_delete",
        remark=r"There is no guarantee to carry over. Deletions as such do not make it worse: the joint loss with "
        r"them is the same as without.",
    )


def _state() -> Part:
    return Part(
        Role.PUBLISHED,
        "the state",
        r"With deletions, too, the state at any one moment of a common clock is $\varepsilon$-differentially private "
        r"for $\varepsilon \le \frac12$.",
        (
            enumerated(
                "two_distributions",
                r"Whatever a user's updates were, at any one time the bit has one of two distributions, by the last "
                r"of them: "
                r"that of an absent or that of a present user.",
                "the bit's distribution after each stream of two moments is that of the last update, at p_init = 1/5, "
                "p_upd = "
                "2/5",
                product((None, (0, True), (0, False)), repeat=2),
                lambda stream: _distribution_of_the_bit(stream) == _distribution_of_the_last(stream),
                # The first update counts.
                mutant=lambda stream: _distribution_of_the_bit(stream) == _distribution_of_the_last(stream[::-1]),
            ),
            ratios(),
            taylor(),
            chain(),
            lemma(
                "ratios_of_algorithm_2",
                r"For Algorithm 2 the ratios are exactly $e^{\varepsilon}$ and $e^{-\varepsilon}$.",
                state_ratios().obligations,
                state_ratios().lines,
            ),
        ),
        formal=_stated_state(),
    )


def _stated_state() -> tuple[str, ...]:
    """Both ratios of the bit's two distributions keep the budget, for the pair of either algorithm."""
    factor, slope = sp.exp(epsilon), sp.tanh(epsilon / 2)
    fair, best = (half, half + epsilon / 4), ((1 - slope) / 2, (1 + slope) / 2)
    kept = [
        le(one, factor * other)
        for low, high in (fair, best)
        for one, other in ((high, low), (low, high), (1 - low, 1 - high), (1 - high, 1 - low))
    ]
    return symbolic(*kept, given=(epsilon <= half,))


_DISTRIBUTIONS = (Fraction(1, 5), Fraction(2, 5))


def _distribution_of_the_bit(stream: Stream) -> Fraction:
    """Probability of a one after a stream, by running it."""
    return run(fresh(1, _DISTRIBUTIONS), stream, _DISTRIBUTIONS)[1,]


def _distribution_of_the_last(stream: Stream) -> Fraction:
    """Probability of a one for a present user or for an absent one, by the last update alone."""
    updates = [moment for moment in stream if moment is not None]
    return _DISTRIBUTIONS[bool(updates) and updates[-1][1]]


def _same_streams() -> Part:
    return Part(
        Role.READING,
        "which streams there are",
        r"All patterns of last updates before and after the intrusion occur in streams in which a user is always "
        r"present once or absent. With deletions the joint loss for a seen sample of pairs with $p_{\mathrm{init}} + "
        r"p_{\mathrm{upd}} \ge 1$ is the same as without. "
        r"In the first formula $n$ is the number of patterns.",
        legal_stream_steps(),
        formal=(
            *symbolic(eq(sp.Symbol("n"), 9)),
            *symbolic(
                le(WITH_DELETIONS, FIRST),
                le(SECOND, FIRST),
                given=Setting("heavy").hypotheses,
            ),
        ),
    )


def _first() -> Part:
    longer, shorter = added_appearance(COIN)
    return Part(
        Role.COUNTEREXAMPLE,
        "Algorithm 1 with deletions",
        r"The joint loss exceeds $2\varepsilon$ for all $0 < \varepsilon \le \frac12$. One insertion that is added "
        r"suffices for this.",
        (
            event_refutes(
                "event_1",
                r"With $\varepsilon = \frac12$, $U = m = 2$: in $S$ user $v$ is inserted and then user $u$, in $S'$ "
                r"only $v$; the intrusion is after the first update. The output is $4n - 4$ plus Laplace noise of "
                r"scale 1, if $n$ bits are 1 at the end. The event: the bit of $u$ is seen as 0, and the output "
                r"exceeds 4. " + EVERY_SIZE,
                (longer, shorter),
                half,
                sp.Rational(3, 8) + sp.Rational(5, 8) * sp.exp(4),
                (r"\frac{P_S}{P_{S'}} = q_1 + p_1 e^4 &= \tfrac38 + \tfrac58 e^4 > 34 > e = e^{2\varepsilon}",),
                exceeds=sp.Integer(34),
                hypotheses=(epsilon <= half,),
            ),
            equal_as(
                "every_budget_1",
                r"In the same way for every $\varepsilon$,",
                (longer / shorter, ONCE_OF_COIN),
                r"\frac{P_S}{P_{S'}} &= q_1 + p_1 e^4",
            ),
            coin_added_exceeds(),
            loss_formula(
                COIN,
                sp.Integer(4),
                FACTOR,
                r"B\,(q_1 + p_1 e^4) &= \frac{(2-\varepsilon) + (2+\varepsilon)\, e^4}{2\,(2-\varepsilon)}",
            ),
            lemma(
                "all_budgets_1",
                r"This is for streams that agree once $u$ is removed, and a seen sample. It exceeds $e^{2\varepsilon}$ "
                r"for all $0 < \varepsilon < 2$, as in Theorem 3.1.",
                (*coin_fails(), *is_the_entry("dwork-insert-delete", FACTOR, sp.Integer(4))),
                (r"e^{2\varepsilon} &< \frac{(2-\varepsilon) + (2+\varepsilon)\, e^4}{2\,(2-\varepsilon)}",),
            ),
        ),
        formal=symbolic(sp.exp(2 * epsilon) < FACTOR, given=(epsilon <= half,)),
    )


_SYMMETRIC = state_factor * (1 + state_factor * limit) / (1 + state_factor)


def _second() -> Part:

    def maximal(*, deletions: bool) -> sp.Expr:
        return maximal_ratios(Setting("symmetric", deletions=deletions))[0].value

    longer, shorter = added_appearance(PAIR)
    return Part(
        Role.COUNTEREXAMPLE,
        "Algorithm 2 with deletions",
        r"The joint loss exceeds $2\varepsilon$ for all $0 < \varepsilon \le \frac12$. One insertion that is added "
        r"suffices for this: $P_S$ and $P_{S'}$ are the probabilities of the event below with and without it.",
        (
            event_refutes(
                "event_2",
                r"With $e^\varepsilon = \frac32$, $U = m = 2$, the same streams, the bit 0 of $u$, and an output above "
                r"3, its value for two ones without noise:",
                (longer, shorter),
                EXAMPLE,
                sp.Rational(793, 160),
                (r"\frac{P_S}{P_{S'}} = q_1 + p_1 e^\eta &= \tfrac{793}{160} > \tfrac94 = e^{2\varepsilon}",),
                hypotheses=(epsilon <= half,),
            ),
            equal_as(
                "every_budget_2",
                r"With $E = e^\varepsilon$ and $r = e^\eta$, $\eta = \varepsilon/\tanh\frac\varepsilon2$, for every "
                r"$\varepsilon$",
                (
                    longer / shorter,
                    ONCE.subs({state_factor: sp.exp(epsilon), limit: sp.exp(ETA)}, simultaneous=True),
                ),
                r"\frac{P_S}{P_{S'}} &= q_1 + p_1 r = \frac{1 + E r}{1 + E}",
            ),
            added_exceeds(),
            equal_as(
                "same",
                r"For streams that agree once $u$ is removed, and a seen sample, the largest ratios with and without "
                r"deletions are the same:",
                (lambda: maximal(deletions=True), lambda: maximal(deletions=False), _SYMMETRIC),
                r"\max_{\text{with deletions}} = \max_{\text{without}} &= \frac{E\,(1 + E r)}{1 + E}",
            ),
            lemma(
                "all_budgets_2",
                r"It exceeds $e^{2\varepsilon}$ for every $\varepsilon > 0$, as in Theorem 4.1.",
                (*optimal_pair_fails(), *is_the_entry("optimal-bernoulli-insert-delete", OPTIMAL_FACTOR, ETA)),
                (r"e^{2\varepsilon} &< \frac{e^\varepsilon (1 + e^{\varepsilon + \eta})}{1 + e^\varepsilon}",),
            ),
        ),
        formal=(
            *symbolic(
                eq(
                    OF_BOTH,
                    ONCE.subs({state_factor: sp.exp(epsilon), limit: sp.exp(ETA)}, simultaneous=True),
                )
            ),
            *symbolic(gt(ONCE_WEIGHED, sp.exp(2 * epsilon)), given=(*IS_WEIGHT, epsilon <= half)),
        ),
    )


def _graphs() -> Part:
    return Part(
        Role.READING,
        "graphs",
        r"With the pairs of nodes as users, the density of the stream is that of the graph. The mechanism is the "
        r"same, and so is its loss. In the formulas $E_G$ and $V$ are the numbers of edges and nodes, and one bit "
        r"weighs $\eta$.",
        graph_steps(OPTIMAL_FACTOR),
        formal=(
            *symbolic(eq(sp.Symbol("density"), 2 * edges / (nodes * (nodes - 1)))),
            *symbolic(gt(ONCE_WEIGHED, sp.exp(2 * epsilon)), given=(*IS_WEIGHT, epsilon <= half)),
        ),
        holds=False,
    )


CLAIMS = {"density.insert_delete": insert_delete}
