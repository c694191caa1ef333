(* Two distinct counters with the same cells and levels: of each level the four counts of pairs of bits are released with noise. A
   user has a cell in both. One counter is seen, or each once; then the counts. Bits are independent given what is seen, so that a
   stream leaves a weight and a probability for each cell. Claim: distinct.union. *)
From Coq Require Import Reals Psatz Lra List Bool ZArith Lia.
From Pan Require Import Semantics OneCell JointLoss Streams Attained Order.
Import ListNotations.
Open Scope R_scope.

(* ---- every stream of appearances and looks, cell by cell ---- *)
Inductive act2 := Touch (c : nat) | Look (a : nat -> bool) (s : state).
Definition op_of (p1 : R) (x : act2) : op R := match x with Touch c => Draw c p1 | Look a s => See (look_at a s) end.
Definition bit_prob (b : bool) : R := if b then 1 else 0.
(* the weight of what is seen of the cell i, and its probability of a one in the end *)
Fixpoint weight (p1 : R) (i : nat) (x : R) (o : list act2) : R :=
  match o with
  | [] => 1
  | Touch c :: t => weight p1 i (if Nat.eqb c i then p1 else x) t
  | Look a s :: t => let b := nth i s false in if a i then pr x b * weight p1 i (bit_prob b) t else (if b then 0 else 1) * weight p1 i x t
  end.
Fixpoint last (p1 : R) (i : nat) (x : R) (o : list act2) : R :=
  match o with
  | [] => x
  | Touch c :: t => last p1 i (if Nat.eqb c i then p1 else x) t
  | Look a s :: t => last p1 i (if a i then bit_prob (nth i s false) else x) t
  end.
Fixpoint prodn (n : nat) (f : nat -> R) : R := match n with O => 1 | S k => f O * prodn k (fun i => f (S i)) end.
Fixpoint vec (n : nat) (f : nat -> R) : list R := match n with O => [] | S k => f O :: vec k (fun i => f (S i)) end.
Lemma prodn_ext : forall n f g, (forall i, (i < n)%nat -> f i = g i) -> prodn n f = prodn n g.
Proof. induction n; intros f g H; cbn; auto. rewrite H by lia. f_equal. apply IHn. intros. apply H. lia. Qed.
Lemma prodn_mul : forall n f g, prodn n (fun i => f i * g i) = prodn n f * prodn n g.
Proof. induction n; intros; cbn; [ring|]. rewrite IHn. ring. Qed.
Lemma prodn_pos : forall n f, (forall i, 0 <= f i) -> 0 <= prodn n f.
Proof. induction n; intros; cbn; [lra|]. apply Rmult_le_pos; auto. Qed.
Lemma vec_length : forall n f, length (vec n f) = n. Proof. induction n; intros; cbn; auto. Qed.
Lemma vec_ext : forall n f g, (forall i, (i < n)%nat -> f i = g i) -> vec n f = vec n g.
Proof. induction n; intros f g H; cbn; auto. rewrite H by lia. f_equal. apply IHn. intros. apply H. lia. Qed.
Lemma put_vec : forall c p n f, put c p (vec n f) = vec n (fun i => if Nat.eqb c i then p else f i).
Proof. induction c; intros p [|n] f; cbn; auto. f_equal. apply IHc. Qed.
Lemma expect_scale : forall ps a g, expect ps (fun t => a * g t) = a * expect ps g.
Proof. intros. rewrite (expect_ext ps _ (fun t => a * g t + 0 * 0)) by (intros; ring). rewrite (expect_lin ps a 0 g (fun _ => 0)). ring. Qed.
Lemma look_vec : forall n f (a : nat -> bool) s g, length s = n ->
  expect (vec n f) (fun t => (if same s (part a t) then 1 else 0) * g t) =
  prodn n (fun i => let b := nth i s false in if a i then pr (f i) b else if b then 0 else 1) * expect (vec n (fun i => if a i then bit_prob (nth i s false) else f i)) g.
Proof.
  induction n; intros f a [|b s] g L; cbn [length] in L; try lia; cbn [vec prodn expect nth].
  - cbn. ring.
  - unfold mix; cbn [add sub mul one reals].
    assert (E : forall c, expect (vec n (fun i => f (S i))) (fun t => (if same (b :: s) (part a (c :: t)) then 1 else 0) * g (c :: t)) =
      (if Bool.eqb b (a O && c) then 1 else 0) * (prodn n (fun i => let b := nth i s false in if a (S i) then pr (f (S i)) b else if b then 0 else 1) *
        expect (vec n (fun i => if a (S i) then bit_prob (nth i s false) else f (S i))) (fun t => g (c :: t)))).
    { intros c. rewrite <- (IHn (fun i => f (S i)) (fun i => a (S i)) s (fun t => g (c :: t))) by lia. rewrite <- expect_scale. apply expect_ext. intros t _. cbn [part]. rewrite same_cons.
      destruct (Bool.eqb b (a O && c)), (same s _); cbn; ring. }
    rewrite !E. unfold bit_prob. destruct (a O), b; cbn [andb Bool.eqb pr]; ring.
Qed.
(* the looks of a stream see states of m cells *)
Definition sized (m : nat) (o : list act2) := Forall (fun x => match x with Look _ s => length s = m | _ => True end) o.
Theorem cell_by_cell : forall p1 m w o f, sized m o ->
  mass (vec m f) (map (op_of p1) o ++ [See w]) = prodn m (fun i => weight p1 i (f i) o) * expect (vec m (fun i => last p1 i (f i) o)) w.
Proof.
  intros p1 m w. induction o as [|[c|a s] o IH]; intros f Z; inversion Z; subst; cbn [map app op_of].
  - cbn [weight last]. assert (E : prodn m (fun _ => 1) = 1) by (clear; induction m; cbn; auto; rewrite IHm; ring). rewrite E, Rmult_1_l.
    unfold mass. apply expect_ext. intros. cbn. ring.
  - rewrite mass_draw, put_vec, IH by auto. reflexivity.
  - unfold mass in *. cbn [run]. unfold look_at. cbn [mul reals]. rewrite (look_vec (length s) f a s (run (map (op_of p1) o ++ [See w])) eq_refl), IH by auto.
    rewrite <- Rmult_assoc, <- prodn_mul. f_equal. apply prodn_ext. intros i _. cbn [weight]. destruct (a i), (nth i s false); ring.
Qed.

(* ---- two neighbouring cells of a user: all others are the same ---- *)
Definition off2 (j : nat) (o : list act2) := filter (fun x => match x with Touch c => negb (Nat.eqb c (2 * j)) && negb (Nat.eqb c (2 * j + 1)) | _ => true end) o.
Definition looks2 (o : list act2) := filter (fun x => match x with Look _ _ => true | _ => false end) o.
Lemma off2_other : forall p1 j i o x, i <> (2 * j)%nat -> i <> (2 * j + 1)%nat -> weight p1 i x o = weight p1 i x (off2 j o) /\ last p1 i x o = last p1 i x (off2 j o).
Proof.
  intros p1 j i. induction o as [|[c|a s] o IH]; intros x N1 N2; cbn [off2 filter]; [auto| |].
  - destruct (Nat.eqb_spec c (2 * j)) as [E1|E1], (Nat.eqb_spec c (2 * j + 1)) as [E2|E2]; cbn [negb andb weight last]; fold (off2 j o); auto;
      destruct (Nat.eqb_spec c i) as [F|F]; try congruence; auto.
  - cbn [weight last]. fold (off2 j o). destruct (IH (bit_prob (nth i s false)) N1 N2) as [A1 A2]. destruct (IH x N1 N2) as [B1 B2]. destruct (a i); rewrite ?A1, ?A2, ?B1, ?B2; auto.
