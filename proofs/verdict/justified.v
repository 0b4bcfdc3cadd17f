(* From a certificate and a reason to the formula: nothing is asked of the automaton any more.

   A certificate of `holds` was accepted by the text that runs (certificates/deciding.v), for the product with an
   automaton that nobody proves right; and a reason was accepted that this automaton accepts all that violates the
   formula (ltl/inclusion.v). Then the formula holds: of all runs of the system, of all fair runs if ranks name
   acceptance sets; of all runs of the system if steps are left out of the rows and the rows suffice, which is what a
   checker asks of them; and of all runs of a program if the rows are those of the statically reduced one. *)
(* Proves: justified_claim_holds, justified_fair_claim_holds, justified_reduced_claim_holds,
   justified_program_satisfies *)
(* Assumes: classic, constructive_indefinite_description (through ltl/automaton.v and reduction/static.v) *)
From Coq Require Import Arith List Bool ZArith.
From everafter.ltl Require Import words formulas stuttering automaton inclusion.
From everafter.certificates Require Import deciding.
From everafter.product Require Import claims.
From everafter.product Require reduced.
From everafter.reduction Require conditions programs commands static.
From everafter.verdict Require verdicts.
Import ListNotations.

Section Justified.
Variable proposition : Type.
Variable same_proposition : forall p q : proposition, {p = q} + {p <> q}.
Variable letter : Type.
Variable truth : letter -> proposition -> bool.

(* The automaton *)
Variable location : Type.
Variable same_location : forall p q : location, {p = q} + {p <> q}.
Variable entry : location.
Variable moves : location -> (proposition -> bool) -> list location.
Variable accepting : location -> bool.

Definition reads (p : location) (l : letter) : list location := moves p (truth l).
Definition is_accepting (p : location) : Prop := accepting p = true.

(* A reason, or two of them: for a simpler formula, and for what violates the claim without satisfying that one. *)
Definition is_fit := fits proposition location moves.
Definition is_good := is_reason proposition same_proposition location same_location entry moves accepting.

Inductive justified (claim : formula proposition) : Prop :=
| by_a_reason : forall waited reason,
    is_fit (kernel_of (Not claim)) waited -> is_good (kernel_of (Not claim)) waited reason = true -> justified claim
| by_cases : forall simpler waited waited' reason reason',
    is_fit simpler waited -> is_good simpler waited reason = true ->
    is_fit (Both (kernel_of (Not claim)) (No simpler)) waited' ->
    is_good (Both (kernel_of (Not claim)) (No simpler)) waited' reason' = true -> justified claim.

Lemma no_violation_escapes : forall claim, justified claim -> forall w, ~ satisfies truth w claim ->
  accepts letter location [entry] reads is_accepting w.
Proof.
  intros claim why w violates.
  assert (found : automaton_accepts proposition letter truth location entry moves accepting w).
  { destruct why as [waited reason F good|simpler waited waited' reason reason' F good F' good'].
    - apply (justified_automaton_accepts_violations proposition same_proposition letter truth location same_location
        entry moves accepting claim waited reason F good w violates).
    - apply (reasons_by_cases proposition same_proposition letter truth location same_location entry moves accepting
        (kernel_of (Not claim)) simpler waited waited' reason reason' F good F' good').
      apply kernel_means_the_same. exact violates. }
  destruct found as (p & begins & goes & often). exists p. split; [left; auto | split; auto].
Qed.

Section Systems.
Variables (state tag : Type).
Variable initial : list state.
Variable steps : state -> list (tag * state).
Variable label : state -> letter.
Variables (rank : array) (size least : Z).
Variable is_row : Z -> state * location -> Prop.

Definition starts := first_nodes state initial location [entry].
Definition edges := next_nodes letter state tag steps label location reads.

Theorem justified_claim_holds : forall claim, justified claim ->
  accepted rank size least (state * location) tag starts edges (fun _ a _ _ => is_accepting (snd a)) (fun _ => False)
    is_row ->
  forall q taken, tagged_run state tag initial steps q taken ->
  satisfies truth (letters_seen letter state label q) claim.
Proof. intros claim why. apply accepted_claim_holds, no_violation_escapes, why. Qed.

Theorem justified_fair_claim_holds : forall claim sets fair_set, justified claim -> (0 < sets)%Z ->
  accepted rank size least (state * location) tag starts edges
    (fun value => in_set state tag location is_accepting fair_set (value mod sets)) (fun _ => False) is_row ->
  forall q taken, tagged_run state tag initial steps q taken -> fair state tag sets fair_set q taken ->
  satisfies truth (letters_seen letter state label q) claim.
Proof. intros claim sets fair_set why. apply accepted_fair_claim_holds, no_violation_escapes, why. Qed.

(* The rows are those of a reduced product, and suffice (product/reduced.v). *)
Theorem justified_reduced_claim_holds : forall (enabled : state -> tag -> Prop) execute taken_there start rows claim,
  next_free claim -> justified claim ->
  reduced.rows_suffice state tag letter enabled execute label taken_there location [entry] reads start rows ->
  accepted rank size least (state * location) tag (first_nodes state [start] location [entry])
    (next_nodes letter state tag (reduced.steps_taken state tag execute taken_there) label location reads)
    (fun _ a _ _ => is_accepting (snd a)) (fun _ => False) is_row ->
  forall w, conditions.run state tag enabled execute start w ->
  satisfies truth (conditions.word_of state tag letter execute label start w) claim.
Proof.
  intros enabled execute taken_there start rows claim free why sufficing.
  apply (reduced.accepted_reduced_claim_holds state tag letter proposition truth enabled execute label taken_there
    location [entry] reads is_accepting claim start rows sufficing); [apply no_violation_escapes, why|].
  intros x y same. apply (next_free_cannot_tell proposition letter truth claim x y free same).
Qed.
End Systems.
End Justified.

Theorem justified_program_satisfies : forall source seen given order start
    (location : Type) (same_location : forall p q : location, {p = q} + {p <> q}) entry moves accepting
    claim rank size least is_row,
  next_free claim ->
  justified nat Nat.eq_dec location same_location entry moves accepting claim ->
  accepted rank size least (programs.state * location) programs.action
    (starts location entry programs.state [start])
    (edges nat (list bool) static.truth location moves programs.state programs.action
      (verdicts.tagged_steps source seen given order) (commands.label seen))
    (fun _ a _ _ => is_accepting location accepting (snd a)) (fun _ => False) is_row ->
  forall w, static.runs (verdicts.P source) start w ->
  satisfies static.truth (static.word_seen (verdicts.P source) seen start w) claim.
Proof.
  intros source seen given order start location same_location entry moves accepting claim rank size least is_row free
    why holds.
  apply (verdicts.accepted_program_satisfies source seen given order start claim location [entry]
    (reads nat (list bool) static.truth location moves) (is_accepting location accepting) rank size least is_row free);
    auto.
  apply (no_violation_escapes nat Nat.eq_dec (list bool) static.truth location same_location entry moves accepting
    claim why).
Qed.
