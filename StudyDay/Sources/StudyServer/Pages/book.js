// Booking: which sessions have places, a short form, a calendar file, favourites and the waiting list.

import { all, call } from "./api.js";
import { invite } from "./invite.js";
import { followCalls, loadBoard, turnText, waitText } from "./queue.js";
import { may, showConnection, startPage } from "./shell.js";
import { ask, choice, clockTime, dayName, field, h, momentName, number, numberInput, say, select, setText, wrong } from "./ui.js";

const page = await startPage();
const { me } = page;
const isStaff = may.enter(me);
const controls = document.getElementById("controls");
const lists = { slots: [], bookings: [] };
const REFRESH_MS = 20_000;
let drawn = null;


async function load() {
  try {
    const from = new Date();
    // A session that began yesterday may last.
    from.setHours(isStaff ? -24 : 0, 0, 0, 0);
    const since = encodeURIComponent(from.toISOString());
    [lists.slots, lists.bookings] = await Promise.all([all(`/slots?from=${since}`), all(isStaff ? "/bookings" : "/bookings?mine")]);
    lists.slots.sort((a, b) => Date.parse(a.starts) - Date.parse(b.starts) || a.id - b.id);
    lists.bookings.sort((a, b) => Date.parse(a.starts) - Date.parse(b.starts) || a.subject.localeCompare(b.subject));
    showConnection(true);
  } catch (error) {
    if (error.status === 401) location.replace("/");
    showConnection(false, Date.now());
    if (!lists.slots.length) say(error.message, { urgent: true });
    return;
  }
  fillChoice("lab", "every lab", (slot) => slot.lab_name);
  fillChoice("type", "every kind", (slot) => slot.session_type_name);
  drawBookings();
  drawSlots();
}

function fillChoice(id, every, name) {
  const control = document.getElementById(id);
  const names = [...new Set(lists.slots.map(name))].sort();
  const known = control.value;
  control.replaceChildren(...select([["", every], ...names.map((each) => [each, each])], "").children);
  control.value = names.includes(known) ? known : "";
}

/** Does something at the server, then shows how things stand. */
async function act(done, method, path, body) {
  try {
    await call(method, path, body);
    say(done);
  } catch (error) {
    say(error.message, { urgent: true });
  }
  await load();
}

function drawBookings() {
  const start = new Date().setHours(0, 0, 0, 0);
  const key = ({ slot, subject }) => `${slot} ${subject}`;
  const held = new Set(lists.bookings.filter(({ state }) => state !== "cancelled").map(key));
  // What was cancelled stays in view until its time: a session may have been called off.
  const shown = lists.bookings.filter((booking) => Date.parse(booking.ends) >= start
    && (booking.state !== "cancelled" || (!held.has(key(booking)) && held.add(key(booking)))));
  document.getElementById("mine").replaceChildren(...shown.map(bookingLine));
  if (!shown.length) document.getElementById("mine").append(h("li", {}, "None yet."));
}

const STATES = { booked: "booked", cancelled: "cancelled", "checked-in": "checked in", "no-show": "did not come", released: "released" };

function bookingLine(booking) {
  const what = `${booking.session_type_name}, ${booking.lab_name}, ${booking.site_name}`;
  const whose = isStaff ? `${booking.subject}${booking.name ? ` (${booking.name})` : ""}` : null;
  const has = booking.state === "booked";
  const label = (text) => ({ "aria-label": `${text}: ${whose ?? what}, ${momentName(booking.starts)}` });
  const begun = Date.parse(booking.starts) <= Date.now();
  return h("li", { class: booking.state === "cancelled" ? "over" : "" },
    h("div", {}, h("strong", {}, `${momentName(booking.starts)} to ${clockTime(booking.ends)}`),
      h("p", {}, [whose, what, STATES[booking.state] ?? booking.state].filter(Boolean).join(" · ")),
      booking.contact ? h("p", {}, booking.contact) : null),
    h("div", { class: "actions" },
      isStaff && has ? h("button", { class: "primary", ...label("Check in"), onclick: () => checkIn(booking, what) }, "Check in") : null,
      isStaff && booking.state === "checked-in" ? h("button", { ...label("Undo the check-in"), onclick: () =>
        act(`${booking.subject} is no longer checked in.`, "DELETE", `/bookings/${booking.id}/check-in`) }, "Undo the check-in") : null,
      isStaff && has && begun ? h("button", { ...label("Did not come"), onclick: () => missed(booking, what) }, "Did not come") : null,
      has ? h("a", { class: "button", ...label("Calendar file"), href: `/api/v1/bookings/${booking.id}/calendar.ics`, download: "session.ics" }, "Calendar file") : null,
      has && !begun ? h("button", { class: "danger", ...label("Cancel"), onclick: () => cancel(booking, what) }, "Cancel") : null));
}

