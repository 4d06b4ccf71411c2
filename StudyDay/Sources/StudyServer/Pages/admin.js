// What owner and investigator arrange: accounts and invitations, sites, labs, kinds of session, slots.

import { all, call } from "./api.js";
import { checkInstrument, instrumentText, loadInstruments } from "./instruments.js";
import { invite } from "./invite.js";
import { showConnection, startPage } from "./shell.js";
import { ask, choice, field, h, momentName, number, numberInput, say, select, setText, unitNames, units as unitLabels, vitals, wrong } from "./ui.js";

const { me } = await startPage();
const LISTS = ["sites", "labs", "session-types", "slots"];
const things = {};
const FOOD = [["fasted", "fasted"], ["fed", "fed"]];
let settings = {};

async function load() {
  try {
    await Promise.all([...LISTS.map(async (list) => { things[list] = await all(`/${list}`); }), loadAccounts(), loadSettings(), drawInstruments()]);
    showConnection(true);
  } catch (error) {
    if (error.status === 401) location.replace("/");
    showConnection(false, Date.now());
    say(error.message, { urgent: true });
  }
  for (const list of LISTS) draw(list);
  hasPeople = await call("GET", "/bookings?limit=1").then(({ items }) => items.length > 0, () => true);
  drawSteps();
}

/** What a day needs before the first reading, in order; the first that is missing has the button. */
function drawSteps() {
  const has = (list) => (things[list] ?? []).some((thing) => !thing.closed);
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  const steps = [
    { name: "A site", why: "where the study is done", done: has("sites"), act: () => edit("sites") },
    { name: "A lab", why: "a room of the site", done: has("labs"), act: () => edit("labs") },
    { name: "A kind of session", why: "how long it lasts, how often a reading is taken, and below which limit people may go", done: has("session-types"), act: () => edit("session-types") },
    { name: "Slots", why: "when it takes place", done: has("slots"), act: () => edit("slots") },
    { name: "An operator", why: "who enters drinks and readings: the link is also shown as a QR code for a phone", done: accountRoles.has("operator"), act: async () => { if (await invite(me)) await load(); } },
    { name: "The first person", why: "booked on the page Booking, and checked in there when they come", done: hasPeople, act: () => location.assign("/book") },
    { name: "Phones", why: isLocal ? "cannot reach this address: start promille serve --host 0.0.0.0 --make-certificate, and open the link that it prints"
      : "warn of a certificate that nobody signed: accept it once. To work without a network, they have to trust it: the article StudyServer says how", done: !isLocal && location.protocol === "https:" },
  ];
  const next = steps.find((step) => !step.done);
  document.getElementById("steps-section").hidden = !next || hasPeople;
  document.getElementById("steps").replaceChildren(...steps.map((step) => h("li", { class: step.done ? "done" : "" },
    h("div", {}, h("strong", {}, `${step.done ? "✓ " : ""}${step.name}`), h("p", {}, step.why)),
    step === next && step.act ? h("button", { class: "primary", onclick: step.act }, `${step.name}: go on`) : null)));
}
let [accountRoles, hasPeople] = [new Set(), false];

async function loadAccounts() {
  const place = document.getElementById("accounts");
  try {
    const accounts = await all("/accounts");
    accountRoles = new Set(accounts.map(({ role }) => role));
    place.replaceChildren(...accounts.map(accountLine));
  } catch (error) {
    if (error.status !== 403) throw error;
    place.replaceChildren(h("li", {}, "Only the owner sees all accounts. You can invite people."));
  }
}

async function loadSettings() {
  settings = await call("GET", "/settings");
  setText(document.getElementById("settings"),
    `Blood:breath ratio ${settings.blood_breath_ratio}. A missed session costs ${settings.no_show_cost} of priority on waiting lists. Devices of staff stay signed in for ${settings.staff_session_days} days after their last use.`);
  drawThresholds();
}

async function drawInstruments() {
  const instruments = await loadInstruments();
  document.getElementById("instruments").replaceChildren(...instruments.map((each) => h("li", { class: each.state === "ok" ? "" : "bad" },
    h("div", {}, h("strong", {}, each.serial), h("p", {}, [instrumentText(each.serial, instruments),
      `showed ${each.measured} for ${each.standard} ± ${each.tolerance} ${unitLabels[each.unit] ?? each.unit}`, each.standard_name, `by ${each.by}`].filter(Boolean).join(" · "))),
    h("div", { class: "actions" }, h("button", { "aria-label": `Check ${each.serial}`, onclick: () => check(each.serial, each) }, "Check")))),
  instruments.length ? "" : h("li", {}, "None yet. Name the instrument of a station on the page Day."));
}

