import {
  buildVisitEvent,
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  visitRecord,
} from '@hopcount/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { cliOn, type CliResult, SpecConsumer } from '../cli.spec-helpers.js';

describe('rebuild', () => {
  let visits: TestTopic;
  let server: TestDatabase;
  let consumer: SpecConsumer;
  let hopcount: (argv: string[], environment?: Record<string, string>) => Promise<CliResult>;

  beforeAll(async () => {
    [visits, server] = await Promise.all([testTopic({ partitions: 1, label: 'visits' }), testDatabase()]);
    const group = `group-${visits.name}`;
    consumer = await SpecConsumer.on(server, visits, group);
    hopcount = cliOn(server, { VISITS_TOPIC: visits.name, CONSUMER_GROUP: group });
    await server.query(`INSERT INTO domains (authority) VALUES ('go.example')`);
    await server.query(
      `INSERT INTO links (id, domain_id, code, long_url) SELECT 12, id, 'twelve', 'https://example.org' FROM domains`,
    );
    const events = ['11', '12', '13'].flatMap((linkId) =>
      Array.from({ length: 10 }, () => buildVisitEvent({ linkId })),
    );
    await visits.produce(events.map(visitRecord));
    await consumer.readOn();
    await hopcount(['rebuild', '--all', '--execute']); // the totals, which no job makes here
  });
  beforeEach(() => server.query('TRUNCATE link_changes, operator_actions CASCADE'));
  afterAll(async () => {
    await consumer.close();
    await Promise.all([visits.delete(), server.drop()]);
  });

  const rebuild = (...options: string[]) => hopcount(['rebuild', '-o', 'json', ...options]);
  const damage = () => server.query('UPDATE link_visit_slots SET visits = visits + 4');
  const verified = async () => (await hopcount(['verify'])).code;

  it('prints what differs and changes nothing without --execute', async () => {
    await damage();
    const plan = await rebuild('--all');
    expect((JSON.parse(plan.stdout) as { linkId: string }[]).map(({ linkId }) => linkId).sort()).toEqual([
      '11',
      '12',
      '13',
    ]);
    expect([plan.code, plan.stderr]).toEqual([0, expect.stringMatching(/3 differences. Nothing was changed/)]);
    expect(await verified()).toBe(3);
    expect(await server.query('SELECT FROM operator_actions')).toEqual([]);
  });

  it('repairs one link, then a range, then all, and leaves an audit row of each', async () => {
    const one = await rebuild('--link', 'twelve', '--execute');
    expect([one.code, JSON.parse(one.stdout)]).toEqual([
      0,
      expect.objectContaining({ links: 1, slots: 1, differencesLeft: 0 }),
    ]);
    expect(await verified()).toBe(3);
    const range = await rebuild('--after', '12', '--up-to', '13', '--execute');
    expect(JSON.parse(range.stdout)).toMatchObject({ links: 1, slots: 1, lastLink: '13' });
    await server.query('UPDATE source_traffic SET visits = visits + 1');
    const all = await rebuild('--all', '--chunk', '1', '--execute');
    expect([all.code, JSON.parse(all.stdout)]).toEqual([
      0,
      expect.objectContaining({ links: 3, slots: 1, differencesLeft: 0 }),
    ]);
    expect((JSON.parse(all.stdout) as { sourceMinutes: number }).sourceMinutes).toBeGreaterThan(0);
    expect(await verified()).toBe(0);
    const actions = await server.query<{ counts: { links: number } }>(
      `SELECT command, operator, outcome, counts FROM operator_actions WHERE ended_at IS NOT NULL ORDER BY id`,
    );
    expect(actions.map(({ counts }) => counts.links)).toEqual([1, 1, 3]);
    expect(actions[0]).toMatchObject({ command: 'rebuild', operator: 'spec', outcome: 'done' });
  });

  it('of everything lets answers be exact again whose sums a proof found wrong, as a verification does; one of a link does not', async () => {
    const doubt = () =>
      server.query(`INSERT INTO doubted_sums (from_time, to_time) VALUES ('2026-01-01Z', '2026-01-02Z')`);
    const isDoubted = async () => (await server.query('SELECT FROM doubted_sums')).length > 0;
    await doubt();
    await damage();
    expect([await verified(), await isDoubted()]).toEqual([3, true]);
    await rebuild('--link', 'twelve', '--execute');
    expect(await isDoubted()).toBe(true);
    await rebuild('--all', '--execute');
    expect(await isDoubted()).toBe(false);
    await doubt();
    await hopcount(['verify', '--link', 'twelve']);
    expect(await isDoubted()).toBe(true);
    expect([await verified(), await isDoubted()]).toEqual([0, false]);
  });

  it('is what doctor says to do once a verification found a difference, until it is repaired', async () => {
    const ofDoctor = async () => {
      const { stdout } = await hopcount(['doctor', '-o', 'json']);
      return (JSON.parse(stdout) as { check: string; status: string }[]).find(({ check }) => check === 'sums');
    };
    const well = { status: 'ok', found: 'none is known to be wrong', advice: null };
    expect(await ofDoctor()).toMatchObject(well);
    await server.query(`UPDATE scope_traffic SET visits = visits + 1 WHERE scope = 'group'`);
    expect(await verified()).toBe(3);
    const [known] = await server.query<{ from_time: Date; since: Date }>('SELECT from_time, since FROM doubted_sums');
    expect(await ofDoctor()).toMatchObject({
      status: 'fail',
      found: expect.stringMatching(
        new RegExp(
          `^sums between ${known!.from_time.toISOString()} and .*found by: scopes.*${known!.since.toISOString()}$`,
        ),
      ),
      advice: expect.stringContaining('hopcount rebuild --all --execute'),
    });
    await rebuild('--all', '--execute');
    expect(await ofDoctor()).toMatchObject(well);
  });

  it('goes on where it was killed with --resume, for the same links only', async () => {
    await damage();
    await server.query('ALTER TABLE link_visit_slots ADD CONSTRAINT killed CHECK (link_id <> 13) NOT VALID');
    const killed = await rebuild('--all', '--chunk', '1', '--execute');
    await server.query('ALTER TABLE link_visit_slots DROP CONSTRAINT killed');
    expect([killed.code, killed.stderr]).toEqual([1, expect.stringContaining('killed')]);
    const other = await rebuild('--up-to', '11', '--execute', '--resume');
    expect([JSON.parse(other.stdout), other.stderr]).toEqual([
      expect.objectContaining({ links: 1, slots: 0 }),
      expect.stringContaining('No rebuild of these links was left'),
    ]);
    const resumed = await rebuild('--all', '--execute', '--resume');
    expect(resumed.stderr).toContain('Going on after link 12.');
    expect([resumed.code, JSON.parse(resumed.stdout)]).toEqual([
      0,
      expect.objectContaining({ links: 1, slots: 1, lastLink: '13', differencesLeft: 0 }),
    ]);
    expect((await rebuild('--all', '--execute', '--resume')).stderr).toContain('No rebuild of these links was left');
  });

  it('needs to be told what to rebuild', async () => {
    const away = { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' }; // wrong usage is told before anything is asked
    expect(await hopcount(['rebuild'], away)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Name one of'),
    });
    expect((await rebuild('--all', '--link', 'twelve')).code).toBe(2);
    expect((await rebuild('--after', 'x')).code).toBe(2);
  });
});
