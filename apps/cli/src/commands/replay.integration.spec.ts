import { REPLAY_HEADERS } from '@hopcount/contracts';
import {
  assertSameIds,
  buildVisitEvent,
  newEventId,
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  visitRecord,
} from '@hopcount/testing';
import {
  createHashAddress,
  createHashVisitor,
  fingerprintOf,
  KeyPeriods,
  keyRotations,
  readIpHash,
} from '@hopcount/runtime';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { cliOn, type CliResult, SpecConsumer } from '../cli.spec-helpers.js';

describe('replay', () => {
  let visits: TestTopic;
  let server: TestDatabase;
  let consumer: SpecConsumer;
  let hopcount: ReturnType<typeof cliOn>;

  beforeEach(async () => {
    [visits, server] = await Promise.all([testTopic({ partitions: 3, label: 'visits' }), testDatabase()]);
    const group = `group-${visits.name}`;
    consumer = await SpecConsumer.on(server, visits, group);
    hopcount = cliOn(server, { VISITS_TOPIC: visits.name, CONSUMER_GROUP: group });
  });
  afterEach(async () => {
    await consumer.close();
    await Promise.all([visits.delete(), server.drop()]);
  });

  const publish = async (count: number, overrides = {}) => {
    const events = Array.from({ length: count }, () => buildVisitEvent(overrides));
    await visits.produce(events.map((event, index) => ({ ...visitRecord(event), partition: index % 3 })));
    return events.map((event) => event.eventId);
  };
  const ledger = async () =>
    (await server.query<{ event_id: string }>('SELECT event_id FROM visits')).map((row) => row.event_id);
  /** What a restored backup, or a bug, leaves: the checkpoints are beyond visits the ledger lacks. */
  const lose = async (ids: string[]) => {
    await server.query('DELETE FROM visits WHERE event_id = ANY ($1::uuid[])', [ids]);
    await server.query(
      'TRUNCATE host_changes, host_traffic, host_totals, host_sums, link_traffic, scope_traffic, link_visit_slots, source_traffic, link_changes',
    );
  };
  const json = (result: CliResult) => JSON.parse(result.stdout) as Record<string, number>;
  const replay = (...options: string[]) => hopcount(['replay', '-o', 'json', ...options]);

  it('finds nothing missing where all is counted, and exits with 3 where something is', async () => {
    const ids = await publish(90);
    await visits.produce([{ key: 'k', value: '{', partition: 0 }]);
    await consumer.readOn();
    const whole = await replay('--whole-log');
    expect([whole.code, json(whole)]).toEqual([
      0,
      expect.objectContaining({ records: 91, counted: 90, missing: 0, refused: 1, 'refused: not-json': 1 }),
    ]);
    await lose(ids.slice(0, 7));
    const shadow = await replay('--whole-log');
    expect([shadow.code, json(shadow)]).toEqual([3, expect.objectContaining({ counted: 83, missing: 7 })]);
    expect(await server.query('SELECT FROM operator_actions')).toEqual([]);
  });

  it('leaves what the consumer has not read yet to it', async () => {
    await publish(9);
    await consumer.readOn();
    await publish(12);
    expect(json(await replay('--whole-log'))).toMatchObject({ counted: 9, missing: 0, notReadYet: 12 });
  });

  it('live: sends what is missing, waits, and the count changes as expected', async () => {
    const ids = await publish(60);
    await consumer.readOn();
    await lose(ids.slice(10, 25));
    const plan = await replay('--whole-log', '--target', 'live');
    expect([plan.code, json(plan)]).toEqual([0, expect.objectContaining({ sent: 0, expectedCountChange: 15 })]);
    expect(await visits.readAll()).toHaveLength(60);
    const live = await consumer.beside(replay('--whole-log', '--target', 'live', '--execute', '--rate', '500'));
    expect([live.code, json(live)]).toEqual([
      0,
      expect.objectContaining({ sent: 15, expectedCountChange: 15, actualCountChange: 15 }),
    ]);
    assertSameIds(ids, await ledger());
    const sent = (await visits.readAll()).filter((record) => REPLAY_HEADERS.action in record.headers);
    expect(sent).toHaveLength(15);
    const again = await consumer.beside(replay('--whole-log', '--target', 'live', '--execute'));
    expect(json(again)).toMatchObject({ sent: 0, expectedCountChange: 0, actualCountChange: 0 });
    const actions = await server.query('SELECT command, outcome, counts FROM operator_actions ORDER BY id');
    expect(actions[0]).toMatchObject({
      command: 'replay',
      outcome: 'done',
      counts: { sent: 15, actualCountChange: 15 },
    });
  });

  it('sends everything again when told to, and the count stays', async () => {
    const ids = await publish(40);
    await consumer.readOn();
    const live = await consumer.beside(replay('--whole-log', '--target', 'live', '--resend-counted', '--execute'));
    expect([live.code, json(live)]).toEqual([0, expect.objectContaining({ sent: 40, actualCountChange: 0 })]);
    assertSameIds(ids, await ledger());
    expect(await server.query('SELECT sum(visits)::int AS visits FROM link_traffic')).toEqual([{ visits: 40 }]);
  });

  it('says so when what it sent is not counted', async () => {
    const ids = await publish(6);
    await consumer.readOn();
    await lose(ids);
    await server.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
       CREATE TRIGGER refuse BEFORE INSERT ON visits FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    const live = await consumer.beside(replay('--whole-log', '--target', 'live', '--execute'));
    expect([live.code, live.stderr]).toEqual([3, expect.stringMatching(/changed by 0, but 6 were expected/)]);
  });

  it('knows what was purged, what is too old, and whose link it is', async () => {
    const [own] = await publish(3, { linkId: '501', code: 'own' });
    await publish(2, { linkId: '502', code: 'other' });
    await publish(1, { linkId: '502', eventId: newEventId(Date.now() - 500 * 86_400_000) });
    await consumer.readOn();
    await server.query(`INSERT INTO domains (authority) VALUES ('go.example')`);
    await server.query(
      `INSERT INTO links (id, domain_id, code, long_url) SELECT 501, id, 'own', 'https://example.org' FROM domains`,
    );
    await lose([own ?? '']);
    expect(json(await replay('--whole-log', '--link', 'own'))).toMatchObject({ counted: 2, missing: 1, otherLinks: 3 });
    await server.query('UPDATE links SET purged_before = now()');
    await server.query('DELETE FROM visits WHERE link_id = 501');
    expect(json(await replay('--whole-log'))).toMatchObject({ purged: 3, missing: 0, 'refused: older-than-ledger': 1 });
  });

  it('keeps to its range and needs one', async () => {
    await publish(30);
    await consumer.readOn();
    const between = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await publish(9);
    await consumer.readOn();
    const records = async (...options: string[]) => json(await replay(...options))['records'];
    expect(await records('--from', between)).toBe(9);
    expect(await records('--to', between)).toBe(30);
    expect(await records('--last', '1h')).toBe(39);
    expect(await records('--range', 'last7days', '--time-zone', 'Asia/Tokyo')).toBe(39);
    expect(await records('--range', 'lastYear')).toBe(0);
    expect(await records('--partition', '1', '--from-offset', '2', '--to-offset', '5')).toBe(3);
    expect(await replay()).toMatchObject({ code: 2, stderr: expect.stringContaining('Name a range') });
    for (const wrong of [
      ['--whole-log', '--last', '1h'],
      ['--last', '1h', '--to', between],
      ['--last', '1h', '--range', 'today'],
      ['--range', 'today', '--from', between],
      ['--range', 'someday'],
      ['--range', 'today', '--time-zone', 'Mars/Base'],
      ['--from', between, '--to', '2020-01-01T00:00:00Z'],
      ['--from-offset', '9', '--to-offset', '3'],
      ['--whole-log', '--execute'],
    ]) {
      expect([wrong, (await replay(...wrong)).code]).toEqual([wrong, 2]);
    }
    expect(await replay('--whole-log', '--limit', '5')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('39 records'),
    });
    expect((await replay('--last', 'soon')).code).toBe(2);
    expect((await replay('--whole-log', '--topic', 'no-such-topic')).stderr).toContain('There is no topic');
  });

  it('brings back nobody who was erased, whether or not the ledger had met the visit', async () => {
    const secret = 'a secret for tests that is long enough';
    const ids = await publish(9);
    await consumer.readOn();
    const cookie = `v1.${'A'.repeat(22)}.${'b'.repeat(22)}.${'c'.repeat(22)}`;
    const rotated = `${new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 10)}/7`;
    const keys = { hashing: secret, keyPeriods: new KeyPeriods(keyRotations.parse(rotated)) };
    const hashVisitor = createHashVisitor(keys);
    // The same browser, before the first rotation and now.
    for (const [id, atMs] of [
      [ids[0], 0],
      [ids[1], Date.now()],
    ] as const) {
      await server.query('UPDATE visits SET visitor = $2 WHERE event_id = $1', [id, hashVisitor('b'.repeat(22), atMs)]);
    }
    // One by a gateway that had not heard of rotations.
    for (const [id, atMs] of [
      [ids[2], Date.now()],
      [ids[3], 0],
    ] as const) {
      const hash = readIpHash(createHashAddress(keys)('203.0.113.7', atMs));
      await server.query('UPDATE visits SET ip = $2 WHERE event_id = $1', [id, hash]);
    }
    const erase = (...argv: string[]) =>
      hopcount(['visits', 'erase', '-o', 'json', ...argv], { HOPCOUNT_SECRET: secret, HASH_KEY_ROTATIONS: rotated });
    const day = ['--address', '::ffff:203.0.113.7', '--day', new Date().toISOString().slice(0, 10)];
    const plan = await erase('--cookie', cookie);
    expect([plan.code, json(plan)]).toEqual([0, { visits: 2, orphanVisits: 0, files: 0, keyPeriods: 7 }]);
    expect(plan.stderr).toContain(`Looked in 7 key periods: keys changed first on ${rotated.slice(0, 10)}, last on 2`);
    // Consumers that had never heard of them.
    await server.query("UPDATE hash_key_setting SET fingerprint = $1, rotations = ''", [fingerprintOf(keys)]);
    const refused = await erase('--cookie', cookie, '--execute');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('HASH_KEY_ROTATIONS is not what')]);
    await server.query('UPDATE hash_key_setting SET rotations = $1', [rotated]);
    expect(await ledger()).toHaveLength(9);
    for (const [who, visits] of [
      [['--cookie', cookie], 2],
      [day, 2],
      [['--visitor=-42'], 5],
    ] as const) {
      expect(json(await erase(...who, '--execute'))).toMatchObject({ visits, failed: 0 });
    }
    await visits.produce([{ ...visitRecord(buildVisitEvent()), partition: 0 }]);
    expect(await ledger()).toEqual([]);
    const late = buildVisitEvent({ eventId: newEventId(Date.now() - 60_000) });
    await visits.produce([{ ...visitRecord(late), partition: 1 }]);
    await consumer.readOn();
    const sent = await consumer.beside(replay('--whole-log', '--target', 'live', '--resend-counted', '--execute'));
    expect([sent.code, json(sent)]).toEqual([0, expect.objectContaining({ purged: 10, counted: 1, missing: 0 })]);
    await consumer.readOn();
    expect(await ledger()).toHaveLength(1);
    const verified = await hopcount(['verify', '-o', 'json']);
    expect([verified.code, verified.stderr]).toEqual([0, expect.stringContaining('Every number equals the ledger.')]);
    for (const wrong of [
      ['--cookie', 'x'],
      [...day, '--cookie', cookie],
      ['--address', '1.2.3.4'],
      ['--address', '1.2.3.4', '--day', '2026-02-31'],
      ['--visitor', 'x'],
      [],
    ]) {
      expect([wrong, (await erase(...wrong)).code]).toEqual([wrong, 2]);
    }
  });

  it('rebuild --from topic names what the ledger lacks of these links, and has it counted with --execute', async () => {
    const ids = await publish(12, { linkId: '601' });
    const others = await publish(3, { linkId: '602' });
    await consumer.readOn();
    await server.query('DELETE FROM visits WHERE event_id = ANY ($1::uuid[])', [[ids[0], ids[1], others[0]]]);
    const range = ['rebuild', '--after', '600', '--up-to', '601', '--from', 'topic', '-o', 'json'];
    const plan = await hopcount(range);
    expect([plan.code, plan.stderr]).toEqual([
      3,
      expect.stringMatching(
        /holds 10 visits the ledger has, and 2 it lacks[^]*hopcount replay --whole-log --target live/,
      ),
    ]);
    expect(await visits.readAll()).toHaveLength(15);
    const rebuilt = await consumer.beside(hopcount([...range, '--execute']));
    expect([rebuilt.code, json(rebuilt)]).toEqual([
      0,
      expect.objectContaining({ expectedCountChange: 2, actualCountChange: 2, links: 1, differencesLeft: 0 }),
    ]);
    assertSameIds([...ids, ...others.slice(1)], await ledger());
    expect(await server.query('SELECT sum(visits)::int AS visits FROM link_traffic WHERE link_id = 601')).toEqual([
      { visits: 12 },
    ]);
    expect(await server.query('SELECT outcome FROM operator_actions')).toEqual([{ outcome: 'done' }]);
  });
});
