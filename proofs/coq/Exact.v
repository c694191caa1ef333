(* What makes the losses exact: of the four ratios two are the largest where the noise is symmetric; they are attained for
   every hash and geometry in which a user has a cell; the Laplace cell uses its budget on both sides.
   Claims: joint_loss.tight, distinct.joint_privacy, distinct.shards, distinct.releases, laplace_cells.state_privacy. *)
From Coq Require Import Reals Psatz Lra List Bool ZArith Lia.
From Pan Require Import Semantics OneCell JointLoss Streams Attained Refuted.
From Pan Require Laplace.
From Coq Require QArith_base Qreduction.
Import ListNotations.
Open Scope R_scope.

(* the noisy counts of all levels, of a state with the one bit c; other levels count zero *)
Definition others_level (level : nat -> nat) (c : nat) (f : Z -> R) (y : nat -> Z) (l : list nat) : R :=
  fold_right (fun i k => (if Nat.eqb (level c) i then 1 else f (y i)) * k) 1 l.
Lemma ones_part_zero : forall m a, ones (part a (repeat false m)) = 0%Z.
Proof. induction m; intros a; cbn; auto. rewrite andb_false_r. now rewrite IHm. Qed.
Lemma ones_part_bit : forall m c b a, (c < m)%nat -> ones (part a (one_bit m c b)) = if a c && b then 1%Z else 0%Z.
Proof.
  unfold one_bit. induction m; intros [|c] b a H; try lia; cbn [repeat set part ones].
  - rewrite ones_part_zero. destruct (a 0%nat && b); reflexivity.
  - rewrite IHm by lia. rewrite andb_false_r. reflexivity.
Qed.
Lemma levels_run : forall cell p0 p1 level f y m c b l, (c < m)%nat -> NoDup l -> In (level c) l ->
  run (compile cell p0 p1 (map (fun i => Obs (release_of (in_group level i) f (y i))) l)) (one_bit m c b) =
  f (y (level c) - (if b then 1 else 0))%Z * others_level level c f y l.
Proof.
  intros cell p0 p1 level f y m c b l C.
  assert (W : forall i, release_of (in_group level i) f (y i) (one_bit m c b) = f (y i - (if Nat.eqb (level c) i && b then 1 else 0))%Z).
  { intros i. unfold release_of. now rewrite ones_part_bit. }
  assert (N : forall l, ~ In (level c) l -> run (compile cell p0 p1 (map (fun i => Obs (release_of (in_group level i) f (y i))) l)) (one_bit m c b) =
    others_level level c f y l).
  { induction l0 as [|i l0 IH]; intros I; cbn [map compile run others_level fold_right]; [reflexivity|].
    cbn [mul reals]. rewrite IH by (intros Q; apply I; now right). rewrite W.
    destruct (Nat.eqb_spec (level c) i) as [E|E]; [exfalso; apply I; now left|]. cbn [andb]. now rewrite Z.sub_0_r. }
  induction l as [|i l IH]; intros D I; [destruct I|]. inversion D; subst. cbn [map compile run others_level fold_right]. cbn [mul reals].
  rewrite W. destruct (Nat.eqb_spec (level c) i) as [E|E].
  - subst i. rewrite N by auto. cbn [andb]. fold (others_level level c f y l). ring.
  - destruct I as [I|I]; [congruence|]. rewrite IH by auto. cbn [andb]. rewrite Z.sub_0_r. fold (others_level level c f y l). ring.
Qed.
(* Both limits are attained for every hash, sample and geometry in which the user has a cell. *)
(** claim: distinct.joint_privacy, distinct.shards *)
Theorem levels_attained : forall p0 p1 (cell : nat -> nat) m u level n f y, 0 < p0 /\ p0 < p1 /\ p1 < 1 ->
  (cell u < m)%nat -> (level (cell u) < n)%nat ->
  let obs pre b suf := observed cell m p0 p1 (pre ++ [Obs (look (one_bit m (cell u) b))] ++ suf ++ levels level n f y) in
  let z := y (level (cell u)) in
  (forall hi, f (z - 1)%Z = hi * f z -> obs [] false [Enter u] = (1 - p0) / (1 - p1) * (1 - p1 + p1 * hi) * obs [Enter u] false []) /\
  (forall lo, 0 < lo -> f (z - 1)%Z = lo * f z -> obs [Enter u] true [Enter u] = p1 / p0 * (p1 + (1 - p1) / lo) * obs [] true []).
