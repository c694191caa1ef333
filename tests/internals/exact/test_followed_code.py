"""Code that is followed: its choices in loops, its built-in names, its uses of numpy."""

from __future__ import annotations

import ast
import contextlib
import copy
import inspect
import linecache
import math
import re
import textwrap
from collections import Counter, defaultdict
from fractions import Fraction
from functools import partial
from itertools import permutations
from math import comb, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panproof
from pan_audits.choices.enumerating import EnumeratingRandomness, outcomes
from pan_audits.choices.errors import REMEMBERED, TooLargeError, UnfollowableError
from pan_audits.choices.factored import SinglyFactoredRandomness
from pan_audits.choices.followed import FollowedArray, chance, joint, tables_of
from pan_audits.choices.guarded_builtins import guarded_float, guarded_int, guarded_type, only_called
from pan_audits.choices.noise import NoisyNumber
from pan_audits.choices.rewritten import nested, require_no_identities, rewritten
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from panproof import Verdict
from tests.internals.exact.checking import examined, function_of
from tests.mechanisms import choices_in_loops as loops
from tests.mechanisms import numpy_names, watching_types

HERE = "tests.mechanisms.choices_in_loops"
FOLLOWED = (
    *("conditional_expression", "appended", "exclusive_or_of_numbers", "inverted_in_place", "assigned", "of_a_helper"),
    *("of_integers", "of_choice", "of_bernoulli", "truthful_or_uniform_of_numbers", "two_conditions"),
    "counted_in_a_name",
)
REFUSED = (
    *("all_together", "leaks_by_an_exception", "calls_in_a_branch", "objects_with_effects", "counted_in_a_global"),
    "asks_for_none",
)


def functions_of(mechanism):
    names = [name for code in nested(mechanism.__code__) for name in code.co_names]
    inner = [vars(loops)[name] for name in names if callable(vars(loops).get(name))]
    return [mechanism, *(one for one in inner if not isinstance(one, type))]


def open_distribution(mechanism, data, functions):
    """The distribution of the outputs from the tables of one run."""
    REMEMBERED.clear()
    with rewritten(functions):
        output = mechanism(copy.deepcopy(data), SinglyFactoredRandomness())
    if REMEMBERED:
        raise REMEMBERED[0]
    values = list(output.items() if isinstance(output, dict) else enumerate(output))
    tables = [tables_of(one)[()] if type(one) is FollowedArray else (((), one),) for _, one in values]
    distribution = defaultdict(Fraction)
    for box, found in joint(tables, 10**6):
        distribution[tuple((type(one).__name__, one) for one in found)] += chance(box)
    return dict(distribution)


def enumerated_distribution(mechanism, data):
    """The same by every outcome of every choice, which is how small cases are followed."""
    distribution = defaultdict(Fraction)
    for probability, output, _ in outcomes(lambda rng: mechanism(copy.deepcopy(data), rng)):
        values = output.values() if isinstance(output, dict) else output
        distribution[tuple((type(one).__name__, one) for one in values)] += Fraction(
            int(probability.p), int(probability.q)
        )
    return dict(distribution)


@pytest.mark.parametrize("name", FOLLOWED)
def test_the_distribution_of_choices_in_a_loop_is_that_of_all_outcomes(name):
    mechanism, data = getattr(loops, name), [0, 1, 1]
    assert open_distribution(mechanism, data, functions_of(mechanism)) == enumerated_distribution(mechanism, data)


@pytest.mark.parametrize("name", REFUSED)
def test_code_that_does_more_than_choose_a_number_is_refused(name):
    mechanism = getattr(loops, name)
    with pytest.raises(UnfollowableError):
        open_distribution(mechanism, [0, 1, 1], functions_of(mechanism))


def test_identities_are_refused():
    with pytest.raises(UnfollowableError, match="identities"):
        require_no_identities([loops.asks_for_identities])
    require_no_identities([loops.asks_for_none, loops.appended])


