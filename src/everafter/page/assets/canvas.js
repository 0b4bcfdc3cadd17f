// The drawing of states: what is in view, at any size; moved and zoomed by mouse, fingers and keys.

import { Ground, LETTER } from "texts";

const [SMALLEST, LARGEST] = [0.01, 3];
const [NEAR, LEGIBLE, NAMED] = [0.2, 0.45, 0.7]; // sizes from which on ways are curves, boxes have texts, ways have
const FONT = '12px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** Draws boxes and the ways between them, and tells `choose` which state is clicked, `open` which is to be unfolded. */
export class Canvas {
  constructor(host, graph, choose, open) {
    Object.assign(this, { host, graph, choose, open, scale: 1, left: 0, top: 0, boxes: new Map(), ways: [] });
    this.mark([]);
    this.pen = host.getContext("2d");
    this.fingers = new Map();
    new ResizeObserver(() => this.later()).observe(host.parentElement);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.later());
    host.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    host.addEventListener("pointerdown", (event) => this.down(event));
    host.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) host.addEventListener(name, (event) => this.up(event));
    host.addEventListener("dblclick", (event) => this.at(event) && this.open(this.at(event).state));
  }

  get size() {
    return [this.host.parentElement.clientWidth, this.host.parentElement.clientHeight];
  }

  /** Show boxes, and the ways between them. */
  show(boxes) {
    this.boxes = boxes;
    const shown = (from) => this.graph.next[from.state].map((way) => ({ from, to: boxes.get(way[1]), way }));
    this.ways = [...boxes.values()].flatMap(shown).filter(({ to }) => to);
    this.far = undefined;
    this.later();
  }

  /** The states on a counterexample, one behind the other, are marked. */
  mark(states) {
    this.marked = new Set(states);
    this.route = new Set(states.slice(1).map((state, number) => `${states[number]} ${state}`));
    this.later();
  }

  /** Let the boxes of some states, or of all, fill the window. */
  fit(states = [...this.boxes.keys()]) {
    const found = states.map((state) => this.boxes.get(state)).filter(Boolean);
    const least = (of) => Math.min(...found.map(of));
    const [left, right] = [least((box) => box.x - box.width / 2), -least((box) => -box.x - box.width / 2)];
    const [top, bottom] = [least((box) => box.y), -least((box) => -box.y - box.height)];
    const [width, height] = this.size;
    const scale = Math.min((width - 40) / (right - left), (height - 40) / (bottom - top), 1.2);
    this.scale = Math.max(scale, SMALLEST);
    this.left = (left + right) / 2 - width / 2 / this.scale;
    this.top = (top + bottom) / 2 - height / 2 / this.scale;
    this.later();
  }

  /** Bring a state into view, moving no more than needed. */
  reveal(state) {
    const box = this.boxes.get(state);
    const [width, height] = this.size.map((length) => length / this.scale);
    const nearest = (at, from, length, room) =>
      at < from + 20 ? at - 20 : at + length > from + room - 20 ? at + length - room + 20 : from;
    this.left = nearest(box.x - box.width / 2, this.left, box.width, width);
    this.top = nearest(box.y, this.top, box.height, height);
    this.later();
  }

  /** Put a state into the middle of the window. */
  centre(state) {
    const box = this.boxes.get(state);
    const [width, height] = this.size.map((length) => length / this.scale);
    [this.left, this.top] = [box.x - width / 2, box.y + box.height / 2 - height / 2];
    this.later();
  }

  /** Zoom by a factor, keeping the point of the window where it is. */
  zoom(factor, [x, y] = this.size.map((length) => length / 2)) {
    const scale = Math.max(SMALLEST, Math.min(LARGEST, this.scale * factor));
    this.left += x / this.scale - x / scale;
    this.top += y / this.scale - y / scale;
    this.scale = scale;
    this.later();
  }

  // Mouse and fingers

  wheel(event) {
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY / (event.ctrlKey ? 100 : 400)), [event.offsetX, event.offsetY]);
  }

  down(event) {
    this.host.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
    this.moved = 0;
  }

  move(event) {
    const old = this.fingers.get(event.pointerId);
    if (!old) return;
    const now = [event.offsetX, event.offsetY];
    const other = [...this.fingers].find(([finger]) => finger !== event.pointerId)?.[1];
    if (other) this.zoom(apart(now, other) / Math.max(apart(old, other), 1), other);
    else {
      this.left -= (now[0] - old[0]) / this.scale;
      this.top -= (now[1] - old[1]) / this.scale;
    }
    this.moved += apart(now, old);
    this.fingers.set(event.pointerId, now);
    this.later();
  }

  up(event) {
    if (this.fingers.delete(event.pointerId) && this.moved < 4) {
      const box = this.at(event);
      if (box && this.isBadge(box, event)) this.open(box.state);
      else if (box) this.choose(box.state);
    }
  }

  place(event) {
    return [event.offsetX / this.scale + this.left, event.offsetY / this.scale + this.top];
  }

  at(event) {
    const [x, y] = this.place(event);
    return [...this.boxes.values()].find(
      (box) => Math.abs(x - box.x) <= box.width / 2 && y >= box.y && y <= box.y + box.height + 16,
    );
  }

  isBadge(box, event) {
    return this.place(event)[1] > box.y + box.height && this.graph.hidden(box.state) > 0;
  }

  // Drawing

  later() {
    this.asked ??= requestAnimationFrame(() => {
      this.asked = undefined;
      this.draw();
    });
  }

  draw() {
    const begin = performance.now();
    const [width, height] = this.size;
    const ratio = devicePixelRatio;
    if (this.host.width !== Math.round(width * ratio) || this.host.height !== Math.round(height * ratio)) {
      [this.host.width, this.host.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    }
    const style = getComputedStyle(document.documentElement);
    this.colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const { pen } = this;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.scale(this.scale, this.scale);
    pen.translate(-this.left, -this.top);
    pen.font = FONT;
    const view = [this.left, this.top, this.left + width / this.scale, this.top + height / this.scale];
    this.seen = [...this.boxes.values()].filter((box) => isSeen(box, view));
    if (this.scale < NEAR) this.distant();
    else this.arrows(view);
    for (const box of this.seen) if (this.scale >= NEAR || this.isSpecial(box)) this.box(box);
    this.took = performance.now() - begin;
  }

  /** Everything from far away: straight lines and plain boxes, made once and drawn at any size. */
  distant() {
    this.far ??= farAway([...this.boxes.values()], this.ways, (box) => this.tone(box));
    this.stroke(this.far.lines, "line", 0.6);
    this.stroke(this.far.wrong, "bad", 1);
    for (const [tone, path] of this.far.tones) {
      this.pen.fillStyle = this.colour(tone);
      this.pen.fill(path);
    }
    const marked = new Path2D();
    for (const { from, to } of this.ways) if (this.isMarked(from, to)) line(marked, from, to);
    this.stroke(marked, "bad", 3);
  }

  isMarked(from, to) {
    return this.marked.has(from.state) && this.route.has(`${from.state} ${to.state}`);
  }

  isSpecial(box) {
    return box.state === this.chosen || this.marked.has(box.state);
  }

  tone({ state }) {
    if (this.graph.stuck.has(state) || this.graph.failed.has(state)) return "bad";
    return state === this.graph.root ? "accent" : this.found?.(state) ? "good" : "plain";
  }

  arrows(view) {
    const [plain, bad, marked, chosen] = [new Path2D(), new Path2D(), new Path2D(), new Path2D()];
    const texts = [];
    for (const { from, to, way } of this.ways) {
      if (!mayCross(from, to, view)) continue;
      const isMarked = this.isMarked(from, to);
      const path = isMarked ? marked : way[3] ? bad : from.state === this.chosen ? chosen : plain;
      const middle = curve(path, from, to);
      if (this.scale >= NAMED && (to.way === way || path !== plain)) texts.push([middle, way]);
    }
    this.stroke(plain, "line", 1);
    this.stroke(chosen, "accent", 1.8);
    this.stroke(bad, "bad", 1.4);
    this.stroke(marked, "bad", 3.5);
    this.labels(texts);
  }

  stroke(path, colour, width) {
    this.pen.strokeStyle = this.colour(colour);
    this.pen.fillStyle = this.colour(colour);
    this.pen.lineWidth = width / Math.max(this.scale, 0.25);
    this.pen.stroke(path);
  }

  /** The texts of ways, where nothing else stands. */
  labels(texts) {
    this.ground = new Ground();
    for (const box of this.seen) {
      this.ground.take(box.x - box.width / 2, box.y, box.x + box.width / 2, box.y + box.height + 14);
    }
    this.named = [];
    for (const [[x, y], way] of texts) {
      const words = way[2].length > 40 ? `${way[2].slice(0, 39)}…` : way[2];
      const long = words.length * LETTER;
      const most = this.left + this.size[0] / this.scale - long - 6; // as far right as all of it is seen
      const middle = x - long / 2;
      const begin = x < this.left || x - long > most ? middle : Math.max(this.left + 6, Math.min(middle, most));
      const places = [0, -18, 18, -32, 32].map((aside) => [begin, y + aside / 2 + 4]);
      const at = this.ground.place(words, places, Infinity);
      if (!at) continue;
      this.named.push([words, at]);
      this.pen.strokeStyle = this.colour("paper");
      this.pen.lineWidth = 4;
      this.pen.font = FONT.replace("12px", "11px");
      this.pen.strokeText(words, ...at);
      this.pen.fillStyle = this.colour(way[3] ? "bad" : "muted");
      this.pen.fillText(words, ...at);
    }
    this.pen.font = FONT;
  }

  box(box) {
    const { pen, graph } = this;
    const tone = this.tone(box);
    const isMarked = this.marked.has(box.state);
    pen.beginPath();
    pen.roundRect(box.x - box.width / 2, box.y, box.width, box.height, 6);
    pen.fillStyle = this.colour(`${tone}-soft`);
    pen.fill();
    pen.strokeStyle = this.colour(box.state === this.chosen ? "accent" : isMarked ? "bad" : tone);
    pen.lineWidth = (box.state === this.chosen ? 3 : isMarked ? 2.5 : 1.2) / Math.min(1, this.scale * 2);
    pen.stroke();
    if (graph.ended.has(box.state)) {
      pen.beginPath();
      pen.roundRect(box.x - box.width / 2 + 3, box.y + 3, box.width - 6, box.height - 6, 4);
      pen.stroke();
    }
    if (this.scale < LEGIBLE) return;
    pen.textAlign = "center";
    pen.fillStyle = this.colour("ink");
    box.lines.forEach((line, number) => pen.fillText(line, box.x, box.y + 17 + 15 * number));
    const hidden = graph.hidden(box.state);
    pen.fillStyle = this.colour("accent");
    if (hidden) pen.fillText(`+${hidden}`, box.x, box.y + box.height + 13);
    pen.textAlign = "left";
  }
}

