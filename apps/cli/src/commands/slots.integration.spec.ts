import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { cliOn, type CliResult } from '../cli.spec-helpers.js';

const LINKS = 30;

describe('slots', () => {
  let server: TestDatabase;
  let hopcount: (argv: string[], environment?: Record<string, string>) => Promise<CliResult>;

  beforeAll(async () => {
    server = await testDatabase();
    hopcount = cliOn(server);
    await server.query(`INSERT INTO domains (authority) VALUES ('go.example')`);
    await server.query(
      `INSERT INTO links (id, domain_id, code, long_url)
       SELECT n, id, 'link' || n, 'https://example.org' FROM domains CROSS JOIN generate_series(1, ${LINKS}) AS n`,
    );
  });
  afterAll(() => server.drop());
  beforeEach(async () => {
    await server.query(
      'TRUNCATE host_changes, host_traffic, host_totals, host_sums, link_traffic, scope_traffic, link_visit_slots, link_heat, link_totals, slot_backfill, operator_actions CASCADE',
    );
    // A human visit and a bot's (class 1) of each link, counted in the buckets and in the slots.
    await server.query(
      `INSERT INTO link_traffic (link_id, bucket, class, visits, checksum)
       SELECT n, '2026-09-10T12:00:00Z', class, 1, 0 FROM generate_series(1, ${LINKS}) AS n, unnest(ARRAY[0, 1]) AS class`,
    );
    await server.query(
      `INSERT INTO link_visit_slots SELECT n, bot, 0, 1 FROM generate_series(1, ${LINKS}) AS n, unnest(ARRAY[true, false]) AS bot`,
    );
  });

  const slots = async (...options: string[]) => {
    const result = await hopcount(['slots', ...options, '-o', 'json']);
    return { ...result, json: JSON.parse(result.stdout || 'null') as Record<string, unknown> };
  };

  it('lists heat, slots and drift: of hot links, of the most visited ones and of one', async () => {
    await server.query(`INSERT INTO link_heat (link_id, heat, slots) VALUES (4, 9000, 8)`);
    await server.query(`INSERT INTO link_visit_slots VALUES (4, false, 5, 3), (6, true, 2, 1)`);
    await server.query(`INSERT INTO link_totals VALUES (9, 2, 1)`);
    await server.query(`UPDATE link_traffic SET visits = visits + 3 WHERE link_id = 4 AND class = 0`);
    const listed = await slots('list');
    expect(listed.json).toMatchObject([
      { linkId: '4', code: 'link4', heat: 9000, slots: 8, rows: 3, visits: 5, drift: 0 },
      { linkId: '6', code: 'link6', heat: 0, slots: 1, rows: 3, visits: 3, drift: 1 },
      { linkId: '9', code: 'link9', rows: 2, drift: 0 },
    ]);
    expect([listed.code, listed.stderr]).toEqual([3, expect.stringMatching(/3 links, 1 with drift[^]*slots backfill/)]);
    expect((await slots('--link', 'link4')).code).toBe(0);
    expect((await slots('--link', 'link6')).code).toBe(3);
    expect(await hopcount(['slots'], { SLOTS: 'off' })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('SLOTS=off'),
    });
  });

  it('backfill says what it would do, does it with --execute, and leaves an audit row', async () => {
    await server.query('DELETE FROM link_visit_slots WHERE link_id <= 10');
    await server.query('UPDATE link_visit_slots SET visits = visits + 5 WHERE link_id = 11 AND potential_bot');
    const plan = await slots('backfill');
    expect([plan.code, plan.json]).toEqual([0, { countersToFill: 21, goesOnAfterLinks: 0 }]);
    expect(plan.stderr).toMatch(/Nothing was changed.*21 counters/);
    expect(await server.query('SELECT FROM operator_actions')).toEqual([]);
    expect((await slots('backfill', '--execute')).json).toEqual({ links: LINKS, filled: 21 });
    expect((await slots('backfill')).json).toMatchObject({ countersToFill: 0 });
    expect((await slots('list')).code).toBe(0);
    expect(await server.query('SELECT command, operator, outcome FROM operator_actions')).toEqual([
      { command: 'slots backfill', operator: 'spec', outcome: 'done' },
    ]);
  });

  it('backfill that was stopped half-way goes on where it was', async () => {
    await server.query('TRUNCATE link_visit_slots');
    await server.query('ALTER TABLE slot_backfill ADD CONSTRAINT killed CHECK (links < 20)');
    const killed = await hopcount(['slots', 'backfill', '--chunk', '8', '--execute']);
    await server.query('ALTER TABLE slot_backfill DROP CONSTRAINT killed');
    expect([killed.code, killed.stderr]).toEqual([1, expect.stringContaining('killed')]);
    expect((await slots('backfill')).json).toEqual({ countersToFill: 2 * (LINKS - 16), goesOnAfterLinks: 16 });
    expect((await slots('backfill', '--chunk', '8', '--rate', '100', '--execute')).json).toEqual({
      links: LINKS,
      filled: 2 * LINKS,
    });
    expect((await slots('backfill')).json).toMatchObject({ countersToFill: 0 });
    expect(await server.query('SELECT outcome, counts FROM operator_actions ORDER BY id')).toEqual([
      { outcome: 'failed', counts: { links: 16, filled: 32 } },
      { outcome: 'done', counts: { links: LINKS, filled: 2 * LINKS } },
    ]);
  });

  it('sets the slots of a link and lets its heat decide again, without a change of any count', async () => {
    await server.query(`INSERT INTO link_visit_slots VALUES (4, false, 20, 3), (4, true, 9, 1)`);
    await server.query(
      `UPDATE link_traffic SET visits = visits + CASE class WHEN 0 THEN 3 ELSE 1 END WHERE link_id = 4`,
    );
    const plan = await slots('set', 'link4', '8');
    expect(plan.json).toMatchObject({
      linkId: '4',
      slots: 1,
      pinnedSlots: null,
      slotsToSet: 8,
      expectedCountChange: 0,
    });
    expect(plan.stderr).toContain('Nothing was changed');
    expect(await server.query('SELECT FROM link_heat')).toEqual([]);
    const set = await slots('set', 'link4', '8', '--execute');
    expect([set.code, set.json]).toEqual([0, { slotsBefore: 1, slots: 8, slotsInUse: 8, drift: 0 }]);
    expect((await slots('list', '--link', 'link4')).json).toMatchObject([
      { slots: 8, pinnedSlots: 8, visits: 6, drift: 0 },
    ]);
    expect((await slots('set', 'link4', 'auto', '--execute')).json).toMatchObject({ slotsBefore: 8, slots: 8 });
    expect((await slots('list', '--link', 'link4')).json).toMatchObject([{ pinnedSlots: null }]);
    expect((await slots('set', 'link4', '101')).code).toBe(2);
    expect((await slots('set', 'nobody', '3')).code).toBe(1);
    await server.query(`UPDATE link_visit_slots SET visits = 0 WHERE link_id = 4`);
    expect(await slots('set', 'link4', '2', '--execute')).toMatchObject({ code: 3 });
    expect(await server.query('SELECT command, outcome FROM operator_actions ORDER BY id')).toEqual([
      { command: 'slots set', outcome: 'done' },
      { command: 'slots set', outcome: 'done' },
      { command: 'slots set', outcome: 'mismatch' },
    ]);
  });

  it('says that slots beyond the number of partitions stay empty', async () => {
    const group = { CONSUMER_GROUP: 'of-slots', VISITS_TOPIC: 'visits-of-slots' };
    await server.query(
      `INSERT INTO consumer_checkpoints (consumer_group, topic, partition, owner, owner_epoch, next_offset)
       SELECT 'of-slots', 'visits-of-slots', n, 'spec', 1, 0 FROM generate_series(0, 3) AS n`,
    );
    const set = (...options: string[]) => hopcount(['slots', 'set', 'link5', ...options, '-o', 'json'], group);
    const unused = expect.stringMatching(/visits-of-slots has 4 partitions, so only 4 of 6 slots are used/);
    for (const options of [['6'], ['6', '--execute']]) {
      const { code, stdout, stderr } = await set(...options);
      expect([code, stderr]).toEqual([0, unused]);
      expect(JSON.parse(stdout)).toMatchObject({ slotsInUse: 4 });
    }
    const fewer = await set('4', '--execute');
    expect(JSON.parse(fewer.stdout)).toMatchObject({ slots: 4, slotsInUse: 4 });
    expect(fewer.stderr).not.toContain('partitions');
  });

  it('says so when the schema is older than the program', async () => {
    await server.query('ALTER TABLE link_heat RENAME COLUMN pinned_slots TO away');
    const old = await hopcount(['slots', 'list']);
    await server.query('ALTER TABLE link_heat RENAME COLUMN away TO pinned_slots');
    expect([old.code, old.stderr]).toEqual([1, expect.stringMatching(/older than this program.*hopcount migrate/)]);
  });

  it('ends wrong usage with 2', async () => {
    for (const options of [['--chunk', '0'], ['--rate', 'fast'], ['surplus']]) {
      expect([options, (await hopcount(['slots', 'backfill', ...options])).code]).toEqual([options, 2]);
    }
    expect((await hopcount(['slots', 'list', '--limit', '0'])).code).toBe(2);
    expect((await hopcount(['slots', 'list', '--link', 'nobody'])).code).toBe(1);
  });
});
