(* Weakly fair runs are found where whole atomic sequences are single edges.

   Machine code takes an atomic sequence to its end, or leaves it somewhere in the middle, and makes one edge of it,
   in which all move that move on the way. In the middle of a sequence no state says who can move, so that such an
   edge is in the set of a process if and only if an edge of the sequence is. `fair_sequences` joins this to what the
   sets mean: there is a cycle of these longer edges with every acceptance set, and a way to it, if and only if there
   is an accepted run of the graph itself, step by step, that is weakly fair to every process. Couvreur's search
   answers if and only if there is such a cycle (search/generalised.vpr). *)
(* Proves: fair_sequences *)
(* Assumes: classic (as product/fairness.v) *)
From Coq Require Import Arith Lia List.
From everafter.product Require Import fairness.
Import ListNotations.

Section Sequences.
Variable size : nat.
Variable edges : nat -> list edge.
Variable able : nat -> option (list nat).
Variable accepting : nat -> bool.
Variable processes : nat.
Hypothesis graph : is_graph size edges able accepting processes.

(* The edges after the first begin in the middle of an atomic sequence. *)
Definition is_sequence (s : nat) (way : list edge) (t : nat) :=
  walk edges s way t /\ way <> [] /\ forall e, In e (tl way) -> able (source e) = None.
Definition some_moves (p : nat) (way : list edge) := exists e, In e way /\ moves p e.

(* What machine code has instead of the edges: each is a sequence, and for each that begins and ends outside there is
   a way on which the same processes move, and maybe others. *)
Variable longer : nat -> list edge.
Definition are_sequences := (forall s e, In e (longer s) -> source e = s /\
    exists way, is_sequence s way (target e) /\ forall p, moves p e -> some_moves p way)
  /\ (forall s way t, is_sequence s way t -> able s <> None -> able t <> None ->
    exists short, walk longer s short t /\ short <> [] /\ forall p, some_moves p way -> some_moves p short)
  /\ able 0 <> None.
Hypothesis sequences : are_sequences.

Definition has_sets (of : nat -> list edge) := exists entry cycle, is_lasso of entry cycle /\
  forall set, set <= processes -> exists e, In e cycle /\ in_set able accepting set e.

Definition keeps_sets (way other : list edge) := forall set e, In e way -> in_set able accepting set e ->
  exists d, In d other /\ in_set able accepting set d.

(* An edge that is in a set because its process moves, or because of the state that it leaves. *)
Lemma in_set_cases : forall set e, in_set able accepting set e ->
  (exists p, set = S p /\ moves p e)
  \/ (able (source e) <> None /\ forall d, source d = source e -> in_set able accepting set d).
Proof.
  destruct graph as (_ & _ & _ & outside). intros [|p] e here; simpl in *.
  - right. split; [apply outside, here|]. intros d same. unfold accepts in *. rewrite same. exact here.
  - destruct here as [here|here]; [left; eauto|]. right. unfold cannot_move in *. split.
    + destruct here as (can & is & _). congruence.
    + intros d same. right. rewrite same. exact here.
Qed.

Lemma walked_out : forall short s t, walk longer s short t ->
  exists way, walk edges s way t /\ keeps_sets short way /\ (short <> [] -> way <> []).
Proof.
  destruct sequences as (taken & _ & _). intros short. induction short as [|e short IH]; intros s t goes; simpl in goes.
  - exists []. repeat split; auto. intros set e [].
  - destruct goes as (begins & inside & goes). destruct (IH _ _ goes) as (rest & walks & keeps & _).
    destruct (taken _ _ inside) as (_ & way & (first & some & _) & moving).
    exists (way ++ rest). split; [exact (walk_app _ _ _ _ _ _ first walks)|]. split.
    + intros set d [<-|later] here.
      * destruct (in_set_cases _ _ here) as [(p & -> & move)|(_ & like)].
        -- destruct (moving p move) as (d & there & moves_). exists d. rewrite in_app_iff.
           split; [auto | left; exact moves_].
        -- destruct way as [|d way]; [congruence|]. exists d. split; [left; reflexivity|]. apply like.
           simpl in first. destruct first as (same & _). congruence.
      * destruct (keeps set d later here) as (c & there & is). exists c. rewrite in_app_iff. auto.
    + intros _. destruct way; [congruence | discriminate].
Qed.

(* The edges of a walk up to where it is next outside. *)
Lemma up_to_outside : forall way s t, walk edges s way t -> able t <> None ->
  exists middle rest u, way = middle ++ rest /\ walk edges s middle u /\ walk edges u rest t /\ able u <> None
    /\ forall e, In e middle -> able (source e) = None.
