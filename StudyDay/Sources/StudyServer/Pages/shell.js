// What stands around every page: who is signed in, the network, what waits to be sent, notices.

import { call, clock, measureClock, Offline, signOut, whoAmI } from "./api.js";
import { Outbox, summary } from "./outbox.js";
import { chooseAlerts, setSigningCode } from "./staff.js";
import { outboxStore, sentStore, state, station } from "./store.js";
import { ask, clockTime, h, momentName, say, setText, show } from "./ui.js";
import { showOutbox } from "./waiting.js";

const PAGES = [
  { path: "/day", name: "Day", roles: ["owner", "investigator", "operator", "viewer", "participant"] },
  { path: "/book", name: "Booking", roles: ["owner", "investigator", "operator", "participant"] },
  { path: "/board", name: "Board", roles: ["owner", "investigator", "operator", "viewer", "wall"] },
  { path: "/report", name: "Report", roles: ["owner", "investigator", "operator", "viewer"] },
  { path: "/admin", name: "Admin", roles: ["owner", "investigator"] },
  { path: "/server", name: "Server", roles: ["owner", "investigator"] },
];
const MEASURE_EVERY_MS = 5 * 60 * 1000;
const REPORT_EVERY_MS = 60_000;
/** How often a clock that was set is looked for, and after how long in vain the server is asked again. */
const WATCH_EVERY_MS = 1000;
const ASK_AGAIN_MS = 10_000;

/** May this role enter readings and drinks of others? Report vital signs of somebody? Decide who goes home? Arrange slots and people? */
export const may = {
  enter: (me) => ["owner", "investigator", "operator"].includes(me.role),
  report: (me, subject) => ["owner", "investigator", "operator"].includes(me.role) || (me.role === "participant" && me.subject === subject),
  decide: (me) => ["owner", "investigator"].includes(me.role),
  arrange: (me) => ["owner", "investigator"].includes(me.role),
  beTold: (me) => ["owner", "investigator", "operator", "viewer"].includes(me.role),
};

/** The page that somebody sees first. */
export const homeOf = ({ role }) => ({ participant: "/book", wall: "/board" })[role] ?? "/day";

/** What somebody may see of a device's outbox: staff all of it, anybody else what they made. */
export const itemsFor = (me, items) => items.filter((item) => may.enter(me) || item.by === me.name);

/**
 * Fills the frame of a page and returns {me, outbox, settle}. `itemsChanged` gets everything in the outbox of this device
 * whenever it changes. Leaves for the sign-in page if nobody is signed in.
 */
export async function startPage({ itemsChanged = () => {} } = {}) {
  registerWorker();
  let me;
  try {
    me = await whoAmI();
  } catch (error) {
    if (!(error instanceof Offline)) location.replace("/");
    else explainNoNetwork();
    return new Promise(() => {});
  }
  document.body.dataset.role = me.role;
  fillHeader(me);
  const outbox = startOutbox(me, itemsChanged);
  setInterval(() => call("GET", "/me").catch(() => {}), MEASURE_EVERY_MS);
  watchClock();
  return { me, outbox, settle: () => showWaiting(outbox, me) };
}

/** Measures again as soon as the clock was set or the device has slept. */
function watchClock() {
  let asked = -Infinity;
  const watch = (patience) => {
    if (clock.isSure() || performance.now() - asked < patience) return;
    asked = performance.now();
    measureClock().catch(() => {});
  };
  setInterval(() => watch(ASK_AGAIN_MS), WATCH_EVERY_MS);
  addEventListener("online", () => watch(0));
  document.addEventListener("visibilitychange", () => watch(0));
}

function explainNoNetwork() {
  document.querySelector("main").replaceChildren(
    h("h1", {}, "No network"),
    h("p", {}, "Nobody has signed in on this device yet, and the server cannot be reached. "
      + "Connect to the network of the study and open the page again."),
    h("button", { class: "primary", onclick: () => location.reload() }, "Try again"));
}

function fillHeader(me) {
  const here = location.pathname;
  document.getElementById("nav").replaceChildren(
    ...[...PAGES, ...(me.role === "participant" && me.subject
      ? [{ path: `/history/${encodeURIComponent(me.subject)}`, name: "Health", roles: ["participant"] }] : [])]
      .filter((page) => page.roles.includes(me.role)).map((page) =>
      h("a", { href: page.path, "aria-current": here.startsWith(page.path) ? "page" : null }, page.name)));
  document.querySelector(".brand").href = homeOf(me);
  document.querySelector("#nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  document.getElementById("who").replaceChildren(
    h("button", { class: "plain", onclick: () => showIdentity(me) }, h("span", {}, me.name),
      h("small", {}, me.role)));
}

