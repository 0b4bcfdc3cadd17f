(* The theorem of reduction, from its five conditions.

   A system is a set of states in which actions can be enabled; to execute an enabled action leads to one next state.
   A reduction says which enabled actions are taken in each state. If the five conditions below hold in the reachable
   states, then every run of the system has a stutter-equivalent run, from the same state, in which only taken actions
   occur; and each of those is a run of the system. So a claim that cannot tell stutter-equivalent words apart (every
   formula without next, see ltl/stuttering.v) may be checked on the reduced system alone.

   The conditions are those of Brunner and Lammich, "Formal verification of an executable LTL model checker with
   partial order reduction", 2018, section 2.1, asked for less: only of reachable states, and actions need commute,
   and be invisible, only where they meet on a run that puts the taken ones off. That is what src/everafter/reduction
   promises, since whether two operations on a channel commute depends on the state.

   The proof follows a run and builds the reduced run beside it. Where everything is taken, the next action is copied.
   Where not, the first action of the run that is taken here is moved to the front; or, if there is none, any taken
   action is put in front. Either way it is invisible, so the word is the same up to stuttering. That cannot go on for
   ever without copying, by the condition wellfounded. *)
(* Proves: every_run_has_a_reduced_run, settled_run_has_a_reduced_run, reduced_runs_are_runs *)
(* Assumes: classic (does the rest of an infinite run ever take such an action?), constructive_indefinite_description
   (the reduced run is chosen action after action) *)
From Coq Require Import Arith Lia Classical IndefiniteDescription.
From everafter.ltl Require Import words.

Section System.
Variables state action letter : Type.
Variable initial : state -> Prop.
Variable enabled : state -> action -> Prop.
Variable execute : state -> action -> state.
Variable label : state -> letter.

Inductive reachable : state -> Prop :=
| reachable_initial : forall s, initial s -> reachable s
| reachable_next : forall s a, reachable s -> enabled s a -> reachable (execute s a).

(* The state after n of the actions that a schedule names. *)
Fixpoint after (s : state) (w : nat -> action) (n : nat) : state :=
  match n with 0 => s | S m => execute (after s w m) (w m) end.

Definition possible_until (s : state) (w : nat -> action) (k : nat) :=
  forall i, i < k -> enabled (after s w i) (w i).
Definition run (s : state) (w : nat -> action) := forall n, enabled (after s w n) (w n).
Definition word_of (s : state) (w : nat -> action) : word letter := fun n => label (after s w n).

Definition commute_at (s : state) (a b : action) := enabled s a -> enabled s b ->
  enabled (execute s a) b /\ enabled (execute s b) a /\ execute (execute s a) b = execute (execute s b) a.

(* The reduction: the actions that are taken in a state. *)
Variable taken : state -> action -> Prop.
Definition reduced_run (s : state) (w : nat -> action) := forall n, taken (after s w n) (w n).
Definition everything_taken (s : state) := forall a, enabled s a -> taken s a.

(* k actions that are possible one after the other, none of which is taken in the first state. *)
Definition puts_off (s : state) (w : nat -> action) (k : nat) :=
  possible_until s w k /\ forall i, i < k -> ~ taken s (w i).

Definition subset_holds := forall s a, reachable s -> taken s a -> enabled s a.
Definition nonempty_holds := forall s a, reachable s -> enabled s a -> exists b, taken s b.
Definition independent_holds := forall s w k b, reachable s -> ~ everything_taken s -> taken s b ->
  puts_off s w (S k) -> commute_at (after s w k) (w k) b.
Definition invisible_holds := forall s w k b, reachable s -> ~ everything_taken s -> taken s b -> puts_off s w k ->
  enabled (after s w k) b -> label (execute (after s w k) b) = label (after s w k).
Definition taken_alone (s t : state) := reachable s /\ ~ everything_taken s /\ exists b, taken s b /\ t = execute s b.
Definition wellfounded_holds := well_founded (fun t s => taken_alone s t).

