(* From a certificate and a reason to the formula: nothing is asked of the automaton any more.

   A certificate of `holds` was accepted by the text that runs (certificates/deciding.v), for the product with an
   automaton that nobody proves right; and a reason was accepted that this automaton accepts all that violates the
   formula (ltl/inclusion.v). Then the formula holds: of all runs of the system, of all fair runs if ranks name
   acceptance sets, and of all runs of a program if the rows are those of the reduced one. *)
(* Proves: justified_claim_holds, justified_fair_claim_holds, justified_program_satisfies *)
(* Assumes: classic, constructive_indefinite_description (through ltl/automaton.v and reduction/static.v) *)
From Coq Require Import Arith List Bool ZArith.
From everafter.ltl Require Import words formulas automaton inclusion.
From everafter.certificates Require Import deciding.
From everafter.product Require Import claims.
From everafter.reduction Require programs commands static.
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

(* The reason *)
Variable claim : formula proposition.
Variable hints : list (kernel proposition).
Variable waited : list (kernel proposition).
Variable reason : list (pair proposition location * nat).

Definition guessed := with_hints proposition hints (kernel_of (Not claim)).
Hypothesis promised : forall promise, In promise waited -> In promise (promises proposition guessed).
Hypothesis speaks_of_it : forall p v v',
  (forall a, In (Is a) (parts proposition guessed) -> v a = v' a) -> moves p v = moves p v'.
Hypothesis reason_is_accepted :
  is_reason proposition same_proposition location same_location entry moves accepting guessed waited reason = true.

Lemma no_violation_escapes : forall w, ~ satisfies truth w claim ->
  accepts letter location [entry] reads is_accepting w.
Proof.
  intros w violates.
  destruct (justified_automaton_accepts_violations proposition same_proposition letter truth location same_location
    entry moves accepting claim hints waited reason promised speaks_of_it reason_is_accepted w violates)
    as (p & begins & goes & often).
  exists p. split; [left; auto | split; auto].
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

Theorem justified_claim_holds :
  accepted rank size least (state * location) tag starts edges (fun _ a _ _ => is_accepting (snd a)) (fun _ => False)
    is_row ->
  forall q taken, tagged_run state tag initial steps q taken ->
  satisfies truth (letters_seen letter state label q) claim.
Proof. apply accepted_claim_holds, no_violation_escapes. Qed.

Theorem justified_fair_claim_holds : forall sets fair_set, (0 < sets)%Z ->
  accepted rank size least (state * location) tag starts edges
    (fun value => in_set state tag location is_accepting fair_set (value mod sets)) (fun _ => False) is_row ->
  forall q taken, tagged_run state tag initial steps q taken -> fair state tag sets fair_set q taken ->
  satisfies truth (letters_seen letter state label q) claim.
Proof. intros sets fair_set. apply accepted_fair_claim_holds, no_violation_escapes. Qed.
End Systems.
End Justified.

Theorem justified_program_satisfies : forall source seen given order start
    (location : Type) (same_location : forall p q : location, {p = q} + {p <> q}) entry moves accepting
    claim hints waited reason rank size least is_row,
  next_free claim ->
  (forall promise, In promise waited -> In promise (promises nat (guessed nat claim hints))) ->
  (forall p v v', (forall a, In (Is a) (parts nat (guessed nat claim hints)) -> v a = v' a) ->
    moves p v = moves p v') ->
  is_reason nat Nat.eq_dec location same_location entry moves accepting (guessed nat claim hints) waited reason
    = true ->
  accepted rank size least (programs.state * location) programs.action
    (starts location entry programs.state [start])
    (edges nat (list bool) static.truth location moves programs.state programs.action
      (verdicts.tagged_steps source seen given order) (commands.label seen))
    (fun _ a _ _ => is_accepting location accepting (snd a)) (fun _ => False) is_row ->
  forall w, static.runs (verdicts.P source) start w ->
  satisfies static.truth (static.word_seen (verdicts.P source) seen start w) claim.
Proof.
  intros source seen given order start location same_location entry moves accepting claim hints waited reason
    rank size least is_row free promised speaks_of_it reason_is_accepted holds.
  apply (verdicts.accepted_program_satisfies source seen given order start claim location [entry]
    (reads nat (list bool) static.truth location moves) (is_accepting location accepting) rank size least is_row free);
    auto.
  apply (no_violation_escapes nat Nat.eq_dec (list bool) static.truth location same_location entry moves accepting
    claim hints waited reason promised speaks_of_it reason_is_accepted).
Qed.
