// The page: one answer, one position along its run, and everything that shows them.

import { Chart } from "chart";
import { byId, counted, element, say } from "dom";
import { Explorer } from "explore";
import { Graphs } from "graphs";
import { valueAt } from "lanes";
import { Columns, Run } from "run";
import { Source } from "source";
import { showState } from "state";
import { showAnswers, showStuck } from "verdicts";

const THEMES = ["auto", "light", "dark"];

class Page {
  constructor(data) {
    this.data = data;
    this.folded = true;
    this.source = new Source(data.files);
    this.chart = new Chart((position) => this.go(position), (first) => this.toggleFold(first));
    this.graphs = new Graphs();
    this.explorer = data.live ? new Explorer(this, data.live) : null;
    this.listen();
    const wanted = data.answers.findIndex((answer) => answer.run);
    if (data.answers.length) this.choose(Math.max(wanted, 0));
  }

  // Answers

  /** Show an answer: its run where it goes wrong, unless another position is wanted. */
  choose(number, wanted = undefined) {
    this.chosen = number;
    const answer = this.data.answers[number];
    showAnswers(this.data.answers, number, (other) => this.choose(other));
    for (const part of [byId("run"), byId("state"), byId("graphs")]) part.hidden = !answer.run;
    this.source.underline(answer.unreached);
    this.run = answer.run ? new Run(answer.run, this.data.systems[answer.run.system]) : null;
    if (!this.run) {
      this.source.unmark();
      this.explorer?.moved();
      return;
    }
    this.opened = new Set();
    this.graphs.show(this.run, answer.claim);
    this.refold();
    const position = wanted ?? this.run.failure;
    showStuck(this.run, position === this.run.length);
    this.fit();
    this.go(position);
    if (position) this.graphs.openGraph(this.run.steps[position].lane.graph);
  }

  /** Let source, state and graphs end with the window, if there is room for them below the run. */
  fit() {
    const panes = document.querySelector(".panes");
    const room = innerHeight - panes.getBoundingClientRect().top - scrollY - 60;
    panes.style.setProperty("--tall", room > 250 ? `${room}px` : "62vh");
  }

  /** Put an answer in the place of another one, or behind the last, and show it from some position on. */
  put(number, answer, position) {
    this.data.answers[number] = answer;
    this.choose(number, position);
  }

  // Folds

  refold() {
    this.columns = new Columns(this.run, this.folded, this.opened);
    byId("fold").setAttribute("aria-pressed", this.folded);
    byId("fold").hidden = !this.run.data.folds.length;
    byId("slider").max = this.run.length;
    this.chart.show(this.run, this.columns);
  }

  toggleFold(first) {
    if (this.opened.has(first)) this.opened.delete(first);
    else this.opened.add(first);
    this.refold();
    this.go(first);
  }

  toggleFolds() {
    this.folded = !this.folded;
    this.opened.clear();
    this.refold();
    this.go(this.position);
  }

  // Positions

  go(wanted) {
    if (!this.run) return;
    const position = Math.max(0, Math.min(this.run.length, wanted));
    this.position = position;
    const column = this.columns.ofStep[position];
    const fold = this.columns.folds.get(column);
    const before = position === 0 ? null : (fold?.[0] ?? position) - 1;
    this.tell(position);
    this.chart.moveTo(position);
    this.source.mark(this.run, position);
    showState(this.run, position, before);
    this.graphs.mark(position);
    showStuck(this.run, position === this.run.length);
    for (const cell of document.querySelectorAll("[data-truth]")) {
      const value = valueAt(this.run, this.run.data.truth[cell.dataset.truth], position);
      cell.textContent = value === "1" ? "true" : value === "0" ? "false" : "";
      cell.classList.toggle("is-true", value === "1");
    }
    this.explorer?.moved();
  }

  /** One column on or back: an atomic sequence that is folded is one. */
  by(columns) {
    const column = this.columns.ofStep[this.position] + columns;
    this.go(this.columns.last[Math.max(0, Math.min(this.columns.count - 1, column))]);
  }

  /** To the next step of the process that moved last, or back to its last one. */
  sameProcess(way) {
    const lane = this.position ? this.run.steps[this.position].lane : this.run.steps[1]?.lane;
    for (let step = this.position + way; step > 0 && step <= this.run.length; step += way) {
      if (this.run.steps[step].lane === lane) return this.go(step);
    }
    return undefined;
  }

