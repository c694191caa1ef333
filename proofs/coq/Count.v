(* After an adversary has seen a private state, no output counts well: for every number of users, every finite set of states,
   biased algorithms included, and already for event-level privacy of the state alone. Claim: pan_private.count_lower_bound. *)
From Coq Require Import Reals Psatz Lra List Bool Arith Lia.
Import ListNotations.
Open Scope R_scope.

(* the mean over all patterns of k bits, and the number of users who appear before or after the intrusion *)
Fixpoint cube (k : nat) (f : list bool -> R) : R :=
  match k with O => f [] | S j => (cube j (fun y => f (true :: y)) + cube j (fun y => f (false :: y))) / 2 end.
Fixpoint either (y r : list bool) : R := match y, r with b :: y, d :: r => (if b || d then 1 else 0) + either y r | _, _ => 0 end.
Lemma cube_ext : forall k f g, (forall y, f y = g y) -> cube k f = cube k g.
Proof. induction k; intros f g H; cbn; auto. rewrite (IHk _ (fun y => g (true :: y))), (IHk (fun y => f (false :: y)) (fun y => g (false :: y))) by auto. auto. Qed.
Lemma cube_lin : forall k a b f g, cube k (fun y => a * f y + b * g y) = a * cube k f + b * cube k g.
Proof. induction k; intros; cbn; auto. rewrite !IHk. field. Qed.
Lemma cube_le : forall k f g, (forall y, f y <= g y) -> cube k f <= cube k g.
Proof. induction k; intros f g H; cbn; auto. assert (A := IHk _ _ (fun y => H (true :: y))). assert (B := IHk _ _ (fun y => H (false :: y))). lra. Qed.
Lemma cube_const : forall k c, cube k (fun _ => c) = c.
Proof. induction k; intros; cbn; rewrite ?IHk; lra. Qed.
(* two patterns *)
Definition both (k : nat) (f : list bool -> list bool -> R) := cube k (fun y => cube k (f y)).
Lemma both_ext : forall k f g, (forall y r, f y r = g y r) -> both k f = both k g.
Proof. intros. apply cube_ext. intros. apply cube_ext. auto. Qed.
Lemma both_lin : forall k a b f g, both k (fun y r => a * f y r + b * g y r) = a * both k f + b * both k g.
Proof. intros. unfold both. rewrite <- cube_lin. apply cube_ext. intros. apply cube_lin. Qed.
Lemma both_step : forall k f, both (S k) f = (both k (fun y r => f (true :: y) (true :: r)) + both k (fun y r => f (true :: y) (false :: r)) +
  (both k (fun y r => f (false :: y) (true :: r)) + both k (fun y r => f (false :: y) (false :: r)))) / 4.
Proof.
  intros. unfold both. cbn [cube].
  assert (H : forall b, cube k (fun y => (cube k (fun r => f (b :: y) (true :: r)) + cube k (fun r => f (b :: y) (false :: r))) / 2) =
    / 2 * cube k (fun y => cube k (fun r => f (b :: y) (true :: r))) + / 2 * cube k (fun y => cube k (fun r => f (b :: y) (false :: r)))).
  { intros b. rewrite <- cube_lin. apply cube_ext. intros. field. }
  rewrite !H. field.
Qed.
Lemma some_pattern : forall k f b, b <= cube k f -> exists y, length y = k /\ b <= f y.
Proof.
  induction k; intros f b H; cbn in H; [exists []; auto|].
  destruct (Rle_lt_dec b (cube k (fun y => f (true :: y)))) as [L|L].
  - destruct (IHk _ _ L) as [y [Y B]]. exists (true :: y). cbn. auto.
  - destruct (IHk (fun y => f (false :: y)) b ltac:(lra)) as [y [Y B]]. exists (false :: y). cbn. auto.
Qed.

