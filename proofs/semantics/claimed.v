(* Never claims, and automata that say themselves what must not be: `certify_never` and `certify_automaton` accept only rows
   which show that no run is accepted, or none that is weakly fair.

   A never claim is a process that only observes. It moves first, in a state in which any process may move, and then the
   system does; where it cannot move the run is of no interest. timeout is true for it when the system has stopped. In the
   middle of an atomic sequence of its own it moves on at once. It accepts a run along which it is at an accept label again
   and again, or a process of the program is; and at once where it comes to its end, or to a label that begins with end,
   or an assertion of its own fails. *)
(* Proves: certified_rows_meet_no_claim, certified_rows_meet_no_end, certified_claims_miss_no_error,
   certified_rows_meet_no_automaton, certified_automata_miss_no_error *)
(* Assumes: nothing *)
From Coq Require Import Arith ZArith NArith List Bool FMapPositive Lia.
From everafter.semantics Require Import values program states expressions statements system certified observed.
From everafter.semantics Require satisfied.
Import ListNotations.

Definition most_moves : nat := 1000.

Section Claims.
Local Notation "x <- e ; f" := (match e with Some x => f | None => None end) (at level 61, e at next level,
  right associativity).
Variable p : program.

(* The claim: where it begins, its graph, and where it has accept labels; and where the processes of the program have
   some, each by its proctype and place. *)
Record never := Never { begins_at : positive; claim_nodes : PositiveMap.t node; accept_at : list positive;
  accept_labels : list (nat * positive) }.
Variable c : never.

(* Its transitions that can be taken. The end of the claim is none, and else is for when nothing before it can be. *)
Fixpoint open_of (s : state) (stopped found : bool) (l : list transition) : option (list transition) :=
  match l with
  | [] => Some []
  | t :: r =>
      match does t with
      | End => open_of s stopped found r
      | Do Else => if found then open_of s stopped found r else others <- open_of s stopped true r; Some (t :: others)
      | Do (Test e) =>
          v <- value p (begin s) stopped most_processes e;
          if is_true v then others <- open_of s stopped true r; Some (t :: others) else open_of s stopped found r
      | Do Skip | Do (Assert _ _) => others <- open_of s stopped true r; Some (t :: others)
      | _ => None
      end
  end.
(* Where it can go from a place; nothing, where something goes wrong, or an assertion fails. *)
Fixpoint claim_moves (most : nat) (s : state) (stopped : bool) (at_ : positive) : option (list positive) :=
  match most with
  | O => None
  | S less =>
      n <- PositiveMap.find at_ (claim_nodes c);
      l <- open_of s stopped false (transitions n);
      targets <- collect (fun t =>
        holds <- match does t with Do (Assert _ e) => value p (begin s) stopped most_processes e | _ => Some 1%Z end;
        if is_true holds then if keeps_atomic t then claim_moves less s stopped (goal t) else Some [goal t]
        else None) l;
      Some (concat targets)
  end.
Definition is_over (at_ : positive) : bool :=
  match PositiveMap.find at_ (claim_nodes c) with Some n => is_end n | None => true end.
Definition claim_reads (s : state) (stopped : bool) (at_ : positive) : option (list positive) :=
  if is_over at_ then None else l <- claim_moves most_moves s stopped at_; if existsb is_over l then None else Some l.
Definition is_labelled (q : process) : bool :=
  existsb (fun label => Nat.eqb (fst label) (kind q) && Pos.eqb (snd label) (place q)) (accept_labels c).
Definition claim_counts (s : state) (at_ : positive) : bool :=
  existsb (Pos.eqb at_) (accept_at c) || existsb is_labelled (processes s).

(* The claim goes along with a run up to its state number n. *)
Definition is_claimed (q : nat -> state) (a : nat -> positive) (n : nat) : Prop :=
  follows p positive (begins_at c) claim_reads q a n.

Section Rows.
Variable hash : state -> positive.
Definition certify_never (sets : positive) (rows : list (row positive)) : bool :=
  certify_observed p hash positive Pos.eqb (begins_at c) claim_reads claim_counts sets rows.

Lemma same_positive_sure : sure Pos.eqb.
Proof. intros m n. apply Pos.eqb_eq. Qed.

Section Accepted.
Variable sets : positive.
Variable rows : list (row positive).
Hypothesis accepted : certify_never sets rows = true.

(* If the rows are accepted, the program has an initial state, and the claim accepts no run that is weakly fair to each
   process; with one set, none at all. *)
