"""A tree of two-way counts: a synthesizer with pure epsilon and less error than printed networks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isclose
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.network import Network
from pan_estimators.tables.schema import Schema, binary
from pan_estimators.tables.settings import promise_of, require_epsilon
from pan_estimators.tables.structure import Choice, GreedyStructure, counts_of
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError, shown
from pan_promises.problem import Problem
from pan_promises.promise import Promise

Counts = NDArray[np.float64]


@dataclass(frozen=True)
class TreeTranscript:
    """Everything that leaves the holder of the table.

    Attributes
    ----------
    structure
        The attributes in the order of their choice, each with at most one parent.
    single
        The noisy counts of each attribute, in the order of the schema.
    joint
        For each attribute with a parent the noisy joint counts, the parent running fastest.
    """

    structure: tuple[Choice, ...]
    single: list[list[Any]]
    joint: list[list[Any]]


@dataclass(frozen=True)
class CalibratedTree:
    """A tree-shaped network, with pure epsilon for one replaced row.

    The tree is chosen by the exponential mechanism with the score R, whose sensitivity is at most ``3/n``
    (bayesnet.score_sensitivities). All attributes and all pairs of the tree are counted with Laplace noise: one
    replaced row changes each table of counts by at most 2. The model takes, for each attribute, the mean of all of its
    estimates weighted by their variances, and moves the joint counts to these margins.

    Parameters
    ----------
    schema
        The schema, or a form of it that :meth:`~pan_estimators.tables.schema.Schema.of` reads.
    epsilon
        The budget, in nats.
    shares
        The shares of the structure, of the single counts and of the joint counts: positive, with the sum 1.
    rows
        The number of rows of the tables on which it is audited.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """

    schema: Any = field(default_factory=lambda: binary(3))
    epsilon: float = 1.0
    shares: tuple[float, float, float] = (0.3, 0.1, 0.6)
    rows: int = 8

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", Schema.of(self.schema))
        require_epsilon(self.epsilon)
        shares = self.shares
        numbers = isinstance(shares, (list, tuple)) and len(shares) == 3
        if not numbers or not all(isinstance(one, float) and one > 0 for one in shares) or not isclose(sum(shares), 1):
            raise InputError(f"the shares are three positive numbers with the sum 1, got {shown(shares)}")
        object.__setattr__(self, "shares", tuple(shares))
        assert self.chooser

    @property
    def promise(self) -> Promise:
        """Epsilon, for one replaced row."""
        return promise_of(self.epsilon)

    @property
    def problem(self) -> Problem:
        """The tables on which the promise is judged."""
        problem: Problem = self.schema.problem(self.rows)
        return problem

    @cached_property
    def chooser(self) -> GreedyStructure:
        """The mechanism that chooses the tree."""
        return GreedyStructure(self.schema, self.shares[0] * self.epsilon, 1, "R", self.rows)

    @property
    def scales(self) -> tuple[float, float]:
        """The scales of the noise of single counts and of joint counts."""
        width = len(self.schema.attributes)
        return (
            2 * width / (self.shares[1] * self.epsilon),
            2 * (width - 1) / (self.shares[2] * self.epsilon),
        )

    def release(self, table: Any, randomness: Randomness) -> TreeTranscript:
        """The tree and the noisy counts.

        Parameters
        ----------
        table
            A :class:`~pan_estimators.tables.table.Table`, or data from which one is made.
        randomness
            The source of the random choices.

        Raises
        ------
        InputError
            If the data is no table of the schema.
        """
        read = Table.of(table, self.schema)
        structure = self.chooser.release(read, randomness)
        single, joint = self.scales

        def noisy(choice: Choice, scale: float) -> list[Any]:
            return [randomness.laplace(int(count), scale) for count in counts_of(read, choice).ravel()]

        # An attribute without a parent is counted again: the number of tables does not depend on the choice.
        return TreeTranscript(
            structure,
            [noisy((place, ()), single) for place in range(len(self.schema.attributes))],
            [noisy(choice, joint) for choice in structure[1:]],
        )

    def post_process(self, observation: TreeTranscript) -> Network:
        """The network of a transcript.

        Parameters
        ----------
        observation
            The transcript.
        """
        sizes = self.schema.sizes
        joint = {
            choice: np.array(cells, dtype=np.float64).reshape(sizes[choice[0]], -1)
            for choice, cells in zip(observation.structure[1:], observation.joint, strict=True)
        }
        single = [np.array(cells, dtype=np.float64) for cells in observation.single]
        margins = self._margins(single, joint)
        counts = []
        for choice in observation.structure:
            place, parents = choice
            moved = joint[choice] if parents else margins[place].reshape(-1, 1)
            if parents:
                moved = moved + ((margins[place] - moved.sum(axis=1)) / moved.shape[1])[:, None]
                moved = moved + ((margins[parents[0]] - moved.sum(axis=0)) / moved.shape[0])[None, :]
            counts.append(moved.ravel().tolist())
        return Network.from_counts(self.schema, observation.structure, counts)

    def _margins(self, single: list[Counts], joint: Mapping[Choice, Counts]) -> list[Counts]:
        """The counts of each attribute: the mean of its estimates, all with one sum.

        The variance of a sum of cells is the number of cells times that of one cell.
        """
        first, second = self.scales
        estimates: list[list[tuple[float, Counts]]] = [[(first**-2, cells)] for cells in single]
        for (place, parents), cells in joint.items():
            estimates[place].append((second**-2 / cells.shape[1], cells.sum(axis=1)))
            for parent in parents:
                estimates[parent].append((second**-2 / cells.shape[0], cells.sum(axis=0)))
        means = [
            np.average([cells for _, cells in own], axis=0, weights=[weight for weight, _ in own]) for own in estimates
        ]
        # The total of a sum of d cells has d times the variance of a cell.
        weights = [sum(weight for weight, _ in own) / len(own[0][1]) for own in estimates]
        total = float(np.average([mean.sum() for mean in means], weights=weights))
        return [mean + (total - mean.sum()) / len(mean) for mean in means]

    def sample(self, model: Network, rows: int, randomness: Randomness) -> list[tuple[Any, ...]]:
        """Rows of a network.

        Parameters
        ----------
        model
            The network.
        rows
            Their number.
        randomness
            The source of the choices.
        """
        return model.sample(rows, randomness).to_rows()
