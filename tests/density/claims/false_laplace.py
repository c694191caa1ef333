"""False statements about the Laplace estimator and its relatives, built as the true ones are: none may be proved."""

import sympy as sp

from pan_proofs.density.claims.laplace.cells import density_ratio
from pan_proofs.density.claims.laplace.privacy import kept_over_redrawn
from pan_proofs.density.lemmas.accuracy.laplace_accuracy_steps import three_bounds
from pan_proofs.density.lemmas.real_cells.gaussian_errors import theta as half_budget
from pan_proofs.density.lemmas.real_cells.gaussian_errors import uniform_second_moment
from pan_proofs.density.lemmas.real_cells.quantized_cells import boundary, induced_pair, initial, regions, updated
from pan_proofs.density.lemmas.real_cells.truncated_distributions import (
    eta,
    reach,
    untruncated_variation,
    user_variance,
)
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.foundations.claims.laplace_tails import exponent
from pan_proofs.foundations.ladders import positive_ladder
from pan_proofs.foundations.laplace_integrals import laplace_generating_function
from pan_proofs.ledger.claim import Claim, Part, Reference, Role
from pan_proofs.ledger.notation import alpha, delta_1, delta_2, epsilon, m, scale
from pan_proofs.ledger.steps import at_most, below_on_box, equal, found, lemma

x, h, n, q, w, big, s = sp.symbols("x h n q w L s", real=True)
kappa, t = sp.symbols("kappa t", positive=True)
half = sp.Rational(1, 2)


def claim(name, *steps):
    return Claim(
        f"false.{name}",
        name,
        (Reference("here", "false on purpose"),),
        name,
        (Part(Role.PUBLISHED, name, name, steps, no_formula="the steps are tested"),),
    )


def half_the_loss():
    ratio = density_ratio(updated + t, initial, updated, scale)
    return claim("half_loss", equal("half_loss", "", "", ratio, sp.exp(epsilon / 2)))


def loss_beyond_the_means():
    # The ratio is log-linear only between the means.
    ratio = sp.log(density_ratio(updated + t, initial, updated, scale))
    linear = (epsilon * scale + 2 * t) / scale
    return claim("beyond", equal("beyond", "", "", sp.expand_log(ratio, force=True), linear))


def joint_loss_kept():
    (k,) = kept_over_redrawn().free_symbols
    box = {k: (sp.Rational(0), sp.Integer(2))}
    step = below_on_box("kept", "", kept_over_redrawn(), sp.E, box, closest={k: sp.Integer(0)})
    return claim("kept", step)


def half_a_normal_tail():
    y = sp.Symbol("y", positive=True)
    box = {y: (sp.Rational(1, 50), sp.Integer(4))}
    step = below_on_box(
        "tail", "", 1 - sp.erf(y), sp.exp(-(y**2)) / 2, box, closest={y: sp.Rational(1, 50)}, weaker=sp.Rational(9, 10)
    )
    return claim("tail", step)


def gaussian_exponent_for_all_deviations():
    # The quadratic branch beyond its border: kappa up to 2 instead of 1.
    box = {kappa: (sp.Rational(1, 100), sp.Rational(199, 100))}
    step = below_on_box(
        "range", "", exponent(sp.Integer(2), kappa), -kappa, box, closest={kappa: sp.Rational(1, 100)}, weaker=2
    )
    return claim("range", step)


def twice_the_exponent():
    box = {kappa: (sp.Rational(1, 100), sp.Integer(1))}
    step = below_on_box(
        "exponent", "", exponent(sp.Integer(2), kappa), -2 * kappa, box, closest={kappa: sp.Rational(1, 100)}, weaker=2
    )
    return claim("exponent", step)


def geometric_series_too_far():
    inequality = Inequality(
        "geometric", 1 / (1 - x), 1 + 2 * x, (x >= 0, x <= sp.Rational(3, 4)), touching={x: sp.Integer(0)}
    )
    return claim("geometric", at_most("geometric", "", inequality))


def linear_branch_everywhere():
    inequality = Inequality(
        "linear", s**2 / (2 * w**2), big / (2 * w), (w > 0, s > 0, big > 0), touching={w: 1, s: 1, big: 1}
    )
    return claim("linear", at_most("linear", "", inequality))


