"""The import rule of families: no neutral room imports a family, and no family imports another one.

A family is a folder with a file ``family.py`` directly below a package. The rule finds the families itself, so that a
new family needs no new rule.
"""

from __future__ import annotations

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class FamiliesContract(Contract):
    """Who may import a module of a family: modules of the same family alone, in whichever package they stand."""

    type_name = "families"

    neutral_rooms = fields.ListField(subfield=fields.StringField(), required=False)
    """Rooms that register parts like a family, and that all may import."""

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Look at each import of a module of a family."""
        found = families(graph, set(self.neutral_rooms or ()))
        wrong = [
            (importer, imported)
            for imported in sorted(graph.modules)
            if (family := family_of(imported, found))
            for importer in sorted(graph.find_modules_that_directly_import(imported))
            if family_of(importer, found) != family
        ]
        return ContractCheck(kept=bool(found) and not wrong, metadata={"wrong": wrong})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print the imports that break the rule."""
        for importer, imported in check.metadata["wrong"]:
            output.print_error(f"{importer} imports {imported}")
        if not check.metadata["wrong"]:
            output.print_error("there is no family")


def families(graph: ImportGraph, neutral_rooms: set[str]) -> set[str]:
    """The names of the families, over all packages."""
    places = (module.split(".") for module in graph.modules)
    return {
        place[1]
        for place in places
        if len(place) == 3 and place[2] == "family" and ".".join(place[:2]) not in neutral_rooms
    }


def family_of(module: str, names: set[str]) -> str | None:
    """The family to which a module belongs."""
    place = module.split(".")
    return place[1] if len(place) > 1 and place[1] in names else None
