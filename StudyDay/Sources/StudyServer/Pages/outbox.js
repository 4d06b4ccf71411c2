// Entries on their way to the server: kept on the device until it has them, sent in order, never lost.
//
// An item is {order, by, made, entry, state, problem, unsure}: `entry` is what is sent, `by` who made it, and `state`
// one of "waiting", "refused" and "conflict". The latter two stay until the person has dealt with them. `unsure` says
// that the device's clock could not be compared with the server's when the entry was made.

import { Offline, Problem } from "./api.js";

/** Entries in one request. */
const BATCH = 50;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** How far ahead of the server's clock an entry may be, and how old; the server takes a little more. */
const AHEAD_MS = 60_000;
const AGO_MS = 30 * 86_400_000;

/** The entry that an item makes or changes. */
const target = (item) => item.entry.record ?? item.entry.id;

/** When an entry was, by the server's clock, in milliseconds. */
export const entryMoment = (entry) => Date.parse(entry.at ?? entry.device_time) + entry.clock_offset_ms;

/** Whether an entry says of itself that it is still to come, or a month old: its device's clock was wrong. */
export function isOutOfTime(entry, now) {
  const moment = entryMoment(entry);
  return entry.action === "enter" && (moment > now + AHEAD_MS || moment < now - AGO_MS);
}

/**
 * The items to send next: in order, of the person who is signed in. A change of an entry that itself
 * still waits is held back until the server has said which version it changes.
 */
export function nextBatch(items, by, limit = BATCH) {
  const batch = [];
  const targets = new Set();
  for (const item of [...items].sort((a, b) => a.order - b.order)) {
    if (item.state !== "waiting" || item.by !== by) continue;
    const mustWait = item.entry.record && item.entry.base == null && targets.has(item.entry.record);
    if (batch.length === limit || mustWait) break;
    batch.push(item);
    targets.add(target(item));
  }
  return batch;
}

/** The version that a change made now is based on: null if it depends on something that still waits. */
export function baseFor(items, record, version) {
  return items.some((item) => item.state === "waiting" && target(item) === record) ? null : version;
}

/**
 * What the server's results mean for the items: which to remove, and which to keep changed. Items without a
 * result stay as they are.
 */
export function settle(items, batch, results) {
  const byId = new Map(results.map((result) => [result.id, result]));
  const sent = new Set(batch.map((item) => item.entry.id));
  const remove = [];
  const put = [];
  // The version of every entry of this batch that the server now has; null if it was refused or discarded.
  const versions = new Map();
  for (const item of batch) {
    const result = byId.get(item.entry.id);
    if (!result) continue;
    if (result.status === "stored" || result.status === "duplicate") {
      remove.push(item.order);
      versions.set(target(item), item.entry.action === "discard" ? null : result.seq);
    } else if (result.status === "conflict") {
      put.push({ ...item, state: "conflict", problem: result.problem ?? null });
      versions.set(target(item), result.seq);
    } else {
      put.push({ ...item, state: "refused", problem: result.problem ?? null });
      // What follows a change that was refused changes what that would have changed.
      if (!item.entry.record) versions.set(target(item), null);
      else if (item.entry.base != null) versions.set(target(item), item.entry.base);
    }
  }
  for (const item of items) {
    const { record, base, id } = item.entry;
    if (sent.has(id) || base != null || !versions.has(record)) continue;
    const version = versions.get(record);
    if (version != null) put.push({ ...item, entry: { ...item.entry, base: version } });
    else {
      const problem = { code: "", detail: "The entry that this one changes is not stored." };
      put.push({ ...item, state: "refused", problem });
    }
  }
  return { remove, put };
}

/**
 * An item that was made while the clock was unsure, with the offset measured since. A time that somebody typed is that
 * of the clock on the wall, and stays.
 */
export function restamped({ unsure, ...item }, offset) {
  const { entry } = item;
  const shift = offset - entry.clock_offset_ms;
  const at = entry.at && { at: new Date(Date.parse(entry.at) - shift).toISOString() };
  return { ...item, entry: { ...entry, ...at, clock_offset_ms: offset } };
}

/** How many entries are kept that no backup has: some weeks of a station. */
const MOST_SENT = 5_000;

/**
 * What was sent, to be sent again. Changes are numbered anew: the version of what is sent again before it, or that the
 * server has not reached, is not known yet.
 */
function again({ by, entry }, last, follows) {
  const base = entry.base != null && (follows || entry.base > last) ? null : entry.base;
  return { by, made: entry.device_time, entry: { ...entry, base }, state: "waiting", problem: null, unsure: false };
}

/** How long to wait before the next attempt: doubled each time up to a minute, less up to a quarter at random. */
export function backOff(attempt, random = Math.random()) {
  const whole = Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS);
  return Math.round(whole * (1 - random / 4));
}

/** What the outbox holds, said plainly. */
export function summary(items, by) {
  const count = (state) => items.filter((item) => item.by === by && item.state === state).length;
  const others = items.filter((item) => item.by !== by);
  return {
    waiting: count("waiting"),
    refused: count("refused"),
    conflict: count("conflict"),
    others: [...new Set(others.map((item) => item.by))].map((name) => ({
      name,
      count: others.filter((item) => item.by === name).length,
    })),
  };
}

