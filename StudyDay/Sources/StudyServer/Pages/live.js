// One stream of events for all pages of a browser. One page leads: it holds a lock, has the stream and passes on
// what comes. When it closes, the lock goes to another page, which goes on after the last event seen.

const CHANNEL = "promille-live";
const EVENTS = ["change", "person", "notice"];
/** The leader says that it is there. A page in view that hears nothing for the longer time takes over. */
const BEAT_MS = 5_000;
const SILENCE_MS = 20_000;

export class Live {
  /** `heard(kind, data)` gets change, person and notice; `status(connected)` when the stream comes and goes. */
  constructor({ heard, status, leads = () => {} }) {
    Object.assign(this, { heard, status, leads });
    this.last = 0;
    this.source = null;
    this.connected = null;
    this.lastBeat = performance.now();
  }

  /** Hears what another page passes on, if one leads. Call it before the state is fetched, so that nothing is missed. */
  listen() {
    if (!navigator.locks || typeof BroadcastChannel === "undefined") return;
    this.channel = new BroadcastChannel(CHANNEL);
    this.channel.onmessage = ({ data }) => this.receive(data);
    this.channel.postMessage({ kind: "hello" });
  }

  /** Leads if nobody does, with the events after `seq`: what was fetched last, or 0 if nothing was. */
  start(seq) {
    this.last = Math.max(this.last, seq);
    if (!this.channel) {
      this.leads(true);
      this.open();
      return;
    }
    this.lead(false);
    setInterval(() => this.beat(), BEAT_MS);
    document.addEventListener("visibilitychange", () => this.takeOverFromSilence());
  }

  /** Waits to be the leader; with `steal` becomes it at once, because the old one is silent. */
  lead(steal) {
    const held = () =>
      new Promise(() => {
        this.leading = true;
        this.leads(true);
        this.open();
      });
    navigator.locks.request(CHANNEL, { steal }, held).catch(() => {
      // Another page took over.
      this.leading = false;
      this.leads(false);
      this.source?.close();
      this.source = null;
      this.lead(false);
    });
  }

  open() {
    this.source?.close();
    const source = new EventSource(`/api/v1/events${this.last ? `?after=${this.last}` : ""}`);
    this.source = source;
    source.onopen = () => this.pass({ kind: "status", data: true });
    source.onerror = () => {
      if (this.source !== source) return;
      this.pass({ kind: "status", data: false });
      // The browser gives up after an answer that is no stream; this does not.
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.reopen(source), BEAT_MS);
    };
    for (const kind of EVENTS) {
      source.addEventListener(kind, (event) =>
        this.pass({ kind, seq: Number(event.lastEventId) || 0, data: JSON.parse(event.data) }));
    }
  }

  reopen(source) {
    if (this.source === source) this.open();
  }

  /** Connects again at once, for example when the network is back. */
  retry() {
    if (this.source && this.source.readyState !== EventSource.OPEN) this.open();
  }

  /** The network is gone, which a stream may not notice for minutes. Connects again, or asks the page that leads. */
  lose() {
    this.receive({ kind: "status", data: false });
    const { source } = this;
    source?.close();
    setTimeout(() => (source ? this.reopen(source) : this.channel?.postMessage({ kind: "hello" })), BEAT_MS);
  }

  pass(message) {
    this.channel?.postMessage(message);
    this.receive(message);
  }

  receive({ kind, seq, data }) {
    this.lastBeat = performance.now();
    if (kind === "hello") {
      if (this.leading && this.connected !== null) {
        this.channel.postMessage({ kind: "status", data: this.connected });
      }
    } else if (kind === "status") {
      if (this.connected !== data) {
        this.connected = data;
        this.status(data);
      }
    } else if (EVENTS.includes(kind)) {
      this.last = Math.max(this.last, seq ?? 0);
      this.heard(kind, data);
    }
  }

  beat() {
    if (this.leading) this.channel.postMessage({ kind: "beat" });
    else this.takeOverFromSilence();
  }

  takeOverFromSilence() {
    const isSilent = performance.now() - this.lastBeat > SILENCE_MS;
    if (document.visibilityState === "visible" && !this.leading && isSilent) {
      this.lastBeat = performance.now();
      this.lead(true);
    }
  }
}

/** A person that came over the stream, who may have what changed only, with what is known; null if something is missing. */
export function updated(known, person) {
  if (person.since == null) return person;
  if (known?.occasion !== person.occasion || !(known.seq >= person.since)) return null;
  const { since, ...whole } = person;
  for (const list of ["readings", "drinks", "vitals", "notes"]) {
    const changed = new Set(person[list].map(({ uuid }) => uuid));
    whole[list] = [...known[list].filter(({ uuid }) => !changed.has(uuid)), ...person[list]]
      .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  }
  return whole;
}

/** A page that the server has not confirmed for this long may be behind. */
const STALE_MS = 90_000;

/** Whether a page has everything that the server knows. `wall` and `steady` are replaced in tests. */
export class Step {
  constructor({ wall = () => Date.now(), steady = () => performance.now() } = {}) {
    Object.assign(this, { wall, steady });
    this.confirmed = null;
  }

  moment() {
    return { wall: this.wall(), steady: this.steady() };
  }

  /** The server said at `moment` that nothing is missing. */
  confirm(moment = this.moment()) {
    this.confirmed = moment;
  }

  lose() {
    this.confirmed = null;
  }

  /** By the clock that went on further: one of them stands still while the device sleeps. */
  get isIn() {
    if (!this.confirmed) return false;
    const now = this.moment();
    return Math.max(now.wall - this.confirmed.wall, now.steady - this.confirmed.steady) < STALE_MS;
  }
}
