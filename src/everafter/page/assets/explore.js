// The model behind the page: any step that is possible, and any question about the state in view.

import { byId, colour, counted, element, say } from "dom";

const OWN = 0; // the first answer is the run that is being taken
const NO_ANSWER = "The model does not answer: has `everafter explore` ended?";
const NOWHERE = "Choose your run, or a violation, to go on from there.";
const WALKS = [1, 10, 100, 1000];

/** Talks to the model. `page` shows the runs that come of it. */
export class Explorer {
  constructor(page, live) {
    this.page = page;
    this.live = live;
    this.options = [];
    byId("live").hidden = false;
    byId("verdicts-title").textContent = "Runs and verdicts";
    this.list = element("ol", { class: "options", "aria-label": "Steps that can be taken" });
    this.note = element("p", { class: "note", role: "status" });
    byId("live-body").replaceChildren(element("div", { class: "next" }, this.list), this.controls(), this.note);
  }

  controls() {
    const button = (text, act) => element("button", { type: "button", click: () => this.during(act) }, text);
    const names = this.live.properties.map((name) => element("option", {}, name));
    this.property = element("select", { "aria-label": "Property" }, ...names);
    const hint = "or a formula: [] (x < 3)";
    this.formula = element("input", { type: "text", placeholder: hint, "aria-label": "Formula", spellcheck: "false" });
    this.formula.addEventListener("keydown", (event) => event.key === "Enter" && this.during(() => this.check()));
    const counts = WALKS.map((count) => element("option", { value: count }, counted(count, "step")));
    this.count = element("select", { "aria-label": "Random steps" }, ...counts);
    this.count.value = "10";
    const back = button("Take back", () => this.page.go(this.page.position - 1));
    return element(
      "div",
      { class: "controls" },
      element("div", { class: "row" }, back, button("Start over", () => this.page.go(0))),
      element("div", { class: "row" }, button("Random walk", () => this.walk()), this.count),
      element("div", { class: "row" }, button("Check from here", () => this.check()), this.property, this.formula),
    );
  }

  /** The state in view, as the model knows it; undefined where it does not. */
  get place() {
    return this.page.data.answers[this.page.chosen].places[this.page.position];
  }

  async ask(question, content) {
    const reply = await fetch(question, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Everafter-Token": this.live.token },
      body: JSON.stringify({ place: this.place, ...content }),
    });
    const told = await reply.json();
    if (!reply.ok) throw new Error(told.error);
    return told;
  }

  /** Do something that may take its time, or fail; meanwhile nothing else can be asked. */
  async during(act) {
    if (this.busy) return;
    this.busy = true;
    this.note.textContent = "…";
    this.note.classList.remove("wrong");
    try {
      this.note.textContent = (await act()) ?? "";
    } catch (error) {
      this.note.textContent = error instanceof TypeError ? NO_ANSWER : error.message;
      this.note.classList.add("wrong");
    } finally {
      this.busy = false;
    }
  }

  /** Another state is in view: tell what can be done there. */
  async moved() {
    const place = this.place;
    if (place === this.shown) return;
    this.shown = place;
    let options = [];
    try {
      if (place !== undefined) options = await this.ask("/options", {});
    } catch (error) {
      this.note.textContent = error.message;
    }
    if (place !== this.place) return; // somebody was faster
    this.options = options;
    const items = options.map((option, number) => element("li", {}, this.button(option, number)));
    const why = place === undefined ? NOWHERE : "No step can be taken here.";
    this.list.replaceChildren(...(items.length ? items : [element("li", { class: "none" }, why)]));
    this.list.dataset.place = place ?? "";
  }

  button(option, number) {
    const effects = option.problem || option.changes.join(", ");
    return element(
      "button",
      {
        type: "button",
        class: `option ${colour(option.number)}${option.problem ? " wrong" : ""}`,
        click: () => this.during(() => this.take(number)),
      },
      element("kbd", {}, number < 9 ? String(number + 1) : " "),
      element("span", { class: "who" }, option.process),
      element("span", { class: "where" }, `line ${option.spot[1]}`),
      element("code", {}, option.partner ? `${option.text} (${option.partner})` : option.text),
      element("span", { class: "effects" }, effects),
    );
  }

  key(key) {
    const number = Number(key) - 1;
    if (!(number in this.options)) return false;
    this.during(() => this.take(number));
    return true;
  }

  // What can be done

  async take(number) {
    this.grown(await this.ask("/take", { number }));
  }

  async walk() {
    const steps = Number(this.count.value);
    this.grown(await this.ask("/walk", { steps, seed: Math.floor(Math.random() * 2 ** 31) }));
  }

  async check() {
    const formula = this.formula.value.trim() || this.property.value;
    const from = this.page.position;
    const { answer, systems } = await this.ask("/check", { formula });
    this.page.data.systems = systems;
    this.page.data.answers.push(answer);
    if (answer.run) this.page.choose(this.page.data.answers.length - 1, from);
    else this.page.choose(this.page.chosen, from);
    const words = `${answer.property}: ${answer.verdict}. ${answer.reason}.`;
    say(words);
    return words;
  }

  /** The run goes on: it is shown at its end. */
  grown(answer) {
    this.page.put(OWN, answer, answer.run.moves.length);
  }
}
