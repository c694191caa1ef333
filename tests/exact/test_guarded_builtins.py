"""The names ``float`` and ``int`` are replaced only where nothing but calls can tell."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

import panproof
from pan_audits.choices.errors import REMEMBERED, UnfollowableError
from pan_audits.choices.guarded_builtins import guarded_float, guarded_int, guarded_type, only_called
from pan_audits.choices.noise import NoisyNumber
from panproof import Verdict
from tests.variants import watching_types

NAMES = ("float", "int")


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f(x):\n    return float(x)", NAMES),
        ("def f(x: float) -> int:\n    return int(x)", NAMES),
        ("import numpy as np\ndef f(x):\n    return np.zeros(2, dtype=float)", NAMES),
        ("import numpy as np\ndef f(x):\n    return np.array(x).astype(int)", NAMES),
        ("def f(x):\n    return isinstance(x, float)", ("int",)),
        ("RULES = {'a': lambda x: type(x) is float}", ("int",)),
        ("class A:\n    class B:\n        kind = int", ("float",)),
        ("def f(x):\n    return float.fromhex(x)", ("int",)),
        ("def f(x):\n    return list(map(float, x))", ("int",)),
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


def test_without_a_source_nothing_is_replaced(tmp_path):
    assert only_called({}, NAMES) == []
    assert only_called({"__file__": str(tmp_path / "none.py")}, NAMES) == []


@pytest.mark.parametrize("kind", [guarded_float, guarded_int, guarded_type])
def test_the_guarded_classes_do_not_tell_what_noise_is(kind):
    with pytest.raises(UnfollowableError, match="type of a noisy"):
        isinstance(NoisyNumber(0, ()), kind)
    REMEMBERED.clear()


def test_the_guarded_classes_do_what_the_built_in_ones_do():
    assert guarded_float("0.5") == 0.5
    assert type(guarded_float(1)) is float
    assert guarded_int("12", 16) == 18
    assert guarded_int() == 0
    assert isinstance(True, guarded_int)
    assert not isinstance(0.5, guarded_int)
    assert issubclass(np.float64, guarded_float)


@pytest.mark.parametrize(
    ("mechanism", "verdict"),
    [
        (watching_types.in_a_table, Verdict.INCONCLUSIVE),
        (watching_types.in_a_nested_class, Verdict.INCONCLUSIVE),
        (watching_types.in_a_cache, Verdict.INCONCLUSIVE),
        (watching_types.in_a_context, Verdict.INCONCLUSIVE),
    ],
)
def test_code_that_watches_types_is_not_followed(mechanism, verdict):
    """The last one breaks no promise; its module uses ``float`` for more than calls."""
    assert panproof.check(mechanism, neighbours=[(0, 1)], epsilon=2).verdict is verdict
