import { BUCKET_MS } from '@hopcount/contracts';
import { CELL_MS, HostWindows, SurgeDetector, utcDaysBefore, WINDOW_MS } from '@hopcount/hosts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { AlertsSpec, DAY, HOUR, START } from './check-alerts.spec-helpers.js';

const HOSTS = 40;
const DAYS_BEFORE = 8;
const DAYS = 3;
const QUARTERS = ((DAYS_BEFORE + DAYS) * DAY) / BUCKET_MS;
const FROM = START - DAYS_BEFORE * DAY;
/** Of each kind. */
const EVENTS = 20;
const EVENT_MS = 2 * HOUR;

interface Event {
  host: number;
  kind: 'rise' | 'drop';
  from: number;
}

interface Told extends Omit<Event, 'from'> {
  windowStart: number;
  windowEnd: number;
}

/** mulberry32 */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Hosts with a day, a quieter weekend and noise wider than chance; of the last days some hours have five times as much, or nothing. */
function simulate(random: () => number) {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const hosts = Array.from({ length: HOSTS }, () => ({
    rate: 10 ** (1 + 1.5 * random()), // visits in a quarter of an hour
    peak: 24 * random(),
    weekend: 0.4 + 0.7 * random(),
  }));
  const levelAt = (host: number, at: number) => {
    const { rate, peak, weekend } = hosts[host]!;
    const isWeekend = [0, 6].includes(new Date(at).getUTCDay());
    return rate * (1 + 0.7 * Math.cos((2 * Math.PI * (at / HOUR - peak)) / 24)) * (isWeekend ? weekend : 1);
  };
  const events: Event[] = [];
  while (events.length < 2 * EVENTS) {
    const host = Math.floor(HOSTS * random());
    const from = START + BUCKET_MS * Math.floor(((DAYS * DAY - EVENT_MS) / BUCKET_MS) * random());
    const kind = events.length < EVENTS ? 'rise' : 'drop';
    const isApart = events.every((one) => one.host !== host || Math.abs(one.from - from) >= 3 * EVENT_MS);
    // What a person would want to hear of.
    if (isApart && levelAt(host, from) >= 15) events.push({ host, kind, from });
  }
  const visits = hosts.map((_, host) =>
    Array.from({ length: QUARTERS }, (_unused, nth) => {
      const at = FROM + nth * BUCKET_MS;
      const event = events.find((one) => one.host === host && at >= one.from && at < one.from + EVENT_MS);
      const times = event === undefined ? 1 : event.kind === 'rise' ? 5 : 0;
      const mean = levelAt(host, at) * times * Math.exp(0.15 * normal());
      return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
    }),
  );
  return { events, visits };
}

/** Today's fixed rule for hosts, which knows surges alone: visits come evenly within each quarter of an hour. */
function fixedRule(visits: readonly number[][]): Told[] {
  const windows = new HostWindows(START, () => undefined);
  const past = (host: number) => ({
    visitsIn: (bucket: number) => visits[host]![(bucket - FROM) / BUCKET_MS],
    daysBefore: utcDaysBefore,
  });
  const detector = new SurgeDetector(windows, past, () => undefined);
  const told: Told[] = [];
  const cells = BUCKET_MS / CELL_MS;
  for (let at = START; at < START + DAYS * DAY; at += CELL_MS) {
    const cell = (at - FROM) % BUCKET_MS;
    visits.forEach((counts, host) => {
      const count = counts[Math.floor((at - FROM) / BUCKET_MS)] ?? 0;
      const upTo = (nth: number) => Math.floor((count * nth) / cells);
      const added = upTo(cell / CELL_MS + 1) - upTo(cell / CELL_MS);
      if (added > 0) windows.add(host, at, added);
    });
    for (const { host, what, at: end } of detector.evaluate(at + CELL_MS).events) {
      if (what === 'opened') told.push({ host, kind: 'rise', windowStart: end - WINDOW_MS, windowEnd: end });
    }
  }
  return told;
}

function judge(events: readonly Event[], told: readonly Told[], kind: Event['kind']) {
  const isOf = (one: Told, event: Event) =>
    one.host === event.host && one.windowEnd > event.from && one.windowStart < event.from + EVENT_MS;
  const labelled = events.filter((event) => event.kind === kind);
  const all = told.filter((one) => one.kind === kind);
  const right = all.filter((one) => labelled.some((event) => isOf(one, event)));
  const found = labelled.filter((event) => all.some((one) => isOf(one, event)));
  return { told: all.length, precision: right.length / all.length, recall: found.length / labelled.length };
}

describe('three simulated days of forty hosts with surges and outages', () => {
  let spec: AlertsSpec;
  beforeAll(async () => {
    spec = await AlertsSpec.open();
  });
  afterAll(() => spec.close());

  async function store(visits: readonly number[][]): Promise<void> {
    await spec.server.query(
      `INSERT INTO hosts (kind, name) SELECT 0, 'test.h' || nr FROM generate_series(1, $1::integer) AS nr`,
      [HOSTS],
    );
    for (const [host, counts] of visits.entries()) {
      await spec.server.query(
        `INSERT INTO host_traffic SELECT 0, hosts.id, $2::timestamptz + (nr - 1) * interval '15 minutes', 0, '', visits, 0, 0
         FROM hosts, unnest($3::bigint[]) WITH ORDINALITY AS given (visits, nr) WHERE hosts.name = 'test.h' || $1`,
        [String(host + 1), new Date(FROM), counts],
      );
    }
    await spec.server.query('ANALYZE host_traffic, hosts');
    // More than one owner may have.
    await spec.server.query(
      `WITH made AS (
         INSERT INTO alerts (user_id, name, subject, host_kind, host, kind, window_minutes, threshold, factor, time_zone, channel, looked_until)
         SELECT $1, nr - 1, 'host', 0, 'test.h' || nr, kind, 30, 30, 2.5, 'UTC', 'webhook', $2
         FROM generate_series(1, $3::integer) AS nr CROSS JOIN unnest(ARRAY['rise', 'drop']) AS kind
         RETURNING id
       )
       INSERT INTO webhooks (url, description, events, visits, secret, alert_id)
       SELECT 'https://hook.example.com/', '', '{}', '{}', '', id FROM made`,
      [spec.userId, new Date(START), HOSTS],
    );
  }

  it('are told by alerts of users with few mistakes, drops too, which the fixed rule does not know', async () => {
    const { events, visits } = simulate(randomOf(37));
    await store(visits);
    for (let at = START + DAY / 2; at <= START + DAYS * DAY; at += DAY / 2) await spec.runAt(at);
    const told = (await spec.bodies()).map(({ data }) => ({
      ...{ host: Number(data.name), kind: data.kind as Event['kind'] },
      ...{ windowStart: Date.parse(data.windowStart), windowEnd: Date.parse(data.windowEnd) },
    }));
    const fixed = fixedRule(visits);
    const figures = {
      ...{ rise: judge(events, told, 'rise'), drop: judge(events, told, 'drop') },
      ...{ fixedRise: judge(events, fixed, 'rise'), fixedDrop: judge(events, fixed, 'drop') },
    };
    process.stdout.write(`alerts of users beside the fixed rule: ${JSON.stringify(figures)}\n`);
    expect(figures.rise.precision).toBeGreaterThanOrEqual(0.9);
    expect(figures.rise.recall).toBeGreaterThanOrEqual(0.9);
    expect(figures.drop.precision).toBeGreaterThanOrEqual(0.9);
    expect(figures.drop.recall).toBeGreaterThanOrEqual(0.9);
  });
});
