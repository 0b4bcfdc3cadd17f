// Where the texts of the chart stand: none lies on another or beyond the end of the run, none is cut without need.

export const LETTER = 6.7; // the width of a letter of a statement
const APART = 8; // between two texts in a lane
const REACH = 200; // how far before its dot a last text may begin, if there is no other dot

/** The width of a text. */
export function widthOf(text) {
  return text.length * LETTER;
}

/** As much of a text as there is room for; nothing, if that would not be legible. */
export function fitted(text, room) {
  const most = Math.floor((room + 0.01) / LETTER);
  return text.length <= most ? text : most < 2 ? "" : `${text.slice(0, most - 1)}…`;
}

/** How far left the last text of a lane may begin: half way to the dot before it, not before the `origin` of all. */
function leftmost(texts, origin) {
  const [before, last] = [texts.at(-2), texts.at(-1)];
  return Math.min(last.begin, before ? (before.x + last.begin) / 2 : Math.max(origin, last.begin - REACH));
}

/**
 * The texts of one lane, from left to right: each has the `x` of its dot, `begin`, where it would stand best, and its
 * `text`. Returns for each where it begins and what of it is shown. The last one ends before `end`, all lie behind
 * `origin`.
 */
export function placed(texts, end, origin = 4) {
  let limit = end - APART;
  const found = [];
  for (let number = texts.length - 1; number >= 0; number--) {
    const { begin, text } = texts[number];
    const most = number === texts.length - 1 ? leftmost(texts, origin) : begin;
    const at = Math.max(most, Math.min(begin, limit - widthOf(text)));
    found.unshift({ at, shown: fitted(text, limit - at) });
    limit = at - APART;
  }
  return found;
}

/** How far behind its last dot a run must end for the last two texts of a lane not to be cut. */
export function needed(texts, lastX) {
  if (!texts.length) return 0;
  const [before, last] = [texts.at(-2), texts.at(-1)];
  const free = before ? before.begin + widthOf(before.text) + APART : 0;
  return Math.min(last.begin, Math.max(free, leftmost(texts, 4))) + widthOf(last.text) + APART - lastX;
}

/** What is taken of a drawing, as rectangles: left, top, right, bottom. */
export class Ground {
  constructor() {
    this.boxes = [];
  }

  take(left, top, right, bottom) {
    this.boxes.push([left, top, right, bottom]);
  }

  isFree(left, top, right, bottom) {
    return !this.boxes.some(([l, t, r, b]) => left < r && l < right && top < b && t < bottom);
  }

  /** The first of some places, given by left and baseline, where a text lies on nothing; it is taken then. */
  place(text, places, right) {
    const width = widthOf(text);
    const free = places.find(([x, y]) => x + width <= right && this.isFree(x, y - 10, x + width, y + 3));
    if (free) this.take(free[0], free[1] - 10, free[0] + width, free[1] + 3);
    return free;
  }
}
