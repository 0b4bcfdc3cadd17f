(* Atomic sequences that may be interrupted, as edges.

   A process runs through an atomic sequence without interruption until it comes to its end, or to a statement that
   blocks; there others may move, and later it goes on from where it is. What it does up to there is one step for
   everybody else, and for the reduction: reduction/programs.v has it as one edge. Here such edges are made of the edges
   of single statements: one for every way through a sequence, and one for every place where it blocks, which is open
   only where all that follows is closed. Proved: what is made is honest if its parts are, so that the theorems about
   reduction apply to it (static.v, chosen.v); and to take it is to take its parts one after the other.

   The first statement may send, or receive from the front of a channel. The others have no operation on a channel, and
   how often a sequence goes on is bounded: a loop in it is unrolled so often. *)
(* Proves: followed_is_honest, sequences_are_honest, followed_is_both, blocked_is_interrupted,
   reduction_with_interrupted_sequences *)
(* Assumes: classic, constructive_indefinite_description (only the last, through reduction/static.v) *)
From Coq Require Import Arith Lia List Bool ZArith.
From everafter.ltl Require Import words formulas.
From everafter.reduction Require Import channels programs ample commands static.
Import ListNotations.

(* What comes after the first edge: a test, what is done, what both touch, and where that leads. *)
Record piece := {
  test : store -> store -> bool;
  act : store -> store -> store * store;
  sees : list nat;
  sets : list nat;
  leads : nat }.

Record honest_piece (d : piece) : Prop := {
  test_reads : forall l g h, length g = length h -> agree (sees d ++ sets d) g h -> test d l g = test d l h;
  act_keeps_size : forall l g, length (snd (act d l g)) = length g;
  act_writes : forall l g v, ~ In v (sets d) -> read (snd (act d l g)) v = read g v;
  act_reads : forall l g h, length g = length h -> agree (sees d ++ sets d) g h ->
    fst (act d l g) = fst (act d l h) /\ agree (sets d) (snd (act d l g)) (snd (act d l h)) }.

Definition piece_of (e : edge) : piece :=
  {| test := guard e; act := effect e None; sees := reads e; sets := writes e; leads := to e |}.

(* Interrupted: none of these is open, and nothing is done. *)
Definition interrupted (place : nat) (next : list edge) : piece := {|
  test := fun l g => forallb (fun d => negb (guard d l g)) next;
  act := fun l g => (l, g);
  sees := flat_map touches next;
  sets := [];
  leads := place |}.

Definition passes (e : edge) (d : piece) (x : option message) (l g : store) : bool :=
  let (m, h) := effect e x l g in test d m h.

(* What is received is known only when it is: then the test is asked of the message. *)
Definition wants (e : edge) (d : piece) (l g : store) (o : operation message) : operation message :=
  match o with
  | Receive anywhere removes wanted => Receive anywhere removes (fun m => wanted m && passes e d (Some m) l g)
  | Send capacity loses m => Send capacity loses m
  end.
Definition receives (e : edge) : bool :=
  match uses e with Some u => match sort u with Receives _ => true | Sends _ => false end | None => false end.

Definition followed (e : edge) (d : piece) : edge := {|
  from := from e;
  to := leads d;
  guard := fun l g => guard e l g && (receives e || passes e d None l g);
  uses := match uses e with
          | Some u => Some {| channel := channel u; sort := sort u;
              operates := fun l g => wants e d l g (operates u l g) |}
          | None => None
          end;
  effect := fun x l g => let (m, h) := effect e x l g in act d m h;
  reads := (reads e ++ sees d) ++ (writes e ++ sets d);
  writes := writes e ++ sets d |}.

Lemma agree_part : forall some all g h, incl some all -> agree all g h -> agree some g h.
Proof. intros some all g h sub A v V. apply A, sub, V. Qed.

(* After the first edge, stores that agreed on what either touches agree on what the second touches. *)
Lemma agree_after : forall e d x l g h, honest e -> length g = length h -> agree (touches (followed e d)) g h ->
  fst (effect e x l g) = fst (effect e x l h) /\ length (snd (effect e x l g)) = length (snd (effect e x l h)) /\
  agree (writes e ++ sees d ++ sets d) (snd (effect e x l g)) (snd (effect e x l h)).
Proof.
  intros e d x l g h E L A. unfold touches in A. simpl in A.
  destruct (effect_reads e E x l g h L) as [same written].
  { apply (agree_part _ _ _ _) with (2 := A). unfold touches. intros v V. rewrite !in_app_iff in *. tauto. }
  split; auto. split; [rewrite !(effect_keeps_size e E); auto|]. intros v V.
  destruct (in_dec Nat.eq_dec v (writes e)) as [yes|no]; [apply written; auto|].
  rewrite !(effect_writes e E) by auto. apply A. rewrite !in_app_iff in *. tauto.
