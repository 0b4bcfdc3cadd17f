(* The value of an expression as a relation: a rule for each way in which a construct has a value, or goes wrong, with the
   cause; and that this is what the function `eval` computes.

   Of an expression there is one value or one cause. Causes are those of the language (an index out of range, a division
   by zero, a channel that was never made, ...) and, apart from them, those of a program that is not put together rightly:
   a variable without a cell, a process that is none. *)
(* Proves: eval_is_evaluates, wrong_is_evaluates, evaluation_is_deterministic, well_formed_causes *)
(* Assumes: nothing *)
From Coq Require Import Arith ZArith List Bool Lia.
From everafter.semantics Require Import values program states expressions.
Import ListNotations.
Local Open Scope Z_scope.

Inductive cause :=
| IndexOutOfRange | NoQuotient | NoChannel | DeadChannel | PollOfRendezvous | OutsideItsRange | EnabledOfOneself
| AskedInCircles | NotThisProctype
| NoCell | NoProcess.
Inductive finding (A : Type) := Is (a : A) | Wrong (c : cause).
Arguments Is {A}.
Arguments Wrong {A}.

Section Evaluation.
Variable p : program.
Variable d : draft.
Variable on_timeout : bool.
Variable can_move : nat -> option bool.
Variable me : nat.
Notation value_at := (at_cell d me).
Notation eval_here := (eval p d on_timeout can_move me).

(* What is asked for: the value of an expression; how far indices lead from the first cell of a reference; what a poll asks
   of the fields of a message; which process a remote reference means. *)
Inductive asked_for :=
| OfValue (e : expr) | OfIndices (at_ : list (expr * Z * Z)) | OfFields (asked : list (option expr))
| OfChoice (which : option expr) (k : nat).
Definition answered_by (a : asked_for) : Type :=
  match a with OfValue _ | OfChoice _ _ => Z | OfIndices _ => nat | OfFields _ => list (option Z) end.

Inductive comes_to : forall a : asked_for, finding (answered_by a) -> Prop :=
| number_is : forall v, comes_to (OfValue (Number v)) (Is v)
(* x, a[i], s.f[i] *)
| variable_is : forall w base at_ n v, comes_to (OfIndices at_) (Is n) -> value_at w (base + n)%nat = Some v ->
    comes_to (OfValue (Variable_ w base at_)) (Is v)
| variable_has_no_cell : forall w base at_ n, comes_to (OfIndices at_) (Is n) -> value_at w (base + n)%nat = None ->
    comes_to (OfValue (Variable_ w base at_)) (Wrong NoCell)
| variable_fails : forall w base at_ c, comes_to (OfIndices at_) (Wrong c) -> comes_to (OfValue (Variable_ w base at_)) (Wrong c)
(* _pid, _nr_pr, _last, _priority *)
| pid_is : comes_to (OfValue Pid) (Is (Z.of_nat me))
| nr_pr_is : comes_to (OfValue NrPr) (Is (Z.of_nat (length (processes (now d)))))
| last_is : comes_to (OfValue Last) (Is (Z.of_nat (last (now d))))
| priority_is : forall q, nth_error (processes (now d)) me = Some q -> comes_to (OfValue MyPriority) (Is (priority q))
| priority_of_none : nth_error (processes (now d)) me = None -> comes_to (OfValue MyPriority) (Wrong NoProcess)
(* !e, -e, ~e *)
| not_is : forall e v, comes_to (OfValue e) (Is v) -> comes_to (OfValue (Not e)) (Is (truth (negb (is_true v))))
| not_fails : forall e c, comes_to (OfValue e) (Wrong c) -> comes_to (OfValue (Not e)) (Wrong c)
| negative_is : forall e v, comes_to (OfValue e) (Is v) -> comes_to (OfValue (Negative e)) (Is (wrap (- v)))
| negative_fails : forall e c, comes_to (OfValue e) (Wrong c) -> comes_to (OfValue (Negative e)) (Wrong c)
| complement_is : forall e v, comes_to (OfValue e) (Is v) -> comes_to (OfValue (Complement e)) (Is (Z.lnot v))
| complement_fails : forall e c, comes_to (OfValue e) (Wrong c) -> comes_to (OfValue (Complement e)) (Wrong c)
(* e + f and the others that evaluate both sides, the left one first *)
| binary_is : forall o e f v w u, comes_to (OfValue e) (Is v) -> comes_to (OfValue f) (Is w) -> compute o v w = Some u ->
    comes_to (OfValue (Binary o e f)) (Is u)
| binary_has_no_quotient : forall o e f v w, comes_to (OfValue e) (Is v) -> comes_to (OfValue f) (Is w) -> compute o v w = None ->
    comes_to (OfValue (Binary o e f)) (Wrong NoQuotient)
| binary_fails_left : forall o e f c, comes_to (OfValue e) (Wrong c) -> comes_to (OfValue (Binary o e f)) (Wrong c)
| binary_fails_right : forall o e f v c, comes_to (OfValue e) (Is v) -> comes_to (OfValue f) (Wrong c) ->
    comes_to (OfValue (Binary o e f)) (Wrong c)
(* e && f, e || f: the right side only if the left one does not decide *)
| and_stops : forall e f, comes_to (OfValue e) (Is 0) -> comes_to (OfValue (And e f)) (Is 0)
| and_goes_on : forall e f v w, comes_to (OfValue e) (Is v) -> v <> 0 -> comes_to (OfValue f) (Is w) ->
    comes_to (OfValue (And e f)) (Is (truth (is_true w)))
| and_fails : forall e f c, comes_to (OfValue e) (Wrong c) -> comes_to (OfValue (And e f)) (Wrong c)
| and_fails_later : forall e f v c, comes_to (OfValue e) (Is v) -> v <> 0 -> comes_to (OfValue f) (Wrong c) ->
    comes_to (OfValue (And e f)) (Wrong c)
