(* Updates that are lost after a crash: the bits are replaced by an earlier copy that nobody has read. Made again, the
   updates cost nothing; lost, they cost as much as deletions. Claim: distinct.joint_privacy. *)
From Coq Require Import Reals Psatz Lra List Bool ZArith Lia.
From Pan Require Import Semantics OneCell JointLoss Streams Attained Refuted.
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
(* A user touches a cell, or not, between the copy and the intrusion, which sees the cell's bit b and zeros of n other cells; then
   the copy is restored. *)
Definition zeros (n : nat) (b : bool) : state := b :: repeat false n.
Definition crash (p1 : R) (n : nat) (touched again : bool) (b : bool) (f : Z -> R) (y : Z) : list step2 :=
  let touch := if touched then [Live (Draw 0 p1)] else [] in
  Save :: touch ++ [Live (See (look (zeros n b))); Restore] ++ (if again then touch else []) ++ [Live (See (release f y))].
Lemma expect_look : forall p n (g : state -> R), expect (repeat p n) (fun t => (if same (repeat false n) t then 1 else 0) * g t) = (1 - p) ^ n * g (repeat false n).
Proof.
  intros p. induction n; intros g; [cbn; ring|]. cbn [repeat expect]. unfold mix; cbn [add sub mul one reals].
  rewrite (expect_zero _ (fun t => _ * g (true :: t))) by (intros; rewrite same_cons; cbn; ring).
  rewrite (expect_ext _ (fun t => _ * g (false :: t)) (fun t => (if same (repeat false n) t then 1 else 0) * g (false :: t))) by (intros; now rewrite same_cons).
  rewrite IHn. cbn [pow]. ring.
Qed.
Lemma crash_mass : forall p0 p1 n touched again b f y, mass2 (repeat p0 (S n)) (crash p1 n touched again b f y) = (1 - p0) ^ n *
  if touched then pr p1 b * (if again then p1 * f (y - 1)%Z + (1 - p1) * f y else p0 * f (y - 1)%Z + (1 - p0) * f y)
  else pr p0 b * f (y - (if b then 1 else 0))%Z.
Proof.
  intros p0 p1 n touched again b f y.
  assert (W : forall c v, look (zeros n b) (c :: v) = (if Bool.eqb b c then 1 else 0) * (if same (repeat false n) v then 1 else 0)).
  { intros c v. unfold look, look_at, zeros. rewrite part_all, same_cons by auto. destruct (Bool.eqb b c), (same _ v); cbn; ring. }
  set (rel := fun c (v : state) => release f y (c :: v)).
  assert (E : forall c, rel c (repeat false n) = f (y - (if c then 1 else 0))%Z).
  { intros c. unfold rel, release, release_of. rewrite part_all by auto. cbn [ones]. assert (Z : ones (repeat false n) = 0%Z) by (clear; induction n; cbn; auto). rewrite Z. destruct c; f_equal; lia. }
  assert (X : forall (k : state -> R) c, (forall v, run2 (match crash p1 n touched again b f y with _ :: t => t | [] => [] end) (c :: v) (c :: v) = (if same (repeat false n) v then 1 else 0) * k v) ->
    expect (repeat p0 n) (fun v => run2 (crash p1 n touched again b f y) (c :: v) (c :: v)) = (1 - p0) ^ n * k (repeat false n)).
  { intros k c H. rewrite <- expect_look. apply expect_ext. intros v _. rewrite <- H. reflexivity. }
  unfold mass2. cbn [repeat expect]. unfold mix; cbn [add sub mul one reals].
  set (k := fun c v => if touched then pr p1 b * (if again then p1 * rel true v + (1 - p1) * rel false v else rel c v) else (if Bool.eqb b c then 1 else 0) * rel c v).
  assert (K : forall c v, run2 (match crash p1 n touched again b f y with _ :: t => t | [] => [] end) (c :: v) (c :: v) = (if same (repeat false n) v then 1 else 0) * k c v).
  { intros c v. unfold crash, k, rel. destruct touched, again; cbn [app run2 set]; rewrite ?W; destruct b, c; cbn [Bool.eqb pr]; ring. }
  rewrite (X (k true) true (K true)), (X (k false) false (K false)). unfold k. rewrite !E, !Z.sub_0_r. destruct touched, again, b; cbn [Bool.eqb pr]; rewrite ?Z.sub_0_r; ring.
