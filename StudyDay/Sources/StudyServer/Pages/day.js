// The day: a card for everybody, live, in the order and choice that is wanted.

import { all, call, clock, Offline } from "./api.js";
import { Card, current, doubt, isBelow, isReleased, stands, untilDue, withoutAdvice } from "./card.js";
import { askStation, enter } from "./entry.js";
import { isInDoubt, loadInstruments } from "./instruments.js";
import { Live, Step, updated } from "./live.js";
import { lastDay, may, Notices, showConnection, startPage } from "./shell.js";
import { station } from "./store.js";
import { h, say, setText, sync } from "./ui.js";

/** More people than this are shown folded. */
const FEW = 8;
/** A change is followed by the person's new state; after this time it is fetched. */
const PATIENCE_MS = 1_500;
const DRAW_EVERY_MS = 30_000;
/** How often the server is asked whether the page has missed anything. */
const COMPARE_EVERY_MS = 30_000;

const latest = (person) => current(person.readings).at(-1)?.g_per_kg ?? -1;
const last = Number.MAX_SAFE_INTEGER;
const ORDERS = {
  subject: (a, b) => a.subject.localeCompare(b.subject, undefined, { numeric: true }),
  due: (a, b) => (untilDue(a, 0) ?? last) - (untilDue(b, 0) ?? last),
  highest: (a, b) => latest(b) - latest(a),
  release: (a, b) => (Date.parse(a.forecast?.not_before ?? "") || last) - (Date.parse(b.forecast?.not_before ?? "") || last),
};
/** What a person is shown as has no forecast while that is in doubt. */
const shown = (person) => withoutAdvice(person, doubt(person, {
  items: page.itemsOf(person), isInStep: live.connected === true && step.isIn, isClockSure: clock.isSure(),
  seen: seen.get(person.subject),
}), clock.now());
const CHOICES = {
  all: () => true,
  due: (person, now) => (untilDue(person, now) ?? 1) <= 0,
  below: isBelow,
  conflict: (person) => person.conflicts.length > 0,
  here: (person) => !isReleased(person),
};

const only = location.pathname.startsWith("/person/") ? decodeURIComponent(location.pathname.slice(8)) : null;
const people = new Map();
const cards = new Map();
/** The last reading or drink of each person that the page heard of. */
const seen = new Map();
const step = new Step();
let day = { seq: 0, people: [], drinks: [] };
let waiting = [];
let lastLive = null;
const grid = document.getElementById("people");
const controls = document.getElementById("controls");
const next = document.getElementById("next");

const page = await startPage({ itemsChanged: (items) => {
  waiting = items;
  for (const card of cards.values()) card.showWaiting();
} });
Object.assign(page, {
  only, shown, day: () => day, now: () => clock.now(),
  itemsOf: ({ subject }) => waiting.filter((item) => item.entry.subject === subject),
});
page.sessionName = (person) => day.types?.find((type) => type.id === person.session_type)?.name;
const notices = new Notices((notice) => {
  const person = people.get(notice.subject);
  return !person || stands(notice, shown(person), clock.now());
});

const live = new Live({
  heard: (kind, data) => buffered ? buffered.push([kind, data]) : hear(kind, data),
  status: (connected) => {
    const isBack = connected && lastLive !== null;
    if (connected) page.outbox.flush();
    else {
      lastLive ??= clock.now();
      step.lose();
    }
    showConnection(connected, lastLive);
    if (connected) lastLive = null;
    if (isBack) load();
    arrange();
    tick();
  },
  leads: (leads) => { notices.leads = leads; },
});
let buffered = [];