export class Outbox {
  /**
   * - store: where items are kept. - send: posts entries and returns {results}. - offset: the clock's offset, measured
   * anew if need be. - changed: called with the items after every change. - exclusive: runs a function while no other
   * page of this browser sends. - sent: where what was sent is kept until a backup has it; null for nowhere.
   */
  constructor({ store, send, offset, changed = () => {}, exclusive = (work) => work(), sent = null }) {
    Object.assign(this, { store, send, offset, changed, exclusive, sent });
    this.by = null;
    this.attempt = 0;
    this.timer = null;
    this.flushing = null;
    this.again = false;
    /** Why nothing is sent now: null, an Offline or a Problem. */
    this.obstacle = null;
  }

  /** Keeps an entry; once this returns it is on the device's disk. Sending is not waited for. */
  async add(entry, { unsure = false } = {}) {
    await this.store.add({ by: this.by, made: entry.device_time, entry, state: "waiting", problem: null, unsure });
    await this.tell();
    this.flush();
  }

  async remove(order) {
    await this.store.remove(order);
    await this.tell();
  }

  /** Sends an entry in the place of an item, in the name of who is signed in. */
  async replace(item, entry, { unsure = item.unsure } = {}) {
    await this.store.put({ ...item, by: this.by, entry, unsure, state: "waiting", problem: null });
    await this.tell();
    await this.flush();
  }

  async tell() {
    this.changed(await this.store.all());
  }

  /** Sends what waits, now. Calls while it is under way are one more round. */
  flush() {
    if (this.flushing) {
      this.again = true;
      return this.flushing;
    }
    this.flushing = this.attemptAll().finally(() => {
      this.flushing = null;
      // Asked for while this one was telling how it ended.
      if (this.again && !this.obstacle) this.flush();
    });
    return this.flushing;
  }

  async attemptAll() {
    clearTimeout(this.timer);
    try {
      do {
        this.again = false;
        await this.exclusive(() => this.sendAll());
      } while (this.again);
      this.attempt = 0;
      this.obstacle = null;
    } catch (error) {
      this.obstacle = error;
      const stops = error instanceof Problem && error.status === 401;
      if (!stops) {
        const least = (error.retryAfter ?? 0) * 1000;
        const wait = Math.max(least, backOff(this.attempt++));
        this.timer = setTimeout(() => this.flush(), wait);
      }
    }
    await this.tell();
  }

  async sendAll() {
    let limit = BATCH;
    for (;;) {
      await this.restamp();
      const items = await this.store.all();
      const batch = nextBatch(items, this.by, limit);
      if (!batch.length) return;
      let results;
      try {
        ({ results } = await this.send(batch.map((item) => item.entry)));
      } catch (error) {
        if (!refusesContent(error)) throw error;
        // The whole request was refused: find out by which entry.
        if (batch.length > 1) {
          limit = 1;
          continue;
        }
        const problem = { code: error.code, detail: error.message };
        results = [{ id: batch[0].entry.id, status: "refused", problem }];
      }
      const { remove, put } = settle(items, batch, results);
      if (!remove.length && !put.length) throw new Offline();
      // In this order: what is sent again after a crash in between is a duplicate, and nothing more.
      for (const item of put) await this.store.put(item);
      const seqs = new Map(results.map(({ id, seq }) => [id, seq]));
      for (const order of remove) {
        const item = batch.find((each) => each.order === order);
        await this.sent?.put({ by: item.by, entry: item.entry, seq: seqs.get(item.entry.id) });
        await this.store.remove(order);
      }
      await this.tell();
    }
  }

  /**
   * Forgets what a backup has, and sends again what the server no longer has: it went back to an older copy. `isThere`
   * asks whether a change is the one that was sent; `last` is the server's last.
   */
  async compare(backedUp, last, isThere) {
    if (backedUp) await this.sent.removeUpTo(backedUp);
    const all = await this.sent.all();
    if (all.length > MOST_SENT) await this.sent.removeUpTo(all[all.length - MOST_SENT - 1].seq);
    // What others sent is for them to send again; the server may not say whether it is there.
    const items = all.filter(({ by }) => by === this.by);
    const newest = items.at(-1);
    if (!newest || (newest.seq <= last && await isThere(newest))) return;
    const targets = new Set();
    for (const item of items) {
      await this.store.add(again(item, last, targets.has(target(item))));
      await this.sent.remove(item.seq);
      targets.add(target(item));
    }
    await this.tell();
    await this.flush();
  }

  /** Corrects the time of what was made while the clock was unsure. */
  async restamp() {
    for (const item of await this.store.all()) {
      if (!item.unsure || item.by !== this.by || item.state !== "waiting") continue;
      await this.store.put(restamped(item, await this.offset()));
    }
  }
}

/** Whether the server refuses what was sent, rather than who sent it or at this moment. */
function refusesContent(error) {
  return error instanceof Problem && [400, 404, 409, 413, 415, 422].includes(error.status);
}
