(* In a finite system the condition wellfounded says: no cycle.

   oracles/reduction/conditions.py looks at whole state graphs for a cycle in all of whose states something is left out.
   If there is none, and the reachable states are finitely many, the condition of reduction/conditions.v holds. *)
(* Proves: no_cycle_is_wellfounded *)
(* Assumes: classic, constructive_indefinite_description (through search/ranking.v) *)
From Coq Require Import List Wf_nat.
From everafter.search Require Import ranking.
From everafter.reduction Require Import conditions.

Section Finite.
Variables state action : Type.
Variable initial : state -> Prop.
Variable enabled : state -> action -> Prop.
Variable execute : state -> action -> state.
Variable taken : state -> action -> Prop.

Notation alone := (taken_alone state action initial enabled execute taken).

(* Proof of everafter.certificates.reference.row_checker.Spared.on_cycle *)
Theorem no_cycle_is_wellfounded : forall states,
  (forall s, reachable state action initial enabled execute s -> In s states) -> (forall s, ~ way alone s s) ->
  wellfounded_holds state action initial enabled execute taken.
Proof.
  intros states finite none.
  destruct (ranking_exists state alone (fun _ => True) states) as (rank & ranking); [intros s _ _; apply none|].
  apply (well_founded_lt_compat _ rank). intros t s step. destruct (ranking s t step) as [_ less].
  apply less; auto. apply finite, step.
Qed.
End Finite.