Section Bound.
Variable x : R.
Hypothesis X : 1 <= x.
Definition doubt := x / (4 * ((1 + x) * (1 + x))).
(* one user: A and B are the probabilities of the state with and without an appearance; g is what a return changes *)
Lemma one_user : forall A B g, 0 <= A -> 0 <= B -> A <= x * B -> B <= x * A -> doubt * (A + B) <= A * (g * g) + B * ((g + 1 / 2) * (g + 1 / 2)).
Proof.
  intros A B g PA PB H1 H2. destruct (Req_dec (A + B) 0) as [Z|Z]; [assert (A = 0) by lra; assert (B = 0) by lra; subst; lra|].
  assert (S : 0 < A + B) by lra. assert (W : 0 < (1 + x) * (1 + x)) by nra. unfold doubt.
  apply Rmult_le_reg_r with (4 * ((1 + x) * (1 + x)) * (A + B)); [nra|].
  replace (x / (4 * ((1 + x) * (1 + x))) * (A + B) * (4 * ((1 + x) * (1 + x)) * (A + B))) with (x * ((A + B) * (A + B))) by (field; lra).
  (* (A g^2 + B (g + 1/2)^2) (A + B) = ((A + B) g + B/2)^2 + A B / 4, and (1 + x)^2 A B - x (A + B)^2 = (x A - B) (x B - A) *)
  replace ((A * (g * g) + B * ((g + 1 / 2) * (g + 1 / 2))) * (4 * ((1 + x) * (1 + x)) * (A + B))) with
    ((1 + x) * (1 + x) * (4 * (((A + B) * g + B / 2) * ((A + B) * g + B / 2))) + (x * A - B) * (x * B - A) + x * ((A + B) * (A + B))) by field.
  assert (0 <= (x * A - B) * (x * B - A)) by (apply Rmult_le_pos; lra).
  assert (0 <= (1 + x) * (1 + x) * (4 * (((A + B) * g + B / 2) * ((A + B) * g + B / 2)))) by (apply Rmult_le_pos; [lra|assert (Q := Rle_0_sqr ((A + B) * g + B / 2)); unfold Rsqr in Q; lra]). lra.
Qed.
(* one state: P is its probability after a pattern, g the output after another one *)
Definition error (P g : list bool -> R) (y r : list bool) := P y * ((g r - either y r) * (g r - either y r)).
Lemma one_state : forall k (P g : list bool -> R), (forall y, 0 <= P y) ->
  (forall y b z, P (y ++ b :: z) <= x * P (y ++ negb b :: z)) -> INR k * doubt * cube k P <= both k (error P g).
Proof.
  induction k; intros P g N H.
  - unfold both, error. cbn. rewrite !Rmult_0_l. apply Rmult_le_pos; [auto|apply Rle_0_sqr].
  - (* the half sum of the two outputs is left to the other users; their half difference errs by at least the doubt *)
    set (f := fun (b : bool) r => (g (true :: r) + g (false :: r)) / 2 - (if b then 1 else 1 / 2)).
    set (e := fun r => (g (false :: r) - g (true :: r)) / 2).
    set (P1 := fun y => P (true :: y)). set (P0 := fun y => P (false :: y)).
    assert (I1 : INR k * doubt * cube k P1 <= both k (error P1 (f true))) by (apply IHk; [intros; apply N|intros y d z; exact (H (true :: y) d z)]).
    assert (I0 : INR k * doubt * cube k P0 <= both k (error P0 (f false))) by (apply IHk; [intros; apply N|intros y d z; exact (H (false :: y) d z)]).
    assert (D : doubt * (cube k P1 + cube k P0) <= both k (fun y r => P1 y * (e r * e r) + P0 y * ((e r + 1 / 2) * (e r + 1 / 2)))).
    { rewrite Rmult_plus_distr_l, <- cube_lin. apply cube_le. intros y. rewrite <- (cube_const k (_ + _)). apply cube_le. intros r.
      rewrite <- Rmult_plus_distr_l. apply one_user; [apply N|apply N|exact (H [] true y)|exact (H [] false y)]. }
    rewrite both_step, S_INR. cbn [cube]. fold P1 P0.
    match goal with |- _ <= (both k ?a + both k ?b + (both k ?c + both k ?d)) / 4 => assert (E : both k a + both k b + (both k c + both k d) =
      2 * (both k (error P1 (f true)) + both k (error P0 (f false)) + both k (fun y r => P1 y * (e r * e r) + P0 y * ((e r + 1 / 2) * (e r + 1 / 2))))) end.
    { match goal with |- both k ?a + both k ?b + (both k ?c + both k ?d) = 2 * (both k ?p + both k ?q + both k ?t) =>
        transitivity (both k (fun y r => 1 * a y r + 1 * (1 * b y r + 1 * (1 * c y r + 1 * d y r)))); [rewrite !both_lin; ring|];
        transitivity (both k (fun y r => 2 * p y r + 1 * (2 * q y r + 2 * t y r))); [|rewrite !both_lin; ring] end.
      apply both_ext. intros y r. unfold error, f, e, P1, P0. cbn [either orb]. field. }
    rewrite E. lra.
