// Forms for readings, drinks, vital signs and notes, and for changing what was entered.

import { call, clock, measureClock } from "./api.js";
import { checkInstrument, instrumentText } from "./instruments.js";
import { baseFor } from "./outbox.js";
import { outboxStore, station } from "./store.js";
import { highest } from "./units.js";
import { uuid } from "./uuid.js";
import {
  ask, choice, clockTime, ethanolGrams, field, h, momentName, number, numberInput, say, select, setText, timeNear, timeOfDay, timeText, unitNames, units,
  valueText, vitals, wrong,
} from "./ui.js";

/** Within this time of the one before, a reading that fell or rose by more than these parts of the above is asked about. */
const RECENT_MS = 30 * 60_000;
const [FALL, RISE] = [1 / 25, 1 / 10];
/** Drinks of the same ethanol within this time may be one, entered by two people. */
const TWICE_MS = 10 * 60_000;
const SAME_ETHANOL = 0.02;

/** How long an entry waits for the server's word on a clock that was set. */
const CLOCK_PATIENCE_MS = 2_000;

/** What this device's clock showed at a time: people type what the clock on the wall says, which is right. */
const deviceTime = (time) => new Date(time.getTime() - clock.offset()).toISOString();

const FORMS = { reading: readingForm, drink: drinkForm, vital: vitalForm, note: noteForm };
const NAMES = { reading: "Reading", drink: "Drink", vital: "Vital sign", note: "Note" };

/**
 * Asks for a new entry of one kind, keeps it and says so. Returns the entry, or null. `latest` is who it is of, as known
 * once it is saved.
 */
export async function enter(kind, person, { outbox, day, latest = () => person }) {
  const form = FORMS[kind]({ day, latest });
  const entry = await ask({
    title: `${NAMES[kind]} of ${person.subject}`,
    body: [form.body, timeField()],
    save: async (data) => {
      const value = form.read(data);
      const time = data.get("time");
      const moment = time ? () => timeOfDay(time, new Date(clock.now())) : undefined;
      return add(outbox, { kind, subject: person.subject, action: "enter", value, moment });
    },
  });
  if (entry) say(`${person.subject}: ${valueText(kind, entry.value)} is kept.`);
  return entry;
}

/** Enters the last drink of a person once more: at once, or after a question if it may be there already. */
export async function sameAgain(person, { outbox }) {
  const value = lastDrink(person);
  const same = sameDrink(value, person.drinks, new Date(clock.now()));
  const sure = !same || await ask({
    title: `The same again for ${person.subject}?`, button: "Enter it", save: () => true,
    body: h("p", {}, `${same.by} entered ${valueText("drink", same.value)} at ${clockTime(same.at)}. Is this another one?`),
  });
  if (!sure) return;
  await add(outbox, { kind: "drink", subject: person.subject, action: "enter", value });
  say(`${person.subject}: ${valueText("drink", value)} is kept. If it was a slip, take it out in the table.`);
}

/** The last drink that counts; undefined if there is none. */
export const lastDrink = (person) => person.drinks.filter((each) => each.state === "current").at(-1)?.value;

/** Asks for the right value, time and person of an entry, and why. */
export async function correct(entry, person, { outbox, day }) {
  const form = FORMS[entry.kind]({ day, value: entry.value });
  const was = new Date(Date.parse(entry.at));
  const time = h("input", { type: "time", name: "time", value: timeText(was) });
  const subjects = (day?.people ?? []).map((each) => each.subject);
  const whose = select(subjects.map((subject) => [subject, subject]), person.subject, { name: "subject" });
  return ask({
    title: `Correct ${NAMES[entry.kind].toLowerCase()} of ${person.subject}, ${clockTime(entry.at)}`,
    body: [h("p", {}, `Now: ${valueText(entry.kind, entry.value)}`), form.body,
      h("details", {}, h("summary", {}, "Its time or its person is wrong"), field("Time", time),
        subjects.length > 1 ? field("Person", whose, "It is taken out here, and entered there.") : null),
      reasonField()],
    save: async (data) => {
      const value = form.read(data);
      if (!data.get("time")) throw wrong(time, "Give the time.");
      const moment = data.get("time") === timeText(was) ? was : timeNear(data.get("time"), was);
      const other = data.get("subject") ?? person.subject;
      if (other !== person.subject) return move(outbox, entry, person, other, value, moment, data);
      return change(outbox, entry, person, "correct", value, data, moment === was ? {} : { moment: () => moment });
    },
  });
}

