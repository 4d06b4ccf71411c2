// What the protocol wants done, late things first: who is to be drawn, drinks to make up, and planned readings.

import { call, clock } from "./api.js";
import { add, enter } from "./entry.js";
import { changeMeasures } from "./measures.js";
import { may } from "./shell.js";
import { ask, clockTime, duration, field, h, number, numberInput, say, wrong } from "./ui.js";

/** After a change, others may follow at once. */
const PATIENCE_MS = 400;
/** More of what is not late yet stands behind a line. */
const MOST_OPEN = 4;
/** How far what was poured may be from what was planned. */
const TOLERANCE = 0.02;

/** A task in words. */
export function taskText({ kind, planned, state, visit, drink }, now) {
  const at = planned ? ` planned for ${clockTime(planned)}` : "";
  if (kind === "reading") {
    return state === "missed" ? `reading${at} was missed` : state === "late" ? `reading${at}, late by ${duration(now - Date.parse(planned))}` : `reading${at}`;
  }
  if (kind === "draw") return "the order is to be drawn";
  if (kind === "weigh") return "the body weight is missing, of which the dose is made";
  return drink ? `drink of visit ${visit}: ${drink.arm}, ${drink.ethanol_g} g ethanol` : `drink of visit ${visit}, which an investigator makes up`;
}

/** How a drink is made up, and what the finished drink is checked by. */
export function recipe(drink) {
  const fill = `Fill up to ${drink.total_ml} ml.`;
  return [
    drink.stock_ml > 0 ? `Pour ${drink.stock_ml} ml (${drink.stock_g} g) of ${drink.stock_abv_percent} % vol. ${fill}` : `No alcohol. ${fill}`,
    `Check: ${drink.abv_percent} % vol, ${drink.density_g_per_ml} g/ml at 20 °C if the rest is water, ${drink.total_g} g.`,
  ];
}

/** Whether so much in g is near enough to what was planned. */
export const isNear = (poured, planned) => Math.abs(poured - planned) <= Math.max(TOLERANCE * planned, 0.1);

export class Tasks {
  /** `person(subject)` is who the page knows by that name. */
  constructor(page, person) {
    Object.assign(this, { page, person });
    this.place = document.getElementById("tasks");
  }

  /** Looks again soon. */
  expect() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.load(), PATIENCE_MS);
  }

  async load() {
    if (!may.enter(this.page.me)) return;
    const items = await call("GET", "/tasks").then((answer) => answer.items, () => null);
    if (!items) return;
    const shown = items.filter(({ subject }) => !this.page.only || subject === this.page.only);
    this.place.hidden = !shown.length;
    const open = shown.filter(({ state }) => state === "open");
    const rest = open.slice(MOST_OPEN);
    this.place.querySelector(".list").replaceChildren(...shown.filter((task) => !rest.includes(task)).map((task) => this.line(task)));
    this.place.querySelector("details")?.remove();
    if (rest.length) {
      this.place.append(h("details", {}, h("summary", {}, `${rest.length} more, later`), h("ul", { class: "list" }, rest.map((task) => this.line(task)))));
    }
  }

  line(task) {
    const act = {
      draw: ["Draw", () => this.draw(task)], weigh: ["Measures", () => changeMeasures(task.subject)],
      dose: task.drink && ["Make it up", () => this.make(task)], reading: task.state !== "missed" && ["Reading", () => this.read(task)],
    }[task.kind];
    return h("li", { class: task.state === "open" ? "" : task.state },
      h("div", {}, h("strong", {}, task.subject), `: ${taskText(task, clock.now())}`),
      act ? h("button", { "aria-label": `${act[0]}, ${task.subject}`, onclick: act[1] }, act[0]) : null);
  }

  read({ subject }) {
    const person = () => this.person(subject) ?? { subject, readings: [], drinks: [] };
    return enter("reading", person(), { outbox: this.page.outbox, day: this.page.day(), latest: person });
  }

  async draw({ subject }) {
    try {
      const { place, arms } = await call("POST", `/people/${encodeURIComponent(subject)}/draw`, {});
      say(`${subject} has place ${place + 1} of the order${arms ? `: ${arms.join(", ")}` : ""}.`);
    } catch (error) {
      say(error.message, { urgent: true });
    }
    await this.load();
  }

  async make({ subject, visit, drink }) {
    const poured = numberInput({ name: "poured", class: "huge", autofocus: true });
    const done = await ask({
      title: `Drink of ${subject}, visit ${visit}`, button: "It is given",
      body: [
        recipe(drink).map((line) => h("p", {}, line)),
        field("Weight of the alcohol that was poured, in g", poured, "What the balance shows counts as the dose."),
      ],
      save: async (data) => {
        const grams = number(data.get("poured"));
        if (!(grams >= 0)) throw wrong(poured, "Type the weight, such as 115.2.");
        if (!isNear(grams, drink.stock_g)) throw wrong(poured, `Planned are ${drink.stock_g} g: make the drink up again, or enter it as a drink of its own.`);
        const value = { mass_g: grams, abv_percent: drink.stock_abv_percent, name: "study drink", ...(drink.drink_min && { duration_min: drink.drink_min }) };
        return add(this.page.outbox, { kind: "drink", subject, action: "enter", value });
      },
    });
    if (done) say(`${subject}: the drink is kept.`);
    this.expect();
  }
}