Qed.
End Bound.

(* ---- the mechanism: a state after a stream of appearances, and an output after a later stream ---- *)
Fixpoint sum {S} (l : list S) (f : S -> R) : R := match l with [] => 0 | s :: t => f s + sum t f end.
Lemma sum_ext : forall S (l : list S) f g, (forall s, f s = g s) -> sum l f = sum l g.
Proof. induction l; intros f g H; cbn; auto. rewrite H. f_equal; auto. Qed.
Lemma sum_le : forall S (l : list S) f g, (forall s, In s l -> f s <= g s) -> sum l f <= sum l g.
Proof. induction l as [|s l IH]; intros f g H; cbn; [lra|]. apply Rplus_le_compat; [apply H; now left|apply IH; intros; apply H; now right]. Qed.
Lemma sum_cube : forall S (l : list S) k (f : S -> list bool -> R), sum l (fun s => cube k (f s)) = cube k (fun y => sum l (fun s => f s y)).
Proof.
  induction l as [|s l IH]; intros; cbn; [now rewrite cube_const|]. rewrite IH.
  rewrite (cube_ext k (fun y => f s y + _) (fun y => 1 * f s y + 1 * sum l (fun s => f s y))), cube_lin by (intros; ring). ring.
Qed.
Lemma sum_scale : forall S (l : list S) a f, sum l (fun s => a * f s) = a * sum l f.
Proof. induction l as [|s l IH]; intros; cbn; [ring|]. rewrite IH. ring. Qed.
(* a finite distribution of the output: probabilities and values *)
Definition total (o : list (R * R)) (f : R -> R) := sum o (fun v => fst v * f (snd v)).
Definition distribution (o : list (R * R)) := Forall (fun v => 0 <= fst v) o /\ total o (fun _ => 1) = 1.
Lemma jensen : forall o c, distribution o -> (total o (fun v => v) - c) * (total o (fun v => v) - c) <= total o (fun v => (v - c) * (v - c)).
Proof.
  intros o c [F T]. set (m := total o (fun v => v)).
  assert (E : total o (fun v => (v - c) * (v - c)) = total o (fun v => (v - m) * (v - m)) + (m - c) * (m - c)).
  { assert (G : forall o, total o (fun v => (v - c) * (v - c)) = total o (fun v => (v - m) * (v - m)) + 2 * (m - c) * total o (fun v => v) - (m * m - c * c) * total o (fun _ => 1)).
    { unfold total. induction o0 as [|[w v] o0 IH]; cbn [sum fst snd]; [ring|]. rewrite IH. ring. }
    rewrite G, T. fold m. ring. }
  rewrite E. assert (0 <= total o (fun v => (v - m) * (v - m))); [|lra].
  clearbody m. clear E T. unfold total. induction F as [|[w v] o W F IH]; cbn [sum fst snd] in *; [lra|].
  assert (0 <= w * ((v - m) * (v - m))) by (apply Rmult_le_pos; [auto|apply Rle_0_sqr]). lra.
