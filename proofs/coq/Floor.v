(* The variance of an unbiased count from private cells: for every finite alphabet of each cell, every number of cells, and
   every configuration of the users. Claims: cell.variance_floor, density.tanh_optimality. *)
From Coq Require Import Reals Psatz Lra List Bool Lia.
Import ListNotations.
Open Scope R_scope.

(* a cell: the probabilities of each of its values for an absent and for a present user *)
Definition cell := list (R * R).
Fixpoint mean1 (t : bool) (c : cell) (f : nat -> R) : R :=
  match c with [] => 0 | (a, b) :: k => (if t then b else a) * f O + mean1 t k (fun i => f (S i)) end.
Definition keeps_eps (x : R) (c : cell) := Forall (fun v => 0 < fst v /\ 0 < snd v /\ snd v <= x * fst v /\ fst v <= x * snd v) c /\
  mean1 false c (fun _ => 1) = 1 /\ mean1 true c (fun _ => 1) = 1.
Lemma mean1_ext : forall t c f g, (forall i, f i = g i) -> mean1 t c f = mean1 t c g.
Proof. induction c as [|[a b] c IH]; intros f g H; cbn; auto. rewrite H. f_equal. apply IH. intros; apply H. Qed.
Lemma mean1_lin : forall t c p q f g, mean1 t c (fun i => p * f i + q * g i) = p * mean1 t c f + q * mean1 t c g.
Proof. induction c as [|[a b] c IH]; intros; cbn; [ring|]. rewrite (IH p q (fun i => f (S i)) (fun i => g (S i))). ring. Qed.
(* One cell: g changes its mean by one with the user's presence. The variance is at least x / (x - 1)^2, for either truth. *)
Definition chi (t : bool) : cell -> R :=
  fix go c := match c with [] => 0 | (a, b) :: k => (b - a) * (b - a) / (if t then b else a) + go k end.
Lemma chi_bound : forall x t c, 1 < x -> keeps_eps x c -> chi t c <= (x - 1) * (x - 1) / x.
Proof.
  intros x t c X [F [A B]].
  assert (H : chi t c <= (x + / x - 1) * mean1 (negb t) c (fun _ => 1) - mean1 t c (fun _ => 1) + (mean1 t c (fun _ => 1) + - 2 * mean1 (negb t) c (fun _ => 1) + mean1 (negb t) c (fun _ => 1))).
  { clear A B. induction F as [|[a b] c [P [Q [U V]]] F IH]; cbn [chi mean1]; [lra|]. cbn [fst snd] in *.
    assert (xx : x * / x = 1) by (apply Rinv_r; lra). assert (0 < / x) by (apply Rinv_0_lt_compat; lra).
    assert (D : forall u v, 0 < u -> 0 < v -> v <= x * u -> u <= x * v -> (v - u) * (v - u) / u <= (x + / x - 2) * v).
    { intros u v U0 V0 H1 H2. apply Rmult_le_reg_r with u; auto. unfold Rdiv. rewrite !Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      assert (0 <= (v - u * / x) * (x * u - v)). { apply Rmult_le_pos; [|lra]. assert (u * / x <= x * v * / x) by (apply Rmult_le_compat_r; lra).
        replace (x * v * / x) with v in H0 by (field; lra). lra. }
      replace ((v - u * / x) * (x * u - v)) with (v * u * (x + / x) - v * v - u * u * (x * / x)) in H0 by ring. rewrite xx in H0. lra. }
    destruct t; cbn [negb] in *.
    - assert (D1 := D b a Q P V U). replace ((b - a) * (b - a)) with ((a - b) * (a - b)) by ring. lra.
    - assert (D1 := D a b P Q U V). lra. }
  assert (S : mean1 (negb t) c (fun _ => 1) = 1) by (destruct t; auto). assert (S' : mean1 t c (fun _ => 1) = 1) by (destruct t; auto).
  rewrite S, S' in H. replace ((x - 1) * (x - 1) / x) with (x + / x - 2) by (field; lra). lra.
Qed.
(* the variance times chi is at least the square of what presence changes: all by one square *)
Lemma one_cell_floor : forall x t c g, 1 < x -> keeps_eps x c -> mean1 true c g - mean1 false c g = 1 ->
  x / ((x - 1) * (x - 1)) <= mean1 t c (fun i => g i * g i) - mean1 t c g * mean1 t c g.
Proof.
  intros x t c g X K G. assert (Cb := chi_bound x t c X K). destruct K as [F [A B]]. set (m := mean1 t c g).
  set (f := x / ((x - 1) * (x - 1))). assert (F0 : 0 < f) by (apply Rdiv_lt_0_compat; nra).
  (* sum of the weights times (g - m - f (b - a) / weight)^2 is not negative *)
  assert (Sq : forall h, 0 <= mean1 t c (fun i => h i * h i) - 2 * f * (mean1 true c h - mean1 false c h) + f * f * chi t c).
  { clear - F. induction F as [|[a b] c [P [Q _]] F IH]; intros h; cbn [mean1 chi]; [lra|]. specialize (IH (fun i => h (S i))). cbn [fst snd] in *.
    set (w := if t then b else a). assert (W : 0 < w) by (unfold w; destruct t; auto).
    assert (0 <= w * ((h 0%nat - f * ((b - a) / w)) * (h 0%nat - f * ((b - a) / w)))) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]).
    replace (w * ((h 0%nat - f * ((b - a) / w)) * (h 0%nat - f * ((b - a) / w)))) with
      (w * (h 0%nat * h 0%nat) - 2 * f * (b * h 0%nat - a * h 0%nat) + f * f * ((b - a) * (b - a) / w)) in H by (field; lra). lra. }
  specialize (Sq (fun i => 1 * g i + - m * 1)). rewrite !mean1_lin, A, B in Sq.
  assert (E : mean1 t c (fun i => (1 * g i + - m * 1) * (1 * g i + - m * 1)) = mean1 t c (fun i => g i * g i) - m * m).
  { rewrite (mean1_ext t c _ (fun i => 1 * (g i * g i) + 1 * (- 2 * m * g i + m * m * 1))) by (intros; ring).
    rewrite mean1_lin, mean1_lin. fold m. assert (S : mean1 t c (fun _ => 1) = 1) by (destruct t; auto). rewrite S. ring. }
  rewrite E in Sq. replace (1 * mean1 true c g + - m * 1 - (1 * mean1 false c g + - m * 1)) with 1 in Sq by lra.
  assert (f * f * chi t c <= f).
  { assert (f * ((x - 1) * (x - 1) / x) = 1) by (unfold f; field; lra). assert (f * chi t c <= 1) by (rewrite <- H; apply Rmult_le_compat_l; lra). nra. }
  lra.
