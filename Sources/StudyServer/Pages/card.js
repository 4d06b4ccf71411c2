// The card of one person on the day's page. It is built once; afterwards only what changed is written, so that
// focus, open tables and a screen reader's place survive a reading that arrives.

import { chart, isExcluded } from "./chart.js";
import { correct, decide, enter, resolve, takeOut } from "./entry.js";
import { may } from "./shell.js";
import { clockTime, countdown, duration, h, momentName, say, setText, sync, units, valueText } from "./ui.js";
import { entryText, entryTime } from "./waiting.js";

const SOON_MS = 60_000;

/** Readings that count, in order of time. */
export const current = (entries) =>
  entries.filter((entry) => entry.state !== "void").sort((a, b) => Date.parse(a.at) - Date.parse(b.at));

/** Milliseconds until the next reading; negative if it is late; null if none is due any more. */
export function untilDue(person, now) {
  const due = Date.parse(person.next_reading_due ?? "");
  return Number.isFinite(due) && !isReleased(person) ? due - now : null;
}

export const isReleased = (person) => person.release?.decision === "released";

/** Whether the forecast says that the person is below the limit by now. */
export const isBelow = (person, now) =>
  Boolean(person.forecast) && Date.parse(person.forecast.not_before) <= now && !isReleased(person);

let cardCount = 0;

export class Card {
  /** `page` has me, outbox, day(), now(), sessionName(person), and only: the one person it shows, or null. */
  constructor(person, page, { open }) {
    this.page = page;
    this.id = `card-${++cardCount}`;
    this.person = person;
    this.waiting = [];
    const part = (tag, name, ...more) => (this[name] = h(tag, { class: name }, ...more));
    const toggle = h("button", { class: "plain", "aria-controls": `${this.id}-body`, onclick: () => this.open(!this.isOpen) },
      person.subject);
    this.toggle = toggle;
    const chartBox = h("div", { class: "chart-box" });
    this.draw = chart(chartBox, this.id);
    this.rows = h("tbody");
    this.body = h("div", { class: "body", id: `${this.id}-body` },
      part("p", "session"), chartBox, part("p", "forecast"), part("p", "release"), part("div", "conflicts"),
      part("ul", "pending"), this.actions(),
      h("details", {}, h("summary", {}, "Table of values"),
        h("div", { class: "scroll" }, h("table", {}, h("caption", {}, `Everything entered for ${person.subject}`),
          h("thead", {}, h("tr", {}, ["Time", "What", "By", ""].map((name) => h("th", { scope: "col" }, name)))), this.rows))),
      page.only ? null : h("a", { class: "alone", href: `/person/${encodeURIComponent(person.subject)}` }, `${person.subject} alone`));
    this.element = h("article", { class: "card", "aria-labelledby": `${this.id}-name` },
      h("header", {}, h("h2", { id: `${this.id}-name` }, toggle), part("p", "latest"), part("p", "due"), part("p", "marks")),
      this.body);
    this.open(open);
    this.update(person);
  }

  open(isOpen) {
    this.isOpen = isOpen;
    this.body.hidden = !isOpen;
    this.toggle.setAttribute("aria-expanded", String(isOpen));
  }

  actions() {
    const { page } = this;
    const can = may.enter(page.me);
    const button = (text, kind, name = "") =>
      h("button", { class: name, onclick: () => enter(kind, this.person, { outbox: page.outbox, day: page.day() }) }, text);
    this.decision = h("button", { onclick: async () => {
      if (await decide(() => this.person, page.me)) say(`The decision on ${this.person.subject} is signed.`);
    } }, "Decide release");
    return h("div", { class: "actions entry" },
      can ? [button("Reading", "reading", "primary"), button("Drink", "drink"), button("Vital sign", "vital"), button("Note", "note")] : null,
      may.decide(page.me) ? this.decision : null);
  }

  /** Takes the person as the server now knows them. */
  update(person) {
    this.person = person;
    const readings = current(person.readings);
    const last = readings.at(-1);
    if (last) {
      const value = last.g_per_kg != null
        ? [h("strong", {}, last.g_per_kg.toFixed(2)), " g/kg"]
        : [h("strong", {}, String(last.value.concentration)), ` ${units[last.value.unit] ?? last.value.unit}`];
      this.latest.replaceChildren(...value, h("small", {}, ` at ${clockTime(last.at)}`));
    } else setText(this.latest, "No reading yet");
    setText(this.session, [this.page.sessionName(person), person.started ? `started ${clockTime(person.started)}` : "not started", person.occasion]
      .filter(Boolean).join(" · "));
    this.writeConflicts();
    this.writeRows();
    this.tick();
    this.redraw();
  }

  /** Shows what of this person waits on this device. */
  setWaiting(items) {
    this.waiting = items;
    this.pending.hidden = !items.length;
    this.pending.replaceChildren(...items.map(({ entry, state }) =>
      h("li", {}, `${entryText(entry)}, ${entryTime(entry)}: ${
        state === "waiting" ? "waits to be sent" : state === "refused" ? "was refused" : "is in conflict"}`)));
  }

  redraw() {
    this.draw(this.person, this.page.now());
  }

