(* The joint loss of the published estimators, whose output has Laplace noise: exactly, for every sample size. What is seen at
   the end may be anything whose weight has a bounded ratio for one bit; here it is an interval of outputs.
   Claims: joint_loss.tight, density.dwork_privacy, lecture.privacy, density.optbern_privacy. *)
From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals Psatz Lra List Bool ZArith Lia.
From Pan Require Import Semantics OneCell JointLoss Streams Attained Refuted Exact.
From Pan Require Laplace.
Import ListNotations.
Open Scope R_scope.

(* ---- any last observation ---- *)
Lemma compile_moves : forall cell p0 p1 e e', moves e -> compile cell p0 p1 (e ++ e') = compile cell p0 p1 e ++ compile cell p0 p1 e'.
Proof. intros cell p0 p1 e e' M. induction M as [|[v|v|p|w] e H]; try contradiction; cbn; congruence. Qed.
Definition seen_then (pre suf : list (event R)) s (w : state -> R) := pre ++ [Obs (look s)] ++ suf ++ [Obs w].
(** claim: joint_loss.tight *)
Theorem any_output : forall p0 p1 least lo hi c0 cell m u pre suf pre' suf' s w, keeps p0 p1 least lo hi c0 ->
  (forall t, 0 <= w t) -> (forall t, (cell u <= length t)%nat -> bounded lo hi (fun b => w (ins (cell u) b t))) ->
  moves pre -> moves suf -> moves pre' -> moves suf' ->
  (inserts (pre ++ suf) /\ inserts (pre' ++ suf') \/ least = p0) -> neighbours u pre pre' -> neighbours u suf suf' ->
  observed cell m p0 p1 (seen_then pre suf s w) <= c0 * observed cell m p0 p1 (seen_then pre' suf' s w).
Proof.
  intros p0 p1 least lo hi c0 cell m u pre suf pre' suf' s w [P [L [N [Z1 [Z2 [Z3 Z4]]]]]] W0 W M1 M2 M1' M2' I N1 N2.
  assert (U : forall a b, moves a -> moves b -> unannounced (seen_then a b s w)).
  { intros. unfold seen_then. repeat (apply unannounced_app); auto using moves_unannounced, unannounced_obs. }
  assert (F : forall a b, moves a -> moves b -> fair (compile cell p0 p1 (seen_then a b s w))) by (intros; apply compile_fair; try lra; apply quiet; auto).
  assert (D : forall a b, moves a -> moves b -> inserts (a ++ b) \/ least = p0 -> draws (fun p => least <= p <= p1) (compile cell p0 p1 (seen_then a b s w))).
  { intros a b A B H. apply compile_draws; auto; [|lra]. destruct H as [H|H]; [left|right; lra]. apply inserts_app in H as [H1 H2].
    unfold seen_then. repeat (apply inserts_app; split); auto using inserts_obs. }
  assert (K : forall a b, moves a -> moves b -> kinds (cell u) (bounded lo hi) (compile cell p0 p1 (seen_then a b s w)) [Sight; Noise]).
  { intros a b A B. unfold seen_then. rewrite compile_moves by auto. cbn [app compile]. change [Sight; Noise] with ([] ++ [Sight; Noise]).
    assert (Q : forall e, moves e -> kinds (cell u) (bounded lo hi) (compile cell p0 p1 e) []) by (intros; now apply pattern_kinds, moves_pattern).
    apply kinds_app; auto. constructor; [intros t T; exact (look_kind _ all s (cell u) t T)|]. rewrite compile_moves by auto. cbn [compile].
    change [Noise] with ([] ++ [Noise]). apply kinds_app; auto. constructor; [intros t T; exact (W t T)|constructor]. }
  unfold observed. apply (joint_private_program p0 p1 least lo hi c0 P L N Z1 Z2 Z3 Z4 m (cell u) _ _ [Sight; Noise]); auto; try (apply D; auto; tauto); try reflexivity.
  - apply neighbours_off. unfold seen_then, neighbours, others in *. rewrite !filter_app. now rewrite N1, N2.
  - apply run_pos; auto. unfold seen_then. rewrite compile_moves by auto. cbn [app compile]. rewrite compile_moves by auto. cbn [compile].
    assert (Q : forall e : list (event R), moves e -> Forall (fun x : op R => match x with See w => forall s, 0 <= w s | _ => True end) (compile cell p0 p1 e))
      by (intros e0 M0; clear - M0; unfold moves in M0; induction M0 as [|x e0 H0 _ IH]; [constructor|]; destruct x; try contradiction; constructor; auto).
    apply Forall_app; split; auto. constructor; [intros t; unfold look, look_at; destruct (same _ _); cbn; lra|]. apply Forall_app; split; auto.
