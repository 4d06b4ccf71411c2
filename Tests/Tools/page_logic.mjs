// The logic of the study day's pages that needs no browser: the outbox's order and conflicts, the correction of the
// device's clock, the scales of the chart.
//
//     node Tests/Tools/page_logic.mjs

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

// Node takes a script for a module where a package says so.
const folder = mkdtempSync(join(tmpdir(), "pages-"));
cpSync(fileURLToPath(new URL("../../Sources/StudyServer/Pages", import.meta.url)), folder, { recursive: true });
writeFileSync(join(folder, "package.json"), '{"type": "module"}');
const load = (name) => import(pathToFileURL(join(folder, name)).href);
const { Clock } = await load("clock.js");
const { Outbox, backOff, baseFor, nextBatch, settle, summary } = await load("outbox.js");
const { Offline, Problem } = await load("api.js");
const { bandPath, chartData, linePath, scale, timeTicks, valueTicks } = await load("chart.js");
const { countdown, duration, number, valueText } = await load("ui.js");
const { timeOfDay, uuid } = await load("entry.js");

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
  assert.equal(clock.wasSet(), true);
  assert.equal(clock.offset(), 60 * MINUTE);
  assert.equal(clock.now(), 5_001_000);
  // Asleep for an hour: the steady clock stood still, the wall clock is right.
  Object.assign(times, { wall: 5_000_000 + 60 * MINUTE, steady: 1000 });
  assert.equal(clock.offset(), 0);
  assert.equal(clock.wasSet(), true);
  clock.observe({ wall: times.wall, steady: 900 }, times.wall + 50);
  assert.equal(clock.wasSet(), false);
});

test("a saved correction serves until the first measurement, and nonsense changes nothing", () => {
  const times = { wall: 10, steady: 0 };
  const clock = new Clock({ wall: () => times.wall, steady: () => times.steady, saved: 77 });
  assert.equal(clock.offset(), 77);
  clock.observe(clock.start(), NaN);
  assert.equal(clock.offset(), 77);
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

// --- Charts and words.

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
