"""Lemma 3.1 of the thesis: the sensitivity of the empirical mutual information, in every base."""

from __future__ import annotations

from pan_proofs.ledger.claim import Claim, Part, Reference, Role


def mutual_information_sensitivity() -> Claim:
    """Both branches; the second is attained for odd numbers of records only."""
    return Claim(
        id="bayesnet.mutual_information_sensitivity",
        title="Sensitivity of the empirical mutual information",
        references=(
            Reference(
                "networks",
                "Lemma 3.1, section 3.3.1",
                "the proof is left to another paper; logarithms are natural in the whole text",
            ),
        ),
        statement=r"If one of $n$ records changes, the empirical mutual information $\hat I(X; Y)$ changes by at "
        r"most, and in some table by, $\frac1n \log n + \frac{n-1}{n} \log\frac{n}{n-1}$ if $X$ or $Y$ is binary, and "
        r"$\frac2n \log\frac{n+1}{2} + \frac{n-1}{n} \log\frac{n+1}{n-1}$ otherwise.",
        hypotheses=("adjacent tables have $n$ records, of which one differs (bounded adjacency)",),
        silent=(
            r"$n \ge 2$",
            "binary means exactly two values; in the second branch both variables have at least three",
            "the logarithms of the score and of the formula have the same base",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "a binary variable",
                r"The sensitivity is as printed in the first branch, for every $n \ge 2$ and every base above $1$. It "
                r"is attained where $n$ records are in one cell, and one of them moves to another row and another "
                r"column.",
                (),
                theorems=("information_binary", "information_binary_attained"),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "an even number of records",
                r"For even $n$ and variables with three values or more the sensitivity is less than printed, in every "
                r"table.",
                (),
                theorems=("even_less_than_printed",),
            ),
            Part(
                Role.AMENDED,
                "no binary variable",
                r"The sensitivity is as printed in the second branch for odd $n \ge 3$. For even $n$ it is $\frac1n "
                r"\left(\delta(\frac n2) + \delta(\frac n2 + 1)\right)$ with $\delta(k) = k \log k - (k-1) "
                r"\log(k-1)$, which is less than printed. So the printed value is a bound for every $n \ge 2$. It is "
                r"attained where a row and a column share one record, which moves to a row and a column of its own; "
                r"their counts are as equal as possible, and all records are in one of them.",
                (),
                theorems=("information_wide", "information_wide_attained", "odd_is_printed", "even_less_than_printed"),
            ),
        ),
        remark=r"With $g(c) = c \log c$ the number $n\hat I$ is $g(n)$ plus the sum of $g$ over the cells, less its "
        r"sums over the rows and the columns. A record whose cell, row and column have $N$, $R$ and $C$ records with "
        r"itself adds $-\varphi = \delta(N) - \delta(R) - \delta(C)$ to it. Since $\delta$ rises, by less and less, "
        r"$\varphi$ lies between $0$ and $\delta(R) + \delta(C - N + 1)$, and $R + C - N + 1 \le n + 1$. With two rows "
        r"$C - N + 1$ is at most the count of the other row. The alternative scores of the same section have the entry "
        r"bayesnet.score\_sensitivities.",
    )


CLAIMS = {"bayesnet.mutual_information_sensitivity": mutual_information_sensitivity}
