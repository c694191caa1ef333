(* From the hash to the halves of Sampling.v: distinct sampling with the linear hash, over a uniform offset, is the sampler that
   keeps either half of the qualifying users by a fair bit. Claims: density.ppds_error, density.ppds_privacy. *)
From Coq Require Import Reals Psatz Lra List Bool Arith ZArith Znumtheory Lia FunctionalExtensionality.
From Pan Require Import Semantics Count Hash Sampling.
Import ListNotations.
Open Scope R_scope.

Section Hashed.
(* users 0 .. U - 1, at most 2^Q; a multiplier a; a sample of at least two *)
Variables (Q U m : nat) (a : Z).
Hypothesis odd : Z.Odd a.
Hypothesis fits : (U <= 2 ^ Q)%nat.
Hypothesis large : (2 <= m)%nat.
Definition pow2 (l : nat) : Z := (2 ^ Z.of_nat l)%Z.
Definition qual (b : Z) (l u : nat) : bool := Z.eqb (hash (Z.of_nat Q) a b (Z.of_nat u) mod pow2 l) 0.
Section Payoff.
Variable g : nat -> (nat -> bool) -> R.
(* with the offset b: a raise of the level L sends away who does not qualify for L + 1 *)
Fixpoint hashed (b : Z) (o : list (nat * R)) (L : nat) (M : nat -> bool) : R :=
  match o with
  | [] => g L M
  | (u, p) :: t =>
      let checked N := if M u then hashed b t L N else if Nat.leb m (number U N) then hashed b t (S L) (meet N (qual b (S L))) else hashed b t L N in
      if M u || qual b L u then mix p (checked (put u true M)) (checked (put u false M)) else checked M
  end.
End Payoff.
(* The offset b gives u the level L or more if and only if it ends in the L bits [ending]. *)
Definition ending (l u : nat) : Z := ((- (a * Z.of_nat u)) mod pow2 l)%Z.
Lemma pow2_pos : forall l, (0 < pow2 l)%Z. Proof. intros. apply Z.pow_pos_nonneg; lia. Qed.
Lemma pow2_S : forall l, pow2 (S l) = (2 * pow2 l)%Z. Proof. intros. unfold pow2. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. reflexivity. Qed.
Lemma qual_ending : forall b l u, (l <= Q)%nat -> qual b l u = Z.eqb (b mod pow2 l) (ending l u).
Proof.
  intros b l u L. unfold qual, ending. assert (H := offsets (Z.of_nat Q) a (Z.of_nat l) (Z.of_nat u) b ltac:(lia)). unfold qualifies in H. fold (pow2 l) in H.
  apply eq_true_iff_eq. rewrite !Z.eqb_eq. exact H.
Qed.
Lemma qual_same : forall b r l, (l <= Q)%nat -> (b mod pow2 l = r mod pow2 l)%Z -> qual b l = qual r l.
Proof. intros b r l L E. extensionality u. rewrite !qual_ending by auto. now rewrite E. Qed.
Lemma ending_down : forall l u, (ending (S l) u mod pow2 l = ending l u)%Z.
Proof. intros. unfold ending. rewrite <- Zmod_div_mod; auto using pow2_pos. exists 2%Z. rewrite pow2_S. ring. Qed.
Lemma ending_range : forall l u, (0 <= ending l u < pow2 l)%Z. Proof. intros. apply Z.mod_pos_bound, pow2_pos. Qed.
(* the half of the first user who qualifies *)
Definition half (L : nat) (q : nat -> bool) (v : nat) : bool := match find q (seq 0 U) with Some u => Z.eqb (ending (S L) v) (ending (S L) u) | None => true end.