  tell(position) {
    const { run } = this;
    const slider = byId("slider");
    slider.value = position;
    byId("position").textContent = `${position.toLocaleString("en")} / ${run.length.toLocaleString("en")}`;
    const words = position ? sentence(run.step(position)) : "The initial state.";
    const round = position - run.turn;
    const cycle = run.data.cycle && round > 0 ? ` In the cycle, step ${round} of ${run.data.cycle}.` : "";
    const { problem } = run.data;
    const end = position === run.length && problem && problem !== run.step(position).problem ? ` ${problem}.` : "";
    const shown = end && run.data.waits.length ? " Nobody can move." : end; // why stands in the verdict
    const stop = position === run.length && run.data.stops ? " Here everything stops, for ever." : "";
    slider.setAttribute("aria-valuetext", `${position} of ${counted(run.length, "step")}`);
    byId("step").textContent = words + cycle + shown + stop;
    const isWrong = position && (run.step(position).problem || (position === run.length && problem));
    byId("step").className = isWrong ? "wrong" : "";
    say(`Step ${position}. ${words}${cycle}${end}${stop}`);
  }

  // Listening

  listen() {
    byId("slider").addEventListener("input", (event) => this.go(Number(event.target.value)));
    byId("fold").addEventListener("click", () => this.toggleFolds());
    byId("theme").addEventListener("click", () => this.nextTheme());
    byId("help-button").addEventListener("click", () => byId("help").showModal());
    for (const button of document.querySelectorAll("[data-go]")) {
      button.addEventListener("click", () => this.act(button.dataset.go));
    }
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("resize", () => this.fit());
    this.theme(remembered());
  }

  act(name) {
    const actions = {
      first: () => this.go(0),
      back: () => this.by(-1),
      on: () => this.by(1),
      last: () => this.go(this.run.length),
      smaller: () => this.chart.zoomBy(-1),
      larger: () => this.chart.zoomBy(1),
      farBack: () => this.by(-10),
      farOn: () => this.by(10),
      previousOwn: () => this.sameProcess(-1),
      nextOwn: () => this.sameProcess(1),
      cycle: () => this.run.data.cycle && this.go(this.run.turn + 1),
      fold: () => this.toggleFolds(),
    };
    if (this.run) actions[name]();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches(WRITING)) return;
    if (byId("help").open) return;
    if (event.key in KEYS) this.act(KEYS[event.key]);
    else if (event.key === "t") this.nextTheme();
    else if (event.key === "?") byId("help").showModal();
    else if (!this.explorer?.key(event.key)) return;
    event.preventDefault();
  }

  nextTheme() {
    const now = document.documentElement.dataset.theme;
    this.theme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
  }

  theme(name) {
    document.documentElement.dataset.theme = name;
    const [sign, word] = { auto: ["◐", "Auto"], light: ["☀", "Light"], dark: ["☾", "Dark"] }[name];
    byId("theme").replaceChildren(sign, element("span", { class: "wide" }, ` ${word}`));
    byId("theme").setAttribute("aria-label", `Theme: ${name}`);
    try {
      localStorage.setItem("everafter-theme", name);
    } catch {
      // A file may have no storage; then the choice lasts as long as the page.
    }
  }
}

const WRITING = "input:not([type=range]), select, textarea";
const KEYS = {
  ArrowLeft: "back",
  ArrowRight: "on",
  Home: "first",
  End: "last",
  PageUp: "farBack",
  PageDown: "farOn",
  "[": "previousOwn",
  "]": "nextOwn",
  c: "cycle",
  f: "fold",
  "+": "larger",
  "=": "larger",
  "-": "smaller",
};

function sentence({ lane, text, spot, partner, reply, output, problem }) {
  const met = partner ? ` ${partner.name} answers with ${reply.text}, line ${reply.spot[1]}.` : "";
  const printed = output ? ` It prints “${output.trim()}”.` : "";
  const isSaid = Boolean(problem) && problem.startsWith(text); // such as "assert(x) failed"
  const wrong = problem && !isSaid ? ` ${problem}.` : "";
  return `${lane.name}, line ${spot[1]}: ${isSaid ? problem : text}.${met}${printed}${wrong}`;
}

function remembered() {
  try {
    const name = localStorage.getItem("everafter-theme");
    return THEMES.includes(name) ? name : "auto";
  } catch {
    return "auto";
  }
}

/** Show what the page carries. What it shows can be looked at from the console, as `everafter`. */
export function show(page) {
  const data = JSON.parse(page.getElementById("data").textContent);
  globalThis.everafter = new Page(data);
}
