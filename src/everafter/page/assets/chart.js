// The message sequence chart: time goes to the right, a lane for each process. Only what is in view is drawn.

import { byId, clipped, colour, counted, element, shape } from "dom";
import { drawLanes, laneLabels, LANE } from "lanes";

const TOP = 46; // room for the bracket of the cycle, and for numbers
const ROW = 52;
const LETTER = 6.7; // the width of a letter of a statement
const LEGIBLE = 40; // narrower columns have no statements
const ZOOMS = [8, 14, 24, 40, 64, 96, 140, 200];
const [USUAL, WIDEST] = [4, 6]; // of these, for long runs and for short ones

/** Draws a run, and tells `choose` which position is clicked, `toggle` which fold. */
export class Chart {
  constructor(choose, toggle) {
    this.choose = choose;
    this.toggle = toggle;
    this.host = byId("chart");
    this.labels = element("div", { class: "labels" });
    this.picture = shape("svg", { class: "drawing", "aria-hidden": "true" });
    this.plane = element("div", { class: "plane" }, this.labels, this.picture);
    this.host.replaceChildren(this.plane);
    this.host.addEventListener("scroll", () => this.later());
    this.picture.addEventListener("click", (event) => this.clicked(event));
    new ResizeObserver(() => this.later()).observe(this.host);
  }

  get width() {
    return ZOOMS[this.zoom];
  }

  /** Show a run; a new one as large as there is room for. */
  show(run, columns) {
    if (run !== this.run) this.zoom = this.fitting(columns);
    this.run = run;
    this.columns = columns;
    this.position = Math.min(this.position ?? 0, run.length);
    this.height = TOP + run.lanes.length * ROW;
    const whole = this.height + (run.data.truth.length ? run.data.truth.length * LANE + 14 : 0);
    this.plane.style.height = `${whole}px`;
    this.picture.setAttribute("height", whole);
    this.label();
    this.later();
  }

  fitting(columns) {
    const room = this.host.clientWidth - this.labels.offsetWidth;
    const fits = (zoom) => ZOOMS[zoom] * (columns.count + 2) <= room;
    return [WIDEST, WIDEST - 1].find(fits) ?? USUAL;
  }

  label() {
    const names = this.run.lanes.map((lane) =>
      element(
        "div",
        { class: `name ${colour(lane.number)}`, style: `height:${ROW}px` },
        element("span", {}, lane.name),
      ),
    );
    this.labels.replaceChildren(element("div", { style: `height:${TOP}px` }), ...names, ...laneLabels(this.run));
    this.host.setAttribute(
      "aria-label",
      `Message sequence chart: ${counted(this.run.lanes.length, "process").replace("processs", "processes")}, ` +
        `${counted(this.run.length, "step")}. The arrow keys move along it.`,
    );
  }

  zoomBy(amount) {
    this.zoom = Math.max(0, Math.min(ZOOMS.length - 1, this.zoom + amount));
    this.moveTo(this.position, true);
  }

  /** Show a position: scroll only as far as needed. */
  moveTo(position, centre = false) {
    this.position = position;
    this.resize();
    const at = this.columns.ofStep[position] * this.width;
    const room = this.host.clientWidth - this.labels.offsetWidth;
    const left = this.host.scrollLeft;
    if (centre || at < left + this.width || at + 2 * this.width > left + room) this.host.scrollLeft = at - room / 3;
    this.later();
  }

  resize() {
    // Room for the text of the last step, and for the sign that a run ends or goes back.
    this.plane.style.width = `${this.labels.offsetWidth + this.columns.count * this.width + 240}px`;
  }

  later() {
    this.asked ??= requestAnimationFrame(() => {
      this.asked = undefined;
      if (this.run) this.draw();
    });
  }

  clicked(event) {
    const fold = event.target.closest("[data-fold]");
    const x = event.clientX - this.picture.getBoundingClientRect().left + this.host.scrollLeft;
    const column = Math.max(0, Math.min(this.columns.count - 1, Math.floor(x / this.width)));
    this.choose(this.columns.last[column]);
    if (fold) this.toggle(Number(fold.dataset.fold));
  }

  // Drawing

  x(column) {
    return (column + 0.5) * this.width - this.offset;
  }

  y(lane) {
    return TOP + (lane.row + 0.6) * ROW;
  }

  draw() {
    this.resize();
    const room = this.host.clientWidth - this.labels.offsetWidth;
    this.picture.setAttribute("width", Math.max(room, 0));
    this.offset = this.host.scrollLeft;
    const first = Math.max(0, Math.floor(this.offset / this.width) - 1);
    const last = Math.min(this.columns.count - 1, Math.ceil((this.offset + room) / this.width) + 1);
    this.picture.replaceChildren(
      ...this.background(first, last, room),
      ...this.lifelines(first, last, room),
      ...this.messages(first, last),
      ...this.events(first, last),
      ...this.ending(last),
      ...drawLanes(this, first, last),
    );
  }

