(* What statements do, as a function (`execute`) and as a relation with a rule for each way in which a construct can be
   taken or go wrong (`executes`); and that the two agree.

   Nothing comes of a statement that is not executable. Otherwise one thing comes of it: the draft of the next state, or
   None, where the run ends with a run-time error. *)
(* Proves: execute_is_executes, statements_are_deterministic, takes_is_takes *)
(* Assumes: nothing *)
From Coq Require Import ZArith List Bool FMapPositive.
From everafter.semantics Require Import values program states expressions.
Import ListNotations.
Local Open Scope Z_scope.

Definition most_processes : nat := 255.
Definition most_channels : nat := 255.
Definition most_instructions : positive := 1000000.

Section Statements.
Local Notation "x <- e ; f" := (match e with Some x => f | None => None end) (at level 61, e at next level,
  right associativity).
Variable p : program.

(* Assignment: what is stored is cut to the width of the cell. *)
Definition assign (d : draft) (on_timeout : bool) (me : nat) (t : target) (v : Z) : option draft :=
  match t with
  | ToVariable s w base at_ => n <- cell_of p d on_timeout me base at_; Some (write d s me n (store w v))
  | ToPriority => Some (give_priority d me (v mod 256))
  | ToNothing => Some d
  end.

(* First values, one by one, in order of declaration; a channel is created where its variable is declared. *)
Definition set_first (s : scope) (me : nat) (d : draft) (f : first_value) : option draft :=
  match f with
  | Sets cell w e => v <- value p d false me e; Some (write d s me cell (store w v))
  | Creates cell w k =>
      let l := channels (now d) in
      if Nat.leb most_channels (length l) then None
      else
        let made := with_state d (with_channels (now d) (l ++ [Channel k []])) in
        Some (write made s me cell (store w (Z.of_nat (S (length l)))))
  end.
Fixpoint set_all (s : scope) (me : nat) (d : draft) (l : list first_value) : option draft :=
  match l with [] => Some d | f :: r => d' <- set_first s me d f; set_all s me d' r end.

(* run: the new process is the youngest; arguments are stored in its parameters. *)
Fixpoint filled (l : list (nat * width)) (arguments : list Z) (memory : list Z) : list Z :=
  match l, arguments with
  | (cell, w) :: r, v :: t => filled r t (update memory cell (store w v))
  | _, _ => memory
  end.
Definition start (d : draft) (k : nat) (arguments : list Z) (priority_ : Z) : option draft :=
  t <- nth_error (proctypes p) k;
  let l := processes (now d) in
  if Nat.leb most_processes (length l) then None
  else
    let memory := filled (parameters t) arguments (repeat 0 (cells t)) in
    let born := with_state d (with_processes (now d) (l ++ [Process k (entry t) memory priority_])) in
    set_all Mine (length l) born (first_values t).

(* xr and xs: a process promises that no other receives from a channel, or sends to it. *)
Definition breaks_promise (d : draft) (sends : bool) (k other : nat) (promised : bool * expr) : option bool :=
  let (what, e) := promised in
  if Bool.eqb what sends then v <- value p d false other e; Some (v =? Z.of_nat k) else Some false.
Fixpoint keep_promises (d : draft) (sends : bool) (me k : nat) (other : nat) (l : list process) : option draft :=
  match l with
  | [] => Some d
  | q :: r =>
      b <- (if Nat.eqb other me then Some false
            else match nth_error (proctypes p) (kind q) with
                 | Some t => is_some (breaks_promise d sends k other) (promises t)
                 | None => Some false
                 end);
      keep_promises (if b : bool then note d WentWrong else d) sends me k (S other) r
  end.

(* trace, notrace: an operation on a channel that is spoken of moves the trace along, or is a violation. *)
Definition speaks_of (d : draft) (sends : bool) (k : nat) (e : event) : option bool :=
  if Bool.eqb (is_send e) sends then v <- value p d false 0 (on_channel e); Some (v =? Z.of_nat k) else Some false.
Definition has_constant (d : draft) (message : list Z) (c : nat * expr) : option bool :=
  match nth_error message (fst c) with
  | None => Some false
  | Some v => w <- value p d false 0 (snd c); Some (w =? v)
  end.
