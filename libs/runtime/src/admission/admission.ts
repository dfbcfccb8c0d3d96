import { performance } from 'node:perf_hooks';

import { Counter, type Registry } from 'prom-client';

import type { Logger } from '../logger.js';
import { AdmittedShare } from './admitted-share.js';
import { TokenBucket } from './token-bucket.js';

const SAMPLE_MS = 10;
/** Without a request. Nothing wakes an idle process. */
const IDLE_SAMPLES = 100;
const TELL_EVERY_MS = 1_000;

interface Settings {
  /** Requests are refused while they wait longer than this; 0: none is. */
  shedAboveDelayMs: number;
  /** Of this process; 0: no ceiling. */
  maxRequestsPerSecond: number;
}

interface Parts {
  registry: Registry;
  logger: Logger;
  /** How long the oldest request that was read waits in a queue of this process. */
  queueDelayMs?: () => number;
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
  #delayMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #idleSamples = 0;

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
      const share = new AdmittedShare(shedAboveDelayMs, performance.now());
      this.isInTime = () => {
        this.#idleSamples = 0;
        if (this.#timer === undefined) this.#follow(share);
        return share.admits() || this.#refuse('delay');
      };
    }
    if (maxRequestsPerSecond > 0) {
      const bucket = new TokenBucket(maxRequestsPerSecond);
      this.isBelowCeiling = () => bucket.take() || this.#refuse('ceiling');
    }
  }

  /** While requests come, and until all would be admitted. */
  #follow(share: AdmittedShare): void {
    let sampledAtMs = performance.now();
    this.#timer = setInterval(() => {
      const nowMs = performance.now();
      this.#delayMs = Math.max(nowMs - sampledAtMs - SAMPLE_MS, this.parts.queueDelayMs?.() ?? 0);
      sampledAtMs = nowMs;
      share.sample(this.#delayMs, nowMs);
      this.#idleSamples += 1;
      if (this.#idleSamples < IDLE_SAMPLES || share.value < 1) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    }, SAMPLE_MS).unref();
  }

  #refuse(reason: 'delay' | 'ceiling'): false {
    this.#shed[reason] += 1;
    const nowMs = performance.now();
    if (nowMs - this.#told.atMs >= TELL_EVERY_MS) {
      const requests = this.#shed.delay + this.#shed.ceiling;
      const delayMs = Math.round(this.#delayMs);
      this.parts.logger.warn(
        { reason, requests: requests - this.#told.requests, delayMs },
        'requests refused: too many',
      );
      this.#told = { atMs: nowMs, requests };
    }
    return false;
  }
}
