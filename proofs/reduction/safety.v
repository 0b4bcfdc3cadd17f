(* Reduction keeps deadlocks, and every action that can happen.

   For assertions and end states there is no claim to look at, only finite runs. From the same five conditions: if a
   run comes to a deadlock, a reduced run of the same length comes to the same state; and if a run ever takes an
   action, a reduced run does. An assertion that fails is such an action, the step along an edge that is open where
   the assertion is false. What a step looks like to a claim does not matter for this: nothing need be visible, so
   more can be left out.

   Where there are actions that only mark time (a program that has stopped stutters), deadlock means that nothing else
   is enabled. *)
(* Proves: deadlocks_are_kept, actions_are_kept, reduction_keeps_deadlocks, reduction_keeps_actions *)
(* Assumes: classic (is any of the actions taken here?), constructive_indefinite_description (the last two, through
   reduction/ample.v) *)
From Coq Require Import Arith Lia List Classical.
From everafter.reduction Require Import conditions programs ample commands static.
Import ListNotations.

Section Safety.
Variables state action letter : Type.
Variable initial : state -> Prop.
Variable enabled : state -> action -> Prop.
Variable execute : state -> action -> state.
Variable label : state -> letter.
Variable taken : state -> action -> Prop.
Hypothesis C : conditions state action letter initial enabled execute label taken.

Notation after := (after state action execute).
Notation possible_until := (possible_until state action enabled execute).
Notation reachable := (reachable state action initial enabled execute).
Notation everything_taken := (everything_taken state action enabled taken).
Notation puts_off := (puts_off state action enabled execute taken).

Definition reduced_until (s : state) (w : nat -> action) (n : nat) := forall i, i < n -> taken (after s w i) (w i).

(* Schedules with one action more in front, and with one left out. *)
Definition first_then (a : action) (w : nat -> action) (i : nat) := match i with 0 => a | S j => w j end.
Definition without (k : nat) (w : nat -> action) (i : nat) := if i <? k then w i else w (S i).

Lemma after_first_then : forall s a w n, after s (first_then a w) (S n) = after (execute s a) w n.
Proof.
  intros s a w n. rewrite <- (after_first state action execute s (first_then a w) n). simpl first_then.
  apply after_same. reflexivity.
Qed.

Lemma reduced_first_then : forall s a w n, taken s a -> reduced_until (execute s a) w n ->
  reduced_until s (first_then a w) (S n).
Proof. intros s a w n T R [|i] less; [exact T|]. rewrite after_first_then. apply R. lia. Qed.

Lemma possible_rest : forall s w n, possible_until s w (S n) -> possible_until (execute s (w 0)) (fun i => w (S i)) n.
Proof. intros s w n possible i less. rewrite after_first. apply (possible (S i)). lia. Qed.

Lemma pulled_forward : forall s w k n, reachable s -> ~ everything_taken s -> taken s (w k) -> puts_off s w k ->
  k <= n -> possible_until s w (S n) ->
  possible_until (execute s (w k)) (without k w) n /\ after (execute s (w k)) (without k w) n = after s w (S n).
Proof.
  intros s w k n R NE B off le possible.
  pose proof (moves_to_front state action letter initial enabled execute label taken C s w (w k) k R NE B off) as front.
  assert (low : forall i, i < k -> without k w i = w i).
  { intros i less. unfold without. destruct (Nat.ltb_spec i k); auto; lia. }
  assert (high : forall i, k <= i -> without k w i = w (S i)).
  { intros i more. unfold without. destruct (Nat.ltb_spec i k); auto; lia. }
  assert (before : forall i, i <= k -> after (execute s (w k)) (without k w) i = after (execute s (w k)) w i).
  { intros i more. apply after_same. intros; apply low; lia. }
  assert (behind : forall i, k <= i -> after (execute s (w k)) (without k w) i = after s w (S i)).
  { intros i more. induction more as [|i more IH]; [rewrite before by auto; apply front; auto|].
    simpl. rewrite IH, (high i) by lia. reflexivity. }
  split; auto. intros i less. destruct (le_lt_dec k i) as [more|fewer].
  - rewrite behind, high by auto. apply possible. lia.
  - rewrite before, low by lia. apply front; lia.
Qed.

(* The first of the actions that is taken in the first state, if there is one. *)
Lemma first_taken : forall s w n, possible_until s w n ->
  (exists k, k < n /\ taken s (w k) /\ puts_off s w k) \/ puts_off s w n.
Proof.
  intros s w n possible. destruct (classic (exists k, k < n /\ taken s (w k))) as [some|none].
  - left. apply least in some as (k & [less T] & earlier). exists k. split; auto. split; auto. split.
    + intros i I. apply possible. lia.
    + intros i I T'. apply (earlier i I). split; auto. lia.
  - right. split; auto. intros i less T. apply none. eauto.
Qed.

Section Deadlocks.
Variable real : action -> Prop.
Hypothesis reduced_to_real : forall s b, reachable s -> ~ everything_taken s -> taken s b -> real b.
Definition dead (s : state) := forall a, enabled s a -> ~ real a.

Theorem deadlocks_are_kept : forall n s w, reachable s -> possible_until s w n -> dead (after s w n) ->
  exists w', reduced_until s w' n /\ after s w' n = after s w n.
