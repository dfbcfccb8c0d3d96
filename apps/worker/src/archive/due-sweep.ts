import type { Archive } from '@hopcount/archive';
import { DAY_MS, floorTo } from '@hopcount/ledger';

export interface SweepSettings {
  /** By then late visits are in files and purged ones are out of them, however old their hours. */
  everyMs: number;
  /** A run goes on to the day that has so many. */
  hoursAtOnce: number;
  onFailed: (error: unknown, day: { from: number; to: number }) => void;
}

/**
 * A look at all closed hours every `everyMs`, the latest day first, in as many runs as it takes: so neither years
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
    if (this.#lookedFrom === undefined && nowMs - this.#startedAtMs < this.settings.everyMs) return [];
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
