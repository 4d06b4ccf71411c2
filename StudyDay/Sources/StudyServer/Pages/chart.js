// The curve of one person: band, fitted curve, readings, drinks and the release limit, drawn as SVG in the width
// that there is. Colours come from the style sheet.

import { clockTime, s } from "./ui.js";

const HEIGHT = 210;
const MARGIN = { top: 22, right: 12, bottom: 28, left: 36 };
const MINUTE = 60_000;

/** A straight map of a domain to a range; a domain without width maps to the middle. */
export function scale([d0, d1], [r0, r1]) {
  const span = d1 - d0;
  return (value) => (span === 0 ? (r0 + r1) / 2 : r0 + ((value - d0) / span) * (r1 - r0));
}

/** About `count` round numbers from 0 to at least `most`. */
export function valueTicks(most, count = 4) {
  const raw = Math.max(most, 0.1) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((each) => each >= raw * 0.999);
  const ticks = [];
  for (let index = 0; ticks.length < 2 || ticks.at(-1) < most * 0.999; index++) {
    ticks.push(Number((index * step).toPrecision(10)));
  }
  return ticks;
}

/** Round clock times within a span, at most `count` of them; `zone` is minutes to add to UTC. */
export function timeTicks(from, to, count, zone = 0) {
  const steps = [5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10080, 20160, 43200, 86400].map((minutes) => minutes * MINUTE);
  const step = steps.find((each) => (to - from) / each <= count) ?? steps.at(-1);
  const shift = zone * MINUTE;
  const ticks = [];
  for (let tick = Math.ceil((from + shift) / step) * step - shift; tick <= to; tick += step) {
    ticks.push(tick);
  }
  return ticks;
}

