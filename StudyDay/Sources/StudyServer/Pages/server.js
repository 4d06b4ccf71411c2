// How the server is, for who runs it: devices, what they have not sent, backups, disk.

import { call, clock, Offline } from "./api.js";
import { showConnection, startPage } from "./shell.js";
import { duration, h, momentName, table } from "./ui.js";

const REFRESH_MS = 10_000;
/** Less free space than this, and a backup older than this, are marked. */
const LITTLE_BYTES = 500e6;
const OLD_MS = 24 * 3_600_000;

await startPage();

const size = (bytes) => (bytes == null ? "unknown" : bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`);

async function load() {
  try {
    draw(await call("GET", "/operation"));
    showConnection(true);
  } catch (error) {
    if (error.status === 401) location.replace("/");
    showConnection(!(error instanceof Offline), clock.now());
  }
}

function draw(state) {
  const now = clock.now();
  const line = (name, text, isBad) => h("li", { class: isBad ? "bad" : "" }, h("div", {}, h("strong", {}, name), h("p", {}, text)));
  const { backup, letters } = state;
  const since = state.seq - (backup?.seq ?? 0);
  const every = state.backup_every_min;
  document.getElementById("state").replaceChildren(
    line("Storing", state.not_storing_since ? `Nothing could be stored since ${momentName(state.not_storing_since, now)}` : `${state.seq} changes are stored`, state.not_storing_since),
    line("Last backup", backup ? `${momentName(backup.at, now)}, ${duration(now - Date.parse(backup.at))} ago; ${since} changes since` : "None is known of", !backup || now - Date.parse(backup.at) > OLD_MS),
    line("Automatic copies", every == null ? "None: the server was started without --backups" : `Every ${duration(every * 60_000)}, each opened, checked and counted${state.backup_failure ? `; the last one failed: ${state.backup_failure}` : ""}`, every != null && state.backup_failure),
    line("Disk", `${size(state.free_bytes)} free; the database has ${size(state.database_bytes)}`, state.free_bytes < LITTLE_BYTES),
    line("Pages", `${state.pages} ${state.pages === 1 ? "follows" : "follow"} the day`),
    line("Written to", state.writes_by.length ? `By ${state.writes_by.join(" and ")}: ${letters.sent ?? 0} arrived, ${letters.waiting ?? 0} wait, ${letters.failed ?? 0} were given up` : "Nobody: the server was started without --mail-command and --webhook", letters.failed > 0));
  document.getElementById("devices").replaceChildren(state.devices.length ? table("Devices of the last day", ["Account", "Station", "State", "Not sent", "Refused", "Seen"],
    state.devices.map((device) => h("tr", {}, h("th", { scope: "row" }, device.account), h("td", {}, device.station ?? "–"), h("td", {}, device.is_online ? "online" : "away"),
      h("td", {}, device.waiting ? `${device.waiting}, since ${momentName(device.oldest, now)}` : "0"), h("td", {}, String(device.refused)), h("td", {}, momentName(device.seen, now))))) : h("p", {}, "No device has said anything yet."));
}

await load();
setInterval(load, REFRESH_MS);