Qed.

(* ---- Laplace noise on scale * (number of ones) + shift, seen in an interval ---- *)
Lemma shifted_in : forall b lo hi d, laplace_in b (lo - d) (hi - d) = RInt (fun x => laplace b (x - d)) lo hi.
Proof.
  intros. unfold laplace_in. assert (C : ex_RInt (laplace b) (1 * lo + - d) (1 * hi + - d)).
  { apply (ex_RInt_continuous (laplace b)). intros z _. apply (continuous_ext (fun x => laplace b (x - 0))); [intros x; f_equal; ring|]. exact (Laplace.density_continuous b 0 z). }
  replace (lo - d) with (1 * lo + - d) by ring. replace (hi - d) with (1 * hi + - d) by ring. rewrite <- (RInt_comp_lin (laplace b) 1 (- d) lo hi C).
  apply RInt_ext. intros x _. transitivity (1 * laplace b (1 * x + - d)); [reflexivity|]. rewrite Rmult_1_l. f_equal. ring.
Qed.
Lemma density_integrable : forall b d lo hi, ex_RInt (fun x => laplace b (x - d)) lo hi.
Proof. intros. apply (ex_RInt_continuous (fun x => laplace b (x - d))). intros. apply Laplace.density_continuous. Qed.
Lemma in_pos : forall b lo hi, 0 < b -> lo <= hi -> 0 <= laplace_in b lo hi.
Proof.
  intros b lo hi B H. replace lo with (lo - 0) by ring. replace hi with (hi - 0) by ring. rewrite shifted_in.
  apply RInt_ge_0; auto using density_integrable. intros. left. now apply Laplace.laplace_pos.
Qed.
Lemma in_ratio : forall b lo hi d e, 0 < b -> lo <= hi -> laplace_in b (lo - d) (hi - d) <= exp (Rabs (d - e) / b) * laplace_in b (lo - e) (hi - e).
Proof.
  intros b lo hi d e B H. rewrite !shifted_in. set (k := exp _).
  assert (E : RInt (fun x => k * laplace b (x - e)) lo hi = k * RInt (fun x => laplace b (x - e)) lo hi) by (apply (RInt_scal (fun x => laplace b (x - e))), density_integrable).
  rewrite <- E. apply RInt_le; auto using density_integrable.
  - apply (ex_RInt_scal (fun x => laplace b (x - e))), density_integrable.
  - intros x _. unfold k. replace (d - e) with (x - e - (x - d)) by ring. now apply Laplace.laplace_ratio.
Qed.
Lemma in_below : forall b lo hi d, 0 < b -> 0 <= d -> lo < hi <= 0 -> laplace_in b (lo - d) (hi - d) = exp (- d / b) * laplace_in b lo hi /\ 0 < laplace_in b lo hi.
Proof.
  intros b lo hi d B D H. replace (laplace_in b lo hi) with (laplace_in b (lo - 0) (hi - 0)) by (f_equal; ring). rewrite !shifted_in.
  assert (E : RInt (fun x => exp (- d / b) * laplace b (x - 0)) lo hi = exp (- d / b) * RInt (fun x => laplace b (x - 0)) lo hi) by (apply (RInt_scal (fun x => laplace b (x - 0))), density_integrable).
  rewrite <- E. split.
  - apply RInt_ext. intros x [_ X]. rewrite Rmax_right in X by lra. assert (Q := cell_tight_below 0 d b x B ltac:(lra)). cbv beta. rewrite Q.
    replace (d - 0) with d by ring. rewrite <- Rmult_assoc, <- exp_plus. replace (- d / b + d / b) with 0 by (field; lra). now rewrite exp_0, Rmult_1_l.
  - apply RInt_gt_0; [lra|intros; now apply Laplace.laplace_pos|intros; apply Laplace.density_continuous].