/** Enters for somebody else what was entered for the wrong person. In this order: a network that goes loses nothing. */
async function move(outbox, entry, person, other, value, moment, data) {
  const reason = reasonOf(data);
  await add(outbox, {
    kind: entry.kind, subject: other, action: "enter", value, moment: () => moment, reason: `moved from ${person.subject}: ${reason}`,
  });
  return change(outbox, entry, person, "void", undefined, data, { reason: `moved to ${other}: ${reason}` });
}

/** Asks why an entry is to be taken out. */
export async function takeOut(entry, person, { outbox }) {
  return ask({
    title: `Take out ${NAMES[entry.kind].toLowerCase()} of ${person.subject}, ${clockTime(entry.at)}?`,
    body: [h("p", {}, `${valueText(entry.kind, entry.value)}. It stays in the log, and counts no more.`), reasonField()],
    button: "Take out",
    danger: true,
    save: async (data) => change(outbox, entry, person, "void", undefined, data),
  });
}

/** Shows the values of a conflict side by side and asks which holds. */
export async function resolve(entry, conflict, person, { outbox }) {
  const kind = entry?.kind ?? "reading";
  const options = conflict.values.map((each) => h("label", { class: "side" },
    h("input", { type: "radio", name: "seq", value: each.seq }),
    h("span", {}, h("strong", {}, each.value ? valueText(kind, each.value) : "taken out"),
      h("small", {}, `${each.measured_at ? `of ${clockTime(each.measured_at)}; ` : ""}${each.by}, ${clockTime(each.at)}`))));
  return ask({
    title: `Which value holds? ${person.subject}${entry ? `, ${clockTime(entry.at)}` : ""}`,
    body: [h("fieldset", { class: "sides" }, h("legend", {}, "Two people changed this value at the same time."), options),
      reasonField()],
    button: "Keep this value",
    save: async (data) => {
      const chosen = conflict.values.find((each) => String(each.seq) === data.get("seq"));
      if (!chosen) throw new Error("Choose one of the values.");
      const version = Math.max(...conflict.values.map((each) => each.seq));
      const known = { uuid: conflict.entry, kind, version };
      return change(outbox, known, person, "resolve", chosen.value, data, { choice: chosen.seq });
    },
  });
}

async function change(outbox, entry, person, action, value, data, more = {}) {
  const reason = reasonOf(data);
  const base = baseFor(await outboxStore.all(), entry.uuid, entry.version);
  const added = await add(outbox, {
    kind: entry.kind, subject: person.subject, action, record: entry.uuid, base, value, reason, ...more,
  });
  say(`The change is kept.`);
  return added;
}

/** An entry as it is sent: of now, or of what `moment` returns once the clock is measured. */
export async function stamped({ moment, ...fields }) {
  const made = new Date();
  await Promise.race([measureClock().catch(() => {}), new Promise((resolve) => setTimeout(resolve, CLOCK_PATIENCE_MS))]);
  return {
    id: uuid(), ...fields, station: station.name || undefined, at: moment && deviceTime(moment()),
    device_time: made.toISOString(), clock_offset_ms: clock.offset(),
  };
}

/** Keeps an entry on the device, from where it is sent. */
async function add(outbox, fields) {
  const entry = await stamped(fields);
  await outbox.add(entry, { unsure: !clock.isSure() });
  rememberUnit(fields);
  navigator.storage?.persist?.();
  return entry;
}

function timeField() {
  const input = h("input", { type: "time", name: "time" });
  return h("details", { class: "other-time" }, h("summary", {}, "Not now, but earlier"), field("Time", input));
}

/** Asks why; the log says before it whom something was made by, or moved from. */
export function reasonField() {
  return field("Reason", h("input", { name: "reason", required: true, maxlength: 300, autocomplete: "off" }));
}

export function reasonOf(data) {
  const reason = data.get("reason").trim();
  if (!reason) throw wrong(document.querySelector("dialog:last-of-type [name=reason]"), "Give a reason: it is kept with the change.");
  return reason;
}

