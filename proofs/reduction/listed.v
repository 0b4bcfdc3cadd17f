(* The conditions need hold only in the states that a reduced search lists.

   conditions.v asks for its five conditions in every reachable state. A certificate lists fewer: the states that taken
   actions lead to. That is enough, if what is listed is closed under taken actions. For where nothing is listed, let
   everything be taken: then the conditions hold there as well, and no run that only takes taken actions, and begins in
   a listed state, ever comes there. So every run from a listed state has a stutter-equivalent reduced run, all of whose
   states are listed. *)
(* Proves: every_run_has_a_listed_run *)
(* Assumes: classic (is a state listed?), constructive_indefinite_description (through reduction/conditions.v) *)
From Coq Require Import Classical.
From everafter.ltl Require Import words.
From everafter.reduction Require Import conditions.

Section Listed.
Variables state action letter : Type.
Variable enabled : state -> action -> Prop.
Variable execute : state -> action -> state.
Variable label : state -> letter.
Variable taken : state -> action -> Prop.
Variable listed : state -> Prop.

Notation everything := (everything_taken state action enabled).
Notation state_after := (after state action execute).
Notation put_off := (puts_off state action enabled execute).
Definition left_out (s t : state) := listed s /\ ~ everything taken s /\ exists b, taken s b /\ t = execute s b.

Hypothesis closed : forall s a, listed s -> taken s a -> listed (execute s a).
Hypothesis listed_subset : forall s a, listed s -> taken s a -> enabled s a.
Hypothesis listed_nonempty : forall s a, listed s -> enabled s a -> exists b, taken s b.
Hypothesis listed_independent : forall s w k b, listed s -> ~ everything taken s -> taken s b ->
  put_off taken s w (S k) -> commute_at state action enabled execute (state_after s w k) (w k) b.
Hypothesis listed_invisible : forall s w k b, listed s -> ~ everything taken s -> taken s b -> put_off taken s w k ->
  enabled (state_after s w k) b -> label (execute (state_after s w k) b) = label (state_after s w k).
Hypothesis listed_wellfounded : well_founded (fun t s => left_out s t).

(* Where nothing is listed, everything is taken. *)
Definition completed (s : state) (a : action) := (listed s /\ taken s a) \/ (~ listed s /\ enabled s a).

Lemma completed_where_listed : forall s a, listed s -> (completed s a <-> taken s a).
Proof. unfold completed. intros s a L. tauto. Qed.

Lemma leaving_out_is_listed : forall s, ~ everything completed s -> listed s /\ ~ everything taken s.
Proof.
  intros s NE. assert (L : listed s).
  { apply NNPP. intros N. apply NE. intros a E. right. auto. }
  split; auto. intros all. apply NE. intros a E. left. auto.
Qed.

Lemma put_off_where_listed : forall s w k, listed s -> put_off completed s w k -> put_off taken s w k.
Proof.
  intros s w k L [possible avoided]. split; auto. intros i less T. apply (avoided i less). left. auto.
Qed.

Definition anywhere (_ : state) := True.

Lemma completed_subset : subset_holds state action anywhere enabled execute completed.
Proof. intros s a _ [[L T]|[_ E]]; auto. Qed.

Lemma completed_nonempty : nonempty_holds state action anywhere enabled execute completed.
Proof.
  intros s a _ E. destruct (classic (listed s)) as [L|N].
  - destruct (listed_nonempty s a L E) as [b B]. exists b. left. auto.
  - exists a. right. auto.
Qed.

Lemma completed_independent : independent_holds state action anywhere enabled execute completed.
Proof.
  intros s w k b _ NE B P. destruct (leaving_out_is_listed s NE) as [L NT].
  apply listed_independent with (s := s); auto; [apply completed_where_listed | apply put_off_where_listed]; auto.
Qed.

Lemma completed_invisible : invisible_holds state action letter anywhere enabled execute label completed.
Proof.
  intros s w k b _ NE B P E. destruct (leaving_out_is_listed s NE) as [L NT].
  apply listed_invisible with (s := s); auto; [apply completed_where_listed | apply put_off_where_listed]; auto.
Qed.

Lemma completed_satisfies : conditions state action letter anywhere enabled execute label completed.
Proof.
  split;
    [apply completed_subset | apply completed_nonempty | apply completed_independent | apply completed_invisible |].
  intros s. induction s as [s IH] using (well_founded_ind listed_wellfounded). constructor.
  intros t (_ & NE & b & B & ->). destruct (leaving_out_is_listed s NE) as [L NT]. apply IH.
  split; auto. split; auto. exists b. split; auto. apply completed_where_listed; auto.
Qed.

Theorem every_run_has_a_listed_run : forall s w, listed s -> run state action enabled execute s w ->
  exists w', reduced_run state action execute taken s w' /\ (forall n, listed (state_after s w' n)) /\
    stutter_equivalent (word_of state action letter execute label s w) (word_of state action letter execute label s w').
Proof.
  intros s w L V.
  assert (R : reachable state action anywhere enabled execute s) by (apply reachable_initial; exact I).
  destruct (every_run_has_a_reduced_run _ _ _ _ _ _ _ _ completed_satisfies s w R V) as (w' & W & same).
  assert (inside : forall n, listed (state_after s w' n)).
  { induction n; simpl; auto. apply closed; auto. apply completed_where_listed; auto. }
  exists w'. split; [|split; auto]. intros n. apply completed_where_listed; auto.
Qed.
End Listed.
