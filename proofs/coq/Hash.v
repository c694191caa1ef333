(* The linear hash modulo 2^Q with an odd multiplier: a bijection; its levels. Claim: density.fm_hash. *)
From Coq Require Import ZArith Lia List Znumtheory.
Import ListNotations.
Open Scope Z_scope.

Definition hash (q a b u : Z) := (a * u + b) mod 2 ^ q.
Lemma odd_coprime : forall q a, 0 <= q -> Z.Odd a -> rel_prime a (2 ^ q).
Proof.
  intros q a Q O. apply rel_prime_sym. revert Q. apply (natlike_ind (fun q => rel_prime (2 ^ q) a)).
  - apply rel_prime_1.
  - intros z Z IH. rewrite Z.pow_succ_r by auto. apply rel_prime_sym, rel_prime_mult; [|now apply rel_prime_sym].
    apply rel_prime_sym, prime_rel_prime; [apply prime_2|]. intros [k E]. destruct O as [j J]. lia.
Qed.
(** claim: density.fm_hash *)
Theorem injective : forall q a b u v, 0 <= q -> Z.Odd a -> 0 <= u < 2 ^ q -> 0 <= v < 2 ^ q -> hash q a b u = hash q a b v -> u = v.
Proof.
  intros q a b u v Q O U V E. unfold hash in E. assert (P : 0 < 2 ^ q) by (apply Z.pow_pos_nonneg; lia).
  assert (D : (2 ^ q | a * (u - v))).
  { apply Z.mod_divide; [lia|]. replace (a * (u - v)) with ((a * u + b) - (a * v + b)) by ring. rewrite Zminus_mod, E, Z.sub_diag. apply Z.mod_0_l. lia. }
  apply Gauss in D; [|apply rel_prime_sym; now apply odd_coprime]. destruct D as [k K].
  assert (k = 0) by nia. nia.
Qed.
(* it is onto: a residue y has the preimage a' (y - b), with a' the inverse of a *)
(** claim: density.fm_hash *)
Theorem onto : forall q a b y, 0 <= q -> Z.Odd a -> 0 <= y < 2 ^ q -> exists u, 0 <= u < 2 ^ q /\ hash q a b u = y.
Proof.
  intros q a b y Q O Y. assert (P : 0 < 2 ^ q) by lia. destruct (rel_prime_bezout _ _ (odd_coprime q a Q O)) as [c d E].
  exists ((c * (y - b)) mod 2 ^ q). split; [apply Z.mod_pos_bound; lia|]. unfold hash.
  rewrite <- Zplus_mod_idemp_l, Zmult_mod_idemp_r, Zplus_mod_idemp_l.
  assert (X : (c * a + d * 2 ^ q) * (y - b) = y - b) by (rewrite E; ring).
  replace (a * (c * (y - b)) + b) with (y + (- d * (y - b)) * 2 ^ q) by lia. rewrite Z_mod_plus by lia. apply Z.mod_small. lia.
Qed.
(* Levels: a user has a level of at least L if 2^L divides the hash. These users are one residue class, of 2^(Q-L) users. *)
Definition qualifies (q a b l u : Z) := hash q a b u mod 2 ^ l = 0.
(** claim: density.fm_hash *)
Theorem one_class : forall q a b l u v, 0 <= l <= q -> Z.Odd a -> qualifies q a b l u -> (qualifies q a b l v <-> u mod 2 ^ l = v mod 2 ^ l).
Proof.
  intros q a b l u v L O H. unfold qualifies, hash in *. assert (P : 0 < 2 ^ l) by (apply Z.pow_pos_nonneg; lia).
  assert (D : (2 ^ l | 2 ^ q)) by (exists (2 ^ (q - l)); rewrite <- Z.pow_add_r by lia; f_equal; lia).
  rewrite <- Zmod_div_mod in * by (auto; apply Z.pow_pos_nonneg; lia).
  split.
  - intros H'. assert (E : (2 ^ l | a * (u - v))).
    { apply Z.mod_divide; [lia|]. replace (a * (u - v)) with ((a * u + b) - (a * v + b)) by ring. now rewrite Zminus_mod, H, H'. }
    apply Gauss in E; [|apply rel_prime_sym; apply odd_coprime; [lia|auto]]. destruct E as [k K].
    replace u with (v + k * 2 ^ l) by lia. now rewrite Z_mod_plus by lia.
  - intros E. rewrite <- H. rewrite (Zplus_mod (a * v)), (Zplus_mod (a * u)), (Zmult_mod a v), (Zmult_mod a u), E. reflexivity.
Qed.
(* With a uniform offset every user is in this class for exactly 2^(Q-L) of the 2^Q offsets: with probability 2^-L. *)
(** claim: density.fm_hash *)
Theorem offsets : forall q a l u b, 0 <= l <= q -> (qualifies q a b l u <-> b mod 2 ^ l = (- (a * u)) mod 2 ^ l).
Proof.
  intros q a l u b L. unfold qualifies, hash. assert (P : 0 < 2 ^ l) by (apply Z.pow_pos_nonneg; lia).
  assert (D : (2 ^ l | 2 ^ q)) by (exists (2 ^ (q - l)); rewrite <- Z.pow_add_r by lia; f_equal; lia).
  rewrite <- Zmod_div_mod by (auto; apply Z.pow_pos_nonneg; lia). split; intros H.
  - apply Z.mod_divide in H as [k K]; [|lia]. replace b with (- (a * u) + k * 2 ^ l) by lia. now rewrite Z_mod_plus by lia.
  - rewrite Zplus_mod, H, <- Zplus_mod. rewrite Z.add_opp_diag_r. now apply Z.mod_0_l; lia.
Qed.
(** mutant: injective *)
Theorem even_multiplier : ~ (forall q a b u v, 0 <= q -> 0 <= u < 2 ^ q -> 0 <= v < 2 ^ q -> hash q a b u = hash q a b v -> u = v).
Proof. intros H. specialize (H 1 2 0 0 1 ltac:(lia) ltac:(lia) ltac:(lia) eq_refl). discriminate. Qed.
(* levels of two users are not independent, as is printed: at Q = 1 one of two users has level 0, and never both *)
(** mutant: one_class *)
Theorem not_independent : forall b, ~ (qualifies 1 1 b 1 0 /\ qualifies 1 1 b 1 1).
Proof. intros b [A B]. apply (offsets 1 1 1 0 b) in A; [|lia]. apply (offsets 1 1 1 1 b) in B; [|lia]. rewrite A in B. cbv in B. discriminate. Qed.
(** instance: onto, injective *)
Example all_residues : map (hash 3 5 1) [0; 1; 2; 3; 4; 5; 6; 7] = [1; 6; 3; 0; 5; 2; 7; 4].
Proof. reflexivity. Qed.
(* of 8 offsets just 2 give the user 3 a level of at least 2 *)
(** instance: offsets *)
Example one_offset_in_four : filter (fun b => Z.eqb (hash 3 5 b 3 mod 2 ^ 2) 0) [0; 1; 2; 3; 4; 5; 6; 7] = [1; 5].
Proof. reflexivity. Qed.
(* a level of 2 is not a matter of one bit of the offset *)
(** mutant: offsets, onto *)
Example two_bits_count : ~ (forall q a l u b, 0 <= l <= q -> (qualifies q a b l u <-> b mod 2 = (- (a * u)) mod 2)).
Proof. intros H. destruct (H 2 1 2 0 2 ltac:(lia)) as [_ K]. specialize (K eq_refl). discriminate. Qed.
