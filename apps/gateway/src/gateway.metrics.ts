import { statfs } from 'node:fs/promises';

import { LimitUse } from '@hopcount/redis';
import { Counter, Gauge, type Histogram, metricsIn, type Registry } from '@hopcount/runtime';

import { HitRatio } from './hit-ratio.js';
import type { Durability } from './visits/visit-publisher.js';

/** What is read when the metrics are asked for, instead of being counted on the path of every visit. */
export interface MeasuredParts {
  spool: {
    readonly pendingEvents: number;
    readonly oldestMs: number | undefined;
    readonly sizeBytes: Readonly<Record<'own' | 'adopted', number>>;
  };
  disk: { readonly path: string; readonly limitBytes: number };
  rejected: { readonly keptRecords: number; sizeBytes(): Promise<number> };
  links: {
    readonly answers: Readonly<Record<string, number>>;
    readonly checks: Readonly<Record<string, number>>;
    readonly askedDatabase: number;
  };
  kafka: { readonly isUp: boolean };
  produce: { readonly requests: Readonly<Record<'socket' | 'kafkajs', number>> };
  limits: {
    gate: { readonly outcomes: Readonly<Record<string, number>> };
    returns: { readonly waiting: number; readonly dropped: number };
  };
  limiter: { readonly outcomes: Readonly<Record<string, number>> };
  tries: { readonly outcomes: Readonly<Record<string, number>> };
  reports: { readonly outcomes: Readonly<Record<string, number>> };
  clicks: { readonly floods: Readonly<Record<string, number>> };
  orphans: { readonly outcomes: Readonly<Record<'published' | 'rate' | 'full' | 'rejected' | 'unsent', number>> };
}

/** Plain numbers for the hot path: a labelled counter costs 0.3 µs a call, these nothing. */
export class GatewayTally {
  readonly answers = new Map<number, number>();
  readonly visits: Record<Durability, number> = { kafka: 0, spool: 0 };
  readonly uncountedVisits: Record<'refused' | 'answered', number> = { refused: 0, answered: 0 };
  /** Requests that the light front read itself; connections that it handed to Node's http. */
  readonly front = { requests: 0, handovers: 0 };
  /** Requests answered 503, or not at all, as the code failed. */
  defects = 0;

  constructor(private readonly duration: Histogram) {}

  answered(status: number): void {
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
  }

  accepted(durability: Durability, seconds: number): void {
    this.visits[durability] += 1;
    this.duration.observe(seconds);
  }

  uncounted(reason: 'refused' | 'answered'): void {
    this.uncountedVisits[reason] += 1;
  }
}

/** Of a counter that appears with its first error no increase is to be seen. */
const FROM_ZERO = [302, 404, 429, 500, 503].map((status): [number, number] => [status, 0]);

/** Everything the gateway measures; create once per process. */
export function createGatewayMetrics(registry: Registry) {
  const { counter, histogram } = metricsIn(registry);
  const seconds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5];
  const tally = new GatewayTally(
    histogram(
      'hopcount_redirect_duration_seconds',
      'From reading the first byte of a request (its last, where its head comes in pieces) to the answered redirect: limits, look-up of the link, making the visit durable.',
      seconds,
    ),
  );
  return {
    tally,
    produceSeconds: histogram(
      'hopcount_produce_duration_seconds',
      'From sending a batch of visits to its acknowledgement by Kafka (acks=all), late ones included.',
      seconds,
    ),
    produceFailures: counter(
      'hopcount_produce_failures_total',
      'Batches Kafka refused or did not acknowledge; their visits went to the spool.',
    ),
    tornBytes: counter(
      'hopcount_spool_torn_bytes_total',
      'Bytes of spool segments that are no record, by kind (tail: a write cut short, never answered; corrupt).',
      'kind',
    ),
    limitUse: new LimitUse(registry),
    /** Counters and gauges over numbers kept elsewhere. */
    watch: (parts: MeasuredParts) => watch([registry], tally, parts),
  };
}

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;