async function check(serial, last) {
  if (await checkInstrument(serial, last)) await drawInstruments();
}

const shownVitals = () => settings.vitals.filter(({ kind }) => vitals[kind]);

function drawThresholds() {
  const side = (name, value) => (value == null ? "" : `${name} ${value}`);
  document.getElementById("thresholds").replaceChildren(...shownVitals().map((vital) => {
    const name = `${vitals[vital.kind].name} (${unitNames[vital.unit] ?? vital.unit})`;
    return h("li", {}, h("div", {}, h("strong", {}, name),
      h("p", {}, [[side("below", vital.below), side("above", vital.above)].filter(Boolean).join(" or ") || "no threshold", `importance ${vital.importance}`].join(" · "))),
    h("div", { class: "actions" }, h("button", { "aria-label": `Change ${name}`, onclick: () => changeThresholds(vital, name) }, "Change")));
  }));
}

async function changeThresholds(vital, name) {
  const inputs = Object.fromEntries(["below", "above"].map((side) => [side, numberInput({ name: side, value: vital[side] })]));
  const done = await ask({
    title: name,
    body: [
      h("div", { class: "row" }, field("Noticed below", inputs.below), field("Noticed above", inputs.above)),
      h("p", { class: "hint" }, "Empty: no threshold."),
      choice("Importance", "importance", ["1", "2", "3", "4", "5"].map((level) => [level, level]), String(vital.importance)),
    ],
    save: (data) => {
      const change = { kind: vital.kind, importance: Number(data.get("importance")) };
      for (const [side, input] of Object.entries(inputs)) {
        const typed = data.get(side).trim();
        change[side] = typed ? number(typed) : null;
        if (Number.isNaN(change[side])) throw wrong(input, "Type a number, or leave it empty.");
      }
      if (change.below != null && change.above != null && change.below > change.above) throw wrong(inputs.below, "The lower threshold is above the upper.");
      return call("PATCH", "/settings", { vitals: [change] });
    },
  });
  if (done) say("Stored.");
  await load();
}

async function changeSettings() {
  const ratio = numberInput({ name: "blood_breath_ratio", value: settings.blood_breath_ratio });
  const cost = numberInput({ name: "no_show_cost", value: settings.no_show_cost });
  const days = numberInput({ name: "staff_session_days", value: settings.staff_session_days });
  const done = await ask({
    title: "Change the settings",
    body: [
      field("Blood:breath ratio", ratio, "Readings of breath are multiplied by it; forecasts change at once."),
      field("Priority that a missed session costs", cost, "0: none."),
      field("Days that a device of staff stays signed in", days, "After its last use. Before a release, who signed in more than 12 hours ago is asked for a signing code."),
      h("label", { class: "check" }, h("input", { type: "checkbox", name: "second", checked: settings.release_second_person }),
        " A release against the advice needs a second person"),
    ],
    save: (data) => {
      const change = {
        blood_breath_ratio: number(data.get("blood_breath_ratio")), no_show_cost: number(data.get("no_show_cost")),
        release_second_person: !!data.get("second"), staff_session_days: number(data.get("staff_session_days")),
      };
      if (!(Number.isInteger(change.staff_session_days) && change.staff_session_days >= 1 && change.staff_session_days <= 400)) throw wrong(days, "Type a whole number from 1 to 400.");
      if (!(change.blood_breath_ratio >= 1000 && change.blood_breath_ratio <= 4000)) throw wrong(ratio, "Type a number from 1000 to 4000.");
      if (!(Number.isInteger(change.no_show_cost) && change.no_show_cost >= 0)) throw wrong(cost, "Type a whole number, 0 or more.");
      return call("PATCH", "/settings", change);
    },
  });
  if (done) say("Stored.");
  await load();
}

const tokenText = (token) => [
  { invitation: "invitation", session: "signed in", station: "station" }[token.kind] ?? token.kind, token.label,
  token.revoked ? "revoked" : token.kind === "invitation" && token.used ? "used"
    : token.expires ? `until ${momentName(token.expires)}` : ""].filter(Boolean).join(", ");