Qed.
Lemma off2_looks : forall j o, looks2 (off2 j o) = looks2 o.
Proof. intros j. induction o as [|[c|a s] o IH]; cbn; auto; [|f_equal; exact IH]. destruct (Nat.eqb _ _), (Nat.eqb _ _); cbn; exact IH. Qed.
Definition shows (i : nat) (x : act2) := match x with Look a _ => a i | _ => false end.
Definition times (i : nat) (o : list act2) := length (filter (shows i) o).
Section Trace.
Variables p1 : R.
Variable i : nat.
Lemma never_seen : forall ls, times i ls = O -> exists z, 0 <= z /\ forall o x, looks2 o = ls -> weight p1 i x o = z /\ (last p1 i x o = x \/ last p1 i x o = p1).
Proof.
  induction ls as [|l ls IH]; intros T.
  - exists 1. split; [lra|]. induction o as [|[c|a s] o J]; intros x E; cbn in E; try discriminate; cbn [weight last]; auto.
    destruct (J (if Nat.eqb c i then p1 else x) E) as [A B]. split; auto. destruct (Nat.eqb c i); tauto.
  - destruct l as [c|a s].
    + exists 0. split; [lra|]. intros o x E. exfalso. assert (I : In (Touch c) (looks2 o)) by (rewrite E; now left). apply filter_In in I as [_ I]. discriminate.
    + unfold times in T. cbn [filter shows] in T. destruct (a i) eqn:F; [discriminate|]. destruct (IH T) as [z [Z V]]. exists ((if nth i s false then 0 else 1) * z). split; [destruct (nth i s false); lra|].
      induction o as [|[c|a' s'] o J]; intros x E; cbn in E; try discriminate; cbn [weight last].
      * destruct (J (if Nat.eqb c i then p1 else x) E) as [A B]. split; auto. destruct (Nat.eqb c i); tauto.
      * injection E as -> -> E. rewrite F. destruct (V o x E) as [-> B]. auto.
Qed.
Lemma seen_once_only : forall ls, times i ls = 1%nat -> exists z b, 0 <= z /\ forall o x, looks2 o = ls -> exists x', (x' = x \/ x' = p1) /\
  weight p1 i x o = z * pr x' b /\ (last p1 i x o = bit_prob b \/ last p1 i x o = p1).
