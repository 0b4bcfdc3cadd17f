(* What an expression is worth, in a state or in the next state in the making: a number, or nothing where it goes wrong.

   An index out of range goes wrong, a division by zero, a channel that was never made, a poll of a rendezvous channel, a
   full() of a channel that died with its process, enabled() of oneself. Evaluation changes nothing. *)
(* Proves: what_is_found_fits, nothing_before_it_fits, a_full_channel_is_buffered *)
(* Assumes: nothing *)
From Coq Require Import Arith ZArith List Bool FMapPositive.
From everafter.semantics Require Import values program states.
Import ListNotations.
Local Open Scope Z_scope.

Section Expressions.
Local Notation "x <- e ; f" := (match e with Some x => f | None => None end) (at level 61, e at next level,
  right associativity).
Variable p : program.
Variable d : draft.
Variable on_timeout : bool.    (* timeout: nothing could move otherwise *)

Definition process_at (n : Z) : option process :=
  if n <? 0 then None else nth_error (processes (now d)) (Z.to_nat n).
Definition oldest (k : nat) : option nat :=
  find_place (fun q => Nat.eqb (kind q) k) (processes (now d)).

(* The channel of that number: no number is wrong, and a number without a channel is that of one that died. *)
Definition channel_at (k : Z) : option (nat * option channel) :=
  if k =? 0 then None
  else Some (Z.to_nat k, if k <? 0 then None else nth_error (channels (now d)) (pred (Z.to_nat k))).
Definition capacity_of (c : channel) : Z :=
  match nth_error (chantypes p) (declared c) with Some t => capacity t | None => 0 end.
Definition length_of (c : channel) : Z := Z.of_nat (length (messages c)).
Definition is_rendezvous (c : channel) : bool := capacity_of c =? 0.
(* A rendezvous channel never counts as full. *)
Definition is_full (c : channel) : bool := (0 <? capacity_of c) && (capacity_of c <=? length_of c).

Definition answer (q : query) (c : option channel) : option Z :=
  let n := match c with Some c => length_of c | None => 0 end in
  match q, c with
  | Len, _ => Some n
  | Empty, _ => Some (truth (n =? 0))
  | Nempty, _ => Some (truth (0 <? n))
  | Full, Some c => Some (truth (is_full c))
  | Nfull, Some c => Some (truth (negb (is_full c)))
  | Full, None | Nfull, None => None
  end.

(* Whether a message has what is asked of its fields; fields that it does not have are not what was asked. *)
Fixpoint fits (asked : list (option Z)) (message : list Z) : bool :=
  match asked, message with
  | [], _ => true
  | None :: r, [] => fits r []
  | Some _ :: _, [] => false
  | None :: r, _ :: t => fits r t
  | Some v :: r, w :: t => (w =? v) && fits r t
  end.
(* The message that a receive takes: the first one, if it fits, or, `anywhere`, the first that does. *)
Definition found (anywhere : bool) (asked : list (option Z)) (c : channel) : option nat :=
  find_place (fits asked) (if anywhere then messages c else firstn 1 (messages c)).

(* np_: no process is at a progress label; a system that has stopped is not a loop without progress. *)
Definition is_at_progress (q : process) : bool :=
  match node_at p (kind q) (place q) with Some n => is_progress n | None => false end.
Definition no_progress : Z := truth (negb on_timeout && negb (existsb is_at_progress (processes (now d)))).

Variable can_move : nat -> option bool.    (* what enabled() asks *)

Section Process.
Variable me : nat.

Definition mine : list Z := match nth_error (processes (now d)) me with Some q => locals q | None => [] end.
Definition at_cell (w : scope) (n : nat) : option Z :=
  nth_error (match w with Shared => globals (now d) | Mine => mine end) n.

Section Parts.
Variable worth : expr -> option Z.
Fixpoint offset_by (at_ : list (expr * Z * Z)) : option nat :=
  match at_ with
  | [] => Some O
  | (e, length, size) :: rest =>
      i <- worth e;
      if (0 <=? i) && (i <? length) then n <- offset_by rest; Some (Z.to_nat (i * size) + n)%nat else None
  end.
Fixpoint wanted_by (asked : list (option expr)) : option (list (option Z)) :=
  match asked with
  | [] => Some []
  | None :: rest => l <- wanted_by rest; Some (None :: l)
  | Some e :: rest => v <- worth e; l <- wanted_by rest; Some (Some v :: l)
  end.
