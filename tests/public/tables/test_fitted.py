"""Models of tables for users: data of each library in and out, files, samples and reports."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_estimators.randomness import NumpyRandomness
from pan_estimators.tables.adaptive_marginals import AdaptiveMarginals
from pan_estimators.tables.calibrated_tree import CalibratedTree
from pan_estimators.tables.fitted import Fitted, fit
from pan_estimators.tables.frames import columns_of, framed, read_csv
from pan_estimators.tables.privbayes import PrivBayes
from pan_estimators.tables.reports import half_width
from pan_estimators.tables.schema import Attribute, Schema
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError

SCHEMA = Schema(
    (
        Attribute("age", edges=(0, 18, 65, 120), missing=True),
        Attribute("weight", edges=(0.0, 50.5, 200.0)),
        Attribute("smoker", (False, True), missing=True),
        Attribute("city", ("Rome", "Oslo, north", 'a "b"')),
        Attribute("children", (0, 1, 2)),
    )
)
ROWS = {
    "age": [3, 17, 18, None, 120, 64] * 50,
    "weight": [0.0, 50.5, 200.0, 3.25, 99.0, 60.0] * 50,
    "smoker": [True, None, False, True, False, None] * 50,
    "city": ["Rome", "Oslo, north", 'a "b"', "Rome", "Rome", "Rome"] * 50,
    "children": [0, 1, 2, 2, 1, 0] * 50,
}


@pytest.fixture(scope="module")
def fitted():
    return fit(CalibratedTree(SCHEMA, epsilon=5.0, delta=1e-6), ROWS, NumpyRandomness(1))


@pytest.mark.parametrize("form", ["columns", "pandas", "polars", "arrow", "numpy"])
def test_data_of_each_library_is_read_and_returned_with_its_types(fitted, form):
    assert (Table.of(framed(ROWS, form), SCHEMA).codes == Table.of(ROWS, SCHEMA).codes).all()
    sample = fitted.sample(40, seed=3, form=form)
    again = Table.of(sample, SCHEMA)
    assert again.rows == 40
    expected = fitted.sample(40, seed=3)
    assert (again.codes == Table.of(expected, SCHEMA).codes).all()
    kinds = {
        "pandas": lambda: [str(one) for one in sample.dtypes] == ["Int64", "float64", "boolean", "object", "int64"],
        "polars": lambda: [str(one) for one in sample.dtypes] == ["Int64", "Float64", "Boolean", "String", "Int64"],
        "arrow": lambda: str(sample.schema.field("children").type) == "int64",
        "numpy": lambda: (sample.shape, sample.dtype) == ((40, 5), np.dtype(object)),
    }
    assert form not in kinds or kinds[form]()


def test_a_seed_repeats_a_sample_and_without_one_the_source_is_secure(fitted):
    assert fitted.sample(200, seed=4) == fitted.sample(200, seed=4) != fitted.sample(200, seed=5)
    assert fitted.sample() != fitted.sample()
    labels = fitted.sample(50, seed=1, bins="labels")
    assert set(labels["weight"]) <= {"[0, 50.5)", "[50.5, 200]"}
    for wrong, sentence in (
        ({"form": "spark"}, "unknown form"),
        ({"bins": "middles"}, "numbers or labels"),
        ({"seed": "x"}, "a seed is a whole number"),
        ({"seed": True}, "a seed is a whole number"),
    ):
        with pytest.raises(InputError, match=sentence):
            fitted.sample(5, **wrong)
    with pytest.raises(InputError, match="fit takes a mechanism"):
        fit(None, ROWS)


def test_a_model_is_saved_and_loaded_without_code(fitted, tmp_path):
    path = tmp_path / "model.json"
    fitted.save(path)
    again = Fitted.load(path)
    assert again.to_dict() == fitted.to_dict()
    assert again.sample(30, seed=2) == fitted.sample(30, seed=2)
    with pytest.raises(InputError, match="is not finite"):
        replace(fitted, report={"level": float("inf")}).save(path)
    text = path.read_text()
    for place, value in (
        (("format",), "x"),
        (("rows",), True),
        (("rows",), 0),
        (("network",), []),
        (("network", "conditionals"), []),
        (("network", "structure", 0, 0), float("inf")),
        (("network", "conditionals", 0, 0, 0), float("nan")),
        (("promise",), {"epsilon": 1}),
        (("promise", "rho"), 10**400),
        (("promise", "claim"), 1.5),
    ):
        inner = document = json.loads(text)
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = value
        path.write_text(json.dumps(document))
        with pytest.raises(InputError):
            Fitted.load(path)
    path.write_bytes(b"\x80\x04.")
    with pytest.raises(InputError, match="holds no model"):
        Fitted.load(path)
    with pytest.raises(InputError, match="cannot read"):
        Fitted.load(tmp_path / "none.json")


@pytest.mark.more
@pytest.mark.parametrize("made", [AdaptiveMarginals, CalibratedTree, PrivBayes, partial(PrivBayes, degree=2)])
def test_each_synthesizer_reports_its_budget_its_structure_and_intervals_that_cover(made):
    mechanism, table = made(SCHEMA, epsilon=2.0), Table.of(ROWS, SCHEMA)
    covered = []
    for seed in range(2):
        found = fit(mechanism, table, NumpyRandomness(seed))
        budget = [amount for step in found.report["budget"] for name, amount in step.items() if name != "step"]
        promised = found.promise.rho if found.promise.rho is not None else found.promise.epsilon
        assert sum(budget) == pytest.approx(promised)
        assert {name for one in found.report["edges"] for name in one["attributes"]} <= set(SCHEMA.names)
        assert all(0 <= one["dependence"] <= 1 for one in found.report["edges"])
        assert list(found.report["marginals"]) == list(SCHEMA.names)
        for place, lines in enumerate(found.report["marginals"].values()):
            assert sum(one["rows"] for one in lines) == pytest.approx(300, abs=0.1)
            covered += [one["low"] <= n <= one["high"] for one, n in zip(lines, table.counts((place,)), strict=True)]
    assert np.mean(covered) > 0.85


@pytest.mark.parametrize(("budget", "least", "most"), [({"delta": 1e-6}, 0.93, 0.97), ({}, 0.95, 1.0)])
def test_the_intervals_cover_the_counts_of_the_table(budget, least, most):
    mechanism, table = CalibratedTree(SCHEMA, epsilon=1.0, **budget), Table.of(ROWS, SCHEMA)
    covered = []
    for seed in range(100):
        released = mechanism.release(table, NumpyRandomness(seed))
        for place, single in enumerate(mechanism.fit_singles(released)):
            width = half_width(single, mechanism.budget)
            covered += (np.abs(single.unbiased - table.counts((place,))) <= width).tolist()
    assert least <= np.mean(covered) <= most


@pytest.mark.parametrize(
    ("made", "rho"),
    [
        (CalibratedTree, 1e-100),
        (CalibratedTree, 1e300),
        (AdaptiveMarginals, 1e-100),
        pytest.param(AdaptiveMarginals, 1e300, marks=pytest.mark.slow),
    ],
)
def test_any_positive_budget_gives_a_distribution(made, rho):
    found = fit(made(SCHEMA, rho=rho), ROWS, NumpyRandomness(1))
    assert all(np.isfinite(one).all() for one in found.network.conditionals)
    assert all(one.sum(axis=1) == pytest.approx(1) for one in found.network.conditionals)
    json.dumps(found.to_dict(), allow_nan=False)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-50, 50), min_size=2, max_size=6, unique=True), st.integers(0, 2**32))
def test_a_number_in_a_bin_is_read_as_this_bin(edges, seed):
    for numbers in (tuple(sorted(edges)), tuple(float(edge) for edge in sorted(edges))):
        if len(numbers) < 3:
            continue
        schema = Schema((Attribute("x", edges=numbers, missing=True),))
        codes = np.arange(60)[:, None] % schema.sizes[0]
        columns = columns_of(Table(schema, codes), NumpyRandomness(seed))
        kinds = {type(value) for value in columns["x"] if value is not None}
        assert kinds == {type(numbers[0])}
        assert (Table.of(columns, schema).codes == codes).all()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"age,weight\n1\n", "line 2 of .* another number of fields"),
        (b"age,age\n1,2\n", "the column 'age' twice"),
        (b"\xff\xfe,1\n", "no CSV file in UTF-8"),
    ],
)
def test_a_damaged_csv_file_is_refused(tmp_path, content, words):
    (tmp_path / "x.csv").write_bytes(content)
    with pytest.raises(InputError, match=words):
        read_csv(tmp_path / "x.csv", SCHEMA)