Proof.
  intros p0 p1 cell m u level n f y P C V obs z.
  assert (L : forall b, run (compile cell p0 p1 (levels level n f y)) (one_bit m (cell u) b) =
    f (z - (if b then 1 else 0))%Z * others_level level (cell u) f y (seq 0 n)).
  { intros b. unfold levels. apply levels_run; auto using seq_NoDup. apply in_seq. lia. }
  assert (R1 : repeat p0 m = put (cell u) p0 (repeat p0 m)) by (symmetry; apply put_repeat).
  assert (M : forall x b o, mass (put (cell u) x (repeat p0 m)) (See (look (one_bit m (cell u) b)) :: o) =
    rest_zero p0 m * pr x b * run o (one_bit m (cell u) b)).
  { intros. rewrite mass_look by (now rewrite one_bit_length, put_length, repeat_length). now rewrite prob_bit by auto. }
  assert (S : forall b o, mass (repeat p0 m) (See (look (one_bit m (cell u) b)) :: o) = rest_zero p0 m * pr p0 b * run o (one_bit m (cell u) b)).
  { intros. rewrite R1. apply M. }
  split; intros q; intros; unfold obs, observed; cbn [app compile]; rewrite mass_draw || idtac; rewrite ?M, ?S;
    cbn [run]; unfold mix; cbn [add sub mul one reals]; rewrite ?mass_draw, ?M, ?S, ?set_bit, ?L; cbn [run pr]; unfold mix; cbn [add sub mul one reals];
    rewrite ?set_bit, ?L, ?Z.sub_0_r.
  - rewrite H. field. lra.
  - rewrite H0. field. lra.
Qed.

(* the same with several releases of all levels *)
Lemma run_levels_then : forall cell p0 p1 level f y e s l,
  run (compile cell p0 p1 (map (fun i => Obs (release_of (in_group level i) f (y i))) l ++ e)) s =
  run (compile cell p0 p1 (map (fun i => Obs (release_of (in_group level i) f (y i))) l)) s * run (compile cell p0 p1 e) s.
Proof. induction l as [|i l IH]; cbn [map app compile run]; cbn [one mul reals]; [ring|]. rewrite IH. ring. Qed.
Definition level_releases (level : nat -> nat) (n : nat) (f : Z -> R) (y : nat -> Z) (k : nat) : list (event R) :=
  concat (repeat (levels level n f y) k).
(** claim: distinct.releases *)
Theorem level_releases_attained : forall p r (cell : nat -> nat) m u level n k f y, 1 / 2 < p < 1 ->
  (cell u < m)%nat -> (level (cell u) < n)%nat ->
  let obs pre suf := observed cell m (1 - p) p (pre ++ [Obs (look (one_bit m (cell u) false))] ++ suf ++ level_releases level n f y k) in
  let z := y (level (cell u)) in
  f (z - 1)%Z = r * f z -> obs [] [Enter u] = p / (1 - p) * (1 - p + p * r ^ k) * obs [Enter u] [].
Proof.
  intros p r cell m u level n k f y P C V obs z E. set (g := others_level level (cell u) f y (seq 0 n)).
  assert (L : forall b, run (compile cell (1 - p) p (level_releases level n f y k)) (one_bit m (cell u) b) =
    (if b then r ^ k else 1) * (f z * g) ^ k).
  { intros b. unfold level_releases. induction k as [|j IH]; cbn [repeat concat].
    - cbn. destruct b; ring.
    - unfold levels at 1. rewrite run_levels_then, IH, levels_run by (auto using seq_NoDup; apply in_seq; lia).
      fold g. fold z. destruct b; rewrite ?E, ?Z.sub_0_r; cbn [pow]; ring. }
  assert (R1 : repeat (1 - p) m = put (cell u) (1 - p) (repeat (1 - p) m)) by (symmetry; apply put_repeat).
  assert (M : forall x b o, mass (put (cell u) x (repeat (1 - p) m)) (See (look (one_bit m (cell u) b)) :: o) =
    rest_zero (1 - p) m * pr x b * run o (one_bit m (cell u) b)).
  { intros. rewrite mass_look by (now rewrite one_bit_length, put_length, repeat_length). now rewrite prob_bit by auto. }
  assert (S : forall b o, mass (repeat (1 - p) m) (See (look (one_bit m (cell u) b)) :: o) = rest_zero (1 - p) m * pr (1 - p) b * run o (one_bit m (cell u) b)).
  { intros. rewrite R1. apply M. }
  unfold obs, observed; cbn [app compile]. rewrite mass_draw, M, S. cbn [run]; unfold mix; cbn [add sub mul one reals].
  rewrite !set_bit, !L. cbn [pr]. field. lra.
