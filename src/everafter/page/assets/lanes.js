// The truth of every subformula, and the place of the claim, as lanes under the chart.

import { element, shape } from "dom";

export const LANE = 22;

/** The names of the lanes, beside them. */
export function laneLabels(run) {
  if (!run.data.truth.length) return [];
  return [
    element("div", { class: "divider" }, "truth of the formula"),
    ...run.data.truth.map((truth, number) =>
      element(
        "div",
        { class: "formula", style: `height:${LANE}px;padding-left:${12 + 10 * truth.depth}px`, title: truth.text },
        element("span", { class: "text" }, truth.text),
        element("span", { class: "value", "data-truth": number }, ""),
      ),
    ),
  ];
}

/** The lanes between two columns: a bar where a subformula is true, a line where it is not. */
export function drawLanes(chart, first, last) {
  const { run, columns } = chart;
  return run.data.truth.flatMap((truth, row) => {
    const y = chart.height + 14 + row * LANE;
    const drawn = [];
    let begin = first;
    for (let column = first; column <= last; column++) {
      const value = valueAt(run, truth, columns.last[column]);
      if (column === last || valueAt(run, truth, columns.last[column + 1]) !== value) {
        if (value !== undefined) drawn.push(stretch(chart, begin, column, y, value));
        begin = column + 1;
      }
    }
    return drawn;
  });
}

/** "1", "0", or undefined where the formula has not seen a state yet. */
export function valueAt(run, truth, position) {
  return truth.values[run.letter(position)];
}

function stretch(chart, begin, end, y, value) {
  const x = chart.x(begin) - chart.width / 2;
  const width = (end === chart.columns.count - 1 ? chart.end : chart.x(end) + chart.width / 2) - x;
  const middle = y + LANE / 2;
  if (value === "1") {
    const bar = { x: x + 0.5, y: middle - 6, width: Math.max(width - 1, 1), height: 12, rx: 3 };
    return shape("rect", { class: "true", ...bar });
  }
  return shape("line", { class: "false", x1: x, x2: x + width, y1: middle, y2: middle });
}