/** Metrics over numbers kept elsewhere, read when they are asked for. */
function metricsOver(registers: Registry[]) {
  return {
    counted: (name: string, help: string, label: string, read: () => Iterable<[string | number, number]>) =>
      new Counter({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset();
          for (const [value, count] of read()) this.inc({ [label]: value }, count);
        },
      }),
    measured: (name: string, help: string, read: () => number | Promise<number>) =>
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set(await read());
        },
      }),
  };
}

function watch(registers: Registry[], tally: GatewayTally, parts: MeasuredParts): void {
  const { counted } = metricsOver(registers);
  counted('hopcount_redirects_total', 'Answers to requests for short links, by HTTP status.', 'status', () => [
    ...FROM_ZERO,
    ...tally.answers,
  ]);
  counted(
    'hopcount_visits_accepted_total',
    'Visits answered after being made durable, by where (kafka, spool).',
    'path',
    () => Object.entries(tally.visits),
  );
  counted(
    'hopcount_visits_uncounted_total',
    'Visits neither Kafka nor the disk took: refused with 503, or answered all the same.',
    'reason',
    () => Object.entries(tally.uncountedVisits),
  );
  counted(
    'hopcount_produce_requests_total',
    'Batches of visits that Kafka acknowledged, by who sent them: the own connection (socket), or kafkajs when there was none or it failed.',
    'path',
    () => Object.entries(parts.produce.requests),
  );
  new Counter({
    name: 'hopcount_request_defects_total',
    help: 'Requests for links that failed because of a defect in the gateway (503, or no answer); the log names it. Alert on any.',
    registers,
    collect() {
      this.reset();
      this.inc(tally.defects);
    },
  });
  watchFront(registers, tally);
  watchOrphans(registers, parts);
  watchLinks(registers, parts);
  watchLimits(registers, parts);
  watchSpool(registers, parts);
}

