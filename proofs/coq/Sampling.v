(* Distinct sampling (Algorithm 3 of section 5) with the level that the data raise: unbiased over all randomness, and its state
   has no bounded loss. Claims: density.ppds_privacy, density.ppds_error. *)
From Coq Require Import Reals Psatz Lra List Bool Arith Lia FunctionalExtensionality.
From Pan Require Import Semantics Count.
Import ListNotations.
Open Scope R_scope.

Definition put (u : nat) (b : bool) (M : nat -> bool) : nat -> bool := fun v => if Nat.eqb v u then b else M v.
Definition meet (M N : nat -> bool) : nat -> bool := fun v => M v && N v.
Section Sampler.
(* users 0 .. U - 1; the sample is checked against m after the turn of a user outside of it. A raise of the level L keeps either
   half of the users who qualify, q, by one fair bit of the hash; [half] may be any, and Levels.v has that of the hash of the source. *)
Variables (U m : nat) (half : nat -> (nat -> bool) -> nat -> bool).
Definition number (M : nat -> bool) := length (filter M (seq 0 U)).
Section Payoff.
Variable g : nat -> (nat -> bool) -> R.
Fixpoint sample (o : list (nat * R)) (L : nat) (q M : nat -> bool) : R :=
  match o with
  | [] => g L M
  | (u, p) :: t =>
      let checked N := if M u then sample t L q N else
        if Nat.leb m (number N) then
          mix (1 / 2) (sample t (S L) (meet q (half L q)) (meet N (half L q)))
                      (sample t (S L) (meet q (fun v => negb (half L q v))) (meet N (fun v => negb (half L q v))))
        else sample t L q N in
      if M u || q u then mix p (checked (put u true M)) (checked (put u false M)) else checked M
  end.
End Payoff.
(* all users are offered to the sample with probability p0, then those of the stream with p1 *)
Definition program (p0 p1 : R) (e : list nat) := map (fun u => (u, p0)) (seq 0 U) ++ map (fun u => (u, p1)) e.
Definition sampled g p0 p1 e := sample g (program p0 p1 e) 0 (fun _ => true) (fun _ => false).

(* ---- unbiased ---- *)
Fixpoint last_draw (o : list (nat * R)) (v : nat) (b : R) : R :=
  match o with [] => b | (u, p) :: t => last_draw t v (if Nat.eqb v u then p else b) end.
Definition bit (b : bool) : R := if b then 1 else 0.
Definition value (o : list (nat * R)) (L : nat) (q M : nat -> bool) := 2 ^ L * sum (seq 0 U) (fun v => bit (q v) * last_draw o v (bit (M v))).
Lemma last_mix : forall o v p a b, last_draw o v (p * a + (1 - p) * b) = p * last_draw o v a + (1 - p) * last_draw o v b.
Proof. induction o as [|[u r] o IH]; intros; cbn; auto. destruct (Nat.eqb v u); [rewrite <- IH; f_equal; ring|apply IH]. Qed.
Lemma sum_lin : forall (l : list nat) a b f g, sum l (fun v => a * f v + b * g v) = a * sum l f + b * sum l g.
Proof. induction l as [|v l IH]; intros; cbn; [ring|]. rewrite IH. ring. Qed.
Lemma value_halves : forall o L q M h, (value o (S L) (meet q h) (meet M h) + value o (S L) (meet q (fun v => negb (h v))) (meet M (fun v => negb (h v)))) / 2 = value o L q M.
Proof.
  intros. unfold value. cbn [pow].
  match goal with |- (_ * _ * sum _ ?f + _ * _ * sum _ ?k) / 2 = _ => transitivity (2 ^ L * (1 * sum (seq 0 U) f + 1 * sum (seq 0 U) k)); [field|] end.
  rewrite <- sum_lin. f_equal. apply sum_ext.
  intros v. unfold meet. destruct (h v); cbn [negb]; rewrite !andb_true_r, !andb_false_r; cbn [bit]; ring.
