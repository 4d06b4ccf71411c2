// The logic of the study day's pages that needs no browser: the outbox's order and conflicts, the correction of the
// device's clock, the scales of the chart.
//
//     node StudyDay/Tests/Tools/page_logic.mjs

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";

// Node takes a script for a module where a package says so.
const folder = mkdtempSync(join(tmpdir(), "pages-"));
cpSync(fileURLToPath(new URL("../../Sources/StudyServer/Pages", import.meta.url)), folder, { recursive: true });
writeFileSync(join(folder, "package.json"), '{"type": "module"}');
// The server writes this one from the table of units.
const table = readFileSync(fileURLToPath(new URL("../../../Sources/AlcoholKinetics/Units/units.tsv", import.meta.url)), "utf8");
const rows = table.split("\n").filter((line) => line && !line.startsWith("#")).map((line) => line.split("\t")).filter((row) => !row[5]);
const units = rows.map(([name, matrix, , , symbol]) => [name, `${symbol.replace("ug/", "µg/")} ${matrix}`]);
const highest = rows.map((row) => [row[0], Number(row[7])]);
writeFileSync(join(folder, "units.js"), `export const units = ${JSON.stringify(Object.fromEntries(units))};
export const highest = ${JSON.stringify(Object.fromEntries(highest))};
`);
const load = (name) => import(pathToFileURL(join(folder, name)).href);
const { Clock } = await load("clock.js");
const { Outbox, backOff, baseFor, isOutOfTime, nextBatch, restamped, settle, summary } = await load("outbox.js");
const { Offline, Problem } = await load("api.js");
const { bandPath, chartData, linePath, scale, thinned, timeTicks, valueTicks } = await load("chart.js");
const { countdown, dateText, duration, ethanolGrams, number, timeNear, timeOfDay, timeText, valueText } = await load("ui.js");
const { lastDrink, readingDoubt, readingUnit, rememberUnit, sameDrink, whatIfText } = await load("entry.js");
const { uuid } = await load("uuid.js");
const { changedMeasures } = await load("measures.js");
const { isSettledByItself } = await load("waiting.js");
const { homeOf, itemsFor, may } = await load("shell.js");
const { instrumentText, isInDoubt } = await load("instruments.js");
const { alertsText } = await load("staff.js");
const { doubt, dueText, isBelow, isOvertaken, isReleased, stands, withoutAdvice } = await load("card.js");
const { turnText } = await load("queue.js");
const { Step, updated } = await load("live.js");

const MINUTE = 60_000;

// --- The clock.

function clockAt(times) {
  return new Clock({ wall: () => times.wall, steady: () => times.steady });
}

test("the clock is corrected by the middle of a round trip, and the quickest answer is kept", () => {
  const times = { wall: 1_000_000, steady: 0 };
  const clock = clockAt(times);
  assert.equal(clock.offset(), 0);
  let start = clock.start();
  Object.assign(times, { wall: 1_000_400, steady: 400 });
  clock.observe(start, 1_060_200);
  assert.equal(clock.offset(), 60_000);
  // A slower answer that says something else is not believed.
  start = clock.start();
  Object.assign(times, { wall: 1_003_400, steady: 3400 });
  clock.observe(start, 1_060_400);
  assert.equal(clock.offset(), 60_000);
  // A quicker one is.
  start = clock.start();
  Object.assign(times, { wall: 1_003_410, steady: 3410 });
  clock.observe(start, 1_063_455);
  assert.equal(clock.offset(), 60_050);
  assert.equal(clock.now(), 1_063_460);
});

test("a clock that is set back goes on as before; one that slept is measured again", () => {
  const times = { wall: 5_000_000, steady: 0 };
  const clock = clockAt(times);
  clock.observe(clock.start(), 5_000_000);
  Object.assign(times, { wall: 5_000_000 - 60 * MINUTE + 1000, steady: 1000 });
  assert.equal(clock.isSure(), false);
  assert.equal(clock.offset(), 60 * MINUTE);
  assert.equal(clock.now(), 5_001_000);
  // Asleep for an hour: the steady clock stood still, the wall clock is right.
  Object.assign(times, { wall: 5_000_000 + 60 * MINUTE, steady: 1000 });
  assert.equal(clock.offset(), 0);
  assert.equal(clock.isSure(), false);
  clock.observe({ wall: times.wall, steady: 900 }, times.wall + 50);
  assert.equal(clock.isSure(), true);
});

test("a saved correction serves until the first measurement, and nonsense changes nothing", () => {
  const times = { wall: 10, steady: 0 };
  const clock = new Clock({ wall: () => times.wall, steady: () => times.steady, saved: 77 });
  assert.equal(clock.offset(), 77);
  clock.observe(clock.start(), NaN);
  assert.equal(clock.offset(), 77);
  assert.equal(clock.isSure(), false);
});