Qed.

(* noise of the limits 1/r and r: of the four ratios two bound the others, without deletions and with them *)
Lemma product_above : forall t r, 0 <= t <= 1 -> 1 <= r -> 1 <= (1 - t + t * r) * (1 - t + t * / r).
Proof.
  intros t r T R1. assert (rr : r * / r = 1) by (apply Rinv_r; lra). assert (0 < / r) by (apply Rinv_0_lt_compat; lra).
  replace ((1 - t + t * r) * (1 - t + t * / r)) with (1 + t * (1 - t) * (r + / r - 2) + t * t * (r * / r - 1)) by ring. rewrite rr.
  assert (0 <= r + / r - 2) by (replace (r + / r - 2) with ((r - 1) * (r - 1) * / r) by (field; lra); apply Rmult_le_pos; nra).
  assert (0 <= t * (1 - t) * (r + / r - 2)) by (apply Rmult_le_pos; nra). lra.
Qed.
(** claim: joint_loss.tight *)
Theorem two_ratios : forall (deletions : bool) p0 p1 r c0, 0 < p0 /\ p0 < p1 /\ p1 < 1 -> 1 <= r ->
  let least := if deletions then p0 else p1 in
  (keeps p0 p1 least (/ r) r c0 <->
   (1 - p0) / (1 - p1) * (1 - p1 + p1 * r) <= c0 /\ p1 / p0 * (least + (1 - least) * r) <= c0).