  /** What changes with time alone. */
  tick() {
    const now = this.page.now();
    const { person } = this;
    const left = untilDue(person, now);
    this.due.dataset.state = left === null ? "none" : left <= 0 ? "overdue" : left < SOON_MS ? "soon" : "later";
    setText(this.due, left === null ? "" : left <= 0 ? `Reading due for ${countdown(left)}` : `Next reading in ${countdown(left)}`);
    this.writeForecast(now);
    const marks = [];
    if (person.conflicts.length) marks.push(["conflict", "Conflict"]);
    if (isReleased(person)) marks.push(["released", "Released"]);
    else if (isBelow(person, now)) marks.push(["below", "Below the limit"]);
    const wanted = marks.map(([, text]) => text).join();
    if (this.marked !== wanted) {
      this.marked = wanted;
      this.marks.replaceChildren(...marks.map(([kind, text]) => h("span", { class: `mark ${kind}` }, text)));
    }
  }

  writeForecast(now) {
    const { forecast, why_not: whyNot, release, release_limit_g_per_kg: limit } = this.person;
    let text = "";
    if (forecast) {
      const early = Date.parse(forecast.not_before);
      const when = early <= now ? `has been expected since ${momentName(early, now)}`
        : `not before ${momentName(early, now)} (in ${duration(early - now)})`;
      text = `Below ${forecast.threshold_g_per_kg} g/kg ${when}. Median ${momentName(forecast.median, now)}, `
        + `90 % interval ${clockTime(forecast.low)} to ${clockTime(forecast.high)}.`
        + (forecast.probability_now != null ? ` Probability now ${Math.round(forecast.probability_now * 100)} %.` : "");
    } else {
      text = `No advice${limit != null ? ` for the limit of ${limit} g/kg` : ""}. ${whyNot ?? ""}`.trim();
    }
    setText(this.forecast, `${text} Blood:breath ratio ${this.person.blood_breath_ratio ?? 2100}.`);
    this.forecast.dataset.advice = String(Boolean(forecast));
    setText(this.release, release
      ? `${release.decision === "released" ? "May go home" : "Stays"}: signed by ${release.by}, ${momentName(release.at, now)}.` : "");
    this.release.hidden = !release;
  }

  entry(uuid) {
    const { readings, drinks, vitals, notes } = this.person;
    return [...readings, ...drinks, ...vitals, ...notes].find((entry) => entry.uuid === uuid);
  }

  writeConflicts() {
    const { person, page } = this;
    this.conflicts.hidden = !person.conflicts.length;
    const key = (conflict) => `${conflict.entry} ${conflict.values.map((each) => each.seq).join()}`;
    sync(this.conflicts, person.conflicts, key, (conflict) => {
      const entry = this.entry(conflict.entry);
      return h("section", { class: "conflict", "aria-label": "Conflict" },
        h("p", {}, entry ? `${clockTime(entry.at)}: two values for one ${entry.kind}` : "Two values for one entry"),
        h("div", { class: "both" }, conflict.values.map((each) => h("p", {},
          h("strong", {}, each.value ? valueText(entry?.kind ?? "reading", each.value) : "taken out"),
          h("small", {}, `${each.by}, ${clockTime(each.at)}`)))),
        may.enter(page.me) ? h("button", { onclick: () =>
          resolve(this.entry(conflict.entry), conflict, this.person, { outbox: page.outbox }) }, "Choose") : null);
    });
  }

  writeRows() {
    const { readings, drinks, vitals, notes } = this.person;
    const all = [...readings, ...drinks, ...vitals, ...notes].sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
    sync(this.rows, all, (entry) => `${entry.uuid} ${entry.version} ${entry.state}`, (entry) => this.row(entry));
  }

  row(entry) {
    const { page } = this;
    const text = valueText(entry.kind, entry.value);
    const more = [];
    if (entry.kind === "reading" && entry.g_per_kg != null && entry.value.unit !== "bac_g_per_kg") more.push(`${entry.g_per_kg.toFixed(2)} g/kg`);
    if (entry.kind === "vital") more.push(`importance ${entry.value.importance}`);
    if (entry.kind === "reading" && isExcluded(entry)) {
      const why = entry.excluded ?? entry.value.excluded;
      more.push(typeof why === "string" ? `left out: ${why}` : "left out of the fit");
    }
    if (entry.as_entered) more.push(`entered as ${valueText(entry.kind, entry.as_entered)}`);
    if (entry.state !== "current") more.push(entry.state === "void" ? "taken out" : "in conflict");
    const canChange = may.enter(page.me) && entry.state === "current";
    const act = (text, what, label) => h("button", { class: "small", "aria-label": label, onclick: () =>
      what(entry, this.person, { outbox: page.outbox, day: page.day() }) }, text);
    return h("tr", { class: entry.state },
      h("td", {}, h("time", { datetime: entry.at }, clockTime(entry.at))),
      h("td", {}, entry.state === "void" ? h("s", {}, text) : text, more.length ? h("small", {}, more.join(", ")) : null),
      h("td", {}, entry.by ?? "", entry.station ? h("small", {}, entry.station) : null),
      h("td", { class: "acts" }, canChange ? [act("Correct", correct, `Correct ${text}`), act("Take out", takeOut, `Take out ${text}`)] : null));
  }
}
