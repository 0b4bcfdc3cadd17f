(* Breadth-first search finds a path to one of several states if there is one, and ends.

   The text follows everafter.product.fairness._path; where that keeps the edge by which each state was reached, and
   goes back along these in the end, a state waits here together with the edges that lead to it. *)
(* Proves: path_is_found *)
From Coq Require Import Arith Lia List Bool.
From everafter.product Require Import fairness.
Import ListNotations.

Definition has (inside : list nat) (s : nat) : bool := existsb (Nat.eqb s) inside.

Lemma has_true : forall inside s, has inside s = true <-> In s inside.
Proof.
  intros inside s. unfold has. rewrite existsb_exists. split.
  - intros (t & there & same). apply Nat.eqb_eq in same. congruence.
  - intros there. exists s. split; [exact there | apply Nat.eqb_refl].
Qed.

Lemma has_false : forall inside s, has inside s = false <-> ~ In s inside.
Proof. intros inside s. rewrite <- has_true. destruct (has inside s); intuition congruence. Qed.

(* A walk that leads into no state outside of the part, if one is named. *)
Definition admits (inside : option (list nat)) (s : nat) : bool :=
  match inside with None => true | Some part => has part s end.
Definition stays (inside : option (list nat)) (way : list edge) := forall e, In e way ->
  admits inside (target e) = true.

Section Paths.
Variable size : nat.
Variable edges : nat -> list edge.
Variable targets : list nat.
Variable inside : option (list nat).

Fixpoint follow (way out : list edge) (arrived : list nat) (queue : list (nat * list edge)) :=
  match out with
  | [] => (arrived, queue)
  | e :: rest =>
    if negb (has arrived (target e)) && admits inside (target e)
    then follow way rest (target e :: arrived) (queue ++ [(target e, way ++ [e])])
    else follow way rest arrived queue
  end.

Fixpoint look_for (many : nat) (arrived : list nat) (queue : list (nat * list edge)) : option (list edge) :=
  match many, queue with
  | S fewer, (node, way) :: rest =>
    if has targets node then Some way
    else let (arrived, queue) := follow way (edges node) arrived rest in look_for fewer arrived queue
  | _, _ => None
  end.

Definition path (start : nat) : list edge :=
  match look_for (S size) [start] [(start, [])] with Some way => way | None => [] end.

Hypothesis fits : forall s e, In e (edges s) -> source e = s /\ target e < size.

Variable start : nat.

(* What holds between two rounds: what waits is led to, and what does not has been followed and is no target. *)
Definition led (queue : list (nat * list edge)) :=
  forall s way, In (s, way) queue -> walk edges start way s /\ stays inside way.
Definition waits (s : nat) (queue : list (nat * list edge)) := exists way, In (s, way) queue.
Definition followed (arrived : list nat) (s : nat) :=
  ~ In s targets /\ forall e, In e (edges s) -> admits inside (target e) = true -> In (target e) arrived.
Definition in_search (arrived : list nat) (queue : list (nat * list edge)) :=
  led queue /\ In start arrived /\ NoDup arrived /\ incl arrived (start :: seq 0 size)
  /\ forall s, In s arrived -> waits s queue \/ followed arrived s.

Lemma followed_more : forall arrived more s, followed arrived s -> incl arrived more -> followed more s.
Proof. intros arrived more s [other all] incl. split; auto. Qed.

