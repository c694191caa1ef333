(* One cell suffices: whatever all others do, two programs that differ in the draws of one cell are as far apart as two
   programs of this cell alone. Independence of the users is proved here, and assumed nowhere. *)
From Coq Require Import Reals Psatz Lra List Bool ZArith Lia.
From Pan Require Import Semantics.
Import ListNotations.
Open Scope R_scope.

(* ---- programs of one cell ---- *)
Inductive act := draw (p : R) | flip (p : R) | see (w : bool -> R).
Fixpoint run1 (l : list act) (b : bool) : R :=
  match l with
  | [] => 1
  | draw p :: t => p * run1 t true + (1 - p) * run1 t false
  | flip p :: t => p * run1 t (negb b) + (1 - p) * run1 t b
  | see w :: t => w b * run1 t b
  end.
Definition seen_only (l : list act) := filter (fun a => match a with draw _ => false | _ => true end) l.

(* ---- the cell within the state ---- *)
Fixpoint ins (c : nat) (b : bool) (t : state) : state :=
  match c, t with O, _ => b :: t | S k, x :: v => x :: ins k b v | S _, [] => [b] end.
Definition skip (c u : nat) := if Nat.ltb u c then u else pred u.
Lemma ins_set_same : forall c b d t, (c <= length t)%nat -> set c d (ins c b t) = ins c d t.
Proof. induction c; intros b d [|x t] H; cbn in *; try lia; auto. f_equal. apply IHc. lia. Qed.
Lemma ins_set_other : forall c u b d t, (c <= length t)%nat -> u <> c -> set u d (ins c b t) = ins c b (set (skip c u) d t).
Proof.
  induction c; intros u b d [|x t] H N; cbn [length] in *; try lia.
  - destruct u; [congruence|]. reflexivity.
  - destruct u; [congruence|]. unfold skip. cbn. destruct u; reflexivity.
  - destruct u as [|u]; [reflexivity|]. cbn [ins set]. rewrite IHc by lia. unfold skip. change (S u <? S c)%nat with (u <? c)%nat.
    destruct (u <? c)%nat eqn:E; [reflexivity|]. apply Nat.ltb_ge in E. destruct u; [lia|]. reflexivity.
Qed.
Lemma set_length : forall u b s, length (set u b s) = length s.
Proof. induction u; intros b [|x s]; cbn; auto. Qed.
Lemma set_beyond : forall s u b, (length s <= u)%nat -> set u b s = s.
Proof. induction s; intros [|u] b H; cbn in *; try lia; auto. f_equal. apply IHs. lia. Qed.

(* ---- expectations ---- *)
Definition probs := Forall (fun p : R => 0 <= p <= 1).
Fixpoint del {A} (c : nat) (l : list A) : list A :=
  match l, c with [], _ => [] | _ :: t, O => t | x :: t, S k => x :: del k t end.
Lemma expect_ext : forall ps (g h : state -> R), (forall t, length t = length ps -> g t = h t) -> expect ps g = expect ps h.
Proof.
  induction ps as [|p ps IH]; intros g h H; cbn; [now apply H|].
  unfold mix; cbn. f_equal; f_equal; apply IH; intros; apply H; cbn; congruence.
Qed.
Lemma expect_lin : forall ps a b g h, expect ps (fun s => a * g s + b * h s) = a * expect ps g + b * expect ps h.
Proof. induction ps as [|p ps IH]; intros; cbn; [reflexivity|]. unfold mix; cbn. rewrite !IH. ring. Qed.
Lemma expect_le : forall ps g h, probs ps -> (forall t, length t = length ps -> g t <= h t) -> expect ps g <= expect ps h.
Proof.
  induction ps as [|p ps IH]; intros g h P H; cbn; [now apply H|]. inversion P; subst. unfold mix; cbn.
  apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; apply IH; auto; intros; apply H; cbn; congruence.