Theorem certified_rows_meet_no_claim : initial p <> None /\ forall q who a, is_run p q who ->
  (forall n, is_claimed q a n) -> (sets = xH \/ forall n, is_fair p q who n) ->
  ~ forall i, exists j, i <= j /\ claim_counts (q j) (a j) = true.
Proof.
  split.
  - destruct (accepted_begins p hash positive Pos.eqb _ _ _ sets rows accepted) as (_ & s & I & _). congruence.
  - intros q who a R F fair. apply (certified_runs_are_not_accepted p hash positive Pos.eqb same_positive_sure _ _ _ sets
      rows accepted q who a R F). destruct fair as [->|fair]; [intros; lia | auto].
Qed.

(* Nor does it come to its end, fail an assertion, or go wrong. *)
Theorem certified_rows_meet_no_end : forall q who a n, begins_run p q who n -> is_claimed q a n ->
  next_of p positive claim_reads (q n) (a n) <> None.
Proof.
  apply (certified_states_are_readable p hash positive Pos.eqb same_positive_sure _ _ _ sets rows accepted).
Qed.

(* And where it goes on no step is a run-time error, and no atomic sequence is without end. *)
Theorem certified_claims_miss_no_error : forall q who a n l to, begins_run p q who n -> is_claimed q a n ->
  next_of p positive claim_reads (q n) (a n) = Some l -> In to l ->
  ~ may_break p (q n) /\ forall t, ~ stays_inside p (q n) t.
Proof.
  intros q who a n l to B F N inside. split.
  - exact (certified_runs_do_not_break p hash positive Pos.eqb same_positive_sure _ _ _ sets rows accepted q who a n l to
      B F N inside).
  - intros t. exact (certified_runs_stay_nowhere p hash positive Pos.eqb same_positive_sure _ _ _ sets rows accepted q who
      a n l to t B F N inside).
Qed.
End Accepted.
End Rows.
End Claims.

(* An automaton of what must not be, as the user has written it: the same, without a formula and a reason. *)
Section Automata.
Variable p : program.
Variable propositions : list expr.
Variable hash : state -> positive.
Variable b : satisfied.buchi.
Definition certify_automaton (sets : positive) (rows : list (row nat)) : bool :=
  certify_observed p hash nat Nat.eqb (satisfied.start_at b) (satisfied.letters_read p propositions b)
    (satisfied.counts_at b) sets rows.

Lemma same_place_of_automata : sure Nat.eqb.
Proof. intros m n. apply Nat.eqb_eq. Qed.

Theorem certified_rows_meet_no_automaton : forall sets rows, certify_automaton sets rows = true ->
  initial p <> None /\ forall q who a, is_run p q who ->
  (forall n, follows p nat (satisfied.start_at b) (satisfied.letters_read p propositions b) q a n) ->
  (sets = xH \/ forall n, is_fair p q who n) ->
  ~ forall i, exists j, i <= j /\ satisfied.is_accepting b (a j) = true.
Proof.
  intros sets rows accepted. split.
  - destruct (accepted_begins p hash nat Nat.eqb _ _ _ sets rows accepted) as (_ & s & I & _). congruence.
  - intros q who a R F fair. apply (certified_runs_are_not_accepted p hash nat Nat.eqb same_place_of_automata _ _ _ sets
      rows accepted q who a R F). destruct fair as [->|fair]; [intros; lia | auto].
Qed.

(* Every proposition has a value wherever the automaton reads it; and where it goes on no step is a run-time error, and no
   atomic sequence is without end. *)
Theorem certified_automata_miss_no_error : forall sets rows, certify_automaton sets rows = true ->
  forall q who a n, begins_run p q who n ->
  follows p nat (satisfied.start_at b) (satisfied.letters_read p propositions b) q a n ->
  exists l, next_of p nat (satisfied.letters_read p propositions b) (q n) (a n) = Some l /\
    forall to, In to l -> ~ may_break p (q n) /\ forall t, ~ stays_inside p (q n) t.
Proof.
  intros sets rows accepted q who a n B F.
  pose proof (certified_states_are_readable p hash nat Nat.eqb same_place_of_automata _ _ _ sets rows accepted q who a n B
    F) as some.
  destruct (next_of p nat (satisfied.letters_read p propositions b) (q n) (a n)) as [l|] eqn:N; [|congruence].
  exists l. split; [reflexivity|]. intros to inside. split.
  - exact (certified_runs_do_not_break p hash nat Nat.eqb same_place_of_automata _ _ _ sets rows accepted q who a n l to
      B F N inside).
  - intros t. exact (certified_runs_stay_nowhere p hash nat Nat.eqb same_place_of_automata _ _ _ sets rows accepted q who
      a n l to t B F N inside).
Qed.
End Automata.
