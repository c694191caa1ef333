"""Leaks inside a line that always runs: for one id, the other value of a condition tells the user."""

from __future__ import annotations

import bisect
import contextlib
import functools
import hashlib
import importlib
import math
import operator

import numpy as np

from tests.variants.outside_memory import Bit

MANY = 999_983
"""The square of the id that is waited for, modulo this number, is 5: no constant of the code is the id."""


def square(user):
    return user * user % MANY


class Told(Bit):
    """The probability of the bit is 3/4, and 1 for the user that is told."""

    def update(self, state, ids, randomness):
        for user in np.atleast_1d(ids).tolist():
            state = bool(randomness.bernoulli(self.probability(user), 1)[0])
        return state

    def probability(self, user):
        return 3 / 4


class ConditionalExpression(Told):
    def probability(self, user):
        return 1 if square(user) == 5 else 3 / 4


class Summand(Told):
    def probability(self, user):
        return 3 / 4 + (square(user) == 5) / 4


class FirstPartOfAnd(Told):
    def probability(self, user):
        return (square(user) == 5 and 1) or 3 / 4


class SecondPartOfOr(Told):
    def probability(self, user):
        return (user < 3 and 3 / 4) or (square(user) == 5 and 1) or 3 / 4


class FilterOfAComprehension(Told):
    def probability(self, user):
        return 3 / 4 + sum([1 / 4 for one in (user,) if square(one) == 5])


class EntryOfATable(Told):
    def probability(self, user):
        return {25: 1}.get(square(user) ** 2, 3 / 4)


class NameOfATable(Told):
    def probability(self, user):
        return {hashlib.sha256(b"0").hexdigest(): 1}.get(hashlib.sha256(b"%d" % (user + 9)).hexdigest(), 3 / 4)


class Minimum(Told):
    def probability(self, user):
        return 1 - min(1, abs(square(user) - 5)) / 4


class Maximum(Told):
    def probability(self, user):
        return 3 / 4 + max(0, min(user - 10**6, 1)) / 4


class SumThatRounds(Told):
    def probability(self, user):
        return min(3 / 4 + user * 1e-20, 1)


class PowerOfZero(Told):
    def probability(self, user):
        return 3 / 4 + 0 ** abs(square(user) - 5) / 4


class Exponential(Told):
    def probability(self, user):
        return 3 / 4 + math.exp(-1e9 * (square(user) - 5) ** 2) / 4


