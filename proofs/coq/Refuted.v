(* The published estimators break their promise, for every epsilon that the sources allow and every sample size. The noise
   is a measure: each refutation is an event of positive probability, an interval of outputs.
   Claims: density.dwork_privacy, lecture.privacy, density.optbern_privacy, density.bernoulli_family, density.insert_delete. *)
From Coq Require Import Reals Psatz Lra List Bool ZArith Lia.
From Coquelicot Require Import Coquelicot.
From Pan Require Import Semantics OneCell JointLoss Streams Attained.
Import ListNotations.
Open Scope R_scope.

(* ---- Laplace noise: the probability of an interval ---- *)
Definition laplace (b x : R) := exp (- Rabs x / b) / (2 * b).
Definition laplace_in (b lo hi : R) := RInt (laplace b) lo hi.
Lemma laplace_above : forall b lo hi, 0 < b -> 0 <= lo <= hi -> laplace_in b lo hi = (exp (- lo / b) - exp (- hi / b)) / 2.
Proof.
  intros b lo hi B [L H]. unfold laplace_in. apply is_RInt_unique.
  apply (is_RInt_ext (fun x => exp (- x / b) / (2 * b))).
  { intros x [X _]. rewrite Rmin_left in X by lra. unfold laplace. rewrite Rabs_pos_eq by lra. reflexivity. }
  replace ((exp (- lo / b) - exp (- hi / b)) / 2) with (- exp (- hi / b) / 2 - - exp (- lo / b) / 2) by field.
  apply (is_RInt_derive (fun x => - exp (- x / b) / 2)).
  - intros x _. auto_derive; auto. unfold Rdiv. field. lra.
  - intros x _. apply continuity_pt_filterlim. apply derivable_continuous_pt.
    exists (- exp (- x / b) / (2 * b * b)). apply is_derive_Reals. auto_derive; auto. unfold Rdiv. field. lra.
Qed.

(* An output scale * (number of ones) + shift + noise, in an interval above every noiseless output. *)
Definition output_in (b scale shift lo hi : R) : state -> R :=
  fun s => laplace_in b (lo - (scale * IZR (ones s) + shift)) (hi - (scale * IZR (ones s) + shift)).
Lemma output_ratio : forall b scale shift lo hi (m u : nat), 0 < b -> 0 < scale -> scale + shift <= lo < hi -> (u < m)%nat ->
  let w := output_in b scale shift lo hi in
  0 < w (one_bit m u false) /\ w (one_bit m u true) = exp (scale / b) * w (one_bit m u false).
Proof.
  intros b scale shift lo hi m u B S [L H] U w. unfold w, output_in. rewrite !ones_bit by auto. rewrite !laplace_above by (auto; nra).
  split.
  - assert (exp (- (hi - (scale * 0 + shift)) / b) < exp (- (lo - (scale * 0 + shift)) / b)); [|lra].
    apply exp_increasing. unfold Rdiv. apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat|lra].
  - assert (E : forall z, exp (- (z - (scale * 1 + shift)) / b) = exp (scale / b) * exp (- (z - (scale * 0 + shift)) / b))
      by (intros; rewrite <- exp_plus; f_equal; field; lra).
    rewrite !E. field.
Qed.

(* ---- what breaks a promise: two adjacent streams, of insertions only, and an event of positive probability ---- *)
Definition breaks (p0 p1 b scale shift c0 : R) (m : nat) := exists u pre suf pre' suf' s lo hi,
  (u < m)%nat /\ lo < hi /\ neighbours u pre pre' /\ neighbours u suf suf' /\ moves pre /\ moves suf /\ moves pre' /\ moves suf' /\
  inserts (pre ++ suf) /\ inserts (pre' ++ suf') /\
  let see e1 e2 := observed (fun v => v) m p0 p1 (e1 ++ [Obs (look s)] ++ e2 ++ [Obs (output_in b scale shift lo hi)]) in
  0 < see pre' suf' /\ c0 * see pre' suf' < see pre suf.
