(* Announced intrusions: after each look every bit is flipped with a public probability, and later draws come from the pair
   after the same flips. The loss is a product along the seen bits, for every number of announced intrusions.
   Claims: calibrated.announced_intrusions, density.announced_intrusions. *)
From Coq Require Import Reals Psatz Lra List Bool ZArith Lia.
From Pan Require Import Semantics OneCell JointLoss Streams Attained.
Import ListNotations.
Open Scope R_scope.

(* a draw has the probability p, and after each flip that of p through the flip *)
Fixpoint stage (p : R) (l : list act) : Prop :=
  match l with
  | [] => True
  | draw d :: t => d = p /\ stage p t
  | flip f :: t => stage (through f p) t
  | see _ :: t => stage p t
  end.
(* the bit c after a flip of the known bit b, without a draw and with one *)
Definition moved (f : R) (b c : bool) := if Bool.eqb b c then 1 - f else f.
(* what is seen next is the bit c, with the weight w c *)
Definition sight (w : bool -> R) (c : bool) := 0 <= w c /\ w (negb c) = 0.
Lemma through_pr : forall f p c, p * moved f true c + (1 - p) * moved f false c = pr (through f p) c.
Proof. intros f p []; unfold moved, through, mix; cbn; ring. Qed.
Lemma sight_value : forall w c k p l, sight w c -> seen_only l = see w :: k -> stage p l -> exists l2, seen_only l2 = k /\ stage p l2 /\
  ((forall b, run1 l b = (if Bool.eqb b c then 1 else 0) * (w c * run1 l2 c)) \/ (forall b, run1 l b = pr p c * (w c * run1 l2 c))).
Proof.
  intros w c k p l [W0 W1]. induction l as [|[d|d|v] l IH]; intros S T; cbn in S; cbn [stage] in T; try discriminate.
  - destruct T as [-> T]. destruct (IH S T) as [l2 [S2 [T2 [V|V]]]]; exists l2; repeat (split; auto); right; intros b; cbn [run1]; rewrite !V; destruct c; cbn; ring.
  - injection S as -> S. exists l. repeat (split; auto). left. intros b. cbn [run1]. destruct b, c; cbn in *; rewrite ?W1; ring.
Qed.
Lemma flip_value : forall f w c k p l b, sight w c -> seen_only l = flip f :: see w :: k -> stage p l -> exists l2 g,
  seen_only l2 = k /\ stage (through f p) l2 /\ (g = moved f b c \/ g = pr (through f p) c) /\ run1 l b = g * (w c * run1 l2 c).