function showIdentity(me) {
  const then = (does) => () => {
    dialog.close();
    does();
  };
  const dialog = show("Signed in",
    h("p", {}, h("strong", {}, me.name), ` as ${me.role}`, me.subject ? `, subject ${me.subject}` : ""),
    station.name ? h("p", {}, `Station: ${station.name}`) : null,
    h("div", { class: "actions" },
      may.beTold(me) ? h("button", { onclick: then(chooseAlerts) }, "What I am told of") : null,
      may.decide(me) ? h("button", { onclick: then(setSigningCode) }, "Signing code") : null,
      h("button", { onclick: async () => {
        try {
          await leave(me);
        } catch (error) {
          say(error.message, { urgent: true });
        }
      } }, "Sign out")));
}

/** Signs out and leaves for the sign-in page, after a question if entries of this person are not stored yet. */
export async function leave(me) {
  const { waiting, refused } = summary(await outboxStore.all(), me.name);
  const parts = [
    waiting ? `${count(waiting)} on this device ${waiting === 1 ? "waits" : "wait"}: sent only after ${me.name} has signed in here again.` : "",
    refused ? `${count(refused)} ${refused === 1 ? "was" : "were"} refused and ${refused === 1 ? "is" : "are"} stored nowhere else: look at what was refused before you go.` : "",
  ].filter(Boolean);
  if (parts.length) {
    const goes = await ask({
      title: "Sign out with entries that are not stored?", button: "Sign out", danger: true, save: () => true,
      body: parts.map((part) => h("p", {}, part)),
    });
    if (!goes) return;
  }
  await signOut();
  location.replace("/");
}

const count = (number) => (number === 1 ? "1 entry" : `${number} entries`);

const showWaiting = (outbox, me) => showOutbox(outbox, me, (items) => itemsFor(me, items));

function startOutbox(me, itemsChanged) {
  const pages = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("promille-outbox");
  const button = document.getElementById("outbox");
  const update = (items) => {
    const { waiting, refused, conflict, others } = summary(itemsFor(me, items), me.name);
    const parts = [];
    if (refused) parts.push(`${count(refused)} refused`);
    if (conflict) parts.push(`${count(conflict)} in conflict`);
    if (waiting) parts.push(`${count(waiting)} ${waiting === 1 ? "waits" : "wait"} for the ${obstacleName(outbox)}`);
    for (const other of others) parts.push(`${count(other.count)} of ${other.name}`);
    button.hidden = !parts.length;
    button.dataset.trouble = String(refused + conflict > 0);
    setText(button, parts.join(", "));
    itemsChanged(items);
  };
  const outbox = new Outbox({
    store: outboxStore,
    send: (entries) => call("POST", "/entries", { entries }),
    offset: async () => {
      await measureClock();
      return clock.offset();
    },
    changed: (items) => {
      update(items);
      pages?.postMessage("changed");
    },
    sent: sentStore,
    exclusive: (work) => (navigator.locks ? navigator.locks.request("promille-outbox", work) : work()),
  });
  outbox.by = me.name;
  pages?.addEventListener("message", async () => update(await outboxStore.all()));
  button.addEventListener("click", () => showWaiting(outbox, me));
  addEventListener("online", () => outbox.flush());
  const report = () => navigator.onLine && me.role !== "wall" && reportDevice(outbox).catch(() => {});
  report();
  setInterval(report, REPORT_EVERY_MS);
  addEventListener("online", report);
  outbox.flush().catch(() =>
    say("This browser keeps no data: entries made without a network would be lost. Leave the private window.",
      { urgent: true }));
  return outbox;
}

/** Tells the server what waits here, and hears what no longer has to be kept. */
async function reportDevice(outbox) {
  const items = await outboxStore.all();
  const count = (state) => items.filter((item) => item.state === state).length;
  const oldest = items.filter(({ state }) => state === "waiting").map(({ made }) => made).sort()[0];
  const { seq, backed_up: backedUp } = await call("POST", "/devices", {
    id: station.id, station: station.name || undefined, waiting: count("waiting"), refused: count("refused"),
    oldest: oldest ? new Date(oldest).toISOString() : undefined,
  });
  const work = () => outbox.compare(backedUp, seq, async ({ seq: number, entry }) => {
    const { items: [change] } = await call("GET", `/changes?after=${number - 1}&limit=1`);
    return change?.seq === number && change.record === (entry.record ?? entry.id);
  });
  await (navigator.locks ? navigator.locks.request("promille-sent", work) : work());
}

