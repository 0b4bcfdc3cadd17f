(* Rows that have zero in cells whose values nothing depends on.

   certificates/independence/zero_cells.py takes the cells that are zero at a place of control for unknown, and follows
   them through every statement: what is evaluated must be known wherever it decides whether the statement can be taken,
   whether it goes wrong, or what others are told; and behind the statement only cells may be unknown that are zero
   where it leads. Here a program is any set of such statements between places; `told` and `rest` stand for channels and
   everything else that is not a cell. If every edge is accepted, then whatever edges are taken, in the same order, from
   a state and from its row, one goes as far as the other: the same edges are open, the same go wrong, others are told
   the same, and what a property sees is the same, as long as it reads no such cell. So it makes no difference to any
   formula, with X or without, nor to fairness.

   A place is that of the whole system: where all processes are. Of an array one cell is told by an index that is known,
   so that a cell is a number; a statement that may write one of several writes, here, the one that it does and takes it
   for known only if the value is: less is asked than by zero_cells.py, which leaves such a cell unknown. *)
(* Proves: zeros_change_nothing, row_is_same *)
(* Assumes: nothing *)
From Coq Require Import Arith Bool.

Section Zeros.
Variables value rest letter : Type.
Variable zero : value.
Variable truth : value -> bool.
(* Operators by number; one that is not total has no value for some operands: a division, an index, a range. *)
Variable operate : nat -> value -> value -> option value.
Variable total : nat -> bool.
Hypothesis total_has_value : forall f a b, total f = true -> operate f a b <> None.
(* What is told to others, which may have to wait, and what is taken from them. *)
Variable tell : rest -> value -> option rest.
Variable take : rest -> option (value * rest).

Definition memory := nat -> value.
Definition cells := nat -> bool.

Inductive expression :=
| Constant (v : value)
| Cell (c : nat)
| Operate (f : nat) (left right : expression)
| Choose (condition chosen other : expression).

Inductive statement :=
| Assign (c : nat) (e : expression)
| Test (e : expression)
| Send (e : expression)
| Receive (c : nat).

Fixpoint evaluate (m : memory) (e : expression) : option value :=
  match e with
  | Constant v => Some v
  | Cell c => Some (m c)
  | Operate f l r => match evaluate m l, evaluate m r with Some a, Some b => operate f a b | _, _ => None end
  | Choose c a b => match evaluate m c with
                    | Some v => if truth v then evaluate m a else evaluate m b
                    | None => None
                    end
  end.

Fixpoint fallible (e : expression) : bool :=
  match e with
  | Constant _ | Cell _ => false
  | Operate f l r => negb (total f) || fallible l || fallible r
  | Choose c a b => fallible c || fallible a || fallible b
  end.

(* Whether the value may be unknown; None where that may decide whether there is one. *)
Fixpoint may_be_unknown (u : cells) (e : expression) : option bool :=
  match e with
  | Constant _ => Some false
  | Cell c => Some (u c)
  | Operate f l r =>
    match may_be_unknown u l, may_be_unknown u r with
    | Some a, Some b => if total f then Some (a || b) else if a || b then None else Some false
    | _, _ => None
    end
  | Choose c a b =>
    match may_be_unknown u c, may_be_unknown u a, may_be_unknown u b with
    | Some x, Some y, Some z => if x && (fallible a || fallible b) then None else Some (x || y || z)
    | _, _, _ => None
    end
  end.

Definition agree (u : cells) (m n : memory) := forall c, u c = false -> m c = n c.

Lemma infallible_has_value : forall e m, fallible e = false -> evaluate m e <> None.
Proof.
  induction e as [v|c|f l L r R|c C a A b B]; simpl; intros m; try discriminate.
  - intros F. apply orb_false_iff in F as [F Fr]. apply orb_false_iff in F as [Ft Fl]. apply negb_false_iff in Ft.
    specialize (L m Fl). specialize (R m Fr). destruct (evaluate m l); [|congruence].
    destruct (evaluate m r); [|congruence]. auto.
  - intros F. apply orb_false_iff in F as [F Fb]. apply orb_false_iff in F as [Fc Fa].
    specialize (C m Fc). destruct (evaluate m c) as [v|]; [|congruence]. destruct (truth v); auto.
Qed.

Lemma known_is_known : forall e u m n b, agree u m n -> may_be_unknown u e = Some b ->
  (evaluate m e = None <-> evaluate n e = None) /\ (b = false -> evaluate m e = evaluate n e).
