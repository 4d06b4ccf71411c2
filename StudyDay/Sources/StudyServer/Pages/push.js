// Being told by the browser, also when no page is open (Web Push): whether this device can be, and that it is.

import { call } from "./api.js";
import { state } from "./store.js";
import { h, setText } from "./ui.js";

/** What stands in the way of this device being told, in words; null for nothing. */
export function obstacle({ isSecure, hasWorker, hasPush, permission, onHomeScreen }) {
  if (!isSecure) return "This page was not loaded by https. Ask who runs the study for an address that begins with https.";
  // On iPhones and iPads only pages on the home screen are told; elsewhere there is no such thing.
  if (!hasPush && onHomeScreen === false) {
    return "On an iPhone or iPad, put this page on the home screen first: tap Share, then “Add to Home Screen”, and open it from there.";
  }
  if (!hasPush) return "This browser cannot tell you anything while no page is open. Try another one.";
  if (!hasWorker) return "This browser keeps no pages here: it does not trust the certificate of the server, or this is a private window.";
  if (permission === "denied") return "This browser was told not to notify you here. Allow it in the browser's settings of this site, and open this again.";
  return null;
}

const worker = () => navigator.serviceWorker?.getRegistration();

const own = (registration) => obstacle({
  isSecure: isSecureContext, hasWorker: Boolean(registration), hasPush: "PushManager" in globalThis && "Notification" in globalThis,
  permission: globalThis.Notification?.permission, onHomeScreen: navigator.standalone,
});

/** Tells the server where this browser is told. */
async function report(me, subscription) {
  const { endpoint, keys: { p256dh, auth } } = subscription.toJSON();
  await call("PUT", "/me/push", { endpoint, p256dh, auth, consent: true });
  await state.set("push", { by: me.name, endpoint });
}

/** Has this browser told nothing any more. */
export async function tellNothing() {
  await (await (await worker())?.pushManager?.getSubscription())?.unsubscribe();
  await state.remove("push");
}

/** A browser is told for one person: who signs in ends what was for another. A push service that moved is told to the server. */
export async function keepTold(me) {
  const known = await state.get("push");
  if (!known) return;
  const subscription = known.by === me.name ? await (await worker())?.pushManager?.getSubscription() : null;
  if (!subscription) await tellNothing();
  else if (subscription.endpoint !== known.endpoint) await report(me, subscription);
}

/** Asks the person for permission, which browsers allow after a tap only, and the browser for where it is told. */
async function tell(me, key) {
  const permission = await Notification.requestPermission();
  const stands = own(await worker());
  if (stands) throw new Error(stands);
  if (permission !== "granted") throw new Error("You did not allow it. Tap again to be asked again.");
  const { pushManager } = await navigator.serviceWorker.ready;
  // It may be somebody else's, or of another study.
  await (await pushManager.getSubscription())?.unsubscribe();
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }).catch(() => {
    throw new Error("The push service of this browser cannot be reached. Look at the network, and try again.");
  });
  await report(me, subscription);
}

/** The choice to be told on this device, or why it cannot be; `push` is what the server says of it. */
export async function deviceChoice(me, push) {
  const stands = own(await worker());
  const status = h("p", { role: "status" });
  const button = h("button", { type: "button", hidden: Boolean(stands) && !push.is_here });
  let isHere = push.is_here;
  const draw = (trouble = null) => {
    const others = push.devices - (push.is_here ? 1 : 0);
    setText(status, trouble ?? (isHere ? "This device is told of what you choose above, also when no page is open."
      : others ? `${others === 1 ? "Another device of yours is" : `${others} other devices of yours are`} told; this one is not.` : "This device is not told."));
    setText(button, isHere ? "Tell me no longer on this device" : "Tell me on this device");
  };
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      if (isHere) {
        await call("DELETE", "/me/push");
        await tellNothing();
      } else await tell(me, push.key);
      isHere = !isHere;
      draw();
    } catch (error) {
      draw(error.message);
    } finally {
      button.disabled = false;
    }
  });
  draw(stands);
  return h("section", {}, h("h3", {}, "On this device"), status, button,
    h("p", { class: "hint" }, "It goes through the maker of the browser (Google, Mozilla, Apple or Microsoft), encrypted: they learn when you are told, and not what."));
}
