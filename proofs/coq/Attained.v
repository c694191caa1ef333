(* The bound of the joint loss is attained for every sample size, so that no smaller constant holds; the noise that keeps a
   promise is known exactly. Claims: joint_loss.tight, calibrated.joint_privacy, calibrated.insert_delete. *)
From Coq Require Import Reals Psatz Lra List Bool ZArith Lia.
From Pan Require Import Semantics OneCell JointLoss Streams.
Import ListNotations.
Open Scope R_scope.

(* ---- masses of simple programs ---- *)
Fixpoint put (u : nat) (q : R) (ps : list R) : list R :=
  match ps, u with [], _ => [] | _ :: t, O => q :: t | x :: t, S v => x :: put v q t end.
Fixpoint prob (ps : list R) (s : state) : R :=
  match ps, s with [], [] => 1 | p :: t, b :: v => pr p b * prob t v | _, _ => 0 end.
Lemma mass_draw : forall ps u p o, mass ps (Draw u p :: o) = mass (put u p ps) o.
Proof.
  unfold mass. intros ps u p o. cbn [run]. generalize (run o) as g. revert u.
  induction ps as [|q ps IH]; intros u g.
  - destruct u; cbn; unfold mix; cbn; ring.
  - destruct u as [|u]; cbn [put expect set]; unfold mix; cbn [add sub mul one reals].
    + rewrite !expect_lin. ring.
    + rewrite <- (IH u (fun s => g (true :: s))), <- (IH u (fun s => g (false :: s))). reflexivity.
Qed.
Lemma same_refl : forall s, same s s = true.
Proof. intros. unfold same. destruct (list_eq_dec bool_dec s s); congruence. Qed.
Lemma same_cons : forall a b s t, same (a :: s) (b :: t) = Bool.eqb a b && same s t.
Proof. intros. unfold same. destruct (list_eq_dec bool_dec (a :: s) (b :: t)), (list_eq_dec bool_dec s t), a, b; cbn; congruence. Qed.
Lemma part_all : forall s a, (forall i, a i = true) -> part a s = s.
Proof. induction s as [|b s IH]; intros a H; cbn; auto. rewrite H, IH; auto. Qed.
Lemma expect_zero : forall ps g, (forall t, length t = length ps -> g t = 0) -> expect ps g = 0.
Proof.
  intros. rewrite (expect_ext ps g (fun t => 0 * g t + 0 * g t)) by (intros; rewrite H by auto; ring).
  rewrite expect_lin. ring.
Qed.
Lemma mass_look : forall ps s o, length s = length ps -> mass ps (See (look s) :: o) = prob ps s * run o s.
Proof.
  unfold mass. intros ps s o. cbn [run]. generalize (run o) as g. unfold look, look_at.
  revert s. induction ps as [|p ps IH]; intros [|b s] g L; cbn [length] in *; try lia.
  - cbn. ring.
  - cbn [expect prob]. unfold mix; cbn [add sub mul one reals].
    assert (E : forall c, expect ps (fun t => (if same (b :: s) (part all (c :: t)) then 1 else 0) * g (c :: t)) =
                          if Bool.eqb b c then prob ps s * g (c :: s) else 0).
    { intros c. destruct (Bool.eqb b c) eqn:Q.
      - rewrite <- (IH s (fun t => g (c :: t))) by lia. apply expect_ext. intros t T. cbn [part].
        rewrite same_cons. cbn [andb all]. rewrite Q. reflexivity.
      - apply expect_zero. intros t T. cbn [part]. rewrite same_cons. cbn [andb all]. rewrite Q. cbn. ring. }
    rewrite !E. destruct b; cbn [pr Bool.eqb]; ring.
Qed.
Lemma put_length : forall u q ps, length (put u q ps) = length ps.
Proof. induction u; intros q [|p ps]; cbn; auto. Qed.