test("a clock that was set ahead is not sure, and right once it is measured", () => {
  const times = { wall: 0, steady: 0 };
  const clock = clockAt(times);
  clock.observe(clock.start(), 0);
  Object.assign(times, { wall: 120 * MINUTE + 900, steady: 1000 });
  assert.equal(clock.isSure(), false);
  // A slower answer than the first, which is believed all the same.
  const start = clock.start();
  Object.assign(times, { wall: 120 * MINUTE + 1900, steady: 2000 });
  clock.observe(start, 1500);
  assert.equal(clock.isSure(), true);
  assert.equal(clock.now(), 2000);
});

// --- The outbox.

let order = 0;
const item = (fields = {}, entry = {}) => ({
  order: ++order, by: "Ada", state: "waiting", problem: null, ...fields,
  entry: { id: `id-${order}`, kind: "reading", action: "enter", subject: "P01", ...entry },
});

test("entries go in order, of the person who is signed in, and those that were refused stay", () => {
  const items = [item(), item({ by: "Bea" }), item({ state: "refused" }), item(), item()];
  const batch = nextBatch([...items].reverse(), "Ada");
  assert.deepEqual(batch.map((each) => each.order), [items[0], items[3], items[4]].map((each) => each.order));
  assert.equal(nextBatch(items, "Ada", 1).length, 1);
  assert.deepEqual(nextBatch(items, "Cy"), []);
});

test("a change of what still waits is held back until the server has said which version it changes", () => {
  const made = item();
  const later = item();
  assert.equal(baseFor([made], made.entry.id, 5), null);
  assert.equal(baseFor([made], "another", 5), 5);
  const change = item({}, { action: "correct", record: made.entry.id, base: null });
  const again = item({}, { action: "correct", record: made.entry.id, base: null });
  const items = [made, later, change, again];
  const batch = nextBatch(items, "Ada");
  assert.deepEqual(batch, [made, later]);
  const { remove, put } = settle(items, batch, [
    { id: made.entry.id, status: "stored", seq: 41 }, { id: later.entry.id, status: "duplicate", seq: 7 }]);
  assert.deepEqual(remove, [made.order, later.order]);
  assert.deepEqual(put.map((each) => [each.order, each.entry.base]), [[change.order, 41], [again.order, 41]]);
});

test("what is refused or in conflict is kept with the reason, and what depends on it too", () => {
  const made = item();
  const other = item({}, { action: "correct", record: "x", base: 3 });
  const change = item({}, { action: "void", record: made.entry.id, base: null });
  const problem = { code: "E_DAY_VALUE", detail: "too much" };
  const { remove, put } = settle([made, other, change], [made, other], [
    { id: made.entry.id, status: "refused", problem }, { id: other.entry.id, status: "conflict", seq: 9 }]);
  assert.deepEqual(remove, []);
  assert.deepEqual(put.map((each) => each.state), ["refused", "conflict", "refused"]);
  assert.equal(put[0].problem, problem);
  const kept = summary([...put, item({ by: "Bea" })], "Ada");
  assert.deepEqual(kept, { waiting: 0, refused: 2, conflict: 1, others: [{ name: "Bea", count: 1 }] });
});

test("a change that follows one that was refused is of the version that was refused to change", () => {
  const first = item({}, { action: "correct", record: "x", base: 3 });
  const second = item({}, { action: "correct", record: "x", base: null });
  const { put } = settle([first, second], [first], [{ id: first.entry.id, status: "refused", problem: {} }]);
  assert.deepEqual(put.map((each) => [each.order, each.state, each.entry.base]),
    [[first.order, "refused", 3], [second.order, "waiting", 3]]);
});

test("the same again is the last drink that counts, and what a drink would do is said in words", () => {
  const [beer, wine] = [{ volume_ml: 500, abv_percent: 5 }, { mass_g: 200, abv_percent: 12 }];
  assert.equal(lastDrink({ drinks: [{ state: "current", value: beer }, { state: "void", value: wine }] }), beer);
  assert.equal(lastDrink({ drinks: [] }), undefined);
  const now = new Date(2026, 4, 1, 18).getTime();
  const later = (hours) => new Date(now + hours * 3_600_000).toISOString();
  const forecast = (hours) => ({ not_before: later(hours), threshold_g_per_kg: 0.2 });
  assert.equal(whatIfText({ ethanol_g: 20, peak: { median: 0.612, high: 0.7, at: later(1) }, forecast: forecast(5), without: forecast(3) }, now),
    "With 20 g more: highest about 0.61 g/kg (up to 0.70) at 19:00; below 0.2 g/kg not before 23:00 (without it below 0.2 g/kg not before 21:00).");
  assert.equal(whatIfText({ why_not: "The body weight is missing." }, now), "The body weight is missing.");
});

test("a series of thousands is drawn thinned, with its last reading and what is in conflict", () => {
  const readings = Array.from({ length: 5000 }, (_, index) => ({ entry: { state: index === 4321 ? "conflict" : "current" }, index }));
  const shown = thinned(readings);
  assert.ok(shown.length > 350 && shown.length < 450, String(shown.length));
  assert.ok([0, 4321, 4999].every((index) => shown.some((each) => each.index === index)));
  assert.equal(thinned(readings.slice(0, 300)).length, 300);
});

