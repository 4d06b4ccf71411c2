// Requests to the server. A refusal is a Problem with the server's code; a network that is not there is Offline.

import { Clock } from "./clock.js";
import { state } from "./store.js";

const ROOT = "/api/v1";
const PATIENCE_MS = 15_000;

export class Problem extends Error {
  constructor(status, body = {}, retryAfter = null) {
    super(body.detail || body.title || `The server answered ${status}.`);
    this.status = status;
    this.code = body.code ?? "";
    this.retryAfter = retryAfter;
  }
}

export class Offline extends Error {
  constructor() {
    super("The server cannot be reached.");
  }
}

const savedOffset = Number(globalThis.localStorage?.getItem("clock-offset") ?? "");
export const clock = new Clock({ saved: Number.isFinite(savedOffset) ? savedOffset : null });

let csrf = "";
/** Who this page is for. */
let name = null;

/** Sends a request and returns the JSON of its answer; undefined if it has none. */
export async function call(method, path, body) {
  // A page that was loaded without a network has yet to be told its key.
  if (method !== "GET" && !csrf && !["/sign-in", "/recover"].includes(path)) await renewKey();
  try {
    return await attempt(method, path, body);
  } catch (error) {
    if (error.code !== "E_DAY_FORGED") throw error;
    await renewKey();
    return attempt(method, path, body);
  }
}

/** Gets the key of the session. If somebody else signed in meanwhile, nothing of this page is sent as theirs. */
async function renewKey() {
  const me = await attempt("GET", "/me");
  if (name === null || me.name === name) return;
  location.reload();
  throw new Offline();
}

async function attempt(method, path, body) {
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET" && csrf) headers["X-CSRF-Token"] = csrf;
  const start = clock.start();
  let answer, text;
  try {
    answer = await fetch(ROOT + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    text = await answer.text();
  } catch {
    throw new Offline();
  }
  let json;
  try {
    json = text ? JSON.parse(text) : undefined;
  } catch {
    json = undefined;
  }
  if (!answer.ok) {
    throw new Problem(answer.status, json, Number(answer.headers.get("Retry-After")) || null);
  }
  if (json?.server_time) measure(start, json.server_time);
  if (json?.csrf) csrf = json.csrf;
  return json;
}

function measure(start, serverTime) {
  clock.observe(start, Date.parse(serverTime));
  globalThis.localStorage?.setItem("clock-offset", String(clock.offset()));
}

let measuring = null;

/** Makes sure of the clock's offset: asks the server where the clock was set or the device slept. */
export async function measureClock() {
  if (clock.isSure()) return;
  measuring ??= attempt("GET", "/me").finally(() => { measuring = null; });
  await measuring;
}

/** All of a list that the server hands out in pages. */
export async function all(path) {
  const items = [];
  let next = null;
  do {
    const after = next == null ? "" : `${path.includes("?") ? "&" : "?"}after=${encodeURIComponent(next)}`;
    const page = await call("GET", path + after);
    items.push(...page.items);
    next = page.next;
  } while (next != null);
  return items;
}

/** Who is signed in: {name, role, subject}. Without a network, who was last. Throws a Problem 401 if nobody. */
export async function whoAmI() {
  try {
    const me = await attempt("GET", "/me");
    ({ name } = me);
    await state.set("identity", { name: me.name, role: me.role, subject: me.subject });
    return me;
  } catch (error) {
    if (!(error instanceof Offline)) throw error;
    const known = await state.get("identity");
    if (!known) throw error;
    ({ name } = known);
    return known;
  }
}

/** Trades the token of a link for a session. */
export async function signIn(token) {
  const answer = await call("POST", "/sign-in", { token });
  return answer.identity;
}

/** Signs the owner in by the recovery code; the answer has the next one. */
export const recover = (code) => call("POST", "/recover", { code });

/** Ends the session and forgets what the device keeps of the day. Entries that wait stay. */
export async function signOut() {
  await call("POST", "/sign-out");
  csrf = "";
  await state.remove("identity");
  await state.remove("day");
}
