(* Steps that several processes take together, and processes that come and go.

   reduction/ample.v has a fixed number of processes, each of which moves by itself. In a rendezvous two move at once; a
   process may start another, and end. Here nothing is said of what a state is: an action has an owner, who offers it,
   and parties, who move in it, and the owner is one of them. The future of a process are the actions in which it may
   still take part, or one that it starts, or that one starts, and so on; what could be done are the actions that are
   offered at the places where their parties are, whether they are enabled or not. Two actions without a common party
   that do not conflict commute, and neither lets nor hinders the other.

   The actions that process p owns suffice in a state if there is a set of processes that stay where they are, p and
   inert ones, such that p can move, no other of them can, nothing in the future of anybody outside has a party among
   them, and none of it conflicts with what they could do among themselves. Then the conditions of
   reduction/conditions.v hold, if nothing taken alone is visible and nothing is put off for ever. So a rendezvous may
   be taken alone only if all who may still meet on its channel stay where they are: these are conditions 4 and 5 of
   src/everafter/reduction/ample.py, with partners and with processes that are started. *)
(* Proves: parties_satisfy_conditions *)
(* Assumes: classic (is everything taken?) *)
From Coq Require Import Arith Lia List Bool Classical Wf_nat.
From everafter.reduction Require Import conditions.
Import ListNotations.

Section Parties.
Variables state action letter : Type.
Variable enabled : state -> action -> Prop.
Variable execute : state -> action -> state.
Variable label : state -> letter.
Variable alive : state -> nat -> Prop.
Variable owner : action -> nat.
Variable parties : action -> list nat.
Variable future : state -> nat -> action -> Prop.
Variable could : state -> action -> Prop.
Variable conflict : action -> action -> Prop.

(* What is asked of the steps of a language. *)
Record lawful : Prop := {
  owner_moves : forall a, In (owner a) (parties a);
  parties_live : forall s a q, enabled s a -> In q (parties a) -> alive s q;
  future_has : forall s a q, enabled s a -> In q (parties a) -> future s q a;
  future_shrinks : forall s a q b, enabled s a -> alive (execute s a) q -> future (execute s a) q b ->
    (alive s q /\ future s q b) \/ exists r, In r (parties a) /\ future s r b;
  could_has : forall s a, enabled s a -> could s a;
  could_stays : forall s a b, enabled s b -> (forall q, In q (parties a) -> ~ In q (parties b)) ->
    (could (execute s b) a <-> could s a);
  apart_commute : forall s a b, enabled s b -> ~ conflict a b ->
    (forall q, In q (parties a) -> ~ In q (parties b)) ->
    (enabled (execute s b) a <-> enabled s a) /\
    (enabled s a -> enabled (execute s a) b /\ execute (execute s a) b = execute (execute s b) a) }.

Definition outside (s : state) (still : list nat) (a : action) := exists q, alive s q /\ ~ In q still /\ future s q a.
Definition among (still : list nat) (a : action) := forall q, In q (parties a) -> In q still.

Record suffices (s : state) (p : nat) (still : list nat) : Prop := {
  mine_stays : In p still;
  mine_moves : exists a, enabled s a /\ owner a = p;
  others_rest : forall a, enabled s a -> In (owner a) still -> owner a = p;
  nobody_comes : forall a q, outside s still a -> In q (parties a) -> ~ In q still;
  nothing_conflicts : forall a b, outside s still a -> In (owner b) still -> among still b -> could s b ->
    ~ conflict b a }.

Hypothesis L : lawful.

(* While the actions of p are put off. *)
Record waiting (s t : state) (still : list nat) : Prop := {
  future_stays : forall a, outside t still a -> outside s still a;
  could_before : forall b, among still b -> (could t b <-> could s b);
  as_before : forall b, In (owner b) still -> among still b -> could s b -> (enabled t b <-> enabled s b) }.

Lemma taken_are_among : forall s p still b, suffices s p still -> enabled s b -> In (owner b) still -> among still b.
Proof.
  intros s p still b S E mine q Q. apply NNPP. intros away.
  apply (nobody_comes s p still S b (owner b)); auto; [|apply (owner_moves L)].
  exists q. split; [apply (parties_live L s b); auto|]. split; auto. apply (future_has L); auto.
Qed.

Lemma others_act : forall s t p still a, suffices s p still -> waiting s t still -> ~ (enabled s a /\ owner a = p) ->
  enabled t a -> outside s still a.
Proof.
  intros s t p still a S W avoided E. destruct (classic (In (owner a) still)) as [mine|away].
  - exfalso. destruct (classic (among still a)) as [inside|no].
    + apply (as_before s t still W a mine inside) in E;
        [|apply (could_before s t still W a inside), (could_has L), E]. apply avoided. split; auto.
      apply (others_rest s p still S a E mine).
    + apply not_all_ex_not in no as (q & no). apply imply_to_and in no as [Q away].
      assert (out : outside s still a).
      { apply (future_stays s t still W). exists q. split; [apply (parties_live L t a); auto|]. split; auto.
        apply (future_has L); auto. }
      apply (nobody_comes s p still S a (owner a) out); auto. apply (owner_moves L).
  - apply (future_stays s t still W). exists (owner a). pose proof (owner_moves L a).
    split; [apply (parties_live L t a); auto|]. split; auto. apply (future_has L); auto.