| or_stops : forall e f v, comes_to (OfValue e) (Is v) -> v <> 0 -> comes_to (OfValue (Or e f)) (Is 1)
| or_goes_on : forall e f w, comes_to (OfValue e) (Is 0) -> comes_to (OfValue f) (Is w) -> comes_to (OfValue (Or e f)) (Is (truth (is_true w)))
| or_fails : forall e f c, comes_to (OfValue e) (Wrong c) -> comes_to (OfValue (Or e f)) (Wrong c)
| or_fails_later : forall e f c, comes_to (OfValue e) (Is 0) -> comes_to (OfValue f) (Wrong c) -> comes_to (OfValue (Or e f)) (Wrong c)
(* (c -> e : f): only one of the two *)
| then_is : forall c e f v r, comes_to (OfValue c) (Is v) -> v <> 0 -> comes_to (OfValue e) r -> comes_to (OfValue (Conditional c e f)) r
| else_is : forall c e f r, comes_to (OfValue c) (Is 0) -> comes_to (OfValue f) r -> comes_to (OfValue (Conditional c e f)) r
| condition_fails : forall c e f x, comes_to (OfValue c) (Wrong x) -> comes_to (OfValue (Conditional c e f)) (Wrong x)
| within_is : forall e lowest highest v, comes_to (OfValue e) (Is v) -> lowest <= v <= highest ->
    comes_to (OfValue (Within e lowest highest)) (Is v)
| within_is_left : forall e lowest highest v, comes_to (OfValue e) (Is v) -> ~ lowest <= v <= highest ->
    comes_to (OfValue (Within e lowest highest)) (Wrong OutsideItsRange)
| within_fails : forall e lowest highest c, comes_to (OfValue e) (Wrong c) -> comes_to (OfValue (Within e lowest highest)) (Wrong c)
(* len(q), empty(q), ...: a channel that died is empty, and it is wrong to ask whether it is full *)
| query_is : forall q e k i c v, comes_to (OfValue e) (Is k) -> channel_at d k = Some (i, c) -> answer p q c = Some v ->
    comes_to (OfValue (Query q e)) (Is v)
| query_of_dead : forall q e k i c, comes_to (OfValue e) (Is k) -> channel_at d k = Some (i, c) -> answer p q c = None ->
    comes_to (OfValue (Query q e)) (Wrong DeadChannel)
| query_of_none : forall q e k, comes_to (OfValue e) (Is k) -> channel_at d k = None -> comes_to (OfValue (Query q e)) (Wrong NoChannel)
| query_fails : forall q e c, comes_to (OfValue e) (Wrong c) -> comes_to (OfValue (Query q e)) (Wrong c)
(* q?[...], q??[...] *)
| poll_is : forall anywhere e asked k i c l, comes_to (OfValue e) (Is k) -> channel_at d k = Some (i, Some c) ->
    is_rendezvous p c = false -> comes_to (OfFields asked) (Is l) ->
    comes_to (OfValue (Poll anywhere e asked)) (Is (match found anywhere l c with Some _ => 1 | None => 0 end))
| poll_of_dead : forall anywhere e asked k i, comes_to (OfValue e) (Is k) -> channel_at d k = Some (i, None) ->
    comes_to (OfValue (Poll anywhere e asked)) (Is 0)
| poll_of_rendezvous : forall anywhere e asked k i c, comes_to (OfValue e) (Is k) -> channel_at d k = Some (i, Some c) ->
    is_rendezvous p c = true -> comes_to (OfValue (Poll anywhere e asked)) (Wrong PollOfRendezvous)
| poll_asks_wrongly : forall anywhere e asked k i c x, comes_to (OfValue e) (Is k) -> channel_at d k = Some (i, Some c) ->
    is_rendezvous p c = false -> comes_to (OfFields asked) (Wrong x) -> comes_to (OfValue (Poll anywhere e asked)) (Wrong x)
| poll_of_none : forall anywhere e asked k, comes_to (OfValue e) (Is k) -> channel_at d k = None ->
    comes_to (OfValue (Poll anywhere e asked)) (Wrong NoChannel)
| poll_fails : forall anywhere e asked c, comes_to (OfValue e) (Wrong c) -> comes_to (OfValue (Poll anywhere e asked)) (Wrong c)
(* pc_value(e), get_priority(e): 0 of no process *)
| pc_value_is : forall e n, comes_to (OfValue e) (Is n) ->
    comes_to (OfValue (PcValue e)) (Is (match process_at d n with Some q => Zpos (place q) | None => 0 end))
| pc_value_fails : forall e c, comes_to (OfValue e) (Wrong c) -> comes_to (OfValue (PcValue e)) (Wrong c)
| get_priority_is : forall e n, comes_to (OfValue e) (Is n) ->
    comes_to (OfValue (GetPriority e)) (Is (match process_at d n with Some q => priority q | None => 0 end))
| get_priority_fails : forall e c, comes_to (OfValue e) (Wrong c) -> comes_to (OfValue (GetPriority e)) (Wrong c)
(* enabled(e) *)
| enabled_is : forall e n q b, comes_to (OfValue e) (Is n) -> process_at d n = Some q -> Z.to_nat n <> me ->
    can_move (Z.to_nat n) = Some b -> comes_to (OfValue (Enabled e)) (Is (truth b))
| enabled_of_none : forall e n, comes_to (OfValue e) (Is n) -> process_at d n = None -> comes_to (OfValue (Enabled e)) (Is 0)
| enabled_of_oneself : forall e n q, comes_to (OfValue e) (Is n) -> process_at d n = Some q -> Z.to_nat n = me ->
    comes_to (OfValue (Enabled e)) (Wrong EnabledOfOneself)
| enabled_goes_wrong : forall e n q, comes_to (OfValue e) (Is n) -> process_at d n = Some q -> Z.to_nat n <> me ->
    can_move (Z.to_nat n) = None -> comes_to (OfValue (Enabled e)) (Wrong AskedInCircles)
