(* The continual family: streams of insertions and deletions of one element, its existence vector and flippancy, the
   truncation of Algorithm 1, the dyadic tree. Claims: turnstile.flippancy_definition, turnstile.flippancy_sensitivity,
   turnstile.truncated_flippancy, turnstile.changed_entries, turnstile.dyadic, turnstile.node_sensitivity. *)
From Coq Require Import List Bool Arith ZArith Lia.
Import ListNotations.

(* an entry is +1, -1 or 0; the element exists while its count is positive *)
Fixpoint exist (c : Z) (s : list Z) : list bool := match s with [] => [] | e :: t => Z.ltb 0 (c + e) :: exist (c + e) t end.
Definition differ (a b : bool) : nat := if eqb a b then 0 else 1.
Fixpoint flips (p : bool) (l : list bool) : nat := match l with [] => 0 | b :: t => differ p b + flips b t end.
Definition flippancy (l : list bool) := match l with [] => 0 | b :: t => flips b t end.
(** claim: turnstile.flippancy_definition *)
Theorem flippancy_below_length : forall l, flippancy l <= length l - 1.
Proof.
  assert (H : forall l p, flips p l <= length l) by (induction l as [|b t IH]; intros p; cbn; [lia|]; specialize (IH b); unfold differ; destruct (eqb p b); lia).
  intros [|b t]; cbn; [lia|]. specialize (H t b). lia.
Qed.

