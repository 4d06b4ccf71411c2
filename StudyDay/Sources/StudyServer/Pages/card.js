// The card of one person on the day's page. It is built once; afterwards only what changed is written, so that
// focus, open tables and a screen reader's place survive a reading that arrives.

import { call } from "./api.js";
import { chart, isExcluded } from "./chart.js";
import { correct, decide, enter, lastDrink, resolve, sameAgain, takeOut } from "./entry.js";
import { changeMeasures } from "./measures.js";
import { itemsFor, may } from "./shell.js";
import { clockTime, countdown, duration, h, isHidden, momentName, s, say, setText, sync, units, valueText } from "./ui.js";
import { entryText, entryTime, isSettledByItself, waitingText } from "./waiting.js";

const SOON_MS = 60_000;
const MOST_ROWS = 300;
const NOTICE_SLACK_MS = 5_000;

/** Readings that count, in order of time. */
export const current = (entries) =>
  entries.filter((entry) => entry.state !== "void").sort((a, b) => Date.parse(a.at) - Date.parse(b.at));

/** Milliseconds until the next reading; negative if it is late; null if none is due any more. */
export function untilDue(person, now) {
  const due = Date.parse(person.next_reading_due ?? "");
  return Number.isFinite(due) && !isReleased(person) ? due - now : null;
}

/** When the next reading is due, in words; `left` is what ``untilDue`` says. */
export const dueText = (left) =>
  (left === null ? "" : left <= 0 ? `Reading overdue by ${countdown(left)}` : `Next reading in ${countdown(left)}`);

/** Whether somebody signed that the person may go, or has left, and nothing came since. */
export const isReleased = (person) => isSignedOff(person) && person.release.changed_since == null;

const isSignedOff = (person) => ["released", "left"].includes(person.release?.decision);

/** Decisions as they stand on a card. */
const DECISIONS = { released: "May go home", kept: "Stays", left: "Left" };

/** Whether something came after the release was signed that whoever signed had not seen. */
export const isOvertaken = (person, items) => isSignedOff(person) && (!isReleased(person) || items.some(isMissing));

/** Whether the server lacks a drink or a reading that this device has, and that nobody gave up. */
const isMissing = ({ entry, state }) =>
  state !== "conflict" && entry.action !== "discard" && ["reading", "drink"].includes(entry.kind);

/**
 * Why no forecast of a person may be shown now; null if one may. `items` are the person's in the outbox of this device,
 * `isInStep` and `isClockSure` are of the page, and `seen` is the last change of the person it heard of.
 */
export function doubt(person, { items, isInStep, isClockSure, seen = 0 }) {
  const because = !isInStep ? ""
    : !isClockSure ? ": this device's clock was set"
      : items.some(isMissing) ? ": it lacks what was entered on this device"
        : seen > (person.seq ?? 0) ? ": it is computing" : null;
  return because === null ? null : `Not in step with the server${because}.`;
}

/** A person as they are shown: if there is a doubt, without what the forecast says of now and later. */
export function withoutAdvice(person, why, now) {
  if (!why) return person;
  const { curve } = person;
  const start = Date.parse(person.started ?? "");
  const past = (values) => values.filter((_, index) => start + curve.time_min[index] * 60_000 <= now);
  return {
    ...person, forecast: null, why_not: why,
    curve: curve && Object.fromEntries(Object.entries(curve).map(([name, values]) => [name, past(values)])),
  };
}

/** Whether a notice of a person still holds, by what is known of them now. */
export function stands({ kind }, person, now) {
  // The server's clock, by which it was noticed, may be a little ahead of what the page takes for it.
  const then = now + NOTICE_SLACK_MS;
  if (kind === "due") return (untilDue(person, then) ?? 1) <= 0;
  if (kind === "changed") return person.release?.changed_since != null;
  return kind !== "release" || isBelow(person, then);
}

/** Whether the forecast says that the person is below the limit by now. */
export const isBelow = (person, now) =>
  Boolean(person.forecast) && Date.parse(person.forecast.not_before) <= now && !isReleased(person);

