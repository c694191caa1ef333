"""The promises of the distinct counter: shared cells, shards and releases lose no more than a cell of one user.

Coq carries them from the mechanism on.
"""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.claims.calibrated.promises import fewer_step
from pan_proofs.density.lemmas.joint_loss import E, joint_ratio, r
from pan_proofs.engines.relations import eq
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, derived
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import equal

_HERE = (Reference("here", "for the distinct counter"),)
_CELLS = r"Let each user have a fixed cell or none, and each cell a level; users may share cells, and the adversary "
_CELLS += r"knows all of this."
_PAIR = (
    r"$0 < p_{\mathrm{init}} < p_{\mathrm{upd}} < 1$, $T > \log\frac{p_{\mathrm{upd}}}{p_{\mathrm{init}}}$ and "
    r"$T > \log\frac{1 - p_{\mathrm{init}}}{1 - p_{\mathrm{upd}}}$"
)


def _carried(title: str, statement: str, *theorems: str) -> Part:
    return Part(Role.PUBLISHED, title, statement, (), theorems=theorems)


def distinct_joint_privacy() -> Claim:
    """The joint loss of the bits at an intrusion and of all noisy counts, for every geometry."""
    chance, first, second = sp.symbols("c a b", real=True)
    drawn_twice = eq(chance * first * second + (1 - chance) * first * second, first * second)
    return Claim(
        id="distinct.joint_privacy",
        title="The promise of the distinct counter",
        references=_HERE,
        statement=_CELLS + r" Each bit is drawn from $\operatorname{Bernoulli}(p_{\mathrm{init}})$ at first, "
        r"and at each appearance of a user the bit of the user's cell is drawn afresh from "
        r"$\operatorname{Bernoulli}(p_{\mathrm{upd}})$. At the end the number of ones of each level is released, with "
        r"independent noise of the rates $u$ and $v$ of "
        r"calibrated.joint\_privacy for the total $T$. The joint privacy loss, user-level, of all bits at one "
        r"unannounced intrusion and of the noisy counts of all levels is at most $T$, for every number of users, "
        r"cells and levels. It is exactly $T$ if a user has a cell. The same holds if the bits are replaced by an "
        r"earlier copy that nobody reads, and all updates since the copy are made again.",
        hypotheses=(
            _PAIR,
            r"all draws and the noise of all levels are independent",
            r"cells and levels do not depend on the stream",
        ),
        silent=(
            r"The intrusion comes before the output, after which the state is erased.",
            r"The intrusion falls at the same place among the other users' updates in both streams.",
            r"A keyed hash is one fixed choice of the cells. The adversary may know the key.",
            r"If the bits are replaced by an earlier copy and updates since then are lost, the loss can exceed $T$.",
        ),
        uses=("calibrated.joint_privacy",),
        parts=(
            _carried(
                "a shared cell",
                r"Let two streams differ in one user. If any draws that the user's cell can get in the one stream and "
                r"in the other give the same observations with a ratio of at most $c \ge 1$, then so do all cells "
                r"together, whatever the other users do.",
                "one_cell",
            ),
            _carried(
                "all cells and levels",
                r"With any number of users, cells and levels the loss is at most $T$, and exactly $T$ if a user has a "
                r"cell.",
                "joint_private",
                "shards_and_levels",
                "levels_attained",
            ),
            derived(
                Role.PUBLISHED,
                "earlier copies",
                r"If a touch since the copy is made again, the bit at the intrusion and the bit in the end have one of "
                r"the four distributions of a user alone. If it is lost, the loss can exceed $T$.",
                equal(
                    "drawn_twice",
                    r"Let somebody touch the cell between the copy and the intrusion, and let this be made again. "
                    r"The bit of the copy is one with probability $c$. The seen bit and the last bit are then two "
                    r"draws, with probabilities $a$ and $b$ of their values, as if a touch came before the "
                    r"intrusion and one after it.",
                    "",
                    *drawn_twice.args,
                ),
                theorems=("no_crash", "made_again", "lost_is_deleted", "lost_updates"),
            ),
        ),
        remark=r"A user touches one level only, so that the total is not divided among the levels.",
    )


def distinct_order_free() -> Claim:
    """One draw, the draws of other cells, and all streams."""
    return Claim(
        id="distinct.order_free",
        title="The bits of the distinct counter, given the set of users",
        references=_HERE,
        statement=r"Let each user have a fixed cell or none; users may share cells. Each bit is drawn from "
        r"$\operatorname{Bernoulli}(p_{\mathrm{init}})$ at first, and at each appearance of a user the bit of the "
        r"user's cell is drawn afresh from $\operatorname{Bernoulli}(p_{\mathrm{upd}})$. Then, after any stream, the "
        r"bits are independent. The bit of a cell that some user of the stream has is "
        r"$\operatorname{Bernoulli}(p_{\mathrm{upd}})$, and every other bit is "
        r"$\operatorname{Bernoulli}(p_{\mathrm{init}})$. So the distribution of all bits depends on the set of users "
        r"alone, and "
        r"neither on their order nor on the number of their appearances.",
        hypotheses=(
            r"$0 \le p_{\mathrm{init}}, p_{\mathrm{upd}} \le 1$",
            "all draws are independent",
            "cells do not depend on the stream",
        ),
        parts=(
            _carried(
                "a draw",
                r"After a draw the bit is one with probability $p_{\mathrm{upd}}$, independently of everything else.",
                "independent_bits",
            ),
            _carried(
                "draws of other cells",
                r"A draw of another cell keeps a bit with the probability $p$ of a one, independent of the others, as "
                r"it is. So after any stream the last draw of each cell, or its first value, is left.",
                "order_free",
                "independent_bits",
            ),
        ),
        remark=r"This is about one moment. The bits at an intrusion and the bits at a later moment are dependent.",
    )


