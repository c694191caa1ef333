"""Section 3.7.3 of the thesis: the sizes of the Diabetes data before and after preprocessing."""

from __future__ import annotations

from math import prod

import sympy as sp

from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.ledger.claim import Claim, Reference, Role, Step, derived
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import bounded, compared, counterexample, found
from pan_proofs.tables.lemmas.diabetes import COLUMNS, MOST_RECORDS, RANGES, WITHOUT_DIABETES

(
    _records,
    _patients,
    _weight,
    _columns,
    _left,
    _tuples,
    _first_tuples,
    _shortest,
    _longest,
    _tests,
    _drugs,
    _least,
    _largest,
    _diagnosis,
) = sp.symbols("n n_p w A A_k T T_f l L t m d_min d_max d_g")
_changed = sp.Symbol("k", nonnegative=True)
_BY_NAME = {name: (values, missing, first) for name, values, missing, first in COLUMNS}
_IDENTIFIERS = ("encounter_id", "patient_nbr")
_SCARCE = ("weight", "payer_code", "medical_specialty")
_DIAGNOSES = ("diag_1", "diag_2", "diag_3")
_GROUPS = 9 + 1
"""The groups of diagnoses, and the missing entry, which each of the three has."""
_POWER = sp.Integer(10) ** 32
_WITHOUT, _FULLY_SHOWN = WITHOUT_DIABETES
_SHOWN = f"{_WITHOUT:,}".replace(",", "{,}")


def kept() -> dict[str, int]:
    """The columns that are left, with their numbers of values: without identifiers, scarce and constant columns."""
    sizes = {name: values for name, (values, _, _) in _BY_NAME.items() if name not in (*_IDENTIFIERS, *_SCARCE)}
    sizes |= dict.fromkeys(_DIAGNOSES, _GROUPS)
    return {name: values for name, values in sizes.items() if values > 1}