test("what the board means to one person", () => {
  const board = { serving: [{ number: 3, place: "Breath 1" }], waiting: [{ number: 4, before: 0, wait_min: 0 }, { number: 5, before: 1, wait_min: 6 }] };
  assert.equal(turnText({ ...board, mine: 3 }), "It is your turn, number 3: Breath 1.");
  assert.equal(turnText({ ...board, mine: 4 }), "Your number is 4. You are next, less than a minute.");
  assert.equal(turnText({ ...board, mine: 5 }), "Your number is 5. 1 before you, about 6 min.");
  assert.equal(turnText(board), null);
});

test("a reading that is due is said in words", () => {
  assert.equal(dueText(null), "");
  assert.equal(dueText(104_000), "Next reading in 1:44");
  assert.equal(dueText(-104_000), "Reading overdue by 1:44");
});

test("each role begins where it may be, and a screen on a wall on the board", () => {
  const roles = ["owner", "investigator", "operator", "viewer", "participant", "wall"];
  assert.deepEqual(roles.map((role) => homeOf({ role })), ["/day", "/day", "/day", "/day", "/book", "/board"]);
  assert.deepEqual(roles.filter((role) => may.beTold({ role })), roles.slice(0, 4));
  assert.deepEqual([may.enter, may.decide, may.arrange].map((can) => can({ role: "wall" })), [false, false, false]);
});

test("what can be said of an instrument", () => {
  const at = "2026-05-01T12:00:00.000Z";
  const instruments = ["ok", "failed", "overdue"].map((state) => ({ serial: state, state, at, due: at }));
  assert.equal(instrumentText("ok", instruments), "checked, next check due Fri, 1 May 2026");
  assert.equal(instrumentText("failed", instruments), "failed its calibration check of Fri, 1 May 2026");
  assert.equal(instrumentText("overdue", instruments), "calibration check was due Fri, 1 May 2026");
  assert.equal(instrumentText("AL-9", instruments), "no calibration check yet");
  assert.deepEqual(["ok", "failed", "overdue", "AL-9"].map((serial) => isInDoubt(serial, instruments)), [false, true, true, true]);
  assert.equal(alertsText(["mail", "webhook"]), "Each is told once, also when no page is open: by mail and by the webhook of this server.");
});

test("what was sent is kept until a backup has it, and sent again to a server that went back to an older copy", async () => {
  const kept = new Map();
  const posted = [];
  let seq = 10;
  const outbox = new Outbox({
    store: new MemoryStore(), offset: async () => 0,
    sent: {
      all: async () => [...kept.values()].sort((a, b) => a.seq - b.seq),
      put: async (item) => { kept.set(item.seq, item); },
      remove: async (seq) => { kept.delete(seq); },
      removeUpTo: async (last) => { for (const each of [...kept.keys()]) if (each <= last) kept.delete(each); },
    },
    send: async (entries) => {
      posted.push(...entries);
      return { results: entries.map(({ id }) => ({ id, status: "stored", seq: ++seq })) };
    },
  });
  outbox.by = "Ada";
  await outbox.add(entry("a"));
  await outbox.flush();
  await outbox.add(entry("b"));
  await outbox.flush();
  await outbox.add(entry("c", { action: "correct", record: "b", base: 12 }));
  await outbox.flush();
  assert.deepEqual([...kept.keys()], [11, 12, 13]);
  await outbox.compare(11, 13, async () => true);
  assert.deepEqual([...kept.keys()], [12, 13]);
  assert.equal(posted.length, 3);
  // What somebody else sent from this device stays until they are back.
  outbox.by = "Bea";
  await outbox.compare(11, 11, async () => false);
  assert.deepEqual([[...kept.keys()], posted.length], [[12, 13], 3]);
  outbox.by = "Ada";
  // The server is back at 11, or has other changes by now.
  for (const [last, isThere] of [[11, true], [40, false]]) {
    const before = posted.length;
    seq = last;
    await outbox.compare(11, last, async () => isThere);
    assert.deepEqual(posted.slice(before).map(({ id, base }) => [id, base]), [["b", undefined], ["c", last + 1]]);
    assert.equal((await outbox.store.all()).length, 0);
    assert.deepEqual([...kept.keys()], [last + 1, last + 2]);
  }
});

