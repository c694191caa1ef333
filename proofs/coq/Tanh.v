(* Among all pairs of probabilities that keep eps, x = exp eps, the pair 1/(1+x), x/(1+x) alone has the largest gap, and
   alone has the least variance, at every density. Claims: density.tanh_optimality, density.bernoulli_family,
   cell.variance_floor, pan_private.count_lower_bound. *)
From Coq Require Import Reals Psatz Lra List.
Import ListNotations.
Open Scope R_scope.

(* both outcomes, in both orders *)
Definition private (x p q : R) := 0 <= p <= 1 /\ 0 <= q <= 1 /\ q <= x * p /\ p <= x * q /\ 1 - q <= x * (1 - p) /\ 1 - p <= x * (1 - q).
Definition low (x : R) := 1 / (1 + x). Definition high (x : R) := x / (1 + x).

Section Pairs.
Variable x : R.
Hypothesis X : 1 < x.
(** claim: density.tanh_optimality *)
Theorem tanh_pair_private : private x (low x) (high x) /\ private x (high x) (low x).
Proof.
  unfold private, low, high. assert (I : 0 < / (1 + x)) by (apply Rinv_0_lt_compat; lra). assert (E : (1 + x) * / (1 + x) = 1) by (apply Rinv_r; lra).
  unfold Rdiv. set (i := / (1 + x)) in *. repeat split; nra.
Qed.
(** claim: density.tanh_optimality *)
Theorem largest_gap : forall p q, private x p q -> Rabs (q - p) <= (x - 1) / (x + 1).
Proof.
  intros p q [P [Q [A [B [C D]]]]]. assert (I : 0 < x + 1) by lra.
  apply Rmult_le_reg_r with (x + 1); auto. replace ((x - 1) / (x + 1) * (x + 1)) with (x - 1) by (field; lra).
  unfold Rabs. destruct (Rcase_abs (q - p)); nra.
Qed.
(** claim: density.tanh_optimality *)
Theorem largest_gap_unique : forall p q, private x p q -> q - p = (x - 1) / (x + 1) -> p = low x /\ q = high x.
Proof.
  intros p q [P [Q [A [B [C D]]]]] E. assert (M : (q - p) * (x + 1) = x - 1) by (rewrite E; field; lra).
  assert (q = x * p) by nra. assert (1 - p = x * (1 - q)) by nra. unfold low, high.
  assert (p * (1 + x) = 1) by nra. split; apply Rmult_eq_reg_r with (1 + x); try lra; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; nra.
Qed.
(** claim: density.tanh_optimality *)
Theorem mirrored_gap_unique : forall p q, private x p q -> p - q = (x - 1) / (x + 1) -> p = high x /\ q = low x.
Proof. intros p q H E. destruct (largest_gap_unique q p) as [A B]; auto. unfold private in *. tauto. Qed.

