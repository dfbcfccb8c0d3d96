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

/** The line of what is over, and the dashed one from there to the point that goes on. */
export function splitOpen(points: readonly Point[]): { closed: (number | null)[]; open: (number | null)[] } {
  const at = points.findIndex(({ isOpen }) => isOpen);
  return {
    closed: points.map(({ visits, isOpen }) => (isOpen ? null : visits)),
    open: points.map(({ visits }, index) => (at >= 0 && (index === at || index === at - 1) ? visits : null)),
  };
}
