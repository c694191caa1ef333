(* The empirical mutual information of two attributes, of which one record is replaced: its exact sensitivity for every number of
   records and all finite domains, in every base. Claim: bayesnet.mutual_information_sensitivity. *)
From Coq Require Import Reals Psatz Lra List Lia Arith.
From Pan Require Import Laplace Tables.
Import ListNotations.
Open Scope R_scope.

(* ---- the weight x ln x of a count; the gain of one more record rises, by less and less ---- *)
Definition phi (x : R) := x * ln x.
Definition gain (x : R) := phi (x + 1) - phi x.
Definition d (k : nat) := gain (INR k).
Lemma gain_derives : forall x, 0 < x -> derivable_pt_lim gain x (ln (x + 1) - ln x).
Proof.
  intros x X. assert (one : forall x, 0 < x -> derivable_pt_lim phi x (1 * ln x + x * / x)) by (intros; apply derivable_pt_lim_mult; [apply derivable_pt_lim_id|now apply derivable_pt_lim_ln]).
  replace (ln (x + 1) - ln x) with ((1 * ln (x + 1) + (x + 1) * / (x + 1)) * (1 + 0) - (1 * ln x + x * / x)) by (field; lra).
  apply derivable_pt_lim_minus; [|now apply one]. apply (derivable_pt_lim_comp (fun x => x + 1) phi); [|apply one; lra].
  apply derivable_pt_lim_plus; [apply derivable_pt_lim_id|apply derivable_pt_lim_const].
Qed.
Lemma slope : forall a b, 0 < a < b -> exists c, a < c < b /\ gain b - gain a = (ln (c + 1) - ln c) * (b - a).
Proof. intros a b [A B]. destruct (MVT_cor2 gain (fun c => ln (c + 1) - ln c) a b B) as [c [E C]]; [intros c C; apply gain_derives; lra|]. eauto. Qed.
Lemma less_steep : forall a b, 0 < a < b -> ln (b + 1) - ln b < ln (a + 1) - ln a.
Proof. intros a b [A B]. assert (L : ln ((b + 1) * a) < ln ((a + 1) * b)) by (apply ln_increasing; nra). rewrite !ln_mult in L by lra. lra. Qed.
Lemma gain_0 : gain 0 = 0. Proof. unfold gain, phi. rewrite Rplus_0_l, ln_1. ring. Qed.
Lemma gain_1 : gain 1 = 2 * ln 2. Proof. unfold gain, phi. rewrite ln_1. replace (1 + 1) with 2 by ring. ring. Qed.
Lemma d_concave : forall k, 0 <= d (S (S k)) - d (S k) <= d (S k) - d k.
Proof.
  intros k. unfold d. rewrite !S_INR. set (x := INR k). assert (X : 0 <= x) by apply pos_INR.
  destruct (slope (x + 1) (x + 1 + 1)) as [c [C ->]]; [lra|]. replace (x + 1 + 1 - (x + 1)) with 1 by ring. rewrite Rmult_1_r.
  assert (U : ln c < ln (c + 1)) by (apply ln_increasing; lra). split; [lra|]. destruct X as [X|<-].
  - destruct (slope x (x + 1)) as [e [E ->]]; [lra|]. replace (x + 1 - x) with 1 by ring. assert (L := less_steep e c). lra.
  - rewrite Rplus_0_l, gain_0, gain_1 in *. assert (L := less_steep 1 c ltac:(lra)). rewrite ln_1 in L. replace (1 + 1) with 2 in L by ring. assert (0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra). lra.
Qed.
Lemma d_0 : d 0 = 0. Proof. exact gain_0. Qed.
Lemma d_steps : forall k, 0 <= d (S k) - d k.
Proof. intros k. assert (H := d_concave k). lra. Qed.
Lemma d_rises : forall k m, (k <= m)%nat -> d k <= d m.
Proof. induction 1; [lra|]. assert (S := d_steps m). lra. Qed.
Lemma d_pos : forall k, 0 <= d k. Proof. intros. rewrite <- d_0. apply d_rises. lia. Qed.
Lemma d_later : forall h k m, (k <= m)%nat -> d (m + h) - d m <= d (k + h) - d k.
Proof.
  intros h k m L. induction L; [lra|]. apply Rle_trans with (2 := IHL). clear. induction h as [|h IH]; [rewrite !Nat.add_0_r; lra|].
  assert (C := d_concave (m + h)). rewrite !Nat.add_succ_r. cbn [Nat.add] in *. lra.
Qed.
Lemma d_sub : forall a b, (a <= b)%nat -> d b - d a <= d (b - a).
Proof. intros a b L. assert (H := d_later (b - a) 0 a ltac:(lia)). rewrite d_0 in H. replace (a + (b - a))%nat with b in H by lia. cbn in H. lra. Qed.
(* The largest sum of two gains: the two are as equal as possible. *)
Definition middle (m : nat) := d (m / 2) + d (m - m / 2).
Lemma at_middle : forall m a b, (a + b <= m)%nat -> d a + d b <= middle m.
Proof.
  intros m. unfold middle. assert (H := Nat.div_mod m 2 ltac:(lia)). assert (M := Nat.mod_upper_bound m 2 ltac:(lia)). set (k := (m / 2)%nat) in *.
  assert (half : forall a b, (a <= k)%nat -> (a + b <= m)%nat -> d a + d b <= d k + d (m - k)).
  { intros a b A L. assert (B := d_rises b (m - a) ltac:(lia)). assert (T := d_later (k - a) a (m - k) ltac:(lia)).
    replace (a + (k - a))%nat with k in T by lia. replace (m - k + (k - a))%nat with (m - a)%nat in T by lia. lra. }
  intros a b L. destruct (le_lt_dec a k) as [A|A]; [now apply half|]. rewrite Rplus_comm. apply half; lia.
