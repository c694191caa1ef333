"""The check: its scopes, its effort, its repetitions and its growth."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq

from pan_audits import Verdict
from pan_audits.choices.enumerating import MOST_OUTCOMES, outcomes
from pan_audits.choices.errors import TooLargeError, TooManyOutcomesError
from pan_audits.choices.numbers import as_float
from pan_audits.exact.check import run_check
from pan_audits.exact.effort import Effort
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.exact.scope import Scope, Update, adjacent, without
from pan_audits.exact.search import search_scope
from pan_audits.exact.stepping import Stepper, Work
from pan_audits.exact.witness import replay_exact
from pan_audits.problems.inputs.streams.catalogue import JUDGED
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.subject.running.course import repeated
from pan_audits.workers.limits import Limits
from pan_estimators import (
    Adjacency,
    InputError,
    Promise,
    calibrated_bernoulli,
    calibrated_continual_output,
    create_estimator,
    parse_epsilon,
)
from pan_estimators.common.registry import with_budget
from tests.internals.exact.checking import examined, judged
from tests.mechanisms import counted_releases, ten_lines, unseen

SMALL = CheckSettings(users=3, length=3, appearances=4, seconds=60)
OUTPUT_ALONE = "epsilon=0.1,adjacency=user-level,observed=output"
TEN_LINES = "tests.mechanisms.ten_lines"


def check(name, epsilon=None, promise=None, settings=SMALL, **parameters):
    given = parameters if epsilon is None else with_budget(name, parse_epsilon(epsilon), parameters)
    stated = Promise.parse(promise) if promise else None
    return run_check(SmallInstances(name, given, stated), settings)


def joint_loss(p, q, ratio):
    """The largest of the ratios of a cell that is seen and then perhaps drawn again, with noise of this ratio."""
    a, b = q / p, (1 - p) / (1 - q)
    return max(a * (q + (1 - q) * ratio), b * (1 - q + q * ratio), a / (q + (1 - q) / ratio), b / (1 - q + q / ratio))


@pytest.mark.parametrize("base", ["3/2", "5"])
def test_optimal_bernoulli_loses_what_the_formula_says(base):
    e = Fraction(base)
    exponent = (e + 1) / (e - 1)
    result = check("optimal-bernoulli", f"log({base})", promise=f"epsilon=2*log({base}),adjacency=user-level")
    assert result.verdict is Verdict.REFUTED
    assert result.exact
    if exponent.denominator == 1:
        expected = joint_loss(1 / (1 + e), e / (1 + e), e**exponent.numerator)
        assert result.loss.ratio == fmpq(expected.numerator, expected.denominator)
    else:
        expected = joint_loss(float(1 / (1 + e)), float(e / (1 + e)), float(e) ** float(exponent))
        assert result.loss.nats == pytest.approx(math.log(expected), rel=1e-12)
    assert result.growth.settles_at == 1
    assert not result.growth.unbounded


NAIVE = 0.5, 0.625
LAPLACE = math.exp(-0.25) / 2, 1 - math.exp(-0.25) / 2
FAMILY = 0.8 * (1 - math.tanh(0.25)), 0.8 * (1 + math.tanh(0.25))


@pytest.mark.parametrize(
    ("name", "pair", "bit"),
    [
        ("dwork", NAIVE, 4.0),
        ("lecture", NAIVE, 4.0),
        ("quantized-laplace", LAPLACE, 0.5 / (LAPLACE[1] - LAPLACE[0])),
        ("bernoulli-family", FAMILY, 0.5 / (FAMILY[1] - FAMILY[0])),
        ("dwork-insert-delete", NAIVE, 4.0),
    ],
)
def test_published_estimators_lose_what_the_formula_says(name, pair, bit):
    """The probabilities of a cell before and after an appearance, and the rate of its noise, at epsilon 1/2."""
    result = check(name, "0.5", settings=CheckSettings(users=2, length=3, appearances=3))
    (p, q), ratio = pair, math.exp(bit)
    expected = joint_loss(p, q, ratio)
    if name.endswith("delete"):
        # A deletion after the intrusion draws the bit from the initial distribution.
        expected = max(expected, q / p * (p + (1 - p) * ratio), (1 - p) / (1 - q) * (1 - p + p * ratio))
    assert result.loss.nats == pytest.approx(math.log(expected), rel=1e-10)


def test_the_two_parts_of_the_published_proofs_are_tight():
    for name, base in (("optimal-bernoulli", "3/2"), ("laplace", "3/2")):
        estimator = create_estimator(name, epsilon=parse_epsilon(f"log({base})"), universe=2, sample_size=2)
        for promise in (estimator.promise_of_state, estimator.promise_of_output):
            instances = SmallInstances(name, {"epsilon": parse_epsilon(f"log({base})")}, promise)
            result = run_check(instances, CheckSettings(users=2, length=3, sample_size=2))
            assert result.verdict is Verdict.NOT_REFUTED
            if promise.sees_state or name == "laplace":
                assert result.loss.closed_form == "log(3/2)"


def test_real_valued_cells_and_a_changing_scale_lose_everything():
    for name in ("laplace", "pan-private-distinct-sampling"):
        result = check(name, "log(3/2)")
        assert result.verdict is Verdict.REFUTED
        assert result.loss.unbounded
        assert result.growth.unbounded
        json.dumps(result.to_dict(), allow_nan=False)


def test_noise_of_scales_with_one_logarithm_has_a_lower_bound_that_refutes():
    promise = Promise.parse("epsilon=log(3/2),adjacency=user-level,observed=output")
    instances = SmallInstances("pan-private-distinct-sampling", {"epsilon": parse_epsilon("log(3/2)")}, promise)
    result = run_check(instances, CheckSettings(users=2, length=2, sample_size=2, appearances=4))
    assert result.verdict is Verdict.REFUTED
    assert "at least" in result.reason
    assert result.growth.still_growing


def test_exchangeable_users_change_nothing_but_the_cost():
    for deletions in (False, True):
        estimator = create_estimator(
            "dwork-insert-delete" if deletions else "optimal-bernoulli", epsilon=0.5, universe=3, sample_size=2
        )
        losses, streams = [], []
        for exchangeable in (True, False):
            scope = Scope.of(estimator.promise, 3, 3, deletions=deletions, exchangeable=exchangeable)
            found = search_scope(Stepper(estimator, (0, 1, 2)), scope)
            losses.append(found.worst.loss.nats)
            streams.append(found.streams)
        assert losses[0] == losses[1]
        assert streams[0] < streams[1]


@pytest.mark.parametrize(
    ("kind", "verdict", "nats", "less"),
    [
        (ten_lines.NoisySet, Verdict.NOT_REFUTED, 1.0, "epsilon=0.999,adjacency=user-level,observed=output"),
        (ten_lines.NoisySet, Verdict.NOT_REFUTED, 1.0, "epsilon=50,adjacency=user-level,observed=state"),
        (ten_lines.GeometricSet, Verdict.NOT_REFUTED, 1.0, "epsilon=0.999,adjacency=user-level,observed=output"),
        (ten_lines.SkewedSet, Verdict.NOT_REFUTED, math.log(3), "epsilon=1.09,adjacency=user-level,observed=output"),
        (ten_lines.TwoOutputs, Verdict.NOT_REFUTED, 1, "epsilon=0.999,adjacency=user-level,observed=output,outputs=2"),
        (ten_lines.PairOfOutputs, Verdict.NOT_REFUTED, 1.5, "epsilon=1.499,adjacency=user-level,observed=output"),
        # Clipped noise loses as much as the noise.
        (ten_lines.ClippedSet, Verdict.NOT_REFUTED, 1.0, ""),
    ],
)
def test_ten_line_estimators_are_checked_and_a_little_less_than_the_loss_is_refuted(kind, verdict, nats, less):
    scope = {"users": 3, "length": 3, "appearances": 4}
    result = examined(kind, **scope)
    assert result.verdict is verdict, result.reason
    assert result.loss.nats == pytest.approx(nats, abs=1e-12)
    assert not less or examined(kind, promise=less, **scope).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("mechanism", "promise", "words"),
    [
        # One line for each update tells how many there were.
        ("Printing", None, "the bytes that the code writes"),
        ("SquaredSet", None, "takes a function of it"),
        ("NoiseOfItsOwn", None, "draws from numpy.random"),
        pytest.param("Dying", None, "SystemExit", marks=pytest.mark.more),
        ("PlainObject", "epsilon=1,adjacency=user-level", "randomness interface"),
    ],
)
def test_what_cannot_be_followed_is_inconclusive(mechanism, promise, words, capsys):
    result = check(f"{TEN_LINES}:{mechanism}", promise=promise, settings=CheckSettings(users=2, length=2))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert words in result.reason
    assert capsys.readouterr().out == ""


def test_doubles_that_mean_fractions_are_read_as_such():
    """A loss that equals the promise is no violation, and a larger one is."""
    scope = {"users": 2, "length": 2, "appearances": 2}

    def responding(epsilon, promise):
        return examined(
            ten_lines.RandomisedResponse,
            promise,
            parameters={"universe": 2, "epsilon": parse_epsilon(epsilon)},
            **scope,
        )

    result = responding("log(3/2)", "epsilon=log(39/20),adjacency=user-level")
    assert (result.exact, result.loss.closed_form) == (True, "log(39/20)")
    assert result.verdict is Verdict.NOT_REFUTED
    above = responding("log(3/2)", "epsilon=log(38999999999/20000000000),adjacency=user-level")
    assert above.verdict is Verdict.REFUTED
    assert responding("log(2)", "epsilon=2,adjacency=user-level").loss.nats == pytest.approx(math.log(2 * 5 / 3))
    for stated, verdict in (("0.2", Verdict.REFUTED), ("0.3", Verdict.NOT_REFUTED)):
        result = responding("0.3", f"epsilon={stated},adjacency=user-level,observed=state")
        assert (result.exact, result.verdict) == (False, verdict)


def test_growth_without_bound_is_told_with_its_distribution():
    result = examined(ten_lines.BitThatIsOnlySet, users=2, length=2, appearances=4)
    assert result.verdict is Verdict.REFUTED
    assert result.growth.unbounded
    assert result.growth.ratio == fmpq(2, 3)
    assert [loss.ratio for loss in result.growth.losses] == [fmpq(3, 2) ** often for often in range(5)]
    assert "log(3/2)" in result.growth.describe()


def test_a_promise_that_is_broken_beyond_the_scope_is_refuted_by_its_growth():
    promise = "epsilon=log(1000),adjacency=user-level,observed=state"
    result = examined(ten_lines.BitThatIsOnlySet, promise, users=2, length=2, appearances=4)
    assert result.verdict is Verdict.REFUTED
    left, right = (sum(isinstance(item, Update) for item in s) for s in (result.minimal.left, result.minimal.right))
    assert min(left, right) == 0
    assert max(left, right) > math.log(1000) / math.log(1.5)


def test_a_scope_that_takes_too_long_leaves_the_verdict_of_the_smaller_ones_and_is_named():
    result = check("calibrated-bernoulli", "log(3/2)", settings=CheckSettings(users=3, length=12, seconds=1.0))
    assert "would take about" in result.note
    assert result.coverage
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.note in result.reason


def test_too_many_outcomes_are_refused_at_once():
    estimator = create_estimator("optimal-bernoulli", epsilon=0.1, universe=20, sample_size=20)
    with pytest.raises(TooLargeError, match=r"1\.05e\+06 outcomes"):
        Stepper(estimator, (0,)).created()


def test_the_witness_is_minimal_and_can_be_computed_again():
    result = check("dwork", "log(3/2)")
    assert len(result.minimal.ids) == 1
    assert {len(stream) for stream in (result.minimal.left, result.minimal.right)} == {3}
    stored, fresh = replay_exact(json.loads(json.dumps(result.minimal.to_dict())))
    assert fresh.loss.nats == stored.loss.nats == result.minimal.loss.nats
    changed = result.minimal.to_dict()
    changed["streams"][0] = changed["streams"][1]
    with pytest.raises(InputError, match="does not distinguish the two streams"):
        replay_exact(changed)
    with pytest.raises(InputError, match="not a witness of an exact check"):
        replay_exact({"exact": True})


def test_all_streams_and_all_twins_are_covered():
    promise = Promise(epsilon=1, adjacency=Adjacency.USER_LEVEL)
    scope = Scope.of(promise, 2, 2, deletions=False, exchangeable=False)
    (schedule,) = scope.schedules
    streams = [stream for length in range(3) for stream in scope.streams(schedule, length)]
    assert len(streams) == len(set(streams)) == 1 * 1 + 2 * 2 + 4 * 3
    assert all(stream[-1] is SegmentEnd.RELEASE and SegmentEnd.INTRUSION in stream for stream in streams)
    first, after = Update(0), (SegmentEnd.INTRUSION, Update(1), SegmentEnd.RELEASE)
    twins = [stream for stream in streams if without(stream, 0) == after]
    assert (first, *after) in twins
    assert (SegmentEnd.INTRUSION, Update(1), first, SegmentEnd.RELEASE) in twins
    assert sum(scope.size(length) for length in range(3)) == len(streams)


def test_narrower_adjacency_has_fewer_pairs():
    u, i, r = Update(0), SegmentEnd.INTRUSION, SegmentEnd.RELEASE
    assert adjacent((u, i, r), (i, u, r), Adjacency.USER_LEVEL)
    assert not adjacent((u, i, r), (i, u, r), Adjacency.USER_LEVEL_NESTED)
    assert adjacent((i, r), (u, i, u, r), Adjacency.USER_LEVEL_NESTED)
    assert not adjacent((i, r), (u, i, u, r), Adjacency.EVENT_LEVEL)
    losses = [check("dwork", "0.5", promise=f"epsilon=1,adjacency={adjacency}").loss.nats for adjacency in JUDGED]
    assert losses[0] > losses[1] >= losses[2]
    assert losses[2] == pytest.approx(math.log(0.375 + 0.625 * math.exp(4)), rel=1e-9)


def test_deletions_are_of_users_who_are_there():
    promise = Promise(epsilon=1, adjacency=Adjacency.USER_LEVEL, observed="output")
    scope = Scope.of(promise, 1, 3, deletions=True, exchangeable=True)
    flags = {tuple(update.deletes for update in updates) for updates in scope.updates(3)}
    assert (True, False, False) not in flags
    assert (False, True, True) not in flags
    assert (False, True, False) in flags


@pytest.mark.parametrize(
    ("delta", "verdict"), [(0.0487, Verdict.REFUTED), (0.04878, Verdict.NOT_REFUTED), (0.2, Verdict.NOT_REFUTED)]
)
def test_a_promise_with_a_delta_is_checked_by_the_whole_profile(delta, verdict):
    """Laplace noise of scale 1: delta(0.9) = 1 - exp(-0.05) = 0.04877."""
    promise = f"epsilon=0.9,delta={delta},adjacency=user-level,observed=output"
    result = examined(ten_lines.NoisySet, promise, users=2, length=2)
    assert result.verdict is verdict
    assert float(result.to_dict()["witness"]["delta"]) == pytest.approx(1 - math.exp(-0.05))
    if verdict is Verdict.REFUTED:
        document = json.loads(json.dumps(result.minimal.to_dict())) | {"estimator": f"{TEN_LINES}:NoisySet"}
        _, fresh = replay_exact(document, third_party=f"{TEN_LINES}:NoisySet")
        assert as_float(fresh.delta) == as_float(result.minimal.delta)


def test_an_infinite_loss_can_be_within_a_delta():
    """The bit that is only set: without an appearance it is still 0 with probability 1/2, after one with 1/3."""
    for delta, verdict in ((0.1, Verdict.REFUTED), (0.17, Verdict.NOT_REFUTED)):
        promise = f"epsilon=0.0000001,delta={delta},adjacency=user-level,observed=state"
        result = examined(ten_lines.BitThatIsOnlySet, promise, users=1, length=1, appearances=2)
        assert result.verdict is verdict


SCOPE = Scope.of(Promise.parse("epsilon=1,adjacency=user-level"), 3, 4, deletions=False, exchangeable=False)

PLACES = round(1 / Work(places=1).done)
"""Places of a distribution that count as one run of the code."""


@dataclass
class Steps:
    """A stepper of which only the work and the numbers count."""

    work: Work = field(default_factory=Work)
    steps_made: int = 0
    missing: int = 0

    def created(self):
        self.work.calls += 100

    def steps_to_make(self, items):
        assert len(items) == SCOPE.users
        return self.missing


GROWTH = 1.3 * SCOPE.size(2) / SCOPE.size(1)


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        # Calls take no work once every step is made, and never grow faster than streams.
        (0, GROWTH),
        (30, GROWTH + 1.3 * 50),
        (10**6, 51 * GROWTH),
    ],
)
def test_the_work_of_a_length_is_estimated_from_the_one_before(missing, expected):
    stepper = Steps()
    effort = Effort(stepper, SCOPE)
    assert effort.estimate(1) == 0
    stepper.work.calls += 50
    stepper.work.places += PLACES
    stepper.steps_made, stepper.missing = 30, missing
    effort.took()
    assert effort.estimate(2) == pytest.approx(expected)


PLACE = "tests.mechanisms.unseen"


def of_inputs(function, inputs, epsilon=1, **options):
    promise = Promise.parse(f"epsilon={epsilon},adjacency=given,observed=output,intrusions=0")
    return run_check(SmallInstances(function, promise=promise, inputs=f"{PLACE}:{inputs}", **options), CheckSettings())


@pytest.mark.parametrize(
    ("function", "epsilon"),
    [
        (unseen.truth_in_three_of_four, 1.1),
        (unseen.truth_in_nine_of_ten, 2.2),
        (unseen.beside_a_given_coin, 1.1),
        (unseen.below_noise, 0.8),
    ],
)
def test_noise_that_the_check_does_not_see_is_never_a_loss(function, epsilon):
    # Without the repetition about one check in ten said REFUTED, of the second function one in three.
    for _ in range(8):
        result = judged(function, 0, 1, f"epsilon={epsilon}")
        assert result.verdict is not Verdict.REFUTED
        assert result.verdict is Verdict.NOT_REFUTED or result.loss is None


def test_noise_that_is_not_seen_in_its_own_process_is_no_loss_and_a_leak_without_noise_is():
    assert of_inputs(f"{PLACE}:truth_in_nine_of_ten", "bits", 2.2).verdict is Verdict.INCONCLUSIVE
    assert of_inputs("tests.mechanisms.whole_inputs:forgets_the_noise", "lists").verdict is Verdict.REFUTED


@pytest.mark.more
def test_slow_code_is_not_repeated_until_it_is_late(tmp_path):
    file = tmp_path / "slow.py"
    file.write_text("import time\n\n\ndef slow(data, rng):\n    time.sleep(0.7)\n    return data + rng.laplace()\n")
    assert of_inputs(f"{file}:slow", "bits", limits=Limits(seconds=14)).verdict is Verdict.NOT_REFUTED


@pytest.mark.parametrize(("epsilon", "verdict"), [("1", Verdict.NOT_REFUTED), ("1/2", Verdict.REFUTED)])
def test_an_erased_state_that_takes_no_update_leaves_the_verdict_as_it_is(epsilon, verdict):
    promise = f"epsilon={epsilon},adjacency=user-level,observed=output"
    result = examined(counted_releases.RefusesASecondRelease, promise, users=2, length=2)
    assert result.verdict is verdict, result.reason


@pytest.mark.parametrize(
    ("estimator", "releases"),
    [
        (calibrated_bernoulli(universe=4, promise_epsilon=2, sample_size=4), 1),
        (calibrated_continual_output(universe=4, promise_epsilon=2, sample_size=4, outputs=2), 2),
        (counted_releases.ReleaseThatWrites(), 3),
    ],
)
def test_ids_are_fed_again_with_as_many_releases_as_the_promise_covers(estimator, releases):
    steps = [step for *_, step in repeated(estimator, np.array([0]), 3)]
    assert steps == [SegmentEnd.INTRUSION] * (3 - releases) + [SegmentEnd.RELEASE] * releases


def told(form):
    """The witness of a mechanism whose output has a form around one noisy number."""

    def mechanism(data, rng):
        return form(rng.laplace(float(data), 1.0))

    return judged(mechanism, 0, 1, "epsilon=0.5").witness.describe()


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        (lambda number: ["a", number], "an output with noise at 0, of the form ['a', noise]: "),
        (lambda number: {"b": (1, -number)}, ", of the form {'b': (1, noise)}: "),
        (lambda number: ["\x1b[31m<b>", number], ", of the form ['\\x1b[31m<b>', noise]: "),
    ],
)
def test_an_output_is_shown_with_its_parts_without_noise(form, shown):
    assert shown in told(form)


def test_an_output_of_noise_alone_has_no_form_and_a_long_text_is_shortened_in_a_moment():
    assert "of the form" not in told(lambda number: [number])
    # With a search from each letter this takes hours.
    assert "of the form ['aaaa" in (words := told(lambda number: ["a" * 1_000_000, number]))
    assert len(words) < 500


def counted(step):
    """The step, and how often it was called."""
    calls = []

    def call(randomness):
        calls.append(1)
        return step(randomness)

    return call, calls


def bits(number):
    return lambda randomness: [bool(randomness.bernoulli(0.25, 1)[0]) for _ in range(number)]


@pytest.mark.parametrize("number", [16, 20, 200])
def test_too_many_outcomes_are_refused_after_a_few_calls(number):
    call, calls = counted(bits(number))
    with pytest.raises(TooLargeError, match="outcomes, more than 20,000"):
        outcomes(call)
    assert len(calls) < 40


def test_a_long_path_is_refused_in_its_first_call():
    call, calls = counted(bits(5000))
    with pytest.raises(TooManyOutcomesError, match="more than 256 random choices"):
        outcomes(call)
    assert len(calls) == 1


def until_the_first_one(randomness):
    """As many outcomes as bits, but a first path with the product of all of them."""
    return next((place for place in range(40) if randomness.bernoulli(0.5, 1)[0]), None)


def until_there_is_none(randomness):
    return next((place for place in range(40) if not randomness.bernoulli(0.5, 1)[0]), None)


@pytest.mark.parametrize("step", [until_the_first_one, until_there_is_none])
def test_few_outcomes_on_long_paths_are_followed(step):
    call, calls = counted(step)
    found = outcomes(call)
    assert len(found) == 41
    assert sum(probability for probability, *_ in found) == 1
    assert len(calls) < 41 + 66


@pytest.mark.more
def test_a_number_of_outcomes_below_the_limit_is_followed():
    found = outcomes(bits(14))
    assert len(found) == 2**14 < MOST_OUTCOMES