  background(first, last, room) {
    const { run, columns } = this;
    const now = columns.ofStep[this.position];
    const tall = Number(this.picture.getAttribute("height"));
    const drawn = [
      shape("rect", { class: "now", x: this.x(now) - this.width / 2, y: 0, width: this.width, height: tall }),
    ];
    if (run.data.cycle) {
      const begin = this.x(columns.ofStep[run.turn + 1]) - this.width / 2;
      const end = this.x(columns.count - 1) + this.width / 2;
      drawn.push(shape("rect", { class: "around", x: begin, y: 14, width: end - begin, height: tall - 14 }));
      drawn.push(shape("path", { class: "bracket", d: `M${begin + 2} 26V16H${end - 2}V26` }));
      const middle = Math.max(begin, 0) + 8;
      const words = `↻ these ${counted(run.data.cycle, "step")} for ever`;
      if (begin < room && end > 0) drawn.push(shape("text", { class: "again", x: middle, y: 12 }, words));
    }
    const apart = Math.max(1, Math.ceil(34 / this.width));
    for (let column = first; column <= last; column++) {
      const number = columns.last[column];
      const place = { class: "number", x: this.x(column), y: 38 };
      if (column % apart === 0) drawn.push(shape("text", place, String(number)));
    }
    return drawn;
  }

  lifelines(first, last, room) {
    const begin = this.columns.first[first];
    const end = this.columns.last[last];
    const drawn = [];
    for (const lane of this.run.lanes) {
      for (const [from, to] of lane.lives) {
        if (from > end || to < begin) continue;
        const start = from <= begin && from > 0 ? -20 : this.x(this.columns.ofStep[from]);
        const behind = end === this.run.length ? this.x(this.columns.count - 1) + this.width / 2 : room + 20;
        const stop = to > end ? behind : this.x(this.columns.ofStep[to]);
        const y = this.y(lane);
        drawn.push(shape("line", { class: `life ${colour(lane.number)}`, x1: start, x2: stop, y1: y, y2: y }));
        if (to !== Infinity) drawn.push(shape("path", { class: "gone", d: `M${stop} ${y - 6}v12` }));
      }
    }
    return drawn;
  }

  messages(first, last) {
    const { columns } = this;
    const found = this.run.messagesBetween(columns.first[first], columns.last[last]);
    return found.flatMap((message) => (message.to ? this.arrow(message) : this.stub(message)));
  }

  arrow(message) {
    const [from, to] = [this.columns.ofStep[message.sent], this.columns.ofStep[message.received]];
    const [x1, x2, y1, y2] = [this.x(from), this.x(to), this.y(message.from), this.y(message.to)];
    const paint = colour(message.from.number);
    const meets = message.sent === message.received;
    const bend = message.from === message.to ? 26 : 0;
    const [dx, dy] = [x2 - x1, y2 - y1];
    const middle = [(x1 + x2) / 2, (y1 + y2) / 2 - bend];
    // Pointing along the last part of the curve.
    const angle = Math.atan2(dy + bend, dx || (bend ? 1 : 0));
    const gap = this.columns.folds.has(to) ? 13 : 5; // a fold is larger than a dot
    const tip = [x2 - gap * Math.cos(angle), y2 - gap * Math.sin(angle)];
    const curve = `M${x1} ${y1}${bend ? `Q${middle[0]} ${middle[1] - bend / 2} ` : "L"}${tip[0]} ${tip[1]}`;
    const parts = [
      shape("path", { class: `message ${paint}${meets ? " meets" : ""}`, d: curve }),
      shape("path", { class: `head ${paint}`, d: head(tip, angle) }),
    ];
    if (this.width >= 24 || Math.abs(dx) > 60) {
      // Nearer to its sender, the label of a long arrow stands apart from those of arrows that cross it.
      const along = meets || bend || dx < 2.5 * this.width ? 0.5 : 0.3;
      const [x, y] = [x1 + dx * along + (meets ? 5 : 0), y1 + dy * along - bend + (meets ? 4 : -4)];
      const anchor = meets ? "start" : "middle";
      const most = meets ? Math.floor((this.width * 1.6) / LETTER) : 18;
      const place = { class: `carried ${paint}`, x, y, "text-anchor": anchor };
      parts.push(shape("text", place, clipped(message.text, most)));
    }
    parts.push(shape("title", {}, `${message.channel}: ${message.text}`));
    return [shape("g", { class: "arrow" }, ...parts)];
  }