Definition chosen_by (which : option expr) (k : nat) : option Z :=
  match which with
  | None => Some (match oldest k with Some n => Z.of_nat n | None => -1 end)
  | Some e => worth e
  end.
End Parts.

Fixpoint eval (e : expr) : option Z :=
  match e with
  | Number v => Some v
  | Variable_ w base at_ => n <- offset_by eval at_; at_cell w (base + n)
  | Pid => Some (Z.of_nat me)
  | NrPr => Some (Z.of_nat (length (processes (now d))))
  | Last => Some (Z.of_nat (last (now d)))
  | MyPriority => q <- nth_error (processes (now d)) me; Some (priority q)
  | Not e => v <- eval e; Some (truth (negb (is_true v)))
  | Negative e => v <- eval e; Some (wrap (- v))
  | Complement e => v <- eval e; Some (Z.lnot v)
  | Binary o e f => v <- eval e; w <- eval f; compute o v w
  | And e f => v <- eval e; if is_true v then w <- eval f; Some (truth (is_true w)) else Some 0
  | Or e f => v <- eval e; if is_true v then Some 1 else w <- eval f; Some (truth (is_true w))
  | Conditional c e f => v <- eval c; if is_true v then eval e else eval f
  | Within e lowest highest => v <- eval e; if (lowest <=? v) && (v <=? highest) then Some v else None
  | Query q e => k <- eval e; c <- channel_at k; answer q (snd c)
  | Poll anywhere e asked =>
      k <- eval e; c <- channel_at k;
      match snd c with
      | None => Some 0
      | Some c => if is_rendezvous c then None else l <- wanted_by eval asked;
                  Some (match found anywhere l c with Some _ => 1 | None => 0 end)
      end
  | PcValue e => n <- eval e; Some (match process_at n with Some q => Zpos (place q) | None => 0 end)
  | GetPriority e => n <- eval e; Some (match process_at n with Some q => priority q | None => 0 end)
  | Enabled e =>
      n <- eval e;
      match process_at n with
      | None => Some 0
      | Some _ => if Nat.eqb (Z.to_nat n) me then None else b <- can_move (Z.to_nat n); Some (truth b)
      end
  | Timeout => Some (truth on_timeout)
  | NonProgress => Some no_progress
  | RemoteLabel k which there =>
      n <- chosen_by eval which k;
      Some (match process_at n with
            | Some q => truth (Nat.eqb (kind q) k && Pos.eqb (place q) there)
            | None => 0
            end)
  | RemoteVariable k which base at_ =>
      n <- chosen_by eval which k;
      match process_at n with
      | None => Some 0
      | Some q => if Nat.eqb (kind q) k then i <- offset_by eval at_; nth_error (locals q) (base + i) else None
      end
  end.
Definition offset (at_ : list (expr * Z * Z)) : option nat := offset_by eval at_.

Definition is_so (e : expr) : option bool := v <- eval e; Some (is_true v).

(* Whether a statement can be executed. Of a rendezvous send, that a partner is ready is for the step to see. *)

Definition wanted_of (f : pattern) : option (option Z) :=
  match f with Match e => v <- eval e; Some (Some v) | Bind _ => Some None end.

(* Which message a receive would take from which channel; nothing while there is none. *)
Definition taken (anywhere keeps : bool) (e : expr) (ps : list pattern) : option (option (nat * channel * nat)) :=
  k <- eval e; c <- channel_at k;
  match snd c with
  | None => Some None
  | Some c' =>
      if is_rendezvous c' && keeps then None
      else
        let here := match offered d with Some k' => Nat.eqb k' (fst c) | None => negb (is_rendezvous c') end in
        if here then l <- collect wanted_of ps;
          Some (match found anywhere l c' with Some i => Some (fst c, c', i) | None => None end)
        else Some None
  end.

Definition executable (s : statement) : option bool :=
  match s with
  | Test e => is_so e
  | Send _ e _ =>
      k <- eval e; c <- channel_at k; c' <- snd c; Some (loses_messages p || negb (is_full c'))
  | Receive anywhere keeps e ps =>
      t <- taken anywhere keeps e ps; Some (match t with Some _ => true | None => false end)
  | Skip | Else | Assign _ _ | Assert _ _ | Print _ | SetPriority _ _ | Run _ _ _ _ => Some true
  end.

