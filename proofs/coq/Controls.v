(* Controls of the density family. A mutant is a theorem with a smaller constant, or without one of its hypotheses: its
   negation is proved. An instance is computed: the hypotheses can be met, and both sides are positive. *)
From Coq Require Import Reals Psatz Lra List Bool ZArith Lia.
From Pan Require Import Semantics OneCell JointLoss Streams Attained Releases Tanh.
Import ListNotations.
Open Scope R_scope.

(* ---- an instance: p0 = 1/4, p1 = 3/4, noise with up = down = 1/2 ---- *)
Lemma half_ratios : ratios (/ 2) 2 (geometric (/ 2) (/ 2)).
Proof. replace 2 with (/ / 2) at 2 by field. apply geometric_ratios; lra. Qed.
(** instance: joint_private, one_cell, shards_and_levels, geometric_promise, replaced_user *)
Theorem keeps_21_4 : keeps (1 / 4) (3 / 4) (3 / 4) (/ 2) 2 (21 / 4) /\ keeps (1 / 4) (3 / 4) (1 / 4) (/ 2) 2 (21 / 4).
Proof. unfold keeps. repeat split; lra. Qed.
Definition see (p0 p1 : R) (m : nat) (pre suf : list (event R)) (b : bool) (y : Z) :=
  observed (fun v => v) m p0 p1 (seen_once pre suf (one_bit m 0 b) (geometric (/ 2) (/ 2)) y).
Lemma see_mass : forall p0 p1 m pre suf b y, (0 < m)%nat -> by_user 0 pre -> by_user 0 suf -> see p0 p1 m pre suf b y =
  rest_zero p0 m * (pr (match last_draw p0 p1 pre None with Some d => d | None => p0 end) b *
    after (last_draw p0 p1 suf None) b (fun d : bool => if d then geometric (/ 2) (/ 2) (y - 1) else geometric (/ 2) (/ 2) y)).
Proof. intros. unfold see. now rewrite alone_mass. Qed.
(** instance: intrusion_and_release, zero_up_attained *)
Theorem attained_21_4 : see (1 / 4) (3 / 4) 1 [] [Enter 0%nat] false 1 = 21 / 32 /\ see (1 / 4) (3 / 4) 1 [Enter 0%nat] [] false 1 = 1 / 8.
Proof.
  rewrite !see_mass by (auto; repeat constructor). unfold last_draw, rest_zero, geometric. cbn [fold_left step pr after pred pow].
  change (1 - 1)%Z with 0%Z. cbn [Z.leb Z.compare Z.to_nat]. change (Pos.to_nat 1) with 1%nat. cbn [pow]. lra.
Qed.

(* ---- mutants of the joint loss ---- *)
(* a smaller constant *)
(** mutant: intrusion_and_release, joint_private *)
Theorem no_smaller_constant : forall c0, c0 < 21 / 4 -> ~ promise false (1 / 4) (3 / 4) c0 (geometric (/ 2) (/ 2)).
Proof.
  intros c0 C H. apply (geometric_promise false (1 / 4) (3 / 4) c0 (/ 2) (/ 2)) in H; lra.
Qed.
(* the sum of the losses of the state alone and of the output alone is no bound of deletions with an asymmetric pair: the
   constant for insertions is too small where users can be deleted *)
(** mutant: geometric_promise *)
Theorem deletions_cost : promise false (1 / 4) (1 / 2) (21 / 8) (geometric (/ 2) (/ 2)) -> False.
Proof.
  intros H. apply (geometric_promise false (1 / 4) (1 / 2) (21 / 8) (/ 2) (/ 2)) in H; lra.
Qed.
(** mutant: geometric_promise *)
Theorem deletions_cost_more : promise false (1 / 4) (1 / 2) 3 (geometric (/ 2) (/ 2)) /\ ~ promise true (1 / 4) (1 / 2) 3 (geometric (/ 2) (/ 2)).
Proof.
  split.
  - apply geometric_promise; lra.
  - intros H. apply (geometric_promise true (1 / 4) (1 / 2) 3 (/ 2) (/ 2)) in H; lra.