(* ---- the mean over the offsets that end in r ---- *)
Fixpoint avg (n L : nat) (r : Z) (F : Z -> R) : R := match n with O => F r | S k => mix (1 / 2) (avg k (S L) r F) (avg k (S L) (r + pow2 L)%Z F) end.
Lemma avg_ext : forall n L r F G, (forall b, (b mod pow2 L = r mod pow2 L)%Z -> F b = G b) -> avg n L r F = avg n L r G.
Proof.
  induction n; intros L r F G H; cbn [avg]; [now apply H|]. assert (D : forall b s, (b mod pow2 (S L) = s mod pow2 (S L))%Z -> (b mod pow2 L = s mod pow2 L)%Z).
  { intros b s E. rewrite (Zmod_div_mod (pow2 L) (pow2 (S L)) b), (Zmod_div_mod (pow2 L) (pow2 (S L)) s) by (auto using pow2_pos; exists 2%Z; rewrite pow2_S; ring). now rewrite E. }
  f_equal; apply IHn; intros b E; apply H; apply D in E; rewrite E; auto.
  rewrite <- (Z.mul_1_l (pow2 L)) at 1. apply Z_mod_plus. assert (P := pow2_pos L). lia.
Qed.
Lemma avg_mix : forall n L r p F G, avg n L r (fun b => mix p (F b) (G b)) = mix p (avg n L r F) (avg n L r G).
Proof. induction n; intros; cbn [avg]; auto. rewrite !IHn. unfold mix; cbn [add sub mul one reals]. ring. Qed.
Lemma sum_double : forall f n, sum (seq 0 (2 * n)) f = sum (seq 0 n) (fun i => f (2 * i)%nat) + sum (seq 0 n) (fun i => f (2 * i + 1)%nat).
Proof.
  intros f n. assert (app : forall l k (h : nat -> R), sum (l ++ k) h = sum l h + sum k h) by (induction l; intros; cbn; rewrite ?IHl; ring).
  induction n; [cbn; ring|]. replace (2 * S n)%nat with (S (S (2 * n))) by lia. rewrite !seq_S, !app, IHn. cbn [sum Nat.add]. replace (2 * n + 1)%nat with (S (2 * n)) by lia. ring.
Qed.
Lemma avg_sum : forall n L r F, avg n L r F = sum (seq 0 (2 ^ n)) (fun i => F (r + Z.of_nat i * pow2 L)%Z) / 2 ^ n.
Proof.
  induction n; intros L r F; cbn [avg].
  - cbn. rewrite Z.add_0_r. field.
  - rewrite !IHn, Nat.pow_succ_r', sum_double. unfold mix; cbn [add sub mul one reals pow].
    assert (E1 : sum (seq 0 (2 ^ n)) (fun i => F (r + Z.of_nat i * pow2 (S L))%Z) = sum (seq 0 (2 ^ n)) (fun i => F (r + Z.of_nat (2 * i) * pow2 L)%Z)) by (apply sum_ext; intros; f_equal; rewrite pow2_S; lia).
    assert (E2 : sum (seq 0 (2 ^ n)) (fun i => F (r + pow2 L + Z.of_nat i * pow2 (S L))%Z) = sum (seq 0 (2 ^ n)) (fun i => F (r + Z.of_nat (2 * i + 1) * pow2 L)%Z)) by (apply sum_ext; intros; f_equal; rewrite pow2_S; lia).
    rewrite E1, E2. field. apply pow_nonzero. lra.
Qed.

(* ---- a raise splits who qualifies ---- *)
Definition within (N q : nat -> bool) := forall u, N u = true -> (u < U)%nat /\ q u = true.
Lemma members : forall N, (2 <= number U N)%nat -> exists u v, (u < U)%nat /\ (v < U)%nat /\ u <> v /\ N u = true /\ N v = true.
Proof.
  intros N H. unfold number in H. assert (D : NoDup (filter N (seq 0 U))) by (apply NoDup_filter, seq_NoDup).
  destruct (filter N (seq 0 U)) as [|u [|v l]] eqn:E; cbn in H; try lia. exists u, v. inversion D; subst.
  assert (Iu : In u (filter N (seq 0 U))) by (rewrite E; now left). assert (Iv : In v (filter N (seq 0 U))) by (rewrite E; right; now left).
  apply filter_In in Iu as [Iu Nu]. apply filter_In in Iv as [Iv Nv]. apply in_seq in Iu, Iv. repeat split; auto; try lia. intros ->. apply H2. now left.