Qed.
Definition appears (e : list nat) (u : nat) := existsb (Nat.eqb u) e.
Definition distinct (k : nat) (e : list nat) := length (filter (appears e) (seq 0 k)).
(* the users of a pattern, each once *)
Fixpoint chosen (n : nat) (y : list bool) : list nat := match y with [] => [] | b :: z => if b then n :: chosen (S n) z else chosen (S n) z end.
Lemma chosen_app : forall y n z, chosen n (y ++ z) = chosen n y ++ chosen (n + length y) z.
Proof. induction y as [|b y IH]; intros n z; cbn; [now rewrite Nat.add_0_r|]. rewrite IH, Nat.add_succ_r. destruct b; auto. Qed.
Lemma chosen_below : forall y n u, (u < n)%nat -> appears (chosen n y) u = false.
Proof. induction y as [|b y IH]; intros n u H; auto. destruct b; cbn; unfold appears in *; rewrite ?IH by lia; auto. destruct (Nat.eqb_spec u n); auto. lia. Qed.
Lemma appears_app : forall e e' u, appears (e ++ e') u = appears e u || appears e' u.
Proof. intros. apply existsb_app. Qed.
Lemma chosen_distinct : forall y r n, length y = length r -> INR (length (filter (appears (chosen n y ++ chosen n r)) (seq n (length y)))) = either y r.
Proof.
  induction y as [|b y IH]; intros [|d r] n L; cbn [length] in L; try discriminate; auto. injection L as L.
  cbn [length seq filter]. rewrite (filter_ext_in _ (appears (chosen (S n) y ++ chosen (S n) r))).
  - assert (E : appears (chosen n (b :: y) ++ chosen n (d :: r)) n = b || d).
    { assert (F : forall c z, appears (chosen n (c :: z)) n = c).
      { intros [] z; cbn; [now rewrite Nat.eqb_refl|]. apply chosen_below. lia. }
      now rewrite appears_app, !F. }
    rewrite E. cbn [either]. destruct (b || d); cbn [length]; rewrite ?S_INR, IH by auto; lra.
  - intros u I. apply in_seq in I. rewrite !appears_app. f_equal; [destruct b|destruct d]; cbn; destruct (Nat.eqb_spec u n); auto; lia.