/** People are expected from this long before their slot. */
const EARLY_MS = 6 * 3_600_000;

async function checkIn(booking, what) {
  const now = Date.now();
  const isNow = Date.parse(booking.starts) - EARLY_MS <= now && now <= Date.parse(booking.ends);
  const sure = isNow || await ask({
    title: `Is ${booking.subject} here for another session?`, button: "Check in", danger: true, save: () => true,
    body: h("p", {}, `This booking is not for now, but for ${dayName(booking.starts)}, ${clockTime(booking.starts)}: ${what}.`),
  });
  if (sure) await act(`${booking.subject} is checked in.`, "POST", `/bookings/${booking.id}/check-in${isNow ? "" : "?sure=1"}`);
}

async function missed(booking, what) {
  const sure = await ask({
    title: `Did ${booking.subject} not come?`, button: "Did not come", danger: true, save: () => true,
    body: h("p", {}, `${momentName(booking.starts)}: ${what}. The place is given up, and it can cost priority on waiting lists.`),
  });
  if (sure) await act(`Noted: ${booking.subject} did not come.`, "POST", `/bookings/${booking.id}/no-show`);
}

async function cancel(booking, what) {
  const sure = await ask({
    title: "Cancel this booking?", button: "Cancel the booking", danger: true, save: () => true,
    body: h("p", {}, `${momentName(booking.starts)}: ${what}. The place goes to who waits for it.`),
  });
  if (sure) await act("The booking is cancelled.", "DELETE", `/bookings/${booking.id}`);
}

function drawSlots() {
  const data = new FormData(controls);
  // Staff also book who comes without a booking, while the session lasts.
  const shown = lists.slots.filter((slot) => !slot.closed && Date.parse(isStaff ? slot.ends : slot.starts) > Date.now()
    && (!data.get("lab") || slot.lab_name === data.get("lab"))
    && (!data.get("type") || slot.session_type_name === data.get("type"))
    && (!data.get("free") || slot.free > 0) && (!data.get("favourites") || slot.favourite));
  document.getElementById("nothing").hidden = shown.length > 0;
  const days = Map.groupBy ? Map.groupBy(shown, (slot) => dayName(slot.starts)) : grouped(shown);
  // Only what changed is drawn anew: a list that is refreshed must not take the focus away.
  const text = JSON.stringify(shown);
  if (drawn === text) return;
  drawn = text;
  document.getElementById("slots").replaceChildren(...[...days].map(([day, slots]) =>
    h("section", {}, h("h3", {}, day), h("ul", { class: "list" }, slots.map(slotLine)))));
}

function grouped(slots) {
  const days = new Map();
  for (const slot of slots) days.set(dayName(slot.starts), [...(days.get(dayName(slot.starts)) ?? []), slot]);
  return days;
}

function places(slot) {
  if (slot.mine) return "You have a place.";
  if (slot.before_me != null) {
    return slot.before_me === 0 ? "You are next on the waiting list."
      : `On the waiting list: ${slot.before_me} before you.`;
  }
  if (slot.free > 0) return `${slot.free} of ${slot.capacity} places free`;
  return `Full, ${slot.waiting ? `${slot.waiting} ${slot.waiting === 1 ? "person waits" : "people wait"}` : "nobody waits"}`;
}

