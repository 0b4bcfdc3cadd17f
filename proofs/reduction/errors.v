(* Errors: reduction with steps that fail.

   A step may fail: an index out of range, a division by zero, an assertion that is false. There a run ends, for whoever
   looks for errors: nothing comes after it, and nothing commutes with it. So the theorems of conditions.v and safety.v
   do not speak of it. Here an enabled action either completes or fails, a run goes on only along actions that complete,
   and the conditions are asked where that is so. One is added, to independent: a taken action that completes neither
   makes an action of others fail nor keeps it from failing, and they do not make it fail.

   Proved: if a run comes to a state in which some action fails, then a reduced run comes to a state in which a taken
   action fails, so that a reduced search which meets no error shows that there is none. Then, too, whatever is proved
   without errors is so: a reduced run comes to every deadlock, and every run has a stutter-equivalent reduced run. *)
(* Proves: errors_are_kept, runs_are_kept_without_errors, deadlocks_are_kept_without_errors, bad_actions_are_errors,
   reduction_keeps_errors, reduction_keeps_runs_without_errors, reduction_keeps_deadlocks_without_errors *)
(* Assumes: classic (does a reduced run come to an error?), constructive_indefinite_description (through
   reduction/listed.v) *)
From Coq Require Import Arith Lia List ZArith Classical.
From everafter.ltl Require Import words.
From everafter.reduction Require Import conditions programs commands ample static listed safety.
Import ListNotations.

Section Errors.
Variables state action letter : Type.
Variable enabled : state -> action -> Prop.
Variable execute : state -> action -> state.
Variable label : state -> letter.
Variable fails : state -> action -> Prop.
Variable taken : state -> action -> Prop.

Definition completes (s : state) (a : action) := enabled s a /\ ~ fails s a.

Notation state_after := (after state action execute).
Notation everything := (everything_taken state action).
Notation completed_until := (possible_until state action completes execute).
Notation put_off := (puts_off state action completes execute taken).

Inductive reached (from : state) : state -> Prop :=
| reached_first : reached from from
| reached_next : forall s b, reached from s -> taken s b -> ~ fails s b -> reached from (execute s b).

(* The conditions, in the states that a reduced search comes to. *)
Record conditions_with_errors (from : state) : Prop := {
  error_subset : forall s b, reached from s -> taken s b -> enabled s b;
  error_nonempty : forall s a, reached from s -> enabled s a -> exists b, taken s b;
  error_independent : forall s w k a b, reached from s -> ~ everything enabled taken s -> taken s b -> put_off s w k ->
    ~ taken s a -> enabled (state_after s w k) a -> completes (state_after s w k) b ->
    enabled (execute (state_after s w k) b) a /\
    (fails (state_after s w k) a <-> fails (execute (state_after s w k) b) a) /\
    (~ fails (state_after s w k) a -> completes (execute (state_after s w k) a) b /\
      execute (execute (state_after s w k) a) b = execute (execute (state_after s w k) b) a);
  error_invisible : forall s w k b, reached from s -> ~ everything enabled taken s -> taken s b -> put_off s w k ->
    completes (state_after s w k) b -> label (execute (state_after s w k) b) = label (state_after s w k);
  error_wellfounded : well_founded (fun t s => reached from s /\ ~ everything enabled taken s /\
    exists b, taken s b /\ ~ fails s b /\ t = execute s b) }.

Variable from : state.
Hypothesis C : conditions_with_errors from.

(* What a reduced search finds. *)
Definition error_is_met := exists s b, reached from s /\ taken s b /\ fails s b.

Section Without.
Hypothesis none : ~ error_is_met.

Lemma taken_completes : forall s b, reached from s -> taken s b -> completes s b.
Proof.
  intros s b R T. split; [apply (error_subset from C); auto|]. intros F. apply none. exists s, b. auto.
Qed.

Lemma something_left_out : forall s, ~ everything completes taken s -> ~ everything enabled taken s.
Proof. intros s NE all. apply NE. intros a [E _]. auto. Qed.

Notation completion := (completed state action completes taken (reached from)).

Lemma reduced_as_listed : conditions state action letter (anywhere state) completes execute label completion.
Proof.
  apply completed_satisfies.
  - intros s a R T. apply taken_completes; auto.
  - intros s a R [E _]. apply (error_nonempty from C s a); auto.
  - intros s w k b R NE B [possible avoided] [Ea Fa] Eb.
    destruct (error_independent from C s w k (w k) b) as (A1 & A2 & A3); auto.
    { apply something_left_out. auto. }
    { split; intros i less; [apply possible | apply avoided]; lia. }
    destruct (A3 Fa) as [A4 A5]. split; [exact A4|]. split; [|auto].
    split; auto. intros F. apply Fa, A2, F.
  - intros s w k b R NE B P E. apply (error_invisible from C s w k b); auto using something_left_out.
  - intros s. induction s as [s IH] using (well_founded_ind (error_wellfounded from C)). constructor.
    intros t (R & NE & b & B & ->). apply IH. split; auto. split; [apply something_left_out; auto|].
    exists b. split; auto. split; auto. apply taken_completes; auto.