Qed.
Section Streams.
Variables (S : Type) (states : list S) (x : R) (P : list nat -> S -> R) (out : list nat -> S -> list (R * R)).
(* the state has a distribution after every stream, and one event more or less changes it by a factor of at most x *)
Definition private_state := (forall e s, In s states -> 0 <= P e s) /\ (forall e, sum states (P e) = 1) /\
  forall e u e' s, In s states -> P (e ++ u :: e') s <= x * P (e ++ e') s /\ P (e ++ e') s <= x * P (e ++ u :: e') s.
Definition squared_error (k : nat) (before after : list nat) :=
  sum states (fun s => P before s * total (out after s) (fun v => (v - INR (distinct k (before ++ after))) * (v - INR (distinct k (before ++ after))))).
(** claim: pan_private.count_lower_bound *)
Theorem count_lower_bound : forall k, 1 <= x -> private_state -> (forall e s, distribution (out e s)) ->
  exists before after, (forall u, In u (before ++ after) -> (u < k)%nat) /\ INR k * x / (4 * ((1 + x) * (1 + x))) <= squared_error k before after.
Proof.
  intros k X [N [T H]] O. set (Q := fun s y => P (chosen 0 y) s). set (g := fun s r => total (out (chosen 0 r) s) (fun v => v)).
  assert (A : forall s, In s states -> INR k * doubt x * cube k (Q s) <= both k (error (Q s) (g s))).
  { intros s I. apply one_state; auto; [intros; now apply N|]. intros y b z. unfold Q. rewrite !chosen_app.
    destruct b; cbn [negb chosen]; apply (H (chosen 0 y) (0 + length y)%nat _ s I). }
  assert (M : INR k * doubt x <= cube k (fun y => cube k (fun r => sum states (fun s => error (Q s) (g s) y r)))).
  { rewrite (cube_ext k _ (fun y => sum states (fun s => cube k (error (Q s) (g s) y)))) by (intros; now rewrite sum_cube).
    rewrite <- sum_cube. apply Rle_trans with (sum states (fun s => INR k * doubt x * cube k (Q s))); [|now apply sum_le].
    rewrite sum_scale, sum_cube. unfold Q. rewrite (cube_ext k _ (fun _ => 1)), cube_const by (intros; apply T). lra. }
  destruct (some_pattern _ _ _ M) as [y [Y M1]]. destruct (some_pattern _ _ _ M1) as [r [R' M2]].
  exists (chosen 0 y), (chosen 0 r). split.
  - assert (B : forall z n u, In u (chosen n z) -> (u < n + length z)%nat).
    { induction z as [|b z IH]; intros n u I; cbn in *; [contradiction|]. destruct b; [destruct I as [->|I]; [lia|]|]; apply IH in I; lia. }
    intros u I. apply in_app_or in I as [I|I]; apply B in I; lia.
  - unfold doubt in M2. replace (INR k * x / (4 * ((1 + x) * (1 + x)))) with (INR k * (x / (4 * ((1 + x) * (1 + x))))) by (unfold Rdiv; ring).
    apply Rle_trans with (1 := M2). apply sum_le. intros s I. unfold error, Q, g. apply Rmult_le_compat_l; [now apply N|].
    assert (D : INR (distinct k (chosen 0 y ++ chosen 0 r)) = either y r) by (unfold distinct; rewrite <- Y at 1; apply chosen_distinct; congruence).
    rewrite D. apply jensen, O.
Qed.
End Streams.
(* a state of one bit that keeps x = 3, and the output 0 or 1 by the bit: the hypotheses can be met *)
Definition bit (e : list nat) (s : bool) : R := if eqb s (appears e 0) then 3 / 4 else 1 / 4.
(** instance: count_lower_bound *)
Example one_private_bit : private_state bool [true; false] 3 bit /\ (forall (e : list nat) (s : bool), distribution [(1, if s then 1 else 0)]).
Proof.
  split.
  - split; [|split]; intros; unfold bit.
    + destruct (eqb _ _); lra.
    + cbn. destruct (appears e 0); cbn; lra.
    + destruct (eqb s (appears (e ++ u :: e') 0)), (eqb s (appears (e ++ e') 0)); lra.
  - intros. split; [repeat constructor; cbn; lra|]. unfold total. cbn. ring.
Qed.
(* without privacy of the state one user is counted without an error *)
(** mutant: count_lower_bound *)
Theorem state_privacy_needed : ~ (forall S (states : list S) P out, (forall e s, In s states -> 0 <= P e s) -> (forall e, sum states (P e) = 1) ->
  (forall e s, distribution (out e s)) -> exists before after, INR 1 * 3 / (4 * ((1 + 3) * (1 + 3))) <= squared_error S states P out 1 before after).
Proof.
  intros H. set (P := fun e s => if eqb s (appears e 0) then 1 else 0). set (out := fun e (s : bool) => [(1, if s || appears e 0 then 1 else 0)]).
  destruct (H bool [true; false] P out) as [e [e' B]].
  - intros e s _. unfold P. destruct (eqb _ _); lra.
  - intros e. unfold P. cbn. destruct (appears e 0); cbn; lra.
  - intros e s. split; [repeat constructor; cbn; lra|]. unfold total; cbn. ring.
  - revert B. unfold squared_error, total, distinct, P, out. cbn [sum seq filter fst snd]. rewrite !appears_app.
    destruct (appears e 0), (appears e' 0); cbn; lra.
Qed.
(* nor is more than four times the bound true: at x = 1 the output 1/2 errs by 1/4 on every stream of one user *)
(** mutant: count_lower_bound *)
Theorem not_four_times : ~ (forall S (states : list S) P out, private_state S states 1 P -> (forall e s, distribution (out e s)) ->
  exists before after, INR 1 * 1 / ((1 + 1) * (1 + 1)) < squared_error S states P out 1 before after).
Proof.
  intros H. destruct (H unit [tt] (fun _ _ => 1) (fun _ _ => [(1, 1 / 2)])) as [e [e' B]].
  - split; [|split]; intros; cbn; lra.
  - intros e s. split; [repeat constructor; cbn; lra|]. unfold total; cbn. ring.
  - revert B. unfold squared_error, total, distinct. cbn [sum seq filter fst snd]. destruct (appears (e ++ e') 0); cbn; lra.
Qed.
