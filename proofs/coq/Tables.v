(* Tables of n records, of which one is replaced: PrivBayes with exponential weights, in rounds, and its noisy frequencies; the
   sensitivity of frequencies and of the score R. Claims: bayesnet.privbayes_privacy, bayesnet.score_sensitivities. *)
From Coq Require Import Reals Psatz Lra List Bool Lia Arith.
From Pan Require Import Refuted Laplace.
Import ListNotations.
Open Scope R_scope.

(* ---- the structure: in each round a candidate, whose scores may depend on the choices before ---- *)
Fixpoint structure (rate : R) (score : list nat -> list R) (before choices : list nat) : R :=
  match choices with [] => 1 | i :: t => chosen (exponential rate (score before)) i * structure rate score (before ++ [i]) t end.
Lemma chosen_pos : forall rate scores i, 0 <= chosen (exponential rate scores) i.
Proof.
  intros. unfold chosen. destruct scores as [|q scores]; [destruct i; cbn; unfold Rdiv; rewrite Rmult_0_l; lra|].
  assert (F : Forall (fun x => 0 < x) (exponential rate (q :: scores))) by (unfold exponential; apply Forall_forall; intros x I; apply in_map_iff in I as [y [<- _]]; apply exp_pos).
  assert (P := sum_pos (exponential rate (q :: scores)) ltac:(discriminate) F). apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat].
  destruct (nth_in_or_default i (exponential rate (q :: scores)) 0) as [X| ->]; [|lra]. left. rewrite Forall_forall in F. auto.
