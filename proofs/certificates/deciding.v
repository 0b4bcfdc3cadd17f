(* What decides certificates: the text that runs, what it promises, and what follows of all runs when it has said yes.

   src/everafter/certificates/deciding.py decides, in both checkers. Its four functions are here, statement by
   statement, each with its contract: the same that Nagini proves of the Python text, proofs/certificates/deciding.py.
   A contract says of all arguments what the answer is; so whatever keeps it, the Python text and this one, answers
   alike.

   Around these functions a checker has work of its own: it asks the model for the edges of a row, finds the rows that
   they lead to and says which edges the rank of the row forbids. `is_right` says what that work has to be; nothing is
   said of who does it, in which order, how often, or in how many threads. Then, if the initial states are accepted and
   every row that is listed bears the mark of what is decided, which nothing but a decision gives:

   - no endless run takes, for every rank, edges again and again that the rank forbids (accepted_ranks_settle);
   - so, if a rank forbids the edges that leave accepting states, no run meets accepting states for ever;
   - if it forbids those of the acceptance set that it names, its remainder by the number of sets, no run takes edges of
     all sets for ever: no accepting run is fair;
   - if all ranks are equal and edges into violations are forbidden, no violation can be reached. *)
(* Proves: accept_start_contract, accept_edges_contract, decide_state_contract, all_decided_contract,
   accepted_ranks_settle, decided_excludes_accepting_runs, decided_excludes_fair_runs, decided_excludes_violations *)
(* Assumes: nothing *)
From Coq Require Import Arith Lia List Bool ZArith.
Import ListNotations.
Local Open Scope Z_scope.

(* A list of Python: what it has at each place. That no other place is read is proved by Nagini. *)
Definition array := Z -> Z.
Definition updated (a : array) (place value : Z) : array := fun k => if k =? place then value else a k.

(* The loop of all three: while place < count, if not good: return False; place = place + 1; at the end True. *)
Fixpoint loop_from (left : nat) (place : Z) (good : Z -> bool) : bool :=
  match left with
  | O => true
  | S less => if negb (good place) then false else loop_from less (place + 1) good
  end.
Definition loop (count : Z) (good : Z -> bool) : bool := loop_from (Z.to_nat count) 0 good.

Lemma loop_from_is : forall good left place,
  loop_from left place good = true <-> forall k, place <= k < place + Z.of_nat left -> good k = true.
Proof.
  intros good. induction left as [|less IH]; intros place; cbn [loop_from].
  - split; auto. intros _ k inside. lia.
  - destruct (good place) eqn:now; cbn [negb].
    + rewrite IH. split; intros all k inside.
      * destruct (Z.eq_dec k place) as [->|]; auto. apply all. lia.
      * apply all. lia.
    + split; [discriminate|]. intros all. rewrite <- now. apply all. lia.
Qed.

Lemma loop_is : forall count good, loop count good = true <-> forall k, 0 <= k < count -> good k = true.
Proof.
  intros count good. unfold loop. rewrite loop_from_is. split; intros all k inside; apply all; lia.
Qed.

(* The text of src/everafter/certificates/deciding.py *)

Definition accept_start (count : Z) (found forbidden : array) (size : Z) : bool :=
  loop count (fun place =>
    if (found place <? 0) || (found place >=? size) || negb (forbidden place =? 0) then false
    else true).

Definition accept_edges (state count : Z) (found forbidden rank : array) (size : Z) : bool :=
  loop count (fun edge =>
    let target := found edge in
    if (target <? 0) || (target >=? size) then false
    else if rank target >? rank state then false
    else if (rank target =? rank state) && negb (forbidden edge =? 0) then false
    else true).

(* The answer, and the marks behind it. *)
Definition decide_state (state count : Z) (found forbidden rank : array) (size : Z) (marks : array) (mark : Z)
    : bool * array :=
  if negb (accept_edges state count found forbidden rank size) then (false, marks)
  else (true, updated marks state mark).

Definition all_decided (count : Z) (numbers marks : array) (least : Z) : bool :=
  loop count (fun place => if marks (numbers place) <? least then false else true).

(* Its contracts *)

(* Proof of everafter.certificates.deciding.accept_start *)
Theorem accept_start_contract : forall count found forbidden size,
  accept_start count found forbidden size = true <->
  forall k, 0 <= k < count -> 0 <= found k < size /\ forbidden k = 0.
Proof.
  intros count found forbidden size. unfold accept_start. rewrite loop_is.
  split; intros all k inside; specialize (all k inside);
    destruct (Z.ltb_spec (found k) 0), (Z.geb_spec (found k) size), (Z.eqb_spec (forbidden k) 0);
    simpl in *; try discriminate; try lia; auto.
