(* One step of the whole system: who may move, and what comes of it; as a function (`steps`) and as a relation (`step`),
   which are the same.

   A process tries its transitions in order, escapes first. A rendezvous is one step of two processes. In the middle of an
   atomic sequence only its process moves, unless it cannot. timeout is true only when nothing else can happen. Of each
   step is known who moves in it: a process, and behind it, in a rendezvous, its partner. *)
(* Proves: steps_by_is_step_by, steps_is_step, outcomes_are_of_processes *)
(* Assumes: nothing *)
From Coq Require Import ZArith List Bool FMapPositive Lia.
From everafter.semantics Require Import values program states expressions statements.
Import ListNotations.
Local Open Scope Z_scope.

(* What comes of a step: another state; another state, and something that must not happen; or the run ends with a
   run-time error. *)
Inductive outcome := Goes (s : state) | Fails (f : flaw) (s : state) | Breaks.

Section Steps.
Local Notation "x <- e ; f" := (match e with Some x => f | None => None end) (at level 61, e at next level,
  right associativity).
Variable p : program.

(* The state after a step of a process. Between two steps a rendezvous channel is empty. *)
Definition withdrawn (d : draft) : draft :=
  match offered d with
  | Some k => match nth_error (channels (now d)) (pred k) with
              | Some c => set_channel d k (Channel (declared c) [])
              | None => d
              end
  | None => d
  end.
Definition finish (d : draft) (me : nat) (holder : option nat) : outcome :=
  let s := now (withdrawn d) in
  let after := State (globals s) (processes s) (channels s) holder (if uses_last p then me else last s)
    (moment_now s) in
  match noted d with None => Goes after | Some f => Fails f after end.
Definition holder_after (t : transition) (me : nat) : option nat := if keeps_atomic t then Some me else None.
Definition arrived (d : draft) (t : transition) (me : nat) : draft :=
  match does t with End => d | _ => move d me (goal t) end.

(* provided (e), and priorities: no process moves while one of a higher priority can. *)
Definition is_provided (d : draft) (on_timeout : bool) (n : nat) (q : process) : option bool :=
  match nth_error (proctypes p) (kind q) with
  | Some t => match provided t with
              | Some e => v <- value p d on_timeout n e; Some (is_true v)
              | None => Some true
              end
  | None => Some true
  end.
Definition goes_before (d : draft) (on_timeout : bool) (me : nat) (own : Z) (other : nat * process) : option bool :=
  let (n, q) := other in
  if Nat.eqb n me || (priority q <=? own) then Some false
  else b <- is_provided d on_timeout n q; if b : bool then enabled p d on_timeout n else Some false.
Definition numbered (l : list process) : list (nat * process) := combine (seq 0 (length l)) l.
Definition may_be_scheduled (d : draft) (on_timeout : bool) (me : nat) (q : process) : option bool :=
  b <- is_provided d on_timeout me q;
  if negb b || negb (uses_priority p) then Some b
  else h <- is_some (goes_before d on_timeout me (priority q)) (numbered (processes (now d))); Some (negb h).

(* Rendezvous *)

Definition starts_with_receive (e : effect) : bool :=
  let is_receive s := match s with Receive _ _ _ _ => true | _ => false end in
  match e with Do s => is_receive s | DStep (Some l) _ _ => existsb is_receive l | _ => false end.

(* Of another unless, or of the main part, when an escape of one has been taken. *)
Definition is_shut (escaped : N) (t : transition) : bool :=
  negb (N.eqb escaped 0) && negb (N.eqb (escape t) escaped).

(* What comes of the receives of a process that may answer; None, where looking whether it can goes wrong. *)
Fixpoint answers (d : draft) (n : nat) (escaped : N) (l : list transition) : list (option outcome) :=
  match l with
  | [] => []
  | t :: r =>
      if is_shut escaped t then []
      else if negb (starts_with_receive (does t)) then answers d n escaped r
      else match can_take p d false n (does t) with
           | None => None :: answers d n escaped r
           | Some false => answers d n escaped r
           | Some true =>
               match take p d false n (does t) with
               | Blocked => answers d n escaped r
               | Does None => Some Breaks :: answers d n escaped r
               | Does (Some both) =>
                   Some (finish (arrived both t n) n (holder_after t n)) :: answers d n (escape t) r
               end
           end
  end.