/** The unit of this station's readings; none before anybody said it, since a guess could be half of the truth. */
export function readingUnit(day) {
  return station.unit ?? day?.reading_unit ?? null;
}

/** The first reading says what the instrument of this station shows, until somebody says otherwise. */
export function rememberUnit({ kind, action, value }) {
  if (kind === "reading" && action === "enter") station.unit ??= value.unit;
}

const UNIT_CHOICES = [["", "Choose what the instrument shows"], ...Object.entries(units)];

/** Why a reading should be looked at twice; null if nothing speaks against it. `last` is the entry before it. */
export function readingDoubt({ concentration, unit }, last, now) {
  const most = highest[unit];
  if (concentration > most) {
    return `${concentration} ${units[unit]} is more than anybody survives. Check the number and the unit`;
  }
  if (last?.value.unit !== unit || !(now - Date.parse(last.at) < RECENT_MS)) return null;
  const before = last.value.concentration;
  const isFar = before - concentration > most * FALL || (concentration - before > most * RISE && concentration > 2 * before);
  return isFar ? `The reading before was ${before} at ${clockTime(last.at)}. Check the number and the unit` : null;
}

/** The drink that somebody may have entered already; undefined if there is none. */
export function sameDrink(value, drinks, moment) {
  const grams = ethanolGrams(value);
  return drinks.find((drink) => drink.state !== "void" && Math.abs(Date.parse(drink.at) - moment) < TWICE_MS
    && Math.abs(ethanolGrams(drink.value) - grams) <= SAME_ETHANOL * grams);
}

/** Holds back what is doubtful until it is saved a second time as it is. */
function doubter(control) {
  let doubted = null;
  return (value, doubt, question) => {
    const text = JSON.stringify(value);
    if (!doubt || doubted === text) return;
    doubted = text;
    throw wrong(control, `${doubt}${question}`);
  };
}

function readingForm({ day, value, latest }) {
  const known = value?.unit ?? readingUnit(day);
  const input = numberInput({ name: "concentration", class: "huge", autofocus: true, value: value?.concentration });
  const asked = known ? null : select(UNIT_CHOICES, "", { name: "unit" });
  const hold = doubter(input);
  const excluded = h("input", { name: "excluded", maxlength: 200, autocomplete: "off", value: value?.excluded });
  return {
    body: [field(known ? `Concentration in ${units[known] ?? known}` : "Concentration", input), asked ? field("Unit", asked) : null,
      h("details", { open: Boolean(value?.excluded) }, h("summary", {}, "Leave it out of the fit"),
        field("Because", excluded, "Such as “mouth alcohol”. The reading stays in the study."))],
    read(data) {
      const concentration = number(data.get("concentration"));
      if (!(concentration >= 0)) throw wrong(input, "Type the number on the instrument, such as 0.42.");
      const unit = known ?? data.get("unit");
      if (!unit) throw wrong(asked, "Choose the unit: nothing was entered here before.");
      const last = latest?.().readings.filter((each) => each.state === "current").at(-1);
      hold({ concentration, unit }, readingDoubt({ concentration, unit }, last, clock.now()), "; press Save again to keep it.");
      const why = data.get("excluded").trim();
      const instrument = value ? value.instrument : station.instrument;
      return { concentration, unit, ...(why && { excluded: why }), ...(instrument && { instrument }) };
    },
  };
}

/** As many favourites as a thumb finds; the server takes no more. */
export const MOST_FAVOURITES = 7;

const sameValue = (a, b) => valueText("drink", a) === valueText("drink", b);

/** Stores the favourite drinks of who is signed in. */
async function keepFavourites(day, favourites) {
  ({ favourites: day.favourites } = await call("PUT", "/drinks/favourites", { drinks: favourites }));
}

