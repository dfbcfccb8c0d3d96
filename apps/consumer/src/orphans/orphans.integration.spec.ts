import type { OrphanVisitV1 } from '@hopcount/contracts';
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
  let consumer: RunningConsumer | undefined;

  beforeEach(async () => {
    [topic, deadLetters, orphans, server] = await Promise.all([
      testTopic({ label: 'visits' }),
      testTopic({ label: 'letters' }),
      testTopic({ partitions: 3, label: 'orphans' }),
      testDatabase(),
    ]);
  });
  afterEach(async () => {
    await consumer?.stop();
    consumer = undefined;
    await Promise.all([topic.delete(), deadLetters.delete(), orphans.delete(), server.drop()]);
  });

  const start = async () => {
    consumer = await startTestConsumer({ topic, database: server, deadLetters, orphans });
  };
  const record = (orphan: OrphanVisitV1) => ({ key: orphan.eventId, value: JSON.stringify(orphan) });
  const counted = async () => {
    const rows = await server.query<{ event_id: string }>('SELECT event_id FROM orphan_visits ORDER BY 1');
    return rows.map((row) => row.event_id);
  };
  const idsOf = (list: OrphanVisitV1[]) => list.map(({ eventId }) => eventId).sort();
  const until = (isDone: () => Promise<boolean>, describe: string) =>
    waitUntil(isDone, { timeoutMs: 30_000, everyMs: 50, describe });
  /** Behind everything that was produced before it, on each partition. */
  const untilRead = async () => {
    const markers = [0, 1, 2].map(() => buildOrphanVisit({ path: '/marker' }));
    await orphans.produce(markers.map((one, partition) => ({ ...record(one), partition })));
    await until(async () => {
      const ids = new Set(await counted());
      return markers.every(({ eventId }) => ids.has(eventId));
    }, 'all orphans are read');
    await server.query("DELETE FROM orphan_visits WHERE path = '/marker'");
  };

  it('are counted once, whatever is delivered again, beside the ledger and its sources', async () => {
    const list = Array.from({ length: 300 }, (_, index) => buildOrphanVisit(index % 3 === 0 ? { userAgent: BOT } : {}));
    // Copies, on any partition.
    await orphans.produce(
      [...list, ...list.slice(0, 100), ...list.slice(50, 150)].map((one) => ({ value: record(one).value })),
    );
    await start();
    await untilRead();
    expect(await counted()).toEqual(idsOf(list));
    expect(await server.query('SELECT FROM visits UNION ALL SELECT FROM source_traffic')).toEqual([]);
    const [bots] = await server.query('SELECT count(*)::int AS bots FROM orphan_visits WHERE class = 1');
    expect(bots).toEqual({ bots: 100 });
  });

  it('that are none, or that PostgreSQL cannot hold, are passed over and counted as such; nothing waits', async () => {
    const good = [buildOrphanVisit(), buildOrphanVisit()];
    const unstorable = buildOrphanVisit({ path: '/\u0000' });
    const ahead = buildOrphanVisit({ eventId: newEventId(Date.now() + 10 * 24 * 3_600_000) });
    const records = [record(good[0]!), record(unstorable), { key: 'k', value: '{' }, record(ahead), record(good[1]!)];
    await orphans.produce(records.map((one) => ({ ...one, partition: 1 })));
    await start();
    await untilRead();
    expect(await counted()).toEqual(idsOf(good));
    const unusable = (reason: string) =>
      metricOf(consumer!, 'hopcount_orphan_visits_unusable_total', `reason="${reason}"`);
    expect([await unusable('unstorable'), await unusable('not-json'), await unusable('from-the-future')]).toEqual([
      1, 1, 1,
    ]);
    expect([await deadLetters.readAll(), await server.query('SELECT FROM refused_visits')]).toEqual([[], []]);
  });

  it('wait while PostgreSQL refuses, and count once it takes them', async () => {
    await server.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused' USING ERRCODE = '40001'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON orphan_visits FOR EACH ROW EXECUTE FUNCTION refuse();`);
    const list = Array.from({ length: 20 }, () => buildOrphanVisit());
    await orphans.produce(list.map(record));
    await start();
    const rolledBack = `SELECT xact_rollback > 0 AS yes FROM pg_stat_database WHERE datname = current_database()`;
    await until(
      async () => (await server.query<{ yes: boolean }>(rolledBack))[0]?.yes === true,
      'an insert is refused',
    );
    expect(await counted()).toEqual([]);
    await server.query('DROP TRIGGER refuse ON orphan_visits');
    await until(async () => (await counted()).length === 20, 'they are counted');
    expect(await counted()).toEqual(idsOf(list));
  });
});
