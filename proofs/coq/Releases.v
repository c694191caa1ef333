(* Several releases, with one intrusion at any time among them, deletions, shared cells and levels; the symmetric pair.
   A run is compared with the run that never draws the cell again: a draw closes a block of releases that show one bit.
   Claims: calibrated.continual_output, distinct.releases, calibrated.insert_delete. *)
From Coq Require Import Reals Psatz Lra List Bool ZArith Lia.
From Pan Require Import Semantics OneCell JointLoss Streams Attained.
Import ListNotations.
Open Scope R_scope.

Definition is_sight (k : kind) := match k with Sight => true | _ => false end.
Definition is_noise (k : kind) := match k with Noise => true | _ => false end.
Definition count (q : kind -> bool) (ks : list kind) := length (filter q ks).

Section Symmetric.
Variables p r : R.
Hypothesis P : 1 / 2 <= p < 1.
Hypothesis G : 1 <= r.
Let q := 1 - p.
Definition between (d : R) := q <= d <= p.
Let noise := bounded (/ r) r.

Lemma merge : forall a b, 1 <= a -> 1 <= b -> (q + p * a) * (q + p * b) <= q + p * (a * b).
Proof. intros. assert (0 <= p * q * ((a - 1) * (b - 1))) by (apply Rmult_le_pos; [unfold q; nra|nra]). unfold q in *. nra. Qed.
Lemma noise_ratio : forall w b, noise w -> exists z, 0 <= w b /\ w (negb b) = z * w b /\ / r <= z <= r.
Proof.
  intros w b [W1 [W0 [L H]]]. assert (I : 0 < / r <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
  assert (rr : r * / r = 1) by (apply Rinv_r; lra).
  assert (H' : w false <= r * w true) by nra.
  destruct (Req_dec (w b) 0) as [Z|Z].
  - exists 1. split; [destruct b; auto|]. split; [destruct b; cbn in *; nra|lra].
  - exists (w (negb b) / w b). split; [destruct b; auto|]. split; [field; auto|].
    assert (0 < w b) by (destruct b; lra). unfold Rdiv.
    split; apply Rmult_le_reg_r with (w b); auto; rewrite Rmult_assoc, Rinv_l by lra; destruct b; cbn in *; nra.
Qed.

(* [inv a x u v]: the run has the density x (relative to that without draws), and a x if the bit starts as the other one;
   u bounds what the other bit can gain, v what it can lose. *)
Definition inv (a x u v : R) := 0 < a /\ 0 < x /\ exists A Y A' Y', 1 <= A /\ 1 <= Y /\ 1 <= A' /\ 1 <= Y' /\
  a <= A /\ x <= q + p * Y /\ A * Y <= u /\ 1 <= a * A' /\ 1 <= x * (q + p * Y') /\ A' * Y' <= v.
Lemma inv_start : inv 1 1 1 1.
Proof. unfold inv. split; [lra|]. split; [lra|]. exists 1, 1, 1, 1. unfold q. repeat split; lra. Qed.
Lemma inv_more : forall a x u v u' v', inv a x u v -> u <= u' -> v <= v' -> inv a x u' v'.
Proof. intros a x u v u' v' [A0 [X0 [A [Y [A' [Y' [? [? [? [? [? [? [? [? [? ?]]]]]]]]]]]]]]] U V. split; auto. split; auto. exists A, Y, A', Y'. repeat split; auto; lra. Qed.
Lemma block : forall t a A A', q <= t <= p -> 1 <= A -> 1 <= A' -> 0 < a -> a <= A -> 1 <= a * A' ->
  0 < 1 - t + t * a /\ 1 - t + t * a <= q + p * A /\ 1 <= (1 - t + t * a) * (q + p * A').
Proof.
  intros t a A A' T HA HA' Pa Ha Ha'. unfold q in *. split; [nra|]. split.
  - assert (t * a <= t * A) by (apply Rmult_le_compat_l; lra). assert (t * (A - 1) <= p * (A - 1)) by (apply Rmult_le_compat_r; lra). lra.
  - assert (I : 0 < / A' <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
    assert (aa : A' * / A' = 1) by (apply Rinv_r; lra).
    assert (/ A' <= a) by (apply Rmult_le_reg_r with A'; [lra|]; rewrite (Rmult_comm (/ A')), aa; lra).
    assert (L : 1 - p + p * / A' <= 1 - t + t * a).
    { assert (t * / A' <= t * a) by (apply Rmult_le_compat_l; lra). assert (t * (1 - / A') <= p * (1 - / A')) by (apply Rmult_le_compat_r; lra). lra. }
    assert (M : 1 <= (1 - p + p * / A') * (1 - p + p * A')).
    { replace ((1 - p + p * / A') * (1 - p + p * A')) with (1 + p * (1 - p) * (A' + / A' - 2) + p * p * (A' * / A' - 1)) by ring. rewrite aa.
      assert (0 <= A' + / A' - 2).
      { replace (A' + / A' - 2) with ((A' - 1) * (A' - 1) * / A') by (field; lra). apply Rmult_le_pos; [nra|lra]. }
      assert (0 <= p * (1 - p) * (A' + / A' - 2)) by (apply Rmult_le_pos; nra). lra. }
    assert (0 < 1 - p + p * A') by nra. nra.
Qed.
Lemma inv_draw : forall t a x u v, q <= t <= p -> inv a x u v -> inv 1 ((1 - t + t * a) * x) u v.
Proof.
  intros t a x u v T [A0 [X0 [A [Y [A' [Y' [HA [HY [HA' [HY' [Ha [Hx [Hu [Ha' [Hx' Hv]]]]]]]]]]]]]]].
  destruct (block t a A A' T HA HA' A0 Ha Ha') as [B0 [B1 B2]].
  split; [lra|]. split; [nra|]. exists 1, (A * Y), 1, (A' * Y').
  assert (M := merge A Y HA HY). assert (M' := merge A' Y' HA' HY').
  assert (one : forall c d, 1 <= c -> 1 <= d -> 1 <= c * d) by (intros; nra).
  assert (D : 0 < q + p * Y') by (unfold q; nra).
  assert (HA2 := one A Y HA HY). assert (HA2' := one A' Y' HA' HY').
  assert (Up : (1 - t + t * a) * x <= q + p * (A * Y)).
  { apply Rle_trans with ((q + p * A) * (q + p * Y)); auto. apply Rmult_le_compat; lra. }
  assert (Dn : 1 <= (1 - t + t * a) * x * (q + p * (A' * Y'))).
  { apply Rle_trans with ((1 - t + t * a) * x * ((q + p * A') * (q + p * Y'))).
    - replace ((1 - t + t * a) * x * ((q + p * A') * (q + p * Y'))) with ((1 - t + t * a) * (q + p * A') * (x * (q + p * Y'))) by ring.
      now apply one.
    - apply Rmult_le_compat_l; [nra|auto]. }
  repeat split; auto; lra.
Qed.
Lemma inv_noise : forall z a x u v, 0 < z -> inv a x u v -> inv (a * z) x (u * Rmax 1 z) (v * Rmax 1 (/ z)).
Proof.
  intros z a x u v Z [A0 [X0 [A [Y [A' [Y' [HA [HY [HA' [HY' [Ha [Hx [Hu [Ha' [Hx' Hv]]]]]]]]]]]]]]].
  assert (Z1 := Rmax_l 1 z). assert (Z2 := Rmax_r 1 z). assert (Z3 := Rmax_l 1 (/ z)). assert (Z4 := Rmax_r 1 (/ z)).
  set (m := Rmax 1 z) in *. set (m' := Rmax 1 (/ z)) in *.
  assert (zz : z * / z = 1) by (apply Rinv_r; lra). assert (0 < / z) by now apply Rinv_0_lt_compat.
  assert (one : forall c d, 1 <= c -> 1 <= d -> 1 <= c * d) by (intros; nra).
  assert (B1 : a * z <= A * m) by (apply Rmult_le_compat; lra).
  assert (B2 : A * m * Y <= u * m) by (replace (A * m * Y) with (A * Y * m) by ring; apply Rmult_le_compat_r; lra).
  assert (B3 : 1 <= a * z * (A' * m')).
  { replace (a * z * (A' * m')) with (a * A' * (z * m')) by ring. apply one; auto. rewrite <- zz. apply Rmult_le_compat_l; lra. }
  assert (B4 : A' * m' * Y' <= v * m') by (replace (A' * m' * Y') with (A' * Y' * m') by ring; apply Rmult_le_compat_r; lra).
  split; [apply Rmult_lt_0_compat; auto|]. split; auto. exists (A * m), Y, (A' * m'), Y'. repeat split; auto.
Qed.
Lemma gain_loss : forall z, / r <= z <= r -> 1 <= Rmax 1 z /\ 1 <= Rmax 1 (/ z) /\ Rmax 1 z * Rmax 1 (/ z) <= r.
Proof.
  intros z [L H]. assert (I : 0 < / r) by (apply Rinv_0_lt_compat; lra). assert (Z : 0 < z) by lra.
  split; [apply Rmax_l|]. split; [apply Rmax_l|]. assert (zz : z * / z = 1) by (apply Rinv_r; lra).
  assert (0 < / z) by now apply Rinv_0_lt_compat.
  assert (/ z <= r). { apply Rmult_le_reg_l with (/ r); auto. rewrite (Rinv_l r) by lra. rewrite <- zz. apply Rmult_le_compat_r; lra. }
  unfold Rmax. destruct (Rle_dec 1 z), (Rle_dec 1 (/ z)); try lra; nra.
Qed.

(* the runs of the cell after the intrusion, for a reference bit b *)
Definition form (b : bool) (l : list act) (W u v : R) := exists a x, inv a x u v /\ run1 l b = x * W /\ run1 l (negb b) = a * x * W.
Definition limits (W u v : R) (n : nat) := 0 <= W /\ 1 <= u /\ 1 <= v /\ u * v <= r ^ n.
Lemma limits_noise : forall W u v n w z, limits W u v n -> 0 <= w -> / r <= z <= r ->
  limits (w * W) (u * Rmax 1 z) (v * Rmax 1 (/ z)) (S n).
Proof.
  intros W u v n w z [W0 [U [V L]]] H Z. destruct (gain_loss z Z) as [M [M' MM]].
  set (m := Rmax 1 z) in *. set (m' := Rmax 1 (/ z)) in *. unfold limits. cbn [pow]. repeat split; try nra.
  replace (u * m * (v * m')) with (m * m' * (u * v)) by ring. apply Rmult_le_compat; nra.
Qed.
Definition prob_other (b : bool) (d : R) := if b then 1 - d else d.
Lemma other_between : forall b d, between d -> q <= prob_other b d <= p.
Proof. intros b d D. unfold between, prob_other, q in *. destruct b; lra. Qed.
Lemma draw_run : forall b d l c, run1 (draw d :: l) c = (1 - prob_other b d) * run1 l b + prob_other b d * run1 l (negb b).
Proof. intros [] d l c; cbn; ring. Qed.
Lemma form_draw : forall b d l W u v, between d -> form b l W u v -> form b (draw d :: l) W u v.
Proof.
  intros b d l W u v D [a [x [I [E E']]]]. assert (T := other_between b d D). exists 1, ((1 - prob_other b d + prob_other b d * a) * x).
  split; [now apply inv_draw|]. rewrite !(draw_run b d), E, E'. split; ring.
Qed.
Lemma after_look : forall b k ks, Forall2 (kind1 noise) k ks -> count is_sight ks = O -> exists W u v,
  limits W u v (count is_noise ks) /\ forall l, seen_only l = k -> draws1 between l -> form b l W u v.
Proof.
  intros b k ks F. induction F as [|x k' k ks H F IH]; intros S.
  - exists 1, 1, 1. split; [unfold limits; cbn; repeat split; lra|].
    induction l as [|[d|d|w] l I]; intros E D; cbn in E; try discriminate.
    + exists 1, 1. split; [apply inv_start|]. cbn. split; ring.
    + inversion D; subst. apply form_draw; auto.
  - destruct k'; try discriminate S; destruct x as [d|d|w]; cbn in H; try contradiction; destruct (IH S) as [W [u [v [L V]]]].
    + destruct H as [W1 W0]. exists (w false * W), u, v. split; [destruct L as [? [? [? ?]]]; unfold limits; cbn; repeat split; auto; nra|].
      induction l as [|[d|d|w'] l I]; intros E D; cbn in E; try discriminate; inversion D; subst; [now apply form_draw; auto|].
      injection E as -> E. destruct (V l E H2) as [a [x [J [E1 E2]]]]. exists a, x. split; auto.
      cbn [run1]. rewrite E1, E2. destruct b; cbn [negb]; rewrite ?W1; split; ring.
    + destruct (noise_ratio w b H) as [z [W0 [Wz Z]]]. exists (w b * W), (u * Rmax 1 z), (v * Rmax 1 (/ z)).
      split; [now apply limits_noise|]. assert (Zp : 0 < z) by (assert (0 < / r) by (apply Rinv_0_lt_compat; lra); lra).
      induction l as [|[d|d|w'] l I]; intros E D; cbn in E; try discriminate; inversion D; subst; [now apply form_draw; auto|].
      injection E as -> E. destruct (V l E H3) as [a [x [J [E1 E2]]]]. exists (a * z), x. split; [now apply inv_noise|].
      cbn [run1]. rewrite E1, E2, Wz. split; ring.
Qed.
(* with the intrusion still to come: the block of the seen bit is open until a draw, whose probability is s *)
Definition closed (b : bool) (l : list act) (W u v : R) :=
  exists s a x, q <= s <= p /\ inv a x u v /\ run1 l b = s * x * W /\ run1 l (negb b) = a * (s * x) * W.
Definition whole (b : bool) (l : list act) (W u v : R) :=
  (exists x, inv 1 x u v /\ run1 l b = x * W /\ run1 l (negb b) = 0) \/ closed b l W u v.
Lemma closed_draw : forall b d l W u v, between d -> whole b l W u v -> closed b (draw d :: l) W u v.
Proof.
  intros b d l W u v D [[x [I [E E']]]|[s [a [x [S [I [E E']]]]]]]; assert (T := other_between b d D).
  - exists (1 - prob_other b d), 1, x. split; [unfold q in *; lra|]. split; auto. rewrite !(draw_run b d), E, E'. split; ring.
  - exists s, 1, ((1 - prob_other b d + prob_other b d * a) * x). split; auto. split; [now apply inv_draw|].
    rewrite !(draw_run b d), E, E'. split; ring.
Qed.
Lemma whole_draw : forall b d l W u v, between d -> whole b l W u v -> whole b (draw d :: l) W u v.
Proof. intros. right. now apply closed_draw. Qed.
Lemma with_look : forall k ks, Forall2 (kind1 noise) k ks -> count is_sight ks = 1%nat -> exists b W u v,
  limits W u v (count is_noise ks) /\ forall l, seen_only l = k -> draws1 between l -> whole b l W u v.
Proof.
  intros k ks F. induction F as [|x k' k ks H F IH]; intros S; [discriminate|].
  destruct k'; destruct x as [d|d|w]; cbn in H; try contradiction.
  - destruct (IH S) as [b [W [u [v [L V]]]]]. destruct H as [W1 W0]. exists b, (w false * W), u, v.
    split; [destruct L as [? [? [? ?]]]; unfold limits; cbn; repeat split; auto; nra|].
    induction l as [|[d|d|w'] l I]; intros E D; cbn in E; try discriminate; inversion D; subst; [now apply whole_draw; auto|].
    injection E as -> E. destruct (V l E H2) as [[x [J [E1 E2]]]|[s [a [x [Q [J [E1 E2]]]]]]]; [left; exists x|right; exists s, a, x];
      repeat (split; auto); cbn [run1]; rewrite ?E1, ?E2; destruct b; cbn [negb]; rewrite ?W1; ring.
  - destruct H as [b [W0 W1]]. assert (S0 : count is_sight ks = O) by (cbn in S; unfold count; lia).
    destruct (after_look b k ks F S0) as [W [u [v [L V]]]]. exists b, (w b * W), u, v.
    split; [destruct L as [? [? [? ?]]]; unfold limits; cbn; repeat split; auto; nra|].
    induction l as [|[d|d|w'] l I]; intros E D; cbn in E; try discriminate; inversion D; subst; [now apply whole_draw; auto|].
    injection E as -> E. destruct (V l E H2) as [a [x [J [E1 E2]]]]. left. exists x. split.
    { destruct J as [A0 [X0 [A [Y [A' [Y' [HA [HY [HA' [HY' [Ha [Hx [Hu [Ha' [Hx' Hv]]]]]]]]]]]]]]].
      split; [lra|]. split; auto. exists 1, Y, 1, Y'. repeat split; auto; try lra; nra. }
    cbn [run1]. rewrite E1, W1. split; ring.
  - destruct (IH S) as [b [W [u [v [L V]]]]]. destruct (noise_ratio w b H) as [z [W0 [Wz Z]]].
    assert (Zp : 0 < z) by (assert (0 < / r) by (apply Rinv_0_lt_compat; lra); lra).
    exists b, (w b * W), (u * Rmax 1 z), (v * Rmax 1 (/ z)). split; [now apply limits_noise|].
    induction l as [|[d|d|w'] l I]; intros E D; cbn in E; try discriminate; inversion D; subst; [now apply whole_draw; auto|].
    injection E as -> E. destruct (V l E H3) as [[x [J [E1 E2]]]|[s [a [x [Q [J [E1 E2]]]]]]].
    + left. exists x. split.
      { apply (inv_more _ _ u v); auto; destruct L as [? [? [? ?]]]; assert (M := Rmax_l 1 z); assert (M' := Rmax_l 1 (/ z)); nra. }
      cbn [run1]. rewrite E1, E2. split; ring.
    + right. exists s, (a * z), x. split; auto. split; [now apply inv_noise|]. cbn [run1]. rewrite E1, E2, Wz. split; ring.
Qed.
Lemma inv_bounds : forall a x u v, 1 <= u -> 1 <= v -> inv a x u v -> 0 < x /\ x <= q + p * u /\ 1 <= x * (q + p * v).
Proof.
  intros a x u v U V [A0 [X0 [A [Y [A' [Y' [HA [HY [HA' [HY' [Ha [Hx [Hu [Ha' [Hx' Hv]]]]]]]]]]]]]]].
  assert (Y <= u) by nra. assert (Y' <= v) by nra. assert (p * Y <= p * u) by (apply Rmult_le_compat_l; lra).
  assert (p * Y' <= p * v) by (apply Rmult_le_compat_l; lra). repeat split; auto; [lra|].
  assert (x * (q + p * Y') <= x * (q + p * v)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Theorem one_cell_releases : forall l l' ks n, Forall2 (kind1 noise) (seen_only l) ks -> seen_only l' = seen_only l ->
  count is_sight ks = 1%nat -> (count is_noise ks <= n)%nat -> draws1 between l -> draws1 between l' ->
  run1 (draw q :: l) true <= p / q * (q + p * r ^ n) * run1 (draw q :: l') true.
Proof.
  intros l l' ks n F E S N D D'. assert (Q0 : 0 < q) by (unfold q; lra).
  destruct (with_look _ _ F S) as [b [W [u [v [[W0 [U [V L]]] H]]]]].
  assert (K : forall l, seen_only l = seen_only l' -> draws1 between l -> exists s x, q <= s <= p /\ run1 (draw q :: l) true = s * x * W /\
    0 < x /\ x <= q + p * u /\ 1 <= x * (q + p * v)).
  { intros k Ek Dk. rewrite E in Ek. assert (bq : between q) by (unfold between, q; lra).
    destruct (closed_draw b q k W u v bq (H k Ek Dk)) as [s [a [x [T [I [E1 _]]]]]].
    exists s, x. split; auto. split; [|now apply inv_bounds with (a := a)].
    rewrite (draw_run b q k true), <- (draw_run b q k b). exact E1. }
  destruct (K l (eq_sym E) D) as [s [x [T [-> [X0 [X1 _]]]]]]. destruct (K l' eq_refl D') as [s' [x' [T' [-> [X0' [_ X1']]]]]].
  assert (R1 : r ^ count is_noise ks <= r ^ n) by (apply Rle_pow; auto).
  assert (M := merge u v U V). assert (B : (q + p * u) * (q + p * v) <= q + p * r ^ n).
  { apply Rle_trans with (q + p * (u * v)); auto. apply Rplus_le_compat_l, Rmult_le_compat_l; lra. }
  assert (C : x <= (q + p * r ^ n) * x').
  { apply Rle_trans with (q + p * u); auto. assert (0 < q + p * u) by nra.
    apply Rle_trans with ((q + p * u) * (x' * (q + p * v))); [nra|].
    replace ((q + p * u) * (x' * (q + p * v))) with ((q + p * u) * (q + p * v) * x') by ring. apply Rmult_le_compat_r; lra. }
  assert (Z : s * x <= p / q * (q + p * r ^ n) * (s' * x')).
  { assert (pq : 0 < p / q) by (apply Rdiv_lt_0_compat; lra). assert (pqq : p / q * q = p) by (field; lra).
    assert (Y : s <= p / q * s') by (assert (p / q * q <= p / q * s') by (apply Rmult_le_compat_l; lra); lra).
    assert (0 < s) by lra.
    replace (p / q * (q + p * r ^ n) * (s' * x')) with (p / q * s' * ((q + p * r ^ n) * x')) by ring.
    apply Rmult_le_compat; lra. }
  rewrite <- Rmult_assoc. replace (p / q * (q + p * r ^ n) * (s' * x' * W)) with (p / q * (q + p * r ^ n) * (s' * x') * W) by ring.
  now apply Rmult_le_compat_r.
Qed.
End Symmetric.

(** claim: calibrated.continual_output, distinct.releases, calibrated.insert_delete *)
Theorem releases_private : forall p r n cell m u e e' ks, 1 / 2 < p < 1 -> 1 <= r ->
  neighbours u e e' -> unannounced e -> unannounced e' -> pattern (ratios (/ r) r) (cell u) e ks ->
  count is_sight ks = 1%nat -> (count is_noise ks <= n)%nat ->
  observed cell m (1 - p) p e <= p / (1 - p) * (1 - p + p * r ^ n) * observed cell m (1 - p) p e'.
Proof.
  intros p r n cell m u e e' ks P G NB U U' Q S N.
  assert (Q' := pattern_neighbours _ _ _ _ _ _ NB U' Q).
  assert (D : forall e, unannounced e -> draws (between p) (compile cell (1 - p) p e))
    by (intros; apply compile_draws; auto; unfold between; [right|]; lra).
  assert (F : forall e, unannounced e -> fair (compile cell (1 - p) p e)) by (intros; apply compile_fair; try lra; now apply quiet).
  unfold observed. apply (one_cell _ (cell u)); auto.
  - apply Forall_forall. intros x I. apply repeat_spec in I. subst. lra.
  - now apply neighbours_off.
  - assert (1 <= r ^ n) by (apply pow_R1_Rle; auto). assert (1 <= p / (1 - p)).
    { apply Rmult_le_reg_r with (1 - p); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (1 <= 1 - p + p * r ^ n) by nra. nra.
  - intros q0 l l' I V V' E. apply repeat_spec in I. subst q0.
    apply (one_cell_releases p r ltac:(lra) G l l' ks n); auto.
    + apply (kinds_view (cell u) _ (compile cell (1 - p) p e)); auto. now apply pattern_kinds.
    + apply (draws_view (cell u) _ (compile cell (1 - p) p e)); auto.
    + apply (draws_view (cell u) _ (compile cell (1 - p) p e')); auto.
  - apply run_pos; auto. apply (pattern_pos (/ r) r _ (cell u) _ ks); auto.
Qed.

(* It is attained, for every number of releases and of cells. *)
Definition releases (f : Z -> R) (y : Z) (n : nat) : list (event R) := repeat (Obs (release f y)) n.
(** claim: calibrated.continual_output, distinct.releases *)
Theorem releases_attained : forall p r n m u f y, 1 / 2 < p < 1 -> (u < m)%nat -> f (y - 1)%Z = r * f y ->
  let obs pre suf := observed (fun v => v) m (1 - p) p (pre ++ [Obs (look (one_bit m u false))] ++ suf ++ releases f y n) in
  obs [] [Enter u] = p / (1 - p) * (1 - p + p * r ^ n) * obs [Enter u] [].
Proof.
  intros p r n m u f y P U E obs. unfold obs, observed. cbn [app compile].
  assert (C : compile (fun v => v) (1 - p) p (releases f y n) = repeat (See (release f y)) n)
    by (unfold releases; clear; induction n; cbn; congruence).
  assert (V : forall b, run (repeat (See (release f y)) n) (one_bit m u b) = (if b then r ^ n else 1) * f y ^ n).
  { intros b. induction n as [|k IH]; cbn [repeat run]; [destruct b; cbn; ring|]. cbn [mul reals]. rewrite IH by (unfold releases; clear; induction k; cbn; congruence).
    assert (F : release f y (one_bit m u b) = (if b then r else 1) * f y).
    { unfold release, release_of. rewrite part_all, ones_bit by auto. destruct b; rewrite <- ?E, ?Z.sub_0_r; ring. }
    rewrite F. destruct b; cbn [pow]; ring. }
  rewrite !C, mass_draw, !mass_look by (now rewrite one_bit_length, ?put_length, repeat_length).
  assert (R1 : repeat (1 - p) m = put u (1 - p) (repeat (1 - p) m)) by (symmetry; apply put_repeat).
  rewrite R1 at 1. rewrite !prob_bit by auto. cbn [run]. unfold mix; cbn [add sub mul one reals]. rewrite !set_bit, !V. cbn [pr]. field. lra.
Qed.
