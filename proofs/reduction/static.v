(* Static reduction of a program preserves every formula without next: the whole of it.

   Everything that the reduction uses is computed here from the text of a program: where processes may still come,
   which processes are inert, which edges are visible, and which are sticky (by the search of reduction/sticky.v, from
   the visible ones and any that are given). The theorem needs no further condition: for every program of commands,
   every claim without next over its propositions, and every state to begin with, all runs satisfy the claim exactly
   if all runs of the reduced program do. A second theorem says the same of programs whose edges are any functions, as
   long as their footprints are honest. Which edges are given, and in which order processes are asked, does not
   matter. *)
(* Proves: reduction_of_honest_programs, reduction_of_programs *)
(* Assumes: classic, constructive_indefinite_description (through reduction/preservation.v and reduction/ample.v) *)
From Coq Require Import Arith Lia List Bool ZArith.
From everafter.ltl Require Import words formulas.
From everafter.reduction Require Import channels programs cycles sticky conditions preservation ample commands.
Import ListNotations.

(* Where a process may still come *)

Definition has (p : nat) (places : list nat) : bool := existsb (Nat.eqb p) places.
Definition grow (t : text) (places : list nat) : list nat :=
  nodup Nat.eq_dec (places ++ map to (filter (fun e => has (from e) places) t)).
Definition closed (t : text) (places : list nat) : bool :=
  forallb (fun e => negb (has (from e) places) || has (to e) places) t.

(* The places are grown as often as there are edges; that this is enough is checked, not proved: else all are taken. *)
Definition may_reach (t : text) (place : nat) : list nat :=
  let found := Nat.iter (length t) (grow t) [place] in
  if has place found && closed t found then found else place :: map to t.

Lemma may_stay : forall t place, In place (may_reach t place).
Proof.
  intros t place. unfold may_reach. cbv zeta.
  destruct (has place (Nat.iter (length t) (grow t) [place]) && closed t (Nat.iter (length t) (grow t) [place])) eqn:B.
  - apply andb_prop in B as [here _]. apply in_existsb. exact here.
  - simpl. auto.
Qed.

Lemma may_go_on : forall t place e, In e t -> In (from e) (may_reach t place) -> In (to e) (may_reach t place).
Proof.
  intros t place e inside. unfold may_reach. cbv zeta. set (found := Nat.iter (length t) (grow t) [place]).
  destruct (has place found && closed t found) eqn:B; intros here.
  - apply andb_prop in B as [_ C]. unfold closed in C. rewrite forallb_forall in C. specialize (C e inside).
    apply in_existsb in here. unfold has in C. rewrite here in C. apply in_existsb. exact C.
  - right. apply in_map. auto.
Qed.

(* Sticky edges *)

Section Static.
Variable P : program.
Variable claim : list proposition.
Variable given : nat -> nat -> bool.
Variable order : state -> list nat.

Definition sticky_of (p : nat) : list nat :=
  match nth_error P p with
  | Some t => back_edges nat (source_of t) (target_of t) (seq 0 (length t)) (fun i => given p i || visible P claim p i)
  | None => []
  end.
Definition is_sticky (p i : nat) : bool := given p i || has i (sticky_of p).

Lemma sticky_meets_every_cycle : forall p t, nth_error P p = Some t ->
  meets_every_cycle (source_of t) (target_of t) (seq 0 (length t))
    (fun i => is_sticky p i = true \/ visible P claim p i = true).
Proof.
  intros p t T a walk some inside round.
  destruct (back_edges_meet_every_cycle nat (source_of t) (target_of t) (seq 0 (length t))
    (fun i => given p i || visible P claim p i) a walk some inside round) as (i & on & cut).
  exists i. split; auto. unfold is_sticky. destruct cut as [G|B].
  - apply orb_prop in G as [G|V]; [left; rewrite G; auto | right; auto].
  - left. apply orb_true_iff. right. apply in_existsb. unfold sticky_of. rewrite T. exact B.
Qed.

(* Inert processes: of those that cannot move, again and again, the ones that nobody else can let move. *)
Definition blocked (s : state) : list nat :=
  filter (fun r => match moves P s r with [] => true | _ => false end) (seq 0 (length P)).
Definition resting (s : state) (p : nat) : list nat :=
  Nat.iter (length P) (fun still => filter (undisturbed P may_reach s p still) still) (blocked s).

Definition reduced (s : state) : list action :=
  ample P (fun _ => is_sticky) (visible P claim) may_reach order resting s.

Definition truth (l : list bool) (proposition : nat) : bool := nth proposition l false.
Definition runs (s : state) (w : nat -> action) := run state action (enabled P) (execute P) s w.
Definition reduced_runs (s : state) (w : nat -> action) :=
  reduced_run state action (execute P) (fun s a => In a (reduced s)) s w.
Definition word_seen (s : state) (w : nat -> action) := word_of state action (list bool) (execute P) (label claim) s w.

Hypothesis honest_program : forall t e, In t P -> In e t -> honest e.

Lemma static_conditions : conditions state action (list bool) (fun _ => True) (enabled P) (execute P) (label claim)
  (fun s a => In a (reduced s)).
Proof.
  apply (ample_satisfies_conditions P (list bool) (label claim) (fun _ => is_sticky) (visible P claim) may_reach
    order resting) with (sticky := is_sticky); auto.
  - intros t p i. apply invisible_commands_are_unseen. auto.
  - apply may_stay.
  - apply may_go_on.
  - apply sticky_meets_every_cycle.
Qed.

Theorem reduction_of_honest_programs : forall (f : formula nat) (s : state), next_free f ->
  ((forall w, runs s w -> satisfies truth (word_seen s w) f) <->
   (forall w, reduced_runs s w -> satisfies truth (word_seen s w) f)).