(* ---- the sensitivity of the largest flippancy ---- *)
Fixpoint alternate (b : bool) (n : nat) : list Z := match n with O => [] | S k => (if b then 1 else -1)%Z :: alternate (negb b) k end.
Lemma up_down : forall n b, flips b (exist (if b then 1 else 0)%Z (alternate (negb b) n)) = n.
Proof. induction n; intros b; cbn; auto. destruct b; cbn; f_equal; [exact (IHn false)|exact (IHn true)]. Qed.
Lemma never : forall n (b : bool), flips false (exist (if b then 0 else (-1))%Z (alternate (negb b) n)) = 0.
Proof. induction n; intros b; cbn; auto. destruct b; cbn; [apply (IHn false)|apply (IHn true)]. Qed.
Lemma once_more : forall n (b : bool), flips true (exist (if b then 2 else 1)%Z (alternate (negb b) n)) = 0.
Proof. induction n; intros b; cbn; auto. destruct b; cbn; [apply (IHn false)|apply (IHn true)]. Qed.
(* event-neighbours: one insertion is left out; the flippancies are T - 1 and 0, for every T *)
(** claim: turnstile.flippancy_sensitivity *)
Theorem event_sensitivity : forall n, let s := 1%Z :: alternate false n in let s' := 0%Z :: alternate false n in
  length s = S n /\ flippancy (exist 0 s) = n /\ flippancy (exist 0 s') = 0.
Proof.
  intros n. split; [|split; [apply (up_down n true)|apply (never n true)]].
  cbn. f_equal. generalize false. induction n; intros b; cbn; auto.
Qed.
(* the same where no count is negative: a second insertion comes first *)
(** claim: turnstile.flippancy_sensitivity *)
Theorem strict_event_sensitivity : forall n, let s := 1%Z :: 1%Z :: alternate false n in let s' := 0%Z :: 1%Z :: alternate false n in
  length s = S (S n) /\ flippancy (exist 0 s) = 0 /\ flippancy (exist 0 s') = S n.
Proof.
  intros n. split; [|split; [apply (once_more n true)|cbn; f_equal; apply (up_down n true)]].
  cbn. do 2 f_equal. generalize false. induction n; intros b; cbn; auto.
Qed.
(* items whose flippancy is at least a threshold: one item in which neighbours differ changes their number by at most one *)
Definition above (w : nat) (items : list (list bool)) := length (filter (fun l => w <=? flippancy l) items).
(** claim: turnstile.flippancy_sensitivity *)
Theorem threshold_sensitivity : forall w before after l l', above w (before ++ l :: after) <= 1 + above w (before ++ l' :: after).
Proof. intros. unfold above. rewrite !filter_app, !app_length. cbn. destruct (w <=? flippancy l), (w <=? flippancy l'); cbn; lia. Qed.

(* ---- the truncation of Algorithm 1: zero from the flip on that exceeds w ---- *)
Fixpoint cut (w c : nat) (p : bool) (l : list bool) : list bool :=
  match l with [] => [] | b :: t => let c' := c + differ p b in (if c' <=? w then b else false) :: cut w c' b t end.
Definition truncated w (l : list bool) := match l with [] => [] | b :: t => b :: cut w 0 b t end.
Lemma cut_dead : forall w l c p, w < c -> flips false (cut w c p l) = 0.
Proof. induction l as [|b t IH]; intros c p H; cbn; auto. replace (c + differ p b <=? w) with false by (symmetry; apply Nat.leb_gt; lia). cbn. apply IH. lia. Qed.
Lemma cut_live : forall w l c p, c <= w -> flips p (cut w c p l) <= w - c + 1.
Proof.
  induction l as [|b t IH]; intros c p H; cbn; [lia|]. destruct (c + differ p b <=? w) eqn:E.
  - apply Nat.leb_le in E. specialize (IH (c + differ p b) b E). lia.
  - apply Nat.leb_gt in E. rewrite cut_dead by lia. unfold differ. destruct (eqb p false); lia.
Qed.
(** claim: turnstile.truncated_flippancy *)
Theorem truncated_flippancy : forall w l, flippancy (truncated w l) <= w + 1.
Proof. intros w [|b t]; cbn; [lia|]. assert (H := cut_live w t 0 b ltac:(lia)). lia. Qed.
(* what is printed, w in place of w + 1, is false *)
(** mutant: truncated_flippancy *)
Theorem truncated_flippancy_printed : ~ (forall w l, flippancy (truncated w l) <= w).
Proof. intros H. specialize (H 1 (exist 0 [0; 1; -1]%Z)). cbn in H. lia. Qed.
Lemma cut_same : forall w l c p, c + flips p l <= w -> cut w c p l = l.
Proof. induction l as [|b t IH]; intros c p H; cbn in *; auto. rewrite (proj2 (Nat.leb_le _ _)) by lia. f_equal. apply IH. lia. Qed.
(** claim: turnstile.given_flippancy, turnstile.truncated_flippancy *)
Theorem truncation_keeps : forall w l, flippancy l <= w -> truncated w l = l.
Proof. intros w [|b t] H; cbn in *; auto. f_equal. apply cut_same. lia. Qed.

(* ---- the summation stream of one element: the change of its existence at each time ---- *)
Definition value (b : bool) : Z := if b then 1%Z else 0%Z.
Fixpoint changes (p : bool) (l : list bool) : list Z := match l with [] => [] | b :: t => (value b - value p)%Z :: changes b t end.
Fixpoint apart (l k : list Z) : nat :=
  match l, k with a :: t, b :: v => (if Z.eqb a b then 0 else 1) + apart t v | _, _ => 0 end.
Lemma apart_flips : forall l k p q, apart (changes p l) (changes q k) <= flips p l + flips q k.
Proof.
  induction l as [|a l IH]; intros [|b k] p q; cbn; try lia. specialize (IH k a b).
  destruct a, b, p, q; cbn in *; lia.
Qed.
(* Neighbours of flippancy at most w, of any kind: all other elements cancel. *)
(** claim: turnstile.changed_entries *)
Theorem changed_entries : forall w l k, flippancy l <= w -> flippancy k <= w -> apart (changes false l) (changes false k) <= 2 * w + 1.
Proof.
  intros w [|a l] [|b k] H K; cbn in *; try lia. assert (A := apart_flips l k a b). destruct a, b; cbn in *; lia.
Qed.
(** mutant: changed_entries *)
Theorem changed_entries_printed : ~ (forall w l k, flippancy l <= w -> flippancy k <= w -> apart (changes false l) (changes false k) <= 2 * w).
Proof. intros H. specialize (H 1 [true; false; false] [false; false; true]). cbn in H. lia. Qed.
(* it is attained for every w: one vector flips at odd times, the other at even times *)
Fixpoint toggles (b late : bool) (n : nat) : list bool :=
  match n with O => [] | S m => if late then b :: negb b :: toggles (negb b) late m else negb b :: negb b :: toggles (negb b) late m end.
Lemma toggles_apart : forall n b c, flips b (toggles b false n) = n /\ flips c (toggles c true n) = n /\
  apart (changes b (toggles b false n)) (changes c (toggles c true n)) = 2 * n.
Proof.
  induction n; intros b c; cbn; auto. destruct (IHn (negb b) (negb c)) as [A [B C]].
  destruct b, c; cbn in *; repeat split; try lia.
Qed.
(** claim: turnstile.changed_entries *)
Theorem changed_entries_attained : forall w, exists l k, flippancy l <= w /\ flippancy k <= w /\ apart (changes false l) (changes false k) = 2 * w + 1.
Proof.
  intros w. exists (true :: toggles true false w), (false :: toggles false true w). destruct (toggles_apart w true false) as [A [B C]].
  cbn [flippancy changes apart]. rewrite A, B. cbn. lia.
Qed.
(* with insertions only a vector flips at most once, and at most two entries differ, the first included *)
(** claim: turnstile.changed_entries *)
Theorem insertions_only : forall l k, flips false l <= 1 -> flips false k <= 1 -> apart (changes false l) (changes false k) <= 2.
Proof. intros l k H K. assert (A := apart_flips l k false false). lia. Qed.

(* ---- the dyadic tree ---- *)
Fixpoint total (l : list Z) : Z := match l with [] => 0%Z | a :: t => (a + total t)%Z end.
Lemma total_app : forall l k, total (l ++ k) = (total l + total k)%Z.
Proof. induction l; intros; cbn; rewrite ?IHl; lia. Qed.
(* the node (start, start + size] of the sums of a stream *)
Definition node (l : list Z) (start size : nat) : Z := total (firstn size (skipn start l)).
Lemma skipn_add : forall b a (l : list Z), skipn a (skipn b l) = skipn (b + a) l.
Proof. induction b; intros a [|x l]; cbn; auto. apply skipn_nil. Qed.
(* the intervals of (0, t], the largest first: sizes 2^k, ..., 2, 1 *)
Fixpoint dyadic (k start t : nat) : list (nat * nat) :=
  let here := if 2 ^ k <=? t then [(start, 2 ^ k)] else [] in
  let start' := if 2 ^ k <=? t then start + 2 ^ k else start in
  let t' := if 2 ^ k <=? t then t - 2 ^ k else t in
  here ++ match k with O => [] | S j => dyadic j start' t' end.
(** claim: turnstile.dyadic *)
Theorem dyadic_sums : forall k l start t, t < 2 ^ S k ->
  fold_right Z.add 0%Z (map (fun n => node l (fst n) (snd n)) (dyadic k start t)) = node l start t.
Proof.
  assert (split : forall l start a b, node l start (a + b) = (node l start a + node l (start + a) b)%Z).
  { intros l start a b. unfold node. rewrite <- skipn_add.
    generalize (skipn start l) as v. intros v. rewrite <- total_app. f_equal. revert v. induction a; intros [|x v]; cbn; auto.
    all: rewrite ?skipn_nil, ?firstn_nil; auto; try (now destruct b); f_equal; apply IHa. }
  induction k; intros l start t H.
  - cbn in *. destruct t as [|[|t]]; [cbn|cbn|lia]; unfold node; cbn; lia.
  - cbn [dyadic]. rewrite Nat.pow_succ_r' in H. destruct (2 ^ S k <=? t) eqn:E.
    + apply Nat.leb_le in E. cbn [app map fold_right fst snd]. rewrite IHk by (rewrite Nat.pow_succ_r' in *; lia).
      rewrite <- split. f_equal. lia.
    + apply Nat.leb_gt in E. cbn [app]. apply IHk. lia.
Qed.
(* they are nodes of the tree: each starts at a multiple of its size; of each level there is at most one *)
(** claim: turnstile.dyadic *)
Theorem dyadic_nodes : forall k start t, Nat.divide (2 ^ S k) start -> t < 2 ^ S k ->
  Forall (fun n => Nat.divide (snd n) (fst n)) (dyadic k start t) /\ length (dyadic k start t) <= S k.
Proof.
  induction k; intros start t D H.
  - cbn [dyadic Nat.pow]. destruct (1 <=? t); (split; [|cbn; lia]); cbn [app]; [constructor; [exists start; cbn; lia|constructor]|constructor].
  - cbn [dyadic]. assert (D' : Nat.divide (2 ^ S k) start) by (apply (Nat.divide_trans _ (2 ^ S (S k))); auto; exists 2; rewrite (Nat.pow_succ_r' 2 (S k)); lia).
    rewrite Nat.pow_succ_r' in H. destruct (2 ^ S k <=? t) eqn:E.
    + apply Nat.leb_le in E. destruct (IHk (start + 2 ^ S k) (t - 2 ^ S k)) as [A B]; [apply Nat.divide_add_r; auto; apply Nat.divide_refl|lia|].
      cbn [app length]. split; [constructor; auto|lia].
    + apply Nat.leb_gt in E. destruct (IHk start t) as [A B]; cbn [app]; auto.
Qed.
(** claim: turnstile.dyadic *)
Theorem dyadic_number : forall t, 1 <= t -> let k := Nat.log2 t in
  t < 2 ^ S k /\ length (dyadic k 0 t) <= S k.
Proof.
  intros t H k. destruct (Nat.log2_spec t ltac:(lia)) as [_ B]. split; auto.
  apply dyadic_nodes; auto. exists 0. lia.
Qed.

(* On each level at most as many nodes differ as entries: nodes of one level have no entry in common. *)
Fixpoint level (n size : nat) (l : list Z) : list Z :=
  match n with O => [] | S m => total (firstn size l) :: level m size (skipn size l) end.
Lemma apart_app : forall l l' k k', length l = length k -> apart (l ++ l') (k ++ k') = apart l k + apart l' k'.
Proof. induction l as [|a l IH]; intros l' [|b k] k' H; cbn in *; try lia. rewrite IH by lia. lia. Qed.
Lemma apart_zero : forall l k, length l = length k -> apart l k = 0 -> l = k.
Proof. induction l as [|a l IH]; intros [|b k] H A; cbn in *; try lia; auto. destruct (Z.eqb a b) eqn:E; [|lia]. apply Z.eqb_eq in E. f_equal; auto. Qed.
(** claim: turnstile.node_sensitivity, turnstile.truncated_flippancy *)
Theorem nodes_of_a_level : forall n size l k, length l = length k -> apart (level n size l) (level n size k) <= apart l k.
Proof.
  induction n; intros size l k H; cbn [level apart]; [lia|].
  assert (L : length (firstn size l) = length (firstn size k)) by (rewrite !firstn_length; lia).
  assert (M : length (skipn size l) = length (skipn size k)) by (rewrite !skipn_length; lia).
  assert (I := IHn size (skipn size l) (skipn size k) M).
  replace (apart l k) with (apart (firstn size l) (firstn size k) + apart (skipn size l) (skipn size k))
    by (rewrite <- apart_app by auto; now rewrite !firstn_skipn).
  destruct (Z.eqb_spec (total (firstn size l)) (total (firstn size k))) as [E|E]; [lia|].
  assert (apart (firstn size l) (firstn size k) <> 0) by (intros Z; apply E; f_equal; now apply apart_zero). lia.
Qed.
Lemma changes_length : forall l p, length (changes p l) = length l.
Proof. induction l; intros; cbn; auto. Qed.
Lemma truncated_length : forall w l, length (truncated w l) = length l.
Proof. assert (H : forall w l c p, length (cut w c p l) = length l) by (induction l; intros; cbn; auto). intros w [|b t]; cbn; auto. Qed.
(* ---- instances: nothing above is empty ---- *)
(** instance: event_sensitivity *)
Example ten_steps : flippancy (exist 0 (1%Z :: alternate false 9)) = 9 /\ flippancy (exist 0 (0%Z :: alternate false 9)) = 0.
Proof. vm_compute. auto. Qed.
(** instance: dyadic_sums *)
Example dyadic_thirteen : dyadic 3 0 13 = [(0, 8); (8, 4); (12, 1)].
Proof. reflexivity. Qed.
(** mutant: dyadic_number *)
Example one_interval_less : ~ (forall t, 1 <= t -> length (dyadic (Nat.log2 t) 0 t) <= Nat.log2 t).
Proof. intros H. specialize (H 7 ltac:(lia)). vm_compute in H. lia. Qed.
(** mutant: event_sensitivity *)
Example event_sensitivity_one : ~ (forall s s' : list Z, length s = length s' -> apart s s' <= 1 ->
  flippancy (exist 0 s) <= 1 + flippancy (exist 0 s')).
Proof. intros H. specialize (H [1; -1; 1; -1]%Z [0; -1; 1; -1]%Z eq_refl). vm_compute in H. lia. Qed.
(** mutant: nodes_of_a_level *)
Example nodes_need_lengths : ~ (forall n size l k, apart (level n size l) (level n size k) <= apart l k).
Proof. intros H. specialize (H 1 1 [1%Z] []). vm_compute in H. lia. Qed.
(** mutant: flippancy_below_length *)
Example flippancy_less : ~ (forall l, flippancy l <= length l - 2).
Proof. intros H. specialize (H [true; false]). vm_compute in H. lia. Qed.
(** mutant: threshold_sensitivity *)
Example threshold_moves : ~ (forall w before after l l', above w (before ++ l :: after) <= above w (before ++ l' :: after)).
Proof. intros H. specialize (H 1 [] [] [true; false] [true; true]). vm_compute in H. lia. Qed.
(** mutant: insertions_only *)
Example two_entries : ~ (forall l k, flips false l <= 1 -> flips false k <= 1 -> apart (changes false l) (changes false k) <= 1).
Proof. intros H. specialize (H [true; true] [false; true]). vm_compute in H. lia. Qed.
(** mutant: truncation_keeps *)
Example truncation_cuts : ~ (forall w l, truncated w l = l).
Proof. intros H. specialize (H 0 [false; true]). discriminate. Qed.
(** instance: nodes_of_a_level *)
Example level_of_two : level 2 2 (changes false [true; false; false; true]) = [0; 1]%Z /\ level 2 2 (changes false [false; true; true; true]) = [1; 0]%Z.
Proof. split; reflexivity. Qed.
(** mutant: dyadic_nodes *)
Example nodes_start_at_multiples : ~ (forall k start t, t < 2 ^ S k -> Forall (fun n => Nat.divide (snd n) (fst n)) (dyadic k start t)).
Proof. intros H. specialize (H 1 1 2 ltac:(cbn; lia)). inversion H. destruct H2 as [z Z]. cbn in Z. lia. Qed.
(** mutant: dyadic_sums *)
Example enough_levels : ~ (forall k l start t, fold_right Z.add 0%Z (map (fun n => node l (fst n) (snd n)) (dyadic k start t)) = node l start t).
Proof. intros H. specialize (H 0 [1; 1]%Z 0 2). vm_compute in H. discriminate. Qed.
(** instance: strict_event_sensitivity *)
Example ten_more_steps : flippancy (exist 0 (1 :: 1 :: alternate false 9)%Z) = 0 /\ flippancy (exist 0 (0 :: 1 :: alternate false 9)%Z) = 10.
Proof. vm_compute. auto. Qed.
(** instance: changed_entries_attained *)
Example five_entries : flippancy [true; false; false; true; true] = 2 /\ flippancy [false; false; true; true; false] = 2 /\
  apart (changes false [true; false; false; true; true]) (changes false [false; false; true; true; false]) = 5.
Proof. vm_compute. auto. Qed.
