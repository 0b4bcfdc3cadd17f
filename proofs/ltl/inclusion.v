(* When a reason is accepted, an automaton accepts every word that satisfies a formula.

   The automaton is any: a reader of letters with accepting states, one of which must be met again and again. It comes
   from a translation that nobody proves. A reason pairs its states with the guesses of the textbook automaton
   (ltl/automaton.v), and gives each pair a rank. The checker asks that every first guess is paired with the first
   state, and that each guess that may follow is answered: by a state to which the same letter leads, at a rank that is
   no higher, and lower where the promise that the rank names is kept. Behind an accepting state any rank will do. In
   the place of a state a pair may have "given up", which answers everything and accepts nothing: it is for guesses that
   no word ever proves right.

   An automaton may have been made of a simpler formula, and choose by the parts of that one. Then there are two reasons:
   for the words that satisfy the simpler formula, and for those that satisfy f but not the simpler formula. *)
(* Proves: reason_shows_inclusion, reasons_by_cases, justified_automaton_accepts_violations *)
(* Assumes: classic, constructive_indefinite_description (through ltl/automaton.v) *)
From Coq Require Import Arith Lia List Bool Classical.
From everafter.ltl Require Import words formulas automaton.
Import ListNotations.

Section Inclusion.
Variable proposition : Type.
Variable same_proposition : forall p q : proposition, {p = q} + {p <> q}.
Variable letter : Type.
Variable truth : letter -> proposition -> bool.

(* The automaton. It reads which propositions are true. *)
Variable state : Type.
Variable same_state : forall s t : state, {s = t} + {s <> t}.
Variable start : state.
Variable moves : state -> (proposition -> bool) -> list state.
Variable accepting : state -> bool.

Definition automaton_accepts (w : word letter) := exists s : nat -> state,
  s 0 = start /\ (forall i, In (s (S i)) (moves (s i) (truth (w i)))) /\
  forall i, exists j, i <= j /\ accepting (s j) = true.

Notation guess := (guess proposition).
Notation parts := (parts proposition).
Notation believes := (believes proposition same_proposition).
Notation guesses := (guesses proposition same_proposition).
Notation right_step := (right_step proposition same_proposition letter truth).
Notation promises := (promises proposition).
Notation kept := (kept proposition same_proposition).
Notation accepted := (accepted proposition same_proposition letter truth).

Section Reason.
Variable f : kernel proposition.
Variable waited : list (kernel proposition).
Hypothesis promised : forall promise, In promise waited -> In promise (promises f).
Hypothesis speaks_of_f : forall s v v', (forall p, In (Is p) (parts f) -> v p = v' p) -> moves s v = moves s v'.

(* A guess and what answers it: a state, or None for having given up. *)
Definition pair := (guess * option state)%type.
Definition same_pair : forall a b : pair, {a = b} + {a <> b}.
Proof. pose proof (same_kernel proposition same_proposition). repeat decide equality. Defined.

Fixpoint rank_of (reason : list (pair * nat)) (a : pair) : option nat :=
  match reason with
  | [] => None
  | (b, rank) :: others => if same_pair b a then Some rank else rank_of others a
  end.
Definition is_listed (reason : list (pair * nat)) (a : pair) : bool :=
  match rank_of reason a with Some _ => true | None => false end.

Definition targets (g : guess) (s : option state) : list (option state) :=
  match s with
  | None => [None]
  | Some s => map Some (moves s (fun p => believes g (Is p))) ++ [None]
  end.

Definition is_accepting (s : option state) : bool := match s with Some s => accepting s | None => false end.
Definition named (rank : nat) : kernel proposition := nth (rank mod length waited) waited Top.
Definition low_enough (g : guess) (s : option state) (rank next : nat) : bool :=
  is_accepting s || (if kept g (named rank) then next <? rank else next <=? rank).
Definition answers (reason : list (pair * nat)) (g : guess) (s : option state) (rank : nat) (other : guess)
    (t : option state) : bool :=
  match rank_of reason (other, t) with Some next => low_enough g s rank next | None => false end.

(* What a guess demands of the next one, whatever is read. *)
Definition may_follow (g other : guess) : bool :=
  forallb (fun part => match part with
    | Then a => eqb (believes g part) (believes other a)
    | Till a b => if believes g a && negb (believes g b) then eqb (believes g part) (believes other part) else true
    | _ => true
    end) (parts f).

Definition is_reason (reason : list (pair * nat)) : bool :=
  forallb (fun g => implb (believes g f) (is_listed reason (g, Some start) || is_listed reason (g, None))) (guesses f) &&
  forallb (fun entry => let '((g, s), rank) := entry in
    forallb (fun other => implb (may_follow g other) (existsb (answers reason g s rank other) (targets g s)))
      (guesses f)) reason.

Lemma right_step_may_follow : forall g l other, right_step f g l other = true -> may_follow g other = true.
Proof.
  unfold automaton.right_step, may_follow. intros g l other right. rewrite forallb_forall in *.
  intros part inside. specialize (right part inside). destruct part as [|p|a|a b|a|a b]; auto.
  cbn [right_about] in right. apply eqb_prop in right.
  destruct (believes g a), (believes g b); simpl in *; auto.
  rewrite right. destruct (believes other (Till a b)); reflexivity.