Qed.
(* Made again: what is seen has the distribution of a user who touches the cell before and after the intrusion. *)
(** claim: distinct.joint_privacy *)
Theorem made_again : forall p0 p1 n b f y, mass2 (repeat p0 (S n)) (crash p1 n true true b f y) =
  observed (fun v => v) (S n) p0 p1 (seen_once [Enter 0%nat] [Enter 0%nat] (zeros n b) f y).
Proof.
  intros. rewrite crash_mass. change (zeros n b) with (one_bit (S n) 0 b). rewrite alone_mass by (try lia; repeat constructor).
  unfold last_draw, rest_zero. cbn [fold_left step pr after pred]. reflexivity.
Qed.
(* Lost: it has that of a user who touches the cell before and is deleted after the intrusion. *)
(** claim: distinct.joint_privacy *)
Theorem lost_is_deleted : forall p0 p1 n b f y, mass2 (repeat p0 (S n)) (crash p1 n true false b f y) =
  observed (fun v => v) (S n) p0 p1 (seen_once [Enter 0%nat] [Leave 0%nat] (zeros n b) f y).
Proof.
  intros. rewrite crash_mass. change (zeros n b) with (one_bit (S n) 0 b). rewrite alone_mass by (try lia; repeat constructor).
  unfold last_draw, rest_zero. cbn [fold_left step pr after pred]. reflexivity.
Qed.
(* So the ratio is that of a deletion, for every number of cells, and exceeds that of insertions c0 for the same event. *)
(** refutation: distinct.joint_privacy *)
Theorem lost_updates : forall p0 p1 n lo f y, 0 < p0 /\ p0 < p1 /\ p1 < 1 -> 0 < lo < 1 -> f (y - 1)%Z = lo * f y -> 0 < f y ->
  let lost := mass2 (repeat p0 (S n)) (crash p1 n true false true f y) in let never := mass2 (repeat p0 (S n)) (crash p1 n false false true f y) in
  let c0 := p1 / p0 * (p1 + (1 - p1) / lo) in
  0 < never /\ lost = p1 / p0 * (p0 + (1 - p0) / lo) * never /\ c0 * never < lost.
Proof.
  intros p0 p1 n lo f y P L E F lost never c0. unfold lost, never. rewrite !crash_mass. cbn [pr]. rewrite E. assert (K : 0 < (1 - p0) ^ n) by (apply pow_lt; lra). set (k := (1 - p0) ^ n) in *.
  split; [apply Rmult_lt_0_compat; auto; apply Rmult_lt_0_compat; [lra|apply Rmult_lt_0_compat; lra]|]. split; [field; lra|].
  unfold c0. replace (p1 / p0 * (p1 + (1 - p1) / lo) * (k * (p0 * (lo * f y)))) with (k * (p1 * f y) * (p1 * lo + (1 - p1))) by (field; lra).
  replace (k * (p1 * (p0 * (lo * f y) + (1 - p0) * f y))) with (k * (p1 * f y) * (p0 * lo + (1 - p0))) by ring.
  apply Rmult_lt_compat_l; [apply Rmult_lt_0_compat; auto; apply Rmult_lt_0_compat; lra|]. nra.
Qed.
(* The counter that is shipped for 8 KiB, ten thousand to a billion users and the promise 1: its pair to eight places, and noise
   for which a seen one costs the promise without a crash, to five places. With lost updates it costs between 1.056 and 1.058. *)
Definition shipped0 := 27044492 / 100000000.
Definition shipped1 := 70625107 / 100000000.
Lemma exp_below : forall x, 0 < x < 2 -> exp x < (2 + x) / (2 - x).
Proof.
  intros x X. destruct (tanh_range x ltac:(lra)) as [[_ T] _]. unfold tanh_half in T. set (z := exp x) in *. assert (Z : 0 < z) by apply exp_pos.
  apply (Rmult_lt_compat_r (z + 1)) in T; [|lra]. unfold Rdiv at 1 in T. rewrite Rmult_assoc, Rinv_l in T by lra.
  apply Rmult_lt_reg_r with (2 - x); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Lemma e_near : 2718 / 1000 < exp 1 < 27186 / 10000.
