(* The strongly connected components of a part of a graph.

   How a graph is decomposed is left open. What is asked of it is what search/components.vpr proves of Tarjan's
   search: every state is in one component, and those in a component are those that reach each other. There is such a
   decomposition of every graph (`decomposition_exists`). What follows for a part of a graph: the components that have
   a cycle have no more states than the part (`components_fit`), and a walk inside leads from each of their states to
   each (`components_are_connected`). The text follows everafter.product.fairness._components. *)
(* Proves: decomposition_exists, components_fit, components_are_connected *)
(* Assumes: classic (whether two states reach each other is not computed, in `decomposition_exists`) *)
From Coq Require Import Arith Lia List Bool Classical.
From everafter.product Require Import fairness paths.
Import ListNotations.

(* What can be reached in a graph that is given by lists of successors. *)
Inductive reaches (successors : nat -> list nat) : nat -> nat -> Prop :=
| reaches_itself : forall a, reaches successors a a
| reaches_on : forall a b c, In b (successors a) -> reaches successors b c -> reaches successors a c.

(* The graph is what can be reached from the roots and no more. *)
Definition is_closed (successors : nat -> list nat) (roots : list nat) :=
  forall a b, In a roots -> In b (successors a) -> In b roots.

Definition are_components (successors : nat -> list nat) (roots : list nat) (found : list (list nat)) :=
  NoDup (concat found)
  /\ (forall a, In a (concat found) <-> exists root, In root roots /\ reaches successors root a)
  /\ (forall part a b, In part found -> In a part ->
        (In b part <-> reaches successors a b /\ reaches successors b a)).

(* Nothing impossible is asked: every finite graph has its components. *)
Lemma sorted_out : forall (chosen : nat -> Prop) todo, NoDup todo -> exists these others, NoDup these /\ NoDup others
  /\ length todo = length these + length others
  /\ (forall a, In a these <-> In a todo /\ chosen a) /\ (forall a, In a others <-> In a todo /\ ~ chosen a).
Proof.
  intros chosen todo once. induction once as [|a todo fresh once (these & others & one & two & size & is & isnt)].
  - exists [], []. repeat split; simpl; try tauto; constructor.
  - destruct (classic (chosen a)) as [yes|no].
    + exists (a :: these), others. split; [constructor; [rewrite is; tauto | exact one]|]. split; [exact two|].
      split; [simpl; lia|]. split; intros b; simpl; rewrite ?is, ?isnt; intuition congruence.
    + exists these, (a :: others). split; [exact one|]. split; [constructor; [rewrite isnt; tauto | exact two]|].
      split; [simpl; lia|]. split; intros b; simpl; rewrite ?is, ?isnt; intuition congruence.
Qed.

Lemma reaches_trans : forall successors a b c, reaches successors a b -> reaches successors b c ->
  reaches successors a c.
Proof. intros successors a b c first second. induction first; [exact second | eapply reaches_on; eauto]. Qed.

Lemma nodup_both : forall these others : list nat, NoDup these -> NoDup others ->
  (forall a, In a these -> ~ In a others) -> NoDup (these ++ others).
Proof.
  intros these others one two apart. induction one as [|a these fresh one IH]; simpl; [exact two|]. constructor.
  - rewrite in_app_iff. intros [here|there]; [auto | apply (apart a); [left; reflexivity | exact there]].
  - apply IH. intros b here. apply apart. right. exact here.
Qed.

Lemma decomposition_of : forall successors many todo, length todo <= many -> NoDup todo ->
  (forall a b, In a todo -> reaches successors a b -> reaches successors b a -> In b todo) ->
  exists found, NoDup (concat found) /\ (forall a, In a (concat found) <-> In a todo)
    /\ forall part a b, In part found -> In a part -> (In b part <-> reaches successors a b /\ reaches successors b a).
