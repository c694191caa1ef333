"""False and true statements as text: mathematics as it is written, read with the names of the module of its table."""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import itertools
import math
import pkgutil
from collections.abc import Iterator
from fractions import Fraction
from types import ModuleType

import sympy as sp

from pan_proofs import engines
from pan_proofs.engines.obligation import Kind, Obligation, Status
from pan_proofs.ledger import lengths_and_limits, notation, steps
from pan_proofs.ledger.claim import Claim, ProofVerdict, Step
from pan_proofs.ledger.linking import linked
from pan_proofs.ledger.statements import about, symbolic
from tests.mutants import statements

RELATIONS = {ast.LtE: "Le", ast.Lt: "Lt", ast.GtE: "Ge", ast.Gt: "Gt", ast.Eq: "Eq", ast.NotEq: "Ne"}


def le(left: object, right: object) -> sp.Basic:
    return sp.Le(left, right, evaluate=False)


def lt(left: object, right: object) -> sp.Basic:
    return sp.Lt(left, right, evaluate=False)


def ge(left: object, right: object) -> sp.Basic:
    return sp.Ge(left, right, evaluate=False)


def gt(left: object, right: object) -> sp.Basic:
    return sp.Gt(left, right, evaluate=False)


def eq(left: object, right: object) -> sp.Basic:
    return sp.Eq(left, right, evaluate=False)


def link(statement: sp.Basic, *steps: Step, **more: object) -> tuple[tuple[str, ...], tuple[Step, ...]]:
    """A formal statement, and the steps from which it should follow."""
    return symbolic(statement, **more), steps


class _Exact(ast.NodeTransformer):
    """Relations are not evaluated, and a fraction of two numbers is exact. Functions of Python stay what they are."""

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        left, right = self.visit(node.left), self.visit(node.comparators[0])
        unevaluated = [ast.keyword("evaluate", ast.Constant(value=False))]
        return ast.Call(ast.Name(RELATIONS[type(node.ops[0])], ast.Load()), [left, right], unevaluated)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        numbers = all(isinstance(one, ast.Constant) for one in (node.left, node.right))
        self.generic_visit(node)
        if isinstance(node.op, ast.Div) and numbers:
            return ast.Call(ast.Name("Rational", ast.Load()), [node.left, node.right], [])
        return node


def read(text: str, module: ModuleType) -> object:
    """What a text says: the names are those of a module, of the engines, steps and notation, and of sympy."""
    tree = ast.fix_missing_locations(_Exact().visit(ast.parse(text, mode="eval")))
    return eval(compile(tree, text, "eval"), {**WRITTEN, **getattr(module, "NAMES", {}), **ASKED, **vars(module)})


def _of_engines() -> dict[str, object]:
    found: dict[str, object] = {"S": sp.S, "Fraction": Fraction, "only": lambda values: next(iter(values))}
    names = [f"{engines.__name__}.{one.name}" for one in pkgutil.iter_modules(engines.__path__)]
    for module in (*map(importlib.import_module, names), steps, lengths_and_limits):
        found |= {name: one for name, one in vars(module).items() if getattr(one, "__module__", "") == module.__name__}
    return found | {"about": about, "symbolic": symbolic, "link": link, "notation": notation}


WRITTEN = {**vars(sp), **{name: one for name, one in vars(notation).items() if isinstance(one, sp.Symbol)}}
ASKED = _of_engines()


def holds(said: object) -> bool:
    """Whether engines take it: a claim, a step, an obligation, or formal statements with what should lead to them."""
    match said:
        case Claim():
            return said.verdict is not ProofVerdict.UNDECIDED
        case Obligation():
            return said.status is Status.DISCHARGED and said.kind is not Kind.IDENTICAL
        case Step():
            assert said.obligations, "no engine was asked"
            return all(map(holds, said.obligations))
        case [*steps_] if steps_ and all(isinstance(one, Step) for one in steps_):
            return all(map(holds, steps_))
        case (formal, shown):
            asked = [one for step in shown for one in (step.obligations if isinstance(step, Step) else (step,))]
            return all(linked("link", text, asked).status is Status.DISCHARGED for text in formal)
    raise TypeError(f"neither a claim nor a step nor a statement: {said!r}")


def places(package: ModuleType) -> dict[str, ModuleType]:
    """The modules of a package by their last names."""
    found = (
        importlib.import_module(one.name) for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    )
    return {one.__name__.rpartition(".")[2]: one for one in found}


def named(*names: str) -> dict[str, object]:
    """What modules of the proofs define and use, and the modules by their last names."""
    found = [importlib.import_module(f"pan_proofs.{name}") for name in names]
    used = {name: one for module in reversed(found) for name, one in vars(module).items()}
    tools = {one.__name__: one for one in (itertools.product, functools.partial, dataclasses.replace, math.comb)}
    return {**used, **tools, **{module.__name__.rpartition(".")[2]: module for module in found}}


def modules() -> Iterator[ModuleType]:
    """The modules with tables of statements, in every folder of tests."""
    for info in pkgutil.iter_modules(statements.__path__, f"{statements.__name__}."):
        if info.name.rpartition(".")[2].startswith("false_"):
            yield importlib.import_module(info.name)
