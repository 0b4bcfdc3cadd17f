// The text of the model, with the line of each process marked.

import { byId, colour, element, inWindow } from "dom";

const KEYWORDS =
  "active assert atomic bit bool break byte chan d_step D_proctype do else empty enabled eval false fi for full goto " +
  "hidden if in init inline int len local ltl mtype nempty never nfull notrace np_ od of pc_value pid printf " +
  "priority proctype provided return run select short show skip timeout trace true typedef unless unsigned xr xs";
const WORDS = new RegExp(
  [
    String.raw`(/\*[\s\S]*?\*/|//[^\n]*)`,
    String.raw`("(?:[^"\\\n]|\\.)*")`,
    String.raw`(^[ \t]*#[^\n]*)`,
    String.raw`\b(${KEYWORDS.replaceAll(" ", "|")})\b`,
    String.raw`\b(\d+)\b`,
  ].join("|"),
  "gm",
);
const KINDS = ["comment", "string", "directive", "keyword", "literal"];

const COLOURS = Array.from({ length: 8 }, (_, number) => colour(number));

const ROOM = 12;

/** The name of a process: of a long one the beginning, and its number. */
function shortened({ name, number }) {
  const end = `…(${number})`;
  return name.length > ROOM ? name.slice(0, ROOM - end.length) + end : name;
}

/** The files of the model, one of them in view. */
export class Source {
  constructor(files) {
    this.files = files;
    this.body = byId("source-body");
    this.tabs = files.map((file, number) =>
      element("button", { type: "button", class: "tab", click: () => this.open(number) }, file.name.split("/").at(-1)),
    );
    this.text = element("div", { class: "text", tabindex: "0", role: "region", "aria-label": "Text of the model" });
    const bar = files.length > 1 ? [element("div", { class: "tabs" }, ...this.tabs)] : [];
    this.body.replaceChildren(...bar, this.text);
    this.open(0);
  }

  open(number) {
    if (this.shown === number) return;
    this.shown = number;
    this.tabs.forEach((tab, index) => tab.setAttribute("aria-pressed", index === number));
    this.lines = highlighted(this.files[number].text).map((parts, index) => {
      const marks = element("span", { class: "marks" });
      const number = element("span", { class: "at" }, String(index + 1));
      const line = element("div", { class: "line" }, marks, number, code(parts));
      return { line, marks };
    });
    this.text.replaceChildren(...this.lines.map((each) => each.line));
    this.marked = [];
    this.underline(this.unreached ?? []);
    if (this.last) this.place(...this.last);
  }

  /** Underline the statements that no run comes to. */
  underline(spots) {
    this.unreached = spots;
    for (const { line } of this.lines) line.classList.remove("unreached");
    for (const [file, number] of spots) {
      if (file === this.shown) this.lines[number - 1]?.line.classList.add("unreached");
    }
  }

  /** Mark where each process is, and the statement of the last step. */
  mark(run, position) {
    const step = position > 0 ? run.step(position) : null;
    const places = run.state(position).processes.map(([graph, node], number) => {
      const { name, nodes } = run.system.graphs[graph];
      return { name: `${name}(${number})`, number, spot: nodes.find((each) => each.number === node)?.spot };
    });
    this.last = [step, places];
    const wanted = step?.spot ?? places.find((place) => place.spot)?.spot;
    if (wanted && wanted[0] !== this.shown) this.open(wanted[0]);
    else this.place(step, places);
    if (wanted) this.scroll(wanted[1]);
  }

  unmark() {
    this.last = [null, []];
    this.place(...this.last);
  }

  /** Put the marks on the file in view, whichever the user has opened. */
  place(step, places) {
    for (const { line, marks } of this.marked) {
      marks.replaceChildren();
      line.classList.remove("taken", ...COLOURS);
    }
    this.marked = [];
    const here = Map.groupBy(places.filter((place) => place.spot?.[0] === this.shown), (place) => place.spot[1]);
    for (const [number, together] of here) this.put(number, together);
    if (step && step.spot[0] === this.shown) this.taken(step.spot, step.lane);
    if (step?.reply && step.reply.spot[0] === this.shown) this.taken(step.reply.spot, step.partner);
  }

  /** Mark a line with the processes that are there: one by its name, several by their numbers. */
  put(number, together) {
    const at = this.lines[number - 1];
    if (!at) return;
    const marks = together.map((place) =>
      element(
        "span",
        { class: `mark ${colour(place.number)}`, title: `${place.name} is here`, "data-number": place.number },
        together.length > 1 ? String(place.number) : shortened(place),
      ),
    );
    at.marks.append(...marks);
    this.marked.push(at);
  }

  taken(spot, lane) {
    const at = this.lines[spot[1] - 1];
    if (!at) return;
    at.line.classList.remove(...COLOURS);
    at.line.classList.add("taken", colour(lane.number));
    this.marked.push(at);
  }

  scroll(number) {
    const line = this.lines[number - 1]?.line;
    if (!line) return;
    const top = line.offsetTop;
    const { scrollTop, clientHeight } = this.text;
    // the lower part may be out of the window: the last line, too, comes into the upper
    const seen = inWindow(this.text);
    this.text.style.paddingBottom = `${clientHeight - seen}px`;
    if (top < scrollTop + 40 || top > scrollTop + seen / 2) this.text.scrollTop = top - seen / 3;
  }
}

function code(parts) {
  return element("code", {}, ...parts.map(([kind, text]) => (kind ? element("span", { class: kind }, text) : text)));
}

/** The lines of a text, each as pieces with the kind of word they are. */
function highlighted(text) {
  const lines = [[]];
  const put = (kind, piece) =>
    piece.split("\n").forEach((part, index) => {
      if (index) lines.push([]);
      if (part) lines.at(-1).push([kind, part]);
    });
  let end = 0;
  for (const match of text.matchAll(WORDS)) {
    put("", text.slice(end, match.index));
    put(KINDS[match.slice(1).findIndex((group) => group !== undefined)], match[0]);
    end = match.index + match[0].length;
  }
  put("", text.slice(end));
  return lines;
}
