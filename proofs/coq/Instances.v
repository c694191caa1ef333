(* The same definitions with fractions: what [coq_tables.py] asks for, and what the Python code is compared with. *)
From Coq Require Import List Bool ZArith QArith.
From Pan Require Import Semantics.
Import ListNotations.

Fixpoint states (m : nat) : list state :=
  match m with O => [[]] | S k => map (cons false) (states k) ++ map (cons true) (states k) end.
(* noise that is always zero: the number of ones itself *)
Definition exactly : Z -> Q := fun z => if Z.eqb z 0 then 1%Q else 0%Q.
(* the joint probabilities of each seen state and each number of ones at the end; [hash] is the cell of each user *)
Definition joint (hash : list nat) (m : nat) (p0 p1 : Q) (before after : list (event Q)) : list Q :=
  flat_map (fun s => map (fun k =>
    Qred (observed (fun u => nth u hash m) m p0 p1 (before ++ [Obs (look s)] ++ after ++ [Obs (release exactly (Z.of_nat k))]))) (seq 0 (S m)))
    (states m).
(* the largest of the four ratios of [geometric_promise]: noise of the rates up and down; [least] is p1 without deletions *)
Definition most (a b : Q) : Q := if Qle_bool a b then b else a.
Definition joint_ratio (p0 p1 least up down : Q) : Q :=
  let q0 := (1 - p0)%Q in let q1 := (1 - p1)%Q in
  Qred (most (most (q0 / q1 * (q1 + p1 / up)) (q0 / q1 / (q1 + p1 * down)))
             (most (p1 / p0 * (least + (1 - least) / down)) (p1 / p0 / (least + (1 - least) * up))))%Q.
(* the ratios of Attained.v, for 1/4, 1/2 and noise of the ratio 2, from the semantics *)
Definition ratio (b : bool) (y : Z) (pre suf pre' suf' : list (event Q)) : Q :=
  let f z := (2 / inject_Z (2 ^ Z.abs z))%Q in
  let seen one two := observed (fun u => u) 1 (1 # 4) (1 # 2) (one ++ [Obs (look [b])] ++ two ++ [Obs (release f y)]) in
  Qred (seen pre suf / seen pre' suf').
(** instance: zero_up_attained, zero_down_attained, one_up_attained, one_up_deleted, one_down_attained *)
Example six_ratios : let u := [Enter 0%nat] in let v := [Leave 0%nat] in
  [ratio false 1 [] u u []; ratio false 0 [] [] u u; ratio true 0 u u [] []; ratio true 0 u v [] []; ratio true 1 u [] [] u; ratio true 1 u [] [] v] =
  [9 # 4; 2 # 1; 3 # 1; 7 # 2; 8 # 3; 16 # 5].
Proof. vm_compute. reflexivity. Qed.
(** instance: releases_attained, published_bitmap *)
Example two_releases : let f z := (2 / inject_Z (2 ^ Z.abs z))%Q in
  let seen one two := observed (fun u => u) 1 (1 # 4) (3 # 4) (one ++ [Obs (look [false])] ++ two ++ [Obs (release f 1); Obs (release f 1)]) in
  let twice e := observed (fun u => u) 1 (1 # 4) (3 # 4) ([Obs (look [false])] ++ e ++ [Obs (look [true])]) in
  Qred (seen [] [Enter 0%nat] / seen [Enter 0%nat] []) = 39 # 4 /\ twice [Enter 0%nat] = 9 # 16 /\ twice [] = 0 # 1.
Proof. vm_compute. auto. Qed.
(* the least rates of the noise, as in Calibrated.v: the larger one of both quotients *)
Definition rates (p0 p1 c0 : Q) : list Q :=
  let a := (p1 / p0)%Q in let b := ((1 - p0) / (1 - p1))%Q in
  map Qred [most (p1 / (c0 / b - (1 - p1))) ((a / c0 - p1) / (1 - p1)); most ((1 - p1) / (c0 / a - p1)) ((b / c0 - (1 - p1)) / p1)]%Q.
(** instance: least_noise *)
Example least_rates : rates (1 # 3) (2 # 3) 3 = [4 # 7; 1 # 2].
Proof. vm_compute. reflexivity. Qed.