Qed.
(* ---- many independent cells ---- *)
Fixpoint mean (ts : list bool) (cs : list cell) (T : list nat -> R) : R :=
  match ts, cs with t :: ts, c :: cs => mean1 t c (fun i => mean ts cs (fun o => T (i :: o))) | _, _ => T [] end.
Fixpoint present (ts : list bool) : R := match ts with [] => 0 | t :: k => (if t then 1 else 0) + present k end.
Definition unbiased (cs : list cell) (T : list nat -> R) (c0 : R) := forall ts, length ts = length cs -> mean ts cs T = c0 + present ts.
Lemma mean_ext : forall ts cs T U, (forall o, T o = U o) -> mean ts cs T = mean ts cs U.
Proof. induction ts as [|t ts IH]; intros [|c cs] T U H; cbn; auto. apply mean1_ext. intros. apply IH. intros; apply H. Qed.
Lemma mean_lin : forall ts cs p q T U, mean ts cs (fun o => p * T o + q * U o) = p * mean ts cs T + q * mean ts cs U.
Proof.
  induction ts as [|t ts IH]; intros [|c cs] p q T U; cbn; auto.
  rewrite <- mean1_lin. apply mean1_ext. intros. apply (IH cs p q (fun o => T (i :: o)) (fun o => U (i :: o))).