| enabled_fails : forall e c, comes_to (OfValue e) (Wrong c) -> comes_to (OfValue (Enabled e)) (Wrong c)
(* timeout, np_ *)
| timeout_is : comes_to (OfValue Timeout) (Is (truth on_timeout))
| no_progress_is : comes_to (OfValue NonProgress) (Is (no_progress p d on_timeout))
(* P[e]@label, P[e]:x *)
| label_is : forall k which there n, comes_to (OfChoice which k) (Is n) -> comes_to (OfValue (RemoteLabel k which there))
    (Is (match process_at d n with Some q => truth (Nat.eqb (kind q) k && Pos.eqb (place q) there) | None => 0 end))
| label_fails : forall k which there c, comes_to (OfChoice which k) (Wrong c) -> comes_to (OfValue (RemoteLabel k which there)) (Wrong c)
| remote_is : forall k which base at_ n q i v, comes_to (OfChoice which k) (Is n) -> process_at d n = Some q -> kind q = k ->
    comes_to (OfIndices at_) (Is i) -> nth_error (locals q) (base + i) = Some v -> comes_to (OfValue (RemoteVariable k which base at_)) (Is v)
| remote_has_no_cell : forall k which base at_ n q i, comes_to (OfChoice which k) (Is n) -> process_at d n = Some q -> kind q = k ->
    comes_to (OfIndices at_) (Is i) -> nth_error (locals q) (base + i) = None ->
    comes_to (OfValue (RemoteVariable k which base at_)) (Wrong NoCell)
| remote_of_none : forall k which base at_ n, comes_to (OfChoice which k) (Is n) -> process_at d n = None ->
    comes_to (OfValue (RemoteVariable k which base at_)) (Is 0)
| remote_of_another : forall k which base at_ n q, comes_to (OfChoice which k) (Is n) -> process_at d n = Some q -> kind q <> k ->
    comes_to (OfValue (RemoteVariable k which base at_)) (Wrong NotThisProctype)
| remote_fails : forall k which base at_ c, comes_to (OfChoice which k) (Wrong c) ->
    comes_to (OfValue (RemoteVariable k which base at_)) (Wrong c)
| remote_index_fails : forall k which base at_ n q c, comes_to (OfChoice which k) (Is n) -> process_at d n = Some q -> kind q = k ->
    comes_to (OfIndices at_) (Wrong c) -> comes_to (OfValue (RemoteVariable k which base at_)) (Wrong c)
(* The indices of a reference: each must be in its range, the first one first. *)
| no_index : comes_to (OfIndices []) (Is O)
| an_index : forall e length size rest i n, comes_to (OfValue e) (Is i) -> 0 <= i < length -> comes_to (OfIndices rest) (Is n) ->
    comes_to (OfIndices ((e, length, size) :: rest)) (Is (Z.to_nat (i * size) + n)%nat)
| an_index_out_of_range : forall e length size rest i, comes_to (OfValue e) (Is i) -> ~ 0 <= i < length ->
    comes_to (OfIndices ((e, length, size) :: rest)) (Wrong IndexOutOfRange)
| an_index_fails : forall e length size rest c, comes_to (OfValue e) (Wrong c) -> comes_to (OfIndices ((e, length, size) :: rest)) (Wrong c)
| a_later_index_fails : forall e length size rest i c, comes_to (OfValue e) (Is i) -> 0 <= i < length ->
    comes_to (OfIndices rest) (Wrong c) -> comes_to (OfIndices ((e, length, size) :: rest)) (Wrong c)
(* The fields of a message. *)
| nothing_wanted : comes_to (OfFields []) (Is [])
| any_value : forall rest l, comes_to (OfFields rest) (Is l) -> comes_to (OfFields (None :: rest)) (Is (None :: l))
| any_value_fails : forall rest c, comes_to (OfFields rest) (Wrong c) -> comes_to (OfFields (None :: rest)) (Wrong c)
| this_value : forall e rest v l, comes_to (OfValue e) (Is v) -> comes_to (OfFields rest) (Is l) -> comes_to (OfFields (Some e :: rest)) (Is (Some v :: l))
| this_value_fails : forall e rest c, comes_to (OfValue e) (Wrong c) -> comes_to (OfFields (Some e :: rest)) (Wrong c)
| a_later_value_fails : forall e rest v c, comes_to (OfValue e) (Is v) -> comes_to (OfFields rest) (Wrong c) -> comes_to (OfFields (Some e :: rest)) (Wrong c)
(* The process of a number, or the oldest of the proctype; -1 if there is none. *)
| the_oldest : forall k, comes_to (OfChoice None k) (Is (match oldest d k with Some n => Z.of_nat n | None => -1 end))
| that_of_number : forall e k r, comes_to (OfValue e) r -> comes_to (OfChoice (Some e) k) r.
Local Notation evaluates e r := (comes_to (OfValue e) r).
Local Notation offsets at_ r := (comes_to (OfIndices at_) r).
Local Notation wants asked r := (comes_to (OfFields asked) r).
Local Notation chooses which k r := (comes_to (OfChoice which k) r).

(* The function once more, with the cause of what goes wrong. *)
Local Notation "x <- e ; f" := (match e with Is x => f | Wrong c => Wrong c end) (at level 61, e at next level,
  right associativity).
Definition or_else {A} (c : cause) (x : option A) : finding A := match x with Some a => Is a | None => Wrong c end.
Definition value_of {A} (f : finding A) : option A := match f with Is a => Some a | Wrong _ => None end.

Section Parts.
Variable look : expr -> finding Z.
Fixpoint offset_of (at_ : list (expr * Z * Z)) : finding nat :=
  match at_ with
  | [] => Is O
  | (e, length, size) :: rest =>
      i <- look e;
      if (0 <=? i) && (i <? length) then n <- offset_of rest; Is (Z.to_nat (i * size) + n)%nat else Wrong IndexOutOfRange
  end.
