(* Cycles of control flow, and what it means to cut all of them.

   Sticky edges are edges of a control-flow graph that are never taken alone. They must meet every cycle: on each
   closed walk there is one. In a finite graph that is the same as an order of the places in which all other edges
   lead down. *)
(* Proves: order_exists, order_meets_every_cycle *)
(* Assumes: classic, constructive_indefinite_description (only order_exists, through search/ranking.v) *)
From Coq Require Import Arith Lia List Classical.
From everafter.search Require Import ranking.
Import ListNotations.

Section Cycles.
Variable edge : Type.
Variables source target : edge -> nat.

Fixpoint walks (a : nat) (walk : list edge) (b : nat) : Prop :=
  match walk with
  | [] => a = b
  | e :: others => source e = a /\ walks (target e) others b
  end.

Definition meets_every_cycle (edges : list edge) (sticky : edge -> Prop) := forall a walk,
  walk <> [] -> incl walk edges -> walks a walk a -> exists e, In e walk /\ sticky e.

Definition leads_down (edges : list edge) (sticky : edge -> Prop) (rank : nat -> nat) := forall e,
  In e edges -> ~ sticky e -> rank (target e) < rank (source e).

Definition free_edge (edges : list edge) (sticky : edge -> Prop) (a b : nat) :=
  exists e, In e edges /\ ~ sticky e /\ source e = a /\ target e = b.

Lemma way_is_walk : forall edges sticky a b, way (free_edge edges sticky) a b ->
  exists walk, walk <> [] /\ incl walk edges /\ walks a walk b /\ forall e, In e walk -> ~ sticky e.
Proof.
  intros edges sticky a b path.
  induction path as [a b (e & inside & free & from & to)
                    |a b c (e & inside & free & from & to) _ (walk & _ & W1 & W2 & W3)].
  - exists [e]. split; [discriminate|]. split; [intros x [<-|[]]; auto|]. split; [simpl; auto|].
    intros x [<-|[]]; auto.
  - exists (e :: walk). split; [discriminate|]. split; [intros x [<-|X]; auto|].
    split; [simpl; rewrite to; auto|]. intros x [<-|X]; auto.
Qed.

Theorem order_exists : forall edges sticky, meets_every_cycle edges sticky ->
  exists rank, leads_down edges sticky rank.
Proof.
  intros edges sticky meets.
  destruct (ranking_exists nat (free_edge edges sticky) (fun _ => True) (map source edges)) as (rank & ranking).
  - intros a _ _ path. destruct (way_is_walk _ _ _ _ path) as (walk & W1 & W2 & W3 & W4).
    destruct (meets a walk W1 W2 W3) as (e & inside & cut). apply (W4 e inside cut).
  - exists rank. intros e inside free. destruct (ranking (source e) (target e)) as [_ less]; [exists e; auto|].
    apply less; auto. apply in_map. auto.
Qed.

Theorem order_meets_every_cycle : forall edges sticky rank, leads_down edges sticky rank ->
  meets_every_cycle edges sticky.
Proof.
  intros edges sticky rank down a walk some inside closed. apply NNPP. intros none.
  assert (free : forall e, In e walk -> ~ sticky e) by (intros e E S; apply none; exists e; auto).
  clear none. assert (falls : forall others b, incl others walk -> walks b others a -> rank a <= rank b).
  { induction others as [|e others IH]; simpl; intros b sub path; [subst; auto|].
    destruct path as [<- path]. specialize (IH (target e) (fun x X => sub x (or_intror X)) path).
    specialize (down e (inside e (sub e (or_introl eq_refl))) (free e (sub e (or_introl eq_refl)))). lia. }
  destruct walk as [|e others]; [congruence|]. destruct closed as [<- path].
  specialize (falls others (target e) (fun x X => or_intror X) path).
  specialize (down e (inside e (or_introl eq_refl)) (free e (or_introl eq_refl))). lia.
Qed.
End Cycles.

Arguments walks {edge} source target a walk b.
Arguments meets_every_cycle {edge} source target edges sticky.
Arguments leads_down {edge} source target edges sticky rank.
