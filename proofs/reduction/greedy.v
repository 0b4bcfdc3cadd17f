(* Sticky edges as they are chosen: one edge after the other, and none for nothing.

   This is the text of sticky_edges in src/everafter/reduction/sticky.py. Edges that are broken anyway are left aside.
   Of the others, those on cycles are looked at in some order; an edge becomes sticky if it closes a cycle with the
   edges that are kept already, and is kept otherwise. Whatever the order, broken and sticky edges together meet every
   cycle, and no sticky edge can be left out: each is the only one on some cycle. Two questions are left to other
   parts, as in the program: which edges are on cycles (strongly connected components) and whether a way leads from
   one place to another (a search). *)
(* Proves: chosen_meet_every_cycle, chosen_are_needed *)
(* Assumes: classic (does a way lead?) *)
From Coq Require Import Arith Lia List Bool Classical.
From everafter.search Require Import ranking.
From everafter.reduction Require Import cycles.
Import ListNotations.

Section Greedy.
Variable edge : Type.
Variables source target : edge -> nat.
Variable edges : list edge.
Variable broken : edge -> bool.

Definition joined (kept : list edge) := free_edge edge source target kept (fun _ => False).
Definition closed_walk (walk : list edge) := walk <> [] /\ exists a, walks source target a walk a.

(* The answers of the other parts. *)
Variable looked_at : list edge.
Hypothesis cyclic_looked_at : forall walk e, closed_walk walk -> incl walk edges ->
  (forall d, In d walk -> broken d = false) -> In e walk -> In e looked_at.
Hypothesis looked_at_once : NoDup looked_at.
Hypothesis looked_at_unbroken : forall e, In e looked_at -> broken e = false.
Variable way_leads : list edge -> nat -> nat -> bool.
Hypothesis way_leads_finds : forall kept a b, leads (joined kept) a b -> way_leads kept a b = true.
Hypothesis way_leads_right : forall kept a b, way_leads kept a b = true -> leads (joined kept) a b.

Fixpoint choose (todo kept sticky : list edge) : list edge * list edge :=
  match todo with
  | [] => (kept, sticky)
  | e :: others =>
      if way_leads kept (target e) (source e) then choose others kept (e :: sticky)
      else choose others (e :: kept) sticky
  end.

Definition chosen : list edge := snd (choose looked_at [] []).

Definition acyclic (kept : list edge) := forall a, ~ way (joined kept) a a.

Lemma joined_more : forall e kept a b, joined (e :: kept) a b -> joined kept a b \/ (a = source e /\ b = target e).
Proof. intros e kept a b (d & [<-|inside] & free & from & to); [auto | left; exists d; auto]. Qed.

Lemma leads_first : forall kept a b c, joined kept a b -> leads (joined kept) b c -> leads (joined kept) a c.
Proof. intros kept a b c ab bc. right. eapply leads_after_edge; eauto. Qed.

Lemma leads_trans : forall kept a b c, leads (joined kept) a b -> leads (joined kept) b c -> leads (joined kept) a c.
Proof.
  intros kept a b c [<-|ab] [<-|bc]; [left | right | right | right]; auto. eapply way_trans; eauto.
Qed.

(* A way with a new edge either does without it or comes to it and goes on from it. *)
Lemma way_with : forall e kept a b, way (joined (e :: kept)) a b ->
  way (joined kept) a b \/ (leads (joined kept) a (source e) /\ leads (joined kept) (target e) b).
Proof.
  intros e kept a b path. induction path as [a b ab|a b c ab _ IH]; apply joined_more in ab as [ab|[-> ->]].
  - left. apply way_edge. auto.
  - right. split; left; auto.
  - destruct IH as [bc|[to from]].
    + left. eapply way_on; eauto.
    + right. split; auto. eapply leads_first; eauto.
  - right. split; [left; auto|]. destruct IH as [bc|[_ from]]; [right; auto | auto].
Qed.

Lemma keeps_acyclic : forall e kept, acyclic kept -> way_leads kept (target e) (source e) = false ->
  acyclic (e :: kept).
Proof.
  intros e kept none no a round. apply way_with in round as [round|[to from]]; [exact (none a round)|].
  assert (yes : way_leads kept (target e) (source e) = true); [|congruence].
  apply way_leads_finds. eapply leads_trans; eauto.
Qed.

Lemma choose_acyclic : forall todo kept sticky, acyclic kept -> acyclic (fst (choose todo kept sticky)).
Proof.
  induction todo as [|e others IH]; intros kept sticky none; simpl; auto.
  destruct (way_leads kept (target e) (source e)) eqn:L; apply IH; auto. apply keeps_acyclic; auto.
Qed.

Lemma choose_all : forall todo kept sticky e, In e todo \/ In e kept \/ In e sticky ->
  In e (fst (choose todo kept sticky)) \/ In e (snd (choose todo kept sticky)).
Proof.
  induction todo as [|d others IH]; intros kept sticky e inside; simpl in *; [tauto|].
  destruct (way_leads kept (target d) (source d)); apply IH; simpl; tauto.
Qed.

Lemma walk_is_way : forall kept walk a b, walk <> [] -> incl walk kept -> walks source target a walk b ->
  way (joined kept) a b.