Qed.

Lemma listed_entry : forall reason a rank, rank_of reason a = Some rank -> In (a, rank) reason.
Proof.
  induction reason as [|[b r] others IH]; simpl; intros a rank found; [discriminate|].
  destruct (same_pair b a) as [->|]; [injection found as ->; auto | right; auto].
Qed.

(* A right guess for each step is answered for ever. *)
Section Answered.
Variable reason : list (pair * nat).
Hypothesis accepted_reason : is_reason reason = true.
Variable w : word letter.
Variable r : nat -> guess.
Hypothesis guessed : guessed_run proposition same_proposition letter truth f w r.
Hypothesis kept_promises : keeps_promises proposition same_proposition f r.

Definition rank (g : guess) (s : option state) : nat := match rank_of reason (g, s) with Some k => k | None => 0 end.
Fixpoint play (i : nat) : option state :=
  match i with
  | 0 => if is_listed reason (r 0, Some start) then Some start else None
  | S j => match find (answers reason (r j) (play j) (rank (r j) (play j)) (r (S j))) (targets (r j) (play j)) with
           | Some t => t
           | None => None
           end
  end.
Definition rank_at (i : nat) : nat := rank (r i) (play i).

Lemma step_of_play : forall i, rank_of reason (r i, play i) = Some (rank_at i) ->
  In (play (S i)) (targets (r i) (play i)) /\
  answers reason (r i) (play i) (rank_at i) (r (S i)) (play (S i)) = true.
Proof.
  intros i listed. pose proof (listed_entry _ _ _ listed) as entry.
  apply andb_prop in accepted_reason as [_ rows]. rewrite forallb_forall in rows. specialize (rows _ entry). simpl in rows.
  rewrite forallb_forall in rows. destruct guessed as [_ steps]. destruct (steps i) as [_ right].
  specialize (rows (r (S i)) (proj1 (steps (S i)))). rewrite (right_step_may_follow _ _ _ right) in rows.
  cbn [implb] in rows. apply existsb_exists in rows as (t & inside & good).
  change (play (S i)) with (match find (answers reason (r i) (play i) (rank_at i) (r (S i))) (targets (r i) (play i)) with
    | Some t => t | None => None end).
  destruct (find _ _) as [u|] eqn:found.
  - apply find_some in found. exact found.
  - rewrite (find_none _ _ found t inside) in good. discriminate.
Qed.

Lemma always_listed : forall i, rank_of reason (r i, play i) = Some (rank_at i).
Proof.
  assert (known : forall g s, is_listed reason (g, s) = true -> rank_of reason (g, s) = Some (rank g s)).
  { intros g s. unfold is_listed, rank. destruct (rank_of reason (g, s)); auto. discriminate. }
  induction i as [|i IH].
  - apply known. destruct guessed as [believed steps]. destruct (steps 0) as [inside _].
    apply andb_prop in accepted_reason as [starts _]. rewrite forallb_forall in starts. specialize (starts _ inside).
    rewrite believed in starts. cbn [implb] in starts. cbn [play].
    destruct (is_listed reason (r 0, Some start)) eqn:first; auto.
  - destruct (step_of_play i IH) as [_ good]. apply known. unfold answers in good. unfold is_listed.
    destruct (rank_of reason (r (S i), play (S i))); auto.
Qed.

Definition accepts_at (i : nat) := is_accepting (play i) = true.

Lemma rank_step : forall i, ~ accepts_at i ->
  rank_at (S i) <= rank_at i /\ (kept (r i) (named (rank_at i)) = true -> rank_at (S i) < rank_at i).
Proof.
  intros i not_accepting. destruct (step_of_play i (always_listed i)) as [_ good].
  unfold answers in good. rewrite (always_listed (S i)) in good. unfold low_enough in good.
  unfold accepts_at in not_accepting. destruct (is_accepting (play i)); [congruence|]. cbn [orb] in good.
  destruct (kept (r i) (named (rank_at i))).
  - apply Nat.ltb_lt in good. split; [lia | auto].
  - apply Nat.leb_le in good. split; [lia | discriminate].
Qed.

Lemma named_is_kept : forall k i, exists j, i <= j /\ kept (r j) (named k) = true.
Proof.
  intros k i. unfold named. destruct (Nat.eq_dec (length waited) 0) as [none|some].
  - exists i. split; auto. rewrite nth_overflow by lia. reflexivity.
  - apply kept_promises, promised, nth_In, Nat.mod_upper_bound. exact some.
Qed.

