// A run: any of its states, made again from its start; who lived when; which messages were under way.

const APART = 256; // steps between states that are kept

/** The state that comes of another by edits. What does not change is shared. */
export function edited(frame, edits) {
  const next = { cells: frame.cells, processes: frame.processes, channels: frame.channels };
  const own = (part) => {
    if (next[part] === frame[part]) next[part] = frame[part].slice();
    return next[part];
  };
  for (const [kind, ...what] of edits) {
    if (kind === "global") own("cells")[what[0]] = what[1];
    else if (kind === "node") {
      const [graph, , cells] = next.processes[what[0]];
      own("processes")[what[0]] = [graph, what[1], cells];
    } else if (kind === "local") {
      const [graph, node, cells] = next.processes[what[0]];
      own("processes")[what[0]] = [graph, node, cells.with(what[1], what[2])];
    } else if (kind === "start") own("processes").push(what[0]);
    else if (kind === "end") own("processes").pop();
    else if (kind === "open") own("channels").push(what[0]);
    else if (kind === "close") own("channels").pop();
    else if (kind === "messages") {
      const [name, type] = next.channels[what[0]];
      own("channels")[what[0]] = [name, type, what[1]];
    }
  }
  return next;
}

/** A run of the page's data, with what the page asks of it. Positions count the steps before a state. */
export class Run {
  constructor(data, system) {
    this.data = data;
    this.system = system;
    this.applied = 0; // how many steps have been taken again, so that a test can see what a move costs
    this.at = 0;
    this.frame = data.start;
    this.follow();
  }

  get length() {
    return this.data.moves.length;
  }

  /** Where the run goes wrong: behind its last step, or behind the first one that is repeated for ever. */
  get failure() {
    return this.data.cycle ? this.turn + 1 : this.length;
  }

  get turn() {
    return this.length - this.data.cycle;
  }

  /** Look at all steps once: who lives when, whose step each is, which messages are under way. */
  follow() {
    this.kept = [this.data.start];
    this.lanes = [];
    const living = [];
    const lanes = new Map();
    const begin = (graph, position) => {
      const key = `${living.length}:${graph}`;
      if (!lanes.has(key)) {
        const name = `${this.system.graphs[graph].name}(${living.length})`;
        lanes.set(key, { number: living.length, graph, name, lives: [] });
        this.lanes.push(lanes.get(key));
      }
      const lane = lanes.get(key);
      lane.lives.push([position, Infinity]);
      living.push(lane);
    };
    for (const [graph] of this.data.start.processes) begin(graph, 0);
    this.steps = [null];
    this.data.moves.forEach(([process, edge, edits, partner, answer], index) => {
      const lane = living[process];
      this.steps.push({ lane, edge, partner: partner < 0 ? null : living[partner], answer });
      for (const [kind, what] of edits) {
        if (kind === "start") begin(what[0], index + 1);
        else if (kind === "end") living.pop().lives.at(-1)[1] = index + 1;
      }
    });
    this.lanes.sort((a, b) => a.number - b.number);
    this.lanes.forEach((lane, row) => (lane.row = row));
    this.followMessages();
  }

  followMessages() {
    this.sent = new Map();
    this.received = new Map();
    this.pending = Array.from({ length: Math.floor(this.length / APART) + 1 }, () => []);
    const put = (map, step, message) => (map.has(step) ? map.get(step).push(message) : map.set(step, [message]));
    for (const [sent, sender, received, receiver, channel, text, lost] of this.data.messages) {
      const message = { sent, received, channel, text, lost, from: this.laneAt(sent, sender), to: null };
      put(this.sent, sent, message);
      if (received < 0) continue;
      message.to = this.laneAt(received, receiver);
      put(this.received, received, message);
      for (let block = Math.ceil(sent / APART); block * APART <= received; block++) this.pending[block].push(message);
    }
  }

  /** The lane of a process that takes part in a step. */
  laneAt(step, number) {
    const { lane, partner } = this.steps[step];
    return lane.number === number ? lane : partner;
  }

  /** The messages that are on their way somewhere between two positions. */
  messagesBetween(first, last) {
    const block = Math.floor(first / APART);
    const found = new Set(this.pending[block] ?? []);
    for (let step = block * APART; step <= last; step++) for (const each of this.sent.get(step) ?? []) found.add(each);
    return [...found].filter((each) => each.sent >= first || each.received >= first);
  }

  /** The state behind so many steps. */
  state(position) {
    const near = this.at <= position && position - this.at < APART;
    if (!near) {
      const block = Math.min(Math.floor(position / APART), this.kept.length - 1);
      this.at = block * APART;
      this.frame = this.kept[block];
    }
    while (this.at < position) {
      this.frame = edited(this.frame, this.data.moves[this.at][2]);
      this.at++;
      this.applied++;
      if (this.at === this.kept.length * APART) this.kept.push(this.frame);
    }
    return this.frame;
  }

  /** A step, counted from 1: whose it is, its statement, its place in the text. */
  step(number) {
    const { lane, edge, partner, answer } = this.steps[number];
    const [, , , , , output, problem] = this.data.moves[number - 1];
    const way = this.system.graphs[lane.graph].edges[edge];
    const reply = partner && this.system.graphs[partner.graph].edges[answer];
    return { number, lane, text: way.text, spot: way.spot, edge: way, partner, reply, output, problem };
  }

  /** Which of the states that a formula sees is the last one before a position, or there; -1 if none is. */
  letter(position) {
    const seen = this.data.positions;
    let low = 0;
    let high = seen.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (seen[middle] <= position) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** The columns of a chart: a step has one of its own, unless it lies in an atomic sequence that is folded. */
export class Columns {
  constructor(run, folded, opened) {
    this.ofStep = new Int32Array(run.length + 1);
    this.first = [0];
    this.last = [0];
    this.folds = new Map();
    const folds = folded ? run.data.folds.filter(([first]) => !opened.has(first)) : [];
    let next = 0;
    for (let step = 1; step <= run.length; step++) {
      const fold = folds[next];
      const column = this.first.length;
      if (fold !== undefined && fold[0] === step) {
        this.ofStep.fill(column, step, fold[1] + 1);
        this.first.push(step);
        this.last.push(fold[1]);
        this.folds.set(column, fold);
        step = fold[1];
        next++;
      } else {
        this.ofStep[step] = column;
        this.first.push(step);
        this.last.push(step);
      }
    }
  }

  get count() {
    return this.first.length;
  }
}

/** A value as the model would write it. */
export function valueText(system, frame, naming, value) {
  if (naming === -2) return value === 0 ? "none" : (frame.channels[value - 1]?.[0] ?? `channel ${value}`);
  return naming >= 0 ? (system.namings[naming][value] ?? String(value)) : String(value);
}

/** A message as the model would write it. */
export function messageText(system, frame, type, message) {
  const namings = system.channels[type].namings;
  return message.map((value, field) => valueText(system, frame, namings[field] ?? -1, value)).join(", ");
}
