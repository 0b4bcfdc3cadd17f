// Elements of the page, made in one line each.

const SVG = "http://www.w3.org/2000/svg";

/** An element of HTML. Attributes that are functions are listeners; null leaves one out. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** An element of a drawing. */
export function shape(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** The element of that name, which the page has. */
export function byId(id) {
  return document.getElementById(id);
}

/** How much of an element's height is in the window, or would be if its top were: the lower part may be out of it. */
export function inWindow(host) {
  return Math.max(Math.min(host.clientHeight, innerHeight - host.getBoundingClientRect().top), 100);
}

/** A text of at most so many letters. */
export function clipped(text, most) {
  return text.length <= most ? text : most < 2 ? "" : `${text.slice(0, most - 1)}…`;
}

/** A number of things in words: "1 step", "12 steps". */
export function counted(number, thing) {
  return `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;
}

/** Tell a screen reader. */
export function say(text) {
  byId("spoken").textContent = text;
}

/** The colour that a process has on the whole page, by its number. */
export function colour(number) {
  return `p${number % 8}`;
}