Qed.
Lemma swap1 : forall ts cs t c (T : nat -> list nat -> R), mean1 t c (fun i => mean ts cs (T i)) = mean ts cs (fun o => mean1 t c (fun i => T i o)).
Proof.
  intros ts cs t c. induction c as [|[a b] c IH]; intros T; cbn [mean1].
  - rewrite (mean_ext ts cs _ (fun o => 0 * 0 + 0 * 0)) by (intros; ring). rewrite (mean_lin ts cs 0 0 (fun _ => 0) (fun _ => 0)). ring.
  - rewrite (IH (fun i => T (S i))). rewrite (mean_ext ts cs (fun o => _ + _) (fun o => (if t then b else a) * T 0%nat o + 1 * mean1 t c (fun i => T (S i) o))) by (intros; ring).
    rewrite (mean_lin ts cs _ 1). ring.
Qed.
Lemma mean1_le : forall t c f g x, keeps_eps x c -> (forall i, f i <= g i) -> mean1 t c f <= mean1 t c g.
Proof.
  intros t c f g x [F _]. revert f g. induction F as [|[a b] c [P [Q _]] F IH]; intros f g H; cbn; [lra|]. cbn in *.
  apply Rplus_le_compat; [apply Rmult_le_compat_l; [destruct t; lra|auto]|apply IH; auto].
Qed.
Lemma mean_le : forall x ts cs T U, Forall (keeps_eps x) cs -> (forall o, T o <= U o) -> mean ts cs T <= mean ts cs U.
Proof.
  induction ts as [|t ts IH]; intros [|c cs] T U F H; cbn; auto. inversion F; subst. apply (mean1_le t c _ _ x); auto.
Qed.
Lemma mean_const : forall x ts cs k, Forall (keeps_eps x) cs -> mean ts cs (fun _ => k) = k.
Proof.
  induction ts as [|t ts IH]; intros [|c cs] k F; cbn; auto. inversion F; subst. rewrite (mean1_ext t c _ (fun _ => k * 1 + 0 * 1)) by (intros; rewrite IH by auto; ring).
  rewrite (mean1_lin t c k 0 (fun _ => 1) (fun _ => 1)). destruct H1 as [_ [A B]]. destruct t; rewrite ?A, ?B; ring.
Qed.
(** claim: cell.variance_floor *)
Theorem variance_floor : forall x cs T c0 ts, 1 < x -> Forall (keeps_eps x) cs -> unbiased cs T c0 -> length ts = length cs ->
  INR (length cs) * (x / ((x - 1) * (x - 1))) <= mean ts cs (fun o => T o * T o) - mean ts cs T * mean ts cs T.