Definition partner (d : draft) (me : nat) (other : nat * process) : list (option (nat * outcome)) :=
  let (n, q) := other in
  if Nat.eqb n me then []
  else match may_be_scheduled d false n q with
       | None => [None]
       | Some false => []
       | Some true => map (option_map (pair n)) (answers d n 0 (transitions_at p q))
       end.
Definition partners (d : draft) (me : nat) : list (option (nat * outcome)) :=
  flat_map (partner d me) (rev (numbered (processes (now d)))).
Definition goes_wrong {A} (o : option A) : bool := match o with None => true | Some _ => false end.
Definition those_of {A} (l : list (option A)) : list A :=
  flat_map (fun o => match o with Some o => [o] | None => [] end) l.

(* One transition: it is not executable, or this may come of it. Nothing, if nobody answers an offer. *)
Inductive trial := NotExecutable | Tried (l : list (list nat * outcome)).
Definition attempt (s : state) (on_timeout : bool) (me : nat) (t : transition) : trial :=
  match take p (begin s) on_timeout me (does t) with
  | Blocked => NotExecutable
  | Does None => Tried [([me], Breaks)]
  | Does (Some d) =>
      match offered d with
      | None => Tried [([me], finish (arrived d t me) me (holder_after t me))]
      | Some _ => let l := partners (arrived d t me) me in
                  Tried (if existsb goes_wrong l then [([me], Breaks)]
                         else map (fun x => ([me; fst x], snd x)) (those_of l))
      end
  end.

Definition starts_with_else (e : effect) : bool :=
  match e with Do Else | DStep (Some [Else]) _ _ => true | _ => false end.
Definition is_else (e : effect) : bool := match e with Do Else => true | _ => false end.
(* A D_proctype promises never to have a choice. *)
Definition judged (deterministic_ moved : bool) (t : transition) (o : outcome) : outcome :=
  match o with
  | Goes s => if deterministic_ && moved && negb (is_else (does t)) then Fails WentWrong s else o
  | _ => o
  end.

(* All transitions of a process, in order. `moved`: one of them was executable. *)
Fixpoint try (s : state) (on_timeout : bool) (me : nat) (only_one moved : bool) (escaped : N) (l : list transition)
    : list (list nat * outcome) :=
  match l with
  | [] => []
  | t :: r =>
      if is_shut escaped t then []
      else if moved && starts_with_else (does t) then try s on_timeout me only_one moved escaped r
      else match attempt s on_timeout me t with
           | NotExecutable => try s on_timeout me only_one moved escaped r
           | Tried [] => try s on_timeout me only_one moved 0 r
           | Tried l' => map (fun x => (fst x, judged only_one moved t (snd x))) l' ++
                         try s on_timeout me only_one true (escape t) r
           end
  end.
Definition is_deterministic (q : process) : bool :=
  match nth_error (proctypes p) (kind q) with Some t => deterministic t | None => false end.
Definition open_steps (s : state) (on_timeout : bool) (me : nat) : list (list nat * outcome) :=
  match nth_error (processes s) me with
  | None => []
  | Some q =>
      match may_be_scheduled (begin s) on_timeout me q with
      | None => [([me], Breaks)]
      | Some false => []
      | Some true => try s on_timeout me (is_deterministic q) false 0 (transitions_at p q)
      end
  end.

(* atomic: a process that cannot go on has lost control. *)
Definition released (s : state) : state :=
  State (globals s) (processes s) (channels s) None (last s) (moment_now s).
Definition settled_state (s : state) : state :=
  match exclusive s with
  | None => s
  | Some h => match open_steps s false h with [] => released s | _ => s end
  end.
Definition settled (o : outcome) : outcome :=
  match o with Goes s => Goes (settled_state s) | Fails f s => Fails f (settled_state s) | Breaks => Breaks end.

Definition steps_of (s : state) (on_timeout : bool) (me : nat) : list (list nat * outcome) :=
  map (fun x => (fst x, settled (snd x))) (open_steps s on_timeout me).
(* The youngest process first. *)
Definition steps_of_all (s : state) (on_timeout : bool) : list (list nat * outcome) :=
  flat_map (steps_of s on_timeout) (rev (seq 0 (length (processes s)))).
Definition steps_by (s : state) : list (list nat * outcome) :=
  match exclusive s with
  | Some h => steps_of s false h
  | None => match steps_of_all s false with [] => steps_of_all s true | l => l end
  end.
Definition steps (s : state) : list outcome := map snd (steps_by s).

(* The same as relations *)