def test_the_code_of_a_function_is_put_back():
    code = loops.appended.__code__
    with contextlib.suppress(ZeroDivisionError), rewritten([loops.appended]):
        assert loops.appended.__code__ is not code
        raise ZeroDivisionError
    assert loops.appended.__code__ is code
    assert loops.appended([1] * 50, np.random.default_rng(1)).count(0) in range(3, 25)


def test_a_function_whose_source_is_another_one_is_left_alone(monkeypatch):
    """As of a file that was changed after its import."""
    source = linecache.getlines(loops.__file__)
    changed = [line.replace("0.75", "0.5") for line in source]
    from pan_audits.choices import rewritten as module

    monkeypatch.setattr(module, "_module", lambda _: ast.parse("".join(changed)))
    for kept in (module.definition_of, module._definitions, module._code_of):
        kept.cache_clear()
    code = loops.appended.__code__
    try:
        with rewritten([loops.appended]):
            assert loops.appended.__code__ is code
    finally:
        module.definition_of.cache_clear()
        module._definitions.cache_clear()
        module._code_of.cache_clear()


@pytest.mark.parametrize(
    ("name", "neighbours", "loss"),
    [("appended", "two_bits", 2 * math.log(3)), ("asks_for_identities", "one_bit", None)],
)
def test_randomised_response_in_a_loop_has_its_loss_at_20_bits(name, neighbours, loss):
    """It has 2**20 outcomes."""
    result = panproof.check(f"{HERE}:{name}", neighbours=f"{HERE}:{neighbours}", epsilon=3)
    if loss is None:
        assert result.verdict is Verdict.INCONCLUSIVE
        assert "identities" in str(result)
    else:
        assert result.verdict is Verdict.NOT_REFUTED
        assert result.loss == pytest.approx(loss, abs=1e-12)


CONDITIONS = st.sampled_from(
    [
        *("rng.random() < 0.75", "not rng.random() < 0.25", "rng.integers(3) == 1", "rng.choice([0, 1, 2], p=P) > 0"),
        *("rng.bernoulli(0.25, 1)[0]", "coin", "not coin", "place == 1", "rng.random() < (bit + 1) / 4"),
    ]
)
VALUES = st.sampled_from(
    [
        *("bit", "1 - bit", "answer", "answer + 1", "2 * bit - answer", "-answer", "'a'", "data[place]", "int(coin)"),
        *("abs(answer - bit)", "3.5", "bit == answer", "(answer if coin else bit)", "answer // 2", "True"),
    ]
)


@st.composite
def statements(draw, depth=0):
    pad = "    " * (depth + 2)
    condition, one, two = draw(CONDITIONS), draw(VALUES), draw(VALUES)
    form = draw(st.sampled_from(["either", "append", "assign", "alone", "add", "entry", "else", "chain"]))
    calm = draw(st.sampled_from(["coin", "bit", "not coin"]))
    return {
        "either": f"{pad}answer = {one} if {condition} else {two}\n",
        "append": f"{pad}if {condition}:\n{pad}    out.append({one})\n{pad}else:\n{pad}    out.append({two})\n",
        "assign": f"{pad}if {condition}:\n{pad}    answer = {one}\n{pad}else:\n{pad}    answer = {two}\n",
        "alone": f"{pad}if {condition}:\n{pad}    answer = {one}\n{pad}    coin = bit\n",
        "add": f"{pad}if {condition}:\n{pad}    count += {one}\n",
        "entry": f"{pad}if {condition}:\n{pad}    data[place] = {one}\n",
        "else": f"{pad}if {condition}:\n{pad}    answer = {one}\n{pad}else:\n{pad}    coin = bit\n",
        "chain": (
            f"{pad}if {condition}:\n{pad}    answer = {one}\n{pad}elif {calm}:\n{pad}    answer = {two}\n"
            f"{pad}else:\n{pad}    answer = bit\n"
        ),
    }[form]


