// The report of a day, to be read and printed.

import { all, call, clock, Offline } from "./api.js";
import { current, signer } from "./card.js";
import { chart, isExcluded } from "./chart.js";
import { lastDay, showConnection, startPage } from "./shell.js";
import { clockTime, dateText, dayName, ethanolGrams, h, momentName, table, unitNames, valueText, vitals } from "./ui.js";

const { me } = await startPage();
const types = await all("/session-types").catch(() => []);
const place = document.getElementById("report");
const date = document.getElementById("date");
/** All times of the pages are those of this device; the day is that of the same clock. */
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
async function load() {
  if (!date.value) return;
  try {
    draw(await call("GET", `/reports/${date.value}?zone=${encodeURIComponent(timeZone)}`));
    showConnection(true);
  } catch (error) {
    if (error.status === 401) location.replace("/");
    showConnection(!(error instanceof Offline), clock.now());
    const known = error instanceof Offline ? await lastDay.get(me) : null;
    if (known) draw({ people: known.people, vitals: [], note: "The server cannot be reached: this is the last state this device has seen." });
    else place.replaceChildren(h("p", { class: "trouble" }, error.message));
  }
}

function draw(report) {
  const people = [...(report.people ?? [])].sort((a, b) => a.subject.localeCompare(b.subject, undefined, { numeric: true }));
  place.replaceChildren(
    h("p", {}, `${dayName(`${date.value}T12:00`)}. ${people.length} ${people.length === 1 ? "person" : "people"}. As of ${momentName(clock.now())}. Times are in ${timeZone}.`),
    report.note ? h("p", { class: "trouble" }, report.note) : "",
    people.length ? summary(people) : h("p", {}, "Nobody was here on this day."),
    changes(report.corrections ?? []),
    ...people.map((person, index) => chapter(person, index, (report.vitals ?? []).filter((vital) => vital.subject === person.subject))),
    report.last_change ? h("p", { class: "hash" }, `Last change: ${report.last_change.seq}, hash ${report.last_change.hash}. `
      + "Keep it: promille serve audit must list the change with this hash.") : "");
}

const grams = (person) => current(person.drinks).reduce((sum, drink) => sum + ethanolGrams(drink.value), 0);

function summary(people) {
  const head = ["Subject", "Began", "Readings", "Highest (g/kg)", "Latest (g/kg)", "Release"];
  return table("Everybody", head, people.map((person) => {
      const readings = current(person.readings).filter((entry) => entry.g_per_kg != null && !isExcluded(entry));
      const values = readings.map((entry) => entry.g_per_kg);
      return h("tr", {}, h("th", { scope: "row" }, person.subject), h("td", {}, person.started ? clockTime(person.started) : "–"),
        h("td", {}, String(readings.length)), h("td", {}, values.length ? Math.max(...values).toFixed(2) : "–"),
        h("td", {}, values.length ? `${values.at(-1).toFixed(2)} at ${clockTime(readings.at(-1).at)}` : "–"), h("td", {}, releaseText(person)));
  }));
}

/** What was changed after it was entered, and why. */
function changes(lines) {
  if (!lines.length) return "";
  const text = ({ action }, state) => {
    if (state?.value) return valueText(action.split(".")[0], state.value);
    return action.endsWith(".void") ? "taken out" : action.endsWith(".discard") ? "discarded on a device" : "–";
  };
  return table("Corrections", ["Time", "Subject", "Before", "After", "Reason", "By"], lines.map((line) => h("tr", {}, h("td", {}, clockTime(line.at)), h("th", { scope: "row" }, line.subject ?? ""),
    h("td", {}, text(line, line.old)), h("td", {}, text(line, line.new)), h("td", {}, line.reason ?? ""), h("td", {}, line.by))));
}

const DECISIONS = { released: "went home", kept: "stays", left: "left without a release" };

function releaseText({ release }) {
  if (!release) return "no decision";
  const changed = release.changed_since == null ? "" : "; changed since it was signed";
  return `${DECISIONS[release.decision] ?? release.decision}, ${clockTime(release.at)}, signed by ${signer(release)}${changed}`;
}

function chapter(person, index, days) {
  const box = h("div", { class: "chart-box" });
  const draw = chart(box, `report-${index}`);
  draw(person, clock.now());
  const entries = [...person.readings, ...person.drinks, ...person.vitals, ...person.notes].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const total = grams(person);
  return h("section", { class: "chapter" }, h("h2", {}, person.subject),
    h("p", {}, [types.find((type) => type.id === person.session_type)?.name, person.release_limit_g_per_kg != null ? `release limit ${person.release_limit_g_per_kg} g/kg` : "",
      total ? `${total.toFixed(1)} g ethanol` : "", releaseText(person)].filter(Boolean).join(" · ")),
    box,
    days.length ? table("Vital signs of the day", ["Kind", "Mean", "Least", "Most", "Entries", "Importance"], days.map((day) =>
      h("tr", {}, h("th", { scope: "row" }, `${vitals[day.kind]?.name ?? day.kind} (${unitNames[day.unit] ?? day.unit})`),
        [day.mean, day.least, day.most].map((value) => h("td", {}, value == null ? "–" : String(Number(value.toFixed(1))))),
        h("td", {}, String(day.count)), h("td", {}, String(day.importance ?? "–"))))) : null,
    table("Entries", ["Time", "What", "State", "By"], entries.map((entry) => h("tr", { class: entry.state }, h("td", {}, clockTime(entry.at)),
      h("td", {}, valueText(entry.kind, entry.value), entry.as_entered ? h("small", {}, `entered as ${valueText(entry.kind, entry.as_entered)}`) : null),
      h("td", {}, entry.state === "void" ? "taken out" : entry.state === "conflict" ? "in conflict" : isExcluded(entry) ? "left out" : "",
        entry.instrument_doubt ? h("strong", { class: "doubt" }, entry.instrument_doubt) : null),
      h("td", {}, [entry.by, entry.station].filter(Boolean).join(", "))))));
}

date.value = dateText(new Date(clock.now()));
date.addEventListener("change", load);
document.getElementById("print").addEventListener("click", () => print());
await load();
