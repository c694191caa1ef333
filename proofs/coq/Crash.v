(* Updates that are lost after a crash: the bits are replaced by an earlier copy that nobody has read. Made again, the
   updates cost nothing; lost, they cost as much as deletions. Claim: distinct.joint_privacy. *)
From Coq Require Import Reals Psatz Lra List Bool ZArith Lia.
From Pan Require Import Semantics OneCell JointLoss Streams Attained.
Import ListNotations.
Open Scope R_scope.

Inductive step2 := Live (o : op R) | Save | Restore.
Fixpoint run2 (o : list step2) (s copy : state) : R :=
  match o with
  | [] => 1
  | Live (Draw u p) :: t => p * run2 t (set u true s) copy + (1 - p) * run2 t (set u false s) copy
  | Live (Flip p) :: t => flipped p s (fun v => run2 t v copy)
  | Live (See w) :: t => w s * run2 t s copy
  | Save :: t => run2 t s s
  | Restore :: t => run2 t copy copy
  end.
Definition mass2 (ps : list R) (o : list step2) := expect ps (fun s => run2 o s s).
(* without a crash this is the semantics of programs *)
(** claim: distinct.joint_privacy *)
Theorem no_crash : forall ps o, mass2 ps (map Live o) = mass ps o.
Proof.
  intros. unfold mass2, mass. apply expect_ext. intros t _. generalize t at 2. revert t.
  induction o as [|[u p|p|w] o IH]; intros s copy; cbn [map run2 run].
  - reflexivity. - unfold mix; cbn. now rewrite !IH. - apply flipped_ext. intros. apply IH. - cbn. now rewrite IH.
Qed.
(* One user with one cell touches it, or not, between the copy and the intrusion, after which the copy is restored. *)
Definition crash (p1 : R) (touched again : bool) (b : bool) (f : Z -> R) (y : Z) : list step2 :=
  let touch := if touched then [Live (Draw 0 p1)] else [] in
  Save :: touch ++ [Live (See (look [b])); Restore] ++ (if again then touch else []) ++ [Live (See (release f y))].
Lemma crash_mass : forall p0 p1 touched again b f y, mass2 [p0] (crash p1 touched again b f y) =
  if touched then pr p1 b * (if again then p1 * f (y - 1)%Z + (1 - p1) * f y else p0 * f (y - 1)%Z + (1 - p0) * f y)
  else pr p0 b * f (y - (if b then 1 else 0))%Z.
Proof.
  intros p0 p1 [] again b f y; unfold mass2, crash, mix, look, release, look_at, release_of; cbn [expect app run2 set part all andb ones map];
    unfold mix, same; cbn [add mul sub one zero reals]; destruct again, b; cbn; rewrite ?Z.sub_0_r; try replace (y - (1 + 0))%Z with (y - 1)%Z by lia; try ring.
Qed.
(* Made again: what is seen has the distribution of a user who touches the cell before and after the intrusion. *)
(** claim: distinct.joint_privacy *)
Theorem made_again : forall p0 p1 b f y, mass2 [p0] (crash p1 true true b f y) =
  observed (fun v => v) 1 p0 p1 (seen_once [Enter 0%nat] [Enter 0%nat] [b] f y).
Proof.
  intros. rewrite crash_mass. change [b] with (one_bit 1 0 b). rewrite alone_mass by (auto; repeat constructor).
  unfold last_draw, rest_zero. cbn [fold_left step pr after pred pow]. ring.
Qed.
(* Lost: the ratio is that of a deletion. Where the noise is the least for a seen one, it exceeds the promise. *)
(** refutation: distinct.joint_privacy *)
Theorem lost_updates : forall p0 p1 lo f y, 0 < p0 /\ p0 < p1 /\ p1 < 1 -> 0 < lo < 1 -> f (y - 1)%Z = lo * f y -> 0 < f y ->
  let c0 := p1 / p0 * (p1 + (1 - p1) / lo) in
  mass2 [p0] (crash p1 true false true f y) = p1 / p0 * (p0 + (1 - p0) / lo) * mass2 [p0] (crash p1 false false true f y) /\
  c0 * mass2 [p0] (crash p1 false false true f y) < mass2 [p0] (crash p1 true false true f y).
Proof.
  intros p0 p1 lo f y P L E F c0. rewrite !crash_mass. cbn [pr]. rewrite E.
  split; [field; lra|]. unfold c0. replace (p1 / p0 * (p1 + (1 - p1) / lo) * (p0 * (lo * f y))) with (p1 * f y * (p1 * lo + (1 - p1))) by (field; lra).
  replace (p1 * (p0 * (lo * f y) + (1 - p0) * f y)) with (p1 * f y * (p0 * lo + (1 - p0))) by ring.
  apply Rmult_lt_compat_l; [apply Rmult_lt_0_compat; lra|]. nra.
Qed.
(** instance: lost_updates *)
Example lost_at_a_fifth : 2 / 5 / (1 / 5) * (2 / 5 + (1 - 2 / 5) / (6 / 11)) = 3 /\ 2 / 5 / (1 / 5) * (1 / 5 + (1 - 1 / 5) / (6 / 11)) = 10 / 3.
Proof. split; field. Qed.
(** mutant: made_again *)
Example not_lost : ~ (forall b f y, mass2 [1 / 5] (crash (2 / 5) true false b f y) =
  observed (fun v => v) 1 (1 / 5) (2 / 5) (seen_once [Enter 0%nat] [Enter 0%nat] [b] f y)).
Proof.
  intros H. specialize (H true (fun z => if Z.eqb z 0 then 1 else 0) 1%Z). rewrite <- made_again, !crash_mass in H. cbn in H. lra.
Qed.
(* a copy that is brought back matters *)
(** mutant: no_crash *)
Example a_copy_matters : ~ (forall ps before after, mass2 ps (Save :: map Live before ++ Restore :: map Live after) = mass ps (before ++ after)).
Proof.
  intros H. specialize (H [1 / 4] [Draw 0 1] [See (look [true])]). unfold mass2, mass, look, look_at, same, mix in H. cbn in H. unfold mix in H. cbn in H. lra.
Qed.