function slotLine(slot) {
  const what = `${clockTime(slot.starts)} to ${clockTime(slot.ends)}, ${slot.session_type_name}`;
  const star = h("button", {
    class: "plain star", "aria-pressed": String(slot.favourite), "aria-label": `Favourite: ${what}`,
    onclick: () => act(slot.favourite ? "No longer a favourite." : "Marked as a favourite.",
      slot.favourite ? "DELETE" : "PUT", `/slots/${slot.id}/favourite`),
  }, slot.favourite ? "★" : "☆");
  const mayTake = isStaff || (!slot.mine && slot.before_me == null);
  const hasBegun = Date.parse(slot.starts) <= Date.now();
  const button = hasBegun && slot.free === 0 ? null : slot.free > 0 && mayTake
    ? h("button", { class: "primary", "aria-label": `Book ${what}`, onclick: () => take(slot, "bookings") }, "Book")
    : mayTake ? h("button", { "aria-label": `Join the waiting list of ${what}`, onclick: () => take(slot, "waiting") }, "Join the waiting list")
      : slot.before_me != null ? h("button", { onclick: () => act("You left the waiting list.", "DELETE", `/slots/${slot.id}/waiting`) }, "Leave the waiting list")
        : null;
  return h("li", {}, star,
    h("div", {}, h("strong", {}, `${clockTime(slot.starts)} to ${clockTime(slot.ends)}`), h("p", {}, `${slot.session_type_name} · ${slot.lab_name}, ${slot.site_name}`),
      h("p", { class: slot.free > 0 ? "free" : "" }, places(slot))),
    h("div", { class: "actions" }, button));
}

async function take(slot, list) {
  const control = {
    subject: h("input", { name: "subject", autocomplete: "off", maxlength: 100 }),
    name: h("input", { name: "name", autocomplete: "name", maxlength: 200, autofocus: true }),
    contact: h("input", { name: "contact", autocomplete: "email", maxlength: 200 }),
    age: numberInput({ name: "age" }), height: numberInput({ name: "height" }), weight: numberInput({ name: "weight" }),
  };
  const consent = h("input", { type: "checkbox", name: "consent" });
  const done = await ask({
    title: list === "bookings" ? "Book a place" : "Join the waiting list",
    button: list === "bookings" ? "Book" : "Join",
    body: [
      h("p", {}, `${momentName(slot.starts)} to ${clockTime(slot.ends)}: ${slot.session_type_name}, ${slot.lab_name}, ${slot.site_name}.`,
        list === "waiting" ? " You get a place by yourself as soon as one is free." : ""),
      isStaff ? field("Subject in the study", control.subject, "The person's code, such as p05; not the name.") : null,
      field("Name", control.name), field("Telephone or email", control.contact, "Name and contact are kept apart from the study and leave in no export."),
      choice("Sex", "sex", [["female", "female"], ["male", "male"]], null),
      h("div", { class: "row" }, field("Age (years)", control.age), field("Height (cm)", control.height), field("Weight (kg)", control.weight)),
      h("label", { class: "check" }, consent, " I take part of my own will, may stop at any time, and will not drive afterwards."),
    ],
    save: async (data) => {
      if (isStaff && !data.get("subject").trim()) throw wrong(control.subject, "Say whom the place is for.");
      for (const name of ["name", "contact"]) {
        if (!data.get(name).trim()) throw wrong(control[name], "Give a name and how to reach you.");
      }
      const measure = (name) => {
        if (!data.get(name).trim()) return undefined;
        const value = number(data.get(name));
        if (!(value > 0)) throw wrong(control[name], "Type a number, or leave it empty.");
        return value;
      };
      const measures = { sex: data.get("sex") ?? undefined, age_y: measure("age"), height_cm: measure("height"), weight_kg: measure("weight") };
      if (!data.get("consent")) throw wrong(consent, "Without consent there is no booking.");
      await call("POST", `/slots/${slot.id}/${list}`, {
        subject: data.get("subject")?.trim() || undefined, name: data.get("name").trim(), contact: data.get("contact").trim(), consent: true, own_measures: measures,
      });
    },
  });
  if (done) say(list === "bookings" ? "The place is booked." : "You are on the waiting list.");
  await load();
}

