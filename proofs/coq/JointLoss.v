(* The joint loss of one intrusion and one release, for every pair of probabilities, every noise of bounded ratio, every
   stream, sample, hash and geometry, and every adjacent stream; it is attained.
   Claims: joint_loss.tight, calibrated.joint_privacy, calibrated.insert_delete, distinct.joint_privacy, distinct.shards,
   distinct.order_free. *)
From Coq Require Import Reals Psatz Lra List Bool ZArith Lia.
From Pan Require Import Semantics OneCell.
Import ListNotations.
Open Scope R_scope.

Definition told (k : kind) := match k with Blind => false | _ => true end.
(* Of one cell there are one sight and, after it, one noisy release; other observations do not concern it. *)
Definition sight_then_noise (ks : list kind) := filter told ks = [Sight; Noise].
(* the density of what is released, if the bit is one and if it is zero *)
Definition bounded (lo hi : R) (w : bool -> R) := 0 <= w true /\ 0 <= w false /\ lo * w false <= w true <= hi * w false.
Definition pr (x : R) (b : bool) := if b then x else 1 - x.
Definition after (y : option R) (b : bool) (w : bool -> R) :=
  match y with None => w b | Some d => d * w true + (1 - d) * w false end.

Section OneCellValues.
Variable noise : (bool -> R) -> Prop.
Variable d : R -> Prop.
Definition maybe (y : option R) := match y with None => True | Some p => d p end.

Lemma blind_value : forall l ks, Forall2 (kind1 noise) (seen_only l) ks -> filter told ks = [] ->
  exists a, 0 <= a /\ forall l', seen_only l' = seen_only l -> forall b, run1 l' b = a.