(* One user acts, and all m cells are seen: [b] is the bit of user u, all other bits are zero. *)
Definition one_bit (m u : nat) (b : bool) : state := set u b (repeat false m).
Lemma one_bit_length m u b : length (one_bit m u b) = m.
Proof. unfold one_bit. rewrite set_length. apply repeat_length. Qed.
Lemma ones_bit : forall m u b, (u < m)%nat -> ones (one_bit m u b) = if b then 1%Z else 0%Z.
Proof.
  assert (Z0 : forall m, ones (repeat false m) = 0%Z) by (induction m; cbn; auto).
  unfold one_bit. induction m; intros [|u] b H; try lia; cbn [repeat set ones].
  - rewrite Z0. destruct b; reflexivity. - rewrite IHm by lia. now destruct b.
Qed.
Lemma set_bit : forall m u b d, set u d (one_bit m u b) = one_bit m u d.
Proof. unfold one_bit. induction m; intros [|u] b d; cbn [repeat set]; auto. f_equal. apply IHm. Qed.
Lemma put_put : forall u p q ps, put u p (put u q ps) = put u p ps.
Proof. induction u; intros p q [|x ps]; cbn; auto. f_equal. auto. Qed.
Lemma put_repeat : forall u p m, put u p (repeat p m) = repeat p m.
Proof. induction u; intros p [|m]; cbn; auto. f_equal. auto. Qed.
(* the probability of all other bits *)
Definition rest_zero (p0 : R) (m : nat) := (1 - p0) ^ pred m.
Lemma prob_bit : forall m u b p0 x, (u < m)%nat -> prob (put u x (repeat p0 m)) (one_bit m u b) = rest_zero p0 m * pr x b.
Proof.
  assert (Z0 : forall m p0, prob (repeat p0 m) (repeat false m) = (1 - p0) ^ m) by (induction m; intros; cbn; rewrite ?IHm; auto).
  unfold one_bit, rest_zero. induction m; intros [|u] b p0 x H; try lia; cbn [repeat set put prob pred].
  - rewrite Z0. ring.
  - rewrite IHm by lia. destruct m; [lia|]. cbn [pred pr]. cbn [pow]. ring.
Qed.
(* births, the draws [pre] of user u, an intrusion, the draws [suf] of user u, a release *)
Definition step (p0 p1 : R) (y : option R) (x : event R) : option R :=
  match x with Enter _ => Some p1 | Leave _ => Some p0 | _ => y end.
Definition last_draw (p0 p1 : R) (e : list (event R)) (none : option R) : option R := fold_left (step p0 p1) e none.
Lemma last_start : forall p0 p1 e x, exists d, fold_left (step p0 p1) e (Some x) = Some d /\
  d = match fold_left (step p0 p1) e None with Some z => z | None => x end.
Proof.
  intros p0 p1. induction e as [|[v|v|p|w] e IH]; intros x; cbn [fold_left step]; [exists x; auto| | |apply IH|apply IH].
  - destruct (IH p1) as [d [E _]]. rewrite E. exists d. auto.
  - destruct (IH p0) as [d [E _]]. rewrite E. exists d. auto.
Qed.
Definition by_user (u : nat) (e : list (event R)) := Forall (fun x => match x with Enter v | Leave v => v = u | _ => False end) e.
Lemma mass_by_user : forall u e p0 p1 q x o m, by_user u e ->
  mass (put u x (repeat q m)) (compile (fun v => v) p0 p1 e ++ o) =
  mass (put u (match last_draw p0 p1 e None with Some d => d | None => x end) (repeat q m)) o.
Proof.
  unfold last_draw. induction e as [|[v|v|p|w] e IH]; intros p0 p1 q x o m B; inversion B; subst; try contradiction;
    cbn [compile app fold_left step]; auto; rewrite mass_draw, put_put, IH by auto.
  - destruct (last_start p0 p1 e p1) as [d [-> ->]]. reflexivity.
  - destruct (last_start p0 p1 e p0) as [d [-> ->]]. reflexivity.