function apart([a, b], [c, d]) {
  return Math.hypot(a - c, b - d);
}

function isSeen(box, [left, top, right, bottom]) {
  return box.x + box.width / 2 > left && box.x - box.width / 2 < right && box.y + box.height > top && box.y < bottom;
}

function mayCross(a, b, [left, top, right, bottom]) {
  const aside = (Math.max(a.width, b.width) + 120) / 2;
  return (
    Math.max(a.x, b.x) + aside > left && Math.min(a.x, b.x) - aside < right &&
    Math.max(a.y + a.height, b.y + b.height) + 40 > top && Math.min(a.y, b.y) - 40 < bottom
  );
}

/** Put the way from one box to another on a path, and return its middle. Ways back go round at the right. */
function curve(path, from, to) {
  const isDown = to.depth > from.depth;
  if (isDown) {
    const [x1, y1, x2, y2] = [from.x, from.y + from.height, to.x, to.y];
    const bend = (y2 - y1) / 2;
    path.moveTo(x1, y1);
    path.bezierCurveTo(x1, y1 + bend, x2, y2 - bend, x2, y2);
    head(path, x2, y2, 0, 1);
    return [(x1 + x2) / 2, (y1 + y2) / 2];
  }
  const out = from === to ? 44 : 30 + Math.min(120, Math.abs(from.x - to.x) / 6 + Math.abs(from.y - to.y) / 12);
  const [x1, y1] = [from.x + from.width / 2, from.y + from.height * 0.7];
  const [x2, y2] = [to.x + to.width / 2, to.y + to.height * 0.3];
  path.moveTo(x1, y1);
  path.bezierCurveTo(x1 + out, y1, x2 + out, y2, x2, y2);
  head(path, x2, y2, -1, 0);
  return [(x1 + x2) / 2 + out * 0.75, (y1 + y2) / 2];
}

function line(path, from, to) {
  path.moveTo(from.x, from.y + from.height / 2);
  path.lineTo(to.x, to.y + to.height / 2);
}

function farAway(boxes, ways, toneOf) {
  const [lines, wrong, tones] = [new Path2D(), new Path2D(), new Map()];
  for (const { from, to, way } of ways) line(way[3] ? wrong : lines, from, to);
  for (const box of boxes) {
    const tone = toneOf(box);
    if (!tones.has(tone)) tones.set(tone, new Path2D());
    tones.get(tone).rect(box.x - box.width / 2, box.y, box.width, box.height);
  }
  return { lines, wrong, tones };
}

function head(path, x, y, dx, dy) {
  path.moveTo(x - 6 * dx - 3.5 * dy, y - 6 * dy - 3.5 * dx);
  path.lineTo(x, y);
  path.lineTo(x - 6 * dx + 3.5 * dy, y - 6 * dy + 3.5 * dx);
}
