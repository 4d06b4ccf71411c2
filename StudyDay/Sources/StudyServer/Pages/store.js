// What the device keeps: the outbox, who is signed in, the last state of the day, and which station it is.

import { uuid as newID } from "./uuid.js";

const NAME = "promille";
let opened;

function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 2);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion < 1) {
        request.result.createObjectStore("outbox", { keyPath: "order", autoIncrement: true });
        request.result.createObjectStore("state");
      }
      request.result.createObjectStore("sent", { keyPath: "seq" });
    };
    request.onsuccess = () => {
      // Another page with a newer version of this database must not wait for this one.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
  return opened;
}

/** Runs `work` in one transaction; what it returns is there once the transaction is on disk. */
async function transaction(store, mode, work) {
  const base = await database();
  return new Promise((resolve, reject) => {
    const change = base.transaction(store, mode, { durability: "strict" });
    const request = work(change.objectStore(store));
    change.oncomplete = () => resolve(request?.result);
    change.onabort = change.onerror = () => reject(change.error);
  });
}

/** The outbox in IndexedDB; `MemoryStore` in tests has the same methods. */
export const outboxStore = {
  all: () => transaction("outbox", "readonly", (store) => store.getAll()),
  add: (item) => transaction("outbox", "readwrite", (store) => store.add(item)),
  put: (item) => transaction("outbox", "readwrite", (store) => store.put(item)),
  remove: (order) => transaction("outbox", "readwrite", (store) => store.delete(order)),
};

/** What the server has and no backup yet, by the number of its change. */
export const sentStore = {
  all: () => transaction("sent", "readonly", (store) => store.getAll()),
  put: (item) => transaction("sent", "readwrite", (store) => store.put(item)),
  remove: (seq) => transaction("sent", "readwrite", (store) => store.delete(seq)),
  removeUpTo: (seq) => transaction("sent", "readwrite", (store) => store.delete(IDBKeyRange.upperBound(seq))),
};

/** Small values by key; a browser that keeps nothing answers undefined. */
export const state = {
  get: (key) => transaction("state", "readonly", (store) => store.get(key)).catch(() => undefined),
  set: (key, value) =>
    transaction("state", "readwrite", (store) => store.put(value, key)).catch(() => undefined),
  remove: (key) =>
    transaction("state", "readwrite", (store) => store.delete(key)).catch(() => undefined),
};

/** What this device remembers of itself. */
export const station = {
  /** Which device this is among those of the study. */
  get id() {
    const id = localStorage.getItem("device") ?? newID();
    localStorage.setItem("device", id);
    return id;
  },
  get name() { return localStorage.getItem("station") ?? ""; },
  set name(text) { localStorage.setItem("station", text); },
  get unit() { return localStorage.getItem("unit"); },
  set unit(text) { localStorage.setItem("unit", text); },
  /** The serial number of its instrument; empty for none. */
  get instrument() { return localStorage.getItem("instrument") ?? ""; },
  set instrument(text) { localStorage.setItem("instrument", text); },
};
