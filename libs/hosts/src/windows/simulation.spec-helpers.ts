import { BUCKET_MS, bucketOf } from '@hopcount/contracts';

import { CELL_MS, HostWindows, WINDOW_MS } from './host-windows.js';
import { type HostPast, utcDaysBefore } from './surge-base.js';
import { SurgeDetector, type SurgeEvent } from './surge-detector.js';

// Jest runs specs in a context of their own, where each look at a global costs more than a draw of chance.
const { abs, cos, exp, floor, imul, log, max, PI, round, sqrt } = Math;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const MINUTE_MS = 60_000;
const START = Date.parse('2026-11-16T00:00:00Z');
const SURGE_MS = 20 * MINUTE_MS;
/** Of surges of one host: longer than it rests. */
const APART_MS = 6 * HOUR_MS;

export interface Surge {
  host: number;
  from: number;
  factor: number;
}

interface SimulatedHost {
  /** Visits in five minutes, on average. */
  rate: number;
  peakHour: number;
  weekend: number;
  /** Minute of the week, or none. */
  mailing: { at: number; minutes: number; factor: number } | undefined;
}

/** mulberry32 */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function normal(random: () => number): number {
  return sqrt(-2 * log(1 - random())) * cos(2 * PI * random());
}

function poisson(random: () => number, mean: number): number {
  if (mean > 40) return max(0, round(mean + sqrt(mean) * normal(random)));
  const limit = exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}

/**
 * Hosts as links have them: from hardly any visit to some hundred in five minutes, with a day, a week, noise that is wider than
 * chance, a mailing every week at one in six, and surges of 20 minutes, 4.5 to 9.5 times what is usual.
 */
export class Simulation {
  readonly surges: Surge[];
  readonly #hosts: SimulatedHost[];
  readonly #past = new Map<string, number>();

  constructor(
    private readonly seed: number,
    readonly days: number,
    hosts = 300,
    surgesADay = 46,
  ) {
    const random = randomOf(seed);
    this.#hosts = Array.from({ length: hosts }, (_, index) => ({
      rate: 10 ** (-1 + 3.3 * random()),
      peakHour: 24 * random(),
      weekend: 0.5 + 0.7 * random(),
      mailing: index % 6 === 0 ? this.#drawMailing(random) : undefined,
    }));
    this.surges = this.#drawSurges(random, round(surgesADay * days));
  }

  get end(): number {
    return START + this.days * DAY_MS;
  }

  /** Every cell that has visits, in order. */
  *cells(): Generator<{ at: number; visits: Map<number, number> }> {
    const random = randomOf(this.seed ^ 0x5eed);
    const levels = this.#hosts.map(() => 0);
    for (let at = START; at < this.end; at += CELL_MS) {
      if (at % MINUTE_MS === 0) {
        this.#hosts.forEach((host, index) => {
          levels[index] = this.#rateAt(index, host, at);
        });
      }
      const visits = new Map<number, number>();
      levels.forEach((level, host) => {
        const count = poisson(random, ((level * this.#surgeAt(host, at)) / 30) * exp(0.25 * normal(random) - 0.03));
        if (count > 0) visits.set(host, count);
      });
      yield { at, visits };
    }
  }

  /** Of before the simulation began, or undefined. */
  pastVisits(host: number, bucket: number): number | undefined {
    if (bucket >= START) return undefined;
    const key = `${host} ${bucket}`;
    const known = this.#past.get(key);
    if (known !== undefined) return known;
    let mean = 0;
    for (let at = bucket; at < bucket + BUCKET_MS; at += MINUTE_MS) {
      mean += this.#rateAt(host, this.#hosts[host] as SimulatedHost, at) / 5;
    }
    const count = poisson(randomOf(this.seed + host * 7_919 + bucket / BUCKET_MS), mean);
    this.#past.set(key, count);
    return count;
  }

  /** Within the days that are simulated, and in the weeks before; at a quarter of an hour, as they are planned. */
  #drawMailing(random: () => number) {
    const bucket = bucketOf(START + this.days * DAY_MS * random());
    return {
      at: (bucket % WEEK_MS) / MINUTE_MS,
      minutes: 15 * (2 + floor(4 * random())),
      factor: 5 + 5 * random(),
    };
  }

  #drawSurges(random: () => number, count: number): Surge[] {
    const surges: Surge[] = [];
    while (surges.length < count) {
      const host = floor(this.#hosts.length * random());
      const from = START + floor((this.days * DAY_MS - 2 * HOUR_MS) * random()) + HOUR_MS;
      const known = this.#hosts[host] as SimulatedHost;
      const isFree =
        known.mailing === undefined &&
        surges.every((surge) => surge.host !== host || abs(surge.from - from) > APART_MS);
      if (isFree && this.#rateAt(host, known, from) >= 35) surges.push({ host, from, factor: 4.5 + 5 * random() });
    }
    return surges;
  }

  #surgeAt(host: number, at: number): number {
    const surge = this.surges.find((one) => one.host === host && at >= one.from && at < one.from + SURGE_MS);
    return surge?.factor ?? 1;
  }

  #rateAt(index: number, { rate, peakHour, weekend, mailing }: SimulatedHost, at: number): number {
    const day = 1 + 0.7 * cos((2 * PI * (at / HOUR_MS - peakHour)) / 24);
    // The first day was a Thursday.
    const isWeekend = (floor(at / DAY_MS + 4) % 7) % 6 === 0;
    const minute = (at % WEEK_MS) / MINUTE_MS;
    const isMailing = mailing !== undefined && minute >= mailing.at && minute < mailing.at + mailing.minutes;
    const wave = exp(0.12 * normal(randomOf(this.seed + index * 104_729 + floor(at / BUCKET_MS))));
    return rate * day * (isWeekend ? weekend : 1) * (isMailing ? mailing.factor : 1) * wave;
  }
}