Qed.
Lemma below_the_top : forall L r N, (L <= Q)%nat -> within N (qual r L) -> (m <= number U N)%nat -> (L < Q)%nat.
Proof.
  intros L r N HL W H. destruct (Nat.eq_dec L Q) as [->|]; [|lia]. exfalso. destruct (members N ltac:(lia)) as [u [v [Hu [Hv [D [Nu Nv]]]]]].
  apply W in Nu as [_ Qu]. apply W in Nv as [_ Qv]. unfold qual in Qu, Qv. apply Z.eqb_eq in Qu, Qv. assert (P := pow2_pos Q).
  assert (F : forall w, (hash (Z.of_nat Q) a r (Z.of_nat w) mod pow2 Q = hash (Z.of_nat Q) a r (Z.of_nat w))%Z) by (intros; unfold hash; apply Z.mod_mod; unfold pow2 in P; lia).
  rewrite F in Qu, Qv. apply D, Nat2Z.inj. assert (B : (Z.of_nat (2 ^ Q) = 2 ^ Z.of_nat Q)%Z) by (rewrite Nat2Z.inj_pow; reflexivity).
  apply (injective (Z.of_nat Q) a r); auto; try lia; congruence.
Qed.
Lemma split : forall L r q, (L < Q)%nat -> (0 <= r < pow2 L)%Z -> q = qual r L -> (exists u, (u < U)%nat /\ q u = true) ->
  let other v := negb (half L q v) in
  (qual r (S L) = meet q (half L q) /\ qual (r + pow2 L) (S L) = meet q other) \/ (qual r (S L) = meet q other /\ qual (r + pow2 L) (S L) = meet q (half L q)).