Proof.
  intros f w c k p l b W S T.
  assert (H : exists l2, seen_only l2 = k /\ stage (through f p) l2 /\
    ((forall b, run1 l b = moved f b c * (w c * run1 l2 c)) \/ (forall b, run1 l b = pr (through f p) c * (w c * run1 l2 c)))).
  { revert S T. induction l as [|[d|d|v] l IH]; intros S T; cbn in S; cbn [stage] in T; try discriminate.
    - destruct T as [-> T]. destruct (IH S T) as [l2 [S2 [T2 [V|V]]]]; exists l2; repeat (split; auto); right; intros b'; cbn [run1]; rewrite !V.
      + rewrite <- through_pr. ring. + ring.
    - injection S as -> S. destruct (sight_value w c k (through f p) l W S T) as [l2 [S2 [T2 [V|V]]]]; exists l2; repeat (split; auto).
      + left. intros b'. cbn [run1]. rewrite !V. destruct b', c; cbn; ring.
      + right. intros b'. cbn [run1]. rewrite !V. ring. }
  destruct H as [l2 [S2 [T2 [V|V]]]]; exists l2; eexists; repeat (split; eauto).
Qed.
Lemma noise_end : forall w p l b, seen_only l = [see w] -> stage p l -> exists y, (y = None \/ y = Some p) /\ run1 l b = after y b w.
Proof.
  intros w p l b S T. assert (N : forall l c, seen_only l = [] -> stage p l -> run1 l c = 1).
  { clear. induction l as [|[d|d|v] l IH]; intros c S T; cbn in S |- *; cbn [stage] in T; try discriminate; auto. destruct T as [-> T]. rewrite !IH by auto. ring. }
  assert (H : (forall b, run1 l b = after None b w) \/ (forall b, run1 l b = after (Some p) b w)).
  { revert S T. induction l as [|[d|d|v] l IH]; intros S T; cbn in S; cbn [stage] in T; try discriminate.
    - destruct T as [-> T]. destruct (IH S T) as [V|V]; right; intros c; cbn [run1]; rewrite !V; cbn; ring.
    - injection S as -> S. left. intros c. cbn [run1]. rewrite N by auto. cbn. ring. }
  destruct H as [V|V]; eexists; eauto.
Qed.

Section Bound.
Variables f r : R.
Hypothesis Hf : 0 < f < 1.
Hypothesis Hr : 1 <= r.
Definition step_ratio (p : R) (b c : bool) := Rmax (moved f b c / pr p c) (pr p c / moved f b c).
Definition end_ratio (p : R) (b : bool) := if b then p + (1 - p) * r else 1 - p + p * r.
(* from a known bit b, with k announced intrusions to come, and the release at the end *)
Fixpoint most (k : nat) (p : R) (b : bool) : R :=
  match k with
  | O => end_ratio p b
  | S j => Rmax (step_ratio (through f p) b true * most j (through f p) true) (step_ratio (through f p) b false * most j (through f p) false)
  end.
Lemma through_inside : forall p, 0 < p < 1 -> 0 < through f p < 1.
Proof. intros p P. unfold through, mix. cbn. nra. Qed.
Lemma pr_inside : forall p c, 0 < p < 1 -> 0 < pr p c. Proof. intros p [] P; cbn; lra. Qed.
Lemma moved_inside : forall b c, 0 < moved f b c. Proof. intros b c. unfold moved. destruct (Bool.eqb b c); lra. Qed.
Lemma one_below : forall a b, 0 < a -> 0 < b -> 1 <= Rmax (a / b) (b / a).
Proof.
  intros a b A B. destruct (Rle_lt_dec b a).
  - apply Rle_trans with (a / b); [|apply Rmax_l]. apply Rmult_le_reg_r with b; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - apply Rle_trans with (b / a); [|apply Rmax_r]. apply Rmult_le_reg_r with a; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Lemma step_values : forall p b c g g', 0 < p < 1 -> (g = moved f b c \/ g = pr p c) -> (g' = moved f b c \/ g' = pr p c) -> 0 < g' /\ g <= step_ratio p b c * g'.
Proof.
  intros p b c g g' P G G'. assert (M := moved_inside b c). assert (Q := pr_inside p c P). unfold step_ratio.
  assert (O := one_below _ _ M Q). assert (L := Rmax_l (moved f b c / pr p c) (pr p c / moved f b c)). assert (R' := Rmax_r (moved f b c / pr p c) (pr p c / moved f b c)).
  set (m := Rmax _ _) in *. split; [destruct G'; subst; auto|]. destruct G as [->| ->], G' as [->| ->].
  - nra.
  - apply Rle_trans with (moved f b c / pr p c * pr p c); [right; field; lra|apply Rmult_le_compat_r; lra].
  - apply Rle_trans with (pr p c / moved f b c * moved f b c); [right; field; lra|apply Rmult_le_compat_r; lra].
  - nra.
Qed.
(* k looks that are announced, each after a flip, then the release *)
Inductive looks_then_noise : nat -> list act -> Prop :=
| noise_only w : bounded (/ r) r w -> looks_then_noise 0 [see w]
| look_then k w c l : sight w c -> looks_then_noise k l -> looks_then_noise (S k) (flip f :: see w :: l).
Lemma most_pos : forall k p b, 0 < p < 1 -> 1 <= most k p b.
Proof.
  induction k; intros p b P; cbn [most].
  - unfold end_ratio. destruct b; nra.
  - assert (T := through_inside p P). apply Rle_trans with (step_ratio (through f p) b true * most k (through f p) true); [|apply Rmax_l].
    assert (1 <= step_ratio (through f p) b true) by (apply one_below; auto using moved_inside, pr_inside). assert (1 <= most k (through f p) true) by auto. nra.
Qed.
Lemma from_known : forall k sk, looks_then_noise k sk -> forall p b l l', 0 < p < 1 -> seen_only l = sk -> seen_only l' = sk -> stage p l -> stage p l' ->
  0 <= run1 l' b /\ run1 l b <= most k p b * run1 l' b.
Proof.
  induction 1 as [w W|k w c sk S K IH]; intros p b l l' P S1 S2 T1 T2.
  - destruct (noise_end w p l b S1 T1) as [y [Y ->]]. destruct (noise_end w p l' b S2 T2) as [y' [Y' ->]].
    destruct W as [W1 [W0 [L H]]]. assert (I : 0 < / r <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
    assert (rr : r * / r = 1) by (apply Rinv_r; lra). cbn [most].
    assert (M : forall t, 0 <= t <= 1 -> 1 <= (1 - t + t * r) * (1 - t + t * / r)).
    { intros t T. replace ((1 - t + t * r) * (1 - t + t * / r)) with (1 + t * (1 - t) * (r + / r - 2) + t * t * (r * / r - 1)) by ring. rewrite rr.
      assert (0 <= r + / r - 2) by (replace (r + / r - 2) with ((r - 1) * (r - 1) * / r) by (field; lra); apply Rmult_le_pos; nra).
      assert (0 <= t * (1 - t) * (r + / r - 2)) by (apply Rmult_le_pos; nra). lra. }
    assert (E : forall z, z = None \/ z = Some p -> exists t, 0 <= t <= pr p (negb b) /\ after z b w = (1 - t) * w b + t * w (negb b)).
    { intros z [->| ->]; cbn [after]; [exists 0|exists (pr p (negb b))]; destruct b; cbn; split; try lra; ring. }
    destruct (E y Y) as [t [Ht ->]]. destruct (E y' Y') as [t' [Ht' ->]].
    assert (B : / r * w b <= w (negb b) <= r * w b) by (destruct b; cbn; nra). assert (0 <= w b) by (destruct b; auto). assert (0 <= w (negb b)) by (destruct b; auto).
    assert (Q : 0 < pr p (negb b) < 1) by (destruct b; cbn; lra). split; [nra|].
    assert (ER : end_ratio p b = 1 - pr p (negb b) + pr p (negb b) * r) by (unfold end_ratio; destruct b; cbn; ring). rewrite ER.
    apply (mixture _ _ (/ r) r (pr p (negb b))); auto; try lra; [nra|apply M; lra].
  - destruct (flip_value f w c sk p l b S S1 T1) as [l2 [g [A1 [A2 [A3 ->]]]]]. destruct (flip_value f w c sk p l' b S S2 T2) as [l2' [g' [B1 [B2 [B3 ->]]]]].
    assert (T := through_inside p P). destruct (IH (through f p) c l2 l2' T A1 B1 A2 B2) as [N V].
    destruct (step_values (through f p) b c g g' T A3 B3) as [G G2]. destruct (step_values (through f p) b c g' g T B3 A3) as [G' _]. destruct S as [W0 W1].
    split; [apply Rmult_le_pos; [lra|now apply Rmult_le_pos]|].
    assert (O := most_pos k (through f p) c T). set (C := most k (through f p) c) in *.
    assert (M : step_ratio (through f p) b c * C <= most (S k) p b) by (cbn [most]; unfold C; destruct c; [apply Rmax_l|apply Rmax_r]).
    apply Rle_trans with (step_ratio (through f p) b c * C * (g' * (w c * run1 l2' c))).
    + replace (step_ratio (through f p) b c * C * (g' * (w c * run1 l2' c))) with (step_ratio (through f p) b c * g' * (w c * (C * run1 l2' c))) by ring.
      assert (0 <= w c * (C * run1 l2' c)) by (apply Rmult_le_pos; [auto|apply Rmult_le_pos; lra]).
      apply Rle_trans with (g * (w c * (C * run1 l2' c))); [|apply Rmult_le_compat_r; auto].
      apply Rmult_le_compat_l; [lra|]. now apply Rmult_le_compat_l.
    + apply Rmult_le_compat_r; auto. apply Rmult_le_pos; [lra|now apply Rmult_le_pos].
Qed.
(* all of it: the first look, then k announced intrusions and the release *)
Definition first_ratio (p0 p1 : R) (b : bool) := if b then p1 / p0 else (1 - p0) / (1 - p1).
Definition announced_ratio (p0 p1 : R) (k : nat) := Rmax (first_ratio p0 p1 true * most k p1 true) (first_ratio p0 p1 false * most k p1 false).
Theorem one_cell_announced : forall p0 p1 k w c sk l l', 0 < p0 /\ p0 < p1 /\ p1 < 1 -> sight w c -> looks_then_noise k sk ->
  seen_only l = see w :: sk -> seen_only l' = see w :: sk -> stage p1 l -> stage p1 l' ->
  run1 (draw p0 :: l) true <= announced_ratio p0 p1 k * run1 (draw p0 :: l') true.
Proof.
  intros p0 p1 k w c sk l l' P W K S S' T T'.
  assert (V : forall l, seen_only l = see w :: sk -> stage p1 l -> exists x l2, (x = p0 \/ x = p1) /\ seen_only l2 = sk /\ stage p1 l2 /\
    run1 (draw p0 :: l) true = pr x c * (w c * run1 l2 c)).
  { intros h Sh Th. destruct (sight_value w c sk p1 h W Sh Th) as [l2 [A [B [Q|Q]]]]; [exists p0|exists p1]; exists l2; repeat (split; auto);
      cbn [run1]; rewrite !Q; destruct c; cbn; ring. }
  destruct (V l S T) as [x [l2 [X [A [B ->]]]]]. destruct (V l' S' T') as [x' [l2' [X' [A' [B' ->]]]]].
  destruct (from_known k sk K p1 c l2 l2' ltac:(lra) A A' B B') as [N H]. destruct W as [W0 W1].
  assert (O := most_pos k p1 c ltac:(lra)). set (C := most k p1 c) in *.
  assert (F : 0 < pr x' c /\ 0 < pr x c /\ pr x c <= first_ratio p0 p1 c * pr x' c).
  { unfold first_ratio. assert (A1 := A_one p0 p1 P). assert (B1 := B_one p0 p1 P).
    assert (E1 : p1 / p0 * p0 = p1) by (field; lra). assert (E2 : (1 - p0) / (1 - p1) * (1 - p1) = 1 - p0) by (field; lra).
    destruct c; cbn [pr]; destruct X as [->| ->], X' as [->| ->]; split; try lra; split; try lra; nra. }
  destruct F as [F1 [F2 F3]].
  assert (M : first_ratio p0 p1 c * C <= announced_ratio p0 p1 k) by (unfold announced_ratio, C; destruct c; [apply Rmax_l|apply Rmax_r]).
  apply Rle_trans with (first_ratio p0 p1 c * C * (pr x' c * (w c * run1 l2' c))).
  - replace (first_ratio p0 p1 c * C * (pr x' c * (w c * run1 l2' c))) with (first_ratio p0 p1 c * pr x' c * (w c * (C * run1 l2' c))) by ring.
    apply Rle_trans with (pr x c * (w c * (C * run1 l2' c))).
    + apply Rmult_le_compat_l; [lra|]. now apply Rmult_le_compat_l.
    + apply Rmult_le_compat_r; auto. apply Rmult_le_pos; [auto|apply Rmult_le_pos; lra].
  - apply Rmult_le_compat_r; auto. apply Rmult_le_pos; [lra|now apply Rmult_le_pos].
Qed.

(* Streams: appearances at any place; the first look, then k times an announcement, which flips, and a look; a release.
   [next] tells whether a look is due. *)
Inductive announced : bool -> nat -> list (event R) -> Prop :=
| ann_enter next k v e : announced next k e -> announced next k (Enter v :: e)
| ann_look k s e : announced false k e -> announced true k (Obs (look s) :: e)
| ann_flip k e : announced true k e -> announced false (S k) (Announce f :: e)
| ann_end g y : ratios (/ r) r g -> announced false 0 [Obs (release g y)].
Lemma announced_view : forall next k e, announced next k e -> forall cell c p0 p1 l, view c (compile cell p0 p1 e) l ->
  stage p1 l /\ if next then exists w b sk, sight w b /\ looks_then_noise k sk /\ seen_only l = see w :: sk else looks_then_noise k (seen_only l).
Proof.
  induction 1 as [next k v e A IH|k s e A IH|k e A IH|g y G]; intros cell c p0 p1 l V; cbn [compile] in V; inversion V; subst; cbn [stage];
    match goal with H : view _ _ _ |- _ => rename H into V'; try rename l0 into l' end.
  - destruct (IH _ _ _ _ _ V') as [S T]. split; auto.
  - exact (IH _ _ _ _ _ V').
  - destruct (IH _ _ _ _ _ V') as [S T]. split; auto.
    match goal with H : (c <= length t)%nat |- _ => destruct (look_kind (bounded (/ r) r) all s c t H) as [b B] end.
    exists (fun b => look s (ins c b t)), b, (seen_only l'). repeat (split; auto); apply B.
  - destruct (IH _ _ _ _ _ V') as [S T]. split; auto. destruct T as [w [b [sk [W [K E]]]]]. cbn. unfold seen_only in E. rewrite E.
    now apply (look_then k w b).
  - inversion V'; subst. split; cbn; auto. apply noise_only.
    match goal with H : (c <= length t)%nat |- _ => exact (release_kind (/ r) r all g y c t G H) end.
Qed.
Lemma announced_fair : forall next k e, announced next k e -> forall cell p0 p1, 0 < p0 < 1 -> 0 < p1 < 1 ->
  fair (compile cell p0 p1 e) /\ Forall (fun x => match x with See w => forall s, 0 <= w s | _ => True end) (compile cell p0 p1 e).
Proof.
  induction 1 as [next k v e A IH|k s e A IH|k e A IH|g y G]; intros cell p0 p1 P0 P1; cbn [compile].
  - destruct (IH cell p0 p1 P0 P1). split; constructor; auto. lra.
  - destruct (IH cell p0 p1 P0 P1). split; constructor; auto. intros t. unfold look, look_at. destruct (same _ _); cbn; lra.
  - destruct (IH cell _ _ (through_inside p0 P0) (through_inside p1 P1)). split; constructor; auto. lra.
  - split; [repeat constructor|constructor; [|constructor]]. intros t. unfold release, release_of. apply G.
Qed.
(** claim: calibrated.announced_intrusions, density.announced_intrusions *)
Theorem announced_private : forall p0 p1 k cell m u e e', 0 < p0 /\ p0 < p1 /\ p1 < 1 -> neighbours u e e' -> announced true k e -> announced true k e' ->
  observed cell m p0 p1 e <= announced_ratio p0 p1 k * observed cell m p0 p1 e'.
Proof.
  intros p0 p1 k cell m u e e' P N A A'.
  destruct (announced_fair _ _ _ A cell p0 p1 ltac:(lra) ltac:(lra)) as [F W]. destruct (announced_fair _ _ _ A' cell p0 p1 ltac:(lra) ltac:(lra)) as [F' _].
  unfold observed. apply (one_cell _ (cell u)); auto.
  - apply Forall_forall. intros x I. apply repeat_spec in I. subst. lra.
  - now apply neighbours_off.
  - assert (O := most_pos k p1 true ltac:(lra)). assert (Q := A_one p0 p1 P).
    apply Rle_trans with (first_ratio p0 p1 true * most k p1 true); [unfold first_ratio; nra|apply Rmax_l].
  - intros q l l' I V V' S. apply repeat_spec in I. subst q.
    destruct (announced_view _ _ _ A cell (cell u) p0 p1 l V) as [T [w [c [sk [W1 [K E]]]]]].
    destruct (announced_view _ _ _ A' cell (cell u) p0 p1 l' V') as [T' _].
    apply (one_cell_announced p0 p1 k w c sk l l'); auto. congruence.
  - now apply run_pos.
Qed.
End Bound.
(* one announced intrusion, the pair 1/4 and 3/4, a flip of 1/4 and r = 2: the closed form of the claim with E = 3 *)
(** instance: announced_private *)
Example announced_once : announced_ratio (1 / 4) 2 (1 / 4) (3 / 4) 1 = Rmax (3 * ((1 + 9) * 2 + 6) / 8) (3 * (1 + 9) * (1 + 9 + 12) / 64).
Proof.
  unfold announced_ratio, first_ratio, most, step_ratio, end_ratio, moved, through, mix, pr. cbn [Bool.eqb add sub mul one reals].
  unfold Rmax. repeat destruct (Rle_dec _ _); lra.
Qed.
(* without a flip between two looks there is no bound: [one_sight_needed] in Controls.v *)
(** mutant: announced_private *)
Theorem announcements_cost : ~ (announced_ratio (1 / 4) 2 (1 / 4) (3 / 4) 1 <= announced_ratio (1 / 4) 2 (1 / 4) (3 / 4) 0).
Proof.
  rewrite announced_once. unfold announced_ratio, first_ratio, most, end_ratio. intros H.
  unfold Rmax in H. repeat destruct (Rle_dec _ _); lra.
Qed.
