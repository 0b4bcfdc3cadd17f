(* Reduction preserves formulas without next.

   If the five conditions hold, all runs of a system satisfy a formula without next exactly if all runs of the reduced
   system do: the two theorems of reduction/conditions.v and ltl/stuttering.v together. The search for a violation may
   therefore look at the taken actions alone, and what it finds is a violation of the whole system. *)
(* Proves: reduction_preserves_formulas *)
(* Assumes: classic, constructive_indefinite_description (as reduction/conditions.v) *)
From everafter.ltl Require Import words formulas stuttering.
From everafter.reduction Require Import conditions.

Theorem reduction_preserves_formulas :
  forall (state action letter proposition : Type) (truth : letter -> proposition -> bool)
    (initial : state -> Prop) (enabled : state -> action -> Prop) (execute : state -> action -> state)
    (label : state -> letter) (taken : state -> action -> Prop),
  conditions state action letter initial enabled execute label taken ->
  forall (f : formula proposition) (s : state), next_free f -> initial s ->
    ((forall w, run state action enabled execute s w ->
        satisfies truth (word_of state action letter execute label s w) f) <->
     (forall w, reduced_run state action execute taken s w ->
        satisfies truth (word_of state action letter execute label s w) f)).
Proof.
  intros state action letter proposition truth initial enabled execute label taken C f s free I.
  assert (R : reachable state action initial enabled execute s) by (apply reachable_initial; auto).
  split; intros all w W.
  - apply all. eapply reduced_runs_are_runs; eauto.
  - destruct (every_run_has_a_reduced_run _ _ _ _ _ _ _ _ C s w R W) as (w' & W' & same).
    apply (next_free_cannot_tell proposition letter truth f _ _ free same). auto.
Qed.
