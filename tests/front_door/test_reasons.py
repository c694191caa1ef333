"""Each reason that a check prints is true where it is printed, and is not printed where it is false."""

from __future__ import annotations

import pytest

import panproof
from pan_promises.errors import InputError
from tests.front_door import reasons as r

PURE = {"epsilon": 1}

TABLE = [
    # A part of the reason, a mechanism for which it is true, one for which it is not, and their promise.
    ("reads the clock (time.perf_counter)", r.clock_read, r.logged, PURE),
    ("draws from random,", r.global_draw, r.clock_read, PURE),
    ("the state or the output holds a list_iterator", r.iterator_out, r.plain, PURE),
    ("a Decimal is combined with noise", r.decimal_out, r.infinite, PURE),
    ("several noise variables of the output depend on the same comparisons", r.sorted_out, r.one_threshold, PURE),
    ("several step sizes", r.steps_of_two_sizes, r.steps_of_one_size, PURE),
    ("(helper, which no run called)", r.dead_branch, r.plain, PURE),
]


def told(thing, **promise):
    inputs = () if isinstance(thing, type) else ([1, 1], [1, 0])
    return repr(panproof.check(thing, *inputs, seconds=10, **promise))


@pytest.mark.more
@pytest.mark.parametrize(("reason", "where", "where_not", "promise"), TABLE, ids=[row[1].__name__ for row in TABLE])
def test_a_reason_stands_where_it_is_true_alone(reason, where, where_not, promise):
    assert reason in told(where, **promise)
    assert reason not in told(where_not, **promise)


def test_a_state_that_is_a_tuple_is_followed():
    for kind in (r.Memory, r.FlatMemory):
        result = panproof.check(kind, users=2, length=2)
        assert (str(result.verdict), result.loss) == ("NOT_REFUTED", pytest.approx(1)), kind


def test_a_release_that_changes_a_part_of_a_tuple_is_named():
    result = panproof.check(r.ChangedMemory, users=2, length=2)
    assert str(result.verdict) == "INCONCLUSIVE"
    assert "release changes the state" in repr(result)


def test_the_function_of_the_inputs_is_no_line_that_never_ran():
    result = panproof.check(r.plain, neighbours=r.pairs, epsilon=1)
    assert str(result.verdict) == "NOT_REFUTED"
    assert "never" not in repr(result)


@pytest.mark.parametrize(
    "leak",
    [*r.LEAKS[:2], *(pytest.param(one, marks=pytest.mark.more) for one in r.LEAKS[2:])],
    ids=lambda one: one.__name__,
)
def test_bytes_that_differ_between_neighbours_are_named(leak):
    result = panproof.check(leak, [1, 1], [1, 0], epsilon=1)
    assert str(result.verdict) == "INCONCLUSIVE"
    assert "standard output and error differ between neighbours by more than the promise allows" in repr(result)


@pytest.mark.parametrize(
    "harmless",
    [r.HARMLESS[0], *(pytest.param(one, marks=pytest.mark.more) for one in r.HARMLESS[1:])],
    ids=lambda one: one.__name__,
)
def test_bytes_that_keep_the_promise_prevent_nothing(harmless):
    assert str(panproof.check(harmless, [1, 1], [1, 0], epsilon=1).verdict) == "NOT_REFUTED"


def test_what_an_update_prints_is_seen_too():
    result = panproof.check(r.LoudMemory, users=2, length=2)
    assert str(result.verdict) == "INCONCLUSIVE"
    assert "standard output" in repr(result)


def gated(mechanism, **options):
    return panproof.gate(mechanism, [1, 1], [1, 0], epsilon=1, runs=4000, seed=3, **options)


@pytest.mark.parametrize(
    "leak",
    [r.printed_noise, *(pytest.param(one, marks=pytest.mark.more) for one in (r.printed_flip, r.logged_data))],
    ids=lambda one: one.__name__,
)
def test_a_gate_names_printed_bytes_that_break_the_promise(leak):
    result = gated(leak, exact=False)
    (finding,) = [one for one in result.report.findings if one.check == "printing"]
    assert (str(finding.severity), str(result.verdict)) == ("defect", "INCONCLUSIVE")
    assert "standard output and error differ between neighbours" in repr(result)


@pytest.mark.more
@pytest.mark.parametrize("harmless", [r.printed_output, r.printed_noisy_output], ids=lambda one: one.__name__)
def test_a_gate_accepts_printed_bytes_that_follow_from_the_output(harmless):
    result = gated(harmless)
    (finding,) = [one for one in result.report.findings if one.check == "printing"]
    assert (str(finding.severity), str(result.verdict)) == ("note", "NOT_REFUTED")
    assert "sys.stdout" not in repr(result)


@pytest.mark.more
def test_a_gate_takes_the_printed_bytes_of_the_exact_check():
    result = gated(r.printed)
    assert str(result.verdict) == "INCONCLUSIVE"
    assert [str(one.severity) for one in result.report.findings if one.check == "printing"] == ["defect"]


def named(name):
    def mechanism(data, rng):
        return sum(data) + rng.laplace(scale=1.0)

    mechanism.__qualname__ = mechanism.__name__ = name
    return mechanism


FORGED = ["a\nCERTIFIED  x.py:Esc", "a\r\x1b[31mCERTIFIED", "a\u202eDEIFITREC", "a\u2028CERTIFIED"]


@pytest.mark.parametrize("name", FORGED, ids=["newline", "control", "direction", "separator"])
@pytest.mark.more
def test_a_name_from_outside_is_one_line(name):
    result = panproof.check(named(name), [1, 1], [1, 0], epsilon=1)
    lines = repr(result).split("\n")
    assert all(line.isprintable() for line in lines)
    assert not any(line.startswith("CERTIFIED") for line in lines)
    assert name not in result._repr_html_()
    with pytest.raises(InputError) as problem:
        panproof.check(name)
    assert str(problem.value).isprintable()


def test_a_name_from_outside_is_one_line_of_every_report(tmp_path, capsys):
    from pan_audits.reports.junit import PARTS, junit
    from pan_audits.reports.text import print_gate

    report = gated(named(FORGED[0])).report
    print_gate(report)
    printed = capsys.readouterr().out.splitlines()
    assert not any(line.startswith("CERTIFIED") for line in printed)
    document = junit([report])
    assert FORGED[0] not in document
    assert "&#10;" not in document
    assert all(part(report).failure.isprintable() for part in PARTS.values())


def test_an_audit_that_finds_nothing_has_a_plot_of_what_it_would_have_found():
    figure = panproof.audit(r.plain, [1, 1], [1, 0], epsilon=1, runs=4000, seed=3).plot()
    assert any("would be found from" in text.get_text() for text in figure.axes[0].texts)
    checked = panproof.check(r.normal, [1, 1], [1, 0], rho=0.1).plot()
    assert [text.get_text() for text in checked.axes[0].texts]