(* A process answers the offer of a rendezvous by a receive that it can take; None, where looking goes wrong. *)
Inductive answering (d : draft) (n : nat) : N -> list transition -> option outcome -> Prop :=
| answers_here : forall escaped t r both, is_shut escaped t = false -> starts_with_receive (does t) = true ->
    can_take p d false n (does t) = Some true -> takes p d false n (does t) (Some both) ->
    answering d n escaped (t :: r) (Some (finish (arrived both t n) n (holder_after t n)))
| answers_wrongly : forall escaped t r, is_shut escaped t = false -> starts_with_receive (does t) = true ->
    can_take p d false n (does t) = Some true -> takes p d false n (does t) None ->
    answering d n escaped (t :: r) (Some Breaks)
| cannot_be_asked : forall escaped t r, is_shut escaped t = false -> starts_with_receive (does t) = true ->
    can_take p d false n (does t) = None -> answering d n escaped (t :: r) None
| answers_later : forall escaped t r o, is_shut escaped t = false ->
    (forall both, starts_with_receive (does t) = true -> can_take p d false n (does t) = Some true ->
      ~ takes p d false n (does t) (Some both)) ->
    answering d n escaped r o -> answering d n escaped (t :: r) o
| answers_also : forall escaped t r o both, is_shut escaped t = false -> starts_with_receive (does t) = true ->
    can_take p d false n (does t) = Some true -> takes p d false n (does t) (Some both) ->
    answering d n (escape t) r o -> answering d n escaped (t :: r) o.

Inductive answered (d : draft) (me : nat) : option (nat * outcome) -> Prop :=
| by_a_partner : forall n q o, n <> me -> nth_error (processes (now d)) n = Some q ->
    may_be_scheduled d false n q = Some true -> answering d n 0 (transitions_at p q) o ->
    answered d me (option_map (pair n) o)
| by_one_that_cannot_be_scheduled : forall n q, n <> me -> nth_error (processes (now d)) n = Some q ->
    may_be_scheduled d false n q = None -> answered d me None.

(* A transition is taken alone, or with a partner; or it goes wrong. *)
Inductive attempts (s : state) (on_timeout : bool) (me : nat) (t : transition) : list nat -> outcome -> Prop :=
| alone : forall d, takes p (begin s) on_timeout me (does t) (Some d) -> offered d = None ->
    attempts s on_timeout me t [me] (finish (arrived d t me) me (holder_after t me))
| rendezvous : forall d k n o, takes p (begin s) on_timeout me (does t) (Some d) -> offered d = Some k ->
    answered (arrived d t me) me (Some (n, o)) -> ~ answered (arrived d t me) me None ->
    attempts s on_timeout me t [me; n] o
| rendezvous_goes_wrong : forall d k, takes p (begin s) on_timeout me (does t) (Some d) -> offered d = Some k ->
    answered (arrived d t me) me None -> attempts s on_timeout me t [me] Breaks
| goes_wrong_alone : takes p (begin s) on_timeout me (does t) None -> attempts s on_timeout me t [me] Breaks.

Definition is_executable (s : state) (on_timeout : bool) (me : nat) (t : transition) : Prop :=
  exists r, takes p (begin s) on_timeout me (does t) r.

(* The transitions of a process in order: an escape shuts out what is not of its unless, else is for when nothing before
   it was executable, and an offer that nobody answers opens again what an escape had shut out. *)
Inductive tries (s : state) (on_timeout : bool) (me : nat) (only_one : bool)
    : bool -> N -> list transition -> list nat -> outcome -> Prop :=
| tries_this : forall moved escaped t r w o, is_shut escaped t = false -> moved && starts_with_else (does t) = false ->
    attempts s on_timeout me t w o ->
    tries s on_timeout me only_one moved escaped (t :: r) w (judged only_one moved t o)
| tries_others_also : forall moved escaped t r w o w' o', is_shut escaped t = false ->
    moved && starts_with_else (does t) = false -> attempts s on_timeout me t w' o' ->
    tries s on_timeout me only_one true (escape t) r w o -> tries s on_timeout me only_one moved escaped (t :: r) w o
| passes_over_else : forall moved escaped t r w o, is_shut escaped t = false ->
    moved && starts_with_else (does t) = true -> tries s on_timeout me only_one moved escaped r w o ->
    tries s on_timeout me only_one moved escaped (t :: r) w o