Qed.
Lemma value_draw : forall o L q M u p, (M u = true -> q u = true) -> p * value o L q (put u true M) + (1 - p) * value o L q (put u false M) = value ((u, p) :: o) L q M.
Proof.
  intros. unfold value. cbn [last_draw].
  match goal with |- ?z = _ => replace z with (2 ^ L * (p * sum (seq 0 U) (fun v => bit (q v) * last_draw o v (bit (put u true M v))) + (1 - p) * sum (seq 0 U) (fun v => bit (q v) * last_draw o v (bit (put u false M v))))) by ring end.
  rewrite <- sum_lin. f_equal. apply sum_ext. intros v. unfold put. destruct (Nat.eqb v u); cbn [bit]; [|ring].
  replace (last_draw o v p) with (last_draw o v (p * 1 + (1 - p) * 0)) by (f_equal; ring). rewrite last_mix. ring.
Qed.
Lemma mean_kept : forall a c o L q M, (forall v, M v = true -> q v = true) -> sample (fun L M => a * (2 ^ L * INR (number M)) + c) o L q M = a * value o L q M + c.
Proof.
  intros a c. induction o as [|[u p] o IH]; intros L q M I; cbn [sample].
  - unfold value. assert (E : forall l, INR (length (filter M l)) = sum l (fun v => bit (q v) * last_draw [] v (bit (M v)))).
    { induction l as [|v l J]; cbn [filter sum]; auto. rewrite <- J. cbn [last_draw]. destruct (M v) eqn:F; cbn [length bit]; rewrite ?S_INR; [rewrite (I v F); cbn; ring|ring]. }
    unfold number. rewrite E. ring.
  - assert (K : forall N, (forall v, N v = true -> q v = true) -> (if M u then sample (fun L M => a * (2 ^ L * INR (number M)) + c) o L q N else
        if Nat.leb m (number N) then mix (1 / 2) (sample (fun L M => a * (2 ^ L * INR (number M)) + c) o (S L) (meet q (half L q)) (meet N (half L q)))
          (sample (fun L M => a * (2 ^ L * INR (number M)) + c) o (S L) (meet q (fun v => negb (half L q v))) (meet N (fun v => negb (half L q v))))
        else sample (fun L M => a * (2 ^ L * INR (number M)) + c) o L q N) = a * value o L q N + c).
    { intros N J. destruct (M u); [now apply IH|]. destruct (Nat.leb m (number N)); [|now apply IH].
      unfold mix; cbn [add sub mul one reals]. rewrite !IH.
      - rewrite <- (value_halves o L q N (half L q)). field.
      - intros v. unfold meet. rewrite !andb_true_iff. intros [A B]. auto.
      - intros v. unfold meet. rewrite !andb_true_iff. intros [A B]. auto. }
    destruct (M u || q u) eqn:E.
    + assert (Q : q u = true) by (destruct (M u) eqn:F; auto). unfold mix; cbn [add sub mul one reals]. rewrite !K.
      * rewrite <- (value_draw o L q M u p) by auto. ring.
      * intros v. unfold put. destruct (Nat.eqb_spec v u); [discriminate|auto].
      * intros v. unfold put. destruct (Nat.eqb_spec v u); [subst; auto|auto].
    + apply orb_false_iff in E as [E F]. rewrite K by auto. f_equal. f_equal. unfold value. f_equal. apply sum_ext. intros v. cbn [last_draw].
      destruct (Nat.eqb_spec v u); [subst; rewrite F; cbn; ring|auto].
Qed.
Lemma last_stream : forall e v p b, last_draw (map (fun u => (u, p)) e) v b = if appears e v then p else b.
Proof.
  assert (S : forall e v p, last_draw (map (fun u => (u, p)) e) v p = p) by (induction e; intros; cbn; auto; destruct (Nat.eqb v a); auto).
  induction e as [|u e IH]; intros; cbn; auto. destruct (Nat.eqb v u); cbn; [apply S|apply IH].