/** Visits by bucket while they come, before them those of the simulation; none of buckets with a surge. */
export class SimulatedPast {
  readonly #visits = new Map<string, number>();
  readonly #surges = new Map<number, { from: number; to: number }[]>();

  constructor(private readonly simulation: Simulation) {}

  add(host: number, at: number, visits: number): void {
    const key = `${host} ${bucketOf(at)}`;
    this.#visits.set(key, (this.#visits.get(key) ?? 0) + visits);
  }

  note(event: SurgeEvent): void {
    const surges = this.#surges.get(event.host) ?? [];
    this.#surges.set(event.host, surges);
    if (event.what === 'opened') surges.push({ from: event.at - WINDOW_MS, to: Infinity });
    if (event.what === 'closed') (surges.at(-1) as { to: number }).to = event.at;
  }

  of(host: number): HostPast {
    return {
      visitsIn: (bucket) => {
        const surges = this.#surges.get(host) ?? [];
        if (surges.some(({ from, to }) => bucket + BUCKET_MS > from && bucket < to)) return undefined;
        return bucket < START ? this.simulation.pastVisits(host, bucket) : (this.#visits.get(`${host} ${bucket}`) ?? 0);
      },
      daysBefore: utcDaysBefore,
    };
  }
}

/** All of it, with countedUpTo as told. @param lag cells that are added before the detector may look at the first of them */
export function detect(simulation: Simulation, lag = 1): SurgeEvent[] {
  const past = new SimulatedPast(simulation);
  const windows = new HostWindows(START, () => undefined);
  const detector = new SurgeDetector(
    windows,
    (host) => past.of(host),
    () => undefined,
  );
  const events: SurgeEvent[] = [];
  const evaluate = (upTo: number) => {
    for (const event of detector.evaluate(upTo).events) {
      past.note(event);
      events.push(event);
    }
  };
  let waiting = 0;
  for (const { at, visits } of simulation.cells()) {
    for (const [host, count] of visits) {
      past.add(host, at, count);
      windows.add(host, at, count);
    }
    waiting += 1;
    if (waiting % lag === 0) evaluate(at + CELL_MS);
  }
  evaluate(simulation.end);
  return events;
}

/** The rule that must not be copied: four times the five minutes before. */
export function detectNaively(simulation: Simulation): Pick<SurgeEvent, 'host' | 'at'>[] {
  const events: Pick<SurgeEvent, 'host' | 'at'>[] = [];
  const counts = new Map<number, { cells: number[]; now: number; before: number; isHigh: boolean }>();
  for (const { at, visits } of simulation.cells()) {
    for (const host of visits.keys()) {
      if (!counts.has(host))
        counts.set(host, { cells: Array.from({ length: 60 }, () => 0), now: 0, before: 0, isHigh: false });
    }
    const cell = at / CELL_MS;
    for (const [host, count] of counts) {
      const [entering, between, leaving] = [
        visits.get(host) ?? 0,
        count.cells[(cell + 30) % 60] ?? 0,
        count.cells[cell % 60] ?? 0,
      ];
      count.now += entering - between;
      count.before += between - leaving;
      count.cells[cell % 60] = entering;
      const isHigh = count.now > 0 && count.now >= 4 * count.before;
      if (isHigh && !count.isHigh) events.push({ host, at });
      count.isHigh = isHigh;
    }
  }
  return events;
}

/** Alerts while no surge was, or one that was over; surges that had an alert, and after how long. */
export function judge({ surges, days }: Simulation, alerts: readonly Pick<SurgeEvent, 'host' | 'at'>[]) {
  const isOf = (alert: Pick<SurgeEvent, 'host' | 'at'>, { host, from }: Surge) =>
    alert.host === host && alert.at >= from && alert.at < from + SURGE_MS + WINDOW_MS;
  const isReal = (alert: Pick<SurgeEvent, 'host' | 'at'>) => surges.some((surge) => isOf(alert, surge));
  const delays = surges.flatMap((surge) => {
    const found = alerts.find((alert) => isOf(alert, surge));
    return found === undefined ? [] : [found.at - surge.from];
  });
  delays.sort((one, other) => one - other);
  return {
    falseADay: alerts.filter((alert) => !isReal(alert)).length / days,
    found: delays.length / surges.length,
    medianDelayMs: delays[delays.length >>> 1] ?? Infinity,
  };
}