Proof.
  intros deletions p0 p1 r c0 P R1 least. assert (I : 0 < / r <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
  assert (A := A_one p0 p1 P). assert (B := B_one p0 p1 P). assert (LL : p0 <= least <= p1) by (unfold least; destruct deletions; lra).
  assert (X := product_above p1 r ltac:(lra) R1). assert (Y := product_above (1 - least) r ltac:(lra) R1).
  replace (1 - (1 - least)) with least in Y by ring. unfold keeps. replace ((1 - least) / / r) with ((1 - least) * r) by (field; lra). replace ((1 - least) / r) with ((1 - least) * / r) by (field; lra).
  split; [intros H; tauto|]. intros [H1 H2].
  assert (lower : forall a s t, 0 < a -> 0 < t -> 1 <= s * t -> a * s <= c0 -> a <= c0 * t).
  { intros a s t A0 T ST H. assert (a * s * t <= c0 * t) by (apply Rmult_le_compat_r; lra). assert (a * 1 <= a * (s * t)) by (apply Rmult_le_compat_l; lra). lra. }
  repeat split; try lra.
  - apply (lower _ (1 - p1 + p1 * r)); auto; try lra. nra.
  - apply (lower _ (least + (1 - least) * r)); auto; try lra. unfold Rdiv. nra.
Qed.

(* a Laplace cell uses its budget below both means, too *)
(** claim: laplace_cells.state_privacy *)
Theorem cell_tight_below : forall mu0 mu1 b x, 0 < b -> x <= mu0 <= mu1 ->
  laplace b (x - mu0) = exp ((mu1 - mu0) / b) * laplace b (x - mu1).
Proof.
  intros mu0 mu1 b x B [X M]. assert (E := Laplace.cell_tight (- mu1) (- mu0) b (- x) B ltac:(lra)).
  assert (S : forall z, laplace b (- z) = laplace b z) by (intros; unfold laplace; now rewrite Rabs_Ropp).
  replace (- x - - mu0) with (- (x - mu0)) in E by ring. replace (- x - - mu1) with (- (x - mu1)) in E by ring.
  replace (- mu0 - - mu1) with (mu1 - mu0) in E by ring. now rewrite !S in E.
Qed.

(* ---- controls ---- *)
(** instance: two_ratios *)
Example two_at_two : keeps (1 / 4) (3 / 4) (3 / 4) (/ 2) 2 (21 / 4).
Proof. apply (two_ratios false); lra. Qed.
(* the first of the two ratios alone is not enough *)
(** mutant: two_ratios *)
Example one_ratio_is_too_few : ~ (forall p0 p1 r c0, 0 < p0 /\ p0 < p1 /\ p1 < 1 -> 1 <= r ->
  (1 - p0) / (1 - p1) * (1 - p1 + p1 * r) <= c0 -> keeps p0 p1 p1 (/ r) r c0).
Proof.
  intros H. assert (K := H (1 / 10) (1 / 5) 2 (27 / 20) ltac:(lra) ltac:(lra) ltac:(lra)).
  apply (two_ratios false) in K; lra.
Qed.
(** mutant: cell_tight_below *)
Example below_both_means : ~ (forall mu0 mu1 b x, 0 < b -> mu0 <= mu1 -> laplace b (x - mu0) = exp ((mu1 - mu0) / b) * laplace b (x - mu1)).
Proof.
  intros H. specialize (H 0 1 1 1 ltac:(lra) ltac:(lra)). assert (A := Laplace.cell_tight 0 1 1 1 ltac:(lra) ltac:(lra)).
  replace ((1 - 0) / 1) with 1 in * by field. rewrite A in H. assert (P := Laplace.laplace_pos 1 (1 - 0) ltac:(lra)).
  assert (X : 2 < exp 1) by (replace 2 with (1 + 1) by ring; apply exp_ineq1; lra).
  assert (F : 4 < exp 1 * exp 1) by nra. apply (Rmult_lt_compat_r (laplace 1 (1 - 0))) in F; [|exact P].
  rewrite Rmult_assoc in F. lra.
Qed.
(* a level that is not released shows nothing of its cells *)
(** mutant: levels_attained, level_releases_attained *)
Example the_level_is_released : ~ (forall (level : nat -> nat) n (f : Z -> R) (y : nat -> Z), f (y (level 0%nat) - 1)%Z = 2 * f (y (level 0%nat)) ->
  let obs pre suf := observed (fun v => v) 1 (1 / 4) (3 / 4) (pre ++ [Obs (look (one_bit 1 0 false))] ++ suf ++ levels level n f y) in
  obs [] [Enter 0%nat] = (1 - 1 / 4) / (1 - 3 / 4) * (1 - 3 / 4 + 3 / 4 * 2) * obs [Enter 0%nat] []).
Proof.
  intros H. specialize (H (fun _ => 0%nat) 0%nat (fun _ => 0) (fun _ => 0%Z) ltac:(cbv beta; ring)). unfold observed, levels in H. cbn [seq map app compile] in H.
  rewrite mass_draw, !mass_look in H by reflexivity. cbn in H. unfold mix in H. cbn in H. lra.
Qed.
(* all users share the cell 1 of two cells, each a level: one release of both levels, and two *)
(** instance: levels_attained, level_releases_attained *)
Example shared_cells : let f z := QArith_base.Qdiv (QArith_base.Qmake 2 1) (QArith_base.inject_Z (2 ^ Z.abs z)) in
  let once := [Obs (release_of (in_group (fun c => c) 0) f 1); Obs (release_of (in_group (fun c => c) 1) f 1)] in
  let seen one two e := observed (fun _ => 1%nat) 2 (QArith_base.Qmake 1 4) (QArith_base.Qmake 3 4) (one ++ [Obs (look [false; false])] ++ two ++ e) in
  let u := [Enter 5%nat] in
  Qreduction.Qred (QArith_base.Qdiv (seen [] u once) (seen u [] once)) = QArith_base.Qmake 21 4 /\
  Qreduction.Qred (QArith_base.Qdiv (seen [] u (once ++ once)) (seen u [] (once ++ once))) = QArith_base.Qmake 39 4.
Proof. vm_compute. auto. Qed.
