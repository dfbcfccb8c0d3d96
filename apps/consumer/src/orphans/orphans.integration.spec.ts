import { DEAD_LETTER_HEADERS, type OrphanVisitV1 } from '@hopcount/contracts';
import { OrphanPurger, StatisticsVerifier } from '@hopcount/ledger';
import { Database } from '@hopcount/postgres';
import {
  buildOrphanVisit,
  newEventId,
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  waitUntil,
} from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { RunningConsumer } from '../consumer.js';
import { metricOf, startTestConsumer } from '../consumer.spec-helpers.js';

const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

describe('orphan visits at the consumer', () => {
  let topic: TestTopic;
  let deadLetters: TestTopic;
  let orphans: TestTopic;
  let server: TestDatabase;
  let database: Database;
  let consumer: RunningConsumer | undefined;

  beforeEach(async () => {
    [topic, deadLetters, orphans, server] = await Promise.all([
      testTopic({ label: 'visits' }),
      testTopic({ label: 'letters' }),
      testTopic({ partitions: 3, label: 'orphans' }),
      testDatabase(),
    ]);
    database = await Database.connect({ url: server.url, applicationName: 'orphans-spec', poolSize: 2 });
  });
  afterEach(async () => {
    await consumer?.stop();
    consumer = undefined;
    await database.close();
    await Promise.all([topic.delete(), deadLetters.delete(), orphans.delete(), server.drop()]);
  });

  const start = async (environment: Record<string, string> = {}) => {
    consumer = await startTestConsumer({ topic, database: server, deadLetters, orphans, environment });
  };
  const record = (orphan: OrphanVisitV1) => ({ key: orphan.eventId, value: JSON.stringify(orphan) });
  const untilRead = () =>
    waitUntil(
      async () => {
        const rows = await server.query<{ partition: number; next_offset: string }>(
          'SELECT partition, next_offset FROM consumer_checkpoints WHERE topic = $1',
          [orphans.name],
        );
        const offsetOf = (partition: number) => rows.find((row) => row.partition === partition)?.next_offset;
        return (await orphans.offsets()).every(({ partition, high }) => offsetOf(partition) === high);
      },
      { timeoutMs: 30_000, everyMs: 50, describe: 'all orphans are read' },
    );
  const counted = async () => {
    const rows = await server.query<{ event_id: string }>('SELECT event_id FROM orphan_visits ORDER BY 1');
    const [slots] = await server.query<{ sum: string }>(
      'SELECT coalesce(sum(visits), 0) AS sum FROM orphan_visit_slots',
    );
    return { ids: rows.map((row) => row.event_id), slots: Number(slots?.sum) };
  };
  const idsOf = (list: OrphanVisitV1[]) => list.map(({ eventId }) => eventId).sort();
  const differences = async () => (await new StatisticsVerifier(database).verify()).differences;

  it('are counted once, whatever is delivered again, beside the ledger and its sources', async () => {
    const list = Array.from({ length: 300 }, (_, index) => buildOrphanVisit(index % 3 === 0 ? { userAgent: BOT } : {}));
    // Copies, on any partition.
    await orphans.produce(
      [...list, ...list.slice(0, 100), ...list.slice(50, 150)].map((one) => ({ value: record(one).value })),
    );
    await start();
    await untilRead();
    expect(await counted()).toEqual({ ids: idsOf(list), slots: 300 });
    await consumer?.stop();
    // An operator sets the group back: everything is read again.
    await server.query('UPDATE consumer_checkpoints SET next_offset = 0 WHERE topic = $1', [orphans.name]);
    await start();
    await untilRead();
    expect(await counted()).toEqual({ ids: idsOf(list), slots: 300 });
    expect(await server.query('SELECT FROM visits UNION ALL SELECT FROM source_traffic')).toEqual([]);
    expect(await server.query('SELECT sum(visits)::int AS bots FROM orphan_visit_slots WHERE potential_bot')).toEqual([
      { bots: 100 },
    ]);
    expect(await differences()).toEqual([]);
  });

  it('that are none, or that PostgreSQL cannot hold, become dead letters and are not refused visits', async () => {
    const good = [buildOrphanVisit(), buildOrphanVisit()];
    const unstorable = buildOrphanVisit({ path: '/\u0000' });
    const ahead = buildOrphanVisit({ eventId: newEventId(Date.now() + 10 * 24 * 3_600_000) });
    const records = [record(good[0]!), record(unstorable), { key: 'k', value: '{' }, record(ahead), record(good[1]!)];
    await orphans.produce(records.map((one) => ({ ...one, partition: 1 })));
    await start();
    await untilRead();
    expect(await counted()).toEqual({ ids: idsOf(good), slots: 2 });
    const letters = (await deadLetters.readAll()).map(({ key, headers }) => [
      String(key),
      String(headers[DEAD_LETTER_HEADERS.reason]),
      String(headers[DEAD_LETTER_HEADERS.originalTopic]),
    ]);
    expect(letters.sort()).toEqual(
      [
        [unstorable.eventId, 'unstorable', orphans.name],
        ['k', 'not-json', orphans.name],
        [ahead.eventId, 'from-the-future', orphans.name],
      ].sort(),
    );
    expect(await server.query('SELECT FROM refused_visits')).toEqual([]);
  });

  it('leave nothing behind when the transaction fails after their rows, and count once it works again', async () => {
    await server.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused' USING ERRCODE = '40001'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON orphan_visit_slots FOR EACH ROW EXECUTE FUNCTION refuse()`);
    const list = Array.from({ length: 20 }, () => buildOrphanVisit());
    await orphans.produce(list.map(record));
    await start();
    await waitUntil(async () => (await metricOf(consumer!, 'hopcount_batch_retries_total', 'sqlstate="40001"')) > 2, {
      timeoutMs: 30_000,
      describe: 'the statement after the rows fails',
    });
    expect(await counted()).toEqual({ ids: [], slots: 0 });
    await server.query('DROP TRIGGER refuse ON orphan_visit_slots');
    await untilRead();
    expect(await counted()).toEqual({ ids: idsOf(list), slots: 20 });
  });

  it('that are older than what is kept do not come in, and those that are kept go when they are old', async () => {
    const old = buildOrphanVisit({ eventId: newEventId(Date.now() - 40 * 24 * 3_600_000) });
    const fresh = buildOrphanVisit();
    await orphans.produce([record(old), record(fresh)]);
    await start();
    await untilRead();
    await waitUntil(async () => (await counted()).ids.length === 2, { describe: 'both are within 90 days' });
    await new OrphanPurger(database, { hasSlots: true }).purge({ beforeMs: Date.now() - 30 * 24 * 3_600_000 });
    expect((await counted()).ids).toHaveLength(1);
    await orphans.produce([record(old)]);
    await untilRead();
    expect(await counted()).toEqual({ ids: [fresh.eventId], slots: 1 });
    expect(await differences()).toEqual([]);
  });
});