Qed.
Definition laplace_promise (m : nat) (p0 p1 b scale shift c0 : R) := forall cell u pre suf pre' suf' s lo hi, lo <= hi ->
  moves pre -> moves suf -> moves pre' -> moves suf' -> inserts (pre ++ suf) -> inserts (pre' ++ suf') -> neighbours u pre pre' -> neighbours u suf suf' ->
  observed cell m p0 p1 (seen_then pre suf s (output_in b scale shift lo hi)) <= c0 * observed cell m p0 p1 (seen_then pre' suf' s (output_in b scale shift lo hi)).
Lemma output_bounded : forall b scale shift lo hi c t, 0 < b -> 0 < scale -> lo <= hi -> (c <= length t)%nat ->
  bounded (/ exp (scale / b)) (exp (scale / b)) (fun b' => output_in b scale shift lo hi (ins c b' t)).
Proof.
  intros b scale shift lo hi c t B S H _. unfold bounded, output_in. rewrite !ones_ins, !plus_IZR. set (k := IZR (ones t)). set (d1 := scale * (1 + k) + shift). set (d0 := scale * (0 + k) + shift).
  assert (A1 := in_ratio b lo hi d1 d0 B H). assert (A0 := in_ratio b lo hi d0 d1 B H).
  replace (Rabs (d1 - d0)) with scale in A1 by (unfold d1, d0; rewrite Rabs_pos_eq; lra). replace (Rabs (d0 - d1)) with scale in A0 by (unfold d1, d0; rewrite Rabs_left1; lra).
  assert (P := exp_pos (scale / b)). repeat split; auto; try (apply in_pos; lra).
  apply Rmult_le_reg_l with (exp (scale / b)); auto. rewrite <- Rmult_assoc, Rinv_r by lra. lra.
Qed.
Lemma ones_below : forall b scale shift (m : nat), 0 < b -> 0 < scale -> (1 <= m)%nat -> let w := output_in b scale shift (shift - 1) shift in
  w (one_bit m 0 false) = exp (scale / b) * w (one_bit m 0 true) /\ 0 < w (one_bit m 0 true).
Proof.
  intros b scale shift m B S M w. unfold w, output_in. rewrite !ones_bit by lia. destruct (in_below b (-1) 0 scale B ltac:(lra) ltac:(lra)) as [E P].
  replace (shift - 1 - (scale * 1 + shift)) with (-1 - scale) by ring. replace (shift - (scale * 1 + shift)) with (0 - scale) by ring.
  replace (shift - 1 - (scale * 0 + shift)) with (-1) by ring. replace (shift - (scale * 0 + shift)) with 0 by ring. rewrite E.
  rewrite <- Rmult_assoc, <- exp_plus. replace (scale / b + - scale / b) with 0 by (field; lra). rewrite exp_0, Rmult_1_l. split; auto.
  apply Rmult_lt_0_compat; auto using exp_pos.
Qed.
(* Of a state at an intrusion and an interval of outputs the loss is at most log c0 if and only if two numbers are at most c0. *)
(** claim: joint_loss.tight *)
Theorem laplace_joint : forall m p0 p1 b scale shift c0, (1 <= m)%nat -> 0 < p0 /\ p0 < p1 /\ p1 < 1 -> 0 < b -> 0 < scale -> let r := exp (scale / b) in
  (laplace_promise m p0 p1 b scale shift c0 <-> (1 - p0) / (1 - p1) * (1 - p1 + p1 * r) <= c0 /\ p1 / p0 * (p1 + (1 - p1) * r) <= c0).