test("what was made while the clock was unsure gets the offset that is measured before it is sent", async () => {
  const at = (ms) => new Date(ms).toISOString();
  const sent = [];
  const outbox = new Outbox({
    store: new MemoryStore(),
    send: async (entries) => {
      sent.push(...entries);
      return { results: entries.map(({ id }) => ({ id, status: "stored", seq: 1 })) };
    },
    offset: async () => -120 * MINUTE,
  });
  outbox.by = "Ada";
  const made = { device_time: at(125 * MINUTE), clock_offset_ms: 0 };
  await outbox.store.add({ by: "Ada", state: "waiting", unsure: true, entry: entry("now", made) });
  await outbox.store.add({ by: "Ada", state: "waiting", unsure: true, entry: entry("typed", { ...made, at: at(3 * MINUTE) }) });
  await outbox.store.add({ by: "Ada", state: "waiting", unsure: false, entry: entry("sure", made) });
  await outbox.flush();
  assert.deepEqual(sent.map((each) => Date.parse(each.at ?? each.device_time) + each.clock_offset_ms),
    [5 * MINUTE, 3 * MINUTE, 125 * MINUTE]);
  assert.equal(restamped({ unsure: true, entry: sent[0] }, 0).unsure, undefined);
  // Without the server's time nothing is sent.
  await outbox.store.add({ by: "Ada", state: "waiting", unsure: true, entry: entry("later", made) });
  outbox.offset = async () => { throw new Offline(); };
  await outbox.flush();
  clearTimeout(outbox.timer);
  assert.equal((await outbox.store.all()).length, 1);
  assert.ok(outbox.obstacle instanceof Offline);
});

test("an entry that is still to come is asked about before it is sent again", () => {
  const now = 200 * 24 * 60 * MINUTE;
  const of = (ms, more) => entry("a", { device_time: new Date(now + ms).toISOString(), clock_offset_ms: 0, ...more });
  assert.equal(isOutOfTime(of(120 * MINUTE), now), true);
  assert.equal(isOutOfTime(of(120 * MINUTE, { clock_offset_ms: -120 * MINUTE }), now), false);
  assert.equal(isOutOfTime(of(-40 * 24 * 60 * MINUTE), now), true);
  assert.equal(isOutOfTime(of(0), now), false);
});

test("a participant sees nothing of what others left on the device", () => {
  const items = [item({ by: "tab", state: "refused" }, { subject: "p02" }), item({ by: "p03" })];
  assert.deepEqual(itemsFor({ name: "p03", role: "participant" }, items), [items[1]]);
  assert.deepEqual(itemsFor({ name: "Cy", role: "viewer" }, items), []);
  assert.deepEqual(itemsFor({ name: "Bea", role: "operator" }, items), items);
});

test("what somebody left is sent by another, or given up, and what depends on it is not sent", async () => {
  const sent = [];
  const outbox = new Outbox({
    store: new MemoryStore(),
    send: async (entries) => {
      sent.push(...entries);
      return { results: entries.map(({ id }) => ({ id, status: "stored", seq: sent.length })) };
    },
    offset: async () => 0,
  });
  outbox.by = "Ada";
  await outbox.store.add({ by: "Bea", state: "refused", entry: entry("taken") });
  await outbox.store.add({ by: "Bea", state: "waiting", entry: entry("given-up", { kind: "drink" }) });
  await outbox.store.add({ by: "Bea", state: "waiting", entry: entry("change", { action: "void", record: "given-up", base: null }) });
  await outbox.flush();
  assert.equal(sent.length, 0);
  const [taken, drink] = await outbox.store.all();
  assert.equal(isSettledByItself(drink, { name: "Ada" }), false);
  assert.equal(isSettledByItself(drink, { name: "Bea" }), true);
  await outbox.replace(taken, { ...taken.entry, reason: "made by Bea: she left" });
  const gone = entry("gone", { kind: "drink", action: "discard", record: "given-up", reason: "made by Bea: entered twice" });
  // Without a network it waits, and blocks no advice meanwhile.
  const { send } = outbox;
  outbox.send = async () => { throw new Offline(); };
  await outbox.replace(drink, gone);
  clearTimeout(outbox.timer);
  const items = await outbox.store.all();
  assert.deepEqual(items.map((each) => [each.by, each.entry.id, each.state]), [["Ada", "gone", "waiting"], ["Bea", "change", "waiting"]]);
  assert.equal(doubt(below, { items: [items[0]], isInStep: true, isClockSure: true, seen: 7 }), null);
  outbox.send = send;
  await outbox.flush();
  assert.deepEqual(sent.map((each) => each.id), ["taken", "gone"]);
  const [left, ...more] = await outbox.store.all();
  assert.deepEqual([left.entry.id, left.state, left.entry.base, more.length], ["change", "refused", null, 0]);
});

test("waiting doubles up to a minute", () => {
  assert.deepEqual([0, 1, 2, 5, 6, 60].map((attempt) => backOff(attempt, 0)), [1000, 2000, 4000, 32000, 60000, 60000]);
  assert.equal(backOff(0, 1), 750);
});

class MemoryStore {
  items = new Map();
  last = 0;
  async all() { return [...this.items.values()].map((each) => structuredClone(each)); }
  async add(each) {
    const key = ++this.last;
    this.items.set(key, structuredClone({ ...each, order: key }));
  }
  async put(each) { this.items.set(each.order, structuredClone(each)); }
  async remove(key) { this.items.delete(key); }
}

const entry = (id, more = {}) => ({ id, kind: "reading", action: "enter", subject: "P01", device_time: "t", ...more });