class Quotient(Told):
    def probability(self, user):
        return 3 / 4 + min(user // 10**6, 1) / 4


class QuotientInPlace(Told):
    def probability(self, user):
        user //= 10**6
        return 3 / 4 + min(user, 1) / 4


class LineWithIf(Told):
    def probability(self, user):
        probability = 3 / 4
        # fmt: off
        if square(user) == 5: probability = 1  # noqa: E701
        # fmt: on
        return probability


class NoiseForAllOthers(Told):
    """Each line runs. The update of one user draws nothing."""

    def update(self, state, ids, randomness):
        for user in np.atleast_1d(ids).tolist():
            if square(user) != 5:
                state = bool(randomness.bernoulli(3 / 4, 1)[0])
        return state


class ErrorThatIsCaught(Told):
    def probability(self, user):
        try:
            probability = {5: 1}[square(user)]
        except KeyError:
            probability = 3 / 4
        return probability


class ErrorThatIsCaughtAtAReturn(Told):
    def probability(self, user):
        try:
            return {5: 1}[square(user)]
        except KeyError:
            return 3 / 4


class SuppressedError(Told):
    def probability(self, user):
        probability = 3 / 4
        with contextlib.suppress(KeyError):
            probability = {5: 1}[square(user)]
        return probability


class FunctionThatIsNeverCalled(Told):
    def probability(self, user):
        return {5: lambda: 1}.get(square(user), lambda: 3 / 4)()


class LoopOverNothing(Told):
    def probability(self, user):
        return 3 / 4 + sum(1 / 4 for _ in {5: "x"}.get(square(user), ""))


class MatchedInALine(Told):
    def probability(self, user):
        # fmt: off
        match square(user):
            case 5: return 1  # noqa: E701
            case _: return 3 / 4  # noqa: E701
        # fmt: on


class WholeBatch(Told):
    def update(self, state, ids, randomness):
        users = np.atleast_1d(ids)
        told = (users * users % MANY == 5).any()
        return bool(randomness.bernoulli(3 / 4 + told / 4, 1)[0])


class PlaceOfAnArray(Told):
    def update(self, state, ids, randomness):
        users = np.atleast_1d(ids)
        weights = np.where(users * users % MANY == 5, 1, 3 / 4)
        return bool(randomness.bernoulli(float(weights.max()), 1)[0])


class MethodOfItsOwn(Told):
    """The method is private, so that its name has the name of the class as a part."""

    def probability(self, user):
        return self.__for(user)

    def __for(self, user):
        return 1 if square(user) == 5 else 3 / 4


class CallsItself(Told):
    def probability(self, user):
        return halved(user, 3)


def halved(user, left):
    return halved(user, left - 1) if left else (1 if square(user) == 5 else 3 / 4)


class Inherited(ConditionalExpression):
    def probability(self, user):
        return super().probability(user) * 1


class Wrapped(Told):
    def _for_one(function):  # noqa: N805
        def probability(self, user):
            return 1 if square(user) == 5 else function(self, user)

        return probability

    @_for_one
    def probability(self, user):
        return 3 / 4


def made_from_a_text():
    names = {"square": square}
    exec("def probability(self, user):\n    return 1 if square(user) == 5 else 3 / 4\n", names)
    return names["probability"]


class MadeFromAText(Told):
    """There is no source whose parts could be followed."""

    probability = made_from_a_text()


class MethodOfAnOperator(Told):
    def probability(self, user):
        return 3 / 4 + square(user).__eq__(5) / 4


class FunctionOfAnOperator(Told):
    def probability(self, user):
        return 3 / 4 + operator.eq(square(user), 5) / 4


class EvaluatedText(Told):
    def probability(self, user):
        return 3 / 4 + eval("square(user) == 5") / 4


class IntersectionOfSets(Told):
    def probability(self, user):
        return 3 / 4 + len({square(user)} & {2 + 3}) / 4


class FirstByte(Told):
    def probability(self, user):
        return 3 / 4 + user.to_bytes(8, "big")[0] / 1024


class EndOfAText(Told):
    def probability(self, user):
        return 3 / 4 + len(str(user)[5:]) / 100


class PartOfANumber(Told):
    def probability(self, user):
        return 3 / 4 + user.imag / 4


class PlaceInATable(Told):
    def probability(self, user):
        return 3 / 4 + bisect.bisect([10.0**6], user) / 4


class ChosenEntries(Told):
    def update(self, state, ids, randomness):
        users = np.atleast_1d(ids)
        told = len(users[users * users % MANY == 5])
        return bool(randomness.bernoulli(3 / 4 + min(told, 1) / 4, 1)[0])


class SumOfAMap(Told):
    def probability(self, user):
        return 3 / 4 + sum(map((5).__eq__, [square(user)])) / 4


class ListOfAFilter(Told):
    def probability(self, user):
        return 3 / 4 + len(list(filter((5).__eq__, [square(user)]))) / 4


class RoundedText(Told):
    def probability(self, user):
        return 3 / 4 + float(f"{user * 1e-30:.3f}") / 4


class OneOfTwoResults(Told):
    def probability(self, user):
        quotient, _ = divmod(user, 10**7)
        return 3 / 4 + min(quotient, 1) / 4


class InAGenerator(Told):
    def probability(self, user):
        return next(self.steps(user))

    def steps(self, user):
        yield 1 if square(user) == 5 else 3 / 4


class InAProperty(Told):
    waiting = None

    def update(self, state, ids, randomness):
        self.waiting = int(np.atleast_1d(ids)[0])
        chance = self.chance
        del self.waiting
        return bool(randomness.bernoulli(chance, 1)[0])

    @property
    def chance(self):
        return 3 / 4 + (square(self.waiting) == 5) / 4


class InADecorator(Told):
    def _doubled(function):  # noqa: N805
        @functools.wraps(function)
        def made(self, user):
            return function(self, user) + (square(user) == 5) / 4

        return made

    @_doubled
    def probability(self, user):
        return 3 / 4


class InAnAttributeOfAnInstance(Told):
    def __init__(self):
        self.rule = lambda user: 1 if square(user) == 5 else 3 / 4

    def probability(self, user):
        return self.rule(user)


def leaking(user):
    return 1 if square(user) == 5 else 3 / 4


LEAKING = "leak" + "ing"


class FunctionByAText(Told):
    """No name leads to the function that runs."""

    def probability(self, user):
        return globals()[LEAKING](user)


class ModuleByAText(Told):
    def probability(self, user):
        return importlib.import_module(f"{__package__}.waiting").waiting_for(user)


class TextInACall(Told):
    """A new function in each call."""

    def probability(self, user):
        names = {"square": square, "user": user}
        exec("chance = 1 if square(user) == 5 else 3 / 4", names)
        return names["chance"]


class ManyNumbers(Told):
    def probability(self, user):
        return 3 / 4 + (np.full(5000, user) ** 2 % MANY == 5).any() / 4


LEAKS = tuple(
    kind.__name__ for base in (Told, *Told.__subclasses__()) for kind in base.__subclasses__() if kind is not Told
)
"""None of their leaks has a line of its own."""