/** Takes back a consent: one's own, or for staff who may see names, that of whose code they give. */
async function withdraw() {
  const subject = h("input", { name: "subject", autocomplete: "off", maxlength: 80 });
  const sure = h("input", { type: "checkbox", name: "sure" });
  const done = await ask({
    title: "Withdraw the consent?", button: "Withdraw", danger: true,
    body: [
      isStaff ? field("Subject in the study", subject) : null,
      h("p", {}, "Bookings are cancelled, places on waiting lists given up, and name and contact erased. What was measured stays under the code."),
      h("label", { class: "check" }, sure, " This cannot be undone"),
    ],
    save: (data) => {
      const whose = isStaff ? data.get("subject").trim() : me.subject;
      if (!whose) throw wrong(subject, "Say whose consent it is.");
      if (!data.get("sure")) throw wrong(sure, "Say that you are sure.");
      return call("DELETE", `/people/${encodeURIComponent(whose)}/consent`);
    },
  });
  if (done) say("The consent is withdrawn.");
  await load();
}

/** The own number, live. */
function drawTurn(board) {
  const text = turnText(board);
  const isCalled = board.serving.some((each) => each.number === board.mine);
  setText(document.getElementById("number"), text ?? `Who is here takes a number. A new one waits ${waitText(board.wait_min)}.`);
  document.getElementById("turn").dataset.called = String(isCalled);
  document.getElementById("take").hidden = text !== null;
  document.getElementById("leave").hidden = text === null || isCalled;
  document.title = isCalled ? "Your turn – Promille" : "Booking – Promille";
  if (isCalled && calledAs !== board.mine) say(text, { urgent: true });
  calledAs = isCalled ? board.mine : null;
  own = board.mine;
}

async function turn(method, path) {
  try {
    drawTurn(await call(method, path, method === "POST" ? {} : undefined));
  } catch (error) {
    say(error.message, { urgent: true });
  }
}
let [calledAs, own] = [null, null];

const LETTERS = {
  place: "A place becomes free and is mine", moved: "My session is moved", cancelled: "My session is called off",
  turn: "It is my turn", release: "I may go home", reminder: "I entered no vital sign by the hour that I set",
};

/** Asks what somebody wants to be written to about. */
async function chooseLetters() {
  const path = `/people/${encodeURIComponent(me.subject)}/written`;
  let known;
  try {
    known = await call("GET", path);
  } catch (error) {
    say(error.message, { urgent: true });
    return;
  }
  if (!known.ways.length) {
    say("This study writes to nobody. What is new is shown here.", { urgent: true });
    return;
  }
  const consent = h("input", { type: "checkbox", name: "consent", checked: known.kinds.length > 0 });
  const done = await ask({
    title: "What I am written to about",
    body: [
      h("p", {}, known.has_address ? "It goes to the e-mail address that you gave when you booked."
        : "You gave no e-mail address when you booked. Book again with one, or nothing can reach you."),
      known.known.map((kind) => h("label", { class: "check" }, h("input", { type: "checkbox", name: "kind", value: kind, checked: known.kinds.includes(kind) }), ` ${LETTERS[kind] ?? kind}`)),
      h("label", { class: "check" }, consent, " I agree to be written to, until I choose otherwise or withdraw my consent"),
    ],
    save: (data) => {
      const kinds = data.getAll("kind");
      if (kinds.length && !data.get("consent")) throw wrong(consent, "Without your consent nothing is sent.");
      return call("PUT", path, { kinds, consent: Boolean(data.get("consent")) });
    },
  });
  if (done) say(done.kinds.length ? "You are written to." : "You are not written to.");
}

const inviting = document.getElementById("invite");
inviting.hidden = !isStaff;
inviting.addEventListener("click", () => invite({ ...me, role: "operator" }));
const written = document.getElementById("written");
written.hidden = !me.subject;
written.addEventListener("click", chooseLetters);
const consent = document.getElementById("withdraw");
consent.hidden = !(may.arrange(me) || me.subject);
consent.addEventListener("click", withdraw);
controls.addEventListener("input", drawSlots);
if (isStaff) document.getElementById("mine-title").textContent = "Bookings";
await load();
if (me.role === "participant") {
  document.getElementById("turn").hidden = false;
  document.getElementById("take").addEventListener("click", () => turn("POST", "/queue"));
  document.getElementById("leave").addEventListener("click", () => turn("DELETE", `/queue/${own}`));
  await loadBoard(drawTurn);
  followCalls(drawTurn);
}
setInterval(() => document.visibilityState === "visible" && load(), REFRESH_MS);
