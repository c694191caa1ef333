(* The squared distance of the nodes of the dyadic tree, for truncated vectors of neighbours: through rises, of which there are
   few. Claims: turnstile.node_sensitivity, turnstile.truncated_flippancy. *)
From Coq Require Import List Bool Arith ZArith Lia Reals Lra.
From Pan Require Import Continual.
Import ListNotations.

(* ---- rises of a truncated vector; the values at the ends of the nodes ---- *)
Fixpoint rises (p : bool) (l : list bool) : nat := match l with [] => 0 | b :: t => (if negb p && b then 1 else 0) + rises b t end.
Lemma rises_cut : forall w l c p, c <= w -> 2 * rises p (cut w c p l) <= w - c + (if p then 0 else 1).
Proof.
  assert (D : forall w l c p, w < c -> rises false (cut w c p l) = 0).
  { induction l as [|b t IH]; intros c p H; cbn; auto. rewrite (proj2 (Nat.leb_gt _ _)) by lia. cbn. apply IH. lia. }
  induction l as [|b t IH]; intros c p H; cbn [cut rises]; [lia|]. destruct (c + differ p b <=? w) eqn:E.
  - apply Nat.leb_le in E. specialize (IH _ b E). destruct p, b; cbn in *; lia.
  - apply Nat.leb_gt in E. rewrite D by lia. destruct p; cbn; lia.
Qed.
(** claim: turnstile.truncated_flippancy, turnstile.node_sensitivity *)
Theorem truncated_rises : forall w l, 2 * rises false (truncated w l) <= w + 2.
Proof. intros w [|b t]; cbn [truncated rises]; [lia|]. assert (H := rises_cut w t 0 b ltac:(lia)). destruct b; cbn in *; lia. Qed.
Definition final (p : bool) (l : list bool) := fold_left (fun _ b => b) l p.
Lemma rises_app : forall l k p, rises p (l ++ k) = rises p l + rises (final p l) k.
Proof. induction l as [|b l IH]; intros k p; auto. cbn [app rises]. rewrite IH. change (final p (b :: l)) with (final b l). lia. Qed.
Lemma rises_end : forall l p, (if negb p && final p l then 1 else 0) <= rises p l.
Proof.
  induction l as [|b l IH]; intros p; [destruct p; cbn; lia|].
  change (final p (b :: l)) with (final b l). cbn [rises]. specialize (IH b). destruct p, b, (final _ l); cbn in *; lia.
Qed.
Fixpoint ends (n size : nat) (p : bool) (l : list bool) : list bool :=
  match n with O => [] | S m => final p (firstn size l) :: ends m size (final p (firstn size l)) (skipn size l) end.
Lemma ends_rises : forall n size p l, rises p (ends n size p l) <= rises p l.
Proof.
  induction n; intros size p l; cbn [ends rises]; [lia|]. assert (A := rises_end (firstn size l) p). assert (B := IHn size (final p (firstn size l)) (skipn size l)).
  replace (rises p l) with (rises p (firstn size l) + rises (final p (firstn size l)) (skipn size l)) by (rewrite <- rises_app; now rewrite firstn_skipn). lia.
Qed.
Lemma total_changes : forall l p, total (changes p l) = (value (final p l) - value p)%Z.
Proof. induction l as [|b l IH]; intros p; cbn [changes total]; [cbn; lia|]. rewrite IH. change (final p (b :: l)) with (final b l). lia. Qed.
Lemma changes_split : forall n l p, firstn n (changes p l) = changes p (firstn n l) /\ skipn n (changes p l) = changes (final p (firstn n l)) (skipn n l).
Proof.
  induction n; intros [|b l] p; cbn [firstn skipn changes]; auto. destruct (IHn l b) as [-> ->]. auto.
Qed.
Lemma level_ends : forall n size p l, level n size (changes p l) = changes p (ends n size p l).
Proof. induction n; intros size p l; cbn [level ends changes]; auto. destruct (changes_split size l p) as [-> ->]. now rewrite total_changes, IHn. Qed.

