(* The noise of a calibrated release in closed form: a promise is kept if and only if both rates are at least these.
   Claim: calibrated.joint_privacy. *)
From Coq Require Import Reals Psatz Lra.
From Pan Require Import Semantics OneCell JointLoss Streams Attained.
Open Scope R_scope.

Section Closed.
Variables p0 p1 c0 : R.
Hypothesis P : 0 < p0 /\ p0 < p1 /\ p1 < 1.
Let A := p1 / p0.
Let B := (1 - p0) / (1 - p1).
Hypothesis large : A < c0 /\ B < c0.
Definition least_up := Rmax (p1 / (c0 / B - (1 - p1))) ((A / c0 - p1) / (1 - p1)).
Definition least_down := Rmax ((1 - p1) / (c0 / A - p1)) ((B / c0 - (1 - p1)) / p1).
Lemma ratios_above : 1 < A /\ 1 < B.
Proof. unfold A, B. split; apply Rmult_lt_reg_r with (p0 * (1 - p1)); try nra; [replace (p1 / p0 * (p0 * (1 - p1))) with (p1 * (1 - p1)) by (field; lra)|replace ((1 - p0) / (1 - p1) * (p0 * (1 - p1))) with ((1 - p0) * p0) by (field; lra)]; nra. Qed.
Lemma max_le : forall a b c, Rmax a b <= c <-> a <= c /\ b <= c.
Proof. intros. split; [intros H; split; apply Rle_trans with (Rmax a b); auto using Rmax_l, Rmax_r|intros [H1 H2]; now apply Rmax_lub]. Qed.
Lemma inverse : forall k d q t, 0 < k -> 0 < t -> 0 < d -> 0 < q -> k < d -> 0 < d / k - (1 - q) -> (k * (1 - q + q / t) <= d <-> q / (d / k - (1 - q)) <= t).
Proof.
  intros k d q t K T D Q L X. set (z := d / k - (1 - q)) in *. assert (E : d = k * (z + (1 - q))) by (unfold z; field; lra).
  rewrite E. split; intros H.
  - apply Rmult_le_reg_l in H; auto. assert (q / t <= z) by lra. apply Rmult_le_reg_r with (z / t); [now apply Rdiv_lt_0_compat|].
    replace (q / z * (z / t)) with (q / t) by (field; lra). replace (t * (z / t)) with z by (field; lra). auto.
  - apply Rmult_le_compat_l; [lra|]. apply (Rmult_le_compat_r (z / t)) in H; [|left; now apply Rdiv_lt_0_compat].
    replace (q / z * (z / t)) with (q / t) in H by (field; lra). replace (t * (z / t)) with z in H by (field; lra). lra.
Qed.
Lemma direct : forall k d q t, 0 < d -> 0 < q -> (k <= d * (1 - q + q * t) <-> (k / d - (1 - q)) / q <= t).
Proof.
  intros k d q t D Q. assert (E : t = (d * (1 - q + q * t) / d - (1 - q)) / q) by (field; lra). split; intros H.
  - rewrite E. unfold Rdiv. repeat (apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]; try (apply Rplus_le_compat_r)). exact H.
  - apply (Rmult_le_compat_r (q * d)) in H; [|left; now apply Rmult_lt_0_compat]. replace ((k / d - (1 - q)) / q * (q * d)) with (k - (1 - q) * d) in H by (field; lra). nra.
Qed.
(** claim: calibrated.joint_privacy *)
Theorem least_noise : forall up down, 0 < up <= 1 -> 0 < down <= 1 ->
  (promise false p0 p1 c0 (geometric up down) <-> least_up <= up /\ least_down <= down).
