(* In every state that a run comes to, each variable has its cells: as many global ones as the program says, and of each
   process as many as its proctype says. So what is well typed goes wrong only by what the language says (evaluation.v). *)
(* Proves: reachable_states_are_typed, typed_expressions_go_wrong_by_language *)
(* Assumes: nothing *)
From Coq Require Import Arith ZArith List Bool FMapPositive Lia.
From everafter.semantics Require Import values program states expressions statements system certified evaluation.
Import ListNotations.
Local Open Scope Z_scope.

Section Typed.
Variable p : program.

Definition is_typed_process (q : process) : Prop :=
  exists t, nth_error (proctypes p) (kind q) = Some t /\ length (locals q) = cells t.
Definition is_typed (s : state) : Prop :=
  length (globals s) = global_cells p /\ Forall is_typed_process (processes s).

(* A step in the making keeps them. *)
Lemma update_length : forall A (l : list A) n x, length (update l n x) = length l.
Proof. induction l as [|a l IH]; intros [|n] x; simpl; auto. Qed.
Lemma update_all : forall A (P : A -> Prop) l n x, Forall P l -> P x -> Forall P (update l n x).
Proof. intros A P. induction l as [|a l IH]; intros [|n] x all this; simpl; inversion all; subst; auto. Qed.

Lemma change_keeps : forall d n f, is_typed (now d) ->
  (forall q, is_typed_process q -> is_typed_process (f q)) -> is_typed (now (change_process d n f)).
Proof.
  intros d n f [global_ all] keeps. unfold change_process. destruct (nth_error (processes (now d)) n) as [q|] eqn:Q.
  - split; simpl; [exact global_|]. apply update_all; [exact all|]. apply keeps. rewrite Forall_forall in all.
    apply all, nth_error_In with n, Q.
  - split; assumption.
Qed.
Lemma move_keeps : forall d n to, is_typed (now d) -> is_typed (now (move d n to)).
Proof. intros. apply change_keeps; auto. Qed.
Lemma priority_keeps : forall d n v, is_typed (now d) -> is_typed (now (give_priority d n v)).
Proof. intros. apply change_keeps; auto. Qed.
Lemma write_keeps : forall d w me n v, is_typed (now d) -> is_typed (now (write d w me n v)).
Proof.
  intros d [|] me n v T; simpl.
  - destruct T. split; simpl; [rewrite update_length|]; assumption.
  - apply change_keeps; [exact T|]. intros q (t & is_ & has). exists t. simpl. rewrite update_length. auto.
