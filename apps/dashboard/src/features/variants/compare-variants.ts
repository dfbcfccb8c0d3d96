import { type Interval, wilsonInterval } from './wilson.js';

export interface Variant {
  /** `split:1`, as visits name it. */
  route: string;
  /** Absent: it is no longer set. */
  longUrl: string | undefined;
  visits: number;
  /** Of the visits of all variants; undefined where there are none. */
  share: number | undefined;
  interval: Interval | undefined;
  /** Its share by the weights as they are set now. */
  wanted: number | undefined;
  /** Too far from `wanted` for chance, with 95 % confidence. */
  isOff: boolean;
  people: { count: number; share: number | undefined; interval: Interval | undefined };
}

interface Counted {
  value: string;
  visits: number;
  /** Of `visits`, those of people. */
  people: number;
}

const SPLIT = /^split:(\d+)$/;

/** Who went where, of those that the split was about. */
export function compareVariants(
  split: readonly { longUrl: string; weight: number }[],
  counted: readonly Counted[],
): Variant[] {
  const byRoute = new Map(counted.filter(({ value }) => SPLIT.test(value)).map((one) => [one.value, one]));
  const set = split.map((_, index) => `split:${index + 1}`);
  const routes = [...set, ...[...byRoute.keys()].filter((route) => !set.includes(route)).sort()];
  const all = [...byRoute.values()].reduce((sum, { visits }) => sum + visits, 0);
  const weights = split.reduce((sum, { weight }) => sum + weight, 0);
  return routes.map((route, index) => {
    const { visits, people } = byRoute.get(route) ?? { visits: 0, people: 0 };
    const target = split[index];
    const wanted = target === undefined || weights === 0 ? undefined : target.weight / weights;
    const interval = wilsonInterval(visits, all);
    return {
      ...{ route, longUrl: target?.longUrl, visits, interval, wanted },
      share: partOf(visits, all),
      isOff: wanted !== undefined && interval !== undefined && (wanted < interval.low || wanted > interval.high),
      people: { count: people, share: partOf(people, visits), interval: wilsonInterval(people, visits) },
    };
  });
}

function partOf(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}
