(* Fair runs of a finite graph, and what the acceptance sets of processes mean.

   A run goes on for ever. Each of its edges says who moves in it: one process, two that meet, several one after the
   other where an edge is a whole atomic sequence, or nobody. A state says who can move there; in the middle of an
   atomic sequence only its owner may, and no state says anything of the others. Weakly fair to a process: if it can
   move again and again, and from some moment on no state says that it cannot, it moves again and again. Strongly
   fair: if it can move again and again, it does.

   `fair_sets` is the theorem of the weakly fair search, which looks for a cycle with an edge of every acceptance set:
   one set has the edges that leave accepting states, and the set of a process has those in which it moves and those
   that leave a state which says that it cannot. There is such a cycle, and a way to it, if and only if there is an
   accepted run that is weakly fair to every process. *)
(* Proves: acceptance_sets, fair_sets, strong_is_weak, often_round *)
(* Assumes: classic (a process moves again and again, or there is a last time) *)
From Coq Require Import Arith Lia List Classical.
Import ListNotations.

Record edge := { source : nat; target : nat; movers : list nat }.
Definition run := nat -> edge.

(* On a run, something is so again and again. *)
Definition often (this : edge -> Prop) (r : run) := forall n, exists i, n <= i /\ this (r i).

Lemma not_often : forall this r, ~ often this r -> exists n, forall i, n <= i -> ~ this (r i).
Proof.
  intros this r not. apply not_all_ex_not in not. destruct not as [n not]. exists n. intros i le here.
  apply not. exists i. auto.
Qed.

Section Graph.
Variable size : nat.
Variable edges : nat -> list edge.
Variable able : nat -> option (list nat).
Variable accepting : nat -> bool.
Variable processes : nat.

(* States are numbered from 0, the initial one; edges know where they begin and lead to states. The accepting states
   are outside of atomic sequences. *)
Definition is_graph := 0 < size
  /\ (forall s e, In e (edges s) -> source e = s /\ target e < size)
  /\ (forall s can p, able s = Some can -> In p can -> p < processes)
  /\ (forall s, accepting s = true -> able s <> None).

Definition can_move (p : nat) (e : edge) := exists can, able (source e) = Some can /\ In p can.
Definition cannot_move (p : nat) (e : edge) := exists can, able (source e) = Some can /\ ~ In p can.
Definition moves (p : nat) (e : edge) := In p (movers e).
Definition accepts (e : edge) := accepting (source e) = true.

Definition is_run (r : run) := source (r 0) = 0
  /\ forall i, In (r i) (edges (source (r i))) /\ target (r i) = source (r (S i)).

Definition weakly_fair (r : run) (p : nat) :=
  often (can_move p) r -> (exists n, forall i, n <= i -> ~ cannot_move p (r i)) -> often (moves p) r.
Definition strongly_fair (r : run) (p : nat) := often (can_move p) r -> often (moves p) r.

Theorem strong_is_weak : forall r p, strongly_fair r p -> weakly_fair r p.
Proof. intros r p fair can _. auto. Qed.

(* Set 0 is for acceptance, set 1 + p for process p. *)
Definition in_set (set : nat) (e : edge) :=
  match set with 0 => accepts e | S p => moves p e \/ cannot_move p e end.

Hypothesis graph : is_graph.

Theorem acceptance_sets : forall r, is_run r ->
  (forall set, set <= processes -> often (in_set set) r) <-> (often accepts r /\ forall p, weakly_fair r p).