/** The favourites as buttons that enter them, and the list in which they are given up. `pick` fills the form. */
function favouriteDrinks(day, pick) {
  const place = h("div", {});
  const fill = () => {
    const favourites = day?.favourites ?? [];
    place.hidden = !favourites.length;
    place.replaceChildren(
      h("fieldset", { class: "choice" }, h("legend", {}, "Favourites"), h("div", { class: "options favourites" }, favourites.map((drink, index) =>
        h("button", { type: "button", autofocus: index === 0, onclick: (event) => {
          pick(drink);
          event.target.form.requestSubmit();
        } }, valueText("drink", drink))))),
      h("details", {}, h("summary", {}, "Give up a favourite"), h("ul", { class: "list" }, favourites.map((drink) => h("li", {},
        h("div", {}, valueText("drink", drink)), h("button", { type: "button", class: "small", "aria-label": `Give up ${valueText("drink", drink)}`,
          onclick: () => keepFavourites(day, favourites.filter((each) => each !== drink)).then(fill, (error) => say(error.message, { urgent: true })) },
        "Give up"))))));
  };
  fill();
  return place;
}

/** A control in which a drink is written as people say it; `pick` gets what it means. */
function spokenDrink(pick) {
  const input = h("input", { name: "words", autocomplete: "off", maxlength: 100, placeholder: "2 cl vodka" });
  const control = field("In words", input, "Fills in what is below. Needs the network.");
  const hint = control.querySelector(".hint");
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    // What it means is to be seen before it is entered.
    event.preventDefault();
    input.blur();
  });
  input.addEventListener("change", async () => {
    if (!input.value.trim()) return;
    try {
      const { drinks } = await call("GET", `/drinks/read?text=${encodeURIComponent(input.value.trim())}`);
      if (drinks.length !== 1) throw new Error(`These are ${drinks.length} drinks: enter one after the other.`);
      pick(drinks[0].value);
      setText(hint, `${drinks[0].text}.${drinks[0].assumed.length ? ` Assumed: ${drinks[0].assumed.join(", ")}.` : ""}`);
    } catch (error) {
      setText(hint, error.message);
    }
  });
  return control;
}

/** What a drink would do, in words; `now` is a time in milliseconds. */
export function whatIfText({ ethanol_g: grams, peak, forecast, without, why_not: whyNot }, now) {
  if (!peak) return whyNot ?? "Nothing can be said of it.";
  const before = ({ not_before: time, threshold_g_per_kg: limit }) => `below ${limit} g/kg not before ${momentName(time, now)}`;
  return `With ${grams} g more: highest about ${peak.median.toFixed(2)} g/kg (up to ${peak.high.toFixed(2)}) at ${momentName(peak.at, now)}`
    + `${forecast ? `; ${before(forecast)}` : ""}${without ? ` (without it ${before(without)})` : ""}.`;
}