Qed.

Definition edges_explained (state count : Z) (found forbidden rank : array) (size : Z) : Prop :=
  forall k, 0 <= k < count ->
    0 <= found k < size /\
    rank (found k) <= rank state /\
    (rank (found k) = rank state -> forbidden k = 0).

(* Proof of everafter.certificates.deciding.accept_edges *)
Theorem accept_edges_contract : forall state count found forbidden rank size,
  accept_edges state count found forbidden rank size = true <->
  edges_explained state count found forbidden rank size.
Proof.
  intros state count found forbidden rank size. unfold accept_edges, edges_explained. rewrite loop_is.
  split; intros all k inside; specialize (all k inside); cbv zeta in *;
    destruct (Z.ltb_spec (found k) 0), (Z.geb_spec (found k) size),
      (Z.gtb_spec (rank (found k)) (rank state)), (Z.eqb_spec (rank (found k)) (rank state)),
      (Z.eqb_spec (forbidden k) 0);
    simpl in *; try discriminate; try lia; auto.
Qed.

(* Proof of everafter.certificates.deciding.decide_state *)
Theorem decide_state_contract : forall state count found forbidden rank size marks mark,
  let (answer, marked) := decide_state state count found forbidden rank size marks mark in
  (answer = true <-> edges_explained state count found forbidden rank size) /\
  (answer = true -> marked state = mark) /\
  (answer = false -> marked state = marks state) /\
  forall k, k <> state -> marked k = marks k.
Proof.
  intros. unfold decide_state. pose proof (accept_edges_contract state count found forbidden rank size) as contract.
  destruct (accept_edges state count found forbidden rank size); cbn [negb]; unfold updated.
  - rewrite Z.eqb_refl. split; [exact contract|]. repeat split; auto; try discriminate.
    intros k other. destruct (Z.eqb_spec k state); [contradiction | reflexivity].
  - split; [exact contract|]. repeat split; auto; discriminate.
Qed.

(* Proof of everafter.certificates.deciding.all_decided *)
Theorem all_decided_contract : forall count numbers marks least,
  all_decided count numbers marks least = true <-> forall k, 0 <= k < count -> marks (numbers k) >= least.
Proof.
  intros count numbers marks least. unfold all_decided. rewrite loop_is.
  split; intros all k inside; specialize (all k inside); destruct (Z.ltb_spec (marks (numbers k)) least);
    simpl in *; try discriminate; try lia; auto.
Qed.

(* A checker at work *)

Section Checked.
Variables (rank : array) (size least : Z).

(* The marks that are not below the least show that a state is decided. What happens to the marks: a state is decided,
   or somebody writes another mark. *)
Inductive event :=
| Decides (state count : Z) (found forbidden : array) (mark : Z)
| Marks (state mark : Z).

Definition after (marks : array) (happens : event) : array :=
  match happens with
  | Decides state count found forbidden mark => snd (decide_state state count found forbidden rank size marks mark)
  | Marks state mark => updated marks state mark
  end.

(* The graph; edges have tags, as for example the process that moves. *)
Variables (node tag : Type).
Variable initial : list node.
Variable edges : node -> list (tag * node).
Variable forbids : Z -> node -> tag -> node -> Prop.
Variable is_violation : node -> Prop.
(* The certificate lists the node under this number. *)
Variable is_row : Z -> node -> Prop.

Definition is_found (place : Z) (a : node) := 0 <= place < size -> is_row place a.

Definition start_is_right (count : Z) (found forbidden : array) :=
  count = Z.of_nat (length initial) /\
  forall k a, nth_error initial k = Some a ->
    is_found (found (Z.of_nat k)) a /\ (is_violation a -> forbidden (Z.of_nat k) <> 0).

Definition is_right (happens : event) :=
  match happens with
  | Decides state count found forbidden _ => forall a, is_row state a ->
      count = Z.of_nat (length (edges a)) /\
      forall k t b, nth_error (edges a) k = Some (t, b) ->
        is_found (found (Z.of_nat k)) b /\ (forbids (rank state) a t b -> forbidden (Z.of_nat k) <> 0)
  | Marks _ mark => mark < least
  end.

Record accepted : Prop := {
  start_is_accepted : exists count found forbidden,
    start_is_right count found forbidden /\ accept_start count found forbidden size = true;
  rows_are_decided : exists history marks,
    (forall happens, In happens history -> is_right happens) /\
    (forall state, marks state < least) /\
    forall state a, is_row state a -> exists count numbers k, 0 <= k < count /\ numbers k = state /\
      all_decided count numbers (fold_left after history marks) least = true
}.

