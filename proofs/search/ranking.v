(* A finite graph without cycles through marked nodes has a ranking.

   A ranking gives every node a number that never grows along an edge, and falls along each edge that leaves a marked
   node. Where there is one, no infinite path meets marked nodes for ever; this file proves the other direction. It is
   needed twice: a claim that holds has a rank certificate (verdict/certificates.v; marked are the accepting states),
   and control flow whose cycles are all cut by sticky edges can be put in order (reduction/cycles.v; every place is
   marked).

   The rank is the number of marked nodes to which a way leads. *)
(* Proves: ranking_exists, ranking_has_no_cycle *)
(* Assumes: classic, constructive_indefinite_description (the ranks are there although nobody has searched for ways) *)
From Coq Require Import Arith Lia List Classical IndefiniteDescription.
Import ListNotations.

Section Ranking.
Variable node : Type.
Variable edge : node -> node -> Prop.
Variable marked : node -> Prop.

(* A way of at least one edge. *)
Inductive way : node -> node -> Prop :=
| way_edge : forall a b, edge a b -> way a b
| way_on : forall a b c, edge a b -> way b c -> way a c.

Lemma way_trans : forall a b c, way a b -> way b c -> way a c.
Proof. intros a b c ab bc. induction ab; eauto using way_on. Qed.

Definition leads (a b : node) := a = b \/ way a b.

Lemma leads_after_edge : forall a b c, edge a b -> leads b c -> way a c.
Proof. intros a b c ab [<-|bc]; eauto using way_edge, way_on. Qed.

Definition is_ranking (nodes : list node) (rank : node -> nat) := forall a b, edge a b ->
  rank b <= rank a /\ (marked a -> In a nodes -> rank b < rank a).

Lemma decided : forall P : node -> node -> Prop, exists p : node -> node -> bool, forall a b, p a b = true <-> P a b.
Proof.
  intros P. destruct (functional_choice (fun ab (p : bool) => p = true <-> P (fst ab) (snd ab))) as (p & right).
  - intros ab. destruct (classic (P (fst ab) (snd ab))); [exists true | exists false]; intuition discriminate.
  - exists (fun a b => p (a, b)). intros a b. apply (right (a, b)).
Qed.

Lemma filter_grows : forall (p q : node -> bool) nodes, (forall a, p a = true -> q a = true) ->
  length (filter p nodes) <= length (filter q nodes).
Proof.
  intros p q nodes implies. induction nodes as [|a nodes IH]; simpl; auto.
  destruct (p a) eqn:P; [rewrite (implies a P); simpl; lia|]. destruct (q a); simpl; lia.
Qed.

Lemma filter_grows_by : forall (p q : node -> bool) nodes a, (forall b, p b = true -> q b = true) ->
  In a nodes -> p a = false -> q a = true -> length (filter p nodes) < length (filter q nodes).
Proof.
  intros p q nodes a implies. induction nodes as [|b nodes IH]; simpl; [tauto|].
  intros [->|inside] Pa Qa.
  - rewrite Pa, Qa. simpl. pose proof (filter_grows p q nodes implies). lia.
  - specialize (IH inside Pa Qa). destruct (p b) eqn:P; [rewrite (implies b P); simpl; lia|].
    destruct (q b); simpl; lia.
Qed.

Theorem ranking_exists : forall nodes, (forall a, marked a -> In a nodes -> ~ way a a) ->
  exists rank, is_ranking nodes rank.
Proof.
  intros nodes no_cycle. destruct (decided (fun a b => leads a b /\ marked b)) as (met & right).
  exists (fun a => length (filter (met a) nodes)). intros a b ab.
  assert (implies : forall c, met b c = true -> met a c = true).
  { intros c M. apply right in M as [bc mc]. apply right. split; auto. right. eauto using leads_after_edge. }
  split; [apply filter_grows; auto|]. intros ma inside. apply filter_grows_by with (a := a); auto.
  - destruct (met b a) eqn:M; auto. apply right in M as [ba _]. exfalso.
    apply (no_cycle a ma inside). eauto using leads_after_edge.
  - apply right. split; auto. left. auto.
Qed.

Theorem ranking_has_no_cycle : forall nodes rank a, is_ranking nodes rank -> marked a -> In a nodes -> ~ way a a.
Proof.
  intros nodes rank a R ma inside aa.
  assert (grows_not : forall b c, way b c -> rank c <= rank b).
  { intros b c bc. induction bc as [b c bc|b c d bc _ IH]; [apply R; auto|].
    destruct (R b c bc). lia. }
  inversion aa as [? ? e|? b ? e ba]; subst.
  - destruct (R a a e) as [_ less]. specialize (less ma inside). lia.
  - destruct (R a b e) as [_ less]. specialize (less ma inside). specialize (grows_not b a ba). lia.
Qed.
End Ranking.

Lemma way_weaker : forall node (narrow wide : node -> node -> Prop), (forall a b, narrow a b -> wide a b) ->
  forall a b, way node narrow a b -> way node wide a b.
Proof. intros node narrow wide implies a b ab. induction ab; eauto using way_edge, way_on. Qed.

Arguments way {node} edge a b : rename.
Arguments leads {node} edge a b : rename.