function drinkForm({ day, value = {}, latest }) {
  const way = value.ethanol_g != null ? "grams" : value.volume_ml != null ? "volume" : "weight";
  const person = latest?.();
  const isNew = Boolean(person);
  // Favourites stand above it, and are not to be scrolled away.
  const amount = numberInput({ name: "amount", class: "huge", autofocus: !(isNew && day?.favourites?.length),
    value: value.mass_g ?? value.volume_ml ?? value.ethanol_g });
  const hold = doubter(amount);
  const strength = numberInput({ name: "abv", value: value.abv_percent });
  const name = h("input", { name: "name", maxlength: 80, autocomplete: "off", value: value.name });
  const over = numberInput({ name: "duration", value: value.duration_min });
  const amountLabel = { weight: "Weight of the drink in g", volume: "Volume in ml", grams: "Ethanol in g" };
  const amountField = field(amountLabel[way], amount);
  const strengthField = field("Strength in % vol", strength);
  const ways = choice("Measured by", "way", [["weight", "Weight"], ["volume", "Volume"], ["grams", "Ethanol"]], way);
  ways.addEventListener("change", (event) => {
    amountField.querySelector("label").textContent = amountLabel[event.target.value];
    strengthField.hidden = event.target.value === "grams";
  });
  strengthField.hidden = way === "grams";
  const catalogue = day?.drinks ?? [];
  const list = select([["", "Choose a drink"], ...catalogue.map((drink, index) => [String(index), `${drink.name}, ${drink.volume_ml} ml`])], "");
  list.addEventListener("change", () => {
    const drink = catalogue[list.value];
    if (!drink) return;
    [name.value, strength.value] = [drink.name, drink.abv_percent];
    if (ways.querySelector(":checked").value === "volume") amount.value = drink.volume_ml;
  });
  const pick = (drink) => {
    const kind = drink.ethanol_g != null ? "grams" : drink.volume_ml != null ? "volume" : "weight";
    const radio = ways.querySelector(`[value=${kind}]`);
    radio.checked = true;
    radio.dispatchEvent(new Event("change", { bubbles: true }));
    amount.value = drink.mass_g ?? drink.volume_ml ?? drink.ethanol_g;
    [strength.value, name.value, over.value] = [drink.abv_percent ?? "", drink.name ?? "", drink.duration_min ?? ""];
  };
  const effect = h("p", { role: "status" });
  const form = {
    body: [isNew ? favouriteDrinks(day, pick) : null, isNew ? spokenDrink(pick) : null,
      ways, amountField, strengthField, catalogue.length ? field("From the catalogue", list) : null,
      field("Name", name), field("Drunk over (min)", over, "Leave empty for a drink taken at once."),
      isNew ? h("div", { class: "actions" }, h("button", { type: "button", onclick: async (event) => {
        try {
          const drink = form.drink(new FormData(event.target.form));
          const effects = await call("POST", `/people/${encodeURIComponent(person.subject)}/what-if`, { value: drink });
          setText(effect, whatIfText(effects, clock.now()));
        } catch (error) {
          setText(effect, error.message);
        }
      } }, "What would it do?")) : null, isNew ? effect : null,
      isNew && day ? h("label", { class: "check" }, h("input", { type: "checkbox", name: "favourite" }), " Make it a favourite") : null],
    read(data) {
      const drink = form.drink(data);
      const now = new Date(clock.now());
      const moment = data.get("time") ? timeOfDay(data.get("time"), now) : now;
      const same = latest && sameDrink(drink, latest().drinks, moment);
      hold(drink, same && `${same.by} entered ${valueText("drink", same.value)} at ${clockTime(same.at)}.`,
        " If this is another drink, press Save again.");
      if (data.get("favourite") && !(day.favourites ?? []).some((each) => sameValue(each, drink))) {
        // The newest comes first, and the oldest goes.
        keepFavourites(day, [drink, ...(day.favourites ?? [])].slice(0, MOST_FAVOURITES))
          .catch((error) => say(`It is no favourite yet: ${error.message}`, { urgent: true }));
      }
      return drink;
    },
    /** What is in the form. */
    drink(data) {
      const kind = data.get("way");
      const dose = number(data.get("amount"));
      if (!(dose > 0)) throw wrong(amount, "Type the amount, such as 250.");
      const drink = kind === "grams" ? { ethanol_g: dose } : kind === "volume" ? { volume_ml: dose } : { mass_g: dose };
      if (kind !== "grams") {
        drink.abv_percent = number(data.get("abv"));
        if (!(drink.abv_percent > 0 && drink.abv_percent <= 100)) throw wrong(strength, "Type the strength in % vol, such as 5.2.");
      }
      if (data.get("name").trim()) drink.name = data.get("name").trim();
      if (data.get("duration").trim()) {
        drink.duration_min = number(data.get("duration"));
        if (!(drink.duration_min >= 0)) throw wrong(over, "Type minutes, such as 15, or leave it empty.");
      }
      return drink;
    },
  };
  return form;
}

function vitalForm({ value = {} }) {
  const kinds = select(Object.entries(vitals).map(([key, vital]) => [key, vital.name]), value.kind, { name: "kind" });
  const input = numberInput({ name: "value", class: "huge", autofocus: true, value: value.value });
  const unitOf = () => vitals[kinds.value].unit;
  const valueField = field("", input);
  const label = () => {
    valueField.querySelector("label").textContent = `${vitals[kinds.value].name} (${unitNames[unitOf()] ?? unitOf()})`;
  };
  kinds.addEventListener("change", label);
  label();
  const importance = choice("Importance", "importance",
    [["1", "1 low"], ["2", "2"], ["3", "3"], ["4", "4"], ["5", "5 high"]], String(value.importance ?? 3));
  return {
    body: [field("Kind", kinds), valueField, importance],
    read(data) {
      const measured = number(data.get("value"));
      if (!(measured >= 0)) throw wrong(input, "Type the number that was measured, such as 72.");
      return { kind: kinds.value, value: measured, unit: unitOf(), importance: Number(data.get("importance")) };
    },
  };
}

