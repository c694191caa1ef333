(* The bits depend on the set of touched cells alone, not on order or number; two users who differ cost twice the loss.
   Claims: distinct.order_free, distinct.shards, joint_loss.tight, distinct.published_bitmap. *)
From Coq Require Import Reals Psatz Lra List Bool ZArith Lia.
From Pan Require Import Semantics OneCell JointLoss Streams Attained.
Import ListNotations.
Open Scope R_scope.

Definition puts (p : R) (cells : list nat) (ps : list R) := fold_left (fun ps c => put c p ps) cells ps.
Lemma mass_puts : forall p0 p1 (cell : nat -> nat) w ps o,
  mass ps (compile cell p0 p1 (enters w) ++ o) = mass (puts p1 (map cell w) ps) o.
Proof. intros p0 p1 cell. induction w as [|u w IH]; intros ps o; cbn; [reflexivity|]. rewrite mass_draw. apply IH. Qed.
Lemma puts_length : forall p cells ps, length (puts p cells ps) = length ps.
Proof. unfold puts. induction cells as [|c cells IH]; intros ps; cbn; auto. rewrite IH. apply put_length. Qed.
Lemma nth_put : forall c d p ps, (d < length ps)%nat -> nth d (put c p ps) 0 = if Nat.eqb c d then p else nth d ps 0.
Proof. induction c; intros [|d] p [|x ps] H; cbn in *; try lia; auto. apply IHc. lia. Qed.
Lemma nth_puts : forall p cells d ps, (d < length ps)%nat -> nth d (puts p cells ps) 0 = if in_dec Nat.eq_dec d cells then p else nth d ps 0.
Proof.
  unfold puts. induction cells as [|c cells IH]; intros d ps H; [reflexivity|]. cbn [fold_left].
  rewrite IH by (rewrite put_length; auto). rewrite nth_put by auto.
  destruct (in_dec Nat.eq_dec d cells) as [I|I], (in_dec Nat.eq_dec d (c :: cells)) as [J|J]; auto.
  - exfalso. apply J. now right.
  - destruct J as [<-|J]; [now rewrite Nat.eqb_refl|contradiction].
  - destruct (Nat.eqb_spec c d) as [->|N]; auto. exfalso. apply J. now left.