function watchFront(registers: Registry[], { front }: GatewayTally): void {
  const names = [
    ['hopcount_front_requests_total', 'Requests that the light front read itself.', () => front.requests],
    [
      'hopcount_front_handovers_total',
      "Connections that the light front handed to Node's http.",
      () => front.handovers,
    ],
  ] as const;
  for (const [name, help, read] of names) {
    new Counter({
      ...{ name, help, registers },
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }
}

function watchOrphans(registers: Registry[], { orphans }: MeasuredParts): void {
  const { counted } = metricsOver(registers);
  const dropped = () => Object.entries(orphans.outcomes).filter(([outcome]) => outcome !== 'published');
  const droppedInAll = () => dropped().reduce((sum, [, count]) => sum + count, 0);
  counted('hopcount_orphan_visits_total', 'Requests without a link: published, or dropped (and why).', 'outcome', () =>
    Object.entries({ published: orphans.outcomes.published, dropped: droppedInAll() }),
  );
  counted(
    'hopcount_orphan_visits_dropped_total',
    'Requests without a link that were not recorded: above the rate, too many waiting for Kafka, rejected by it, or left at the end.',
    'reason',
    dropped,
  );
}

function watchLinks(registers: Registry[], { links }: MeasuredParts): void {
  const { counted, measured } = metricsOver(registers);
  counted('hopcount_link_lookups_total', 'Link lookups by where the answer came from.', 'result', () =>
    Object.entries(links.answers),
  );
  new Counter({
    name: 'hopcount_link_database_lookups_total',
    help: 'Links and codes that PostgreSQL was asked for while a visitor waited.',
    registers,
    collect() {
      this.reset();
      this.inc(links.askedDatabase);
    },
  });
  const ratio = new HitRatio(links.answers);
  measured(
    'hopcount_link_cache_hit_ratio',
    'Share of look-ups of the last minute, of those that found a link, that memory answered; NaN: there was none.',
    () => ratio.read(),
  );
  counted(
    'hopcount_link_checks_total',
    'Links in memory held against PostgreSQL, by result; corrected: a change had not been announced here.',
    'result',
    () => Object.entries(links.checks),
  );
}

function watchLimits(
  registers: Registry[],
  { limits: { gate, returns }, limiter, tries, reports, clicks }: MeasuredParts,
): void {
  const { counted, measured } = metricsOver(registers);
  counted(
    'hopcount_rate_limit_requests_total',
    'Requests held against the limits of their client: admitted, refused (429), or let through as Redis was away (open).',
    'outcome',
    () => Object.entries(limiter.outcomes),
  );
  counted(
    'hopcount_link_password_tries_total',
    'Passwords that visitors gave links: right, wrong, not looked at as there were too many (limited), or not now (busy).',
    'outcome',
    () => Object.entries(tries.outcomes),
  );
  counted(
    'hopcount_abuse_reports_total',
    'Links that visitors reported: taken, not taken as there were too many at once (limited) or in all (full), or not now (failed).',
    'outcome',
    () => Object.entries(reports.outcomes),
  );
  counted(
    'hopcount_click_floods_total',
    'Visits of one client to one link above CLICK_FLOOD_PER_MINUTE: bots (flagged), or left alone as the address is private (a proxy not in TRUSTED_PROXIES).',
    'outcome',
    () => Object.entries(clicks.floods),
  );
  counted(
    'hopcount_limit_answers_total',
    'Visitors of links with a limit: a use was taken, the limit was used up, or PostgreSQL did not say (503).',
    'outcome',
    () => Object.entries(gate.outcomes),
  );
  measured(
    'hopcount_limit_returns_waiting',
    'Uses of links to be given back as soon as PostgreSQL answers, or for ten minutes after it did not; beyond 100,000 they stay used until this process ends.',
    () => returns.waiting + returns.dropped,
  );
}

function watchSpool(registers: Registry[], { spool, disk, rejected, kafka }: MeasuredParts): void {
  const { measured } = metricsOver(registers);
  watchDisk(registers, disk);
  measured('hopcount_kafka_up', 'Whether visits go to Kafka first (1) or straight to the spool (0).', () =>
    kafka.isUp ? 1 : 0,
  );
  measured('hopcount_spool_events', 'Visits on disk that Kafka has not acknowledged.', () => spool.pendingEvents);
  measured('hopcount_spool_oldest_age_seconds', 'Age of the oldest visit on disk; 0 when there is none.', () =>
    spool.oldestMs === undefined ? 0 : Math.max(0, (Date.now() - spool.oldestMs) / 1_000),
  );
  measured(
    'hopcount_spool_rejected_bytes',
    'Bytes in SPOOL_DIR/rejected, the same in all processes of that folder. NaN: the folder cannot be read.',
    () => rejected.sizeBytes().catch(() => NaN), // /readyz says why
  );
  new Gauge({
    name: 'hopcount_spool_bytes',
    help: 'Bytes of spooled visits: own (limited by SPOOL_MAX_BYTES), or adopted from processes that are gone.',
    labelNames: ['origin'],
    registers,
    collect() {
      for (const [origin, bytes] of Object.entries(spool.sizeBytes)) this.set({ origin }, bytes);
    },
  });
  new Counter({
    name: 'hopcount_spool_rejected_records_total',
    help: 'Records that Kafka rejects for good and that are kept in SPOOL_DIR/rejected: visits not counted. Alert on any.',
    registers,
    collect() {
      this.reset();
      this.inc(rejected.keptRecords);
    },
  });
}

/** Of the spool: who has no room left refuses visitors while Kafka is away. */
function watchDisk(registers: Registry[], { path, limitBytes }: MeasuredParts['disk']): void {
  const { measured } = metricsOver(registers);
  measured('hopcount_spool_limit_bytes', 'SPOOL_MAX_BYTES: most bytes of spooled visits of its own.', () => limitBytes);
  const disk = async (read: (of: { bavail: number; blocks: number; bsize: number }) => number) =>
    statfs(path).then(read, () => NaN); // without it the next write fails, and is logged
  measured('hopcount_spool_disk_free_bytes', 'Bytes free on the disk of SPOOL_DIR.', () =>
    disk(({ bavail, bsize }) => bavail * bsize),
  );
  measured('hopcount_spool_disk_size_bytes', 'Size of the disk of SPOOL_DIR.', () =>
    disk(({ blocks, bsize }) => blocks * bsize),
  );
}