function obstacleName({ obstacle }) {
  if (!obstacle || obstacle instanceof Offline) return "network";
  if (obstacle.status === 401) return "next sign-in";
  return `server (${obstacle.message})`;
}

/** Says whether the page is live; `since` is when it last was. */
export function showConnection(connected, since) {
  const status = document.getElementById("connection");
  status.dataset.state = connected ? "live" : "lost";
  setText(status, connected ? "Live" : since ? `No network since ${clockTime(since)}` : "Connecting");
}

/** What a notice is about: what is said again of the same is said instead. */
const tag = (notice) => `${notice.kind} ${notice.subject ?? notice.text}`;

/** The notices of the day, newest first, on the page and by the browser where that is allowed. */
export class Notices {
  /** `stands(notice)` says whether it still holds: a page may know better than what the server said some time ago. */
  constructor(stands) {
    this.stands = stands;
    this.all = [];
    /** Tags of what the browser shows. */
    this.told = new Set();
    this.button = document.getElementById("notices");
    this.button.addEventListener("click", () => this.open());
    /** Whether this page of the browser's pages notifies. */
    this.leads = false;
  }

  /** What was noticed before this page was opened. */
  fill(notices) {
    this.all = notices;
    this.count();
  }

  add(notice) {
    this.all = [notice, ...this.all.filter((other) => tag(other) !== tag(notice))].slice(0, 200);
    this.count();
    if (!this.stands(notice)) return;
    say(notice.text, { urgent: notice.kind === "vital" });
    if (this.leads) this.notify(notice);
  }

  /** Those that hold now. */
  get current() {
    return this.all.filter((notice) => this.stands(notice));
  }

  count() {
    const { current } = this;
    this.button.hidden = !current.length;
    setText(this.button, `Notices (${current.length})`);
    const tags = new Set(current.map(tag));
    for (const told of this.told) if (!tags.has(told)) this.withdraw(told);
  }

  async notify(notice) {
    if (typeof Notification === "undefined" || Notification.permission !== "granted") return;
    const worker = await navigator.serviceWorker?.getRegistration();
    this.told.add(tag(notice));
    await worker?.showNotification("Study day", { body: notice.text, tag: tag(notice), icon: "/icon.svg" });
  }

  /** What no longer holds is not left standing outside the page either. */
  async withdraw(told) {
    this.told.delete(told);
    const worker = await navigator.serviceWorker?.getRegistration();
    for (const shown of (await worker?.getNotifications({ tag: told })) ?? []) shown.close();
  }

  open() {
    const canAsk = typeof Notification !== "undefined" && Notification.permission === "default";
    show("Notices",
      canAsk ? h("button", { onclick: (event) => {
        Notification.requestPermission();
        event.target.remove();
      } }, "Notify me also when this page is not in front") : null,
      h("ul", { class: "notices" }, this.current.map((notice) =>
        h("li", {}, h("time", {}, momentName(notice.since ?? clock.now(), clock.now())), " ", notice.text))));
  }
}

function registerWorker() {
  if (!navigator.serviceWorker) return;
  navigator.serviceWorker.register("/sw.js", { scope: "/" }).then((registration) => {
    registration.addEventListener("updatefound", () => {
      const fresh = registration.installing;
      fresh.addEventListener("statechange", () => {
        if (fresh.state === "installed" && navigator.serviceWorker.controller) offerReload(fresh);
      });
    });
  }).catch(() => {});
}

function offerReload(fresh) {
  const button = h("button", { class: "toast", onclick: () => {
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
    fresh.postMessage("take over");
  } }, "A new version is there. Load it");
  document.getElementById("messages").append(button);
}

/** Keeps the last state of the day for who saw it, and for nobody else who signs in on this device. */
export const lastDay = {
  async get(me) {
    const known = await state.get("day");
    return known?.by === me.name ? known.day : undefined;
  },
  set: (me, day) => state.set("day", { by: me.name, day }),
};
