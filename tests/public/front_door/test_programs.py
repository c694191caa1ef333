"""Programs of other languages: the protocol by a program that is called here, and the verdicts by the front door."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panproof
from pan_audits.events.observing.numbers import Raised
from pan_audits.subject.isolation import command
from pan_audits.subject.isolation.data import DataError
from pan_audits.subject.isolation.sandbox import Level, best_level
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.errors import InputError
from tests.public.project.documents import blocks
from tests.turns import every

LOOP = """
import json, math, os, random, sys, time
outputs = []
for line in sys.stdin:
    asked = json.loads(line)
    data, runs, seed = asked["input"], asked["runs"], asked["seed"]
    source = random.Random(seed)
    laplace = lambda scale: scale * (source.expovariate(1) - source.expovariate(1))
    for run in range(runs):
        {body}
    sys.stdout.flush()
"""


def program(body, **replaced):
    """A program that does this for each run."""
    text = LOOP
    for old, new in replaced.items():
        text = text.replace(old, new)
    return panproof.Command([sys.executable, "-c", text.replace("{body}", body.replace("\n", "\n        "))])


def audit(body, *inputs, **options):
    mechanism = body if isinstance(body, panproof.Command) else program(body)
    few = {"runs": 1000, "confirmation_runs": 500, "jobs": 1}
    return panproof.audit(mechanism, *inputs or (0, 1), **{"epsilon": 1, "seed": 1, **few, **options})


def told(result):
    """The reason and the findings, without the name, which is the text of the program."""
    document = result.to_dict()
    return " ".join(
        [document["reason"].replace(document["name"], ""), *(one["sentence"] for one in document["findings"])]
    )


def called(mechanism, data=0, size=None):
    try:
        return mechanism(data, NumpyRandomness(1), size)
    finally:
        for running in [*command._RUNNING.values()]:
            running.end()
        command._RUNNING.clear()


# The protocol

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def echo():
    return program("print(json.dumps(data))")


@given(VALUES)
def test_what_is_sent_comes_back(echo, value):
    """Also whole numbers beyond 2^53, NaN, and each bit of a double."""
    assert repr(echo(value, NumpyRandomness(1))) == repr(value)


@pytest.mark.parametrize("written", ["NaN", '"NaN"', "Infinity", '"Infinity"', "-Infinity", '"-Infinity"'])
def test_special_numbers_are_words_or_texts(written):
    assert repr(called(program(f"print({written!r})"))) == repr(float(written.strip('"')))


def test_arrays_and_numbers_of_numpy_are_sent_as_lists_and_numbers(echo):
    assert echo([np.arange(3), np.float64(0.5), (True, None)], NumpyRandomness(1)) == [[0, 1, 2], 0.5, [True, None]]
    with pytest.raises(InputError, match=r"written as JSON, which has no set"):
        echo({1}, NumpyRandomness(1))


def test_a_request_is_a_line_in_the_promised_order(echo):
    made = program("print(json.dumps(line))")
    assert called(made, [1.5, "é"]).startswith('{"input": [1.5, "\\u00e9"], "runs": 1, "seed": ')
    assert called(made, 0, size=2)[0].startswith('{"input": 0, "runs": 2, "seed": ')


def test_many_runs_are_an_array_if_they_are_numbers_of_one_kind():
    assert called(program("print(run + .5)"), size=3).tolist() == [0.5, 1.5, 2.5]
    assert called(program("print(2**60 + run)"), size=2) == [2**60, 2**60 + 1]
    answers = called(program("""print('{"error": "odd"}' if run % 2 else run)"""), size=2)
    assert answers == [0, Raised("ProgramError", "odd")]


def test_single_runs_that_are_asked_for_ahead_have_their_own_input_and_seed():
    made, randomness = program("print(json.dumps([data, seed]))"), NumpyRandomness(1)
    inputs = [0] * 5 + [1] * 100 + [0] * 3
    answers = [made(data, randomness) for data in inputs]
    assert [data for data, _ in answers] == inputs
    assert len({seed for _, seed in answers}) == len(answers)


def test_an_input_may_be_longer_than_a_pipe_holds(echo):
    randomness = NumpyRandomness(1)
    assert [len(echo(list(range(50_000)), randomness)) for _ in range(3)] == [50_000] * 3


TROUBLE = {
    "print('garbage')": "wrote line 1 of 3, which is no JSON: 'garbage'",
    "print(data) if run < 2 else print('{1')": "wrote line 3 of 3, which is no JSON: '{1'",
    "print('\"' + chr(92) + 'ud800\"')": "wrote line 1 of 3, which is no JSON",
    "sys.stdout.buffer.write(bytes([255, 10]))": "wrote line 1 of 3, which is no JSON",
    "print('[' * 40 + ']' * 40)": "wrote line 1 of 3 with more than 32 levels",
    "print('[' * 10**5 + ']' * 10**5)": "wrote line 1 of 3",
    "print('9' * 5000)": "wrote line 1 of 3, which is no JSON",
    'print(\'{"a": 1, "a": 2}\')': "wrote line 1 of 3 with an object that has one key twice",
    "print('7' * 2**21)": "wrote a line of more than 1 MiB",
    "print('7'); sys.exit(3)": "ended before line 2 of 3 (exit code 3)",
    "sys.exit('no such file')": "ended before line 1 of 3 (exit code 1)",
    "os.kill(os.getpid(), 11)": "ended before line 1 of 3 (signal SIGSEGV",
    "os.close(1); time.sleep(60)": "ended before line 1 of 3",
}


@pytest.mark.parametrize(("body", "sentence"), TROUBLE.items())
def test_trouble_is_told_with_its_line(body, sentence):
    with pytest.raises(DataError) as told:
        called(program(body), size=3)
    assert str(told.value).startswith(f"the program {sentence}")


def test_lines_that_no_request_asked_for_are_told():
    made = program("print(data); run or print(data, flush=True) or time.sleep(.1)")
    with pytest.raises(DataError, match="wrote a line that no request asked for, or more lines than runs"):
        _ = called(made), made(0, NumpyRandomness(1)), time.sleep(0.5), made(0, NumpyRandomness(1))


def test_too_few_lines_are_told_at_the_time_limit(monkeypatch):
    monkeypatch.setenv(command.SECONDS, "3")
    with pytest.raises(DataError, match=r"did not write line 3 of 3 within 3 s .* --timeout allows more"):
        called(program("run == 2 or print(data)"), size=3)


def test_a_program_ends_with_its_children():
    made = program("os.fork() or time.sleep(600); print(os.getpgid(0))")
    group = called(made)
    time.sleep(0.2)
    left = subprocess.run(["ps", "-o", "stat=", "-g", str(group)], capture_output=True, text=True, check=False).stdout
    assert [state for state in left.split() if not state.startswith("Z")] == []


@pytest.mark.parametrize("words", [[], [""], "./program", ["./there-is-none"], ["there-is-none", "1"], [1]])
def test_a_command_is_a_program_and_its_arguments(words):
    with pytest.raises(InputError):
        panproof.Command(words)


def test_a_file_that_cannot_be_started_is_bad_input(tmp_path):
    (tmp_path / "text").write_text("nothing")
    (tmp_path / "text").chmod(0o755)
    with pytest.raises(InputError, match=r"command:.*text cannot be started: Exec format error"):
        called(panproof.Command([str(tmp_path / "text")]))


# Verdicts

NOISY = "print(data + laplace(1))"


def test_a_correct_program_is_not_refuted_and_a_wrong_one_is():
    kept = panproof.gate(program(NOISY), 0, 1, epsilon=1, runs=4000, seed=1)
    assert str(kept.verdict) == "NOT_REFUTED"
    assert "judged by its runs alone, without an exact check and without coverage" in kept.to_dict()["exact"]["reason"]
    wrong = panproof.gate(program("print(data + laplace(.5))"), 0, 1, epsilon=1, runs=40_000, seed=1)
    assert str(wrong.verdict) == "REFUTED"
    assert 1 < wrong.loss <= 2.001


def test_the_same_seed_gives_the_same_report():
    first, second = (audit(NOISY, 0, 3).to_dict() for _ in range(2))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


REFUTED = {
    "print(data + 2**53)": "all runs on one input showed the same",
    "random.seed(7); print(data + random.random())": "all runs on one input showed the same",
    """print('{"error": "empty"}' if data else 0)""": "ProgramError",
    "print(json.dumps({'count': [data, None, True], 'text': 'a' * (data + 1)}))": "",
    "print('null' if data else 'false')": "",
    "print('NaN' if data else '0.5')": "",
}


@pytest.mark.parametrize(("body", "sentence"), every(3, REFUTED.items()))
def test_outputs_of_every_form_refute(body, sentence):
    inputs = (2**60, 2**60 + 1) if "2**53" in body else (0, 1)
    result = audit(body, *inputs)
    assert str(result.verdict) == "REFUTED"
    assert sentence in told(result)


INCONCLUSIVE = {
    "sys.exit(2) if data else print(0)": "the program ended before line 1 of 1 (exit code 2)",
    "print(data + laplace(1)); print('trouble', file=sys.stderr); sys.exit(1)": "it printed: trouble",
    "data and print('no JSON') or print(0)": "which is no JSON: 'no JSON'",
    "x = bytearray(2**33 * data); print(0)": "MemoryError",
    "outputs or outputs.append(laplace(1)); print(data + outputs[0])": "it keeps data between its runs",
    "source = outputs[0] if outputs else source; outputs.append(source); print(data + laplace(1))": "it keeps data",
    "print(data, file=sys.stderr); print(data + laplace(50))": "differ between neighbours",
    "outputs or outputs.append(random.SystemRandom().random()); print(data + outputs[0])": "all runs of a process",
    """print('{"error": "always"}')""": "raised ProgramError: always",
}


@pytest.mark.parametrize(("body", "sentence"), every(2, INCONCLUSIVE.items()))
def test_trouble_refutes_nothing(body, sentence):
    result = audit(body, 0, 20)
    assert str(result.verdict) == "INCONCLUSIVE"
    assert sentence in told(result)


def test_a_time_out_is_named(panproof, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("hangs.py").write_text("import time\ntime.sleep(1000)\n")
    Path("some.py").write_text("pairs = [(0, 1)]\n")
    told = panproof("audit --neighbours some:pairs --epsilon 1 --timeout 2 --command", f"{sys.executable} hangs.py")
    assert told.code == 3
    assert "the program did not write line 1 of 1 within 2 s" in told.out


def test_a_program_that_ignores_the_seed_is_audited_as_independent_runs():
    result = audit("print(data + random.SystemRandom().expovariate(1) - random.expovariate(1))", 0, 1)
    assert str(result.verdict) == "NOT_REFUTED"
    assert "a replay draws new ones" in told(result)


@pytest.mark.parametrize(
    "body",
    [
        "source = random.Random(7) if run == 0 else source\nprint(data + laplace(1))",
        "base = laplace(1) if run == 0 else base\nprint(data + base)",
    ],
)
def test_runs_of_a_request_that_are_not_independent_are_a_defect(body):
    """A generator that begins anew in each request, and noise that all runs of a request share."""
    result = audit(body, 0, 0.1)
    assert str(result.verdict) in ("INCONCLUSIVE", "REFUTED")
    assert "batch" in told(result) or "showed the same" in told(result)


@pytest.mark.skipif(best_level() is not Level.BUBBLEWRAP, reason="bubblewrap does not work here")
@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("open('left.txt', 'a').write('x'); print(data + laplace(1))", "Read-only file system"),
        (
            "import socket; socket.create_connection(('192.0.2.1', 80), 5); print(data + laplace(1))",
            "Network is unreachable",
        ),
        (
            "name = os.environ['HOME'] + '/last'; seen = os.path.exists(name); open(name, 'w'); print(data + seen)",
            "the estimator keeps data between runs outside the state",
        ),
        ("os.fork() or time.sleep(600); print(data + laplace(1))", "it started more than 64 processes"),
    ],
)
def test_the_sandbox_is_that_of_judged_code(body, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = audit(body, 0, 1)
    assert str(result.verdict) == "INCONCLUSIVE"
    assert sentence in told(result)
    assert os.listdir(tmp_path) == []


# The page

EXAMPLES = {block.note.split(": ")[1]: block.body for block in blocks("file") if "mechanism." in block.note}
MADE = {
    "c": ("gcc", "gcc -O2 -Wall -Werror -o mechanism mechanism.c -lm", "./mechanism 1"),
    "rs": ("rustc", "rustc -O mechanism.rs", "./mechanism 1"),
    "go": ("go", "go build mechanism.go", "./mechanism 1"),
    "js": ("node", "", "node mechanism.js 1"),
    "R": ("Rscript", "", "Rscript mechanism.R 1"),
    "py": (sys.executable, "", f"{sys.executable} mechanism.py 1"),
}


@pytest.mark.parametrize("language", every(3, MADE))
def test_the_examples_of_the_page_keep_their_promise(language, panproof, tmp_path, monkeypatch):
    tool, making, words = MADE[language]
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed: no compiler for this language")
    monkeypatch.chdir(tmp_path)
    Path(f"mechanism.{language}").write_text(EXAMPLES[f"mechanism.{language}"])
    Path("some.py").write_text("pairs = [(0, 1)]\nfar = [(0, 2)]\n")
    if making:
        subprocess.run(making.split(), check=True)
    options = f"--epsilon 1 --seed 1 --jobs 1 --html {tmp_path}/r.html --junit {tmp_path}/r.xml --command"
    kept = panproof(f"audit --neighbours some:pairs --runs 4000 {options}", words)
    assert kept.out.startswith(f"NOT_REFUTED  command:{words}"), kept.out + kept.err
    assert kept.code == 0
    wrong = panproof(
        f"audit --neighbours some:far --runs 8000 --confirmation-runs 2000 --witness w.json {options}", words
    )
    assert wrong.out.startswith("REFUTED"), wrong.out + wrong.err
    assert Path("r.xml").read_text().count("<failure") == 1
    again = panproof("replay w.json --neighbours some:far --json --estimator", f"command:{words}")
    assert json.loads(again.out)["identical"] is True
    assert again.code == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["gate", "--epsilon", "1"], "name the mechanism: give its NAME, or a program by --command"),
        (["audit", "some:f", "--command", "ls", "--epsilon", "1"], "give its NAME, or a program by --command"),
        (["audit", "--command", "./none 1", "--epsilon", "1"], "there is no program './none'"),
        (["audit", "--command", "a 'b", "--epsilon", "1"], "cannot be read: No closing quotation"),
        (["audit", "--command", "ls", "--epsilon", "1"], "say which inputs are neighbours, with --neighbours"),
    ],
)
def test_bad_words_are_one_sentence(panproof, words, sentence):
    assert sentence in panproof("", *words).one_sentence()