Qed.

Lemma completed_iff : forall s a, reached from s -> (completion s a <-> taken s a).
Proof. apply completed_where_listed. Qed.

Lemma stays_reached : forall s b, reached from s -> taken s b -> reached from (execute s b).
Proof. intros s b R T. apply reached_next; auto. apply taken_completes; auto. Qed.

Lemma anywhere_reachable : forall s, reachable state action (anywhere state) completes execute s.
Proof. intros s. apply reachable_initial. exact I. Qed.

(* What is put off by w: a taken action can come before all of it. *)
Lemma front : forall s w n b, reached from s -> taken s b -> put_off s w n ->
  completes (state_after s w n) b /\ state_after (execute s b) w n = execute (state_after s w n) b /\
  completed_until (execute s b) w n.
Proof.
  intros s w [|n] b R B off.
  - pose proof (taken_completes s b R B). split; auto. split; auto. intros i less. lia.
  - assert (NE : ~ everything completes completion s).
    { intros all. apply (proj2 off 0 ltac:(lia)). apply completed_iff; auto. apply all. apply (proj1 off 0). lia. }
    assert (off' : puts_off state action completes execute completion s w (S n)).
    { split; [apply off|]. intros i less T. apply (proj2 off i less).
      apply completed_iff; auto. }
    pose proof (moves_to_front _ _ _ _ _ _ _ _ reduced_as_listed s w b (S n) (anywhere_reachable s) NE
      (or_introl (conj R B)) off') as moves.
    split; [apply moves; lia|]. split; [apply moves; lia|]. intros i less. apply moves; lia.
Qed.

Lemma no_error_behind : forall n s w a, reached from s -> completed_until s w n -> enabled (state_after s w n) a ->
  ~ fails (state_after s w n) a.
Proof.
  induction n as [n shorter] using lt_wf_ind. intros s.
  induction s as [s closer] using (well_founded_ind (error_wellfounded from C)). intros w a R possible E F.
  destruct (first_taken state action completes execute taken s w n possible) as [([|k] & less & T & off)|off].
  - destruct n as [|n]; [lia|].
    apply (shorter n (Nat.lt_succ_diag_r n) (execute s (w 0)) (fun i => w (S i)) a);
      [apply stays_reached; auto | apply possible_rest; auto | rewrite after_first; auto | rewrite after_first; auto].
  - destruct n as [|n]; [lia|].
    assert (NE : ~ everything completes completion s).
    { intros all. apply (proj2 off 0 ltac:(lia)). apply completed_iff; auto. apply all. apply (possible 0). lia. }
    destruct (pulled_forward _ _ _ _ _ _ _ _ reduced_as_listed s w (S k) n) as [P' E']; auto using anywhere_reachable.
    { left. auto. }
    { split; [apply off|]. intros i I T'. apply (proj2 off i I).
      apply completed_iff; auto. }
    { lia. }
    apply (shorter n (Nat.lt_succ_diag_r n) (execute s (w (S k))) (without action (S k) w) a);
      [apply stays_reached; auto | auto | rewrite E'; auto | rewrite E'; auto].
  - destruct (classic (taken s a)) as [T|N].
    { destruct (front s w n a R T off) as ([_ no] & _). apply no, F. }
    assert (some : exists c, enabled s c /\ ~ taken s c).
    { destruct n as [|n]; [exists a; auto|]. exists (w 0). split; [apply (possible 0); lia | apply off; lia]. }
    destruct some as (c & Ec & Nc). destruct (error_nonempty from C s c R Ec) as (b & B).
    assert (NE : ~ everything enabled taken s) by (intros all; apply Nc, all, Ec).
    destruct (front s w n b R B off) as (now & same & P').
    destruct (error_independent from C s w n a b R NE B off N E now) as (E' & bad & _).
    apply (closer (execute s b)) with (w := w) (a := a); [|apply stays_reached; auto | exact P' | |].
    + split; auto. split; auto. exists b. split; auto. split; auto. apply taken_completes; auto.
    + rewrite same. exact E'.
    + rewrite same. apply bad. exact F.
Qed.
End Without.

(* A run that comes to an error: a reduced run does. *)
Theorem errors_are_kept : forall n w a, completed_until from w n -> enabled (state_after from w n) a ->
  fails (state_after from w n) a -> error_is_met.
Proof.
  intros n w a possible E F. apply NNPP. intros none.
  exact (no_error_behind none n from w a (reached_first from) possible E F).
Qed.

Theorem runs_are_kept_without_errors : forall w, run state action completes execute from w ->
  error_is_met \/ exists w', reduced_run state action execute taken from w' /\
    stutter_equivalent (word_of state action letter execute label from w)
      (word_of state action letter execute label from w').
Proof.
  intros w W. destruct (classic error_is_met) as [met|none]; [auto|]. right.
  destruct (every_run_has_a_reduced_run _ _ _ _ _ _ _ _ (reduced_as_listed none) from w
    (anywhere_reachable from) W) as (w' & W' & same).
  exists w'. split; auto.
  assert (inside : forall n, reached from (state_after from w' n)).
  { induction n; [apply reached_first|]. apply stays_reached; auto.
    apply completed_iff; auto. }
  intros n. apply completed_iff; auto.
Qed.

Theorem deadlocks_are_kept_without_errors : forall real : action -> Prop,
  (forall s b, reached from s -> ~ everything enabled taken s -> taken s b -> real b) ->
  forall n w, completed_until from w n -> dead state action enabled real (state_after from w n) ->
  error_is_met \/ exists w', reduced_until state action execute taken from w' n /\
    state_after from w' n = state_after from w n.
Proof.
  intros real only n w possible D. destruct (classic error_is_met) as [met|none]; [auto|]. right.
  destruct (deadlocks_are_kept _ _ _ _ _ _ _ _ (reduced_as_listed none) real) with (n := n) (s := from) (w := w)
    as (w' & W & same); auto using anywhere_reachable.
  - intros s b _ NE B. destruct (leaving_out_is_listed state action completes taken (reached from) s NE) as [R NE'].
    apply (only s b R); [apply something_left_out; auto|].
    apply completed_iff; auto.
  - intros a [E _]. auto.
  - exists w'. split; auto.
    assert (inside : forall i, i <= n -> reached from (state_after from w' i)).
    { induction i; intros le; [apply reached_first|]. apply (stays_reached none); [apply IHi; lia|].
      apply completed_iff; [apply IHi; lia | apply W; lia]. }
    intros i less. apply completed_iff;
      [apply inside; lia | auto].
Qed.
End Errors.

(* Where an action always fails or never does, the conditions of conditions.v are enough. *)
Theorem bad_actions_are_errors : forall state action letter (initial : state -> Prop) enabled execute
    (label : state -> letter) (taken fails : state -> action -> Prop) from,
  conditions state action letter initial enabled execute label taken -> initial from ->
  (forall s t a, fails s a -> fails t a) ->
  conditions_with_errors state action letter enabled execute label fails taken from.
Proof.
  intros state action letter initial enabled execute label taken fails from C start always.
  assert (there : forall s, reached state action execute fails taken from s ->
    reachable state action initial enabled execute s).
  { intros s R. induction R; [apply reachable_initial; auto|]. apply reachable_next; auto.
    apply (subset _ _ _ _ _ _ _ _ C); auto. }
  split.
  - intros s b R B. apply (subset _ _ _ _ _ _ _ _ C); auto.
  - intros s a R E. apply (nonempty _ _ _ _ _ _ _ _ C s a); auto.
  - intros s w k a b R NE B [W avoided] N E [Eb Fb].
    set (v := fun i => if i <? k then w i else a).
    assert (same : forall i, i <= k -> after state action execute s v i = after state action execute s w i).
    { intros i le. apply after_same. intros j less. unfold v. destruct (Nat.ltb_spec j k); auto; lia. }
    assert (last : v k = a) by (unfold v; rewrite Nat.ltb_irrefl; auto).
    assert (commutes : commute_at state action enabled execute (after state action execute s v k) (v k) b).
    { apply (independent _ _ _ _ _ _ _ _ C s v k b); auto. split; intros i less.
      - rewrite same by lia. destruct (Nat.eq_dec i k) as [->|other]; [rewrite last; exact E|].
        unfold v. destruct (Nat.ltb_spec i k); [apply W; auto | lia].
      - unfold v. destruct (Nat.ltb_spec i k); [apply avoided; auto | exact N]. }
    rewrite same, last in commutes by lia. destruct (commutes E Eb) as (A1 & A2 & A3).
    split; [exact A2|]. split; [split; apply always|]. intros _. split; [|exact A3]. split; [exact A1|].
    intros F. exact (Fb (always _ _ _ F)).
  - intros s w k b R NE B [W avoided] [E _]. apply (invisible _ _ _ _ _ _ _ _ C s w k b); auto.
    split; auto. intros i less. apply (W i less).
  - intros s. induction s as [s IH] using (well_founded_ind (wellfounded _ _ _ _ _ _ _ _ C)). constructor.
    intros t (R & NE & b & B & _ & ->). apply IH. split; auto. split; auto. eauto.
Qed.

(* Of programs. A statement that may fail is two edges: a[i] = 1 is one that is open where i is within the array, and
   one, to a place without edges, that is open where i is beyond. The second kind is bad. *)
Section Programs.
Variable source : list (list command).
Variable given : nat -> nat -> bool.
Variable order : state -> list nat.
Variable claim : list proposition.
Variable bad : nat -> nat -> bool.

Definition fails_there (_ : state) (a : action) := match a with Stutter => False | Step p i => bad p i = true end.
Definition alone (s : state) (a : action) := In a (reduced (program_of source) claim given order s).
Notation P := (program_of source).
Definition goes_on (s : state) (a : action) := completes state action (enabled P) fails_there s a.
Definition an_error_is_met := error_is_met state action (execute P) fails_there alone.

Lemma programs_with_errors : forall from, conditions_with_errors state action (list bool) (enabled P) (execute P)
  (label claim) fails_there alone from.
Proof.
  intros from. apply bad_actions_are_errors with (initial := fun _ => True); [|exact I|intros s t [|p i]; simpl; tauto].
  apply static_conditions, program_is_honest.
Qed.

(* If a run comes, by steps that complete, to a state in which a step fails, a reduced search meets such a step.
   Proof of everafter.reduction.soundness.for_safety *)
Theorem reduction_keeps_errors : forall from n w p i,
  possible_until state action goes_on (execute P) from w n ->
  can_move P (after state action (execute P) from w n) p i = true -> bad p i = true -> an_error_is_met from.
Proof.
  intros from n w p i possible can fails.
  apply (errors_are_kept _ _ _ _ _ _ _ _ _ (programs_with_errors from) n w (Step p i)); auto. apply step_enabled. auto.
Qed.

Theorem reduction_keeps_runs_without_errors : forall from w, run state action goes_on (execute P) from w ->
  an_error_is_met from \/ exists w', reduced_runs P claim given order from w' /\
    stutter_equivalent (word_seen P claim from w) (word_seen P claim from w').
Proof. intros from. apply (runs_are_kept_without_errors _ _ _ _ _ _ _ _ _ (programs_with_errors from)). Qed.

Theorem reduction_keeps_deadlocks_without_errors : forall from n w,
  possible_until state action goes_on (execute P) from w n ->
  stopped source (after state action (execute P) from w n) ->
  an_error_is_met from \/ exists w', reduced_until state action (execute P) alone from w' n /\
    after state action (execute P) from w' n = after state action (execute P) from w n.
Proof.
  intros from n w possible D.
  apply (deadlocks_are_kept_without_errors _ _ _ _ _ _ _ _ _ (programs_with_errors from) (fun a => a <> Stutter)); auto.
  - intros s b _ NE B. destruct (ample.reduced_state P _ _ _ _ _ s NE) as (p & _ & T).
    destruct (proj1 (T b) B) as (i & E & _). rewrite E. discriminate.
  - intros [|p i] E; [tauto|]. apply step_enabled in E. rewrite D in E. discriminate.
Qed.
End Programs.

(* An error at work: process 0 indexes an array of two with 2, process 1 could go on alone. *)
Section Shown.
Definition beyond := Unary (fun a => if Z.ltb a 2 then 0 else 1)%Z (Local 0).
Definition within := Unary (fun a => if Z.ltb a 2 then 1 else 0)%Z (Local 0).
Definition indexing := [
  [{| source := 0; target := 1; condition := within; over := Quiet; body := [SetCell 0 1 (Local 0) (Literal 1)] |};
   {| source := 0; target := 2; condition := beyond; over := Quiet; body := [] |}];
  [{| source := 0; target := 1; condition := Literal 1; over := Quiet; body := [SetLocal 0 (Literal 5)] |}] ].
Definition ready := {| globals := [0; 0]%Z; channels := []; processes := [(0, [2%Z]); (0, [0%Z])] |}.
Example left_out_at_first : reduced (program_of indexing) [] never youngest ready = [Step 1 0].
Proof. reflexivity. Qed.
Example met_later : reduced (program_of indexing) [] never youngest (execute (program_of indexing) ready (Step 1 0)) =
  [Step 0 1].
Proof. reflexivity. Qed.
End Shown.
