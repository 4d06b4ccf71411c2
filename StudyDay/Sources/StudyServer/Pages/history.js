// One person over sessions: alcohol by week, vital signs by day, a month at a glance, and when to be reminded.

import { call, clock, Offline } from "./api.js";
import { linePath, scale, timeTicks } from "./chart.js";
import { enter } from "./entry.js";
import { may, showConnection, startPage } from "./shell.js";
import { ask, clockTime, dateText, dayName, field, h, momentName, s, say, setText, table, unitNames, vitals } from "./ui.js";

const DAY_MS = 86_400_000;
const subject = decodeURIComponent(location.pathname.slice("/history/".length));
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
const { me, outbox } = await startPage();
const isOwn = me.subject === subject;
const controls = document.getElementById("controls");
let history = { sessions: [], weeks: [], days: [], kinds: [] };
let month = new Date(clock.now());

const RISKS = { none: "none", low: "low risk", increasing: "increasing risk", high: "high risk" };

async function load() {
  try {
    history = await call("GET", `/people/${encodeURIComponent(subject)}/history?zone=${encodeURIComponent(timeZone)}`);
    showConnection(true);
  } catch (error) {
    if (error.status === 401) location.replace("/");
    showConnection(!(error instanceof Offline), clock.now());
    setText(document.getElementById("about"), error.message);
    return;
  }
  drawWeeks();
  drawSessions();
  drawVitals();
}

function drawWeeks() {
  const { weeks, standard_drink_g: drink, risk_source: source } = history;
  document.getElementById("weeks").replaceChildren(weeks.length
    ? table(`A standard drink has ${drink} g. ${source}`, ["Week from", "Ethanol (g)", "Standard drinks", "Risk"], weeks.map((week) =>
      h("tr", {}, h("th", { scope: "row" }, dayName(`${week.starts}T12:00`)), h("td", {}, String(week.ethanol_g)),
        h("td", {}, String(week.standard_drinks)), h("td", {}, h("span", { class: `mark risk-${week.risk}` }, RISKS[week.risk])))))
    : h("p", {}, "No drink was entered."));
}

function drawSessions() {
  // A vital sign that somebody reports is no session to look back at.
  const sessions = history.sessions.filter((each) => each.ethanol_g > 0 || each.readings > 0);
  document.getElementById("sessions").replaceChildren(sessions.length
    ? table("Newest first", ["Began", "Ethanol (g)", "Standard drinks", "Readings", "Highest (g/kg)", "State"], sessions.map((each) =>
      h("tr", {}, h("th", { scope: "row" }, `${dayName(each.started)}, ${clockTime(each.started)}`), h("td", {}, String(each.ethanol_g)),
        h("td", {}, String(each.standard_drinks)), h("td", {}, String(each.readings)),
        h("td", {}, each.highest_g_per_kg == null ? "–" : each.highest_g_per_kg.toFixed(2)), h("td", {}, each.state))))
    : h("p", {}, "There was no session."));
}

/** The days of the kinds that matter enough. */
const chosen = () => history.days.filter((day) => day.importance >= Number(new FormData(controls).get("importance")));

function drawVitals() {
  const days = chosen();
  const kinds = history.kinds.filter(({ kind }) => days.some((day) => day.kind === kind));
  document.getElementById("charts").replaceChildren(...kinds.map((kind) => vitalChart(kind, days.filter((day) => day.kind === kind.kind))),
    kinds.length ? "" : h("p", {}, "No vital sign of this importance was entered."));
  drawMonth(days);
}

const HEIGHT = 150;
const MARGIN = { top: 10, right: 10, bottom: 24, left: 44 };

