(* Reduction preserves formulas without next.

   If the five conditions hold, all runs of a system satisfy a formula without next exactly if all runs of the reduced
   system do: the two theorems of reduction/conditions.v and ltl/stuttering.v together. The search for a violation may
   therefore look at the taken actions alone, and what it finds is a violation of the whole system. The same is true
   of every claim that cannot tell stutter-equivalent words apart, however it is written: a formula with next may be
   one. *)
(* Proves: reduction_preserves_claims, reduction_preserves_formulas *)
(* Assumes: classic, constructive_indefinite_description (as reduction/conditions.v) *)
From everafter.ltl Require Import words formulas stuttering.
From everafter.reduction Require Import conditions.

Section Preservation.
Variables state action letter : Type.
Variable initial : state -> Prop.
Variable enabled : state -> action -> Prop.
Variable execute : state -> action -> state.
Variable label : state -> letter.
Variable taken : state -> action -> Prop.
Hypothesis C : conditions state action letter initial enabled execute label taken.

Definition all_runs (claim : word letter -> Prop) (s : state) := forall w,
  run state action enabled execute s w -> claim (word_of state action letter execute label s w).
Definition all_reduced_runs (claim : word letter -> Prop) (s : state) := forall w,
  reduced_run state action execute taken s w -> claim (word_of state action letter execute label s w).

Theorem reduction_preserves_claims : forall claim : word letter -> Prop,
  (forall x y, stutter_equivalent x y -> claim x -> claim y) ->
  forall s, initial s -> (all_runs claim s <-> all_reduced_runs claim s).
Proof.
  intros claim invariant s I.
  assert (R : reachable state action initial enabled execute s) by (apply reachable_initial; auto).
  split; intros all w W.
  - apply all. eapply reduced_runs_are_runs; eauto.
  - destruct (every_run_has_a_reduced_run _ _ _ _ _ _ _ _ C s w R W) as (w' & W' & same).
    apply (invariant _ _ (stutter_equivalent_sym _ _ _ same)). auto.
Qed.

Variable proposition : Type.
Variable truth : letter -> proposition -> bool.

Theorem reduction_preserves_formulas : forall (f : formula proposition) (s : state), next_free f -> initial s ->
  (all_runs (fun x => satisfies truth x f) s <-> all_reduced_runs (fun x => satisfies truth x f) s).
Proof.
  intros f s free. apply reduction_preserves_claims.
  intros x y same. apply (next_free_cannot_tell proposition letter truth f x y free same).
Qed.
End Preservation.