Qed.
Lemma compile_by_user : forall u e e' p0 p1, by_user u e ->
  compile (fun v => v) p0 p1 (e ++ e') = compile (fun v => v) p0 p1 e ++ compile (fun v => v) p0 p1 e'.
Proof. induction e as [|[v|v|p|w] e I]; intros e' p0 p1 B; inversion B; subst; try contradiction; cbn; f_equal; auto. Qed.
Lemma run_by_user : forall u p0 p1 o m g, (u < m)%nat -> (forall d, run o (one_bit m u d) = g d) -> forall e b, by_user u e ->
  run (compile (fun v => v) p0 p1 e ++ o) (one_bit m u b) = after (last_draw p0 p1 e None) b g.
Proof.
  intros u p0 p1 o m g H G. unfold last_draw.
  induction e as [|[v|v|p|w] e IH]; intros b B; inversion B; subst; try contradiction; cbn [compile app fold_left step]; [apply G| |];
    cbn [run]; unfold mix; cbn [add sub mul one reals]; rewrite !set_bit, !IH by auto.
  - destruct (last_start p0 p1 e p1) as [d [-> ->]]. destruct (fold_left (step p0 p1) e None); cbn; ring.
  - destruct (last_start p0 p1 e p0) as [d [-> ->]]. destruct (fold_left (step p0 p1) e None); cbn; ring.
Qed.
Theorem alone_event : forall p0 p1 m u pre suf b (w : state -> R), (u < m)%nat -> by_user u pre -> by_user u suf ->
  observed (fun v => v) m p0 p1 (pre ++ [Obs (look (one_bit m u b))] ++ suf ++ [Obs w]) =
  rest_zero p0 m * (pr (match last_draw p0 p1 pre None with Some d => d | None => p0 end) b *
    after (last_draw p0 p1 suf None) b (fun d : bool => w (one_bit m u d))).
Proof.
  intros p0 p1 m u pre suf b w H B1 B2. unfold observed.
  rewrite (compile_by_user u) by auto. cbn [app compile]. rewrite <- (put_repeat u p0 m), mass_by_user by auto.
  rewrite mass_look by (now rewrite one_bit_length, put_length, repeat_length).
  rewrite prob_bit by auto. rewrite (compile_by_user u) by auto. cbn [compile].
  rewrite (run_by_user u p0 p1 _ m (fun d : bool => w (one_bit m u d)) H); auto; [ring|]. intros d. cbn. ring.
Qed.
Theorem alone_mass : forall p0 p1 m u pre suf b f y, (u < m)%nat -> by_user u pre -> by_user u suf ->
  observed (fun v => v) m p0 p1 (seen_once pre suf (one_bit m u b) f y) =
  rest_zero p0 m * (pr (match last_draw p0 p1 pre None with Some d => d | None => p0 end) b *
    after (last_draw p0 p1 suf None) b (fun d : bool => if d then f (y - 1)%Z else f y)).
Proof.
  intros p0 p1 m u pre suf b f y H B1 B2. unfold seen_once. rewrite alone_event by auto.
  assert (E : forall d, release f y (one_bit m u d) = if d then f (y - 1)%Z else f y).
  { intros d. unfold release, release_of. rewrite part_all, ones_bit by auto. destruct d; f_equal; lia. }
  destruct (last_draw p0 p1 suf None); cbn [after]; now rewrite ?E.
Qed.

(* ---- the four ratios, each attained, for every number of cells ---- *)
Section Four.
Variables p0 p1 : R.
Hypothesis P : 0 < p0 /\ p0 < p1 /\ p1 < 1.
Variables (m u : nat) (f : Z -> R) (y : Z).
Hypothesis U : (u < m)%nat.
Let obs pre suf b := observed (fun v => v) m p0 p1 (seen_once pre suf (one_bit m u b) f y).
Lemma rest_pos : 0 < rest_zero p0 m. Proof. unfold rest_zero. apply pow_lt. lra. Qed.
Ltac alone := unfold obs; rewrite !alone_mass by (auto; repeat constructor); unfold last_draw; cbn [fold_left step pr after].
(** claim: joint_loss.tight *)
Theorem zero_up_attained : forall hi, f (y - 1)%Z = hi * f y ->
  obs [] [Enter u] false = (1 - p0) / (1 - p1) * (1 - p1 + p1 * hi) * obs [Enter u] [] false.
Proof. intros hi E. alone. rewrite E. field. lra. Qed.
(** claim: joint_loss.tight *)
Theorem zero_down_attained : forall lo, 0 < lo -> f (y - 1)%Z = lo * f y ->
  obs [] [] false = (1 - p0) / (1 - p1) / (1 - p1 + p1 * lo) * obs [Enter u] [Enter u] false.
Proof. intros lo L E. alone. rewrite E. assert (0 < p1 * lo) by nra. field. lra. Qed.
(** claim: joint_loss.tight *)
Theorem one_up_attained : forall lo, 0 < lo -> f (y - 1)%Z = lo * f y ->
  obs [Enter u] [Enter u] true = p1 / p0 * (p1 + (1 - p1) / lo) * obs [] [] true.
Proof. intros lo L E. alone. rewrite E. field. lra. Qed.
(** claim: joint_loss.tight, calibrated.insert_delete *)
Theorem one_up_deleted : forall lo, 0 < lo -> f (y - 1)%Z = lo * f y ->
  obs [Enter u] [Leave u] true = p1 / p0 * (p0 + (1 - p0) / lo) * obs [] [] true.
Proof. intros lo L E. alone. rewrite E. field. lra. Qed.
(** claim: joint_loss.tight *)
Theorem one_down_attained : forall hi, 0 < hi -> f (y - 1)%Z = hi * f y ->
  obs [Enter u] [] true = p1 / p0 / (p1 + (1 - p1) / hi) * obs [] [Enter u] true.
Proof. intros hi L E. alone. rewrite E. assert (0 < p1 * hi) by nra. field. lra. Qed.
Lemma one_down_deleted : forall hi, 0 < hi -> f (y - 1)%Z = hi * f y ->
  obs [Enter u] [] true = p1 / p0 / (p0 + (1 - p0) / hi) * obs [] [Leave u] true.
Proof. intros hi L E. alone. rewrite E. assert (0 < p0 * hi) by nra. field. lra. Qed.
Lemma alone_positive : (forall z, 0 < f z) -> forall pre suf b, by_user u pre -> by_user u suf ->
  (forall e, by_user u e -> forall d, last_draw p0 p1 e None = Some d -> 0 < d < 1) -> 0 < obs pre suf b.
Proof.
  intros F pre suf b B1 B2 D. unfold obs. rewrite alone_mass by auto. apply Rmult_lt_0_compat; [apply rest_pos|].
  assert (F1 := F y). assert (F2 := F (y - 1)%Z).
  apply Rmult_lt_0_compat.
  - assert (T := D pre B1). destruct (last_draw p0 p1 pre None) as [d|]; [specialize (T d eq_refl)|]; destruct b; cbn; lra.
  - assert (T := D suf B2). destruct (last_draw p0 p1 suf None) as [d|]; [specialize (T d eq_refl)|]; destruct b; cbn; nra.
Qed.
Lemma draws_inside : forall e d, last_draw p0 p1 e None = Some d -> 0 < d < 1.
Proof.
  unfold last_draw. intros e. assert (H : forall a, (forall d, a = Some d -> 0 < d < 1) -> forall d,
    fold_left (step p0 p1) e a = Some d -> 0 < d < 1).
  { induction e as [|[] e IH]; intros a A d; cbn; auto; apply IH; auto; intros q Q; inversion Q; lra. }
  apply H. discriminate.
Qed.
End Four.

(* ---- two-sided geometric noise: P(N = k) is proportional to up^k for k >= 0 and to down^-k for k <= 0 ---- *)
Definition geometric (up down : R) (z : Z) : R := if Z.leb 0 z then up ^ Z.to_nat z else down ^ Z.to_nat (- z).
Lemma geometric_pos : forall up down z, 0 < up -> 0 < down -> 0 < geometric up down z.
Proof. intros. unfold geometric. destruct (Z.leb 0 z); apply pow_lt; auto. Qed.
Lemma geometric_up : forall up down z, 0 < up -> (1 <= z)%Z -> geometric up down (z - 1) = / up * geometric up down z.
Proof.
  intros up down z U Z1. unfold geometric. rewrite (proj2 (Z.leb_le 0 z)), (proj2 (Z.leb_le 0 (z - 1))) by lia.
  replace (Z.to_nat z) with (S (Z.to_nat (z - 1))) by lia. cbn [pow]. field. lra.
Qed.
Lemma geometric_down : forall up down z, (z <= 0)%Z -> geometric up down (z - 1) = down * geometric up down z.
Proof.
  intros up down z Z0. unfold geometric. rewrite (proj2 (Z.leb_gt 0 (z - 1))) by lia. destruct (Z.leb 0 z) eqn:E.
  - apply Z.leb_le in E. assert (z = 0%Z) by lia. subst. change (Z.to_nat (- (0 - 1))) with 1%nat. change (Z.to_nat 0) with 0%nat. cbn [pow]. ring.
  - replace (Z.to_nat (- (z - 1))) with (S (Z.to_nat (- z))) by lia. reflexivity.
Qed.
Lemma geometric_ratios : forall up down, 0 < up <= 1 -> 0 < down <= 1 -> ratios down (/ up) (geometric up down).
Proof.
  intros up down U D z. assert (G := geometric_pos up down z ltac:(lra) ltac:(lra)).
  assert (I : 1 <= / up) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra). split; [lra|].
  destruct (Z.leb 1 z) eqn:E; [apply Z.leb_le in E; rewrite geometric_up by (auto; lra)|apply Z.leb_gt in E; rewrite geometric_down by lia]; split; nra.
