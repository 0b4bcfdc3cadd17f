(* Rows of the product of a program and an automaton: `certify_claim` accepts only those that show that every endless run,
   or every one that is weakly fair, satisfies a formula.

   The automaton is any; a reason (ltl/inclusion.v) shows that it accepts whatever violates the formula. It is an observer
   of runs (observed.v), which reads in each state what the propositions are worth there; the rows show that it accepts no
   run of the system. What stays in the middle of an atomic sequence for ever, or ends in a run-time error, has read enough
   before to satisfy the formula, whatever else it had read. *)
(* Proves: certified_rows_satisfy, certified_rows_satisfy_fairly, certified_sequences_end, certified_errors_are_late *)
(* Assumes: classic, constructive_indefinite_description (through ltl/automaton.v) *)
From Coq Require Import ZArith NArith List Bool FMapPositive Lia Classical.
From everafter.ltl Require words formulas automaton inclusion.
From everafter.semantics Require Import values program states expressions statements system certified observed.
Import ListNotations.

(* The formula speaks of propositions by number; each is an expression. *)
Definition formula := formulas.formula nat.
Definition kernel := formulas.kernel nat.
Definition letter := list bool.
Definition truth_of (l : letter) (n : nat) : bool := nth n l false.

(* An automaton as a list of edges; each has the cases in which it can be taken: propositions that must be true or not. *)
Definition condition := list (list (nat * bool)).
Record buchi := Buchi { start_at : nat; edges : list (nat * condition * nat); accepting_at : list nat }.
Definition is_met (v : nat -> bool) (c : condition) : bool :=
  existsb (forallb (fun literal => Bool.eqb (v (fst literal)) (snd literal))) c.
Definition goes (b : buchi) (at_ : nat) (v : nat -> bool) : list nat :=
  flat_map (fun edge => let '(from, c, to) := edge in
    if Nat.eqb from at_ then if is_met v c then [to] else [] else []) (edges b).
Definition is_accepting (b : buchi) (at_ : nat) : bool := existsb (Nat.eqb at_) (accepting_at b).

(* Why the automaton accepts every violation: one reason, or two, for a simpler formula and for what is left. *)
Definition entries := list (inclusion.pair nat nat * nat).
Inductive reasons :=
| OneReason (waited : list kernel) (reason : entries)
| TwoReasons (simpler : kernel) (waited : list kernel) (reason : entries) (waited' : list kernel) (reason' : entries).

Section Justified.
Variable b : buchi.
Definition is_reason (f : kernel) (waited : list kernel) (reason : entries) : bool :=
  inclusion.is_reason nat Nat.eq_dec nat Nat.eq_dec (start_at b) (goes b) (is_accepting b) f waited reason.
Definition is_among (l : list kernel) (f : kernel) : bool :=
  if in_dec (automaton.same_kernel nat Nat.eq_dec) f l then true else false.
Definition speaks_of (f : kernel) (c : condition) : bool :=
  forallb (forallb (fun literal => is_among (automaton.parts nat f) (formulas.Is (fst literal)))) c.
Definition fits (f : kernel) (waited : list kernel) : bool :=
  forallb (is_among (automaton.promises nat f)) waited &&
  forallb (fun edge => speaks_of f (snd (fst edge))) (edges b).
Definition is_justified (claim : formula) (why : reasons) : bool :=
  let violated := formulas.kernel_of (formulas.Not claim) in
  match why with
  | OneReason waited reason => fits violated waited && is_reason violated waited reason
  | TwoReasons simpler waited reason waited' reason' =>
      let others := formulas.Both violated (formulas.No simpler) in
      fits simpler waited && is_reason simpler waited reason && fits others waited' && is_reason others waited' reason'
  end.

Lemma is_among_is : forall l f, is_among l f = true -> In f l.
Proof. intros l f. unfold is_among. destruct (in_dec (automaton.same_kernel nat Nat.eq_dec) f l); intros; [assumption | discriminate]. Qed.

