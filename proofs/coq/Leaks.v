(* A state without random draws has no finite loss, unless it is the same for all streams. Claim: distinct.one_shot_leaks. *)
From Coq Require Import List Bool Arith Reals Lra.
Import ListNotations.
Open Scope R_scope.

(* neighbours: all appearances of a user are left out, and the places stay empty *)
Definition erase (u : nat) (e : list (option nat)) : list (option nat) :=
  map (fun x => match x with Some v => if Nat.eqb v u then None else x | None => None end) e.
Lemma erased : forall us e, fold_right erase e us = map (fun x => match x with Some v => if existsb (Nat.eqb v) us then None else x | None => None end) e.
Proof.
  induction us as [|u us IH]; intros e; cbn [fold_right existsb].
  - rewrite <- (map_id e) at 1. apply map_ext. intros [v|]; reflexivity.
  - rewrite IH. unfold erase. rewrite map_map. apply map_ext. intros [v|]; auto. destruct (existsb (Nat.eqb v) us); cbn; [now rewrite orb_true_r|]. now rewrite orb_false_r.
Qed.
(** claim: distinct.one_shot_leaks *)
Theorem one_shot_leaks : forall (S : Type) (dec : forall s t : S, {s = t} + {s <> t}) (f : list (option nat) -> S) c0,
  let prob e s := if dec (f e) s then 1 else 0 in
  (forall u e s, prob e s <= c0 * prob (erase u e) s) -> forall e e', length e = length e' -> f e = f e'.
Proof.
  intros S dec f c0 prob H.
  assert (one : forall u e, f (erase u e) = f e).
  { intros u e. specialize (H u e (f e)). unfold prob in H. destruct (dec (f e) (f e)); [|congruence]. destruct (dec (f (erase u e)) (f e)); auto. lra. }
  assert (many : forall us e, f (fold_right erase e us) = f e) by (induction us; intros; cbn; auto; now rewrite one).
  assert (blank : forall e, f (map (fun _ => None) e) = f e).
  { intros e. set (us := flat_map (fun x => match x with Some v => [v] | None => [] end) e). rewrite <- (many us e), erased. f_equal. apply map_ext_in. intros [v|] I; auto.
    replace (existsb (Nat.eqb v) us) with true; auto. symmetry. apply existsb_exists. exists v. split; [|apply Nat.eqb_refl]. apply in_flat_map. exists (Some v). cbn. auto. }
  intros e e' L. rewrite <- (blank e), <- (blank e'). f_equal. revert e' L. induction e as [|x e IH]; intros [|y e'] L; cbn in *; try discriminate; auto. f_equal. auto.
Qed.
Definition has (u : nat) (e : list (option nat)) := existsb (fun x => match x with Some v => Nat.eqb v u | None => false end) e.
(* a bitmap tells a user who is alone from nobody, so that no factor bounds its loss *)
(** instance: one_shot_leaks *)
Example bitmap_leaks : forall c0, ~ (forall u e s, (if bool_dec (has 0 e) s then 1 else 0) <= c0 * (if bool_dec (has 0 (erase u e)) s then 1 else 0)).
Proof. intros c0 H. assert (E := one_shot_leaks bool bool_dec (has 0) c0 H [Some 0%nat] [None] eq_refl). discriminate. Qed.
(* with a random draw the loss is finite, and the state is not the same *)
(** mutant: one_shot_leaks *)
Example random_draws_needed : ~ (forall (prob : list (option nat) -> bool -> R) c0, (forall u e s, prob e s <= c0 * prob (erase u e) s) ->
  forall e e' s, length e = length e' -> prob e s = prob e' s).
Proof.
  intros H. specialize (H (fun e s => if eqb s (has 0 e) then 3 / 4 else 1 / 4) 3).
  assert (B : forall u e s, (if eqb s (has 0 e) then 3 / 4 else 1 / 4) <= 3 * (if eqb s (has 0 (erase u e)) then 3 / 4 else 1 / 4))
    by (intros; destruct (eqb s (has 0 e)), (eqb s (has 0 (erase u e))); lra).
  specialize (H B [Some 0%nat] [None] true eq_refl). cbn in H. lra.
Qed.
