// The outbox as people see it: what waits, what was refused, what is in conflict.

import { clock, measureClock } from "./api.js";
import { reasonField, reasonOf, stamped } from "./entry.js";
import { entryMoment, isOutOfTime } from "./outbox.js";
import { outboxStore } from "./store.js";
import { ask, clockTime, field, h, momentName, show, timeOfDay, valueText, wrong } from "./ui.js";

const WORDS = { enter: "", correct: "Correction: ", void: "Void: ", resolve: "Choice: ", discard: "Discarded: " };
/** What the server takes. */
const LONGEST_REASON = 500;

/** What an entry says, in a line. */
export function entryText(entry) {
  return (WORDS[entry.action] ?? "") + (valueText(entry.kind, entry.value) || entry.kind);
}

/** When it was, by the server's clock. */
export const entryTime = (entry) => clockTime(entryMoment(entry));

/** Shows what is on this device and not settled; `seen` picks what this person may see. */
export async function showOutbox(outbox, me, seen) {
  const list = h("ul", { class: "waiting" });
  const fill = async () => {
    const items = seen(await outboxStore.all());
    list.replaceChildren(...items.map((item) => line(item, outbox, me, fill)));
    if (!items.length) list.append(h("li", {}, "Nothing waits. The server has every entry."));
  };
  await fill();
  show("Entries on this device",
    h("p", {}, "Entries stay here until the server has stored them. They are sent in this order."), list,
    h("button", { onclick: async () => {
      await outbox.flush();
      await fill();
    } }, "Send now"));
}

/** Whether nobody has to do anything: it is sent once there is a network, or once its maker is back. */
export const isSettledByItself = (item, me) => item.state === "waiting" && item.by === me.name;

/** What becomes of an item, in words. */
export function waitingText({ by, state }, me) {
  const isMine = by === me.name;
  const whose = isMine ? "" : `, made by ${by}`;
  if (state === "waiting") return isMine ? "waits to be sent" : `waits for ${by} to sign in on this device`;
  return (state === "refused" ? "was refused" : "is in conflict") + whose;
}

function line(item, outbox, me, fill) {
  const { entry, state, problem } = item;
  const because = problem?.detail ?? problem?.title ?? "no reason was given.";
  const more = {
    waiting: "", refused: because,
    conflict: `Somebody else changed the same value. Both values are on the page of ${entry.subject}: choose one there.`,
  }[state];
  const act = (text, does, name = "") => h("button", { class: name, onclick: () => does().then(fill) }, text);
  // What is told to the server, or was given up, needs no more than to be seen.
  const isOver = state === "conflict" || (state === "refused" && entry.action === "discard");
  return h("li", { class: state === "waiting" ? "" : "trouble" },
    h("p", {}, h("strong", {}, entry.subject), ` ${entryText(entry)}, ${entryTime(entry)}: ${waitingText(item, me)}. ${more}`),
    isSettledByItself(item, me) ? null : h("div", { class: "actions" }, isOver ? act("Seen", () => outbox.remove(item.order))
      : [act(item.by === me.name ? "Send again" : "Send in my name", () => sendAgain(item, outbox, me)),
        act("Discard", () => giveUp(item, outbox, me), "danger")]));
}

/** What the log says before the reason of who settles what somebody else made. */
const madeBy = (item, me) => (item.by === me.name ? "" : `made by ${item.by}: `);

const about = ({ entry }) => h("p", {}, h("strong", {}, entry.subject), ` ${entryText(entry)}, ${entryTime(entry)}.`);

/** Asks why an item is given up, and tells the server so: nothing that was measured goes without a word. */
function giveUp(item, outbox, me) {
  const { entry } = item;
  return ask({
    title: "Discard this entry?", button: "Discard", danger: true,
    body: [about(item), h("p", {}, "It counts for nothing. The log keeps what it said, and why it was discarded."), reasonField()],
    save: async (data) => {
      const { kind, subject, value } = entry;
      const reason = madeBy(item, me) + reasonOf(data);
      const gone = await stamped({
        kind, subject, action: "discard", record: entry.id, value, reason, moment: () => new Date(entryMoment(entry)),
      });
      await outbox.replace(item, gone, { unsure: !clock.isSure() });
    },
  });
}

/** Sends an item that was refused, or that somebody else left: after a question if its time cannot be right. */
async function sendAgain(item, outbox, me) {
  const mine = item.by === me.name ? item : await askToTakeOver(item, me);
  if (!mine) return;
  await measureClock().catch(() => {});
  const wanted = isOutOfTime(mine.entry, clock.now()) ? await askTime(mine) : mine;
  if (wanted) await outbox.replace(item, wanted.entry);
}

/** Asks why what somebody else made is sent in one's own name; null if the person turned away. */
function askToTakeOver(item, me) {
  return ask({
    title: "Send it in your name?", button: "Send",
    body: [about(item), h("p", {}, `${item.by} made it. The log names you, ${item.by} and the reason.`), reasonField()],
    save: (data) => {
      const reason = [item.entry.reason, madeBy(item, me) + reasonOf(data)].filter(Boolean).join("; ").slice(0, LONGEST_REASON);
      return { ...item, entry: { ...item.entry, reason } };
    },
  });
}

/** Asks when an entry was made whose time cannot be right; null if the person turned away. */
async function askTime(item) {
  const { entry } = item;
  const input = h("input", { type: "time", name: "time", autofocus: true });
  return ask({
    title: `When was it? ${entry.subject}`, button: "Send",
    body: [
      h("p", {}, `${entryText(entry)}. This device's clock was wrong: it said ${momentName(entryMoment(entry))}.`),
      field("Time", input, "Of the last 24 hours, as the clock on the wall showed it."),
    ],
    save: (data) => {
      if (!data.get("time")) throw wrong(input, "Give the time.");
      const time = timeOfDay(data.get("time"), new Date(clock.now()));
      return { ...item, entry: { ...entry, at: new Date(time.getTime() - entry.clock_offset_ms).toISOString() } };
    },
  });
}