Lemma decided_was_accepted : forall state history marks,
  (forall s mark, In (Marks s mark) history -> mark < least) -> marks state < least ->
  fold_left after history marks state >= least ->
  exists count found forbidden mark, In (Decides state count found forbidden mark) history /\
    edges_explained state count found forbidden rank size.
Proof.
  intros state. induction history as [|happens history IH]; simpl; intros marks others before behind;
    [lia|].
  destruct (Z_lt_ge_dec (after marks happens state) least) as [later|now].
  - destruct (IH (after marks happens)) as (count & found & forbidden & mark & inside & explained); eauto.
    exists count, found, forbidden, mark. auto.
  - destruct happens as [s count found forbidden mark|s mark].
    + pose proof (decide_state_contract s count found forbidden rank size marks mark) as contract. simpl in now.
      destruct (decide_state s count found forbidden rank size marks mark) as [answer marked]. simpl in now.
      destruct contract as (accepts & _ & unmarked & elsewhere).
      destruct (Z.eq_dec state s) as [->|other]; [|rewrite (elsewhere state other) in now; lia].
      exists count, found, forbidden, mark. split; auto. apply accepts.
      destruct answer; auto. rewrite unmarked in now by auto. lia.
    + exfalso. simpl in now. unfold updated in now. destruct (state =? s); [|lia].
      specialize (others s mark (or_introl eq_refl)). lia.
Qed.

(* A listed state has a number below the size. *)
Definition stands_for (state : Z) (a : node) := 0 <= state < size /\ is_row state a.

Lemma start_stands : accepted -> forall a, In a initial -> ~ is_violation a /\ exists state, stands_for state a.
Proof.
  intros [(count & found & forbidden & [counted right] & answer) _] a inside.
  destruct (In_nth_error _ _ inside) as (k & at_k). destruct (right k a at_k) as [is_there is_allowed].
  assert (below : (k < length initial)%nat) by (apply nth_error_Some; congruence).
  pose proof (proj1 (accept_start_contract _ _ _ _) answer (Z.of_nat k) ltac:(lia)) as [range allowed].
  split; [intros violates; apply is_allowed; auto|]. exists (found (Z.of_nat k)). split; auto.
Qed.

Lemma edge_stands : accepted -> forall state a t b, stands_for state a -> In (t, b) (edges a) ->
  exists next, stands_for next b /\ rank next <= rank state /\
    (rank next = rank state -> ~ forbids (rank state) a t b).
Proof.
  intros [_ (history & marks & right & unmarked & all)] state a t b [range is_here] inside.
  destruct (all state a is_here) as (total & numbers & place & in_total & <- & answer).
  pose proof (proj1 (all_decided_contract _ _ _ _) answer place in_total) as decided.
  destruct (decided_was_accepted (numbers place) history marks)
    as (count & found & forbidden & mark & happened & explained); auto.
  { intros s other happened. exact (right _ happened). }
  destruct (right _ happened a is_here) as [counted faithful].
  destruct (In_nth_error _ _ inside) as (k & at_k). destruct (faithful k t b at_k) as [is_there is_allowed].
  assert (below : (k < length (edges a))%nat) by (apply nth_error_Some; congruence).
  destruct (explained (Z.of_nat k) ltac:(lia)) as (listed & falls & stays).
  exists (found (Z.of_nat k)). repeat split; auto; try lia.
  intros same forbids_it. apply is_allowed; auto.
Qed.

Lemma ranks_have_a_lowest : exists low, forall state, 0 <= state < size -> low <= rank state.
Proof.
  assert (below : forall n, exists low, forall state, 0 <= state < Z.of_nat n -> low <= rank state).
  { induction n as [|n [low is_low]]; [exists 0; intros; lia|]. exists (Z.min low (rank (Z.of_nat n))).
    intros state range. destruct (Z.eq_dec state (Z.of_nat n)) as [->|]; [lia|].
    specialize (is_low state ltac:(lia)). lia. }
  destruct (below (Z.to_nat size)) as (low & is_low). exists low. intros state range. apply is_low. lia.
Qed.

(* A run from an initial state; `takes i t` says that it may be an edge with this tag that it takes at i. *)
Definition is_run (r : nat -> node) (takes : nat -> tag -> Prop) :=
  In (r O) initial /\ forall i, exists t, takes i t /\ In (t, r (S i)) (edges (r i)).

Theorem accepted_ranks_settle : accepted -> forall r takes, is_run r takes ->
  ~ (forall value i, exists j, (i <= j)%nat /\ forall t, takes j t -> forbids value (r j) t (r (S j))).