Definition happens (d : draft) (sends : bool) (k : nat) (message : list Z) (e : event) : option bool :=
  b <- speaks_of d sends k e; if b : bool then is_every (has_constant d message) (constants e) else Some false.
Fixpoint first_event (d : draft) (sends : bool) (k : nat) (message : list Z) (l : list event)
    : option (option event) :=
  match l with
  | [] => Some None
  | e :: r => b <- happens d sends k message e; if b : bool then Some (Some e) else first_event d sends k message r
  end.
Definition moment_at (t : trace) (at_ : positive) : moment :=
  match PositiveMap.find at_ (moments t) with Some m => m | None => Moment [] false false end.
Definition go_to (d : draft) (at_ : positive) : draft := with_state d (with_moment (now d) at_).
Definition follow_trace (d : draft) (t : trace) (sends : bool) (k : nat) (message : list Z) : option draft :=
  b <- is_some (speaks_of d sends k) (every_event t);
  if b : bool then
    e <- first_event d sends k message (events (moment_at t (moment_now (now d))));
    Some (match e with
          | Some e =>
              let d' := go_to d (leads_to e) in
              if is_notrace t && is_final (moment_at t (leads_to e)) then note d' TraceViolated else d'
          | None => if is_notrace t then go_to d (final t) else note d TraceViolated
          end)
  else Some d.

(* What watches a send to, or a receive from, channel k. *)
Definition watch (d : draft) (sends : bool) (me k : nat) (message : list Z) : option draft :=
  d' <- keep_promises d sends me k 0 (processes (now d));
  match watched p with Some t => follow_trace d' t sends k message | None => Some d' end.

(* Send: a message goes behind the others; sorted, before the first that is greater, field by field. A full channel is
   executable only if messages may be lost, and loses it. In a rendezvous channel it is offered within this very step. *)
Fixpoint is_less (l m : list Z) : bool :=
  match l, m with
  | _, [] => false
  | [], _ :: _ => true
  | a :: r, b :: t => (a <? b) || ((a =? b) && is_less r t)
  end.
Definition position (sorted : bool) (message : list Z) (l : list (list Z)) : nat :=
  match (if sorted then find_place (is_less message) l else None) with Some i => i | None => length l end.
(* Of another number of values than there are fields it is an error; what is missing is 0. *)
Fixpoint cut (ws : list width) (vs : list Z) : list Z :=
  match ws, vs with
  | [], _ => []
  | w :: r, v :: t => store w v :: cut r t
  | w :: r, [] => store w 0 :: cut r []
  end.
Fixpoint uncut (ws : list width) (vs : list Z) : list Z :=
  match ws, vs with [], _ => [] | _ :: r, v :: t => v :: uncut r t | _ :: r, [] => 0 :: uncut r [] end.
