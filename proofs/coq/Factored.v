(* The counter of a known flippancy: R times the changes of two followed vectors, for every Toeplitz matrix R with entries that
   are not negative and do not increase, so for the square root. Claim: continual.calibrated. *)
From Coq Require Import List Bool Arith ZArith Lia Reals Lra Psatz.
From Pan Require Import Continual.
Import ListNotations.
Open Scope R_scope.

(* a vector is followed for its first w changes, the first appearance included *)
Fixpoint follow (w : nat) (p : bool) (l : list bool) : list bool :=
  match l with
  | [] => []
  | b :: t => if eqb p b then p :: follow w p t else match w with O => p :: follow O p t | S v => b :: follow v b t end
  end.
Lemma follow_flips : forall l w p, (flips p (follow w p l) <= w)%nat.
Proof.
  induction l as [|b t IH]; intros w p; cbn [follow flips]; [lia|]. destruct (eqb p b) eqn:E.
  - cbn [flips]. unfold differ. rewrite eqb_reflx. apply IH.
  - destruct w; cbn [flips]; unfold differ; rewrite ?eqb_reflx, ?E; [apply IH|specialize (IH w b); lia].
Qed.
Lemma follow_length : forall l w p, length (follow w p l) = length l.
Proof. induction l as [|b t IH]; intros w p; cbn; auto. destruct (eqb p b); [cbn; now rewrite IH|destruct w; cbn; now rewrite IH]. Qed.
(* the changes of the difference of two vectors, from the bits p and q on *)
Definition move (p q a b : bool) : Z := (value a - value b - (value p - value q))%Z.
Fixpoint gap (p q : bool) (a b : list bool) : list R :=
  match a, b with x :: s, y :: t => IZR (move p q x y) :: gap x y s t | _, _ => [] end.
Lemma gap_length : forall a b p q, length a = length b -> length (gap p q a b) = length a.
Proof. induction a as [|x a IH]; intros [|y b] p q L; cbn in *; try lia; auto. Qed.

Section Toeplitz.
Variable r : nat -> R.
Hypothesis positive : forall k, 0 <= r k.
Hypothesis decreasing : forall k, r (S k) <= r k.
Fixpoint upto (n : nat) (f : nat -> R) : R := match n with O => 0 | S m => f O + upto m (fun j => f (S j)) end.
Lemma upto_ext : forall n f g, (forall j, f j = g j) -> upto n f = upto n g.
Proof. induction n; intros f g H; cbn; auto. rewrite H. f_equal. apply IHn. intros; apply H. Qed.
Lemma upto_le : forall n f g, (forall j, f j <= g j) -> upto n f <= upto n g.
Proof. induction n; intros f g H; cbn; [lra|]. apply Rplus_le_compat; auto. Qed.
Lemma upto_lin : forall n a b f g, upto n (fun j => a * f j + b * g j) = a * upto n f + b * upto n g.
Proof. induction n; intros; cbn; [ring|]. rewrite (IHn a b (fun j => f (S j)) (fun j => g (S j))). ring. Qed.
Lemma upto_more : forall n f, (forall j, 0 <= f j) -> 0 <= upto n f <= upto (S n) f.
Proof.
  induction n; intros f H; [cbn; specialize (H O); lra|]. destruct (IHn (fun j => f (S j))) as [A B]; [auto|].
  cbn [upto] in *. specialize (H O). lra.
Qed.
(* the entry i of R v, and the squared norm *)
Fixpoint image (v : list R) (i : nat) : R := match v with [] => 0 | x :: t => r i * x + match i with O => 0 | S j => image t j end end.
Definition norm (v : list R) := upto (length v) (fun i => image v i * image v i).
Definition corr (d n : nat) := upto n (fun j => r (d + j) * r j).
Definition cross (d : nat) (v : list R) := upto (length v) (fun j => r (d + j) * image v j).
Lemma norm_cons : forall x v, norm (x :: v) = x * x * corr 0 (S (length v)) + 2 * x * cross 1 v + norm v.
Proof.
  intros. unfold norm, corr, cross. cbn [length upto image]. replace (upto (length v) (fun j => (r (S j) * x + image v j) * (r (S j) * x + image v j))) with
    (x * x * upto (length v) (fun j => r (S j) * r (S j)) + 1 * (2 * x * upto (length v) (fun j => r (S j) * image v j) + 1 * upto (length v) (fun j => image v j * image v j))).
  - cbn [plus]. ring.
  - rewrite <- !upto_lin. apply upto_ext. intros. ring.
Qed.
Lemma cross_cons : forall d x v, cross d (x :: v) = x * corr d (S (length v)) + cross (S d) v.
Proof.
  intros. unfold corr, cross. cbn [length upto image].
  replace (upto (length v) (fun j => r (d + S j) * (r (S j) * x + image v j))) with (x * upto (length v) (fun j => r (d + S j) * r (S j)) + 1 * upto (length v) (fun j => r (S d + j) * image v j)).
  - ring.
  - rewrite <- upto_lin. apply upto_ext. intros. rewrite Nat.add_succ_r. cbn [plus]. ring.