test("a network that comes and goes loses nothing, doubles nothing and keeps the order", async () => {
  const server = new Map();
  const seen = [];
  let seq = 0;
  let call = 0;
  const send = async (entries) => {
    call++;
    if (call % 3 === 1) throw new Offline();
    const results = entries.map(({ id, record }) => {
      const isNew = !server.has(id);
      if (isNew) {
        server.set(id, ++seq);
        seen.push(record ? `${record}!` : id);
      }
      return { id, status: isNew ? "stored" : "duplicate", seq: server.get(id) };
    });
    // The answer got lost after the server had stored everything.
    if (call % 3 === 2) throw new Offline();
    return { results };
  };
  const outbox = new Outbox({ store: new MemoryStore(), send });
  outbox.by = "Ada";
  for (let number = 0; number < 120; number++) await outbox.store.add({ by: "Ada", state: "waiting", entry: entry(`e${number}`) });
  await outbox.store.add({ by: "Ada", state: "waiting", entry: entry("c", { action: "correct", record: "e119", base: null }) });
  for (let round = 0; round < 20; round++) {
    await outbox.flush();
    clearTimeout(outbox.timer);
  }
  assert.equal((await outbox.store.all()).length, 0);
  assert.deepEqual(seen, [...Array.from({ length: 120 }, (_, number) => `e${number}`), "e119!"]);
  assert.equal(outbox.obstacle, null);
});

test("one entry that the server cannot read does not hold up the others", async () => {
  const outbox = new Outbox({
    store: new MemoryStore(),
    send: async (entries) => {
      if (entries.some(({ id }) => id === "bad")) throw new Problem(422, { code: "E_DAY_VALUE", detail: "no" });
      return { results: entries.map(({ id }) => ({ id, status: "stored", seq: 1 })) };
    },
  });
  outbox.by = "Ada";
  for (const id of ["a", "bad", "b"]) await outbox.store.add({ by: "Ada", state: "waiting", entry: entry(id) });
  await outbox.flush();
  const left = await outbox.store.all();
  assert.deepEqual(left.map((each) => [each.entry.id, each.state, each.problem.code]), [["bad", "refused", "E_DAY_VALUE"]]);
});

test("a full disk and a session that has ended keep everything; only the latter stops trying", async () => {
  for (const [status, tries] of [[507, true], [503, true], [401, false]]) {
    const outbox = new Outbox({ store: new MemoryStore(), send: async () => { throw new Problem(status, { detail: "x" }); } });
    outbox.by = "Ada";
    await outbox.store.add({ by: "Ada", state: "waiting", entry: entry("a") });
    outbox.timer = null;
    await outbox.flush();
    assert.equal((await outbox.store.all())[0].state, "waiting");
    assert.equal(outbox.timer !== null, tries);
    clearTimeout(outbox.timer);
  }
});

test("an answer without results is no acknowledgement", async () => {
  const outbox = new Outbox({ store: new MemoryStore(), send: async () => ({ results: [] }) });
  outbox.by = "Ada";
  await outbox.store.add({ by: "Ada", state: "waiting", entry: entry("a") });
  await outbox.flush();
  clearTimeout(outbox.timer);
  assert.equal((await outbox.store.all()).length, 1);
});

// --- Advice.

test("a page is in step only for a while after the server said so, by either clock", () => {
  const times = { wall: 0, steady: 0 };
  const step = new Step({ wall: () => times.wall, steady: () => times.steady });
  assert.equal(step.isIn, false);
  step.confirm();
  times.steady = times.wall = MINUTE;
  assert.equal(step.isIn, true);
  // Asleep: the steady clock stood still. Set back: the other one went back.
  times.wall = 2 * MINUTE;
  assert.equal(step.isIn, false);
  Object.assign(times, { wall: -MINUTE, steady: 2 * MINUTE });
  assert.equal(step.isIn, false);
  step.confirm();
  assert.equal(step.isIn, true);
  step.lose();
  assert.equal(step.isIn, false);
});

const started = 1_000 * MINUTE;
const forecast = { threshold_g_per_kg: 0.2, not_before: new Date(started + 60 * MINUTE).toISOString() };
const below = {
  subject: "P01", seq: 7, forecast, readings: [], drinks: [], started: new Date(started).toISOString(),
  curve: { time_min: [0, 60, 120], fitted: [0, 0.4, 0.1], low: [0, 0.3, 0], high: [0, 0.5, 0.2] },
};

test("nothing is advised while the server lacks a drink or a reading, or the page lacks the server", () => {
  const sure = { items: [], isInStep: true, isClockSure: true, seen: 7 };
  assert.equal(doubt(below, sure), null);
  assert.equal(doubt(below, { ...sure, isInStep: false }), "Not in step with the server.");
  assert.match(doubt(below, { ...sure, isClockSure: false }), /clock/);
  assert.match(doubt(below, { ...sure, seen: 8 }), /computing/);
  for (const action of ["enter", "correct", "void", "resolve"]) {
    for (const state of ["waiting", "refused"]) {
      assert.match(doubt(below, { ...sure, items: [item({ state }, { kind: "drink", action })] }), /lacks/);
    }
  }
  // These change no forecast; what is in conflict the server has.
  for (const other of [item({}, { kind: "note" }), item({}, { kind: "vital" }), item({ state: "conflict" })]) {
    assert.equal(doubt(below, { ...sure, items: [other] }), null);
  }
});