Proof.
  intros L r q HL R0 -> [u [Hu Qu]] other. unfold other, half. assert (P := pow2_pos L). assert (P2 := pow2_S L).
  destruct (find (qual r L) (seq 0 U)) as [w|] eqn:F.
  - apply find_some in F as [_ Qw]. rewrite qual_ending in Qw by lia. apply Z.eqb_eq in Qw. rewrite Z.mod_small in Qw by lia.
    assert (two : forall v, qual r L v = true -> ending (S L) v = r \/ ending (S L) v = (r + pow2 L)%Z).
    { intros v Qv. rewrite qual_ending in Qv by lia. apply Z.eqb_eq in Qv. rewrite Z.mod_small in Qv by lia. assert (D := ending_down L v). assert (B := ending_range (S L) v).
      rewrite <- Qv in D. assert (X := Z.div_mod (ending (S L) v) (pow2 L) ltac:(lia)). rewrite D in X. assert (0 <= ending (S L) v / pow2 L < 2)%Z by (split; [apply Z.div_pos; lia|apply Z.div_lt_upper_bound; lia]). assert (K : (ending (S L) v / pow2 L = 0 \/ ending (S L) v / pow2 L = 1)%Z) by lia. destruct K as [K|K]; rewrite K in X; lia. }
    assert (up : forall s v, (s = r \/ s = r + pow2 L)%Z -> qual s (S L) v = qual r L v && Z.eqb (ending (S L) v) s).
    { intros s v S0. rewrite qual_ending by lia. rewrite Z.mod_small by lia. destruct (Z.eqb_spec (ending (S L) v) s) as [E|E].
      - rewrite qual_ending by lia. rewrite Z.mod_small by lia. rewrite <- (ending_down L v), E. rewrite Z.eqb_refl, andb_true_r. symmetry. apply Z.eqb_eq.
        destruct S0 as [-> | ->]; [now rewrite Z.mod_small by lia|]. replace (r + pow2 L)%Z with (r + 1 * pow2 L)%Z by ring. rewrite Z_mod_plus by lia. now rewrite Z.mod_small by lia.
      - rewrite andb_false_r. apply Z.eqb_neq. congruence. }
    assert (Qw' : qual r L w = true) by (rewrite qual_ending by lia; apply Z.eqb_eq; rewrite Z.mod_small; lia).
    destruct (two w Qw') as [E|E]; [left|right]; split; extensionality v; rewrite up by tauto; unfold meet; rewrite E; destruct (qual r L v) eqn:V; auto; cbn [andb]; destruct (two v V) as [X|X]; rewrite X;
      repeat match goal with |- context [Z.eqb ?x ?y] => destruct (Z.eqb_spec x y); try lia end; reflexivity.
  - exfalso. assert (N := find_none _ _ F u ltac:(apply in_seq; lia)). congruence.
Qed.
Lemma avg_const : forall n L r x, avg n L r (fun _ => x) = x.
Proof. induction n; intros; cbn [avg]; auto. rewrite !IHn. unfold mix; cbn [add sub mul one reals]. field. Qed.
Lemma chain : forall g o n L r M, (L + n = Q)%nat -> (0 <= r < pow2 L)%Z -> Forall (fun x => (fst x < U)%nat) o -> within M (qual r L) ->
  avg n L r (fun b => hashed g b o L M) = sample U m half g o L (qual r L) M.
Proof.
  intros g. induction o as [|[u p] o IH]; intros n L r M HQ R0 FU W; cbn [hashed sample]; [apply avg_const|].
  inversion FU as [|? ? Hu FU']; subst; cbn [fst] in Hu. set (q := qual r L) in *. assert (Pw := pow2_pos L). assert (P2 := pow2_S L).
  assert (K : forall N, within N q -> avg n L r (fun b => if M u then hashed g b o L N else if Nat.leb m (number U N) then hashed g b o (S L) (meet N (qual b (S L))) else hashed g b o L N) =
    (if M u then sample U m half g o L q N else if Nat.leb m (number U N) then
      mix (1 / 2) (sample U m half g o (S L) (meet q (half L q)) (meet N (half L q))) (sample U m half g o (S L) (meet q (fun v => negb (half L q v))) (meet N (fun v => negb (half L q v))))
      else sample U m half g o L q N)).
  { intros N WN. destruct (M u); [now apply IH|]. destruct (Nat.leb m (number U N)) eqn:E; [|now apply IH].
    apply Nat.leb_le in E. assert (LQ := below_the_top L r N ltac:(lia) WN E). destruct n as [|k]; [lia|]. cbn [avg].
    assert (A : forall s, (s = r \/ s = r + pow2 L)%Z -> avg k (S L) s (fun b => hashed g b o (S L) (meet N (qual b (S L)))) = sample U m half g o (S L) (qual s (S L)) (meet N (qual s (S L)))).
    { intros s S0. transitivity (avg k (S L) s (fun b => hashed g b o (S L) (meet N (qual s (S L))))).
      - apply avg_ext. intros b B. now rewrite (qual_same b s (S L)) by (auto; lia).
      - apply IH; auto; try lia. intros v. unfold meet. rewrite andb_true_iff. intros [Nv Qv]. split; auto. now apply WN. }
    rewrite !A by auto. destruct (members N ltac:(lia)) as [v [_ [Hv [_ [_ [Nv _]]]]]].
    assert (inside : forall h, meet N (meet q h) = meet N h).
    { intros h. extensionality w. unfold meet. destruct (N w) eqn:Nw; auto. apply WN in Nw as [_ ->]. reflexivity. }
    destruct (split L r q LQ R0 eq_refl (ex_intro _ v (conj Hv (proj2 (WN v Nv))))) as [[-> ->]|[-> ->]]; rewrite !inside; auto.
    unfold mix; cbn [add sub mul one reals]. lra. }
  transitivity (avg n L r (fun b => if M u || q u then
    mix p (if M u then hashed g b o L (put u true M) else if Nat.leb m (number U (put u true M)) then hashed g b o (S L) (meet (put u true M) (qual b (S L))) else hashed g b o L (put u true M))
          (if M u then hashed g b o L (put u false M) else if Nat.leb m (number U (put u false M)) then hashed g b o (S L) (meet (put u false M) (qual b (S L))) else hashed g b o L (put u false M))
    else if M u then hashed g b o L M else if Nat.leb m (number U M) then hashed g b o (S L) (meet M (qual b (S L))) else hashed g b o L M)).
  - apply avg_ext. intros b B. rewrite (qual_same b r L) by (auto; lia). reflexivity.
  - destruct (M u || q u) eqn:E; [|now apply K].
    assert (Qu : q u = true) by (destruct (M u) eqn:F; [now apply W|exact E]).
    rewrite avg_mix, !K; auto; intros v; unfold put; destruct (Nat.eqb_spec v u); try (intros; now apply W); subst; auto.
Qed.
(* The mean over all offsets of the hash is the sampler with halves, for every multiplier and every stream. *)
(** claim: density.ppds_error *)
Theorem hash_to_halves : forall g p0 p1 e, Forall (fun u => (u < U)%nat) e ->
  sum (seq 0 (2 ^ Q)) (fun b => hashed g (Z.of_nat b) (program U p0 p1 e) 0 (fun _ => false)) / 2 ^ Q = sampled U m half g p0 p1 e.
Proof.
  intros g p0 p1 e He. unfold sampled. assert (A : qual 0 0 = fun _ => true) by (extensionality u; unfold qual; apply Z.eqb_eq, Z.mod_1_r). rewrite <- A, <- (chain g _ Q 0%nat 0%Z); auto.
  - rewrite avg_sum. f_equal. apply sum_ext. intros b. f_equal. unfold pow2. cbn. lia.
  - unfold pow2. cbn. lia.
  - unfold program. apply Forall_app. split; apply Forall_forall; intros x I; apply in_map_iff in I as [u [<- I]]; cbn.
    + apply in_seq in I. lia. + rewrite Forall_forall in He. auto.
  - intros u. discriminate.
Qed.
(* so the estimate is unbiased over the offset and all draws *)
(** claim: density.ppds_error *)
Theorem hashed_unbiased : forall p0 p1 e, p0 <> p1 -> (0 < U)%nat -> Forall (fun u => (u < U)%nat) e ->
  sum (seq 0 (2 ^ Q)) (fun b => hashed (fun L M => (2 ^ L * INR (number U M) / INR U - p0) / (p1 - p0)) (Z.of_nat b) (program U p0 p1 e) 0 (fun _ => false)) / 2 ^ Q =
  INR (distinct U e) / INR U.
Proof. intros. rewrite hash_to_halves by auto. now apply sampling_unbiased. Qed.
(* and its state has no bounded loss *)
(** refutation: density.ppds_privacy *)
Theorem hashed_unbounded : forall p0 p1 c0, (m <= U)%nat -> 0 < p0 < 1 -> 0 < p1 < 1 -> exists k, let u := (m - 1)%nat in
  let prob e := sum (seq 0 (2 ^ Q)) (fun b => hashed (seen U m) (Z.of_nat b) (program U p0 p1 e) 0 (fun _ => false)) / 2 ^ Q in
  0 < prob (repeat u k) /\ c0 * prob (repeat u k) < prob [].
Proof.
  intros p0 p1 c0 HU P0 P1. destruct (sampling_unbounded U m half ltac:(lia) p0 p1 c0 P0 P1) as [k H]. exists k. cbv beta zeta in *.
  rewrite !hash_to_halves by (auto; apply Forall_forall; intros x I; apply repeat_spec in I; lia). exact H.
Qed.
End Hashed.

(* ---- controls ---- *)
(* four users, the multiplier 3: of the offsets 0 to 3 each keeps two users at the level 1, the halves being 0, 2 and 1, 3 *)
(** instance: hash_to_halves, hashed_unbiased, hashed_unbounded *)
Example two_halves : map (fun b => map (qual 2 3 b 1) [0; 1; 2; 3]%nat) [0; 1; 2; 3]%Z = [[true; false; true; false]; [false; true; false; true]; [true; false; true; false]; [false; true; false; true]] /\
  map (half 4 3 0 (fun _ => true)) [0; 1; 2; 3]%nat = [true; false; true; false].
Proof. vm_compute. auto. Qed.
(* a fixed offset is no fair bit: with the offset 0 the level 1 of two users keeps the user 0 always *)
(** mutant: hash_to_halves *)
Example one_offset : ~ (forall g p0 p1 e, Forall (fun u => (u < 2)%nat) e -> hashed 1 2 2 1 g 0 (program 2 p0 p1 e) 0 (fun _ => false) = sampled 2 2 (half 2 1) g p0 p1 e).
Proof.
  intros H. specialize (H (fun L M => if M 0%nat then 1 else 0) 1 1 [] ltac:(constructor)). unfold sampled, program, mix, number in H. vm_compute in H. lra.
Qed.
