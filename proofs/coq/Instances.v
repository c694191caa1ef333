(* The same definitions with fractions: what [tables.py] asks for, and what the Python code is compared with. *)
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