Qed.

(* ---- the cost of a record whose row, column and cell have r, c and n of the others ---- *)
Definition cost (n r c : nat) := d r + d c - d n.
Lemma cost_wide : forall m n r c, (n <= r)%nat -> (n <= c)%nat -> (r + c <= m + n)%nat -> 0 <= cost n r c <= middle m.
Proof.
  intros m n r c R C L. unfold cost. assert (H := d_rises n c C). assert (P := d_pos r). assert (S := d_sub n c C). assert (M := at_middle m r (c - n) ltac:(lia)). lra.
Qed.
Lemma cost_narrow : forall m n r c n' r' c', (n <= c)%nat -> (n' <= r')%nat -> (n' <= c')%nat -> (r <= m)%nat -> (c <= n + r')%nat -> cost n r c - cost n' r' c' <= d m.
Proof.
  intros. unfold cost. assert (A := d_sub n c ltac:(lia)). assert (B := d_rises (c - n) r' ltac:(lia)). assert (E := d_rises n' c' ltac:(lia)). assert (F := d_rises r m ltac:(lia)). lra.
Qed.
Lemma cost_same : forall m n r c n' c', (n' <= c')%nat -> (c <= m)%nat -> cost n r c - cost n' r c' <= d m.
Proof. intros. unfold cost. assert (A := d_pos n). assert (E := d_rises n' c' ltac:(lia)). assert (F := d_rises c m ltac:(lia)). lra. Qed.

(* ---- the published values ---- *)
Definition printed_binary (n : R) := ln n / n + (n - 1) / n * ln (n / (n - 1)).
Definition printed_wide (n : R) := 2 / n * ln ((n + 1) / 2) + (n - 1) / n * ln ((n + 1) / (n - 1)).
Lemma binary_value : forall m, (0 < m)%nat -> d m / INR (S m) = printed_binary (INR (S m)).
Proof.
  intros m M. apply lt_0_INR in M. unfold d, gain, phi, printed_binary. rewrite S_INR. set (x := INR m) in *. replace (x + 1 - 1) with x by ring. unfold Rdiv at 4.
  rewrite ln_mult, ln_Rinv by (auto using Rinv_0_lt_compat; lra). field. lra.
Qed.
Lemma wide_value : forall x, 0 < x -> 2 * gain (x / 2) / (x + 1) = printed_wide (x + 1).
Proof.
  intros x X. unfold gain, phi, printed_wide. replace (x + 1 - 1) with x by ring. replace (x / 2 + 1) with ((x + 2) / 2) by field. replace (x + 1 + 1) with (x + 2) by ring.
  unfold Rdiv. rewrite !ln_mult, !ln_Rinv by (auto using Rinv_0_lt_compat; try apply Rinv_0_lt_compat; lra). field. lra.
Qed.
Lemma middle_even : forall k, middle (2 * k) = 2 * gain (INR (2 * k) / 2).
Proof.
  intros k. unfold middle, d. replace (2 * k / 2)%nat with k by (rewrite Nat.mul_comm, Nat.div_mul; lia). replace (2 * k - k)%nat with k by lia.
  rewrite mult_INR. replace (INR 2 * INR k / 2) with (INR k) by (cbn; field). ring.
Qed.
Lemma middle_odd : forall k, middle (2 * k + 1) < 2 * gain (INR (2 * k + 1) / 2).
Proof.
  intros k. unfold middle, d. replace ((2 * k + 1) / 2)%nat with k by (rewrite (Nat.mul_comm 2), Nat.div_add_l by lia; cbn; lia). replace (2 * k + 1 - k)%nat with (S k) by lia.
  replace (INR (2 * k + 1) / 2) with (INR k + / 2) by (rewrite plus_INR, mult_INR; cbn; field). rewrite S_INR. set (x := INR k). assert (X : 0 <= x) by apply pos_INR. destruct X as [X|X].
  - destruct (slope x (x + / 2)) as [c [C A]]; [lra|]. destruct (slope (x + / 2) (x + 1)) as [e [F B]]; [lra|]. assert (L := less_steep c e ltac:(lra)). lra.
  - rewrite <- X, !Rplus_0_l, gain_0, gain_1. unfold gain, phi. rewrite ln_Rinv by lra. replace (/ 2 + 1) with (3 / 2) by field. assert (T : ln 2 < ln (27 / 8)) by (apply ln_increasing; lra).
    replace (27 / 8) with (3 / 2 * (3 / 2) * (3 / 2)) in T by field. rewrite !ln_mult in T by lra. lra.
Qed.
Lemma middle_printed : forall m, middle m <= 2 * gain (INR m / 2).
Proof. intros m. destruct (Nat.Even_or_Odd m) as [[k ->]|[k ->]]; [right; apply middle_even|left; apply middle_odd]. Qed.
Lemma shares : forall base n a b m, 1 < base -> 0 < n -> a <= m -> b <= m -> a = - b -> Rabs (a / n / ln base) <= m / n / ln base.
Proof.
  intros base n a b m E N P Q S. assert (0 < ln base) by (rewrite <- ln_1; apply ln_increasing; lra). unfold Rdiv. rewrite !Rabs_mult, (Rabs_pos_eq (/ n)), (Rabs_pos_eq (/ ln base)) by (left; now apply Rinv_0_lt_compat).
  repeat (apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]). unfold Rabs. destruct (Rcase_abs a); lra.
