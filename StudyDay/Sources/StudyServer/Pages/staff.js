// What staff set for themselves: by which code they sign, and what they are told of outside an open page.

import { call } from "./api.js";
import { ask, field, h, say, wrong } from "./ui.js";

const LEAST = 6;

/** Asks for a new signing code. Who signed in long ago gives the one before, too. */
export async function setSigningCode() {
  const secret = (name) => h("input", { type: "password", name, maxlength: 80, autocomplete: "off" });
  const [code, old] = [secret("code"), secret("old")];
  code.autofocus = true;
  const done = await ask({
    title: "Signing code",
    body: [
      h("p", {}, "A release is signed with it once your sign-in is older than 12 hours. Tell it to nobody."),
      field("New code", code, `${LEAST} characters or more.`),
      field("Code before", old, "Needed if you signed in more than 12 hours ago."),
    ],
    save: (data) => {
      if (data.get("code").length < LEAST) throw wrong(code, `Type ${LEAST} characters or more.`);
      return call("PUT", "/me/signing-code", { code: data.get("code"), old: data.get("old") || undefined });
    },
  });
  if (done) say("The signing code is set.");
}

const ALERTS = {
  due: "A reading is due and was missed", vital: "A vital sign is beyond a limit",
  device: "A device of the lab is silent for 10 min while somebody is in a session",
};

/** Asks what somebody of the staff wants to be told of outside the page, and where. */
export async function chooseAlerts() {
  let known;
  try {
    known = await call("GET", "/me/alerts");
  } catch (error) {
    say(error.message, { urgent: true });
    return;
  }
  if (!known.ways.length) {
    say("This server writes to nobody: it was started without --mail-command and --webhook.", { urgent: true });
    return;
  }
  const address = h("input", { type: "email", name: "address", maxlength: 254, autocomplete: "email", value: known.address });
  const hasMail = known.ways.includes("mail");
  const done = await ask({
    title: "What I am told of",
    body: [
      h("p", {}, alertsText(known.ways)),
      known.known.map((kind) => h("label", { class: "check" }, h("input", { type: "checkbox", name: "kind", value: kind, checked: known.kinds.includes(kind) }), ` ${ALERTS[kind] ?? kind}`)),
      hasMail ? field("E-mail address", address, "It is in no log. Letters have codes of people, and no names.") : null,
    ],
    save: (data) => call("PUT", "/me/alerts", { kinds: data.getAll("kind"), address: data.get("address")?.trim() || undefined }),
  });
  if (done) say(done.kinds.length ? "You are told." : "You are not told of anything.");
}

/** How somebody is told, in words. */
export const alertsText = (ways) => `Each is told once, also when no page is open: ${
  ways.map((way) => ({ mail: "by mail", webhook: "by the webhook of this server" })[way] ?? way).join(" and ")}.`;
