"""The HTML report of a gate, read without a browser."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import pytest

from pan_audits.audit.settings import Settings
from pan_audits.problems.inputs.streams.family import Family, Pair, SegmentEnd, StreamSlice, Updates
from pan_audits.reports.html import embedded_report, gather, html_report
from pan_audits.reports.html.losses import certainty, loss_rows, percent
from pan_audits.reports.html.strip import Column, Mark, strip_of
from pan_estimators import Adjacency, InputError
from tests.internals.reports.made import GATES, SMALL, VERDICTS, made, outline


def dependent(page):
    """What a page takes from elsewhere."""
    found = [
        value
        for tag, attributes in outline(page).tags
        for name, value in attributes.items()
        if name in {"src", "href", "xlink:href", "action", "data", "srcset", "poster"} and not value.startswith("#")
    ]
    return found + re.findall(r"@import[^;]*|url\((?!#)[^)]*\)|https?://[^\s\"']*", page)


MORE = ("audit", "certified", "names", "names-audit", "edges", "hidden", "message")
"""Kinds that `make test-more` looks at."""


@pytest.mark.more
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.more if kind in MORE else ()) for kind in VERDICTS]
)
def test_every_kind_of_report_stands_alone_and_says_its_verdict_first(kind):
    found = made(kind)
    assert found.report.verdict is VERDICTS[kind], found.report.reason
    read = outline(found.page)
    assert dependent(found.page) == []
    assert read.problems == []
    assert read.tags[0] == ("html", {"lang": "en"})
    words = str(found.report.verdict).replace("_", " ")
    assert words in read.text.partition("Promised")[0]
    assert {"Conduct of the code", "See it again", "Settings"} <= set(re.findall(r"<h2[^>]*>(.*?)</h2>", found.page))
    assert str(found.report.seed) in read.text
    ids = [attributes["id"] for _, attributes in read.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in read.tags:
        if tag == "svg":
            assert attributes["role"] == "img"
            assert set(attributes["aria-labelledby"].split()) <= set(ids)
    assert embedded_report(found.page) == json.loads(json.dumps(found.report.to_dict(), default=str))
    assert html_report(found.report, found.evidence) == found.page


def test_what_is_computed_for_the_page_depends_on_the_recorded_seed_alone():
    from pan_audits.subject.intake.discovery import find_mechanism

    name, parameters, settings = GATES["audit"]
    mechanism = find_mechanism(name, parameters=parameters)
    found = made("audit")
    again = gather(found.report, mechanism, Settings(**{**SMALL, **settings}))
    assert html_report(found.report, again) == found.page
    other = replace(found.report.privacy.witness, seed=2)
    report = replace(found.report, privacy=replace(found.report.privacy, witness=other))
    assert gather(report, mechanism, Settings(**{**SMALL, **settings})).runs.counts != again.runs.counts


@pytest.mark.parametrize(
    "kind", [*(pytest.param(kind, marks=pytest.mark.more) for kind in ("names", "names-audit")), "message"]
)
def test_what_comes_from_the_estimator_stays_text(kind):
    page = made(kind).page
    read = outline(page)
    assert [tag for tag, _ in read.tags if tag in {"img", "b", "script"}].count("img") == 0
    assert [attributes for tag, attributes in read.tags if tag == "script"] == [
        {"type": "application/json", "id": "report"},
        {},
    ]
    assert "hacked" not in [attributes.get("id") for _, attributes in read.tags]
    assert not any(name.startswith("on") for _, attributes in read.tags for name in attributes)
    assert "window.hacked" in read.text
    assert "\u202e" not in page
    assert page.encode("utf-8", "backslashreplace")


def test_a_policy_allows_the_one_script_only():
    import base64
    import hashlib

    page = made("exact").page
    policy = next(tag["content"] for _, tag in outline(page).tags if tag.get("http-equiv"))
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src 'sha256-{digest}'" in policy


def test_the_losses_are_those_of_the_report():
    found = made("exact")
    rows = {row.label: row for row in loss_rows(found.report, found.evidence)}
    whole = rows["state and output, small streams"]
    assert whole.nats == found.report.exact.loss.nats
    assert whole.exceeds
    assert not rows["state alone"].exceeds
    assert rows["state alone"].nats == pytest.approx(0.1)
    assert certainty(found.report, tuple(rows.values())).words == "82.8 %"
    assert "82.8 %" in found.page
    assert "at most 55.0 %" in found.page
    infinite = made("infinite")
    assert certainty(infinite.report, loss_rows(infinite.report, infinite.evidence)).words == "100 %"


def test_only_an_infinite_loss_is_certainty():
    assert percent(0.0) == "50.0 %"
    assert percent(1.0986122886681098) == "75.0 %"
    assert percent(7.0) == "99.909 %"
    assert percent(40.0) == percent(1e6) == "more than 99.999 %"
    assert percent(float("inf")) == "100 %"


def test_the_exact_distributions_are_those_of_the_witness():
    distribution = made("exact").evidence.distribution
    assert sum(one.left for one in distribution.outcomes) == pytest.approx(1)
    assert sum(one.right for one in distribution.outcomes) == pytest.approx(1)
    # One cell: the user is there before the intrusion on one stream only, so that it is set with
    # probability (1 + t)/2 against (1 - t)/2, t = tanh(0.05) (density paper, optimal pair).
    bias = math.tanh(0.05)
    assert sorted(one.left for one in distribution.outcomes) == pytest.approx([(1 - bias) / 2, (1 + bias) / 2])
    assert distribution.nats == pytest.approx(made("exact").report.exact.loss.nats)
    curve = distribution.curve
    ratio = curve.left / curve.right
    assert max(ratio) == pytest.approx(2.718281828459045**distribution.nats)
    assert (ratio[curve.inside] > 2.718281828459045**0.2).all()
    assert curve.probabilities[0] > 1.2 * curve.probabilities[1]
    marked = next(one for one in distribution.outcomes if one.witnessed)
    assert sum((curve.left[1:] + curve.left[:-1]) / 2 * (curve.places[1:] - curve.places[:-1])) == pytest.approx(
        marked.left, rel=0.05
    )


def test_streams_stand_side_by_side_and_long_ones_are_shortened():
    others = ((StreamSlice("online-retail", 0, 406_829, 12680),), (Updates(tuple(range(40))), Updates((3,), 200)))
    schedule = (SegmentEnd.INTRUSION, SegmentEnd.RELEASE)
    family = Family("real", 12680, schedule, others, ((1, 0), (0, 128)), Adjacency.USER_LEVEL)
    witness = replace(made("audit").report.privacy.witness, pair=Pair(family, 0, 1))
    strip = strip_of(witness)
    labels = [(one.left and one.left.label, one.right and one.right.label) for one in strip if isinstance(one, Column)]
    assert labels == [
        ("406,777 of online-retail",) * 2,
        ("12680", None),
        ("40 by 40 others",) * 2,
        ("3 ×200",) * 2,
        (None, "12680 ×128"),
    ]
    assert [one.step for one in strip if isinstance(one, Mark)] == list(schedule)
    assert all(one.left.own for one in strip if isinstance(one, Column) and one.left and "12680" in one.left.label)


@pytest.mark.more
def test_the_command_writes_what_it_prints_as_json(panproof, tmp_path):
    file = tmp_path / "report.html"
    arguments = ("gate", "exact-counter", "--promise", "epsilon=0.2,adjacency=user-level", "--seed", 1)
    outcome = panproof(*arguments, "--html", file, "--json")
    assert outcome.code == 1
    assert outcome.err == ""
    document = json.loads(outcome.out)
    assert embedded_report(file.read_text(encoding="utf-8")) == document
    replayed = panproof("replay", file)
    assert (replayed.code, "REFUTED" in replayed.out) == (1, True)
    (tmp_path / "report.json").write_text(outcome.out)
    assert panproof("replay", tmp_path / "report.json").out == replayed.out
    assert f"report written to {file}" in panproof(*arguments, "--html", file).out


def test_a_page_without_a_report_is_no_witness(panproof, tmp_path):
    (tmp_path / "x.html").write_text("<!DOCTYPE html><p>nothing")
    assert "holds no report" in panproof("replay", tmp_path / "x.html").one_sentence()
    with pytest.raises(InputError):
        embedded_report('<script type="application/json" id="report">[1]</script>')