Qed.
(* Two streams that touch the same cells leave the same bits, for whatever follows. *)
(** claim: distinct.order_free, distinct.shards *)
Theorem order_free : forall p0 p1 (cell : nat -> nat) m w w' o, (forall c, In c (map cell w) <-> In c (map cell w')) ->
  mass (repeat p0 m) (compile cell p0 p1 (enters w) ++ o) = mass (repeat p0 m) (compile cell p0 p1 (enters w') ++ o).
Proof.
  intros p0 p1 cell m w w' o H. rewrite !mass_puts. f_equal. apply nth_ext with (d := 0) (d' := 0); [now rewrite !puts_length|].
  intros d D. rewrite puts_length in D. rewrite !nth_puts by auto.
  destruct (in_dec Nat.eq_dec d (map cell w)) as [I|I], (in_dec Nat.eq_dec d (map cell w')) as [J|J]; auto; exfalso; specialize (H d); tauto.
Qed.
(* and the bits are independent: p1 for a touched cell, p0 for another one *)
(** claim: distinct.order_free *)
Theorem independent_bits : forall p0 p1 (cell : nat -> nat) m w s, length s = m ->
  observed cell m p0 p1 (enters w ++ [Obs (look s)]) = prob (puts p1 (map cell w) (repeat p0 m)) s.
Proof.
  intros p0 p1 cell m w s L. unfold observed.
  assert (C : compile cell p0 p1 (enters w ++ [Obs (look s)]) = compile cell p0 p1 (enters w) ++ [See (look s)])
    by (unfold enters; clear; induction w as [|u w IH]; cbn; [|rewrite IH]; reflexivity).
  rewrite C, mass_puts, mass_look by (rewrite puts_length, repeat_length; auto). cbn. ring.
Qed.
(** mutant: order_free *)
Theorem the_set_matters : ~ (forall w w' : list nat, length w = length w' ->
  observed (fun v => v) 2 (1 / 4) (3 / 4) (enters w ++ [Obs (look [true; false])]) = observed (fun v => v) 2 (1 / 4) (3 / 4) (enters w' ++ [Obs (look [true; false])])).
Proof. intros H. specialize (H [0%nat] [1%nat] eq_refl). rewrite !independent_bits in H by reflexivity. cbn in H. lra. Qed.
(** instance: independent_bits, order_free *)
Theorem two_cells : observed (fun v => v) 2 (1 / 4) (3 / 4) (enters [0; 0; 5]%nat ++ [Obs (look [true; false])]) = 9 / 16.
Proof. rewrite independent_bits by reflexivity. cbn. lra. Qed.

(* a user's events are replaced by those of another one: two users differ *)
(** claim: joint_loss.tight *)
Theorem replaced_user : forall p0 p1 least lo hi c0 cell m u v e e1 e' ks ks', keeps p0 p1 least lo hi c0 -> 0 <= c0 ->
  neighbours u e e1 -> neighbours v e1 e' -> unannounced e -> unannounced e1 -> unannounced e' ->
  (inserts e /\ inserts e1 /\ inserts e' \/ least = p0) ->
  pattern (ratios lo hi) (cell u) e ks -> sight_then_noise ks -> pattern (ratios lo hi) (cell v) e1 ks' -> sight_then_noise ks' ->
  observed cell m p0 p1 e <= c0 * c0 * observed cell m p0 p1 e'.
Proof.
  intros p0 p1 least lo hi c0 cell m u v e e1 e' ks ks' K C N N' U U1 U' I P S P' S'.
  assert (A := joint_private p0 p1 least lo hi c0 cell m u e e1 ks K N U U1 ltac:(tauto) P S).
  assert (B := joint_private p0 p1 least lo hi c0 cell m v e1 e' ks' K N' U1 U' ltac:(tauto) P' S').
  rewrite Rmult_assoc. apply Rle_trans with (c0 * observed cell m p0 p1 e1); auto. now apply Rmult_le_compat_l.
Qed.

(* The bitmap itself is released, or two intrusions come without notice: a zero that becomes a one has a positive
   probability if the user appears in between, and none if not. *)
(** claim: distinct.published_bitmap, density.announced_intrusions *)
Theorem published_bitmap : forall p0 p1 m u, 0 < p0 /\ p0 < p1 /\ p1 < 1 -> (u < m)%nat ->
  let see e := observed (fun v => v) m p0 p1 ([Obs (look (one_bit m u false))] ++ e ++ [Obs (look (one_bit m u true))]) in
  0 < see [Enter u] /\ see [] = 0.
Proof.
  intros p0 p1 m u P U see.
  assert (W : forall d, look (one_bit m u true) (one_bit m u d) = if d then 1 else 0).
  { intros d. unfold look, look_at. rewrite part_all by reflexivity. unfold same.
    destruct (list_eq_dec bool_dec (one_bit m u true) (one_bit m u d)) as [E|E], d; cbn; auto; [|congruence].
    exfalso. assert (H : ones (one_bit m u true) = ones (one_bit m u false)) by congruence. rewrite !ones_bit in H by auto. discriminate. }
  assert (A := alone_event p0 p1 m u [] [Enter u] false (look (one_bit m u true)) U ltac:(constructor) ltac:(repeat constructor)).
  assert (B := alone_event p0 p1 m u [] [] false (look (one_bit m u true)) U ltac:(constructor) ltac:(constructor)).
  unfold last_draw in A, B. cbn [app fold_left step pr after] in A, B. rewrite !W in A. rewrite W in B. unfold see. cbn [app]. rewrite A, B.
  split; [|ring]. apply Rmult_lt_0_compat; [unfold rest_zero; apply pow_lt; lra|]. apply Rmult_lt_0_compat; lra.
Qed.
