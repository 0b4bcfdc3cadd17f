// The page of states: what is shown of them, the one that is chosen, and what it says.

import { Canvas } from "canvas";
import { byId, counted, element, say } from "dom";
import { arranged } from "layers";
import { Unfolding } from "unfolding";

const BEGINNINGS = [60, 30, 15, 8, 1]; // states that are shown first: as many as can be read
const READABLE = 0.6;

class States {
  constructor(data) {
    this.data = data;
    this.graph = new Unfolding(data);
    this.canvas = new Canvas(byId("drawing"), this.graph, (state) => this.choose(state), (state) => this.unfold(state));
    for (const text of this.graph.conditions()) byId("conditions").append(element("option", { value: text }));
    for (const [number, route] of data.routes.entries()) {
      byId("route").append(element("option", { value: number }, `${route.property}: ${route.reason}`));
    }
    byId("route").append(element("option", { value: -1 }, "none"));
    byId("routes").hidden = !data.routes.length;
    this.listen();
    this.start();
  }

  /** As many states as can be read, and the counterexample. */
  start() {
    if (this.data.routes.length) return this.showRoute(0);
    for (const most of BEGINNINGS) {
      this.graph.begin(0);
      this.graph.upTo(most);
      this.arrange();
      this.canvas.fit();
      if (this.canvas.scale >= READABLE) break;
    }
    return this.choose(0);
  }

  // What is shown

  arrange() {
    this.canvas.show(arranged(this.graph));
    const { count, shown, isFull } = this.graph;
    const more = this.data.is_whole ? "" : ", the first ones; there are more";
    byId("count").textContent = `${shown.size.toLocaleString("en")} of ${counted(count, "state")} shown${more}`;
    const { most } = this.data;
    this.button("all").textContent = count <= most ? "Everything" : `The first ${most.toLocaleString("en")}`;
    this.button("further").disabled = isFull || ![...shown].some((state) => this.graph.hidden(state));
    this.button("all").disabled = isFull || shown.size === count;
  }

  button(name) {
    return document.querySelector(`[data-do="${name}"]`);
  }

  unfold(state) {
    this.graph.unfold(state);
    this.arrange();
    this.choose(state);
  }

  from(state) {
    this.graph.begin(state);
    this.graph.unfold(state);
    this.arrange();
    this.canvas.fit();
    this.choose(state);
  }

  /** Show a counterexample from the initial state on, and mark it. */
  showRoute(number) {
    byId("route").value = number;
    const route = this.data.routes[number];
    this.mark(route);
    if (!route) return;
    this.graph.begin(0);
    for (const state of route.states) this.graph.add(state);
    for (const state of new Set(route.states)) this.graph.unfold(state);
    this.arrange();
    this.lead(route.states);
    const cycle = route.cycle >= 0 ? " What follows comes again and again." : "";
    const end = route.is_whole ? "" : " It leads on to states that were not looked at.";
    this.tell(`${route.property}: ${route.reason}.${end}${cycle && end ? "" : cycle}`);
  }

  mark(route) {
    const states = route?.states ?? [];
    const back = route?.is_whole && route.cycle >= 0 ? [states[route.cycle]] : [];
    const way = [...states, ...back.filter((state) => state !== states.at(-1))];
    this.canvas.mark(way);
  }

  /** Show a way, whole if it can be read then, and else its end. */
  lead(states) {
    this.canvas.fit();
    if (this.canvas.scale < READABLE) this.canvas.fit(states);
    if (this.canvas.scale < READABLE) {
      this.canvas.scale = READABLE;
      this.canvas.centre(states.at(-1));
    }
    this.choose(states.at(-1));
  }

  search(text) {
    const holds = this.graph.condition(text);
    if (!holds) return this.tell(`"${text}" is said of no state; the list has what is.`, true);
    const way = this.graph.wayTo(holds);
    this.canvas.found = holds;
    this.canvas.far = undefined;
    if (!way) {
      const here = holds(this.graph.root) ? ", but it does so itself" : "";
      const seen = this.data.is_whole ? "" : ", of those that were looked at";
      return this.tell(`No state that the blue one leads to says so${seen}${here}.`, true);
    }
    for (const state of way) this.graph.add(state);
    this.arrange();
    this.lead(way);
    return this.tell(`${counted(way.length - 1, "step")} away.`);
  }

  // The state that is chosen