Proof.
  induction ls as [|l ls IH]; intros T; [discriminate|]. destruct l as [c|a s].
  - exists 0, true. split; [lra|]. intros o x E. exfalso. assert (I : In (Touch c) (looks2 o)) by (rewrite E; now left). apply filter_In in I as [_ I]. discriminate.
  - unfold times in T. cbn [filter shows] in T. destruct (a i) eqn:F.
    + assert (T0 : times i ls = O) by (unfold times; cbn in T; lia). destruct (never_seen ls T0) as [z [Z V]]. exists z, (nth i s false). split; auto.
      induction o as [|[c|a' s'] o J]; intros x E; cbn in E; try discriminate; cbn [weight last].
      * destruct (J (if Nat.eqb c i then p1 else x) E) as [x' [X A]]. exists x'. split; auto. destruct (Nat.eqb c i); tauto.
      * injection E as -> -> E. rewrite F. destruct (V o (bit_prob (nth i s false)) E) as [-> B]. exists x. repeat split; auto. ring.
    + destruct (IH T) as [z [b [Z V]]]. exists ((if nth i s false then 0 else 1) * z), b. split; [destruct (nth i s false); lra|].
      induction o as [|[c|a' s'] o J]; intros x E; cbn in E; try discriminate; cbn [weight last].
      * destruct (J (if Nat.eqb c i then p1 else x) E) as [x' [X A]]. exists x'. split; auto. destruct (Nat.eqb c i); tauto.
      * injection E as -> -> E. rewrite F. destruct (V o x E) as [x' [X [-> B]]]. exists x'. repeat split; auto. ring.
Qed.
End Trace.
Lemma prodn_two : forall j m k1 k2, (2 * j + 1 < m)%nat -> prodn m (fun i => if Nat.eqb i (2 * j) then k1 else if Nat.eqb i (2 * j + 1) then k2 else 1) = k1 * k2.
Proof.
  assert (one : forall n, prodn n (fun _ => 1) = 1) by (induction n; cbn; auto; rewrite IHn; ring).
  induction j; intros [|[|m]] k1 k2 H; try lia; cbn [prodn].
  - cbn [Nat.mul Nat.add Nat.eqb]. rewrite one. ring.
  - rewrite <- (IHj m k1 k2) by lia. replace (Nat.eqb 0 (2 * S j)) with false by (symmetry; apply Nat.eqb_neq; lia). replace (Nat.eqb 0 (2 * S j + 1)) with false by (symmetry; apply Nat.eqb_neq; lia).
    replace (Nat.eqb 1 (2 * S j)) with false by (symmetry; apply Nat.eqb_neq; lia). replace (Nat.eqb 1 (2 * S j + 1)) with false by (symmetry; apply Nat.eqb_neq; lia).
    rewrite !Rmult_1_l. apply prodn_ext. intros i _. replace (2 * S j + 1)%nat with (S (S (2 * j + 1))) by lia. replace (2 * S j)%nat with (S (S (2 * j))) by lia. reflexivity.
Qed.
Lemma prodn_le : forall n f g, (forall i, (i < n)%nat -> 0 <= f i <= g i) -> 0 <= prodn n f <= prodn n g.
Proof.
  induction n; intros f g H; cbn; [lra|]. assert (A := H O ltac:(lia)). assert (B := IHn (fun i => f (S i)) (fun i => g (S i)) (fun i L => H (S i) ltac:(lia))).
  split; [apply Rmult_le_pos; lra|apply Rmult_le_compat; lra].
Qed.

(* ---- the last observation: what it depends on the user's pair of bits ---- *)
Fixpoint ins2 (j : nat) (b c : bool) (t : state) : state := match j, t with O, _ => b :: c :: t | S k, x :: y :: v => x :: y :: ins2 k b c v | S _, _ => t end.
Definition mix2 (a b : R) (g : bool -> bool -> R) := a * (b * g true true + (1 - b) * g true false) + (1 - a) * (b * g false true + (1 - b) * g false false).
Definition unit_range (f : nat -> R) := forall i, 0 <= f i <= 1.
Lemma vec_probs : forall n f, unit_range f -> probs (vec n f).
Proof. induction n; intros f H; cbn; constructor; [apply H|]. apply IHn. intros i. apply H. Qed.
Lemma pair_expect : forall j m f f' w k, (2 * j + 1 < m)%nat -> unit_range f -> (forall i, i <> (2 * j)%nat -> i <> (2 * j + 1)%nat -> f i = f' i) ->
  (forall t, length t = (m - 2)%nat -> mix2 (f (2 * j)%nat) (f (2 * j + 1)%nat) (fun b c => w (ins2 j b c t)) <= k * mix2 (f' (2 * j)%nat) (f' (2 * j + 1)%nat) (fun b c => w (ins2 j b c t))) ->
  expect (vec m f) w <= k * expect (vec m f') w.
Proof.
  induction j; intros [|[|m]] f f' w k L P Off H; try lia; cbn [vec expect]; unfold mix; cbn [add sub mul one reals].
  - assert (E : forall g, expect (vec m (fun i => f (S (S i)))) g = expect (vec m (fun i => f' (S (S i)))) g).
    { intros g. f_equal. apply vec_ext. intros i _. apply Off; lia. }
    set (tail := vec m (fun i => f (S (S i)))) in *. rewrite <- !E.
    assert (X : forall a b, a * (b * expect tail (fun t => w (true :: true :: t)) + (1 - b) * expect tail (fun t => w (true :: false :: t))) +
      (1 - a) * (b * expect tail (fun t => w (false :: true :: t)) + (1 - b) * expect tail (fun t => w (false :: false :: t))) = expect tail (fun t => mix2 a b (fun b c => w (b :: c :: t)))).
    { intros a b. unfold mix2. rewrite (expect_lin tail a (1 - a) (fun t => b * w (true :: true :: t) + (1 - b) * w (true :: false :: t)) (fun t => b * w (false :: true :: t) + (1 - b) * w (false :: false :: t))).
      now rewrite !(expect_lin tail b (1 - b)). }
    rewrite !X, <- expect_scale. apply expect_le; [apply vec_probs; intros i; apply P|]. intros t T. apply H. unfold tail in T. rewrite vec_length in T. lia.
  - rewrite <- (Off 0%nat), <- (Off 1%nat) by lia. assert (A := P 0%nat). assert (B := P 1%nat).
    assert (I : forall x y, expect (vec m (fun i => f (S (S i)))) (fun t => w (x :: y :: t)) <= k * expect (vec m (fun i => f' (S (S i)))) (fun t => w (x :: y :: t))).
    { intros x y. apply IHj; [lia|intros i; apply P|intros i N1 N2; apply Off; lia|]. intros t T. assert (Q := H (x :: y :: t) ltac:(cbn [length]; lia)). cbn [ins2] in Q.
      replace (2 * S j + 1)%nat with (S (S (2 * j + 1))) in Q by lia. replace (2 * S j)%nat with (S (S (2 * j))) in Q by lia. exact Q. }
    assert (M : forall a x1 x2 y1 y2, 0 <= a <= 1 -> x1 <= k * y1 -> x2 <= k * y2 -> a * x1 + (1 - a) * x2 <= k * (a * y1 + (1 - a) * y2)).
    { intros a x1 x2 y1 y2 [A0 A1] X1 X2. assert (a * x1 <= a * (k * y1)) by (apply Rmult_le_compat_l; lra). assert ((1 - a) * x2 <= (1 - a) * (k * y2)) by (apply Rmult_le_compat_l; lra). lra. }
    apply M; auto.
Qed.

(* a set of pairs of bits is more likely by at most t *)
Definition near (t a b a' b' : R) := forall (d : bool -> bool -> R) D, (forall x y, 0 <= d x y <= D) -> mix2 a b d <= mix2 a' b' d + t * D.
Lemma mix_bound : forall t a b a' b' g k r, 1 <= r -> 0 <= t -> 0 <= a' <= 1 -> 0 <= b' <= 1 -> 0 <= k -> (forall x y, k * / r <= g x y <= k * r) -> near t a b a' b' ->
  mix2 a b g <= (1 + t * (r * r - 1)) * mix2 a' b' g.
Proof.
  intros t a b a' b' g k r R1 T A B K G N. assert (rr : r * / r = 1) by (apply Rinv_r; lra). assert (0 < / r) by (apply Rinv_0_lt_compat; lra).
  set (l := k * / r) in *. assert (L : 0 <= l) by (apply Rmult_le_pos; lra). assert (U : k * r = r * r * l) by (unfold l; replace (r * r * (k * / r)) with (k * r * (r * / r)) by ring; rewrite rr; ring).
  assert (Hn := N (fun x y => g x y - l) (r * r * l - l) (fun x y => ltac:(specialize (G x y); lra))).
  assert (S : forall a b, mix2 a b (fun x y => g x y - l) = mix2 a b g - l) by (intros; unfold mix2; ring). rewrite !S in Hn.
  assert (M : l <= mix2 a' b' g).
  { unfold mix2. assert (G1 := G true true). assert (G2 := G true false). assert (G3 := G false true). assert (G4 := G false false).
    assert (X1 : l <= b' * g true true + (1 - b') * g true false) by nra. assert (X2 : l <= b' * g false true + (1 - b') * g false false) by nra. nra. }
  assert (0 <= t * (r * r - 1)) by (apply Rmult_le_pos; nra). assert (t * (r * r - 1) * l <= t * (r * r - 1) * mix2 a' b' g) by (apply Rmult_le_compat_l; auto). lra.
Qed.
Ltac facts p D d := let prove := repeat apply Rmult_le_pos; lra in
  assert (0 <= d * (1 - p) * (1 - p)) by prove; assert (0 <= d * p * (1 - p)) by prove; assert (0 <= d * p * p) by prove; assert (0 <= d * (1 - p) * (2 * p - 1)) by prove;
  assert (0 <= d * p * (2 * p - 1)) by prove;
  assert (0 <= (D - d) * (1 - p) * (1 - p)) by prove; assert (0 <= (D - d) * p * (1 - p)) by prove; assert (0 <= (D - d) * p * p) by prove; assert (0 <= (D - d) * (1 - p) * (2 * p - 1)) by prove;
  assert (0 <= (D - d) * p * (2 * p - 1)) by prove.
Lemma near_one : forall p s a b a' b', 1 / 2 <= p <= 1 -> (a = bit_prob s \/ a = p) -> (a' = bit_prob s \/ a' = p) -> (b = 1 - p \/ b = p) -> (b' = 1 - p \/ b' = p) -> near p a b a' b'.
Proof.
  intros p s a b a' b' P A A' B B' d D H. unfold mix2, bit_prob in *.
  assert (H1 := H true true). assert (H2 := H true false). assert (H3 := H false true). assert (H4 := H false false). clear H.
  generalize dependent (d true true). intros d1 H1. generalize dependent (d true false). intros d2 H2. generalize dependent (d false true). intros d3 H3. generalize dependent (d false false). intros d4 H4.
  facts p D d1. facts p D d2. facts p D d3. facts p D d4. destruct s, A as [-> | ->], A' as [-> | ->], B as [-> | ->], B' as [-> | ->]; lra.
Qed.
Lemma near_two : forall p s u a b a' b', 1 / 2 <= p <= 1 -> (a = bit_prob s \/ a = p) -> (a' = bit_prob s \/ a' = p) -> (b = bit_prob u \/ b = p) -> (b' = bit_prob u \/ b' = p) ->
  near (1 - (1 - p) * (1 - p)) a b a' b'.
Proof.
  intros p s u a b a' b' P A A' B B' d D H. unfold mix2, bit_prob in *.
  assert (H1 := H true true). assert (H2 := H true false). assert (H3 := H false true). assert (H4 := H false false). clear H.
  generalize dependent (d true true). intros d1 H1. generalize dependent (d true false). intros d2 H2. generalize dependent (d false true). intros d3 H3. generalize dependent (d false false). intros d4 H4.
  facts p D d1. facts p D d2. facts p D d3. facts p D d4. destruct s, u, A as [-> | ->], A' as [-> | ->], B as [-> | ->], B' as [-> | ->]; lra.
Qed.

(* ---- the table of a set of cells: how many have each pair of bits, with noise; a level each has its own table ---- *)
Fixpoint count_of (a : nat -> bool) (x y : bool) (s : state) : Z :=
  match s with b :: c :: t => ((if a 0%nat && (Bool.eqb b x && Bool.eqb c y) then 1 else 0) + count_of (fun i => a (S i)) x y t)%Z | _ => 0%Z end.
Definition table (a : nat -> bool) (f : Z -> R) (y : bool -> bool -> Z) (s : state) : R :=
  f (y true true - count_of a true true s)%Z * f (y true false - count_of a true false s)%Z * (f (y false true - count_of a false true s)%Z * f (y false false - count_of a false false s)%Z).
Definition tables (level : nat -> nat) (f : Z -> R) (y : nat -> bool -> bool -> Z) (l : list nat) (s : state) : R := fold_right (fun i k => table (in_group level i) f (y i) s * k) 1 l.
(* the cells without the cell j *)
Definition apart_from (j : nat) (a : nat -> bool) : nat -> bool := fun i => a (if Nat.ltb i j then i else S i).
Lemma count_ext : forall s a b x y, (forall i, a i = b i) -> count_of a x y s = count_of b x y s.
Proof.
  fix IH 1. intros [|v [|w s]] a b x y H; cbn [count_of]; auto. rewrite H. f_equal. apply IH. intros i. apply H.
Qed.
Lemma count_ins : forall j t a x y b c, (2 * j <= length t)%nat -> count_of a x y (ins2 j b c t) = ((if a j && (Bool.eqb b x && Bool.eqb c y) then 1 else 0) + count_of (apart_from j a) x y t)%Z.
Proof.
  induction j; intros [|v [|w t]] a x y b c L; cbn [length] in L; try lia; cbn [ins2 count_of]; try reflexivity.
  rewrite IHj by lia. replace (apart_from (S j) a 0%nat) with (a 0%nat) by reflexivity.
  rewrite (count_ext t (apart_from j (fun i => a (S i))) (fun i => apart_from (S j) a (S i)) x y) by (intros i; unfold apart_from; change (S i <? S j)%nat with (i <? j)%nat; destruct (i <? j)%nat; reflexivity). lia.
Qed.
Lemma table_pos : forall r a f y s, ratios (/ r) r f -> 0 <= table a f y s.
Proof. intros r a f y s F. unfold table. repeat apply Rmult_le_pos; apply F. Qed.
Lemma tables_pos : forall r level f y l s, ratios (/ r) r f -> 0 <= tables level f y l s.
Proof. intros r level f y l s F. induction l; cbn; [lra|]. apply Rmult_le_pos; auto. now apply (table_pos r). Qed.
(* of the level of the cell j one count is larger by one, for which the noise has a bounded ratio; other levels do not change *)
Definition moved_count (a : nat -> bool) (y : bool -> bool -> Z) (j : nat) (t : state) (b c : bool) : Z := (y b c - count_of (apart_from j a) b c t)%Z.
Lemma table_ins : forall a f y j t b c, (2 * j <= length t)%nat -> exists o, table (apart_from j a) f y t = o * f (moved_count a y j t b c) /\
  table a f y (ins2 j b c t) = o * f (moved_count a y j t b c - (if a j then 1 else 0))%Z /\ ((forall z, 0 <= f z) -> 0 <= o).
Proof.
  intros a f y j t b c L. unfold table. rewrite !count_ins by auto. set (n := fun x z => count_of (apart_from j a) x z t).
  assert (E : forall x z, (y x z - ((if a j && (Bool.eqb b x && Bool.eqb c z) then 1 else 0) + n x z) = y x z - n x z - (if Bool.eqb b x && Bool.eqb c z then if a j then 1 else 0 else 0))%Z).
  { intros x z. destruct (a j), (Bool.eqb b x && Bool.eqb c z); cbn [andb]; lia. }
  fold (n true true) (n true false) (n false true) (n false false). unfold moved_count. fold (n b c). rewrite !E.
  set (k := (if a j then 1 else 0)%Z). destruct b, c; cbn [Bool.eqb andb]; rewrite ?Z.sub_0_r.
  - exists (f (y true false - n true false)%Z * (f (y false true - n false true)%Z * f (y false false - n false false)%Z)). split; [ring|]. split; [ring|]. intros P. repeat apply Rmult_le_pos; apply P.
  - exists (f (y true true - n true true)%Z * (f (y false true - n false true)%Z * f (y false false - n false false)%Z)). split; [ring|]. split; [ring|]. intros P. repeat apply Rmult_le_pos; apply P.
  - exists (f (y true true - n true true)%Z * f (y true false - n true false)%Z * f (y false false - n false false)%Z). split; [ring|]. split; [ring|]. intros P. repeat apply Rmult_le_pos; apply P.
  - exists (f (y true true - n true true)%Z * f (y true false - n true false)%Z * f (y false true - n false true)%Z). split; [ring|]. split; [ring|]. intros P. repeat apply Rmult_le_pos; apply P.
Qed.
Lemma tables_elsewhere : forall level f y j t b c l, (2 * j <= length t)%nat -> ~ In (level j) l ->
  tables level f y l (ins2 j b c t) = fold_right (fun i k => table (apart_from j (in_group level i)) f (y i) t * k) 1 l.
Proof.
  intros level f y j t b c l L. induction l as [|i l IH]; intros N; cbn [tables fold_right]; auto. fold (tables level f y l (ins2 j b c t)). rewrite IH by (intros I; apply N; now right). f_equal.
  destruct (table_ins (in_group level i) f (y i) j t b c L) as [o [-> [-> _]]]. unfold in_group. destruct (Nat.eqb_spec (level j) i) as [E|E]; [exfalso; apply N; now left|]. now rewrite Z.sub_0_r.
Qed.
Definition spreads (r : R) (j m : nat) (w : state -> R) := (forall s, 0 <= w s) /\ forall t, length t = (m - 2)%nat -> exists k, 0 <= k /\ forall b c, k * / r <= w (ins2 j b c t) <= k * r.
Lemma tables_spread : forall r level f y l j m, 1 <= r -> ratios (/ r) r f -> NoDup l -> (2 * j + 1 < m)%nat -> spreads r j m (tables level f y l).
Proof.
  intros r level f y l j m R1 F D J. assert (F0 : forall z, 0 <= f z) by apply F. assert (I : 0 < / r <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
  split; [intros; now apply (tables_pos r)|]. intros t T. assert (L : (2 * j <= length t)%nat) by lia.
  exists (fold_right (fun i k => table (apart_from j (in_group level i)) f (y i) t * k) 1 l).
  assert (P : forall l, 0 <= fold_right (fun i k => table (apart_from j (in_group level i)) f (y i) t * k) 1 l) by (induction l0; cbn; [lra|]; apply Rmult_le_pos; auto; now apply (table_pos r)).
  split; auto. intros b c. induction D as [|i l N D IH]; cbn [tables fold_right]; [lra|]. fold (tables level f y l (ins2 j b c t)).
  set (k := fold_right _ 1 l) in *. assert (K : 0 <= k) by apply P. destruct (table_ins (in_group level i) f (y i) j t b c L) as [o [E1 [E2 O]]]. specialize (O F0). change (in_group level i j) with (Nat.eqb (level j) i) in E2. rewrite E1, E2.
  destruct (Nat.eqb_spec (level j) i) as [E|E].
  - subst i. rewrite tables_elsewhere by auto. fold k. set (z := moved_count _ _ _ _ _ _). destruct (F z) as [_ [A B]]. assert (Q : 0 <= o * k) by now apply Rmult_le_pos.
    replace (o * f z * k * / r) with (o * k * (/ r * f z)) by ring. replace (o * f z * k * r) with (o * k * (r * f z)) by ring. replace (o * f (z - 1)%Z * k) with (o * k * f (z - 1)%Z) by ring. split; apply Rmult_le_compat_l; auto.
  - rewrite Z.sub_0_r. set (z := moved_count _ _ _ _ _ _). assert (Q : 0 <= o * f z) by now apply Rmult_le_pos.
    replace (o * f z * k * / r) with (o * f z * (k * / r)) by ring. replace (o * f z * k * r) with (o * f z * (k * r)) by ring. split; apply Rmult_le_compat_l; auto; apply IH.
Qed.

(* ---- the loss ---- *)
Lemma traces_inside : forall p1 i o x, 0 <= p1 <= 1 -> 0 <= x <= 1 -> 0 <= weight p1 i x o /\ 0 <= last p1 i x o <= 1.
Proof.
  intros p1 i. induction o as [|[c|a s] o IH]; intros x P X; cbn [weight last]; [split; lra| |].
  - apply IH; auto. destruct (Nat.eqb c i); auto.
  - assert (B : 0 <= bit_prob (nth i s false) <= 1) by (destruct (nth i s false); cbn; lra). destruct (a i).
    + destruct (IH _ P B) as [A C]. split; auto. apply Rmult_le_pos; auto. destruct (nth i s false); cbn; lra.
    + destruct (IH _ P X) as [A C]. split; auto. apply Rmult_le_pos; auto. destruct (nth i s false); lra.
Qed.
Lemma vec_repeat : forall (x : R) n, repeat x n = vec n (fun _ => x). Proof. induction n; cbn; congruence. Qed.
Lemma by_cells : forall p r w m j o o' k1 k2 t, 1 / 2 < p < 1 -> 1 <= r -> ((j < m)%nat -> spreads r j (2 * m) w) -> (forall s, 0 <= w s) -> sized (2 * m) o -> sized (2 * m) o' -> off2 j o = off2 j o' ->
  1 <= k1 -> 1 <= k2 -> 0 <= t -> let q := 1 - p in
  weight p (2 * j) q o <= k1 * weight p (2 * j) q o' -> weight p (2 * j + 1) q o <= k2 * weight p (2 * j + 1) q o' ->
  near t (last p (2 * j) q o) (last p (2 * j + 1) q o) (last p (2 * j) q o') (last p (2 * j + 1) q o') ->
  mass (repeat q (2 * m)) (map (op_of p) o ++ [See w]) <= k1 * k2 * (1 + t * (r * r - 1)) * mass (repeat q (2 * m)) (map (op_of p) o' ++ [See w]).
Proof.
  intros p r w m j o o' k1 k2 t P R1 F W0 Z Z' N K1 K2 T q W1 W2 Nr. rewrite vec_repeat, !cell_by_cell by auto.
  set (W := fun i => weight p i q o). set (W' := fun i => weight p i q o'). set (V := fun i => last p i q o). set (V' := fun i => last p i q o').
  assert (Same : forall i, i <> (2 * j)%nat -> i <> (2 * j + 1)%nat -> W i = W' i /\ V i = V' i).
  { intros i N1 N2. unfold W, W', V, V'. destruct (off2_other p j i o q N1 N2) as [-> ->]. destruct (off2_other p j i o' q N1 N2) as [-> ->]. now rewrite N. }
  assert (In : forall o i, 0 <= weight p i q o /\ 0 <= last p i q o <= 1) by (intros; apply traces_inside; unfold q; lra).
  assert (X : forall o, 0 <= expect (vec (2 * m) (fun i => last p i q o)) w).
  { intros z. replace 0 with (expect (vec (2 * m) (fun i => last p i q z)) (fun _ => 0 * 0)) by (rewrite expect_scale; ring). apply expect_le; [apply vec_probs; intros i; apply In|]. intros s _. rewrite Rmult_0_l. apply W0. }
  assert (Y : forall o, 0 <= prodn (2 * m) (fun i => weight p i q o)) by (intros; apply prodn_pos; intros; apply In).
  assert (G : 1 <= 1 + t * (r * r - 1)) by (assert (0 <= t * (r * r - 1)) by (apply Rmult_le_pos; nra); lra).
  destruct (Nat.lt_ge_cases j m) as [L|L].
  - assert (A : prodn (2 * m) W <= k1 * k2 * prodn (2 * m) W').
    { rewrite <- (prodn_two j (2 * m) k1 k2) by lia. rewrite <- prodn_mul. apply prodn_le. intros i _. split; [apply In|].
      destruct (Nat.eqb_spec i (2 * j)) as [->|N1]; auto. destruct (Nat.eqb_spec i (2 * j + 1)) as [->|N2]; auto. destruct (Same i N1 N2) as [-> _]. lra. }
    assert (B : expect (vec (2 * m) V) w <= (1 + t * (r * r - 1)) * expect (vec (2 * m) V') w).
    { apply (pair_expect j); [lia|intros i; apply In|intros i N1 N2; now apply Same|]. intros s Hs. destruct (F L) as [_ G2]. destruct (G2 s Hs) as [k [K0 K]].
      apply (mix_bound t _ _ _ _ (fun b c => w (ins2 j b c s)) k r); auto; apply In. }
    replace (k1 * k2 * (1 + t * (r * r - 1)) * (prodn (2 * m) W' * expect (vec (2 * m) V') w)) with (k1 * k2 * prodn (2 * m) W' * ((1 + t * (r * r - 1)) * expect (vec (2 * m) V') w)) by ring.
    apply Rmult_le_compat; auto; [apply Y|apply X].
  - rewrite (prodn_ext _ W W'), (vec_ext _ V V') by (intros i I; apply Same; lia).
    assert (A := Y o'). assert (B := X o'). fold W' in A. fold V' in B. assert (C : 0 <= prodn (2 * m) W' * expect (vec (2 * m) V') w) by now apply Rmult_le_pos.
    assert (1 <= k1 * k2) by nra. assert (1 <= k1 * k2 * (1 + t * (r * r - 1))) by nra. nra.
Qed.

(* Users with a hash: an update is of one of the two counters, whose bits of the cell c are 2 c and 2 c + 1; a look sees any set. *)
Inductive event2 := Appear (u : nat) (second : bool) | Seen (a : nat -> bool) (s : state).
Definition act_of (cell : nat -> nat) (x : event2) := match x with Appear u b => Touch (2 * cell u + (if b then 1 else 0)) | Seen a s => Look a s end.
Definition without (u : nat) (e : list event2) := filter (fun x => match x with Appear v _ => negb (Nat.eqb v u) | _ => true end) e.
Definition acts (cell : nat -> nat) (e : list event2) := map (act_of cell) e.
Definition union_seen (cell level : nat -> nat) (m n : nat) (p : R) (f : Z -> R) (y : nat -> bool -> bool -> Z) (e : list event2) : R :=
  mass (repeat (1 - p) (2 * m)) (map (op_of p) (acts cell e) ++ [See (tables level f y (seq 0 n))]).
Lemma without_off2 : forall cell u e, off2 (cell u) (acts cell e) = off2 (cell u) (acts cell (without u e)).
Proof.
  intros cell u. induction e as [|[v b|a s] e IH]; cbn [acts map act_of without filter]; auto.
  - destruct (Nat.eqb_spec v u) as [->|N]; cbn [negb off2 filter map act_of].
    + replace (negb (Nat.eqb _ (2 * cell u)) && negb (Nat.eqb _ (2 * cell u + 1))) with false; [exact IH|]. symmetry. apply andb_false_iff. rewrite !negb_false_iff, !Nat.eqb_eq. destruct b; lia.
    + destruct (_ && _); [f_equal|]; exact IH.
  - cbn [off2 filter]. f_equal. exact IH.
Qed.
Lemma times_looks : forall i o, times i (looks2 o) = times i o.
Proof. intros i. unfold times. induction o as [|[c|a s] o IH]; cbn; auto. destruct (a i); cbn; auto. Qed.
Lemma one_factor : forall p z b x x', 1 / 2 < p < 1 -> 0 <= z -> (x = 1 - p \/ x = p) -> (x' = 1 - p \/ x' = p) -> z * pr x b <= p / (1 - p) * (z * pr x' b).
Proof.
  intros p z b x x' P Z X X'. rewrite <- Rmult_assoc, (Rmult_comm _ z), Rmult_assoc. apply Rmult_le_compat_l; auto.
  apply Rmult_le_reg_r with (1 - p); [lra|]. replace (p / (1 - p) * pr x' b * (1 - p)) with (p * pr x' b) by (field; lra).
  destruct b, X as [-> | ->], X' as [-> | ->]; cbn [pr]; nra.
Qed.
Lemma E_above : forall p, 1 / 2 < p < 1 -> 1 <= p / (1 - p).
Proof. intros p P. apply Rmult_le_reg_r with (1 - p); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. Qed.
Lemma near_swap : forall t a b a' b', near t a b a' b' -> near t b a b' a'.
Proof. intros t a b a' b' N d D H. specialize (N (fun x y => d y x) D (fun x y => H y x)). unfold mix2 in *. lra. Qed.
(* The bit of one counter is seen once, that of the other never: for every number of users, cells and levels, hash, and stream. *)
(** claim: distinct.union *)
Theorem union_one_look : forall p r f y m n cell level u (second : bool) e e', 1 / 2 < p < 1 -> 1 <= r -> ratios (/ r) r f -> sized (2 * m) (acts cell e) -> sized (2 * m) (acts cell e') ->
  without u e = without u e' -> times (2 * cell u) (acts cell e) = (if second then 0 else 1)%nat -> times (2 * cell u + 1) (acts cell e) = (if second then 1 else 0)%nat ->
  union_seen cell level m n p f y e <= p / (1 - p) * (1 - p + p * r ^ 2) * union_seen cell level m n p f y e'.
Proof.
  intros p r f y m n cell level u second e e' P R1 F Z Z' N T1 T0. assert (O : off2 (cell u) (acts cell e) = off2 (cell u) (acts cell e')) by (rewrite (without_off2 cell u e), (without_off2 cell u e'); now rewrite N).
  assert (L : looks2 (acts cell e') = looks2 (acts cell e)) by (rewrite <- (off2_looks (cell u) (acts cell e)), <- (off2_looks (cell u) (acts cell e')); now rewrite O).
  assert (E := E_above p P). assert (K : p / (1 - p) * (1 - p + p * r ^ 2) = p / (1 - p) * (1 + p * (r * r - 1))) by (field; lra).
  rewrite <- times_looks in T1, T0. set (ls := looks2 (acts cell e)) in *.
  assert (G : forall i i', times i ls = 1%nat -> times i' ls = 0%nat -> weight p i (1 - p) (acts cell e) <= p / (1 - p) * weight p i (1 - p) (acts cell e') /\
    weight p i' (1 - p) (acts cell e) <= 1 * weight p i' (1 - p) (acts cell e') /\
    near p (last p i (1 - p) (acts cell e)) (last p i' (1 - p) (acts cell e)) (last p i (1 - p) (acts cell e')) (last p i' (1 - p) (acts cell e'))).
  { intros i i' I I'. destruct (seen_once_only p i ls I) as [z [b [Z0 V]]]. destruct (never_seen p i' ls I') as [z2 [Z2 V2]].
    destruct (V _ (1 - p) eq_refl) as [x [X [W A]]]. destruct (V _ (1 - p) L) as [x' [X' [W' A']]]. destruct (V2 _ (1 - p) eq_refl) as [W2 B]. destruct (V2 _ (1 - p) L) as [W2' B'].
    split; [rewrite W, W'; now apply one_factor|]. split; [rewrite W2, W2'; lra|]. apply (near_one p b); auto; lra. }
  destruct second; [destruct (G _ _ T0 T1) as [G1 [G2 G3]]; rewrite K, <- (Rmult_1_l (p / (1 - p)))|destruct (G _ _ T1 T0) as [G1 [G2 G3]]; rewrite K, <- (Rmult_1_r (p / (1 - p)))];
    apply (by_cells p r _ m (cell u)); auto; try (intros; apply tables_spread; auto using seq_NoDup; lia); try (intros; now apply (tables_pos r)); try lra. now apply near_swap.
Qed.
(* Both are seen once, at times of their own. *)
(** claim: distinct.union *)
Theorem union_two_looks : forall p r f y m n cell level u e e', 1 / 2 < p < 1 -> 1 <= r -> ratios (/ r) r f -> sized (2 * m) (acts cell e) -> sized (2 * m) (acts cell e') ->
  without u e = without u e' -> times (2 * cell u) (acts cell e) = 1%nat -> times (2 * cell u + 1) (acts cell e) = 1%nat ->
  union_seen cell level m n p f y e <= (p / (1 - p)) ^ 2 * ((1 - p) ^ 2 + (1 - (1 - p) ^ 2) * r ^ 2) * union_seen cell level m n p f y e'.
Proof.
  intros p r f y m n cell level u e e' P R1 F Z Z' N T1 T0. assert (O : off2 (cell u) (acts cell e) = off2 (cell u) (acts cell e')) by (rewrite (without_off2 cell u e), (without_off2 cell u e'); now rewrite N).
  assert (L : looks2 (acts cell e') = looks2 (acts cell e)) by (rewrite <- (off2_looks (cell u) (acts cell e)), <- (off2_looks (cell u) (acts cell e')); now rewrite O).
  destruct (seen_once_only p (2 * cell u) (looks2 (acts cell e)) ltac:(now rewrite times_looks)) as [z [b [Z0 V]]].
  destruct (seen_once_only p (2 * cell u + 1) (looks2 (acts cell e)) ltac:(now rewrite times_looks)) as [z2 [b2 [Z2 V2]]].
  destruct (V _ (1 - p) eq_refl) as [x [X [W A]]]. destruct (V _ (1 - p) L) as [x' [X' [W' A']]]. destruct (V2 _ (1 - p) eq_refl) as [x2 [X2 [W2 B]]]. destruct (V2 _ (1 - p) L) as [x2' [X2' [W2' B']]].
  assert (E := E_above p P). replace ((p / (1 - p)) ^ 2 * ((1 - p) ^ 2 + (1 - (1 - p) ^ 2) * r ^ 2)) with (p / (1 - p) * (p / (1 - p)) * (1 + (1 - (1 - p) * (1 - p)) * (r * r - 1))) by (field; lra).
  apply (by_cells p r _ m (cell u)); auto; try (intros; apply tables_spread; auto using seq_NoDup; lia); try (intros; now apply (tables_pos r)); try nra.
  - rewrite W, W'. now apply one_factor.
  - rewrite W2, W2'. now apply one_factor.
  - apply (near_two p b b2); auto; lra.
Qed.

(* ---- both are attained, for every number of cells and levels: zeros are seen, and the noise is large where it must be ---- *)
Definition blank (m : nat) : state := repeat false (2 * m).
Definition of_counter (second : bool) : nat -> bool := if second then Nat.odd else Nat.even.
(* of the user's level, that of the cell 0, the output is above every count for the pairs of a set, and at most zero for others *)
Definition far (m : nat) (set : bool -> bool -> bool) (y : bool -> bool -> Z) := forall b c, if set b c then (Z.of_nat (S m) <= y b c)%Z else (y b c <= 0)%Z.
Lemma count_small : forall n a x y s, length s = (2 * n)%nat -> (0 <= count_of a x y s <= Z.of_nat n)%Z.
Proof. induction n; intros a x y [|b [|c s]] L; cbn [length] in L; try lia; cbn [count_of]; [lia|]. specialize (IHn (fun i => a (S i)) x y s ltac:(lia)). destruct (_ && _); lia. Qed.
Definition rest_tables (level : nat -> nat) (f : Z -> R) (y : nat -> bool -> bool -> Z) (l : list nat) (t : state) := fold_right (fun i k => table (apart_from 0 (in_group level i)) f (y i) t * k) 1 l.
Lemma tables_value : forall r level m set y t b c l, 1 <= r -> length t = (2 * m)%nat -> far m set (y (level 0%nat)) -> NoDup l -> In (level 0%nat) l -> let f := geometric (/ r) (/ r) in
  tables level f y l (ins2 0 b c t) = (if set b c then r else / r) * rest_tables level f y l t.
Proof.
  intros r level m set y t b c l R1 L G D I f. induction D as [|i l N D IH]; [destruct I|]. cbn [tables rest_tables fold_right]. fold (tables level f y l (ins2 0 b c t)). fold (rest_tables level f y l t).
  destruct (table_ins (in_group level i) f (y i) 0 t b c ltac:(lia)) as [o [E1 [E2 _]]]. change (in_group level i 0) with (Nat.eqb (level 0%nat) i) in E2. rewrite E1, E2. unfold moved_count.
  assert (C := count_small m (apart_from 0 (in_group level i)) b c t L). set (n := count_of _ b c t) in *. destruct (Nat.eqb_spec (level 0%nat) i) as [E|E].
  - subst i. rewrite tables_elsewhere by (auto; lia). fold (rest_tables level f y l t). specialize (G b c). destruct (set b c); unfold f at 1 3.
    + rewrite geometric_up by (try lia; apply Rinv_0_lt_compat; lra). rewrite Rinv_inv. ring.
    + rewrite geometric_down by lia. ring.
  - rewrite Z.sub_0_r, IH by (destruct I; congruence || auto). ring.
Qed.
Section Attained.
Variables p r : R.
Hypothesis P : 1 / 2 < p < 1.
Hypothesis R1 : 1 <= r.
Let f := geometric (/ r) (/ r).
Let q := 1 - p.
Lemma f_pos : forall z, 0 < f z. Proof. intros. assert (0 < / r) by (apply Rinv_0_lt_compat; lra). now apply geometric_pos. Qed.
(* what the pair of the user contributes, and all other pairs *)
Definition pair_factor (o : list act2) (set : bool -> bool -> bool) := weight p 0 q o * weight p 1 q o * mix2 (last p 0 q o) (last p 1 q o) (fun b c => if set b c then r else / r).
Definition rest_factor (level : nat -> nat) (m n : nat) (o : list act2) (y : nat -> bool -> bool -> Z) :=
  prodn (2 * m) (fun i => weight p (S (S i)) q o) * expect (vec (2 * m) (fun i => last p (S (S i)) q o)) (rest_tables level f y (seq 0 n)).
Lemma pair_mass : forall level m n o set y, (level 0%nat < n)%nat -> far m set (y (level 0%nat)) -> sized (2 * S m) o ->
  mass (repeat q (2 * S m)) (map (op_of p) o ++ [See (tables level f y (seq 0 n))]) = pair_factor o set * rest_factor level m n o y.
Proof.
  intros level m n o set y V0 G Z. rewrite vec_repeat, cell_by_cell by auto. unfold pair_factor, rest_factor. replace (2 * S m)%nat with (S (S (2 * m))) by lia. cbn [prodn vec expect]. unfold mix; cbn [add sub mul one reals].
  set (tail := vec (2 * m) (fun i => last p (S (S i)) q o)). set (k := expect tail (rest_tables level f y (seq 0 n))).
  assert (V : forall b c, expect tail (fun t => tables level f y (seq 0 n) (b :: c :: t)) = (if set b c then r else / r) * k).
  { intros b c. unfold k. rewrite <- expect_scale. apply expect_ext. intros t T. unfold tail in T. rewrite vec_length in T.
    change (b :: c :: t) with (ins2 0 b c t). apply (tables_value r level m set); auto using seq_NoDup. apply in_seq. lia. }
  rewrite !V. unfold mix2. ring.
Qed.
Lemma rest_same : forall level m n o y, rest_factor level m n o y = rest_factor level m n (off2 0 o) y.
Proof. intros level m n o y. unfold rest_factor. f_equal; [apply prodn_ext|f_equal; apply vec_ext]; intros i _; now apply (off2_other p 0 (S (S i)) o q). Qed.
Lemma nth_blank : forall m i, nth i (blank m) false = false. Proof. intros m i. unfold blank. generalize (2 * m)%nat as n. intros n. revert i. induction n; intros [|i]; cbn; auto. Qed.
Lemma rest_pos : forall level m n o y, Forall (fun x => match x with Look _ s => s = blank (S m) | Touch c => (c < 2)%nat end) o -> 0 < rest_factor level m n o y.
Proof.
  intros level m n o y H. unfold rest_factor. assert (Q : 0 < q < 1) by (unfold q; lra).
  assert (T : forall i x, 0 <= x < 1 -> 0 < weight p (S (S i)) x o /\ 0 <= last p (S (S i)) x o <= 1).
  { intros i. induction H as [|[c|a s] o Hx H IH]; intros x X; cbn [weight last]; [split; lra| |].
    - destruct (Nat.eqb_spec c (S (S i))); [lia|auto].
    - subst s. rewrite nth_blank. cbn [bit_prob pr]. destruct (a (S (S i))); [destruct (IH 0 ltac:(lra))|destruct (IH x X)]; split; auto; apply Rmult_lt_0_compat; auto; lra. }
  apply Rmult_lt_0_compat.
  - assert (G : forall j (g : nat -> R), (forall i, 0 < g i) -> 0 < prodn j g) by (induction j; intros g G; cbn; [lra|]; apply Rmult_lt_0_compat; auto). apply G. intros i. apply T. lra.
  - assert (G : forall j (g : nat -> R) (w : state -> R), (forall i, 0 <= g i <= 1) -> (forall s, 0 < w s) -> 0 < expect (vec j g) w).
    { induction j; intros g w G W; cbn [vec expect]; auto. unfold mix; cbn [add sub mul one reals].
      assert (A := IHj (fun i => g (S i)) (fun t => w (true :: t)) (fun i => G (S i)) (fun t => W _)). assert (B := IHj (fun i => g (S i)) (fun t => w (false :: t)) (fun i => G (S i)) (fun t => W _)). assert (C := G 0%nat). nra. }
    apply G; [intros i; apply T; lra|]. intros s. unfold rest_tables. induction (seq 0 n) as [|i l IH]; cbn; [lra|]. apply Rmult_lt_0_compat; auto. unfold table. repeat apply Rmult_lt_0_compat; apply f_pos.
Qed.
(** claim: distinct.union *)
Theorem union_one_attained : forall level m n y, (level 0%nat < n)%nat -> far m (fun b _ => b) (y (level 0%nat)) -> let e := [Seen (of_counter false) (blank (S m)); Appear 0 false] in let e' := [Appear 0 false; Seen (of_counter false) (blank (S m))] in
  let see := union_seen (fun u => u) level (S m) n p f y in
  0 < see e' /\ see e = p / (1 - p) * (1 - p + p * r ^ 2) * see e'.
Proof.
  intros level m n y V G e e' see. unfold see, union_seen. fold q. assert (B : length (blank (S m)) = (2 * S m)%nat) by apply repeat_length.
  rewrite !(pair_mass level m n _ (fun b _ => b)) by (auto; repeat constructor; auto). rewrite (rest_same level m n (acts _ e)), (rest_same level m n (acts _ e')). change (off2 0 (acts (fun u => u) e)) with (off2 0 (acts (fun u => u) e')).
  assert (K := rest_pos level m n (off2 0 (acts (fun u => u) e')) y ltac:(repeat constructor)). set (k := rest_factor _ _ _ _ _) in *.
  unfold pair_factor, mix2. cbn [acts map act_of e e' weight last of_counter Nat.even Nat.mul Nat.add Nat.eqb]. rewrite !nth_blank. cbn [pr bit_prob]. unfold q.
  assert (0 < / r) by (apply Rinv_0_lt_compat; lra). split; [|field; lra].
  apply Rmult_lt_0_compat; auto. assert (0 < (1 - p) * / r) by (apply Rmult_lt_0_compat; lra). lra.
Qed.
(** claim: distinct.union *)
Theorem union_two_attained : forall level m n y, (level 0%nat < n)%nat -> far m orb (y (level 0%nat)) -> let looks := [Seen (of_counter false) (blank (S m)); Seen (of_counter true) (blank (S m))] in let both := [Appear 0 false; Appear 0 true] in
  let see := union_seen (fun u => u) level (S m) n p f y in
  0 < see (both ++ looks) /\ see (looks ++ both) = (p / (1 - p)) ^ 2 * ((1 - p) ^ 2 + (1 - (1 - p) ^ 2) * r ^ 2) * see (both ++ looks).
Proof.
  intros level m n y V G looks both see. unfold see, union_seen. fold q. assert (B : length (blank (S m)) = (2 * S m)%nat) by apply repeat_length.
  rewrite !(pair_mass level m n _ orb) by (auto; repeat constructor; auto). rewrite (rest_same level m n (acts _ (looks ++ both))), (rest_same level m n (acts _ (both ++ looks))). change (off2 0 (acts (fun u => u) (looks ++ both))) with (off2 0 (acts (fun u => u) (both ++ looks))).
  assert (K := rest_pos level m n (off2 0 (acts (fun u => u) (both ++ looks))) y ltac:(repeat constructor)). set (k := rest_factor _ _ _ _ _) in *.
  unfold pair_factor, mix2. cbn [app acts map act_of looks both weight last of_counter Nat.even Nat.odd negb Nat.mul Nat.add Nat.eqb]. rewrite !nth_blank. cbn [pr bit_prob orb]. unfold q.
  assert (0 < / r) by (apply Rinv_0_lt_compat; lra). split; [|field; lra].
  apply Rmult_lt_0_compat; auto. assert (0 < (1 - p) * (1 - p) * / r) by (apply Rmult_lt_0_compat; [nra|lra]). lra.
Qed.
End Attained.

(* ---- controls ---- *)
(* One cell in each counter: three outputs of 1 and one of - 2, whose sum is the number of cells. So both numbers are attained with
   noise whose sum is zero as well, where the table has the sum of the cells: its weights are the same but for a constant. *)
Definition zero_sum (_ : nat) (b c : bool) : Z := if b || c then 1%Z else (- 2)%Z.
Lemma far_enough : far 0 orb (zero_sum 0).
Proof. intros [] []; cbn; lia. Qed.
(* E = 3 and r = 2: the two numbers *)
(** instance: union_one_look, union_two_looks *)
Example one_and_two : 3 / 4 / (1 - 3 / 4) * (1 - 3 / 4 + 3 / 4 * 2 ^ 2) = 39 / 4 /\ (3 / 4 / (1 - 3 / 4)) ^ 2 * ((1 - 3 / 4) ^ 2 + (1 - (1 - 3 / 4) ^ 2) * 2 ^ 2) = 549 / 16.
Proof. split; field. Qed.
(* a second look at the other counter costs *)
(** mutant: union_one_look, union_one_attained *)
Example the_other_counter_counts : ~ (forall e e', without 0 e = without 0 e' -> sized 2 (acts (fun u => u) e) -> sized 2 (acts (fun u => u) e') -> times 0 (acts (fun u => u) e) = 1%nat ->
  union_seen (fun u => u) (fun _ => 0%nat) 1 1 (3 / 4) (geometric (/ 2) (/ 2)) zero_sum e <= 39 / 4 * union_seen (fun u => u) (fun _ => 0%nat) 1 1 (3 / 4) (geometric (/ 2) (/ 2)) zero_sum e').
Proof.
  intros H. destruct (union_two_attained (3 / 4) 2 ltac:(lra) ltac:(lra) (fun _ => 0%nat) 0 1 zero_sum Nat.lt_0_1 far_enough) as [A B].
  specialize (H ([Seen (of_counter false) (blank 1); Seen (of_counter true) (blank 1)] ++ [Appear 0 false; Appear 0 true]) ([Appear 0 false; Appear 0 true] ++ [Seen (of_counter false) (blank 1); Seen (of_counter true) (blank 1)])
    eq_refl ltac:(repeat constructor) ltac:(repeat constructor) eq_refl). rewrite B in H. set (z := union_seen _ _ _ _ _ _ _ _) in *. lra.
Qed.
(* a smaller number for both *)
(** mutant: union_two_looks, union_two_attained *)
Example not_the_square : ~ (forall e e', without 0 e = without 0 e' -> sized 2 (acts (fun u => u) e) -> sized 2 (acts (fun u => u) e') -> times 0 (acts (fun u => u) e) = 1%nat -> times 1 (acts (fun u => u) e) = 1%nat ->
  union_seen (fun u => u) (fun _ => 0%nat) 1 1 (3 / 4) (geometric (/ 2) (/ 2)) zero_sum e <= 34 * union_seen (fun u => u) (fun _ => 0%nat) 1 1 (3 / 4) (geometric (/ 2) (/ 2)) zero_sum e').
Proof.
  intros H. destruct (union_two_attained (3 / 4) 2 ltac:(lra) ltac:(lra) (fun _ => 0%nat) 0 1 zero_sum Nat.lt_0_1 far_enough) as [A B].
  specialize (H ([Seen (of_counter false) (blank 1); Seen (of_counter true) (blank 1)] ++ [Appear 0 false; Appear 0 true]) ([Appear 0 false; Appear 0 true] ++ [Seen (of_counter false) (blank 1); Seen (of_counter true) (blank 1)])
    eq_refl ltac:(repeat constructor) ltac:(repeat constructor) eq_refl eq_refl). rewrite B in H. set (z := union_seen _ _ _ _ _ _ _ _) in *. lra.
Qed.
