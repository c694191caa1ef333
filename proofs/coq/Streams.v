(* Joint loss, from programs to streams of users; which worst cases attain it; what follows for estimators.
   Claims: joint_loss.tight, calibrated.joint_privacy, calibrated.insert_delete, distinct.joint_privacy, distinct.shards. *)
From Coq Require Import Reals Psatz Lra List Bool ZArith Lia.
From Pan Require Import Semantics OneCell JointLoss.
Import ListNotations.
Open Scope R_scope.

(* ---- from streams to programs ---- *)
Lemma compile_off : forall cell p0 p1 u e, off (cell u) (compile cell p0 p1 e) = off (cell u) (compile cell p0 p1 (others u e)).
Proof.
  intros cell p0 p1 u e. revert p0 p1.
  induction e as [|[v|v|p|w] e IH]; intros p0 p1; cbn [compile others filter of]; auto.
  1,2: destruct (Nat.eqb v u) eqn:E; cbn [negb compile];
    [apply Nat.eqb_eq in E; subst v; cbn [off filter]; rewrite Nat.eqb_refl; apply IH
    |cbn [off filter]; fold (others u e); destruct (Nat.eqb (cell v) (cell u)); cbn [negb]; [|f_equal]; apply IH].
  - cbn [negb compile off filter]. f_equal. apply IH.
  - cbn [negb compile off filter]. f_equal. apply IH.