Proof.
  assert (H : exp 1 = exp (/ 32) ^ 32) by (cbn [pow]; rewrite Rmult_1_r, <- !exp_plus; f_equal; lra). rewrite H. split.
  - apply Rlt_le_trans with ((1 + / 32 + (/ 32) ^ 2 / 2 + (/ 32) ^ 3 / 6) ^ 32); [lra|]. apply pow_incr. split; [lra|]. apply exp_cubic. lra.
  - apply Rle_lt_trans with ((65 / 63) ^ 32); [apply pow_incr|lra]. assert (T := exp_below (/ 32) ltac:(lra)). assert (P := exp_pos (/ 32)). replace ((2 + / 32) / (2 - / 32)) with (65 / 63) in T by field. lra.
Qed.
(** instance: lost_updates *)
Example lost_at_eight_kib : let lo := (1 - shipped1) / (exp 1 / (shipped1 / shipped0) - shipped1) in
  0 < lo < 1 /\ shipped1 / shipped0 * (shipped1 + (1 - shipped1) / lo) = exp 1 /\
  exp (1056 / 1000) < shipped1 / shipped0 * (shipped0 + (1 - shipped0) / lo) < exp (1058 / 1000).
Proof.
  destruct e_near as [E1 E2]. intros lo. unfold lo, shipped0, shipped1.
  assert (X : exp (1056 / 1000) < exp 1 * (2056 / 1944) /\ exp 1 * (1059 / 1000) <= exp (1058 / 1000)).
  { replace (1056 / 1000) with (1 + 56 / 1000) by field. replace (1058 / 1000) with (1 + 58 / 1000) by field. rewrite !exp_plus.
    assert (A := exp_below (56 / 1000) ltac:(lra)). assert (B := exp_cubic (58 / 1000) ltac:(lra)). replace ((2 + 56 / 1000) / (2 - 56 / 1000)) with (2056 / 1944) in A by field. split; nra. }
  set (e := exp 1) in *. assert (D : 0 < e / (70625107 / 100000000 / (27044492 / 100000000)) - 70625107 / 100000000) by lra.
  match goal with |- _ /\ ?a * (?b + ?c / ?d) = _ /\ _ < ?a * (?g + ?h / ?d) < _ =>
    replace (c / d) with (e / (70625107 / 100000000 / (27044492 / 100000000)) - 70625107 / 100000000) by (field; lra);
    replace (h / d) with (72955508 / 29374893 * (e / (70625107 / 100000000 / (27044492 / 100000000)) - 70625107 / 100000000)) by (field; lra) end.
  split; [split; [apply Rdiv_lt_0_compat; lra|apply Rmult_lt_reg_r with (e / (70625107 / 100000000 / (27044492 / 100000000)) - 70625107 / 100000000); auto; unfold Rdiv at 1; rewrite Rmult_assoc, Rinv_l by lra; lra]|].
  split; [field|lra].
Qed.
(** instance: lost_updates *)
Example lost_at_a_fifth : 2 / 5 / (1 / 5) * (2 / 5 + (1 - 2 / 5) / (6 / 11)) = 3 /\ 2 / 5 / (1 / 5) * (1 / 5 + (1 - 1 / 5) / (6 / 11)) = 10 / 3.
Proof. split; field. Qed.
(** mutant: made_again *)
Example not_lost : ~ (forall b f y, mass2 [1 / 5] (crash (2 / 5) 0 true false b f y) =
  observed (fun v => v) 1 (1 / 5) (2 / 5) (seen_once [Enter 0%nat] [Enter 0%nat] [b] f y)).
Proof.
  intros H. specialize (H true (fun z => if Z.eqb z 0 then 1 else 0) 1%Z). change [true] with (zeros 0 true) in H. change [1 / 5] with (repeat (1 / 5) 1) in H. rewrite <- made_again, !crash_mass in H. cbn in H. lra.
Qed.
(* a copy that is brought back matters *)
(** mutant: no_crash *)
Example a_copy_matters : ~ (forall ps before after, mass2 ps (Save :: map Live before ++ Restore :: map Live after) = mass ps (before ++ after)).
Proof.
  intros H. specialize (H [1 / 4] [Draw 0 1] [See (look [true])]). unfold mass2, mass, look, look_at, same, mix in H. cbn in H. unfold mix in H. cbn in H. lra.
Qed.
