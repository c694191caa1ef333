(* The same definitions with fractions: what [coq_tables.py] asks for, and what the Python code is compared with. *)
From Coq Require Import List Bool ZArith QArith.
From Pan Require Import Semantics.
Import ListNotations.

Fixpoint states (m : nat) : list state :=
  match m with O => [[]] | S k => map (cons false) (states k) ++ map (cons true) (states k) end.
(* noise that is always zero: the number of ones itself *)
Definition exactly : Z -> Q := fun z => if Z.eqb z 0 then 1%Q else 0%Q.
(* the joint probabilities of each seen state and each number of ones at the end *)
Definition joint (m : nat) (p0 p1 : Q) (before after : list (event Q)) : list Q :=
  flat_map (fun s => map (fun k =>
    Qred (observed (fun u => u) m p0 p1 (before ++ [Obs (look s)] ++ after ++ [Obs (release exactly (Z.of_nat k))]))) (seq 0 (S m)))
    (states m).
(* the largest of the four ratios of [geometric_promise]: noise of the rates up and down; [least] is p1 without deletions *)
Definition most (a b : Q) : Q := if Qle_bool a b then b else a.
Definition joint_ratio (p0 p1 least up down : Q) : Q :=
  let q0 := (1 - p0)%Q in let q1 := (1 - p1)%Q in
  Qred (most (most (q0 / q1 * (q1 + p1 / up)) (q0 / q1 / (q1 + p1 * down)))
             (most (p1 / p0 * (least + (1 - least) / down)) (p1 / p0 / (least + (1 - least) * up))))%Q.
