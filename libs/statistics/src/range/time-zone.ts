import { AppError } from '@hopcount/runtime';

import { type InstantRange } from '@hopcount/ledger';

/** IANA names and links only: no bare offsets, no strings with a zone somewhere inside. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

/**
 * The zone under its name in the IANA list (links such as `Asia/Calcutta` stay what they are).
 * @throws AppError `invalid-time-zone`
 */
export function parseTimeZone(name: string): string {
  if (ZONE_NAME.test(name) && name.length <= 64) {
    try {
      return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
    } catch {
      // Falls through: every failure here means that the zone is unknown.
    }
  }
  throw new AppError('invalid-time-zone', `"${name.slice(0, 64)}" is not an IANA time zone such as Europe/Berlin.`, {
    details: { invalidElements: ['timeZone'] },
  });
}

/**
 * The offset of one zone at any instant. Asking the zone data for each of some thousand instants costs
 * 10 to 25 µs each; between two transitions the offset is a constant, so it is asked for once.
 */
export class ZoneOffsets {
  #span: InstantRange = { from: 0, to: 0 };
  #offsetMs = 0;

  constructor(readonly timeZone: string) {}

  offsetMsAt(instant: number): number {
    this.#lookUp(instant);
    return this.#offsetMs;
  }

  /** The next instant at which the offset changes; Infinity when none is known. */
  nextChangeAfter(instant: number): number {
    this.#lookUp(instant);
    return this.#span.to;
  }

  /**
   * RFC 3339 with the zone's offset: `2026-10-25T02:00:00+01:00`; milliseconds only where there are any.
   * An offset with seconds (before 1972) is rounded to minutes, the instant stays the same.
   */
  format(instant: number): string {
    const minutes = Math.round(this.offsetMsAt(instant) / 60_000);
    const local = new Date(instant + minutes * 60_000).toISOString().slice(0, -1).replace('.000', '');
    const pad = (value: number) => String(value).padStart(2, '0');
    return `${local}${minutes < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(minutes) / 60))}:${pad(Math.abs(minutes) % 60)}`;
  }

  #lookUp(instant: number): void {
    if (instant >= this.#span.from && instant < this.#span.to) return;
    const zoned = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(this.timeZone);
    const next = zoned.getTimeZoneTransition('next');
    this.#offsetMs = zoned.offsetNanoseconds / 1e6;
    this.#span = { from: instant, to: next?.epochMilliseconds ?? Number.POSITIVE_INFINITY };
  }
}

/** @returns what the zone's clock showed as an instant, so many days before it */
export function daysBeforeIn(timeZone: string): (instant: number, days: number) => number {
  const [now, then] = [new ZoneOffsets(timeZone), new ZoneOffsets(timeZone)];
  return (instant, days) => {
    const before = instant - days * 86_400_000;
    return before + now.offsetMsAt(instant) - then.offsetMsAt(before);
  };
}

export function formatStarts(starts: readonly number[], timeZone: string): string[] {
  const offsets = new ZoneOffsets(timeZone);
  return starts.map((start) => offsets.format(start));
}

export function formatRanges(
  ranges: readonly InstantRange[],
  timeZone: string,
): { startDate: string; endDate: string }[] {
  const offsets = new ZoneOffsets(timeZone);
  return ranges.map(({ from, to }) => ({ startDate: offsets.format(from), endDate: offsets.format(to) }));
}