Qed.

(* ---- the promise log c0 holds for every sample size, stream and neighbour, if and only if four numbers are at most c0 ---- *)
Definition promise (deletions : bool) (p0 p1 c0 : R) (f : Z -> R) := forall cell m u pre suf pre' suf' s y,
  moves pre -> moves suf -> moves pre' -> moves suf' ->
  (deletions = false -> inserts (pre ++ suf) /\ inserts (pre' ++ suf')) -> neighbours u pre pre' -> neighbours u suf suf' ->
  observed cell m p0 p1 (seen_once pre suf s f y) <= c0 * observed cell m p0 p1 (seen_once pre' suf' s f y).
Lemma by_user_neighbours : forall u e, by_user u e -> others u e = [].
Proof. induction 1 as [|[v|v|p|w] e H]; try contradiction; subst; cbn; rewrite ?Nat.eqb_refl; auto. Qed.
Lemma by_user_moves : forall u e, by_user u e -> moves e.
Proof. intros u e. apply Forall_impl. intros []; tauto. Qed.
(** claim: calibrated.joint_privacy, calibrated.insert_delete *)
Theorem geometric_promise : forall (deletions : bool) p0 p1 c0 up down, 0 < p0 /\ p0 < p1 /\ p1 < 1 -> 0 < up <= 1 -> 0 < down <= 1 ->
  let least := if deletions then p0 else p1 in
  promise deletions p0 p1 c0 (geometric up down) <->
  (1 - p0) / (1 - p1) * (1 - p1 + p1 / up) <= c0 /\ (1 - p0) / (1 - p1) <= c0 * (1 - p1 + p1 * down) /\
  p1 / p0 * (least + (1 - least) / down) <= c0 /\ p1 / p0 <= c0 * (least + (1 - least) * up).