Qed.

Lemma passes_reads : forall e d x l g h, honest e -> honest_piece d -> length g = length h ->
  agree (touches (followed e d)) g h -> passes e d x l g = passes e d x l h.
Proof.
  intros e d x l g h E D L A. destruct (agree_after e d x l g h E L A) as (same & long & agrees). unfold passes.
  destruct (effect e x l g) as [m1 g1], (effect e x l h) as [m2 g2]. simpl in *. subst.
  apply (test_reads d D); auto. apply (agree_part _ _ _ _) with (2 := agrees).
  intros v V. rewrite !in_app_iff in *. tauto.
Qed.

Theorem followed_is_honest : forall e d, honest e -> honest_piece d -> honest (followed e d).
Proof.
  intros e d E D.
  assert (first : forall g h, agree (touches (followed e d)) g h -> agree (touches e) g h).
  { intros g h. apply agree_part. unfold touches. simpl. intros v V. rewrite !in_app_iff in *. tauto. }
  split.
  - intros l g h L A. simpl. rewrite (guard_reads e E l g h L (first g h A)), (passes_reads e d None l g h E D L A).
    reflexivity.
  - intros u l g h U L A. simpl in U. destruct (uses e) as [v|] eqn:V; [|discriminate]. injection U as <-. simpl.
    pose proof (use_reads e E v l g h V L (first g h A)) as same.
    destruct (operates v l g), (operates v l h); simpl in *; try tauto.
    destruct same as (-> & -> & same). repeat split; auto. intros m. rewrite same.
    rewrite (passes_reads e d (Some m) l g h E D L A). reflexivity.
  - intros u l g U. simpl in U. destruct (uses e) as [v|] eqn:V; [|discriminate]. injection U as <-. simpl.
    rewrite <- (use_sort e E v l g V). destruct (operates v l g); reflexivity.
  - intros x l g. simpl. pose proof (effect_keeps_size e E x l g) as L. destruct (effect e x l g) as [m h].
    rewrite (act_keeps_size d D). exact L.
  - intros x l g v no. simpl in *. pose proof (effect_writes e E x l g v) as W. destruct (effect e x l g) as [m h].
    rewrite in_app_iff in no. rewrite (act_writes d D) by tauto. apply W. tauto.
  - intros x l g h L A. simpl. destruct (agree_after e d x l g h E L A) as (same & long & agrees).
    destruct (effect e x l g) as [m1 g1], (effect e x l h) as [m2 g2]. simpl in *. subst.
    destruct (act_reads d D m2 g1 g2 long) as [one two].
    { apply (agree_part _ _ _ _) with (2 := agrees). intros v V. rewrite !in_app_iff in *. tauto. }
    split; auto. intros v V. destruct (in_dec Nat.eq_dec v (sets d)) as [yes|no]; [apply two; auto|].
    rewrite !(act_writes d D) by auto. apply agrees. rewrite !in_app_iff in *. tauto.
Qed.

Lemma edge_piece_is_honest : forall e, honest e -> honest_piece (piece_of e).
Proof.
  intros e E. split; simpl.
  - intros l g h. apply (guard_reads e E).
  - intros l g. apply (effect_keeps_size e E).
  - intros l g v. apply (effect_writes e E).
  - intros l g h. apply (effect_reads e E).
Qed.

Lemma interrupted_is_honest : forall place next, (forall d, In d next -> honest d) ->
  honest_piece (interrupted place next).
Proof.
  intros place next all. split; simpl; auto.
  - intros l g h L A. rewrite app_nil_r in A. induction next as [|d next IH]; simpl in *; auto.
    rewrite (guard_reads d (all d (or_introl eq_refl)) l g h L), IH; auto.
    + intros v V. apply A, in_or_app. auto.
    + intros v V. apply A, in_or_app. auto.
  - intros l g h _ _. split; auto. intros v [].
Qed.

(* The edges that are made of a text: where an edge keeps the sequence, something follows it, or it is interrupted. *)
Section Sequences.
Variable t : text.
Variable keeps : edge -> bool.

Definition after_edge (e : edge) : list edge := filter (fun d => from d =? to e) t.
Fixpoint sequences (longest : nat) (e : edge) : list edge :=
  match longest with
  | 0 => [e]
  | S fewer =>
      if keeps e then
        followed e (interrupted (to e) (after_edge e)) ::
        flat_map (fun d => map (fun rest => followed e (piece_of rest)) (sequences fewer d)) (after_edge e)
      else [e]
  end.
