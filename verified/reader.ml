(* Programs and states out of their plain form (README.md), one function for each kind of item. This is trusted: what is
   certified is certified of the program that comes out of here. Anything unknown is refused. *)
open Meaning
open Values
open Brackets

let unknown what item = fail (Printf.sprintf "no %s: %s" what (text item))

let number item =
  match item with
  | Word w -> (match int_of_string_opt w with
      | Some i when abs i < 1 lsl 40 -> i
      | _ -> unknown "number" item)
  | Items _ -> unknown "number" item
let value item = z (number item)
let natural item =
  let i = number item in
  if i < 0 || i > 1_000_000 then unknown "natural number" item else nat i
let place item =
  let i = number item in
  if i < 1 then unknown "place of control" item else positive i
let index_in size item = if number item >= size then unknown "number below the limit" item else natural item

let width least count = { least = value least; count = (if number count < 1 then unknown "width" count else value count) }

let operators = [
  "+", Plus; "-", Minus; "*", Times; "/", Over; "%", Modulo; "&", BitAnd; "|", BitOr; "^", BitXor;
  "<<", ShiftLeft; ">>", ShiftRight; "==", Equal; "!=", Unequal; "<", Below; "<=", AtMost; ">", Above; ">=", AtLeast ]
let queries = [ "len", Len; "empty", Empty; "nempty", Nempty; "full", Full; "nfull", Nfull ]
let is_any = function Word "any" -> true | Word "first" -> false | item -> unknown "choice of a message" item

let rec expr item =
  match item with
  | Word _ -> Number (value item)
  | Items (Word name :: parts) -> (
      match name, parts with
      | "shared", base :: at -> Variable_ (Shared, natural base, indices at)
      | "mine", base :: at -> Variable_ (Mine, natural base, indices at)
      | "pid", [] -> Pid
      | "nr_pr", [] -> NrPr
      | "last", [] -> Last
      | "priority", [] -> MyPriority
      | "not", [ e ] -> Not0 (expr e)
      | "neg", [ e ] -> Negative (expr e)
      | "inv", [ e ] -> Complement (expr e)
      | "&&", [ e; f ] -> And0 (expr e, expr f)
      | "||", [ e; f ] -> Or0 (expr e, expr f)
      | "if", [ c; e; f ] -> Conditional (expr c, expr e, expr f)
      | "within", [ e; least; greatest ] -> Within (expr e, value least, value greatest)
      | "poll", how :: channel :: asked -> Poll (is_any how, expr channel, fields asked)
      | "pc_value", [ e ] -> PcValue (expr e)
      | "get_priority", [ e ] -> GetPriority (expr e)
      | "enabled", [ e ] -> Enabled (expr e)
      | "timeout", [] -> Timeout
      | "np_", [] -> NonProgress
      | "remote_label", [ kind; process; at ] -> RemoteLabel (natural kind, chosen process, place at)
      | "remote_variable", kind :: process :: base :: at ->
          RemoteVariable (natural kind, chosen process, natural base, indices at)
      | _, [ e ] when List.mem_assoc name queries -> Query (List.assoc name queries, expr e)
      | _, [ e; f ] when List.mem_assoc name operators -> Binary (List.assoc name operators, expr e, expr f)
      | _ -> unknown "expression" item)
  | Items _ -> unknown "expression" item
and indices items =
  let index = function
    | Items [ Word "index"; e; length; size ] -> (expr e, value length), value size
    | item -> unknown "index" item in
  List.map index items
and fields items =
  let field = function
    | Items [ Word "value" ] -> None
    | Items [ Word "same"; e ] -> Some (expr e)
    | item -> unknown "field" item in
  List.map field items
and chosen = function Word "oldest" -> None | item -> Some (expr item)

let target = function
  | Items (Word "to" :: Word "shared" :: least :: count :: base :: at) ->
      ToVariable (Shared, width least count, natural base, indices at)
  | Items (Word "to" :: Word "mine" :: least :: count :: base :: at) ->
      ToVariable (Mine, width least count, natural base, indices at)
  | Items [ Word "to_priority" ] -> ToPriority
  | Items [ Word "to_nothing" ] -> ToNothing
  | item -> unknown "target" item

let pattern = function
  | Items [ Word "match"; e ] -> Match (expr e)
  | Items [ Word "bind"; t ] -> Bind (target t)
  | item -> unknown "pattern" item

