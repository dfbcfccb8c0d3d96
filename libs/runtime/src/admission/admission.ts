import { performance } from 'node:perf_hooks';

import { Counter, type Registry } from 'prom-client';

import type { Logger } from '../logger.js';
import { ReadDelay } from './read-delay.js';
import { TokenBucket } from './token-bucket.js';

const TELL_EVERY_MS = 1_000;

interface Settings {
  /** Requests are refused while they wait longer than this; 0: none is. */
  shedAboveDelayMs: number;
  /** Of this process; 0: no ceiling. */
  maxRequestsPerSecond: number;
}

/** What requests that were admitted wait in. */
interface AdmittedRequests {
  /** Of the oldest. */
  readonly queueDelayMs: number;
  /** None that would share its work with those joins them any more in this turn of the event loop. */
  sendGathered(): void;
}

interface Parts {
  registry: Registry;
  logger: Logger;
  queue?: AdmittedRequests;
}

/**
 * Refuses requests while more come than this process can answer in time, so that those it admits are answered soon. Asked by whoever
 * answers, once for each request; each counts what it refuses.
 */
export class Admission {
  /** By the delay; to be asked before anything else is done for a request. Undefined: off. */
  readonly isInTime: (() => boolean) | undefined;
  /** By the ceiling; to be asked after the limits of single clients, so that none of them uses it up. Undefined: off. */
  readonly isBelowCeiling: (() => boolean) | undefined;
  readonly #shed = { delay: 0, ceiling: 0 };
  #told = { atMs: -Infinity, requests: 0 };
  #delay: ReadDelay | undefined;

  constructor(
    { shedAboveDelayMs, maxRequestsPerSecond }: Settings,
    private readonly parts: Parts,
  ) {
    const { registry } = parts;
    const shed = this.#shed;
    new Counter({
      name: 'hopcount_requests_shed_total',
      help: 'Requests refused with 503 before anything was done for them, by reason: they waited too long (delay), or more came than MAX_REQUESTS_PER_SECOND (ceiling). None is a visit.',
      labelNames: ['reason'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [reason, count] of Object.entries(shed)) this.inc({ reason }, count);
      },
    });
    if (shedAboveDelayMs > 0) {
      const delay = (this.#delay = new ReadDelay(shedAboveDelayMs));
      const { queue } = parts;
      this.isInTime = () => {
        if (delay.isInTime(queue?.queueDelayMs ?? 0)) return true;
        queue?.sendGathered();
        return this.#refuse('delay');
      };
    }
    if (maxRequestsPerSecond > 0) {
      const bucket = new TokenBucket(maxRequestsPerSecond);
      this.isBelowCeiling = () => bucket.take() || this.#refuse('ceiling');
    }
  }

  #refuse(reason: 'delay' | 'ceiling'): false {
    this.#shed[reason] += 1;
    const nowMs = performance.now();
    if (nowMs - this.#told.atMs >= TELL_EVERY_MS) {
      const requests = this.#shed.delay + this.#shed.ceiling;
      const delayMs = Math.round(this.#delay?.delayMs ?? 0);
      this.parts.logger.warn(
        { reason, requests: requests - this.#told.requests, delayMs },
        'requests refused: too many',
      );
      this.#told = { atMs: nowMs, requests };
    }
    return false;
  }
}