Qed.
(* without neighbours: two users appear in one stream, and none in the other *)
Definition two (e : list (event R)) := observed (fun v => v) 2 (1 / 4) (3 / 4) (seen_once e [] [true; true] (geometric (/ 2) (/ 2)) 3).
(** mutant: intrusion_and_release, one_cell *)
Theorem neighbours_needed : ~ (forall e e' : list (event R), inserts e -> inserts e' -> two e <= 21 / 4 * two e').
Proof.
  intros H. assert (I : inserts ([Enter 0%nat; Enter 1%nat] : list (event R))) by repeat constructor. assert (I0 : inserts ([] : list (event R))) by constructor.
  specialize (H _ _ I I0). unfold two, seen_once, observed in H. cbn [app compile repeat] in H. rewrite !mass_draw in H. cbn [put] in H.
  rewrite !mass_look in H by reflexivity. cbn [prob pr run] in H. unfold release, release_of in H. cbn [part all ones andb] in H.
  change (3 - (1 + (1 + 0)))%Z with 1%Z in H. unfold geometric in H. cbn [Z.leb Z.compare Z.to_nat mul one reals] in H.
  change (Pos.to_nat 1) with 1%nat in H. cbn [pow] in H. lra.
Qed.
(* two intrusions that are not announced: a bit that changes between them tells all *)
Definition twice (e : list (event R)) := observed (fun v => v) 1 (1 / 4) (3 / 4) ([Obs (look [false])] ++ e ++ [Obs (look [true])]).
(** mutant: joint_private, releases_private, shards_and_levels *)
Theorem one_sight_needed : forall c0, ~ (forall e e', neighbours 0 e e' -> inserts e -> inserts e' -> twice e <= c0 * twice e').
Proof.
  intros c0 H. assert (I : inserts ([Enter 0%nat] : list (event R))) by repeat constructor. assert (I0 : inserts ([] : list (event R))) by constructor.
  specialize (H [Enter 0%nat] [] eq_refl I I0). unfold twice, observed in H. cbn [app compile repeat] in H.
  rewrite !mass_look in H by reflexivity. cbn [prob pr run] in H. unfold mix, look, look_at in H. cbn [part all andb set] in H.
  unfold same in H. cbn in H. lra.
Qed.
(* noise whose ratio is larger than stated *)
(** mutant: releases_private *)
Theorem one_release_less : ~ (forall e e', neighbours 0 e e' -> unannounced e -> unannounced e' ->
  observed (fun v => v) 1 (1 - 3 / 4) (3 / 4) (e ++ releases (geometric (/ 2) (/ 2)) 1 2) <=
  3 / 4 / (1 - 3 / 4) * (1 - 3 / 4 + 3 / 4 * 2 ^ 1) * observed (fun v => v) 1 (1 - 3 / 4) (3 / 4) (e' ++ releases (geometric (/ 2) (/ 2)) 1 2)).
Proof.
  intros H. set (l := Obs (look (one_bit 1 0 false)) : event R).
  assert (U : unannounced [l; Enter 0%nat]) by repeat constructor. assert (U' : unannounced [Enter 0%nat; l]) by repeat constructor.
  specialize (H [l; Enter 0%nat] [Enter 0%nat; l] eq_refl U U').
  assert (E : geometric (/ 2) (/ 2) (1 - 1) = 2 * geometric (/ 2) (/ 2) 1) by (rewrite geometric_up by (lra || lia); field).
  assert (A := releases_attained (3 / 4) 2 2 1 0 (geometric (/ 2) (/ 2)) 1 ltac:(lra) ltac:(lia) E). cbv zeta in A. cbn [app] in A, H. fold l in A.
  rewrite A in H.
  assert (0 < observed (fun v => v) 1 (1 - 3 / 4) (3 / 4) (Enter 0%nat :: l :: releases (geometric (/ 2) (/ 2)) 1 2)).
  { unfold observed, l, releases. cbn [compile repeat]. rewrite mass_draw, mass_look by reflexivity. cbn [put prob one_bit repeat set pr run].
    unfold release, release_of. cbn [part all andb ones mul one reals]. assert (G := geometric_pos (/ 2) (/ 2) 1 ltac:(lra) ltac:(lra)).
    change (1 - (0 + 0))%Z with 1%Z. nra. }
  nra.
Qed.
(** instance: releases_private *)
Theorem three_releases : 3 / 4 / (1 - 3 / 4) * (1 - 3 / 4 + 3 / 4 * 2 ^ 3) = 75 / 4.
Proof. field. Qed.

(* ---- mutants of the best pair ---- *)
(** mutant: largest_gap *)
Theorem gap_not_smaller : forall g, g < 1 / 2 -> ~ (forall p q, private 3 p q -> Rabs (q - p) <= g).
Proof.
  intros g G H. destruct (tanh_pair_private 3 ltac:(lra)) as [A _]. specialize (H _ _ A). unfold high, low in H.
  replace (3 / (1 + 3) - 1 / (1 + 3)) with (1 / 2) in H by field. rewrite Rabs_pos_eq in H; lra.
Qed.
(** mutant: least_variance *)
Theorem variance_not_larger : forall v, 3 / 4 < v -> ~ (forall p q d, private 3 p q -> p <> q -> 0 <= d <= 1 -> v <= variance p q d).
Proof.
  intros v V H. destruct (tanh_pair_private 3 ltac:(lra)) as [A _].
  specialize (H _ _ 0 A ltac:(unfold low, high; lra) ltac:(lra)). rewrite (tanh_variance 3) in H by lra. lra.
Qed.
(* without the outcome 0, as the family of section 4.2 is printed, a wider pair passes *)
(** mutant: largest_gap *)
Theorem both_outcomes_needed : ~ (forall p q, 0 <= p <= 1 -> 0 <= q <= 1 -> q <= 3 * p -> p <= 3 * q -> Rabs (q - p) <= (3 - 1) / (3 + 1)).
Proof. intros H. specialize (H (1 / 3) 1 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)). rewrite Rabs_pos_eq in H; lra. Qed.
(** mutant: centre *)
Theorem centre_above_half : ~ private 3 (4 / 5 * (1 - 1 / 5)) (4 / 5 * (1 + 1 / 5)).
Proof. unfold private. intros H. lra. Qed.
(** instance: least_variance, largest_gap, largest_gap_unique, least_variance_unique, tanh_pair_private, tanh_variance, centre *)
Theorem pair_at_three : private 3 (1 / 4) (3 / 4) /\ variance (1 / 4) (3 / 4) 0 = 3 / 4 /\ variance (1 / 4) (3 / 4) 1 = 3 / 4.
Proof. unfold private, variance. repeat split; lra. Qed.
(** mutant: least_variance_unique, largest_gap_unique, mirrored_gap_unique *)
Theorem mirror_is_as_good : private 3 (3 / 4) (1 / 4) /\ variance (3 / 4) (1 / 4) 0 = 3 / ((3 - 1) * (3 - 1)) /\ 3 / 4 <> low 3.
Proof. unfold private, variance, low. repeat split; lra. Qed.
(** mutant: tanh_pair_private *)
Theorem no_wider_pair : forall d, 0 < d -> ~ private 3 (low 3 - d) (high 3 + d).
Proof. intros d D H. unfold private, low, high in H. lra. Qed.