  /** A message that does not arrive within the run: it stays in its channel, or is lost. */
  stub(message) {
    const [x, y] = [this.x(this.columns.ofStep[message.sent]), this.y(message.from)];
    const paint = colour(message.from.number);
    const end = [x + Math.min(this.width * 0.45, 22), y + 17];
    const words = clipped(
      `${message.lost ? "lost" : message.channel}: ${message.text}`,
      Math.floor((this.width * 1.3) / LETTER),
    );
    const fate = message.lost ? "lost" : "not received within this run";
    return [
      shape(
        "g",
        { class: "arrow" },
        shape("path", { class: `message ${paint} unread`, d: `M${x} ${y}L${end[0]} ${end[1]}` }),
        message.lost
          ? shape("path", { class: "lost", d: `M${end[0] - 4} ${end[1] - 4}l8 8m0 -8l-8 8` })
          : shape("circle", { class: `unread ${paint}`, cx: end[0], cy: end[1], r: 3 }),
        this.width < LEGIBLE
          ? null
          : shape("text", { class: `carried ${paint}`, x: end[0] + 7, y: end[1] + 4 }, words),
        shape("title", {}, `${message.channel}: ${message.text}, ${fate}`),
      ),
    ];
  }

  events(first, last) {
    const { run, columns } = this;
    const drawn = [];
    const free = new Map(); // for each lane, where the next thing in it begins
    for (let column = last; column >= Math.max(first, 1); column--) {
      const fold = columns.folds.get(column);
      const step = run.step(columns.first[column]);
      const end = fold ? run.step(fold[1]) : step;
      const room = ((free.get(step.lane) ?? column + 4) - column) * this.width - 12;
      drawn.push(this.event(column, step, end, fold, room));
      free.set(step.lane, column);
      if (step.partner) {
        const left = ((free.get(step.partner) ?? column + 4) - column) * this.width - 12;
        drawn.push(this.dot(column, step.partner, step.reply.text, left - 12, false, 12));
        free.set(step.partner, column);
      }
    }
    return drawn;
  }

  event(column, step, end, fold, room) {
    if (!fold) return this.dot(column, step.lane, step.text, room, Boolean(step.problem));
    const [x, y] = [this.x(column), this.y(step.lane)];
    const count = fold[1] - fold[0] + 1;
    const half = Math.min(this.width / 2 - 1, 11);
    return shape(
      "g",
      { class: `event fold ${colour(step.lane.number)}${end.problem ? " wrong" : ""}`, "data-fold": fold[0] },
      shape("title", {}, `${step.lane.name}: ${counted(count, "step")} of an atomic sequence; click to unfold`),
      shape("rect", { x: x - half, y: y - 9, width: 2 * half, height: 18, rx: 5 }),
      this.width >= 24 ? shape("text", { class: "count", x, y: y + 4 }, String(count)) : null,
      this.statement(x - half + 2, y - 14, `${step.text} …`, room),
    );
  }

  /** A step of one process; `aside` moves its text away from an arrow that comes from above. */
  dot(column, lane, text, room, isWrong, aside = 0) {
    const [x, y] = [this.x(column), this.y(lane)];
    const size = this.width < 14 ? 2.5 : 4.5;
    return shape(
      "g",
      { class: `event ${colour(lane.number)}${isWrong ? " wrong" : ""}` },
      shape("title", {}, `${lane.name}: ${text}`),
      isWrong
        ? shape("path", { class: "cross", d: `M${x - 6} ${y - 6}l12 12m0 -12l-12 12` })
        : shape("circle", { cx: x, cy: y, r: size }),
      this.statement(x - 3 + aside, y - 11, text, room),
    );
  }

  statement(x, y, text, room) {
    const words = this.width < LEGIBLE ? "" : clipped(text, Math.floor(room / LETTER));
    return words ? shape("text", { class: "statement", x, y }, words) : null;
  }

  ending(last) {
    if (last < this.columns.count - 1) return [];
    const { data } = this.run;
    const x = this.x(this.columns.count - 1) + this.width / 2 + 10;
    const words = data.stops ? "stops here, for ever" : data.problem && !data.cycle ? data.problem : "";
    const tall = TOP + this.run.lanes.length * ROW;
    if (!words) return [];
    return [
      shape("path", { class: "stop", d: `M${x - 6} 20V${tall}` }),
      shape("text", { class: "ending", x: x - 8, y: 14 }, clipped(words, 34)),
    ];
  }
}

function head([x, y], angle) {
  const at = (turn, far) => `${x + far * Math.cos(angle + turn)} ${y + far * Math.sin(angle + turn)}`;
  return `M${x} ${y}L${at(2.75, 9)}L${at(-2.75, 9)}Z`;
}