  choose(state) {
    this.chosen = this.canvas.chosen = state;
    this.canvas.reveal(state);
    const { graph } = this;
    const parent = this.canvas.boxes.get(state)?.parent ?? null;
    const kind = graph.stuck.has(state) ? ": a deadlock" : graph.ended.has(state) ? ": all may stop here" : "";
    byId("panel-title").textContent = (state ? `State ${state}` : "Initial state") + kind;
    const old = new Set(parent === null ? graph.data.states[state] : graph.data.states[parent]);
    const rows = graph.data.states[state].map((fact) => row(graph.data.facts[fact], !old.has(fact)));
    byId("facts").replaceChildren(...rows);
    byId("steps").replaceChildren(...graph.next[state].map((way) => this.step(way)));
    this.button("unfold").disabled = !graph.hidden(state);
    this.button("from").disabled = state === graph.root;
    this.tell("");
    say(`${byId("panel-title").textContent}. ${this.canvas.boxes.get(state)?.lines.join(", ")}.`);
  }

  step(way) {
    const [, target, text, problem] = way;
    const kind = `${problem ? "wrong" : ""}${this.graph.shown.has(target) ? "" : " new"}`;
    const changes = problem || this.graph.changes(way[0], target).join(", ");
    const click = () => {
      if (!this.graph.add(target)) return this.tell("No more can be shown at once: start over, or start here.", true);
      this.arrange();
      return this.choose(target);
    };
    const parts = [text, element("br"), element("small", {}, changes)];
    return element("li", {}, element("button", { type: "button", class: kind, click }, ...parts));
  }

  tell(words, isWrong = false) {
    byId("note").textContent = words;
    byId("note").className = isWrong ? "wrong" : "";
  }

  // Listening

  listen() {
    for (const button of document.querySelectorAll("[data-do]")) {
      button.addEventListener("click", () => this.act(button.dataset.do));
    }
    byId("search").addEventListener("submit", (event) => {
      event.preventDefault();
      this.search(byId("wanted").value.trim());
    });
    byId("route").addEventListener("change", (event) => this.showRoute(Number(event.target.value)));
    byId("drawing").addEventListener("keydown", (event) => this.key(event));
  }

  act(name) {
    const again = (change) => {
      change();
      this.arrange();
      this.canvas.fit();
      this.choose(this.graph.shown.has(this.chosen) ? this.chosen : this.graph.root);
      this.canvas.fit();
    };
    const actions = {
      over: () => again(() => this.graph.begin(0)),
      further: () => again(() => this.graph.further()),
      all: () => again(() => this.graph.upTo(this.data.most)),
      fold: () => again(() => this.graph.fold(this.chosen)),
      unfold: () => this.unfold(this.chosen),
      from: () => this.from(this.chosen),
      smaller: () => this.canvas.zoom(0.75),
      larger: () => this.canvas.zoom(4 / 3),
      fit: () => this.canvas.fit(),
      up: () => this.to(this.canvas.boxes.get(this.chosen).parent),
      down: () => this.to(this.graph.next[this.chosen].map((way) => way[1]).find((each) => this.below(each))),
      before: () => this.aside(-1),
      next: () => this.aside(1),
    };
    actions[name]();
  }

  to(state) {
    if (state !== null && state !== undefined) this.choose(state);
  }

  below(state) {
    const { boxes } = this.canvas;
    return boxes.has(state) && boxes.get(state).depth > boxes.get(this.chosen).depth;
  }

  /** To the state beside the chosen one. */
  aside(way) {
    const { boxes } = this.canvas;
    const own = boxes.get(this.chosen);
    const layer = [...boxes.values()].filter((box) => box.depth === own.depth).sort((a, b) => a.x - b.x);
    this.to(layer[layer.indexOf(own) + way]?.state);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
    this.act(KEYS[event.key]);
    event.preventDefault();
  }
}

const KEYS = {
  ArrowUp: "up", ArrowDown: "down", ArrowLeft: "before", ArrowRight: "next", Enter: "unfold", Backspace: "fold",
  "+": "larger", "=": "larger", "-": "smaller", 0: "fit",
};

function row([name, value, isPlace], isNew) {
  const cells = [element("th", { scope: "row" }, name), element("td", {}, isPlace ? `at ${value}` : value)];
  return element("tr", { class: isNew ? "changed" : null }, ...cells);
}

/** Show what the page carries. It can be looked at from the console, as `everafter`. */
export function show(page) {
  globalThis.everafter = new States(JSON.parse(page.getElementById("data").textContent));
}