Proof.
  destruct graph as (_ & _ & few & outside). intros r runs. split.
  - intros all. split; [exact (all 0 (Nat.le_0_l _))|]. intros p can [n never] k.
    destruct (le_lt_dec processes p) as [many|there].
    + destruct (can 0) as (i & _ & who & is & here). pose proof (few _ _ _ is here). lia.
    + destruct (all (S p) there (max n k)) as (i & le & [here|here]).
      * exists i. split; [lia | exact here].
      * destruct (never i); [lia | exact here].
  - intros [accepted fair] [|p] range; [exact accepted|]. apply NNPP. intros lacking.
    destruct (not_often _ _ lacking) as [n never].
    assert (can : often (can_move p) r).
    { intros k. destruct (accepted (max n k)) as (i & le & here). exists i. split; [lia|].
      destruct (able (source (r i))) as [can|] eqn:is; [|destruct (outside _ here is)].
      destruct (in_dec Nat.eq_dec p can) as [inside|no]; [exists can; auto|].
      destruct (never i); [lia | right; exists can; auto]. }
    destruct (fair p can) with (n := n) as (i & le & here).
    + exists n. intros i le here. apply (never i le). right. exact here.
    + apply (never i le). left. exact here.
Qed.

(* Walks, and the run that goes round a cycle for ever. *)
Fixpoint walk (a : nat) (way : list edge) (b : nat) : Prop :=
  match way with [] => a = b | e :: rest => source e = a /\ In e (edges a) /\ walk (target e) rest b end.
Definition is_lasso (entry cycle : list edge) :=
  cycle <> [] /\ exists s, walk 0 entry s /\ walk s cycle s.

Definition nobody : edge := {| source := 0; target := 0; movers := [] |}.
Definition round (entry cycle : list edge) : run := fun i =>
  if i <? length entry then nth i entry nobody else nth ((i - length entry) mod length cycle) cycle nobody.

Lemma walk_nth : forall way a b i, walk a way b -> i < length way ->
  In (nth i way nobody) (edges (source (nth i way nobody)))
  /\ (S i < length way -> target (nth i way nobody) = source (nth (S i) way nobody))
  /\ (S i = length way -> target (nth i way nobody) = b) /\ (i = 0 -> source (nth i way nobody) = a).
Proof.
  induction way as [|e way IH]; intros a b i goes less; simpl in *; [lia|]. destruct goes as (<- & inside & goes).
  destruct i as [|i].
  - split; [exact inside|]. split; [|split; auto].
    + intros more. destruct way as [|d way]; simpl in *; [lia|]. destruct goes as (begins & _). auto.
    + intros last. destruct way; simpl in *; [auto | lia].
  - destruct (IH (target e) b i goes ltac:(lia)) as (here & next & last & _).
    split; [exact here|]. split; [|split; [|lia]].
    + intros more. apply next. lia.
    + intros more. apply last. lia.
Qed.

Lemma walk_first : forall way a b, walk a way b -> source (nth 0 way nobody) = a \/ (way = [] /\ a = b).
Proof. intros [|e way] a b goes; simpl in *; [auto | left; apply goes]. Qed.

Lemma round_is_run : forall entry cycle, is_lasso entry cycle -> is_run (round entry cycle).
Proof.
  intros entry cycle (some & s & enters & turns).
  assert (positive : length cycle <> 0) by (destruct cycle; [congruence | simpl; lia]).
  assert (first : source (nth 0 cycle nobody) = s).
  { destruct (walk_first _ _ _ turns) as [is|[none _]]; [exact is | congruence]. }
  split; unfold round.
  - destruct (0 <? length entry) eqn:less.
    + apply Nat.ltb_lt in less. apply (walk_nth entry 0 s 0 enters less). reflexivity.
    + apply Nat.ltb_ge in less. destruct entry; [|simpl in less; lia]. simpl in *. subst s.
      rewrite Nat.mod_0_l by lia. exact first.
  - intros i. destruct (i <? length entry) eqn:less.
    + apply Nat.ltb_lt in less. destruct (walk_nth entry 0 s i enters less) as (here & next & last & _).
      split; [exact here|]. destruct (S i <? length entry) eqn:more.
      * apply Nat.ltb_lt in more. auto.
      * apply Nat.ltb_ge in more. replace (S i - length entry) with 0 by lia. rewrite Nat.mod_0_l by lia.
        rewrite first. apply last. lia.
    + apply Nat.ltb_ge in less. set (at_ := i - length entry).
      assert (below : at_ mod length cycle < length cycle) by (apply Nat.mod_upper_bound; lia).
      destruct (walk_nth cycle s s _ turns below) as (here & next & last & _). split; [exact here|].
      replace (S i <? length entry) with false by (symmetry; apply Nat.ltb_ge; lia).
      replace (S i - length entry) with (S at_) by (unfold at_; lia).
      pose proof (Nat.div_mod at_ (length cycle) ltac:(lia)) as split_.
      destruct (Nat.eq_dec (S (at_ mod length cycle)) (length cycle)) as [ends|goes].
      * rewrite (last ends).
        replace (S at_ mod length cycle) with 0; [auto|].
        apply (Nat.mod_unique _ _ (S (at_ / length cycle)) 0); lia.
      * replace (S at_ mod length cycle) with (S (at_ mod length cycle)); [apply next; lia|].
        apply (Nat.mod_unique _ _ (at_ / length cycle)); lia.
