(* A team whose workers wait for each other comes to its end, if it is scheduled with weak fairness.

   Of the steps of a team it is asked that each leaves less to do, in an order in which nothing falls for ever, or is a
   look in vain, which changes nothing; and that somebody can go on as long as not all are done. The proofs in Viper show
   both of each team, and also that each ends if its scheduler draws a number, any, whenever somebody has gone on, and
   lets so many looks in vain come before somebody goes on again. That such numbers are there is `vain_looks_end`. *)
(* Proves: vain_looks_end, fair_team_ends *)
(* Assumes: classic (whether anybody will ever go on, nobody computes) *)
From Coq Require Import Arith Lia Classical.

Section Ending.
Variable state worker : Type.
Variable step : worker -> state -> state -> Prop.
Variable kept : state -> Prop.
Variable done : state -> Prop.
Variable can_go_on : worker -> state -> Prop.

(* What holds between any two steps. *)
Hypothesis step_keeps : forall w s t, kept s -> step w s t -> kept t.

(* Somebody can go on. *)
Hypothesis somebody_can : forall s, kept s -> ~ done s -> exists w, can_go_on w s.

(* A run: as long as not all are done, at each moment somebody takes a step. *)
Variable run : nat -> state.
Variable mover : nat -> worker.
Hypothesis run_begins : kept (run 0).
Hypothesis run_steps : forall n, ~ done (run n) -> step (mover n) (run n) (run (S n)).

(* A worker goes on at a moment at which it takes a step that is no look in vain. *)
Definition in_vain (n : nat) := run (S n) = run n.
Definition goes_on (w : worker) (n : nat) := mover n = w /\ ~ in_vain n.

(* Weak fairness: who can go on at every moment from some moment on, goes on at one of these. *)
Definition weakly_fair := forall w n, (forall m, n <= m -> can_go_on w (run m)) -> exists m, n <= m /\ goes_on w m.

Definition never_done := forall n, ~ done (run n).

Lemma all_kept : never_done -> forall n, kept (run n).
Proof. intros never n. induction n as [|n IH]; [exact run_begins|]. apply (step_keeps _ _ _ IH (run_steps n (never n))). Qed.

Lemma nothing_has_changed : forall n, (forall m, n <= m -> in_vain m) -> forall m, n <= m -> run m = run n.
Proof. intros n vain m later. induction later as [|m later IH]; [reflexivity|]. rewrite (vain m later). exact IH. Qed.

(* Looks in vain come to an end: somebody goes on, again and again. *)
Theorem vain_looks_end : weakly_fair -> never_done -> forall n, exists m, n <= m /\ ~ in_vain m.
Proof.
  intros fair never n. apply NNPP. intros none.
  assert (vain : forall m, n <= m -> in_vain m).
  { intros m later. apply NNPP. intros goes. apply none. exists m. auto. }
  destruct (somebody_can (run n) (all_kept never n) (never n)) as (w & can).
  destruct (fair w n) as (m & later & _ & goes).
  - intros m later. rewrite (nothing_has_changed n vain m later). exact can.
  - apply goes. apply vain. exact later.
Qed.

(* Up to the next step that is no look in vain, nothing changes. *)
Lemma next_step : forall d n, ~ in_vain (d + n) -> exists m, n <= m /\ run m = run n /\ ~ in_vain m.
Proof.
  induction d as [|d IH]; intros n goes; [exists n; auto|].
  destruct (classic (in_vain n)) as [vain|now]; [|exists n; auto].
  destruct (IH (S n)) as (m & later & same & goes'); [replace (d + S n) with (S d + n) by lia; exact goes|].
  exists m. split; [lia|]. rewrite same. auto.
Qed.

(* How much is left to do. *)
Variable amount : Type.
Variable less : amount -> amount -> Prop.
Variable to_do : state -> amount.
Hypothesis less_ends : well_founded less.
Hypothesis step_falls : forall w s t, kept s -> step w s t -> t = s \/ less (to_do t) (to_do s).

Theorem fair_team_ends : weakly_fair -> exists n, done (run n).
Proof.
  intros fair. apply NNPP. intros none.
  assert (never : never_done) by (intros n finished; apply none; exists n; exact finished).
  assert (absurd : forall a n, to_do (run n) = a -> False); [|exact (absurd _ 0 eq_refl)].
  intros a. induction a as [a IH] using (well_founded_ind less_ends). intros n here.
  destruct (vain_looks_end fair never n) as (k & later & goes).
  destruct (next_step (k - n) n) as (m & _ & same & goes').
  { replace (k - n + n) with k by lia. exact goes. }
  destruct (step_falls _ _ _ (all_kept never m) (run_steps m (never m))) as [vain|falls]; [apply goes'; exact vain|].
  rewrite same, here in falls. exact (IH _ falls (S m) eq_refl).
Qed.
End Ending.