Qed.
Lemma last_app : forall o o' v b, last_draw (o ++ o') v b = last_draw o' v (last_draw o v b).
Proof. induction o as [|[u p] o IH]; intros; cbn; auto. Qed.
(** claim: density.ppds_error *)
Theorem sampling_unbiased : forall p0 p1 e, p0 <> p1 -> (0 < U)%nat ->
  sampled (fun L M => (2 ^ L * INR (number M) / INR U - p0) / (p1 - p0)) p0 p1 e = INR (distinct U e) / INR U.
Proof.
  intros p0 p1 e D P. assert (PU : 0 < INR U) by (apply lt_0_INR; auto).
  replace (fun L M => _) with (fun L M => / (INR U * (p1 - p0)) * (2 ^ L * INR (number M)) + - p0 / (p1 - p0))
    by (extensionality L; extensionality M; field; lra).
  unfold sampled. rewrite mean_kept by discriminate. unfold value, program. cbn [pow bit].
  assert (E : sum (seq 0 U) (fun v => 1 * last_draw (map (fun u => (u, p0)) (seq 0 U) ++ map (fun u => (u, p1)) e) v 0) = INR U * p0 + (p1 - p0) * INR (distinct U e)).
  { assert (F : forall l, (forall v, In v l -> In v (seq 0 U)) -> sum l (fun v => 1 * last_draw (map (fun u => (u, p0)) (seq 0 U) ++ map (fun u => (u, p1)) e) v 0) =
      INR (length l) * p0 + (p1 - p0) * INR (length (filter (appears e) l))).
    { induction l as [|v l IH]; intros H; cbn [sum filter length]; [cbn; ring|]. rewrite IH by (intros; apply H; now right). rewrite last_app, !last_stream, S_INR.
      assert (A : appears (seq 0 U) v = true) by (apply existsb_exists; exists v; split; [apply H; now left|apply Nat.eqb_refl]). rewrite A.
      destruct (appears e v); cbn [length]; rewrite ?S_INR; ring. }
    rewrite (F (seq 0 U)) by auto. rewrite seq_length. reflexivity. }
  rewrite E. field. lra.
Qed.

(* ---- no bound: the event that the level is 0 and the members are the users below m - 1 ---- *)
Definition few (c : nat) : nat -> bool := fun v => Nat.ltb v c.
Definition seen (L : nat) (M : nat -> bool) : R := if Nat.eqb L 0 && forallb (fun v => eqb (M v) (few (m - 1) v)) (seq 0 U) then 1 else 0.
Lemma raised : forall o L q M, sample seen o (S L) q M = 0.
Proof.
  induction o as [|[u p] o IH]; intros L q M; cbn [sample]; [reflexivity|].
  unfold mix; cbn [add sub mul one reals]. destruct (M u), (q u), (Nat.leb m (number M)), (Nat.leb m (number (put u true M))), (Nat.leb m (number (put u false M))); cbn [orb]; rewrite ?IH; ring.
