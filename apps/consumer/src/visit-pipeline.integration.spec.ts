import { randomUUID } from 'node:crypto';

import { REPLAY_HEADERS, type VisitEventV1 } from '@hopcount/contracts';
import { type BatchContext, type DeadLetter, type IncomingRecord } from '@hopcount/kafka';
import { Database } from '@hopcount/postgres';
import { createRedis, LinkLocks, type RedisClient, VisitClaims, waitForRedis } from '@hopcount/redis';
import { createLogger, KeyPeriods, Registry } from '@hopcount/runtime';
import { BatchAttempts, PartitionCheckpoints, VisitCommitter } from '@hopcount/ledger';
import {
  buildVisitEvent,
  newEventId,
  testDatabase,
  type TestDatabase,
  testRedis,
  type TestRedis,
  visitRecord,
  waitUntil,
} from '@hopcount/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { OwnedPartitions } from './assignment/owned-partitions.js';
import { createConsumerMetrics } from './consumer.metrics.js';
import { RecordsInHand } from './guard/records-in-hand.js';
import { createPrepareHere } from './preparation/prepare-here.js';
import { createVisitSteps } from './preparation/visit-steps.js';
import { createVisitPipeline, type VisitPipeline } from './visit-pipeline.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const HOUR_MS = 3_600_000;
/** When visitors get other hashes. */
const ROTATED_MS = Date.now() - 24 * HOUR_MS;
const REF = { group: 'g', topic: 't', partition: 4 };
const context: BatchContext = {
  commitOffset: () => Promise.resolve(),
  isCurrent: () => true,
  assignmentGeneration: 1,
};

