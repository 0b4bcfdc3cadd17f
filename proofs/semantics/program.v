(* Programs: what the reader of Promela hands over, each proctype as a graph of places of control.

   Names are resolved, macros and inlines are gone; a variable is a row of cells, structures flattened. if, do, goto,
   break, labels and blocks are in the shape of the graph; so is unless, by the rank of its escapes, and atomic, by what a
   transition keeps. Everything else is a constructor with the name of the construct. *)
(* Proves: by_parts *)
(* Assumes: nothing *)
From Coq Require Import ZArith List FMapPositive.
From everafter.semantics Require Import values.
Import ListNotations.

(* Shared: a global variable. Mine: a parameter or variable of the process that evaluates. *)
Inductive scope := Shared | Mine.
Inductive query := Len | Empty | Nempty | Full | Nfull.

Inductive expr :=
| Number (v : Z)
(* An index of a reference: its value, how many elements there are, how many cells an element takes. *)
| Variable_ (where_ : scope) (base : nat) (at_ : list (expr * Z * Z))
| Pid                                     (* _pid *)
| NrPr                                    (* _nr_pr *)
| Last                                    (* _last *)
| MyPriority                              (* _priority *)
| Not (e : expr)
| Negative (e : expr)
| Complement (e : expr)
| Binary (o : operator) (e f : expr)
| And (e f : expr)
| Or (e f : expr)
| Conditional (c e f : expr)              (* (c -> e : f) *)
| Within (e : expr) (lowest highest : Z)  (* no Promela: it is an error to leave the range *)
| Query (q : query) (channel : expr)
(* q?[...], anywhere: q??[...]; a field may have any value, or must be equal to this one. *)
| Poll (anywhere : bool) (channel : expr) (asked : list (option expr))
| PcValue (process : expr)
| GetPriority (process : expr)
| Enabled (process : expr)
| Timeout
| NonProgress                             (* np_ *)
(* P[e]@label, P[e]:x: the process of that number; P@label, P:x: the oldest process of the proctype. *)
| RemoteLabel (kind : nat) (process : option expr) (place : positive)
| RemoteVariable (kind : nat) (process : option expr) (base : nat) (at_ : list (expr * Z * Z)).

(* The expressions of which an expression is directly made; all expressions come about so. *)
Definition parts_of (e : expr) : list expr :=
  match e with
  | Number _ | Pid | NrPr | Last | MyPriority | Timeout | NonProgress => []
  | Variable_ _ _ at_ => map (fun index => fst (fst index)) at_
  | Not e | Negative e | Complement e | Within e _ _ | Query _ e | PcValue e | GetPriority e | Enabled e => [e]
  | Binary _ e f | And e f | Or e f => [e; f]
  | Conditional c e f => [c; e; f]
  | Poll _ e asked => e :: flat_map (fun field => match field with Some f => [f] | None => [] end) asked
  | RemoteLabel _ process _ => match process with Some e => [e] | None => [] end
  | RemoteVariable _ process _ at_ =>
      match process with Some e => [e] | None => [] end ++ map (fun index => fst (fst index)) at_
  end.

Theorem by_parts : forall P : expr -> Prop, (forall e, (forall part, In part (parts_of e) -> P part) -> P e) ->
  forall e, P e.
Proof.
  intros P step. fix every 1. intros e. apply step.
  assert (indices : forall at_ part, In part (map (fun index : expr * Z * Z => fst (fst index)) at_) -> P part).
  { fix those 1. intros [|[[i n] z] at_] part inside; [destruct inside|].
    destruct inside as [<-|inside]; [apply every | exact (those at_ part inside)]. }
  assert (asked_for : forall asked part,
    In part (flat_map (fun field : option expr => match field with Some f => [f] | None => [] end) asked) -> P part).
  { fix those 1. intros [|[f|] asked] part inside; [destruct inside| |exact (those asked part inside)].
    destruct inside as [<-|inside]; [apply every | exact (those asked part inside)]. }
  destruct e as [v|w base at_| | | | |e|e|e|o e f|e f|e f|c e f|e lowest highest|q e|anywhere e asked|e|e|e| |
    |kind which place|kind which base at_]; simpl; intros part inside;
    try (destruct inside; fail); try exact (indices _ _ inside);
    try (repeat (destruct inside as [<-|inside]; [apply every|]); destruct inside; fail).
  - destruct inside as [<-|inside]; [apply every | exact (asked_for _ _ inside)].
  - destruct which as [e|]; [destruct inside as [<-|[]]; apply every | destruct inside].
  - apply in_app_iff in inside. destruct inside as [inside|inside]; [|exact (indices _ _ inside)].
    destruct which as [e|]; [destruct inside as [<-|[]]; apply every | destruct inside].