Proof.
  intros f s free. apply (reduction_preserves_formulas _ _ _ _ _ _ _ _ static_conditions nat truth f s free I).
Qed.
End Static.

Definition program_of (source : list (list command)) : program := map (map edge_of_command) source.

Lemma program_is_honest : forall source t e, In t (program_of source) -> In e t -> honest e.
Proof.
  intros source t e inside E. apply in_map_iff in inside as (commands & <- & _). apply in_map_iff in E as (c & <- & _).
  apply commands_are_honest.
Qed.

Theorem reduction_of_programs : forall source claim given order (f : formula nat) (s : state), next_free f ->
  ((forall w, runs (program_of source) s w -> satisfies truth (word_seen (program_of source) claim s w) f) <->
   (forall w, reduced_runs (program_of source) claim given order s w ->
     satisfies truth (word_seen (program_of source) claim s w) f)).
Proof. intros source claim given order f s. apply reduction_of_honest_programs, program_is_honest. Qed.

(* The reduction at work: two processes count a local variable up to 2, then write a global one that the claim sees. *)
Section Shown.
Definition less_than_two := Binary (fun a b => if Z.ltb a b then 1 else 0)%Z (Local 0) (Literal 2).
Definition two_or_more := Unary (fun a => if Z.ltb a 2 then 0 else 1)%Z (Local 0).
Definition counts (shared : nat) : list command := [
  {| source := 0; target := 1; condition := less_than_two; over := Quiet; body := [] |};
  {| source := 1; target := 0; condition := Literal 1; over := Quiet;
     body := [SetLocal 0 (Binary Z.add (Local 0) (Literal 1))] |};
  {| source := 0; target := 2; condition := two_or_more; over := Quiet; body := [SetGlobal shared (Literal 1)] |} ].
Definition both := program_of [counts 0; counts 1].
Definition zeros := {| globals := [0; 0]%Z; channels := []; processes := [(0, [0%Z]); (0, [0%Z])] |}.
Definition youngest (s : state) := [1; 0].
Definition never := fun _ _ : nat => false.
Definition seen := [Says (Global 0)].

Example all_can_move : enabled_list both zeros = [Step 0 0; Step 1 0].
Proof. reflexivity. Qed.
Example one_suffices : reduced both seen never youngest zeros = [Step 1 0].
Proof. reflexivity. Qed.
(* The edge back is sticky: after it has been passed to, the steps of the other process are taken, not it alone. *)
Example loop_is_sticky : sticky_of both seen never 1 = [1].
Proof. reflexivity. Qed.
Example others_go_on : reduced both seen never youngest (execute both zeros (Step 1 0)) = [Step 0 0].
Proof. reflexivity. Qed.
(* In the last state of both, nothing can be left out: everything is taken. *)
Example everything_at_last : reduced both seen never youngest
  (execute both (execute both zeros (Step 1 0)) (Step 0 0)) = [Step 0 1; Step 1 1].
Proof. reflexivity. Qed.

(* Sender and receiver share a channel of two places. While there is a message in it, and room for one more, either may
   go on alone. Two senders may not: the order of their messages matters. *)
Definition pipe := program_of [
  [{| source := 0; target := 1; condition := Literal 1; over := Puts 0 2 false [Literal 7]; body := [] |}];
  [{| source := 0; target := 1; condition := Literal 1; over := Gets 0 false true [None];
      body := [SetLocal 0 (Received 0)] |}] ].
Definition holding (messages : list (list Z)) :=
  {| globals := []; channels := [messages]; processes := [(0, []); (0, [0%Z])] |}.
Example receiver_goes_on : reduced pipe [] never youngest (holding [[5%Z]]) = [Step 1 0].
Proof. reflexivity. Qed.
Example message_arrives : execute pipe (holding [[5%Z]]) (Step 1 0) =
  {| globals := []; channels := [[]]; processes := [(0, []); (1, [5%Z])] |}.
Proof. reflexivity. Qed.
Example sender_could_as_well : suffices pipe (fun _ => never) never may_reach (resting pipe) (holding [[5%Z]]) 0 = true.
Proof. reflexivity. Qed.
Definition senders := program_of [
  [{| source := 0; target := 1; condition := Literal 1; over := Puts 0 2 false [Literal 7]; body := [] |}];
  [{| source := 0; target := 1; condition := Literal 1; over := Puts 0 2 false [Literal 8]; body := [] |}] ].
Example order_matters : reduced senders [] never youngest (holding []) = [Step 0 0; Step 1 0].
Proof. reflexivity. Qed.

(* A process that waits for a variable that nobody writes is inert. So it does not hinder the other, though both write
   variable 0; if it were taken for awake, it would. *)
Definition waits := program_of [
  [{| source := 0; target := 1; condition := Literal 1; over := Quiet; body := [SetGlobal 0 (Literal 1)] |}];
  [{| source := 0; target := 1; condition := Global 1; over := Quiet; body := [SetGlobal 0 (Literal 2)] |}] ].
Definition still := {| globals := [0; 0]%Z; channels := []; processes := [(0, []); (0, [])] |}.
Example waiting_is_inert : inert waits may_reach (resting waits) still 0 = [1].
Proof. reflexivity. Qed.
Example first_goes_on :
  suffices waits (fun _ => never) (visible waits [Says (Global 1)]) may_reach (resting waits) still 0 = true.
Proof. reflexivity. Qed.
Example unless_awake :
  suffices waits (fun _ => never) (visible waits [Says (Global 1)]) may_reach (fun _ _ => []) still 0 = false.
Proof. reflexivity. Qed.
End Shown.
