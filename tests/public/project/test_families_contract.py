"""The import rule of families finds the families itself, and reports what breaks it."""

from __future__ import annotations

import pytest
from grimp import ImportGraph

from tests.public.project.families_contract import FamiliesContract

FAMILIES = ("one.density.family", "two.density.family", "two.continual.family", "two.foundations.family")


def judged(importer, imported):
    graph = ImportGraph()
    for module in {*FAMILIES, "one.neutral.room", "two.density.deep.file", "two.continual.file", importer, imported}:
        graph.add_module(module)
    graph.add_import(importer=importer, imported=imported)
    options = {"name": "families", "neutral_rooms": ["two.foundations"]}
    return FamiliesContract("families", {}, options).check(graph, verbose=False)


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("one.neutral.room", "two.density.deep.file"),
        ("two", "two.continual.file"),
        ("two.density.deep.file", "two.continual.file"),
        ("two.foundations.family", "two.density.family"),
    ],
)
def test_a_neutral_room_and_another_family_may_not_import_a_family(importer, imported):
    result = judged(importer, imported)
    assert not result.kept
    assert result.metadata["wrong"] == [(importer, imported)]


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("two.density.deep.file", "one.density.family"),
        ("two.density.deep.file", "one.neutral.room"),
        ("two.continual.file", "two.foundations.family"),
    ],
)
def test_a_family_imports_itself_in_each_package_and_neutral_rooms(importer, imported):
    assert judged(importer, imported).kept