Record conditions : Prop := {
  subset : subset_holds;
  nonempty : nonempty_holds;
  independent : independent_holds;
  invisible : invisible_holds;
  wellfounded : wellfounded_holds }.

Lemma after_same : forall s w w' n, (forall i, i < n -> w i = w' i) -> after s w n = after s w' n.
Proof. induction n; simpl; intros same; auto. rewrite IHn, same; auto. Qed.

Lemma after_first : forall s w n, after (execute s (w 0)) (fun i => w (S i)) n = after s w (S n).
Proof. induction n; simpl; auto. rewrite IHn. reflexivity. Qed.

(* Following a run: all conditions but wellfounded are needed. *)
Section Following.
Hypothesis is_subset : subset_holds.
Hypothesis is_nonempty : nonempty_holds.
Hypothesis is_independent : independent_holds.
Hypothesis is_invisible : invisible_holds.

(* A taken action can be executed before the ones that put it off. *)
Lemma comes_to_front : forall s w b k, reachable s -> ~ everything_taken s -> taken s b -> puts_off s w k ->
  forall i, i <= k -> enabled (after s w i) b /\ after (execute s b) w i = execute (after s w i) b /\
    (i < k -> enabled (after (execute s b) w i) (w i)).
Proof.
  intros s w b k R NE B [possible avoided].
  assert (commutes : forall i, i < k -> commute_at (after s w i) (w i) b).
  { intros i less. apply is_independent; auto. split; intros j le; [apply possible | apply avoided]; lia. }
  induction i as [|i IH]; intros le.
  - simpl. pose proof (is_subset _ _ R B) as now. repeat split; auto.
    intros less. apply (commutes 0 less (possible 0 less) now).
  - destruct IH as (now & same & _); [lia|].
    destruct (commutes i ltac:(lia)) as (still & _ & equal); [apply possible; lia | auto |].
    simpl. rewrite same, <- equal. repeat split; auto.
    intros less. apply (commutes (S i) less (possible (S i) less) still).
Qed.

(* What is left of the run that is followed: where we are, and what is still to come. *)
Record follower := { place : state; future : nat -> action; is_run : run place future; is_reachable : reachable place }.
Definition future_word (c : follower) := word_of (place c) (future c).

Definition follows (c : follower) (b : action) (c' : follower) :=
  taken (place c) b /\ place c' = execute (place c) b /\
  ((b = future c 0 /\ forall n, future c' n = future c (S n)) \/
   (~ everything_taken (place c) /\ label (place c') = label (place c) /\ condenses (future_word c) (future_word c'))).

(* Something other than the next action of the run is taken. *)
Definition strays (c c' : follower) := taken_alone (place c) (place c') /\ label (place c') = label (place c) /\
  condenses (future_word c) (future_word c').

