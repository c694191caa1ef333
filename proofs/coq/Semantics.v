(* The density family: what a program of redrawn bits does, and what an adversary sees of it.

   A state is a list of bits, one a cell. A program draws cells afresh, flips all bits, and is observed. [mass] is the
   probability, or the density, of everything that is observed. Numbers are any type with a sum and a product: the
   theorems are about real numbers, the tables are computed with fractions, and [mass_hom] says that both are one. *)
From Coq Require Import List Bool ZArith Lia Reals QArith Qreals.
Import ListNotations.

Class Num (K : Type) := { zero : K; one : K; add : K -> K -> K; sub : K -> K -> K; mul : K -> K -> K }.
#[export] Instance reals : Num R := {| zero := 0%R; one := 1%R; add := Rplus; sub := Rminus; mul := Rmult |}.
#[export] Instance fractions : Num Q :=
  {| zero := 0%Q; one := 1%Q; add a b := Qred (a + b); sub a b := Qred (a - b); mul a b := Qred (a * b) |}.

Definition state := list bool.
Fixpoint set (u : nat) (b : bool) (s : state) : state :=
  match s, u with
  | [], _ => []
  | _ :: t, O => b :: t
  | x :: t, S v => x :: set v b t
  end.
Definition same (s t : state) : bool := if list_eq_dec bool_dec s t then true else false.
Fixpoint ones (s : state) : Z := match s with [] => 0 | b :: t => (if b then 1 else 0) + ones t end%Z.
(* the cells of a set, for instance of a level or of a worker; the others count as zeros *)
Fixpoint part (a : nat -> bool) (s : state) : state :=
  match s with [] => [] | b :: t => (a O && b) :: part (fun i => a (S i)) t end.
Definition all : nat -> bool := fun _ => true.

Section Meaning.
Context {K : Type} {num : Num K}.

Definition mix (p x y : K) : K := add (mul p x) (mul (sub one p) y).

Inductive op :=
| Draw (u : nat) (p : K) (* cell u becomes a fresh Bernoulli(p); if there is no cell u, nothing happens *)
| Flip (p : K) (* every bit is flipped with probability p *)
| See (w : state -> K). (* something is seen, whose probability or density is w of the state *)

Fixpoint flipped (p : K) (s : state) (g : state -> K) : K :=
  match s with
  | [] => g []
  | b :: t => mix p (flipped p t (fun v => g (negb b :: v))) (flipped p t (fun v => g (b :: v)))
  end.
Fixpoint run (o : list op) (s : state) : K :=
  match o with
  | [] => one
  | Draw u p :: t => mix p (run t (set u true s)) (run t (set u false s))
  | Flip p :: t => flipped p s (run t)
  | See w :: t => mul (w s) (run t s)
  end.
(* bits that are born independently *)
Fixpoint expect (ps : list K) (g : state -> K) : K :=
  match ps with
  | [] => g []
  | p :: t => mix p (expect t (fun s => g (true :: s))) (expect t (fun s => g (false :: s)))
  end.
Definition mass (ps : list K) (o : list op) : K := expect ps (run o).

(* an intrusion sees the cells of a set; a release is a noisy number of ones, f the probabilities of the noise *)
Definition look_at (a : nat -> bool) (s : state) : state -> K := fun t => if same s (part a t) then one else zero.
Definition release_of (a : nat -> bool) (f : Z -> K) (y : Z) : state -> K := fun t => f (y - ones (part a t))%Z.
Definition look := look_at all.
Definition release := release_of all.

(* A stream: users arrive and leave; an intrusion is announced, after which bits are flipped; something is seen. *)
Inductive event := Enter (v : nat) | Leave (v : nat) | Announce (p : K) | Obs (w : state -> K).
Definition through (p q : K) : K := mix p (sub one q) q.
(* [cell] is the hash: users may share a cell, and have none if it is not below the number of cells *)
Fixpoint compile (cell : nat -> nat) (p0 p1 : K) (e : list event) : list op :=
  match e with
  | [] => []
  | Enter v :: t => Draw (cell v) p1 :: compile cell p0 p1 t
  | Leave v :: t => Draw (cell v) p0 :: compile cell p0 p1 t
  | Announce p :: t => Flip p :: compile cell (through p p0) (through p p1) t
  | Obs w :: t => See w :: compile cell p0 p1 t
  end.
Definition observed (cell : nat -> nat) (m : nat) (p0 p1 : K) (e : list event) : K :=
  mass (repeat p0 m) (compile cell p0 p1 e).
(* user-level neighbours: all or some of one user's events differ, are inserted or left out *)
Definition of (u : nat) (x : event) : bool :=
  match x with Enter v | Leave v => Nat.eqb v u | _ => false end.
Definition others (u : nat) (e : list event) : list event := filter (fun x => negb (of u x)) e.
Definition neighbours (u : nat) (e e' : list event) : Prop := others u e = others u e'.
(* insertions only; no announced intrusion *)
Definition inserts (e : list event) : Prop := Forall (fun x => match x with Leave _ | Announce _ => False | _ => True end) e.
Definition unannounced (e : list event) : Prop := Forall (fun x => match x with Announce _ => False | _ => True end) e.
End Meaning.
Arguments op K : clear implicits.
Arguments event K : clear implicits.

(* what is computed with fractions is what the theorems are about *)
Section Homomorphism.
Context {K L : Type} {nk : Num K} {nl : Num L} (h : K -> L).
Hypothesis h1 : h one = one.
Hypothesis hadd : forall a b, h (add a b) = add (h a) (h b).
Hypothesis hsub : forall a b, h (sub a b) = sub (h a) (h b).
Hypothesis hmul : forall a b, h (mul a b) = mul (h a) (h b).
Definition through_h (o : op K) : op L :=
  match o with Draw u p => Draw u (h p) | Flip p => Flip (h p) | See w => See (fun s => h (w s)) end.
Lemma mix_h p x y : h (mix p x y) = mix (h p) (h x) (h y).
Proof. unfold mix. now rewrite hadd, !hmul, hsub, h1. Qed.
Lemma flipped_h : forall s p g k, (forall t, h (g t) = k t) -> h (flipped p s g) = flipped (h p) s k.
Proof. induction s as [|b s IH]; intros p g k H; cbn [flipped]; [apply H|]. rewrite mix_h. f_equal; apply IH; intros; apply H. Qed.
Lemma run_h : forall o s, h (run o s) = run (map through_h o) s.
Proof.
  induction o as [|[u p|p|w] o IH]; intros s; cbn [map through_h run].
  - apply h1. - rewrite mix_h. now rewrite !IH. - now apply flipped_h. - now rewrite hmul, IH.
Qed.
Lemma expect_h : forall ps g k, (forall t, h (g t) = k t) -> h (expect ps g) = expect (map h ps) k.
Proof. induction ps as [|p ps IH]; intros g k H; cbn [map expect]; [apply H|]. rewrite mix_h. f_equal; apply IH; intros; apply H. Qed.
Theorem mass_hom ps o : h (mass ps o) = mass (map h ps) (map through_h o).
Proof. apply expect_h, run_h. Qed.
End Homomorphism.

Corollary fractions_are_real ps o : Q2R (mass ps o) = mass (map Q2R ps) (map (through_h Q2R) o).
Proof.
  assert (red : forall a, Q2R (Qred a) = Q2R a) by (intros; apply Qeq_eqR, Qred_correct).
  apply mass_hom; intros; cbn [one add sub mul fractions reals]; rewrite ?red;
    [unfold Q2R; cbn; field|apply Q2R_plus|apply Q2R_minus|apply Q2R_mult].
Qed.