def hyperbolic_moments():
    rate = sp.Symbol("lambda", real=True)
    return claim(
        "moments", equal("moments", "", "", laplace_generating_function(scale, rate), 1 / (1 + scale**2 * rate**2))
    )


def a_quarter_in_the_exponent():
    bound = 2 * sp.exp(-m * (epsilon * alpha * delta_1 * (1 - delta_2)) ** 2 / 4)
    return claim("quarter", equal("quarter", "", "", three_bounds()[1], bound))


def a_rising_exponent():
    return claim("rising", equal("rising", "", "", induced_pair()[0], sp.exp((boundary - initial) / scale) / 2))


def levels_without_their_probability():
    return claim("levels", equal("levels", "", "", regions()[0].moment / 2, initial - scale * sp.exp(-epsilon / 2)))


def quantised_as_good_as_optimal():
    inequality = Inequality("optimal", (2 * h - 1) * (h + 1) ** 2, 4 * h**2, (h > 1,), touching={h: 1})
    return claim("optimal", at_most("optimal", "", inequality))


def closer_for_any_means():
    # Without eta <= L, that is with the means outside the interval, the formula says nothing.
    inequality = Inequality(
        "closer",
        (n - (big + 1) * w * s) / (1 - w * h),
        n,
        (n > 0, big > 0, w > 0, w * h < 1, s > 0, h > 0, n * h < (1 + n) * s),
        strict=True,
        touching={n: 1, big: 1, w: 0, s: 2, h: 3},
    )
    return claim("closer", at_most("closer", "", inequality))


def truncation_never_helps():
    at = {eta: (sp.Rational(1, 20), sp.Rational(1, 20)), reach: (half, sp.Integer(1))}
    step = below_on_box(
        "never", "", 1 / (2 * eta**2), user_variance(), at, closest={eta: sp.Rational(1, 20), reach: half}
    )
    return claim("never", step)


def variation_of_the_whole_budget():
    return claim("variation", equal("variation", "", "", untruncated_variation(), 1 - sp.exp(-2 * eta)))


def flat_moment_is_a_third():
    difference = sp.Rational(1, 3) - uniform_second_moment()
    box = {half_budget: (sp.Rational(1, 10), sp.Integer(1))}
    return claim(
        "third",
        found(
            "third_limit",
            "",
            "true in the limit",
            lambda: sp.limit(difference, half_budget, 0, "+"),
            sp.S.Zero,
            engine="sympy",
        ),
        below_on_box(
            "third",
            "",
            uniform_second_moment(),
            sp.Rational(1, 3),
            box,
            closest={half_budget: sp.Rational(1, 10)},
        ),
    )


def a_ladder_with_a_missing_rung():
    obligations = positive_ladder("missing", t, (t - sp.sinh(t), sp.cosh(t)), (sp.Integer(1),))
    return claim("missing", lemma("missing", "", obligations, ()))


FALSE = {
    "half the loss of the state": ("wrong constant", half_the_loss),
    "a log-linear ratio beyond the means": ("wrong range", loss_beyond_the_means),
    "the joint loss is kept": ("missing hypothesis", joint_loss_kept),
    "half the normal tail": ("wrong constant", half_a_normal_tail),
    "the quadratic branch beyond its border": ("wrong range", gaussian_exponent_for_all_deviations),
    "twice the exponent of the sum's tail": ("wrong constant", twice_the_exponent),
    "the geometric series up to three quarters": ("wrong range", geometric_series_too_far),
    "the linear branch for every deviation": ("missing hypothesis", linear_branch_everywhere),
    "moments of the wrong sign": ("wrong sign", hyperbolic_moments),
    "a quarter in the exponent of p_2": ("wrong constant", a_quarter_in_the_exponent),
    "an exponent that rises": ("wrong sign", a_rising_exponent),
    "levels without their probability": ("wrong constant", levels_without_their_probability),
    "quantised bits as good as optimal ones": ("correct only in the limit", quantised_as_good_as_optimal),
    "closer means wherever they lie": ("missing hypothesis", closer_for_any_means),
    "truncation never helps": ("wrong sign", truncation_never_helps),
    "total variation of the whole budget": ("wrong constant", variation_of_the_whole_budget),
    "the flat second moment is a third": ("correct only in the limit", flat_moment_is_a_third),
    "a ladder with a wrong rung": ("wrong sign", a_ladder_with_a_missing_rung),
}