Qed.
Lemma del_probs : forall c ps, probs ps -> probs (del c ps).
Proof. induction c; intros [|p ps] P; cbn; auto; inversion P; subst; auto. constructor; auto. now apply IHc. Qed.
Lemma del_length : forall A c (l : list A), (c < length l)%nat -> length (del c l) = pred (length l).
Proof. induction c; intros [|x l] H; cbn in *; try lia. rewrite IHc by lia. lia. Qed.
Lemma expect_split : forall c ps g, (c < length ps)%nat ->
  expect ps g = expect (del c ps) (fun t => nth c ps 0 * g (ins c true t) + (1 - nth c ps 0) * g (ins c false t)).
Proof.
  induction c; intros [|p ps] g H; cbn [length] in *; try lia.
  - cbn. rewrite expect_lin. reflexivity.
  - cbn. unfold mix; cbn. rewrite !(IHc ps) by lia. reflexivity.
Qed.
Lemma flipped_ext : forall s p (g h : state -> R), (forall t, length t = length s -> g t = h t) -> flipped p s g = flipped p s h.
Proof.
  induction s as [|b s IH]; intros p g h H; cbn; [now apply H|].
  unfold mix; cbn. f_equal; f_equal; apply IH; intros; apply H; cbn; congruence.
Qed.
Lemma flipped_lin : forall s p a b g h, flipped p s (fun t => a * g t + b * h t) = a * flipped p s g + b * flipped p s h.
Proof. induction s as [|x s IH]; intros; cbn; [reflexivity|]. unfold mix; cbn. rewrite !IH. ring. Qed.
Lemma flipped_le : forall s p (g h : state -> R), 0 <= p <= 1 -> (forall t, length t = length s -> g t <= h t) ->
  flipped p s g <= flipped p s h.
Proof.
  induction s as [|b s IH]; intros p g h P H; cbn; [now apply H|]. unfold mix; cbn.
  apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; apply IH; auto; intros; apply H; cbn; congruence.
Qed.
Lemma flipped_ins : forall c b p t (g : state -> R), (c <= length t)%nat ->
  flipped p (ins c b t) g = p * flipped p t (fun v => g (ins c (negb b) v)) + (1 - p) * flipped p t (fun v => g (ins c b v)).
Proof.
  induction c; intros b p [|x t] g H; cbn [length] in *; try lia; try reflexivity.
  cbn. unfold mix; cbn. rewrite !IHc by lia. cbn. ring.
Qed.