Proof.
  intros up down U D. destruct ratios_above as [A1 B1]. rewrite (geometric_promise false p0 p1 c0 up down P U D). cbv zeta. fold A B.
  unfold least_up, least_down. rewrite !max_le.
  assert (X : 1 < c0 / B) by (apply Rmult_lt_reg_r with B; [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra).
  assert (Y : 1 < c0 / A) by (apply Rmult_lt_reg_r with A; [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra).
  assert (I1 := inverse B c0 p1 up ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  assert (I2 := inverse A c0 (1 - p1) down ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  assert (D1 := direct B c0 p1 down ltac:(lra) ltac:(lra)). assert (D2 := direct A c0 (1 - p1) up ltac:(lra) ltac:(lra)).
  replace (1 - (1 - p1)) with p1 in I2, D2 by ring. tauto.
Qed.
End Closed.
(* The symmetric pair with the odds x, and one rate for both sides: the claim's exp(- eta). *)
(** claim: calibrated.joint_privacy *)
Theorem least_noise_symmetric : forall x c0 t, 1 < x < c0 -> 0 < t <= 1 ->
  (promise false (1 / (1 + x)) (x / (1 + x)) c0 (geometric t t) <-> / (c0 / x + c0 / (x * x) - / x) <= t).
Proof.
  intros x c0 t [X C] T. assert (P : 0 < 1 / (1 + x) /\ 1 / (1 + x) < x / (1 + x) /\ x / (1 + x) < 1).
  { assert (I : 0 < / (1 + x)) by (apply Rinv_0_lt_compat; lra). assert (E : (1 + x) * / (1 + x) = 1) by (apply Rinv_r; lra). unfold Rdiv. repeat split; nra. }
  assert (L : x / (1 + x) / (1 / (1 + x)) < c0 /\ (1 - 1 / (1 + x)) / (1 - x / (1 + x)) < c0).
  { replace (x / (1 + x) / (1 / (1 + x))) with x by (field; lra). replace ((1 - 1 / (1 + x)) / (1 - x / (1 + x))) with x by (field; lra). lra. }
  rewrite (least_noise _ _ c0 P L t t T T). unfold least_up, least_down. rewrite !max_le.
  set (e := c0 - x). assert (E : 0 < e) by (unfold e; lra). replace c0 with (x + e) in * by (unfold e; ring). clearbody e. clear L C P.
  set (z := x * x + e * (1 + x)). assert (Z : 0 < z) by (unfold z; nra).
  replace (/ ((x + e) / x + (x + e) / (x * x) - / x)) with (x * x / z) by (unfold z; field; repeat split; try lra; unfold z in Z; nra).
  replace (x / (1 + x) / ((x + e) / ((1 - 1 / (1 + x)) / (1 - x / (1 + x))) - (1 - x / (1 + x)))) with (x * x / z) by (unfold z; field; repeat split; try lra; unfold z in Z; nra).
  replace ((x / (1 + x) / (1 / (1 + x)) / (x + e) - x / (1 + x)) / (1 - x / (1 + x))) with (x * (1 - e) / (x + e)) by (field; lra).
  replace ((1 - x / (1 + x)) / ((x + e) / (x / (1 + x) / (1 / (1 + x))) - x / (1 + x))) with (x / (x + e * (1 + x))) by (field; repeat split; try lra; nra).
  replace (((1 - 1 / (1 + x)) / (1 - x / (1 + x)) / (x + e) - (1 - x / (1 + x))) / (x / (1 + x))) with ((x * x - e) / ((x + e) * x)) by (field; lra).
  assert (below : forall a d, 0 < d -> a * z <= x * x * d -> a / d <= x * x / z).
  { intros a d D H. apply Rmult_le_reg_r with (d * z); [nra|]. replace (a / d * (d * z)) with (a * z) by (field; lra). replace (x * x / z * (d * z)) with (x * x * d) by (field; lra). exact H. }
  assert (F : 0 < e * (x - 1)) by (apply Rmult_lt_0_compat; lra). assert (F2 : 0 < e * e) by (apply Rmult_lt_0_compat; lra).
  assert (G1 := below (x * (1 - e)) (x + e) ltac:(lra)). assert (G2 := below x (x + e * (1 + x)) ltac:(nra)). assert (G3 := below (x * x - e) ((x + e) * x) ltac:(nra)).
  assert (H1 : x * (1 - e) * z <= x * x * (x + e)).
  { assert (Q : 0 <= x * ((1 + x) * (e * (x - 1) + e * e))) by (repeat apply Rmult_le_pos; lra).
    replace (x * x * (x + e)) with (x * (1 - e) * z + x * ((1 + x) * (e * (x - 1) + e * e))) by (unfold z; ring). lra. }
  assert (H2 : x * z <= x * x * (x + e * (1 + x))).
  { assert (Q : 0 <= x * ((1 + x) * (e * (x - 1)))) by (repeat apply Rmult_le_pos; lra).
    replace (x * x * (x + e * (1 + x))) with (x * z + x * ((1 + x) * (e * (x - 1)))) by (unfold z; ring). lra. }
  assert (H3 : (x * x - e) * z <= x * x * ((x + e) * x)).
  { assert (Q : 0 <= e * e * (1 + x)) by (apply Rmult_le_pos; lra).
    replace (x * x * ((x + e) * x)) with ((x * x - e) * z + e * e * (1 + x)) by (unfold z; ring). lra. }
  specialize (G1 H1). specialize (G2 H2). specialize (G3 H3). split; [tauto|]. intros H. repeat split; lra.
Qed.
(* eps1 = log 2 and the factor 3: the rate is 4/7, and 1/2 is too little *)
(** instance: least_noise_symmetric *)
Example rate_at_two : / (3 / 2 + 3 / (2 * 2) - / 2) = 4 / 7.
Proof. field. Qed.
(** mutant: least_noise_symmetric, least_noise *)
Example less_is_too_little : ~ promise false (1 / (1 + 2)) (2 / (1 + 2)) 3 (geometric (1 / 2) (1 / 2)).
Proof. intros H. apply least_noise_symmetric in H; lra. Qed.
