(* Operations of two processes on one channel, and when they do not get into each other's way.

   A channel holds messages in order. To send puts one at the end; to receive takes one from the front, or from
   anywhere (the first that is wanted), and either removes it or only copies it. Sending to a full channel blocks, or
   the message is lost, as the model says. Two operations on the same channel depend on each other, except in the
   cases that `excepted` lists; this is `_exception` of src/everafter/reduction/dependence.py. Proved of an excepted
   pair, in any state of the channel: both orders lead to the same messages and the same values received; if mine is
   blocked it stays so; and what is excepted stays excepted whatever the others do meanwhile. That is the condition
   independent of reduction/conditions.v, as far as channels go: it asks for commuting only in the states that are
   met. *)
(* Proves: excepted_commute, excepted_leave_blocked, excepted_persist, lost_messages_do_not_commute *)
(* Assumes: nothing *)
From Coq Require Import Arith Lia List Bool.
Import ListNotations.

Section Channels.
Variable message : Type.

(* A send knows how many messages the channel holds, and whether those beyond are lost. *)
Inductive operation :=
| Send (capacity : nat) (loses : bool) (m : message)
| Receive (anywhere removes : bool) (wanted : message -> bool).

(* What the text tells of an operation, whatever the message. *)
Inductive kind := Sends (loses : bool) | Receives (removes : bool).
Definition kind_of (o : operation) : kind :=
  match o with Send _ loses _ => Sends loses | Receive _ removes _ => Receives removes end.

(* The first message that is wanted, with those before and behind it. *)
Fixpoint first_wanted (wanted : message -> bool) (q : list message) : option (list message * message * list message) :=
  match q with
  | [] => None
  | x :: others =>
      if wanted x then Some ([], x, others)
      else match first_wanted wanted others with
           | Some (before, y, behind) => Some (x :: before, y, behind)
           | None => None
           end
  end.

Definition found (anywhere : bool) (wanted : message -> bool) (q : list message) :=
  if anywhere then first_wanted wanted q
  else match q with x :: others => if wanted x then Some ([], x, others) else None | [] => None end.

(* What is in the channel afterwards, and what is received; nothing if the operation is blocked. *)
Definition perform (o : operation) (q : list message) : option (list message * option message) :=
  match o with
  | Send capacity loses m =>
      if length q <? capacity then Some (q ++ [m], None) else if loses then Some (q, None) else None
  | Receive anywhere removes wanted =>
      match found anywhere wanted q with
      | Some (before, x, behind) => Some (if removes then before ++ behind else q, Some x)
      | None => None
      end
  end.

Definition excepted (mine : operation) (theirs : kind) (q : list message) : bool :=
  match mine, theirs with
  | Send capacity _ _, Receives _ => length q <? capacity
  | Receive anywhere removes wanted, Sends loses =>
      if loses && removes then false
      else if anywhere then match first_wanted wanted q with Some _ => true | None => false end
      else negb (length q =? 0)
  | Receive _ removes _, Receives removes' => negb removes && negb removes'
  | Send _ _ _, Sends _ => false
  end.

(* Operations that do the same, whichever functions say what is wanted. *)
Definition alike (o o' : operation) : Prop :=
  match o, o' with
  | Send capacity loses m, Send capacity' loses' m' => capacity = capacity' /\ loses = loses' /\ m = m'
  | Receive anywhere removes wanted, Receive anywhere' removes' wanted' =>
      anywhere = anywhere' /\ removes = removes' /\ forall x, wanted x = wanted' x
  | _, _ => False
  end.

Lemma first_wanted_alike : forall wanted wanted' q, (forall x, wanted x = wanted' x) ->
  first_wanted wanted q = first_wanted wanted' q.
Proof. intros wanted wanted' q same. induction q as [|x others IH]; simpl; auto. rewrite same, IH. reflexivity. Qed.

