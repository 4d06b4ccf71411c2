// Calibration checks of instruments with a known standard.

import { call, clock } from "./api.js";
import { station } from "./store.js";
import { ask, dateText, dayName, field, h, number, numberInput, say, select, units, wrong } from "./ui.js";

const DAY_MS = 86_400_000;
/** A check holds for so long unless something else is said. */
const USUAL_DAYS = 7;

export const loadInstruments = async () => (await call("GET", "/instruments")).items;

/** What can be said of an instrument, in words. */
export function instrumentText(serial, instruments) {
  const known = instruments.find((each) => each.serial === serial);
  if (!known) return "no calibration check yet";
  if (known.state === "failed") return `failed its calibration check of ${dayName(known.at)}`;
  return known.state === "overdue" ? `calibration check was due ${dayName(known.due)}` : `checked, next check due ${dayName(known.due)}`;
}

/** Whether readings of an instrument say that it is not to be relied on. */
export const isInDoubt = (serial, instruments) => instruments.find((each) => each.serial === serial)?.state !== "ok";

/** Asks what an instrument showed for a known standard, and stores that; null if nobody said. */
export async function checkInstrument(serial = "", last = {}) {
  const control = {
    serial: h("input", { name: "serial", maxlength: 80, autocomplete: "off", value: serial, autofocus: !serial }),
    standard: numberInput({ name: "standard", value: last.standard }),
    measured: numberInput({ name: "measured", autofocus: Boolean(serial) }),
    tolerance: numberInput({ name: "tolerance", value: last.tolerance }),
  };
  const unit = select([["", "Choose the unit"], ...Object.entries(units)], last.unit ?? station.unit ?? "", { name: "unit" });
  const due = h("input", { type: "date", name: "due", value: dateText(new Date(clock.now() + USUAL_DAYS * DAY_MS)) });
  const name = h("input", { name: "standard_name", maxlength: 200, autocomplete: "off", value: last.standard_name });
  const done = await ask({
    title: "Calibration check", button: "Store the check",
    body: [
      field("Serial number of the instrument", control.serial), field("Unit", unit),
      h("div", { class: "row" }, field("The standard has", control.standard), field("It may be off by", control.tolerance)),
      field("The instrument shows", control.measured), field("Which standard", name, "Such as the lot of the gas."),
      field("Next check due", due, "Readings after that day say that the instrument is overdue."),
    ],
    save: (data) => {
      const check = {
        serial: data.get("serial").trim().replace(/\s+/g, " "), unit: data.get("unit"), standard_name: data.get("standard_name").trim() || undefined,
      };
      if (!check.serial) throw wrong(control.serial, "Give the serial number.");
      if (!check.unit) throw wrong(unit, "Choose the unit.");
      for (const key of ["standard", "tolerance", "measured"]) {
        check[key] = number(data.get(key));
        if (!(check[key] >= 0)) throw wrong(control[key], "Type a number, such as 0.38.");
      }
      if (!data.get("due")) throw wrong(due, "Give the day.");
      // To the end of that day.
      const end = new Date(`${data.get("due")}T00:00`);
      end.setDate(end.getDate() + 1);
      return call("POST", "/instruments", { ...check, due: end.toISOString() });
    },
  });
  if (done) say(`${done.serial} ${done.passed ? "passed" : "failed"} its check.`, { urgent: !done.passed });
  return done;
}
