import { setTimeout as sleep } from 'node:timers/promises';

import { TEXT_LIMITS } from '@hopcount/contracts';
import { createRedis, VisitClaims, waitForRedis } from '@hopcount/redis';
import { createLogger, UuidV7Source } from '@hopcount/runtime';
import {
  assertSameIds,
  buildVisitEvent,
  newEventId,
  serviceAddress,
  type TestRecord,
  testTopic,
  visitRecord,
  waitUntil,
} from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { RunningConsumer } from './consumer.js';
import { type ConsumerBench, consumerBench, ledgerIds, metricOf, readiness } from './consumer.spec-helpers.js';

const TEST_MS = 90_000;
const DAY_MS = 86_400_000;
const CONSUMERS = 4;
const logger = createLogger({ name: 'test', level: 'silent' });

describe('the consumer and its topics', () => {
  let bench: ConsumerBench;

  beforeEach(async () => {
    bench = await consumerBench({ partitions: 3 });
  });
  afterEach(() => bench.close());

  const someVisits = (count: number) => Array.from({ length: count }, () => buildVisitEvent());
  const idsOf = (visits: { eventId: string }[]) => visits.map(({ eventId }) => eventId);
  const allCounted = async (ids: string[]) => {
    assertSameIds(ids, await ledgerIds(bench.database, ids.length));
    await bench.untilRead();
    expect(await bench.sums()).toEqual([ids.length, ids.length, ids.length]);
  };

  it(
    'F23: waits at a record it cannot put aside while the dead-letter topic is missing, says so, and goes on by itself',
    async () => {
      const visits = someVisits(60);
      const records = visits.map((visit, index) => ({ ...visitRecord(visit), partition: index % 3 }));
      const poison = { key: 'poison', value: '{', partition: 1 };
      await bench.topic.produce([...records.slice(0, 30), poison, ...records.slice(30)]);
      const missing = `${bench.deadLetters.name}-made-later`;
      const consumer = await bench.start({ DEAD_LETTER_TOPIC: missing });
      await waitUntil(async () => (await readiness(consumer, 'dead-letters')).status === 'fail', {
        timeoutMs: 30_000,
        describe: 'readiness says that dead letters wait',
      });
      // The other partitions go on; nothing of this one is counted or skipped.
      await ledgerIds(bench.database, 40);
      await sleep(1_000);
      assertSameIds(idsOf(visits.filter((_, index) => index % 3 !== 1)), await ledgerIds(bench.database, 40));
      expect(await metricOf(consumer, 'hopcount_kafka_dead_letter_retries_total')).toBeGreaterThan(0);

      const madeLater = await testTopic({ name: missing });
      await allCounted(idsOf(visits));
      expect((await madeLater.readAll()).map(({ key }) => String(key))).toEqual(['poison']);
      expect(await readiness(consumer, 'dead-letters')).toEqual({ status: 'pass' });
      await madeLater.delete();
    },
    TEST_MS,
  );

  it(
    'F23: waits while the dead-letter topic refuses a letter for its size',
    async () => {
      await bench.deadLetters.configure({ 'max.message.bytes': '2000' });
      const visits = someVisits(20);
      const value = 'x'.repeat(5_000);
      await bench.topic.produce([{ key: 'large', value, partition: 0 }, ...visits.map(visitRecord)]);
      const consumer = await bench.start();
      await waitUntil(async () => (await readiness(consumer, 'dead-letters')).status === 'fail', {
        timeoutMs: 30_000,
        describe: 'readiness says that dead letters wait',
      });
      expect(await bench.deadLetters.readAll()).toEqual([]);
      await bench.deadLetters.configure({ 'max.message.bytes': '1000000' });
      await allCounted(idsOf(visits));
      expect((await bench.deadLetters.readAll()).map((letter) => String(letter.value))).toEqual([value]);
    },
    TEST_MS,
  );

  it(
    'F23: puts more aside at once than one request may carry',
    async () => {
      const poison = Array.from({ length: 12_000 }, (_, index) => ({ key: `p${index}`, value: '{', partition: 0 }));
      const visits = someVisits(30);
      await bench.topic.produce([...poison, ...visits.map(visitRecord)]);
      await bench.start();
      await allCounted(idsOf(visits));
      const letters = await bench.deadLetters.readAll();
      expect(new Set(letters.map(({ key }) => String(key))).size).toBe(poison.length);
    },
    TEST_MS,
  );

  it(
    'F21: poison first, in the middle and last in a batch: put aside with its bytes, its neighbours counted',
    async () => {
      const valid = () => visitRecord(buildVisitEvent());
      const without = (field: string) => {
        const body = JSON.parse(valid().value) as Record<string, unknown>;
        return JSON.stringify(Object.fromEntries(Object.entries(body).filter(([name]) => name !== field)));
      };
      const changed = (change: Record<string, unknown>) => JSON.stringify({ ...buildVisitEvent(), ...change });
      const kinds: [reason: string, value: string | Buffer | null][] = [
        ['not-json', '{"version":1'],
        ['not-json', Buffer.from([0xff, 0xfe, 0x00])],
        ['empty-value', null],
        ['empty-value', ''],
        ['schema-mismatch', without('eventId')],
        ['schema-mismatch', changed({ linkId: 17 })],
        ['schema-mismatch', changed({ eventId: 'not an id' })],
        ['schema-mismatch', '[]'],
        ['unsupported-version', changed({ version: 2 })],
        ['unstorable', changed({ userAgent: 'a\u0000b' })],
        ['unstorable', changed({ linkId: '9999999999999999999' })],
      ];
      const visits: ReturnType<typeof buildVisitEvent>[] = [];
      const records: TestRecord[] = [];
      for (const [partition, place] of ['first', 'middle', 'last'].entries()) {
        const good = someVisits(10);
        visits.push(...good);
        const poison = kinds.map(([, value], index) => ({ key: `${place}-${index}`, value }));
        const neighbours = good.map(visitRecord);
        const split = { first: 0, middle: 5, last: 10 }[place] ?? 0;
        const order = [...neighbours.slice(0, split), ...poison, ...neighbours.slice(split)];
        records.push(...order.map((record) => ({ ...record, partition })));
      }
      await bench.topic.produce(records);
      const consumer = await bench.start();
      await allCounted(idsOf(visits));
      const letters = await bench.letters();
      const expected = ['first', 'middle', 'last'].flatMap((place) =>
        kinds.map(([reason], index) => [`${place}-${index}`, reason]),
      );
      expect(letters).toEqual(Object.fromEntries(expected));
      for (const { key, value } of await bench.deadLetters.readAll()) {
        const original = records.find((record) => record.key === String(key))?.value ?? null;
        expect(value === null ? null : Buffer.from(value)).toEqual(original === null ? null : Buffer.from(original));
      }
      expect(await metricOf(consumer, 'hopcount_visits_dead_lettered_total')).toBe(3 * kinds.length);
    },
    TEST_MS,
  );

  it(
    'F25: texts at their limits count, longer ones (no gateway of ours sends them) are put aside whole',
    async () => {
      const { userAgent, referrer, destination, acceptLanguage } = TEXT_LIMITS;
      const longest = { userAgent, referrer, destination, acceptLanguage };
      const fields = Object.entries(longest);
      const fitting = fields.map(([field, limit]) => buildVisitEvent({ [field]: 'x'.repeat(limit) }));
      const odd = [
        buildVisitEvent({ referrer: 'https://example.org/\ud83d' }),
        buildVisitEvent({ userAgent: null, visitorId: null, clientIp: null, clientIpHash: null, referrer: null }),
      ];
      const tooLong = fields.map(([field, limit]) => buildVisitEvent({ [field]: 'x'.repeat(limit + 1) }));
      tooLong.push(buildVisitEvent({ referrer: 'r'.repeat(100_000) }));
      await bench.topic.produce([...tooLong, ...fitting, ...odd].map(visitRecord));
      await bench.start();
      await allCounted(idsOf([...fitting, ...odd]));
      const refused = Object.fromEntries(tooLong.map((visit) => [visit.eventId, 'schema-mismatch']));
      expect(await bench.letters()).toEqual(refused);
    },
    TEST_MS,
  );

  it(
    'F27: refuses what is older than the ledger can vouch for, also when it comes twice, and shows it',
    async () => {
      const old = Array.from({ length: 3 }, () => buildVisitEvent({ eventId: newEventId(Date.now() - 46 * DAY_MS) }));
      const visits = [...someVisits(10), buildVisitEvent({ eventId: newEventId(Date.now() - 44 * DAY_MS) })];
      await bench.topic.produce([...old, ...visits, ...old].map(visitRecord));
      const consumer = await bench.start();
      await allCounted(idsOf(visits));
      expect(await bench.letters()).toEqual(
        Object.fromEntries(old.map((visit) => [visit.eventId, 'older-than-ledger'])),
      );
      expect(await metricOf(consumer, 'hopcount_visits_dead_lettered_total', 'reason="older-than-ledger"')).toBe(6);
    },
    TEST_MS,
  );

  it(
    'a gateway whose clock jumps by an hour or a day, and back, loses and doubles nothing',
    async () => {
      let jumpMs = 0;
      const source = new UuidV7Source(() => Date.now() + jumpMs);
      const ids: string[] = [];
      for (jumpMs of [0, 3_600_000, -3_600_000, DAY_MS, -DAY_MS, 0]) {
        for (let visit = 0; visit < 50; visit += 1) ids.push(source.next());
      }
      expect([...ids].sort()).toEqual(ids);
      const records = ids.map((eventId) => visitRecord(buildVisitEvent({ eventId })));
      await bench.topic.produce([...records, ...records.slice(100, 200)]);
      const ahead = buildVisitEvent({ eventId: newEventId(Date.now() + 3 * DAY_MS) });
      await bench.topic.produce([visitRecord(ahead)]);
      await bench.start();
      await allCounted(ids);
      expect(await bench.letters()).toEqual({ [ahead.eventId]: 'from-the-future' });
    },
    TEST_MS,
  );

  it(
    'D3: a claim somebody left behind keeps nothing from being counted',
    async () => {
      const visits = someVisits(20);
      const [row] = await bench.database.query<{ incarnation: string }>('SELECT incarnation FROM ledger_incarnation');
      const redis = createRedis({ url: serviceAddress('REDIS_URL'), name: 'dead', logger });
      expect(await waitForRedis(redis, 5_000)).toBe(true);
      const dead = new VisitClaims(redis);
      const claimed = await dead.claim(row?.incarnation ?? '', idsOf(visits));
      expect(new Set(claimed)).toEqual(new Set(['claimed']));
      await bench.topic.produce([...visits, ...visits].map(visitRecord));
      await bench.start();
      await allCounted(idsOf(visits));
      redis.disconnect();
    },
    TEST_MS,
  );

  it(
    'reads partitions that are added while it runs',
    async () => {
      const consumer = await bench.start({ TOPIC_REFRESH_MS: '500' });
      const before = someVisits(30);
      await bench.topic.produce(before.map(visitRecord));
      await bench.untilRead();
      await bench.topic.addPartitions(5);
      const after = someVisits(50);
      await bench.topic.produce(after.map((visit, index) => ({ ...visitRecord(visit), partition: index % 5 })));
      await allCounted(idsOf([...before, ...after]));
      expect(await metricOf(consumer, 'hopcount_kafka_assigned_partitions')).toBe(5);
    },
    TEST_MS,
  );

  it(
    'F6: one to four consumers that come and go every second or two count each visit once and leave no lag',
    async () => {
      const running: RunningConsumer[] = [await bench.start()];
      const ids: string[] = [];
      let isLoading = true;
      const load = (async () => {
        while (isLoading) {
          const visits = someVisits(40);
          await bench.topic.produce(visits.map(visitRecord));
          ids.push(...idsOf(visits));
          await sleep(50);
        }
      })();
      let joins = 0;
      for (const change of ['+', '+', '-', '+', '+', '-', '-', '-', '+'] as const) {
        joins += await metricOf(running[0] as RunningConsumer, 'hopcount_kafka_consumer_rebalances_total');
        if (change === '+') running.push(await bench.start());
        else await running.shift()?.stop();
        expect(running.length).toBeLessThanOrEqual(CONSUMERS);
        await sleep(1_200);
      }
      isLoading = false;
      await load;
      await allCounted(ids);
      expect(joins).toBeGreaterThan(5);
      expect(await bench.letters()).toEqual({});
    },
    TEST_MS,
  );
});
