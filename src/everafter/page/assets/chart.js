// The message sequence chart: time goes to the right, a lane for each process. Only what is in view is drawn.

import { byId, colour, counted, element, shape } from "dom";
import { drawLanes, laneLabels, LANE } from "lanes";
import { fitted, Ground, needed, placed, widthOf } from "texts";

const TOP = 46; // room for the bracket of the cycle, and for numbers
const ROW = 52;
const LEGIBLE = 40; // narrower columns have no statements
const ZOOMS = [8, 14, 24, 40, 64, 96, 140, 200];
const [USUAL, WIDE, LEAST_SEEN] = [64, 140, 6.6]; // columns: for long runs, for short ones, and how many are seen
const SEEN = 5; // steps that stay in view beside the text of the last one
const REACH = 10; // columns out of view, whose texts may reach into it

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

  /** Show a run; a new one as large as there is room for. */
  show(run, columns) {
    const isNew = run !== this.run;
    this.run = run;
    this.columns = columns;
    this.position = Math.min(this.position ?? 0, run.length);
    this.height = TOP + run.lanes.length * ROW;
    const whole = this.height + (run.data.truth.length ? run.data.truth.length * LANE + 14 : 0);
    this.plane.style.height = `${whole}px`;
    this.picture.setAttribute("height", whole);
    this.label();
    if (isNew) this.width = this.fitting();
    this.later();
  }

  get room() {
    return Math.max(this.host.clientWidth - this.labels.offsetWidth, 0);
  }

  /** The width of a column: the whole run if there is room for it, wider if texts are cut else. */
  fitting() {
    const fits = (width) => (this.columns.count - 0.5) * width + this.trailing(width) + 14 <= this.room;
    const widths = Array.from({ length: 1 + (WIDE - USUAL) / 4 }, (_, number) => WIDE - 4 * number);
    const wide = widths.find(fits) ?? Math.max(LEGIBLE, Math.min(USUAL, Math.floor(this.room / LEAST_SEEN)));
    return [WIDE, 170, 200].find((width) => wide === WIDE && fits(width) && !this.cuts(width)) ?? wide;
  }

  /** Whether a text of a short run is cut where columns are so wide. */
  cuts(width) {
    const lanes = this.texts(1, this.columns.count - 1, width, 0);
    const end = (this.columns.count - 0.5) * width + this.trailing(width);
    return [...lanes.values()].some((texts) =>
      placed(texts, end).some(({ shown }, number) => shown !== texts[number].text),
    );
  }

  /** How far behind the last dot the run ends: no text of a last step goes on there, as long as steps stay in view. */
  trailing(width) {
    const last = this.columns.count - 1;
    const lanes = this.texts(Math.max(1, last - REACH), last, width, 0);
    const wanted = Math.max(0, ...[...lanes.values()].map((texts) => needed(texts, (last + 0.5) * width)));
    return Math.max(width / 2 + 4, Math.min(wanted, this.room - (SEEN - 1) * width - 30));
  }

  /** For each lane the texts of the steps between two columns, from left to right. */
  texts(first, last, width, offset) {
    const lanes = new Map(this.run.lanes.map((lane) => [lane, []]));
    if (width < LEGIBLE) return lanes;
    for (let column = Math.max(first, 1); column <= last; column++) {
      const fold = this.columns.folds.get(column);
      const step = this.run.step(this.columns.first[column]);
      const x = (column + 0.5) * width - offset;
      const begin = fold ? x - Math.min(width / 2 - 1, 11) + 2 : x - 3;
      lanes.get(step.lane).push({ column, x, begin, text: fold ? `${step.text} …` : step.text });
      if (step.partner) lanes.get(step.partner).push({ column, x, begin: x + 9, text: step.reply.text });
    }
    return lanes;
  }

  label() {
    const names = this.run.lanes.map((lane) =>
      element(
        "div",
        { class: `name ${colour(lane.number)}`, style: `height:${ROW}px` },
        element("span", { title: lane.name }, lane.name),
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
    const next = amount > 0 ? ZOOMS.find((each) => each > this.width) : ZOOMS.findLast((each) => each < this.width);
    this.width = next ?? this.width;
    this.moveTo(this.position, true);
  }

  /** Show a position: scroll only as far as needed. */
  moveTo(position, centre = false) {
    this.position = position;
    this.resize();
    const at = this.columns.ofStep[position] * this.width;
    const left = this.host.scrollLeft;
    if (position === this.run.length && !centre) this.host.scrollLeft = this.plane.offsetWidth;
    else if (centre || at < left + this.width || at + 2 * this.width > left + this.room)
      this.host.scrollLeft = at - this.room / 3;
    this.later();
  }

  resize() {
    this.behind = this.trailing(this.width);
    const whole = (this.columns.count - 0.5) * this.width + this.behind + 14;
    this.plane.style.width = `${this.labels.offsetWidth + whole}px`;
    this.picture.style.left = `${this.labels.offsetWidth}px`;
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
    const { room } = this;
    this.picture.setAttribute("width", room);
    this.offset = this.host.scrollLeft;
    this.end = this.x(this.columns.count - 1) + this.behind; // no text of the run goes on there
    this.ground = new Ground();
    const first = Math.max(0, Math.floor(this.offset / this.width) - REACH);
    const last = Math.min(this.columns.count - 1, Math.ceil((this.offset + room) / this.width) + REACH);
    const events = this.events(first, last); // their texts come before those of messages
    this.picture.replaceChildren(
      ...this.background(first, last, room),
      ...this.lifelines(first, last, room),
      ...this.messages(first, last),
      ...events,
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
      const { end } = this;
      drawn.push(shape("rect", { class: "around", x: begin, y: 14, width: end - begin, height: tall - 14 }));
      drawn.push(shape("path", { class: "bracket", d: `M${begin + 2} 26V16H${end - 2}V26` }));
      const words = `↻ these ${counted(run.data.cycle, "step")} for ever`;
      const x = Math.max(Math.min(Math.max(begin, 0) + 8, room - widthOf(words) - 8), 4);
      if (begin < room && end > 0) drawn.push(shape("text", { class: "again", x, y: 12 }, words));
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
        const behind = end === this.run.length ? this.end : room + 20;
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
      // Nearer to its sender, the text of a long arrow stands apart from those of arrows that cross it.
      const isLong = !meets && !bend && dx >= 2.5 * this.width;
      const along = isLong ? [0.3, 0.2, 0.4, 0.5, 0.65, 0.8] : [0.5, 0.35, 0.65, 0.2, 0.8];
      const left = (words) => (meets ? 5 : -widthOf(words) / 2);
      const places = (words) =>
        along.flatMap((part) => {
          const [x, y] = [x1 + dx * part + left(words), y1 + dy * part - bend];
          return meets ? [[x, y + 4]] : [[x, y - 4], [x, y + 13]];
        });
      parts.push(this.carried(message.text, places, paint));
    }
    parts.push(shape("title", {}, `${message.channel}: ${message.text}`));
    return [shape("g", { class: "arrow" }, ...parts.filter(Boolean))];
  }

  /** What a message carries, at the first place where nothing else stands: whole, or at least how it begins. */
  carried(text, places, paint) {
    for (const words of [text, fitted(text, 120), fitted(text, 60)]) {
      const at = this.ground.place(words, places(words), this.end);
      if (at) return shape("text", { class: `carried ${paint}`, x: at[0], y: at[1] }, words);
    }
    return null;
  }

  /** A message that does not arrive within the run: it stays in its channel, or is lost. */
  stub(message) {
    const [x, y] = [this.x(this.columns.ofStep[message.sent]), this.y(message.from)];
    const paint = colour(message.from.number);
    const end = [x + Math.min(this.width * 0.45, 22), y + 17];
    const words = `${message.lost ? "lost" : message.channel}: ${message.text}`;
    const places = () => [[end[0] + 7, end[1] + 4], [end[0] - 4, end[1] + 15]];
    const fate = message.lost ? "lost" : "not received within this run";
    return [
      shape(
        "g",
        { class: "arrow" },
        shape("path", { class: `message ${paint} unread`, d: `M${x} ${y}L${end[0]} ${end[1]}` }),
        message.lost
          ? shape("path", { class: "lost", d: `M${end[0] - 4} ${end[1] - 4}l8 8m0 -8l-8 8` })
          : shape("circle", { class: `unread ${paint}`, cx: end[0], cy: end[1], r: 3 }),
        this.width < LEGIBLE ? null : this.carried(words, places, paint),
        shape("title", {}, `${message.channel}: ${message.text}, ${fate}`),
      ),
    ];
  }

  events(first, last) {
    const texts = this.statements(first, last);
    const drawn = [];
    for (let column = Math.max(first, 1); column <= last; column++) {
      const fold = this.columns.folds.get(column);
      const step = this.run.step(this.columns.first[column]);
      const isWrong = Boolean((fold ? this.run.step(fold[1]) : step).problem);
      const draw = fold ? this.fold(column, step, fold) : this.dot(column, step.lane, step.text, isWrong);
      const isSeen = Math.abs(this.x(column) - this.room / 2) < this.room / 2 + this.width;
      const put = (lane, ...rest) => {
        const text = texts.get(lane).get(column);
        if (isSeen || text) drawn.push(this.event(lane, text, ...rest));
      };
      put(step.lane, draw, isWrong, fold);
      if (step.partner) put(step.partner, this.dot(column, step.partner, step.reply.text, false));
    }
    return drawn;
  }

  /** The texts between two columns at their places, by lane and column. */
  statements(first, last) {
    const isWhole = last === this.columns.count - 1;
    const found = new Map();
    for (const [lane, texts] of this.texts(first, last, this.width, this.offset)) {
      const y = this.y(lane) - 12;
      const drawn = placed(texts, isWhole ? this.end : Infinity, 4 - this.offset).map(({ at, shown }, number) => {
        if (shown) this.ground.take(at, y - 10, at + widthOf(shown), y + 3);
        this.ground.take(texts[number].x - 8, y + 4, texts[number].x + 8, y + 20);
        const isSeen = shown && at < this.room && at + widthOf(shown) > 0;
        return [texts[number].column, isSeen ? shape("text", { class: "statement", x: at, y }, shown) : null];
      });
      found.set(lane, new Map(drawn));
    }
    return found;
  }

  event(lane, text, drawn, isWrong = false, fold = undefined) {
    const kind = `event${fold ? " fold" : ""} ${colour(lane.number)}${isWrong ? " wrong" : ""}`;
    return shape("g", { class: kind, "data-fold": fold?.[0] }, ...drawn, text ?? null);
  }

  fold(column, step, [first, last]) {
    const [x, y] = [this.x(column), this.y(step.lane)];
    const count = last - first + 1;
    const half = Math.min(this.width / 2 - 1, 11);
    return [
      shape("title", {}, `${step.lane.name}: ${counted(count, "step")} of an atomic sequence; click to unfold`),
      shape("rect", { x: x - half, y: y - 9, width: 2 * half, height: 18, rx: 5 }),
      this.width >= 24 ? shape("text", { class: "count", x, y: y + 4 }, String(count)) : null,
    ];
  }

  /** A step of one process. */
  dot(column, lane, text, isWrong) {
    const [x, y] = [this.x(column), this.y(lane)];
    const size = this.width < 14 ? 2.5 : 4.5;
    return [
      shape("title", {}, `${lane.name}: ${text}`),
      isWrong
        ? shape("path", { class: "cross", d: `M${x - 6} ${y - 6}l12 12m0 -12l-12 12` })
        : shape("circle", { cx: x, cy: y, r: size }),
    ];
  }

  /** The line where a run ends, and why. */
  ending(last) {
    const { data } = this.run;
    const words = data.stops ? "stops here, for ever" : data.waits.length ? "stops here" : "fails here";
    if (last < this.columns.count - 1 || data.cycle || !(data.stops || data.problem)) return [];
    const x = this.end + 2;
    const tall = TOP + this.run.lanes.length * ROW;
    const isBefore = widthOf(words) < x;
    const place = isBefore ? { x: x + 4, "text-anchor": "end" } : { x: 4 };
    return [
      shape("path", { class: "stop", d: `M${x} 20V${tall}` }),
      shape("text", { class: "ending", y: 14, ...place }, words),
    ];
  }
}

function head([x, y], angle) {
  const at = (turn, far) => `${x + far * Math.cos(angle + turn)} ${y + far * Math.sin(angle + turn)}`;
  return `M${x} ${y}L${at(2.75, 9)}L${at(-2.75, 9)}Z`;
}