Proof.
  intros successors many. induction many as [|many IH]; intros [|first todo] less once together; simpl in less; try lia.
  1, 2: exists []; simpl; repeat split; try tauto; constructor.
  destruct (sorted_out (fun b => reaches successors first b /\ reaches successors b first) _ once)
    as (these & others & one & two & size & is & isnt).
  assert (among : In first these) by (apply is; split; [left; reflexivity | split; apply reaches_itself]).
  destruct (IH others) as (found & once' & all & same); auto.
  - simpl in size. destruct these; [destruct among | simpl in size; lia].
  - intros a b there go back. apply isnt in there. destruct there as [there apart]. apply isnt.
    split; [eapply together; eauto|]. intros [to from]. apply apart. split; eapply reaches_trans; eauto.
  - exists (these :: found). simpl. split; [|split].
    + apply nodup_both; auto. intros a here there. apply is in here. apply all, isnt in there. tauto.
    + intros a. rewrite in_app_iff, all, is, isnt. simpl. tauto.
    + intros part a b [<-|later] there; [|apply same; auto].
      apply is in there. destruct there as [there [to from]]. rewrite is. split.
      * intros [_ [to' from']]. split; eapply reaches_trans; eauto.
      * intros [go back]. split; [eapply together; eauto|]. split; eapply reaches_trans; eauto.
Qed.

Theorem decomposition_exists : forall successors roots, is_closed successors roots ->
  exists found, are_components successors roots found.
Proof.
  intros successors roots closed_.
  assert (inside : forall a b, reaches successors a b -> In a roots -> In b roots).
  { intros a b goes. induction goes; eauto. }
  destruct (decomposition_of successors _ (nodup Nat.eq_dec roots) (le_n _) (NoDup_nodup _ _))
    as (found & once & all & same).
  - intros a b. rewrite !nodup_In. eauto.
  - exists found. split; [exact once|]. split; [|exact same]. intros a. rewrite all, nodup_In. split.
    + intros there. exists a. split; [exact there | apply reaches_itself].
    + intros (root & begin & goes). eauto.
Qed.

Section Decomposing.
Variable size : nat.
Variable edges : nat -> list edge.
Variable strongly_connected_components : (nat -> list nat) -> list nat -> list (list nat).

Definition decomposes := forall successors roots, is_closed successors roots ->
  are_components successors roots (strongly_connected_components successors roots).

Definition targets_inside (inside : list nat) (s : nat) : list nat := filter (has inside) (map target (edges s)).
Definition has_cycle (inside members : list nat) : bool :=
  (1 <? length members) || existsb (fun node => existsb (has members) (targets_inside inside node)) members.
Definition components (inside : list nat) : list (list nat) :=
  filter (has_cycle inside) (strongly_connected_components (targets_inside inside) inside).

(* _inner *)
Definition inner (component : list nat) : list edge :=
  filter (fun e => has component (target e)) (flat_map edges component).

Hypothesis fits : forall s e, In e (edges s) -> source e = s /\ target e < size.
Hypothesis decomposition : decomposes.

Lemma inner_is : forall part e, In e (inner part) <-> In e (edges (source e)) /\ In (source e) part
  /\ In (target e) part.
Proof.
  intros part e. unfold inner. rewrite filter_In, in_flat_map, has_true. split.
  - intros [(s & there & inside) leads]. destruct (fits _ _ inside) as [-> _]. auto.
  - intros (inside & there & leads). eauto.
Qed.

Lemma concat_filter : forall (keep : list nat -> bool) parts,
  length (concat (filter keep parts)) <= length (concat parts).
Proof.
  intros keep parts. induction parts as [|part parts IH]; simpl; [lia|].
  destruct (keep part); simpl; rewrite ?app_length; lia.
Qed.

Lemma reached_inside : forall inside a b, reaches (targets_inside inside) a b -> In a inside -> In b inside.
Proof.
  intros inside a b goes. induction goes as [|a b c step goes IH]; [auto|]. intros _. apply IH.
  unfold targets_inside in step. apply filter_In in step. apply has_true, step.
Qed.

Lemma closed : forall inside, is_closed (targets_inside inside) inside.
Proof.
  intros inside a b _ step. unfold targets_inside in step. apply filter_In in step. apply has_true, step.
Qed.

Theorem components_fit : forall inside, length (concat (components inside)) <= length inside.
Proof.
  intros inside. destruct (decomposition (targets_inside inside) inside (closed inside)) as (once & all & _).
  eapply Nat.le_trans; [apply concat_filter|]. apply NoDup_incl_length; [exact once|].
  intros a there. apply all in there. destruct there as (root & begin & goes). eapply reached_inside; eauto.
Qed.

(* Components are strongly connected. *)
Definition inside_walk (part : list nat) (a : nat) (way : list edge) (b : nat) :=
  walk edges a way b /\ forall e, In e way -> In (target e) part.
Definition is_connected (part : list nat) :=
  forall a b, In a part -> In b part -> exists way, inside_walk part a way b /\ way <> [].

Lemma inside_app : forall part a way b more c, inside_walk part a way b -> inside_walk part b more c ->
  inside_walk part a (way ++ more) c.
Proof.
  intros part a way b more c [first stays1] [second stays2]. split; [eapply walk_app; eauto|].
  intros e there. apply in_app_or in there. destruct there; auto.
Qed.

Lemma component_walk : forall inside part, In part (components inside) -> forall a b,
  reaches (targets_inside inside) a b -> In a part -> In b part -> exists way, inside_walk part a way b /\ (a <> b ->
    way <> []).
Proof.
  intros inside part among. apply filter_In in among. destruct among as [among _].
  destruct (decomposition (targets_inside inside) inside (closed inside)) as (_ & _ & same).
  intros a b goes. induction goes as [a|a b c step goes IH]; intros first last.
  - exists []. split; [|congruence]. split; [reflexivity | intros e []].
  - assert (middle : In b part).
    { apply (same part a b among first). split.
      - eapply reaches_on; [exact step | apply reaches_itself].
      - destruct (proj1 (same part a c among first) last) as [_ back]. clear - goes back.
        induction goes; [exact back | eapply reaches_on; eauto]. }
    destruct (IH middle last) as (way & [walks stays_] & _).
    unfold targets_inside in step. apply filter_In in step. destruct step as [step _]. apply in_map_iff in step.
    destruct step as (e & leads & there). exists (e :: way). split; [|discriminate].
    split.
    + simpl. rewrite leads. split; [apply (fits _ _ there)|]. auto.
    + intros d [<-|later]; [congruence | exact (stays_ d later)].
Qed.

Lemma once_each : forall (parts : list (list nat)) part, NoDup (concat parts) -> In part parts -> NoDup part.
Proof.
  intros parts part. induction parts as [|first rest IH]; simpl; [tauto|]. intros once [->|later].
  - clear IH. induction part as [|a part IH]; [constructor|]. simpl in once. inversion once as [|? ? fresh others].
    constructor; [rewrite in_app_iff in fresh; tauto | auto].
  - apply IH; [|exact later]. clear - once. induction first as [|a first IH]; [exact once|]. inversion once. auto.
Qed.

(* Proof of everafter.product.fairness._components. *)
Theorem components_are_connected : forall inside part, In part (components inside) -> is_connected part.
Proof.
  intros inside part among. pose proof (component_walk inside part among) as walks.
  unfold components in among. apply filter_In in among. destruct among as [among cyclic].
  destruct (decomposition (targets_inside inside) inside (closed inside)) as (once & _ & same).
  assert (any : forall a b, In a part -> In b part -> exists way, inside_walk part a way b /\ (a <> b -> way <> [])).
  { intros a b first last. apply walks; auto. apply (same part a b among first), last. }
  assert (turn : exists c d way, In c part /\ In d part /\ inside_walk part c way d /\ way <> []).
  { unfold has_cycle in cyclic. apply orb_true_iff in cyclic. destruct cyclic as [several|loop].
    - apply Nat.ltb_lt in several. destruct part as [|c [|d part]]; simpl in several; [lia | lia |].
      assert (other : c <> d).
      { intros <-. pose proof (once_each _ _ once among) as alone. inversion alone as [|? ? fresh _]. apply fresh.
        left. reflexivity. }
      destruct (any c d) as (way & walk_ & some); simpl; auto. exists c, d, way. simpl. auto.
    - apply existsb_exists in loop. destruct loop as (c & there & loop). apply existsb_exists in loop.
      destruct loop as (d & step & here). apply has_true in here.
      destruct (Nat.eq_dec c d) as [<-|other].
      + unfold targets_inside in step. apply filter_In in step. destruct step as [step _]. apply in_map_iff in step.
        destruct step as (e & leads & edge_). exists c, c, [e]. split; [exact there|]. split; [exact there|].
        split; [|discriminate]. split.
        * simpl. split; [apply (fits _ _ edge_)|]. auto.
        * intros x [<-|[]]. congruence.
      + destruct (any c d there here) as (way & walk_ & some). exists c, d, way. auto. }
  destruct turn as (c & d & way & there & here & walk_ & some). intros a b first last.
  destruct (any a c first there) as (before & goes & _). destruct (any d b here last) as (after & leaves & _).
  exists (before ++ way ++ after). split; [|destruct before, way; simpl; congruence].
  eapply inside_app; [exact goes|]. eapply inside_app; [exact walk_ | exact leaves].
Qed.

Lemma components_inside : forall inside component, In component (components inside) -> incl component inside.
Proof.
  intros inside component among s there. apply filter_In in among. destruct among as [among _].
  destruct (decomposition (targets_inside inside) inside (closed inside)) as (_ & all & _).
  destruct (proj1 (all s)) as (root & begin & goes); [apply in_concat; eauto|]. eapply reached_inside; eauto.
Qed.

End Decomposing.