/** Whose account signed, and who else; in days of earlier versions, with which name. */
export const signer = ({ by, signed, second }) =>
  `${signed && signed !== by ? `${by} as ${signed}` : by}${second ? ` and ${second}` : ""}`;

function releaseText(release, isAgain, now) {
  const signed = `signed by ${signer(release)}, ${momentName(release.at, now)}.`;
  const decision = DECISIONS[release.decision] ?? release.decision;
  if (isAgain) return `Changed since it was signed: look again. “${decision}” was ${signed}`;
  return `${decision}: ${signed}`;
}

let cardCount = 0;

export class Card {
  /**
   * `page` has me, outbox, settle() which shows the outbox, day(), now(), sessionName(person), shown(person) without what is in doubt, itemsOf(person)
   * in the outbox, and only: the one person it shows, or null.
   */
  constructor(person, page, { open }) {
    this.page = page;
    this.id = `card-${++cardCount}`;
    this.person = person;
    const part = (tag, name, ...more) => (this[name] = h(tag, { class: name }, ...more));
    const toggle = h("button", { class: "plain", "aria-controls": `${this.id}-body`, onclick: () => this.open(!this.isOpen) },
      person.subject);
    this.toggle = toggle;
    const chartBox = h("div", { class: "chart-box", hidden: Boolean(page.me.hidden) });
    this.draw = chart(chartBox, this.id);
    this.legend = h("p", { class: "legend", hidden: true });
    this.methodsButton = h("button", { class: "small", "aria-pressed": "false", hidden: Boolean(page.me.hidden), onclick: () => this.toggleMethods() }, "r methods");
    this.rows = h("tbody");
    this.body = h("div", { class: "body", id: `${this.id}-body` },
      part("p", "session"), chartBox, this.methodsButton, this.legend, part("p", "forecast"),
      part("details", "why", h("summary", {}, "What it rests on"), this.whyText = h("p")), part("p", "release"), part("div", "conflicts"),
      part("ul", "pending"), this.actions(),
      h("details", {}, h("summary", {}, "Table of values"), part("p", "rest"),
        h("div", { class: "scroll" }, h("table", {}, h("caption", {}, `Everything entered for ${person.subject}`),
          h("thead", {}, h("tr", {}, ["Time", "What", "By", ""].map((name) => h("th", { scope: "col" }, name)))), this.rows))),
      h("nav", { class: "row", "aria-label": `Pages of ${person.subject}` },
        page.only ? null : h("a", { class: "alone", href: `/person/${encodeURIComponent(person.subject)}` }, `${person.subject} alone`),
        h("a", { class: "alone", href: `/history/${encodeURIComponent(person.subject)}` }, "History")));
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
      h("button", { class: name, onclick: () => enter(kind, this.person, { outbox: page.outbox, day: page.day(), latest: () => this.person }) }, text);
    this.again = h("button", { onclick: () => sameAgain(this.person, { outbox: page.outbox }) }, "Same again");
    this.decision = h("button", { onclick: async () => {
      const decided = await decide(() => page.shown(this.person), page.me);
      if (decided) {
        say(decided.asked ? "Signed. A second person must sign, too, on their own device."
          : `The decision on ${this.person.subject} is signed.`);
      }
    } }, "Decide release");
    return h("div", { class: "actions entry" },
      can ? [button("Reading", "reading", "primary"), button("Drink", "drink"), this.again, button("Vital sign", "vital"), button("Note", "note"),
        h("button", { onclick: () => changeMeasures(this.person.subject) }, "Measures")] : null,
      may.decide(page.me) ? this.decision : null);
  }

