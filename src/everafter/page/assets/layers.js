// Where states stand: in layers, by how far they are from the first one, and near those that lead to them.

import { said } from "unfolding";

const LETTER = 7.25;
const LINE = 15;
const [BESIDE, BETWEEN, PADDING] = [22, 62, 8];
const [MOST_LINES, MOST_LETTERS] = [6, 34];

/** The places of the shown states: for each a box with its lines of text. */
export function arranged(graph) {
  const found = graph.depths();
  const boxes = new Map();
  const layers = [];
  for (const [state, { depth, parent, way }] of found) {
    const lines = linesOf(graph, state, parent);
    const width = Math.max(30, ...lines.map((line) => line.length * LETTER)) + 2 * PADDING;
    const box = { state, parent, way, depth, lines, width, height: lines.length * LINE + 2 * PADDING - 4, x: 0, y: 0 };
    boxes.set(state, box);
    (layers[depth] ??= []).push(box);
  }
  const ups = new Map([...boxes.keys()].map((state) => [state, []]));
  const downs = new Map([...boxes.keys()].map((state) => [state, []]));
  for (const box of boxes.values()) {
    for (const [, target] of graph.next[box.state]) {
      const other = boxes.get(target);
      if (other?.depth !== box.depth + 1) continue;
      ups.get(target).push(box);
      downs.get(box.state).push(other);
    }
  }
  let y = 0;
  for (const layer of layers) {
    for (const box of layer) box.y = y;
    y += Math.max(...layer.map((box) => box.height)) + BETWEEN;
    order(layer, ups);
    settle(layer, (box) => ups.get(box.state));
  }
  for (const layer of layers.slice(0, -1).reverse()) settle(layer, (box) => downs.get(box.state));
  for (const layer of layers.slice(1)) settle(layer, (box) => ups.get(box.state));
  return boxes;
}

/** What stands in a box: what changed since the state above it; in the first one, everything. */
function linesOf(graph, state, parent) {
  const all = parent === null ? graph.facts(state).map(said) : graph.changes(parent, state);
  const lines = all.map((line) => (line.length > MOST_LETTERS ? `${line.slice(0, MOST_LETTERS - 1)}…` : line));
  if (!lines.length) return ["no change"];
  const kept = MOST_LINES - 1;
  return lines.length > MOST_LINES ? [...lines.slice(0, kept), `… ${lines.length - kept} more`] : lines;
}

function order(layer, ups) {
  const wanted = new Map(layer.map((box) => [box, mean(ups.get(box.state)) ?? 0]));
  layer.sort((one, other) => wanted.get(one) - wanted.get(other));
}

function mean(boxes) {
  return boxes.length ? boxes.reduce((sum, box) => sum + box.x, 0) / boxes.length : undefined;
}

/** Put the boxes of a layer as near to their neighbours as their order allows: those in each other's way share. */
function settle(layer, neighbours) {
  const blocks = []; // where the first box of a block wants to stand: the sum of what its boxes want, and how many
  let room = 0;
  const rooms = layer.map((box, number) => {
    if (number) room += layer[number - 1].width / 2 + BESIDE + box.width / 2;
    return room;
  });
  layer.forEach((box, number) => {
    const near = neighbours(box);
    const weight = near.length ? 1 : 0.01;
    let block = { sum: ((near.length ? mean(near) : box.x) - rooms[number]) * weight, weight, count: 1 };
    while (blocks.length && blocks.at(-1).sum / blocks.at(-1).weight > block.sum / block.weight) {
      const last = blocks.pop();
      block = { sum: block.sum + last.sum, weight: block.weight + last.weight, count: block.count + last.count };
    }
    blocks.push(block);
  });
  let number = 0;
  for (const { sum, weight, count } of blocks) {
    for (let each = 0; each < count; each++, number++) layer[number].x = sum / weight + rooms[number];
  }
}