Proof.
  intros way. induction way as [|e way IH]; intros s t goes outside; simpl in goes.
  - subst. exists [], [], t. simpl. repeat split; auto. intros e [].
  - destruct (able s) as [can|] eqn:where_.
    + exists [], (e :: way), s. simpl. rewrite where_. repeat split; try discriminate; try apply goes. intros d [].
    + destruct goes as (begins & inside & goes).
      destruct (IH _ _ goes outside) as (middle & rest & u & -> & first & second & out & all).
      exists (e :: middle), rest, u. simpl. repeat split; auto. intros d [<-|later]; [congruence | auto].
Qed.

Lemma walked_short : forall many way s t, length way <= many -> walk edges s way t -> able s <> None ->
  able t <> None ->
  exists short, walk longer s short t /\ keeps_sets way short /\ (way <> [] -> short <> []).
Proof.
  destruct sequences as (_ & given & _).
  induction many as [|many IH]; intros [|e way] s t less goes begin end_; simpl in *; try lia.
  1, 2: exists []; repeat split; auto; intros set d [].
  destruct goes as (begins & inside & goes).
  destruct (up_to_outside _ _ _ goes end_) as (middle & rest & u & -> & first & second & out & all).
  rewrite app_length in less.
  destruct (IH rest u t ltac:(lia) second out end_) as (after & walks & keeps & _).
  destruct (given s (e :: middle) u) as (short & shortly & some & moving); auto.
  { split; [simpl; auto|]. split; [discriminate | exact all]. }
  exists (short ++ after). split; [exact (walk_app _ _ _ _ _ _ shortly walks)|]. split.
  - intros set d place here. change (In d ((e :: middle) ++ rest)) in place. apply in_app_or in place.
    destruct place as [now|later].
    + destruct (in_set_cases _ _ here) as [(p & -> & move)|(out_ & like)].
      * destruct (moving p) as (c & there & moves_); [exists d; split; assumption|].
        exists c. rewrite in_app_iff. split; [auto | left; exact moves_].
      * destruct short as [|c short]; [congruence|]. exists c. split; [left; reflexivity|]. apply like.
        simpl in shortly. destruct shortly as (same & _). destruct now as [<-|middle_]; [congruence|].
        destruct (out_ (all _ middle_)).
    + destruct (keeps set d later here) as (c & there & is). exists c. rewrite in_app_iff. auto.
  - intros _. destruct short; [congruence | discriminate].
Qed.

Lemma sets_either_way : has_sets longer <-> has_sets edges.
Proof.
  destruct graph as (_ & _ & _ & outside). destruct sequences as (_ & _ & begin). split.
  - intros (entry & cycle & (some & s & enters & turns) & all).
    destruct (walked_out _ _ _ enters) as (entry' & enters' & _).
    destruct (walked_out _ _ _ turns) as (cycle' & turns' & keeps & some').
    exists entry', cycle'. split; [split; eauto|].
    intros set le. destruct (all set le) as (e & inside & here). eauto.
  - intros (entry & cycle & (some & s & enters & turns) & all).
    destruct (all 0 (Nat.le_0_l _)) as (e & inside & here). simpl in here.
    destruct (in_split _ _ inside) as (first & second & ->).
    destruct (walk_split _ _ _ _ _ turns) as (a & there & back).
    assert (same : source e = a) by apply back.
    assert (out : able a <> None) by (apply outside; rewrite <- same; exact here).
    pose proof (walk_app _ _ _ _ _ _ enters there) as enters_.
    pose proof (walk_app _ _ _ _ _ _ back there) as turns_.
    destruct (walked_short _ _ _ _ (le_n _) enters_ begin out) as (entry' & enters' & _).
    destruct (walked_short _ _ _ _ (le_n _) turns_ out out) as (cycle' & turns' & keeps & some').
    exists entry', cycle'. split.
    + split; [apply some'; discriminate | eauto].
    + intros set le. destruct (all set le) as (d & place & is). apply (keeps set d); [|exact is].
      rewrite in_app_iff in *. simpl in *. tauto.
Qed.

(* Proof of everafter.engine.emit.claims.ProductCode. *)
Theorem fair_sequences : has_sets longer <->
  exists r, is_run edges r /\ often (accepts accepting) r /\ forall p, weakly_fair able r p.
Proof. rewrite sets_either_way. exact (fair_sets _ _ _ _ _ graph). Qed.
End Sequences.