/** The days of one vital sign: from the least to the most of each day, the mean, and the thresholds. */
function vitalChart({ kind, unit, below, above }, days) {
  const width = Math.min(document.getElementById("charts").clientWidth, 640);
  const to = Date.parse(dateText(new Date(clock.now()))) + DAY_MS / 2;
  const from = to - (Number(new FormData(controls).get("span")) - .5) * DAY_MS;
  const shown = days.filter((day) => Date.parse(day.date) >= from - DAY_MS / 2);
  const name = `${vitals[kind]?.name ?? kind} (${unitNames[unit] ?? unit})`;
  if (!shown.length) return h("p", {}, `${name}: nothing within this time.`);
  const values = shown.flatMap((day) => [day.least, day.most]).concat([below, above].filter((each) => each != null));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const pad = (most - least || 1) * .1;
  const x = scale([from, to], [MARGIN.left, width - MARGIN.right]);
  const y = scale([least - pad, most + pad], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const crossed = shown.filter((day) => day.beyond).length;
  const svg = s("svg", { class: "chart vital", width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img",
    "aria-label": `${name}: ${shown.length} days, last ${shown.at(-1).mean.toFixed(1)}, ${crossed} beyond a threshold` });
  for (const value of new Set([least, most])) {
    svg.append(s("text", { x: MARGIN.left - 6, y: y(value) + 4, class: "tick value" }, String(Number(value.toFixed(1)))));
  }
  for (const [side, value] of [["below", below], ["above", above]]) {
    if (value == null) continue;
    svg.append(s("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value), class: "threshold" }),
      s("text", { x: MARGIN.left + 2, y: y(value) - 4, class: "threshold-label" }, `${side} ${value}`));
  }
  for (const tick of timeTicks(from, to, Math.max(2, Math.floor(width / 110)))) {
    svg.append(s("text", { x: x(tick), y: HEIGHT - 6, class: "tick time" }, new Date(tick).toLocaleDateString("en-GB", { day: "numeric", month: "short" })));
  }
  svg.append(s("path", { d: linePath(shown.map((day) => [x(Date.parse(day.date)), y(day.mean)])), class: "fitted" }));
  for (const day of shown) {
    const at = x(Date.parse(day.date));
    svg.append(s("line", { x1: at, x2: at, y1: y(day.least), y2: y(day.most), class: "axis" }),
      s("circle", { cx: at, cy: y(day.mean), r: 4, class: day.beyond ? "reading conflict" : "reading" }));
  }
  return h("figure", { class: "vital" }, h("figcaption", {}, name), svg);
}

/** A month, each day marked by what was entered on it. */
function drawMonth(days) {
  const [year, index] = [month.getFullYear(), month.getMonth()];
  setText(document.getElementById("month-title"), month.toLocaleDateString("en-GB", { month: "long", year: "numeric" }));
  const first = (new Date(year, index, 1).getDay() + 6) % 7;
  const count = new Date(year, index + 1, 0).getDate();
  const cells = [...Array(first).fill(null), ...Array.from({ length: count }, (_, day) => day + 1)];
  while (cells.length % 7) cells.push(null);
  const cell = (day) => {
    if (day == null) return h("span", { role: "cell" });
    const own = days.filter((each) => each.date === dateText(new Date(year, index, day)));
    const state = own.some((each) => each.beyond) ? "beyond" : own.length ? "entered" : "none";
    const told = own.map((each) => `${vitals[each.kind]?.name ?? each.kind} ${Number(each.mean.toFixed(1))}`).join(", ");
    return h("span", { role: "cell", class: `day ${state}`, title: told || null, "aria-label": `${day}: ${told || "nothing"}${state === "beyond" ? ", beyond a threshold" : ""}` },
      String(day), h("small", { "aria-hidden": "true" }, { beyond: "!", entered: "•", none: "" }[state]));
  };
  const rows = Array.from({ length: cells.length / 7 }, (_, week) => h("div", { role: "row" }, cells.slice(7 * week, 7 * week + 7).map(cell)));
  document.getElementById("month").replaceChildren(
    h("div", { role: "row" }, ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"].map((name) => h("span", { role: "columnheader" }, name))), ...rows);
}

function turn(by) {
  month = new Date(month.getFullYear(), month.getMonth() + by, 1);
  drawMonth(chosen());
}

// --- The reminder.

async function loadReminder() {
  const { at, postponed_until: until } = await call("GET", "/me/reminder").catch(() => ({}));
  const isPostponed = until != null && Date.parse(until) > clock.now();
  const place = document.getElementById("reminder");
  place.hidden = false;
  place.replaceChildren(at ? `You are reminded at ${at} if nothing was entered on the day${isPostponed ? `; today not before ${momentName(until, clock.now())}` : ""}. ` : "You are not reminded. ",
    at ? h("button", { class: "small", onclick: () => remind({ at, postpone_min: 60 }, "You are reminded an hour later today.") }, "An hour later today") : "");
}

async function remind(body, done) {
  try {
    await call("PUT", "/me/reminder", { zone: timeZone, ...body });
    say(done);
  } catch (error) {
    say(error.message, { urgent: true });
  }
  await loadReminder();
}

document.getElementById("remind").addEventListener("click", async () => {
  const input = h("input", { type: "time", name: "at", value: "20:00", autofocus: true });
  const asked = await ask({ title: "When to be reminded", body: [field("Each day at", input, "Empty: never. It says so where you are signed in, if no vital sign was entered that day.")],
    save: (data) => ({ at: data.get("at") || null }) });
  if (asked) await remind(asked, asked.at ? `You are reminded at ${asked.at}.` : "You are no longer reminded.");
});

// --- The page.

document.title = `${subject} – History`;
setText(document.querySelector("h1"), `History of ${subject}`);
const button = document.getElementById("vital");
button.hidden = !may.report(me, subject);
button.addEventListener("click", async () => {
  if (await enter("vital", { subject }, { outbox })) {
    await outbox.flush();
    await load();
  }
});
document.getElementById("remind").hidden = !isOwn;
controls.addEventListener("input", drawVitals);
document.getElementById("before").addEventListener("click", () => turn(-1));
document.getElementById("after").addEventListener("click", () => turn(1));
await load();
if (isOwn) await loadReminder();