(* ---- a program, seen from the cell: the others' draws are summed up, [k] gets what is left ---- *)
Fixpoint rest (c : nat) (o : list (op R)) (t : state) (k : list act -> R) : R :=
  match o with
  | [] => k []
  | Draw u p :: o =>
      if Nat.eqb u c then rest c o t (fun l => k (draw p :: l))
      else p * rest c o (set (skip c u) true t) k + (1 - p) * rest c o (set (skip c u) false t) k
  | Flip p :: o => flipped p t (fun v => rest c o v (fun l => k (flip p :: l)))
  | See w :: o => rest c o t (fun l => k (see (fun b => w (ins c b t)) :: l))
  end.
Lemma rest_ext : forall c o t k h, (forall l, k l = h l) -> rest c o t k = rest c o t h.
Proof.
  induction o as [|[u p|p|w] o IH]; intros t k h H; cbn; auto.
  - destruct (Nat.eqb u c); [apply IH; auto|]. now rewrite !(IH _ k h).
  - apply flipped_ext. intros. now apply IH.
Qed.
Lemma rest_lin : forall c o t a b k h,
  rest c o t (fun l => a * k l + b * h l) = a * rest c o t k + b * rest c o t h.
Proof.
  induction o as [|[u p|p|w] o IH]; intros t a b k h; cbn.
  - reflexivity.
  - destruct (Nat.eqb u c); [apply IH|]. rewrite !IH. ring.
  - rewrite <- flipped_lin. apply flipped_ext. intros. apply IH.
  - apply IH.
Qed.
Lemma rest_one : forall c o t a k, rest c o t (fun l => a * k l) = a * rest c o t k.
Proof.
  intros. rewrite (rest_ext c o t _ (fun l => a * k l + 0 * k l)) by (intros; ring). rewrite rest_lin. ring.
Qed.
Theorem run_rest : forall c o b t, (c <= length t)%nat -> run o (ins c b t) = rest c o t (fun l => run1 l b).
Proof.
  induction o as [|[u p|p|w] o IH]; intros b t H; cbn [run rest run1].
  - reflexivity.
  - unfold mix; cbn. destruct (Nat.eqb u c) eqn:E.
    + apply Nat.eqb_eq in E; subst u. rewrite !ins_set_same, !IH by auto. now rewrite rest_lin.
    + apply Nat.eqb_neq in E. rewrite !ins_set_other, !IH by (rewrite ?set_length; auto). reflexivity.
  - rewrite flipped_ins by auto. rewrite <- flipped_lin. apply flipped_ext. intros v L.
    rewrite !IH by lia. now rewrite rest_lin.
  - cbn. rewrite IH by auto. now rewrite rest_one.
Qed.

(* ---- what the cell's program can look like ---- *)
Inductive view (c : nat) : list (op R) -> list act -> Prop :=
| view_end : view c [] []
| view_own p o l : view c o l -> view c (Draw c p :: o) (draw p :: l)
| view_other u p o l : u <> c -> view c o l -> view c (Draw u p :: o) l
| view_flip p o l : view c o l -> view c (Flip p :: o) (flip p :: l)
| view_see w t o l : (c <= length t)%nat -> view c o l -> view c (See w :: o) (see (fun b => w (ins c b t)) :: l).
Definition off (c : nat) (o : list (op R)) := filter (fun x => match x with Draw u _ => negb (Nat.eqb u c) | _ => true end) o.
Definition fair (o : list (op R)) := Forall (fun x => match x with Draw _ p | Flip p => 0 <= p <= 1 | See _ => True end) o.

Lemma compare : forall c o o' t (k k' : list act -> R), (c <= length t)%nat -> fair o -> fair o' -> off c o = off c o' ->
  (forall l l', view c o l -> view c o' l' -> seen_only l = seen_only l' -> k l <= k' l') ->
  rest c o t k <= rest c o' t k'.
Proof.
  assert (own : forall c p o', off c (Draw c p :: o') = off c o') by (intros; cbn; now rewrite Nat.eqb_refl).
  induction o as [|x o IH].
  - (* nothing is left of the first program *)
    intros o'. induction o' as [|y o' IH']; intros t k k' T F F' N H; cbn [rest].
    + apply H; constructor.
    + destruct y as [u p|p|w]; try discriminate. inversion F'; subst. cbn in N.
      destruct (Nat.eqb u c) eqn:E; [|discriminate]. apply Nat.eqb_eq in E; subst u.
      apply (IH' t k (fun l => k' (draw p :: l))); auto. intros l l' V V' S. apply H; [auto|now constructor|auto].
  - intros o' t k k' T F F' N H. inversion F; subst.
    destruct x as [u p|p|w].
    + destruct (Nat.eq_dec u c) as [->|D].
      { cbn [rest]. rewrite Nat.eqb_refl. apply IH; auto. now rewrite own in N. intros l l' V V' S. apply H; auto. now constructor. }
      revert t k k' T F' N H. induction o' as [|y o' IH']; intros t k k' T F' N H.
      { cbn in N. apply Nat.eqb_neq in D. rewrite D in N. discriminate. }
      inversion F'; subst. destruct y as [v q|q|w'].
      * destruct (Nat.eq_dec v c) as [->|D'].
        { rewrite own in N. cbn [rest]. rewrite (Nat.eqb_refl c).
          apply (IH' t k (fun l => k' (draw q :: l))); auto. intros l l' V V' S. apply H; [auto|now constructor|auto]. }
        cbn in N. pose proof D as D2. pose proof D' as D2'. apply Nat.eqb_neq in D2, D2'. rewrite D2, D2' in N. cbn in N.
        injection N as -> -> N. cbn [rest]. rewrite D2'.
        apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; apply IH; rewrite ?set_length; auto; intros l l' V V' S; apply H; try (now constructor); auto.
      * cbn in N. apply Nat.eqb_neq in D. rewrite D in N. discriminate.
      * cbn in N. apply Nat.eqb_neq in D. rewrite D in N. discriminate.
    + revert t k k' T F' N H. induction o' as [|y o' IH']; intros t k k' T F' N H; [discriminate|].
      inversion F'; subst. destruct y as [v q|q|w'].
      * cbn in N. destruct (Nat.eqb v c) eqn:E; [|discriminate]. apply Nat.eqb_eq in E; subst v.
        cbn [rest]. rewrite (Nat.eqb_refl c).
        apply (IH' t k (fun l => k' (draw q :: l))); auto. intros l l' V V' S. apply H; [auto|now constructor|auto].
      * cbn in N. injection N as -> N. cbn [rest]. apply flipped_le; [auto|]. intros v L. apply IH; auto; [lia|].
        intros l l' V V' S. apply H; try (now constructor). cbn. f_equal. exact S.
      * discriminate.
    + revert t k k' T F' N H. induction o' as [|y o' IH']; intros t k k' T F' N H; [discriminate|].
      inversion F'; subst. destruct y as [v q|q|w'].
      * cbn in N. destruct (Nat.eqb v c) eqn:E; [|discriminate]. apply Nat.eqb_eq in E; subst v.
        cbn [rest]. rewrite (Nat.eqb_refl c).
        apply (IH' t k (fun l => k' (draw q :: l))); auto. intros l l' V V' S. apply H; [auto|now constructor|auto].
      * discriminate.
      * cbn in N. injection N as -> N. cbn [rest]. apply IH; auto.
        intros l l' V V' S. apply H; try (now constructor). cbn. f_equal. exact S.