Definition uninterrupted (longest : nat) : text := flat_map (sequences longest) t.

Theorem sequences_are_honest : (forall e, In e t -> honest e) -> forall longest e, honest e ->
  forall made, In made (sequences longest e) -> honest made.
Proof.
  intros all. assert (next : forall e d, In d (after_edge e) -> honest d).
  { intros e d D. apply filter_In in D as [D _]. auto. }
  induction longest as [|fewer IH]; intros e E made inside; simpl in inside; [destruct inside as [<-|[]]; auto|].
  destruct (keeps e); [|destruct inside as [<-|[]]; auto]. destruct inside as [<-|inside].
  - apply followed_is_honest; auto. apply interrupted_is_honest. apply next.
  - apply in_flat_map in inside as (d & D & inside). apply in_map_iff in inside as (rest & <- & R).
    apply followed_is_honest; auto. apply edge_piece_is_honest. apply (IH d); eauto.
Qed.
End Sequences.

(* What it is to take an edge, whichever text it is in. *)
Definition takes (e : edge) (p : nat) (s u : state) : Prop := exists l c x,
  nth_error (processes s) p = Some (from e, l) /\ guard e l (globals s) = true /\
  used e l (globals s) (channels s) = Some (c, x) /\ u = moved s p e l c x.

Lemma steps_are_taken : forall P s p i e, edge_of P p i = Some e -> can_move P s p i = true ->
  takes e p s (execute P s (Step p i)).
Proof.
  intros P s p i e E can. destruct (moving P s p i can) as (e' & place & l & c & x & E' & Q & here & open & U & M).
  rewrite E in E'. injection E' as <-. subst place. rewrite M. exists l, c, x. auto.
Qed.

(* Not a receive from anywhere in a channel: which message it takes would depend on what follows. *)
Definition in_front (e : edge) : Prop := forall u l g, uses e = Some u ->
  match operates u l g with Receive anywhere _ _ => anywhere = false | Send _ _ _ => True end.