  /** Takes the person as the server now knows them. */
  update(person) {
    this.person = person;
    const readings = current(person.readings);
    const last = readings.at(-1);
    if (last && isHidden(last.value)) setText(this.latest, `Reading taken at ${clockTime(last.at)}`);
    else if (last) {
      const value = last.g_per_kg != null
        ? [h("strong", {}, last.g_per_kg.toFixed(2)), " g/kg"]
        : [h("strong", {}, String(last.value.concentration)), ` ${units[last.value.unit] ?? last.value.unit}`];
      this.latest.replaceChildren(...value, h("small", {}, ` at ${clockTime(last.at)}`));
    } else setText(this.latest, "No reading yet");
    setText(this.session, [this.page.sessionName(person), person.started ? `started ${clockTime(person.started)}` : "not started", person.occasion]
      .filter(Boolean).join(" · "));
    const doses = JSON.stringify(current(person.drinks).map((each) => [each.at, each.value]));
    if (this.hasMethods && this.doses !== doses) this.loadMethods();
    this.doses = doses;
    const drink = lastDrink(person);
    this.again.hidden = !drink || isHidden(drink);
    this.again.title = drink ? valueText("drink", drink) : "";
    this.writeConflicts();
    this.writeRows();
    this.tick();
    this.redraw();
  }

  /** Shows what of this person waits on this device, and offers to settle what does not settle by itself. */
  showWaiting() {
    const { me, settle } = this.page;
    const items = itemsFor(me, this.page.itemsOf(this.person));
    this.pending.hidden = !items.length;
    this.pending.replaceChildren(...items.map((item) =>
      h("li", {}, `${entryText(item.entry)}, ${entryTime(item.entry)}: ${waitingText(item, me)}. `,
        isSettledByItself(item, me) ? null : h("button", { class: "small", onclick: settle,
          "aria-label": `Settle ${entryText(item.entry)}, ${entryTime(item.entry)}` }, "Settle"))));
    this.tick();
  }

  redraw() {
    this.draw({ ...this.page.shown(this.person), methods: this.methods }, this.page.now());
  }

  /** Shows what the r methods expect, or no longer. */
  async toggleMethods() {
    this.hasMethods = !this.hasMethods;
    this.methodsButton.setAttribute("aria-pressed", String(this.hasMethods));
    await this.loadMethods();
  }

  async loadMethods() {
    this.methods = null;
    let text = "";
    if (this.hasMethods) {
      try {
        this.methods = await call("GET", `/people/${encodeURIComponent(this.person.subject)}/methods`);
      } catch (error) {
        text = error.message;
      }
    }
    const { curves, left_out: left, kinetics } = this.methods ?? { curves: [], left_out: [] };
    this.legend.hidden = !this.hasMethods;
    this.legend.replaceChildren(text,
      ...curves.map((each, index) => h("span", {}, s("svg", { class: "chart", width: 26, height: 10, "aria-hidden": "true" },
        s("line", { x1: 0, x2: 26, y1: 5, y2: 5, class: `method method-${index}` })), ` ${each.method} r ${each.r.toFixed(2)}: ${each.below_limit ? momentName(each.below_limit, this.page.now()) : "never above"}`)),
      ...left.map((each) => h("span", {}, each.why)), kinetics ? h("span", {}, `Thin lines: ${kinetics}. The times are when they fall to ${this.person.release_limit_g_per_kg} g/kg; they know no reading.`) : "");
    this.redraw();
  }

  /** What changes with time alone. */
  tick() {
    const now = this.page.now();
    const person = this.page.shown(this.person);
    const isAgain = isOvertaken(person, this.page.itemsOf(person));
    const left = untilDue(person, now);
    this.due.dataset.state = left === null ? "none" : left <= 0 ? "overdue" : left < SOON_MS ? "soon" : "later";
    setText(this.due, dueText(left));
    this.writeForecast(person, isAgain, now);
    const marks = [];
    if (person.conflicts.length) marks.push(["conflict", "Conflict"]);
    if (current(person.readings).at(-1)?.instrument_doubt) marks.push(["left", "Instrument in doubt"]);
    if (person.asked) marks.push(["again", `${person.asked.by} asks for a second signature`]);
    if (isAgain) marks.push(["again", "Look again"]);
    else if (isReleased(person)) marks.push(person.release.decision === "left" ? ["left", "Left"] : ["released", "Released"]);
    else if (isBelow(person, now)) marks.push(["below", "Below the limit"]);
    const wanted = marks.map(([, text]) => text).join();
    if (this.marked !== wanted) {
      this.marked = wanted;
      this.marks.replaceChildren(...marks.map(([kind, text]) => h("span", { class: `mark ${kind}` }, text)));
    }
  }

