// The verdicts, one of which is looked at; and where each process is stuck at the end of its run.

import { byId, element } from "dom";

const SIGNS = { holds: "✓", violated: "✗", incomplete: "?", run: "▸" };

/** The list of answers. `choose` is told which one is picked. */
export function showAnswers(answers, chosen, choose) {
  const items = answers.map((answer, number) =>
    element(
      "li",
      {},
      element(
        "button",
        {
          type: "button",
          class: `answer ${answer.verdict}`,
          "aria-pressed": String(number === chosen),
          click: () => choose(number),
        },
        element("span", { class: "verdict" }, `${SIGNS[answer.verdict]} ${answer.verdict}`),
        element("span", { class: "property" }, answer.property),
        element("span", { class: "reason" }, answer.reason),
      ),
    ),
  );
  byId("answers").replaceChildren(...items);
  show(items[chosen]);
  byId("summary").textContent = summary(answers);
  showDetails(answers[chosen]);
}

function summary(answers) {
  const verdicts = Map.groupBy(answers, (answer) => answer.verdict);
  return ["violated", "incomplete", "holds"]
    .filter((verdict) => verdicts.has(verdict))
    .map((verdict) => [verdicts.get(verdict).length, verdict])
    .map(([count, verdict]) => `${count} ${count > 1 && verdict === "holds" ? "hold" : verdict}`)
    .join(", ");
}

/** Scroll the list to a verdict that is not in view, and nothing else. */
function show(item) {
  const list = byId("answers");
  const [right, bottom] = item ? [item.offsetLeft + item.offsetWidth, item.offsetTop + item.offsetHeight] : [0, 0];
  if (right > list.scrollLeft + list.clientWidth) list.scrollLeft = item.offsetLeft;
  if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = item.offsetTop;
}

/** A note whose options, such as `--fair strong`, are never broken. */
function withOptions(note) {
  const parts = note.split(/(--[a-z][a-z-]*(?: [a-z]+)?)/);
  return parts.map((part, number) => (number % 2 ? element("span", { class: "option-name" }, part) : part));
}

function showDetails(answer) {
  const figures = (answer?.figures ?? []).map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value)),
  );
  const formula = answer?.formula ? [element("p", { class: "formula" }, element("code", {}, answer.formula))] : [];
  const notes = (answer?.notes ?? []).map((note) => element("li", {}, ...withOptions(note)));
  const told = notes.length ? [element("ul", { class: "notes" }, ...notes)] : [];
  byId("details").replaceChildren(...formula, ...told);
  byId("details").hidden = !formula.length && !told.length;
  byId("figures").replaceChildren(...figures);
  byId("search").hidden = !figures.length;
}

/** Where each process waits, if the run ends because nobody can move. */
export function showStuck(run, isLast) {
  const box = byId("stuck");
  box.hidden = !run || !run.data.waits.length;
  if (box.hidden) return;
  const rows = run.data.waits.map((wait) =>
    element(
      "tr",
      { class: wait.ending ? "may" : "must" },
      element("th", { scope: "row" }, wait.process),
      element("td", {}, ...wait.obstacles.map(statement)),
      element("td", {}, ...wait.obstacles.map((each) => element("div", {}, each.reason)), advice(wait)),
      element("td", {}, wait.ending ? "may stop here" : "must not stop here"),
    ),
  );
  const titles = ["process", "waits at", "because", ""].map((text) => element("th", { scope: "col" }, text));
  const head = element("tr", {}, ...titles);
  box.open = isLast;
  box.replaceChildren(
    element("summary", {}, "Nobody can move at the end of this run"),
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)),
  );
}

function statement({ spot, text }) {
  return element("div", {}, element("small", {}, `line ${spot[1]}`), element("code", {}, text));
}

function advice(wait) {
  return wait.advice ? element("p", { class: "advice" }, wait.advice) : null;
}