let statement item =
  match item with
  | Items (Word name :: parts) -> (
      match name, parts with
      | "skip", [] -> Skip
      | "else", [] -> Else
      | "test", [ e ] -> Test (expr e)
      | "assign", [ t; e ] -> Assign (target t, expr e)
      | "assert", [ e ] -> Assert (true, expr e)
      | "evaluate", [ e ] -> Assert (false, expr e)
      | "print", es -> Print (List.map expr es)
      | "set_priority", [ e; f ] -> SetPriority (expr e, expr f)
      | "send", channel :: es -> Send (false, expr channel, List.map expr es)
      | "send_sorted", channel :: es -> Send (true, expr channel, List.map expr es)
      | "receive", how :: Word "take" :: channel :: ps ->
          Receive (is_any how, false, expr channel, List.map pattern ps)
      | "receive", how :: Word "copy" :: channel :: ps -> Receive (is_any how, true, expr channel, List.map pattern ps)
      | "run", kind :: priority :: into :: es ->
          let told = match into with Word "none" -> None | t -> Some (target t) in
          Run (told, natural kind, List.map expr es, value priority)
      | _ -> unknown "statement" item)
  | _ -> unknown "statement" item

let next = function Word "end" -> None | item -> Some (place item)

let table read items =
  List.fold_left
    (fun found item ->
      let at, it = read item in
      if PositiveMap.find at found <> None then unknown "new place" item else PositiveMap.add at it found)
    PositiveMap.empty items

let instruction = function
  | Items [ Word "do"; at; it; behind ] -> place at, Perform (statement it, next behind)
  | Items (Word "select" :: at :: options) -> place at, Select (List.map next options)
  | item -> unknown "instruction" item

let effect = function
  | Items [ Word "end" ] -> End
  | Items (Word "d_step" :: Word "any" :: start :: body) -> DStep (None, next start, table instruction body)
  | Items (Word "d_step" :: Items (Word "guards" :: guards) :: start :: body) ->
      DStep (Some (List.map statement guards), next start, table instruction body)
  | item -> Do (statement item)

let transition = function
  | Items [ Word "go"; goal; Word (("atomic" | "free") as kept); escape; it ] ->
      let does = effect it in
      { does; goal = (match does with End -> XH | _ -> place goal); keeps_atomic = kept = "atomic";
        escape = n (number escape) }
  | item -> unknown "transition" item

let flags known items =
  let word = function
    | Word w when List.mem w known -> w
    | item -> unknown "switch" item in
  let found = List.map word items in
  fun name -> List.mem name found

let node = function
  | Items (Word "at" :: number :: Items (Word "labels" :: labels) :: steps) ->
      let has = flags [ "end"; "progress" ] labels in
      place number, { transitions = List.map transition steps; is_end = has "end"; is_progress = has "progress" }
  | item -> unknown "place of control" item

let first_value = function
  | Items [ Word "set"; cell; least; count; e ] -> Sets (natural cell, width least count, expr e)
  | Items [ Word "create"; cell; least; count; kind ] -> Creates (natural cell, width least count, natural kind)
  | item -> unknown "first value" item

let parameter = function
  | Items [ cell; least; count ] -> natural cell, width least count
  | item -> unknown "parameter" item

let promise = function
  | Items [ Word "xs"; e ] -> true, expr e
  | Items [ Word "xr"; e ] -> false, expr e
  | item -> unknown "promise" item

let proctype = function
  | Items (Word "proctype" :: Word _ :: cells :: entry :: Items (Word "parameters" :: parameters)
      :: Items (Word "first" :: first) :: Items [ Word "created"; created ] :: Items (Word "provided" :: provided)
      :: Items [ Word "deterministic"; Word (("0" | "1") as one) ] :: Items (Word "promises" :: promises) :: nodes) ->
      { nodes = table node nodes; entry = place entry; cells = natural cells;
        parameters = List.map parameter parameters; first_values = List.map first_value first;
        created = natural created;
        provided = (match provided with [] -> None | [ e ] -> Some (expr e) | item :: _ -> unknown "condition" item);
        deterministic = one = "1"; promises0 = List.map promise promises }
  | item -> unknown "proctype" item

let chantype = function
  | Items (Word "channel" :: capacity :: widths) ->
      let one = function Items [ least; count ] -> width least count | item -> unknown "field" item in
      { capacity = value capacity; widths = List.map one widths }
  | item -> unknown "channel" item

let constant = function
  | Items [ at; e ] -> natural at, expr e
  | item -> unknown "constant" item
let event = function
  | Items (Word "on" :: Word (("send" | "receive") as what) :: goal :: channel :: constants) ->
      { is_send = what = "send"; on_channel = expr channel; constants = List.map constant constants;
        leads_to = place goal }
  | item -> unknown "event" item