@pytest.mark.more
@settings(max_examples=40)
@given(body=st.lists(statements(), min_size=1, max_size=3), data=st.lists(st.integers(0, 1), min_size=1, max_size=2))
def test_random_loops_have_the_distribution_of_all_outcomes(body, data):
    """What is followed has the exact distribution; a loop that fails or is refused is followed in no way."""
    source = (
        "def mechanism(data, rng):\n    out, count, answer = [], 0, 1\n    for place, bit in enumerate(list(data)):\n"
        f"        coin = rng.random() < 0.5\n{''.join(body)}        out.append(answer)\n"
        "    return [*out, count, *data]\n"
    )
    file = f"<loop {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names = {"P": [0.5, 0.25, 0.25]}
    exec(compile(source, file, "exec"), names)
    mechanism = names["mechanism"]
    try:
        expected = enumerated_distribution(mechanism, data)
    except TypeError:
        return  # a text in arithmetic
    try:
        found = open_distribution(mechanism, data, [mechanism])
    except UnfollowableError:
        return
    assert found == expected


NAMES = ("float", "int")


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f(x):\n    return float(x)", NAMES),
        ("def f(x: float) -> int:\n    return int(x)", NAMES),
        ("import numpy as np\ndef f(x):\n    return np.zeros(2, dtype=float)", NAMES),
        ("import numpy as np\ndef f(x):\n    return np.array(x).astype(int)", NAMES),
        ("def f(x):\n    return isinstance(x, float)", NAMES),
        ("RULES = {'a': lambda x: type(x) is float}", ("int",)),
        ("class A:\n    class B:\n        kind = int", ("float",)),
        ("def f(x):\n    return float.fromhex(x)", ("int",)),
        ("def f(x):\n    return list(map(float, x))", NAMES),
        ("def f(parser):\n    parser.add_argument('--x', type=float)", NAMES),
        ("def f(x):\n    return getattr(x, 'real', float(0))", NAMES),
        ("def f(x):\n    return kinds(float)", ("int",)),
        ("from collections import defaultdict\ndef f():\n    return defaultdict(int)", ("float",)),
        ("import helper\ndef f():\n    return helper.zeros(1, dtype=float)", ("int",)),
        ("class C:\n    pass\ndef f():\n    return C.astype is float", ("int",)),
        ("def f(x, float):\n    return float(x)", ("int",)),
        ("from other import number as int", ("float",)),
        ("def f(x):\n    float = str\n    return float(x)", ("int",)),
        ("def f(x):\n    return eval('float')", ()),
        ("def f(x):\n    return globals()['float']", ()),
        ("def f(:", ()),
    ],
)
def test_names_that_are_only_called(source, names, tmp_path):
    file = tmp_path / "judged.py"
    file.write_text(textwrap.dedent(source))
    assert tuple(only_called({"__file__": str(file), "np": np}, NAMES)) == names
    # Without a source nothing is replaced.
    assert only_called({}, NAMES) == only_called({"__file__": str(tmp_path / "none.py")}, NAMES) == []


def test_the_guarded_classes_do_what_the_built_in_ones_do_and_do_not_tell_what_noise_is():
    for kind in (guarded_float, guarded_int, guarded_type):
        with pytest.raises(UnfollowableError, match="type of a noisy"):
            isinstance(NoisyNumber(0, ()), kind)
    REMEMBERED.clear()
    assert guarded_float("0.5") == 0.5
    assert type(guarded_float(1)) is float
    assert guarded_int("12", 16) == 18
    assert guarded_int() == 0
    assert isinstance(True, guarded_int)
    assert not isinstance(0.5, guarded_int)
    assert issubclass(np.float64, guarded_float)