test("without advice there is no mark, no time and no curve ahead", () => {
  const now = started + 90 * MINUTE;
  assert.equal(isBelow(below, now), true);
  const shown = withoutAdvice(below, "why", now);
  assert.equal(isBelow(shown, now), false);
  assert.equal(shown.why_not, "why");
  assert.deepEqual(shown.curve, { time_min: [0, 60], fitted: [0, 0.4], low: [0, 0.3], high: [0, 0.5] });
  assert.equal(withoutAdvice(below, null, now), below);
});

test("a notice stands while what is known of the person says so", () => {
  const now = started + 90 * MINUTE;
  const due = { ...below, next_reading_due: new Date(now - 1).toISOString() };
  assert.equal(stands({ kind: "release" }, below, now), true);
  assert.equal(stands({ kind: "release" }, { ...below, forecast: null }, now), false);
  assert.equal(stands({ kind: "due" }, due, now), true);
  assert.equal(stands({ kind: "due" }, { ...due, next_reading_due: new Date(now + 10 * MINUTE).toISOString() }, now), false);
  assert.equal(stands({ kind: "due" }, { ...due, release: { decision: "released" } }, now), false);
  assert.equal(stands({ kind: "vital" }, below, now), true);
  const changed = { ...due, release: { decision: "released", changed_since: [9] } };
  assert.equal(stands({ kind: "changed" }, changed, now), true);
  assert.equal(stands({ kind: "changed" }, below, now), false);
  // Who is to be looked at again is to breathe again.
  assert.equal(stands({ kind: "due" }, changed, now), true);
  assert.equal(isReleased(changed), false);
});

test("a release that something came after is to be looked at again", () => {
  const of = (more) => ({ ...below, release: { decision: "released", by: "Ada", ...more } });
  assert.equal(isOvertaken(of(), []), false);
  assert.equal(isOvertaken(of({ changed_since: [12] }), []), true);
  assert.equal(isOvertaken(of(), [item({}, { kind: "drink" })]), true);
  assert.equal(isOvertaken(of(), [item({}, { kind: "note" })]), false);
  assert.equal(isOvertaken(of({ decision: "kept", changed_since: [12] }), []), false);
});

// --- Charts and words.

test("ethanol is that of grams, volume and weight", () => {
  assert.equal(ethanolGrams({ ethanol_g: 30 }), 30);
  assert.ok(Math.abs(ethanolGrams({ volume_ml: 500, abv_percent: 5 }) - 19.725) < 1e-9);
  // As the server computes it: 400 g of 12.5 % vol.
  assert.ok(Math.abs(ethanolGrams({ mass_g: 400, abv_percent: 12.5 }) - 40.176) < 0.001);
  assert.ok(Math.abs(ethanolGrams({ mass_g: 0.78924, abv_percent: 100 }) - 0.789) < 1e-12);
});

test("scales and ticks", () => {
  assert.equal(scale([0, 10], [0, 100])(2.5), 25);
  assert.equal(scale([3, 3], [0, 100])(3), 50);
  for (const most of [0, 0.01, 0.2, 0.84, 1.0, 1.37, 2.4, 4.9, 1000]) {
    const ticks = valueTicks(most);
    assert.ok(ticks[0] === 0 && ticks.at(-1) >= most * 0.999 && ticks.length <= 6, `${most}: ${ticks}`);
  }
  assert.deepEqual(valueTicks(1), [0, 0.25, 0.5, 0.75, 1]);
  const hour = 60 * MINUTE;
  assert.deepEqual(timeTicks(hour * 0.9, hour * 4.2, 4), [hour, 2 * hour, 3 * hour, 4 * hour]);
  // Half an hour off UTC, whole hours there.
  assert.deepEqual(timeTicks(0, 2 * hour, 2, 30), [hour / 2, (3 * hour) / 2]);
  assert.ok(timeTicks(0, 400 * hour, 4).length <= 17);
});

test("paths break where there is no number", () => {
  assert.equal(linePath([[0, 1], [1, NaN], [2, 3], [3, 4]]), "M0.0 1.0M2.0 3.0L3.0 4.0");
  assert.equal(bandPath([0, 1], [0, 0], [1, 1]), "M0.0 1.0L1.0 1.0L1.0 0.0L0.0 0.0Z");
  assert.equal(bandPath([0, 1], [0, null], [1, NaN]), "");
});

test("a chart shows what counts, in g/kg", () => {
  const at = (minutes) => new Date(minutes * MINUTE).toISOString();
  const person = {
    started: at(0), release_limit_g_per_kg: 0.2, forecast: null, curve: null, drinks: [],
    readings: [
      { at: at(30), g_per_kg: 0.5, state: "current" }, { at: at(20), g_per_kg: 9, state: "void" },
      { at: at(40), g_per_kg: null, state: "current" },
    ],
  };
  const data = chartData(person, 60 * MINUTE);
  assert.equal(data.readings.length, 1);
  assert.equal(data.first, 0);
  assert.equal(data.last, 60 * MINUTE);
  assert.ok(Math.abs(data.most - 0.525) < 1e-12);
  assert.equal(chartData({ ...person, started: null, readings: [] }, 0), null);
});

