import { AppError } from '@hopcount/runtime';

import { REDIS_ERRORS } from '../redis.errors.js';

export interface LeaseKeeperOptions {
  leaseMs: number;
  /** When the request that was granted left this process (performance.now()): the lease counts from there. */
  grantedAtMs: number;
  /** true: extended; false: it is gone; undefined: Redis did not answer, ask again while time is left. */
  renew: () => Promise<boolean | undefined>;
  onLost: () => void;
}

/**
 * Keeps one lease alive in the background and aborts its signal as soon as it is known to be gone,
 * or when it may have run out because Redis could not be asked.
 *
 * States: `kept` → `lost` (signal aborted) or `ended` (by its holder). Both are final.
 */
export class LeaseKeeper {
  #state: 'kept' | 'lost' | 'ended' = 'kept';
  readonly #controller = new AbortController();
  readonly #renewal: NodeJS.Timeout;
  #deadline: NodeJS.Timeout;

  constructor(private readonly options: LeaseKeeperOptions) {
    this.#renewal = setInterval(() => void this.#renew(), options.leaseMs / 3);
    this.#renewal.unref();
    this.#deadline = this.#expireFrom(options.grantedAtMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The holder is done; false when the lease was lost before. */
  end(): boolean {
    if (this.#state === 'kept') this.#become('ended');
    return this.#state === 'ended';
  }

  async #renew(): Promise<void> {
    const askedAtMs = performance.now();
    const renewed = await this.options.renew();
    if (this.#state !== 'kept') return;
    if (renewed === false) this.#become('lost');
    if (renewed === true) {
      clearTimeout(this.#deadline);
      this.#deadline = this.#expireFrom(askedAtMs);
    }
  }

  #expireFrom(startMs: number): NodeJS.Timeout {
    const leftMs = Math.max(0, startMs + this.options.leaseMs - performance.now());
    return setTimeout(() => this.#become('lost'), leftMs).unref();
  }

  #become(state: 'lost' | 'ended'): void {
    if (this.#state !== 'kept') return;
    this.#state = state;
    clearInterval(this.#renewal);
    clearTimeout(this.#deadline);
    if (state === 'ended') return;
    this.options.onLost();
    this.#controller.abort(new AppError('lock-lost', REDIS_ERRORS['lock-lost'], { retryable: true }));
  }
}