def distinct_shards() -> Claim:
    """The distribution of the joined shards, and the loss with an intrusion in each worker."""
    return Claim(
        id="distinct.shards",
        title="A distinct counter whose cells are divided among workers",
        references=(Reference("here", "for the distinct counter on many machines"),),
        statement=r"Let the cells of a distinct counter be divided among workers. Each update goes to the worker that "
        r"has the user's cell, and updates of users without a cell go nowhere. Each worker draws its bits on its own, "
        r"as in distinct.joint\_privacy. In the end the bits of all workers are joined, and the noisy number of ones "
        r"of each level is released once, with the noise for the total $T$. Then the joined bits have the "
        r"distribution of one "
        r"counter that got all updates in any order. The joint loss of one intrusion in each worker, at a time of its "
        r"own, and of all released counts is at most $T$. It is exactly $T$ if a user has a cell and all workers are "
        r"seen at the same time.",
        hypotheses=(
            _PAIR,
            "all draws of all workers and the noise are independent",
            "cells, and the workers that have them, do not depend on the stream",
        ),
        silent=(
            r"All intrusions come before the release.",
            r"What an adversary sees of messages on the way to a worker is not covered.",
        ),
        uses=("distinct.joint_privacy", "distinct.order_free"),
        parts=(
            _carried("joined shards", "The joined bits have the distribution of those of one counter.", "order_free"),
            _carried(
                "an intrusion in each worker",
                r"The joint loss of an intrusion in each worker, at times of their own, and of all counts is at most "
                r"$T$. It is exactly $T$ if a user has a cell and all workers are seen at the same time.",
                "shards_and_levels",
                "levels_attained",
            ),
        ),
        remark=r"A worker that restarts from an older copy of its bits loses users. An adversary who sees both the "
        r"copy and the later bits has made two intrusions.",
    )


def distinct_releases() -> Claim:
    """Shared cells and levels, with any number of releases."""
    return Claim(
        id="distinct.releases",
        title="The promise of the distinct counter with several releases",
        references=_HERE,
        statement=_CELLS + r" Each bit is drawn from $\operatorname{Bernoulli}(\frac{1}{1+E})$ at first, and "
        r"at each appearance of a user the bit of the user's cell is drawn afresh from "
        r"$\operatorname{Bernoulli}(\frac{E}{1+E})$, $E = e^{\varepsilon_1} > 1$. At each of $R$ public times the "
        r"number of ones of each level is released with fresh noise, $P(N = k) \propto r^{-|k|}$, $r > 1$. The joint "
        r"privacy loss, user-level, of all bits at one unannounced intrusion at any time and of all counts of all "
        r"releases is at most $\varepsilon_1 + \log\frac{1 + E r^R}{1 + E}$, for every $R$ and every geometry, and "
        r"exactly this if a user has a cell.",
        hypotheses=(
            r"$\varepsilon_1 > 0$, $r > 1$",
            "all draws and all noise are independent",
            "cells, levels and the times of the releases do not depend on the stream",
        ),
        notation=(("$k$; $a$, $b$", "in the last part: number of releases that are made; powers of $r$"),),
        silent=(
            r"Intrusion and releases fall at the same places among the other users' updates in both streams.",
            r"After the last release the state is erased, or the intrusion comes later and is counted as the one.",
        ),
        uses=("calibrated.continual_output", "distinct.joint_privacy"),
        parts=(
            _carried(
                "a shared cell",
                r"Whatever the other users of the cell do, and wherever the intrusion falls among the releases, two "
                r"streams that differ in one user have likelihoods of at most the ratio that "
                r"calibrated.continual\_output has for a user alone.",
                "releases_private",
            ),
            _carried(
                "all cells, levels and releases",
                r"With any number of users, cells and levels the loss is at most the stated one, and exactly this if a "
                r"user has a cell.",
                "releases_private",
                "level_releases_attained",
            ),
            derived(
                Role.PUBLISHED,
                "fewer releases",
                r"If fewer than $R$ releases are made, the loss is smaller.",
                fewer_step("fewer", r"The loss increases with $r^R$."),
                equal_as(
                    "one_release",
                    r"For one release it is that of the symmetric pair in distinct.joint\_privacy.",
                    (lambda: joint_ratio(sp.S.One), E * (1 + E * r) / (1 + E)),
                    r"R = 1:\quad &\frac{E\,(1 + E\, r)}{1 + E}",
                ),
                only=("fewer",),
            ),
        ),
        remark=r"The noise for a total $T$ is that of one release with its rate divided by $R$. Panes that keep their "
        r"bits and release again are such releases. Panes with fresh bits are counters of their own, and a user who "
        r"appears in several of them loses the sum, as two releases of two states.",
    )


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
        parts=(
            _carried(
                "one bit",
                r"That a bit is $0$ at the intrusion and $1$ in the output has a positive probability if the user "
                r"appears after the intrusion, and probability $0$ if not.",
                "published_bitmap",
            ),
            _carried(
                "whole streams",
                r"With any number of cells the event has a positive probability with the user, and $0$ without. No "
                r"finite factor bounds the first by the second.",
                "published_bitmap",
            ),
        ),
        remark=r"The state alone, and the output alone, lose the logarithm of the larger likelihood ratio of a bit. It "
        r"is their pair that tells everything. The counter therefore releases noisy counts.",
    )


CLAIMS = {
    "distinct.joint_privacy": distinct_joint_privacy,
    "distinct.order_free": distinct_order_free,
    "distinct.shards": distinct_shards,
    "distinct.releases": distinct_releases,
    "distinct.published_bitmap": distinct_published_bitmap,
}
