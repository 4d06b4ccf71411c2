// The outbox as people see it: what waits, what was refused, what is in conflict.

import { clock, measureClock } from "./api.js";
import { entryMoment, isOutOfTime } from "./outbox.js";
import { outboxStore } from "./store.js";
import { ask, clockTime, field, h, momentName, show, timeOfDay, valueText, wrong } from "./ui.js";

const WORDS = { enter: "", correct: "Correction: ", void: "Void: ", resolve: "Choice: " };

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

function line(item, outbox, me, fill) {
  const { entry, state, problem } = item;
  const head = h("p", {}, h("strong", {}, entry.subject), ` ${entryText(entry)}, ${entryTime(entry)}`);
  if (item.by !== me.name) {
    return h("li", {}, head, h("p", {}, `Made by ${item.by}. It is sent when ${item.by} signs in on this device.`));
  }
  if (state === "waiting") return h("li", {}, head, h("p", {}, "Waits to be sent."));
  const because = problem?.detail ?? problem?.title ?? "";
  if (state === "conflict") {
    return h("li", { class: "trouble" }, head,
      h("p", {}, `Somebody else changed the same value. ${because} Both values are on the page of ${entry.subject}: choose one there.`),
      h("button", { onclick: () => outbox.remove(item.order).then(fill) }, "Seen"));
  }
  return h("li", { class: "trouble" }, head, h("p", {}, `Refused: ${because || "no reason was given."}`),
    h("div", { class: "actions" },
      h("button", { onclick: () => sendAgain(item, outbox).then(fill) }, "Send again"),
      h("button", { class: "danger", onclick: async () => {
        const sure = await ask({
          title: "Discard this entry?", button: "Discard", danger: true, save: () => true,
          body: h("p", {}, `${entry.subject}: ${entryText(entry)}. The server has never stored it.`),
        });
        if (sure) await outbox.remove(item.order);
        await fill();
      } }, "Discard")));
}

/** Sends what was refused once more. What says of itself that it is still to come would be refused again: ask. */
async function sendAgain(item, outbox) {
  await measureClock().catch(() => {});
  const wanted = isOutOfTime(item.entry, clock.now()) ? await askTime(item) : item;
  if (!wanted) return;
  await outboxStore.put({ ...wanted, state: "waiting", problem: null });
  await outbox.flush();
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