Proof.
  induction n; intros s w R possible D.
  - exists w. split; [intros i less; lia | reflexivity].
  - assert (now : enabled s (w 0)) by (apply (possible 0); lia).
    destruct (classic (everything_taken s)) as [all|NE].
    + destruct (IHn (execute s (w 0)) (fun i => w (S i))) as (w' & W & E).
      * apply reachable_next; auto.
      * apply possible_rest. auto.
      * rewrite after_first. exact D.
      * exists (first_then (w 0) w'). split; [apply reduced_first_then; auto|].
        rewrite after_first_then, E. apply after_first.
    + destruct (first_taken s w (S n) possible) as [(k & less & T & off)|off].
      * destruct (pulled_forward s w k n R NE T off ltac:(lia) possible) as [P' E'].
        destruct (IHn (execute s (w k)) (without k w)) as (w' & W & E); auto.
        { apply reachable_next; auto. apply (subset _ _ _ _ _ _ _ _ C); auto. }
        { rewrite E'. exact D. }
        exists (first_then (w k) w'). split; [apply reduced_first_then; auto|].
        rewrite after_first_then, E. exact E'.
      * exfalso. destruct (nonempty _ _ _ _ _ _ _ _ C s (w 0) R now) as (b & B).
        apply (D b); [|apply (reduced_to_real s); auto].
        apply (moves_to_front _ _ _ _ _ _ _ _ C s w b (S n) R NE B off (S n)). lia.
Qed.
End Deadlocks.

Theorem actions_are_kept : forall n s w, reachable s -> possible_until s w (S n) ->
  exists w' m, reduced_until s w' (S m) /\ w' m = w n.
Proof.
  induction n as [n shorter] using lt_wf_ind. intros s.
  induction s as [s closer] using (well_founded_ind (wellfounded _ _ _ _ _ _ _ _ C)). intros w R possible.
  assert (now : enabled s (w 0)) by (apply (possible 0); lia).
  assert (go_on : forall b v l, taken s b -> l < n -> possible_until (execute s b) v (S l) -> v l = w n ->
    exists w' m, reduced_until s w' (S m) /\ w' m = w n).
  { intros b v l T less P' E. destruct (shorter l less (execute s b) v) as (w' & m & W & F); auto.
    - apply reachable_next; auto. apply (subset _ _ _ _ _ _ _ _ C); auto.
    - exists (first_then b w'), (S m). split; [apply reduced_first_then; auto | simpl; congruence]. }
  assert (here : taken s (w n) -> exists w' m, reduced_until s w' (S m) /\ w' m = w n).
  { intros T. exists (fun _ => w n), 0. split; auto. intros i less. replace i with 0 by lia. exact T. }
  destruct (classic (everything_taken s)) as [all|NE].
  - destruct n as [|l]; [apply here, all; auto|].
    apply (go_on (w 0) (fun i => w (S i)) l); auto. apply possible_rest. auto.
  - destruct (first_taken s w (S n) possible) as [(k & less & T & off)|off].
    + destruct (Nat.eq_dec k n) as [->|different]; [auto|]. destruct n as [|l]; [lia|].
      destruct (pulled_forward s w k (S l) R NE T off ltac:(lia) possible) as [P' _].
      apply (go_on (w k) (without k w) l); auto. unfold without. destruct (Nat.ltb_spec l k); auto; lia.
    + destruct (nonempty _ _ _ _ _ _ _ _ C s (w 0) R now) as (b & B).
      pose proof (moves_to_front _ _ _ _ _ _ _ _ C s w b (S n) R NE B off) as front.
      destruct (closer (execute s b)) with (w := w) as (w' & m & W & E).
      * split; auto. split; auto. exists b. auto.
      * apply reachable_next; auto. apply (subset _ _ _ _ _ _ _ _ C); auto.
      * intros i less. apply front; lia.
      * exists (first_then b w'), (S m). split; [apply reduced_first_then; auto | auto].
Qed.
End Safety.

(* Of programs, with nothing to see: every run that stops, and every step that can be taken, is met. *)
Section Programs.
Variable source : list (list command).
Variable given : nat -> nat -> bool.
Variable order : state -> list nat.
Definition program_text := program_of source.
Definition steps_taken (s : state) (a : action) := In a (reduced program_text [] given order s).

Lemma all_conditions : conditions state action (list bool) (fun _ => True) (enabled program_text) (execute program_text)
  (label []) steps_taken.
Proof. apply static_conditions. apply program_is_honest. Qed.

Definition stopped (s : state) := forall p i, can_move program_text s p i = false.

Theorem reduction_keeps_deadlocks : forall n s w,
  possible_until state action (enabled program_text) (execute program_text) s w n ->
  stopped (after state action (execute program_text) s w n) ->
  exists w', reduced_until state action (execute program_text) steps_taken s w' n /\
    after state action (execute program_text) s w' n = after state action (execute program_text) s w n.
Proof.
  intros n s w possible D.
  apply (deadlocks_are_kept _ _ _ _ _ _ _ _ all_conditions (fun a => a <> Stutter)); auto.
  - intros t b _ NE B. destruct (reduced_state program_text _ _ _ _ _ t NE) as (p & _ & T).
    destruct (proj1 (T b) B) as (i & E & _). rewrite E. discriminate.
  - apply reachable_initial. exact I.
  - intros [|p i] E; [tauto|]. apply step_enabled in E. rewrite D in E. discriminate.
Qed.

Theorem reduction_keeps_actions : forall n s w,
  possible_until state action (enabled program_text) (execute program_text) s w (S n) ->
  exists w' m, reduced_until state action (execute program_text) steps_taken s w' (S m) /\ w' m = w n.
Proof.
  intros n s w possible. apply (actions_are_kept _ _ _ _ _ _ _ _ all_conditions); auto.
  apply reachable_initial. exact I.
Qed.
End Programs.
