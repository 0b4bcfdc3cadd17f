// The states of a model, and those of them that are shown: unfolded from one state on, step by step.

/** What the data says of states and ways, and which of them are shown. States are numbers. */
export class Unfolding {
  constructor(data) {
    this.data = data;
    this.next = data.states.map(() => []);
    this.before = data.states.map(() => []);
    for (const way of data.ways) {
      this.next[way[0]].push(way);
      this.before[way[1]].push(way);
    }
    this.stuck = new Set(data.stuck);
    this.ended = new Set(data.ended);
    this.failed = new Set(data.failed);
    this.begin(0);
  }

  /** Show one state only, from which all is unfolded. */
  begin(state) {
    this.root = state;
    this.shown = new Set([state]);
  }

  get count() {
    return this.data.states.length;
  }

  get isFull() {
    return this.shown.size >= this.data.most;
  }

  /** How many states a state leads to that are not shown. */
  hidden(state) {
    return new Set(this.next[state].map((way) => way[1]).filter((target) => !this.shown.has(target))).size;
  }

  add(state) {
    if (!this.isFull) this.shown.add(state);
    return this.shown.has(state);
  }

  /** Show what a state leads to. */
  unfold(state) {
    for (const way of this.next[state]) this.add(way[1]);
  }

  /** Hide what can be reached only through a state. */
  fold(state) {
    const kept = new Set([this.root]);
    const pending = [this.root];
    while (pending.length) {
      const at = pending.pop();
      if (at === state) continue;
      for (const [, target] of this.next[at]) {
        if (!this.shown.has(target) || kept.has(target)) continue;
        kept.add(target);
        pending.push(target);
      }
    }
    this.shown = kept.has(state) ? kept : kept.add(state);
  }

  /** Show one step more, from every state that is shown. */
  further() {
    for (const state of [...this.shown]) this.unfold(state);
  }

  /** Show the states nearest to the first one, up to some number. */
  upTo(most) {
    const pending = [this.root];
    const seen = new Set(pending);
    for (let at = 0; at < pending.length && seen.size < most; at++) {
      for (const [, target] of this.next[pending[at]]) {
        if (seen.has(target) || seen.size >= most) continue;
        seen.add(target);
        pending.push(target);
      }
    }
    for (const state of seen) this.add(state);
  }

  /** The states on a shortest way from the first one to one for which `holds` is true; undefined if there is none. */
  wayTo(holds) {
    const from = new Map([[this.root, null]]);
    for (const state of from.keys()) {
      if (state !== this.root && holds(state)) {
        const way = [];
        for (let at = state; at !== null; at = from.get(at)) way.unshift(at);
        return way;
      }
      for (const [, target] of this.next[state]) if (!from.has(target)) from.set(target, state);
    }
    return undefined;
  }

  /** How far each shown state is from the first one, along states that are shown; and whence it is first come to. */
  depths() {
    const found = new Map([[this.root, { depth: 0, parent: null, way: null }]]);
    for (const [state, { depth }] of found) {
      for (const way of this.next[state]) {
        if (this.shown.has(way[1]) && !found.has(way[1])) found.set(way[1], { depth: depth + 1, parent: state, way });
      }
    }
    for (const state of this.shown) if (!found.has(state)) found.set(state, { depth: 0, parent: null, way: null });
    return found;
  }

  /** What a state says: names with values. */
  facts(state) {
    return this.data.states[state].map((fact) => this.data.facts[fact]);
  }

  /** What is said in a state and not in the one before, and who is gone. */
  changes(before, state) {
    const [old, now] = [this.data.states[before], this.data.states[state]];
    const changed = now.filter((fact) => !old.includes(fact)).map((fact) => this.data.facts[fact]);
    const names = new Set(now.map((fact) => this.data.facts[fact][0]));
    const lost = old.filter((fact) => !now.includes(fact)).map((fact) => this.data.facts[fact]);
    const gone = lost.filter(([name, , isPlace]) => isPlace && !names.has(name));
    return [...changed.map(said), ...gone.map(([name]) => `${name} is gone`)];
  }

  /** A condition on states, given as text: facts and marks joined by "&&". Returns undefined if it has no meaning. */
  condition(text) {
    const parts = text.split("&&").map((part) => this.part(part.trim()));
    return parts.every(Boolean) ? (state) => parts.every((part) => part(state)) : undefined;
  }

  part(text) {
    const mark = this.data.marks.find((each) => each.text === text);
    if (mark) return has(new Set(mark.states));
    if (text in ENDS) return has(this[ENDS[text]]);
    if (text === WRONG) return (state) => this.failed.has(state) || this.before[state].some((way) => way[3]);
    const plain = text.replace(/\s*==?\s*/, " = ");
    const fact = this.data.facts.findIndex((each) => said(each) === plain);
    return fact < 0 ? undefined : (state) => this.data.states[state].includes(fact);
  }

  /** Everything that a condition may be. */
  *conditions() {
    for (const { text } of this.data.marks) yield text;
    yield WRONG;
    yield* Object.keys(ENDS);
    for (const fact of this.data.facts) if (fact[0]) yield said(fact);
  }
}

const WRONG = "something goes wrong";
const ENDS = { "a deadlock": "stuck", "the end of a run": "ended" };

function has(states) {
  return (state) => states.has(state);
}

/** A fact in words. */
export function said([name, value, isPlace]) {
  return name === "" ? value : isPlace ? `${name} ${value}` : `${name} = ${value}`;
}
