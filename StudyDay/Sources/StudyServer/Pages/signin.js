// Signing in by a one-time link: the token is in the fragment, which no server and no log ever sees.

import { Offline, recover, signIn, whoAmI } from "./api.js";
import { homeOf, leave } from "./shell.js";
import { field, h, setText } from "./ui.js";

/** Takes the token out of the address, which must not keep it. */
function takeToken() {
  const token = location.hash.replace(/^#(token=)?/, "");
  if (token) history.replaceState(null, "", "/");
  return token;
}

const token = takeToken();

const place = document.getElementById("sign-in");
const trouble = document.getElementById("trouble");
navigator.serviceWorker?.register("/sw.js", { scope: "/" }).catch(() => {});

// A link that is opened where this page is open already.
addEventListener("hashchange", () => {
  const next = takeToken();
  if (next) enter(next);
});

async function enter(text) {
  setText(trouble, "");
  try {
    const me = await signIn(text.trim().replace(/^.*#(token=)?/, ""));
    location.replace(homeOf(me));
  } catch (error) {
    setText(trouble, error instanceof Offline ? `${error.message} Check the network and try again.`
      : `${error.message} Ask for a new link if it was used before.`);
    offerForm(text);
  }
}

function offerForm(text = "") {
  const input = h("input", { id: "link", type: "text", autocomplete: "off", spellcheck: "false", value: text });
  place.replaceChildren(h("form", { onsubmit: (event) => {
    event.preventDefault();
    enter(input.value);
  } }, h("p", {}, "Open the link of your invitation on this device, or paste it here. It works once."),
    h("div", { class: "field" }, h("label", { for: "link" }, "Link"), input), h("button", { class: "primary" }, "Sign in")),
  h("details", {}, h("summary", {}, "The owner has no link"), recoveryForm()));
}

/** The owner signs in by the recovery code, and is shown the next one before anything else. */
function recoveryForm() {
  const input = h("input", { type: "text", autocomplete: "off", spellcheck: "false" });
  return h("form", { onsubmit: async (event) => {
    event.preventDefault();
    setText(trouble, "");
    try {
      const { identity, recovery_code: next } = await recover(input.value.trim());
      place.replaceChildren(h("p", {}, "You are signed in as ", h("strong", {}, identity.name), ". The code is used up. Write down the next one; it is shown this once:"),
        h("p", {}, h("code", { class: "secret" }, next)), h("div", { class: "actions" }, h("a", { class: "button primary", href: homeOf(identity) }, "I have written it down")));
    } catch (error) {
      setText(trouble, error.message);
    }
  } }, field("Recovery code", input, "It was printed when the server was first started, or shown when the one before was used. It works once."),
    h("button", {}, "Sign in as the owner"));
}

function offerDay(me) {
  place.replaceChildren(h("p", {}, "You are signed in as ", h("strong", {}, me.name), ` (${me.role}).`),
    h("div", { class: "actions" }, h("a", { class: "button primary", href: homeOf(me) }, "Go on"),
      h("button", { onclick: () => leave(me).catch((error) => setText(trouble, error.message)) }, "Sign out")));
}

if (token) await enter(token);
else {
  try {
    offerDay(await whoAmI());
  } catch {
    offerForm();
  }
}