function accountLine(account) {
  const valid = (account.tokens ?? []).filter((token) =>
    !token.revoked && !(token.kind === "invitation" && token.used) && Date.parse(token.expires) > Date.now());
  return h("li", { class: account.revoked ? "over" : "" },
    h("div", {}, h("strong", {}, account.name),
      h("p", {}, [account.role, account.subject && account.subject !== account.name ? `subject ${account.subject}` : "", account.revoked ? "revoked" : ""].filter(Boolean).join(", ")),
      valid.length ? h("ul", { class: "tokens" }, valid.map((token) => h("li", {}, tokenText(token), " ",
        h("button", { class: "small", "aria-label": `Revoke ${tokenText(token)} of ${account.name}`, onclick: () =>
          act("It is revoked.", "DELETE", `/tokens/${token.id}`) }, "Revoke")))) : null),
    h("div", { class: "actions" }, account.revoked
      ? h("button", { "aria-label": `Restore the account of ${account.name}`, onclick: () =>
        act("It is restored. Invite its person anew.", "POST", `/accounts/${account.id}/restore`) }, "Restore")
      : h("button", { class: "danger", "aria-label": `Revoke the account of ${account.name}`, onclick: () => revoke(account) }, "Revoke")));
}

async function revoke(account) {
  const sure = await ask({
    title: `Revoke the account of ${account.name}?`, button: "Revoke", danger: true, save: () => true,
    body: h("p", {}, "All its links, sessions and stations stop at once. What was entered stays."),
  });
  if (sure) await act("The account is revoked.", "DELETE", `/accounts/${account.id}`);
}

async function act(done, method, path, body) {
  try {
    await call(method, path, body);
    say(done);
  } catch (error) {
    say(error.message, { urgent: true });
  }
  await load();
}

const nameOf = (list, id) => things[list]?.find((each) => each.id === id)?.name ?? `${id}`;
const LINES = {
  sites: (site) => [site.address, site.public ? "in the public feed" : "not in the public feed"],
  labs: (lab) => [nameOf("sites", lab.site)],
  "session-types": (type) => [nameOf("labs", type.lab), `${type.length_min} min`, `a reading every ${type.reading_interval_min} min`,
    `${type.capacity} places`, `limit ${type.release_limit_g_per_kg} g/kg`, type.food_state],
  slots: (slot) => [slot.session_type_name, slot.lab_name, `${slot.free} of ${slot.capacity} places free`, slot.waiting ? `${slot.waiting} waiting` : ""],
};

function draw(list) {
  const place = document.getElementById(list);
  const now = Date.now();
  const shown = (things[list] ?? []).filter((thing) => list !== "slots" || Date.parse(thing.ends) > now)
    .sort((a, b) => (a.starts ?? "").localeCompare(b.starts ?? ""));
  place.replaceChildren(...shown.map((thing) => {
    const name = thing.name || momentName(thing.starts);
    return h("li", { class: thing.closed ? "over" : "" },
      h("div", {}, h("strong", {}, name), h("p", {}, [...LINES[list](thing), thing.closed ? "closed" : ""].filter(Boolean).join(" · "))),
      h("div", { class: "actions" },
        list !== "slots" ? h("button", { "aria-label": `Change ${name}`, onclick: () => edit(list, thing) }, "Change") : null,
        h("button", { "aria-label": `${thing.closed ? "Open" : "Close"} ${name}`, onclick: () => openOrClose(list, thing) },
          thing.closed ? "Open again" : "Close")));
  }));
  if (!shown.length) place.append(h("li", {}, "None yet."));
}

/** Who has a place in a slot, or waits for one, is asked about before it is closed: they are still expected, or called off. */
async function openOrClose(list, thing) {
  const held = (thing.capacity ?? 0) - (thing.free ?? 0);
  if (list !== "slots" || thing.closed || !(held + thing.waiting)) {
    await act(thing.closed ? "It is open again." : "It is closed.", "PATCH", `/${list}/${thing.id}`, { closed: !thing.closed });
    return;
  }
  const done = await ask({
    title: `Close ${momentName(thing.starts)}, ${thing.session_type_name}?`, button: "Close", danger: true,
    body: [
      h("p", {}, `Places held: ${held}. Waiting: ${thing.waiting}.`),
      choice("What becomes of them?", "what", [["stay", "They keep their places"], ["off", "The session is called off"]], null),
      h("p", { class: "hint" }, "Called off, bookings that are not checked in are cancelled. Tell the people: the page Booking has the contacts."),
    ],
    save: (data) => {
      if (!data.get("what")) throw new Error("Choose one of the two.");
      return call("PATCH", `/slots/${thing.id}`, { closed: true, ...(data.get("what") === "off" && { cancel_bookings: true }) });
    },
  });
  if (done) say("It is closed.");
  await load();
}

const FORMS = { sites: siteForm, labs: labForm, "session-types": typeForm, slots: slotForm };
const NAMES = { sites: "site", labs: "lab", "session-types": "kind of session", slots: "slot" };