Proof.
  intros deletions p0 p1 c0 up down P U D least.
  assert (Pos : forall z, 0 < geometric up down z) by (intros; apply geometric_pos; lra).
  assert (I : 1 <= / up) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (UP : geometric up down (1 - 1) = / up * geometric up down 1) by (apply geometric_up; [lra|lia]).
  assert (DN : geometric up down (0 - 1) = down * geometric up down 0) by (apply geometric_down; lia).
  split.
  - intros H.
    assert (Q : forall pre suf pre' suf' b y k, by_user 0 pre -> by_user 0 suf -> by_user 0 pre' -> by_user 0 suf' ->
      (deletions = false -> inserts (pre ++ suf) /\ inserts (pre' ++ suf')) ->
      observed (fun v => v) 1 p0 p1 (seen_once pre suf (one_bit 1 0 b) (geometric up down) y) =
      k * observed (fun v => v) 1 p0 p1 (seen_once pre' suf' (one_bit 1 0 b) (geometric up down) y) -> k <= c0).
    { intros pre suf pre' suf' b y k B1 B2 B3 B4 IN E.
      assert (X := H (fun v => v) 1%nat 0%nat pre suf pre' suf' (one_bit 1 0 b) y (by_user_moves _ _ B1) (by_user_moves _ _ B2)
        (by_user_moves _ _ B3) (by_user_moves _ _ B4) IN).
      unfold neighbours in X. rewrite !by_user_neighbours in X by auto. specialize (X eq_refl eq_refl). rewrite E in X.
      assert (0 < observed (fun v => v) 1 p0 p1 (seen_once pre' suf' (one_bit 1 0 b) (geometric up down) y)).
      { apply (alone_positive p0 p1 P 1 0); auto; try lia. intros e _. apply (draws_inside p0 p1 P). }
      nra. }
    assert (by_user 0 [] /\ by_user 0 [Enter 0%nat] /\ by_user 0 [Leave 0%nat]) as [b0 [b1 b2]] by (repeat split; repeat constructor).
    assert (ins_ : forall a b, inserts (map Enter a ++ map Enter b : list (event R))) by (intros; apply inserts_app; split; apply enters_inserts).
    assert (zb : 0 < (1 - p1 + p1 * down)) by nra.
    assert (ob : forall q, 0 < q < 1 -> 0 < q + (1 - q) * up) by (intros; nra).
    split; [|split; [|split]].
    + apply (Q [] [Enter 0%nat] [Enter 0%nat] [] false 1%Z); auto.
      * intros _. exact (conj (ins_ [] [0%nat]) (ins_ [0%nat] [])).
      * apply (zero_up_attained p0 p1 P 1 0 _ 1%Z); [lia|exact UP].
    + assert (X : (1 - p0) / (1 - p1) / (1 - p1 + p1 * down) <= c0).
      { apply (Q [] [] [Enter 0%nat] [Enter 0%nat] false 0%Z); auto.
        - intros _. exact (conj (ins_ [] []) (ins_ [0%nat] [0%nat])).
        - apply (zero_down_attained p0 p1 P 1 0 _ 0%Z); [lia|lra|exact DN]. }
      apply (Rmult_le_compat_r (1 - p1 + p1 * down)) in X; [|lra]. unfold Rdiv at 1 in X. rewrite Rmult_assoc, Rinv_l in X by lra. lra.
    + unfold least. destruct deletions.
      * apply (Q [Enter 0%nat] [Leave 0%nat] [] [] true 0%Z); auto; try discriminate.
        apply (one_up_deleted p0 p1 P 1 0 _ 0%Z); [lia|lra|exact DN].
      * apply (Q [Enter 0%nat] [Enter 0%nat] [] [] true 0%Z); auto.
        -- intros _. exact (conj (ins_ [0%nat] [0%nat]) (ins_ [] [])).
        -- apply (one_up_attained p0 p1 P 1 0 _ 0%Z); [lia|lra|exact DN].
    + assert (X : p1 / p0 / (least + (1 - least) / (/ up)) <= c0).
      { unfold least. destruct deletions.
        - apply (Q [Enter 0%nat] [] [] [Leave 0%nat] true 1%Z); auto; try discriminate.
          apply (one_down_deleted p0 p1 P 1 0 _ 1%Z); [lia|lra|exact UP].
        - apply (Q [Enter 0%nat] [] [] [Enter 0%nat] true 1%Z); auto.
          + intros _. exact (conj (ins_ [0%nat] []) (ins_ [] [0%nat])).
          + apply (one_down_attained p0 p1 P 1 0 _ 1%Z); [lia|lra|exact UP]. }
      replace ((1 - least) / / up) with ((1 - least) * up) in X by (field; lra).
      assert (0 < least + (1 - least) * up) by (apply ob; unfold least; destruct deletions; lra).
      apply (Rmult_le_compat_r (least + (1 - least) * up)) in X; [|lra].
      unfold Rdiv at 1 in X. rewrite Rmult_assoc, Rinv_l in X by lra. lra.
  - intros [Z1 [Z2 [Z3 Z4]]] cell m u pre suf pre' suf' s y M1 M2 M3 M4 IN N1 N2.
    apply (intrusion_and_release p0 p1 least down (/ up) c0 cell m u); auto.
    + repeat split; try lra; try (unfold least; destruct deletions; lra).
      replace ((1 - least) / / up) with ((1 - least) * up) by (field; lra). exact Z4.
    + apply geometric_ratios; auto.
    + unfold least. destruct deletions; auto.
Qed.
