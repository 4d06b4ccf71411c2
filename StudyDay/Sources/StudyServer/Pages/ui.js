// What all pages share: elements, words for values and times, dialogs, notices that pass.

import { units } from "./units.js";

const SVG = "http://www.w3.org/2000/svg";

/** Makes an element. Text is always text: nothing here reads HTML. `onclick` and the like are listeners. */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Makes an element of SVG. */
export function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

/** Sets text only where it differs, so that screen readers are not told again. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Makes the children of `parent` those of `items`, keeping elements whose key is there already. */
export function sync(parent, items, key, make) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const wanted = items.map((item) => {
    const known = old.get(key(item));
    if (known) return known;
    const made = make(item);
    made.dataset.key = key(item);
    return made;
  });
  for (const child of [...parent.children]) if (!wanted.includes(child)) child.remove();
  wanted.forEach((child, index) => {
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
  });
}

const times = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const days = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric" });

const dated = (time) => (typeof time === "number" ? time : Date.parse(time));
/** The time on the clock, as 14:05. */
export const clockTime = (time) => times.format(dated(time));
/** The day, as Mon, 23 Nov 2026. */
export const dayName = (time) => days.format(dated(time));
/** A time on the clock, with its day unless that is today. */
export function momentName(time, now = Date.now()) {
  return dayName(time) === dayName(now) ? clockTime(time) : `${clockTime(time)}, ${dayName(time)}`;
}

/** A time in words: "4 min", "1 h 05 min". */
export function duration(ms) {
  const minutes = Math.floor(Math.abs(ms) / 60_000);
  return minutes < 60
    ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** A time to count down: "4:05", "1:04:05". */
export function countdown(ms) {
  const seconds = Math.floor(Math.abs(ms) / 1000);
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

const HOUR_MS = 3_600_000;

/**
 * The moments of a day at which clocks showed a time: two where they were set back over it, none where they were set
 * ahead over it. `days` later than that of `date`.
 */
function showings(text, date, days) {
  const [hours, minutes] = text.split(":").map(Number);
  const time = new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, hours, minutes);
  return [-HOUR_MS, 0, HOUR_MS].map((shift) => new Date(time.getTime() + shift))
    .filter((each) => each.getHours() === hours && each.getMinutes() === minutes && each.getDate() === time.getDate());
}

/** When clocks last showed the time of day that was typed. Throws if they skipped it today. */
export function timeOfDay(text, now = new Date()) {
  const today = showings(text, now, 0);
  if (!today.length) throw new Error(`There was no ${text} today: the clocks were set ahead. Give another time.`);
  return [...showings(text, now, -1), ...today].filter((each) => each.getTime() <= now.getTime() + 60_000).at(-1);
}

/** When clocks showed a time of day, nearest to a moment. */
export function timeNear(text, moment) {
  const far = (time) => Math.abs(time - moment);
  return [-1, 0, 1].flatMap((days) => showings(text, moment, days)).reduce((a, b) => (far(b) < far(a) ? b : a));
}

/** The day as a control for it has it: by the clock on the wall, also where that is set back over midnight. */
export const dateText = (date) =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((number) => String(number).padStart(2, "0")).join("-");

/** The time of day as a control for it has it. */
export const timeText = (date) =>
  [date.getHours(), date.getMinutes()].map((number) => String(number).padStart(2, "0")).join(":");

export { units };

/** Vital signs that are entered here, by their name in the database. */
export const vitals = {
  HeartRate: { name: "Heart rate", unit: "count/min" },
  BodyTemperature: { name: "Body temperature", unit: "degC" },
  BloodPressureSystolic: { name: "Blood pressure, systolic", unit: "mmHg" },
  BloodPressureDiastolic: { name: "Blood pressure, diastolic", unit: "mmHg" },
  OxygenSaturation: { name: "Oxygen saturation", unit: "%" },
  RespiratoryRate: { name: "Respiratory rate", unit: "count/min" },
  BloodGlucose: { name: "Blood glucose", unit: "mmol/L" },
  DietaryWater: { name: "Water drunk", unit: "mL" },
  BodyMass: { name: "Body mass", unit: "kg" },
};
export const unitNames = { "count/min": "/min", degC: "°C", mL: "ml", count: "" };

/** Whether a blinded study shows an entry without its value. */
export const isHidden = (value) => value != null && !Object.keys(value).length;

/** The value of an entry in words. */
export function valueText(kind, value) {
  if (!value) return "";
  const names = { reading: "Reading", drink: "Drink", note: "Note" };
  if (isHidden(value)) return `${names[kind] ?? kind}, hidden`;
  if (kind === "reading") return `${value.concentration} ${units[value.unit] ?? value.unit}`;
  if (kind === "vital") {
    return `${vitals[value.kind]?.name ?? value.kind} ${value.value} ${unitNames[value.unit] ?? value.unit}`;
  }
  if (kind === "note") return value.text;
  const dose = value.ethanol_g != null ? `${value.ethanol_g} g ethanol`
    : value.mass_g != null ? `${value.mass_g} g of ${value.abv_percent} % vol`
      : `${value.volume_ml} ml of ${value.abv_percent} % vol`;
  const over = value.duration_min ? ` in ${value.duration_min} min` : "";
  return `${value.name ? `${value.name}, ` : ""}${dose}${over}`;
}

/** Of ethanol, in g/ml, as the server has it. */
const ETHANOL_DENSITY = 0.789;
/** Of ethanol in water at 20 C by tens of % vol, in g/ml, as the server has it (OIML R 22). */
const DRINK_DENSITIES = [0.9982, 0.98471, 0.97356, 0.96224, 0.94805, 0.93014, 0.90911, 0.88551, 0.85927, 0.82926, 0.78924];

/** The ethanol in a drink, in g. */
export function ethanolGrams({ ethanol_g: grams, volume_ml: volume, mass_g: mass, abv_percent: abv }) {
  if (grams != null) return grams;
  const index = Math.min(Math.floor(abv / 10), DRINK_DENSITIES.length - 2);
  const [low, high] = DRINK_DENSITIES.slice(index);
  const density = low + (high - low) * (abv / 10 - index);
  return (volume ?? mass / density) * (abv / 100) * ETHANOL_DENSITY;
}

/** A number that somebody typed, with point or comma; NaN if it is none. */
export function number(text) {
  const trimmed = String(text).trim().replace(",", ".");
  return /^-?(\d+\.?\d*|\.\d+)$/.test(trimmed) ? Number(trimmed) : NaN;
}

let fieldCount = 0;
/** A control with its label, and a hint that is read with it. */
export function field(label, control, hint) {
  control.id ||= `field-${++fieldCount}`;
  const hintId = `${control.id}-hint`;
  if (hint) control.setAttribute("aria-describedby", hintId);
  return h("div", { class: "field" },
    h("label", { for: control.id }, label), control,
    hint ? h("p", { class: "hint", id: hintId }, hint) : null);
}

/** A control for a number, for the keys of a phone. */
export function numberInput(attributes = {}) {
  return h("input", { type: "text", inputmode: "decimal", autocomplete: "off", size: 8, ...attributes });
}

/** A table that may be wider than the screen; on a phone, a row of many columns stands below each other, each value with its name. */
export function table(caption, head, rows) {
  for (const row of rows) [...row.children].forEach((cell, index) => { cell.dataset.name = head[index]; });
  return h("div", { class: "scroll" }, h("table", { class: head.length > 4 ? "many" : null }, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, rows)));
}

