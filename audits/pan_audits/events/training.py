"""The learned event: a score, fitted to a part of the runs, and its threshold, chosen on the other runs.

Two scores are fitted: the log-odds of a logistic regression, and boosted trees. A single column has one tree in place
of boosted ones. The score with the larger likelihood of the other runs is used. Beside it, each column is a score of
its own, which needs no fit. Many thresholds are tried, as the sets of one score are nested. A bound on the loss needs
fresh runs in any case.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pan_audits.events.event import Candidate, Condition, Event, Objective
from pan_audits.events.features import log_odds, logistic, usable
from pan_audits.events.table import Definition, Floats, Polynomial, Table, needed
from pan_audits.events.trees import Node, TreeScore, bounded, step_tree
from pan_audits.workers.limits import one_thread

LEAST_RUNS = 1024
"""Runs on each stream from which a score is fitted."""
MOST_RUNS = 400_000
_MOST_FITTED = 100_000

_NAME = "learned score"
_TREES, _LEAVES, _RATE, _LEAST_IN_LEAF = 100, 31, 0.1, 20
_THRESHOLDS = np.unique(np.concatenate([np.linspace(0, 1, 101), np.geomspace(1e-3, 0.05, 15)]))
_DEVIATIONS = 3.0
"""A column is left out of the regression if its weight is less than this number of standard errors."""
_MOST_LINEAR = 200
"""A logistic regression uses no more columns."""
_MOST_OF_EVERY = 512
_EXTREME, _MOST_ODDS = 0.0005, 30.0
"""The part of the runs on each side whose scores are taken for the last ones before it, and the largest log-odds."""


def learn_scores(
    left: Table,
    right: Table,
    objective: Objective,
    derived: Sequence[Definition],
    *,
    fitted: bool = True,
    steadied: Objective | None = None,
) -> tuple[Candidate, Candidate] | None:
    """The best events of a learned score, for left against right and for right against left."""
    runs = min(left.runs, right.runs)
    if runs < LEAST_RUNS:
        return None
    left, right = (table.rows(max(0, runs - MOST_RUNS), runs) for table in (left, right))
    part = min(left.runs // 2, _MOST_FITTED) if fitted else 0
    (ours, held_ours), (theirs, held_theirs) = (
        (table.rows(0, part), table.rows(part, table.runs)) for table in (left, right)
    )
    found: list[tuple[Candidate, Candidate]] = []
    for place, name in enumerate(left.names):
        columns = held_ours.values[:, place], held_theirs.values[:, place]
        if all(map(usable, columns)) and (columns[0] != columns[0][0]).any():
            found.append(_both(name, *columns, objective, needed([name], derived)[0], steadied, False))
    scores = fitted_scores(ours, theirs) if fitted else []
    if scores:
        scored = [(score(held_ours), score(held_theirs)) for score in scores]
        best = max(range(len(scores)), key=lambda place: _likelihood(*scored[place]))
        score = scores[best]
        definitions = (*needed(score.inputs, derived)[0], score)
        # A score of one column is a step function, whose flat parts a polynomial would bend.
        found.append(_both(score.name, *scored[best], objective, definitions, steadied, len(score.inputs) > 1))
    if not found:
        return None
    first, second = ([pair[place] for pair in found] for place in (0, 1))
    return max(first, key=lambda one: one.worth), max(second, key=lambda one: one.worth)


def fitted_scores(left: Table, right: Table) -> list[Definition]:
    """The scores fitted to all given runs: log-odds of left against right, by each kind of fit that succeeds."""
    return [score for fit in (_linear, _trees) if (score := fit(left, right)) is not None]


def _both(name: str, ours: Floats, theirs: Floats, *how: Any) -> tuple[Candidate, Candidate]:
    return _best(name, ours, theirs, *how), _best(name, theirs, ours, *how)


def _likelihood(ours: Floats, theirs: Floats) -> float:
    """The log-likelihood of the streams, for a score that is their log-odds."""
    return float(-np.logaddexp(0, -ours).mean() - np.logaddexp(0, theirs).mean())


def _best(
    name: str,
    ours: Floats,
    theirs: Floats,
    objective: Objective,
    definitions: tuple[Definition, ...],
    steadied: Objective | None,
    log_odds: bool,
) -> Candidate:
    """The best threshold, half way between two values of the score."""
    sorted_ours, sorted_theirs = np.sort(ours), np.sort(theirs)
    grid = np.union1d(_THRESHOLDS, 1 - _THRESHOLDS)
    quantiles = [side[((side.size - 1) * grid).astype(np.int64)] for side in (sorted_ours, sorted_theirs)]
    values = np.unique(np.concatenate(quantiles))
    # The next value of either side, so that no rounding moves a run over the threshold.
    next_ = np.full(values.shape, np.inf)
    for side in (sorted_ours, sorted_theirs):
        place = np.searchsorted(side, values, side="right")
        next_ = np.minimum(next_, np.where(place < side.size, side[np.minimum(place, side.size - 1)], np.inf))
    middles = np.where(np.isfinite(next_), (values + next_) / 2, values)
    sides = [np.searchsorted(side, middles, side="right") for side in (sorted_ours, sorted_theirs)]
    n = ours.size
    compared = worth = objective(*_of_both_kinds([side.astype(np.float64) for side in sides], n), n)
    if steadied is not None:
        compared = worth + objective(*_of_both_kinds(_steadied(ours, theirs, middles), n), n)
        if log_odds:
            compared = compared + 2 * steadied(*_of_both_kinds(_modelled(ours, theirs, middles), n), n)
    chosen = int(np.argmax(compared))
    row, comparison = chosen % middles.size, ">" if chosen < middles.size else "<="
    event = Event((Condition(name, comparison, float(middles[row])),), definitions)
    counts = [int(n - side[row] if comparison == ">" else side[row]) for side in sides]
    return Candidate(event, float(worth[chosen]), counts[0], counts[1], n)


def _of_both_kinds(sides: Sequence[Floats], runs: int) -> tuple[Floats, Floats]:
    """The counts of the events above each limit, and then of those up to it, from the latter on both sides."""
    ours, theirs = (np.concatenate([runs - side, side]) for side in sides)
    return ours, theirs


def _steadied(ours: Floats, theirs: Floats, limits: Floats) -> list[Floats]:
    """The numbers of runs up to each limit on both sides, as the log-odds of a step function divide all these runs.

    Their quotients have less random error than those of the counts: a range in which the log-odds do not visibly change
    has one quotient.
    """
    pooled = np.sort(np.concatenate([ours, theirs]))
    tree = step_tree(ours, theirs)
    share = np.full(pooled.size, 0.5)
    if tree is not None:
        share = 1 / (1 + np.exp(-TreeScore(_NAME, (_NAME,), (tree,))(Table((_NAME,), pooled[:, None]))))
    return _divided(pooled, share, limits)


def _modelled(ours: Floats, theirs: Floats, limits: Floats) -> list[Floats]:
    """The same numbers where the log-odds are a polynomial of the score, which four weights describe.

    A score that is fitted well is nearly the log-odds. Their quotients have next to no random error, also for rare
    events. They are wrong where the score is, so that the counts must agree.
    """
    pooled = np.sort(np.concatenate([ours, theirs]))
    labels = np.repeat([1.0, 0.0], [ours.size, theirs.size])
    low, high = np.quantile(pooled, (_EXTREME, 1 - _EXTREME))
    centre, spread = pooled.mean(), pooled.std() or 1.0

    def design(scores: Floats) -> Floats:
        inside = (np.clip(scores, low, high) - centre) / spread
        return np.column_stack([inside, inside**2, inside**3])

    weights = logistic(design(np.concatenate([ours, theirs])), labels)
    odds = 0.0 if weights is None else np.clip(weights[0] + design(pooled) @ weights[1:], -_MOST_ODDS, _MOST_ODDS)
    return _divided(pooled, np.broadcast_to(1 / (1 + np.exp(-odds)), pooled.shape), limits)


def _divided(pooled: Floats, share: Floats, limits: Floats) -> list[Floats]:
    """The numbers of runs up to each limit on both sides, if each run belongs to the first side by its share."""
    places = np.searchsorted(pooled, limits, side="right")
    sums = [np.append(0.0, np.cumsum(part)) for part in (share, 1 - share)]
    runs = pooled.size / 2
    return [np.minimum(each[places] * runs / each[-1], runs) for each in sums]


def every_column(left: Table, right: Table) -> Polynomial | None:
    """Logistic regression that keeps all columns that vary, up to 512: noise may be spread over many outputs."""
    return _linear(left, right, most=_MOST_OF_EVERY, deviations=0.0)


def _linear(
    left: Table, right: Table, *, most: int = _MOST_LINEAR, deviations: float = _DEVIATIONS
) -> Polynomial | None:
    """Logistic regression on all columns that vary, without those that have no effect."""
    pooled = np.concatenate([left.values, right.values])
    places = [place for place in range(len(left.names)) if usable(pooled[:, place])][:most]
    if not places:
        return None
    design, labels = pooled[:, places], np.repeat([1.0, 0.0], [left.runs, right.runs])
    terms = [(left.names[place],) for place in places]
    whole = log_odds(_NAME, terms, design, labels)
    if whole is None:
        return None
    # Columns without an effect only blur the score. The standardised weights have this error, if nothing is known.
    spread = design.std(axis=0) + 1e-12
    weights = np.array([weight for _, weight in whole.terms[1:]]) * spread
    known = np.abs(weights) > deviations * _errors((design - design.mean(axis=0)) / spread)
    if not known.any() or known.all():
        return whole
    return log_odds(_NAME, [term for term, kept in zip(terms, known, strict=True) if kept], design[:, known], labels)


def _errors(design: Floats) -> Floats:
    """The standard errors of the weights of a logistic regression with no effect."""
    information = design.T @ design / 4
    return np.sqrt(np.diag(np.linalg.pinv(information + 1e-6 * np.eye(len(information)))))


def _trees(left: Table, right: Table) -> TreeScore | None:
    """Boosted trees, or one tree where one column varies; ``None`` if none does."""
    pooled = bounded(np.concatenate([left.values, right.values]))
    varying = [place for place in range(pooled.shape[1]) if _varies(pooled[:, place])]
    if len(varying) != 1:
        return _boosted(left, right, pooled, varying) if varying else None
    tree = step_tree(pooled[: left.runs, varying[0]], pooled[left.runs :, varying[0]])
    return None if tree is None else TreeScore(_NAME, (left.names[varying[0]],), (tree,))


def _boosted(left: Table, right: Table, pooled: Floats, varying: Sequence[int]) -> TreeScore | None:
    """Boosted trees of scikit-learn, written down as numbers; ``None`` without scikit-learn."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError:
        return None
    pooled = pooled[:, varying]
    labels = np.repeat([1, 0], [left.runs, right.runs])
    model = HistGradientBoostingClassifier(
        max_iter=_TREES,
        max_leaf_nodes=_LEAVES,
        learning_rate=_RATE,
        min_samples_leaf=_LEAST_IN_LEAF,
        early_stopping=True,
        validation_fraction=0.2,
        n_iter_no_change=10,
        random_state=0,
    )
    some = slice(0, None, max(1, len(pooled) // 512))
    with one_thread():
        model.fit(pooled, labels)
        decided = model.decision_function(pooled[some])
    score = _written(model, tuple(left.names[place] for place in varying))
    # The written trees must be the fitted ones, whatever the release of scikit-learn.
    told = score(Table(score.columns, pooled[some]))
    return score if np.allclose(told, decided, atol=1e-6) else None


def _written(model: object, columns: tuple[str, ...]) -> TreeScore:
    """The trees of a fitted model; the constant is a tree of one leaf."""
    constant = float(np.ravel(model._baseline_prediction)[0])  # type: ignore[attr-defined]
    trees: list[tuple[Node, ...]] = [(Node(-1, 0.0, False, 0, 0, constant),)]
    for (predictor,) in model._predictors:  # type: ignore[attr-defined]
        trees.append(
            tuple(
                Node(-1, 0.0, False, 0, 0, float(node["value"]))
                if node["is_leaf"]
                else Node(
                    int(node["feature_idx"]),
                    float(node["num_threshold"]),
                    bool(node["missing_go_to_left"]),
                    int(node["left"]),
                    int(node["right"]),
                    0.0,
                )
                for node in predictor.nodes
            )
        )
    return TreeScore(_NAME, columns, tuple(trees))


def _varies(column: Floats) -> bool:
    present = column[~np.isnan(column)]
    # Of fewer numbers none may be in the part that is fitted.
    return bool(
        (present.size >= min(_LEAST_IN_LEAF, column.size))
        and present.size
        and (present.min() != present.max() or present.size < column.size)
    )