Qed.
Lemma structure_pos : forall rate score choices before, 0 <= structure rate score before choices.
Proof. induction choices as [|i t IH]; intros before; cbn; [lra|]. apply Rmult_le_pos; auto using chosen_pos. Qed.
(** claim: bayesnet.privbayes_privacy, thesis.exponential_mechanism *)
Theorem structure_private : forall eps d rounds score score' choices, 0 < eps -> 0 < d -> (0 < rounds)%nat -> (length choices <= rounds)%nat ->
  (forall before, Forall2 (fun a b => Rabs (a - b) <= d) (score before) (score' before)) ->
  structure (eps / (2 * INR rounds * d)) score [] choices <= exp eps * structure (eps / (2 * INR rounds * d)) score' [] choices.
Proof.
  intros eps d rounds score score' choices E D N L F. assert (P : 0 < INR rounds) by now apply lt_0_INR.
  set (share := eps / INR rounds). assert (S0 : 0 < share) by (apply Rdiv_lt_0_compat; lra).
  assert (one : forall before i, chosen (exponential (eps / (2 * INR rounds * d)) (score before)) i <= exp share * chosen (exponential (eps / (2 * INR rounds * d)) (score' before)) i).
  { intros before i. replace (eps / (2 * INR rounds * d)) with (share / (2 * d)) by (unfold share; field; lra).
    destruct (Nat.lt_ge_cases i (length (score before))) as [I|I]; [now apply exponential_private|].
    unfold chosen at 1. rewrite nth_overflow by (unfold exponential; now rewrite map_length). unfold Rdiv. rewrite Rmult_0_l. apply Rmult_le_pos; [left; apply exp_pos|apply chosen_pos]. }
  assert (all : forall choices before, structure (eps / (2 * INR rounds * d)) score before choices <= exp (INR (length choices) * share) * structure (eps / (2 * INR rounds * d)) score' before choices).
  { clear L choices. induction choices as [|i t IH]; intros before; cbn [structure length]; [rewrite Rmult_0_l, exp_0; lra|].
    rewrite S_INR. replace ((INR (length t) + 1) * share) with (share + INR (length t) * share) by ring. rewrite exp_plus.
    match goal with |- _ <= ?a * ?b * (?c * ?e) => replace (a * b * (c * e)) with (a * c * (b * e)) by ring end.
    apply Rmult_le_compat; auto using chosen_pos, structure_pos. }
  apply Rle_trans with (1 := all choices []). apply Rmult_le_compat_r; [apply structure_pos|]. apply exp_grows.
  apply le_INR in L. replace eps with (INR rounds * share) by (unfold share; field; lra). apply Rmult_le_compat_r; lra.
Qed.
(* ---- Laplace noise on a vector ---- *)
Fixpoint distance (xs ys : list R) : R := match xs, ys with x :: s, y :: t => Rabs (x - y) + distance s t | _, _ => 0 end.
Fixpoint noisy (b : R) (xs ys : list R) : R := match xs, ys with x :: s, y :: t => laplace b (y - x) * noisy b s t | _, _ => 1 end.
Lemma noisy_pos : forall b xs ys, 0 < b -> 0 <= noisy b xs ys.
Proof. induction xs as [|x xs IH]; intros [|y ys] B; cbn; try lra. apply Rmult_le_pos; auto. left. now apply laplace_pos. Qed.
(** claim: bayesnet.privbayes_privacy *)
Theorem noisy_private : forall b xs xs' ys, 0 < b -> length xs = length xs' -> noisy b xs ys <= exp (distance xs xs' / b) * noisy b xs' ys.
Proof.
  intros b xs xs' ys B. revert xs' ys. induction xs as [|x xs IH]; intros [|x' xs'] ys L; cbn in L; try discriminate.
  - cbn. unfold Rdiv. rewrite Rmult_0_l, exp_0. lra.
  - cbn [distance]. rewrite Rdiv_plus_distr, exp_plus. destruct ys as [|y ys]; cbn [noisy].
    + assert (D : 0 <= distance xs xs') by (clear; revert xs'; induction xs as [|a xs IH]; intros [|c xs']; cbn; try lra; assert (A := Rabs_pos (a - c)); specialize (IH xs'); lra).
      rewrite <- exp_plus, Rmult_1_r, <- exp_0. apply exp_grows. apply Rplus_le_le_0_compat; apply Rmult_le_pos; auto using Rabs_pos; left; now apply Rinv_0_lt_compat.
    + match goal with |- _ <= ?a * ?c * (?e * ?f) => replace (a * c * (e * f)) with (a * e * (c * f)) by ring end.
      apply Rmult_le_compat; auto using noisy_pos; [left; now apply laplace_pos|].
      replace (Rabs (x - x')) with (Rabs ((y - x') - (y - x))) by (f_equal; ring). now apply laplace_ratio.
Qed.
(* ---- frequencies of the records on some attributes ---- *)
Section Frequencies.
Context {A : Type} (dec : forall x y : A, {x = y} + {x <> y}).
Definition is (x y : A) : R := if dec x y then 1 else 0.
Definition frequency (table : list A) (v : A) : R := sum (map (fun x => is x v) table) / INR (length table).
Lemma sum_app : forall l k, sum (l ++ k) = sum l + sum k.
Proof. induction l; intros; cbn; [ring|]. rewrite IHl. ring. Qed.
Lemma is_once : forall x cells, NoDup cells -> 0 <= sum (map (is x) cells) <= 1.
Proof.
  intros x cells N. assert (Z : forall cells, 0 <= sum (map (is x) cells)) by (induction cells0 as [|c k IH]; cbn; [lra|]; unfold is at 1; destruct (dec x c); lra).
  split; auto. induction N as [|c k I N IH]; cbn; [lra|]. unfold is at 1. destruct (dec x c) as [->|D]; [|lra].
  replace (sum (map (is c) k)) with 0; [lra|]. clear - I. induction k as [|d k IH]; cbn; auto. rewrite <- IH by (intros J; apply I; now right).
  unfold is. destruct (dec c d); [subst; exfalso; apply I; now left|lra].
Qed.
Lemma moved : forall one two x y cells, (forall z, sum (map (is z) cells) <= 1) -> let n := INR (length (one ++ x :: two)) in
  distance (map (frequency (one ++ x :: two)) cells) (map (frequency (one ++ y :: two)) cells) <= 2 / n.
Proof.
  intros one two x y cells N n. assert (E : length (one ++ y :: two) = length (one ++ x :: two)) by (rewrite !app_length; reflexivity).
  assert (P : 0 < n) by (apply lt_0_INR; rewrite app_length; cbn; lia).
  assert (H : forall v, Rabs (frequency (one ++ x :: two) v - frequency (one ++ y :: two) v) <= (is x v + is y v) / n).
  { intros v. unfold frequency. rewrite E. fold n. rewrite !map_app, !sum_app. cbn [map sum].
    match goal with |- Rabs (?a / n - ?b / n) <= _ => replace (a / n - b / n) with ((is x v - is y v) / n) by (field; lra) end.
    unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ n)) by (left; now apply Rinv_0_lt_compat). apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
    unfold is. unfold Rabs. destruct (dec x v), (dec y v), (Rcase_abs _); lra. }
  apply Rle_trans with ((sum (map (is x) cells) + sum (map (is y) cells)) / n).
  - clear N. induction cells as [|v cells IH]; cbn [map distance sum]; [lra|]. specialize (H v). unfold Rdiv in *. rewrite !Rmult_plus_distr_r in *. lra.
  - apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. assert (X := N x). assert (Y := N y). lra.
Qed.
(** claim: bayesnet.privbayes_privacy *)
Theorem frequencies_move : forall one two x y cells, NoDup cells -> let n := INR (length (one ++ x :: two)) in
  distance (map (frequency (one ++ x :: two)) cells) (map (frequency (one ++ y :: two)) cells) <= 2 / n.
Proof. intros. apply moved. intros. now apply is_once. Qed.
Lemma frequencies_sum : forall table cells, NoDup cells -> (0 < length table)%nat -> sum (map (frequency table) cells) <= 1.
Proof.
  intros table cells N L. assert (P : 0 < INR (length table)) by now apply lt_0_INR.
  assert (E : forall k, sum (map (frequency table) k) * INR (length table) = sum (map (fun x => sum (map (is x) k)) table)).
  { induction k as [|v k IH]; cbn [map sum].
    - rewrite Rmult_0_l. clear. induction table as [|x t IH]; cbn; auto. rewrite <- IH. ring.
    - rewrite Rmult_plus_distr_r, IH. unfold frequency. replace (sum (map (fun x => is x v) table) / INR (length table) * INR (length table)) with (sum (map (fun x => is x v) table)) by (field; lra).
      clear. induction table as [|x t IH]; cbn; [ring|]. rewrite <- IH. ring. }
  apply Rmult_le_reg_r with (INR (length table)); auto. rewrite E, Rmult_1_l. clear - N. induction table as [|x t IH]; cbn [map sum length]; [cbn; lra|].
  rewrite S_INR. assert (O := is_once x cells N). lra.
Qed.
End Frequencies.

(* ---- both phases: the structure, then the noisy frequencies of [n_of] distributions that it names ---- *)
Lemma distance_app : forall a b c e, length a = length b -> distance (a ++ c) (b ++ e) = distance a b + distance c e.
Proof. induction a as [|x a IH]; intros [|y b] c e L; cbn in *; try discriminate; [ring|]. rewrite IH by congruence. ring. Qed.
(** claim: bayesnet.privbayes_privacy *)
Theorem privbayes_private : forall (Record Cell : Type) (dec : forall x y : Cell, {x = y} + {x <> y}) eps1 eps2 d rounds (score : list Record -> list nat -> list R)
  (project : list nat -> nat -> Record -> Cell) (cells : list nat -> nat -> list Cell) N one two x y choices ys,
  let t := one ++ x :: two in let t' := one ++ y :: two in let n := INR (length t) in
  let parameters t := flat_map (fun j => map (frequency dec (map (project choices j) t)) (cells choices j)) (seq 0 N) in
  let density t := structure (eps1 / (2 * INR rounds * d)) (score t) [] choices * noisy (2 * INR N / (n * eps2)) (parameters t) ys in
  0 < eps1 -> 0 < eps2 -> 0 < d -> (0 < rounds)%nat -> (length choices <= rounds)%nat -> (0 < N)%nat -> (forall j, NoDup (cells choices j)) ->
  (forall before, Forall2 (fun a b => Rabs (a - b) <= d) (score t before) (score t' before)) ->
  density t <= exp (eps1 + eps2) * density t'.
Proof.
  intros Record Cell dec eps1 eps2 d rounds score project cells N one two x y choices ys t t' n parameters density E1 E2 D Rn L P ND F.
  assert (Pn : 0 < n) by (apply lt_0_INR; unfold t; rewrite app_length; cbn; lia). assert (PN : 0 < INR N) by now apply lt_0_INR.
  assert (B : 0 < 2 * INR N / (n * eps2)) by (apply Rdiv_lt_0_compat; nra).
  assert (H : forall js, length (flat_map (fun j => map (frequency dec (map (project choices j) t)) (cells choices j)) js) = length (flat_map (fun j => map (frequency dec (map (project choices j) t')) (cells choices j)) js) /\
    distance (flat_map (fun j => map (frequency dec (map (project choices j) t)) (cells choices j)) js) (flat_map (fun j => map (frequency dec (map (project choices j) t')) (cells choices j)) js) <= INR (length js) * (2 / n)).
  { induction js as [|j js [I1 I2]]; cbn [flat_map length]; [cbn; split; auto; lra|]. rewrite !app_length, !map_length, I1. split; auto.
    rewrite distance_app by now rewrite !map_length. rewrite S_INR. assert (M := frequencies_move dec (map (project choices j) one) (map (project choices j) two) (project choices j x) (project choices j y) (cells choices j) (ND j)).
    cbv zeta in M. unfold t, t'. rewrite !map_app. cbn [map]. replace (INR (length (map (project choices j) one ++ project choices j x :: map (project choices j) two))) with n in M
      by (unfold n, t; rewrite !app_length; cbn [length]; now rewrite !map_length). unfold t, t' in I2. lra. }
  destruct (H (seq 0 N)) as [H1 H2]. rewrite seq_length in H2.
  assert (Q : noisy (2 * INR N / (n * eps2)) (parameters t) ys <= exp eps2 * noisy (2 * INR N / (n * eps2)) (parameters t') ys).
  { apply Rle_trans with (1 := noisy_private _ _ (parameters t') ys B H1). apply Rmult_le_compat_r; [now apply noisy_pos|]. apply exp_grows.
    apply Rmult_le_reg_r with (2 * INR N / (n * eps2)); auto. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra.
    replace (eps2 * (2 * INR N / (n * eps2))) with (INR N * (2 / n)) by (field; lra). rewrite Rmult_1_r. exact H2. }
  unfold density. rewrite exp_plus. match goal with |- _ <= ?a * ?c * (?e * ?f) => replace (a * c * (e * f)) with (a * e * (c * f)) by ring end.
  apply Rmult_le_compat; auto using structure_pos, noisy_pos. now apply structure_private.
Qed.

(* ---- the score R, half the distance of the joint frequencies from independence ---- *)
Section Score.
Context {A B : Type} (decA : forall x y : A, {x = y} + {x <> y}) (decB : forall x y : B, {x = y} + {x <> y}).
Definition decP (p q : A * B) : {p = q} + {p <> q}. Proof. decide equality. Defined.
Definition score_r (table : list (A * B)) (cells : list (A * B)) :=
  sum (map (fun v => Rabs (frequency decP table v - frequency decA (map fst table) (fst v) * frequency decB (map snd table) (snd v))) cells) / 2.
Lemma sum_le : forall C (l : list C) f g, (forall v, f v <= g v) -> sum (map f l) <= sum (map g l).
Proof. induction l as [|v l IH]; intros f g H; cbn; [lra|]. apply Rplus_le_compat; auto. Qed.
Lemma sum_lin : forall C (l : list C) a b f g, sum (map (fun v => a * f v + b * g v) l) = a * sum (map f l) + b * sum (map g l).
Proof. induction l as [|v l IH]; intros; cbn; [ring|]. rewrite IH. ring. Qed.
Lemma sum_product : forall xs ys (b : A -> R) (c : B -> R), sum (map (fun v => b (fst v) * c (snd v)) (list_prod xs ys)) = sum (map b xs) * sum (map c ys).
Proof.
  induction xs as [|x xs IH]; intros; cbn [list_prod map sum]; [ring|]. rewrite map_app, sum_app, IH, map_map. cbn [fst snd].
  replace (sum (map (fun j => b x * c j) ys)) with (b x * sum (map c ys)); [ring|]. clear. induction ys as [|y ys IH]; cbn; [ring|]. rewrite <- IH. ring.
Qed.
Lemma distance_map : forall C (l : list C) f g, distance (map f l) (map g l) = sum (map (fun v => Rabs (f v - g v)) l).
Proof. induction l as [|v l IH]; intros; cbn; auto. now rewrite IH. Qed.
Lemma frequency_pos : forall C (dec : forall x y : C, {x = y} + {x <> y}) table v, (0 < length table)%nat -> 0 <= frequency dec table v.
Proof.
  intros. unfold frequency. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; now apply lt_0_INR]. clear. induction table as [|x t IH]; cbn; [lra|]. unfold is at 1. destruct (dec x v); lra.
Qed.
(** claim: bayesnet.score_sensitivities *)
Theorem score_r_moves : forall one two x y xs ys, NoDup xs -> NoDup ys -> let n := INR (length (one ++ x :: two)) in
  Rabs (score_r (one ++ x :: two) (list_prod xs ys) - score_r (one ++ y :: two) (list_prod xs ys)) <= 3 / n.
Proof.
  intros one two x y xs ys NX NY n. set (t := one ++ x :: two) in *. set (t' := one ++ y :: two).
  assert (L : (0 < length t)%nat) by (unfold t; rewrite app_length; cbn; lia). assert (L' : (0 < length t')%nat) by (unfold t'; rewrite app_length; cbn; lia).
  assert (P : 0 < n) by now apply lt_0_INR.
  set (a := frequency decP t). set (a' := frequency decP t'). set (b := frequency decA (map fst t)). set (b' := frequency decA (map fst t')).
  set (c := frequency decB (map snd t)). set (c' := frequency decB (map snd t')).
  assert (M1 : sum (map (fun v => Rabs (a v - a' v)) (list_prod xs ys)) <= 2 / n).
  { rewrite <- distance_map. apply moved. intros z. rewrite (map_ext _ (fun v => is decA (fst z) (fst v) * is decB (snd z) (snd v))).
    - rewrite sum_product. assert (X := is_once decA (fst z) xs NX). assert (Y := is_once decB (snd z) ys NY). nra.
    - intros v. unfold is. destruct z as [z1 z2], v as [v1 v2]. cbn [fst snd]. destruct (decP (z1, z2) (v1, v2)), (decA z1 v1), (decB z2 v2); try congruence; ring. }
  assert (M2 : sum (map (fun v => Rabs (b v - b' v)) xs) <= 2 / n).
  { rewrite <- distance_map. assert (M := frequencies_move decA (map fst one) (map fst two) (fst x) (fst y) xs NX). cbv zeta in M. unfold b, b', t, t'. rewrite !map_app. cbn [map].
    replace n with (INR (length (map fst one ++ fst x :: map fst two))) by (unfold n, t; rewrite !app_length; cbn [length]; now rewrite !map_length). exact M. }
  assert (M3 : sum (map (fun v => Rabs (c v - c' v)) ys) <= 2 / n).
  { rewrite <- distance_map. assert (M := frequencies_move decB (map snd one) (map snd two) (snd x) (snd y) ys NY). cbv zeta in M. unfold c, c', t, t'. rewrite !map_app. cbn [map].
    replace n with (INR (length (map snd one ++ snd x :: map snd two))) by (unfold n, t; rewrite !app_length; cbn [length]; now rewrite !map_length). exact M. }
  assert (S1 : sum (map c ys) <= 1) by (apply frequencies_sum; auto; now rewrite map_length). assert (S2 : sum (map b' xs) <= 1) by (apply frequencies_sum; auto; now rewrite map_length).
  assert (Pc : forall v, 0 <= c v) by (intros; apply frequency_pos; now rewrite map_length). assert (Pb : forall v, 0 <= b' v) by (intros; apply frequency_pos; now rewrite map_length).
  assert (T : forall v, Rabs (Rabs (a v - b (fst v) * c (snd v)) - Rabs (a' v - b' (fst v) * c' (snd v))) <=
    1 * Rabs (a v - a' v) + 1 * (1 * (Rabs (b (fst v) - b' (fst v)) * c (snd v)) + 1 * (b' (fst v) * Rabs (c (snd v) - c' (snd v))))).
  { intros [i j]. cbn [fst snd]. eapply Rle_trans; [apply Rabs_triang_inv2|]. assert (T1 := Rabs_triang (a (i, j) - a' (i, j)) (- ((b i - b' i) * c j + b' i * (c j - c' j)))).
    assert (T2 := Rabs_triang ((b i - b' i) * c j) (b' i * (c j - c' j))). rewrite Rabs_Ropp in T1. rewrite !Rabs_mult, (Rabs_pos_eq (c j)), (Rabs_pos_eq (b' i)) in T2 by auto.
    replace (a (i, j) - b i * c j - (a' (i, j) - b' i * c' j)) with (a (i, j) - a' (i, j) + - ((b i - b' i) * c j + b' i * (c j - c' j))) by ring. lra. }
  assert (G : forall (f g : A * B -> R) l, Rabs (sum (map f l) - sum (map g l)) <= sum (map (fun v => Rabs (f v - g v)) l)).
  { clear. induction l as [|v l IH]; cbn; [rewrite Rminus_0_r, Rabs_R0; lra|]. assert (Q := Rabs_triang (f v - g v) (sum (map f l) - sum (map g l))).
    replace (f v + sum (map f l) - (g v + sum (map g l))) with (f v - g v + (sum (map f l) - sum (map g l))) by ring. lra. }
  unfold score_r. fold a a' b b' c c'. unfold Rdiv at 1 2. rewrite <- Rmult_minus_distr_r, Rabs_mult, (Rabs_pos_eq (/ 2)) by lra.
  eapply Rle_trans; [apply Rmult_le_compat_r; [lra|]; eapply Rle_trans; [apply G|]; apply sum_le; exact T|].
  rewrite !sum_lin, (sum_product xs ys (fun i => Rabs (b i - b' i)) c), (sum_product xs ys b' (fun j => Rabs (c j - c' j))).
  assert (Z : forall C (l : list C) (f : C -> R), (forall v, 0 <= f v) -> 0 <= sum (map f l)) by (clear; induction l as [|v l IH]; intros f H; cbn; [lra|]; specialize (H v) as H0; specialize (IH f H); lra).
  assert (Z1 := Z _ xs (fun i => Rabs (b i - b' i)) (fun i => Rabs_pos _)). assert (Z2 := Z _ ys (fun j => Rabs (c j - c' j)) (fun j => Rabs_pos _)).
  assert (Z3 := Z _ ys c Pc). assert (Z4 := Z _ xs b' Pb).
  assert (U1 := Rmult_le_compat _ _ _ _ Z1 Z3 M2 S1). assert (U2 := Rmult_le_compat _ _ _ _ Z4 Z2 S2 M3).
  set (p1 := sum _ * sum _) in *. set (p2 := sum _ * sum _) in *. unfold Rdiv in *. lra.
Qed.
End Score.

(* ---- controls ---- *)
(** mutant: structure_private, privbayes_private *)
Example rounds_share_the_budget : ~ (forall score score' choices, (length choices <= 3)%nat ->
  (forall before : list nat, Forall2 (fun a b => Rabs (a - b) <= 1) (score before) (score' before)) -> structure (2 / (2 * 1)) score [] choices <= exp 2 * structure (2 / (2 * 1)) score' [] choices).
Proof.
  intros H. specialize (H (fun _ => [1; 0]) (fun _ => [0; 1]) [0; 0; 0]%nat ltac:(cbn; lia)).
  assert (F : Forall2 (fun a b => Rabs (a - b) <= 1) [1; 0] [0; 1]) by (repeat constructor; unfold Rabs; destruct (Rcase_abs _); lra).
  specialize (H (fun _ => F)). unfold structure, chosen, exponential in H. cbn in H. replace (2 / (2 * 1)) with 1 in H by field. rewrite !Rmult_0_r, !Rmult_1_r, exp_0, !Rplus_0_r in H.
  assert (E : exp 2 = exp 1 * exp 1) by (rewrite <- exp_plus; f_equal; lra). assert (X : 2 < exp 1) by (replace 2 with (1 + 1) by ring; apply exp_ineq1; lra).
  rewrite E in H. set (e := exp 1) in *. assert (P : 0 < (e + 1) * (e + 1) * (e + 1)) by (repeat apply Rmult_lt_0_compat; lra).
  apply (Rmult_le_compat_r ((e + 1) * (e + 1) * (e + 1))) in H; [|lra].
  replace (e / (e + 1) * (e / (e + 1) * (e / (e + 1))) * ((e + 1) * (e + 1) * (e + 1))) with (e * e * e) in H by (field; lra).
  replace (e * e * (1 / (1 + e) * (1 / (1 + e) * (1 / (1 + e)))) * ((e + 1) * (e + 1) * (e + 1))) with (e * e) in H by (field; lra). nra.
Qed.
(** mutant: noisy_private *)
Example half_the_noise : ~ (forall b xs xs' ys, 0 < b -> length xs = length xs' -> noisy b xs ys <= exp (distance xs xs' / (2 * b)) * noisy b xs' ys).
Proof.
  intros H. specialize (H 1 [0] [1] [0] ltac:(lra) eq_refl). cbn in H.
  assert (A : laplace 1 (0 - 0) = exp (1 / 2) * exp (- (1 / 2)) / 2).
  { unfold laplace. rewrite Rminus_0_r, Rabs_R0, <- exp_plus. replace (- (0) / 1) with (1 / 2 + - (1 / 2)) by field. field. }
  assert (B : laplace 1 (0 - 1) = exp (- (1 / 2)) * exp (- (1 / 2)) / 2).
  { unfold laplace. replace (Rabs (0 - 1)) with 1 by (unfold Rabs; destruct (Rcase_abs _); lra). rewrite <- exp_plus. replace (- (1) / 1) with (- (1 / 2) + - (1 / 2)) by field. field. }
  assert (D : (Rabs (0 - 1) + 0) / (2 * 1) = 1 / 2) by (unfold Rabs; destruct (Rcase_abs _); lra).
  rewrite A, B, D in H. assert (L : exp (- (1 / 2)) < exp (1 / 2)) by (apply exp_increasing; lra). assert (P := exp_pos (- (1 / 2))). assert (P' := exp_pos (1 / 2)).
  assert (Z : exp (1 / 2) * exp (- (1 / 2)) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0). nra.
Qed.
(** mutant: frequencies_move *)
Example two_cells_move : ~ (forall one two x y cells, NoDup cells -> let n := INR (length (one ++ x :: two)) in
  distance (map (frequency Nat.eq_dec (one ++ x :: two)) cells) (map (frequency Nat.eq_dec (one ++ y :: two)) cells) <= 1 / n).
Proof.
  intros H. specialize (H [] [] 0%nat 1%nat [0; 1]%nat ltac:(repeat constructor; cbn; intuition discriminate)). cbn in H. unfold frequency, is in H. cbn in H.
  repeat match type of H with context [Rabs ?x] => first [rewrite (Rabs_pos_eq x) in H by lra|rewrite (Rabs_left1 x) in H by lra] end. lra.
Qed.
(* two records; the score R is 1/2 for x = y, and 0 for one value of x *)
(** mutant: score_r_moves *)
Example half_for_two : ~ (forall one two x y, let n := INR (length (one ++ x :: two)) in let cells := list_prod [0; 1]%nat [0; 1]%nat in
  Rabs (score_r Nat.eq_dec Nat.eq_dec (one ++ x :: two) cells - score_r Nat.eq_dec Nat.eq_dec (one ++ y :: two) cells) <= 9 / 10 / n).
Proof.
  intros H. specialize (H [(0, 0)]%nat [] (1, 1)%nat (0, 1)%nat). cbn in H. unfold score_r, frequency, is in H. cbn in H.
  repeat match type of H with context [Rabs ?x] => first [rewrite (Rabs_pos_eq x) in H by lra|rewrite (Rabs_left1 x) in H by lra] end. lra.
Qed.