Lemma follow_keeps : forall node way, walk edges start way node -> stays inside way -> forall out arrived queue,
  incl out (edges node) -> led queue -> NoDup arrived -> incl arrived (start :: seq 0 size) ->
  let (arrived', queue') := follow way out arrived queue in
  led queue' /\ incl arrived arrived' /\ incl queue queue' /\ NoDup arrived' /\ incl arrived' (start :: seq 0 size)
  /\ (forall s, In s arrived' -> In s arrived \/ waits s queue')
  /\ (forall e, In e out -> admits inside (target e) = true -> In (target e) arrived')
  /\ length arrived' + length queue = length arrived + length queue'.
Proof.
  intros node way goes stays_ out. induction out as [|e out IH]; intros arrived queue within leads once few; simpl.
  - split; [exact leads|]. repeat split; auto using incl_refl. intros e [].
  - destruct (negb (has arrived (target e)) && admits inside (target e)) eqn:new.
    + apply andb_true_iff in new. destruct new as [fresh admitted]. apply negb_true_iff, has_false in fresh.
      assert (there : In e (edges node)) by (apply within; left; reflexivity).
      destruct (fits _ _ there) as [from below].
      specialize (IH (target e :: arrived) (queue ++ [(target e, way ++ [e])])).
      destruct (follow way out _ _) as [arrived' queue'].
      destruct IH as (leads' & more & longer & once' & few' & from_ & all & many).
      * intros d later. apply within. right. exact later.
      * intros s other place. apply in_app_or in place. destruct place as [before|[same|[]]]; [apply leads, before|].
        injection same as <- <-. split.
        -- apply walk_app with node; [exact goes|]. simpl. auto.
        -- intros d inside_. apply in_app_or in inside_. destruct inside_ as [before|[<-|[]]]; auto.
      * constructor; auto.
      * intros s [<-|before]; [right; apply in_seq; lia | auto].
      * split; [exact leads'|]. repeat split; auto.
        -- intros s before. apply more. right. exact before.
        -- intros x before. apply longer, in_or_app. auto.
        -- intros s inside_. destruct (from_ s inside_) as [[<-|before]|wait]; auto.
           right. exists (way ++ [e]). apply longer, in_or_app. right. left. reflexivity.
        -- intros d [<-|later] admits_; [apply more; left; reflexivity | auto].
        -- rewrite app_length in many. simpl in many. lia.
    + specialize (IH arrived queue). destruct (follow way out arrived queue) as [arrived' queue'].
      destruct IH as (leads' & more & longer & once' & few' & from_ & all & many); auto.
      { intros d later. apply within. right. exact later. }
      split; [exact leads'|]. repeat split; auto.
      intros d [<-|later] admits_; [|auto]. rewrite admits_, andb_true_r in new.
      apply negb_false_iff, has_true in new. auto.
Qed.

Lemma look_for_finds : forall many arrived queue, in_search arrived queue ->
  length queue + S size <= length arrived + many ->
  (exists way s, walk edges start way s /\ stays inside way /\ In s targets) ->
  exists way s, look_for many arrived queue = Some way /\ walk edges start way s /\ stays inside way /\ In s targets.
Proof.
  intros many. induction many as [|many IH];
    intros arrived [|[node way] rest] (leads & begin & once & few & each) enough exists_.
  1, 3: exfalso; destruct exists_ as (way & s & goes & stays_ & wanted);
    assert (all : forall way a, In a arrived -> walk edges a way s -> stays inside way -> In s arrived) by
      (intros other; induction other as [|e other IH']; intros a there walks kept; simpl in walks; [subst;
        exact there|];
       destruct walks as (from & edge_ & walks); apply (IH' (target e)); [|exact walks | intros d later; apply kept;
         right; exact later];
       destruct (each a there) as [[? []]|[_ all]]; apply all; [exact edge_ | apply kept; left; reflexivity]);
    destruct (each s (all way start begin goes stays_)) as [[? []]|[other _]]; auto.
  - exfalso. pose proof (NoDup_incl_length once few) as less. simpl in *. rewrite seq_length in less. lia.
  - destruct (leads node way (or_introl eq_refl)) as [goes stays_]. simpl.
    destruct (has targets node) eqn:is.
    + exists way, node. apply has_true in is. auto.
    + apply has_false in is.
      pose proof (follow_keeps node way goes stays_ (edges node) arrived rest (incl_refl _)) as next.
      destruct (follow way (edges node) arrived rest) as [arrived' queue'].
      destruct next as (leads' & more & longer & once' & few' & from_ & all & same); auto.
      { intros s other later. apply leads. right. exact later. }
      apply IH; [|simpl in enough; lia | exact exists_]. split; [exact leads'|]. split; [apply more, begin|].
      split; [exact once'|]. split; [exact few'|]. intros s there. destruct (from_ s there) as [before|wait]; [|auto].
      destruct (each s before) as [(other & [same_|later])|done].
      * injection same_ as <- <-. right. split; [exact is | exact all].
      * left. exists other. apply longer, later.
      * right. apply (followed_more arrived); auto.
Qed.

(* Proof of everafter.product.fairness._path. *)
Theorem path_is_found : (exists way s, walk edges start way s /\ stays inside way /\ In s targets) ->
  exists s, walk edges start (path start) s /\ stays inside (path start) /\ In s targets.
Proof.
  intros exists_. destruct (look_for_finds (S size) [start] [(start, [])]) as (way & s & is & found).
  - split; [|split; [left; reflexivity|]].
    + intros s way [same|[]]. injection same as <- <-. split; [reflexivity | intros e []].
    + split; [repeat constructor; simpl; tauto|]. split; [intros s [<-|[]]; left; reflexivity|].
      intros s [<-|[]]. left. exists []. left. reflexivity.
  - simpl. lia.
  - exact exists_.
  - exists s. unfold path. rewrite is. exact found.
Qed.
End Paths.