Fixpoint wanted_in (asked : list (option expr)) : finding (list (option Z)) :=
  match asked with
  | [] => Is []
  | None :: rest => l <- wanted_in rest; Is (None :: l)
  | Some e :: rest => v <- look e; l <- wanted_in rest; Is (Some v :: l)
  end.
Definition chosen_of (which : option expr) (k : nat) : finding Z :=
  match which with
  | None => Is (match oldest d k with Some n => Z.of_nat n | None => -1 end)
  | Some e => look e
  end.
End Parts.

Fixpoint look (e : expr) : finding Z :=
  match e with
  | Number v => Is v
  | Variable_ w base at_ => n <- offset_of look at_; or_else NoCell (value_at w (base + n)%nat)
  | Pid => Is (Z.of_nat me)
  | NrPr => Is (Z.of_nat (length (processes (now d))))
  | Last => Is (Z.of_nat (last (now d)))
  | MyPriority => or_else NoProcess (option_map priority (nth_error (processes (now d)) me))
  | Not e => v <- look e; Is (truth (negb (is_true v)))
  | Negative e => v <- look e; Is (wrap (- v))
  | Complement e => v <- look e; Is (Z.lnot v)
  | Binary o e f => v <- look e; w <- look f; or_else NoQuotient (compute o v w)
  | And e f => v <- look e; if is_true v then w <- look f; Is (truth (is_true w)) else Is 0
  | Or e f => v <- look e; if is_true v then Is 1 else w <- look f; Is (truth (is_true w))
  | Conditional c e f => v <- look c; if is_true v then look e else look f
  | Within e lowest highest =>
      v <- look e; if (lowest <=? v) && (v <=? highest) then Is v else Wrong OutsideItsRange
  | Query q e => k <- look e;
      match channel_at d k with None => Wrong NoChannel | Some c => or_else DeadChannel (answer p q (snd c)) end
  | Poll anywhere e asked => k <- look e;
      match channel_at d k with
      | None => Wrong NoChannel
      | Some (_, None) => Is 0
      | Some (_, Some c) => if is_rendezvous p c then Wrong PollOfRendezvous else l <- wanted_in look asked;
                            Is (match found anywhere l c with Some _ => 1 | None => 0 end)
      end
  | PcValue e => n <- look e; Is (match process_at d n with Some q => Zpos (place q) | None => 0 end)
  | GetPriority e => n <- look e; Is (match process_at d n with Some q => priority q | None => 0 end)
  | Enabled e =>
      n <- look e;
      match process_at d n with
      | None => Is 0
      | Some _ => if Nat.eqb (Z.to_nat n) me then Wrong EnabledOfOneself
                  else or_else AskedInCircles (option_map truth (can_move (Z.to_nat n)))
      end
  | Timeout => Is (truth on_timeout)
  | NonProgress => Is (no_progress p d on_timeout)
  | RemoteLabel k which there =>
      n <- chosen_of look which k;
      Is (match process_at d n with Some q => truth (Nat.eqb (kind q) k && Pos.eqb (place q) there) | None => 0 end)
  | RemoteVariable k which base at_ =>
      n <- chosen_of look which k;
      match process_at d n with
      | None => Is 0
      | Some q => if Nat.eqb (kind q) k then i <- offset_of look at_; or_else NoCell (nth_error (locals q) (base + i))
                  else Wrong NotThisProctype
      end
  end.

Lemma look_offset : forall at_, (forall e, In e (map (fun index : expr * Z * Z => fst (fst index)) at_) ->
  eval_here e = value_of (look e)) -> offset_by eval_here at_ = value_of (offset_of look at_).
Proof.
  induction at_ as [|[[e n] z] at_ IH]; intros parts; simpl; auto. rewrite (parts e (or_introl eq_refl)).
  destruct (look e) as [i|c]; simpl; auto. destruct ((0 <=? i) && (i <? n)); auto.
  rewrite (IH (fun f inside => parts f (or_intror inside))). destruct (offset_of look at_); reflexivity.
Qed.
Lemma look_wanted : forall asked, (forall e,
  In e (flat_map (fun field : option expr => match field with Some f => [f] | None => [] end) asked) ->
  eval_here e = value_of (look e)) -> wanted_by eval_here asked = value_of (wanted_in look asked).
Proof.
  induction asked as [|[e|] asked IH]; intros parts; simpl in *; auto.
  - rewrite (parts e (or_introl eq_refl)). destruct (look e); simpl; auto.
    rewrite (IH (fun f inside => parts f (or_intror inside))). destruct (wanted_in look asked); reflexivity.
  - rewrite (IH parts). destruct (wanted_in look asked); reflexivity.
Qed.
Lemma look_chosen : forall which k, (forall e, In e (match which with Some e => [e] | None => [] end) ->
  eval_here e = value_of (look e)) -> chosen_by d eval_here which k = value_of (chosen_of look which k).
Proof. intros [e|] k parts; simpl in *; auto. Qed.

