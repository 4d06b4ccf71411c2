// Inviting somebody: a link that works once, or the token of a station.

import { call } from "./api.js";
import { ask, choice, field, h, s, say, show, wrong } from "./ui.js";

const ROLES = [["operator", "Operator"], ["viewer", "Viewer"], ["participant", "Participant"], ["investigator", "Investigator"], ["wall", "Screen on a wall"]];

/** Asks whom to invite and shows the link; false if nobody was. An operator invites participants: a link works once, and a new device needs a new one. */
export async function invite(me) {
  const roles = me.role === "operator" ? ROLES.filter(([role]) => role === "participant") : ROLES;
  const name = h("input", { name: "name", maxlength: 80, autocomplete: "off", autofocus: true });
  const subject = h("input", { name: "subject", maxlength: 100, autocomplete: "off" });
  const reason = h("input", { name: "reason", maxlength: 500, autocomplete: "off" });
  const result = await ask({
    title: "Invite somebody", button: "Make the link",
    body: [
      field("Name of the account", name, "A code for participants, not their name: it stands in the log."),
      choice("Role", "role", roles, roles[0][0]),
      field("Subject in the study", subject, "Only for participants; empty for somebody new."),
      me.role === "owner" ? field("Reason", reason, "Only for a new link into the account of somebody who was signed in.") : null,
      roles.length > 1 ? h("label", { class: "check" }, h("input", { type: "checkbox", name: "station" }), " A station or an instrument, not a person") : null,
    ],
    save: async (data) => {
      if (!data.get("name").trim()) throw wrong(name, "Give the account a name.");
      return call("POST", "/invitations", {
        name: data.get("name").trim(), role: data.get("role"),
        subject: data.get("subject").trim() || undefined, station: data.get("station") ? true : undefined,
        reason: data.get("reason")?.trim() || undefined,
      });
    },
  });
  if (!result) return false;
  const secret = result.token ?? result.link;
  const shown = h("input", { readonly: true, value: secret, class: "secret" });
  shown.addEventListener("focus", () => shown.select());
  show(result.token ? "Token of the station" : "Link of the invitation",
    h("p", {}, "It is shown this once. Hand it over now; it cannot be shown again."),
    field(result.token ? "Token" : "Link", shown),
    result.qr && !result.token ? s("svg", { class: "qr", viewBox: `0 0 ${result.qr.size} ${result.qr.size}`, role: "img", "aria-label": "The link as a QR code" },
      s("path", { d: result.qr.path })) : null,
    h("button", { onclick: async () => {
      await navigator.clipboard.writeText(secret);
      say("Copied.");
    } }, "Copy"));
  return true;
}
