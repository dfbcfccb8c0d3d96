import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { DEAD_LETTER_HEADERS } from '@hopcount/contracts';
import {
  assertSameIds,
  buildVisitEvent,
  FreezingProxy,
  serviceAddress,
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  visitRecord,
  waitUntil,
} from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type AppProcess, startConsumerProcess } from '../harness/app-process.js';

const TEST_MS = 150_000;
const KILLER = 'https://kills.example/';
/** Loaded before the built consumer: the nearest to a native fault that a test can put into one record. */
const KILLED_BY_ONE_RECORD = `
  const parse = JSON.parse;
  JSON.parse = (text, ...rest) => {
    if (typeof text === 'string' && text.includes(${JSON.stringify(KILLER)})) process.kill(process.pid, 'SIGKILL');
    return parse(text, ...rest);
  };`;

/** Built consumers as processes, killed and stopped from outside. */
describe('consumer processes', () => {
  let topic: TestTopic;
  let deadLetters: TestTopic;
  let database: TestDatabase;
  let folder: string;
  const running: AppProcess[] = [];

  beforeEach(async () => {
    [topic, deadLetters, database, folder] = await Promise.all([
      testTopic({ partitions: 2, label: 'visits' }),
      testTopic({ partitions: 1, label: 'letters' }),
      testDatabase(),
      mkdtemp(join(tmpdir(), 'hopcount-consumer-')),
    ]);
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((consumer) => consumer.stop()));
    await Promise.all([topic.delete(), deadLetters.delete(), database.drop(), rm(folder, { recursive: true })]);
  });

  const start = async (environment: Record<string, string> = {}) => {
    const consumer = await startConsumerProcess({ topic, database, deadLetters, environment });
    running.push(consumer);
    return consumer;
  };
  const ledgerIds = async () =>
    (await database.query<{ event_id: string }>('SELECT event_id FROM visits')).map((row) => row.event_id);
  const untilCounted = (count: number) =>
    waitUntil(async () => (await ledgerIds()).length >= count, {
      timeoutMs: 60_000,
      everyMs: 200,
      describe: `${count} visits counted`,
    });

  it(
    'F22: a record that kills three processes in a row is put aside, its neighbours and other partitions count',
    async () => {
      const preload = join(folder, 'killed-by-one-record.mjs');
      await writeFile(preload, KILLED_BY_ONE_RECORD);
      const good = Array.from({ length: 300 }, () => buildVisitEvent());
      const killer = buildVisitEvent({ referrer: KILLER });
      const records = good.map((visit, index) => ({ ...visitRecord(visit), partition: index % 2 }));
      await topic.produce([...records.slice(0, 150), { ...visitRecord(killer), partition: 0 }, ...records.slice(150)]);
      const ends: unknown[] = [];
      for (let life = 0; life < 5; life += 1) {
        const consumer = await start({ NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` });
        const end = await Promise.race([consumer.ended, untilCounted(good.length).then(() => 'alive')]);
        ends.push(end);
        if (end === 'alive') break;
      }
      expect(ends).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL', 'alive']);
      assertSameIds(
        good.map((visit) => visit.eventId),
        await ledgerIds(),
      );
      const letters = await deadLetters.readAll();
      expect(letters.map(({ key, value }) => [String(key), String(value)])).toEqual([
        [killer.eventId, visitRecord(killer).value],
      ]);
      expect(String(letters[0]?.headers[DEAD_LETTER_HEADERS.reason])).toBe('kills-consumer');
      expect(await database.query('SELECT event_id FROM refused_visits')).toEqual([{ event_id: killer.eventId }]);
      await waitUntil(async () => (await database.query('SELECT 1 FROM batch_attempts')).length === 0, {
        describe: 'no attempt is left',
      });
    },
    TEST_MS,
  );

  it(
    'F5: a consumer stopped with a batch in hand and woken after another took over is fenced, nothing is doubled',
    async () => {
      const target = new URL(serviceAddress('REDIS_URL'));
      const redis = await FreezingProxy.listen(target);
      const zombie = await start({ REDIS_URL: redis.through(target) });
      await zombie.ready();
      const visits = Array.from({ length: 500 }, () => buildVisitEvent());
      redis.freeze();
      await topic.produce(visits.map(visitRecord));
      // It waits for Redis, after writing down what it has in hand and before its transaction.
      await waitUntil(async () => (await database.query('SELECT 1 FROM batch_attempts')).length > 0, {
        timeoutMs: 20_000,
        describe: 'a batch is in hand',
      });
      zombie.signal('SIGSTOP');
      expect(await ledgerIds()).toEqual([]);
      const successor = await start();
      await untilCounted(visits.length);
      zombie.signal('SIGCONT');
      await waitUntil(async () => (await zombie.metric('hopcount_consumer_fenced_total')) > 0, {
        timeoutMs: 20_000,
        describe: 'the zombie is fenced',
      });
      assertSameIds(
        visits.map((visit) => visit.eventId),
        await ledgerIds(),
      );
      expect(await successor.metric('hopcount_visits_counted_total')).toBe(visits.length);
      expect(await zombie.metric('hopcount_visits_counted_total')).toBe(0);
      expect(await deadLetters.readAll()).toEqual([]);
      await redis.close();
    },
    TEST_MS,
  );
});
