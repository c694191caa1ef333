"""Every symbol that a claim displays is defined: in a table of its family, in its own notation, or by its texts."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.contents import Contents, contents
from pan_proofs.ledger.registry import contributions
from pan_proofs.ledger.statements import symbolic
from pan_proofs.ledger.symbols import STANDARD, defined, displayed, symbols, undefined
from pan_proofs.rendering.view import symbol_meanings


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        (r"x + y &\le 2", ("x", "y")),
        (r"x_1 = x_i", ("x_{1}", "x_*", "i")),
        (r"{x}_{i - 1} + {x}_{i}", ("x_*", "i")),
        (r"p_{\mathrm{init}} < p_U", (r"p_{\mathrm{init}}", "p_{U}")),
        (r"\varepsilon^\ast \ne \varepsilon^2", (r"\varepsilon^\ast", r"\varepsilon")),
        (r"f'_1 + f_1'", ("f_{1}'",)),
        (r"{P}' - P", ("P'", "P")),
        (r"\frac{d}{dy} \left[ e^{-y} \right]", ("y", "e")),
        (r"\int_0^L g\,dz", ("L", "g", "z")),
        (r"\operatorname{var}(b) \quad\text{at } m", ("b", "m")),
        (r"\mathrm{ratio}_{\mathrm{within}}", (r"\mathrm{ratio}_{\mathrm{within}}",)),
        (r"d(\mathcal{S}_M) \hat d", ("d", r"\mathcal{S}_{M}", r"\hat{d}")),
    ],
)
def test_the_symbols_of_a_formula(formula, found):
    assert symbols(formula) == found


def claim(text="Let $x > 0$.", rows=(r"x &\le \eta",), formal=(), notation=()):
    step = Step("only", text, tuple(rows), ())
    part = Part(Role.PUBLISHED, "a part", "It holds.", (step,), formal=tuple(formal))
    return Claim("test.symbols", "A test", (Reference("here", "a test"),), "It holds.", (part,), notation=notation)


TABLE = Contents("somewhere", notation=((r"$\eta$, $\eta_i$", "a weight"),))


def test_a_symbol_that_nothing_defines_is_found_with_its_place():
    assert displayed(claim()) == {"x": "step only", r"\eta": "step only"}
    assert undefined(claim(), ()) == {r"\eta": "step only"}
    assert undefined(claim(notation=((r"$\eta$", "a weight"),)), ()) == {}
    assert undefined(claim(), (TABLE,)) == {}
    assert undefined(claim(text=r"Let $x > 0$ and $\eta = 2x$."), ()) == {}


def test_a_symbol_that_a_text_only_uses_is_not_defined():
    assert undefined(claim(text=r"Let $x > 0$ be below $2 x \eta + 1$, as $x < \eta$."), ()) == {r"\eta": "step only"}


def test_an_index_or_a_prime_needs_no_entry_of_its_own():
    rows = (r"x &\le \eta_3 + \eta'",)
    assert undefined(claim(rows=rows), (TABLE,)) == {}
    assert undefined(claim(rows=(r"x &\le \zeta_3",)), (TABLE,)) == {r"\zeta_{3}": "step only"}


@pytest.mark.parametrize(
    "row",
    [
        r"\sum_{j=0}^{2} j &= 3",
        r"\int_0^1 2 u\,du &= 1",
        r"\lim_{n \to \infty} \frac1n &= 0",
        r"\lim_{\eta \to 0} \eta &= 0",
    ],
)
def test_what_the_display_itself_binds_needs_no_definition(row):
    assert undefined(claim(rows=(row,)), ()) == {}


def test_of_a_formal_statement_the_quantities_need_a_definition_and_the_variables_have_a_domain():
    y = sp.Symbol("y", positive=True)
    told = symbolic(sp.Eq(sp.Symbol("ratio"), y + 1, evaluate=False))
    assert undefined(claim(rows=(), formal=told), ()) == {r"\mathrm{ratio}": "the formula of 'a part'"}


def test_the_standard_symbols_are_few():
    assert len(STANDARD) <= 12


def test_every_symbol_that_a_claim_of_the_ledger_displays_is_defined(entries):
    missing = {
        name: found for name, entry in entries.items() if (found := undefined(entry.claim, contributions([name])))
    }
    told = "; ".join(
        f"{name} displays {', '.join(f'{symbol} ({place})' for symbol, place in found.items())}"
        for name, found in missing.items()
    )
    assert not missing, (
        f"symbols without a definition: {told}. Say what they are in the text of the step, in `notation` of the Claim, "
        "or, if several claims share them, in the notation of the family's Contents"
    )


def test_no_claim_defines_a_symbol_that_it_never_names(entries):
    for name, entry in entries.items():
        one = entry.claim
        shown = set(displayed(one)) | set(defined(replace(one, notation=()), ()))
        plain = {symbol.rstrip("'").partition("_")[0] for symbol in shown}
        for symbol, meaning in one.notation:
            heads = {other.rstrip("'").partition("_")[0] for part in symbol.split("$")[1::2] for other in symbols(part)}
            assert heads & plain, (name, symbol)
            assert meaning.strip(), (name, symbol)


def test_each_family_has_a_table_and_each_claim_tells_its_symbols(entries):
    assert all(part.notation and part.subject for part in contents())
    told = symbol_meanings(entries["turnstile.group_privacy"].claim)
    assert told.startswith(r"$l$: the size $\ell$ of the group; ")
