"""A new comparison and a new derived feature need one file, or a family that brings them, and no change of the rest."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator, ValidationError

from pan_audits.auditing.witness import Counts
from pan_audits.command_line.output import schema_of
from pan_audits.events import Condition, Event, Table, bound_objective, comparisons, features, learn_events
from pan_audits.events.comparisons import COMPARISONS
from pan_audits.events.features import FEATURES
from pan_audits.reports.html.distributions import runs_drawing
from pan_audits.reports.html.fresh import FreshRuns
from pan_estimators import InputError
from pan_promises.families import register, withdraw
from tests.events.added import family

ADDED = Path(__file__).parent / "added"
OBJECTIVE = bound_objective(20_000, 0.0, 2.0)
PACKAGES = ((comparisons, COMPARISONS, "comparisons"), (features, FEATURES, "features"))


@contextmanager
def files_added(*folders):
    """The folders of the packages, as if the files of ``folders`` had been added to those of the same names."""
    kept = [list(package.__path__) for package, _, _ in PACKAGES]
    known = set(sys.modules)
    try:
        for package, registry, name in PACKAGES:
            package.__path__ += [str(folder / name) for folder in folders]
            vars(registry).pop("own", None)
        yield
    finally:
        for (package, registry, _), path in zip(PACKAGES, kept, strict=True):
            package.__path__[:] = path
            vars(registry).pop("own", None)
            for module in {one for one in sys.modules if one.startswith(f"{package.__name__}.")} - known:
                del sys.modules[module]


@contextmanager
def family_added(family):
    register("pan_audits", family)
    try:
        yield
    finally:
        withdraw("pan_audits", family.name)


ADDITIONS = pytest.mark.parametrize(
    "added", [lambda: files_added(ADDED), lambda: family_added(family.BOTH)], ids=["files", "family"]
)


def some_whole_numbers():
    """On the left, half of the numbers are whole; none of them occurs twice."""
    generator = np.random.default_rng(1)
    left, right = (1e6 * generator.random(2000) for _ in range(2))
    left[::2] = generator.permutation(1_000_000)[:1000]
    return Table(("a",), left[:, None]), Table(("a",), right[:, None])


def wide_and_narrow():
    """The same centre; on the left, a larger spread."""
    generator = np.random.default_rng(2)
    return tuple(Table(("a",), generator.normal(0, spread, (2000, 1))) for spread in (2.0, 1.0))


def event_schema():
    (common,) = schema_of("replay")["$defs"].values()
    return Draft202012Validator(common["$defs"]["event"])


@ADDITIONS
def test_a_new_comparison_is_learned_described_and_read(added):
    left, right = some_whole_numbers()
    plain, _ = learn_events(left, right, OBJECTIVE)
    with added():
        best, _ = learn_events(left, right, OBJECTIVE)
        document = json.loads(json.dumps(best.event.to_dict()))
        again = Event.from_dict(document)
        assert document["conditions"] == [["a", "whole", 0.0]]
        assert again == best.event
        assert again.describe() == "a is a whole number"
        assert (again(left).sum(), again(right).sum()) == (best.left, best.right) == (1000, 0)
        assert not again(Table(("b",), np.ones((3, 1)))).any()
        event_schema().validate(document)
    assert plain.worth < 0.5 < 3 < best.worth
    with pytest.raises(InputError, match=r"conditions\[0\]\[1\]: unknown comparison 'whole'; known are marked, nan"):
        Event.from_dict(document)


@ADDITIONS
def test_a_new_derived_feature_is_learned_described_and_read(added):
    left, right = wide_and_narrow()
    plain, _ = learn_events(left, right, OBJECTIVE, readable=True)
    with added():
        best, other = learn_events(left, right, OBJECTIVE, readable=True)
        document = json.loads(json.dumps(best.event.to_dict()))
        again = Event.from_dict(document)
        assert again == best.event
        assert again.describe().startswith("magnitude of a is above ")
        assert other.event.describe().startswith("magnitude of a is at most ")
        assert again.features == {"a"}
        assert document["derived"] == [{"name": "magnitude of a", "kind": "magnitude", "column": "a"}]
        assert (again(left).sum(), again(right).sum()) == (best.left, best.right)
        event_schema().validate(document)
        with pytest.raises(InputError, match=r"derived\[0\]: 'column' is missing"):
            Event.from_dict({**document, "derived": [{"name": "b", "kind": "magnitude"}]})
    assert plain.worth < best.worth
    with pytest.raises(InputError, match=r"derived\[0\]\.kind: unknown kind of derived feature 'magnitude'; known are"):
        Event.from_dict(document)


@ADDITIONS
def test_an_addition_stands_in_its_stated_place(added):
    before = [[one.name for one in registry.members()] for registry in (COMPARISONS, FEATURES)]
    assert before == [
        ["marked", "nan", "<=", ">", "<", "=="],
        ["difference of outputs", "residual on the state", "learned score", "tree score", "low bits"],
    ]
    with added():
        assert [one.name for one in COMPARISONS.members()] == ["marked", "nan", "whole", "<=", ">", "<", "=="]
        assert [one.name for one in FEATURES.members()][:2] == ["difference of outputs", "magnitude"]
    assert before == [[one.name for one in registry.members()] for registry in (COMPARISONS, FEATURES)]


def test_a_new_learned_score_is_tried_after_all_others_and_not_for_readable_events():
    left, right = wide_and_narrow()
    plain, _ = learn_events(left, right, OBJECTIVE)
    with family_added(family.SCORE):
        best, _ = learn_events(left, right, OBJECTIVE)
        readable, _ = learn_events(left, right, OBJECTIVE, readable=True)
    assert "magnitude of a" in best.event.describe()
    assert readable.event == plain.event
    # A score is worth a condition only if it beats the readable event clearly.
    assert best.worth > 1.05 * readable.worth


def test_no_picture_is_drawn_of_a_comparison_that_uses_no_value():
    values = np.linspace(0, 3, 40)
    with family_added(family.BOTH):
        whole, above = (
            FreshRuns(Counts(4, 4, 40), Condition("a", name, 1.0), "", values, values) for name in ("whole", ">")
        )
        assert (whole.condition.uses_value, above.condition.uses_value) == (False, True)
        assert runs_drawing(whole, "stream") is None
        assert runs_drawing(above, "stream") is not None


def test_two_members_with_one_name_are_refused():
    with family_added(family.CLASH), pytest.raises(ValueError, match="two have the name '<='"):
        COMPARISONS.members()


def test_an_object_of_another_class_is_refused(tmp_path):
    with family_added(family.NO_COMPARISON), pytest.raises(TypeError, match="must be a Comparison, got Feature"):
        COMPARISONS.members()
    (tmp_path / "comparisons").mkdir()
    (tmp_path / "comparisons" / "forgotten.py").write_text("COMPARE = 3\n")
    with files_added(tmp_path), pytest.raises(TypeError, match=r"COMPARISON of the module .*\.forgotten must be a"):
        COMPARISONS.members()


@pytest.mark.parametrize("kind", ["residual on the state", "learned score"])
def test_a_kind_without_definitions_of_its_own_is_refused(kind):
    document = {"conditions": [], "derived": [{"name": "a", "kind": kind, "terms": []}]}
    with pytest.raises(InputError, match=r"derived\[0\]\.kind: must be the name of a feature whose"):
        Event.from_dict(document)


@pytest.mark.parametrize("definition", [{"name": "a"}, {"terms": []}, {"kind": "magnitude"}, {"name": "a", "kind": 3}])
def test_a_definition_of_no_form_is_refused_by_the_schema_and_by_the_reader(definition):
    document = {"description": "", "conditions": [], "derived": [definition]}
    with pytest.raises(ValidationError):
        event_schema().validate(document)
    with family_added(family.BOTH), pytest.raises(InputError, match=r"derived\[0\]"):
        Event.from_dict(document)