/** The whole pipeline on PostgreSQL and Redis; only the topic of dead letters is a list. */
describe('a batch of one partition', () => {
  let server: TestDatabase;
  let database: Database;
  let redisServer: TestRedis;
  let redis: RedisClient;
  let checkpoints: PartitionCheckpoints;
  let claims: VisitClaims;
  let incarnation: string;
  let owned: OwnedPartitions;
  let letters: DeadLetter[];
  let areLettersTaken: boolean;
  let count: VisitPipeline;

  beforeAll(async () => {
    [server, redisServer] = await Promise.all([testDatabase(), testRedis()]);
    database = await Database.connect({ url: server.url, applicationName: 'spec' });
    redis = createRedis({ url: redisServer.url, name: 'spec', logger, commandTimeoutMs: 300 });
    expect(await waitForRedis(redis, 5_000)).toBe(true);
    checkpoints = new PartitionCheckpoints(database);
    incarnation = await checkpoints.incarnation();
    claims = new VisitClaims(redis);
  });
  afterAll(async () => {
    redis.disconnect();
    await Promise.all([database.close(), redisServer.close()]);
    await server.drop();
  });

  beforeEach(async () => {
    await server.query('TRUNCATE visits, consumer_checkpoints, host_changes');
    owned = new OwnedPartitions();
    letters = [];
    areLettersTaken = true;
    await take();
    const steps = createVisitSteps({
      geoSources: [],
      networks: [{ find: ({ text }) => (text.startsWith('81.') ? 'AS64500 Example' : undefined) }],
      hashKeys: { hashing: randomUUID(), keyPeriods: new KeyPeriods([{ startMs: ROTATED_MS, days: undefined }]) },
      ledgerDays: 400,
      onLookupFailure: () => undefined,
      logger,
    });
    count = createVisitPipeline({
      prepare: createPrepareHere(steps),
      owned,
      attempts: new BatchAttempts(database, 'me'),
      inHand: new RecordsInHand(),
      noticeGap: () => Promise.resolve(),
      claims,
      locks: new LinkLocks(redis, { owner: 'me' }),
      deadLetters: {
        write: (written) => {
          if (!areLettersTaken && written.length > 0) return Promise.reject(new Error('the topic refuses'));
          letters.push(...written);
          return Promise.resolve();
        },
      },
      committer: new VisitCommitter(database, { slots: 8 }),
      metrics: createConsumerMetrics(new Registry()),
      logger,
    });
  });

  async function take(trustClaimsFrom = 0n): Promise<void> {
    const checkpoint = await checkpoints.takeOwnership(REF, 'me');
    owned.take(REF.partition, { checkpoint, trustClaimsFrom, incarnation, unended: undefined, proven: false });
  }

  /** Visits, or bytes as they are, at offsets from 0. */
  function batchOf(contents: readonly (VisitEventV1 | string)[]) {
    const records = contents.map((content, index): IncomingRecord => {
      const record = typeof content === 'string' ? { key: null, value: content, headers: {} } : visitRecord(content);
      return {
        offset: BigInt(index),
        key: record.key === null ? null : Buffer.from(record.key),
        value: Buffer.from(record.value),
        headers: record.headers,
        timestampMs: Date.now(),
      };
    });
    return { ...REF, records, highWatermark: BigInt(records.length) };
  }
  const someVisits = (number: number) => Array.from({ length: number }, () => buildVisitEvent());
  const idsOf = (visits: readonly VisitEventV1[]) => visits.map(({ eventId }) => eventId).sort();
  const counted = async () =>
    (await server.query<{ id: string }>('SELECT event_id AS id FROM visits ORDER BY event_id')).map(({ id }) => id);
  const checkpoint = async () => (await checkpoints.takeOwnership(REF, 'looking')).nextOffset;
  const markOf = async (visit: VisitEventV1) => (await claims.claim(incarnation, [visit.eventId]))[0];

  it('is counted, marked and moved past, and what is no visit is put aside', async () => {
    const visits = someVisits(2);
    await expect(count(batchOf([...visits, 'no visit']), context)).resolves.toBe(3n);
    expect(await counted()).toEqual(idsOf(visits));
    expect(letters).toMatchObject([{ record: { offset: 2n } }]);
    expect(await checkpoint()).toBe(3n);
    expect(owned.get(REF.partition)?.checkpoint.nextOffset).toBe(3n);
    expect(await Promise.all(visits.map(markOf))).toEqual(['done', 'done']);
  });

  it('knows a visitor again within a key period, and keeps the hash of the visit when the log is read again', async () => {
    const visits = [-HOUR_MS, -1, 0, HOUR_MS].map((ms) =>
      buildVisitEvent({ eventId: newEventId(ROTATED_MS + ms), visitorId: 'b'.repeat(22) }),
    );
    const hashes = async () => {
      const rows = await server.query<{ visitor: string }>('SELECT visitor FROM visits ORDER BY occurred_at');
      return rows.map(({ visitor }) => visitor);
    };
    await count(batchOf(visits), context);
    const kept = await hashes();
    const [before, , after] = kept;
    expect(kept).toEqual([before, before, after, after]);
    expect(after).not.toBe(before);
    await server.query('TRUNCATE visits, consumer_checkpoints');
    // What Redis says of them is not believed.
    await take(10n);
    await count(batchOf([...visits].reverse()), context);
    expect(await hashes()).toEqual(kept);
  });

  it('keeps its network, the way it came and what chose its class', async () => {
    const visits = [
      buildVisitEvent({ clientIp: '81.2.69.0', referrer: 'https://www.google.com/', userAgent: 'curl/8.4.0' }),
      buildVisitEvent({ clientIp: '9.9.9.0', referrer: null, utm: null, signals: { purpose: null, doNotTrack: true } }),
      // A person, but for what the gateway saw.
      buildVisitEvent({ clientIp: null, referrer: null, utm: null, isFlood: true }),
    ];
    await count(batchOf(visits), context);
    // However often it is read.
    await count(batchOf(visits), context);
    const rows = await server.query(
      `SELECT network, channel, class, class_reason, enrichment_version FROM visits
       WHERE event_id = ANY ($1) ORDER BY network, class_reason`,
      [idsOf(visits)],
    );
    expect(rows).toEqual([
      { network: 'AS64500 Example', channel: 'search', class: 1, class_reason: 4, enrichment_version: 3 },
      { network: 'unknown', channel: 'direct', class: 4, class_reason: 6, enrichment_version: 3 },
      { network: 'unknown', channel: 'direct', class: 1, class_reason: 8, enrichment_version: 3 },
    ]);
  });

  it('knows no campaign of blank values, which gateways of before sent', async () => {
    const none = { source: null, medium: null, campaign: null, term: null, content: null };
    const visits = [
      buildVisitEvent({ referrer: null, utm: { ...none, source: '', medium: ' \t', term: '\u200b' } }),
      buildVisitEvent({ referrer: null, utm: { ...none, source: ' ', medium: 'cpc' } }),
    ];
    await count(batchOf(visits), context);
    const rows = await server.query<{ utm: object | null; channel: string }>(
      'SELECT utm, channel FROM visits WHERE event_id = ANY ($1) ORDER BY channel',
      [idsOf(visits)],
    );
    expect(rows).toEqual([
      { utm: null, channel: 'direct' },
      { utm: { ...none, medium: 'cpc' }, channel: 'paid' },
    ]);
  });

  it('keeps the host it was sent to and the one that was asked if it is ours, and counts for them', async () => {
    const visits = [
      buildVisitEvent({
        destination: 'https://User@WWW.M\u00fcnchen.de:8443/a?b',
        domain: 's.test',
        host: 'Vanity.s.test.',
      }),
      buildVisitEvent({ destination: 'tel:112', domain: 's.test', host: 'S.test:443' }),
      buildVisitEvent({ destination: '', domain: '', route: 'pixel', referrer: 'https://m.site.example/' }),
    ];
    await count(batchOf(visits), context);
    const rows = await server.query('SELECT target_host AS target, short_host AS short FROM visits ORDER BY event_id');
    expect(rows).toEqual(
      [...visits]
        .sort((a, b) => (a.eventId < b.eventId ? -1 : 1))
        .map((visit) => {
          if (visit === visits[0]) return { target: 'www.xn--mnchen-3ya.de', short: '~unknown' };
          return { target: '~unknown', short: visit === visits[1] ? 's.test' : '~unknown' };
        }),
    );
    const hosts = await server.query(
      `SELECT DISTINCT host FROM host_changes, unnest(hosts, kinds) AS change (host, kind) WHERE kind <> 1 ORDER BY 1`,
    );
    expect(hosts.map(({ host }) => host)).toEqual(['de.xn--mnchen-3ya.www', 'test.s', '~unknown']);
  });

  it('keeps what decided where each visitor went', async () => {
    const [ruled, plain] = [buildVisitEvent({ route: 'rule:2' }), buildVisitEvent()];
    const pixel = buildVisitEvent({ route: 'pixel', destination: '' });
    await count(batchOf([ruled, plain, pixel]), context);
    const routes = await server.query('SELECT event_id, route, destination FROM visits ORDER BY route');
    expect(routes).toEqual([
      { event_id: pixel.eventId, route: 'pixel', destination: null },
      { event_id: ruled.eventId, route: 'rule:2', destination: ruled.destination },
      { event_id: plain.eventId, route: null, destination: plain.destination },
    ]);
  });

  it('is moved past when there is nothing to count in it', async () => {
    await expect(count(batchOf(['no visit', 'nor this']), context)).resolves.toBe(2n);
    expect(letters).toHaveLength(2);
    expect(await checkpoint()).toBe(2n);
  });

  it('is not counted, nor moved past, before its dead letters are taken', async () => {
    areLettersTaken = false;
    await expect(count(batchOf([...someVisits(2), 'no visit']), context)).rejects.toThrow('the topic refuses');
    expect(await counted()).toEqual([]);
    expect(await checkpoint()).toBe(0n);
  });

  it('D3: leaves out what is marked as done, and counts what others only claimed', async () => {
    const [done, claimed, fresh] = someVisits(3) as [VisitEventV1, VisitEventV1, VisitEventV1];
    await claims.markDone(incarnation, [done.eventId]);
    await claims.claim(incarnation, [claimed.eventId]);
    await count(batchOf([done, claimed, fresh]), context);
    expect(await counted()).toEqual(idsOf([claimed, fresh]));
  });

  it('counts the rest of a batch of which one is marked, one in the ledger already and one unstorable', async () => {
    const [marked, known, fresh, last] = someVisits(4) as [VisitEventV1, VisitEventV1, VisitEventV1, VisitEventV1];
    await count(batchOf([known]), context);
    await claims.markDone(incarnation, [marked.eventId]);
    const batch = batchOf([marked, known, fresh, { ...last, userAgent: 'NUL \u0000' }]);
    batch.records[1]!.headers[REPLAY_HEADERS.action] = '7';
    const records = batch.records.map((record) => ({ ...record, offset: record.offset + 1n }));
    await count({ ...batch, records, highWatermark: 5n }, context);
    expect(await counted()).toEqual(idsOf([known, fresh]));
    expect(letters).toMatchObject([{ reason: 'unstorable' }]);
  });

  it('believes no mark about what was in the log at the assignment, nor about what an operator sent again', async () => {
    const visits = someVisits(3);
    await claims.markDone(incarnation, idsOf(visits));
    await take(1n);
    const batch = batchOf(visits);
    batch.records[1]!.headers[REPLAY_HEADERS.action] = '7';
    await count(batch, context);
    expect(await counted()).toEqual(idsOf(visits.slice(0, 2)));
  });

  it('is counted while an operator holds its links', async () => {
    const [visit] = someVisits(1) as [VisitEventV1];
    const writer = await new LinkLocks(redis, { owner: 'operator' }).acquireWrite([visit.linkId], {
      waitMs: 1_000,
      leaseMs: 30_000,
    });
    await count(batchOf([visit]), context);
    expect(await counted()).toEqual(idsOf([visit]));
    expect(await writer.release()).toBe(true);
  });

  it('is counted while Redis is away', async () => {
    const visits = someVisits(2);
    redisServer.freeze();
    try {
      await count(batchOf(visits), context);
    } finally {
      redisServer.thaw();
    }
    expect(await counted()).toEqual(idsOf(visits));
    // All of its nodes, were it a cluster.
    const isBack = async () => (await Promise.all(someVisits(50).map(markOf))).every((mark) => mark === 'claimed');
    await waitUntil(isBack, { describe: 'Redis to be back' });
  });

  it('is counted without what PostgreSQL cannot hold, which is put aside and not marked', async () => {
    const [good, bad] = [buildVisitEvent(), buildVisitEvent({ userAgent: 'NUL \u0000' })];
    await count(batchOf([good, bad]), context);
    expect(await counted()).toEqual(idsOf([good]));
    expect(letters).toMatchObject([{ reason: 'unstorable', record: { offset: 1n } }]);
    expect(await markOf(good)).toBe('done');
    expect(await markOf(bad)).toBe('claimed');
  });

  it('F5: is not counted by one who lost the partition, who then takes no batch any more', async () => {
    const [before, ...visits] = someVisits(3) as [VisitEventV1, ...VisitEventV1[]];
    await count(batchOf([before]), context);
    await checkpoints.takeOwnership(REF, 'somebody else');
    await expect(count(batchOf(visits), context)).rejects.toMatchObject({ code: 'checkpoint-fenced' });
    expect(await counted()).toEqual([before.eventId]);
    expect(await Promise.all(visits.map(markOf))).toEqual(['claimed', 'claimed']);
    await expect(count(batchOf(visits), context)).rejects.toMatchObject({ code: 'partition-not-owned' });
  });
});
