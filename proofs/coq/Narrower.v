(* Narrower adjacency: one stream arises from the other by removing appearances of a user, or a single one.
   Claim: joint_loss.tight. *)
From Coq Require Import Reals Psatz Lra List Bool ZArith Lia.
From Pan Require Import Semantics OneCell JointLoss Streams Attained Exact Union.
Import ListNotations.
Open Scope R_scope.

(* appearances and looks; [event_of] gives the streams of Semantics.v *)
Inductive entry := User (v : nat) | Sight (a : nat -> bool) (s : state).
Definition event_of (x : entry) : event R := match x with User v => Enter v | Sight a s => Obs (look_at a s) end.
Definition entry_act (cell : nat -> nat) (x : entry) : act2 := match x with User v => Touch (cell v) | Sight a s => Look a s end.
Lemma compile_entries : forall cell p0 p1 e w, compile cell p0 p1 (map event_of e ++ [Obs w]) = map (op_of p1) (map (entry_act cell) e) ++ [See w].
Proof. induction e as [|[v|a s] e IH]; intros w; cbn; auto; now rewrite IH. Qed.
(* [n] appearances of the user are removed *)
Inductive removed (u : nat) : nat -> list entry -> list entry -> Prop :=
| rem_end : removed u 0 [] []
| rem_keep n x e e' : removed u n e e' -> removed u n (x :: e) (x :: e')
| rem_drop n e e' : removed u n e e' -> removed u (S n) (User u :: e) e'.

(* ---- the user's cell: whether it is touched before the look, and after it ---- *)
Section Cell.
Variables p0 p1 : R.
Variable cell : nat -> nat.
Variables u : nat.
Let c := cell u.
Let act e := map (entry_act cell) e.
Definition start (t : bool) := if t then p1 else p0.
Definition stop (b t : bool) := if t then p1 else bit_prob b.
Definition b2n (b : bool) : nat := if b then 1 else 0.
Lemma after_the_look : forall n e e', removed u n e e' -> times c (act e) = 0%nat -> exists z, 0 <= z /\ forall b t t', implb t' t = true ->
  exists y y', implb y' y = true /\ (b2n y <= b2n y' + n + (b2n t - b2n t'))%nat /\ (forall x, weight p1 c x (act e) = z) /\ (forall x, weight p1 c x (act e') = z) /\
  last p1 c (stop b t) (act e) = stop b y /\ last p1 c (stop b t') (act e') = stop b y'.
Proof.
  induction 1 as [|n [v|a s] e e' H IH|n e e' H IH]; intros T; cbn [map entry_act act] in *.
  - exists 1. split; [lra|]. intros b t t' I. exists t, t'. cbn. repeat split; auto. destruct t, t'; cbn in *; try discriminate; lia.
  - destruct (IH T) as [z [Z V]]. exists z. split; auto. intros b t t' I. cbn [weight last]. destruct (Nat.eqb_spec (cell v) c) as [E|E].
    + destruct (V b true true eq_refl) as [y [y' [Y [N [W [W' [L L']]]]]]]. exists y, y'. repeat split; auto. cbn in N. lia.
    + destruct (V b t t' I) as [y [y' [Y [N [W [W' [L L']]]]]]]. exists y, y'. repeat split; auto.
  - unfold times in T. cbn [filter shows] in T. destruct (a c) eqn:A; [discriminate|]. destruct (IH T) as [z [Z V]]. exists ((if nth c s false then 0 else 1) * z).
    split; [destruct (nth c s false); lra|]. intros b t t' I. cbn [weight last]. rewrite A. change (map (entry_act cell) e) with (act e). change (map (entry_act cell) e') with (act e'). destruct (V b t t' I) as [y [y' [Y [N [W [W' [L L']]]]]]]. exists y, y'. repeat split; auto; intros; now rewrite ?W, ?W'.
  - destruct (IH T) as [z [Z V]]. exists z. split; auto. intros b t t' I. cbn [weight last]. fold c. rewrite Nat.eqb_refl.
    destruct (V b true t' ltac:(destruct t'; auto)) as [y [y' [Y [N [W [W' [L L']]]]]]]. exists y, y'. repeat split; auto. destruct t, t', y, y'; cbn in *; lia.
Qed.
Lemma around_the_look : forall n e e', removed u n e e' -> times c (act e) = 1%nat -> exists z b, 0 <= z /\ forall t t', implb t' t = true ->
  exists x x' y y', implb x' x = true /\ implb y' y = true /\ (b2n x + b2n y <= b2n x' + b2n y' + n + (b2n t - b2n t'))%nat /\
  weight p1 c (start t) (act e) = z * pr (start x) b /\ weight p1 c (start t') (act e') = z * pr (start x') b /\ last p1 c (start t) (act e) = stop b y /\ last p1 c (start t') (act e') = stop b y'.
Proof.
  induction 1 as [|n [v|a s] e e' H IH|n e e' H IH]; intros T; cbn [map entry_act act] in *.
  - discriminate.
  - destruct (IH T) as [z [b [Z V]]]. exists z, b. split; auto. intros t t' I. cbn [weight last]. destruct (Nat.eqb_spec (cell v) c) as [E|E].
    + destruct (V true true eq_refl) as [x [x' [y [y' [X [Y [N R]]]]]]]. exists x, x', y, y'. split; auto. split; auto. split; auto. cbn in N. lia.
    + exact (V t t' I).
  - unfold times in T. cbn [filter shows] in T. destruct (a c) eqn:A.
    + cbn [length] in T. injection T as T. destruct (after_the_look n e e' H T) as [z [Z V]]. exists z, (nth c s false). split; auto. intros t t' I. cbn [weight last]. rewrite A. change (map (entry_act cell) e) with (act e). change (map (entry_act cell) e') with (act e').
      destruct (V (nth c s false) false false eq_refl) as [y [y' [Y [N [W [W' [L L']]]]]]]. exists t, t', y, y'. rewrite W, W'. unfold stop in L at 1, L' at 1. rewrite L, L'.
      repeat split; auto; try ring. cbn in N. destruct t, t'; cbn in *; try discriminate; lia.
    + destruct (IH T) as [z [b [Z V]]]. exists ((if nth c s false then 0 else 1) * z), b. split; [destruct (nth c s false); lra|]. intros t t' I. cbn [weight last]. rewrite A. change (map (entry_act cell) e) with (act e). change (map (entry_act cell) e') with (act e').
      destruct (V t t' I) as [x [x' [y [y' [X [Y [N [W [W' [L L']]]]]]]]]]. exists x, x', y, y'. rewrite W, W'. repeat split; auto; ring.
  - destruct (IH T) as [z [b [Z V]]]. exists z, b. split; auto. intros t t' I. cbn [weight last]. fold c. rewrite Nat.eqb_refl.
    destruct (V true t' ltac:(destruct t'; auto)) as [x [x' [y [y' [X [Y [N R]]]]]]]. exists x, x', y, y'. split; auto. split; auto. split; auto. destruct t, t', x, x', y, y'; cbn in *; lia.
Qed.
Lemma elsewhere : forall n e e' i x, removed u n e e' -> i <> c -> weight p1 i x (act e) = weight p1 i x (act e') /\ last p1 i x (act e) = last p1 i x (act e').
Proof.
  intros n e e' i x H N. revert x. induction H as [|n [v|a s] e e' H IH|n e e' H IH]; intros x; unfold act in *; cbn [map entry_act weight last].
  - auto.
  - apply IH.
  - destruct (IH (if a i then bit_prob (nth i s false) else x)) as [A B]. destruct (IH (bit_prob (nth i s false))) as [A1 _]. destruct (IH x) as [A2 _]. destruct (a i); rewrite ?A1, ?A2; auto.
  - replace (Nat.eqb (cell u) i) with false by (symmetry; apply Nat.eqb_neq; auto). apply IH.
Qed.
End Cell.
Lemma one_expect : forall c m f f' w k, (c < m)%nat -> unit_range f -> (forall i, i <> c -> f i = f' i) ->
  (forall t, length t = pred m -> f c * w (ins c true t) + (1 - f c) * w (ins c false t) <= k * (f' c * w (ins c true t) + (1 - f' c) * w (ins c false t))) ->
  expect (vec m f) w <= k * expect (vec m f') w.
Proof.
  induction c; intros [|m] f f' w k L P Off H; try lia; cbn [vec expect]; unfold mix; cbn [add sub mul one reals].
  - assert (E : vec m (fun i => f (S i)) = vec m (fun i => f' (S i))) by (apply vec_ext; intros i _; apply Off; lia). rewrite <- E. set (tail := vec m (fun i => f (S i))) in *.
    rewrite <- !expect_lin, <- expect_scale. apply expect_le; [apply vec_probs; intros i; apply P|]. intros t T. unfold tail in T. rewrite vec_length in T. exact (H t T).
  - rewrite <- (Off 0%nat) by lia. assert (A := P 0%nat).
    assert (I : forall x, expect (vec m (fun i => f (S i))) (fun t => w (x :: t)) <= k * expect (vec m (fun i => f' (S i))) (fun t => w (x :: t))).
    { intros x. apply IHc; [lia|intros i; apply P|intros i N; apply Off; lia|]. intros t T. exact (H (x :: t) ltac:(cbn [length pred]; lia)). }
    assert (I1 := I true). assert (I2 := I false). assert (f 0%nat * expect (vec m (fun i => f (S i))) (fun t => w (true :: t)) <= f 0%nat * (k * expect (vec m (fun i => f' (S i))) (fun t => w (true :: t)))) by (apply Rmult_le_compat_l; lra).
    assert ((1 - f 0%nat) * expect (vec m (fun i => f (S i))) (fun t => w (false :: t)) <= (1 - f 0%nat) * (k * expect (vec m (fun i => f' (S i))) (fun t => w (false :: t)))) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Section Bound.
Variables p0 p1 r : R.
Hypothesis P : 0 < p0 /\ p0 < p1 /\ p1 < 1.
Hypothesis R1 : 1 <= r.
Let A := p1 / p0.
Let B := (1 - p0) / (1 - p1).
Let zero_up := 1 - p1 + p1 * r.
Let zero_down := 1 - p1 + p1 * / r.
Let one_up := p1 + (1 - p1) * r.
Let one_down := p1 + (1 - p1) * / r.
Definition nested_loss (k : R) := zero_up <= k /\ A * one_up <= k /\ B / zero_down <= k.
Definition single_loss (k : R) := A <= k /\ B <= k /\ zero_up <= k /\ one_up <= k.
Lemma four : 0 < zero_down /\ 0 < one_down /\ 1 <= zero_up /\ 1 <= one_up /\ 1 <= zero_up * zero_down /\ 1 <= one_up * one_down /\ 1 < A /\ 1 < B.
Proof.
  assert (0 < / r) by (apply Rinv_0_lt_compat; lra). assert (X := product_above p1 r ltac:(lra) R1). assert (Y := product_above (1 - p1) r ltac:(lra) R1). replace (1 - (1 - p1)) with p1 in Y by ring.
  unfold zero_down, one_down, zero_up, one_up. assert (A1 := A_one p0 p1 P). assert (B1 := B_one p0 p1 P). repeat split; auto; try nra.
Qed.
Definition outcome (b y : bool) (w : bool -> R) := stop p1 b y * w true + (1 - stop p1 b y) * w false.
Lemma both_ways : forall n b x x' y y' w k, implb x' x = true -> implb y' y = true -> (b2n x + b2n y <= b2n x' + b2n y' + n)%nat -> bounded (/ r) r w ->
  nested_loss k \/ n = 1%nat /\ single_loss k ->
  pr (start p0 p1 x) b * outcome b y w <= k * (pr (start p0 p1 x') b * outcome b y' w) /\ pr (start p0 p1 x') b * outcome b y' w <= k * (pr (start p0 p1 x) b * outcome b y w).
Proof.
  intros n b x x' y y' w k X Y N [W1 [W0 [WL WH]]] K. destruct four as [Zd [Od [Zu [Ou [ZZ [OO [A1 B1]]]]]]]. assert (rr : r * / r = 1) by (apply Rinv_r; lra). assert (ri : 0 < / r) by (apply Rinv_0_lt_compat; lra).
  set (s := pr (start p0 p1 x) b). set (s' := pr (start p0 p1 x') b). set (g := outcome b y w). set (g' := outcome b y' w).
  assert (S0 : 0 < s /\ 0 < s') by (unfold s, s', start; destruct b, x, x'; cbn; lra).
  assert (wl : / r * w true <= w false) by (apply Rmult_le_reg_l with r; [lra|]; replace (r * (/ r * w true)) with (r * / r * w true) by ring; rewrite rr; lra).
  assert (wh : w false <= r * w true) by (apply Rmult_le_reg_l with (/ r); auto; replace (/ r * (r * w true)) with (r * / r * w true) by ring; rewrite rr; lra).
  assert (G0 : 0 <= g /\ 0 <= g') by (unfold g, g', outcome, stop, bit_prob; destruct b, y, y'; split; nra).
  assert (mul : forall a d, 0 <= a -> 0 <= d -> a * d <= k -> forall v v' h h', 0 < v /\ 0 < v' -> 0 <= h /\ 0 <= h' -> v <= a * v' -> h <= d * h' -> v * h <= k * (v' * h')).
  { intros a d A0 D0 AD v v' h h' [V V'] [H H'] L1 L2. apply Rle_trans with (a * v' * (d * h')); [apply Rmult_le_compat; lra|]. replace (a * v' * (d * h')) with (a * d * (v' * h')) by ring. apply Rmult_le_compat_r; auto. apply Rmult_le_pos; lra. }
  (* how far the seen bit and the output move *)
  assert (Sf : if b then s <= A * s' /\ s' <= 1 * s else s <= 1 * s' /\ s' <= B * s).
  { assert (E1 : A * p0 = p1) by (unfold A; field; lra). assert (E2 : B * (1 - p1) = 1 - p0) by (unfold B; field; lra).
    unfold s, s', start. destruct b, x, x'; cbn [pr implb] in *; try discriminate; split; nra. }
  assert (Gf : if b then g <= one_up * g' /\ one_down * g' <= g else g <= zero_up * g' /\ zero_down * g' <= g).
  { assert (U : one_down <= 1 /\ zero_down <= 1) by (assert (/ r <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra); unfold one_down, zero_down; split; nra).
    unfold g, g', outcome, stop, bit_prob, one_up, one_down, zero_up, zero_down in *. destruct b, y, y'; cbn [implb] in *; try discriminate; split; nra. }
  assert (inv : forall d u, 0 < d -> 1 <= u * d -> d * g' <= g -> g' <= u * g).
  { intros d u D U L. assert (u * (d * g') <= u * g) by (apply Rmult_le_compat_l; nra). nra. }
  assert (Eq : (x = x' -> s = s') /\ (y = y' -> g = g')) by (unfold s, s', g, g'; split; intros; subst; auto).
  destruct K as [[K1 [K2 K3]]|[-> [K1 [K2 [K3 K4]]]]].
  - destruct b, Sf as [F1 F2], Gf as [H1 H2]; split.
    + apply (mul A one_up); auto; lra.
    + assert (O := inv one_down one_up Od OO H2). apply (mul 1 one_up); auto; try lra. nra.
    + apply (mul 1 zero_up); auto; lra.
    + assert (J : g' <= / zero_down * g) by (apply (inv zero_down); auto; rewrite Rinv_l; lra). apply (mul B (/ zero_down)); auto; try lra. left. now apply Rinv_0_lt_compat.
  - assert (one : x = x' \/ y = y') by (destruct x, x', y, y'; cbn in *; try discriminate; auto; lia). destruct Eq as [Es Eg].
    destruct one as [E|E]; [specialize (Es E); rewrite Es in *|specialize (Eg E); rewrite Eg in *]; destruct b, Sf as [F1 F2], Gf as [H1 H2]; split.
    + apply (mul 1 one_up); auto; lra.
    + assert (O := inv one_down one_up Od OO H2). apply (mul 1 one_up); auto; lra.
    + apply (mul 1 zero_up); auto; lra.
    + assert (O := inv zero_down zero_up Zd ZZ H2). apply (mul 1 zero_up); auto; lra.
    + apply (mul A 1); auto; lra.
    + apply (mul 1 1); auto; lra.
    + apply (mul 1 1); auto; lra.
    + apply (mul B 1); auto; lra.
Qed.
(* Any number n of appearances is removed, or one: every hash, number of cells, look that shows the user's cell once, and output. *)
(** claim: joint_loss.tight *)
Theorem narrower_adjacency : forall n cell m u e e' w k, removed u n e e' -> sized m (map (entry_act cell) e) -> times (cell u) (map (entry_act cell) e) = 1%nat -> (cell u < m)%nat ->
  (forall t, 0 <= w t) -> (forall t, bounded (/ r) r (fun b => w (ins (cell u) b t))) -> nested_loss k \/ n = 1%nat /\ single_loss k ->
  let see e := observed cell m p0 p1 (map event_of e ++ [Obs w]) in see e <= k * see e' /\ see e' <= k * see e.
Proof.
  intros n cell m u e e' w k D Z T L W0 W K see. unfold see, observed. rewrite !compile_entries, vec_repeat. set (o := map (entry_act cell) e) in *. set (o' := map (entry_act cell) e').
  assert (Z' : sized m o') by (clear - D Z; unfold o, o' in *; induction D; cbn in *; auto; inversion Z; subst; auto; constructor; auto; apply IHD; auto).
  rewrite !cell_by_cell by auto. destruct (around_the_look p0 p1 cell u n e e' D T) as [z [b [Z0 V]]]. destruct (V false false eq_refl) as [x [x' [y [y' [X [Y [N [Wx [Wx' [Ly Ly']]]]]]]]]]. cbn [start] in *. fold o o' in Wx, Wx', Ly, Ly'.
  set (f := fun i => last p1 i p0 o). set (f' := fun i => last p1 i p0 o'). set (v := fun i => weight p1 i p0 o). set (v' := fun i => weight p1 i p0 o').
  assert (Same : forall i, i <> cell u -> v i = v' i /\ f i = f' i) by (intros i I; apply (elsewhere p1 cell u n e e' i p0 D I)).
  assert (In : forall z i, 0 <= weight p1 i p0 z /\ 0 <= last p1 i p0 z <= 1) by (intros; apply traces_inside; lra).
  (* all other weights *)
  assert (Pr : forall h : nat -> R, prodn m h = h (cell u) * prodn m (fun i => if Nat.eqb i (cell u) then 1 else h i)).
  { clear - L. revert L. generalize (cell u) as c. intros c. revert m. induction c; intros [|m] L h; try lia; cbn [prodn Nat.eqb]; [ring|]. rewrite (IHc m ltac:(lia) (fun i => h (S i))). ring. }
  rewrite (Pr v), (Pr v'). rewrite (prodn_ext m (fun i => if Nat.eqb i (cell u) then 1 else v' i) (fun i => if Nat.eqb i (cell u) then 1 else v i)) by (intros i _; destruct (Nat.eqb_spec i (cell u)); auto; symmetry; now apply Same).
  set (others := prodn m _). assert (O0 : 0 <= others) by (apply prodn_pos; intros i; destruct (Nat.eqb i (cell u)); [lra|apply In]). change (v (cell u)) with (weight p1 (cell u) p0 o). change (v' (cell u)) with (weight p1 (cell u) p0 o'). rewrite Wx, Wx'.
  assert (Zo : 0 <= z * others) by now apply Rmult_le_pos.
  assert (S0 : 0 < pr (start p0 p1 x) b /\ 0 < pr (start p0 p1 x') b) by (unfold start; destruct b, x, x'; cbn; lra).
  assert (Q : forall t, pr (start p0 p1 x) b * (f (cell u) * w (ins (cell u) true t) + (1 - f (cell u)) * w (ins (cell u) false t)) <= k * (pr (start p0 p1 x') b * (f' (cell u) * w (ins (cell u) true t) + (1 - f' (cell u)) * w (ins (cell u) false t))) /\
    pr (start p0 p1 x') b * (f' (cell u) * w (ins (cell u) true t) + (1 - f' (cell u)) * w (ins (cell u) false t)) <= k * (pr (start p0 p1 x) b * (f (cell u) * w (ins (cell u) true t) + (1 - f (cell u)) * w (ins (cell u) false t)))).
  { intros t. unfold f, f'. rewrite Ly, Ly'. apply (both_ways n b x x' y y' (fun d => w (ins (cell u) d t)) k); auto. cbn in N. lia. }
  set (s := pr (start p0 p1 x) b) in *. set (s' := pr (start p0 p1 x') b) in *.
  assert (E1 : expect (vec m f) w <= k * s' / s * expect (vec m f') w).
  { apply (one_expect (cell u)); auto; [intros i; apply In|intros i I; now apply Same|]. intros t _. destruct (Q t) as [Q1 _]. apply Rmult_le_reg_l with s; [lra|].
    match goal with |- _ <= s * (k * s' / s * ?z) => replace (s * (k * s' / s * z)) with (k * (s' * z)) by (field; lra) end. exact Q1. }
  assert (E2 : expect (vec m f') w <= k * s / s' * expect (vec m f) w).
  { apply (one_expect (cell u)); auto; [intros i; apply In|intros i I; symmetry; now apply Same|]. intros t _. destruct (Q t) as [_ Q2]. apply Rmult_le_reg_l with s'; [lra|].
    match goal with |- _ <= s' * (k * s / s' * ?z) => replace (s' * (k * s / s' * z)) with (k * (s * z)) by (field; lra) end. exact Q2. }
  split.
  - apply (Rmult_le_compat_l (z * others * s)) in E1; [|apply Rmult_le_pos; lra]. replace (z * others * s * (k * s' / s * expect (vec m f') w)) with (k * (z * s' * others * expect (vec m f') w)) in E1 by (field; lra). lra.
  - apply (Rmult_le_compat_l (z * others * s')) in E2; [|apply Rmult_le_pos; lra]. replace (z * others * s' * (k * s / s' * expect (vec m f) w)) with (k * (z * s * others * expect (vec m f) w)) in E2 by (field; lra). lra.
Qed.
(* each of the numbers is attained, for every number of cells; the others are [zero_down_attained] and [one_up_attained] *)
(** claim: joint_loss.tight *)
Theorem narrower_attained : forall m u (f : Z -> R) y, (u < m)%nat -> let obs pre suf b := observed (fun v => v) m p0 p1 (seen_once pre suf (one_bit m u b) f y) in
  obs [Enter u] [] true = A * obs [] [] true /\ obs [] [] false = B * obs [Enter u] [] false /\
  (f (y - 1)%Z = r * f y -> obs [] [Enter u] false = zero_up * obs [] [] false) /\ (f y = r * f (y - 1)%Z -> obs [] [Enter u] true = one_up * obs [] [] true).
Proof.
  intros m u f y U obs. unfold obs, A, B, zero_up, one_up. rewrite !alone_mass by (auto; repeat constructor). unfold last_draw. cbn [fold_left step pr after].
  repeat split; try (field; lra); intros E; rewrite E; ring.
Qed.
End Bound.
(* 1/4 and 3/4, r = 2: with all neighbours the ratio is 21/4, with nested ones 24/5, with one appearance 3 *)
(** instance: narrower_adjacency, narrower_attained *)
Example three_numbers : nested_loss (1 / 4) (3 / 4) 2 (24 / 5) /\ single_loss (1 / 4) (3 / 4) 2 3.
Proof. unfold nested_loss, single_loss. repeat split; lra. Qed.
(** mutant: narrower_adjacency *)
Example nested_costs_more : ~ (forall e e' n, removed 0 n e e' -> sized 1 (map (entry_act (fun v => v)) e) -> times 0 (map (entry_act (fun v => v)) e) = 1%nat ->
  observed (fun v => v) 1 (1 / 4) (3 / 4) (map event_of e' ++ [Obs (release (geometric (/ 2) (/ 2)) 0)]) <= 4 * observed (fun v => v) 1 (1 / 4) (3 / 4) (map event_of e ++ [Obs (release (geometric (/ 2) (/ 2)) 0)])).
Proof.
  intros H. specialize (H [User 0; Sight all [false]; User 0] [Sight all [false]] 2%nat ltac:(repeat constructor) ltac:(repeat constructor) eq_refl).
  assert (E := zero_down_attained (1 / 4) (3 / 4) ltac:(lra) 1 0 (geometric (/ 2) (/ 2)) 0 ltac:(lia) (/ 2) ltac:(lra) ltac:(apply geometric_down; lia)).
  assert (Pz := alone_positive (1 / 4) (3 / 4) ltac:(lra) 1 0 (geometric (/ 2) (/ 2)) 0%Z ltac:(lia) ltac:(intros; apply geometric_pos; lra) [Enter 0%nat] [Enter 0%nat] false ltac:(repeat constructor) ltac:(repeat constructor) ltac:(intros e _ d; apply draws_inside; lra)).
  unfold seen_once, look in E, Pz. cbn [map event_of app] in *. cbn [one_bit set repeat app] in E, Pz. rewrite E in H. lra.
Qed.