Lemma breaks_by_zero : forall p0 p1 b scale shift c0 m, 0 < p0 /\ p0 < p1 /\ p1 < 1 -> 0 < b -> 0 < scale -> (1 <= m)%nat ->
  c0 < (1 - p0) / (1 - p1) * (1 - p1 + p1 * exp (scale / b)) -> breaks p0 p1 b scale shift c0 m.
Proof.
  intros p0 p1 b scale shift c0 m P B S M C.
  exists 0%nat, [], [Enter 0%nat], [Enter 0%nat], [], (one_bit m 0 false), (scale + shift), (scale + shift + 1).
  assert (U : (0 < m)%nat) by lia. destruct (output_ratio b scale shift (scale + shift) (scale + shift + 1) m 0 B S ltac:(lra) U) as [W E].
  set (w := output_in _ _ _ _ _) in *.
  repeat split; try (repeat constructor; fail); auto; try lra.
  - rewrite alone_event by (auto; repeat constructor). unfold last_draw; cbn [fold_left step pr after].
    apply Rmult_lt_0_compat; [unfold rest_zero; apply pow_lt; lra|]. apply Rmult_lt_0_compat; [lra|auto].
  - rewrite !alone_event by (auto; repeat constructor). unfold last_draw; cbn [fold_left step pr after]. rewrite E.
    set (k := rest_zero p0 m). assert (K : 0 < k) by (unfold k, rest_zero; apply pow_lt; lra).
    set (r := exp (scale / b)) in *. set (v := w (one_bit m 0 false)) in *.
    assert (0 < k * ((1 - p1) * v)) by (apply Rmult_lt_0_compat; [auto|apply Rmult_lt_0_compat; lra]).
    apply (Rmult_lt_compat_r (k * ((1 - p1) * v))) in C; [|auto].
    replace ((1 - p0) / (1 - p1) * (1 - p1 + p1 * r) * (k * ((1 - p1) * v))) with (k * ((1 - p0) * (p1 * (r * v) + (1 - p1) * v))) in C by (field; lra).
    exact C.
Qed.

(* ---- bounds of the exponential, by hand ---- *)
Lemma exp_grows : forall x y, x <= y -> exp x <= exp y.
Proof. intros x y [H|H]; [left; now apply exp_increasing|right; congruence]. Qed.
Lemma exp_cubic : forall x, 0 <= x -> 1 + x + x ^ 2 / 2 + x ^ 3 / 6 <= exp x.
Proof.
  assert (I : forall (g dg : R -> R), (forall x, is_derive g x (dg x)) -> (forall x, 0 <= x -> 0 <= dg x) -> forall x, 0 <= x -> g 0 <= g x).
  { intros g dg D N x X. destruct (Req_dec x 0) as [->|Z]; [lra|].
    destruct (MVT_gen g 0 x dg) as [c [C E]].
    - intros z _. apply D.
    - intros z _. apply continuity_pt_filterlim, (ex_derive_continuous g z). eexists. apply D.
    - rewrite Rmin_left, Rmax_right in C by lra. assert (0 <= dg c) by (apply N; lra). nra. }
  assert (E1 : forall x, 0 <= x -> 1 + x <= exp x) by (intros x X; destruct (Req_dec x 0) as [->|]; [rewrite exp_0; lra|left; apply exp_ineq1; lra]).
  assert (E2 : forall x, 0 <= x -> 1 + x + x ^ 2 / 2 <= exp x).
  { intros x X. assert (Q := I (fun x => exp x - (1 + x + x ^ 2 / 2)) (fun x => exp x - (1 + x))). cbv beta in Q.
    assert (R := Q (fun x => ltac:(auto_derive; [exact Logic.I|cbn; field])) (fun z Z => ltac:(specialize (E1 z Z); lra)) x X).
    rewrite exp_0 in R. lra. }
  intros x X. assert (Q := I (fun x => exp x - (1 + x + x ^ 2 / 2 + x ^ 3 / 6)) (fun x => exp x - (1 + x + x ^ 2 / 2))). cbv beta in Q.
  assert (R := Q (fun x => ltac:(auto_derive; [exact Logic.I|cbn; field])) (fun z Z => ltac:(specialize (E2 z Z); lra)) x X).
  rewrite exp_0 in R. lra.