Qed.
Lemma assign_keeps : forall d on me t v d', assign p d on me t v = Some d' -> is_typed (now d) -> is_typed (now d').
Proof.
  intros d on me t v d' A T. destruct t as [s w base at_| |]; simpl in A.
  - destruct (cell_of p d on me base at_); [|discriminate]. injection A as <-. apply write_keeps, T.
  - injection A as <-. apply priority_keeps, T.
  - injection A as <-. exact T.
Qed.
Lemma set_first_keeps : forall s me d f d', set_first p s me d f = Some d' -> is_typed (now d) -> is_typed (now d').
Proof.
  intros s me d f d' A T. destruct f as [cell w e|cell w k]; unfold set_first in A.
  - destruct (value p d false me e); [|discriminate]. injection A as <-. apply write_keeps, T.
  - destruct (Nat.leb most_channels (length (channels (now d)))); [discriminate|]. injection A as <-. apply write_keeps, T.
Qed.
Lemma set_all_keeps : forall s me l d d', set_all p s me d l = Some d' -> is_typed (now d) -> is_typed (now d').
Proof.
  intros s me. induction l as [|f l IH]; intros d d' A T; cbn [set_all] in A; [injection A as <-; exact T|].
  destruct (set_first p s me d f) as [x|] eqn:F; [|discriminate]. apply (IH x d' A). exact (set_first_keeps _ _ _ _ _ F T).
Qed.
Lemma filled_length : forall l vs m, length (filled l vs m) = length m.
Proof. induction l as [|[c w] l IH]; intros [|v vs] m; simpl; auto. rewrite IH, update_length. reflexivity. Qed.
Lemma start_keeps : forall d k vs pr d', start p d k vs pr = Some d' -> is_typed (now d) -> is_typed (now d').
Proof.
  intros d k vs pr d' A [global_ all]. unfold start in A. destruct (nth_error (proctypes p) k) as [t|] eqn:K; [|discriminate].
  destruct (Nat.leb most_processes (length (processes (now d)))); [discriminate|]. apply (set_all_keeps _ _ _ _ _ A).
  split; simpl; [exact global_|]. apply Forall_app. split; [exact all|]. constructor; [|constructor].
  exists t. simpl. rewrite filled_length, repeat_length. auto.
Qed.
Lemma promises_keep : forall d sends me k l other d', keep_promises p d sends me k other l = Some d' -> now d' = now d.
Proof.
  intros d sends me k l. revert d. induction l as [|q l IH]; intros d other d' A; cbn [keep_promises] in A.
  - injection A as <-. reflexivity.
  - match type of A with match ?x with _ => _ end = _ => destruct x as [b|]; [|discriminate] end.
    apply IH in A. rewrite A. destruct b; reflexivity.
Qed.
Lemma trace_keeps : forall d t sends k m d', follow_trace p d t sends k m = Some d' -> is_typed (now d) -> is_typed (now d').
Proof.
  intros d t sends k m d' A T. unfold follow_trace in A.
  destruct (is_some (speaks_of p d sends k) (every_event t)) as [[|]|]; try discriminate; [|injection A as <-; exact T].
  destruct (first_event p d sends k m (events (moment_at t (moment_now (now d))))) as [[e|]|]; try discriminate;
    injection A as <-; destruct T; [destruct (is_notrace t && is_final (moment_at t (leads_to e)))|destruct (is_notrace t)];
    split; assumption.
Qed.
Lemma watch_keeps : forall d sends me k m d', watch p d sends me k m = Some d' -> is_typed (now d) -> is_typed (now d').
Proof.
  intros d sends me k m d' A T. unfold watch in A.
  destruct (keep_promises p d sends me k 0 (processes (now d))) as [x|] eqn:P; [|discriminate].
  assert (T' : is_typed (now x)) by (rewrite (promises_keep _ _ _ _ _ _ _ P); exact T).
  destruct (watched p); [exact (trace_keeps _ _ _ _ _ _ A T') | injection A as <-; exact T'].
Qed.
Lemma put_keeps : forall d me sorted k c vs d', put p d me sorted k c vs = Some d' -> is_typed (now d) -> is_typed (now d').
Proof.
  intros d me sorted k c vs d' A T. unfold put in A.
  destruct (nth_error (chantypes p) (declared c)) as [t|]; [|discriminate].
  set (x := if Nat.eqb (length vs) (length (widths t)) then d else note d WentWrong) in *.
  assert (T' : is_typed (now x)) by (unfold x; destruct (Nat.eqb (length vs) (length (widths t))); exact T).
  destruct (is_full p c); [injection A as <-; exact T'|].
  match type of A with match ?w with _ => _ end = _ => destruct w as [y|] eqn:W; [|discriminate] end.
  apply watch_keeps in W; [|destruct T'; split; assumption]. injection A as <-. destruct (is_rendezvous p c); exact W.
Qed.
Lemma deliver_keeps : forall on me ps m d d', deliver p d on me ps m = Some d' -> is_typed (now d) -> is_typed (now d').
Proof.
  intros on me. induction ps as [|f ps IH]; intros [|v m] d d' A T; cbn [deliver] in A;
    try (injection A as <-; exact T); destruct f as [e|t]; try (injection A as <-; exact T).
  - exact (IH m d d' A T).
  - destruct (assign p d on me t v) as [x|] eqn:S; [|discriminate]. apply (IH m x d' A), (assign_keeps _ _ _ _ _ _ S T).
Qed.
Lemma get_keeps : forall d on me keeps ps k c i d', get p d on me keeps ps k c i = Some d' ->
  is_typed (now d) -> is_typed (now d').
Proof.
  intros d on me keeps ps k c i d' A T. unfold get in A. destruct (nth_error (messages c) i) as [m|]; [|discriminate].
  destruct (count_fields d keeps ps m) as [x|] eqn:C; [|discriminate].
  assert (T' : is_typed (now x)).
  { unfold count_fields in C. repeat match type of C with (if ?b then _ else _) = _ => destruct b end;
      try discriminate; injection C as <-; exact T. }
  destruct keeps; [exact (deliver_keeps _ _ _ _ _ _ A T')|].
  destruct (watch p x false me k m) as [y|] eqn:W; [|discriminate]. apply (deliver_keeps _ _ _ _ _ _ A).
  apply watch_keeps in W; [|exact T']. destruct W. split; assumption.
Qed.
Lemma execute_keeps : forall d on me s d', execute p d on me s = Does (Some d') -> is_typed (now d) -> is_typed (now d').
Proof.
  intros d on me s d' A T. unfold execute in A. destruct (can_execute p d on me s) as [[|]|]; try discriminate.
  injection A as A. destruct s; repeat match type of A with
    | match value p d on me ?e with _ => _ end = _ => destruct (value p d on me e); [|discriminate]
    | match values_of p d on me ?e with _ => _ end = _ => destruct (values_of p d on me e); [|discriminate]
    end; try (injection A as <-; exact T).
  - exact (assign_keeps _ _ _ _ _ _ A T).
  - injection A as <-. destruct (is_true z || negb required); exact T.
  - destruct (process_at d z); [|injection A as <-; exact T]. destruct ((1 <=? z0) && (z0 <=? 255)); [|discriminate].
    injection A as <-. apply priority_keeps, T.
  - destruct (channel_at d z) as [[k [c|]]|]; cbn [snd fst] in A; try discriminate.
    destruct (values_of p d on me es); [|discriminate]. exact (put_keeps _ _ _ _ _ _ _ A T).
  - destruct (message_taken p d on me anywhere keeps channel ps) as [[[[k c] i]|]|]; try discriminate.
    exact (get_keeps _ _ _ _ _ _ _ _ _ A T).
  - destruct (start p d kind l priority_) as [x|] eqn:S; [|discriminate]. apply start_keeps in S; [|exact T].
    destruct into; [exact (assign_keeps _ _ _ _ _ _ A S) | injection A as <-; exact S].
Qed.

Definition typed_progress (x : progress) : Prop :=
  match x with At _ d => is_typed (now d) | Ended (Some d) => is_typed (now d) | Ended None => True end.
Lemma one_more_keeps : forall on me body x, typed_progress x -> typed_progress (one_more p on me body x).
Proof.
  intros on me body [next d|[d|]] T; simpl in *; auto. destruct next as [at_|]; [|exact T].
  destruct (PositiveMap.find at_ body) as [[s next|l]|]; simpl; auto.
  - destruct (execute p d on me s) as [|[d'|]] eqn:E; simpl; auto. pose proof (execute_keeps _ _ _ _ _ E T) as T'.
    destruct s; simpl; auto. destruct (offered d'); simpl; auto.
  - destruct (first_open p d on me body l); simpl; auto.
Qed.
Lemma repeated_keeps : forall f, (forall x, typed_progress x -> typed_progress (f x)) ->
  forall times x, typed_progress x -> typed_progress (repeated f times x).
Proof. intros f keeps. induction times as [half IH|half IH|]; intros [next d|r] T; cbn [repeated]; auto. Qed.
Lemma run_keeps : forall d on me at_ body times d',
  match repeated (one_more p on me body) times (At at_ d) with Ended r => r | At _ _ => None end = Some d' ->
  is_typed (now d) -> is_typed (now d').
Proof.
  intros d on me at_ body times d' A T.
  pose proof (repeated_keeps _ (one_more_keeps on me body) times (At at_ d) T) as K.
  destruct (repeated (one_more p on me body) times (At at_ d)) as [next x|r]; [discriminate|]. subst r. exact K.
Qed.
Lemma d_step_keeps : forall d on me at_ body d', run_to_end p d on me at_ body = Some d' ->
  is_typed (now d) -> is_typed (now d').
Proof. intros d on me at_ body d'. exact (run_keeps d on me at_ body most_instructions d'). Qed.
Lemma firstn_all : forall A (P : A -> Prop) n l, Forall P l -> Forall P (firstn n l).
Proof. intros A P. induction n as [|n IH]; intros [|a l] all; simpl; auto. inversion all. auto. Qed.
Lemma take_keeps : forall d on me e d', take p d on me e = Does (Some d') -> is_typed (now d) -> is_typed (now d').
Proof.
  intros d on me e d' A T. destruct e as [s| |guards at_ body]; cbn [take] in A; unfold guarded in A.
  - exact (execute_keeps _ _ _ _ _ A T).
  - destruct (can_take p d on me End) as [[|]|]; try discriminate. injection A as A. unfold without_youngest in A.
    destruct (nth_error (processes (now d)) (pred (length (processes (now d))))) as [q|]; [|discriminate].
    destruct (nth_error (proctypes p) (kind q)); [|discriminate]. injection A as <-. destruct T as [global_ all].
    split; simpl; [exact global_ | apply firstn_all, all].
  - destruct (can_take p d on me (DStep guards at_ body)) as [[|]|]; try discriminate. injection A as A.
    exact (d_step_keeps _ _ _ _ _ _ A T).
Qed.

Definition typed_outcome (o : outcome) : Prop := match o with Goes s | Fails _ s => is_typed s | Breaks => True end.
Lemma finish_keeps : forall d me holder, is_typed (now d) -> typed_outcome (finish p d me holder).
Proof.
  intros d me holder T. unfold finish. assert (T' : is_typed (now (withdrawn d))).
  { unfold withdrawn. destruct (offered d) as [k|]; [|exact T]. destruct (nth_error (channels (now d)) (pred k)); exact T. }
  destruct T'. destruct (noted d); split; assumption.
Qed.
Lemma arrived_keeps : forall d t me, is_typed (now d) -> is_typed (now (arrived d t me)).
Proof. intros d t me T. unfold arrived. destruct (does t); try apply move_keeps; exact T. Qed.
Lemma taken_keeps : forall d on me e d', takes p d on me e (Some d') -> is_typed (now d) -> is_typed (now d').
Proof. intros d on me e d' A. apply takes_is_takes in A. exact (take_keeps _ _ _ _ _ A). Qed.
Lemma answering_keeps : forall d n escaped l o, answering p d n escaped l (Some o) -> is_typed (now d) -> typed_outcome o.
Proof.
  intros d n escaped l o A T. remember (Some o) as x. revert o Heqx. induction A; intros o' E; try discriminate; eauto.
  - injection E as <-. apply finish_keeps, arrived_keeps. eapply taken_keeps; eauto.
  - injection E as <-. exact I.
Qed.
Lemma attempts_keep : forall s on me t w o, attempts p s on me t w o -> is_typed s -> typed_outcome o.
Proof.
  intros s on me t w o A T. destruct A as [d D F|d k n o D F A N|d k D F A|D]; try exact I.
  - apply finish_keeps, arrived_keeps. exact (taken_keeps _ _ _ _ _ D T).
  - inversion A as [n' q o' other inside M A'|]; subst. destruct o' as [o'|]; simpl in *; [|discriminate].
    match goal with H : Some _ = Some _ |- _ => injection H as -> -> end.
    eapply answering_keeps; [exact A'|]. apply arrived_keeps. exact (taken_keeps _ _ _ _ _ D T).
Qed.
Lemma tries_keep : forall s on me only moved escaped l w o, tries p s on me only moved escaped l w o -> is_typed s ->
  typed_outcome o.
Proof.
  intros s on me only moved escaped l w o A T. induction A; auto. pose proof (attempts_keep _ _ _ _ _ _ H1 T) as K.
  unfold judged. destruct o; auto. destruct (only && moved && negb (is_else (does t))); exact K.
Qed.
Lemma opens_keep : forall s on me w o, opens p s on me w o -> is_typed s -> typed_outcome o.
Proof. intros s on me w o A T. destruct A; [exact I | eapply tries_keep; eauto]. Qed.
Lemma settles_keep : forall s t, settles p s t -> is_typed s -> is_typed t.
Proof. intros s t S T. destruct S; auto. Qed.
Lemma moves_keep : forall s on me w o, moves p s on me w o -> is_typed s -> typed_outcome o.
Proof.
  intros s on me w o A T. destruct A as [w t t' A S|w f t t' A S|w A]; try exact I;
    pose proof (opens_keep _ _ _ _ _ A T) as K; exact (settles_keep _ _ S K).
Qed.
Lemma step_keeps : forall s o, step p s o -> is_typed s -> typed_outcome o.
Proof. intros s o [w S] T. destruct S; eapply moves_keep; eauto. Qed.

Lemma start_all_keeps : forall l d d', start_all p d l = Some d' -> is_typed (now d) -> is_typed (now d').
Proof.
  induction l as [|[k pr] l IH]; intros d d' A T; cbn [start_all] in A; [injection A as <-; exact T|].
  destruct (start p d k [] pr) as [x|] eqn:S; [|discriminate]. apply (IH x d' A), (start_keeps _ _ _ _ _ S T).
Qed.
Lemma initial_is_typed : forall s, initial p = Some s -> is_typed s.
Proof.
  intros s A. unfold initial in A. destruct (set_all p Shared 0 (begin (blank p)) (global_values p)) as [x|] eqn:S; [|discriminate].
  destruct (start_all p x (active p)) as [y|] eqn:A'; [|discriminate]. injection A as <-.
  apply (start_all_keeps _ _ _ A'), (set_all_keeps _ _ _ _ _ S). split; simpl; [apply repeat_length | constructor].
Qed.

Theorem reachable_states_are_typed : forall s, reachable p s -> is_typed s.
Proof.
  intros s R. induction R as [s A|s t R IH S|s f t R IH S]; [exact (initial_is_typed s A) | |];
    exact (step_keeps _ _ S IH).
Qed.

(* An expression of a proctype whose references lead nowhere behind the cells of the program. *)
Inductive is_typed_in (own : nat) : expr -> Prop :=
| typed_part : forall e,
    match e with
    | Variable_ Shared base at_ => has_room base at_ (global_cells p)
    | Variable_ Mine base at_ => has_room base at_ own
    | RemoteVariable k _ base at_ => forall t, nth_error (proctypes p) k = Some t -> has_room base at_ (cells t)
    | _ => True
    end -> (forall part, In part (parts_of e) -> is_typed_in own part) -> is_typed_in own e.

Theorem typed_expressions_go_wrong_by_language : forall d on_timeout can_move me q t e c, is_typed (now d) ->
  nth_error (processes (now d)) me = Some q -> nth_error (proctypes p) (kind q) = Some t -> is_typed_in (cells t) e ->
  comes_to p d on_timeout can_move me (OfValue e) (Wrong c) -> of_language c.
Proof.
  intros d on_timeout can_move me q t e c [global_ all] here of_kind typed. apply well_formed_causes.
  rewrite Forall_forall in all.
  assert (own : length (mine d me) = cells t).
  { unfold mine. rewrite here. destruct (all q (nth_error_In _ _ here)) as (t' & K & has). congruence. }
  induction typed as [e placed _ IH]. apply well_made; [|exact IH].
  destruct e as [v|w base at_| | | | |e|e|e|o e f|e f|e f|c' e f|e lowest highest|x e|anywhere e asked|e|e|e| |
    |k which there|k which base at_]; simpl; auto.
  - destruct w; [rewrite global_ | rewrite own]; exact placed.
  - apply nth_error_Some. congruence.
  - intros r inside same. destruct (all r inside) as (t' & K & has). rewrite has. apply placed. congruence.
Qed.
End Typed.