async function begin() {
  const known = await lastDay.get(page.me);
  if (known) take(known);
  live.listen();
  await load();
  buffered.splice(0).forEach(([kind, data]) => hear(kind, data));
  buffered = null;
  live.start(day.seq);
  addEventListener("online", () => live.retry());
  addEventListener("offline", () => live.lose());
  setInterval(tick, 1000);
  setInterval(compare, COMPARE_EVERY_MS);
  setInterval(() => {
    arrange();
    cards.forEach((card) => card.isOpen && card.redraw());
  }, DRAW_EVERY_MS);
  controls.addEventListener("input", arrange);
  document.getElementById("station").addEventListener("click", async () => {
    await askStation(day);
    nameStation();
    await loadNames();
  });
  nameStation();
  loadNames();
  loadNotices();
}

/** What is to be noticed now. What the server no longer lists goes. */
function loadNotices() {
  return call("GET", "/notices").then(({ items }) => notices.fill(items.filter(isMine)), () => {});
}

/** Asks whether the page has missed anything: a stream that broke without a word looks like a quiet day. */
async function compare() {
  const moment = step.moment();
  try {
    const { items, next } = await call("GET", `/changes?after=${day.seq}&limit=100`);
    if (items.length || next != null || day.people.some(({ pending }) => pending)) await load();
    else step.confirm(moment);
    await loadNotices();
  } catch (error) {
    if (error instanceof Offline) live.lose();
  }
}

/** What hardly ever changes: the catalogue of drinks, and what kinds of session are called. */
async function loadNames() {
  try {
    const [{ drinks, favourites }, types, instruments] = await Promise.all([
      call("GET", "/drinks"), all("/session-types"), may.enter(page.me) ? loadInstruments() : []]);
    Object.assign(day, { drinks, favourites, types, instruments });
    nameStation();
    cards.forEach((card) => card.update(card.person));
    save();
  } catch {
    // Without a network what was kept serves.
  }
}

/** Fetches the whole state. Without a network what is known stays. */
async function load() {
  try {
    const moment = step.moment();
    const state = await call("GET", "/day");
    take({ drinks: day.drinks, favourites: day.favourites, types: day.types, instruments: day.instruments, ...state });
    step.confirm(moment);
    save();
    tick();
    // Whose page this is waits for the forecast; on the page of all it follows.
    if (only && people.get(only)?.pending) fetchPerson(only);
  } catch (error) {
    if (error instanceof Offline) live.lose();
    else if (error.status === 401) location.replace("/");
    else say(error.message, { urgent: true });
  }
}

function take(state) {
  // A backup was restored: changes are numbered anew from there.
  if (state.seq < day.seq) seen.clear();
  day = state;
  people.clear();
  for (const person of state.people) if (!only || person.subject === only) people.set(person.subject, person);
  for (const subject of cards.keys()) if (!people.has(subject)) cards.delete(subject);
  for (const person of people.values()) show(person);
  arrange();
}

function show(person) {
  const known = cards.get(person.subject);
  if (known) {
    known.update(person);
    return;
  }
  const card = new Card(person, page, { open: only !== null || people.size <= FEW });
  cards.set(person.subject, card);
  card.showWaiting();
}

/** Whether this page is about the person that something is about. */
const isMine = ({ subject }) => !only || !subject || subject === only;

function hear(kind, data) {
  if (kind === "notice") {
    if (isMine(data)) notices.add(data);
  } else if (kind === "person") {
    const person = updated(people.get(data.subject), data);
    if (person) takePerson(person);
    else if (isMine(data)) fetchPerson(data.subject);
  }
  else if (data.seq > day.seq) {
    day.seq = data.seq;
    if (["settings.change", "booking.undo-check-in"].includes(data.action)) load();
    if (data.subject && /^(reading|drink)\./.test(data.action)) seen.set(data.subject, data.seq);
    if (data.subject && isMine(data) && !isBeforeTheDay(data)) expect(data.subject, data.seq);
  }
}

function takePerson(person) {
  if (only && person.subject !== only) return;
  const known = people.get(person.subject);
  if (known && (person.seq ?? Infinity) < (known.seq ?? 0)) return;
  people.set(person.subject, person);
  day.people = [...day.people.filter((each) => each.subject !== person.subject), person];
  show(person);
  arrange();
  save();
}

