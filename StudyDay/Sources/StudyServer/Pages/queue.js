// The numbers of the call board, live.

import { call, clock, Offline } from "./api.js";
import { showConnection } from "./shell.js";

/** Asked for so often even if nothing is heard: a stream may break without a word. */
const REFRESH_MS = 15_000;

/** Fetches the board and shows it. */
export async function loadBoard(draw) {
  try {
    draw(await call("GET", "/queue"));
    showConnection(true);
  } catch (error) {
    if (error.status === 401) location.replace("/");
    showConnection(!(error instanceof Offline), clock.now());
  }
}

/** Shows the board again whenever somebody takes a number or is called. */
export function followCalls(draw) {
  const stream = new EventSource("/api/v1/events");
  stream.addEventListener("change", (event) => {
    if (JSON.parse(event.data).action.startsWith("call.")) loadBoard(draw);
  });
  setInterval(() => loadBoard(draw), REFRESH_MS);
}

/** How long a wait may be, in words. */
export const waitText = (minutes) => (minutes < 1 ? "less than a minute" : `about ${minutes} min`);

/** What the board means to one person; null if they have no number. */
export function turnText({ mine, serving, waiting }) {
  const called = serving.find((each) => each.number === mine);
  if (called) return `It is your turn, number ${mine}: ${called.place}.`;
  const own = waiting.find((each) => each.number === mine);
  if (!own) return null;
  return `Your number is ${mine}. ${own.before === 0 ? "You are next" : `${own.before} before you`}, ${waitText(own.wait_min)}.`;
}