Proof.
  intros l ks F. remember (seen_only l) as k eqn:E. clear l E. induction F as [|x k' k ks H F IH]; intros N.
  - exists 1. split; [lra|]. induction l' as [|[p|p|w] l' I]; intros S b; cbn in S |- *; try discriminate; auto.
    rewrite !I by auto. ring.
  - destruct k'; try discriminate N. destruct (IH N) as [a [A V]]. destruct x as [p|p|w]; cbn in H; try contradiction.
    destruct H as [W W0]. exists (w false * a). split; [nra|].
    induction l' as [|[p|p|v] l' I]; intros S b; cbn in S |- *; try discriminate.
    + rewrite !I by auto. ring.
    + injection S as -> S. rewrite (V l' S). destruct b; rewrite ?W; ring.
Qed.
Lemma noise_value : forall l ks, Forall2 (kind1 noise) (seen_only l) ks -> filter told ks = [Noise] ->
  exists a w, 0 <= a /\ noise w /\ forall l', seen_only l' = seen_only l -> draws1 d l' ->
    exists y, maybe y /\ forall b, run1 l' b = a * after y b w.
Proof.
  intros l ks F. remember (seen_only l) as k eqn:E.
  assert (K : seen_only k = k) by (subst k; unfold seen_only; clear; induction l as [|[]]; cbn; congruence).
  clear l E. induction F as [|x k' k ks H F IH]; intros N; [discriminate|].
  assert (K' : seen_only k = k) by (destruct x as [p|p|w]; cbn in H; try contradiction; now injection K).
  destruct k'; try discriminate N; destruct x as [p|p|w]; cbn in H; try contradiction.
  - destruct (IH K' N) as [a [v [A [W V]]]]. destruct H as [W1 W0]. exists (w false * a), v. split; [nra|]. split; auto.
    induction l' as [|[p|p|u] l' I]; intros S D; cbn in S; try discriminate; inversion D; subst.
    + destruct (I S H2) as [y [M Y]]. exists (match y with None => Some p | _ => y end).
      split; [destruct y; auto|]. intros b. cbn [run1]. rewrite !Y. destruct y; cbn; ring.
    + injection S as -> S. destruct (V l' S H2) as [y [M Y]]. exists y. split; auto. intros b. cbn [run1].
      rewrite Y. destruct b; rewrite ?W1; ring.
  - injection N as N. destruct (blind_value k ks ltac:(rewrite K'; auto) N) as [a [A V]]. rewrite K' in V.
    exists a, w. split; auto. split; auto.
    induction l' as [|[p|p|u] l' I]; intros S D; cbn in S; try discriminate; inversion D; subst.
    + destruct (I S H3) as [y [M Y]]. exists (match y with None => Some p | _ => y end).
      split; [destruct y; auto|]. intros b. cbn [run1]. rewrite !Y. destruct y; cbn; ring.
    + injection S as -> S. exists None. split; cbn; auto. intros b. rewrite (V l' S). ring.
Qed.
Lemma joint_value : forall l ks, Forall2 (kind1 noise) (seen_only l) ks -> sight_then_noise ks ->
  exists a s w, 0 <= a /\ noise w /\ forall l' q, seen_only l' = seen_only l -> draws1 d l' ->
    exists x y, (x = q \/ d x) /\ maybe y /\ run1 (draw q :: l') true = a * (pr x s * after y s w).
Proof.
  intros l ks F. remember (seen_only l) as k eqn:E.
  assert (K : seen_only k = k) by (subst k; unfold seen_only; clear; induction l as [|[]]; cbn; congruence).
  clear l E. unfold sight_then_noise. induction F as [|x k' k ks H F IH]; intros N; [discriminate|].
  assert (K' : seen_only k = k) by (destruct x as [p|p|w]; cbn in H; try contradiction; now injection K).
  destruct k'; try discriminate N; destruct x as [p|p|w]; cbn in H; try contradiction.
  - destruct (IH K' N) as [a [s [v [A [W V]]]]]. destruct H as [W1 W0]. exists (w false * a), s, v. split; [nra|]. split; auto.
    induction l' as [|[p|p|u] l' I]; intros q S D; cbn in S; try discriminate; inversion D; subst.
    + destruct (I p S H2) as [x [y [X [M Y]]]]. exists x, y. split; [destruct X; subst; auto|]. split; auto.
      rewrite <- Y. cbn [run1]. ring.
    + injection S as -> S. destruct (V l' q S H2) as [x [y [X [M Y]]]]. exists x, y. split; auto. split; auto.
      cbn [run1] in *. rewrite W1. replace (w false * a * (pr x s * after y s v)) with (w false * (a * (pr x s * after y s v))) by ring.
      rewrite <- Y. ring.
  - injection N as N. destruct H as [s [W0 W1]].
    destruct (noise_value k ks ltac:(rewrite K'; auto) N) as [a [v [A [W V]]]]. rewrite K' in V.
    exists (w s * a), s, v. split; [nra|]. split; auto.
    induction l' as [|[p|p|u] l' I]; intros q S D; cbn in S; try discriminate; inversion D; subst.
    + destruct (I p S H2) as [x [y [X [M Y]]]]. exists x, y. split; [destruct X; subst; auto|]. split; auto.
      rewrite <- Y. cbn [run1]. ring.
    + injection S as -> S. destruct (V l' S H2) as [y [M Y]]. exists q, y. split; auto. split; auto.
      cbn [run1]. rewrite !Y. destruct s; cbn [pr negb] in *; rewrite W1; ring.
Qed.
End OneCellValues.

(* ---- the bound ---- *)
Lemma mixture : forall a b lo hi e m t t', 0 <= a -> lo * a <= b <= hi * a -> 0 <= e <= 1 -> 0 <= t <= e -> 0 <= t' <= e ->
  1 <= m -> 1 - e + e * hi <= m -> 1 <= m * (1 - e + e * lo) -> (1 - t) * a + t * b <= m * ((1 - t') * a + t' * b).
Proof.
  intros a b lo hi e m t t' A [L H] E T T' M U D. destruct (Rle_lt_dec a b) as [C|C].
  - assert ((1 - t) * a + t * b <= (1 - e) * a + e * b) by nra.
    assert ((1 - e) * a + e * b <= m * a) by nra.
    assert (a <= (1 - t') * a + t' * b) by nra. assert (m * a <= m * ((1 - t') * a + t' * b)) by (apply Rmult_le_compat_l; lra). lra.
  - assert ((1 - t) * a + t * b <= a) by nra.
    assert ((1 - e) * a + e * b <= (1 - t') * a + t' * b) by nra.
    assert (m * ((1 - e) * a + e * b) <= m * ((1 - t') * a + t' * b)) by (apply Rmult_le_compat_l; lra).
    assert ((1 - e + e * lo) * a <= (1 - e) * a + e * b) by nra.
    assert (m * ((1 - e + e * lo) * a) <= m * ((1 - e) * a + e * b)) by (apply Rmult_le_compat_l; lra).
    assert (1 * a <= m * (1 - e + e * lo) * a) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Section Loss.
(* A cell is born as Bernoulli(p0); later draws have probabilities from [least] to p1: [least = p1] for insertions only,
   [least = p0] for deletions too. One bit more multiplies the density of the output by a number from lo to hi. *)
Variables p0 p1 least lo hi c0 : R.
Hypothesis P : 0 < p0 /\ p0 < p1 /\ p1 < 1.
Hypothesis L : p0 <= least <= p1.
Hypothesis N : 0 < lo <= 1 /\ 1 <= hi.
Let A := p1 / p0. Let B := (1 - p0) / (1 - p1).
Hypothesis zero_up : B * (1 - p1 + p1 * hi) <= c0.
Hypothesis zero_down : B <= c0 * (1 - p1 + p1 * lo).
Hypothesis one_up : A * (least + (1 - least) / lo) <= c0.
Hypothesis one_down : A <= c0 * (least + (1 - least) / hi).

Lemma A_one : 1 < A. Proof. unfold A. apply Rmult_lt_reg_r with p0; [lra|]. replace (p1 / p0 * p0) with p1 by (field; lra). lra. Qed.
Lemma B_one : 1 < B. Proof. unfold B. apply Rmult_lt_reg_r with (1 - p1); [lra|]. replace ((1 - p0) / (1 - p1) * (1 - p1)) with (1 - p0) by (field; lra). lra. Qed.
Lemma values : forall s w x y x' y', bounded lo hi w -> (p0 <= x <= p1) -> (p0 <= x' <= p1) ->
  maybe (fun p => least <= p <= p1) y -> maybe (fun p => least <= p <= p1) y' ->
  pr x s * after y s w <= c0 * (pr x' s * after y' s w).
Proof.
  intros s w x y x' y' [W1 [W0 [WL WH]]] X X' Y Y'. pose proof A_one. pose proof B_one.
  assert (HP : 0 < p0 /\ p0 < p1 /\ p1 < 1) by exact P.
  destruct s; cbn [pr].
  - (* a one is seen *)
    set (m := c0 / A). assert (C : c0 = A * m) by (unfold m; field; lra).
    assert (iA : forall z z', A * z <= A * z' -> z <= z') by (intros z z'; apply Rmult_le_reg_l; lra).
    assert (I : 1 <= / lo) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
    assert (J : 0 < / hi <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
    assert (U : least + (1 - least) / lo <= m) by (apply iA; rewrite <- C; exact one_up).
    assert (D : 1 <= m * (least + (1 - least) / hi)) by (apply iA; rewrite <- Rmult_assoc, <- C; lra).
    assert (M : 1 <= m) by (unfold Rdiv in U; nra).
    assert (T : forall z, maybe (fun p => least <= p <= p1) z -> exists t, 0 <= t <= 1 - least /\ after z true w = (1 - t) * w true + t * w false).
    { intros [z|] Z; cbn in Z |- *; [exists (1 - z)|exists 0]; split; try lra; ring. }
    destruct (T y Y) as [t [T1 ->]]. destruct (T y' Y') as [t' [T1' ->]].
    assert (Q : (1 - t) * w true + t * w false <= m * ((1 - t') * w true + t' * w false)).
    { apply (mixture _ _ (/ hi) (/ lo) (1 - least)); auto; try lra; unfold Rdiv in *; try lra.
      split; [apply Rmult_le_reg_l with hi; [lra|]; rewrite <- Rmult_assoc, Rinv_r by lra; lra|].
      apply Rmult_le_reg_l with lo; [lra|]. rewrite <- Rmult_assoc, Rinv_r by lra. lra. }
    assert (V : 0 <= (1 - t') * w true + t' * w false) by nra.
    assert (x * ((1 - t) * w true + t * w false) <= p1 * (m * ((1 - t') * w true + t' * w false))).
    { apply Rmult_le_compat; try lra. nra. }
    assert (A * p0 = p1) by (unfold A; field; lra).
    rewrite C. replace (A * m * (x' * ((1 - t') * w true + t' * w false))) with (A * x' * (m * ((1 - t') * w true + t' * w false))) by ring.
    assert (p1 <= A * x') by nra. assert (0 <= m * ((1 - t') * w true + t' * w false)) by nra. nra.
  - set (m := c0 / B). assert (C : c0 = B * m) by (unfold m; field; lra).
    assert (iB : forall z z', B * z <= B * z' -> z <= z') by (intros z z'; apply Rmult_le_reg_l; lra).
    assert (U : 1 - p1 + p1 * hi <= m) by (apply iB; rewrite <- C; exact zero_up).
    assert (D : 1 <= m * (1 - p1 + p1 * lo)) by (apply iB; rewrite <- Rmult_assoc, <- C; lra).
    assert (M : 1 <= m) by nra.
    assert (T : forall z, maybe (fun p => least <= p <= p1) z -> exists t, 0 <= t <= p1 /\ after z false w = (1 - t) * w false + t * w true).
    { intros [z|] Z; cbn in Z |- *; [exists z|exists 0]; split; try lra; ring. }
    destruct (T y Y) as [t [T1 ->]]. destruct (T y' Y') as [t' [T1' ->]].
    assert (Q : (1 - t) * w false + t * w true <= m * ((1 - t') * w false + t' * w true))
      by (apply (mixture _ _ lo hi p1); auto; lra).
    assert (V : 0 <= (1 - t') * w false + t' * w true) by nra.
    assert ((1 - x) * ((1 - t) * w false + t * w true) <= (1 - p0) * (m * ((1 - t') * w false + t' * w true))).
    { apply Rmult_le_compat; try lra. nra. }
    assert (B * (1 - p1) = 1 - p0) by (unfold B; field; lra).
    rewrite C. replace (B * m * ((1 - x') * ((1 - t') * w false + t' * w true))) with (B * (1 - x') * (m * ((1 - t') * w false + t' * w true))) by ring.
    assert (1 - p0 <= B * (1 - x')) by nra. assert (0 <= m * ((1 - t') * w false + t' * w true)) by nra. nra.
Qed.

Theorem joint_private_program : forall m c o o' ks,
  fair o -> fair o' -> draws (fun p => least <= p <= p1) o -> draws (fun p => least <= p <= p1) o' ->
  off c o = off c o' -> (forall s, 0 <= run o s) ->
  kinds c (bounded lo hi) o ks -> kinds c (bounded lo hi) o' ks -> sight_then_noise ks ->
  mass (repeat p0 m) o <= c0 * mass (repeat p0 m) o'.
Proof.
  intros m c o o' ks F F' D D' O Pos K K' S. apply (one_cell _ c); auto.
  - apply Forall_forall. intros x I. apply repeat_spec in I. subst. lra.
  - pose proof A_one. pose proof B_one. assert (B * (1 - p1 + p1 * hi) >= 1 * 1) by (apply Rle_ge, Rmult_le_compat; nra). lra.
  - intros q l l' I V V' E. apply repeat_spec in I. subst q.
    destruct (joint_value _ (fun p => least <= p <= p1) l ks (kinds_view _ _ _ _ _ K V) S) as [a [s [w [HA [W Z]]]]].
    destruct (Z l p0 eq_refl (draws_view _ _ _ _ D V)) as [x [y [X [Y ->]]]].
    destruct (Z l' p0 (eq_sym E) (draws_view _ _ _ _ D' V')) as [x' [y' [X' [Y' ->]]]].
    assert (Q : pr x s * after y s w <= c0 * (pr x' s * after y' s w)) by (apply values; auto; lra).
    replace (c0 * (a * (pr x' s * after y' s w))) with (a * (c0 * (pr x' s * after y' s w))) by ring.
    apply Rmult_le_compat_l; auto.
Qed.
End Loss.
