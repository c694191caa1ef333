"""Random choices that a loop draws one after the other are followed separately, also where they decide."""

from __future__ import annotations

import ast
import contextlib
import copy
import linecache
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panproof
from pan_audits.choices.enumerating import outcomes
from pan_audits.choices.errors import REMEMBERED, UnfollowableError
from pan_audits.choices.factored import SinglyFactoredRandomness
from pan_audits.choices.followed import FollowedArray, chance, joint, tables_of
from pan_audits.choices.rewritten import nested, require_no_identities, rewritten
from panproof import Verdict
from tests.variants import choices_in_loops as mechanisms

HERE = "tests.variants.choices_in_loops"
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
    inner = [vars(mechanisms)[name] for name in names if callable(vars(mechanisms).get(name))]
    return [mechanism, *(one for one in inner if not isinstance(one, type))]


def open_law(mechanism, data, functions):
    """The law of the outputs from the tables of one run."""
    REMEMBERED.clear()
    with rewritten(functions):
        output = mechanism(copy.deepcopy(data), SinglyFactoredRandomness())
    if REMEMBERED:
        raise REMEMBERED[0]
    values = list(output.items() if isinstance(output, dict) else enumerate(output))
    tables = [tables_of(one)[()] if type(one) is FollowedArray else (((), one),) for _, one in values]
    law = defaultdict(Fraction)
    for box, found in joint(tables, 10**6):
        law[tuple((type(one).__name__, one) for one in found)] += chance(box)
    return dict(law)


def enumerated_law(mechanism, data):
    """The same by every outcome of every choice, which is how small cases are followed."""
    law = defaultdict(Fraction)
    for probability, output, _ in outcomes(lambda rng: mechanism(copy.deepcopy(data), rng)):
        values = output.values() if isinstance(output, dict) else output
        law[tuple((type(one).__name__, one) for one in values)] += Fraction(int(probability.p), int(probability.q))
    return dict(law)


@pytest.mark.parametrize("data", [[0, 1, 1], [1, 0]])
@pytest.mark.parametrize("name", FOLLOWED)
def test_the_law_of_choices_in_a_loop_is_that_of_all_outcomes(name, data):
    mechanism = getattr(mechanisms, name)
    assert open_law(mechanism, data, functions_of(mechanism)) == enumerated_law(mechanism, data)


@pytest.mark.parametrize("name", REFUSED)
def test_code_that_does_more_than_choose_a_number_is_refused(name):
    mechanism = getattr(mechanisms, name)
    with pytest.raises(UnfollowableError):
        open_law(mechanism, [0, 1, 1], functions_of(mechanism))


def test_identities_are_refused():
    with pytest.raises(UnfollowableError, match="identities"):
        require_no_identities([mechanisms.asks_for_identities])
    require_no_identities([mechanisms.asks_for_none, mechanisms.appended])


def test_the_code_of_a_function_is_put_back():
    code = mechanisms.appended.__code__
    with contextlib.suppress(ZeroDivisionError), rewritten([mechanisms.appended]):
        assert mechanisms.appended.__code__ is not code
        raise ZeroDivisionError
    assert mechanisms.appended.__code__ is code
    assert mechanisms.appended([1] * 50, np.random.default_rng(1)).count(0) in range(3, 25)


def test_a_function_whose_source_is_another_one_is_left_alone(monkeypatch):
    """As of a file that was changed after its import."""
    source = linecache.getlines(mechanisms.__file__)
    changed = [line.replace("0.75", "0.5") for line in source]
    from pan_audits.choices import rewritten as module

    monkeypatch.setattr(module, "_module", lambda _: ast.parse("".join(changed)))
    for kept in (module.definition_of, module._definitions, module._code_of):
        kept.cache_clear()
    code = mechanisms.appended.__code__
    try:
        with rewritten([mechanisms.appended]):
            assert mechanisms.appended.__code__ is code
    finally:
        module.definition_of.cache_clear()
        module._module.cache_clear()
        module._code_of.cache_clear()


@pytest.mark.more
@pytest.mark.parametrize("name", ["appended", "of_a_helper", "truthful_or_uniform"])
def test_randomised_response_in_a_loop_has_its_loss_at_20_bits(name):
    """It has 2**20 outcomes. Before, it was INCONCLUSIVE."""
    result = panproof.check(f"{HERE}:{name}", neighbours=f"{HERE}:two_bits", epsilon=3)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss == pytest.approx(2 * math.log(3), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "words"), [("all_together", "cannot be followed"), ("asks_for_identities", "identities")]
)
def test_a_loop_that_cannot_be_followed_is_inconclusive(name, words):
    result = panproof.check(f"{HERE}:{name}", neighbours=f"{HERE}:one_bit", epsilon=3)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert words in str(result)


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
@settings(deadline=None, max_examples=60)
@given(body=st.lists(statements(), min_size=1, max_size=3), data=st.lists(st.integers(0, 1), min_size=1, max_size=2))
def test_random_loops_have_the_law_of_all_outcomes(body, data):
    """What is followed has the exact law; a loop that fails or is refused is followed in no way."""
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
        expected = enumerated_law(mechanism, data)
    except TypeError:
        return  # a text in arithmetic
    try:
        found = open_law(mechanism, data, [mechanism])
    except UnfollowableError:
        return
    assert found == expected