Lemma is_met_depends : forall f c v v', speaks_of f c = true ->
  (forall n, In (formulas.Is n) (automaton.parts nat f) -> v n = v' n) -> is_met v c = is_met v' c.
Proof.
  intros f c v v' speaks same. unfold is_met. induction c as [|cube c IH]; simpl in *; auto.
  apply andb_true_iff in speaks as [here there]. rewrite (IH there). f_equal.
  induction cube as [|[n value] cube IHc]; simpl in *; auto.
  apply andb_true_iff in here as [now later]. rewrite (IHc later), (same n); auto. apply is_among_is, now.
Qed.

Lemma goes_depends : forall f at_ v v', forallb (fun edge => speaks_of f (snd (fst edge))) (edges b) = true ->
  (forall n, In (formulas.Is n) (automaton.parts nat f) -> v n = v' n) -> goes b at_ v = goes b at_ v'.
Proof.
  intros f at_ v v' speaks same. unfold goes. induction (edges b) as [|[[from c] to] l IH]; simpl in *; auto.
  apply andb_true_iff in speaks as [here there]. rewrite (IH there), (is_met_depends f c v v' here same). reflexivity.
Qed.

Lemma fits_is : forall f waited, fits f waited = true -> inclusion.fits nat nat (goes b) f waited.
Proof.
  intros f waited H. apply andb_true_iff in H as [promised speaks]. split.
  - intros promise inside. rewrite forallb_forall in promised. apply is_among_is, promised, inside.
  - intros s v v' same. apply (goes_depends f); auto.
Qed.

Definition accepts (w : words.word letter) :=
  inclusion.automaton_accepts nat letter truth_of nat (start_at b) (goes b) (is_accepting b) w.

Lemma justified_is : forall claim why, is_justified claim why = true ->
  forall w, ~ formulas.satisfies truth_of w claim -> accepts w.
Proof.
  intros claim why H w violates. destruct why as [waited reason|simpler waited reason waited' reason']; simpl in H.
  - apply andb_true_iff in H as [F good]. apply fits_is in F.
    apply (inclusion.justified_automaton_accepts_violations nat Nat.eq_dec letter truth_of nat Nat.eq_dec (start_at b)
      (goes b) (is_accepting b) claim waited reason F good w violates).
  - apply andb_true_iff in H as [H good']. apply andb_true_iff in H as [H F']. apply andb_true_iff in H as [F good].
    apply fits_is in F. apply fits_is in F'.
    apply (inclusion.reasons_by_cases nat Nat.eq_dec letter truth_of nat Nat.eq_dec (start_at b) (goes b)
      (is_accepting b) (formulas.kernel_of (formulas.Not claim)) simpler waited waited' reason reason' F good F'
      good' w).
    apply formulas.kernel_means_the_same. exact violates.
Qed.
End Justified.

Section Runs.
Variable p : program.
Variable propositions : list expr.

(* What a formula sees of a state. Propositions belong to no process; one that goes wrong has no value. *)
Definition proposition_in (s : state) (e : expr) : option Z := value p (begin s) false most_processes e.
Definition letter_of (s : state) : letter :=
  map (fun e => match proposition_in s e with Some v => is_true v | None => false end) propositions.
Definition is_readable (s : state) : bool :=
  forallb (fun e => match proposition_in s e with Some _ => true | None => false end) propositions.
Definition letters_of (q : nat -> state) : words.word letter := fun i => letter_of (q i).

Section Rows.
Variable hash : state -> positive.
Variable b : buchi.

Definition letters_read (s : state) (_ : bool) (at_ : nat) : option (list nat) :=
  if is_readable s then Some (goes b at_ (truth_of (letter_of s))) else None.
Definition counts_at (_ : state) (at_ : nat) : bool := is_accepting b at_.
(* Of all runs, with one set; of fair ones, with one more for each process. *)
Definition certify_claim (sets : positive) (claim : formula) (why : reasons) (rows : list (row nat)) : bool :=
  is_justified b claim why &&
  certify_observed p hash nat Nat.eqb (start_at b) letters_read counts_at sets rows.

Lemma same_nat_sure : sure Nat.eqb.
Proof. intros m n. apply Nat.eqb_eq. Qed.

Section Accepted.
Variable sets : positive.
Variable rows : list (row nat).
Hypothesis accepted : certify_observed p hash nat Nat.eqb (start_at b) letters_read counts_at sets rows = true.

(* A run of the automaton on what is read of a run of the system follows that. *)
Lemma reads_along : forall q who n (w : words.word letter) a, begins_run p q who n ->
  (forall i, i <= n -> w i = letter_of (q i)) -> a 0 = start_at b ->
  (forall i, In (a (S i)) (goes b (a i) (truth_of (w i)))) ->
  forall i, i <= n -> follows p nat (start_at b) letters_read q a i /\
    next_of p nat letters_read (q i) (a i) = Some (goes b (a i) (truth_of (w i))).
Proof.
  intros q who n w a [begins_ on] same starts reads_.
  assert (step_ : forall i, i <= n -> follows p nat (start_at b) letters_read q a i ->
    next_of p nat letters_read (q i) (a i) = Some (goes b (a i) (truth_of (w i)))).
  { intros i below F.
    assert (B : begins_run p q who i) by (split; [exact begins_|]; intros j less; apply on; lia).
    pose proof (certified_states_are_readable p hash nat Nat.eqb same_nat_sure (start_at b) letters_read counts_at sets
      rows accepted q who a i B F) as some. unfold next_of, letters_read in *.
    destruct (is_readable (q i)); [rewrite same by exact below; reflexivity | congruence]. }
  induction i as [|i IH]; intros below.
  - assert (F : follows p nat (start_at b) letters_read q a 0) by (split; [exact starts | intros; lia]).
    split; [exact F | apply step_; auto].
  - destruct (IH ltac:(lia)) as [[_ before] N].
    assert (F : follows p nat (start_at b) letters_read q a (S i)).
    { split; [exact starts|]. intros j less. destruct (Nat.eq_dec j i) as [->|other]; [|apply before; lia].
      eexists. split; [exact N | apply reads_]. }
    split; [exact F | apply step_; auto].
Qed.

Lemma no_run_is_accepted : forall q who, is_run p q who ->
  (forall n, (N.succ (N.of_nat n) < Npos sets)%N -> is_fair p q who n) -> ~ accepts b (letters_of q).
Proof.
  intros q who R fair (a & starts & reads_ & often).
  apply (certified_runs_are_not_accepted p hash nat Nat.eqb same_nat_sure (start_at b) letters_read counts_at sets rows
    accepted q who a R); [|exact fair|exact often].
  intros n. destruct R as [begins_ on].
  apply (reads_along q who n (letters_of q) a); auto. split; auto.
Qed.

Lemma no_violation_is_lost : forall q who n w, begins_run p q who n ->
  (exists t, stays_inside p (q n) t) \/ may_break p (q n) -> (forall i, i <= n -> w i = letter_of (q i)) ->
  ~ accepts b w.
Proof.
  intros q who n w B lost same (a & starts & reads_ & _).
  destruct (reads_along q who n w a B same starts reads_ n (le_n n)) as [F N]. destruct lost as [[t inside]|broken].
  - exact (certified_runs_stay_nowhere p hash nat Nat.eqb same_nat_sure (start_at b) letters_read counts_at sets rows
      accepted q who a n _ _ t B F N (reads_ n) inside).
  - exact (certified_runs_do_not_break p hash nat Nat.eqb same_nat_sure (start_at b) letters_read counts_at sets rows
      accepted q who a n _ _ B F N (reads_ n) broken).
Qed.
End Accepted.

Lemma claim_is_certified : forall sets claim why rows, certify_claim sets claim why rows = true ->
  is_justified b claim why = true /\
  certify_observed p hash nat Nat.eqb (start_at b) letters_read counts_at sets rows = true.
Proof. intros sets claim why rows H. apply andb_true_iff, H. Qed.

Lemma has_a_beginning : forall sets rows,
  certify_observed p hash nat Nat.eqb (start_at b) letters_read counts_at sets rows = true -> initial p <> None.
Proof.
  intros sets rows H. destruct (accepted_begins p hash nat Nat.eqb (start_at b) letters_read counts_at sets rows H)
    as (_ & s & I & _). congruence.
Qed.

(* If the rows are accepted, the program has an initial state, and every run that is weakly fair to each process
   satisfies the formula. *)
Theorem certified_rows_satisfy_fairly : forall sets claim why rows, certify_claim sets claim why rows = true ->
  initial p <> None /\ forall q who, is_run p q who -> (forall n, is_fair p q who n) ->
  formulas.satisfies truth_of (letters_of q) claim.
Proof.
  intros sets claim why rows H. apply claim_is_certified in H as [J H]. split; [exact (has_a_beginning _ _ H)|].
  intros q who R fair. apply NNPP. intros violated. apply (no_run_is_accepted sets rows H q who R); [auto|].
  apply (justified_is b claim why J). exact violated.
Qed.

(* With one set, every run does, whoever is passed over in it. *)
Theorem certified_rows_satisfy : forall claim why rows, certify_claim xH claim why rows = true ->
  initial p <> None /\ forall q who, is_run p q who -> formulas.satisfies truth_of (letters_of q) claim.
Proof.
  intros claim why rows H. apply claim_is_certified in H as [J H]. split; [exact (has_a_beginning _ _ H)|].
  intros q who R. apply NNPP. intros violated. apply (no_run_is_accepted xH rows H q who R); [intros; lia|].
  apply (justified_is b claim why J). exact violated.
Qed.

(* What a run has read before it stays in an atomic sequence for ever is enough: whatever else it were to read. *)
Theorem certified_sequences_end : forall sets claim why rows, certify_claim sets claim why rows = true ->
  forall q who n t, begins_run p q who n -> stays_inside p (q n) t ->
  forall w : words.word letter, (forall i, i <= n -> w i = letter_of (q i)) -> formulas.satisfies truth_of w claim.
Proof.
  intros sets claim why rows H q who n t B inside w same. apply claim_is_certified in H as [J H].
  apply NNPP. intros violated. apply (no_violation_is_lost sets rows H q who n w B); [left; eauto | exact same |].
  apply (justified_is b claim why J). exact violated.
Qed.

(* So is what it has read before a run-time error. *)
Theorem certified_errors_are_late : forall sets claim why rows, certify_claim sets claim why rows = true ->
  forall q who n, begins_run p q who n -> may_break p (q n) ->
  forall w : words.word letter, (forall i, i <= n -> w i = letter_of (q i)) -> formulas.satisfies truth_of w claim.
Proof.
  intros sets claim why rows H q who n B broken w same. apply claim_is_certified in H as [J H].
  apply NNPP. intros violated. apply (no_violation_is_lost sets rows H q who n w B); [right; exact broken | exact same |].
  apply (justified_is b claim why J). exact violated.
Qed.
End Rows.
End Runs.