/** A choice of one among buttons that a thumb can hit: pairs of value and text. */
export function choice(legend, name, options, chosen) {
  return h("fieldset", { class: "choice" }, h("legend", {}, legend),
    h("div", { class: "options" }, options.map(([value, text]) =>
      h("label", {}, h("input", { type: "radio", name, value, checked: value === chosen }),
        h("span", {}, text)))));
}

/** A list to choose from: pairs of value and text. */
export function select(options, chosen, attributes = {}) {
  return h("select", attributes,
    options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
}

/** Dialogs lie upon each other. */
let dialogCount = 0;
/**
 * Asks something in a dialog. `save` gets the form's data; what it throws is shown and the dialog stays.
 * Returns what `save` returned, or null if the person turned away.
 */
export function ask({ title, body, button = "Save", save, danger = false }) {
  return new Promise((resolve) => {
    const trouble = h("p", { class: "trouble", role: "alert" });
    const submit = h("button", { class: danger ? "danger" : "primary" }, button);
    const titleId = `dialog-${++dialogCount}-title`;
    const form = h("form", { novalidate: true }, h("h2", { id: titleId }, title), body,
      h("div", { class: "foot" }, trouble, h("div", { class: "actions" },
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"), submit)));
    const dialog = h("dialog", { "aria-labelledby": titleId }, form);
    let result = null;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      submit.disabled = true;
      trouble.textContent = "";
      try {
        result = (await save(new FormData(form))) ?? true;
        dialog.close();
      } catch (error) {
        trouble.textContent = error.message;
        error.control?.focus();
      } finally {
        submit.disabled = false;
      }
    });
    form.addEventListener("input", () => setText(trouble, ""));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(result);
    });
    document.body.append(dialog);
    dialog.showModal();
    const first = dialog.querySelector("[autofocus]");
    first?.focus();
    // What is to be corrected is typed over.
    first?.select?.();
  });
}

/** Shows something without asking. */
export function show(title, ...body) {
  const titleId = `dialog-${++dialogCount}-title`;
  const dialog = h("dialog", { "aria-labelledby": titleId },
    h("h2", { id: titleId, tabindex: -1, autofocus: true }, title), body,
    h("div", { class: "actions" }, h("button", { class: "primary", onclick: () => dialog.close() }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Says something that passes; `urgent` interrupts a screen reader and stays until it is closed. */
export function say(text, { urgent = false } = {}) {
  const place = document.getElementById(urgent ? "alerts" : "messages");
  const note = h("div", { class: urgent ? "toast urgent" : "toast" }, h("p", {}, text),
    h("button", { "aria-label": "Close message", onclick: () => note.remove() }, "×"));
  // The latest word is enough; what is urgent stays until it is closed, or three more urgent things came.
  if (urgent) place?.replaceChildren(...[...place.children].slice(-2), note);
  else place?.replaceChildren(note);
  if (!urgent) setTimeout(() => note.remove(), 6_000);
}

/** An error that belongs to one control, which then gets the focus. */
export function wrong(control, text) {
  return Object.assign(new Error(text), { control });
}