Lemma copies : forall c, taken (place c) (future c 0) -> exists c', follows c (future c 0) c'.
Proof.
  intros [s w V R] T. simpl in *.
  assert (V' : run (execute s (w 0)) (fun i => w (S i))) by (intros n; rewrite after_first; apply V).
  exists {| place := _; future := _; is_run := V'; is_reachable := reachable_next _ _ R (V 0) |}.
  split; simpl; auto.
Qed.

Lemma least : forall P : nat -> Prop, (exists k, P k) -> exists k, P k /\ forall i, i < k -> ~ P i.
Proof.
  intros P [k Pk]. induction k as [k IH] using lt_wf_ind.
  destruct (classic (exists i, i < k /\ P i)) as [(i & less & Pi)|none]; [eauto|].
  exists k. split; auto. intros i less Pi. apply none. eauto.
Qed.

(* The taken action b comes later in the run: it is moved to the front. *)
Lemma brings_forward : forall c k, ~ everything_taken (place c) -> taken (place c) (future c (S k)) ->
  (forall i, i < S k -> ~ taken (place c) (future c i)) -> exists c', follows c (future c (S k)) c'.
Proof.
  intros [s w V R] k NE B avoided. simpl in *. set (b := w (S k)) in *.
  assert (P : puts_off s w (S k)) by (split; [intros i _; apply V | exact avoided]).
  pose proof (comes_to_front s w b (S k) R NE B P) as front.
  set (w' := fun i => if i <? S k then w i else w (S i)).
  assert (first : forall i, i < S k -> w' i = w i).
  { intros i less. unfold w'. destruct (Nat.ltb_spec i (S k)); auto; lia. }
  assert (rest : forall i, S k <= i -> w' i = w (S i)).
  { intros i le. unfold w'. destruct (Nat.ltb_spec i (S k)); auto; lia. }
  assert (before : forall i, i <= S k -> after (execute s b) w' i = execute (after s w i) b).
  { intros i le. rewrite (after_same _ w' w); [apply front; auto | intros; apply first; lia]. }
  assert (behind : forall i, S k <= i -> after (execute s b) w' i = after s w (S i)).
  { intros i le. induction le as [|i le IH]; [apply before; auto|].
    change (after (execute s b) w' (S i)) with (execute (after (execute s b) w' i) (w' i)).
    rewrite IH, (rest i) by lia. reflexivity. }
  assert (V' : run (execute s b) w').
  { intros i. destruct (le_lt_dec (S k) i) as [le|less].
    - rewrite (behind i le), (rest i le). apply V.
    - rewrite (first i less), (after_same _ w' w) by (intros; apply first; lia). apply front; lia. }
  assert (unseen : forall i, i <= S k -> label (execute (after s w i) b) = label (after s w i)).
  { intros i le. apply is_invisible with (s := s); auto; [|apply front; auto].
    split; intros j less; [apply V | apply avoided; lia]. }
  exists {| place := execute s b; future := w'; is_run := V';
            is_reachable := reachable_next _ _ R (is_subset _ _ R B) |}.
  split; [auto|]. simpl. split; auto. right. split; auto. split; [apply (unseen 0); lia|].
  apply condenses_without with (k := S k); unfold future_word, word_of; simpl place; simpl future; intros i le.
  - rewrite before by auto. symmetry. auto.
  - rewrite behind by auto. reflexivity.
Qed.

(* No taken action comes in the run: one is put in front of everything. *)
Lemma puts_in_front : forall c b, ~ everything_taken (place c) -> taken (place c) b ->
  (forall i, ~ taken (place c) (future c i)) -> exists c', follows c b c'.
Proof.
  intros [s w V R] b NE B avoided. simpl in *.
  assert (P : forall k, puts_off s w k) by (intros k; split; [intros i _; apply V | auto]).
  assert (front : forall i, enabled (after s w i) b /\ after (execute s b) w i = execute (after s w i) b /\
    enabled (after (execute s b) w i) (w i)).
  { intros i. destruct (comes_to_front s w b (S i) R NE B (P (S i)) i) as (A1 & A2 & A3); auto. }
  assert (V' : run (execute s b) w) by (intros i; apply front).
  exists {| place := execute s b; future := w; is_run := V';
            is_reachable := reachable_next _ _ R (is_subset _ _ R B) |}.
  assert (unseen : forall i, label (execute (after s w i) b) = label (after s w i)).
  { intros i. apply is_invisible with (s := s); auto. apply front. }
  split; [auto|]. simpl. split; auto. right. split; auto. split; [apply (unseen 0)|].
  apply condenses_same. intros n. unfold future_word, word_of. simpl.
  destruct (front n) as (_ & same & _). rewrite same. symmetry. auto.
Qed.

Lemma goes_on : forall c, exists p : action * follower, follows c (fst p) (snd p).
Proof.
  intros c. assert (some : exists b c', follows c b c').
  { destruct (classic (everything_taken (place c))) as [all|NE].
    { exists (future c 0). apply copies, all, (is_run c 0). }
    destruct (classic (exists k, taken (place c) (future c k))) as [later|never].
    - apply least in later as ([|k] & B & avoided); [exists (future c 0); apply copies; auto|].
      exists (future c (S k)). apply brings_forward; auto.
    - destruct (is_nonempty _ _ (is_reachable c) (is_run c 0)) as [b B].
      exists b. apply puts_in_front; auto. intros i T. apply never. eauto. }
  destruct some as (b & c' & F). exists (b, c'). exact F.
Qed.

(* From here on: one choice of what follows what. *)
Section Chosen.
Variable choice : follower -> action * follower.
Hypothesis choice_follows : forall c, follows c (fst (choice c)) (snd (choice c)).

Definition follower_at (c : follower) (n : nat) : follower := Nat.iter n (fun d => snd (choice d)) c.
Definition chosen (c : follower) (n : nat) : action := fst (choice (follower_at c n)).

Lemma follower_next : forall c n, follower_at c (S n) = snd (choice (follower_at c n)).
Proof. reflexivity. Qed.

Lemma follower_first : forall c n, follower_at c (S n) = follower_at (snd (choice c)) n.
Proof. induction n; auto. rewrite follower_next, IHn. reflexivity. Qed.

Lemma after_chosen : forall c n, after (place c) (chosen c) n = place (follower_at c n).
Proof.
  induction n; simpl; auto. rewrite IHn. unfold chosen.
  destruct (choice_follows (follower_at c n)) as (_ & moved & _). symmetry. exact moved.
Qed.

Lemma chosen_is_reduced : forall c, reduced_run (place c) (chosen c).
Proof. intros c n. rewrite after_chosen. apply (choice_follows (follower_at c n)). Qed.

Lemma copies_or_strays : forall c, strays c (snd (choice c)) \/
  forall i, future_word (snd (choice c)) i = future_word c (S i).
Proof.
  intros c. destruct (choice_follows c) as (T & moved & [[first same]|(NE & unseen & less)]).
  - right. intros i. unfold future_word, word_of. f_equal. rewrite moved, first.
    rewrite <- after_first. apply after_same. intros; apply same.
  - left. split; auto. split; [apply is_reachable|]. split; eauto.
Qed.

(* That it strays again and again must come to an end. *)
Definition settles (c : follower) := Acc (fun d c => d = snd (choice c) /\ strays c d) c.

(* After finitely many invisible actions, the next action of the run is copied. *)
Lemma copies_at_last : forall c, settles c -> exists n,
  (forall i, i <= n -> label (place (follower_at c i)) = label (place c)) /\
  condenses (future_word c) (future_word (follower_at c n)) /\
  (forall i, future_word (follower_at c (S n)) i = future_word (follower_at c n) (S i)).
Proof.
  intros c ends. induction ends as [c _ IH]. destruct (copies_or_strays c) as [away|copied].
  - set (d := snd (choice c)) in *. destruct (IH d) as (n & L & W & N); auto. destruct away as (_ & unseen & less).
    exists (S n). split; [|split].
    + intros [|i] le; [auto|]. rewrite follower_first. fold d. rewrite L by lia. exact unseen.
    + rewrite follower_first. fold d. eapply condenses_trans; eauto.
    + intros i. rewrite (follower_first c (S n)), (follower_first c n). apply N.
  - exists 0. split; [intros i le; replace i with 0 by lia; auto|]. split; [apply condenses_same; auto|]. exact copied.
Qed.

Lemma follower_sum : forall c m n, follower_at c (m + n) = follower_at (follower_at c m) n.
Proof. induction n; [rewrite Nat.add_0_r; auto|]. rewrite Nat.add_succ_r, !follower_next, IHn. auto. Qed.

Lemma chosen_is_equivalent : forall c, (forall n, settles (follower_at c n)) ->
  stutter_equivalent (future_word c) (fun n => label (place (follower_at c n))).
Proof.
  intros c ends. apply stutter_equivalent_stepwise
    with (R := fun a b => condenses (fun n => future_word c (a + n)) (future_word (follower_at c b))).
  { apply condenses_same. reflexivity. }
  intros a b less. set (d := follower_at c b) in *.
  destruct (copies_at_last d (ends b)) as (n & L & W & N).
  destruct (condenses_trans _ _ _ _ less W) as (f & F & same).
  pose proof (starts_grow f F) as grow. pose proof (grow 0 1 ltac:(lia)). pose proof (proj1 F) as F0.
  exists (a + f 1), (b + S n). split; [lia|]. split; [lia|]. split.
  - exists (fun k => f (S k) - f 1).
    assert (M : forall k, f 1 <= f (S k)) by (intros k; apply starts_grow_weakly; auto; lia).
    split; [split; [lia|]|].
    + intros k. pose proof (M k). pose proof (grow (S k) (S (S k)) ltac:(lia)). lia.
    + unfold in_block. intros k i [low high]. rewrite follower_sum. fold d. rewrite N, <- Nat.add_assoc.
      apply (same (S k) (f 1 + i)). unfold in_block. pose proof (M k). pose proof (M (S k)). lia.
  - intros i j low high low' high'. replace i with (a + (i - a)) by lia.
    rewrite (same 0 (i - a)) by (unfold in_block; lia).
    replace j with (b + (j - b)) by lia. rewrite follower_sum. fold d. rewrite L by lia.
    unfold future_word, word_of. simpl. apply L. auto.
Qed.
End Chosen.

Theorem settled_run_has_a_reduced_run : forall s w (R : reachable s) (V : run s w),
  (forall choice, (forall c, follows c (fst (choice c)) (snd (choice c))) -> forall n,
    settles choice (follower_at choice {| place := s; future := w; is_run := V; is_reachable := R |} n)) ->
  exists w', reduced_run s w' /\ stutter_equivalent (word_of s w) (word_of s w').
Proof.
  intros s w R V ends. destruct (functional_choice _ goes_on) as (choice & choice_follows).
  set (c := {| place := s; future := w; is_run := V; is_reachable := R |}).
  exists (chosen choice c). split; [apply (chosen_is_reduced choice choice_follows c)|].
  destruct (chosen_is_equivalent choice choice_follows c (ends choice choice_follows)) as (f & g & F & G & same).
  exists f, g. split; auto. split; auto. intros n i j A B. unfold word_of.
  change s with (place c) at 2. rewrite (after_chosen choice choice_follows c). apply (same n i j A B).
Qed.
End Following.

Hypothesis C : conditions.

Lemma moves_to_front : forall s w b k, reachable s -> ~ everything_taken s -> taken s b -> puts_off s w k ->
  forall i, i <= k -> enabled (after s w i) b /\ after (execute s b) w i = execute (after s w i) b /\
    (i < k -> enabled (after (execute s b) w i) (w i)).
Proof. apply comes_to_front; apply C. Qed.

Theorem every_run_has_a_reduced_run : forall s w, reachable s -> run s w ->
  exists w', reduced_run s w' /\ stutter_equivalent (word_of s w) (word_of s w').
Proof.
  intros s w R V. apply (settled_run_has_a_reduced_run (subset C) (nonempty C) (independent C) (invisible C) s w R V).
  intros choice _ n. set (c := follower_at choice _ n). clearbody c. remember (place c) as t eqn:E. revert c E.
  induction t as [t IH] using (well_founded_ind (wellfounded C)). intros c ->. constructor.
  intros d [_ (alone & _)]. eapply IH; [exact alone | reflexivity].
Qed.

Theorem reduced_runs_are_runs : forall s w, reachable s -> reduced_run s w -> run s w.
Proof.
  intros s w R V. assert (reached : forall n, reachable (after s w n)).
  { induction n; simpl; auto. apply reachable_next; [auto|]. apply (subset C); [auto|]. apply V. }
  intros n. apply (subset C); [auto|]. apply V.
Qed.
End System.
