import type { OrphanVisitV1 } from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';
import {
  buildOrphanVisit,
  buildVisitEvent,
  newEventId,
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  visitRecord,
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

  it('delay no visits while their table is locked, not even those of a partition that has to be alone', async () => {
    // Two consumers died with the visits partition's first record in hand.
    await server.query("INSERT INTO batch_attempts VALUES ($1, $2, 0, 0, 2, 'dead')", [
      `group-${topic.name}`,
      topic.name,
    ]);
    const other = await Database.connect({ url: server.url, applicationName: 'the-other' });
    const orphan = buildOrphanVisit();
    await orphans.produce([record(orphan)]);
    const visits = Array.from({ length: 5 }, () => buildVisitEvent());
    await other.transaction(async (tx) => {
      await tx.query('LOCK TABLE orphan_visits');
      await start();
      const waiting = "SELECT FROM pg_locks WHERE relation = 'orphan_visits'::regclass AND NOT granted";
      await until(async () => (await server.query(waiting)).length > 0, 'the orphan visit waits for the lock');
      await topic.produce(visits.map(visitRecord));
      // Far less than the 30 s after which PostgreSQL gives up the waiting statement.
      await waitUntil(async () => (await server.query('SELECT FROM visits')).length === visits.length, {
        timeoutMs: 15_000,
        describe: 'the visits are counted',
      });
      expect(await tx.query('SELECT FROM orphan_visits')).toEqual([]);
    });
    await other.close();
    await until(async () => (await counted()).length === 1, 'the orphan visit is counted');
  });

  /** Every insert of an orphan visit, until the trigger is dropped; resolves once one was refused. */
  const startRefused = async () => {
    await server.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused' USING ERRCODE = '40001'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON orphan_visits FOR EACH ROW EXECUTE FUNCTION refuse();`);
    await start();
    const rolledBack = `SELECT xact_rollback > 0 AS yes FROM pg_stat_database WHERE datname = current_database()`;
    await until(
      async () => (await server.query<{ yes: boolean }>(rolledBack))[0]?.yes === true,
      'an insert is refused',
    );
    expect(await counted()).toEqual([]);
  };

  it('that are given up with their partition while PostgreSQL refuses them are counted as lost', async () => {
    const list = Array.from({ length: 20 }, () => buildOrphanVisit());
    await orphans.produce(list.map(record));
    await startRefused();
    const second = await startTestConsumer({ topic, database: server, deadLetters, orphans });
    try {
      const lost = async () => {
        const each = [consumer!, second].map((one) => metricOf(one, 'hopcount_orphan_visits_lost_total'));
        return (await Promise.all(each)).reduce((sum, one) => sum + one);
      };
      await until(async () => (await lost()) > 0, 'orphan visits are lost');
      await server.query('DROP TRIGGER refuse ON orphan_visits');
      await untilRead();
      expect((await counted()).length + (await lost())).toBe(list.length);
    } finally {
      await second.stop();
    }
  });

  it('wait while PostgreSQL refuses, and count once it takes them', async () => {
    const list = Array.from({ length: 20 }, () => buildOrphanVisit());
    await orphans.produce(list.map(record));
    await startRefused();
    await server.query('DROP TRIGGER refuse ON orphan_visits');
    await until(async () => (await counted()).length === 20, 'they are counted');
    expect(await counted()).toEqual(idsOf(list));
  });
});
