import type { Archive } from '@hopcount/archive';
import { DAY_MS, floorTo } from '@hopcount/ledger';

const MINUTE_MS = 60_000;
/** By then late visits are in files and purged ones are out of them, however old their hours. */
const SWEEP_EVERY_MS = 12 * 60 * MINUTE_MS;

export interface SweepSettings {
  /** A run goes on to the day that has so many. */
  hoursAtOnce: number;
  onFailed: (error: unknown, day: { from: number; to: number }) => void;
}

/**
 * A look at all closed hours twice a day, the latest day first, in as many runs as it takes: so neither years
 * of buckets nor hours that fail keep it from the rest.
 */
export class DueSweep {
  #startedAtMs = Number.NEGATIVE_INFINITY;
  /** Days from here on were looked at; undefined between two sweeps. */
  #lookedFrom: number | undefined;
  #next: number | undefined;

  constructor(
    private readonly manifest: Pick<Archive['manifest'], 'begin' | 'dueHours'>,
    private readonly settings: SweepSettings,
  ) {}

  /** @returns hours that are due; the same days again until `passed` says that they were dealt with */
  async next(closedBefore: number, nowMs: number, signal: AbortSignal): Promise<number[]> {
    if (this.#lookedFrom === undefined && nowMs - this.#startedAtMs < SWEEP_EVERY_MS) return [];
    if (this.#lookedFrom === undefined) this.#startedAtMs = nowMs;
    this.#lookedFrom ??= closedBefore;
    let next = this.#lookedFrom;
    const begin = (await this.manifest.begin()) ?? closedBefore;
    const due: number[] = [];
    let hasFailed = false;
    while (next > begin && due.length < this.settings.hoursAtOnce && !hasFailed) {
      signal.throwIfAborted();
      const day = { from: floorTo(next - 1, DAY_MS), to: next };
      next = day.from;
      try {
        due.push(...(await this.manifest.dueHours(day)));
      } catch (error) {
        this.settings.onFailed(error, day);
        hasFailed = true;
      }
    }
    this.#next = next > begin ? next : undefined;
    return due;
  }

  /** The next run goes on with the days before. */
  passed(): void {
    this.#lookedFrom = this.#next;
  }
}
