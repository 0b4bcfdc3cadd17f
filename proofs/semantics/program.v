(* Programs: what the reader of Promela hands over, each proctype as a graph of places of control.

   Names are resolved, macros and inlines are gone; a variable is a row of cells, structures flattened. if, do, goto,
   break, labels and blocks are in the shape of the graph; so is unless, by the rank of its escapes, and atomic, by what a
   transition keeps. Everything else is a constructor with the name of the construct. *)
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
