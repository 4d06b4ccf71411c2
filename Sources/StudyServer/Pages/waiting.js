// The outbox as people see it: what waits, what was refused, what is in conflict.

import { outboxStore } from "./store.js";
import { ask, clockTime, h, show, valueText } from "./ui.js";

const WORDS = { enter: "", correct: "Correction: ", void: "Void: ", resolve: "Choice: " };

/** What an entry says, in a line. */
export function entryText(entry) {
  return (WORDS[entry.action] ?? "") + (valueText(entry.kind, entry.value) || entry.kind);
}

/** When it was, by the server's clock. */
export const entryTime = (entry) => clockTime(Date.parse(entry.at ?? entry.device_time) + entry.clock_offset_ms);

/** Shows everything that is on this device and not settled. */
export async function showOutbox(outbox, me) {
  const list = h("ul", { class: "waiting" });
  const fill = async () => {
    const items = await outboxStore.all();
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
      h("button", { onclick: async () => {
        await outboxStore.put({ ...item, state: "waiting", problem: null });
        await outbox.flush();
        await fill();
      } }, "Send again"),
      h("button", { class: "danger", onclick: async () => {
        const sure = await ask({
          title: "Discard this entry?", button: "Discard", danger: true, save: () => true,
          body: h("p", {}, `${entry.subject}: ${entryText(entry)}. The server has never stored it.`),
        });
        if (sure) await outbox.remove(item.order);
        await fill();
      } }, "Discard")));
}
