// How far the device's clock is from the server's. An entry carries the time of the device and this correction:
// server time = device time + offset.

/** A jump of the clock below this is drift and scheduling, not somebody who set it. */
const JUMP_MS = 1000;
/** A measurement this old gives way to any newer one. */
const STALE_MS = 10 * 60 * 1000;

export class Clock {
  /** `wall` and `steady` are replaced in tests. A saved offset serves until the first measurement. */
  constructor({ wall = () => Date.now(), steady = () => performance.now(), saved = null } = {}) {
    this.wall = wall;
    this.steady = steady;
    this.saved = saved;
    this.best = null;
  }

  /** Marks the start of a request. */
  start() {
    return { wall: this.wall(), steady: this.steady() };
  }

  /**
   * Takes the server's time from the answer to a request begun at `start`. Half of the round trip is
   * taken as the way back, so the error is at most half of it; the quickest answer is kept.
   */
  observe(start, serverMs) {
    const steady = this.steady();
    const trip = steady - start.steady;
    if (!Number.isFinite(serverMs) || trip < 0) return;
    const wall = this.wall();
    const sample = { trip, wall, steady, offset: Math.round(serverMs + trip / 2 - wall) };
    const old = this.best;
    const keep = old && trip > old.trip && steady - old.steady < STALE_MS && this.isSure();
    if (!keep) this.best = sample;
  }

  /**
   * Whether the offset holds. It does not before the first measurement, nor once wall and steady clock have gone
   * apart: somebody set the clock or, where it went ahead, the device slept. Nothing here can tell the two apart, so
   * the server has to be asked.
   */
  isSure() {
    return this.best !== null && Math.abs(this.jump()) <= JUMP_MS;
  }

  /** Milliseconds to add to the device's time: the best guess where it is not sure. */
  offset() {
    if (!this.best) return this.saved ?? 0;
    const jump = this.jump();
    // A clock that went back was set: a device that slept only ever goes ahead.
    return jump < -JUMP_MS ? Math.round(this.best.offset - jump) : this.best.offset;
  }

  /** The server's time now, in milliseconds. */
  now() {
    return this.wall() + this.offset();
  }

  jump() {
    return this.wall() - this.best.wall - (this.steady() - this.best.steady);
  }
}