/** Who only books is not here yet, and the server has nothing to say of them. */
const isBeforeTheDay = ({ action, subject }) => /^(booking\.(?!check-in)|waiting\.|favourite\.)/.test(action)
  || (action.startsWith("subject.") && !people.has(subject));

const expected = new Map();
/** The person's new state should follow a change; where it does not, it is fetched. */
function expect(subject, seq) {
  clearTimeout(expected.get(subject));
  expected.set(subject, setTimeout(() => {
    if ((people.get(subject)?.seq ?? 0) < seq) fetchPerson(subject);
  }, PATIENCE_MS));
}

async function fetchPerson(subject) {
  try {
    takePerson(await call("GET", `/people/${encodeURIComponent(subject)}`));
  } catch {
    // The next event or the next connection brings it.
  }
}

let saving;
function save() {
  // The page of one person does not hear of the others.
  if (only) return;
  clearTimeout(saving);
  saving = setTimeout(() => lastDay.set(page.me, day), 1000);
}

function arrange() {
  const now = clock.now();
  const data = new FormData(controls);
  const words = (data.get("find") ?? "").toLowerCase();
  const fits = CHOICES[data.get("choice")] ?? CHOICES.all;
  const chosen = [...people.values()].map(shown)
    .filter((person) => fits(person, now) && `${person.subject} ${person.occasion ?? ""}`.toLowerCase().includes(words))
    .sort((a, b) => (ORDERS[data.get("order")] ?? ORDERS.subject)(a, b) || ORDERS.subject(a, b));
  sync(grid, chosen.map((person) => cards.get(person.subject)), (card) => card.person.subject, (card) => card.element);
  const nobody = document.getElementById("nobody");
  nobody.hidden = chosen.length > 0;
  if (people.size || !may.arrange(page.me)) {
    setText(nobody, people.size ? "Nobody fits this choice." : "Nobody is here yet. People appear when they are checked in.");
  } else if (!nobody.querySelector("a")) {
    nobody.replaceChildren("Nobody is here yet. People appear when they are checked in on the page ", h("a", { href: "/book" }, "Booking"),
      ". What a day needs first, the page ", h("a", { href: "/admin" }, "Admin"), " says.");
  }
  setText(document.getElementById("count"), chosen.length === people.size
    ? `${people.size} ${people.size === 1 ? "person" : "people"}` : `${chosen.length} of ${people.size} people`);
  // Few people need no search, and one needs no order.
  controls.hidden = people.size <= 1;
  document.getElementById("find").closest(".field").hidden = people.size <= FEW && !words;
  offerNext();
}

function tick() {
  cards.forEach((card) => card.tick());
  notices.count();
  offerNext();
}

/** The reading that is due next, in reach of a thumb. */
function offerNext() {
  if (!may.enter(page.me)) return;
  const [person] = [...people.values()].filter((each) => untilDue(each, 0) !== null).sort(ORDERS.due);
  const isDue = person && untilDue(person, clock.now()) < 60_000;
  next.hidden = !isDue;
  if (!isDue) return;
  if (next.dataset.subject !== person.subject) {
    next.dataset.subject = person.subject;
    next.replaceChildren(h("button", { class: "primary", onclick: () =>
      enter("reading", people.get(next.dataset.subject), {
        outbox: page.outbox, day, latest: () => people.get(next.dataset.subject) ?? person,
      }) }, `Reading of ${person.subject}`));
  }
}

function nameStation() {
  document.getElementById("station").hidden = !may.enter(page.me);
  const doubt = station.instrument && day.instruments && isInDoubt(station.instrument, day.instruments) ? ": check its instrument" : "";
  setText(document.getElementById("station"), (station.name ? `Station ${station.name}` : "Name this station") + doubt);
}

if (only) {
  document.title = `${only} – Promille`;
  setText(document.querySelector("h1"), only);
}
await begin();
