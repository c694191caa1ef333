"""``panproof claims`` and ``panproof derive``: verdicts first, whole derivations, the same files every time."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pan_proofs.engines.obligation import Answer
from pan_proofs.rendering.site import write_site

LEMMA = "density.union_lemma"
NEEDED = ("density.union_lemma", "density.tanh_optimality", "density.dwork_error")


@pytest.fixture
def panproof(panproof, entries, ledger_store, monkeypatch):
    """With the session's derivations, so that no test derives the whole ledger again."""
    monkeypatch.setenv("PANPROOF_CACHE", str(ledger_store.folder))
    return panproof


def test_the_table_has_a_row_for_every_claim(panproof, entries):
    outcome = panproof("claims")
    assert outcome.code == 0, outcome.err
    first, *rows = outcome.out.splitlines()
    assert first.startswith(f"{len(entries)} claims: ")
    shown = {row.split()[1]: row.split()[0] for row in rows[1:] if len(row.split()) > 2}
    assert {name: str(entry.verdict) for name, entry in entries.items()}.items() <= shown.items()
    assert "density.figure_4" in outcome.out
    assert outcome.err == ""


def test_the_json_is_the_whole_ledger(panproof, entries):
    document = json.loads(panproof("claims", "--json").out)["claims"]
    assert [one["id"] for one in document] == list(entries)
    assert all(one["verdict"] in ("PROVED", "PROVED_AMENDED", "REFUTED", "CITED") for one in document)
    assert all(check["engine"] for one in document for part in one["parts"] for check in _checks(part))


def _checks(part):
    return [check for step in part["steps"] for one in step["obligations"] for check in one["checks"]]


def test_one_claim_is_shown_with_its_whole_derivation(panproof, entries):
    outcome = panproof("claims", "density.tanh_optimality")
    claim = entries["density.tanh_optimality"].claim
    assert outcome.out.startswith(f"{claim.verdict}  density.tanh_optimality\n")
    assert len(re.findall(r"^\s+\d+\. ", outcome.out, re.MULTILINE)) == sum(len(part.steps) for part in claim.parts)
    assert "z3, cvc5" in outcome.out
    assert "\\frac" not in outcome.out
    assert "$" not in outcome.out
    assert not any(line.endswith(" ") for line in outcome.out.splitlines())


def test_a_claim_is_found_by_the_other_source_s_name(panproof):
    assert panproof("claims", "thesis.union_lemma").out == panproof("claims", LEMMA).out


def test_claims_can_be_chosen_by_verdict(panproof, entries):
    rows = panproof("claims", "--verdict", "refuted", "--json").out
    wanted = [name for name, entry in entries.items() if entry.verdict == "REFUTED"]
    assert [one["id"] for one in json.loads(rows)["claims"]] == wanted


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("claims", "density.union_lema"), "did you mean density.union_lemma"),
        (("claims", "--verdict", "TRUE"), "PROVED, PROVED_FROM_CITED, PROVED_AMENDED, REFUTED"),
        (("claims", LEMMA, "--page", "page.md"), "without ids"),
        (("claims", "--page", "/nowhere/page.md"), "cannot write"),
        (("claims", "nothing", "--out", "out"), "unknown claim 'nothing'"),
        (("claims", LEMMA, "--out", "/dev/null/out"), "cannot write"),
    ],
)
def test_bad_input_gets_one_sentence(panproof, words, said):
    assert said in panproof(*words).one_sentence()


def test_without_an_engine_a_claim_is_undecided_and_the_exit_code_says_so(panproof, monkeypatch, tmp_path):
    from pan_proofs.engines import inequalities

    monkeypatch.setenv("PANPROOF_CACHE", str(tmp_path / "empty"))
    monkeypatch.setattr(inequalities, "ask", lambda engine, script: Answer.SKIPPED)
    outcome = panproof("claims", LEMMA, "--jobs", 1)
    assert outcome.code == 3
    assert outcome.out.startswith("UNDECIDED")
    assert "engines not installed: z3, cvc5" in outcome.out
    assert not (tmp_path / "empty").exists()


def test_the_files_are_the_same_every_time(panproof, tmp_path):
    for folder in ("one", "two"):
        assert panproof("claims", *NEEDED, "--out", tmp_path / folder).code == 0
    one, two = ({path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()} for folder in ("one", "two"))
    assert one == two
    assert {"ledger.tex", "ledger.html", "density-tanh-optimality.tex"} <= set(one)


def test_what_a_claim_rests_on_is_printed_with_it(panproof, entries, tmp_path):
    document = json.loads(panproof("claims", "density.dwork_accuracy", "--out", tmp_path, "--json").out)
    assert set(entries["density.dwork_accuracy"].claim.uses) <= {
        Path(file).stem.replace("-", ".", 1).replace("-", "_") for file in document["files"]
    }


class _Page(HTMLParser):
    """Collects what the page would fetch, its ids, and whether all that is opened is closed."""

    def __init__(self):
        super().__init__()
        self.fetched, self.ids, self.targets, self.open = [], [], [], []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.fetched += [v for k, v in values.items() if k in ("src", "href") and v and not v.startswith("#")]
        self.ids += [values["id"]] if "id" in values else []
        self.targets += [values["href"][1:]] if values.get("href", "").startswith("#") else []
        if tag not in ("meta", "input", "link", "br", "circle", "polygon", "polyline", "mspace"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


@pytest.mark.slow
def test_the_page_needs_no_network_and_all_its_links_lead_somewhere(entries, tmp_path):
    text = write_site(entries, tmp_path).read_text()
    page = _Page()
    page.feed(text)
    assert page.fetched == []
    assert page.open == []
    assert len(set(page.ids)) == len(page.ids)
    assert set(page.targets) <= set(page.ids)
    assert set(entries) <= set(page.ids)
    assert "<math" in text
    shown = re.sub(r"<(script|style)>.*?</\1>", "", text, flags=re.DOTALL)
    assert "$" not in shown
    assert set(re.findall(r"\\[A-Za-z]+", shown)) == set(), "commands of LaTeX are left on the page"
