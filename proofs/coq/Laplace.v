(* Cells that keep real numbers, and choices by weights: losses without bound, and the exponential mechanism.
   Claims: thesis.laplace_privacy, laplace_cells.state_privacy, thesis.exponential_mechanism, bayesnet.privbayes_privacy,
   bayesnet.greedy_optimality. *)
From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals Psatz Lra List.
From Pan Require Import Refuted.
Import ListNotations.
Open Scope R_scope.

(* ---- one cell, a real number with Laplace noise; probabilities of intervals ---- *)
Definition cell_in (mu b lo hi : R) := laplace_in b (lo - mu) (hi - mu).
Lemma laplace_pos : forall b x, 0 < b -> 0 < laplace b x.
Proof. intros. unfold laplace. apply Rdiv_lt_0_compat; [apply exp_pos|lra]. Qed.
Lemma laplace_ratio : forall b x y, 0 < b -> laplace b x <= exp (Rabs (y - x) / b) * laplace b y.
Proof.
  intros b x y B. unfold laplace, Rdiv. rewrite <- Rmult_assoc, <- exp_plus. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
  apply exp_grows. rewrite <- Rmult_plus_distr_r. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
  assert (H := Rabs_triang (y - x) x). replace (y - x + x) with y in H by ring. lra.
Qed.
(* the state alone: density by density, with the budget (mu1 - mu0)/b in both directions *)
(** claim: laplace_cells.state_privacy, thesis.laplace_privacy *)
Theorem cell_private : forall mu0 mu1 b x, 0 < b -> mu0 <= mu1 ->
  laplace b (x - mu1) <= exp ((mu1 - mu0) / b) * laplace b (x - mu0) /\ laplace b (x - mu0) <= exp ((mu1 - mu0) / b) * laplace b (x - mu1).
Proof.
  intros mu0 mu1 b x B M. split.
  - replace (mu1 - mu0) with (Rabs ((x - mu0) - (x - mu1))) by (rewrite Rabs_pos_eq; lra). now apply laplace_ratio.
  - replace (mu1 - mu0) with (Rabs ((x - mu1) - (x - mu0))) by (rewrite Rabs_left1; lra). now apply laplace_ratio.
Qed.
(** claim: laplace_cells.state_privacy, thesis.laplace_privacy *)
Theorem cell_tight : forall mu0 mu1 b x, 0 < b -> mu0 <= mu1 <= x -> laplace b (x - mu1) = exp ((mu1 - mu0) / b) * laplace b (x - mu0).
Proof.
  intros mu0 mu1 b x B [M X]. unfold laplace. rewrite !Rabs_pos_eq by lra. unfold Rdiv. rewrite <- Rmult_assoc, <- exp_plus. f_equal. f_equal. field. lra.
Qed.
(* State and output. The cell is seen in [-k, -k + 1], far below; the output is cell + Laplace(s). Then the cell is drawn
   again around mu1, or kept. That the output is in [0, 1] has a probability that does not depend on k in the first case,
   and at most exp(- (k - 1) / s) in the second, whatever the value in the interval is. *)
Definition kept (s x : R) := laplace_in s (0 - x) (1 - x).
Lemma kept_small : forall s k x, 0 < s -> 1 <= k -> x <= - k + 1 -> kept s x <= exp (- (k - 1) / s).
Proof.
  intros s k x S K X. unfold kept. rewrite laplace_above by lra.
  assert (E : exp (- (0 - x) / s) <= exp (- (k - 1) / s)).
  { apply exp_grows. unfold Rdiv. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra]. }
  assert (0 < exp (- (1 - x) / s)) by apply exp_pos. assert (0 < exp (- (k - 1) / s)) by apply exp_pos. lra.
Qed.
Lemma laplace_in_pos : forall s lo hi, 0 < s -> 0 <= lo < hi -> 0 < laplace_in s lo hi.
Proof.
  intros s lo hi S L. rewrite laplace_above by lra. assert (exp (- hi / s) < exp (- lo / s)); [|lra].
  apply exp_increasing. unfold Rdiv. apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat|lra].