/** The outline of a line through points, broken where one is not a number. */
export function linePath(points) {
  let path = "";
  let isDown = false;
  for (const [x, y] of points) {
    const isDrawn = Number.isFinite(x) && Number.isFinite(y);
    if (isDrawn) path += `${isDown ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    isDown = isDrawn;
  }
  return path;
}

/** The outline of the area between two lines over the same points. */
export function bandPath(xs, lows, highs) {
  const drawn = xs.map((_, i) => i).filter((i) => [xs[i], lows[i], highs[i]].every(Number.isFinite));
  if (drawn.length < 2) return "";
  const forth = drawn.map((i) => [xs[i], highs[i]]);
  const back = drawn.reverse().map((i) => [xs[i], lows[i]]);
  return `${linePath([...forth, ...back])}Z`;
}

/** More readings than this are thinned: an instrument may send 50 a second. */
const MOST_READINGS = 400;

/** Evenly as many as can be told apart, the last, and those that somebody has to look at. */
export function thinned(readings) {
  const step = Math.ceil(readings.length / MOST_READINGS);
  return readings.filter(({ entry }, index) => index % step === 0 || index === readings.length - 1 || entry.state === "conflict");
}

/** What is drawn of a person: times in milliseconds, values in g/kg, and the ends of the axes. */
export function chartData(person, now) {
  const start = Date.parse(person.started ?? person.slot?.starts ?? "");
  const current = (entry) => entry.state !== "void";
  const readings = person.readings.filter(current)
    .map((entry) => ({ entry, at: Date.parse(entry.at), value: entry.g_per_kg }))
    .filter((each) => Number.isFinite(each.value));
  const drinks = person.drinks.filter(current).map((entry) => ({ entry, at: Date.parse(entry.at) }));
  const curve = person.curve && Number.isFinite(start)
    ? { ...person.curve, at: person.curve.time_min.map((minutes) => start + minutes * MINUTE) }
    : null;
  const limit = person.forecast?.threshold_g_per_kg ?? person.release_limit_g_per_kg;
  const notBefore = Date.parse(person.forecast?.not_before ?? "");
  const times = [...readings, ...drinks].map((each) => each.at).concat(curve?.at ?? []);
  if (Number.isFinite(start)) times.push(start);
  if (!times.length) return null;
  if (Number.isFinite(notBefore)) times.push(notBefore);
  const first = Math.min(...times);
  const last = Math.max(...times, Math.min(now, first + 24 * 60 * MINUTE), first + 30 * MINUTE);
  const methods = person.methods && Number.isFinite(start)
    ? { ...person.methods, at: person.methods.time_min.map((minutes) => start + minutes * MINUTE) } : null;
  const values = readings.map((each) => each.value).concat(curve?.high ?? [], curve?.fitted ?? [], ...(methods?.curves ?? []).map((each) => each.g_per_kg));
  const most = Math.max(0.2, limit ?? 0, ...values.filter(Number.isFinite)) * 1.05;
  return { readings: thinned(readings), count: person.reading_count ?? readings.length, drinks, curve, methods, limit, notBefore, first, last, most };
}

/** Draws the chart of a person into `box`, again whenever the width changes. Returns a function that redraws. */
export function chart(box, id) {
  let person, now, width = 0;
  const redraw = () => {
    if (person && width > 0) box.replaceChildren(drawn(person, now, width, id));
  };
  new ResizeObserver(([entry]) => {
    const next = Math.round(entry.contentRect.width);
    if (next === width) return;
    width = next;
    redraw();
  }).observe(box);
  return (newPerson, newNow) => {
    person = newPerson;
    now = newNow;
    redraw();
  };
}

function drawn(person, now, width, id) {
  const data = chartData(person, now);
  const svg = s("svg", {
    class: "chart", width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-labelledby": `${id}-title ${id}-desc`,
  });
  svg.append(
    s("title", { id: `${id}-title` }, `Blood alcohol of ${person.subject}`),
    s("desc", { id: `${id}-desc` }, description(person, data)),
  );
  if (!data) {
    svg.append(s("text", { x: width / 2, y: HEIGHT / 2, class: "empty" }, "Nothing entered yet"));
    return svg;
  }
  const ticks = valueTicks(data.most);
  const x = scale([data.first, data.last], [MARGIN.left, width - MARGIN.right]);
  const y = scale([0, ticks.at(-1)], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  drawAxes(svg, data, ticks, x, y, width);
  if (data.methods) drawMethods(svg, data, x, y);
  if (data.curve) drawCurve(svg, data, now, x, y);
  drawMarks(svg, data, now, x, y, width);
  return svg;
}

function drawAxes(svg, data, ticks, x, y, width) {
  for (const tick of ticks) {
    svg.append(
      s("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(tick), y2: y(tick), class: "grid" }),
      s("text", { x: MARGIN.left - 6, y: y(tick) + 4, class: "tick value" }, String(tick)),
    );
  }
  svg.append(s("text", { x: MARGIN.left - 6, y: 10, class: "tick value" }, "g/kg"));
  const zone = -new Date(data.first).getTimezoneOffset();
  for (const tick of timeTicks(data.first, data.last, Math.max(2, Math.floor(width / 75)), zone)) {
    const at = x(tick);
    svg.append(s("line", { x1: at, x2: at, y1: y(0), y2: y(0) + 4, class: "axis" }));
    if (at > MARGIN.left + 8 && at < width - 18) {
      svg.append(s("text", { x: at, y: HEIGHT - 8, class: "tick time" }, clockTime(tick)));
    }
  }
  svg.append(s("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(0), y2: y(0), class: "axis" }));
}

/** What r methods expect, as thin lines as far as the axis goes. */
function drawMethods(svg, { methods, first, last }, x, y) {
  methods.curves.forEach(({ method, g_per_kg: values }, index) => {
    const points = methods.at.map((at, i) => (at >= first && at <= last ? [x(at), y(values[i])] : [NaN, NaN]));
    svg.append(s("path", { d: linePath(points), class: `method method-${index}` }, s("title", {}, method)));
  });
}

function drawCurve(svg, { curve }, now, x, y) {
  const xs = curve.at.map(x);
  svg.append(s("path", { d: bandPath(xs, curve.low.map(y), curve.high.map(y)), class: "band" }));
  const points = curve.at.map((at, i) => ({ at, point: [xs[i], y(curve.fitted[i])] }));
  const past = points.filter(({ at }) => at <= now).map(({ point }) => point);
  const future = points.filter(({ at }) => at > now).map(({ point }) => point);
  if (past.length) future.unshift(past.at(-1));
  svg.append(s("path", { d: linePath(past), class: "fitted" }), s("path", { d: linePath(future), class: "fitted ahead" }));
}

function drawMarks(svg, data, now, x, y, width) {
  if (data.limit != null) {
    const at = y(data.limit);
    svg.append(
      s("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: at, y2: at, class: "limit" }),
      s("text", { x: width - MARGIN.right, y: at - 4, class: "limit-label" }, `limit ${data.limit}`),
    );
  }
  if (data.limit != null && Number.isFinite(data.notBefore)) {
    const at = x(data.notBefore);
    svg.append(
      s("line", { x1: at, x2: at, y1: y(data.limit), y2: y(0), class: "limit" }),
      s("circle", { cx: at, cy: y(data.limit), r: 3.5, class: "not-before" }),
    );
  }
  if (now >= data.first && now <= data.last) {
    svg.append(s("line", { x1: x(now), x2: x(now), y1: MARGIN.top, y2: y(0), class: "now" }));
  }
  for (const { at } of data.drinks) {
    const [cx, cy] = [x(at), y(0)];
    svg.append(s("path", { d: `M${cx - 6} ${cy}L${cx + 6} ${cy}L${cx} ${cy - 10}Z`, class: "drink" }));
  }
  for (const { entry, at, value } of data.readings) {
    const kind = entry.state === "conflict" ? " conflict" : isExcluded(entry) ? " excluded" : "";
    svg.append(s("circle", { cx: x(at), cy: y(value), r: 4, class: `reading${kind}` }));
  }
}

/** Whether a reading is left out of the fit. */
export function isExcluded(entry) {
  return Boolean(entry.excluded ?? entry.value?.excluded);
}

function description(person, data) {
  if (!data) return "No readings and drinks yet.";
  const last = data.readings.at(-1);
  const parts = [`${data.count} readings and ${data.drinks.length} drinks.`];
  if (last) parts.push(`Latest reading ${last.value.toFixed(2)} g/kg at ${clockTime(last.at)}.`);
  if (data.limit != null) parts.push(`Release limit ${data.limit} g/kg.`);
  if (Number.isFinite(data.notBefore)) parts.push(`Below it not before ${clockTime(data.notBefore)}.`);
  if (person.curve) parts.push("Fitted curve with its 95 % band.");
  return `${parts.join(" ")} All values are in the table below.`;
}
