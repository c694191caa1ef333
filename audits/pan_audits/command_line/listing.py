"""``panproof list``: the known estimators."""

from __future__ import annotations

from pan_audits.command_line.options import Json, print_json


def list_estimators(as_json: Json = False) -> None:
    """List the shipped estimators, and those of other installed packages.

    Example: panproof list
    """
    from rich.table import Table

    from pan_audits.intake.discovery import installed_variants
    from pan_audits.reports.text import console
    from pan_estimators.common.registry import ESTIMATORS

    rows = [(name, _summary(factory) + _remarks(name), "panproof") for name, factory in ESTIMATORS.items()]
    rows += [(name, point.value, point.dist.name if point.dist else "") for name, point in installed_variants().items()]
    if as_json:
        columns = ("name", "summary", "package")
        print_json({"estimators": [dict(zip(columns, row, strict=True)) for row in rows]})
        return
    table = Table("name", "description", "package", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    console().print(table)


def _summary(factory: object) -> str:
    function = getattr(factory, "func", factory)
    text = (
        (function.__doc__ or "").strip().splitlines()[0].replace("`", "").replace(":func:", "").replace(":class:", "")
    )
    return text.rstrip(".") + (", with deletions" if function is not factory else "")


def _remarks(name: str) -> str:
    """The remarks of the families about an estimator."""
    from pan_promises.families import family_parts

    found = (remark(name) for remark in family_parts("pan_audits", "remarks"))
    return "".join(f"; {one}" for one in found if one)