test("numbers as people type them", () => {
  assert.equal(number(" 0,42 "), 0.42);
  assert.equal(number(".5"), 0.5);
  for (const text of ["", "1e5", "0.4.2", "12a", "0x10", "1,000.5", "-"]) assert.ok(Number.isNaN(number(text)), text);
});

test("times and values in words", () => {
  assert.equal(countdown(-65_000), "1:05");
  assert.equal(countdown(3_905_000), "1:05:05");
  assert.equal(duration(65 * MINUTE), "1 h 05 min");
  assert.equal(valueText("drink", { mass_g: 250, abv_percent: 12.5, name: "Wine" }), "Wine, 250 g of 12.5 % vol");
  assert.equal(valueText("reading", { concentration: 0.42, unit: "brac_mg_per_l" }), "0.42 mg/L breath");
});

test("a time of day that would be in the future was yesterday", () => {
  const now = new Date(2026, 10, 23, 0, 10);
  assert.equal(timeOfDay("23:50", now).getDate(), 22);
  assert.equal(timeOfDay("00:05", now).getDate(), 23);
});

test("a person takes what changed, and is fetched where something is missing", () => {
  const at = (minute) => new Date(minute * MINUTE).toISOString();
  const lists = { drinks: [], vitals: [], notes: [] };
  const known = { ...lists, occasion: "a", seq: 3, readings: [{ uuid: "x", at: at(1), version: 1 }, { uuid: "z", at: at(9), version: 3 }] };
  const news = { ...lists, occasion: "a", seq: 5, since: 3, readings: [{ uuid: "y", at: at(5), version: 4 }, { uuid: "x", at: at(2), version: 5 }] };
  const whole = updated(known, news);
  assert.deepEqual(whole.readings.map(({ uuid, version }) => [uuid, version]), [["x", 5], ["y", 4], ["z", 3]]);
  assert.ok(whole.seq === 5 && !("since" in whole));
  assert.equal(updated(undefined, news), null);
  assert.equal(updated({ ...known, seq: 2 }, news), null, "a change between was missed");
  assert.equal(updated({ ...known, occasion: "b" }, news), null);
  const full = { ...news, since: undefined };
  assert.equal(updated(undefined, full), full);
});

test("the unit is asked once at a station", () => {
  const kept = new Map();
  globalThis.localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text) };
  try {
    const day = { reading_unit: null };
    assert.equal(readingUnit(day), null);
    rememberUnit({ kind: "drink", action: "enter", value: { ethanol_g: 20 } });
    assert.equal(readingUnit(day), null);
    for (const unit of ["brac_mg_per_l", "bac_g_per_kg"]) {
      rememberUnit({ kind: "reading", action: "enter", value: { concentration: 0.2, unit } });
      assert.equal(readingUnit(day), "brac_mg_per_l");
    }
  } finally {
    delete globalThis.localStorage;
  }
});