(* the variance of the density's estimate, times m, with the share d of the users present *)
Definition variance (p q d : R) := (d * (q * (1 - q)) + (1 - d) * (p * (1 - p))) / ((q - p) * (q - p)).
Lemma spread : forall p q, private x p q -> x * ((q - p) * (q - p)) <= p * (1 - p) * ((x - 1) * (x - 1)).
Proof.
  intros p q [P [Q [A [B [C D]]]]].
  (* p (1 - p) (x - 1)^2 - x (q - p)^2 = (1 - p) (x p - q) (x q - p) + p (x (1 - q) - (1 - p)) (x (1 - p) - (1 - q)) *)
  assert (0 <= (1 - p) * ((x * p - q) * (x * q - p))) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
  assert (0 <= p * ((x * (1 - q) - (1 - p)) * (x * (1 - p) - (1 - q)))) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
  replace (p * (1 - p) * ((x - 1) * (x - 1))) with (x * ((q - p) * (q - p)) + (1 - p) * ((x * p - q) * (x * q - p)) +
    p * ((x * (1 - q) - (1 - p)) * (x * (1 - p) - (1 - q)))) by ring. lra.
Qed.
Lemma swap : forall p q, private x p q -> private x q p. Proof. unfold private; tauto. Qed.
(** claim: density.tanh_optimality *)
Theorem least_variance : forall p q d, private x p q -> p <> q -> 0 <= d <= 1 -> x / ((x - 1) * (x - 1)) <= variance p q d.
Proof.
  intros p q d H N D. assert (A := spread p q H). assert (B := spread q p (swap p q H)).
  assert (G : 0 < (q - p) * (q - p)) by (apply Rsqr_pos_lt; lra). assert (Y : 0 < (x - 1) * (x - 1)) by nra.
  unfold variance. apply Rmult_le_reg_r with ((x - 1) * (x - 1) * ((q - p) * (q - p))); [nra|].
  replace (x / ((x - 1) * (x - 1)) * ((x - 1) * (x - 1) * ((q - p) * (q - p)))) with (x * ((q - p) * (q - p))) by (field; lra).
  replace ((d * (q * (1 - q)) + (1 - d) * (p * (1 - p))) / ((q - p) * (q - p)) * ((x - 1) * (x - 1) * ((q - p) * (q - p))))
    with (d * (q * (1 - q) * ((x - 1) * (x - 1))) + (1 - d) * (p * (1 - p) * ((x - 1) * (x - 1)))) by (field; lra).
  replace ((p - q) * (p - q)) with ((q - p) * (q - p)) in B by ring. nra.
Qed.
(** claim: density.tanh_optimality *)
Theorem tanh_variance : forall d, variance (low x) (high x) d = x / ((x - 1) * (x - 1)).
Proof. intros. unfold variance, low, high. field. split; [lra|]. replace (x - 1) with (x - 1) by ring. lra. Qed.
Lemma spread_equal : forall p q, private x p q -> p < q -> x * ((q - p) * (q - p)) = p * (1 - p) * ((x - 1) * (x - 1)) -> p = low x /\ q = high x.
Proof.
  intros p q H L E. assert (H' := H). destruct H' as [P [Q [A [B [C D]]]]].
  assert (Z1 : 0 <= (1 - p) * ((x * p - q) * (x * q - p))) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
  assert (Z2 : 0 <= p * ((x * (1 - q) - (1 - p)) * (x * (1 - p) - (1 - q)))) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
  assert (S : (1 - p) * ((x * p - q) * (x * q - p)) + p * ((x * (1 - q) - (1 - p)) * (x * (1 - p) - (1 - q))) = 0) by nra.
  assert (Y1 : (1 - p) * ((x * p - q) * (x * q - p)) = 0) by lra. assert (Y2 : p * ((x * (1 - q) - (1 - p)) * (x * (1 - p) - (1 - q))) = 0) by lra.
  assert (xq : 0 < x * q - p) by nra. assert (xp : 0 < x * (1 - p) - (1 - q)) by nra.
  assert (p0 : 0 < p) by (destruct (Req_dec p 0); [subst; nra|lra]).
  assert (E1 : x * p = q) by (apply Rmult_integral in Y1 as [Y1|Y1]; [nra|apply Rmult_integral in Y1 as [Y1|Y1]; lra]).
  assert (E2 : x * (1 - q) = 1 - p) by (apply Rmult_integral in Y2 as [Y2|Y2]; [lra|apply Rmult_integral in Y2 as [Y2|Y2]; lra]).
  apply largest_gap_unique; auto. apply Rmult_eq_reg_r with (x + 1); [|lra]. replace ((x - 1) / (x + 1) * (x + 1)) with (x - 1) by (field; lra). nra.
Qed.
(* the least variance at one density is enough *)
(** claim: density.tanh_optimality *)
Theorem least_variance_unique : forall p q d, private x p q -> p < q -> 0 <= d <= 1 -> variance p q d = x / ((x - 1) * (x - 1)) ->
  p = low x /\ q = high x.
Proof.
  intros p q d H L D E. assert (A := spread p q H). assert (B := spread q p (swap p q H)).
  assert (G : 0 < (q - p) * (q - p)) by (apply Rmult_lt_0_compat; lra). assert (Y : 0 < (x - 1) * (x - 1)) by nra.
  replace ((p - q) * (p - q)) with ((q - p) * (q - p)) in B by ring.
  assert (S : d * (q * (1 - q) * ((x - 1) * (x - 1))) + (1 - d) * (p * (1 - p) * ((x - 1) * (x - 1))) = x * ((q - p) * (q - p))).
  { unfold variance in E. apply (f_equal (fun z => z * ((x - 1) * (x - 1) * ((q - p) * (q - p))))) in E.
    replace (x / ((x - 1) * (x - 1)) * ((x - 1) * (x - 1) * ((q - p) * (q - p)))) with (x * ((q - p) * (q - p))) in E by (field; lra).
    rewrite <- E. field. lra. }
  destruct (Req_dec d 1) as [->|N].
  - assert (E1 : x * ((q - p) * (q - p)) = q * (1 - q) * ((x - 1) * (x - 1))) by lra.
    (* the same for the pair (1 - q, 1 - p) *)
    assert (H1 : private x (1 - q) (1 - p)) by (unfold private in *; repeat split; lra).
    destruct (spread_equal (1 - q) (1 - p) H1) as [F1 F2]; [lra| |].
    + replace ((1 - p - (1 - q)) * (1 - p - (1 - q))) with ((q - p) * (q - p)) by ring. rewrite E1. ring.
    + unfold low, high in *. assert (1 / (1 + x) + x / (1 + x) = 1) by (field; lra). split; lra.
  - apply spread_equal; auto. assert (0 < 1 - d) by lra. nra.
Qed.
(* the family c (1 -+ t) of section 4.2 keeps eps if and only if c <= 1/2 *)
(** claim: density.bernoulli_family *)
Theorem centre : forall c, let t := (x - 1) / (x + 1) in 0 < c * (1 + t) < 1 -> (private x (c * (1 - t)) (c * (1 + t)) <-> c <= 1 / 2).
Proof.
  intros c t C. assert (T : t * (x + 1) = x - 1) by (unfold t; field; lra). assert (t0 : 0 < t < 1) by (split; nra).
  assert (c0 : 0 < c) by nra. split.
  - intros [_ [_ [_ [_ [_ D]]]]]. nra.
  - intros L. unfold private. assert (x * (1 - t) = 1 + t) by nra. repeat split; nra.
Qed.
End Pairs.