@pytest.mark.parametrize(
    "mechanism",
    [
        watching_types.in_a_table,
        watching_types.in_a_cache,
        pytest.param(watching_types.in_a_nested_class, marks=pytest.mark.more),
        pytest.param(watching_types.in_a_context, marks=pytest.mark.more),
    ],
)
def test_code_that_watches_types_is_not_followed(mechanism):
    """The last one breaks no promise; its module uses ``float`` for more than calls."""
    assert panproof.check(mechanism, neighbours=[(0, 1)], epsilon=2).verdict is Verdict.INCONCLUSIVE


def checked(name):
    return examined(getattr(numpy_names, name), users=3, length=2, appearances=2)


@pytest.mark.parametrize(
    ("name", "loss"),
    [
        *((name, log(3)) for name in vars(numpy_names) if name.startswith("By")),
        ("OneOfThreeRanges", log(2)),
        ("ComparesTwoNumbers", 0),
        ("SampledByPermutation", log(5 / 3)),
        ("SampledByShuffle", log(5 / 3)),
        ("SampledByChoice", log(5 / 3)),
        ("Geometric", log(3)),
        ("LaplaceAdded", 1 / 2),
        ("LaplaceAround", 1 / 2),
        ("LaplaceHistogram", 1 / 2),
        ("LaplaceAroundAHistogram", 1 / 2),
        # One-sided noise that moves, and one-sided noise without a location.
        ("GeometricAdded", math.inf),
        ("Exponential", math.inf),
        # A constant that is no simple fraction is noted.
        ("RangesOfADouble", max(log(0.5 / np.exp(-1.5)), log((1 - np.exp(-1.5)) / 0.5))),
    ],
)
def test_the_names_of_numpy_have_their_losses(name, loss):
    result = checked(name)
    assert result.exact is (name != "RangesOfADouble"), result.reason
    assert result.loss.nats == pytest.approx(loss, rel=1e-12)
    broken = loss > result.promise.epsilon + 1e-9
    assert result.verdict is (Verdict.REFUTED if broken else Verdict.NOT_REFUTED)


OUTSIDE = "in a way that cannot be followed exactly: sums, multiples, comparisons, whole parts"


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("Gamma", "rng.gamma", "has no 'gamma', which some generators have; its kinds of noise are laplace"),
        ("Permuted", "rng.permuted", "has no 'permuted', which some generators have; use permutation or shuffle"),
        ("BitGenerator", "rng.bit_generator", "has no 'bit_generator', which some generators have; there is no"),
        ("CalculatesWithANumber", "1 - rng.random", "a number of random or uniform in a way"),
        ("CatchesTheRefusal", "0 * rng.random", "in a way that cannot be followed"),
        ("AtMostZero", "rng.random", "is at most 0, its least value"),
        # A uniform number must not leave the step that draws it.
        ("ReleasesANumber", "", OUTSIDE),
        ("KeepsANumber", "", OUTSIDE),
        ("DrawsElsewhere", "", "draws from numpy.random.default_rng, not from the randomness that it is given"),
        ("LongPermutation", "", "one random choice has 4.03e+04 outcomes"),
        ("ManyBits", "", "one random choice has more than 1e+100 outcomes"),
    ],
)
def test_a_refusal_names_the_line_the_method_and_what_there_is_instead(name, code, words):
    result = checked(name)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert words in result.reason
    if code:
        lines, first = inspect.getsourcelines(getattr(numpy_names, name))
        line = first + next(number for number, text in enumerate(lines) if code in text)
        assert f"numpy_names.py:{line}: " in result.reason
        assert result.reason.count("numpy_names.py") == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("CatchesTheRefusal", "in a way that cannot be followed"),
        ("DrawsFromTheGlobalGenerator", "draws from numpy.random, not from the randomness that it is given"),
        ("DrawsFromTheGenerator", "draws from the generator of a seeded randomness, not from the randomness itself"),
    ],
)
def test_a_refusal_is_told_by_the_process_of_the_code(name, words):
    settings = CheckSettings(users=3, length=2, appearances=2)
    result = run_check(SmallInstances(f"tests.mechanisms.numpy_names:{name}"), settings)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert words in result.reason
    assert name != "CatchesTheRefusal" or result.reason.count("numpy_names.py") == 1


