(* States between two steps, and the next state while a step makes it. *)
(* Proves: update_changes_one, the_first_flaw_counts *)
(* Assumes: nothing *)
From Coq Require Import ZArith List Bool FMapPositive.
From everafter.semantics Require Import values program.
Import ListNotations.

(* A process: its proctype, where it is, its variables, its priority. Its number is its place among the processes. *)
Record process := Process { kind : nat; place : positive; locals : list Z; priority : Z }.
(* A channel: its declaration and its messages, oldest first. Channels are numbered from 1; 0 is no channel. *)
Record channel := Channel { declared : nat; messages : list (list Z) }.

(* `exclusive`: the process in the middle of an atomic sequence, which alone may move. *)
Record state := State {
  globals : list Z;
  processes : list process;
  channels : list channel;
  exclusive : option nat;
  last : nat;
  moment_now : positive }.

(* What a model must not do. *)
Inductive flaw := AssertionFailed | WentWrong | TraceViolated.

(* The next state in the making. `offered`: the rendezvous channel in which a message waits to be taken within this very
   step. `noted`: the first flaw that does not stop the step. *)
Record draft := Draft { now : state; offered : option nat; noted : option flaw }.
Definition begin (s : state) : draft := Draft s None None.

Section Lists.
Variable A : Type.
Fixpoint update (l : list A) (n : nat) (x : A) : list A :=
  match l, n with [], _ => [] | _ :: r, O => x :: r | a :: r, S m => a :: update r m x end.
Fixpoint remove_at (l : list A) (n : nat) : list A :=
  match l, n with [], _ => [] | _ :: r, O => r | a :: r, S m => a :: remove_at r m end.
Fixpoint insert_at (l : list A) (n : nat) (x : A) : list A :=
  match l, n with r, O => x :: r | [], _ => [x] | a :: r, S m => a :: insert_at r m x end.
Fixpoint find_place (f : A -> bool) (l : list A) : option nat :=
  match l with [] => None | a :: r => if f a then Some O else option_map S (find_place f r) end.
(* The first that is so, where looking may go wrong: what stands behind it is not looked at. *)
Fixpoint is_some (f : A -> option bool) (l : list A) : option bool :=
  match l with
  | [] => Some false
  | a :: r => match f a with None => None | Some true => Some true | Some false => is_some f r end
  end.
Fixpoint is_every (f : A -> option bool) (l : list A) : option bool :=
  match l with
  | [] => Some true
  | a :: r => match f a with None => None | Some false => Some false | Some true => is_every f r end
  end.
Fixpoint collect (B : Type) (f : A -> option B) (l : list A) : option (list B) :=
  match l with
  | [] => Some []
  | a :: r => match f a with
              | None => None
              | Some b => match collect B f r with None => None | Some t => Some (b :: t) end
              end
  end.

Theorem update_changes_one : forall l n x m,
  nth_error (update l n x) m = if Nat.eqb m n then option_map (fun _ => x) (nth_error l n) else nth_error l m.
Proof.
  induction l as [|a l IH]; intros [|n] x [|m]; simpl; auto; try (destruct (Nat.eqb m n); reflexivity).
Qed.
End Lists.
Arguments update {A}.
Arguments remove_at {A}.
Arguments insert_at {A}.
Arguments find_place {A}.
Arguments is_some {A}.
Arguments is_every {A}.
Arguments collect {A B}.

(* Changes of a draft *)

Definition with_state (d : draft) (s : state) : draft := Draft s (offered d) (noted d).
Definition with_globals (s : state) (l : list Z) : state :=
  State l (processes s) (channels s) (exclusive s) (last s) (moment_now s).
Definition with_processes (s : state) (l : list process) : state :=
  State (globals s) l (channels s) (exclusive s) (last s) (moment_now s).
Definition with_channels (s : state) (l : list channel) : state :=
  State (globals s) (processes s) l (exclusive s) (last s) (moment_now s).
Definition with_moment (s : state) (m : positive) : state :=
  State (globals s) (processes s) (channels s) (exclusive s) (last s) m.
Definition offering (d : draft) (o : option nat) : draft := Draft (now d) o (noted d).

(* A flaw that does not stop the step; the first one counts. *)
Definition note (d : draft) (f : flaw) : draft :=
  Draft (now d) (offered d) (match noted d with Some other => Some other | None => Some f end).

Definition change_process (d : draft) (n : nat) (f : process -> process) : draft :=
  match nth_error (processes (now d)) n with
  | Some q => with_state d (with_processes (now d) (update (processes (now d)) n (f q)))
  | None => d
  end.
Definition move (d : draft) (n : nat) (to : positive) : draft :=
  change_process d n (fun q => Process (kind q) to (locals q) (priority q)).
Definition write (d : draft) (where_ : scope) (me cell : nat) (v : Z) : draft :=
  match where_ with
  | Shared => with_state d (with_globals (now d) (update (globals (now d)) cell v))
  | Mine => change_process d me (fun q => Process (kind q) (place q) (update (locals q) cell v) (priority q))
  end.
Definition give_priority (d : draft) (n : nat) (v : Z) : draft :=
  change_process d n (fun q => Process (kind q) (place q) (locals q) v).
Definition set_channel (d : draft) (k : nat) (c : channel) : draft :=
  with_state d (with_channels (now d) (update (channels (now d)) (pred k) c)).

Theorem the_first_flaw_counts : forall d f g, noted (note (note d f) g) = noted (note d f).
Proof. intros d f g. simpl. destruct (noted d); reflexivity. Qed.

(* Where a process is *)

Definition node_at (p : program) (k : nat) (at_ : positive) : option node :=
  match nth_error (proctypes p) k with Some t => PositiveMap.find at_ (nodes t) | None => None end.
Definition transitions_at (p : program) (q : process) : list transition :=
  match node_at p (kind q) (place q) with Some n => transitions n | None => [] end.