| passes_over_what_blocks : forall moved escaped t r w o, is_shut escaped t = false ->
    moved && starts_with_else (does t) = false -> ~ is_executable s on_timeout me t ->
    tries s on_timeout me only_one moved escaped r w o -> tries s on_timeout me only_one moved escaped (t :: r) w o
| finds_no_partner : forall moved escaped t r w o, is_shut escaped t = false ->
    moved && starts_with_else (does t) = false -> is_executable s on_timeout me t ->
    (forall w' o', ~ attempts s on_timeout me t w' o') ->
    tries s on_timeout me only_one moved 0 r w o -> tries s on_timeout me only_one moved escaped (t :: r) w o.

Inductive opens (s : state) (on_timeout : bool) (me : nat) : list nat -> outcome -> Prop :=
| cannot_be_scheduled : forall q, nth_error (processes s) me = Some q ->
    may_be_scheduled (begin s) on_timeout me q = None -> opens s on_timeout me [me] Breaks
| is_scheduled : forall q w o, nth_error (processes s) me = Some q ->
    may_be_scheduled (begin s) on_timeout me q = Some true ->
    tries s on_timeout me (is_deterministic q) false 0 (transitions_at p q) w o -> opens s on_timeout me w o.

(* atomic *)
Inductive settles : state -> state -> Prop :=
| nobody_has_control : forall s, exclusive s = None -> settles s s
| keeps_control : forall s h w o, exclusive s = Some h -> opens s false h w o -> settles s s
| loses_control : forall s h, exclusive s = Some h -> (forall w o, ~ opens s false h w o) -> settles s (released s).

