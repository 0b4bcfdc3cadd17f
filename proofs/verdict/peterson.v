(* The checkers at work: Peterson's algorithm keeps two processes apart, by a certificate that Coq checks itself.

   The program is reduced, its product with the automaton of the violations is explored, and every state met gets rank
   0: that is a certificate if no accepting state is met. The checker accepts it, and so the theorem of
   verdict/verdicts.v says that no run of the whole program ever has both processes in their critical sections. Two
   processes that enter without asking are refuted by a lasso. This shows that what the theorems speak of is there:
   programs that the reduction shortens, and certificates that are accepted. *)
(* Proves: peterson_excludes, impatient_does_not *)
(* Assumes: classic, constructive_indefinite_description (through verdict/verdicts.v) *)
From Coq Require Import Arith Lia List Bool ZArith.
From everafter.ltl Require Import words formulas lassos automaton.
From everafter.reduction Require Import programs commands static.
From everafter.verdict Require Import certificates verdicts.
From everafter.product Require Import product.
Import ListNotations.

Definition equals (v : nat) (z : Z) := Unary (fun a => if Z.eqb a z then 1 else 0)%Z (Global v).
Definition either (e d : expression) := Binary (fun a b => if Z.eqb a 0 then b else a) e d.

(* Variables: 0 and 1 are the flags of the processes, 2 is the turn. Places: 0 elsewhere, 1 to 3 on the way in,
   4 the critical section. The step from 0 touches nothing shared. *)
Definition section (me other : nat) (may_enter : expression) : list command := [
  {| source := 0; target := 1; condition := Literal 1; over := Quiet; body := [] |};
  {| source := 1; target := 2; condition := Literal 1; over := Quiet; body := [SetGlobal me (Literal 1)] |};
  {| source := 2; target := 3; condition := Literal 1; over := Quiet;
     body := [SetGlobal 2 (Literal (Z.of_nat other))] |};
  {| source := 3; target := 4; condition := may_enter; over := Quiet; body := [] |};
  {| source := 4; target := 0; condition := Literal 1; over := Quiet; body := [SetGlobal me (Literal 0)] |} ].

Definition polite (me other : nat) := section me other (either (equals other 0) (equals 2 (Z.of_nat me))).
Definition rude : list command := [
  {| source := 0; target := 4; condition := Literal 1; over := Quiet; body := [] |};
  {| source := 4; target := 0; condition := Literal 1; over := Quiet; body := [] |} ].

Definition elsewhere := {| globals := [0; 0; 0]%Z; channels := []; processes := [(0, []); (0, [])] |}.
Definition critical := [IsAt 0 4; IsAt 1 4].
Definition exclusion : formula nat := Not (Eventually (And (Atom 0) (Atom 1))).
Definition nothing_given := fun _ _ : nat => false.
Definition youngest_first := fun _ : state => [1; 0].

Definition peterson := [polite 0 1; polite 1 0].
Definition impatient := [rude; rude].

(* All states of a graph, and those of the product. *)
Fixpoint explored {A} (same : forall a b : A, {a = b} + {a <> b})
    (next : A -> list A) (fuel : nat) (met new : list A) :=
  match fuel with
  | 0 => met
  | S less =>
      let fresh := filter (fun a => if in_dec same a met then false else true) (nodup same (flat_map next new)) in
      match fresh with [] => met | _ => explored same next less (fresh ++ met) fresh end
  end.

Definition graph_of (source : list (list command)) :=
  product_successors nat Nat.eq_dec (list bool) truth state
    (next_states (P source) (taken source critical nothing_given youngest_first)) (label critical)
    (violations nat exclusion).
Definition starts := product_initial nat Nat.eq_dec state [elsewhere] (violations nat exclusion).
Definition product_of (source : list (list command)) :=
  explored (same_product nat Nat.eq_dec state same_state) (graph_of source) 100 starts starts.

(* Everything that is met, with rank 0. *)
Definition certificate : ranks (product_state nat state) :=
  Eval vm_compute in map (fun a => (a, 0%Z)) (product_of peterson).

Example peterson_is_certified :
  certify peterson critical nothing_given youngest_first elsewhere exclusion certificate = true.
Proof. vm_compute. reflexivity. Qed.

Theorem peterson_excludes : forall w, runs (P peterson) elsewhere w ->
  satisfies truth (static.word_seen (P peterson) critical elsewhere w) exclusion.
Proof. exact (certified_program_satisfies _ _ _ _ _ exclusion certificate (conj I I) peterson_is_certified). Qed.

(* Ways are found breadth first, as lists with the last state at the head. *)
Fixpoint new_ways {A} (same : forall a b : A, {a = b} + {a <> b}) (met : list A)
    (ways : list (list A)) : list (list A) :=
  match ways with
  | (a :: way) :: others =>
      if in_dec same a met then new_ways same met others else (a :: way) :: new_ways same (a :: met) others
  | _ => []
  end.

Fixpoint way_to {A} (same : forall a b : A, {a = b} + {a <> b}) (next : A -> list A) (goal : A -> bool)
    (fuel : nat) (met : list A) (ways : list (list A)) : list A :=
  match find (fun way => existsb goal (firstn 1 way)) ways, fuel with
  | Some way, _ => way
  | None, 0 => []
  | None, S less =>
      let longer := flat_map (fun way => map (fun b => b :: way) (flat_map next (firstn 1 way))) ways in
      let new := new_ways same met longer in
      way_to same next goal less (flat_map (firstn 1) new ++ met) new
  end.

Definition same_node := same_product nat Nat.eq_dec state same_state.
Definition round (a : product_state nat state) : list (product_state nat state) :=
  way_to same_node (graph_of impatient) (fun b => if same_node a b then true else false) 40 []
    (map (fun b => [b]) (graph_of impatient a)).
Definition closes_cycle (a : product_state nat state) : bool :=
  product_accepting nat state (violations nat exclusion) a && negb (length (round a) =? 0).

Definition found : option (lasso (product_state nat state)) := Eval vm_compute in
  match way_to same_node (graph_of impatient) closes_cycle 40 starts (map (fun a => [a]) starts) with
  | a :: before => Some {| prefix := rev before; first := a; rest := rev (tl (round a)) |}
  | [] => None
  end.
Definition is_refuted := match found with
  | Some l => refute impatient critical nothing_given youngest_first elsewhere exclusion l
  | None => false
  end.

Example impatient_is_refuted : is_refuted = true.
Proof. vm_compute. reflexivity. Qed.

Theorem impatient_does_not : exists w, runs (P impatient) elsewhere w /\
  ~ satisfies truth (static.word_seen (P impatient) critical elsewhere w) exclusion.
Proof.
  pose proof impatient_is_refuted as accepted. unfold is_refuted in accepted. destruct found as [l|]; [|discriminate].
  exact (certified_program_violates _ _ _ _ _ exclusion l (conj I I) accepted).
Qed.

(* The reduction leaves states out: 28 of 34 are met. *)
Definition whole :=
  explored same_state (next_states (P peterson) (enabled_list (P peterson))) 100 [elsewhere] [elsewhere].
Definition part := explored same_state
  (next_states (P peterson) (taken peterson critical nothing_given youngest_first)) 100 [elsewhere] [elsewhere].
Example states_left_out : (length whole, length part) = (34, 28).
Proof. vm_compute. reflexivity. Qed.