Lemma eval_is_look : forall e, eval_here e = value_of (look e).
Proof.
  induction e as [e parts] using by_parts. destruct e; simpl in *;
    repeat match goal with
    | |- context [eval_here ?f] => rewrite (parts f ltac:(auto))
    end; auto.
  - rewrite (look_offset at_ parts). destruct (offset_of look at_); simpl; auto. destruct (value_at where_ (base + a)); reflexivity.
  - destruct (nth_error (processes (now d)) me); reflexivity.
  - destruct (look e); reflexivity.
  - destruct (look e); reflexivity.
  - destruct (look e); reflexivity.
  - destruct (look e1); simpl; auto. destruct (look e2); simpl; auto. destruct (compute o a a0); reflexivity.
  - destruct (look e1); simpl; auto. destruct (is_true a); auto. destruct (look e2); reflexivity.
  - destruct (look e1); simpl; auto. destruct (is_true a); auto. destruct (look e2); reflexivity.
  - destruct (look e1); simpl; auto. destruct (is_true a); reflexivity.
  - destruct (look e); simpl; auto. destruct ((lowest <=? a) && (a <=? highest)); reflexivity.
  - destruct (look e); simpl; auto. destruct (channel_at d a); auto. destruct (answer p q (snd p0)); reflexivity.
  - destruct (look e); simpl; auto. destruct (channel_at d a) as [[i [c|]]|]; simpl; auto.
    destruct (is_rendezvous p c); auto. rewrite (look_wanted asked (fun f inside => parts f (or_intror inside))).
    destruct (wanted_in look asked); reflexivity.
  - destruct (look e); reflexivity.
  - destruct (look e); reflexivity.
  - destruct (look e); simpl; auto. destruct (process_at d a); auto. destruct (Nat.eqb (Z.to_nat a) me); auto.
    destruct (can_move (Z.to_nat a)); reflexivity.
  - rewrite (look_chosen process kind parts). destruct (chosen_of look process kind); reflexivity.
  - rewrite (look_chosen process kind (fun f inside => parts f (in_or_app _ _ _ (or_introl inside)))).
    destruct (chosen_of look process kind); simpl; auto. destruct (process_at d a); auto.
    destruct (Nat.eqb (states.kind p0) kind); auto.
    rewrite (look_offset at_ (fun f inside => parts f (in_or_app _ _ _ (or_intror inside)))).
    destruct (offset_of look at_); simpl; auto. destruct (nth_error (locals p0) (base + a0)); reflexivity.
Qed.

Lemma is_true_of : forall v, v <> 0 -> is_true v = true.
Proof. intros v N. unfold is_true. destruct (Z.eqb_spec v 0); [contradiction | reflexivity]. Qed.
Lemma is_in_range : forall v a b, a <= v < b -> (a <=? v) && (v <? b) = true.
Proof. intros v a b R. apply andb_true_iff. rewrite Z.leb_le, Z.ltb_lt. exact R. Qed.
Lemma is_out_of_range : forall v a b, ~ a <= v < b -> (a <=? v) && (v <? b) = false.
Proof. intros v a b N. apply not_true_is_false. rewrite andb_true_iff, Z.leb_le, Z.ltb_lt. exact N. Qed.
Lemma is_within : forall v a b, a <= v <= b -> (a <=? v) && (v <=? b) = true.
Proof. intros v a b R. apply andb_true_iff. rewrite !Z.leb_le. exact R. Qed.
Lemma is_left : forall v a b, ~ a <= v <= b -> (a <=? v) && (v <=? b) = false.
Proof. intros v a b N. apply not_true_is_false. rewrite andb_true_iff, !Z.leb_le. exact N. Qed.

Ltac follow := repeat match goal with
  | H : look ?e = _ |- context [look ?e] => rewrite H; cbn [or_else option_map]
  | H : offset_of look ?l = _ |- context [offset_of look ?l] => rewrite H; cbn [or_else option_map]
  | H : wanted_in look ?l = _ |- context [wanted_in look ?l] => rewrite H; cbn [or_else option_map]
  | H : chosen_of look ?w ?k = _ |- context [chosen_of look ?w ?k] => rewrite H; cbn [or_else option_map]
  | H : ?x = Some _ |- context [?x] => rewrite H; cbn [or_else option_map snd]
  | H : ?x = None |- context [?x] => rewrite H; cbn [or_else option_map snd]
  | H : ?x = true |- context [?x] => rewrite H
  | H : ?x = false |- context [?x] => rewrite H
  | H : ?v <> 0 |- context [is_true ?v] => rewrite (is_true_of v H)
  | H : _ <= ?v < _ |- context [(_ <=? ?v) && (?v <? _)] => rewrite (is_in_range _ _ _ H)
  | H : ~ _ <= ?v < _ |- context [(_ <=? ?v) && (?v <? _)] => rewrite (is_out_of_range _ _ _ H)
  | H : _ <= ?v <= _ |- context [(_ <=? ?v) && (?v <=? _)] => rewrite (is_within _ _ _ H)
  | H : ~ _ <= ?v <= _ |- context [(_ <=? ?v) && (?v <=? _)] => rewrite (is_left _ _ _ H)
  | H : Z.to_nat ?n = me |- context [Nat.eqb (Z.to_nat ?n) me] => rewrite (proj2 (Nat.eqb_eq _ _) H)
  | H : Z.to_nat ?n <> me |- context [Nat.eqb (Z.to_nat ?n) me] => rewrite (proj2 (Nat.eqb_neq _ _) H)
  | H : kind ?q = ?k |- context [Nat.eqb (kind ?q) ?k] => rewrite (proj2 (Nat.eqb_eq _ _) H)
  | H : kind ?q <> ?k |- context [Nat.eqb (kind ?q) ?k] => rewrite (proj2 (Nat.eqb_neq _ _) H)
  end.

Definition look_for (a : asked_for) : finding (answered_by a) :=
  match a with
  | OfValue e => look e
  | OfIndices at_ => offset_of look at_
  | OfFields asked => wanted_in look asked
  | OfChoice which k => chosen_of look which k
  end.
Lemma rules_are_followed : forall a r, comes_to a r -> look_for a = r.
Proof.
  intros a r E. induction E; cbn [look_for] in *; cbn [look offset_of wanted_in chosen_of]; follow; auto; reflexivity.
Qed.

Lemma offsets_of : forall at_, (forall e, In e (map (fun index : expr * Z * Z => fst (fst index)) at_) ->
  evaluates e (look e)) -> offsets at_ (offset_of look at_).
