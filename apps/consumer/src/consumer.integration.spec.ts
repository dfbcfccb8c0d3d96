import { DEAD_LETTER_HEADERS, REPLAY_HEADERS } from '@hopcount/contracts';
import { KafkaAdmin } from '@hopcount/kafka';
import { createLogger } from '@hopcount/runtime';
import {
  assertSameIds,
  buildVisitEvent,
  newEventId,
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  visitRecord,
  waitUntil,
  wrongMetricNames,
} from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { RunningConsumer } from './consumer.js';
import { ledgerIds, startTestConsumer } from './consumer.spec-helpers.js';

const silent = createLogger({ name: 'test', level: 'silent' });
const DEAD_REDIS = 'redis://127.0.0.1:1';

describe('the consumer on real services', () => {
  let topic: TestTopic;
  let deadLetters: TestTopic;
  let database: TestDatabase;
  let consumer: RunningConsumer | undefined;

  beforeEach(async () => {
    [topic, deadLetters, database] = await Promise.all([
      testTopic({ partitions: 3, label: 'visits' }),
      testTopic({ partitions: 1, label: 'letters' }),
      testDatabase(),
    ]);
  });

  afterEach(async () => {
    await consumer?.stop();
    consumer = undefined;
    await Promise.all([topic.delete(), deadLetters.delete(), database.drop()]);
  });

  const start = async (environment: Record<string, string> = {}) => {
    consumer = await startTestConsumer({ topic, database, deadLetters, environment });
  };

  /** To offset 0, as an operator does it. */
  const setGroupBack = async () => {
    const admin = new KafkaAdmin({ brokers: topic.brokers, clientId: 'test', logger: silent });
    const zero = [0, 1, 2].map((partition) => ({ partition, offset: 0n }));
    await admin.resetGroupOffsets(`group-${topic.name}`, topic.name, zero);
    await admin.close();
  };

  it('D4, F7: counts every visit once, also those delivered twice on different partitions', async () => {
    const visits = Array.from({ length: 600 }, () => buildVisitEvent());
    const records = visits.map((visit, index) => ({ ...visitRecord(visit), partition: index % 3 }));
    const again = records.slice(0, 50).map((record) => ({ ...record, partition: (record.partition + 1) % 3 }));
    await topic.produce([...records, ...again]);
    await start();
    const ids = await ledgerIds(database, visits.length);
    assertSameIds(
      visits.map((visit) => visit.eventId),
      ids,
    );
    await untilRead();
    expect(await sums()).toEqual(['600', '600']);
  });

  it('puts what cannot be counted aside with its bytes and headers, and counts its neighbours', async () => {
    const good = Array.from({ length: 40 }, () => buildVisitEvent());
    const nul = buildVisitEvent({ referrer: 'https://example.org/\u0000' });
    const hugeLink = buildVisitEvent({ linkId: '9999999999999999999' });
    const old = buildVisitEvent({ eventId: newEventId(Date.now() - 500 * 86_400_000) });
    const ahead = buildVisitEvent({ eventId: newEventId(Date.now() + 5 * 86_400_000) });
    const half = buildVisitEvent({
      utm: { source: 'cut \ud83d', medium: null, campaign: null, term: null, content: null },
    });
    const poison = [
      { reason: 'not-json', record: { key: 'k1', value: '{"version":1', headers: { 'x-note': 'kept' } } },
      { reason: 'not-json', record: { key: 'k2', value: Buffer.from([0xff, 0x00, 0xfe]) } },
      { reason: 'empty-value', record: { key: 'k3', value: null, headers: { 'x-note': 'k3' } } },
      { reason: 'schema-mismatch', record: { key: 'k4', value: JSON.stringify({ ...good[0], linkId: 17 }) } },
      { reason: 'schema-mismatch', record: { key: 'k5', value: '"text"' } },
      { reason: 'unsupported-version', record: { key: 'k6', value: JSON.stringify({ ...good[1], version: 2 }) } },
      { reason: 'unstorable', record: visitRecord(nul) },
      { reason: 'unstorable', record: visitRecord(hugeLink) },
      { reason: 'older-than-ledger', record: visitRecord(old) },
      { reason: 'from-the-future', record: visitRecord(ahead) },
    ];
    const neighbours = [...good, half].map(visitRecord);
    await topic.produce(
      [...neighbours.slice(0, 20), ...poison.map(({ record }) => record), ...neighbours.slice(20)].map((record) => ({
        ...record,
        partition: 1,
      })),
    );
    await start();
    await untilRead();
    const counted = await ledgerIds(database, 41);
    assertSameIds(
      [...good, half].map((visit) => visit.eventId),
      counted,
    );
    const letters = await deadLetters.readAll();
    expect(letters).toHaveLength(poison.length);
    for (const { reason, record } of poison) {
      const letter = letters.find(({ key }) => key?.toString() === record.key);
      const value = record.value === null ? null : Buffer.from(record.value);
      expect([record.key, letter?.value]).toEqual([record.key, value]);
      const headers = Object.fromEntries(
        Object.entries(letter?.headers ?? {}).map(([name, header]) => [name, String(header)]),
      );
      expect(headers).toMatchObject({
        ...('headers' in record ? record.headers : {}),
        [DEAD_LETTER_HEADERS.reason]: reason,
        [DEAD_LETTER_HEADERS.originalTopic]: topic.name,
        [DEAD_LETTER_HEADERS.originalPartition]: '1',
      });
    }
  });

  it('D1, F8: counts nothing again when the whole topic is replayed into the group', async () => {
    const visits = Array.from({ length: 300 }, () => buildVisitEvent());
    await topic.produce(visits.map(visitRecord));
    await start();
    await untilRead();
    await consumer?.stop();
    const before = await database.query('SELECT partition, next_offset FROM consumer_checkpoints ORDER BY 1');
    await setGroupBack();
    await start();
    const admin = new KafkaAdmin({ brokers: topic.brokers, clientId: 'test', logger: silent });
    await waitUntil(
      async () => {
        const group = `group-${topic.name}`;
        const [offsets, ends] = await Promise.all([admin.groupOffsets(group, topic.name), topic.offsets()]);
        return ends.every((end) => String(offsets.find((at) => at.partition === end.partition)?.offset) === end.high);
      },
      { timeoutMs: 30_000, describe: 'the replay is read to the end' },
    );
    await admin.close();
    assertSameIds(
      visits.map((visit) => visit.eventId),
      await ledgerIds(database, 300),
    );
    expect(await sums()).toEqual(['300', '300']);
    expect(await database.query('SELECT partition, next_offset FROM consumer_checkpoints ORDER BY 1')).toEqual(before);
  });

  it('counts exactly without Redis', async () => {
    const visits = Array.from({ length: 200 }, () => buildVisitEvent());
    await topic.produce([...visits, ...visits.slice(0, 20)].map(visitRecord));
    await start({ REDIS_URL: DEAD_REDIS });
    await untilRead();
    assertSameIds(
      visits.map((visit) => visit.eventId),
      await ledgerIds(database, 200),
    );
    expect(await sums()).toEqual(['200', '200']);
  });

  it.each(['knows it as done, too', 'was set back, too'])(
    'F40: counts again what a restored database lost, although Redis knows it as done; Kafka %s',
    async (kafka) => {
      const visits = Array.from({ length: 200 }, () => buildVisitEvent());
      await topic.produce(visits.map(visitRecord));
      await start();
      await untilRead();
      await consumer?.stop();
      // What a backup from before these visits looks like.
      for (const table of [
        'visits',
        'link_traffic',
        'scope_traffic',
        'link_visit_slots',
        'source_traffic',
        'link_changes',
      ]) {
        await database.query(`TRUNCATE ${table}`);
      }
      await database.query('UPDATE consumer_checkpoints SET next_offset = 0');
      if (kafka === 'was set back, too') await setGroupBack();
      const incarnation = async () => (await database.query('SELECT incarnation FROM ledger_incarnation'))[0];
      const before = await incarnation();
      await start();
      await untilRead();
      assertSameIds(
        visits.map((visit) => visit.eventId),
        await ledgerIds(database, 200),
      );
      // Seen only when Kafka is ahead; marks about what was there before are not believed either way.
      if (kafka === 'knows it as done, too') expect(await incarnation()).not.toEqual(before);
    },
  );

  it('counts what an operator replays although its mark in Redis says done', async () => {
    const visits = Array.from({ length: 60 }, () => buildVisitEvent());
    await topic.produce(visits.map(visitRecord));
    await start();
    await untilRead();
    const lost = visits.slice(0, 20);
    const lostIds = lost.map((visit) => visit.eventId);
    await database.query('DELETE FROM visits WHERE event_id = ANY ($1::uuid[])', [lostIds]);
    // An ordinary redelivery is believed to be done: the marks are there.
    await topic.produce(lost.map(visitRecord));
    await untilRead();
    expect(await ledgerIds(database, 40)).toHaveLength(40);
    const replayed = lost.map((visit) => {
      const record = visitRecord(visit);
      return { ...record, headers: { ...record.headers, [REPLAY_HEADERS.action]: '1' } };
    });
    await topic.produce([...replayed, ...replayed]);
    await untilRead();
    assertSameIds(
      visits.map((visit) => visit.eventId),
      await ledgerIds(database, 60),
    );
  });

  it('finds its place by itself when the database is restored, or its sessions end, under it', async () => {
    const first = Array.from({ length: 100 }, () => buildVisitEvent());
    await topic.produce(first.map(visitRecord));
    await start();
    await untilRead();
    await database.query('DELETE FROM visits');
    await database.query('UPDATE consumer_checkpoints SET next_offset = 0, owner_epoch = 0');
    await database.disconnectOthers();
    const second = Array.from({ length: 100 }, () => buildVisitEvent());
    await topic.produce(second.map(visitRecord));
    assertSameIds(
      [...first, ...second].map((visit) => visit.eventId),
      await ledgerIds(database, 200),
    );
  });

  it('reads a topic that was made anew from its beginning', async () => {
    await database.query(
      `INSERT INTO consumer_checkpoints (consumer_group, topic, partition, next_offset, owner_epoch, owner)
       SELECT $1, $2, partition, 5000, 3, 'gone' FROM generate_series(0, 2) AS partition`,
      [`group-${topic.name}`, topic.name],
    );
    const visits = Array.from({ length: 60 }, () => buildVisitEvent());
    await topic.produce(visits.map(visitRecord));
    await start();
    assertSameIds(
      visits.map((visit) => visit.eventId),
      await ledgerIds(database, 60),
    );
    await untilRead();
  });

  it('shares the partitions with a second consumer and takes them back, each visit once', async () => {
    await start();
    const other = await startTestConsumer({ topic, database, deadLetters });
    const visits = Array.from({ length: 1_000 }, () => buildVisitEvent());
    for (let from = 0; from < visits.length; from += 100) {
      await topic.produce(visits.slice(from, from + 100).map(visitRecord));
      if (from === 400) await other.stop();
    }
    assertSameIds(
      visits.map((visit) => visit.eventId),
      await ledgerIds(database, 1_000),
    );
    expect(await sums()).toEqual(['1000', '1000']);
  });

  it('is alive and ready, and measures what it did', async () => {
    await topic.produce(Array.from({ length: 10 }, () => visitRecord(buildVisitEvent())));
    await start();
    await untilRead();
    const page = async (path: string) => (await fetch(`${consumer?.opsUrl}${path}`)).status;
    expect([await page('/livez'), await page('/readyz'), await page('/other')]).toEqual([200, 200, 404]);
    const metrics = await (await fetch(`${consumer?.opsUrl}/metrics`)).text();
    expect(wrongMetricNames(metrics)).toEqual([]);
    expect(metrics).toMatch(/hopcount_visits_consumed_total\{.*\} 10/);
    expect(metrics).toMatch(/hopcount_visits_counted_total\{class="human",.*\} 10/);
  });

  /** Visits by the buckets and by the slots. */
  async function sums(): Promise<unknown[]> {
    const [row] = await database.query<{ traffic: string; slots: string }>(
      `SELECT (SELECT sum(visits) FROM link_traffic)::text AS traffic,
              (SELECT sum(visits) FROM link_visit_slots)::text AS slots`,
    );
    return [row?.traffic, row?.slots];
  }

  /** Every record of the topic is below its partition's checkpoint. */
  async function untilRead(): Promise<void> {
    await waitUntil(
      async () => {
        const ends = await topic.offsets();
        const rows = await database.query<{ partition: number; next_offset: string }>(
          'SELECT partition, next_offset FROM consumer_checkpoints WHERE topic = $1',
          [topic.name],
        );
        return ends.every((end) => rows.find((row) => row.partition === end.partition)?.next_offset === end.high);
      },
      { timeoutMs: 30_000, describe: 'every record is below its checkpoint' },
    );
  }
});