Proof.
  induction e as [v|c|f l L r R|c C a A b' B]; simpl; intros u m n b G D.
  - split; [split; discriminate|auto].
  - injection D as <-. split; [split; discriminate|]. intros known. now rewrite (G c known).
  - destruct (may_be_unknown u l) as [x|] eqn:X; [|discriminate].
    destruct (may_be_unknown u r) as [y|] eqn:Y; [|discriminate].
    destruct (L u m n x G X) as [Ln Lk]. destruct (R u m n y G Y) as [Rn Rk].
    destruct (total f) eqn:T.
    + injection D as <-. split.
      * destruct (evaluate m l) as [a|], (evaluate n l) as [a'|]; destruct (evaluate m r) as [d|], (evaluate n r) as [d'|];
          try (split; intros E; [now apply total_has_value in E|now apply total_has_value in E]);
          try tauto; try (destruct Ln as [Ln1 Ln2]; try discriminate (Ln1 eq_refl); try discriminate (Ln2 eq_refl));
          try (destruct Rn as [Rn1 Rn2]; try discriminate (Rn1 eq_refl); try discriminate (Rn2 eq_refl)); tauto.
      * intros no. apply orb_false_iff in no as [-> ->]. now rewrite (Lk eq_refl), (Rk eq_refl).
    + destruct (x || y) eqn:no; [discriminate|]. apply orb_false_iff in no as [-> ->].
      rewrite (Lk eq_refl), (Rk eq_refl). split; [tauto|auto].
  - destruct (may_be_unknown u c) as [x|] eqn:X; [|discriminate].
    destruct (may_be_unknown u a) as [y|] eqn:Y; [|discriminate].
    destruct (may_be_unknown u b') as [z|] eqn:Z; [|discriminate].
    destruct (C u m n x G X) as [Cn Ck]. destruct (A u m n y G Y) as [An Ak]. destruct (B u m n z G Z) as [Bn Bk].
    destruct x; simpl in D.
    + destruct (fallible a || fallible b') eqn:no; [discriminate|]. apply orb_false_iff in no as [Fa Fb].
      injection D as <-. split; [|discriminate].
      pose proof (infallible_has_value a m Fa). pose proof (infallible_has_value a n Fa).
      pose proof (infallible_has_value b' m Fb). pose proof (infallible_has_value b' n Fb).
      destruct (evaluate m c) as [v|], (evaluate n c) as [v'|]; try tauto;
        [|destruct Cn as [_ Cn]; discriminate (Cn eq_refl)|destruct Cn as [Cn _]; discriminate (Cn eq_refl)].
      destruct (truth v), (truth v'); tauto.
    + injection D as <-. rewrite (Ck eq_refl). split.
      * destruct (evaluate n c) as [v|]; [|tauto]. destruct (truth v); auto.
      * intros no. apply orb_false_iff in no as [-> ->]. destruct (evaluate n c) as [v|]; auto.
        destruct (truth v); auto.
Qed.

(* Statements *)

Inductive outcome := Blocked | Wrong | Done (r : rest) (m : memory).

Definition write (m : memory) (c : nat) (v : value) : memory := fun x => if x =? c then v else m x.

Definition perform (s : statement) (r : rest) (m : memory) : outcome :=
  match s with
  | Assign c e => match evaluate m e with Some v => Done r (write m c v) | None => Wrong end
  | Test e => match evaluate m e with Some v => if truth v then Done r m else Blocked | None => Wrong end
  | Send e => match evaluate m e with
              | Some v => match tell r v with Some r' => Done r' m | None => Blocked end
              | None => Wrong
              end
  | Receive c => match take r with Some (v, r') => Done r' (write m c v) | None => Blocked end
  end.

Definition set (u : cells) (c : nat) (b : bool) : cells := fun x => if x =? c then b else u x.

(* What is unknown behind a statement; None where it may decide something. *)
Definition behind (u : cells) (s : statement) : option cells :=
  match s with
  | Assign c e => match may_be_unknown u e with Some b => Some (set u c b) | None => None end
  | Test e | Send e => match may_be_unknown u e with Some false => Some u | _ => None end
  | Receive c => Some (set u c false)
  end.

Definition alike (u : cells) (one other : outcome) :=
  match one, other with
  | Blocked, Blocked | Wrong, Wrong => True
  | Done r m, Done r' m' => r = r' /\ agree u m m'
  | _, _ => False
  end.

Lemma agree_write : forall u c b m n v w, agree u m n -> (b = false -> v = w) ->
  agree (set u c b) (write m c v) (write n c w).
Proof. intros u c b m n v w G same x. unfold set, write. destruct (x =? c); auto. Qed.

Lemma statements_are_alike : forall s u u' r m n, agree u m n -> behind u s = Some u' ->
  alike u' (perform s r m) (perform s r n).
Proof.
  intros [c e|e|e|c] u u' r m n G D; simpl in *.
  - destruct (may_be_unknown u e) as [b|] eqn:U; [|discriminate]. injection D as <-.
    destruct (known_is_known e u m n b G U) as [N K].
    destruct (evaluate m e) as [v|], (evaluate n e) as [w|]; simpl; auto.
    + split; auto. apply agree_write; auto. intros no. specialize (K no). congruence.
    + destruct N as [_ N]. discriminate (N eq_refl).
    + destruct N as [N _]. discriminate (N eq_refl).
  - destruct (may_be_unknown u e) as [[|]|] eqn:U; try discriminate. injection D as <-.
    destruct (known_is_known e u m n false G U) as [_ K]. rewrite (K eq_refl).
    destruct (evaluate n e) as [v|]; simpl; auto. destruct (truth v); simpl; auto.
  - destruct (may_be_unknown u e) as [[|]|] eqn:U; try discriminate. injection D as <-.
    destruct (known_is_known e u m n false G U) as [_ K]. rewrite (K eq_refl).
    destruct (evaluate n e) as [v|]; simpl; auto. destruct (tell r v); simpl; auto.
  - injection D as <-. destruct (take r) as [[v r']|]; simpl; auto. split; auto. apply agree_write; auto.
Qed.

(* Systems *)

Variable zeros : nat -> cells.

Record edge := { source : nat; does : statement; target : nat }.
Record state := { place : nat; others : rest; has : memory }.

Variable belongs : edge -> Prop.
Hypothesis accepted : forall e, belongs e -> exists u, behind (zeros (source e)) (does e) = Some u /\
  forall c, u c = true -> zeros (target e) c = true.
Variable label : state -> letter.
Definition same (s t : state) := place s = place t /\ others s = others t /\ agree (zeros (place s)) (has s) (has t).
Hypothesis property_reads_no_zero : forall s t, same s t -> label s = label t.

Definition row (s : state) : state :=
  {| place := place s; others := others s; has := fun c => if zeros (place s) c then zero else has s c |}.

Inductive took := Closed | Failed | To (s : state).

Definition taken (e : edge) (s : state) : took :=
  if source e =? place s then
    match perform (does e) (others s) (has s) with
    | Blocked => Closed
    | Wrong => Failed
    | Done r m => To {| place := target e; others := r; has := m |}
    end
  else Closed.

Definition to_row (t : took) : took := match t with To s => To (row s) | _ => t end.

Definition matches (one other : took) :=
  match one, other with
  | Closed, Closed | Failed, Failed => True
  | To s, To t => same s t /\ label s = label t
  | _, _ => False
  end.

Lemma row_is_same : forall s, same s (row s).
Proof. intros s. repeat split. intros c known. simpl. now rewrite known. Qed.

Lemma same_through : forall s t, same s t -> same s (row t).
Proof.
  intros s t (P & O & G). repeat split; auto. intros c known. simpl. rewrite <- P, known. auto.
Qed.

Lemma edges_match : forall e s t, belongs e -> same s t -> matches (taken e s) (to_row (taken e t)).
Proof.
  intros e s t E (P & O & G). unfold taken. rewrite <- P, <- O.
  destruct (Nat.eqb_spec (source e) (place s)) as [here|]; simpl; auto.
  destruct (accepted e E) as (u & B & within). rewrite here in B.
  pose proof (statements_are_alike (does e) _ u (others s) (has s) (has t) G B) as A.
  destruct (perform (does e) (others s) (has s)) as [| |r m], (perform (does e) (others s) (has t)) as [| |r' m'];
    simpl in A; try tauto; simpl; auto.
  destruct A as [<- A].
  assert (S : same {| place := target e; others := r; has := m |} {| place := target e; others := r; has := m' |}).
  { repeat split; auto. simpl. intros c known. apply A. destruct (u c) eqn:uc; auto.
    apply within in uc. congruence. }
  split; [now apply same_through|]. apply property_reads_no_zero. now apply same_through.
Qed.

(* Along edges chosen in any way: of states, and of rows. *)
Fixpoint along (w : nat -> edge) (s : state) (n : nat) : took :=
  match n with
  | 0 => To s
  | S k => match along w s k with To t => taken (w k) t | stop => stop end
  end.

Fixpoint along_rows (w : nat -> edge) (s : state) (n : nat) : took :=
  match n with
  | 0 => To (row s)
  | S k => match along_rows w s k with To t => to_row (taken (w k) t) | stop => stop end
  end.

(* Proof of everafter.certificates.independence.zero_cells.read_of_zeros *)
Theorem zeros_change_nothing : forall w s n, (forall k, belongs (w k)) -> matches (along w s n) (along_rows w s n).
Proof.
  intros w s n all. induction n as [|n IH]; simpl.
  - split; [|apply property_reads_no_zero]; apply row_is_same.
  - destruct (along w s n) as [| |a], (along_rows w s n) as [| |b]; simpl in *; try tauto.
    destruct IH as [S _]. now apply edges_match.
Qed.
End Zeros.