(* ---- squares, by rises: an opposite change costs 4, and comes with a rise ---- *)
Fixpoint squares (l k : list Z) : Z := match l, k with a :: t, b :: v => ((a - b) * (a - b) + squares t v)%Z | _, _ => 0%Z end.
Definition up (p q : bool) : Z := (value p + value q)%Z.
Lemma squares_rises : forall l k p q, (squares (changes p l) (changes q k) <= 4 * Z.of_nat (rises p l + rises q k) + up p q)%Z.
Proof.
  induction l as [|a l IH]; intros [|b k] p q; cbn [changes squares rises]; try (unfold up; destruct p, q; cbn [value]; lia).
  specialize (IH k a b). unfold up in *. destruct a, b, p, q; cbn [value negb andb] in *; lia.
Qed.
Lemma squares_from_zero : forall l k, (squares (changes false l) (changes false k) <= Z.max 0 (4 * Z.of_nat (rises false l + rises false k) - 2))%Z.
Proof.
  induction l as [|a l IH]; intros [|b k]; cbn [changes squares rises]; try lia.
  destruct a, b; cbn [value negb andb]; [assert (H := squares_rises l k true true)|assert (H := squares_rises l k true false)|assert (H := squares_rises l k false true)|specialize (IH k)];
    unfold up in *; cbn [value] in *; lia.
Qed.
(* a vector of w/2 + 1 rises begins with a one *)
Lemma late_rises : forall w l, Nat.even w = true -> 2 * rises false (truncated w (false :: l)) <= w.
Proof.
  intros w l E. cbn [truncated rises negb andb]. assert (H := rises_cut w l 0 false ltac:(lia)).
  apply Nat.even_spec in E as [v ->]. cbn [Nat.add] in *. lia.
Qed.
Lemma first_end : forall n size w l, Nat.even w = true -> let e := ends n size false (truncated w l) in
  2 * rises false e <= w \/ exists k, e = true :: k /\ 2 * rises true k <= w.
Proof.
  intros n size w [|b l] E e; [left; unfold e; assert (H := ends_rises n size false []); cbn [truncated]; cbn [rises] in H; lia|].
  destruct b; [|left; assert (H := ends_rises n size false (truncated w (false :: l))); assert (A := late_rises w l E); unfold e; eapply Nat.le_trans; [apply Nat.mul_le_mono_l; exact H|exact A]].
  assert (C : 2 * rises true (cut w 0 true l) <= w) by (assert (H := rises_cut w l 0 true ltac:(lia)); cbv iota in H; lia).
  unfold e. cbn [truncated]. destruct n; [left; cbn; lia|]. destruct size.
  - left. cbn [ends firstn skipn]. change (final false []) with false. cbn [rises negb andb].
    assert (H : forall n, rises false (ends n 0 false (true :: cut w 0 true l)) = 0) by (induction n0; cbn; auto). rewrite H. lia.
  - cbn [ends firstn skipn]. change (final false (true :: firstn size (cut w 0 true l))) with (final true (firstn size (cut w 0 true l))).
    set (f := final true (firstn size (cut w 0 true l))).
    assert (H := ends_rises n (S size) f (skipn size (cut w 0 true l))).
    assert (D : rises true (cut w 0 true l) = rises true (firstn size (cut w 0 true l)) + rises f (skipn size (cut w 0 true l))) by (unfold f; rewrite <- rises_app; now rewrite firstn_skipn).
    destruct f eqn:F; [right; eexists; split; [reflexivity|lia]|left; cbn [rises negb andb]; lia].
Qed.
Definition rate (w : nat) : Z := (4 * Z.of_nat w + 2)%Z.
(** claim: turnstile.node_sensitivity *)
Theorem level_squares : forall n size w l k,
  (squares (level n size (changes false (truncated w l))) (level n size (changes false (truncated w k))) <= rate w)%Z.
Proof.
  intros. unfold rate. rewrite !level_ends. assert (H := squares_from_zero (ends n size false (truncated w l)) (ends n size false (truncated w k))).
  assert (A := ends_rises n size false (truncated w l)). assert (B := ends_rises n size false (truncated w k)).
  assert (A2 := truncated_rises w l). assert (B2 := truncated_rises w k). destruct (Nat.even w) eqn:E.
  - destruct (first_end n size w l E) as [F|[e [E1 F]]], (first_end n size w k E) as [G|[g [E2 G]]]; try (apply Nat.even_spec in E as [v ->]; lia).
    rewrite E1, E2. cbn [changes squares]. assert (S := squares_rises e g true true). unfold up in S. cbn [value] in *. lia.
  - rewrite <- Nat.negb_odd, negb_false_iff in E. apply Nat.odd_spec in E as [v ->]. lia.
