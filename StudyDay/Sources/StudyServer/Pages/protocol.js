// The protocol of the study: what its arms are given, in which order, and when readings are planned.

import { call } from "./api.js";
import { ask, choice, field, h, number, numberInput, say, wrong } from "./ui.js";

const LINE = /^(.+?)\s+(\d+(?:[.,]\d+)?)$/;

/** The protocol in words. */
export function protocolText({ arms, design, copies, seed, stock_abv_percent: stock, total_ml: total, readings_min: readings, hidden }) {
  if (!arms) return "None: readings are due by the interval of the session.";
  return [
    `${design === "crossover" ? "Crossover" : "Parallel arms"}: ${arms.map((arm) => `${arm.name} ${arm.g_per_kg} g/kg`).join(", ")}`,
    `drinks of ${total} ml from ${stock} % vol`,
    readings.length ? `readings ${readings.join(", ")} min after the drink` : "readings by the interval of the session",
    hidden.length ? `${hidden.join(" and ")} hidden from operators` : "nothing hidden from operators",
    `order by seed ${seed}, each ${design === "crossover" ? "sequence" : "arm"} ${copies} × a block`,
  ].join("; ") + ".";
}

/** What people type as arms: a line each. Null where that cannot be read. */
export function readArms(text) {
  const arms = text.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => line.match(LINE));
  return arms.length && arms.every(Boolean) ? arms.map(([, name, dose]) => ({ name, g_per_kg: number(dose) })) : null;
}

/** What people type as times: minutes with blanks or commas between. Null where that cannot be read. */
export function readTimes(text) {
  const times = text.split(/[\s,;]+/).filter(Boolean).map(number);
  return times.every((time, index) => time >= 0 && (index === 0 || time > times[index - 1])) ? times : null;
}

/** Asks for the protocol; null if it stays. */
export async function changeProtocol(known) {
  const arms = h("textarea", { name: "arms", rows: 3, autofocus: true },
    (known.arms ?? [{ name: "alcohol", g_per_kg: 0.6 }, { name: "placebo", g_per_kg: 0 }]).map((arm) => `${arm.name} ${arm.g_per_kg}`).join("\n"));
  const readings = h("input", { name: "readings", autocomplete: "off", value: (known.readings_min ?? [20, 40, 60, 90, 120]).join(" ") });
  const input = (name, value) => numberInput({ name, value });
  const numbers = {
    stock_abv_percent: input("stock_abv_percent", known.stock_abv_percent ?? 40), total_ml: input("total_ml", known.total_ml ?? 400),
    drink_min: input("drink_min", known.drink_min ?? 15), copies: input("copies", known.copies ?? 2), seed: input("seed", known.seed ?? ""),
  };
  const hides = (word, text) => h("label", { class: "check" }, h("input", { type: "checkbox", name: `hide-${word}`, checked: known.hidden?.includes(word) }), ` ${text}`);
  const done = await ask({
    title: "Protocol",
    body: [
      choice("Design", "design", [["parallel", "One arm each"], ["crossover", "All arms, one a visit"]], known.design ?? "parallel"),
      field("Arms: name and g/kg, a line each", arms),
      h("div", { class: "row" }, field("Stock (% vol)", numbers.stock_abv_percent), field("Finished drink (ml)", numbers.total_ml)),
      field("Drunk over (min)", numbers.drink_min),
      field("Readings (min after the drink)", readings, "Empty: by the interval of the session."),
      h("div", { class: "row" }, field("Times in a block", numbers.copies), field("Seed", numbers.seed)),
      h("p", { class: "hint" }, "The same seed gives the same order. Empty: one is drawn. Once a person was drawn, arms, design, block and seed stay."),
      hides("readings", "Hide readings, curves and forecasts from operators"), hides("doses", "Hide doses and arms from operators and blinded participants"),
    ],
    save: async (data) => {
      const body = {
        design: data.get("design"), arms: readArms(data.get("arms")), readings_min: readTimes(data.get("readings")),
        hidden: ["readings", "doses"].filter((word) => data.get(`hide-${word}`)),
      };
      if (!body.arms) throw wrong(arms, "Write a name and a dose in each line, such as: alcohol 0.6");
      if (!body.readings_min) throw wrong(readings, "Write minutes in order, such as: 20 40 60");
      for (const [name, control] of Object.entries(numbers)) {
        if (name === "seed" && !data.get(name).trim()) continue;
        body[name] = number(data.get(name));
        if (!(body[name] >= 0)) throw wrong(control, "Type a number.");
      }
      return call("PUT", "/protocol", body);
    },
  });
  if (done) say("The protocol is stored.");
  return done;
}