Lemma perform_alike : forall o o' q, alike o o' -> perform o q = perform o' q.
Proof.
  intros [c l m|a r wanted] [c' l' m'|a' r' wanted'] q same; simpl in same; try tauto.
  - destruct same as (-> & -> & ->). reflexivity.
  - destruct same as (-> & -> & same). simpl. unfold found. rewrite (first_wanted_alike wanted wanted' q same).
    destruct q; [reflexivity|]. rewrite same. reflexivity.
Qed.

Lemma excepted_alike : forall o o' theirs q, alike o o' -> excepted o theirs q = excepted o' theirs q.
Proof.
  intros [c l m|a r wanted] [c' l' m'|a' r' wanted'] theirs q same; simpl in same; try tauto.
  - destruct same as (-> & -> & ->). reflexivity.
  - destruct same as (-> & -> & same). simpl. rewrite (first_wanted_alike wanted wanted' q same). reflexivity.
Qed.

Lemma first_wanted_stays : forall wanted q m before x behind, first_wanted wanted q = Some (before, x, behind) ->
  first_wanted wanted (q ++ [m]) = Some (before, x, behind ++ [m]).
Proof.
  intros wanted q m. induction q as [|y others IH]; intros before x behind F; simpl in *; [discriminate|].
  destruct (wanted y); [injection F as <- <- <-; auto|].
  destruct (first_wanted wanted others) as [[[b z] c]|]; [|discriminate]. injection F as <- <- <-.
  rewrite (IH b z c eq_refl). reflexivity.
Qed.

Lemma found_stays : forall anywhere wanted q m before x behind, found anywhere wanted q = Some (before, x, behind) ->
  found anywhere wanted (q ++ [m]) = Some (before, x, behind ++ [m]).
Proof.
  intros [|] wanted q m before x behind F; [apply first_wanted_stays; auto|]. destruct q as [|y others]; simpl in *;
    [discriminate|]. destruct (wanted y); [|discriminate]. injection F as <- <- <-. reflexivity.
Qed.

Lemma first_wanted_parts : forall wanted q before x behind, first_wanted wanted q = Some (before, x, behind) ->
  q = before ++ x :: behind.
Proof.
  intros wanted q. induction q as [|y others IH]; intros before x behind F; simpl in F; [discriminate|].
  destruct (wanted y); [injection F as <- <- <-; auto|].
  destruct (first_wanted wanted others) as [[[b z] c]|]; [|discriminate]. injection F as <- <- <-.
  simpl. rewrite <- (IH b z c eq_refl). reflexivity.
Qed.

Lemma found_parts : forall anywhere wanted q before x behind, found anywhere wanted q = Some (before, x, behind) ->
  q = before ++ x :: behind.
Proof.
  intros [|] wanted q before x behind F; [eapply first_wanted_parts; eauto|]. destruct q as [|y others]; simpl in F;
    [discriminate|]. destruct (wanted y); [|discriminate]. injection F as <- <- <-. reflexivity.
Qed.

(* A message at the end does not change what is received, and receiving leaves room for it. *)
Lemma send_and_receive : forall capacity loses m anywhere removes wanted q after got, length q < capacity ->
  perform (Receive anywhere removes wanted) q = Some (after, got) ->
  perform (Receive anywhere removes wanted) (q ++ [m]) = Some (after ++ [m], got) /\
  perform (Send capacity loses m) after = Some (after ++ [m], None) /\ length after < capacity.
Proof.
  intros capacity loses m anywhere removes wanted q after got room R. simpl in *.
  destruct (found anywhere wanted q) as [[[before x] behind]|] eqn:F; [|discriminate]. injection R as <- <-.
  rewrite (found_stays _ _ _ m _ _ _ F). pose proof (found_parts _ _ _ _ _ _ F) as E.
  assert (less : length (if removes then before ++ behind else q) < capacity).
  { destruct removes; auto. rewrite E, app_length in room. simpl in room. rewrite app_length. lia. }
  split; [destruct removes; [rewrite app_assoc|]; reflexivity|]. split; auto.
  destruct (Nat.ltb_spec (length (if removes then before ++ behind else q)) capacity); [auto | lia].
Qed.

Lemma copy_and_send : forall capacity loses m anywhere wanted q got,
  perform (Receive anywhere false wanted) q = Some (q, got) ->
  forall after, perform (Send capacity loses m) q = Some (after, None) ->
  perform (Receive anywhere false wanted) after = Some (after, got).
Proof.
  intros capacity loses m anywhere wanted q got R after S. simpl in *. destruct (length q <? capacity).
  - injection S as <-. destruct (found anywhere wanted q) as [[[before x] behind]|] eqn:F; [|discriminate].
    rewrite (found_stays _ _ _ m _ _ _ F). injection R as <-. reflexivity.
  - destruct loses; [|discriminate]. injection S as <-. exact R.
Qed.

(* Proof of everafter.reduction.dependence._exception *)
Theorem excepted_commute : forall mine theirs q after_mine after_theirs got given,
  excepted mine (kind_of theirs) q = true -> perform mine q = Some (after_mine, got) ->
  perform theirs q = Some (after_theirs, given) -> exists both,
  perform theirs after_mine = Some (both, given) /\ perform mine after_theirs = Some (both, got).
Proof.
  intros [c l m|a r wanted] [c' l' m'|a' r' wanted'] q after_mine after_theirs got given X M T;
    cbn [excepted kind_of] in X; try discriminate.
  - apply Nat.ltb_lt in X. destruct (send_and_receive c l m a' r' wanted' q after_theirs given X T) as (R & S & _).
    exists (after_theirs ++ [m]). simpl in M. destruct (Nat.ltb_spec (length q) c); [|lia].
    injection M as <- <-. auto.
  - destruct r.
    + rewrite andb_true_r in X. destruct l' eqn:L; [discriminate|].
      assert (room : length q < c') by (simpl in T; destruct (Nat.ltb_spec (length q) c'); [auto | discriminate]).
      destruct (send_and_receive c' false m' a true wanted q after_mine got room M) as (R & S & _).
      exists (after_mine ++ [m']). simpl in T. destruct (Nat.ltb_spec (length q) c'); [|lia].
      injection T as <- <-. auto.
    + assert (same : after_mine = q).
      { simpl in M. destruct (found a wanted q) as [[[b x] d]|]; [|discriminate]. injection M as <- _. reflexivity. }
      subst after_mine. assert (given = None) as ->.
      { simpl in T. destruct (length q <? c'); [injection T as _ <-; auto|].
        destruct l'; [injection T as _ <-; auto | discriminate]. }
      exists after_theirs. split; auto. eapply copy_and_send; eauto.
  - destruct r, r'; try discriminate. exists q. simpl in *.
    destruct (found a wanted q) as [[[b x] d]|] eqn:F; [|discriminate].
    destruct (found a' wanted' q) as [[[b' x'] d']|] eqn:F'; [|discriminate].
    injection M as <- <-. injection T as <- <-. rewrite F, F'. auto.
Qed.

Theorem excepted_leave_blocked : forall mine theirs q after_theirs given,
  excepted mine (kind_of theirs) q = true -> perform mine q = None -> perform theirs q = Some (after_theirs, given) ->
  perform mine after_theirs = None.
Proof.
  intros [c l m|a r wanted] [c' l' m'|a' r' wanted'] q after_theirs given X M T;
    cbn [excepted kind_of] in X; try discriminate.
  - simpl in M. rewrite X in M. discriminate.
  - destruct (l' && r); [discriminate|]. destruct a.
    + simpl in M. destruct (first_wanted wanted q) as [[[b x] d]|]; discriminate.
    + destruct q as [|y others]; [discriminate|]. simpl in M. destruct (wanted y) eqn:W; [discriminate|].
      simpl in T. assert (E : exists more, after_theirs = y :: more).
      { destruct (S (length others) <? c'); [injection T as <- _; simpl; eauto|].
        destruct l'; [injection T as <- _; eauto | discriminate]. }
      destruct E as (more & ->). simpl. rewrite W. reflexivity.
  - destruct r, r'; try discriminate. assert (after_theirs = q) as ->; [|exact M].
    simpl in T. destruct (found a' wanted' q) as [[[b x] d]|]; [|discriminate]. injection T as <- _. reflexivity.
Qed.

(* While mine waits, the others do excepted operations; another of them is then excepted still. *)
Theorem excepted_persist : forall mine theirs next q after given,
  excepted mine (kind_of theirs) q = true -> excepted mine next q = true -> perform theirs q = Some (after, given) ->
  excepted mine next after = true.
Proof.
  intros [c l m|a r wanted] [c' l' m'|a' r' wanted'] [l''|r''] q after given X Y T;
    cbn [excepted kind_of] in X, Y |- *; try discriminate; try exact Y.
  - apply Nat.ltb_lt in X. apply Nat.ltb_lt. apply (send_and_receive c l m a' r' wanted' q after given X T).
  - destruct (l'' && r); [discriminate|].
    assert (E : after = q ++ [m'] \/ after = q).
    { simpl in T. destruct (length q <? c'); [injection T as <- _; auto|].
      destruct l'; [injection T as <- _; auto | discriminate]. }
    destruct E as [->| ->]; [|exact Y]. destruct a; [|rewrite app_length; simpl; rewrite Nat.add_comm; reflexivity].
    destruct (first_wanted wanted q) as [[[b x] d]|] eqn:F; [|discriminate].
    rewrite (first_wanted_stays _ _ m' _ _ _ F). reflexivity.
  - destruct r, r'; try discriminate. assert (after = q) as ->; [|exact Y].
    simpl in T. destruct (found a' wanted' q) as [[[b x] d]|]; [|discriminate]. injection T as <- _. reflexivity.
Qed.
End Channels.

Arguments Send {message} capacity loses m.
Arguments Receive {message} anywhere removes wanted.
Arguments kind_of {message} o.
Arguments perform {message} o q.
Arguments excepted {message} mine theirs q.
Arguments alike {message} o o'.

(* Where messages are lost, to receive before or after a send makes a difference: the exception is rightly not made. *)
Theorem lost_messages_do_not_commute :
  let take := Receive false true (fun _ : nat => true) in
  let put := Send 1 true 2 in
  perform take [1] = Some ([], Some 1) /\ perform put [] = Some ([2], None) /\
  perform put [1] = Some ([1], None) /\ perform take [1] = Some ([], Some 1).
Proof. repeat split. Qed.