Qed.

(* ---- the information of a table, from its frequencies, and by the weights of its counts ---- *)
Lemma picks : forall C (dec : forall x y : C, {x = y} + {x <> y}) x g cells, NoDup cells -> In x cells -> sum (map (fun v => is dec x v * g v) cells) = g x.
Proof.
  intros C dec x g cells N. induction N as [|v l I N IH]; cbn; [easy|]. intros [->|J]; unfold is at 1.
  - destruct (dec x x) as [_|F]; [|easy]. replace (sum (map (fun v => is dec x v * g v) l)) with 0; [ring|]. clear - I.
    induction l as [|w l IH]; cbn; auto. rewrite <- IH by (intros J; apply I; now right). unfold is. destruct (dec x w) as [->|D]; [exfalso; apply I; now left|ring].
  - destruct (dec x v) as [->|D]; [easy|]. rewrite IH by auto. ring.
Qed.
Lemma sum_ext : forall C (l : list C) f g, (forall v, In v l -> f v = g v) -> sum (map f l) = sum (map g l).
Proof. intros. f_equal. now apply map_ext_in. Qed.
Lemma counted : forall C (dec : forall x y : C, {x = y} + {x <> y}) t v, frequency dec t v = INR (count_occ dec t v) / INR (length t).
Proof. intros. unfold frequency. f_equal. induction t as [|x t IH]; [reflexivity|]. cbn [map sum count_occ]. rewrite IH. unfold is. destruct (dec x v); rewrite ?S_INR; lra. Qed.
Lemma by_records : forall C (dec : forall x y : C, {x = y} + {x <> y}) g t cells, NoDup cells -> incl t cells -> sum (map (fun v => INR (count_occ dec t v) * g v) cells) = sum (map g t).
Proof.
  intros C dec g t cells N. induction t as [|x t IH]; intros I.
  - cbn. clear. induction cells as [|v l IH]; cbn; auto. rewrite IH. ring.
  - cbn [map sum]. rewrite <- IH by (intros v J; apply I; now right). rewrite <- (picks C dec x g cells N (I x (or_introl eq_refl))).
    clear. induction cells as [|v l IH]; cbn [map sum]; [ring|]. rewrite IH. cbn [count_occ]. unfold is at 2. destruct (dec x v); rewrite ?S_INR; ring.
Qed.
Definition weights {C} (dec : forall x y : C, {x = y} + {x <> y}) t cells := sum (map (fun v => phi (INR (count_occ dec t v))) cells).
Lemma weights_move : forall C (dec : forall x y : C, {x = y} + {x <> y}) one two x cells, NoDup cells -> In x cells ->
  weights dec (one ++ x :: two) cells = weights dec (one ++ two) cells + d (count_occ dec (one ++ two) x).
Proof.
  intros C dec one two x cells N I. rewrite <- (picks C dec x (fun v => d (count_occ dec (one ++ two) v)) cells N I). unfold weights. clear.
  induction cells as [|v l IH]; cbn [map sum]; [ring|]. rewrite IH. rewrite !count_occ_app. cbn [count_occ]. unfold is at 2, d, gain. destruct (dec x v); rewrite ?Nat.add_succ_r, ?S_INR; ring.
Qed.
Lemma product_once : forall A B xs ys, NoDup xs -> NoDup ys -> NoDup (@list_prod A B xs ys).
Proof.
  intros A B xs ys N M. induction N as [|x xs I N IH]; cbn; [constructor|].
  assert (app : forall l k : list (A * B), NoDup l -> NoDup k -> (forall v, In v l -> ~ In v k) -> NoDup (l ++ k)).
  { clear. induction l as [|v l IH]; intros k L K D; cbn; auto. inversion L; subst. constructor; [|apply IH; auto; intros w W; apply D; now right].
    rewrite in_app_iff. intros [J|J]; [easy|]. apply (D v); [now left|easy]. }
  apply app; auto.
  - clear - M. induction M as [|y ys J M IH]; cbn; constructor; auto. rewrite in_map_iff. intros [z [E Z]]. congruence.
  - intros [a b] J K. apply in_map_iff in J as [z [E _]]. inversion E; subst. now apply in_prod_iff in K.
Qed.
Lemma sum_of_three : forall C (t : list C) c f g h e, sum (map (fun v => (c + f v - g v - h v) * e) t) = (INR (length t) * c + sum (map f t) - sum (map g t) - sum (map h t)) * e.
Proof. induction t as [|v t IH]; intros; [cbn; ring|]. cbn [map sum length]. rewrite IH, S_INR. ring. Qed.
Lemma repeated : forall C D (f : C -> D) v k, map f (repeat v k) = repeat (f v) k. Proof. induction k; cbn; congruence. Qed.
Lemma of_one : forall C (e : forall x y : C, {x = y} + {x <> y}) v w k, count_occ e (repeat v k) w = if e v w then k else 0%nat.
Proof. intros. destruct (e v w); [now apply count_occ_repeat_eq|apply count_occ_repeat_neq; congruence]. Qed.
Section Information.
Context {A B : Type} (decA : forall x y : A, {x = y} + {x <> y}) (decB : forall x y : B, {x = y} + {x <> y}).
Let dec := decP decA decB.
Definition information (base : R) (t : list (A * B)) (xs : list A) (ys : list B) :=
  sum (map (fun v => let p := frequency dec t v in p * (ln (p / (frequency decA (map fst t) (fst v) * frequency decB (map snd t) (snd v))) / ln base)) (list_prod xs ys)).
