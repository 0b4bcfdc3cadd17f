// The control-flow graph of each proctype, and the automaton of the claim, with the places where they are.

import { byId, colour, counted, element, inWindow } from "dom";

/** The graphs of one answer, one of them in view. */
export class Graphs {
  constructor() {
    this.body = byId("graphs-body");
    this.tabs = element("div", { class: "tabs", role: "tablist", "aria-label": "Graphs" });
    this.view = element("div", { class: "view", role: "tabpanel", id: "graph", tabindex: "0" });
    this.body.replaceChildren(this.tabs, this.view);
    this.tabs.addEventListener("keydown", (event) => this.key(event));
  }

  show(run, claim) {
    this.run = run;
    const system = run.system;
    const used = new Set(run.lanes.map((lane) => lane.graph));
    this.graphs = [...used].map((number) => ({ graph: system.graphs[number], number }));
    if (claim) this.graphs.unshift({ graph: claim, number: null });
    const names = this.graphs.map(({ graph, number }) => (number === null ? `claim: ${graph.name}` : graph.name));
    this.buttons = names.map((name, index) => {
      const click = () => this.open(index);
      return element("button", { type: "button", role: "tab", class: "tab", "aria-controls": "graph", click }, name);
    });
    this.tabs.replaceChildren(...this.buttons);
    this.shown = undefined;
    this.open(0);
  }

  /** Show the control flow of a proctype, given its number. */
  openGraph(number) {
    this.open(this.graphs.findIndex((each) => each.number === number));
  }

  key(event) {
    const moves = { ArrowLeft: -1, ArrowRight: 1 };
    if (!(event.key in moves)) return;
    const next = (this.shown + moves[event.key] + this.graphs.length) % this.graphs.length;
    this.open(next);
    this.buttons[next].focus();
    event.stopPropagation();
    event.preventDefault();
  }

  open(index) {
    this.buttons.forEach((button, number) => {
      button.setAttribute("aria-selected", number === index);
      button.tabIndex = number === index ? 0 : -1;
    });
    if (this.shown === index) return;
    this.shown = index;
    const { graph, number } = this.graphs[index];
    if (graph.picture) this.view.innerHTML = graph.picture; // drawn by everafter, every text in it escaped
    else this.view.replaceChildren(listed(graph));
    const title = `${number === null ? "Automaton of the claim" : "Control flow of"} ${graph.name}`;
    this.view.setAttribute("aria-label", title);
    this.view.querySelector("svg")?.setAttribute("aria-label", title);
    if (this.position !== undefined) this.mark(this.position);
  }

  /** Mark where the processes, or the claim, are. */
  mark(position) {
    this.position = position;
    for (const marked of this.view.querySelectorAll(".here")) marked.classList.remove("here", ...COLOURS);
    for (const marked of this.view.querySelectorAll(".taken")) marked.classList.remove("taken");
    const { number } = this.graphs[this.shown];
    let wanted = null;
    if (number === null) {
      const letter = this.run.letter(position);
      const [before, at] = [this.run.data.claim[letter - 1], this.run.data.claim[letter]];
      this.put(at, "claim");
      this.went(before, at);
    } else {
      const { processes } = this.run.state(position);
      processes.forEach(([graph, node], process) => {
        if (graph === number) this.put(node, colour(process));
      });
      if (position > 0) {
        const { lane, edge, partner, reply } = this.run.step(position);
        if (partner && partner.graph === number) this.went(reply.source, reply.target);
        if (lane.graph === number) {
          this.went(edge.source, edge.target);
          wanted = processes[lane.number]?.[1];
        }
      }
    }
    this.follow(this.node(wanted) ?? this.view.querySelector(".here"));
  }

  node(key) {
    return this.view.querySelector(`.node[data-key="${key}"]`);
  }

  put(key, paint) {
    this.node(key)?.classList.add("here", paint);
  }

  went(source, target) {
    this.view.querySelector(`.edge[data-source="${source}"][data-target="${target}"]`)?.classList.add("taken");
  }

  /** Scroll to a place that is marked, if it is not in view. */
  follow(marked) {
    if (!marked) return;
    const [inner, outer] = [marked.getBoundingClientRect(), this.view.getBoundingClientRect()];
    const seen = inWindow(this.view);
    const [down, aside] = [inner.top - outer.top - seen / 3, inner.left - outer.left - outer.width / 2];
    this.view.style.paddingBottom = `${outer.height - Math.min(seen, outer.height)}px`;
    const lowest = outer.top + Math.max(seen / 2, inner.height);
    if (inner.top < outer.top || inner.bottom > lowest) this.view.scrollTop += down;
    if (inner.left < outer.left || inner.right > outer.right) this.view.scrollLeft += aside;
  }
}

const MOST_LISTED = 3000;

/** A graph that is too large for a picture: a list of its places and their ways on, unless that is too long. */
function listed(graph) {
  const size = graph.nodes.length + graph.edges.length;
  if (size > MOST_LISTED) return element("p", {}, `${counted(graph.nodes.length, "place")}: too many to show.`);
  const ways = Map.groupBy(graph.edges, (edge) => edge.source);
  const way = ({ source, target, text }) =>
    element("li", { class: "edge", "data-source": source, "data-target": target }, text);
  const items = graph.nodes.map((node) =>
    element(
      "li",
      { class: "node", "data-key": node.number },
      element("span", { class: "place" }, [node.text, ...node.labels].join(" ")),
      element("ul", {}, ...(ways.get(node.number) ?? []).map(way)),
    ),
  );
  return element("ul", { class: "listed" }, ...items);
}

const COLOURS = ["claim", ...Array.from({ length: 8 }, (_, number) => colour(number))];