Proof.
  intros kept. induction walk as [|e [|d others] IH]; intros a b some sub path; [congruence| |].
  - destruct path as [from to]. simpl in to. apply way_edge. exists e. repeat split; auto. apply sub. simpl. auto.
  - destruct path as [from path]. apply way_on with (b := target e).
    + exists e. repeat split; auto. apply sub. simpl. auto.
    + apply IH; [discriminate | intros x X; apply sub; simpl in *; auto | exact path].
Qed.

(* Proof of everafter.reduction.sticky.sticky_edges *)
Theorem chosen_meet_every_cycle :
  meets_every_cycle source target edges (fun e => broken e = true \/ In e chosen).
Proof.
  intros a walk some inside round. apply NNPP. intros none.
  assert (free : forall e, In e walk -> broken e = false /\ ~ In e chosen).
  { intros e E. destruct (broken e) eqn:B; [exfalso; apply none; eauto|]. split; auto. intros S. apply none. eauto. }
  apply (choose_acyclic looked_at [] []) with (a := a).
  - intros b round'. destruct (way_is_walk _ _ _ _ _ _ _ round') as ([|e w] & W & sub & _); [congruence|].
    apply (sub e). simpl. auto.
  - apply walk_is_way with (walk := walk); auto. intros e E.
    destruct (choose_all looked_at [] [] e) as [K|S]; auto.
    + left. apply (cyclic_looked_at walk e); auto; [split; eauto | intros d D; apply free; auto].
    + exfalso. apply (proj2 (free e E)). exact S.
Qed.

(* Kept edges stay kept, and an edge is not both kept and sticky. *)
Lemma choose_keeps : forall todo kept sticky, incl kept (fst (choose todo kept sticky)).
Proof.
  induction todo as [|e others IH]; intros kept sticky; simpl; [apply incl_refl|].
  destruct (way_leads kept (target e) (source e)); [apply IH|].
  intros x X. apply IH. simpl. auto.
Qed.

Lemma choose_apart : forall todo kept sticky e, NoDup todo ->
  (forall d, In d todo -> ~ In d kept /\ ~ In d sticky) -> (forall d, In d kept -> ~ In d sticky) ->
  In e (fst (choose todo kept sticky)) -> ~ In e (snd (choose todo kept sticky)).
Proof.
  induction todo as [|d others IH]; intros kept sticky e once new apart; simpl; [apply apart|].
  inversion once as [|? ? absent once']; subst. destruct (new d (or_introl eq_refl)) as [nk ns].
  destruct (way_leads kept (target d) (source d)); apply IH; auto.
  - intros x X. destruct (new x (or_intror X)). split; auto. intros [<-|?]; auto.
  - intros x X [<-|?]; [auto | apply (apart x); auto].
  - intros x X. destruct (new x (or_intror X)). split; auto. intros [<-|?]; auto.
  - intros x [<-|X]; auto.
Qed.

Lemma choose_sources : forall todo kept sticky e, In e (fst (choose todo kept sticky)) -> In e todo \/ In e kept.
Proof.
  induction todo as [|d others IH]; intros kept sticky e inside; simpl in *; auto.
  destruct (way_leads kept (target d) (source d)); apply IH in inside; simpl in *; tauto.
Qed.

Lemma choose_closes : forall todo kept sticky e, In e (snd (choose todo kept sticky)) -> In e sticky \/
  leads (joined (fst (choose todo kept sticky))) (target e) (source e).
Proof.
  induction todo as [|d others IH]; intros kept sticky e inside; simpl in *; auto.
  destruct (way_leads kept (target d) (source d)) eqn:L; destruct (IH _ _ _ inside) as [old|new]; auto.
  destruct old as [<-|old]; auto. right. apply way_leads_right in L as [same|path]; [left; auto|]. right.
  eapply way_weaker; [|exact path]. intros a b (x & X & F). exists x. split; auto.
  apply (choose_keeps others kept (d :: sticky)). auto.
Qed.

Theorem chosen_are_needed : forall e, In e chosen ->
  exists walk, closed_walk walk /\ In e walk /\ forall d, In d walk -> d <> e -> broken d = false /\ ~ In d chosen.
Proof.
  intros e S. destruct (choose_closes looked_at [] [] e S) as [[]|back].
  assert (kept_free : forall d, In d (fst (choose looked_at [] [])) -> broken d = false /\ ~ In d chosen).
  { intros d D. split.
    - apply looked_at_unbroken. destruct (choose_sources _ _ _ _ D) as [?|[]]. auto.
    - apply (choose_apart looked_at [] []); auto. }
  destruct back as [same|path].
  - exists [e]. split; [|split; [simpl; auto|]].
    + split; [discriminate|]. exists (source e). simpl. auto.
    + intros d [<-|[]] different. congruence.
  - destruct (way_is_walk _ _ _ _ _ _ _ path) as (walk & W & sub & way & _).
    exists (e :: walk). split; [|split; [simpl; auto|]].
    + split; [discriminate|]. exists (source e). simpl. auto.
    + intros d [<-|D] different; [congruence | apply kept_free, sub, D].
Qed.
End Greedy.