Lemma information_weights : forall base t xs ys, NoDup xs -> NoDup ys -> incl t (list_prod xs ys) -> (0 < length t)%nat ->
  information base t xs ys = (phi (INR (length t)) + weights dec t (list_prod xs ys) - weights decA (map fst t) xs - weights decB (map snd t) ys) / INR (length t) / ln base.
Proof.
  intros base t xs ys NX NY I L. set (n := INR (length t)). assert (P : 0 < n) by now apply lt_0_INR. set (cells := list_prod xs ys) in *.
  assert (NC : NoDup cells) by now apply product_once.
  assert (IX : incl (map fst t) xs) by (intros v J; apply in_map_iff in J as [[a b] [<- J]]; now apply I, in_prod_iff in J).
  assert (IY : incl (map snd t) ys) by (intros v J; apply in_map_iff in J as [[a b] [<- J]]; now apply I, in_prod_iff in J).
  unfold weights, phi. rewrite (by_records _ dec (fun v => ln (INR (count_occ dec t v))) t cells NC I), (by_records _ decA (fun v => ln (INR (count_occ decA (map fst t) v))) (map fst t) xs NX IX),
    (by_records _ decB (fun v => ln (INR (count_occ decB (map snd t) v))) (map snd t) ys NY IY), !map_map.
  set (g v := (ln n + ln (INR (count_occ dec t v)) - ln (INR (count_occ decA (map fst t) (fst v))) - ln (INR (count_occ decB (map snd t) (snd v)))) * (/ n * / ln base)).
  transitivity (sum (map g t)).
  - rewrite <- (by_records _ dec g t cells NC I). unfold information. apply sum_ext. intros [a b] J. unfold g. cbn [fst snd]. rewrite !counted, !map_length. fold n.
    destruct (count_occ dec t (a, b)) as [|k] eqn:K; [cbn; unfold Rdiv; ring|]. rewrite <- K.
    assert (Z : In (a, b) t) by (apply (count_occ_In dec); lia).
    assert (O : 0 < INR (count_occ dec t (a, b))) by (apply lt_0_INR; lia).
    assert (OA : 0 < INR (count_occ decA (map fst t) a)) by (apply lt_0_INR, (count_occ_In decA), (in_map fst t (a, b)); auto).
    assert (OB : 0 < INR (count_occ decB (map snd t) b)) by (apply lt_0_INR, (count_occ_In decB), (in_map snd t (a, b)); auto).
    set (p := INR (count_occ dec t (a, b))) in *. set (q := INR (count_occ decA (map fst t) a)) in *. set (r := INR (count_occ decB (map snd t) b)) in *.
    replace (p / n / (q / n * (r / n))) with (n * p * / (q * r)) by (field; lra). assert (0 < q * r) by nra. rewrite !ln_mult, ln_Rinv, ln_mult by (auto using Rinv_0_lt_compat; nra). unfold Rdiv. ring.
  - unfold Rdiv. rewrite Rmult_assoc. apply (sum_of_three _ t (ln n)).
Qed.
(* The change of n I, given the other records, is the difference of two costs. *)
Definition cost_of (t : list (A * B)) (v : A * B) := cost (count_occ dec t v) (count_occ decA (map fst t) (fst v)) (count_occ decB (map snd t) (snd v)).
Lemma information_moves : forall base one two x y xs ys, NoDup xs -> NoDup ys -> incl (x :: y :: one ++ two) (list_prod xs ys) ->
  information base (one ++ x :: two) xs ys - information base (one ++ y :: two) xs ys = (cost_of (one ++ two) y - cost_of (one ++ two) x) / INR (S (length (one ++ two))) / ln base.
Proof.
  intros base one two x y xs ys NX NY I. assert (NC : NoDup (list_prod xs ys)) by now apply product_once.
  assert (len : forall z, length (one ++ z :: two) = S (length (one ++ two))) by (intros; rewrite !app_length; cbn; lia).
  assert (by_cost : forall z, In z [x; y] -> information base (one ++ z :: two) xs ys = (phi (INR (S (length (one ++ two)))) + weights dec (one ++ two) (list_prod xs ys)
    - weights decA (map fst (one ++ two)) xs - weights decB (map snd (one ++ two)) ys - cost_of (one ++ two) z) / INR (S (length (one ++ two))) / ln base).
  { intros z Z. assert (J : In z (list_prod xs ys)) by (apply I; destruct Z as [->|[->|[]]]; cbn; auto).
    rewrite information_weights, len; auto; [|intros v V; apply in_app_or in V as [V|[->|V]]; auto; apply I; right; right; apply in_or_app; auto|rewrite len; lia].
    destruct z as [a b]. assert (K := J). apply in_prod_iff in K as [KA KB]. rewrite !map_app. cbn [map fst snd]. fold dec.
    rewrite (weights_move _ dec), (weights_move _ decA), (weights_move _ decB) by auto. unfold cost_of, cost. rewrite !map_app. cbn [fst snd]. f_equal. f_equal. ring. }
  rewrite !by_cost by (cbn; auto). unfold Rdiv. ring.