Definition put (d : draft) (me : nat) (sorted : bool) (k : nat) (c : channel) (vs : list Z) : option draft :=
  t <- nth_error (chantypes p) (declared c);
  let d' := if Nat.eqb (length vs) (length (widths t)) then d else note d WentWrong in
  if is_full p c then Some d'
  else
    let message := cut (widths t) vs in
    let at_ := position sorted (uncut (widths t) vs) (messages c) in
    d'' <- watch (set_channel d' k (Channel (declared c) (insert_at (messages c) at_ message))) true me k message;
    Some (if is_rendezvous p c then offering d'' (Some k) else d'').

(* Receive: the message is taken off before its fields are stored, which may change what the channel's name means. *)
Fixpoint deliver (d : draft) (on_timeout : bool) (me : nat) (ps : list pattern) (message : list Z) : option draft :=
  match ps, message with
  | Bind t :: r, v :: rest => d' <- assign d on_timeout me t v; deliver d' on_timeout me r rest
  | Match _ :: r, _ :: rest => deliver d on_timeout me r rest
  | _, _ => Some d
  end.
(* A receive of fewer or more fields than the message has is an error; of more than one, and too many, there is no next
   state. What only looks at a message may name fewer. *)
Definition count_fields (d : draft) (keeps : bool) (ps : list pattern) (message : list Z) : option draft :=
  let asked := length ps in
  let had := length message in
  if Nat.eqb asked had || (keeps && Nat.ltb asked had) then Some d
  else if Nat.ltb had asked && Nat.ltb 1 had then None
  else Some (note d WentWrong).
Definition get (d : draft) (on_timeout : bool) (me : nat) (keeps : bool) (ps : list pattern) (k : nat) (c : channel)
    (i : nat) : option draft :=
  message <- nth_error (messages c) i;
  d' <- count_fields d keeps ps message;
  d'' <- (if keeps then Some d'
          else w <- watch d' false me k message;
               Some (offering (set_channel w k (Channel (declared c) (remove_at (messages c) i))) None));
  deliver d'' on_timeout me ps message.

Inductive result := Blocked | Does (after : option draft).

Definition execute (d : draft) (on_timeout : bool) (me : nat) (s : statement) : result :=
  match can_execute p d on_timeout me s with
  | None => Does None
  | Some false => Blocked
  | Some true => Does
      match s with
      | Skip | Else | Test _ => Some d
      | Assign t e => v <- value p d on_timeout me e; assign d on_timeout me t v
      | Assert required e =>
          v <- value p d on_timeout me e; Some (if is_true v || negb required then d else note d AssertionFailed)
      | Print es => _ <- values_of p d on_timeout me es; Some d
      | SetPriority e f =>
          n <- value p d on_timeout me e; v <- value p d on_timeout me f;
          match process_at d n with
          | None => Some d
          | Some _ => if (1 <=? v) && (v <=? 255) then Some (give_priority d (Z.to_nat n) v) else None
          end
      | Send sorted e es =>
          k <- value p d on_timeout me e; c <- channel_at d k; c' <- snd c;
          vs <- values_of p d on_timeout me es; put d me sorted (fst c) c' vs
      | Receive anywhere keeps e ps =>
          t <- message_taken p d on_timeout me anywhere keeps e ps;
          match t with Some (k, c, i) => get d on_timeout me keeps ps k c i | None => None end
      | Run into k es priority_ =>
          vs <- values_of p d on_timeout me es; d' <- start d k vs priority_;
          match into with
          | None => Some d'
          | Some t => assign d' on_timeout me t (Z.of_nat (length (processes (now d))))
          end
      end
  end.

(* The same as a relation *)

Section Rules.
Variable d : draft.
Variable on_timeout : bool.
Variable me : nat.
Definition worth (e : expr) (v : Z) : Prop := value p d on_timeout me e = Some v.
Definition fails (e : expr) : Prop := value p d on_timeout me e = None.
(* The number and the channel that an expression means. *)
Definition means (e : expr) (k : nat) (c : channel) : Prop :=
  exists v, worth e v /\ channel_at d v = Some (k, Some c).
Definition means_none (e : expr) : Prop :=
  fails e \/ exists v, worth e v /\ forall k c, channel_at d v <> Some (k, Some c).

Inductive executes : statement -> option draft -> Prop :=
(* skip, goto, else (whether nothing else is executable is for the step to see) *)
| skip_does_nothing : executes Skip (Some d)
| else_does_nothing : executes Else (Some d)
(* An expression is executable when it is not zero. *)
| test_passes : forall e v, worth e v -> v <> 0 -> executes (Test e) (Some d)
| test_fails : forall e, fails e -> executes (Test e) None
(* x = e *)
| assign_stores : forall t e v r, worth e v -> assign d on_timeout me t v = r -> executes (Assign t e) r
| assign_fails : forall t e, fails e -> executes (Assign t e) None
(* assert(e) *)
| assert_holds : forall b e v, worth e v -> v <> 0 \/ b = false -> executes (Assert b e) (Some d)
| assert_is_violated : forall e, worth e 0 -> executes (Assert true e) (Some (note d AssertionFailed))
| assert_fails : forall b e, fails e -> executes (Assert b e) None
(* printf(..., e, ...) *)
| print_prints : forall es vs, values_of p d on_timeout me es = Some vs -> executes (Print es) (Some d)
| print_fails : forall es, values_of p d on_timeout me es = None -> executes (Print es) None
(* set_priority(e, f): of a process that there is, from 1 to 255 *)
| priority_is_set : forall e f n v q, worth e n -> worth f v -> process_at d n = Some q -> 1 <= v <= 255 ->
    executes (SetPriority e f) (Some (give_priority d (Z.to_nat n) v))
| priority_of_nobody : forall e f n v, worth e n -> worth f v -> process_at d n = None ->
    executes (SetPriority e f) (Some d)
| priority_out_of_range : forall e f n v q, worth e n -> worth f v -> process_at d n = Some q -> ~ 1 <= v <= 255 ->
    executes (SetPriority e f) None
| priority_fails : forall e f, fails e \/ fails f -> executes (SetPriority e f) None
(* q!e,... and q!!e,...: there is room, or messages may be lost *)
| send_puts : forall sorted e es k c vs r, means e k c -> loses_messages p = true \/ is_full p c = false ->
    values_of p d on_timeout me es = Some vs -> put d me sorted k c vs = r -> executes (Send sorted e es) r
| send_fails : forall sorted e es k c, means e k c -> loses_messages p = true \/ is_full p c = false ->
    values_of p d on_timeout me es = None -> executes (Send sorted e es) None
| send_without_channel : forall sorted e es, means_none e -> executes (Send sorted e es) None
(* q?..., q??..., q?<...>, q??<...>: there is a message that fits, and in a rendezvous channel it is offered *)
| receive_gets : forall anywhere keeps e ps k c i r,
    message_taken p d on_timeout me anywhere keeps e ps = Some (Some (k, c, i)) ->
    get d on_timeout me keeps ps k c i = r -> executes (Receive anywhere keeps e ps) r
| receive_fails : forall anywhere keeps e ps, message_taken p d on_timeout me anywhere keeps e ps = None ->
    executes (Receive anywhere keeps e ps) None
(* run P(e,...) and x = run P(e,...): the new process has the next number *)
| run_starts : forall k es priority_ vs r, values_of p d on_timeout me es = Some vs ->
    start d k vs priority_ = r -> executes (Run None k es priority_) r
| run_starts_and_tells : forall t k es priority_ vs d' r, values_of p d on_timeout me es = Some vs ->
    start d k vs priority_ = Some d' ->
    assign d' on_timeout me t (Z.of_nat (length (processes (now d)))) = r -> executes (Run (Some t) k es priority_) r
| run_of_too_many : forall t k es priority_ vs, values_of p d on_timeout me es = Some vs ->
    start d k vs priority_ = None -> executes (Run (Some t) k es priority_) None
| run_fails : forall t k es priority_, values_of p d on_timeout me es = None -> executes (Run t k es priority_) None.
End Rules.

Ltac cases := repeat match goal with
  | H : _ /\ _ |- _ => destruct H
  | H : exists _, _ |- _ => destruct H
  | H : _ \/ _ |- _ => destruct H
  | H : Does _ = Does _ |- _ => injection H as H
  | H : Some _ = Some _ |- _ => injection H as H
  | H : Some _ = None |- _ => discriminate H
  | H : None = Some _ |- _ => discriminate H
  | H : Does _ = Blocked |- _ => discriminate H
  | H : Blocked = Does _ |- _ => discriminate H
  | H : context [match ?x with _ => _ end] |- _ => destruct x eqn:?
  end.

Lemma is_true_is : forall v, is_true v = true <-> v <> 0.
Proof.
  intros v. unfold is_true. destruct (Z.eqb_spec v 0); simpl; split; intros; congruence.
Qed.
Lemma is_true_is_not : forall v, is_true v = false <-> v = 0.
Proof.
  intros v. unfold is_true. destruct (Z.eqb_spec v 0); simpl; split; intros; congruence.
Qed.
Lemma in_range_is : forall v, (1 <=? v) && (v <=? 255) = true <-> 1 <= v <= 255.
Proof. intros v. rewrite andb_true_iff, Z.leb_le, Z.leb_le. tauto. Qed.

Lemma channel_at_no : forall d e on_timeout me v k, worth d on_timeout me e v -> channel_at d v = Some (k, None) ->
  means_none d on_timeout me e.
Proof. intros. right. exists v. split; auto. intros. congruence. Qed.

Theorem execute_is_executes : forall d on_timeout me s r,
  execute d on_timeout me s = Does r <-> executes d on_timeout me s r.
Proof.
  intros d on_timeout me s r. split.
  - intros H. unfold execute, can_execute in H.
    destruct s; cbn [executable] in H.
    + cases. subst. constructor.
    + cases. subst. constructor.
    + unfold is_so in H. fold (value p d on_timeout me e) in H. destruct (value p d on_timeout me e) as [v|] eqn:E.
      * destruct (is_true v) eqn:T; cases; subst. apply is_true_is in T. eapply test_passes; eauto.
      * cases. subst. apply test_fails. exact E.
    + cases; subst; [eapply assign_stores | eapply assign_fails]; unfold worth, fails; eauto.
    + destruct (value p d on_timeout me e) as [v|] eqn:E.
      * destruct (is_true v || negb required) eqn:T; cases; subst.
        -- apply orb_true_iff in T. apply assert_holds with v; [exact E|].
           destruct T as [T|T]; [left; apply is_true_is, T | right; destruct required; auto; discriminate].
        -- apply orb_false_iff in T. destruct T as [T N]. apply is_true_is_not in T. subst.
           destruct required; [|discriminate]. apply assert_is_violated. exact E.
      * cases. subst. apply assert_fails. exact E.
    + cases; subst; [eapply print_prints | eapply print_fails]; eauto.
    + destruct (value p d on_timeout me process) as [n|] eqn:E;
        [|cases; subst; apply priority_fails; left; exact E].
      destruct (value p d on_timeout me priority_) as [v|] eqn:F;
        [|cases; subst; apply priority_fails; right; exact F].
      destruct (process_at d n) as [q|] eqn:Q;
        [|cases; subst; eapply priority_of_nobody; eauto].
      destruct ((1 <=? v) && (v <=? 255)) eqn:T; cases; subst.
      * apply in_range_is in T. eapply priority_is_set; eauto.
      * eapply priority_out_of_range; eauto. intros N. apply in_range_is in N. congruence.
    + fold (value p d on_timeout me channel) in H.
      destruct (value p d on_timeout me channel) as [v|] eqn:E;
        [|cases; subst; apply send_without_channel; left; exact E].
      destruct (channel_at d v) as [[k [c|]]|] eqn:C; cbn [snd fst] in H.
      * destruct (loses_messages p || negb (is_full p c)) eqn:R; cases; subst;
          apply orb_true_iff in R;
          assert (room : loses_messages p = true \/ is_full p c = false)
            by (destruct R as [R|R]; auto; right; destruct (is_full p c); auto; discriminate).
        -- eapply send_puts; eauto. exists v. split; [exact E | exact C].
        -- apply (send_fails d on_timeout me sorted channel es k c); auto. exists v. split; [exact E | exact C].
      * cases. subst. apply send_without_channel. eapply channel_at_no; eauto.
      * cases. subst. apply send_without_channel. right. exists v. split; auto. intros. congruence.
    + fold (message_taken p d on_timeout me anywhere keeps channel ps) in H.
      destruct (message_taken p d on_timeout me anywhere keeps channel ps) as [[[[k c] i]|]|] eqn:T; cases; subst.
      * eapply receive_gets; eauto.
      * apply receive_fails. exact T.
    + cases; subst.
      * eapply run_starts_and_tells; eauto.
      * eapply run_starts; eauto.
      * destruct into; [eapply run_of_too_many | eapply run_starts]; eauto.
      * apply run_fails. assumption.
  - intros E. destruct E; unfold execute, can_execute; cbn [executable]; unfold worth, fails, means, means_none in *.
    + reflexivity.
    + reflexivity.
    + unfold is_so. fold (value p d on_timeout me e). rewrite H. apply is_true_is in H0. rewrite H0. reflexivity.
    + unfold is_so. fold (value p d on_timeout me e). rewrite H. reflexivity.
    + rewrite H, H0. reflexivity.
    + rewrite H. reflexivity.
    + rewrite H. destruct H0 as [N|N].
      * apply is_true_is in N. rewrite N. reflexivity.
      * rewrite N, orb_true_r. reflexivity.
    + rewrite H. reflexivity.
    + rewrite H. reflexivity.
    + rewrite H. reflexivity.
    + rewrite H. reflexivity.
    + rewrite H, H0, H1. apply in_range_is in H2. rewrite H2. reflexivity.
    + rewrite H, H0, H1. reflexivity.
    + rewrite H, H0, H1. destruct ((1 <=? v) && (v <=? 255)) eqn:T; auto. apply in_range_is in T. contradiction.
    + destruct H as [H|H]; [rewrite H; reflexivity|]. destruct (value p d on_timeout me e); rewrite ?H; reflexivity.
    + destruct H as (v & W & C). unfold worth in W. fold (value p d on_timeout me e). rewrite W, C. cbn [snd fst]. rewrite H1.
      destruct H0 as [N|N]; rewrite N; cbn [negb orb]; rewrite ?orb_true_r; rewrite H2; reflexivity.
    + destruct H as (v & W & C). unfold worth in W. fold (value p d on_timeout me e). rewrite W, C. cbn [snd fst]. rewrite H1.
      destruct H0 as [N|N]; rewrite N; cbn [negb orb]; rewrite ?orb_true_r; reflexivity.
    + fold (value p d on_timeout me e). destruct H as [H|(v & W & N)]; [rewrite H; reflexivity|]. unfold worth in W. rewrite W.
      destruct (channel_at d v) as [[k [c|]]|]; cbn [snd]; auto. destruct (N k c eq_refl).
    + fold (message_taken p d on_timeout me anywhere keeps e ps). rewrite H, H0. reflexivity.
    + fold (message_taken p d on_timeout me anywhere keeps e ps). rewrite H. reflexivity.
    + rewrite H, H0. destruct r; reflexivity.
    + rewrite H, H0, H1. reflexivity.
    + rewrite H, H0. reflexivity.
    + rewrite H. reflexivity.
Qed.

(* One thing at most comes of a statement. *)
Theorem statements_are_deterministic : forall d on_timeout me s r r',
  executes d on_timeout me s r -> executes d on_timeout me s r' -> r = r'.
Proof.
  intros d on_timeout me s r r' E E'. apply execute_is_executes in E. apply execute_is_executes in E'. congruence.
Qed.

(* d_step *)

(* How far a d_step has come: it goes on at a place, or it has ended. *)
Inductive progress := At (next : option positive) (d : draft) | Ended (after : option draft).

Definition option_is_open (d : draft) (on_timeout : bool) (me : nat) (body : PositiveMap.t instruction)
    (o : option positive) : option bool :=
  match o with
  | None => Some true
  | Some at_ =>
      match PositiveMap.find at_ body with
      | Some (Perform s _) => can_execute p d on_timeout me s
      | _ => Some true
      end
  end.
Fixpoint first_open (d : draft) (on_timeout : bool) (me : nat) (body : PositiveMap.t instruction)
    (l : list (option positive)) : option (option positive) :=
  match l with
  | [] => None
  | o :: r => b <- option_is_open d on_timeout me body o;
              if b : bool then Some o else first_open d on_timeout me body r
  end.

(* One instruction: a choice goes to its first option that is executable, and must have one; a statement must be
   executable, and no rendezvous send. *)
Definition one_more (on_timeout : bool) (me : nat) (body : PositiveMap.t instruction) (x : progress) : progress :=
  match x with
  | Ended r => Ended r
  | At None d => Ended (Some d)
  | At (Some at_) d =>
      match PositiveMap.find at_ body with
      | Some (Select l) => match first_open d on_timeout me body l with Some o => At o d | None => Ended None end
      | Some (Perform s next) =>
          match execute d on_timeout me s with
          | Does (Some d') =>
              match s, offered d' with
              | Send _ _ _, Some _ => Ended None
              | _, _ => At next d'
              end
          | _ => Ended None
          end
      | None => Ended None
      end
  end.
(* As often as the number says, unless it has ended before. *)
Fixpoint repeated (f : progress -> progress) (times : positive) (x : progress) : progress :=
  match x with
  | Ended r => Ended r
  | _ => match times with
         | xH => f x
         | xO half => repeated f half (repeated f half x)
         | xI half => repeated f half (repeated f half (f x))
         end
  end.
Definition run_to_end (d : draft) (on_timeout : bool) (me : nat) (start : option positive)
    (body : PositiveMap.t instruction) : option draft :=
  match repeated (one_more on_timeout me body) most_instructions (At start d) with
  | Ended r => r
  | At _ _ => None
  end.

(* The end of a process: it goes, and the channels that it created with it. *)
Definition without_youngest (d : draft) : option draft :=
  let l := processes (now d) in
  q <- nth_error l (pred (length l)); t <- nth_error (proctypes p) (kind q);
  let s := with_processes (now d) (firstn (pred (length l)) l) in
  let c := channels s in
  Some (with_state d (with_channels s (firstn (length c - created t) c))).

Definition can_take (d : draft) (on_timeout : bool) (me : nat) (e : effect) : option bool :=
  may p d on_timeout (enabled p d on_timeout) me e.
Definition guarded (d : draft) (on_timeout : bool) (me : nat) (e : effect) (r : unit -> option draft) : result :=
  match can_take d on_timeout me e with
  | None => Does None
  | Some false => Blocked
  | Some true => Does (r tt)
  end.
(* What comes of taking a transition's effect. *)
Definition take (d : draft) (on_timeout : bool) (me : nat) (e : effect) : result :=
  match e with
  | Do s => execute d on_timeout me s
  | End => guarded d on_timeout me e (fun _ => without_youngest d)
  | DStep _ at_ body => guarded d on_timeout me e (fun _ => run_to_end d on_timeout me at_ body)
  end.

(* The same as a relation *)
Inductive takes (d : draft) (on_timeout : bool) (me : nat) : effect -> option draft -> Prop :=
| a_statement : forall s r, executes d on_timeout me s r -> takes d on_timeout me (Do s) r
(* Only the youngest process can end: older ones wait for it. *)
| the_end : S me = length (processes (now d)) -> takes d on_timeout me End (without_youngest d)
(* A d_step blocks only at its first statement, and is one step. *)
| a_d_step : forall at_ body, takes d on_timeout me (DStep None at_ body) (run_to_end d on_timeout me at_ body)
| a_guarded_d_step : forall guards at_ body,
    is_some (can_execute p d on_timeout me) guards = Some true ->
    takes d on_timeout me (DStep (Some guards) at_ body) (run_to_end d on_timeout me at_ body)
| a_guard_fails : forall guards at_ body,
    is_some (can_execute p d on_timeout me) guards = None -> takes d on_timeout me (DStep (Some guards) at_ body) None.

Lemma does_same : forall a b, Does a = Does b -> b = a.
Proof. congruence. Qed.

Theorem takes_is_takes : forall d on_timeout me e r, take d on_timeout me e = Does r <-> takes d on_timeout me e r.
Proof.
  intros d on_timeout me e r. split.
  - destruct e as [s| |guards at_ body]; intros H; cbn [take] in H; unfold guarded, can_take in H.
    + constructor. apply execute_is_executes, H.
    + cbn [may] in H. destruct (Nat.eqb_spec (S me) (length (processes (now d)))) as [youngest|]; [|discriminate].
      injection H as <-. constructor. exact youngest.
    + destruct guards as [guards|]; cbn [may] in H.
      * change (executable p d on_timeout (enabled p d on_timeout) me) with (can_execute p d on_timeout me) in H.
        destruct (is_some (can_execute p d on_timeout me) guards) as [[|]|] eqn:G; try discriminate;
          apply does_same in H; rewrite H; [apply a_guarded_d_step | apply a_guard_fails]; exact G.
      * apply does_same in H. rewrite H. constructor.
  - intros T. destruct T as [s r E|youngest|at_ body|guards at_ body G|guards at_ body G]; cbn [take];
      unfold guarded, can_take; cbn [may];
      change (executable p d on_timeout (enabled p d on_timeout) me) with (can_execute p d on_timeout me);
      try rewrite G; auto.
    + apply execute_is_executes, E.
    + rewrite youngest, Nat.eqb_refl. reflexivity.
Qed.
End Statements.
