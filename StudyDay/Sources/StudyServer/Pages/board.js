// The call board: for a screen on the wall, and for who calls.

import { call } from "./api.js";
import { followCalls, loadBoard, waitText } from "./queue.js";
import { may, startPage } from "./shell.js";
import { station } from "./store.js";
import { ask, field, h, say, setText, sync } from "./ui.js";

const { me } = await startPage();
const isStaff = may.enter(me);

const line = (each, end) => h("li", {}, h("strong", {}, String(each.number)),
  h("span", {}, [each.place, isStaff ? each.subject : null].filter(Boolean).join(" · ")),
  end ? h("button", { class: "small", "aria-label": `Number ${each.number} is done`, onclick: () => act("DELETE", `/queue/${each.number}`) }, end) : null);

function draw(board) {
  const key = (each) => `${each.number} ${each.place}`;
  sync(document.getElementById("serving"), board.serving, key, (each) => line(each, isStaff ? "Done" : null));
  sync(document.getElementById("waiting"), board.waiting, key, (each) => line(each, isStaff ? "Gone" : null));
  setText(document.getElementById("wait"), board.serving.length || board.waiting.length
    ? `A new number waits ${waitText(board.wait_min)}.` : "Nobody waits.");
  document.getElementById("call").disabled = !board.waiting.length;
}

async function act(method, path, body) {
  try {
    draw(await call(method, path, body));
  } catch (error) {
    say(error.message, { urgent: true });
  }
}

document.getElementById("calling").hidden = !isStaff;
document.getElementById("call").addEventListener("click", () => act("POST", "/queue/next", { place: station.name || me.name }));
document.getElementById("take").addEventListener("click", async () => {
  const code = h("input", { name: "subject", maxlength: 80, autocomplete: "off", autofocus: true });
  const asked = await ask({ title: "Give a number", button: "Give it", body: [field("Subject in the study", code, "Empty for who has no code yet.")],
    save: (data) => ({ subject: data.get("subject").trim() || undefined }) });
  if (asked) await act("POST", "/queue", asked);
});
await loadBoard(draw);
followCalls(draw);