  writeForecast(person, isAgain, now) {
    const { forecast, why_not: whyNot, release, release_limit_g_per_kg: limit } = person;
    const early = Date.parse(forecast?.not_before ?? "");
    // One sentence; what it rests on stands behind it.
    const advice = this.page.me.hidden ? whyNot ?? "" : !forecast ? `No advice${limit != null ? ` for the limit of ${limit} g/kg` : ""}. ${whyNot ?? ""}`.trim()
      : early <= now ? `Expected below ${forecast.threshold_g_per_kg} g/kg since ${momentName(early, now)}.`
        : `Below ${forecast.threshold_g_per_kg} g/kg not before ${momentName(early, now)} (in ${duration(early - now)}).`;
    const teachers = this.page.me.hidden ? 0 : forecast?.learned_from ?? 0;
    setText(this.forecast, advice + (teachers ? ` Learned from ${teachers} ${teachers === 1 ? "person" : "people"}.` : ""));
    this.why.hidden = Boolean(this.page.me.hidden);
    setText(this.whyText, (!forecast ? "" : `Median ${momentName(forecast.median, now)}, 95 % interval ${clockTime(forecast.low)} to ${clockTime(forecast.high)}.`
      + (forecast.probability_now != null ? ` Probability now ${Math.round(forecast.probability_now * 100)} %.` : "")
      + (Date.parse(forecast.best_reading ?? "") > now ? ` A reading at ${clockTime(forecast.best_reading)} tells most: interval ${Math.round(forecast.best_reading_gain * 100)} % narrower.` : "")
      + ` ${forecast.because}. `) + `Blood:breath ratio ${person.blood_breath_ratio ?? 2100}.`);
    this.forecast.dataset.advice = String(Boolean(forecast));
    // The chart shows what is ahead too, unless that is in doubt.
    const isInDoubt = person !== this.person;
    if (this.isInDoubt !== isInDoubt) {
      this.isInDoubt = isInDoubt;
      this.redraw();
    }
    setText(this.release, release ? releaseText(release, isAgain, now) : "");
    this.release.dataset.again = String(isAgain);
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
        may.enter(page.me) && !conflict.values.some((each) => isHidden(each.value)) ? h("button", { onclick: () =>
          resolve(this.entry(conflict.entry), conflict, this.person, { outbox: page.outbox }) }, "Choose") : null);
    });
  }

  writeRows() {
    const { readings, drinks, vitals, notes } = this.person;
    const all = [...readings, ...drinks, ...vitals, ...notes].sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
    // Of a series of thousands the newest stand here; the report and the study have all.
    this.rest.hidden = all.length <= MOST_ROWS;
    setText(this.rest, `The newest ${MOST_ROWS} of ${all.length}; the report has all.`);
    sync(this.rows, all.slice(0, MOST_ROWS), (entry) => `${entry.uuid} ${entry.version} ${entry.state}`, (entry) => this.row(entry));
  }

  row(entry) {
    const { page } = this;
    const text = valueText(entry.kind, entry.value);
    const more = [];
    if (entry.kind === "reading" && entry.g_per_kg != null && entry.value.unit !== "bac_g_per_kg") more.push(`${entry.g_per_kg.toFixed(2)} g/kg`);
    if (entry.instrument_doubt) more.push(h("strong", { class: "doubt" }, entry.instrument_doubt));
    else if (entry.value.instrument) more.push(`instrument ${entry.value.instrument}`);
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
      h("td", {}, entry.state === "void" ? h("s", {}, text) : text, more.length ? h("small", {}, more.flatMap((each, index) => (index ? [", ", each] : [each]))) : null),
      h("td", { class: "by" }, entry.by ?? "", entry.station ? h("small", {}, entry.station) : null),
      h("td", { class: "acts" }, canChange ? [act("Correct", correct, `Correct ${text}`), act("Take out", takeOut, `Take out ${text}`)] : null));
  }
}
