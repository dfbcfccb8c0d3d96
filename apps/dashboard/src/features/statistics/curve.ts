export interface Point {
  start: string;
  /** The first instant after it. */
  end: string;
  /** null: it has not begun, so nobody knows. */
  visits: number | null;
  visitors: number | null;
  ips: number | null;
  /** It goes on: more will come. */
  isOpen: boolean;
}

interface Counted {
  start: string;
  visits: number;
  visitors?: number;
  ips?: number;
}

/** What of a curve is over, what goes on, and what has not begun. */
export function toPoints(series: readonly Counted[], endDate: string, now: number): Point[] {
  return series.map(({ start, visits, visitors, ips }, index) => {
    const end = series[index + 1]?.start ?? endDate;
    const hasBegun = Date.parse(start) <= now;
    return {
      start,
      end,
      visits: hasBegun ? visits : null,
      visitors: hasBegun ? (visitors ?? null) : null,
      ips: hasBegun ? (ips ?? null) : null,
      isOpen: hasBegun && Date.parse(end) > now,
    };
  });
}

const OF_A_DAY = ['15min', 'hour'];

/**
 * What a curve is compared with, point by point. Hours stand beside the same ones of the clock, as a day may have 23 or 25 of them:
 * one that is there twice beside the first one, both times; one that is left out beside nothing.
 */
export function comparedVisits(
  { interval, series }: { interval: string; series: readonly Counted[] },
  compared: readonly Counted[],
): (number | null)[] {
  if (!OF_A_DAY.includes(interval)) return series.map((_, index) => compared[index]?.visits ?? null);
  const visitsAt = new Map<number, number>();
  for (const { start, visits } of compared) {
    const at = sinceFirst(start, compared);
    if (!visitsAt.has(at)) visitsAt.set(at, visits);
  }
  return series.map(({ start }) => visitsAt.get(sinceFirst(start, series)) ?? null);
}

/** By the clock of the zone, since the first midnight, in ms: also where clocks are set forward at midnight, and the day begins at 1. */
function sinceFirst(start: string, series: readonly Counted[]): number {
  const firstDate = (series[0]?.start ?? start).slice(0, 10);
  return clockOf(start) - Date.parse(firstDate);
}

/** `2026-10-25T02:00:00+02:00` without its offset. */
function clockOf(start: string): number {
  return Date.parse(`${start.slice(0, 19)}Z`);
}

/** The line of what is over, and the dashed one from there to the point that goes on. */
export function splitOpen(points: readonly Point[]): { closed: (number | null)[]; open: (number | null)[] } {
  const at = points.findIndex(({ isOpen }) => isOpen);
  return {
    closed: points.map(({ visits, isOpen }) => (isOpen ? null : visits)),
    open: points.map(({ visits }, index) => (at >= 0 && (index === at || index === at - 1) ? visits : null)),
  };
}