def distribution(call):
    """The probabilities of the values of a call."""
    found = Counter()
    for probability, value, randomness in outcomes(call):
        assert randomness.exact
        found[tuple(value.tolist()) if isinstance(value, np.ndarray) else value] += Fraction(
            int(probability.p), int(probability.q)
        )
    assert sum(found.values()) == 1
    return dict(found)


def keeps_to_comparisons(rng):
    number = rng.random()
    return number < 0.75, number >= 0.5, number > 0.75, number < 0.5, number < 2, number >= -1


HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
WEIGHTS = [HALF, THIRD, Fraction(1, 6)]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("int(rng.integers(3, 6))", dict.fromkeys((3, 4, 5), THIRD)),
        ("int(rng.choice(3, p=[0.1, 0.2, 0.7]))", {0: Fraction(1, 10), 1: Fraction(1, 5), 2: Fraction(7, 10)}),
        ("int(rng.choice(3, p=[0.5, 0.0, 0.5]))", {0: HALF, 2: HALF}),
        ("rng.choice(2, 2, p=[Fraction(1, 3), Fraction(2, 3)])", lambda i, j: (1 + i) * (1 + j) * THIRD**2),
        # Of 1/2, 1/3 and 1/6, each in proportion to what is left.
        (
            "rng.choice(3, 2, replace=False, p=[Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])",
            lambda i, j: WEIGHTS[i] * WEIGHTS[j] / (1 - WEIGHTS[i]),
        ),
        ("rng.choice(4, 2, replace=False)", dict.fromkeys(permutations(range(4), 2), Fraction(1, 12))),
        ("rng.permutation(4)", dict.fromkeys(permutations(range(4)), Fraction(1, 24))),
        ("rng.binomial(5, 0.3)", {k: comb(5, k) * Fraction(3, 10) ** k * Fraction(7, 10) ** (5 - k) for k in range(6)}),
        ("rng.bytes(1)", {bytes([byte]): Fraction(1, 256) for byte in range(256)}),
        ("rng.binomial(100, 1.0)", {100: 1}),
        ("int(np.searchsorted([0.25, 0.5], rng.random()))", {0: QUARTER, 1: QUARTER, 2: HALF}),
        ("rng.random(2) < [0.25, 0.5]", lambda one, two: Fraction(1 if one else 3, 8)),
        ("rng.random() < np.array([0.25, 0.5])", lambda one, two: HALF if not two else QUARTER),
        (keeps_to_comparisons, lambda *answers: HALF if answers[0] and not answers[1] else QUARTER),
        # A double next to an end is not read as the end.
        ("rng.random() < 1 - 2.0**-53", {True: 1 - Fraction(1, 2**53), False: Fraction(1, 2**53)}),
    ],
)
def test_the_distributions_are_those_of_numpy(call, expected):
    found = distribution(partial(function_of(call), None) if isinstance(call, str) else call)
    assert found == ({value: expected(*value) for value in found} if callable(expected) else expected)


def test_the_line_is_that_of_the_estimator_not_of_a_library_between():
    def call(rng):
        return np.apply_along_axis(lambda row: rng.normal(), 0, np.zeros((1, 1)))

    with pytest.raises(UnfollowableError, match=re.escape("test_followed_code.py:")):
        outcomes(call)


@pytest.mark.parametrize(
    "draw",
    [
        "rng.permutation(10**9)",
        "rng.bernoulli(0.5, 10**12)",
        "rng.integers(3, size=10**12)",
        "rng.choice(2, 10**12, p=[0.5, 0.5])",
        "rng.binomial(10**12, 0.5, 10**12)",
    ],
)
def test_a_draw_with_very_many_outcomes_is_refused_at_once(draw):
    with pytest.raises(TooLargeError, match="outcomes, more than 20,000"):
        function_of(draw)(None, EnumeratingRandomness())
    REMEMBERED.clear()