Lemma accepts_again : forall i, exists j, i <= j /\ accepts_at j.
Proof.
  intros start_at. apply NNPP. intros never.
  assert (silent : forall j, start_at <= j -> ~ accepts_at j) by (intros j le yes; apply never; eauto).
  assert (stays : forall d i, start_at <= i -> rank_at (d + i) <= rank_at i).
  { induction d; intros i le; simpl; auto. specialize (IHd i le).
    destruct (rank_step (d + i)) as [less _]; [apply silent; lia | lia]. }
  assert (falls : forall n i, start_at <= i -> rank_at i < n -> False).
  { induction n; intros i le low; [lia|].
    destruct (named_is_kept (rank_at i) i) as (j & later & keeps).
    pose proof (stays (j - i) i le) as down. replace (j - i + i) with j in down by lia.
    destruct (rank_step j) as [weakly strictly]; [apply silent; lia|].
    apply (IHn (S j)); [lia|].
    destruct (Nat.eq_dec (rank_at j) (rank_at i)) as [same|]; [|lia].
    rewrite same in strictly. specialize (strictly keeps). lia. }
  apply (falls (S (rank_at start_at)) start_at); lia.
Qed.

Lemma never_gives_up : forall i, play i <> None.
Proof.
  intros i gone.
  assert (stays : forall d, play (d + i) = None).
  { induction d; auto. destruct (step_of_play (d + i) (always_listed (d + i))) as [inside _].
    rewrite IHd in inside. simpl in inside. destruct inside as [E|[]]. simpl. auto. }
  destruct (accepts_again i) as (j & le & yes). unfold accepts_at in yes.
  specialize (stays (j - i)). replace (j - i + i) with j in stays by lia. rewrite stays in yes. discriminate.
Qed.

Lemma answered_is_accepted : automaton_accepts w.
Proof.
  set (s := fun i => match play i with Some s => s | None => start end).
  assert (plays : forall i, play i = Some (s i)).
  { intros i. unfold s. pose proof (never_gives_up i). destruct (play i); congruence. }
  exists s. split; [|split].
  - pose proof (plays 0) as first. cbn [play] in first.
    destruct (is_listed reason (r 0, Some start)); [injection first; auto | discriminate].
  - intros i. destruct (step_of_play i (always_listed i)) as [inside _]. rewrite !plays in inside. simpl in inside.
    apply in_app_iff in inside as [inside|[none|[]]]; [|discriminate].
    apply in_map_iff in inside as (t & E & inside). injection E as ->.
    rewrite (speaks_of_f (s i) (truth (w i)) (fun p => believes (r i) (Is p))); auto.
    intros p part. destruct guessed as [_ steps]. destruct (steps i) as [_ right].
    unfold automaton.right_step in right. rewrite forallb_forall in right. specialize (right _ part).
    cbn [right_about] in right. apply eqb_prop in right. auto.
  - intros i. destruct (accepts_again i) as (j & le & yes). exists j. split; auto.
    unfold accepts_at in yes. rewrite plays in yes. exact yes.
Qed.
End Answered.

(* Proof of everafter.certificates.automaton.inclusion.is_reason *)
Theorem reason_shows_inclusion : forall reason, is_reason reason = true ->
  forall w, accepted f w -> automaton_accepts w.
Proof. intros reason good w (r & guessed & keeps). eapply answered_is_accepted; eauto. Qed.
End Reason.

(* What the checker of a reason may rely on: the promises are some of the formula, and the automaton reads nothing else. *)
Definition fits (f : kernel proposition) (waited : list (kernel proposition)) :=
  (forall promise, In promise waited -> In promise (promises f)) /\
  (forall s v v', (forall p, In (Is p) (parts f) -> v p = v' p) -> moves s v = moves s v').

Lemma models_are_accepted : forall f waited reason, fits f waited -> is_reason f waited reason = true ->
  forall w, means truth w f 0 -> automaton_accepts w.
Proof.
  intros f waited reason [promised speaks] good w model.
  apply (reason_shows_inclusion f waited promised speaks reason good), automaton_accepts_models, model.
Qed.

(* Proof of everafter.certificates.automaton.justification._by_cases *)
Theorem reasons_by_cases : forall f simpler waited waited' reason reason',
  fits simpler waited -> is_reason simpler waited reason = true ->
  fits (Both f (No simpler)) waited' -> is_reason (Both f (No simpler)) waited' reason' = true ->
  forall w, means truth w f 0 -> automaton_accepts w.
Proof.
  intros f simpler waited waited' reason reason' F good F' good' w model.
  destruct (classic (means truth w simpler 0)) as [yes|no].
  - apply (models_are_accepted simpler waited reason); auto.
  - apply (models_are_accepted (Both f (No simpler)) waited' reason'); auto. simpl. auto.
Qed.

(* The automaton of a negated claim: no violation escapes it. *)
Theorem justified_automaton_accepts_violations : forall claim waited reason,
  fits (kernel_of (Not claim)) waited -> is_reason (kernel_of (Not claim)) waited reason = true ->
  forall w, ~ satisfies truth w claim -> automaton_accepts w.
Proof.
  intros claim waited reason F good w violates.
  apply (models_are_accepted (kernel_of (Not claim)) waited reason F good).
  apply kernel_means_the_same. exact violates.
Qed.
End Inclusion.