Qed.

Theorem often_round : forall this entry cycle, cycle <> [] ->
  often this (round entry cycle) <-> exists e, In e cycle /\ this e.
Proof.
  intros this entry cycle some.
  assert (positive : length cycle <> 0) by (destruct cycle; [congruence | simpl; lia]). split.
  - intros again. destruct (again (length entry)) as (i & le & here). unfold round in here.
    replace (i <? length entry) with false in here by (symmetry; apply Nat.ltb_ge; lia).
    eexists. split; [|exact here]. apply nth_In, Nat.mod_upper_bound. lia.
  - intros (e & inside & here) n. apply In_nth with (d := nobody) in inside. destruct inside as (k & less & is).
    exists (length entry + (k + n * length cycle)). split.
    + destruct (length cycle); [lia | nia].
    + unfold round. replace (_ <? _) with false by (symmetry; apply Nat.ltb_ge; lia).
      replace (length entry + (k + n * length cycle) - length entry) with (k + n * length cycle) by lia.
      rewrite Nat.mod_add, Nat.mod_small by lia. rewrite is. exact here.
Qed.

Lemma walk_app : forall way a b more c, walk a way b -> walk b more c -> walk a (way ++ more) c.
Proof.
  intros way. induction way as [|e way IH]; intros a b more c first second; simpl in *; [subst; auto|].
  destruct first as (begins & inside & first). eauto.
Qed.

Lemma walk_split : forall way a more c, walk a (way ++ more) c -> exists b, walk a way b /\ walk b more c.
Proof.
  intros way. induction way as [|e way IH]; intros a more c goes; simpl in *; [eauto|].
  destruct goes as (begins & inside & goes). destruct (IH _ _ _ goes) as (b & first & second). exists b. auto.
Qed.

(* From a run to a cycle: a part of the run between two visits to the same state. *)
Fixpoint part (r : run) (i : nat) (many : nat) : list edge :=
  match many with 0 => [] | S rest => r i :: part r (S i) rest end.

Lemma part_walks : forall r, is_run r -> forall many i, walk (source (r i)) (part r i many) (source (r (many + i))).
Proof.
  intros r [_ goes] many. induction many as [|many IH]; intros i; simpl; [reflexivity|].
  destruct (goes i) as [inside leads]. split; [reflexivity|]. split; [exact inside|]. rewrite leads.
  specialize (IH (S i)). rewrite Nat.add_succ_r in IH. exact IH.
Qed.

Lemma in_part : forall r many i k, i <= k < i + many -> In (r k) (part r i many).
Proof.
  intros r many. induction many as [|many IH]; intros i k range; simpl; [lia|].
  destruct (Nat.eq_dec i k) as [<-|other]; [left; reflexivity | right; apply IH; lia].
Qed.

Lemma part_in : forall r many i e, In e (part r i many) -> exists k, i <= k < i + many /\ e = r k.
Proof.
  intros r many. induction many as [|many IH]; intros i e; simpl; [tauto|]. intros [<-|inside].
  - exists i. split; [lia | reflexivity].
  - destruct (IH _ _ inside) as (k & range & is). exists k. split; [lia | exact is].
Qed.