Qed.
(* For every bound c0 there is an interval of cells, of positive probability at birth, such that a second appearance makes
   the outputs in [0, 1] more than c0 times as likely, for every value of the cell in the interval. The redrawn cell is
   in [mu1 - 2, mu1 - 1] with a positive probability p, and any output in [0, 1] is then p times a constant at least. *)
Lemma unbounded_pointwise : forall s c0 again, 0 < s -> 0 < again -> exists k, 1 <= k /\ forall x, - k <= x <= - k + 1 -> c0 * kept s x < again.
Proof.
  intros s c0 again S A. destruct (Rle_lt_dec c0 0) as [C|C].
  - exists 1. split; [lra|]. intros x X. unfold kept. destruct (Req_dec x 0) as [->|N].
    + assert (0 < laplace_in s (0 - 0) (1 - 0)) by (apply laplace_in_pos; lra). nra.
    + assert (0 < laplace_in s (0 - x) (1 - x)) by (apply laplace_in_pos; lra). nra.
  - set (t := Rmax 0 (ln (2 * c0 / again))). exists (1 + s * t). assert (T : 0 <= t) by apply Rmax_l.
    split; [nra|]. intros x [_ X]. assert (H := kept_small s (1 + s * t) x S ltac:(nra) X).
    replace (- (1 + s * t - 1) / s) with (- t) in H by (field; lra).
    assert (Z : 2 * c0 / again <= exp t).
    { rewrite <- (exp_ln (2 * c0 / again)) by (apply Rdiv_lt_0_compat; lra). apply exp_grows, Rmax_r. }
    assert (E : exp (- t) * exp t = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0). assert (P := exp_pos (- t)). assert (P' := exp_pos t).
    assert (c0 * exp (- t) <= again / 2).
    { apply Rmult_le_reg_r with (exp t); auto. rewrite Rmult_assoc, E, Rmult_1_r.
      apply Rmult_le_reg_l with (2 / again); [apply Rdiv_lt_0_compat; lra|].
      replace (2 / again * c0) with (2 * c0 / again) by (field; lra). replace (2 / again * (again / 2 * exp t)) with (exp t) by (field; lra). exact Z. }
    assert (c0 * kept s x <= c0 * exp (- t)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
(* The probabilities themselves: of the cell in the interval, of the cell and then the output if the cell is kept, and of
   the output after a second draw that falls in [-1, 0]. *)
Definition born (b mu0 k : R) := RInt (fun x => laplace b (x - mu0)) (- k) (- k + 1).
Definition born_and_kept (s b mu0 k : R) := RInt (fun x => laplace b (x - mu0) * kept s x) (- k) (- k + 1).
Definition redrawn (s b mu1 : R) := RInt (fun y => laplace b (y - mu1) * kept s y) (- 1) 0.
Definition kept_closed (s x : R) := (exp (- (0 - x) / s) - exp (- (1 - x) / s)) / 2.
Lemma density_continuous : forall b mu x, continuous (fun x => laplace b (x - mu)) x.
Proof.
  intros b mu x. unfold laplace, Rdiv. apply (continuous_mult (fun x => exp (- Rabs (x - mu) * / b))); [|apply continuous_const].
  apply continuous_comp; [|apply continuity_pt_filterlim, derivable_continuous_pt, derivable_pt_exp].
  apply (continuous_mult (fun x => - Rabs (x - mu))); [|apply continuous_const].
  apply (continuous_opp (fun x => Rabs (x - mu))). apply (continuous_comp (fun x => x - mu) Rabs); [|apply continuous_Rabs].
  apply (continuous_minus (fun x => x) (fun _ => mu)); [apply continuous_id|apply continuous_const].
Qed.
Lemma kept_continuous : forall s x, 0 < s -> continuous (kept_closed s) x.
Proof.
  intros s x S. apply continuity_pt_filterlim, derivable_continuous_pt.
  eexists. apply is_derive_Reals. unfold kept_closed. auto_derive; [exact I|reflexivity].
Qed.
Lemma product_continuous : forall s b mu x, 0 < s -> continuous (fun x => laplace b (x - mu) * kept_closed s x) x.
Proof. intros. apply (continuous_mult (fun x => laplace b (x - mu))); [apply density_continuous|now apply kept_continuous]. Qed.
Lemma closed_form : forall s x, 0 < s -> x <= 0 -> kept s x = kept_closed s x.
Proof. intros. unfold kept, kept_closed. now rewrite laplace_above by lra. Qed.
Lemma closed_pos : forall s x, 0 < s -> 0 < kept_closed s x.
Proof.
  intros s x S. unfold kept_closed. assert (exp (- (1 - x) / s) < exp (- (0 - x) / s)); [|lra].
  apply exp_increasing. unfold Rdiv. apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat|lra].
Qed.
Lemma born_pos : forall b mu0 k, 0 < b -> 0 < born b mu0 k.
Proof. intros b mu0 k B. unfold born. apply RInt_gt_0; [lra|intros; now apply laplace_pos|intros; apply density_continuous]. Qed.
Lemma redrawn_pos : forall s b mu1, 0 < s -> 0 < b -> 0 < redrawn s b mu1.
Proof.
  intros s b mu1 S B. unfold redrawn. rewrite (RInt_ext _ (fun y => laplace b (y - mu1) * kept_closed s y)).
  - apply RInt_gt_0; [lra| |intros; now apply product_continuous]. intros x X. apply Rmult_lt_0_compat; [now apply laplace_pos|now apply closed_pos].
  - intros x [_ X]. rewrite Rmax_right in X by lra. now rewrite closed_form by lra.
Qed.
(* No factor c0 bounds the probability with a second appearance by the one without: for every c0 there is an event, the cell
   in [-k, -k + 1] and then the output in [0, 1], of positive probability, that refutes it. *)
(** refutation: thesis.laplace_privacy *)
Theorem unbounded : forall s b mu0 mu1 c0, 0 < s -> 0 < b -> exists k, 1 <= k /\
  0 < born b mu0 k * redrawn s b mu1 /\ c0 * born_and_kept s b mu0 k < born b mu0 k * redrawn s b mu1.
Proof.
  intros s b mu0 mu1 c0 S B. assert (Q := redrawn_pos s b mu1 S B). set (q := redrawn s b mu1) in *.
  destruct (unbounded_pointwise s (Rmax c0 0) (q / 2) S ltac:(lra)) as [k [K H]]. exists k.
  assert (P := born_pos b mu0 k B). split; [exact K|]. split; [now apply Rmult_lt_0_compat|].
  set (f := fun x => laplace b (x - mu0)).
  assert (Ef : ex_RInt f (- k) (- k + 1)) by (apply (ex_RInt_continuous f); intros; apply density_continuous).
  assert (Eg : ex_RInt (fun x => f x * kept s x) (- k) (- k + 1)).
  { apply (ex_RInt_ext (fun x => f x * kept_closed s x)).
    - intros x [_ X]. rewrite Rmax_right in X by lra. now rewrite closed_form by lra.
    - apply (ex_RInt_continuous (fun x => f x * kept_closed s x)). intros. now apply product_continuous. }
  set (c := Rmax c0 0) in *. assert (C : c0 <= c) by apply Rmax_l. assert (C0 : 0 <= c) by apply Rmax_r.
  assert (L : c * born_and_kept s b mu0 k <= q / 2 * born b mu0 k).
  { change (c * RInt (fun x => f x * kept s x) (- k) (- k + 1) <= q / 2 * RInt f (- k) (- k + 1)).
    assert (E1 : RInt (fun x => c * (f x * kept s x)) (- k) (- k + 1) = c * RInt (fun x => f x * kept s x) (- k) (- k + 1))
      by (apply (RInt_scal (fun x => f x * kept s x)); auto).
    assert (E2 : RInt (fun x => q / 2 * f x) (- k) (- k + 1) = q / 2 * RInt f (- k) (- k + 1)) by (apply (RInt_scal f); auto).
    rewrite <- E1, <- E2.
    apply RInt_le; [lra|now apply (ex_RInt_scal (fun x => f x * kept s x))|now apply (ex_RInt_scal f)|].
    intros x X. assert (0 < f x) by now apply laplace_pos. assert (Hx := H x ltac:(lra)). nra. }
  assert (N : 0 <= born_and_kept s b mu0 k).
  { change (0 <= RInt (fun x => f x * kept s x) (- k) (- k + 1)). apply RInt_ge_0; [lra|exact Eg|]. intros x X. assert (0 < f x) by now apply laplace_pos.
    rewrite closed_form by lra. assert (Z := closed_pos s x S). nra. }
  assert (c0 * born_and_kept s b mu0 k <= c * born_and_kept s b mu0 k) by (apply Rmult_le_compat_r; auto). nra.
Qed.
(* ---- any number of cells: the other cells are seen in [0, 1] and kept; the output is the sum of all cells, with noise ---- *)
Ltac on_reals := match goal with |- @eq _ ?a ?z => change (@eq R a z) end.
Section Cells.
Variables s b : R.
Hypothesis S : 0 < s.
Hypothesis B : 0 < b.
(* the others' means; [F] is what follows, given the sum of their cells *)
Fixpoint others_in (mus : list R) (F : R -> R) (sum : R) : R :=
  match mus with [] => F sum | mu :: t => RInt (fun v => laplace b (v - mu) * others_in t F (sum + v)) 0 1 end.
(* the cell of the user is seen in [-k, -k + 1], and the output is in [n, n + 1]: if the cell is kept, and if it is drawn again *)
Definition all_kept (mus : list R) (mu0 k : R) := let n := INR (length mus) in
  others_in mus (fun sum => RInt (fun x => laplace b (x - mu0) * laplace_in s (n - (x + sum)) (n + 1 - (x + sum))) (- k) (- k + 1)) 0.
Definition all_redrawn (mus : list R) (mu0 mu1 k : R) := let n := INR (length mus) in
  others_in mus (fun sum => born b mu0 k * RInt (fun y => laplace b (y - mu1) * laplace_in s (n - (y + sum)) (n + 1 - (y + sum))) (- 1) 0) 0.
Lemma far_above : forall n sum x, x <= 0 -> sum <= n -> laplace_in s (n - (x + sum)) (n + 1 - (x + sum)) = exp ((sum - n) / s) * kept_closed s x.
Proof.
  intros n sum x X N. rewrite laplace_above by lra. unfold kept_closed.
  replace (- (n - (x + sum)) / s) with ((sum - n) / s + - (0 - x) / s) by (field; lra).
  replace (- (n + 1 - (x + sum)) / s) with ((sum - n) / s + - (1 - x) / s) by (field; lra). rewrite !exp_plus. on_reals. field.
Qed.
Lemma one_far_above : forall mu n sum lo, lo + 1 <= 0 -> sum <= n ->
  RInt (fun x => laplace b (x - mu) * laplace_in s (n - (x + sum)) (n + 1 - (x + sum))) lo (lo + 1) =
  exp ((sum - n) / s) * RInt (fun x => laplace b (x - mu) * kept s x) lo (lo + 1).
Proof.
  intros mu n sum lo L N. assert (X : ex_RInt (fun x => laplace b (x - mu) * kept_closed s x) lo (lo + 1)) by (apply (ex_RInt_continuous (fun x => laplace b (x - mu) * kept_closed s x)); intros; now apply product_continuous).
  assert (E1 : RInt (fun x => laplace b (x - mu) * kept s x) lo (lo + 1) = RInt (fun x => laplace b (x - mu) * kept_closed s x) lo (lo + 1)).
  { apply RInt_ext. intros x [_ U]. rewrite Rmax_right in U by lra. now rewrite closed_form by lra. }
  assert (E2 : RInt (fun x => exp ((sum - n) / s) * (laplace b (x - mu) * kept_closed s x)) lo (lo + 1) = exp ((sum - n) / s) * RInt (fun x => laplace b (x - mu) * kept_closed s x) lo (lo + 1))
    by (apply (RInt_scal (fun x => laplace b (x - mu) * kept_closed s x)); exact X).
  rewrite E1, <- E2. apply RInt_ext. intros x [_ U]. rewrite Rmax_right in U by lra. rewrite far_above by lra. on_reals. ring.
Qed.
Definition share (mu : R) := RInt (fun v => laplace b (v - mu) * exp (v / s)) 0 1.
Lemma share_continuous : forall mu v, continuous (fun v => laplace b (v - mu) * exp (v / s)) v.
Proof.
  intros mu v. apply (continuous_mult (fun v => laplace b (v - mu))); [apply density_continuous|].
  apply continuity_pt_filterlim, derivable_continuous_pt. eexists. apply is_derive_Reals. auto_derive; [exact I|reflexivity].
Qed.
Lemma share_pos : forall mu, 0 < share mu.
Proof. intros mu. apply RInt_gt_0; [lra| |intros; apply share_continuous]. intros. apply Rmult_lt_0_compat; [now apply laplace_pos|apply exp_pos]. Qed.
Lemma others_factor : forall K n mus F sum, (forall z, z <= n -> F z = K * exp ((z - n) / s)) -> sum + INR (length mus) <= n ->
  others_in mus F sum = fold_right (fun mu z => share mu * z) 1 mus * (K * exp ((sum - n) / s)).
Proof.
  intros K n mus F. induction mus as [|mu mus IH]; intros sum H L; cbn [length] in L; cbn [others_in fold_right].
  - rewrite Rmult_1_l. apply H. cbn in L. lra.
  - rewrite S_INR in L. set (P := fold_right _ 1 mus) in *.
    assert (E0 : RInt (fun v => laplace b (v - mu) * others_in mus F (sum + v)) 0 1 = RInt (fun v => P * (K * exp ((sum - n) / s)) * (laplace b (v - mu) * exp (v / s))) 0 1).
    { apply RInt_ext. intros v [_ V]. rewrite Rmax_right in V by lra. rewrite IH by (auto; lra).
      replace ((sum + v - n) / s) with ((sum - n) / s + v / s) by (field; lra). rewrite exp_plus. on_reals. ring. }
    assert (E : RInt (fun v => P * (K * exp ((sum - n) / s)) * (laplace b (v - mu) * exp (v / s))) 0 1 = P * (K * exp ((sum - n) / s)) * share mu).
      { apply (RInt_scal (fun v => laplace b (v - mu) * exp (v / s))). apply (ex_RInt_continuous (fun v => laplace b (v - mu) * exp (v / s))). intros. apply share_continuous. }
    rewrite E0, E. on_reals. ring.
Qed.
(* For every number of other cells and their means, and every c0, an event of positive probability refutes the factor c0. *)
(** refutation: thesis.laplace_privacy *)
Theorem unbounded_cells : forall mus mu0 mu1 c0, exists k, 1 <= k /\ 0 < all_redrawn mus mu0 mu1 k /\ c0 * all_kept mus mu0 k < all_redrawn mus mu0 mu1 k.
Proof.
  intros mus mu0 mu1 c0. destruct (unbounded s b mu0 mu1 c0 S B) as [k [K [P U]]]. exists k. set (n := INR (length mus)). set (w := fold_right (fun mu z => share mu * z) 1 mus * exp ((0 - n) / s)).
  assert (W : 0 < w).
  { apply Rmult_lt_0_compat; [|apply exp_pos]. clear - S B. induction mus as [|mu mus IH]; cbn [fold_right]; [lra|]. apply Rmult_lt_0_compat; [apply share_pos|exact IH]. }
  assert (A : all_kept mus mu0 k = w * born_and_kept s b mu0 k).
  { unfold all_kept. fold n. rewrite (others_factor (born_and_kept s b mu0 k) n mus); [unfold w; on_reals; ring| |unfold n; lra].
    intros z Z. assert (Q := one_far_above mu0 n z (- k) ltac:(lra) Z). rewrite Q. unfold born_and_kept. on_reals. ring. }
  assert (C : all_redrawn mus mu0 mu1 k = w * (born b mu0 k * redrawn s b mu1)).
  { unfold all_redrawn. fold n. rewrite (others_factor (born b mu0 k * redrawn s b mu1) n mus); [unfold w; on_reals; ring| |unfold n; lra].
    intros z Z. assert (Q := one_far_above mu1 n z (- 1) ltac:(lra) Z). replace (- 1 + 1) with 0 in Q by ring. rewrite Q. unfold redrawn. on_reals. ring. }
  rewrite A, C. split; [exact K|]. split; [now apply Rmult_lt_0_compat|]. replace (c0 * (w * born_and_kept s b mu0 k)) with (w * (c0 * born_and_kept s b mu0 k)) by ring. now apply Rmult_lt_compat_l.
Qed.
End Cells.
(* no single event does for every factor *)
(** mutant: unbounded_cells *)
Example the_event_depends : ~ (forall mus, exists k, 1 <= k /\ forall c0, c0 * all_kept 1 1 mus 0 k < all_redrawn 1 1 mus 0 1 k).
Proof.
  intros H. destruct (H []) as [k [K U]]. assert (A : all_kept 1 1 [] 0 k = exp ((0 - 0) / 1) * born_and_kept 1 1 0 k) by (apply one_far_above; lra).
  assert (P : 0 < born_and_kept 1 1 0 k).
  { unfold born_and_kept. assert (E : RInt (fun x => laplace 1 (x - 0) * kept 1 x) (- k) (- k + 1) = RInt (fun x => laplace 1 (x - 0) * kept_closed 1 x) (- k) (- k + 1)).
    { apply RInt_ext. intros x [_ X]. rewrite Rmax_right in X by lra. now rewrite closed_form by lra. }
    rewrite E. apply RInt_gt_0; [lra| |intros; apply product_continuous; lra]. intros. apply Rmult_lt_0_compat; [apply laplace_pos; lra|apply closed_pos; lra]. }
  assert (Q : 0 < all_kept 1 1 [] 0 k) by (rewrite A; apply Rmult_lt_0_compat; auto using exp_pos).
  specialize (U (all_redrawn 1 1 [] 0 1 k / all_kept 1 1 [] 0 k)). unfold Rdiv in U. rewrite Rmult_assoc, Rinv_l in U by lra. lra.
Qed.
(** mutant: cell_private *)
Theorem no_smaller_budget : forall mu0 mu1 b c, 0 < b -> mu0 <= mu1 -> c < exp ((mu1 - mu0) / b) -> ~ (forall x, laplace b (x - mu1) <= c * laplace b (x - mu0)).
Proof.
  intros mu0 mu1 b c B M C H. specialize (H mu1). rewrite (cell_tight mu0) in H by lra. assert (P := laplace_pos b (mu1 - mu0) B). nra.
Qed.

(* ---- choices: the exponential mechanism, and weights that are proportional to a score ---- *)
Fixpoint sum (l : list R) := match l with [] => 0 | x :: t => x + sum t end.
Definition chosen (weights : list R) (i : nat) := nth i weights 0 / sum weights.
Definition exponential (rate : R) (scores : list R) := map (fun q => exp (rate * q)) scores.
Lemma sums : forall e l l', 0 < e -> Forall2 (fun a b => 0 < a /\ b <= e * a) l l' -> sum l' <= e * sum l.
Proof. intros e l l' E F. induction F as [|a b l l' [A B] F IH]; cbn [sum]; [lra|]. rewrite Rmult_plus_distr_l. now apply Rplus_le_compat. Qed.
Lemma sum_pos : forall l : list R, l <> [] -> Forall (fun x => 0 < x) l -> 0 < sum l.
Proof.
  intros l N F. assert (H : forall k : list R, Forall (fun x => 0 < x) k -> 0 <= sum k) by (intros k F0; induction F0; cbn [sum]; [lra|now apply Rplus_le_le_0_compat; [left|]]).
  inversion F; subst; [congruence|]. cbn. assert (Q := H l0 H1). lra.
Qed.
(* scores that differ by at most d for neighbours, and the rate eps / (2 d): each candidate keeps eps *)
(** claim: thesis.exponential_mechanism, bayesnet.privbayes_privacy *)
Theorem exponential_private : forall eps d scores scores' i, 0 < eps -> 0 < d -> (i < length scores)%nat ->
  Forall2 (fun a b => Rabs (a - b) <= d) scores scores' ->
  chosen (exponential (eps / (2 * d)) scores) i <= exp eps * chosen (exponential (eps / (2 * d)) scores') i.
Proof.
  intros eps d scores scores' i E D I F. set (k := eps / (2 * d)). assert (K : 0 < k) by (apply Rdiv_lt_0_compat; lra).
  set (h := exp (eps / 2)). assert (H0 : 0 < h) by apply exp_pos. assert (HH : exp eps = h * h) by (unfold h; rewrite <- exp_plus; f_equal; lra).
  assert (near : forall a b, Rabs (a - b) <= d -> exp (k * a) <= h * exp (k * b)).
  { intros a b A. unfold h. rewrite <- exp_plus. apply exp_grows. assert (B := Rle_abs (a - b)).
    assert (k * (a - b) <= k * d) by (apply Rmult_le_compat_l; lra). replace (k * d) with (eps / 2) in H by (unfold k; field; lra). lra. }
  assert (P : forall l, Forall (fun x => 0 < x) (exponential k l)) by (intros l; unfold exponential; induction l; constructor; auto using exp_pos).
  assert (L : length scores = length scores') by (clear - F; induction F; cbn; congruence).
  assert (top : nth i (exponential k scores) 0 <= h * nth i (exponential k scores') 0).
  { clear - F near I. revert i I. induction F as [|a b l l' A F IH]; intros [|i] I; cbn in *; try (exfalso; lia || Lia.lia); auto. apply IH. Lia.lia. }
  assert (bottom : sum (exponential k scores') <= h * sum (exponential k scores)).
  { apply sums; auto. clear - F near. induction F as [|a b l l' A F IH]; cbn; constructor; auto. split; [apply exp_pos|]. apply near. now rewrite Rabs_minus_sym. }
  assert (S : 0 < sum (exponential k scores)) by (apply sum_pos; auto; destruct scores; cbn in *; [Lia.lia|discriminate]).
  assert (S' : 0 < sum (exponential k scores')) by (apply sum_pos; auto; destruct scores, scores'; cbn in *; try Lia.lia; discriminate).
  assert (N : 0 <= nth i (exponential k scores) 0).
  { destruct (nth_in_or_default i (exponential k scores) 0) as [X| ->]; [|lra]. left. specialize (P scores). rewrite Forall_forall in P. auto. }
  unfold chosen. rewrite HH. apply Rmult_le_reg_r with (sum (exponential k scores) * sum (exponential k scores')); [nra|].
  replace (nth i (exponential k scores) 0 / sum (exponential k scores) * (sum (exponential k scores) * sum (exponential k scores')))
    with (nth i (exponential k scores) 0 * sum (exponential k scores')) by (field; lra).
  replace (h * h * (nth i (exponential k scores') 0 / sum (exponential k scores')) * (sum (exponential k scores) * sum (exponential k scores')))
    with (h * nth i (exponential k scores') 0 * (h * sum (exponential k scores))) by (field; lra).
  apply Rmult_le_compat; auto; lra.
Qed.
(* as PrivBayes is printed, with probabilities proportional to the score: a candidate of score 0 is never chosen, and of
   any other score it is; no factor bounds the two *)
(** refutation: bayesnet.privbayes_privacy *)
Theorem printed_weights_unbounded : forall d, 0 < d -> forall c0, ~ (forall scores scores' i, (i < length scores)%nat ->
  Forall2 (fun a b => Rabs (a - b) <= d) scores scores' -> chosen scores i <= c0 * chosen scores' i).
Proof.
  intros d D c0 H. assert (Z : Rabs (d - 0) <= d) by (rewrite Rabs_pos_eq; lra). assert (Z' : Rabs (d - d) <= d) by (rewrite Rabs_pos_eq; lra).
  specialize (H [d; d] [0; d] 0%nat ltac:(cbn; Lia.lia) ltac:(constructor; [exact Z|constructor; [exact Z'|constructor]])). unfold chosen in H. cbn in H.
  replace (d / (d + (d + 0))) with (1 / 2) in H by (field; lra). unfold Rdiv at 2 in H. lra.
Qed.
(** mutant: exponential_private *)
Theorem half_the_rate_needed : ~ (forall scores scores' i, (i < length scores)%nat -> Forall2 (fun a b => Rabs (a - b) <= 1) scores scores' ->
  chosen (exponential 2 scores) i <= exp 1 * chosen (exponential 2 scores') i).
Proof.
  intros H. specialize (H [1; 0] [0; 1] 0%nat ltac:(cbn; Lia.lia)). assert (F : Forall2 (fun a b => Rabs (a - b) <= 1) [1; 0] [0; 1])
    by (constructor; [|constructor; [|constructor]]; unfold Rabs; destruct (Rcase_abs _); lra).
  specialize (H F). unfold chosen, exponential in H. cbn in H. rewrite !Rmult_0_r, !Rmult_1_r, exp_0, !Rplus_0_r in H.
  assert (E : exp 2 = exp 1 * exp 1) by (rewrite <- exp_plus; f_equal; lra). assert (X : 2 < exp 1) by (replace 2 with (1 + 1) by ring; apply exp_ineq1; lra).
  set (e := exp 1) in *. rewrite E in H. apply (Rmult_le_compat_r ((1 + e * e))) in H; [|nra].
  replace (e * e / (e * e + 1) * (1 + e * e)) with (e * e) in H by (field; nra). replace (e * (1 / (1 + e * e)) * (1 + e * e)) with e in H by (field; nra). nra.
Qed.
(* two candidates: of equal scores each has 1/2, of the scores 0 and 1 the first is never chosen *)
(** instance: printed_weights_unbounded *)
Example never_chosen : chosen [1; 1] 0 = 1 / 2 /\ chosen [0; 1] 0 = 0.
Proof. unfold chosen. cbn. split; field. Qed.
(** mutant: cell_tight *)
Example above_both_means : ~ (forall mu0 mu1 b x, 0 < b -> mu0 <= mu1 -> laplace b (x - mu1) = exp ((mu1 - mu0) / b) * laplace b (x - mu0)).
Proof.
  intros H. specialize (H 0 1 1 0 ltac:(lra) ltac:(lra)). assert (A := cell_tight (- (1)) 0 1 0 ltac:(lra) ltac:(lra)).
  assert (E : laplace 1 (0 - 1) = laplace 1 (0 - - (1))) by (assert (R : Rabs (0 - 1) = Rabs (0 - - (1))) by (unfold Rabs; repeat destruct (Rcase_abs _); lra); unfold laplace; now rewrite R).
  replace ((1 - 0) / 1) with 1 in H by field. replace ((0 - - (1)) / 1) with 1 in A by field. rewrite E in H. rewrite H in A.
  assert (P := laplace_pos 1 (0 - 0) ltac:(lra)). assert (X : 2 < exp 1) by (replace 2 with (1 + 1) by ring; apply exp_ineq1; lra).
  assert (Q := laplace_pos 1 (0 - - (1)) ltac:(lra)). rewrite <- H in A. nra.
Qed.
(* the state alone has a bounded loss: the output is what breaks it *)
(** mutant: unbounded *)
Example output_needed : forall b mu0 mu1, 0 < b -> mu0 <= mu1 -> ~ (forall c0, exists k, c0 * born b mu0 k < born b mu1 k).
Proof.
  intros b mu0 mu1 B M H. destruct (H (exp ((mu1 - mu0) / b))) as [k K]. apply (Rlt_not_le _ _ K). unfold born.
  assert (C : forall mu, ex_RInt (fun x => laplace b (x - mu)) (- k) (- k + 1)) by (intros; apply (ex_RInt_continuous (fun x => laplace b (x - mu))); intros; apply density_continuous).
  assert (S : RInt (fun x => exp ((mu1 - mu0) / b) * laplace b (x - mu0)) (- k) (- k + 1) = exp ((mu1 - mu0) / b) * RInt (fun x => laplace b (x - mu0)) (- k) (- k + 1))
    by (apply (RInt_scal (fun x => laplace b (x - mu0))); auto).
  rewrite <- S. apply RInt_le; [lra|auto|apply (ex_RInt_scal (fun x => laplace b (x - mu0))); auto|]. intros x _. now apply cell_private.
Qed.