let moment = function
  | Items (Word "moment" :: number :: Items (Word "is" :: words) :: events) ->
      let is = flags [ "may_stop"; "final" ] words in
      place number, { events = List.map event events; may_stop = is "may_stop"; is_final = is "final" }
  | item -> unknown "moment" item
let trace is_notrace begins final items =
  let moments = table moment items in
  let every = List.concat_map (fun item -> (snd (moment item)).events) items in
  { is_notrace; moments; begins = place begins; final = place final; every_event = every }

let active = function
  | Items [ kind; priority ] -> natural kind, value priority
  | item -> unknown "active process" item

let switches = [ "loses_messages"; "uses_last"; "uses_priority"; "ends_matter"; "channels_matter" ]

let program items =
  let named name = List.filter (function Items (Word w :: _) -> w = name | _ -> false) items in
  let only name = match named name with [ item ] -> item | _ -> fail ("there must be one item " ^ name) in
  let known = [ "promela"; "switches"; "globals"; "channel"; "proctype"; "active"; "trace"; "notrace" ] in
  List.iter
    (function Items (Word w :: _) when List.mem w known -> () | item -> unknown "part of a program" item)
    items;
  (match only "promela" with Items [ _; Word "1" ] -> () | item -> unknown "version that is known" item);
  let on = match only "switches" with Items (_ :: words) -> flags switches words | item -> unknown "switch" item in
  let global_cells, global_values =
    match only "globals" with
    | Items (_ :: cells :: first) -> natural cells, List.map first_value first
    | item -> unknown "list of variables" item in
  let watched =
    match named "trace", named "notrace" with
    | [], [] -> None
    | [ Items (_ :: begins :: final :: rest) ], [] -> Some (trace false begins final rest)
    | [], [ Items (_ :: begins :: final :: rest) ] -> Some (trace true begins final rest)
    | _ -> fail "there may be one trace" in
  { proctypes = List.map proctype (named "proctype"); chantypes = List.map chantype (named "channel");
    global_cells; global_values;
    active = (match only "active" with Items (_ :: l) -> List.map active l | item -> unknown "list" item);
    loses_messages = on "loses_messages"; uses_last = on "uses_last"; uses_priority = on "uses_priority";
    ends_matter = on "ends_matter"; channels_matter = on "channels_matter"; watched }

(* Claims. Of a formula it and its propositions are trusted, the automaton and the reason are not; of what says itself
   what must not be, all is. *)

let rec formula item : nat formula =
  match item with
  | Items (Word name :: parts) -> (
      match name, parts with
      | "true", [] -> Constant true
      | "false", [] -> Constant false
      | "atom", [ i ] -> Atom (natural i)
      | "not", [ f ] -> Not (formula f)
      | "and", [ f; g ] -> And (formula f, formula g)
      | "or", [ f; g ] -> Or (formula f, formula g)
      | "implies", [ f; g ] -> Implies (formula f, formula g)
      | "equivalent", [ f; g ] -> Equivalent (formula f, formula g)
      | "xor", [ f; g ] -> Xor (formula f, formula g)
      | "next", [ f ] -> Next (formula f)
      | "eventually", [ f ] -> Eventually (formula f)
      | "always", [ f ] -> Always (formula f)
      | "until", [ f; g ] -> Until (formula f, formula g)
      | "weak_until", [ f; g ] -> WeakUntil (formula f, formula g)
      | "release", [ f; g ] -> Release (formula f, formula g)
      | "strong_release", [ f; g ] -> StrongRelease (formula f, formula g)
      | _ -> unknown "formula" item)
  | _ -> unknown "formula" item

let rec kernel item : nat kernel =
  match item with
  | Items [ Word "true" ] -> Top
  | Items [ Word "atom"; i ] -> Is (natural i)
  | Items [ Word "not"; f ] -> No (kernel f)
  | Items [ Word "and"; f; g ] -> Both (kernel f, kernel g)
  | Items [ Word "next"; f ] -> Then (kernel f)
  | Items [ Word "until"; f; g ] -> Till (kernel f, kernel g)
  | _ -> unknown "part of a formula" item

let literal = function
  | Items [ i; Word (("0" | "1") as one) ] -> natural i, one = "1"
  | item -> unknown "literal" item
let cube = function Items (Word "cube" :: l) -> List.map literal l | item -> unknown "cube" item
let edge = function
  | Items (Word "edge" :: from :: goal :: cubes) -> (natural from, List.map cube cubes), natural goal
  | item -> unknown "edge" item