Qed.
Lemma neighbours_off : forall cell p0 p1 u e e', neighbours u e e' ->
  off (cell u) (compile cell p0 p1 e) = off (cell u) (compile cell p0 p1 e').
Proof. intros. rewrite compile_off, H. symmetry. apply compile_off. Qed.
Lemma through_prob p q : 0 <= p <= 1 -> 0 <= q <= 1 -> 0 <= through p q <= 1.
Proof. intros. unfold through, mix. cbn. nra. Qed.
Lemma compile_fair : forall cell e p0 p1, 0 <= p0 <= 1 -> 0 <= p1 <= 1 ->
  Forall (fun x => match x with Announce p => 0 <= p <= 1 | _ => True end) e -> fair (compile cell p0 p1 e).
Proof.
  induction e as [|[v|v|p|w] e IH]; intros p0 p1 H0 H1 F; inversion F; subst; constructor; auto; try (apply IH; auto using through_prob).
Qed.
Lemma compile_draws : forall cell e p0 p1 (d : R -> Prop), unannounced e -> (inserts e \/ d p0) -> d p1 ->
  draws d (compile cell p0 p1 e).
Proof.
  induction e as [|[v|v|p|w] e IH]; intros p0 p1 d F I D; inversion F; subst; constructor; try contradiction; auto;
    try (apply IH; auto; destruct I as [I|I]; auto; inversion I; subst; auto).
  destruct I as [I|I]; auto. inversion I; subst. contradiction.
Qed.

(* ---- what is seen: intrusions in sets of cells, and noisy numbers of ones of sets of cells ---- *)
Inductive pattern (noisy : (Z -> R) -> Prop) (c : nat) : list (event R) -> list kind -> Prop :=
| pat_end : pattern noisy c [] []
| pat_enter v e ks : pattern noisy c e ks -> pattern noisy c (Enter v :: e) ks
| pat_leave v e ks : pattern noisy c e ks -> pattern noisy c (Leave v :: e) ks
| pat_look a s e ks : pattern noisy c e ks -> pattern noisy c (Obs (look_at a s) :: e) ((if a c then Sight else Blind) :: ks)
| pat_release a f y e ks : noisy f -> pattern noisy c e ks ->
    pattern noisy c (Obs (release_of a f y) :: e) ((if a c then Noise else Blind) :: ks).
Lemma pattern_app : forall noisy c e ks e' ks', pattern noisy c e ks -> pattern noisy c e' ks' -> pattern noisy c (e ++ e') (ks ++ ks').
Proof. induction 1; intros; cbn; try constructor; auto. Qed.
Lemma pattern_neighbours : forall noisy c u e e' ks, neighbours u e e' -> unannounced e' -> pattern noisy c e ks -> pattern noisy c e' ks.
Proof.
  assert (R1 : forall noisy c u e ks, pattern noisy c e ks -> pattern noisy c (others u e) ks).
  { induction 1; cbn; try (destruct (Nat.eqb v u); cbn); try constructor; auto. }
  assert (R2 : forall noisy c u e ks, unannounced e -> pattern noisy c (others u e) ks -> pattern noisy c e ks).
  { induction e as [|[v|v|p|w] e IH]; intros ks U Q; inversion U; subst; cbn in Q; auto; try contradiction.
    - destruct (Nat.eqb v u); cbn in Q; constructor; apply IH; auto. now inversion Q; subst.
    - destruct (Nat.eqb v u); cbn in Q; constructor; apply IH; auto. now inversion Q; subst.
    - inversion Q; subst; constructor; auto; now apply IH. }
  intros. apply (R2 _ _ u); auto. rewrite <- H. now apply R1.
Qed.
(* noise: one more multiplies its density by lo to hi *)
Definition ratios (lo hi : R) (f : Z -> R) := forall z, 0 <= f z /\ lo * f z <= f (z - 1)%Z <= hi * f z.
Lemma ones_ins : forall c b t, ones (ins c b t) = ((if b then 1 else 0) + ones t)%Z.
Proof. induction c; intros b [|x t]; cbn [ins ones]; auto. rewrite IHc. lia. Qed.
Lemma ins_bit : forall c b d t s, ins c b t = s -> ins c d t = s -> b = d.
Proof. induction c; intros b d [|x t] [|y s]; cbn; intros; try congruence. apply (IHc b d t s); congruence. Qed.
Lemma look_kind : forall noise a s c t, (c <= length t)%nat ->
  kind1 noise (see (fun b => look_at a s (ins c b t))) (if a c then Sight else Blind).
Proof.
  intros noise a s c t H. unfold look_at. destruct (a c) eqn:E; cbn; rewrite ?part_ins, ?E by auto; cbn [andb].
  - set (v := part (fun i => a (if Nat.ltb i c then i else S i)) t). unfold same.
    exists (if list_eq_dec bool_dec s (ins c true v) then true else false).
    destruct (list_eq_dec bool_dec s (ins c true v)) as [X|X]; rewrite ?part_ins, ?E by auto; cbn [andb negb]; fold v.
    + destruct (list_eq_dec bool_dec s (ins c true v)); [|congruence]. destruct (list_eq_dec bool_dec s (ins c false v)); [|split; lra].
      exfalso. assert (true = false); [|congruence]. apply (ins_bit c _ _ v s); auto.
    + destruct (list_eq_dec bool_dec s (ins c true v)); [congruence|]. destruct (list_eq_dec bool_dec s (ins c false v)); split; lra.
  - split; auto. destruct (same _ _); lra.
Qed.
Lemma release_kind : forall lo hi a f y c t, ratios lo hi f -> (c <= length t)%nat ->
  kind1 (bounded lo hi) (see (fun b => release_of a f y (ins c b t))) (if a c then Noise else Blind).
Proof.
  intros lo hi a f y c t F H. unfold release_of. destruct (a c) eqn:E; cbn; unfold bounded; rewrite ?part_ins, ?E by auto; cbn [andb]; rewrite ?ones_ins.
  - set (z := ones (part _ t)). assert (Q := F (y - (0 + z))%Z). assert (Q' := F (y - (0 + z) - 1)%Z).
    replace (y - (1 + z))%Z with (y - (0 + z) - 1)%Z by lia. tauto.
  - split; auto. apply F.
Qed.
Lemma pattern_kinds : forall lo hi cell c e ks p0 p1, pattern (ratios lo hi) c e ks -> kinds c (bounded lo hi) (compile cell p0 p1 e) ks.
Proof.
  intros lo hi cell c e ks p0 p1 Q. induction Q; cbn [compile]; try constructor; auto; intros; [now apply look_kind|now apply release_kind].
Qed.
Lemma flipped_pos : forall s p (g : state -> R), 0 <= p <= 1 -> (forall t, 0 <= g t) -> 0 <= flipped p s g.
Proof. induction s as [|b s IH]; intros p g P G; cbn; auto. unfold mix; cbn. assert (A := IH p (fun v => g (negb b :: v)) P (fun t => G _)). assert (B := IH p (fun v => g (b :: v)) P (fun t => G _)). nra. Qed.
Lemma run_pos : forall o, fair o -> Forall (fun x => match x with See w => forall s, 0 <= w s | _ => True end) o -> forall s, 0 <= run o s.
Proof.
  induction o as [|[u p|p|w] o IH]; intros F W s; inversion F; inversion W; subst; cbn [run]; cbn; try lra.
  - unfold mix; cbn. assert (A := IH H2 H6 (set u true s)). assert (B := IH H2 H6 (set u false s)). nra.
  - apply flipped_pos; auto. - apply Rmult_le_pos; auto.
Qed.
Lemma pattern_pos : forall lo hi cell c e ks p0 p1, pattern (ratios lo hi) c e ks ->
  Forall (fun x => match x with See w => forall s, 0 <= w s | _ => True end) (compile cell p0 p1 e).
Proof.
  intros lo hi cell c e ks p0 p1 Q. induction Q; cbn [compile]; constructor; auto; intros t.
  - unfold look_at; destruct (same _ _); cbn; lra. - unfold release_of. apply H.
Qed.
Lemma quiet : forall e, unannounced e -> Forall (fun x : event R => match x with Announce p => 0 <= p <= 1 | _ => True end) e.
Proof. intros e U. apply (Forall_impl _ (fun x Q => match x as y return (match y with Announce _ => False | _ => True end -> match y with Announce p => 0 <= p <= 1 | _ => True end) with Announce _ => fun f => match f with end | _ => fun q => q end Q) U). Qed.

(* The probabilities and the noise keep the loss log c0: [least] is p1 for insertions only, p0 for deletions too. *)
Definition keeps (p0 p1 least lo hi c0 : R) :=
  (0 < p0 /\ p0 < p1 /\ p1 < 1) /\ p0 <= least <= p1 /\ (0 < lo <= 1 /\ 1 <= hi) /\
  (1 - p0) / (1 - p1) * (1 - p1 + p1 * hi) <= c0 /\ (1 - p0) / (1 - p1) <= c0 * (1 - p1 + p1 * lo) /\
  p1 / p0 * (least + (1 - least) / lo) <= c0 /\ p1 / p0 <= c0 * (least + (1 - least) / hi).

(* Every user, every pair of adjacent streams, every hash, every number of cells; the user's cell is seen once at an
   intrusion, and then in one noisy release; other cells may be seen and released at any time. *)
(** claim: joint_loss.tight, distinct.joint_privacy *)
Theorem joint_private : forall p0 p1 least lo hi c0 cell m u e e' ks, keeps p0 p1 least lo hi c0 ->
  neighbours u e e' -> unannounced e -> unannounced e' -> (inserts e /\ inserts e' \/ least = p0) ->
  pattern (ratios lo hi) (cell u) e ks -> sight_then_noise ks ->
  observed cell m p0 p1 e <= c0 * observed cell m p0 p1 e'.
Proof.
  intros p0 p1 least lo hi c0 cell m u e e' ks [P [L [N [Z1 [Z2 [Z3 Z4]]]]]] NB U U' I Q S.
  assert (Q' := pattern_neighbours _ _ _ _ _ _ NB U' Q).
  assert (D : draws (fun p => least <= p <= p1) (compile cell p0 p1 e)) by (apply compile_draws; auto; destruct I as [[]|]; auto; lra).
  assert (D' : draws (fun p => least <= p <= p1) (compile cell p0 p1 e')) by (apply compile_draws; auto; destruct I as [[]|]; auto; lra).
  assert (F : fair (compile cell p0 p1 e)) by (apply compile_fair; try lra; now apply quiet).
  assert (F' : fair (compile cell p0 p1 e')) by (apply compile_fair; try lra; now apply quiet).
  apply (joint_private_program p0 p1 least lo hi c0 P L N Z1 Z2 Z3 Z4 m (cell u) _ _ ks); auto.
  - now apply neighbours_off.
  - apply run_pos; auto. apply (pattern_pos lo hi _ (cell u) _ ks); auto.
  - now apply pattern_kinds.
  - now apply pattern_kinds.
Qed.

(* ---- corollaries ---- *)
Definition moves (e : list (event R)) := Forall (fun x => match x with Enter _ | Leave _ => True | _ => False end) e.
Lemma moves_pattern : forall noisy c e, moves e -> pattern noisy c e [].
Proof. induction 1 as [|[v|v|p|w] e H]; try contradiction; constructor; auto. Qed.
Lemma moves_unannounced : forall e, moves e -> unannounced e.
Proof. unfold moves, unannounced. intros e. apply Forall_impl. intros []; tauto. Qed.
Definition enters (w : list nat) : list (event R) := map Enter w.
Lemma enters_moves w : moves (enters w). Proof. induction w; constructor; auto. Qed.
Lemma enters_inserts w : inserts (enters w). Proof. induction w; constructor; auto. Qed.
Lemma unannounced_app : forall e e' : list (event R), unannounced e -> unannounced e' -> unannounced (e ++ e').
Proof. intros. now apply Forall_app. Qed.
Lemma inserts_app : forall e e' : list (event R), inserts (e ++ e') <-> inserts e /\ inserts e'.
Proof. intros. apply Forall_app. Qed.
Lemma unannounced_obs : forall w : state -> R, unannounced [Obs w]. Proof. repeat constructor. Qed.
Lemma inserts_obs : forall w : state -> R, inserts [Obs w]. Proof. repeat constructor. Qed.
#[local] Hint Resolve moves_unannounced unannounced_app unannounced_obs inserts_obs : core.

(* one intrusion that sees all, one release at the end; user by user or with shared cells *)
Definition seen_once (pre suf : list (event R)) s f y := pre ++ [Obs (look s)] ++ suf ++ [Obs (release f y)].
(** claim: joint_loss.tight, calibrated.joint_privacy, calibrated.insert_delete *)
Corollary intrusion_and_release : forall p0 p1 least lo hi c0 cell m u pre suf pre' suf' s f y,
  keeps p0 p1 least lo hi c0 -> ratios lo hi f -> moves pre -> moves suf -> moves pre' -> moves suf' ->
  (inserts (pre ++ suf) /\ inserts (pre' ++ suf') \/ least = p0) -> neighbours u pre pre' -> neighbours u suf suf' ->
  observed cell m p0 p1 (seen_once pre suf s f y) <= c0 * observed cell m p0 p1 (seen_once pre' suf' s f y).
Proof.
  intros p0 p1 least lo hi c0 cell m u pre suf pre' suf' s f y K F M1 M2 M1' M2' I N1 N2.
  apply (joint_private p0 p1 least lo hi c0 cell m u _ _ [Sight; Noise]); auto; try reflexivity.
  - unfold seen_once, neighbours, others in *. rewrite !filter_app. now rewrite N1, N2.
  - unfold seen_once; auto 6.
  - unfold seen_once; auto 6.
  - destruct I as [[I I']|I]; auto. left. apply inserts_app in I, I'. destruct I, I'.
    unfold seen_once. split; repeat (apply inserts_app; split); auto.
  - change [Sight; Noise] with ([] ++ [Sight] ++ [] ++ [Noise]).
    apply pattern_app; [now apply moves_pattern|]. apply pattern_app; [apply (pat_look _ (cell u) all s [] []); constructor|].
    apply pattern_app; [now apply moves_pattern|]. apply (pat_release _ (cell u) all f y [] []); auto; constructor.
Qed.

(* Levels: the noisy number of ones of each level is released. *)
Definition in_group (g : nat -> nat) (i : nat) : nat -> bool := fun c => Nat.eqb (g c) i.
Definition levels (g : nat -> nat) (n : nat) (f : Z -> R) (y : nat -> Z) : list (event R) :=
  map (fun i => Obs (release_of (in_group g i) f (y i))) (seq 0 n).
(* Workers: each has its own cells, and is seen at a time of its own. *)
Definition looks (g : nat -> nat) (s : nat -> state) (ws : list nat) := map (fun i => look_at (in_group g i) (s i)) ws.
Inductive seen_in (g : nat -> nat) (s : nat -> state) : list (event R) -> list nat -> Prop :=
| seen_end : seen_in g s [] []
| seen_enter v e ws : seen_in g s e ws -> seen_in g s (Enter v :: e) ws
| seen_leave v e ws : seen_in g s e ws -> seen_in g s (Leave v :: e) ws
| seen_worker i e ws : seen_in g s e ws -> seen_in g s (Obs (look_at (in_group g i) (s i)) :: e) (i :: ws).
Lemma group_kinds : forall k ws x, NoDup ws ->
  filter told (map (fun i => if Nat.eqb x i then k else Blind) ws) = if in_dec Nat.eq_dec x ws then filter told [k] else [].
Proof.
  induction ws as [|i ws IH]; intros x ND; [reflexivity|]. inversion ND; subst. specialize (IH x H2). cbn [map].
  replace (i :: ws) with ([i] ++ ws) by reflexivity. destruct (Nat.eqb x i) eqn:E.
  - apply Nat.eqb_eq in E; subst i. destruct (in_dec Nat.eq_dec x ws); [contradiction|].
    destruct (in_dec Nat.eq_dec x ([x] ++ ws)) as [|X]; [|destruct X; now left].
    cbn [filter]. rewrite IH. now destruct (told k).
  - apply Nat.eqb_neq in E. cbn [filter told]. rewrite IH.
    destruct (in_dec Nat.eq_dec x ws) as [X|X], (in_dec Nat.eq_dec x ([i] ++ ws)) as [Y|Y]; auto; cbn in Y; exfalso; intuition congruence.
Qed.
Lemma levels_pattern : forall lo hi c g n f y, ratios lo hi f ->
  pattern (ratios lo hi) c (levels g n f y) (map (fun i => if Nat.eqb (g c) i then Noise else Blind) (seq 0 n)).
Proof. intros. unfold levels. induction (seq 0 n) as [|i l IH]; cbn; [constructor|]. now apply (pat_release _ c (in_group g i)). Qed.
Lemma seen_pattern : forall noisy c g s e ws, seen_in g s e ws ->
  pattern noisy c e (map (fun i => if Nat.eqb (g c) i then Sight else Blind) ws).
Proof. induction 1; cbn [map]; try constructor; auto. now apply (pat_look noisy c (in_group g i)). Qed.
Lemma seen_unannounced : forall g s e ws, seen_in g s e ws -> unannounced e.
Proof. induction 1; constructor; auto. Qed.

(* distinct.shards, and distinct.joint_privacy with one worker: each worker is seen once, in any order, and then all
   levels are released *)
(** claim: distinct.shards, distinct.joint_privacy *)
Corollary shards_and_levels : forall p0 p1 least lo hi c0 cell m u worker ws level n s f y e e' suf suf',
  keeps p0 p1 least lo hi c0 -> ratios lo hi f ->
  seen_in worker s e ws -> NoDup ws -> In (worker (cell u)) ws -> (level (cell u) < n)%nat ->
  neighbours u e e' -> unannounced e' -> neighbours u suf suf' -> moves suf -> moves suf' ->
  (inserts (e ++ suf) /\ inserts (e' ++ suf') \/ least = p0) ->
  observed cell m p0 p1 (e ++ suf ++ levels level n f y) <= c0 * observed cell m p0 p1 (e' ++ suf' ++ levels level n f y).
Proof.
  intros p0 p1 least lo hi c0 cell m u worker ws level n s f y e e' suf suf' K F S ND W V NB U' NS M M' I.
  assert (UL : unannounced (levels level n f y)) by (unfold levels; induction (seq 0 n); constructor; auto).
  assert (IL : inserts (levels level n f y)) by (unfold levels; induction (seq 0 n); constructor; auto).
  set (k1 := map (fun i => if Nat.eqb (worker (cell u)) i then Sight else Blind) ws).
  set (k2 := map (fun i => if Nat.eqb (level (cell u)) i then Noise else Blind) (seq 0 n)).
  apply (joint_private p0 p1 least lo hi c0 cell m u _ _ (k1 ++ [] ++ k2)); auto.
  - unfold neighbours, others in *. rewrite !filter_app. now rewrite NB, NS.
  - assert (unannounced e) by (eapply seen_unannounced; eauto). auto 6.
  - destruct I as [[I I']|I]; auto. left. apply inserts_app in I, I'. destruct I, I'.
    split; repeat (apply inserts_app; split); auto.
  - apply pattern_app; [eapply seen_pattern; eauto|apply pattern_app; [now apply moves_pattern|now apply levels_pattern]].
  - unfold sight_then_noise. cbn [app]. rewrite filter_app. unfold k1, k2. rewrite !group_kinds by auto using seq_NoDup.
    destruct (in_dec _ _ ws); [|contradiction]. destruct (in_dec _ _ (seq 0 n)) as [|X]; [reflexivity|].
    exfalso. apply X, in_seq. lia.
Qed.