Qed.
Lemma lost : forall v o q M, (v < U)%nat -> M v <> few (m - 1) v -> (forall p, ~ In (v, p) o) -> sample seen o 0 q M = 0.
Proof.
  intros v. induction o as [|[u p] o IH]; intros q M V W N; cbn [sample].
  - unfold seen. destruct (_ && _) eqn:E; auto. exfalso. apply andb_true_iff in E as [_ E]. rewrite forallb_forall in E.
    apply W, eqb_prop, E, in_seq. lia.
  - assert (uv : v <> u) by (intros ->; apply (N p); now left). assert (N' : forall p, ~ In (v, p) o) by (intros r I; apply (N r); now right).
    assert (Z : forall M', M' v <> few (m - 1) v -> sample seen o 0 q M' = 0) by (intros; now apply IH).
    assert (Pt : forall b, put u b M v <> few (m - 1) v) by (intros b; unfold put; apply Nat.eqb_neq in uv; now rewrite uv).
    unfold mix; cbn [add sub mul one reals].
    destruct (M u), (q u), (Nat.leb m (number M)), (Nat.leb m (number (put u true M))), (Nat.leb m (number (put u false M))); cbn [orb]; rewrite ?raised, ?Z by auto; ring.
Qed.
Lemma number_few : forall c, (c <= U)%nat -> number (few c) = c.
Proof.
  intros c H. unfold number. replace U with (c + (U - c))%nat by lia. rewrite seq_app, filter_app, app_length.
  assert (A : forall n s, (s + n <= c)%nat -> length (filter (few c) (seq s n)) = n).
  { induction n; intros s L; cbn [seq filter]; auto. unfold few at 1. rewrite (proj2 (Nat.ltb_lt s c)) by lia. cbn [length]. rewrite IHn; lia. }
  assert (B : forall n s, (c <= s)%nat -> length (filter (few c) (seq s n)) = O).
  { induction n; intros s L; cbn [seq filter]; auto. unfold few at 1. rewrite (proj2 (Nat.ltb_ge s c)) by lia. apply IHn. lia. }
  rewrite A, B by lia. lia.
Qed.
Lemma number_put : forall u M, (u < U)%nat -> M u = false -> number (put u true M) = S (number M).
Proof.
  intros u M H F. unfold number.
  assert (A : forall n s, (s <= u)%nat -> (u < s + n)%nat -> length (filter (put u true M) (seq s n)) = S (length (filter M (seq s n)))).
  { assert (B : forall n s, (u < s)%nat -> filter (put u true M) (seq s n) = filter M (seq s n)).
    { intros n s L. apply filter_ext_in. intros v I. apply in_seq in I. unfold put. destruct (Nat.eqb_spec v u); [lia|auto]. }
    induction n; intros s L1 L2; [lia|]. cbn [seq filter]. destruct (Nat.eq_dec s u) as [->|D].
    - rewrite F, B by lia. unfold put at 1. now rewrite Nat.eqb_refl.
    - unfold put at 1. apply Nat.eqb_neq in D as D'. rewrite D'. destruct (M s); cbn [length]; rewrite IHn by lia; auto. }
  apply A; lia.
Qed.
Lemma put_same : forall u M, put u (M u) M = M.
Proof. intros. extensionality v. unfold put. destruct (Nat.eqb_spec v u); subst; auto. Qed.
Hypothesis Hm : (1 <= m <= U)%nat.
Lemma alone : forall u o q, (m - 1 <= u < U)%nat -> q u = true -> forall p, sample seen ((u, p) :: o) 0 q (few (m - 1)) = (1 - p) * sample seen o 0 q (few (m - 1)).
Proof.
  intros u o q H Q p. cbn [sample]. assert (F : few (m - 1) u = false) by (apply Nat.ltb_ge; lia).
  rewrite F, Q. cbn [orb]. rewrite number_put, number_few by (auto; lia). rewrite (proj2 (Nat.leb_le m _)) by lia.
  assert (S := put_same u (few (m - 1))). rewrite F in S. rewrite S.
  rewrite number_few by lia. rewrite (proj2 (Nat.leb_gt m _)) by lia.
  unfold mix; cbn [add sub mul one reals]. rewrite !raised. ring.
Qed.
Let all : nat -> bool := fun _ => true.
Lemma put_few : forall j, (j < m - 1)%nat -> put j true (few j) = few (S j).
Proof. intros j J. extensionality v. unfold put, few. destruct (Nat.eqb_spec v j), (Nat.ltb_spec v j), (Nat.ltb_spec v (S j)); auto; lia. Qed.
(* the first offers: just the users below m - 1 are taken *)
Lemma offers : forall p0 o n j, (forall u p, In (u, p) o -> (m - 1 <= u)%nat) -> (j + n = m - 1)%nat ->
  sample seen (map (fun u => (u, p0)) (seq j n) ++ o) 0 all (few j) = p0 ^ n * sample seen o 0 all (few (m - 1)).
Proof.
  intros p0 o. induction n; intros j O E; cbn [seq map app pow].
  - replace j with (m - 1)%nat by lia. ring.
  - cbn [sample]. assert (F : few j j = false) by (apply Nat.ltb_irrefl). rewrite F. cbn [orb all].
    rewrite put_few, number_few by lia. rewrite (proj2 (Nat.leb_gt m _)) by lia.
    assert (S := put_same j (few j)). rewrite F in S. rewrite S, number_few by lia. rewrite (proj2 (Nat.leb_gt m _)) by lia.
    unfold mix; cbn [add sub mul one reals]. rewrite IHn by (auto; lia). rewrite (lost j _ all (few j)); [ring|lia| |].
    + rewrite F. unfold few. rewrite (proj2 (Nat.ltb_lt _ _)) by lia. discriminate.
    + intros p I. apply in_app_or in I as [I|I]; [|apply O in I; lia]. apply in_map_iff in I as [u [I1 I2]]. apply in_seq in I2. injection I1 as I1 _. lia.
Qed.
Lemma left_alone : forall p0 o n j, (m - 1 <= j)%nat -> (j + n = U)%nat ->
  sample seen (map (fun u => (u, p0)) (seq j n) ++ o) 0 all (few (m - 1)) = (1 - p0) ^ n * sample seen o 0 all (few (m - 1)).
Proof. intros p0 o. induction n; intros j J E; cbn [seq map app pow]; [ring|]. rewrite alone, IHn by (auto; lia). ring. Qed.
Lemma stays : forall p1 k, sample seen (map (fun u => (u, p1)) (repeat (m - 1)%nat k)) 0 all (few (m - 1)) = (1 - p1) ^ k.
Proof.
  intros p1. induction k; cbn [repeat map pow].
  - cbn [sample]. unfold seen. assert (E : forallb (fun v => eqb (few (m - 1) v) (few (m - 1) v)) (seq 0 U) = true) by (apply forallb_forall; intros; apply eqb_reflx).
    now rewrite E.
  - rewrite alone, IHk by (auto; lia). reflexivity.
Qed.
Theorem seen_probability : forall p0 p1 k, sampled seen p0 p1 (repeat (m - 1)%nat k) = p0 ^ (m - 1) * (1 - p0) ^ (U - (m - 1)) * (1 - p1) ^ k.
Proof.
  intros. unfold sampled, program. replace (seq 0 U) with (seq 0 (m - 1) ++ seq (m - 1) (U - (m - 1))) by (rewrite <- seq_app; f_equal; lia).
  rewrite map_app, <- app_assoc. change (fun _ : nat => true) with all. replace (fun _ : nat => false) with (few 0) by (extensionality v; reflexivity).
  rewrite offers; [rewrite left_alone, stays by lia; ring| |lia].
  intros u p I. apply in_app_or in I as [I|I]; apply in_map_iff in I as [v [I1 I2]]; injection I1 as I1 _; subst v; [apply in_seq in I2; lia|apply repeat_spec in I2; lia].
Qed.
(* One user who may appear k times or not at all, an event of the state alone, whatever the hash: no factor bounds their ratio. *)
(** refutation: density.ppds_privacy *)
Theorem sampling_unbounded : forall p0 p1 c0, 0 < p0 < 1 -> 0 < p1 < 1 -> exists k,
  let u := (m - 1)%nat in 0 < sampled seen p0 p1 (repeat u k) /\ c0 * sampled seen p0 p1 (repeat u k) < sampled seen p0 p1 [].
Proof.
  intros p0 p1 c0 P0 P1. destruct (pow_lt_1_zero (1 - p1) ltac:(rewrite Rabs_pos_eq; lra) (/ (Rabs c0 + 1))) as [k K].
  { apply Rinv_0_lt_compat. assert (H := Rabs_pos c0). lra. }
  exists k. cbv zeta. change (sampled seen p0 p1 []) with (sampled seen p0 p1 (repeat (m - 1)%nat 0)). rewrite !seen_probability. cbn [pow].
  assert (A : 0 < p0 ^ (m - 1) * (1 - p0) ^ (U - (m - 1))) by (apply Rmult_lt_0_compat; apply pow_lt; lra).
  set (a := p0 ^ (m - 1) * _) in *. assert (Q : 0 < (1 - p1) ^ k) by (apply pow_lt; lra). split; [now apply Rmult_lt_0_compat|].
  specialize (K k ltac:(lia)). rewrite Rabs_pos_eq in K by lra. assert (H := Rle_abs c0). assert (H' := Rabs_pos c0).
  assert (c0 * (1 - p1) ^ k < 1); [|nra]. apply Rmult_lt_compat_l with (r := Rabs c0 + 1) in K; [|lra]. rewrite Rinv_r in K by lra. nra.
Qed.
End Sampler.
(* two users, m = 2, exp eps = 3/2: one appearance has 12/125 in place of 6/25, and 6/25 > 9/4 * 12/125 *)
(** instance: sampling_unbounded *)
Example two_users : forall half, sampled 2 2 half (seen 2 2) (2 / 5) (3 / 5) [] = 6 / 25 /\ sampled 2 2 half (seen 2 2) (2 / 5) (3 / 5) [1%nat] = 12 / 125.
Proof.
  intros half. assert (A := seen_probability 2 2 half ltac:(lia) (2 / 5) (3 / 5)). split; [eapply eq_trans; [exact (A O)|]|eapply eq_trans; [exact (A 1%nat)|]]; cbn; field.
Qed.
(* one user, m = 1, who is taken and sent away by the half: without the power of two the estimate is biased *)
(** mutant: sampling_unbiased *)
Example the_level_counts : ~ (forall U m half p0 p1 e, p0 <> p1 -> (0 < U)%nat ->
  sampled U m half (fun _ M => (INR (number U M) / INR U - p0) / (p1 - p0)) p0 p1 e = INR (distinct U e) / INR U).
Proof.
  intros H. specialize (H 1%nat 1%nat (fun _ _ _ => true) (1 / 4) (3 / 4) [] ltac:(lra) ltac:(lia)).
  unfold sampled, program, mix in H. cbn in H. unfold number in H. cbn in H. lra.
Qed.
(* if the level never rises, as for m > U, the ratio is bounded *)
(** mutant: sampling_unbounded *)
Example level_must_rise : ~ (forall c0, exists k, 0 < sampled 1 2 (fun _ _ _ => true) (fun _ M => if M 0%nat then 0 else 1) (1 / 4) (3 / 4) (repeat 0%nat k) /\
  c0 * sampled 1 2 (fun _ _ _ => true) (fun _ M => if M 0%nat then 0 else 1) (1 / 4) (3 / 4) (repeat 0%nat k) <
  sampled 1 2 (fun _ _ _ => true) (fun _ M => if M 0%nat then 0 else 1) (1 / 4) (3 / 4) []).
Proof.
  set (g := fun (_ : nat) (M : nat -> bool) => if M 0%nat then 0 else 1). set (h := fun (_ : nat) (_ : nat -> bool) (_ : nat) => true).
  intros H. destruct (H 3) as [k [_ K]].
  assert (N : forall M, Nat.leb 2 (number 1 M) = false) by (intros M; unfold number; cbn; destruct (M 0%nat); reflexivity).
  assert (E : forall e M, sample 1 2 h g (map (fun u => (u, 3 / 4)) (repeat 0%nat e)) 0 (fun _ => true) M = match e with O => g 0%nat M | _ => 1 / 4 end).
  { induction e; intros M; auto. cbn [repeat map sample]. rewrite orb_true_r, !N, !IHe. unfold mix, g, put. destruct e; destruct (M 0%nat); cbn; lra. }
  revert K. unfold sampled, program. cbn [seq map app sample]. rewrite !N, !E. cbn [orb]. unfold mix, g, put. destruct k; cbn; lra.
Qed.
