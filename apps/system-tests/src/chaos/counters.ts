import { call } from '../harness/http.js';
import { sumMetric } from '../harness/metrics.js';

const LOOK_EVERY_MS = 500;

/**
 * Counters of processes that are killed now and then: each life starts at 0 again, so the last page of
 * every life is kept and the lives are added up. What a life counted after the last look is missing:
 * good enough to show that something happened, too little to be a total.
 */
export class Counters {
  /** Last page of metrics, by address and life. */
  readonly #pages = new Map<string, string>();
  readonly #highest = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly urls: readonly string[],
    private readonly gauges: readonly string[] = [],
  ) {
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
  }

  /** Sum over all processes and their lives, as of now. */
  async read(name: string, labels: Record<string, string> = {}): Promise<number> {
    await this.look();
    let sum = 0;
    for (const page of this.#pages.values()) sum += sumMetric(page, name, labels);
    return sum;
  }

  /** By how much `name` rises from now on. */
  async since(name: string, labels: Record<string, string> = {}): Promise<() => Promise<number>> {
    const before = await this.read(name, labels);
    return async () => (await this.read(name, labels)) - before;
  }

  /** Highest value seen of one of `gauges`. */
  highest(gauge: string): number {
    return this.#highest.get(gauge) ?? 0;
  }

  async look(): Promise<void> {
    await Promise.all(this.urls.map((url) => this.#lookAt(url)));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #lookAt(url: string): Promise<void> {
    // Two gateways share a port and take connections in turn: two looks see both.
    for (let time = 0; time < 2; time += 1) {
      const page = await call(`${url}/metrics`, { timeoutMs: 1_000 }).then(
        ({ body }) => body,
        () => undefined,
      );
      if (page === undefined) return;
      this.#pages.set(`${url} ${sumMetric(page, 'process_start_time_seconds')}`, page);
      for (const gauge of this.gauges) {
        this.#highest.set(gauge, Math.max(this.highest(gauge), sumMetric(page, gauge)));
      }
    }
  }
}