Qed.
Lemma corr_pos : forall d n, 0 <= corr d n.
Proof. intros. unfold corr. apply upto_more. intros. now apply Rmult_le_pos. Qed.
Lemma corr_less : forall d n, corr (S d) n <= corr d (S n).
Proof.
  intros. apply Rle_trans with (corr d n).
  - apply upto_le. intros j. apply Rmult_le_compat_r; auto. cbn. apply decreasing.
  - unfold corr. apply upto_more. intros. now apply Rmult_le_pos.
Qed.
Definition g (p q : bool) : R := IZR (value p - value q).
(* what comes later, by summation by parts *)
Lemma later : forall a b p q d, length a = length b -> - (corr d (length a) * (1 + g p q)) <= cross d (gap p q a b) <= corr d (length a) * (1 - g p q).
Proof.
  induction a as [|x a IH]; intros [|y b] p q d L; cbn [length] in L; try discriminate.
  - unfold cross, corr. cbn. lra.
  - injection L as L. cbn [gap length]. rewrite cross_cons, gap_length by auto. specialize (IH b x y (S d) L). assert (C := corr_less d (length a)). assert (P := corr_pos (S d) (length a)).
    set (c := corr d (S (length a))) in *. set (c' := corr (S d) (length a)) in *. set (k := cross _ _) in *.
    clearbody k c c'. clear L. unfold g, move in *. destruct x, y, p, q; cbn in *; nra.
Qed.
Fixpoint moves (p q : bool) (a b : list bool) : R := match a, b with x :: s, y :: t => IZR (Z.abs (move p q x y)) + moves x y s t | _, _ => 0 end.
Fixpoint ends_apart (p q : bool) (a b : list bool) : bool := match a, b with x :: s, y :: t => ends_apart x y s t | _, _ => xorb p q end.
Definition one_if (b : bool) : R := if b then 1 else 0.
Lemma moves_pos : forall a b p q, 0 <= moves p q a b.
Proof. induction a as [|x a IH]; intros [|y b] p q; cbn; try lra. assert (H := IH b x y). assert (0 <= IZR (Z.abs (move p q x y))) by (apply IZR_le; lia). lra. Qed.
Lemma quiet : forall a b p q, moves p q a b = 0 -> norm (gap p q a b) = 0 /\ (forall d, cross d (gap p q a b) = 0) /\ ends_apart p q a b = xorb p q.
Proof.
  induction a as [|x a IH]; intros [|y b] p q M; try (unfold norm, cross; cbn; auto; fail). cbn [moves gap ends_apart] in *.
  assert (P := moves_pos a b x y). assert (A : 0 <= IZR (Z.abs (move p q x y))) by (apply IZR_le; lia).
  assert (Z : move p q x y = 0%Z) by (assert (E : IZR (Z.abs (move p q x y)) = 0) by lra; apply eq_IZR in E; lia).
  destruct (IH b x y ltac:(lra)) as [N [C L]]. rewrite Z, norm_cons. split; [rewrite N, C; ring|]. split.
  - intros d. rewrite cross_cons, C. ring.
  - rewrite L. unfold move in Z. destruct x, y, p, q; cbn in *; auto; lia.
Qed.
Lemma costs : forall a b p q s, length a = length b -> corr 0 (length a) <= s -> moves p q a b <> 0 ->
  norm (gap p q a b) <= s * (2 * moves p q a b + one_if (ends_apart p q a b) + one_if (xorb p q) - 2).
Proof.
  induction a as [|x a IH]; intros [|y b] p q s L S M; cbn [length] in L; try discriminate; cbn [moves] in M; [lra|]. injection L as L.
  cbn [gap length] in *. rewrite norm_cons, gap_length by auto. cbn [moves ends_apart].
  assert (P := corr_pos 0 (Datatypes.S (length a))). set (c := corr 0 (Datatypes.S (length a))) in *.
  destruct (Req_dec (moves x y a b) 0) as [Z|Z].
  - destruct (quiet a b x y Z) as [N [C E]]. rewrite N, C, E, Z in *. unfold g, move in *.
    clearbody c. destruct x, y, p, q; cbn in *; nra.
  - assert (C1 : corr 1 (length a) <= c) by apply corr_less.
    assert (S1 : corr 0 (length a) <= s) by (apply Rle_trans with c; auto; apply upto_more; intros; now apply Rmult_le_pos).
    specialize (IH b x y s L S1 Z). assert (X := later a b x y 1 L). assert (P1 := corr_pos 1 (length a)).
    set (k := cross 1 (gap x y a b)) in *. set (c1 := corr 1 (length a)) in *.
    replace (s * (2 * (IZR (Z.abs (move p q x y)) + moves x y a b) + one_if (ends_apart x y a b) + one_if (xorb p q) - 2)) with
      (s * (2 * moves x y a b + one_if (ends_apart x y a b) + one_if (xorb x y) - 2) + s * (2 * IZR (Z.abs (move p q x y)) + one_if (xorb p q) - one_if (xorb x y))) by ring.
    assert (G : IZR (move p q x y) * IZR (move p q x y) * c + 2 * IZR (move p q x y) * k <= s * (2 * IZR (Z.abs (move p q x y)) + one_if (xorb p q) - one_if (xorb x y))); [|lra].
    clearbody k c c1. clear IH Z M S1 L. unfold g, move in *. destruct x, y, p, q; cbn in *; nra.
Qed.
(* the number of moves is at most that of the changes of both vectors, and is odd if just one end is apart *)
Lemma moves_flips : forall a b p q, length a = length b -> exists n, moves p q a b = INR n /\ (n <= flips p a + flips q b)%nat /\
  Nat.odd n = xorb (xorb p q) (ends_apart p q a b).
Proof.
  induction a as [|x a IH]; intros [|y b] p q L; cbn [length] in L; try discriminate.
  - exists O. cbn. rewrite xorb_nilpotent. auto.
  - injection L as L. destruct (IH b x y L) as [n [N [F O]]]. cbn [moves ends_apart flips]. exists (Z.to_nat (Z.abs (move p q x y)) + n)%nat.
    split; [rewrite plus_INR, N, (INR_IZR_INZ (Z.to_nat _)), Z2Nat.id by lia; ring|]. split; [unfold move, differ; destruct x, y, p, q; cbn in *; lia|].
    rewrite Nat.odd_add, O. unfold move. destruct x, y, p, q, (ends_apart _ _ a b); reflexivity.
Qed.
Theorem toeplitz : forall w a b, (1 <= w)%nat -> length a = length b -> (flips false a <= w)%nat -> (flips false b <= w)%nat ->
  norm (gap false false a b) <= (4 * INR w - 2) * corr 0 (length a).
Proof.
  intros w a b W L A B. assert (P := corr_pos 0 (length a)). assert (W1 : 1 <= INR w) by (apply (le_INR 1); auto).
  destruct (moves_flips a b false false L) as [n [N [F O]]]. cbn [xorb] in O.
  destruct (Req_dec (moves false false a b) 0) as [Z|Z].
  - destruct (quiet _ _ _ _ Z) as [-> _]. apply Rmult_le_pos; lra.
  - assert (C := costs a b false false (corr 0 (length a)) L ltac:(lra) Z). rewrite N in C. cbn [xorb one_if] in C.
    eapply Rle_trans; [exact C|]. rewrite Rmult_comm. apply Rmult_le_compat_r; auto.
    assert (K : (n + (if ends_apart false false a b then 1 else 0) <= 2 * w)%nat).
    { destruct (ends_apart false false a b); [|lia]. destruct (Nat.eq_dec n (2 * w)) as [->|D]; [|lia]. rewrite Nat.odd_mul in O. discriminate. }
    apply le_INR in K. rewrite plus_INR, mult_INR in K. change (INR 2) with 2 in K. destruct (ends_apart false false a b); cbn in *; lra.
Qed.
End Toeplitz.
(* for the vectors of all streams, which are followed for w changes *)
(** claim: continual.calibrated *)
Theorem factored_sensitivity : forall r w a b, (forall k, 0 <= r k) -> (forall k, r (S k) <= r k) -> (1 <= w)%nat -> length a = length b ->
  norm r (gap false false (follow w false a) (follow w false b)) <= (4 * INR w - 2) * corr r 0 (length a).
Proof. intros. rewrite <- (follow_length a w false). apply toeplitz; auto using follow_flips. rewrite !follow_length. auto. Qed.
(* r = 1, 0, 0, ... and w = 1: an appearance at once, and one a step later *)
(** mutant: factored_sensitivity *)
Example not_less_than_two : ~ (forall r w a b, (forall k, 0 <= r k) -> (forall k, r (S k) <= r k) -> (1 <= w)%nat -> length a = length b ->
  norm r (gap false false (follow w false a) (follow w false b)) <= (4 * INR w - 3) * corr r 0 (length a)).
Proof.
  intros H. specialize (H (fun k => if Nat.eqb k 0 then 1 else 0) 1%nat [true; true] [false; true]
    ltac:(intros [|k]; cbn; lra) ltac:(intros [|k]; cbn; lra) ltac:(lia) eq_refl).
  unfold norm, corr, gap, move in H. cbn in H. lra.
Qed.
(* the first entries of the square root, 1, 1/2, 3/8, and w = 1 *)
(** instance: factored_sensitivity *)
Example three_steps : let r := fun k => nth k [1; 1 / 2; 3 / 8] 0 in
  norm r (gap false false (follow 1 false [true; true; true]) (follow 1 false [false; false; true])) = 105 / 64 /\ corr r 0 3 = 89 / 64.
Proof. cbv zeta. unfold norm, corr, gap, move. cbn. split; field. Qed.
