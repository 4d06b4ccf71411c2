// One person over sessions: alcohol by day and week, readings, vital signs by day, months at a glance, and when to be
// reminded.

import { call, clock, Offline } from "./api.js";
import { linePath, scale, timeTicks, valueTicks } from "./chart.js";
import { add, enter } from "./entry.js";
import { may, showConnection, startPage } from "./shell.js";
import { ask, clockTime, dateText, dayName, field, h, momentName, s, say, setText, table, timeOfDay, timeText, unitNames, valueText, vitals } from "./ui.js";

const DAY_MS = 86_400_000;
const subject = decodeURIComponent(location.pathname.slice("/history/".length));
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
const { me, outbox } = await startPage();
const isOwn = me.subject === subject;
const controls = document.getElementById("controls");
let history = { sessions: [], weeks: [], drinking_days: [], own_drinks: [], days: [], kinds: [], risk_limits_g: [] };
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
  drawDrinks();
  drawOwn();
  drawSessions();
  drawVitals();
}

/** The day of a date, in the middle, where no change of the clocks moves it. */
const noon = (date) => new Date(`${date}T12:00`);
const daysLater = (date, days) => {
  const time = noon(date);
  time.setDate(time.getDate() + days);
  return dateText(time);
};

function drawDrinks() {
  const { weeks, drinking_days: days, standard_drink_g: drink, risk_source: source, risk_limits_g: limits } = history;
  const own = weeks.some((week) => week.own_g > 0);
  setText(document.getElementById("drinks-about"), history.hidden?.includes("doses")
    ? "Only drinks that you noted yourself: those of the study are hidden while it is blinded."
    : own ? "Drinks of the study, and own ones that were noted (lighter)." : "Drinks of the study only: what was drunk elsewhere is not in it, unless it is noted as an own drink.");
  const today = dateText(new Date(clock.now()));
  const monday = daysLater(today, -((noon(today).getDay() + 6) % 7));
  const back = (from, count, step) => Array.from({ length: count }, (_, index) => daysLater(from, (index - count + 1) * step));
  document.getElementById("drinks").replaceChildren(...weeks.length ? [
    bars("Ethanol by day (g), 4 weeks; colours are the risk of the week", back(today, 28, 1), days, []),
    bars("Ethanol by week (g), 12 weeks", back(monday, 12, 7), weeks, limits),
    table(`A standard drink has ${drink} g. ${source}`, ["Week from", "Ethanol (g)", "Of it own (g)", "Standard drinks", "Risk"], weeks.map((week) =>
      h("tr", {}, h("th", { scope: "row" }, dayName(noon(week.starts).getTime())), h("td", {}, String(week.ethanol_g)), h("td", {}, String(week.own_g)),
        h("td", {}, String(week.standard_drinks)), h("td", {}, h("span", { class: `mark risk-${week.risk}` }, RISKS[week.risk]))))),
  ] : [h("p", {}, "No drink was entered.")]);
  drawMonths();
}