Qed.
Lemma counts_fit : forall t a b, (count_occ dec t (a, b) <= count_occ decA (map fst t) a)%nat /\ (count_occ dec t (a, b) <= count_occ decB (map snd t) b)%nat /\
  (count_occ decA (map fst t) a + count_occ decB (map snd t) b <= length t + count_occ dec t (a, b))%nat.
Proof.
  induction t as [|[x y] t IH]; intros a b; [cbn; lia|]. specialize (IH a b). cbn [map fst snd count_occ length].
  destruct (dec (x, y) (a, b)), (decA x a), (decB y b); try congruence; lia.
Qed.
Lemma count_most : forall C (e : forall x y : C, {x = y} + {x <> y}) t v, (count_occ e t v <= length t)%nat.
Proof. induction t as [|x t IH]; intros; cbn; [lia|]. specialize (IH v). destruct (e x v); lia. Qed.
Lemma two_rows : forall t a a' b, (forall v, In v t -> fst v = a \/ fst v = a') -> (count_occ decB (map snd t) b <= count_occ dec t (a, b) + count_occ decA (map fst t) a')%nat.
Proof.
  induction t as [|[x y] t IH]; intros a a' b H; [cbn; lia|]. specialize (IH a a' b (fun v V => H v (or_intror V))). specialize (H _ (or_introl eq_refl)). cbn [map fst snd count_occ] in *.
  destruct (dec (x, y) (a, b)), (decA x a'), (decB y b); try lia. exfalso. destruct H; congruence.
Qed.
Lemma two_columns : forall t a b b', (forall v, In v t -> snd v = b \/ snd v = b') -> (count_occ decA (map fst t) a <= count_occ dec t (a, b) + count_occ decB (map snd t) b')%nat.
Proof.
  induction t as [|[x y] t IH]; intros a b b' H; [cbn; lia|]. specialize (IH a b b' (fun v V => H v (or_intror V))). specialize (H _ (or_introl eq_refl)). cbn [map fst snd count_occ] in *.
  destruct (dec (x, y) (a, b)), (decB y b'), (decA x a); try lia. exfalso. destruct H; congruence.
Qed.
Lemma of_two : forall C (l : list C) v w u, (length l <= 2)%nat -> v <> w -> In v l -> In w l -> In u l -> u = v \/ u = w.
Proof. intros C [|v [|w [|u l]]]; cbn; intros; try lia; intuition congruence. Qed.
Lemma cost_binary : forall t xs ys x y, (length xs <= 2 \/ length ys <= 2)%nat -> incl (x :: y :: t) (list_prod xs ys) -> cost_of t x - cost_of t y <= d (length t).
Proof.
  intros t xs ys [a b] [a' b'] L I. unfold cost_of. cbn [fst snd].
  assert (F := counts_fit t a b). assert (F' := counts_fit t a' b'). assert (MA := count_most _ decA (map fst t) a). assert (MB := count_most _ decB (map snd t) b). rewrite map_length in MA, MB.
  assert (J := I (a, b) (or_introl eq_refl)). assert (J' := I (a', b') (or_intror (or_introl eq_refl))). apply in_prod_iff in J, J'.
  destruct (decA a a') as [<-|DA]; [apply cost_same; lia|]. assert (swap : forall n r c, cost n r c = cost n c r) by (intros; unfold cost; ring).
  destruct (decB b b') as [<-|DB]; [rewrite !(swap _ _ (count_occ decB _ _)); apply cost_same; lia|].
  destruct L as [L|L].
  - apply cost_narrow; try lia. apply two_rows. intros [u w] V. apply (of_two _ xs); try easy. now apply (I (u, w)), in_prod_iff in V || (assert (K := I (u, w) (or_intror (or_intror V))); apply in_prod_iff in K).
  - rewrite !(swap _ _ (count_occ decB _ _)). apply cost_narrow; try lia. apply two_columns. intros [u w] V. apply (of_two _ ys); try easy. assert (K := I (u, w) (or_intror (or_intror V))). now apply in_prod_iff in K.
Qed.

(* ---- the theorems ---- *)
(** claim: bayesnet.mutual_information_sensitivity *)
Theorem information_binary : forall base one two x y xs ys, 1 < base -> NoDup xs -> NoDup ys -> (length xs <= 2 \/ length ys <= 2)%nat ->
  incl (x :: y :: one ++ two) (list_prod xs ys) -> (0 < length (one ++ two))%nat -> let n := INR (length (one ++ x :: two)) in
  Rabs (information base (one ++ x :: two) xs ys - information base (one ++ y :: two) xs ys) <= printed_binary n / ln base.
Proof.
  intros base one two x y xs ys E NX NY L I M n. unfold n. replace (length (one ++ x :: two)) with (S (length (one ++ two))) by (rewrite !app_length; cbn; lia).
  rewrite <- binary_value, information_moves by auto. assert (P : 0 < INR (S (length (one ++ two)))) by (apply lt_0_INR; lia).
  assert (I' : incl (y :: x :: one ++ two) (list_prod xs ys)) by (intros v [V|[V|V]]; apply I; cbn; auto).
  apply shares with (b := cost_of (one ++ two) x - cost_of (one ++ two) y); eauto using cost_binary. ring.
Qed.
(** claim: bayesnet.mutual_information_sensitivity *)
Theorem information_wide : forall base one two x y xs ys, 1 < base -> NoDup xs -> NoDup ys -> incl (x :: y :: one ++ two) (list_prod xs ys) ->
  (0 < length (one ++ two))%nat -> let n := INR (length (one ++ x :: two)) in
  Rabs (information base (one ++ x :: two) xs ys - information base (one ++ y :: two) xs ys) <= middle (length (one ++ two)) / n / ln base /\ middle (length (one ++ two)) / n <= printed_wide n.
Proof.
  intros base one two x y xs ys E NX NY I M n. unfold n. replace (length (one ++ x :: two)) with (S (length (one ++ two))) by (rewrite !app_length; cbn; lia). set (t := one ++ two) in *.
  assert (P : 0 < INR (S (length t))) by (apply lt_0_INR; lia). split.
  - rewrite information_moves by auto. fold t. assert (C : forall v, 0 <= cost_of t v <= middle (length t)).
    { intros [a b]. unfold cost_of. cbn [fst snd]. assert (F := counts_fit t a b). apply cost_wide; lia. }
    assert (CX := C x). assert (CY := C y). apply shares with (b := cost_of t x - cost_of t y); auto; lra.
  - rewrite S_INR in *. rewrite <- wide_value by now apply lt_0_INR. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply middle_printed.
Qed.
(* In every domain that has the values: all others in one cell; or in a row and a column that the record joins. *)
(** claim: bayesnet.mutual_information_sensitivity *)
Theorem information_binary_attained : forall base m a a' b b' xs ys, 1 < base -> NoDup xs -> NoDup ys -> a <> a' -> b <> b' -> In a xs -> In a' xs -> In b ys -> In b' ys -> (0 < m)%nat ->
  let t := repeat (a, b) m in information base ((a', b') :: t) xs ys - information base ((a, b) :: t) xs ys = printed_binary (INR (S m)) / ln base.
Proof.
  intros base m a a' b b' xs ys E NX NY DA DB A0 A1 B0 B1 M t.
  assert (I : incl ((a', b') :: (a, b) :: t) (list_prod xs ys)) by (intros v [<-|[<-|V]]; try (apply in_prod_iff; auto); apply repeat_spec in V; subst; apply in_prod_iff; auto).
  assert (H := information_moves base [] t (a', b') (a, b) xs ys NX NY I). cbn [app] in H. rewrite H. unfold cost_of, cost, t. rewrite !repeated, !repeat_length. cbn [fst snd].
  rewrite !count_occ_repeat_eq, !count_occ_repeat_neq by congruence. rewrite <- binary_value, d_0 by auto. unfold Rdiv. ring.
Qed.
(** claim: bayesnet.mutual_information_sensitivity *)
Theorem information_wide_attained : forall base m a0 a1 a2 b0 b1 b2 xs ys, 1 < base -> NoDup xs -> NoDup ys -> NoDup [a0; a1; a2] -> NoDup [b0; b1; b2] -> incl [a0; a1; a2] xs -> incl [b0; b1; b2] ys ->
  let t := repeat (a0, b1) (m / 2) ++ repeat (a1, b0) (m - m / 2) in
  length t = m /\ information base ((a2, b2) :: t) xs ys - information base ((a0, b0) :: t) xs ys = middle m / INR (S m) / ln base.
Proof.
  intros base m a0 a1 a2 b0 b1 b2 xs ys E NX NY DA DB IA IB t. assert (H := Nat.div_mod m 2 ltac:(lia)). assert (L : length t = m) by (unfold t; rewrite app_length, !repeat_length; lia). split; auto.
  assert (K : forall v w, In v [a0; a1; a2] -> In w [b0; b1; b2] -> In (v, w) (list_prod xs ys)) by (intros; apply in_prod_iff; auto).
  assert (I : incl ((a2, b2) :: (a0, b0) :: t) (list_prod xs ys)).
  { intros v [<-|[<-|V]]; try (apply K; cbn; auto). apply in_app_or in V as [V|V]; apply repeat_spec in V; rewrite V; apply K; cbn; auto. }
  assert (F := information_moves base [] t (a2, b2) (a0, b0) xs ys NX NY I). cbn [app] in F. rewrite F, L. unfold cost_of, cost, t, middle. rewrite !map_app, !repeated, !count_occ_app. cbn [fst snd].
  assert (DA' : a0 <> a1 /\ a0 <> a2 /\ a1 <> a2) by (inversion_clear DA as [|? ? P Q]; inversion_clear Q as [|? ? R S]; cbn in *; intuition congruence).
  assert (DB' : b0 <> b1 /\ b0 <> b2 /\ b1 <> b2) by (inversion_clear DB as [|? ? P Q]; inversion_clear Q as [|? ? R S]; cbn in *; intuition congruence).
  destruct DA' as [? [? ?]], DB' as [? [? ?]]. rewrite !of_one. repeat match goal with |- context [if ?e then _ else _] => destruct e; try congruence end.
  rewrite ?Nat.add_0_r. cbn [Nat.add]. rewrite d_0. unfold Rdiv. ring.
Qed.
(* For an even number of records the printed value is a bound that no pair of tables attains; for an odd number it is the middle. *)
(** refutation: bayesnet.mutual_information_sensitivity *)
Theorem even_less_than_printed : forall base one two x y xs ys k, 1 < base -> NoDup xs -> NoDup ys -> incl (x :: y :: one ++ two) (list_prod xs ys) ->
  length (one ++ two) = (2 * k + 1)%nat -> let n := INR (length (one ++ x :: two)) in
  Rabs (information base (one ++ x :: two) xs ys - information base (one ++ y :: two) xs ys) < printed_wide n / ln base.
Proof.
  intros base one two x y xs ys k E NX NY I M n. assert (W := information_wide base one two x y xs ys E NX NY I ltac:(lia)). cbv zeta in W. fold n in W. destruct W as [W _]. apply Rle_lt_trans with (1 := W).
  assert (Q : n = INR (2 * k + 1) + 1) by (unfold n; rewrite app_length in *; cbn [length]; rewrite Nat.add_succ_r, M, S_INR; ring). assert (P : 0 < INR (2 * k + 1)) by (apply lt_0_INR; lia).
  rewrite Q, M, <- wide_value by auto. assert (0 < ln base) by (rewrite <- ln_1; apply ln_increasing; lra). unfold Rdiv. repeat (apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; lra|]). apply middle_odd.
Qed.
(** claim: bayesnet.mutual_information_sensitivity *)
Theorem odd_is_printed : forall k, (0 < k)%nat -> middle (2 * k) / INR (S (2 * k)) = printed_wide (INR (S (2 * k))).
Proof. intros k K. rewrite middle_even, S_INR, <- wide_value by (apply lt_0_INR; lia). reflexivity. Qed.
End Information.

(* ---- controls ---- *)
Lemma three_values : middle 2 = 4 * ln 2 /\ d 2 < middle 2.
Proof.
  assert (E : middle 2 = 4 * ln 2) by (unfold middle, d; cbn; rewrite gain_1; ring). split; auto. rewrite E. unfold d, gain, phi. cbn. replace (1 + 1) with 2 by ring.
  assert (T : ln 27 < ln 64) by (apply ln_increasing; lra). replace 27 with ((2 + 1) * (2 + 1) * (2 + 1)) in T by ring. replace 64 with (2 * 2 * 2 * 2 * 2 * 2) in T by ring. rewrite !ln_mult in T by lra. lra.
Qed.
Lemma log_two : 0 < ln 2. Proof. rewrite <- ln_1. apply ln_increasing; lra. Qed.
Ltac listed := repeat constructor; cbn; intuition discriminate.
Ltac among := let v := fresh in let V := fresh in intros v V; cbn in V |- *; intuition.
(** mutant: information_binary *)
Example two_values_needed : ~ (forall one two (x y : nat * nat) xs ys, NoDup xs -> NoDup ys -> incl (x :: y :: one ++ two) (list_prod xs ys) -> (0 < length (one ++ two))%nat -> let n := INR (length (one ++ x :: two)) in
  Rabs (information Nat.eq_dec Nat.eq_dec 2 (one ++ x :: two) xs ys - information Nat.eq_dec Nat.eq_dec 2 (one ++ y :: two) xs ys) <= printed_binary n / ln 2).
Proof.
  intros H. assert (D : NoDup [0; 1; 2]%nat) by listed. destruct (information_wide_attained Nat.eq_dec Nat.eq_dec 2 2 0%nat 1%nat 2%nat 0%nat 1%nat 2%nat [0; 1; 2]%nat [0; 1; 2]%nat ltac:(lra) D D D D (incl_refl _) (incl_refl _)) as [_ A].
  specialize (H [] [(0, 1); (1, 0)]%nat (2, 2)%nat (0, 0)%nat [0; 1; 2]%nat [0; 1; 2]%nat D D ltac:(among) ltac:(cbn; lia)). change (repeat (0, 1)%nat (2 / 2) ++ repeat (1, 0)%nat (2 - 2 / 2)) with [(0, 1); (1, 0)]%nat in A.
  cbn [app] in H. rewrite A in H. change (length [(2, 2); (0, 1); (1, 0)]%nat) with 3%nat in H. rewrite <- binary_value in H by lia. destruct three_values as [_ T]. assert (L := log_two).
  assert (Q := Rle_trans _ _ _ (Rle_abs _) H). apply Rmult_le_reg_r in Q; [|now apply Rinv_0_lt_compat]. apply Rmult_le_reg_r in Q; [lra|apply Rinv_0_lt_compat; cbn; lra].
Qed.
(* A smaller share of the bound is none, for two values of each attribute and for three. *)
(** mutant: information_binary, information_wide *)
Example nothing_less : forall c, c < 1 -> ~ (forall one two (x y : bool * bool) xs ys, NoDup xs -> NoDup ys -> incl (x :: y :: one ++ two) (list_prod xs ys) -> (0 < length (one ++ two))%nat -> let n := INR (length (one ++ x :: two)) in
  Rabs (information Bool.bool_dec Bool.bool_dec 2 (one ++ x :: two) xs ys - information Bool.bool_dec Bool.bool_dec 2 (one ++ y :: two) xs ys) <= c * middle (length (one ++ two)) / n / ln 2).
Proof.
  intros c C H. assert (D : NoDup [false; true]) by listed. assert (A := information_binary_attained Bool.bool_dec Bool.bool_dec 2 1 false true false true [false; true] [false; true] ltac:(lra) D D).
  specialize (A ltac:(easy) ltac:(easy) ltac:(cbn; auto) ltac:(cbn; auto) ltac:(cbn; auto) ltac:(cbn; auto) ltac:(lia)). cbn [repeat] in A.
  specialize (H [] [(false, false)] (true, true) (false, false) [false; true] [false; true] D D ltac:(among) ltac:(cbn; lia)). cbn [app] in H. rewrite A, <- binary_value in H by lia. cbn [length] in H.
  assert (M : middle 1 = d 1) by (unfold middle; cbn [Nat.div Nat.divmod fst Nat.sub]; rewrite d_0; ring). rewrite M in H. assert (P : 0 < d 1) by (unfold d; cbn; rewrite gain_1; assert (L := log_two); lra).
  assert (L := log_two). assert (Q := Rle_trans _ _ _ (Rle_abs _) H). apply Rmult_le_reg_r in Q; [|now apply Rinv_0_lt_compat]. apply Rmult_le_reg_r in Q; [|apply Rinv_0_lt_compat; cbn; lra]. nra.
Qed.
(* With an odd number of records the printed value is attained. *)
(** mutant: even_less_than_printed *)
Example even_needed : ~ (forall one two (x y : nat * nat), incl (x :: y :: one ++ two) (list_prod [0; 1; 2]%nat [0; 1; 2]%nat) -> (0 < length (one ++ two))%nat -> let n := INR (length (one ++ x :: two)) in
  Rabs (information Nat.eq_dec Nat.eq_dec 2 (one ++ x :: two) [0; 1; 2]%nat [0; 1; 2]%nat - information Nat.eq_dec Nat.eq_dec 2 (one ++ y :: two) [0; 1; 2]%nat [0; 1; 2]%nat) < printed_wide n / ln 2).
Proof.
  intros H. assert (D : NoDup [0; 1; 2]%nat) by listed. destruct (information_wide_attained Nat.eq_dec Nat.eq_dec 2 2 0%nat 1%nat 2%nat 0%nat 1%nat 2%nat [0; 1; 2]%nat [0; 1; 2]%nat ltac:(lra) D D D D (incl_refl _) (incl_refl _)) as [_ A].
  specialize (H [] [(0, 1); (1, 0)]%nat (2, 2)%nat (0, 0)%nat ltac:(among) ltac:(cbn; lia)). change (repeat (0, 1)%nat (2 / 2) ++ repeat (1, 0)%nat (2 - 2 / 2)) with [(0, 1); (1, 0)]%nat in A.
  cbn [app] in H. rewrite A in H. change (length [(2, 2); (0, 1); (1, 0)]%nat) with (S (2 * 1)) in H. rewrite <- odd_is_printed in H by lia. assert (Q := Rle_lt_trans _ _ _ (Rle_abs _) H). exact (Rlt_irrefl _ Q).
Qed.
(* Two values of an attribute are too few for the middle. *)
(** mutant: information_wide_attained, odd_is_printed *)
Example three_values_needed : ~ (exists one two (x y : bool * bool), length (one ++ two) = 2%nat /\
  information Bool.bool_dec Bool.bool_dec 2 (one ++ x :: two) [false; true] [false; true] - information Bool.bool_dec Bool.bool_dec 2 (one ++ y :: two) [false; true] [false; true] = middle 2 / 3 / ln 2).
Proof.
  intros [one [two [x [y [M H]]]]]. assert (D : NoDup [false; true]) by listed. assert (I : incl (x :: y :: one ++ two) (list_prod [false; true] [false; true])) by (intros [[|] [|]] _; cbn; auto).
  assert (B := information_binary Bool.bool_dec Bool.bool_dec 2 one two x y [false; true] [false; true] ltac:(lra) D D ltac:(cbn; auto) I ltac:(lia)). cbv zeta in B.
  replace (length (one ++ x :: two)) with 3%nat in B by (rewrite app_length in *; cbn; lia). rewrite H, <- binary_value in B by lia. destruct three_values as [_ T]. assert (L := log_two).
  replace 3 with (INR 3) in B at 1 by (cbn; ring). assert (Q := Rle_trans _ _ _ (Rle_abs _) B). apply Rmult_le_reg_r in Q; [|now apply Rinv_0_lt_compat]. apply Rmult_le_reg_r in Q; [lra|apply Rinv_0_lt_compat; cbn; lra].
Qed.
(* The same value twice has no information; different values have one bit. *)
(** instance: information_binary_attained, information_binary *)
Example one_bit : information Nat.eq_dec Nat.eq_dec 2 [(0, 0); (0, 0)]%nat [0; 1]%nat [0; 1]%nat = 0 /\ information Nat.eq_dec Nat.eq_dec 2 [(0, 0); (1, 1)]%nat [0; 1]%nat [0; 1]%nat = 1 /\ printed_binary 2 / ln 2 = 1.
Proof.
  assert (L := log_two). unfold information, frequency, is, printed_binary. cbn. repeat split.
  - replace ((1 + (1 + 0)) / (1 + 1) / ((1 + (1 + 0)) / (1 + 1) * ((1 + (1 + 0)) / (1 + 1)))) with 1 by field. rewrite ln_1. field. lra.
  - replace ((1 + (0 + 0)) / (1 + 1) / ((1 + (0 + 0)) / (1 + 1) * ((1 + (0 + 0)) / (1 + 1)))) with 2 by field. replace ((0 + (1 + 0)) / (1 + 1) / ((0 + (1 + 0)) / (1 + 1) * ((0 + (1 + 0)) / (1 + 1)))) with 2 by field. field. lra.
  - replace (2 / (2 - 1)) with 2 by field. field. lra.
Qed.