Inductive moves (s : state) (on_timeout : bool) (me : nat) : list nat -> outcome -> Prop :=
| moves_on : forall w t t', opens s on_timeout me w (Goes t) -> settles t t' -> moves s on_timeout me w (Goes t')
| moves_badly : forall w f t t', opens s on_timeout me w (Fails f t) -> settles t t' ->
    moves s on_timeout me w (Fails f t')
| breaks_down : forall w, opens s on_timeout me w Breaks -> moves s on_timeout me w Breaks.

(* A step, with the processes that move in it. *)
Inductive step_by (s : state) : list nat -> outcome -> Prop :=
| in_an_atomic_sequence : forall h w o, exclusive s = Some h -> moves s false h w o -> step_by s w o
| as_one_of_all : forall n w o, exclusive s = None -> moves s false n w o -> step_by s w o
| on_a_timeout : forall n w o, exclusive s = None -> (forall m w' o', ~ moves s false m w' o') ->
    moves s true n w o -> step_by s w o.
Definition step (s : state) (o : outcome) : Prop := exists w, step_by s w o.

(* Proofs *)

Lemma nth_numbered : forall (l : list process) n q, In (n, q) (numbered l) <-> nth_error l n = Some q.
Proof.
  assert (from : forall (l : list process) k n q, In (n, q) (combine (seq k (length l)) l) <->
      exists i, (n = k + i)%nat /\ nth_error l i = Some q).
  { induction l as [|a l IH]; intros k n q; simpl.
    - split; [tauto|]. intros ([|i] & _ & E); discriminate.
    - rewrite IH. split.
      + intros [E|(i & -> & E)]; [injection E as <- <-; exists O; split; [lia|reflexivity]|].
        exists (S i). split; [lia|exact E].
      + intros ([|i] & -> & E); simpl in E; [left; injection E as <-; f_equal; lia|].
        right. exists i. split; [lia|exact E]. }
  intros l n q. unfold numbered. rewrite from. split.
  - intros (i & -> & E). exact E.
  - intros E. exists n. auto.
Qed.

Lemma take_blocked : forall d on_timeout me e, take p d on_timeout me e = Blocked <->
  forall r, ~ takes p d on_timeout me e r.
Proof.
  intros. split.
  - intros B r T. apply takes_is_takes in T. congruence.
  - intros N. destruct (take p d on_timeout me e) as [|r] eqn:T; auto. destruct (N r). apply takes_is_takes, T.
Qed.

Lemma takes_one : forall d on_timeout me e r r',
  takes p d on_timeout me e r -> takes p d on_timeout me e r' -> r = r'.
Proof. intros d on_timeout me e r r' T T'. apply takes_is_takes in T. apply takes_is_takes in T'. congruence. Qed.

Lemma answers_is : forall d n l escaped o, In o (answers d n escaped l) <-> answering d n escaped l o.
Proof.
  intros d n. induction l as [|t r IH]; intros escaped o; simpl.
  - split; [tauto|]. intros A. inversion A.
  - destruct (is_shut escaped t) eqn:shut.
    { split; [intros []|]. intros A. inversion A; congruence. }
    destruct (starts_with_receive (does t)) eqn:receives; simpl.
    2:{ rewrite IH. split.
        - intros A. apply answers_later; auto. intros both yes. congruence.
        - intros A. inversion A; subst; auto; congruence. }
    destruct (can_take p d false n (does t)) as [[|]|] eqn:can.
    + destruct (take p d false n (does t)) as [|[both|]] eqn:T.
      * rewrite IH. pose proof (proj1 (take_blocked _ _ _ _) T) as no. split.
        -- intros A. apply answers_later; auto.
        -- intros A. inversion A; subst; auto; try congruence; exfalso; eapply no; eauto.
      * apply takes_is_takes in T. simpl. rewrite IH. split.
        -- intros [<-|A]; [apply answers_here; auto | eapply answers_also; eauto].
        -- intros A. inversion A as [? ? ? x S R C T'|? ? ? S R C T'|? ? ? S R C|? ? ? ? S N A'|? ? ? ? x S R C T' A'];
             subst; auto; try congruence.
           ++ pose proof (takes_one _ _ _ _ _ _ T T') as same. injection same as <-. left. reflexivity.
           ++ pose proof (takes_one _ _ _ _ _ _ T T'). discriminate.
           ++ destruct (N both receives can T).
      * apply takes_is_takes in T. simpl. rewrite IH. split.
        -- intros [<-|A]; [apply answers_wrongly; auto | apply answers_later; auto].
           intros both _ _ T'. pose proof (takes_one _ _ _ _ _ _ T T'). discriminate.
        -- intros A. inversion A as [? ? ? x S R C T'|? ? ? S R C T'|? ? ? S R C|? ? ? ? S N A'|? ? ? ? x S R C T' A'];
             subst; auto; try congruence; pose proof (takes_one _ _ _ _ _ _ T T'); discriminate.
    + rewrite IH. split.
      * intros A. apply answers_later; auto. intros both _ yes. congruence.
      * intros A. inversion A; subst; auto; congruence.
    + simpl. rewrite IH. split.
      * intros [<-|A]; [apply cannot_be_asked; auto | apply answers_later; auto]. intros both _ yes. congruence.
      * intros A. inversion A; subst; auto; congruence.
Qed.

Lemma partners_is : forall d me o, In o (partners d me) <-> answered d me o.
Proof.
  intros d me o. unfold partners. rewrite in_flat_map. split.
  - intros ((n & q) & inside & A). apply in_rev in inside. apply nth_numbered in inside. unfold partner in A.
    destruct (Nat.eqb_spec n me) as [|other]; [destruct A|].
    destruct (may_be_scheduled d false n q) as [[|]|] eqn:M.
    + apply in_map_iff in A. destruct A as (x & <- & A). apply answers_is in A. eapply by_a_partner; eauto.
    + destruct A.
    + destruct A as [<-|[]]. eapply by_one_that_cannot_be_scheduled; eauto.
  - intros A. destruct A as [n q o other inside M A|n q other inside M];
      exists (n, q); (split; [apply -> in_rev; apply nth_numbered; exact inside|]); unfold partner;
      destruct (Nat.eqb_spec n me); try contradiction; rewrite M.
    + apply in_map, answers_is, A.
    + left. reflexivity.
Qed.

Lemma those_of_is : forall A (l : list (option A)) o, In o (those_of l) <-> In (Some o) l.
Proof.
  intros A l o. unfold those_of. rewrite in_flat_map. split.
  - intros ([x|] & inside & H); [destruct H as [->|[]]; exact inside | destruct H].
  - intros inside. exists (Some o). split; [exact inside | left; reflexivity].
Qed.
Lemma goes_wrong_is : forall A (l : list (option A)), existsb goes_wrong l = true <-> In None l.
Proof.
  intros A l. rewrite existsb_exists. split.
  - intros ([x|] & inside & H); [discriminate | exact inside].
  - intros inside. exists None. auto.
Qed.

Lemma attempt_is : forall s on_timeout me t,
  (attempt s on_timeout me t = NotExecutable <-> ~ is_executable s on_timeout me t) /\
  (forall l, attempt s on_timeout me t = Tried l -> forall w o, In (w, o) l <-> attempts s on_timeout me t w o).
Proof.
  intros s on_timeout me t. unfold attempt, is_executable.
  destruct (take p (begin s) on_timeout me (does t)) as [|[d|]] eqn:T.
  - pose proof (proj1 (take_blocked _ _ _ _) T) as no. split.
    + split; auto. intros _ (r & H). exact (no r H).
    + intros l E. discriminate.
  - apply takes_is_takes in T.
    assert (same : forall d', takes p (begin s) on_timeout me (does t) d' -> d' = Some d).
    { intros d' T'. apply takes_is_takes in T. apply takes_is_takes in T'. congruence. }
    split.
    + split; [destruct (offered d); discriminate|]. intros no. exfalso. apply no. eauto.
    + destruct (offered d) as [k|] eqn:F; intros l E w o; injection E as <-.
      * destruct (existsb goes_wrong (partners (arrived d t me) me)) eqn:W.
        -- apply goes_wrong_is in W. apply partners_is in W. split.
           ++ intros [E|[]]. injection E as <- <-. eapply rendezvous_goes_wrong; eauto.
           ++ intros A. destruct A as [d' T' F'|d' k' n o T' F' A N|d' k' T' F' A|T'];
                pose proof (same _ T') as E; try discriminate; injection E as ->; try congruence; try contradiction.
              left. reflexivity.
        -- assert (right : ~ answered (arrived d t me) me None).
           { intros A. apply partners_is in A. apply goes_wrong_is in A. congruence. }
           rewrite in_map_iff. split.
           ++ intros ([n o'] & E & A). injection E as <- <-. apply those_of_is, partners_is in A.
              eapply rendezvous; eauto.
           ++ intros A. destruct A as [d' T' F'|d' k' n o T' F' A N|d' k' T' F' A|T'];
                pose proof (same _ T') as E; try discriminate; injection E as ->; try congruence; try contradiction.
              exists (n, o). split; [reflexivity|]. apply those_of_is, partners_is, A.
      * split.
        -- intros [E|[]]. injection E as <- <-. apply alone; auto.
        -- intros A. destruct A as [d' T' F'|d' k' n o T' F' A N|d' k' T' F' A|T'];
             pose proof (same _ T') as E; try discriminate; injection E as ->; try congruence. left. reflexivity.
  - apply takes_is_takes in T.
    assert (same : forall d', takes p (begin s) on_timeout me (does t) d' -> d' = None).
    { intros d' T'. apply takes_is_takes in T. apply takes_is_takes in T'. congruence. }
    split.
    + split; [discriminate|]. intros no. exfalso. apply no. eauto.
    + intros l E w o. injection E as <-. split.
      * intros [E|[]]. injection E as <- <-. apply goes_wrong_alone, T.
      * intros A. destruct A as [d' T' F'|d' k' n o T' F' A N|d' k' T' F' A|T'];
          try (apply same in T'; discriminate). left. reflexivity.
Qed.

Lemma try_is : forall s on_timeout me only_one l moved escaped w o,
  In (w, o) (try s on_timeout me only_one moved escaped l) <-> tries s on_timeout me only_one moved escaped l w o.
Proof.
  intros s on_timeout me only_one. induction l as [|t r IH]; intros moved escaped w o; simpl.
  - split; [tauto|]. intros A. inversion A.
  - destruct (is_shut escaped t) eqn:shut.
    { split; [intros []|]. intros A. inversion A; congruence. }
    destruct (moved && starts_with_else (does t)) eqn:other.
    { rewrite IH. split.
      - intros A. apply passes_over_else; auto.
      - intros A. inversion A; subst; auto; congruence. }
    destruct (attempt_is s on_timeout me t) as (blocks & comes).
    destruct (attempt s on_timeout me t) as [|found_] eqn:E.
    + assert (no : ~ is_executable s on_timeout me t) by (apply blocks; reflexivity).
      assert (nothing : forall w' o', ~ attempts s on_timeout me t w' o').
      { intros w' o' A. apply no. destruct A as [d T|d k n o' T|d k T|T]; eexists; exact T. }
      rewrite IH. split.
      * intros A. apply passes_over_what_blocks; auto.
      * intros A. inversion A; subst; auto; try congruence; try contradiction; exfalso; eapply nothing; eauto.
    + assert (yes : is_executable s on_timeout me t).
      { destruct (take p (begin s) on_timeout me (does t)) as [|x] eqn:T.
        - unfold attempt in E. rewrite T in E. discriminate.
        - exists x. apply takes_is_takes, T. }
      specialize (comes found_ eq_refl). destruct found_ as [|[w0 x] rest].
      * assert (nothing : forall w' o', ~ attempts s on_timeout me t w' o').
        { intros w' o' A. apply comes in A. destruct A. }
        rewrite IH. split.
        -- intros A. apply finds_no_partner; auto.
        -- intros A. inversion A; subst; auto; try congruence; try contradiction; exfalso; eapply nothing; eauto.
      * assert (some : attempts s on_timeout me t w0 x) by (apply comes; left; reflexivity).
        rewrite in_app_iff, in_map_iff, IH. split.
        -- intros [([w' y] & made & inside)|A].
           ++ injection made as <- <-. apply tries_this; auto. apply comes, inside.
           ++ eapply tries_others_also; eauto.
        -- intros A. inversion A; subst; auto; try congruence; try contradiction.
           ++ left. eexists (_, _). split; [reflexivity|]. apply comes. assumption.
           ++ exfalso. match goal with H : forall w' o', ~ attempts _ _ _ _ w' o' |- _ => exact (H w0 x some) end.
Qed.

Lemma open_steps_is : forall s on_timeout me w o,
  In (w, o) (open_steps s on_timeout me) <-> opens s on_timeout me w o.
Proof.
  intros s on_timeout me w o. unfold open_steps. destruct (nth_error (processes s) me) as [q|] eqn:Q.
  - destruct (may_be_scheduled (begin s) on_timeout me q) as [[|]|] eqn:M.
    + rewrite try_is. split.
      * intros A. eapply is_scheduled; eauto.
      * intros A. destruct A as [q' E N|q' w o E N A]; rewrite Q in E; injection E as <-; congruence.
    + split; [intros []|]. intros A. destruct A as [q' E N|q' w o E N A]; rewrite Q in E; injection E as <-; congruence.
    + split.
      * intros [E|[]]. injection E as <- <-. eapply cannot_be_scheduled; eauto.
      * intros A. destruct A as [q' E N|q' w o E N A]; rewrite Q in E; injection E as <-;
          [left; reflexivity | congruence].
  - split; [intros []|]. intros A. destruct A; congruence.
Qed.

Lemma settled_state_is : forall s t, settled_state s = t <-> settles s t.
Proof.
  intros s t. unfold settled_state. split.
  - intros <-. destruct (exclusive s) as [h|] eqn:X.
    + destruct (open_steps s false h) as [|[w o] r] eqn:L.
      * apply loses_control with h; auto. intros w o A. apply open_steps_is in A. rewrite L in A. destruct A.
      * apply keeps_control with h w o; auto. apply open_steps_is. rewrite L. left. reflexivity.
    + apply nobody_has_control, X.
  - intros S. destruct S as [s X|s h w o X A|s h X N]; rewrite X; auto.
    + apply open_steps_is in A. destruct (open_steps s false h); [destruct A | reflexivity].
    + destruct (open_steps s false h) as [|[w o] r] eqn:L; auto. destruct (N w o). apply open_steps_is. rewrite L. left.
      reflexivity.
Qed.

Lemma steps_of_is : forall s on_timeout me w o, In (w, o) (steps_of s on_timeout me) <-> moves s on_timeout me w o.
Proof.
  intros s on_timeout me w o. unfold steps_of. rewrite in_map_iff. split.
  - intros ([v x] & E & inside). injection E as <- <-. apply open_steps_is in inside. destruct x as [t|f t|]; simpl.
    + eapply moves_on; [exact inside|]. apply settled_state_is. reflexivity.
    + eapply moves_badly; [exact inside|]. apply settled_state_is. reflexivity.
    + apply breaks_down, inside.
  - intros M. destruct M as [w t t' A S|w f t t' A S|w A]; apply open_steps_is in A; try apply settled_state_is in S;
      eexists; (split; [|exact A]); simpl; congruence.
Qed.

Lemma steps_of_all_is : forall s on_timeout w o,
  In (w, o) (steps_of_all s on_timeout) <-> exists n, moves s on_timeout n w o.
Proof.
  intros s on_timeout w o. unfold steps_of_all. rewrite in_flat_map. split.
  - intros (n & _ & inside). exists n. apply steps_of_is, inside.
  - intros (n & M). exists n. split; [|apply steps_of_is, M]. apply -> in_rev. apply in_seq. split; [lia|].
    assert (there : nth_error (processes s) n <> None).
    { destruct M as [w t t' A S|w f t t' A S|w A]; destruct A; congruence. }
    apply nth_error_Some in there. lia.
Qed.

Theorem steps_by_is_step_by : forall s w o, In (w, o) (steps_by s) <-> step_by s w o.
Proof.
  intros s w o. unfold steps_by. destruct (exclusive s) as [h|] eqn:X.
  - rewrite steps_of_is. split.
    + intros M. eapply in_an_atomic_sequence; eauto.
    + intros S. destruct S as [h' w o X' M|n w o X' M|n w o X' N M]; congruence.
  - destruct (steps_of_all s false) as [|[v x] r] eqn:L.
    + assert (none : forall m w' o', ~ moves s false m w' o').
      { intros m w' o' M. assert (inside : In (w', o') (steps_of_all s false)) by (apply steps_of_all_is; eauto).
        rewrite L in inside. destruct inside. }
      rewrite steps_of_all_is. split.
      * intros (n & M). eapply on_a_timeout; eauto.
      * intros S. destruct S as [h' w o X' M|n w o X' M|n w o X' N M]; try congruence; eauto. destruct (none _ _ _ M).
    + rewrite <- L, steps_of_all_is. split.
      * intros (n & M). eapply as_one_of_all; eauto.
      * intros S. destruct S as [h' w o X' M|n w o X' M|n w o X' N M]; try congruence; eauto.
        exfalso. assert (inside : In (v, x) (steps_of_all s false)) by (rewrite L; left; reflexivity).
        apply steps_of_all_is in inside. destruct inside as (m & M'). exact (N m v x M').
Qed.

Theorem steps_is_step : forall s o, In o (steps s) <-> step s o.
Proof.
  intros s o. unfold steps. rewrite in_map_iff. split.
  - intros ([w x] & <- & inside). exists w. apply steps_by_is_step_by, inside.
  - intros (w & S). exists (w, o). split; [reflexivity|]. apply steps_by_is_step_by, S.
Qed.

(* Where a run begins: global variables have their first values, and the active processes are started in order. *)
Fixpoint start_all (d : draft) (l : list (nat * Z)) : option draft :=
  match l with [] => Some d | (k, pr) :: r => d' <- start p d k [] pr; start_all d' r end.
Definition blank : state :=
  State (repeat 0 (global_cells p)) [] [] None 0%nat (match watched p with Some t => begins t | None => xH end).
Definition initial : option state :=
  d <- set_all p Shared 0 (begin blank) (global_values p); d' <- start_all d (active p); Some (now d').

(* Where a run may stop: each process at its end or at an end label, and a trace over. No matter how, if no process is
   left. *)
Definition may_end (q : process) : bool :=
  match node_at p (kind q) (place q) with Some n => is_end n | None => false end.
Definition trace_may_stop (s : state) : bool :=
  match watched p, processes s with
  | Some t, _ :: _ => may_stop (moment_at t (moment_now s))
  | _, _ => true
  end.
Definition is_empty (c : channel) : bool := match messages c with [] => true | _ => false end.
Definition is_valid_end (s : state) : bool :=
  negb (ends_matter p) ||
  ((negb (channels_matter p) || forallb is_empty (channels s)) && trace_may_stop s && forallb may_end (processes s)).

(* States in which something is wrong: a step that must not be, or a stop where none may be. *)
Inductive goes_wrong_in (s : state) : Prop :=
| step_fails : forall f t, step s (Fails f t) -> goes_wrong_in s
| step_breaks : step s Breaks -> goes_wrong_in s
| stops_badly : (forall o, ~ step s o) -> is_valid_end s = false -> goes_wrong_in s.

(* Every outcome is of a process that is there. *)
Theorem outcomes_are_of_processes : forall s o, step s o ->
  exists on_timeout n w, (n < length (processes s))%nat /\ moves s on_timeout n w o.
Proof.
  intros s o [w S].
  assert (there : forall on_timeout n, moves s on_timeout n w o -> (n < length (processes s))%nat).
  { intros on_timeout n M. apply nth_error_Some. destruct M as [w t t' A T|w f t t' A T|w A]; destruct A; congruence. }
  destruct S as [h w o X M|n w o X M|n w o X N M]; do 3 eexists; (split; [eapply there|]); exact M.
Qed.
End Steps.
