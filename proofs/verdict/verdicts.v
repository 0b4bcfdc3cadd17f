(* From a certificate to a verdict about a program, with reduction: the whole path.

   A program of commands is reduced (reduction/static.v), multiplied with the automaton of the negated claim
   (product/product.v), and a certificate of the product is checked (verdict/certificates.v). Proved: if the checker
   accepts ranks, then all runs of the program, not only the reduced ones, satisfy the claim; if it accepts a lasso,
   then the program has a run that does not. The same holds of the checkers that run (certificates/deciding.v) with any
   automaton that accepts all violations (product/claims.v). Between the text of the program and the verdict nothing is
   left to trust but the definitions: of a program's steps, of a formula's meaning, and of the checkers, which are
   programs that run. *)
(* Proves: certified_program_satisfies, accepted_program_satisfies, certified_program_violates *)
(* Assumes: classic, constructive_indefinite_description (through reduction/static.v and product/product.v) *)
From Coq Require Import Arith Lia List Bool ZArith IndefiniteDescription.
From everafter.ltl Require Import words formulas lassos automaton.
From everafter.reduction Require Import programs conditions commands static.
From everafter.verdict Require Import certificates.
From everafter.product Require Import product.
From everafter.certificates Require deciding.
From everafter.product Require claims.
Import ListNotations.

Definition same_state : forall s t : state, {s = t} + {s <> t}.
Proof. repeat decide equality. Defined.

(* Runs of actions and runs of states are the same. *)
Section Runs.
Variable P : program.
Variable taken : state -> list action.

Definition next_states (s : state) : list state := map (execute P s) (taken s).

Lemma actions_give_states : forall s w, reduced_run state action (execute P) (fun s a => In a (taken s)) s w ->
  system_run state [s] next_states (after state action (execute P) s w).
Proof. intros s w W. split; [simpl; auto|]. intros i. simpl. apply in_map, W. Qed.

Lemma states_give_actions : forall s q, system_run state [s] next_states q -> exists w,
  reduced_run state action (execute P) (fun s a => In a (taken s)) s w /\
  forall i, after state action (execute P) s w i = q i.
Proof.
  intros s q [[begins|[]] steps].
  destruct (functional_choice (fun i a => In a (taken (q i)) /\ execute P (q i) a = q (S i))) as (w & chosen).
  - intros i. specialize (steps i). apply in_map_iff in steps as (a & E & inside). eauto.
  - assert (same : forall i, after state action (execute P) s w i = q i).
    { induction i; simpl; [auto|]. rewrite IHi. apply chosen. }
    exists w. split; auto. intros i. rewrite same. apply chosen.
Qed.
End Runs.

Section Verdicts.
Variable source : list (list command).
Variable seen : list proposition.
Variable given : nat -> nat -> bool.
Variable order : state -> list nat.
Variable start : state.

Definition P := program_of source.
Definition taken := reduced P seen given order.

(* The checkers for the reduced program. *)
Definition certify :=
  accept_claim nat Nat.eq_dec (list bool) truth state same_state [start] (next_states P taken) (label seen).
Definition refute :=
  accept_violation nat Nat.eq_dec (list bool) truth state same_state [start] (next_states P taken) (label seen).

Theorem certified_program_satisfies : forall claim certificate, next_free claim -> certify claim certificate = true ->
  forall w, runs P start w -> satisfies truth (static.word_seen P seen start w) claim.
Proof.
  intros claim certificate free accepted. apply (reduction_of_programs source seen given order claim start free).
  intros w W. apply (certified_claim_holds _ _ _ _ _ _ _ _ _ claim certificate accepted).
  apply actions_give_states. exact W.
Qed.

(* The same for a certificate that the running checkers have accepted (certificates/deciding.v), and for any automaton
   that accepts every word that violates the claim. *)
Definition tagged_steps (s : state) : list (action * state) := map (fun a => (a, execute P s a)) (taken s).

Theorem accepted_program_satisfies : forall claim location entries moves (accepting : location -> Prop)
    rank size least is_row,
  next_free claim ->
  (forall v, ~ satisfies truth v claim -> claims.accepts (list bool) location entries moves accepting v) ->
  deciding.accepted rank size least (state * location) action (claims.first_nodes state [start] location entries)
    (claims.next_nodes (list bool) state action tagged_steps (label seen) location moves)
    (fun _ a _ _ => accepting (snd a)) (fun _ => False) is_row ->
  forall w, runs P start w -> satisfies truth (static.word_seen P seen start w) claim.
Proof.
  intros claim location entries moves accepting rank size least is_row free violations holds.
  apply (reduction_of_programs source seen given order claim start free). intros w W.
  apply (claims.accepted_claim_holds nat (list bool) truth state action [start] tagged_steps (label seen) location
    entries moves accepting claim violations rank size least is_row holds (after state action (execute P) start w) w).
  split; [simpl; auto|]. intros i. simpl. apply (in_map (fun a => (a, execute P _ a))), W.
Qed.

Theorem certified_program_violates : forall claim l, next_free claim -> refute claim l = true ->
  exists w, runs P start w /\ ~ satisfies truth (static.word_seen P seen start w) claim.
Proof.
  intros claim l free accepted. apply Classical_Prop.NNPP. intros none.
  destruct (certified_violation_is_one _ _ _ _ _ _ _ _ _ claim l accepted) as (q & Q & no).
  destruct (states_give_actions P taken start q Q) as (w & W & same).
  assert (all : forall w, runs P start w -> satisfies truth (static.word_seen P seen start w) claim).
  { intros v V. apply Classical_Prop.NNPP. intros bad. apply none. eauto. }
  pose proof (proj1 (reduction_of_programs source seen given order claim start free) all w W) as good.
  apply no. refine (proj1 (meaning_depends_on_truth nat (list bool) truth _ _ claim _ 0) good).
  intros i p. unfold static.word_seen, word_of, product.word_seen. rewrite same. reflexivity.
Qed.
End Verdicts.