Definition may (e : effect) : option bool :=
  match e with
  | Do s => executable s
  | End => Some (Nat.eqb (S me) (length (processes (now d))))
  | DStep None _ _ => Some true
  | DStep (Some guards) _ _ => is_some executable guards
  end.
End Process.

Definition may_some (n : nat) : option bool :=
  match nth_error (processes (now d)) n with
  | Some q => is_some (fun t => may n (does t)) (transitions_at p q)
  | None => Some false
  end.
End Expressions.

(* enabled(): whether some transition of a process can be taken. Its conditions may ask in turn; whoever is asked again
   within its own answer would be asked for ever, so there are no more questions within each other than processes, and one
   more goes wrong. *)
Fixpoint can_move (p : program) (d : draft) (on_timeout : bool) (most : nat) (n : nat) : option bool :=
  match most with
  | O => None
  | S less => may_some p d on_timeout (can_move p d on_timeout less) n
  end.
Definition enabled (p : program) (d : draft) (on_timeout : bool) : nat -> option bool :=
  can_move p d on_timeout (S (length (processes (now d)))).

Definition value (p : program) (d : draft) (on_timeout : bool) (me : nat) (e : expr) : option Z :=
  eval p d on_timeout (enabled p d on_timeout) me e.
Definition values_of (p : program) (d : draft) (on_timeout : bool) (me : nat) (es : list expr) : option (list Z) :=
  collect (value p d on_timeout me) es.
Definition cell_of (p : program) (d : draft) (on_timeout : bool) (me base : nat) (at_ : list (expr * Z * Z)) : option nat :=
  match offset p d on_timeout (enabled p d on_timeout) me at_ with Some n => Some (base + n)%nat | None => None end.
Definition can_execute (p : program) (d : draft) (on_timeout : bool) (me : nat) (s : statement) : option bool :=
  executable p d on_timeout (enabled p d on_timeout) me s.
Definition message_taken (p : program) (d : draft) (on_timeout : bool) (me : nat) (anywhere keeps : bool) (e : expr)
    (ps : list pattern) : option (option (nat * channel * nat)) :=
  taken p d on_timeout (enabled p d on_timeout) me anywhere keeps e ps.

(* The message that a receive takes fits, and is the first that does. *)
Lemma place_found : forall A (f : A -> bool) l i, find_place f l = Some i ->
  (exists a, nth_error l i = Some a /\ f a = true) /\
  forall k a, (k < i)%nat -> nth_error l k = Some a -> f a = false.
Proof.
  intros A f. induction l as [|a l IH]; intros i H; simpl in H; [discriminate|].
  destruct (f a) eqn:E.
  - injection H as <-. split; [exists a; auto|]. intros k b below. inversion below.
  - destruct (find_place f l) as [j|]; [|discriminate]. injection H as <-. destruct (IH j eq_refl) as [here before].
    split; [exact here|]. intros [|k] b below at_k; [injection at_k as <-; exact E|].
    apply (before k b); [apply Nat.succ_lt_mono; exact below | exact at_k].
Qed.

Theorem what_is_found_fits : forall anywhere asked c i, found anywhere asked c = Some i ->
  exists message, nth_error (messages c) i = Some message /\ fits asked message = true.
Proof.
  intros anywhere asked c i H. destruct (place_found _ _ _ _ H) as [(message & here & good) _].
  exists message. split; [|exact good]. destruct anywhere; [exact here|].
  destruct (messages c) as [|first others]; [destruct i; discriminate|].
  destruct i as [|[|i]]; simpl in here; [exact here | discriminate | discriminate].
Qed.

Theorem nothing_before_it_fits : forall asked c i, found true asked c = Some i ->
  forall k message, (k < i)%nat -> nth_error (messages c) k = Some message -> fits asked message = false.
Proof. intros asked c i H. apply (place_found _ _ _ _ H). Qed.

Theorem a_full_channel_is_buffered : forall p c, is_full p c = true -> is_rendezvous p c = false.
Proof.
  intros p c H. unfold is_full, is_rendezvous in *. apply andb_true_iff in H as [some _].
  apply Z.ltb_lt in some. apply Z.eqb_neq. intros none. rewrite none in some. discriminate.
Qed.
