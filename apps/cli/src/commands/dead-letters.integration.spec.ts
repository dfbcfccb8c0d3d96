import { DEAD_LETTER_HEADERS, REPLAY_HEADERS } from '@hopcount/contracts';
import { DeadLetterStates, LetterRedrive, RecordSender, VisitJudge, walkLetters } from '@hopcount/ledger';
import { Database } from '@hopcount/postgres';
import { createLogger, createRateLimit } from '@hopcount/runtime';
import {
  assertSameIds,
  buildVisitEvent,
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  visitRecord,
} from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { cliOn, type CliResult, SpecConsumer } from '../cli.spec-helpers.js';

const silent = createLogger({ name: 'spec', level: 'silent' });

describe('dead-letters', () => {
  let visits: TestTopic;
  let letters: TestTopic;
  let server: TestDatabase;
  let consumer: SpecConsumer;
  let hopcount: (argv: string[], environment?: Record<string, string>) => Promise<CliResult>;

  beforeEach(async () => {
    [visits, letters, server] = await Promise.all([
      testTopic({ partitions: 2, label: 'visits' }),
      testTopic({ partitions: 2, label: 'letters' }),
      testDatabase(),
    ]);
    const group = `group-${visits.name}`;
    consumer = await SpecConsumer.on(server, visits, group);
    hopcount = cliOn(server, { VISITS_TOPIC: visits.name, DEAD_LETTER_TOPIC: letters.name, CONSUMER_GROUP: group });
  });
  afterEach(async () => {
    await consumer.close();
    await Promise.all([visits.delete(), letters.delete(), server.drop()]);
  });

  const letter = (
    record: { key?: string; value: string | Buffer | null; headers?: Record<string, string> },
    reason: string,
  ) => ({
    ...record,
    headers: {
      ...record.headers,
      [DEAD_LETTER_HEADERS.reason]: reason,
      [DEAD_LETTER_HEADERS.step]: 'commitVisits',
      [DEAD_LETTER_HEADERS.originalTopic]: visits.name,
      [DEAD_LETTER_HEADERS.originalPartition]: '1',
      [DEAD_LETTER_HEADERS.originalOffset]: '42',
    },
  });

  const putAside = async (count: number) => {
    const events = Array.from({ length: count }, () => buildVisitEvent());
    await letters.produce(
      events.map((event, index) => ({ ...letter(visitRecord(event), 'unstorable'), partition: index % 2 })),
    );
    return events.map((event) => event.eventId);
  };
  const ledger = async () =>
    (await server.query<{ event_id: string }>('SELECT event_id FROM visits')).map((row) => row.event_id);
  const json = (result: CliResult) => JSON.parse(result.stdout) as Record<string, unknown>;
  const REDRIVE = ['dead-letters', 'redrive', '-o', 'json'];

  it('changes nothing without --execute and says what it would do', async () => {
    await putAside(5);
    await letters.produce([letter({ key: 'k', value: '{' }, 'not-json')]);
    const plan = await hopcount(REDRIVE);
    expect([plan.code, json(plan)]).toEqual([
      0,
      expect.objectContaining({ letters: 6, sent: 0, refusedAgain: 1, expectedCountChange: 5 }),
    ]);
    expect(plan.stderr).toMatch(/Nothing was sent.*6 dead letters; expected count change: 5/);
    expect(await visits.readAll()).toEqual([]);
    expect(await server.query('SELECT FROM operator_actions')).toEqual([]);
  });

  it('sends the original bytes, waits until they are counted, and does nothing the second time', async () => {
    const ids = await putAside(30);
    const first = await consumer.beside(hopcount([...REDRIVE, '--execute']));
    expect(first.stderr).toContain('The count changed by 30, as expected.');
    expect([first.code, json(first)]).toEqual([
      0,
      expect.objectContaining({ sent: 30, expectedCountChange: 30, actualCountChange: 30 }),
    ]);
    assertSameIds(ids, await ledger());
    const originals = await letters.readAll();
    for (const sent of await visits.readAll()) {
      const original = originals.find(({ key }) => key?.equals(sent.key ?? Buffer.alloc(0)));
      expect(sent.value).toEqual(original?.value);
      expect(Object.keys(sent.headers).filter((name) => name.startsWith('dlq-'))).toEqual([]);
      expect(String(sent.headers[REPLAY_HEADERS.originalOffset])).toBe('42');
    }
    const second = await consumer.beside(hopcount([...REDRIVE, '--execute']));
    expect(json(second)).toMatchObject({ letters: 0, sent: 0, actualCountChange: 0 });
    const again = await consumer.beside(hopcount([...REDRIVE, '--execute', '--again']));
    expect(json(again)).toMatchObject({ sent: 30, alreadyCounted: 30, actualCountChange: 0 });
    assertSameIds(ids, await ledger());
    const actions = await server.query<{ operator: string; outcome: string; counts: object }>(
      'SELECT operator, outcome, counts, cluster_id IS NOT NULL AS known FROM operator_actions ORDER BY id',
    );
    expect(actions).toEqual(
      [30, 0, 30].map((sent) =>
        expect.objectContaining({
          operator: 'spec',
          outcome: 'done',
          known: true,
          counts: expect.objectContaining({ sent }),
        }),
      ),
    );
  });

  it('F33: counts once, after the upgrade, what an older consumer put aside for its version', async () => {
    const events = Array.from({ length: 8 }, () => buildVisitEvent());
    const newer = { ...buildVisitEvent(), version: 7 };
    // The second copies: the roll-out put the same visits aside twice, or another consumer counted them.
    const records = [...events.map(visitRecord), ...events.slice(0, 3).map(visitRecord)];
    const stillUnknown = { key: newer.eventId, value: JSON.stringify(newer) };
    await letters.produce([...records, stillUnknown].map((record) => letter(record, 'unsupported-version')));
    await visits.produce(events.slice(0, 2).map(visitRecord));
    await consumer.readOn();
    const redrive = [...REDRIVE, '--reason', 'unsupported-version', '--execute'];
    const result = await consumer.beside(hopcount(redrive));
    expect([result.code, json(result)]).toEqual([
      0,
      expect.objectContaining({ letters: 12, refusedAgain: 1, expectedCountChange: 6, actualCountChange: 6 }),
    ]);
    assertSameIds(
      events.map(({ eventId }) => eventId),
      await ledger(),
    );
    expect(await server.query('SELECT sum(visits)::int AS visits FROM link_traffic')).toEqual([{ visits: 8 }]);
  });

  it('killed between sending and remembering, it sends that batch again and counts each event once', async () => {
    const ids = await putAside(1_200);
    const sentWhenKilled = await redriveKilledAfterFirstMark();
    expect(sentWhenKilled).toBeGreaterThan(500);
    expect(sentWhenKilled).toBeLessThan(1_200);
    await consumer.readOn();
    const before = (await ledger()).length;
    expect(before).toBe(sentWhenKilled);
    const rest = await consumer.beside(hopcount([...REDRIVE, '--execute']));
    // Sent twice: what was acknowledged but not yet remembered.
    const { sent, alreadyCounted, actualCountChange } = json(rest) as Record<string, number>;
    expect([rest.code, actualCountChange]).toEqual([0, 1_200 - before]);
    expect(alreadyCounted).toBeGreaterThan(0);
    expect((sent ?? 0) + sentWhenKilled).toBe(1_200 + (alreadyCounted ?? 0));
    assertSameIds(ids, await ledger());
    const [sums] = await server.query('SELECT sum(visits)::int AS visits FROM link_traffic');
    expect(sums).toEqual({ visits: 1_200 });
  });

  /** Dies where it hurts most: after the second batch was acknowledged, before that was written down. */
  async function redriveKilledAfterFirstMark(): Promise<number> {
    const { KafkaAdmin, KafkaPublisher } = await import('@hopcount/kafka');
    const connection = { brokers: letters.brokers, clientId: 'killed-spec', logger: silent };
    const database = await Database.connect({ url: server.url, applicationName: 'killed-spec', poolSize: 2 });
    const publisher = new KafkaPublisher(connection);
    const states = new DeadLetterStates(database, letters.name);
    const [action] = await server.query<{ id: string }>(
      `INSERT INTO operator_actions (command, arguments, operator) VALUES ('killed', '{}', 'spec') RETURNING id`,
    );
    const actionId = action?.id ?? '';
    let marks = 0;
    const redrive = new LetterRedrive({
      judge: new VisitJudge(database, { ledgerDays: 400 }),
      countsTopic: `${visits.name}.no-counts`,
      execution: {
        sender: new RecordSender(publisher, {
          ...{ topic: visits.name, countsTopic: `${visits.name}.no-counts` },
          ...{ actionId, rateLimit: createRateLimit(undefined) },
        }),
        states: {
          mark: (...args) => (++marks > 1 ? Promise.reject(new Error('killed')) : states.mark(...args)),
        },
        actionId,
      },
    });
    const admin = new KafkaAdmin(connection);
    const ranges = (await admin.topicOffsets(letters.name)).map(({ partition, low, high }) => ({
      partition,
      from: low,
      to: high,
    }));
    const walk = { connection, topic: letters.name, ranges, states, matches: () => true, limit: 10_000 };
    await expect(walkLetters({ ...walk, onLetters: (some) => redrive.take(some) })).rejects.toThrow('killed');
    await Promise.all([publisher.close(), admin.close(), database.close()]);
    return (await visits.readAll()).length;
  }

  it('exits with 3 when the count does not change as expected', async () => {
    await putAside(3);
    // The visits get into the topic and are read, but never reach the ledger.
    await server.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
       CREATE TRIGGER refuse BEFORE INSERT ON visits FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    const result = await consumer.beside(hopcount([...REDRIVE, '--execute']));
    expect(result.stderr).toMatch(/changed by 0, but 3 were expected/);
    expect(result.code).toBe(3);
    expect(await server.query('SELECT outcome FROM operator_actions')).toEqual([{ outcome: 'mismatch' }]);
  });

  it('chooses by reason, partition, offsets and limit', async () => {
    await putAside(10);
    await letters.produce([{ ...letter({ key: 'k', value: '{' }, 'not-json'), partition: 0 }]);
    const chosen = async (...options: string[]) => json(await hopcount([...REDRIVE, ...options]))['letters'];
    expect(await chosen('--reason', 'not-json')).toBe(1);
    expect(await chosen('--partition', '1')).toBe(5);
    expect(await chosen('--partition', '0', '--from-offset', '2', '--to-offset', '4')).toBe(2);
    expect(await chosen('--limit', '7')).toBe(7);
    expect((await hopcount([...REDRIVE, '--partition', '9'])).stderr).toContain('no partition 9');
    expect((await hopcount([...REDRIVE, '--rate', '0'])).code).toBe(2);
  });

  it('gives letters up: redrive passes over them, stats and list say so', async () => {
    await putAside(4);
    await letters.produce([
      { ...letter({ key: 'k', value: '{', headers: { note: 'kept' } }, 'not-json'), partition: 1 },
    ]);
    const discard = ['dead-letters', 'discard', '--reason', 'not-json', '--because', 'garbage', '-o', 'json'];
    expect(json(await hopcount(discard))).toMatchObject({ letters: 1, discarded: 0 });
    expect(json(await hopcount([...discard, '--execute']))).toEqual({ discarded: 1 });
    expect(json(await hopcount([...discard, '--execute']))).toEqual({ discarded: 0 });
    expect(json(await hopcount(REDRIVE))).toMatchObject({ letters: 4, refusedAgain: 0 });
    expect(JSON.parse((await hopcount(['dead-letters', 'stats', '-o', 'json'])).stdout)).toEqual([
      expect.objectContaining({ reason: 'unstorable', letters: 4, waiting: 4, discarded: 0 }),
      expect.objectContaining({ reason: 'not-json', letters: 1, waiting: 0, discarded: 1, oldestWaiting: null }),
    ]);
    const listed = JSON.parse((await hopcount(['dead-letters', 'list', '-o', 'json'])).stdout) as {
      place: string;
      state: string;
    }[];
    expect(listed.map(({ state }) => state).sort()).toEqual(['discarded', ...Array<string>(4).fill('waiting')]);
    const place = listed.find(({ state }) => state === 'discarded')?.place ?? '';
    const shown = json(await hopcount(['dead-letters', 'show', place, '-o', 'json']));
    expect(shown).toMatchObject({
      place,
      state: 'discarded',
      redriven: 'refused: not-json',
      key: 'k',
      value: '{',
      'header note': 'kept',
      valueBase64: 'ew==',
    });
    expect(await hopcount(['dead-letters', 'show', '0@999'])).toMatchObject({ code: 1 });
    expect((await hopcount(['dead-letters', 'show', 'nonsense'])).code).toBe(2);
  });

  it('takes the letters of a topic that was made anew for other ones', async () => {
    await putAside(2);
    await consumer.beside(hopcount([...REDRIVE, '--execute']));
    expect(json(await hopcount(REDRIVE))).toMatchObject({ letters: 0 });
    // The same offsets, another time: what a topic that was deleted and filled again looks like.
    await server.query(`UPDATE dead_letter_states SET appended_at = appended_at - interval '1 day'`);
    expect(json(await hopcount(REDRIVE))).toMatchObject({ letters: 2 });
  });

  it('forgets what became of letters that left the topic', async () => {
    await putAside(4);
    await consumer.beside(hopcount([...REDRIVE, '--execute']));
    await letters.dropBefore((await letters.offsets()).map(({ partition, high }) => ({ partition, offset: high })));
    await putAside(1);
    await consumer.beside(hopcount([...REDRIVE, '--execute']));
    expect(await server.query('SELECT FROM dead_letter_states')).toHaveLength(1);
  });

  it('refuses another cluster than the one it is told', async () => {
    await putAside(1);
    const other = await hopcount([...REDRIVE, '--execute', '--expect-cluster', 'production']);
    expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/not production: nothing was done/)]);
    expect(await visits.readAll()).toEqual([]);
    const cluster = /cluster (\S+),/.exec(other.stderr)?.[1] ?? '';
    expect((await hopcount(['--expect-cluster', cluster, ...REDRIVE])).code).toBe(0);
  });
});