Qed.
Lemma exp_one : exp 1 <= 14 / 5.
Proof.
  (* exp(-1/2) is at least 1 - 1/2 + 1/8 - 1/48, as exp(1/2) (1 - 1/2 + 1/8 - 1/48) <= 1 *)
  assert (H : exp 1 = exp (/ 8) ^ 8) by (cbn [pow]; rewrite Rmult_1_r, <- !exp_plus; f_equal; lra).
  assert (L : 1 - / 8 <= exp (- / 8)) by (left; replace (1 - / 8) with (1 + - / 8) by ring; apply exp_ineq1; lra).
  assert (U : exp (/ 8) <= 8 / 7).
  { rewrite exp_Ropp in L. apply Rmult_le_reg_r with (/ exp (/ 8)); [apply Rinv_0_lt_compat, exp_pos|].
    rewrite Rinv_r by (apply Rgt_not_eq, exp_pos). lra. }
  assert (exp (/ 32) <= 32 / 31).
  { assert (L2 : 1 - / 32 <= exp (- / 32)) by (left; replace (1 - / 32) with (1 + - / 32) by ring; apply exp_ineq1; lra).
    rewrite exp_Ropp in L2. apply Rmult_le_reg_r with (/ exp (/ 32)); [apply Rinv_0_lt_compat, exp_pos|].
    rewrite Rinv_r by (apply Rgt_not_eq, exp_pos). lra. }
  assert (E : exp 1 = exp (/ 32) ^ 32) by (rewrite <- exp_pow || (cbn [pow]; rewrite Rmult_1_r, <- !exp_plus; f_equal; lra)).
  rewrite E. apply Rle_trans with ((32 / 31) ^ 32); [apply pow_incr; split; [left; apply exp_pos|auto]|]. lra.
Qed.
Lemma exp_four : 32 <= exp 4.
Proof. assert (H := exp_cubic 2 ltac:(lra)). replace 4 with (2 + 2) by ring. rewrite exp_plus. nra. Qed.

(* ---- Algorithm 1 (Dwork et al., and the lecture): Bernoulli(1/2) and Bernoulli(1/2 + eps/4), the output
   (4/eps) (mean - 1/2) + Laplace(1/(eps m)) ---- *)
Definition dwork_breaks (eps : R) (m : nat) :=
  breaks (1 / 2) (1 / 2 + eps / 4) (/ (eps * INR m)) (4 / (eps * INR m)) (- (2 / eps)) (exp (2 * eps)) m.