function noteForm({ value = {} }) {
  const input = h("textarea", { name: "text", rows: 4, maxlength: 2000, autofocus: true }, value.text ?? "");
  return {
    body: field("Note", input, "Do not write names or contacts: notes are part of the study."),
    read(data) {
      const text = data.get("text").trim();
      if (!text) throw wrong(input, "Write something, or cancel.");
      return { text };
    },
  };
}

/** Asks how this device is called and what its instrument shows. */
export async function askStation(day) {
  const name = h("input", { name: "station", maxlength: 40, autofocus: true, autocomplete: "off", value: station.name });
  const unit = select(UNIT_CHOICES, readingUnit(day) ?? "", { name: "unit" });
  const instruments = day?.instruments ?? [];
  const serial = h("input", { name: "instrument", maxlength: 80, autocomplete: "off", value: station.instrument, list: "known-instruments" });
  const state = h("p", { class: "hint", role: "status" });
  const check = h("button", { type: "button", onclick: async () => {
    const done = await checkInstrument(serial.value.trim(), instruments.find((each) => each.serial === serial.value.trim()));
    if (!done) return;
    serial.value = done.serial;
    setText(state, done.passed ? "It passed its check." : "It failed its check.");
  } }, "Calibration check");
  const tell = () => setText(state, serial.value.trim() ? instrumentText(serial.value.trim(), instruments) : "");
  serial.addEventListener("input", tell);
  tell();
  const done = await ask({
    title: "This station",
    body: [field("Name", name, "Such as “Bar” or “Breath 2”. It stands beside every entry made here."),
      field("Its instrument shows", unit),
      field("Serial number of its instrument", serial, "It stands with every reading made here. Empty: none is named."),
      h("datalist", { id: "known-instruments" }, instruments.map((each) => h("option", { value: each.serial }))), state, h("div", { class: "actions" }, check)],
    save: (data) => {
      if (!data.get("unit")) throw wrong(unit, "Choose what the instrument shows.");
      station.name = data.get("station").trim();
      station.unit = data.get("unit");
      station.instrument = data.get("instrument").trim().replace(/\s+/g, " ");
    },
  });
  return done;
}

const adviceText = ({ forecast, why_not: whyNot }) => (forecast
  ? `The forecast: below ${forecast.threshold_g_per_kg} g/kg not before ${clockTime(forecast.not_before)}.`
  : `There is no advice. ${whyNot ?? ""}`);

/** Asks for the decision who may go home. The page advises; this is signed by a person. `latest` is who it is about. */
export async function decide(latest, me) {
  let person = latest();
  const signed = h("input", { name: "signed", autocomplete: "off", maxlength: 80 });
  const reason = h("input", { name: "reason", autocomplete: "off", maxlength: 300 });
  const code = h("input", { type: "password", name: "code", autocomplete: "off", maxlength: 80 });
  const codeField = field("Signing code", code, "You signed in more than 12 hours ago. You set it at your name, on any page.");
  codeField.hidden = true;
  const advice = h("p", {}, adviceText(person));
  const { asked } = person;
  return ask({
    title: `May ${person.subject} go home?`,
    body: [
      advice,
      asked ? h("p", {}, `${asked.by} signed that ${person.subject} may go all the same: ${asked.reason ?? ""}`) : null,
      choice("Decision", "decision", [["released", "May go home"], ["kept", "Stays"], ["left", "Has left"]], null),
      field("Reason", reason, "Needed where somebody is to go against the advice; a second person must sign that, too."),
      field("Signature", signed, `Type your name, ${me.name}, to sign. The page advises; you decide.`), codeField,
    ],
    button: "Sign",
    save: async (data) => {
      if (!data.get("decision")) throw new Error("Choose a decision.");
      if (!data.get("signed").trim()) throw wrong(signed, "Type your name to sign.");
      try {
        const decided = await call("POST", `/people/${encodeURIComponent(person.subject)}/release`, {
          decision: data.get("decision"), advice_seq: person.seq, signed: data.get("signed").trim(),
          reason: data.get("reason").trim() || undefined, code: data.get("code") || undefined,
        });
        return decided;
      } catch (error) {
        if (error.code === "E_DAY_CONFIRM") {
          codeField.hidden = false;
          throw wrong(code, error.message);
        }
        // What is signed next is what is shown now.
        person = latest();
        advice.textContent = adviceText(person);
        throw error;
      }
    },
  });
}