Proof.
  intros m p0 p1 b scale shift c0 M P B S r. assert (R1 : 1 <= r) by (unfold r; rewrite <- exp_0; apply exp_grows; left; now apply Rdiv_lt_0_compat). split.
  - intros H. split; apply Rnot_lt_le; intros C.
    + destruct (breaks_by_zero p0 p1 b scale shift c0 m P B S M C) as [u [pre [suf [pre' [suf' [s [lo [hi [_ [L [N1 [N2 [M1 [M2 [M1' [M2' [I [I' [_ V]]]]]]]]]]]]]]]]]]].
      apply (Rlt_not_le _ _ V). exact (H (fun v => v) u pre suf pre' suf' s lo hi (Rlt_le _ _ L) M1 M2 M1' M2' I I' N1 N2).
    + destruct (ones_below b scale shift m B S M) as [E V]. set (w := output_in b scale shift (shift - 1) shift) in *.
      specialize (H (fun v => v) 0%nat [Enter 0%nat] [Enter 0%nat] [] [] (one_bit m 0 true) (shift - 1) shift ltac:(lra)
        ltac:(repeat constructor) ltac:(repeat constructor) ltac:(constructor) ltac:(constructor) ltac:(repeat constructor) ltac:(constructor) eq_refl eq_refl).
      unfold seen_then in H. rewrite !alone_event in H by (try lia; repeat constructor). fold w in H. unfold last_draw in H; cbn [fold_left step pr after] in H. rewrite E in H.
      fold r in H. set (k := rest_zero p0 m) in *. assert (K : 0 < k) by (unfold k, rest_zero; apply pow_lt; lra). set (v := w (one_bit m 0 true)) in *.
      assert (0 < k * (p0 * v)) by (apply Rmult_lt_0_compat; [auto|apply Rmult_lt_0_compat; lra]).
      apply (Rmult_lt_compat_r (k * (p0 * v))) in C; [|auto].
      replace (p1 / p0 * (p1 + (1 - p1) * r) * (k * (p0 * v))) with (k * (p1 * (p1 * v + (1 - p1) * (r * v)))) in C by (field; lra). lra.
  - intros [H1 H2] cell u pre suf pre' suf' s lo hi L M1 M2 M1' M2' I I' N1 N2.
    apply (any_output p0 p1 p1 (/ r) r c0 cell m u); auto.
    + apply (two_ratios false); auto.
    + intros t. apply in_pos; lra.
    + intros t T. now apply output_bounded.
Qed.
(* If p0 + p1 >= 1, the first of the two numbers is the largest. *)
Lemma first_is_larger : forall p0 p1 r, 0 < p0 /\ p0 < p1 /\ p1 < 1 -> 1 <= p0 + p1 -> 1 <= r -> p1 / p0 * (p1 + (1 - p1) * r) <= (1 - p0) / (1 - p1) * (1 - p1 + p1 * r).
Proof.
  intros p0 p1 r P S R1. apply Rmult_le_reg_r with (p0 * (1 - p1)); [nra|].
  replace (p1 / p0 * (p1 + (1 - p1) * r) * (p0 * (1 - p1))) with (p1 * (1 - p1) * (p1 + (1 - p1) * r)) by (field; lra).
  replace ((1 - p0) / (1 - p1) * (1 - p1 + p1 * r) * (p0 * (1 - p1))) with (p0 * (1 - p0) * (1 - p1 + p1 * r)) by (field; lra).
  apply Rmult_le_compat; try nra.
Qed.
(** claim: joint_loss.tight *)
Theorem heavy_joint : forall m p0 p1 b scale shift c0, (1 <= m)%nat -> 0 < p0 /\ p0 < p1 /\ p1 < 1 -> 1 <= p0 + p1 -> 0 < b -> 0 < scale ->
  (laplace_promise m p0 p1 b scale shift c0 <-> (1 - p0) / (1 - p1) * (1 - p1 + p1 * exp (scale / b)) <= c0).
Proof.
  intros m p0 p1 b scale shift c0 M P H B S. rewrite laplace_joint by auto.
  assert (R1 : 1 <= exp (scale / b)) by (rewrite <- exp_0; apply exp_grows; left; now apply Rdiv_lt_0_compat).
  assert (L := first_is_larger p0 p1 _ P H R1). split; [tauto|]. intros Q. split; auto. lra.
Qed.
(* Algorithm 1, and the lecture *)
(** claim: density.dwork_privacy, lecture.privacy *)
Theorem dwork_loss : forall eps m c0, 0 < eps < 2 -> (1 <= m)%nat ->
  (laplace_promise m (1 / 2) (1 / 2 + eps / 4) (/ (eps * INR m)) (4 / (eps * INR m)) (- (2 / eps)) c0 <->
   (2 - eps + (2 + eps) * exp 4) / (2 * (2 - eps)) <= c0).
Proof.
  intros eps m c0 E M. assert (P : 0 < INR m) by (apply lt_0_INR; lia).
  rewrite heavy_joint; auto; try lra; [|apply Rinv_0_lt_compat; nra|apply Rdiv_lt_0_compat; nra].
  replace (4 / (eps * INR m) / / (eps * INR m)) with 4 by (field; split; lra).
  replace ((1 - 1 / 2) / (1 - (1 / 2 + eps / 4)) * (1 - (1 / 2 + eps / 4) + (1 / 2 + eps / 4) * exp 4)) with ((2 - eps + (2 + eps) * exp 4) / (2 * (2 - eps))) by (field; lra).
  tauto.
Qed.
(* Algorithm 2; eta is the weight of a bit in the output, in units of the scale of the noise *)
(** claim: density.optbern_privacy *)
Theorem optimal_bernoulli_loss : forall eps m c0, 0 < eps -> (1 <= m)%nat -> let t := tanh_half eps in let eta := eps / t in
  (laplace_promise m (1 / 2 * (1 - t)) (1 / 2 * (1 + t)) (/ (eps * INR m)) (/ (INR m * (2 * (1 / 2) * t))) (- (1 / 2 * (1 - t) / (2 * (1 / 2) * t))) c0 <->
   exp eps * ((1 + exp (eps + eta)) / (1 + exp eps)) <= c0).
Proof.
  intros eps m c0 E M t eta. destruct (tanh_range eps E) as [[T1 T2] T3]. fold t in T1, T2, T3. assert (P : 0 < INR m) by (apply lt_0_INR; lia).
  assert (X : 1 + eps < exp eps) by (apply exp_ineq1; lra).
  rewrite heavy_joint; auto; try lra; [|apply Rinv_0_lt_compat; nra|apply Rinv_0_lt_compat; apply Rmult_lt_0_compat; lra].
  replace (/ (INR m * (2 * (1 / 2) * t)) / / (eps * INR m)) with eta by (unfold eta; field; lra). rewrite exp_plus.
  assert (Ht : t = (exp eps - 1) / (exp eps + 1)) by reflexivity.
  replace ((1 - 1 / 2 * (1 - t)) / (1 - 1 / 2 * (1 + t)) * (1 - 1 / 2 * (1 + t) + 1 / 2 * (1 + t) * exp eta)) with (exp eps * ((1 + exp eps * exp eta) / (1 + exp eps))); [tauto|].
  rewrite Ht. field. lra.
Qed.

(* ---- controls ---- *)
(* for one user and epsilon = 1 the loss is log((1 + 3 e^4)/2), and not log(1 + 2 e^4) or less *)
(** mutant: dwork_loss, heavy_joint *)
Example not_two_epsilon : forall c0, c0 < (1 + 3 * exp 4) / 2 -> ~ laplace_promise 1 (1 / 2) (3 / 4) 1 4 (- 2) c0.
Proof.
  intros c0 C H. assert (D := dwork_loss 1 1 c0 ltac:(lra) ltac:(lia)). cbn [INR] in D. replace (1 / 2 + 1 / 4) with (3 / 4) in D by field.
  replace (/ (1 * 1)) with 1 in D by field. replace (4 / (1 * 1)) with 4 in D by field. replace (- (2 / 1)) with (- 2) in D by field. apply D in H. lra.
Qed.
(* for one user and exp(epsilon) = 3 the ratio is 21, above the printed 9 *)
(** mutant: optimal_bernoulli_loss *)
Example twenty_one : forall c0, c0 < 21 -> ~ laplace_promise 1 (1 / 4) (3 / 4) (/ ln 3) 2 (- (1 / 2)) c0.
Proof.
  intros c0 C H. assert (L : 0 < ln 3) by (rewrite <- ln_1; apply ln_increasing; lra). assert (D := optimal_bernoulli_loss (ln 3) 1 c0 L ltac:(lia)). cbv zeta in D.
  assert (T : tanh_half (ln 3) = 1 / 2) by (unfold tanh_half; rewrite exp_ln by lra; field). rewrite T in D. cbn [INR] in D. rewrite Rmult_1_r in D.
  replace (1 / 2 * (1 - 1 / 2)) with (1 / 4) in D by field. replace (1 / 2 * (1 + 1 / 2)) with (3 / 4) in D by field.
  replace (/ (1 * (2 * (1 / 2) * (1 / 2)))) with 2 in D by field. replace (- (1 / 4 / (2 * (1 / 2) * (1 / 2)))) with (- (1 / 2)) in D by field.
  replace (ln 3 + ln 3 / (1 / 2)) with (ln 3 + ln 3 + ln 3) in D by field. rewrite !exp_plus, !exp_ln in D by lra. apply D in H. lra.
Qed.
(* where p0 + p1 < 1 the first of the two numbers alone is too small *)
(** mutant: laplace_joint *)
Example both_numbers_needed : ~ (forall m p0 p1 b scale shift c0, (1 <= m)%nat -> 0 < p0 /\ p0 < p1 /\ p1 < 1 -> 0 < b -> 0 < scale ->
  (1 - p0) / (1 - p1) * (1 - p1 + p1 * exp (scale / b)) <= c0 -> laplace_promise m p0 p1 b scale shift c0).
Proof.
  intros H. assert (R := exp_ineq1 (1 / 1) ltac:(lra)).
  specialize (H 1%nat (1 / 10) (1 / 5) 1 1 0 _ ltac:(lia) ltac:(lra) ltac:(lra) ltac:(lra) (Rle_refl _)). apply laplace_joint in H; try lia; lra.
Qed.
(* streams that are no neighbours: two users appear in one of them *)
(** mutant: any_output *)
Example any_output_needs_neighbours : ~ (forall pre pre' s, inserts pre -> inserts pre' -> moves pre -> moves pre' ->
  observed (fun v => v) 2 (1 / 4) (3 / 4) (seen_then pre [] s (fun _ => 1)) <= 3 * observed (fun v => v) 2 (1 / 4) (3 / 4) (seen_then pre' [] s (fun _ => 1))).
Proof.
  intros H. specialize (H [Enter 0%nat; Enter 1%nat] [] [true; true] ltac:(repeat constructor) ltac:(constructor) ltac:(repeat constructor) ltac:(constructor)).
  unfold seen_then, observed in H. cbn [app compile repeat] in H. rewrite !mass_draw, !mass_look in H by reflexivity. cbn in H. lra.
Qed.
(* an instance: the weight of what is seen at the end is one, and the ratio 3 is kept *)
(** instance: any_output *)
Example state_alone : keeps (1 / 4) (3 / 4) (3 / 4) 1 1 3 /\ (forall t c, bounded 1 1 (fun b => (fun _ : state => 1) (ins c b t))) /\
  observed (fun v => v) 1 (1 / 4) (3 / 4) (seen_then [Enter 0%nat] [] [true] (fun _ => 1)) = 3 / 4.
Proof. unfold keeps, bounded, seen_then, observed. cbn [app compile repeat]. rewrite mass_draw, mass_look by reflexivity. cbn. repeat split; lra. Qed.