def preprocessing() -> Claim:
    """The numbers of records and attributes are right; those of columns, diagnoses and tuples are not."""
    return Claim(
        id="bayesnet.preprocessing",
        title="Preprocessing of the Diabetes data",
        references=(Reference("networks", "section 3.7.3"),),
        statement=r"The data set has $101{,}766$ records and $55$ attributes, over $50$. Each record is a stay of $1$ "
        r"to $14$ days with a diagnosis of diabetes, laboratory tests and medications. Without identifiers and "
        r"attributes with many missing values (as the weight, $97$ percent) $43$ are left. Three diagnoses have "
        r"almost $1000$ values each, and are reduced to $9$ groups. The domains then have $2$ to $118$ values, and "
        r"there are almost $10^{32}$ tuples. With one record for each patient about $70{,}000$ are left; the "
        r"privacy of a patient with several would be violated.",
        hypotheses=(
            "the file is that of the UCI Machine Learning Repository, as it is distributed",
            rf"in this file a patient has at most ${MOST_RECORDS}$ records, and some patient has so many",
            rf"in this file ${_SHOWN}$ records show no code of diabetes, one that begins with $250$, and "
            rf"${_FULLY_SHOWN}$ of these show all of their diagnoses",
        ),
        silent=(
            "a missing entry is a value of its own",
            "constant attributes are left out, as well as the three attributes with the most missing entries",
            "the first record of each patient is kept",
        ),
        parts=(
            derived(
                Role.PUBLISHED,
                "records, patients and missing weights",
                r"There are $101{,}766$ records of $71{,}518$ patients, which is $70{,}000$ rounded to tens of "
                r"thousands, and about $97$ percent of the weights are missing. In the formulas $n$ and $n_p$ are the "
                r"numbers of records and of patients, and $w$ is the share.",
                found(
                    "sizes",
                    r"Each record has a number of its own, and each patient as well.",
                    "the numbers of values of the two identifiers",
                    lambda: tuple(_BY_NAME[name][0] for name in _IDENTIFIERS),
                    (101766, 71518),
                    quantities=(_records, _patients),
                    lines=(r"n &= 101{,}766", r"n_p &= 71{,}518"),
                ),
                _about(),
                _missing(),
                only=(
                    "sizes",
                    "missing",
                ),
            ),
            derived(
                Role.PUBLISHED,
                "43 attributes",
                r"Without two identifiers, the three attributes with the most missing entries and two constant ones, "
                r"$43$ are left, with $2$ to $118$ values. In the formula $A_k$ is their number, and $d_{\min}$ and "
                r"$d_{\max}$ are the least and the largest number of values.",
                found(
                    "attributes",
                    r"The columns are listed.",
                    "the number of columns that are left, and their least and largest number of values",
                    lambda: (len(kept()), min(kept().values()), max(kept().values())),
                    (43, 2, 118),
                    quantities=(_left, _least, _largest),
                    lines=(r"A_k &= 43", r"2 \le d_i &\le 118"),
                ),
            ),
            derived(
                Role.PUBLISHED,
                "the criteria of inclusion",
                r"The stays last $1$ to $14$ days, and each record has a laboratory test and a medication. By the file "
                r"$63{,}742$ records show no diagnosis of diabetes, and none of these shows all of its diagnoses, so "
                r"that it does not contradict that each has one. In the formulas $l$ and $L$ are the least and the "
                r"largest number of days, and $t$ and $m$ the least numbers of tests and medications.",
                found(
                    "criteria",
                    r"The least and the largest values of three columns.",
                    "the most days, and the least numbers of days, of laboratory tests and of medications",
                    lambda: (RANGES[0][-1], *(least for _, least, _ in RANGES)),
                    (14, 1, 1, 1),
                    quantities=(_longest, _shortest, _tests, _drugs),
                    lines=(r"l &= 1", r"L &= 14", r"t &= 1", r"m &= 1"),
                ),
            ),
            derived(
                Role.PUBLISHED,
                "several records of one patient",
                r"Privacy for a record does not protect a patient with several: for $k$ records the loss is up to $k "
                r"\varepsilon$ by group privacy, and noisy counts with the scale of one record attain this, also for "
                r"two patients. By the file a patient has up to $40$ records, so that the budget of a record has to be "
                r"$\frac{1}{40}$ of that of a patient, if records are not removed.",
                bounded(
                    "patient_loss",
                    rf"A chain of $k \le {MOST_RECORDS}$ changed records loses at most",
                    le(_changed * epsilon, MOST_RECORDS * epsilon),
                    le(_changed, MOST_RECORDS),
                    lines=rf"k \varepsilon &\le {MOST_RECORDS} \varepsilon",
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "55 attributes, and more than 50",
                r"The file as it is distributed has fewer columns. In the formula $A$ is their number.",
                counterexample(
                    "file_columns",
                    r"The columns of the file:",
                    eq(_columns, 55),
                    {_columns: lambda: len(COLUMNS)},
                ),
                counterexample(
                    "not_over_fifty",
                    r"Their number is not above $50$ either:",
                    gt(_columns, 50),
                    {_columns: lambda: len(COLUMNS)},
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "almost 1000 values of a diagnosis",
                r"No diagnosis has $800$ values. In the formula $d_g$ is the largest number.",
                counterexample(
                    "diagnoses",
                    r"The largest number of values of a diagnosis, the missing entry included:",
                    ge(_diagnosis, 800),
                    {_diagnosis: lambda: max(_BY_NAME[name][0] for name in _DIAGNOSES)},
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the number of tuples",
                r"With domains of $2$ to $118$ values, those of all records, there are more than $11 \cdot 10^{32}$ "
                r"tuples: each diagnosis has $9$ groups and the missing entry. In the formula $T$ is their number.",
                counterexample(
                    "all_tuples",
                    r"The product of the numbers of values of the $43$ attributes:",
                    le(_tuples, 11 * _POWER),
                    {_tuples: _product},
                    lines=r"T &> 11 \cdot 10^{32}",
                ),
            ),
            derived(
                Role.AMENDED,
                "sizes",
                r"The file has $50$ columns; the diagnoses have $717$ to $790$ values; there are between $11 \cdot "
                r"10^{32}$ and $12 \cdot 10^{32}$ tuples over the values of all records. Over the values of the first "
                r"records of the patients there are between $8 \cdot 10^{31}$ and $9 \cdot 10^{31}$, and no domain "
                r"has more than $116$ values. In the formulas $A$ is the number of columns, and $T_f$ the number of "
                r"tuples of the first records.",
                found(
                    "counted",
                    r"The columns of the file, and the values of the diagnoses.",
                    "the number of columns",
                    lambda: len(COLUMNS),
                    50,
                    quantities=(_columns,),
                    lines=r"A &= 50",
                ),
                compared(
                    "amended_tuples",
                    r"The product over all records.",
                    lt(11 * _POWER, _product()),
                    lt(_product(), 12 * _POWER),
                    lines=r"11 \cdot 10^{32} < T &< 12 \cdot 10^{32}",
                ),
                _amended_first(),
            ),
        ),
        uses=("thesis.group_privacy",),
        remark=r"The counts of values and of missing entries are made from the file by the command that stands beside "
        r"them. No engine reads the file: what the hypotheses say of it is not derived. The thesis does not name the "
        r"attributes that it leaves out; this choice gives its number $43$. The $9$ groups are those of the source "
        r"that is cited. Without the missing entries there are fewer tuples.",
    )


def _missing_share() -> sp.Rational:
    return sp.Rational(_BY_NAME["weight"][1], _BY_NAME["encounter_id"][0])


def _product() -> sp.Integer:
    return sp.Integer(prod(kept().values()))


def _first_product() -> sp.Integer:
    firsts = {name: _GROUPS if name in _DIAGNOSES else _BY_NAME[name][2] for name in kept()}
    return sp.Integer(prod(firsts.values()))


def _about() -> Step:
    patients = sp.Integer(_BY_NAME["patient_nbr"][0])
    return compared(
        "about",
        r"Rounded to tens of thousands there are $70{,}000$ patients.",
        le(65_000, patients),
        lt(patients, 75_000),
        lines=r"65{,}000 \le n_p &< 75{,}000",
    )


def _missing() -> Step:
    share = _missing_share()
    step = compared(
        "missing",
        r"The share of missing weights.",
        lt(sp.Rational(965, 1000), share),
        lt(share, sp.Rational(975, 1000)),
        lines=r"0.965 < w &< 0.975",
    )
    counted = found(
        "missing_counted",
        r"",
        "the share of missing weights",
        _missing_share,
        sp.Rational(98569, 101766),
        quantities=(_weight,),
    )
    return Step(step.name, step.text, step.lines, (*step.obligations, *counted.obligations))


def _amended_first() -> Step:
    step = compared(
        "amended_first",
        r"The product over the first records.",
        lt(8 * _POWER / 10, _first_product()),
        lt(_first_product(), 9 * _POWER / 10),
        lines=r"8 \cdot 10^{31} < T_f &< 9 \cdot 10^{31}",
    )
    counted = found(
        "first_counted",
        "",
        "the product over the first records",
        _first_product,
        sp.Integer(82933924819542217020407808000000),
        quantities=(_first_tuples,),
    )
    return Step(step.name, step.text, step.lines, (*step.obligations, *counted.obligations))


CLAIMS = {"bayesnet.preprocessing": preprocessing}
