// The measures of a body, as they are known, and the form that changes them.

import { call } from "./api.js";
import { ask, choice, field, h, number, numberInput, say, setText, wrong } from "./ui.js";
import { reasonField, reasonOf } from "./entry.js";

/** As the server takes them: what each is called, and from what to what it can be. */
const NUMBERS = {
  age_y: { name: "Age (years)", least: 16, most: 120 },
  height_cm: { name: "Height (cm)", least: 100, most: 250 },
  weight_kg: { name: "Weight (kg)", least: 30, most: 300 },
};
const SEXES = [["female", "female"], ["male", "male"]];

/** As people write it: 1.1 m come back as 110.00000000000001 cm. */
const shown = (value) => (value == null ? "" : String(Number(value.toFixed(2))));

/** What of a form differs from what is known. `text(name)` is what was typed. Throws what is impossible. */
export function changedMeasures(known, sex, text) {
  const change = sex && sex !== known.sex ? { sex } : {};
  for (const [name, { name: label, least, most }] of Object.entries(NUMBERS)) {
    const typed = text(name).trim();
    if (typed === shown(known[name])) continue;
    const value = number(typed);
    if (!(value >= least && value <= most)) {
      throw Object.assign(new Error(`${label}: type a number from ${least} to ${most}.`), { measure: name });
    }
    change[name] = value;
  }
  return change;
}

/** Asks for the right measures of somebody, and why they change. They are asked of the server, and changed there. */
export async function changeMeasures(subject) {
  const path = `/people/${encodeURIComponent(subject)}/measures`;
  let known;
  try {
    known = await call("GET", path);
  } catch (error) {
    say(`The measures of ${subject} are not known here. ${error.message}`, { urgent: true });
    return;
  }
  const inputs = Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, numberInput({ name, value: shown(known[name]) })]));
  const now = h("p", {}, nowText(known));
  const done = await ask({
    title: `Measures of ${subject}`,
    body: [
      now, choice("Sex", "sex", SEXES, known.sex),
      h("div", { class: "row" }, Object.entries(NUMBERS).map(([name, { name: label }]) => field(label, inputs[name]))),
      h("p", { class: "hint" }, "They count in the latest session, whose forecast changes at once."), reasonField(),
    ],
    save: async (data) => {
      let change;
      try {
        change = changedMeasures(known, data.get("sex"), (name) => data.get(name));
      } catch (error) {
        throw error.measure ? wrong(inputs[error.measure], error.message) : error;
      }
      if (!Object.keys(change).length) throw new Error("Nothing differs from what is known.");
      const reason = reasonOf(data);
      try {
        await call("PATCH", path, { ...change, base: known.version, reason });
      } catch (error) {
        if (error.code !== "E_DAY_CONFLICT") throw error;
        // What was typed stays. What was not is what holds now.
        const old = known;
        known = await call("GET", path);
        for (const [name, input] of Object.entries(inputs)) {
          if (input.value.trim() === shown(old[name])) input.value = shown(known[name]);
        }
        setText(now, nowText(known));
        throw error;
      }
    },
  });
  if (done) say(`The measures of ${subject} are changed.`);
}

function nowText({ sex, age_y: age, height_cm: height, weight_kg: weight }) {
  const parts = [sex, age != null && `${shown(age)} years`, height != null && `${shown(height)} cm`, weight != null && `${shown(weight)} kg`];
  return `Now: ${parts.filter(Boolean).join(", ") || "nothing is known"}.`;
}