async function edit(list, thing) {
  const above = thing ? null : { labs: "sites", "session-types": "labs", slots: "session-types" }[list];
  if (above && !things[above]?.some((each) => !each.closed)) {
    say(`Add a ${NAMES[above]} first.`, { urgent: true });
    return;
  }
  const form = FORMS[list](thing ?? {});
  const done = await ask({
    title: thing ? `Change ${thing.name}` : list === "slots" ? "Add slots" : `Add a ${NAMES[list]}`, body: form.body,
    save: async (data) => {
      const body = form.read(data);
      await (thing ? call("PATCH", `/${list}/${thing.id}`, body) : call("POST", `/${list}`, body));
    },
  });
  if (done) say("Stored.");
  await load();
}

function nameField(thing) {
  const input = h("input", { name: "name", maxlength: 80, autocomplete: "off", autofocus: true, value: thing.name });
  return { input, read: (data) => {
    const name = data.get("name").trim();
    if (!name) throw wrong(input, "Give it a name.");
    return name;
  } };
}

/** What something new can belong to. It stays there: what is there already is not asked. */
const openOnes = (list) => things[list].filter((each) => !each.closed).map((each) => [String(each.id), each.name]);

function siteForm(site) {
  const name = nameField(site);
  return {
    body: [field("Name", name.input), field("Address", h("input", { name: "address", maxlength: 200, value: site.address })),
      h("label", { class: "check" }, h("input", { type: "checkbox", name: "public", checked: site.public === true }), " Show it in the feed without sign-in")],
    read: (data) => ({ name: name.read(data), address: data.get("address").trim() || undefined, public: data.get("public") !== null }),
  };
}

function labForm(lab) {
  const name = nameField(lab);
  return {
    body: [field("Name", name.input), lab.id ? null : field("Site", select(openOnes("sites"), "", { name: "site" }))],
    read: (data) => ({ name: name.read(data), ...(!lab.id && { site: Number(data.get("site")) }) }),
  };
}

function typeForm(type) {
  const name = nameField(type);
  const control = {
    length_min: numberInput({ name: "length_min", value: type.length_min ?? 360 }),
    reading_interval_min: numberInput({ name: "reading_interval_min", value: type.reading_interval_min ?? 10 }),
    capacity: numberInput({ name: "capacity", value: type.capacity ?? 4 }),
    release_limit_g_per_kg: numberInput({ name: "release_limit_g_per_kg", value: type.release_limit_g_per_kg ?? 0.2 }),
  };
  return {
    body: [field("Name", name.input), type.id ? null : field("Lab", select(openOnes("labs"), "", { name: "lab" })),
      h("div", { class: "row" }, field("Length (min)", control.length_min), field("A reading every (min)", control.reading_interval_min)),
      h("div", { class: "row" }, field("Places", control.capacity), field("Release limit (g/kg)", control.release_limit_g_per_kg)),
      field("Food", select(FOOD, type.food_state, { name: "food_state" }))],
    read: (data) => {
      const body = { name: name.read(data), food_state: data.get("food_state"), ...(!type.id && { lab: Number(data.get("lab")) }) };
      for (const [key, input] of Object.entries(control)) {
        body[key] = number(data.get(key));
        if (!(body[key] > 0)) throw wrong(input, "Type a number above 0.");
      }
      return body;
    },
  };
}

function slotForm() {
  const date = h("input", { type: "date", name: "date", autofocus: true });
  const time = h("input", { type: "time", name: "time", value: "09:00" });
  const weeks = numberInput({ name: "weeks", value: 1 });
  return {
    body: [field("Kind of session", select(openOnes("session-types"), "", { name: "session_type" })),
      h("div", { class: "row" }, field("Day", date), field("Starts at", time)),
      field("For how many weeks", weeks, "The same day and time each week.")],
    read: (data) => {
      if (!data.get("date") || !data.get("time")) throw wrong(date, "Give the day and the time.");
      const count = number(data.get("weeks"));
      if (!(Number.isInteger(count) && count >= 1 && count <= 52)) throw wrong(weeks, "Type a whole number from 1 to 52.");
      const starts = Array.from({ length: count }, (_, week) => {
        const start = new Date(`${data.get("date")}T${data.get("time")}`);
        start.setDate(start.getDate() + 7 * week);
        return start.toISOString();
      });
      return { session_type: Number(data.get("session_type")), starts };
    },
  };
}

document.getElementById("invite").addEventListener("click", async () => {
  if (await invite(me)) await load();
});
document.getElementById("check").addEventListener("click", () => check());
document.getElementById("change-settings").addEventListener("click", changeSettings);
for (const button of document.querySelectorAll("[data-add]")) {
  button.addEventListener("click", () => edit(button.dataset.add));
}
await load();