Qed.

Lemma run_beyond : forall o c s, (length s <= c)%nat -> run o s = run (off c o) s.
Proof.
  induction o as [|[u p|p|w] o IH]; intros c s H; cbn [run off filter].
  - reflexivity.
  - destruct (Nat.eqb u c) eqn:E; cbn [negb run].
    + apply Nat.eqb_eq in E; subst u. rewrite !set_beyond by auto. pose proof (IH c s H) as E. unfold off in E. rewrite <- E. unfold mix; cbn. ring.
    + unfold mix; cbn. f_equal; f_equal; apply IH; now rewrite set_length.
  - apply flipped_ext. intros t L. apply IH. lia.
  - f_equal. now apply IH.
Qed.

(* If no program of the cell exceeds c0 times another one with the same observations, no program of all cells does. *)
(** claim: joint_loss.tight, distinct.joint_privacy *)
Theorem one_cell : forall ps c o o' c0, probs ps -> fair o -> fair o' -> off c o = off c o' -> 1 <= c0 ->
  (forall q l l', In q ps -> view c o l -> view c o' l' -> seen_only l = seen_only l' ->
     run1 (draw q :: l) true <= c0 * run1 (draw q :: l') true) ->
  (forall s, 0 <= run o s) ->
  mass ps o <= c0 * mass ps o'.
Proof.
  intros ps c o o' c0 P F F' N G H Pos. unfold mass. destruct (Nat.lt_ge_cases c (length ps)) as [L|L].
  - rewrite !(expect_split c ps) by auto. set (q := nth c ps 0).
    assert (I : In q ps) by now apply nth_In.
    replace (c0 * expect _ _) with (expect (del c ps) (fun t => c0 * (q * run o' (ins c true t) + (1 - q) * run o' (ins c false t)) + 0 * 0))
      by (rewrite (expect_lin _ c0 0 _ (fun _ => 0)); ring).
    apply expect_le; [now apply del_probs|]. intros t T. rewrite del_length in T by auto.
    rewrite !run_rest by lia. rewrite <- !rest_lin. rewrite <- (rest_one c o' t c0), Rmult_0_l, Rplus_0_r.
    apply compare; auto; [lia|]. intros l l' V V' S. exact (H q l l' I V V' S).
  - assert (E : expect ps (run o) = expect ps (run o')).
    { apply expect_ext. intros t T. now rewrite (run_beyond o c), (run_beyond o' c), N by lia. }
    rewrite <- E. assert (0 <= expect ps (run o)).
    { replace 0 with (expect ps (fun _ => 0 * 0 + 0 * 0)) by (rewrite (expect_lin ps 0 0 (fun _ => 0) (fun _ => 0)); ring).
      apply expect_le; auto. intros. rewrite Rmult_0_l, Rplus_0_r. apply Pos. }
    nra.
Qed.

(* ---- what an observation tells of the cell ---- *)
Inductive kind := Blind | Sight | Noise.
Definition kind1 (noise : (bool -> R) -> Prop) (a : act) (k : kind) : Prop :=
  match a, k with
  | see w, Blind => w true = w false /\ 0 <= w false
  | see w, Sight => exists b, 0 <= w b /\ w (negb b) = 0
  | see w, Noise => noise w
  | _, _ => False
  end.
Inductive kinds (c : nat) (noise : (bool -> R) -> Prop) : list (op R) -> list kind -> Prop :=
| kinds_end : kinds c noise [] []
| kinds_draw u p o ks : kinds c noise o ks -> kinds c noise (Draw u p :: o) ks
| kinds_see w o k ks : (forall t, (c <= length t)%nat -> kind1 noise (see (fun b => w (ins c b t))) k) -> kinds c noise o ks -> kinds c noise (See w :: o) (k :: ks).
Lemma kinds_view : forall c noise o ks l, kinds c noise o ks -> view c o l -> Forall2 (kind1 noise) (seen_only l) ks.
Proof.
  intros c noise o ks l K. revert l. induction K; intros l V; inversion V; subst; cbn; auto.
Qed.
Lemma kinds_app : forall c noise o ks o' ks', kinds c noise o ks -> kinds c noise o' ks' -> kinds c noise (o ++ o') (ks ++ ks').
Proof. induction 1; intros; cbn; try constructor; auto. Qed.
(* all draws of the cell have a property *)
Definition draws (d : R -> Prop) (o : list (op R)) := Forall (fun x => match x with Draw _ p => d p | _ => True end) o.
Definition draws1 (d : R -> Prop) (l : list act) := Forall (fun x => match x with draw p => d p | _ => True end) l.
Lemma draws_view : forall c d o l, draws d o -> view c o l -> draws1 d l.
Proof. intros c d o l D V. induction V; inversion D; subst; try constructor; auto; now apply IHV. Qed.

(* the part of the state that is seen, and a noisy number of ones *)
Lemma part_ext : forall t a b, (forall i, a i = b i) -> part a t = part b t.
Proof. induction t; intros a' b H; cbn; auto. rewrite H. f_equal. apply IHt. intros; apply H. Qed.
Lemma part_ins : forall c b t a, (c <= length t)%nat ->
  part a (ins c b t) = ins c (a c && b) (part (fun i => a (if Nat.ltb i c then i else S i)) t).
Proof.
  induction c; intros b [|x t] a H; cbn [length] in *; try lia; try reflexivity.
  cbn [ins part]. f_equal. rewrite IHc by lia. cbn [part]. f_equal. apply part_ext. intros i.
  change (S i <? S c)%nat with (i <? c)%nat. now destruct (i <? c)%nat.
Qed.