Proof.
  intros holds r takes [begins steps] often. destruct ranks_have_a_lowest as (low & is_low).
  assert (onward : forall d i state, stands_for state (r i) ->
    exists later, stands_for later (r (d + i)%nat) /\ rank later <= rank state).
  { induction d as [|d IH]; intros i state here; simpl; [exists state; split; [auto | lia]|].
    destruct (IH i state here) as (later & there & below). destruct (steps (d + i)%nat) as (t & _ & step).
    destruct (edge_stands holds later _ t _ there step) as (next & behind & falls & _).
    exists next. split; [auto | lia]. }
  assert (ends : forall n i state, stands_for state (r i) -> rank state - low < Z.of_nat n -> False).
  { induction n as [|n IH]; intros i state here less; [destruct here as [range _]; specialize (is_low _ range); lia|].
    destruct (often (rank state) i) as (j & le & forbidden).
    destruct (onward (j - i)%nat i state here) as (later & there & below).
    replace (j - i + i)%nat with j in there by lia. destruct (steps j) as (t & taken & step).
    destruct (edge_stands holds later _ t _ there step) as (next & behind & falls & allowed).
    apply (IH (S j) next behind).
    destruct (Z.eq_dec (rank later) (rank state)) as [same|]; [|lia].
    assert (rank next <> rank later) by (intros stays; apply (allowed stays); rewrite same; auto). lia. }
  destruct (start_stands holds _ begins) as (_ & state & here).
  apply (ends (S (Z.to_nat (rank state - low))) O state here). lia.
Qed.

Inductive reachable : node -> Prop :=
| starts : forall a, In a initial -> reachable a
| goes_on : forall a t b, reachable a -> In (t, b) (edges a) -> reachable b.

Lemma reachable_stands : accepted -> forall a, reachable a -> exists state, stands_for state a.
Proof.
  intros holds a reached. induction reached as [a begins|a t b _ (state & here) step].
  - apply (start_stands holds a begins).
  - destruct (edge_stands holds state a t b here step) as (next & there & _). eauto.
Qed.
End Checked.

Section Shown.
Variables (rank : array) (size least : Z) (node tag : Type).
Variables (initial : list node) (edges : node -> list (tag * node)) (is_row : Z -> node -> Prop).

(* A rank forbids the edges that leave accepting states. *)
(* Proof of everafter.certificates.deciding.all_decided *)
Theorem decided_excludes_accepting_runs : forall accepting : node -> Prop,
  accepted rank size least node tag initial edges (fun _ a _ _ => accepting a) (fun _ => False) is_row ->
  forall r, is_run node tag initial edges r (fun _ _ => True) ->
  ~ forall i, exists j, (i <= j)%nat /\ accepting (r j).
Proof.
  intros accepting holds r runs often. apply (accepted_ranks_settle _ _ _ _ _ _ _ _ _ _ holds r _ runs).
  intros _ i. destruct (often i) as (j & le & accepts). eauto.
Qed.

(* A rank names one of the acceptance sets, and forbids its edges. *)
(* Proof of everafter.certificates.deciding.all_decided *)
Theorem decided_excludes_fair_runs : forall (sets : Z) (in_set : Z -> node -> tag -> node -> Prop), 0 < sets ->
  accepted rank size least node tag initial edges (fun value => in_set (value mod sets)) (fun _ => False) is_row ->
  forall r taken, is_run node tag initial edges r (fun i t => t = taken i) ->
  ~ forall set, 0 <= set < sets -> forall i, exists j, (i <= j)%nat /\ in_set set (r j) (taken j) (r (S j)).
Proof.
  intros sets in_set some holds r taken runs often. apply (accepted_ranks_settle _ _ _ _ _ _ _ _ _ _ holds r _ runs).
  intros value i. destruct (often (value mod sets) (Z.mod_pos_bound _ _ some) i) as (j & le & inside).
  exists j. split; auto. intros t ->. exact inside.
Qed.

(* All ranks are the same, and edges into violations are forbidden. *)
(* Proof of everafter.certificates.deciding.all_decided *)
Theorem decided_excludes_violations : forall (violation : node -> Prop) (value : Z),
  (forall state, 0 <= state < size -> rank state = value) ->
  accepted rank size least node tag initial edges (fun _ _ _ b => violation b) violation is_row ->
  forall a, reachable node tag initial edges a -> ~ violation a.
Proof.
  intros violation value equal holds a reached. destruct reached as [a begins|a t b before step].
  - apply (start_stands _ _ _ _ _ _ _ _ _ _ holds a begins).
  - destruct (reachable_stands _ _ _ _ _ _ _ _ _ _ holds a before) as (state & here).
    destruct (edge_stands _ _ _ _ _ _ _ _ _ _ holds state a t b here step) as (next & [range _] & _ & allowed).
    apply allowed. destruct here as [listed _]. rewrite !equal by auto. reflexivity.
Qed.
End Shown.
