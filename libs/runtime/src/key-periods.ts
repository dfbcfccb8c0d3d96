import { z } from 'zod';

const DAY_MS = 86_400_000;
/** Of each rotation, and of how many there may be in a setting. */
const MOST_DAYS = 3_650;
const MOST_ROTATIONS = 100;
/** Nobody was counted before. A key lasts a day at least, so there are a few thousand: who is erased is looked for by each. */
const FIRST_START_MS = Date.UTC(2020, 0, 1);
const ROTATION = /^(?<date>\d{4}-\d{2}-\d{2})(\/(?<days>[1-9]\d{0,3}))?$/;

/** A change of the keys of hashes: at an instant, and, where it has days, again each time so many have passed. */
export interface KeyRotation {
  startMs: number;
  days: number | undefined;
}

/** `2027-01-01/30,2028-01-01`: from a day (UTC) on every 30 days, from another day on no more. */
export const keyRotations = z
  .string()
  .default('')
  .transform((text, context) => {
    const parts = text.split(',').filter((part) => part.trim() !== '');
    const rotations = parts.map((part) => parseRotation(part.trim()));
    const isWrong = (rotation: KeyRotation | undefined, index: number) =>
      rotation === undefined || rotation.startMs <= (rotations[index - 1]?.startMs ?? FIRST_START_MS - 1);
    if (rotations.length <= MOST_ROTATIONS && !rotations.some(isWrong)) return rotations as KeyRotation[];
    const message = `days (UTC) from 2020 on in ascending order, each perhaps with every how many days again, ${MOST_DAYS} at most: 2027-01-01/30,2028-01-01`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

function parseRotation(text: string): KeyRotation | undefined {
  const { date = '', days } = ROTATION.exec(text)?.groups ?? {};
  const startMs = Date.parse(`${date}T00:00:00Z`);
  // 31 February is none; the parser would take it for 3 March.
  if (Number.isNaN(startMs) || !new Date(startMs).toISOString().startsWith(date)) return undefined;
  if (days !== undefined && Number(days) > MOST_DAYS) return undefined;
  return { startMs, days: days === undefined ? undefined : Number(days) };
}

/**
 * Which key an instant has. All that decides is the setting and the time of the visit, never a clock: every process finds
 * the same key, and whoever reads an old event again finds the one it had.
 */
export class KeyPeriods {
  /** @param rotations ascending; [] for one key for ever */
  constructor(private readonly rotations: readonly KeyRotation[] = []) {}

  /** As the setting has it. */
  toString(): string {
    const texts = this.rotations.map(({ startMs, days }) => `${dayOf(startMs)}${days === undefined ? '' : `/${days}`}`);
    return texts.join(',');
  }

  /** The first change before an instant that only one of the two has. */
  firstDifference(other: KeyPeriods, beforeMs: number): number | undefined {
    const until = { fromMs: Number.NEGATIVE_INFINITY, beforeMs };
    const [own, others] = [this.changes(until), other.changes(until)];
    const first = own.findIndex((at, index) => at !== others[index]);
    if (first === -1) return others[own.length];
    return Math.min(own[first] ?? Infinity, others[first] ?? Infinity);
  }

  /** When the period of an instant began; undefined: it has none, the first rotation is later. */
  startAt(atMs: number): number | undefined {
    let found: KeyRotation | undefined;
    for (const rotation of this.rotations) {
      if (rotation.startMs > atMs) break;
      found = rotation;
    }
    if (found?.days === undefined) return found?.startMs;
    const periodMs = found.days * DAY_MS;
    return found.startMs + Math.floor((atMs - found.startMs) / periodMs) * periodMs;
  }

  /** Instants after `fromMs` and before `beforeMs` at which the key changes, the first ones. */
  changes({ fromMs, beforeMs }: { fromMs: number; beforeMs: number }, atMost = Infinity): number[] {
    const found: number[] = [];
    for (const [index, { startMs, days }] of this.rotations.entries()) {
      const endMs = Math.min(this.rotations[index + 1]?.startMs ?? Infinity, beforeMs);
      const stepMs = (days ?? Infinity) * DAY_MS;
      for (let at = this.#firstAfter(startMs, stepMs, fromMs); at < endMs && found.length < atMost; at += stepMs) {
        found.push(at);
      }
    }
    return found;
  }

  #firstAfter(startMs: number, stepMs: number, fromMs: number): number {
    if (startMs > fromMs) return startMs;
    return stepMs === Infinity ? Infinity : startMs + (Math.floor((fromMs - startMs) / stepMs) + 1) * stepMs;
  }
}

/** UTC. */
function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** What is made of the key of a period, kept for the periods that were asked for last. */
export class MadePerPeriod<Made> {
  readonly #made = new Map<number | undefined, Made>();

  /** @param make is given what tells the period from others, '' before the first rotation */
  constructor(
    private readonly periods: KeyPeriods,
    private readonly make: (period: string) => Made,
  ) {}

  at(atMs: number): Made {
    const start = this.periods.startAt(atMs);
    const known = this.#made.get(start);
    if (known !== undefined) return known;
    const made = this.make(start === undefined ? '' : `/${dayOf(start)}`);
    if (this.#made.size === MOST_ROTATIONS) this.#made.clear();
    this.#made.set(start, made);
    return made;
  }
}