Proof.
  induction at_ as [|[[e n] z] at_ IH]; intros parts; simpl; [constructor|].
  pose proof (parts e (or_introl eq_refl)) as T. specialize (IH (fun f inside => parts f (or_intror inside))).
  destruct (look e) as [i|c]; [|apply an_index_fails, T].
  destruct ((0 <=? i) && (i <? n)) eqn:R.
  - apply andb_true_iff in R as [R R']. apply Z.leb_le in R. apply Z.ltb_lt in R'.
    destruct (offset_of look at_) as [k|c]; [apply an_index; auto | eapply a_later_index_fails; eauto].
  - eapply an_index_out_of_range; [exact T|]. intros N. rewrite (is_in_range _ _ _ N) in R. discriminate.
Qed.
Lemma wants_of : forall asked, (forall e,
  In e (flat_map (fun field : option expr => match field with Some f => [f] | None => [] end) asked) ->
  evaluates e (look e)) -> wants asked (wanted_in look asked).
Proof.
  induction asked as [|[e|] asked IH]; intros parts; simpl in *; [constructor| |].
  - pose proof (parts e (or_introl eq_refl)) as T. specialize (IH (fun f inside => parts f (or_intror inside))).
    destruct (look e) as [v|c]; [|apply this_value_fails, T].
    destruct (wanted_in look asked) as [l|c]; [apply this_value; auto | eapply a_later_value_fails; eauto].
  - specialize (IH parts). destruct (wanted_in look asked) as [l|c]; [apply any_value, IH | apply any_value_fails, IH].
Qed.
Lemma chooses_of : forall which k, (forall e, In e (match which with Some e => [e] | None => [] end) ->
  evaluates e (look e)) -> chooses which k (chosen_of look which k).
Proof. intros [e|] k parts; constructor. apply parts. left. reflexivity. Qed.

Lemma is_true_not : forall v, is_true v = true -> v <> 0.
Proof. intros v H ->. discriminate. Qed.
Lemma is_not_true : forall v, is_true v = false -> v = 0.
Proof. intros v H. unfold is_true in H. destruct (Z.eqb_spec v 0); [assumption | discriminate]. Qed.

Lemma rules_are_enough : forall e, evaluates e (look e).
Proof.
  induction e as [e parts] using by_parts.
  assert (of_part : forall f r, In f (parts_of e) -> look f = r -> evaluates f r) by (intros f r inside <-; auto).
  destruct e; cbn [look parts_of] in *; try (constructor; fail).
  - pose proof (offsets_of at_ parts) as O. destruct (offset_of look at_) as [n|c]; [|apply variable_fails, O].
    destruct (value_at where_ (base + n)) eqn:V; [eapply variable_is | eapply variable_has_no_cell]; eauto.
  - destruct (nth_error (processes (now d)) me) eqn:Q; [apply priority_is, Q | apply priority_of_none, Q].
  - destruct (look e) eqn:L; [apply not_is | apply not_fails]; apply of_part; simpl; auto.
  - destruct (look e) eqn:L; [apply negative_is | apply negative_fails]; apply of_part; simpl; auto.
  - destruct (look e) eqn:L; [apply complement_is | apply complement_fails]; apply of_part; simpl; auto.
  - destruct (look e1) as [v|c] eqn:L; [|apply binary_fails_left, of_part; simpl; auto].
    destruct (look e2) as [w|c] eqn:M; [|eapply binary_fails_right; apply of_part; simpl; eauto].
    destruct (compute o v w) eqn:C; [eapply binary_is | eapply binary_has_no_quotient]; eauto; apply of_part; simpl; auto.
  - destruct (look e1) as [v|c] eqn:L; [|apply and_fails, of_part; simpl; auto].
    destruct (is_true v) eqn:T.
    + apply is_true_not in T. destruct (look e2) as [w|c] eqn:M;
        [eapply and_goes_on | eapply and_fails_later]; eauto; apply of_part; simpl; auto.
    + apply is_not_true in T. subst. apply and_stops, of_part; simpl; auto.
  - destruct (look e1) as [v|c] eqn:L; [|apply or_fails, of_part; simpl; auto].
    destruct (is_true v) eqn:T.
    + apply is_true_not in T. eapply or_stops; eauto. apply of_part; simpl; auto.
    + apply is_not_true in T. subst. destruct (look e2) as [w|c] eqn:M;
        [eapply or_goes_on | eapply or_fails_later]; eauto; apply of_part; simpl; auto.
  - destruct (look e1) as [v|c] eqn:L; [|apply condition_fails, of_part; simpl; auto].
    destruct (is_true v) eqn:T.
    + apply is_true_not in T. eapply then_is; eauto; apply of_part; simpl; auto.
    + apply is_not_true in T. subst. eapply else_is; apply of_part; simpl; auto.
  - destruct (look e) as [v|c] eqn:L; [|apply within_fails, of_part; simpl; auto].
    destruct ((lowest <=? v) && (v <=? highest)) eqn:R.
    + apply within_is; [apply of_part; simpl; auto|]. apply andb_true_iff in R. rewrite !Z.leb_le in R. exact R.
    + eapply within_is_left; [apply of_part; simpl; eauto|]. intros N. rewrite (is_within _ _ _ N) in R. discriminate.
  - destruct (look e) as [k|c] eqn:L; [|apply query_fails, of_part; simpl; auto].
    destruct (channel_at d k) as [[i c]|] eqn:C; [|eapply query_of_none; eauto; apply of_part; simpl; auto].
    cbn [snd]. destruct (answer p q c) eqn:A; [eapply query_is | eapply query_of_dead]; eauto; apply of_part; simpl; auto.
  - destruct (look e) as [k|c] eqn:L; [|apply poll_fails, of_part; simpl; auto].
    destruct (channel_at d k) as [[i [c|]]|] eqn:C.
    + destruct (is_rendezvous p c) eqn:R; [eapply poll_of_rendezvous; eauto; apply of_part; simpl; auto|].
      pose proof (wants_of asked (fun f inside => parts f (or_intror inside))) as W.
      destruct (wanted_in look asked) as [l|x]; [eapply poll_is | eapply poll_asks_wrongly]; eauto; apply of_part; simpl; auto.
    + eapply poll_of_dead; eauto. apply of_part; simpl; auto.
    + eapply poll_of_none; eauto. apply of_part; simpl; auto.
  - destruct (look e) eqn:L; [apply pc_value_is | apply pc_value_fails]; apply of_part; simpl; auto.
  - destruct (look e) eqn:L; [apply get_priority_is | apply get_priority_fails]; apply of_part; simpl; auto.
  - destruct (look e) as [n|c] eqn:L; [|apply enabled_fails, of_part; simpl; auto].
    destruct (process_at d n) as [q|] eqn:Q; [|eapply enabled_of_none; eauto; apply of_part; simpl; auto].
    destruct (Nat.eqb_spec (Z.to_nat n) me) as [same|other].
    + eapply enabled_of_oneself; eauto. apply of_part; simpl; auto.
    + destruct (can_move (Z.to_nat n)) eqn:M; [eapply enabled_is | eapply enabled_goes_wrong]; eauto; apply of_part; simpl; auto.
  - pose proof (chooses_of process kind parts) as C. destruct (chosen_of look process kind) as [n|c];
      [apply label_is, C | apply label_fails, C].
  - pose proof (chooses_of process kind (fun f inside => parts f (in_or_app _ _ _ (or_introl inside)))) as C.
    pose proof (offsets_of at_ (fun f inside => parts f (in_or_app _ _ _ (or_intror inside)))) as O.
    destruct (chosen_of look process kind) as [n|c]; [|apply remote_fails, C].
    destruct (process_at d n) as [q|] eqn:Q; [|eapply remote_of_none; eauto].
    destruct (Nat.eqb_spec (states.kind q) kind) as [same|other];
      [|eapply remote_of_another; eauto].
    destruct (offset_of look at_) as [i|c]; [|eapply remote_index_fails; eauto].
    destruct (nth_error (locals q) (base + i)) eqn:V; [eapply remote_is | eapply remote_has_no_cell]; eauto.
Qed.

(* The function computes what the rules say. *)
Theorem eval_is_evaluates : forall e v, eval_here e = Some v <-> evaluates e (Is v).
Proof.
  intros e v. rewrite eval_is_look. pose proof (rules_are_enough e) as R. split.
  - intros E. destruct (look e); simpl in E; [injection E as <-; exact R | discriminate].
  - intros E. apply rules_are_followed in E. cbn [look_for] in E. rewrite E. reflexivity.
Qed.
Theorem wrong_is_evaluates : forall e, eval_here e = None <-> exists c, evaluates e (Wrong c).
Proof.
  intros e. rewrite eval_is_look. pose proof (rules_are_enough e) as R. split.
  - intros E. destruct (look e) as [v|c]; simpl in E; [discriminate | eauto].
  - intros [c E]. apply rules_are_followed in E. cbn [look_for] in E. rewrite E. reflexivity.
Qed.
(* There is one value, or one cause. *)
Theorem evaluation_is_deterministic : forall e r r', evaluates e r -> evaluates e r' -> r = r'.
Proof. intros e r r' E E'. apply rules_are_followed in E. apply rules_are_followed in E'. congruence. Qed.

(* An expression whose references have their cells, and that belongs to a process if it says so. *)
Fixpoint reach (at_ : list (expr * Z * Z)) : Z :=
  match at_ with [] => 0 | (_, length, size) :: rest => (length - 1) * size + reach rest end.
Definition has_room (base : nat) (at_ : list (expr * Z * Z)) (cells_ : nat) : Prop :=
  Forall (fun index => 0 <= snd index) at_ /\ Z.of_nat base + reach at_ < Z.of_nat cells_.
Definition is_placed (e : expr) : Prop :=
  match e with
  | Variable_ Shared base at_ => has_room base at_ (length (globals (now d)))
  | Variable_ Mine base at_ => has_room base at_ (length (mine d me))
  | MyPriority => (me < length (processes (now d)))%nat
  | RemoteVariable k _ base at_ => forall q, In q (processes (now d)) -> kind q = k -> has_room base at_ (length (locals q))
  | _ => True
  end.
Inductive well_formed : expr -> Prop :=
| well_made : forall e, is_placed e -> (forall part, In part (parts_of e) -> well_formed part) -> well_formed e.

Definition of_language (c : cause) : Prop := c <> NoCell /\ c <> NoProcess.

Lemma offset_is_reached : forall at_ n, offset_of look at_ = Is n -> Forall (fun index => 0 <= snd index) at_ ->
  Z.of_nat n <= reach at_.
Proof.
  induction at_ as [|[[e m] z] at_ IH]; intros n O sizes; simpl in *; [injection O as <-; simpl; lia|].
  inversion sizes as [|x l some others]; subst. simpl in some. destruct (look e) as [i|]; [|discriminate].
  destruct ((0 <=? i) && (i <? m)) eqn:R; [|discriminate]. apply andb_true_iff in R as [R R'].
  apply Z.leb_le in R. apply Z.ltb_lt in R'. destruct (offset_of look at_) as [k|]; [|discriminate]. injection O as <-.
  specialize (IH k eq_refl others). nia.
Qed.
Lemma room_is_there : forall A (l : list A) base at_ n, has_room base at_ (length l) -> offset_of look at_ = Is n ->
  nth_error l (base + n) <> None.
Proof.
  intros A l base at_ n [sizes below] O. apply nth_error_Some. pose proof (offset_is_reached at_ n O sizes). lia.
Qed.
Lemma offset_causes : forall at_ c, offset_of look at_ = Wrong c ->
  (forall e, In e (map (fun index : expr * Z * Z => fst (fst index)) at_) -> forall x, look e = Wrong x -> of_language x) ->
  of_language c.
Proof.
  induction at_ as [|[[e m] z] at_ IH]; intros c O parts; simpl in *; [discriminate|].
  destruct (look e) as [i|x] eqn:L; [|injection O as <-; exact (parts e (or_introl eq_refl) x L)].
  destruct ((0 <=? i) && (i <? m)); [|injection O as <-; split; discriminate].
  destruct (offset_of look at_) as [k|x]; [discriminate|]. injection O as <-.
  exact (IH x eq_refl (fun f inside => parts f (or_intror inside))).
Qed.
Lemma wanted_causes : forall asked c, wanted_in look asked = Wrong c -> (forall e,
  In e (flat_map (fun field : option expr => match field with Some f => [f] | None => [] end) asked) ->
  forall x, look e = Wrong x -> of_language x) -> of_language c.
Proof.
  induction asked as [|[e|] asked IH]; intros c O parts; simpl in *; [discriminate| |].
  - destruct (look e) as [v|x] eqn:L; [|injection O as <-; exact (parts e (or_introl eq_refl) x L)].
    destruct (wanted_in look asked) as [l|x]; [discriminate|]. injection O as <-.
    exact (IH x eq_refl (fun f inside => parts f (or_intror inside))).
  - destruct (wanted_in look asked) as [l|x]; [discriminate|]. injection O as <-. exact (IH x eq_refl parts).
Qed.

(* What is well formed goes wrong only by what the language says. *)
Theorem well_formed_causes : forall e c, well_formed e -> evaluates e (Wrong c) -> of_language c.
Proof.
  intros e c W E. apply rules_are_followed in E. cbn [look_for] in E. revert c E. induction W as [e placed _ IH].
  assert (of_part : forall f x, In f (parts_of e) -> look f = Wrong x -> of_language x) by (intros; eapply IH; eauto).
  clear IH. intros c E.
  assert (language : forall x : cause, x <> NoCell -> x <> NoProcess -> of_language x) by (split; auto).
  assert (of_indices : forall at_, (forall f, In f (map (fun index : expr * Z * Z => fst (fst index)) at_) ->
      In f (parts_of e)) -> forall x, offset_of look at_ = Wrong x -> of_language x).
  { intros at_ inside x O. apply (offset_causes at_ x O). intros f here y L. exact (of_part f y (inside f here) L). }
  assert (of_choice : forall which k x, (forall f, In f (match which with Some e => [e] | None => [] end) ->
      In f (parts_of e)) -> chosen_of look which k = Wrong x -> of_language x).
  { intros [f|] k x inside L; simpl in *; [exact (of_part f x (inside f (or_introl eq_refl)) L) | discriminate]. }
  Ltac ask E f of_part := let v := fresh "v" in let x := fresh "x" in let L := fresh "L" in
    destruct (look f) as [v|x] eqn:L; [|injection E as <-; refine (of_part f _ _ L); simpl; auto; fail].
  destruct e; cbn [look parts_of is_placed] in *; try discriminate E.
  - destruct (offset_of look at_) as [n|x] eqn:O; [|injection E as <-; exact (of_indices at_ (fun f i => i) x O)].
    exfalso. destruct where_; simpl in *; [pose proof (room_is_there _ (globals (now d)) base at_ n placed O) as some
      | pose proof (room_is_there _ (mine d me) base at_ n placed O) as some];
      unfold at_cell in E; destruct (nth_error _ (base + n)); try discriminate E; apply some; reflexivity.
  - exfalso. apply nth_error_Some in placed. destruct (nth_error (processes (now d)) me); [discriminate E | congruence].
  - ask E e of_part. discriminate E.
  - ask E e of_part. discriminate E.
  - ask E e of_part. discriminate E.
  - ask E e1 of_part. ask E e2 of_part. destruct (compute o v v0); [discriminate E|]. injection E as <-.
    apply language; discriminate.
  - ask E e1 of_part. destruct (is_true v); [|discriminate E]. ask E e2 of_part. discriminate E.
  - ask E e1 of_part. destruct (is_true v); [discriminate E|]. ask E e2 of_part. discriminate E.
  - ask E e1 of_part. destruct (is_true v); [refine (of_part e2 _ _ E) | refine (of_part e3 _ _ E)]; simpl; auto.
  - ask E e of_part. destruct ((lowest <=? v) && (v <=? highest)); [discriminate E|]. injection E as <-.
    apply language; discriminate.
  - ask E e of_part. destruct (channel_at d v) as [c'|]; [destruct (answer p q (snd c')); [discriminate E|]|];
      injection E as <-; apply language; discriminate.
  - ask E e of_part. destruct (channel_at d v) as [[i [c'|]]|]; [|discriminate E|injection E as <-; apply language; discriminate].
    destruct (is_rendezvous p c'); [injection E as <-; apply language; discriminate|].
    destruct (wanted_in look asked) as [l|x] eqn:W; [discriminate E|]. injection E as <-.
    apply (wanted_causes asked x W). intros f here y L'. exact (of_part f y (or_intror here) L').
  - ask E e of_part. discriminate E.
  - ask E e of_part. discriminate E.
  - ask E e of_part. destruct (process_at d v); [|discriminate E].
    destruct (Nat.eqb (Z.to_nat v) me); [injection E as <-; apply language; discriminate|].
    destruct (can_move (Z.to_nat v)); [discriminate E|]. injection E as <-. apply language; discriminate.
  - destruct (chosen_of look process kind) as [n|x] eqn:C; [discriminate E|]. injection E as <-.
    exact (of_choice process kind x (fun f i => i) C).
  - destruct (chosen_of look process kind) as [n|x] eqn:C;
      [|injection E as <-; exact (of_choice process kind x (fun f i => in_or_app _ _ _ (or_introl i)) C)].
    destruct (process_at d n) as [q|] eqn:Q; [|discriminate E].
    destruct (Nat.eqb_spec (states.kind q) kind) as [same|other]; [|injection E as <-; apply language; discriminate].
    destruct (offset_of look at_) as [i|x] eqn:O;
      [|injection E as <-; exact (of_indices at_ (fun f i => in_or_app _ _ _ (or_intror i)) x O)].
    exfalso. unfold process_at in Q. destruct (n <? 0); [discriminate Q|]. apply nth_error_In in Q.
    pose proof (room_is_there _ (locals q) base at_ i (placed q Q same) O) as some.
    destruct (nth_error (locals q) (base + i)); [discriminate E | apply some; reflexivity].
Qed.
End Evaluation.