Proof.
  intros x cs T c0 ts X F. revert T c0 ts. induction F as [|c cs K F IH]; intros T c0 [|t ts] U L; cbn [length] in L; try discriminate; [cbn; lra|].
  (* G: the mean given the first cell; H: the mean given the others. T - G - H + mu has a square that is not negative. *)
  set (G := fun i => mean ts cs (fun o => T (i :: o))). set (H := fun o => mean1 t c (fun i => T (i :: o))). set (mu := mean1 t c G).
  assert (M : mean (t :: ts) (c :: cs) T = mu) by reflexivity.
  assert (MH : mean ts cs H = mu) by (unfold H, mu, G; now rewrite swap1).
  assert (one : forall t', mean1 t' c (fun _ => 1) = 1) by (destruct K as [_ [A B]]; destruct t'; auto).
  assert (VG : x / ((x - 1) * (x - 1)) <= mean1 t c (fun i => G i * G i) - mu * mu).
  { apply (one_cell_floor x t c G X K). assert (A := U (true :: ts)). assert (B := U (false :: ts)). cbn [length mean present] in A, B.
    unfold G. rewrite A, B by congruence. ring. }
  assert (VH : INR (length cs) * (x / ((x - 1) * (x - 1))) <= mean ts cs (fun o => H o * H o) - mu * mu).
  { rewrite <- MH. apply (IH H (c0 + (if t then 1 else 0))); [|congruence]. intros ts' L'. unfold H. rewrite <- swap1.
    assert (A := U (t :: ts')). cbn [length mean present] in A. rewrite A by congruence. ring. }
  assert (Sq : 0 <= mean (t :: ts) (c :: cs) (fun o => match o with i :: v => (T o - G i - H v + mu) * (T o - G i - H v + mu) | [] => 0 end)).
  { cbn [mean]. replace 0 with (mean1 t c (fun _ => mean ts cs (fun _ => 0))).
    - apply (mean1_le t c _ _ x K). intros i. apply (mean_le x); auto. intros o. apply Rle_0_sqr.
    - rewrite (mean1_ext t c _ (fun _ => 0 * 1 + 0 * 1)) by (intros; rewrite (mean_const x) by auto; ring). rewrite (mean1_lin t c 0 0 (fun _ => 1) (fun _ => 1)). ring. }
  cbn [mean] in Sq |- *.
  assert (E : mean1 t c (fun i => mean ts cs (fun v => (T (i :: v) - G i - H v + mu) * (T (i :: v) - G i - H v + mu))) =
    mean1 t c (fun i => mean ts cs (fun v => T (i :: v) * T (i :: v))) - mean1 t c (fun i => G i * G i) - mean ts cs (fun o => H o * H o) + mu * mu).
  { rewrite (mean1_ext t c _ (fun i => 1 * mean ts cs (fun v => T (i :: v) * T (i :: v)) + 1 * (mean ts cs (fun v => H v * H v) +
      (- 2 * mean ts cs (fun v => H v * T (i :: v)) + (- G i * G i + 2 * mu * G i - mu * mu))))).
    - rewrite mean1_lin. rewrite (mean1_ext t c (fun i => mean ts cs (fun v => H v * H v) + _) (fun i => mean ts cs (fun v => H v * H v) * 1 + 1 * (- 2 * mean ts cs (fun v => H v * T (i :: v)) + 1 * (- 1 * (G i * G i) + 1 * (2 * mu * G i + (- mu * mu) * 1))))) by (intros; ring).
      rewrite !mean1_lin, one. rewrite (swap1 ts cs t c (fun i v => H v * T (i :: v))).
      rewrite (mean_ext ts cs (fun o => mean1 t c (fun i => H o * T (i :: o))) (fun o => H o * H o)).
      + fold mu. ring.
      + intros o. rewrite (mean1_ext t c _ (fun i => H o * T (i :: o) + 0 * 0)) by (intros; ring). rewrite (mean1_lin t c (H o) 0 (fun i => T (i :: o)) (fun _ => 0)). unfold H. ring.
    - intros i. rewrite (mean_ext ts cs _ (fun v => 1 * (T (i :: v) * T (i :: v)) + 1 * (1 * (H v * H v) + 1 * (- 2 * (H v * T (i :: v)) + 1 *
        ((- 2 * G i + 2 * mu) * T (i :: v) + 1 * ((2 * G i - 2 * mu) * H v + (G i * G i - 2 * mu * G i + mu * mu) * 1)))))) by (intros; ring).
      rewrite !mean_lin. rewrite (mean_const x ts cs 1 F), MH. fold (G i). ring. }
  rewrite E in Sq. fold G. change (mean1 t c G) with mu.
  change (length (c :: cs)) with (S (length cs)). rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l. lra.
Qed.
(* it is attained by the pair 1/(1+x), x/(1+x) with the sum of (bit - p0) / (p1 - p0); here for x = 3 and one user *)
Definition bit3 : cell := [(3 / 4, 1 / 4); (1 / 4, 3 / 4)].
Definition count3 (o : list nat) : R := match o with [0%nat] => - 1 / 2 | _ => 3 / 2 end.
(** instance: variance_floor *)
Example floor_at_three : keeps_eps 3 bit3 /\ unbiased [bit3] count3 0 /\
  mean [true] [bit3] (fun o => count3 o * count3 o) - mean [true] [bit3] count3 * mean [true] [bit3] count3 = 1 * (3 / ((3 - 1) * (3 - 1))).
Proof.
  split; [|split].
  - unfold keeps_eps, bit3. split; [repeat constructor; cbn; lra|]. cbn. lra.
  - intros [|[] [|t' ts]] L; cbn in L; try discriminate; cbn; lra.
  - cbn. lra.
Qed.
(* a constant is biased, and has no variance *)
(** mutant: variance_floor *)
Example unbiasedness_needed : ~ (forall T : list nat -> R, 1 * (3 / ((3 - 1) * (3 - 1))) <=
  mean [true] [bit3] (fun o => T o * T o) - mean [true] [bit3] T * mean [true] [bit3] T).
Proof. intros H. specialize (H (fun _ => 1 / 2)). cbn in H. lra. Qed.