let automaton = function
  | Items (Word "automaton" :: start :: Items (Word "accepting" :: accepting) :: l) ->
      { start_at = natural start; edges = List.map edge l; accepting_at = List.map natural accepting }
  | item -> unknown "automaton" item

(* A reason with its formula, the last of its parts. A guess has its parts in the order of the extracted text. *)
let reason = function
  | Items (Word "reason" :: Items (Word "waited" :: waited) :: Items (Word "parts" :: l) :: pairs) when l <> [] ->
      let named = Array.of_list (List.map kernel l) in
      let whole = named.(Array.length named - 1) in
      let rec once = function [] -> [] | f :: r -> if List.mem f r then once r else f :: once r in
      let ordered = once (parts whole) in
      let part item = if number item < Array.length named then named.(number item) else unknown "part" item in
      let pair = function
        | Items [ Word "pair"; Items (Word "believed" :: numbers); state; rank ] ->
            let believed = List.map part numbers in
            let at = match state with Word "none" -> None | item -> Some (natural item) in
            (List.filter (fun f -> List.mem f believed) ordered, at), natural rank
        | item -> unknown "pair" item in
      whole, List.map kernel waited, List.map pair pairs
  | item -> unknown "reason" item

type observer =
  | AFormula of nat formula * expr list * buchi * reasons
  | AnAutomaton of expr list * buchi
  | ANever of never
(* `sets`: how many sets ranks tell apart; one, or one and one for each process that runs are to be fair to. *)
type claim = { observer : observer; sets : int }

let accept_label = function
  | Items [ kind; at ] -> natural kind, place at
  | item -> unknown "label" item
let never = function
  | Items (Word "never" :: start :: Items (Word "accept" :: accepting) :: Items (Word "labels" :: labels) :: nodes) ->
      { begins_at = place start; claim_nodes = table node nodes; accept_at = List.map place accepting;
        accept_labels = List.map accept_label labels }
  | item -> unknown "never claim" item

let claim items =
  let named name = List.filter (function Items (Word w :: _) -> w = name | _ -> false) items in
  let known = [ "fair"; "formula"; "proposition"; "automaton"; "reason"; "never" ] in
  List.iter
    (function Items (Word w :: _) when List.mem w known -> () | item -> unknown "part of a claim" item)
    items;
  let only name read =
    match named name with
    | [ Items [ _; it ] ] when name = "formula" -> read it
    | [ it ] when name <> "formula" -> read it
    | _ -> fail ("there must be one item " ^ name) in
  let sets =
    match named "fair" with
    | [] -> 1
    | [ Items [ _; count ] ] when number count > 0 && number count < 1000 -> 1 + number count
    | item :: _ -> unknown "number of processes" item in
  let propositions =
    List.map (function Items [ _; e ] -> expr e | item -> unknown "proposition" item) (named "proposition") in
  let why () =
    match List.map reason (named "reason") with
    | [ (_, waited, pairs) ] -> OneReason (waited, pairs)
    | [ (simpler, waited, pairs); (_, waited', pairs') ] -> TwoReasons (simpler, waited, pairs, waited', pairs')
    | _ -> fail "there must be one reason, or two" in
  let observer =
    match named "formula", named "automaton", named "never" with
    | [ _ ], [ _ ], [] -> AFormula (only "formula" formula, propositions, only "automaton" automaton, why ())
    | [], [ _ ], [] when named "reason" = [] -> AnAutomaton (propositions, only "automaton" automaton)
    | [], [], [ it ] when named "reason" = [] && propositions = [] -> ANever (never it)
    | _ -> fail "a claim is a formula with an automaton, an automaton, or a never claim" in
  { observer; sets }

(* States *)

let numbers item = match item with Items l -> List.map value l | Word _ -> unknown "list of numbers" item
let process = function
  | Items (kind :: at :: priority :: locals) ->
      { kind = natural kind; place = place at; priority = value priority; locals = List.map value locals }
  | item -> unknown "process" item
let channel = function
  | Items (declared :: messages) -> { declared = natural declared; messages = List.map numbers messages }
  | item -> unknown "channel" item
let state = function
  | Items [ Word "state"; holder; last; moment; globals; Items processes; Items channels ] ->
      { globals = numbers globals; processes = List.map process processes; channels = List.map channel channels;
        exclusive = (match holder with Word "none" -> None | item -> Some (natural item)); last = natural last;
        moment_now = place moment }
  | item -> unknown "state" item

(* A row, with its place as a number. *)
let row = function
  | Items [ Word "row"; rank; at; it ] when number rank >= 0 && number at >= 0 && number at <= 1_000_000 ->
      state it, number at, number rank
  | item -> unknown "row" item