Qed.
(* it is attained for every w, by the leaves of two vectors that flip in turn *)
Fixpoint turns (b : bool) (n : nat) : list bool := match n with O => [] | S m => b :: turns (negb b) m end.
Lemma dead_turns : forall n w b c p, w < c -> cut w c p (turns b n) = repeat false n.
Proof. induction n; intros w b c p H; cbn; auto. rewrite (proj2 (Nat.leb_gt _ _)) by lia. now rewrite IHn by lia. Qed.
Lemma opposite : forall n w c p, c <= w -> n = w - c + 1 ->
  (squares (changes p (cut w c p (turns (negb p) n))) (changes (negb p) (cut w c (negb p) (turns p n))) = 4 * Z.of_nat (w - c) + 1)%Z.
Proof.
  induction n; intros w c p C N; [lia|]. cbn [turns cut]. rewrite !negb_involutive.
  replace (differ p (negb p)) with 1 by (destruct p; auto). replace (differ (negb p) p) with 1 by (destruct p; auto).
  destruct (c + 1 <=? w) eqn:E.
  - apply Nat.leb_le in E. specialize (IHn w (c + 1) (negb p) ltac:(lia) ltac:(lia)). rewrite negb_involutive in IHn. cbn [changes squares].
    rewrite IHn. destruct p; cbn [negb value]; lia.
  - apply Nat.leb_gt in E. assert (n = 0) by lia. subst. replace (w - c) with 0 by lia. destruct p; reflexivity.
Qed.
(** claim: turnstile.node_sensitivity *)
Theorem level_attained : forall w, let l := turns true (w + 2) in let k := turns false (w + 2) in
  squares (level (w + 2) 1 (changes false (truncated w l))) (level (w + 2) 1 (changes false (truncated w k))) = rate w.
Proof.
  assert (L : forall l, level (length l) 1 l = l) by (induction l as [|a l IH]; cbn; auto; rewrite IH; f_equal; lia).
  intros w l k. assert (N : forall b, length (truncated w (turns b (w + 2))) = w + 2) by (intros b; rewrite truncated_length; generalize (w + 2); intros n; revert b; induction n; cbn; auto).
  rewrite <- (N true) at 1. rewrite <- (N false) at 2. rewrite <- !(changes_length _ false), !L. unfold l, k. replace (w + 2) with (S (w + 1)) by lia. cbn [turns truncated changes squares negb].
  assert (O := opposite (w + 1) w 0 true ltac:(lia) ltac:(lia)). cbn [negb] in O. rewrite O. unfold rate. cbn [value]. lia.
Qed.
(* the tree over 2^L leaves: levels of nodes of the sizes 1, 2, ..., 2^(L-1), and the root *)
Definition tree (L : nat) (l k : list Z) : Z :=
  (fold_right Z.add 0 (map (fun j => squares (level (2 ^ (L - j)) (2 ^ j) l) (level (2 ^ (L - j)) (2 ^ j) k)) (seq 0 L)) + squares (level 1 (2 ^ L) l) (level 1 (2 ^ L) k))%Z.
(** claim: turnstile.node_sensitivity *)
Theorem tree_squares : forall L w l k, (tree L (changes false (truncated w l)) (changes false (truncated w k)) <= rate w * Z.of_nat L + 1)%Z.
Proof.
  intros L w l k. unfold tree.
  assert (R : (squares (level 1 (2 ^ L) (changes false (truncated w l))) (level 1 (2 ^ L) (changes false (truncated w k))) <= 1)%Z).
  { rewrite !level_ends. cbn [ends changes squares]. destruct (final _ _), (final _ _); cbn; lia. }
  assert (H : forall js, (fold_right Z.add 0 (map (fun j => squares (level (2 ^ (L - j)) (2 ^ j) (changes false (truncated w l))) (level (2 ^ (L - j)) (2 ^ j) (changes false (truncated w k)))) js)
    <= rate w * Z.of_nat (length js))%Z).
  { induction js as [|j js IH]; cbn [map fold_right length]; [lia|]. assert (S := level_squares (2 ^ (L - j)) (2 ^ j) w l k). lia. }
  specialize (H (seq 0 L)). rewrite seq_length in H. lia.