/** A bar for each of some dates; what of it are own drinks stands lighter above the rest. */
function bars(name, dates, periods, limits) {
  const width = Math.min(document.getElementById("drinks").clientWidth, 640);
  const known = new Map(periods.map((period) => [period.starts, period]));
  const shown = dates.map((date) => known.get(date)).filter(Boolean);
  const most = Math.max(10, ...shown.map((period) => period.ethanol_g));
  const lines = limits.filter((limit) => limit < 2 * most);
  const ticks = valueTicks(Math.max(most, ...lines));
  const y = scale([0, ticks.at(-1)], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const x = scale([0, dates.length], [MARGIN.left, width - MARGIN.right]);
  const svg = s("svg", { class: "chart", width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img",
    "aria-label": `${name}: ${shown.map((period) => `${dayName(noon(period.starts).getTime())} ${period.ethanol_g} g, ${RISKS[period.risk]}`).join("; ") || "nothing"}` });
  for (const tick of ticks) {
    svg.append(s("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(tick), y2: y(tick), class: "grid" }),
      s("text", { x: MARGIN.left - 6, y: y(tick) + 4, class: "tick value" }, String(tick)));
  }
  const every = Math.ceil(dates.length / Math.max(2, Math.floor(width / 80)));
  dates.forEach((date, index) => {
    const period = known.get(date);
    const [left, wide] = [x(index) + 1, Math.max(2, x(1) - x(0) - 2)];
    if (period) {
      const top = y(period.ethanol_g);
      const middle = y(period.ethanol_g - period.own_g);
      svg.append(s("rect", { x: left, y: middle, width: wide, height: y(0) - middle, class: `bar risk-${period.risk}` }),
        s("rect", { x: left, y: top, width: wide, height: middle - top, class: `bar own risk-${period.risk}` }));
    }
    if (index % every === 0) {
      svg.append(s("text", { x: left, y: HEIGHT - 6, class: "tick" }, noon(date).toLocaleDateString("en-GB", { day: "numeric", month: "short" })));
    }
  });
  for (const limit of lines) {
    svg.append(s("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(limit), y2: y(limit), class: "threshold" }),
      s("text", { x: MARGIN.left + 2, y: y(limit) - 4, class: "threshold-label" }, `${limit} g`));
  }
  return h("figure", { class: "vital" }, h("figcaption", {}, name), svg);
}

/** Own drinks, which their person can take out. */
function drawOwn() {
  const place = document.getElementById("own");
  const own = isOwn ? history.own_drinks : [];
  place.hidden = !own.length;
  place.querySelector(".list").replaceChildren(...own.map((entry) => {
    const text = valueText("drink", entry.value);
    return h("li", {}, h("div", {}, text, h("p", { class: "hint" }, momentName(entry.at, clock.now()))),
      h("button", { class: "small", "aria-label": `Take out ${text}`, onclick: async () => {
        await add(outbox, { kind: "drink", subject, action: "void", record: entry.uuid, base: entry.version, reason: "taken out by its person" });
        await outbox.flush();
        await load();
      } }, "Take out"));
  }));
}

function drawSessions() {
  // A vital sign that somebody reports is no session to look back at.
  const sessions = history.sessions.filter((each) => each.ethanol_g > 0 || each.readings > 0);
  const shown = (value) => (value == null ? "hidden" : String(value));
  const drawn = sessions.filter((each) => each.curve).slice(0, MOST_SESSIONS);
  document.getElementById("sessions").replaceChildren(drawn.length ? across(drawn) : "", sessions.length
    ? table("Newest first", ["Began", "Ethanol (g)", "Standard drinks", "Readings", "Highest (g/kg)", "State"], sessions.map((each) =>
      h("tr", {}, h("th", { scope: "row" }, `${dayName(each.started)}, ${clockTime(each.started)}`), h("td", {}, shown(each.ethanol_g)),
        h("td", {}, shown(each.standard_drinks)), h("td", {}, String(each.readings)),
        h("td", {}, each.highest_g_per_kg == null ? (history.hidden?.includes("readings") ? "hidden" : "–") : each.highest_g_per_kg.toFixed(2)), h("td", {}, each.state))))
    : h("p", {}, "There was no session."));
}

/** As many sessions as lines can be told apart. */
const MOST_SESSIONS = 5;

/** The readings of sessions over each other, by the time since the first drink of each. */
function across(sessions) {
  const width = Math.min(document.getElementById("sessions").clientWidth, 640);
  const times = sessions.flatMap(({ curve }) => curve.time_min);
  const [from, to] = [Math.min(0, ...times), Math.max(60, ...times)];
  const ticks = valueTicks(Math.max(.2, ...sessions.flatMap(({ curve }) => curve.g_per_kg)));
  const x = scale([from, to], [MARGIN.left, width - MARGIN.right]);
  const y = scale([0, ticks.at(-1)], [TALL - MARGIN.bottom, MARGIN.top]);
  const svg = s("svg", { class: "chart", width, height: TALL, viewBox: `0 0 ${width} ${TALL}`, role: "img",
    "aria-label": `Readings of ${sessions.length} sessions: ${sessions.map((each) => `${dayName(each.started)} highest ${each.highest_g_per_kg?.toFixed(2)} g/kg`).join("; ")}` });
  for (const tick of ticks) {
    svg.append(s("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(tick), y2: y(tick), class: "grid" }),
      s("text", { x: MARGIN.left - 6, y: y(tick) + 4, class: "tick value" }, String(tick)));
  }
  for (const tick of valueTicks(to, Math.max(2, Math.floor(width / 90))).filter((each) => each <= to)) {
    svg.append(s("text", { x: x(tick), y: TALL - 6, class: "tick time" }, `${tick} min`));
  }
  sessions.forEach(({ curve }, index) => {
    const points = curve.time_min.map((time, at) => [x(time), y(curve.g_per_kg[at])]);
    svg.append(s("path", { d: linePath(points), class: `method method-${index} session-${index}` }),
      ...points.map(([cx, cy]) => s("circle", { cx, cy, r: 2.5, class: "reading" })));
  });
  const legend = sessions.map(({ started }, index) => h("span", {}, s("svg", { class: "chart", width: 26, height: 10, "aria-hidden": "true" },
    s("line", { x1: 0, x2: 26, y1: 5, y2: 5, class: `method method-${index} session-${index}` })), ` ${dayName(started)}`));
  return h("figure", { class: "vital" }, h("figcaption", {}, "Readings (g/kg) after the first drink, the last sessions"), svg, h("p", { class: "legend" }, legend));
}

/** The days of the kinds that matter enough. */
const chosen = () => history.days.filter((day) => day.importance >= Number(new FormData(controls).get("importance")));

function drawVitals() {
  const days = chosen();
  const kinds = history.kinds.filter(({ kind }) => days.some((day) => day.kind === kind));
  document.getElementById("charts").replaceChildren(...kinds.map((kind) => vitalChart(kind, days.filter((day) => day.kind === kind.kind))),
    kinds.length ? "" : h("p", {}, "No vital sign of this importance was entered."));
  drawMonths();
}

const [HEIGHT, TALL] = [150, 210];
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

/** The month that is shown, once for drinks and once for vital signs. */
function drawMonths() {
  const drinks = new Map(history.drinking_days.map((day) => [day.starts, day]));
  const days = chosen();
  const name = month.toLocaleDateString("en-GB", { month: "long", year: "numeric" });
  for (const title of ["drinks-title", "month-title"]) setText(document.getElementById(title), name);
  drawMonth("drinks-month", (date) => {
    const day = drinks.get(date);
    return day ? { state: `risk-${day.risk}`, mark: `${Math.round(day.ethanol_g)} g`, told: `${day.ethanol_g} g ethanol, in a week of ${RISKS[day.risk]}` } : null;
  });
  drawMonth("month", (date) => {
    const own = days.filter((each) => each.date === date);
    const isBeyond = own.some((each) => each.beyond);
    const told = own.map((each) => `${vitals[each.kind]?.name ?? each.kind} ${Number(each.mean.toFixed(1))}`).join(", ");
    return own.length ? { state: isBeyond ? "beyond" : "entered", mark: isBeyond ? "!" : "•", told: `${told}${isBeyond ? ", beyond a threshold" : ""}` } : null;
  });
}

/** A month, each day marked by what `about(date)` has: a state, a mark and words. */
function drawMonth(id, about) {
  const [year, index] = [month.getFullYear(), month.getMonth()];
  const first = (new Date(year, index, 1).getDay() + 6) % 7;
  const count = new Date(year, index + 1, 0).getDate();
  const cells = [...Array(first).fill(null), ...Array.from({ length: count }, (_, day) => day + 1)];
  while (cells.length % 7) cells.push(null);
  const cell = (day) => {
    if (day == null) return h("span", { role: "cell" });
    const { state = "none", mark = "", told } = about(dateText(new Date(year, index, day))) ?? {};
    return h("span", { role: "cell", class: `day ${state}`, title: told ?? null, "aria-label": `${day}: ${told ?? "nothing"}` },
      String(day), h("small", { "aria-hidden": "true" }, mark));
  };
  const rows = Array.from({ length: cells.length / 7 }, (_, week) => h("div", { role: "row" }, cells.slice(7 * week, 7 * week + 7).map(cell)));
  document.getElementById(id).replaceChildren(
    h("div", { role: "row" }, ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"].map((name) => h("span", { role: "columnheader" }, name))), ...rows);
}

function turn(by) {
  month = new Date(month.getFullYear(), month.getMonth() + by, 1);
  drawMonths();
}

// --- The reminder.

/** As many times of the day as somebody is reminded at. */
const MOST_TIMES = 4;
let times = [];

async function loadReminder() {
  const reminder = await call("GET", "/me/reminder").catch(() => ({}));
  times = reminder.times ?? [];
  const until = Date.parse(reminder.postponed_until ?? "");
  const place = document.getElementById("reminder");
  place.hidden = false;
  place.replaceChildren(times.length
    ? `You are reminded at ${times.join(", ")} if no vital sign was entered for it${until > clock.now() ? `; not before ${momentName(until, clock.now())}` : ""}. `
    : "You are not reminded. ", times.length ? h("button", { class: "small", onclick: postpone }, "Postpone") : "");
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

/** The next reminder comes at a time of the person's choice, today or tomorrow. */
async function postpone() {
  const input = h("input", { type: "time", name: "until", value: timeText(new Date(clock.now() + 3_600_000)), autofocus: true });
  const until = await ask({ title: "Postpone the reminder", body: [field("Until", input, "A time that is over today is tomorrow's.")],
    save: (data) => {
      const time = timeOfDay(data.get("until"), new Date(clock.now() + DAY_MS - 120_000));
      return time.toISOString();
    } });
  if (until) await remind({ times, postponed_until: until }, `You are reminded not before ${momentName(until, clock.now())}.`);
}

document.getElementById("remind").addEventListener("click", async () => {
  const inputs = Array.from({ length: MOST_TIMES }, (_, index) =>
    field(`Time ${index + 1}`, h("input", { type: "time", name: `at${index}`, value: times[index] ?? (index || times.length ? "" : "20:00"), autofocus: index === 0 })));
  const asked = await ask({ title: "When to be reminded", body: [
    h("div", { class: "row" }, inputs.slice(0, 2)), h("div", { class: "row" }, inputs.slice(2)),
    h("p", { class: "hint" }, "Each day at these times, where you are signed in, if no vital sign was entered since halfway to the one before. All empty: never."),
  ], save: (data) => ({ times: inputs.map((_, index) => data.get(`at${index}`)).filter(Boolean) }) });
  if (asked) await remind(asked, asked.times.length ? `You are reminded at ${asked.times.sort().join(", ")}.` : "You are no longer reminded.");
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
const ownDrink = document.getElementById("own-drink");
ownDrink.hidden = !isOwn;
ownDrink.addEventListener("click", async () => {
  if (await enter("drink", { subject, drinks: [], readings: [] }, { outbox, isOwn: true })) {
    await outbox.flush();
    await load();
  }
});
document.getElementById("remind").hidden = !isOwn;
controls.addEventListener("input", drawVitals);
for (const button of document.querySelectorAll("[data-turn]")) button.addEventListener("click", () => turn(Number(button.dataset.turn)));
await load();
if (isOwn) await loadReminder();