Lemma used_followed : forall e d l g c c' x, honest e -> in_front e ->
  (used (followed e d) l g c = Some (c', x) /\ (receives e || passes e d None l g) = true <->
   used e l g c = Some (c', x) /\ passes e d x l g = true).
Proof.
  intros e d l g c c' x E F. unfold used. simpl. unfold receives.
  destruct (uses e) as [u|] eqn:U; simpl.
  - pose proof (use_sort e E u l g U) as S. pose proof (F u l g U) as front. rewrite <- S.
    destruct (nth_error c (channel u)) as [q|]; [|split; intros [N _]; discriminate].
    destruct (operates u l g) as [capacity loses m|anywhere removes wanted]; simpl in *.
    + destruct (length q <? capacity); [split; intros [N T]; injection N as <- <-; auto|].
      destruct loses; [split; intros [N T]; injection N as <- <-; auto | split; intros [N _]; discriminate].
    + subst anywhere. simpl. destruct q as [|m q]; [split; intros [N _]; discriminate|].
      destruct (wanted m); simpl; [|split; intros [N _]; discriminate].
      destruct (passes e d (Some m) l g) eqn:T; simpl.
      * split; intros [N _]; split; auto; injection N as <- <-; auto.
      * split; intros [N W]; [discriminate|]. injection N as <- <-. congruence.
  - split; intros [N T]; injection N as <- <-; auto.
Qed.

Lemma takes_followed : forall e d p s u, honest e -> in_front e -> (takes (followed e d) p s u <-> exists l c x,
  nth_error (processes s) p = Some (from e, l) /\ guard e l (globals s) = true /\
  used e l (globals s) (channels s) = Some (c, x) /\ passes e d x l (globals s) = true /\
  u = moved s p (followed e d) l c x).
Proof.
  intros e d p s u E F. split.
  - intros (l & c & x & Q & open & U & M). simpl in open. apply andb_prop in open as [open pass].
    destruct (proj1 (used_followed e d l (globals s) (channels s) c x E F) (conj U pass)) as [U' T].
    exists l, c, x. auto.
  - intros (l & c & x & Q & open & U & T & M).
    destruct (proj2 (used_followed e d l (globals s) (channels s) c x E F) (conj U T)) as [U' pass].
    exists l, c, x. simpl. rewrite open, pass. auto.
Qed.

(* To take what is made of two edges is to take both, one after the other. *)
Theorem followed_is_both : forall e d p s u, honest e -> in_front e -> uses d = None -> from d = to e ->
  (takes (followed e (piece_of d)) p s u <-> exists t, takes e p s t /\ takes d p t u).
Proof.
  intros e d p s u E F quiet next. rewrite takes_followed by auto. split.
  - intros (l & c & x & Q & open & U & T & M). exists (moved s p e l c x). split; [exists l, c, x; auto|].
    exists (fst (effect e x l (globals s))), c, None. unfold used. rewrite quiet.
    cbn [moved processes globals channels].
    rewrite (update_same _ _ _ _ (from e, l)) by auto. rewrite next. unfold passes in T. subst u.
    unfold moved. cbn [processes globals channels]. simpl in T. rewrite update_twice.
    cbn [followed effect piece_of act leads to]. destruct (effect e x l (globals s)) as [m h]. auto.
  - intros (t & (l & c & x & Q & open & U & ->) & (m & c' & y & Q' & open' & U' & M)).
    cbn [moved processes globals channels] in *. rewrite (update_same _ _ _ _ (from e, l)) in Q' by auto.
    injection Q' as _ <-. unfold used in U'. rewrite quiet in U'. injection U' as <- <-.
    exists l, c, x. split; auto. split; auto. split; auto. unfold passes. subst u. unfold moved.
    cbn [processes globals channels]. rewrite update_twice. cbn [followed effect piece_of act leads to test].
    destruct (effect e x l (globals s)) as [m h]. auto.
Qed.

(* To be interrupted is to take the edge, and then to find all that follows closed. *)
Theorem blocked_is_interrupted : forall e next p s u, honest e -> in_front e ->
  (forall d, In d next -> uses d = None /\ from d = to e) ->
  (takes (followed e (interrupted (to e) next)) p s u <->
   takes e p s u /\ forall d v, In d next -> ~ takes d p u v).
Proof.
  intros e next p s u E F quiet. rewrite takes_followed by auto.
  assert (same : forall l c x, moved s p (followed e (interrupted (to e) next)) l c x = moved s p e l c x).
  { intros l c x. unfold moved. cbn [followed effect interrupted act leads to].
    destruct (effect e x l (globals s)). reflexivity. }
  split.
  - intros (l & c & x & Q & open & U & T & ->). rewrite same. split; [exists l, c, x; auto|].
    intros d v D (m & c' & y & Q' & open' & _). cbn [moved processes globals channels] in *.
    rewrite (update_same _ _ _ _ (from e, l)) in Q' by auto. injection Q' as _ <-.
    unfold passes in T. cbn [interrupted test] in T. destruct (effect e x l (globals s)) as [m h]. simpl in open'.
    rewrite forallb_forall in T. specialize (T d D). rewrite open' in T. discriminate.
  - intros ((l & c & x & Q & open & U & ->) & closed). exists l, c, x. rewrite same. repeat split; auto.
    unfold passes. cbn [interrupted test]. destruct (effect e x l (globals s)) as [m h] eqn:X.
    apply forallb_forall. intros d D. destruct (guard d m h) eqn:G; auto. exfalso.
    destruct (quiet d D) as [none here]. apply (closed d (moved (moved s p e l c x) p d m c None) D).
    exists m, c, None. unfold used. rewrite none. cbn [moved processes globals channels]. rewrite X. cbn [fst snd].
    rewrite (update_same _ _ _ _ (from e, l)) by auto. rewrite here. auto.
Qed.

(* A program whose processes have sequences, each with the edges that keep one, and what reduction does to it. *)
Definition with_sequences (longest : nat) (parts : list (text * (edge -> bool))) : program :=
  map (fun part => uninterrupted (fst part) (snd part) longest) parts.

Theorem reduction_with_interrupted_sequences : forall longest parts claim given order (f : formula nat) (s : state),
  (forall part e, In part parts -> In e (fst part) -> honest e) -> next_free f ->
  ((forall w, runs (with_sequences longest parts) s w ->
     satisfies truth (word_seen (with_sequences longest parts) claim s w) f) <->
   (forall w, reduced_runs (with_sequences longest parts) claim given order s w ->
     satisfies truth (word_seen (with_sequences longest parts) claim s w) f)).
Proof.
  intros longest parts claim given order f s all. apply reduction_of_honest_programs. intros t e T E.
  apply in_map_iff in T as (part & <- & inside). apply in_flat_map in E as (first & first_in & made).
  apply (sequences_are_honest (fst part) (snd part) (fun d D => all part d inside D) longest first); auto.
  apply (all part first inside first_in).
Qed.
