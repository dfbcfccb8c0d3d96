import { MessageChannel } from 'node:worker_threads';

/** Between the end of a probe and the next one. */
const PROBE_EVERY_MS = 5;
/** A delay that is over sooner, such as a garbage collection, refuses nobody. */
const PATIENCE_MS = 100;
/** Without a delay, until such patience again. */
const CALM_MS = 1_000;

/**
 * Whether requests that are read now were read in time. A probe is a message of this process to itself: the system keeps it among
 * what is ready to be read, behind all requests that came before it. No timer could tell, as libuv runs none while 1,024 sockets have
 * something to read. While no request comes, there is no probe.
 */
export class ReadDelay {
  /** Of the last probe, milliseconds. */
  delayMs = 0;
  #sentAtMs: number | undefined;
  #endedAtMs = -Infinity;
  #lateSinceMs: number | undefined;
  #shedUntilMs = -Infinity;

  /** @param probe calls back when the process would read what comes now */
  constructor(
    private readonly targetMs: number,
    private readonly probe: (read: () => void) => void = probeOwnQueue(),
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @param queueMs how long the oldest request that was admitted waits for others */
  isInTime(queueMs: number): boolean {
    const nowMs = this.now();
    if (Math.max(this.#waitMs(nowMs), queueMs) <= this.targetMs) {
      this.#lateSinceMs = undefined;
      return true;
    }
    this.#lateSinceMs ??= nowMs;
    if (nowMs - this.#lateSinceMs < PATIENCE_MS && nowMs > this.#shedUntilMs) return true;
    this.#shedUntilMs = nowMs + CALM_MS;
    return false;
  }

  #waitMs(nowMs: number): number {
    if (this.#sentAtMs !== undefined) return Math.max(this.delayMs, nowMs - this.#sentAtMs);
    const agoMs = nowMs - this.#endedAtMs;
    if (agoMs >= PROBE_EVERY_MS) this.#sendProbe(nowMs);
    // Nothing was read since.
    if (agoMs > CALM_MS) this.delayMs = 0;
    return this.delayMs;
  }

  #sendProbe(nowMs: number): void {
    this.#sentAtMs = nowMs;
    this.probe(() => {
      this.#endedAtMs = this.now();
      this.delayMs = this.#endedAtMs - nowMs;
      this.#sentAtMs = undefined;
    });
  }
}

function probeOwnQueue(): (read: () => void) => void {
  const { port1, port2 } = new MessageChannel();
  let told = () => {};
  port2.on('message', () => told()).unref();
  port1.unref();
  return (read) => {
    told = read;
    port1.postMessage(null);
  };
}
