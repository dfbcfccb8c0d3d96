import { type Interval, wilsonInterval } from './wilson.js';

export interface Variant {
  /** `split:1`, as visits name it. */
  route: string;
  /** Absent: it is no longer set. */
  longUrl: string | undefined;
  /** undefined: nobody knows, as it may be among the others. */
  visits: number | undefined;
  /** Of the visits of all variants; undefined where there are none, or not all are known. */
  share: number | undefined;
  interval: Interval | undefined;
  /** Its share by the weights as they are set now. */
  wanted: number | undefined;
  /** Too far from `wanted` for chance, with 95 % confidence. */
  isOff: boolean;
  people: { share: number | undefined; interval: Interval | undefined };
}

interface Counted {
  value: string;
  visits: number;
  /** Of `visits`, those of people. */
  people: number;
}

const SPLIT = /^split:(\d+)$/;
const NOBODY = { visits: 0, people: 0 };
const UNKNOWN = { visits: undefined, people: undefined };

/**
 * Who went where, of those that the split was about.
 * @param hasOthers whether some routes are counted together: what is not in `counted` may be among them
 */
export function compareVariants(
  split: readonly { longUrl: string; weight: number }[],
  counted: readonly Counted[],
  hasOthers = false,
): Variant[] {
  const byRoute = new Map(counted.filter(({ value }) => SPLIT.test(value)).map((one) => [one.value, one]));
  const set = split.map((_, index) => `split:${index + 1}`);
  const routes = [...set, ...[...byRoute.keys()].filter((route) => !set.includes(route)).sort()];
  const all = hasOthers ? undefined : [...byRoute.values()].reduce((sum, { visits }) => sum + visits, 0);
  const weights = split.reduce((sum, { weight }) => sum + weight, 0);
  return routes.map((route, index) => {
    const { visits, people } = byRoute.get(route) ?? (hasOthers ? UNKNOWN : NOBODY);
    const target = split[index];
    const wanted = target === undefined || weights === 0 ? undefined : target.weight / weights;
    const interval = intervalOf(visits, all);
    return {
      ...{ route, longUrl: target?.longUrl, visits, interval, wanted },
      share: partOf(visits, all),
      isOff: wanted !== undefined && interval !== undefined && (wanted < interval.low || wanted > interval.high),
      people: { share: partOf(people, visits), interval: intervalOf(people, visits) },
    };
  });
}

function intervalOf(part: number | undefined, whole: number | undefined): Interval | undefined {
  return part === undefined || whole === undefined ? undefined : wilsonInterval(part, whole);
}

function partOf(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || whole === 0 ? undefined : part / whole;
}