Qed.

(* Where a value goes. *)
Inductive target :=
| ToVariable (where_ : scope) (w : width) (base : nat) (at_ : list (expr * Z * Z))
| ToPriority                              (* _priority = e *)
| ToNothing.                              (* _ *)

(* The fields of a receive: a constant or eval(e), or a variable. *)
Inductive pattern := Match (e : expr) | Bind (t : target).

Inductive statement :=
| Skip                                    (* goto, break and ends of choices that are steps; declarations of structures *)
| Else
| Test (e : expr)                         (* an expression: executable when it is not zero *)
| Assign (t : target) (e : expr)
| Assert (required : bool) (e : expr)     (* required: it is expected to hold *)
| Print (es : list expr)
| SetPriority (process priority_ : expr)
| Send (sorted : bool) (channel : expr) (es : list expr)                        (* q!..., sorted: q!!... *)
| Receive (anywhere keeps : bool) (channel : expr) (ps : list pattern)          (* q?..., q??..., keeps: q?<...> *)
| Run (into : option target) (kind : nat) (es : list expr) (priority_ : Z).     (* run P(...), x = run P(...) *)

(* Inside a d_step: execute a statement and go on; or go to the first option that is executable. No place is its end. *)
Inductive instruction :=
| Perform (s : statement) (next : option positive)
| Select (options : list (option positive)).

Inductive effect :=
| Do (s : statement)
| End                                     (* the end of a process: `-end-` *)
(* `guards`: what it may begin with, if that is known beforehand. *)
| DStep (guards : option (list statement)) (start : option positive) (body : PositiveMap.t instruction).

(* `escape`: 0, or what distinguishes the escapes of one unless from those of another and from the main part. *)
Record transition := Transition { does : effect; goal : positive; keeps_atomic : bool; escape : N }.
Record node := Node { transitions : list transition; is_end : bool; is_progress : bool }.

(* How a variable comes to its first value: computed, or a channel created. *)
Inductive first_value :=
| Sets (cell : nat) (w : width) (e : expr)
| Creates (cell : nat) (w : width) (chantype : nat).

Record chantype := ChanType { capacity : Z; widths : list width }.   (* capacity 0: a rendezvous *)

Record proctype := ProcType {
  nodes : PositiveMap.t node;
  entry : positive;
  cells : nat;
  parameters : list (nat * width);
  first_values : list first_value;
  created : nat;                          (* how many channels a process creates *)
  provided : option expr;
  deterministic : bool;                   (* D_proctype *)
  promises : list (bool * expr) }.        (* true, q: xs q; false, q: xr q *)

(* A trace or notrace assertion: which operation on which channel with which constants leads where. *)
Record event := Event { is_send : bool; on_channel : expr; constants : list (nat * expr); leads_to : positive }.
Record moment := Moment { events : list event; may_stop : bool; is_final : bool }.
Record trace := Trace { is_notrace : bool; moments : PositiveMap.t moment; begins : positive; final : positive;
  every_event : list event }.

Record program := Program {
  proctypes : list proctype;
  chantypes : list chantype;
  global_cells : nat;
  global_values : list first_value;
  active : list (nat * Z);                (* proctype and priority of those that are there at the start *)
  loses_messages : bool;                  (* spin -m *)
  uses_last : bool;                       (* states tell who moved last *)
  uses_priority : bool;                   (* priorities decide who may move *)
  ends_matter : bool;                     (* a run may stop only where every process may *)
  channels_matter : bool;                 (* and only with all channels empty *)
  watched : option trace }.