Qed.

Lemma still_waiting : forall s t p still a, suffices s p still -> waiting s t still -> outside s still a ->
  enabled t a -> waiting s (execute t a) still.
Proof.
  intros s t p still a S W out E. split.
  - intros b (q & lives & away & may). apply (future_stays s t still W).
    destruct (future_shrinks L t a q b E lives may) as [[lived might]|(r & party & might)].
    + exists q. auto.
    + exists r. split; [apply (parties_live L t a); auto|]. split; auto. apply (nobody_comes s p still S a r out party).
  - intros b inside. rewrite <- (could_before s t still W b inside). apply (could_stays L t b a E).
    intros q Q A. apply (nobody_comes s p still S a q out A). apply inside, Q.
  - intros b mine inside can. rewrite <- (as_before s t still W b mine inside can).
    apply (apart_commute L t b a E).
    + apply (nothing_conflicts s p still S a b out mine inside can).
    + intros q Q A. apply (nobody_comes s p still S a q out A). apply inside, Q.
Qed.

(* The reduction: in some states the actions of one process, with a set of those who stay, else everything. *)
Variable chosen : state -> option (nat * list nat).
Hypothesis chosen_suffices : forall s p still, chosen s = Some (p, still) -> suffices s p still.
Definition taken (s : state) (a : action) : Prop :=
  match chosen s with Some (p, _) => enabled s a /\ owner a = p | None => enabled s a end.
Hypothesis taken_are_invisible : forall s p still a t, chosen s = Some (p, still) -> taken s a -> enabled t a ->
  label (execute t a) = label t.

Lemma leaving_out : forall s, ~ everything_taken state action enabled taken s ->
  exists p still, chosen s = Some (p, still) /\ suffices s p still /\
    forall a, taken s a <-> enabled s a /\ owner a = p.
Proof.
  intros s NE. unfold everything_taken, taken in *. destruct (chosen s) as [[p still]|] eqn:E; [|exfalso; auto].
  exists p, still. split; auto. split; [apply chosen_suffices; auto | tauto].
Qed.

Lemma waits_along : forall s p still w k, suffices s p still -> (forall a, taken s a <-> enabled s a /\ owner a = p) ->
  possible_until state action enabled execute s w k -> (forall i, i < k -> ~ taken s (w i)) ->
  waiting s (after state action execute s w k) still.
Proof.
  intros s p still w k S T. induction k as [|k IH]; intros possible avoided; simpl.
  - split; [auto | intros b _; tauto | intros b _ _ _; tauto].
  - assert (W : waiting s (after state action execute s w k) still).
    { apply IH; intros i less; [apply possible | apply avoided]; lia. }
    assert (E : enabled (after state action execute s w k) (w k)) by (apply possible; lia).
    apply (still_waiting s _ p still); auto. apply (others_act s (after state action execute s w k) p still); auto.
    intros yes. apply (avoided k ltac:(lia)), T, yes.
Qed.

(* Proof of everafter.reduction.ample._Asked.depends_on_inert_only *)
Theorem parties_satisfy_conditions : forall initial,
  wellfounded_holds state action initial enabled execute taken ->
  conditions state action letter initial enabled execute label taken.
Proof.
  intros initial ends. split; [| | | |exact ends].
  - intros s a _ T. unfold taken in T. destruct (chosen s) as [[p still]|]; tauto.
  - intros s a _ E. unfold taken. destruct (chosen s) as [[p still]|] eqn:N; [|eauto].
    destruct (mine_moves s p still (chosen_suffices s p still N)) as (b & B & mine). exists b. auto.
  - intros s w k b _ NE B [possible avoided]. destruct (leaving_out s NE) as (p & still & N & S & T).
    assert (W : waiting s (after state action execute s w k) still).
    { apply (waits_along s p still w k S T); intros i less; [apply possible | apply avoided]; lia. }
    assert (E : enabled (after state action execute s w k) (w k)) by (apply possible; lia).
    apply T in B as [B mine]. assert (in_still : In (owner b) still) by (rewrite mine; apply (mine_stays s p still S)).
    pose proof (taken_are_among s p still b S B in_still) as inside.
    assert (out : outside s still (w k)).
    { apply (others_act s (after state action execute s w k) p still); auto. intros yes.
      apply (avoided k ltac:(lia)), T, yes. }
    intros _ now. destruct (apart_commute L (after state action execute s w k) b (w k) E) as [same both].
    { apply (nothing_conflicts s p still S (w k) b out in_still inside), (could_has L), B. }
    { intros q Q A. apply (nobody_comes s p still S (w k) q out A). apply inside, Q. }
    destruct (both now) as [still_there equal]. split; [apply same, now|]. auto.
  - intros s w k b _ NE B _ E. destruct (leaving_out s NE) as (p & still & N & _). eapply taken_are_invisible; eauto.
Qed.
End Parties.