test("a day is that of the clocks also where they are changed at midnight", () => {
  const zone = process.env.TZ;
  try {
    for (const [place, moment, day, time] of [
      // From 0:00 on to 1:00; then from 24:00 back to 23:00.
      ["America/Santiago", "2026-09-06T03:59Z", "2026-09-05", "23:59"], ["America/Santiago", "2026-09-06T04:00Z", "2026-09-06", "01:00"],
      ["America/Santiago", "2026-04-05T03:30Z", "2026-04-04", "23:30"],
      // From 1:00 back to 0:00.
      ["America/Havana", "2026-11-01T04:30Z", "2026-11-01", "00:30"], ["America/Havana", "2026-11-01T05:30Z", "2026-11-01", "00:30"],
    ]) {
      process.env.TZ = place;
      const date = new Date(moment);
      assert.deepEqual([dateText(date), timeText(date)], [day, time], `${place} ${moment}`);
      assert.equal(timeOfDay(time, date).getTime(), date.getTime());
    }
    process.env.TZ = "America/Santiago";
    assert.throws(() => timeOfDay("00:30", new Date("2026-09-06T15:00Z")), /set ahead/);
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

test("where clocks are set, a time of day is the last one that they showed", () => {
  const zone = process.env.TZ;
  process.env.TZ = "Europe/Berlin";
  const utc = (text) => new Date(text);
  try {
    // 25 October 2026: 02:00 to 03:00 is there twice.
    const time = (text, now) => timeOfDay(text, utc(now)).toISOString();
    assert.equal(time("02:30", "2026-10-25T01:45:00Z"), "2026-10-25T01:30:00.000Z");
    assert.equal(time("02:50", "2026-10-25T01:45:00Z"), "2026-10-25T00:50:00.000Z");
    assert.equal(time("02:30", "2026-10-25T00:45:00Z"), "2026-10-25T00:30:00.000Z");
    assert.equal(time("23:50", "2026-10-25T01:45:00Z"), "2026-10-24T21:50:00.000Z");
    assert.equal(time("03:05", "2026-10-25T02:10:00Z"), "2026-10-25T02:05:00.000Z");
    // 29 March 2026: it is not there at all.
    assert.throws(() => time("02:30", "2026-03-29T01:10:00Z"), /no 02:30 today/);
    assert.equal(time("01:50", "2026-03-29T01:10:00Z"), "2026-03-29T00:50:00.000Z");
    // A time that is corrected is the one nearest to what it was.
    const near = (text, moment) => timeNear(text, utc(moment)).toISOString();
    assert.equal(near("23:55", "2026-05-01T22:05:00Z"), "2026-05-01T21:55:00.000Z");
    assert.equal(near("02:20", "2026-10-25T01:30:00Z"), "2026-10-25T01:20:00.000Z");
    assert.equal(near("02:20", "2026-10-25T00:25:00Z"), "2026-10-25T00:20:00.000Z");
    assert.equal(timeText(utc("2026-05-01T07:05:30Z")), "09:05");
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

test("what cannot be right is asked about, and no more than that", () => {
  const now = 1_000 * MINUTE;
  const at = (minutes) => new Date(now - minutes * MINUTE).toISOString();
  const last = (concentration, minutes = 10, unit = "bac_g_per_kg") => ({ at: at(minutes), value: { concentration, unit } });
  const is = (concentration, before) => readingDoubt({ concentration, unit: "bac_g_per_kg" }, before, now);
  assert.match(is(45), /more than anybody survives/);
  // 0.45 per mille of blood is 0.21 mg/L of breath.
  assert.match(is(0.21, last(0.45)), /before was 0.45/);
  assert.match(is(4.5, last(0.45)), /before was 0.45/);
  for (const [value, before] of [[0.45, last(0.5)], [0.6, last(0.3)], [0.21, last(0.45, 45)], [0.5, undefined], [0.21, last(0.45, 5, "brac_mg_per_l")]]) {
    assert.equal(is(value, before), null, `${value}`);
  }
  const drink = { at: at(4), state: "current", value: { volume_ml: 500, abv_percent: 5 } };
  assert.equal(sameDrink({ ethanol_g: 19.8 }, [drink], now), drink);
  assert.equal(sameDrink({ ethanol_g: 25 }, [drink], now), undefined);
  assert.equal(sameDrink({ ethanol_g: 19.8 }, [{ ...drink, state: "void" }], now), undefined);
  assert.equal(sameDrink({ ethanol_g: 19.8 }, [drink], now + 20 * MINUTE), undefined);
});

test("only measures that differ are changed", () => {
  const known = { sex: "male", age_y: 30, height_cm: 110.00000000000001, weight_kg: null };
  const typed = (more) => (name) => ({ age_y: "30", height_cm: "110", weight_kg: "", ...more })[name];
  assert.deepEqual(changedMeasures(known, "male", typed({})), {});
  assert.deepEqual(changedMeasures(known, "female", typed({ weight_kg: "72,5" })), { sex: "female", weight_kg: 72.5 });
  assert.throws(() => changedMeasures(known, "male", typed({ height_cm: "1,75" })), /from 100 to 250/);
  assert.throws(() => changedMeasures(known, "male", typed({ age_y: "" })), /Age/);
});

test("identifiers are UUIDs", () => {
  assert.match(uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("entries made while others are sent make one more round, not one more chain of attempts", async () => {
  let under = 0;
  let most = 0;
  let calls = 0;
  const outbox = new Outbox({
    store: new MemoryStore(),
    send: async (entries) => {
      calls++;
      most = Math.max(most, ++under);
      await new Promise((resolve) => setTimeout(resolve, 5));
      under--;
      return { results: entries.map(({ id }) => ({ id, status: "stored", seq: calls })) };
    },
  });
  outbox.by = "Ada";
  for (const id of ["a", "b", "c", "d"]) await outbox.add(entry(id));
  await outbox.flush();
  assert.equal(most, 1);
  assert.equal((await outbox.store.all()).length, 0);
});

// --- What a page notified of.

test("a notification leads to the page that is open, or to the day", async () => {
  const heard = {};
  const seen = [];
  const windows = [];
  runInNewContext(readFileSync(join(folder, "sw.js"), "utf8"), {
    addEventListener: (name, listener) => { heard[name] = listener; }, URL, location: { origin: "https://lab" },
    clients: { matchAll: async () => windows, openWindow: async (path) => seen.push(`opened ${path}`) },
  });
  const click = async () => {
    let work;
    heard.notificationclick({ notification: { close: () => seen.push("closed") }, waitUntil: (promise) => { work = promise; } });
    await work;
  };
  await click();
  windows.push({ focus: async () => seen.push("shown") });
  await click();
  assert.deepEqual(seen, ["closed", "opened /day", "closed", "shown"]);
  assert.equal(heard.push, undefined);
});