Qed.
(** claim: turnstile.node_sensitivity *)
Theorem node_sensitivity : forall L w l k, 1 <= w ->
  (sqrt (IZR (tree L (changes false (truncated w l)) (changes false (truncated w k)))) <= sqrt (8 * INR w * (INR L + 1)))%R.
Proof.
  intros L w l k W. apply sqrt_le_1_alt. rewrite !INR_IZR_INZ, <- !plus_IZR, <- !mult_IZR. apply IZR_le. assert (H := tree_squares L w l k). unfold rate in H.
  nia.
Qed.

(* ---- nodes that differ ---- *)
Lemma cut_flips : forall w l c p, c <= w -> flips p (cut w c p l) <= w - c + (if xorb p (Nat.odd (w - c)) then 1 else 0).
Proof.
  induction l as [|b t IH]; intros c p H; cbn [cut flips]; [lia|]. destruct (c + differ p b <=? w) eqn:E.
  - apply Nat.leb_le in E. specialize (IH _ b E). unfold differ in *. destruct (eqb p b) eqn:P.
    + apply eqb_prop in P. subst. rewrite Nat.add_0_r in *. lia.
    + replace (w - c) with (S (w - (c + 1))) by lia. rewrite Nat.odd_succ, <- Nat.negb_odd. destruct p, b; try discriminate; destruct (Nat.odd (w - (c + 1))); cbn [xorb negb] in *; lia.
  - apply Nat.leb_gt in E. unfold differ in E. assert (w - c = 0) by (destruct (eqb p b); lia). rewrite cut_dead by (unfold differ; lia).
    rewrite H0. cbn. destruct p; cbn; lia.
Qed.
(* at most 2 w + 2 nodes of a level differ, for even and for odd w *)
(** claim: turnstile.node_sensitivity, turnstile.truncated_flippancy *)
Theorem truncated_level_sensitivity : forall n size w l k, length l = length k ->
  apart (level n size (changes false (truncated w l))) (level n size (changes false (truncated w k))) <= 2 * w + 2.
Proof.
  intros n size w l k L. eapply Nat.le_trans; [apply nodes_of_a_level; now rewrite !changes_length, !truncated_length|].
  destruct l as [|a l], k as [|b k]; cbn in L; try discriminate; cbn [truncated changes apart]; [lia|].
  assert (H := apart_flips (cut w 0 a l) (cut w 0 b k) a b). assert (A := cut_flips w l 0 a ltac:(lia)). assert (B := cut_flips w k 0 b ltac:(lia)).
  rewrite Nat.sub_0_r in A, B. destruct a, b, (Nat.odd w); cbn in *; lia.
Qed.

(* ---- controls ---- *)
(** mutant: truncated_level_sensitivity *)
Example two_w_and_two : ~ (forall n size w l k, length l = length k ->
  apart (level n size (changes false (truncated w l))) (level n size (changes false (truncated w k))) <= 2 * w + 1).
Proof. intros H. specialize (H 4 1 1 [false; false; true; false] [true; false; false; false] eq_refl). vm_compute in H. lia. Qed.
(** mutant: level_squares *)
Example rate_is_attained : forall w, ~ (forall n size l k, (squares (level n size (changes false (truncated w l))) (level n size (changes false (truncated w k))) <= rate w - 1)%Z).
Proof. intros w H. specialize (H (w + 2) 1 (turns true (w + 2)) (turns false (w + 2))). rewrite level_attained in H. lia. Qed.
(* without the truncation all leaves of vectors that flip in turn differ *)
(** mutant: level_squares *)
Example truncation_needed : ~ (forall n size w l k, (squares (level n size (changes false l)) (level n size (changes false k)) <= rate w)%Z).
Proof. intros H. specialize (H 4 1 1 [true; false; true; false] [false; true; false; true]). vm_compute in H. apply H. reflexivity. Qed.
(** instance: level_attained *)
Example ten_for_two : truncated 2 (turns true 4) = [true; false; true; false] /\ truncated 2 (turns false 4) = [false; true; false; false] /\ rate 2 = 10%Z.
Proof. auto. Qed.
(** instance: tree_squares, node_sensitivity, truncated_rises *)
Example four_leaves : tree 2 (changes false (truncated 1 [false; true; false; true])) (changes false (truncated 1 [false; false; false; true])) = 9%Z.
Proof. vm_compute. reflexivity. Qed.
