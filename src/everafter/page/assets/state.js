// Variables and channels in a state, and what the last step changed.

import { byId, clipped, colour, element } from "dom";
import { messageText, valueText } from "run";

const MANY = 48; // of a longer array, zeros that stay are left out

/** Show a state, compared with the one before. */
export function showState(run, position, before) {
  const now = run.state(position);
  const old = before === null ? now : run.state(before);
  const { system } = run;
  const parts = [];
  const shared = table(system, system.cells, now.cells, old.cells, now);
  if (shared) parts.push(part("Global variables", "", shared));
  const open = now.channels.map((channel, number) => channelRow(system, now, channel, old.channels[number]));
  if (open.length) parts.push(part("Channels", "", element("div", { class: "channels" }, ...open)));
  now.processes.forEach(([graph, node, cells], number) => {
    const kind = system.graphs[graph];
    const was = old.processes[number]?.[0] === graph ? old.processes[number][2] : null;
    const place = kind.nodes.find((each) => each.number === node);
    const rows = table(system, kind.cells, cells, was ?? cells, now);
    const where = `line ${place?.spot[1] ?? "?"}${place?.labels.length ? `, at ${place.labels.join(", ")}` : ""}`;
    parts.push(part(`${kind.name}(${number})`, where, rows, colour(number)));
  });
  byId("state-body").replaceChildren(...parts);
}

function part(title, note, content, paint = "") {
  const heading = element("h3", { class: paint }, title, element("small", {}, note));
  return element("div", { class: "part" }, heading, content);
}

/** A row for each variable; arrays are one row. */
function table(system, cells, values, old, frame) {
  const groups = new Map();
  cells.forEach(({ name, naming }, cell) => {
    if (naming === -2 && frame.channels[values[cell] - 1]?.[0] === name) return; // told as a channel
    const base = name.replace(/\[\d+\].*/, "");
    if (!groups.has(base)) groups.set(base, []);
    const text = valueText(system, frame, naming, values[cell]);
    const was = old[cell] === values[cell] ? null : valueText(system, frame, naming, old[cell]);
    groups.get(base).push({ key: name.slice(base.length), text, was });
  });
  if (!groups.size) return null;
  const rows = [...groups].map(([base, group]) =>
    element("tr", {}, element("th", { scope: "row" }, base), element("td", {}, ...shown(group))),
  );
  return element("table", {}, element("tbody", {}, ...rows));
}

function shown(group) {
  if (group.length === 1 && !group[0].key) return [value(group[0])];
  const kept = group.length > MANY ? group.filter((each) => each.was !== null || each.text !== "0") : group;
  const rest = group.length - kept.length;
  return [...kept.map(value), ...(rest ? [element("span", { class: "rest" }, `${rest} zeros`)] : [])];
}

function value({ key, text, was }) {
  const index = key ? element("span", { class: "index" }, key) : null;
  if (was === null) return element("span", { class: "cell" }, index, text);
  return element(
    "span",
    { class: "cell changed" },
    index,
    element("del", {}, was),
    element("span", { class: "arrow", "aria-label": "became" }, "→"),
    element("ins", {}, text),
  );
}

function channelRow(system, frame, [name, type, messages], old) {
  const { capacity } = system.channels[type];
  const changed = old !== undefined && JSON.stringify(old[2]) !== JSON.stringify(messages);
  const boxes = messages.map((message) => {
    const text = messageText(system, frame, type, message);
    return element("span", { class: "box", title: text }, clipped(text, 40));
  });
  for (let free = Math.min(capacity - messages.length, 8); free > 0; free--) {
    boxes.push(element("span", { class: "box free", "aria-hidden": "true" }));
  }
  const note = capacity === 0 ? "rendezvous" : `${messages.length} of ${capacity}`;
  return element(
    "div",
    { class: `channel${changed ? " changed" : ""}` },
    element("span", { class: "title" }, name, element("small", {}, note)),
    element("span", { class: "boxes" }, ...boxes),
  );
}