Lemma run_inside : forall r, is_run r -> forall i, source (r i) < size.
Proof.
  destruct graph as (some & fits & _). intros r [begins goes] [|i]; [lia|]. destruct (goes i) as [inside <-].
  apply (fits _ _ inside).
Qed.

Definition for_ever (r : run) (s : nat) := often (fun e => source e = s) r.

(* From some moment on a run is only where it is again and again. *)
Lemma settles : forall r, is_run r -> exists n, forall i, n <= i -> for_ever r (source (r i)).
Proof.
  intros r runs.
  assert (up_to : forall k, exists n, forall i, n <= i -> source (r i) < k -> for_ever r (source (r i))).
  { induction k as [|k [n settled]]; [exists 0; lia|].
    destruct (classic (for_ever r k)) as [again|not].
    - exists n. intros i le less. destruct (Nat.eq_dec (source (r i)) k) as [->|other]; [exact again|].
      apply settled; lia.
    - destruct (not_often _ _ not) as [m never]. exists (max n m). intros i le less.
      apply settled; [lia|]. pose proof (never i ltac:(lia)). simpl in *. lia. }
  destruct (up_to size) as [n settled]. exists n. intros i le. apply settled; [exact le|]. apply run_inside, runs.
Qed.

Lemma all_by_then : forall (r : run) (is_in : nat -> edge -> Prop) many n,
  (forall set, set < many -> often (is_in set) r) ->
  exists m, n <= m /\ forall set, set < many -> exists i, n <= i < m /\ is_in set (r i).
Proof.
  intros r is_in many n. induction many as [|many IH]; intros all.
  - exists n. split; [lia | intros; lia].
  - destruct IH as (m & le & found); [intros; apply all; lia|].
    destruct (all many ltac:(lia) n) as (i & after & here). exists (max m (S i)). split; [lia|].
    intros set less. destruct (Nat.eq_dec set many) as [->|other].
    + exists i. split; [lia | exact here].
    + destruct (found set ltac:(lia)) as (j & range & there). exists j. split; [lia | exact there].
Qed.

Lemma lasso_of_run : forall r (is_in : nat -> edge -> Prop) many, is_run r ->
  (forall set, set < many -> often (is_in set) r) ->
  exists entry cycle, is_lasso entry cycle /\ forall set, set < many -> exists e, In e cycle /\ is_in set e.
Proof.
  intros r is_in many runs all. destruct (settles r runs) as [n settled].
  destruct (all_by_then r is_in many n all) as (m & le & found).
  destruct (settled n ltac:(lia) (S m)) as (j & after & again). simpl in again.
  exists (part r 0 n), (part r n (j - n)). split; [split|].
  - destruct (j - n) eqn:none; [lia | discriminate].
  - exists (source (r n)). split.
    + pose proof (part_walks r runs n 0) as enters. destruct runs as [begins _].
      rewrite begins, Nat.add_0_r in enters. exact enters.
    + pose proof (part_walks r runs (j - n) n) as turns. replace (j - n + n) with j in turns by lia.
      rewrite again in turns. exact turns.
  - intros set less. destruct (found set less) as (i & range & here). exists (r i). split; [|exact here].
    apply in_part. lia.
Qed.

(* Proof of everafter.engine.emit.claims._fair_sets. *)
Theorem fair_sets :
  (exists entry cycle, is_lasso entry cycle /\ forall set, set <= processes -> exists e, In e cycle /\ in_set set e)
  <-> exists r, is_run r /\ often accepts r /\ forall p, weakly_fair r p.
Proof.
  split.
  - intros (entry & cycle & lasso & all). pose proof (round_is_run _ _ lasso) as runs. exists (round entry cycle).
    split; [exact runs|]. apply acceptance_sets; [exact runs|]. intros set le. apply often_round; [apply lasso | auto].
  - intros (r & runs & fair). destruct (acceptance_sets r runs) as [_ all]. specialize (all fair).
    destruct (lasso_of_run r in_set (S processes) runs) as (entry & cycle & lasso & found).
    + intros set less. apply all. lia.
    + exists entry, cycle. split; [exact lasso|]. intros set le. apply found. lia.
Qed.
End Graph.