(** refutation: lecture.privacy, density.dwork_privacy *)
Theorem lecture_refuted : forall eps m, 0 < eps < 2 -> (1 <= m)%nat -> dwork_breaks eps m.
Proof.
  intros eps m E M. assert (P : 0 < INR m) by (apply lt_0_INR; lia).
  apply breaks_by_zero; auto; try lra.
  - apply Rinv_0_lt_compat. nra.
  - apply Rdiv_lt_0_compat; nra.
  - replace (4 / (eps * INR m) / / (eps * INR m)) with 4 by (field; split; lra).
    assert (F := exp_four). replace ((1 - 1 / 2) / (1 - (1 / 2 + eps / 4)) * (1 - (1 / 2 + eps / 4) + (1 / 2 + eps / 4) * exp 4))
      with (1 / 2 + (2 + eps) / (2 * (2 - eps)) * exp 4) by (field; lra).
    destruct (Rle_lt_dec (2 / 3) eps) as [C|C].
    + assert (1 <= (2 + eps) / (2 * (2 - eps))) by (apply Rmult_le_reg_r with (2 * (2 - eps)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra).
      assert (exp (2 * eps) < exp 4) by (apply exp_increasing; lra). nra.
    + assert (1 / 2 <= (2 + eps) / (2 * (2 - eps))) by (apply Rmult_le_reg_r with (2 * (2 - eps)); [lra|]; unfold Rdiv; rewrite !Rmult_assoc, Rinv_l by lra; lra).
      assert (exp (2 * eps) <= exp 1 * exp 1) by (rewrite <- exp_plus; apply exp_grows; lra).
      assert (exp 1 * exp 1 <= 14 / 5 * (14 / 5)) by (apply Rmult_le_compat; try apply exp_one; left; apply exp_pos). nra.
Qed.
(** refutation: density.dwork_privacy, density.insert_delete *)
Theorem dwork_refuted : forall eps m, 0 < eps <= 1 / 2 -> (1 <= m)%nat -> dwork_breaks eps m.
Proof. intros. apply lecture_refuted; auto. lra. Qed.

(* ---- a single appearance that is added is enough: pairs around a centre, and the tanh pair ---- *)
Definition tanh_half (eps : R) := (exp eps - 1) / (exp eps + 1).
Lemma tanh_range : forall eps, 0 < eps -> 0 < tanh_half eps < eps / 2 /\ tanh_half eps < 1.
Proof.
  intros eps E. unfold tanh_half. assert (X : 1 + eps < exp eps) by (apply exp_ineq1; lra).
  assert (D : 0 < eps * (exp eps + 1) - 2 * (exp eps - 1)).
  { destruct (MVT_cor2 (fun x => x * (exp x + 1) - 2 * (exp x - 1)) (fun x => 1 + (x - 1) * exp x) 0 eps E) as [c [Q C]].
    - intros z _. apply is_derive_Reals. auto_derive; [exact I|ring].
    - rewrite exp_0 in Q.
      assert (0 < 1 + (c - 1) * exp c).
      { assert (Y : 1 - c < exp (- c)) by (replace (1 - c) with (1 + - c) by ring; apply exp_ineq1; lra).
        assert (exp (- c) * exp c = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0). assert (0 < exp c) by apply exp_pos. nra. }
      nra. }
  repeat split.
  - apply Rdiv_lt_0_compat; lra.
  - apply Rmult_lt_reg_r with (exp eps + 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - apply Rmult_lt_reg_r with (exp eps + 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
(* The pair c (1 -+ t), whose output has the noise Laplace(1/(eps m)) on the mean divided by 2 c t. *)
Definition family_breaks (c eps : R) (m : nat) := let t := tanh_half eps in
  breaks (c * (1 - t)) (c * (1 + t)) (/ (eps * INR m)) (/ (INR m * (2 * c * t))) (- (c * (1 - t) / (2 * c * t))) (exp (2 * eps)) m.
(** refutation: density.bernoulli_family *)
Theorem family_refuted : forall c eps m, 0 < c <= 4 / 5 -> 0 < eps <= 1 / 2 -> (1 <= m)%nat -> family_breaks c eps m.
Proof.
  intros c eps m C E M. unfold family_breaks. destruct (tanh_range eps ltac:(lra)) as [[T1 T2] _]. set (t := tanh_half eps) in *.
  assert (P : 0 < INR m) by (apply lt_0_INR; lia).
  apply breaks_by_zero; auto.
  - split; [nra|]. split; nra.
  - apply Rinv_0_lt_compat. nra.
  - apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; [auto|nra].
  - replace (/ (INR m * (2 * c * t)) / / (eps * INR m)) with (eps / (2 * c * t)) by (field; lra).
    assert (G : / c <= eps / (2 * c * t)).
    { apply Rmult_le_reg_r with (2 * c * t); [nra|]. replace (eps / (2 * c * t) * (2 * c * t)) with eps by (field; lra).
      replace (/ c * (2 * c * t)) with (2 * t) by (field; lra). lra. }
    assert (H := exp_cubic (/ c) ltac:(left; apply Rinv_0_lt_compat; lra)).
    assert (r : exp (/ c) <= exp (eps / (2 * c * t))) by now apply exp_grows.
    set (x := exp (eps / (2 * c * t))) in *.
    assert (ic : 5 / 4 <= / c) by (replace (5 / 4) with (/ (4 / 5)) by field; apply Rinv_le_contravar; lra).
    assert (one : c * / c = 1) by (apply Rinv_r; lra). set (i := / c) in *.
    assert (Q : 1 + c * (x - 1) >= 14 / 5 + 1 / 100).
    { assert (Y : c * (1 + i + i ^ 2 / 2 + i ^ 3 / 6) <= c * x) by (apply Rmult_le_compat_l; lra).
      replace (c * (1 + i + i ^ 2 / 2 + i ^ 3 / 6)) with (c + c * i + c * i * i / 2 + c * i * (i * i) / 6) in Y by field.
      rewrite one in Y. assert (25 / 16 <= i * i) by nra. lra. }
    assert (B1 : 1 <= (1 - c * (1 - t)) / (1 - c * (1 + t))).
    { apply Rmult_le_reg_r with (1 - c * (1 + t)); [nra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by nra. nra. }
    assert (K : exp (2 * eps) <= exp 1) by (apply exp_grows; lra). assert (X := exp_one).
    assert (1 <= x) by (apply Rmult_le_reg_l with c; nra).
    assert (V : 1 + c * (x - 1) <= 1 - c * (1 + t) + c * (1 + t) * x).
    { assert (0 <= c * t * (x - 1)) by (apply Rmult_le_pos; nra). nra. }
    nra.
Qed.
(* Algorithm 2: c = 1/2. The promise is broken for every epsilon > 0. *)
(** refutation: density.optbern_privacy, density.insert_delete *)
Theorem optimal_bernoulli_refuted : forall eps m, 0 < eps -> (1 <= m)%nat -> family_breaks (1 / 2) eps m.
Proof.
  intros eps m E M. unfold family_breaks. destruct (tanh_range eps E) as [[T1 T2] T3].
  assert (P : 0 < INR m) by (apply lt_0_INR; lia).
  assert (X : 1 + eps < exp eps) by (apply exp_ineq1; lra).
  apply breaks_by_zero; auto; try lra.
  - apply Rinv_0_lt_compat. nra.
  - apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; lra.
  - set (t := tanh_half eps) in *. set (x := exp eps) in *.
    assert (Ht : t = (x - 1) / (x + 1)) by reflexivity.
    replace (/ (INR m * (2 * (1 / 2) * t)) / / (eps * INR m)) with (eps / t) by (field; lra).
    assert (Eta : eps / t = eps + 2 * eps / (x - 1)) by (rewrite Ht; field; lra).
    rewrite Eta, exp_plus. fold x. assert (Z : 1 + 2 * eps / (x - 1) <= exp (2 * eps / (x - 1))).
    { left. apply exp_ineq1. apply Rgt_not_eq, Rdiv_lt_0_compat; lra. }
    set (z := exp (2 * eps / (x - 1))) in *.
    replace (exp (2 * eps)) with (x * x) by (unfold x; rewrite <- exp_plus; f_equal; ring).
    replace ((1 - 1 / 2 * (1 - t)) / (1 - 1 / 2 * (1 + t))) with x by (rewrite Ht; field; lra).
    replace (1 - 1 / 2 * (1 + t) + 1 / 2 * (1 + t) * (x * z)) with ((1 + x * (x * z)) / (x + 1)) by (rewrite Ht; field; lra).
    apply Rmult_lt_reg_r with ((x + 1) / x); [apply Rdiv_lt_0_compat; lra|].
    replace (x * x * ((x + 1) / x)) with (x * (x + 1)) by (field; lra).
    replace (x * ((1 + x * (x * z)) / (x + 1)) * ((x + 1) / x)) with (1 + x * x * z) by (field; lra).
    assert (Y : (x - 1) / x <= eps).
    { assert (1 - eps <= exp (- eps)) by (left; replace (1 - eps) with (1 + - eps) by ring; apply exp_ineq1; lra).
      rewrite exp_Ropp in H. fold x in H. replace ((x - 1) / x) with (1 - / x) by (field; lra). lra. }
    assert (W : 2 * ((x - 1) / x) <= 2 * eps) by lra.
    assert (Q : x * x * (2 * eps / (x - 1)) >= 2 * x).
    { assert (V : 2 * ((x - 1) / x) / (x - 1) <= 2 * eps / (x - 1)) by (unfold Rdiv; apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|exact W]).
      replace (2 * ((x - 1) / x) / (x - 1)) with (2 / x) in V by (field; lra).
      apply Rle_ge. replace (2 * x) with (x * x * (2 / x)) by (field; lra). apply Rmult_le_compat_l; nra. }
    assert (x * x * (1 + 2 * eps / (x - 1)) <= x * x * z) by (apply Rmult_le_compat_l; nra). nra.
Qed.
