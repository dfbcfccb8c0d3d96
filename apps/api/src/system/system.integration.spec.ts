import { DEAD_LETTER_HEADERS, deadLetterListSchema, type System, systemSchema } from '@hopcount/contracts';
import { buildVisitEvent, testTopic, type TestTopic, visitRecord, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';

describe('the system, for who operates it', () => {
  let api: TestApi;
  let visits: TestTopic;
  let letters: TestTopic;

  beforeAll(async () => {
    [visits, letters] = await Promise.all([
      testTopic({ partitions: 2, label: 'visits' }),
      testTopic({ partitions: 2, label: 'letters' }),
    ]);
    const topics = { VISITS_TOPIC: visits.name, DEAD_LETTER_TOPIC: letters.name, CONSUMER_GROUP: `g-${visits.name}` };
    api = await TestApi.start(topics);
  });
  afterAll(async () => {
    await api.stop();
    await Promise.all([visits.delete(), letters.delete()]);
  });

  const putAside = async (value: { key: string; value: string }, partition: number) =>
    letters.produce([
      {
        ...value,
        partition,
        headers: {
          [DEAD_LETTER_HEADERS.reason]: 'unstorable',
          [DEAD_LETTER_HEADERS.step]: 'commitVisits',
          [DEAD_LETTER_HEADERS.originalTopic]: visits.name,
        },
      },
    ]);
  const system = async (of = api) => {
    const { status, body } = await of.get('system');
    expect(status).toBe(200);
    return systemSchema.parse(body);
  };
  const list = async (query = '') => {
    const { status, body } = await api.get(`system/dead-letters${query}`);
    expect(status).toBe(200);
    return deadLetterListSchema.parse(body).deadLetters;
  };
  const post = (path: string, body?: unknown) => api.request('POST', `/rest/v3/system/${path}`, { body });

  /** Once every part has answered in time, Kafka's first connection included. */
  const whole = async () => {
    let found = await system();
    const isWhole = async () => (found = await system()).unknown.length === 0;
    await waitUntil(isWhole, { timeoutMs: 60_000, describe: 'all parts' });
    return found;
  };

  it('tells what is counted, what waits and what is stored', async () => {
    await visits.produce([{ ...visitRecord(buildVisitEvent()), partition: 1 }]);
    const found = await whole();
    expect(found.counting).toMatchObject({
      pending: 1,
      consumers: { members: 0 },
      partitions: [
        { partition: 0, pending: 0, checkpoint: null },
        { partition: 1, pending: 1, logEnd: '1' },
      ],
    });
    expect(found).toMatchObject({
      deadLetters: { letters: 0, waiting: 0 },
      uncounted: { visits: 0 },
      lost: { records: 0 },
      drift: { slots: 0, hosts: 0 },
      archive: { active: { files: 0 } },
      verification: null,
    });
    expect(found.processes?.map(({ name }) => name)).toContain('hopcount-api');
  });

  it('tells which gateways there are, their versions, and what waits on their disks', async () => {
    await api.database
      .query(`INSERT INTO gateway_states VALUES ('gw-a-1-0f@1.2.0+1a2b', 0, now()), ('gw-old', 3, now() - interval '2 hours'),
      ('gw-gone@1.0', 0, now() - interval '2 hours')`);
    let gateways = null as System['gateways'];
    // What was looked at just before is said again for three seconds.
    const areSeen = async () => ((gateways = (await whole()).gateways) ?? []).length > 0;
    await waitUntil(areSeen, { describe: 'the gateways' });
    expect(gateways).toMatchObject([
      { name: 'gw-old', version: null, spooledVisits: 3 },
      { name: 'gw-a-1-0f', version: '1.2.0+1a2b', spooledVisits: 0 },
    ]);
    expect(gateways?.[0]?.silentSeconds).toBeGreaterThan(7_000);
    await api.database.query('TRUNCATE gateway_states');
  });

  it('has dead letters page by page, each with what would become of it, and sends chosen ones again', async () => {
    const [first, second] = [buildVisitEvent(), buildVisitEvent()];
    await putAside(visitRecord(first), 0);
    await putAside(visitRecord(second), 1);
    await putAside({ key: 'k', value: '{"no":"visit\u0007"}' }, 0);
    const page = await list('?itemsPerPage=2');
    const rest = await list(`?itemsPerPage=2&after=${page.next}`);
    const all = [...page.data, ...rest.data];
    expect([page.data.length, rest.data.length, rest.next]).toEqual([2, 1, null]);
    expect(all.map(({ place }) => place).sort()).toEqual(['0@0', '0@1', '1@0']);
    expect(all.every(({ state, reason }) => state === 'waiting' && reason === 'unstorable')).toBe(true);
    const shown = await api.get('system/dead-letters/0@1');
    expect(shown.body).toMatchObject({ redriven: 'refused-again', value: '{"no":"visit\ufffd"}' });
    expect((await api.get('system/dead-letters/0@0')).body).toMatchObject({
      redriven: 'would-be-counted',
      key: first.eventId,
    });
    expect([
      (await api.get('system/dead-letters/0@7')).status,
      (await api.get('system/dead-letters/x')).status,
    ]).toEqual([404, 400]);
    const before = new Set((await visits.readAll()).map(({ key }) => String(key)));
    const { status, body } = await post('dead-letters/redrive', { places: ['0@0', '0@0', '1@0', '1@55'] });
    expect([status, body]).toEqual([
      200,
      { actionId: expect.any(String), sent: 2, expectedCountChange: 2, alreadyCounted: 0, purged: 0, refusedAgain: 0 },
    ]);
    const sent = (await visits.readAll()).filter(({ key }) => !before.has(String(key)));
    expect(sent.map(({ key }) => String(key)).sort()).toEqual([first.eventId, second.eventId].sort());
    expect(sent.flatMap(({ headers }) => Object.keys(headers)).filter((name) => name.startsWith('dlq-'))).toEqual([]);
    const states = (await list()).data.map(({ place, state }) => `${place} ${state}`);
    expect(states.sort()).toEqual(['0@0 redriven', '0@1 waiting', '1@0 redriven']);
    const { body: log } = await api.get('audit-log?kind=operation');
    expect(JSON.stringify(log)).toContain('dead-letters redrive');
    expect(await post('dead-letters/redrive', { places: [] })).toMatchObject({ status: 400 });
  });

  it('says what is wrong and what to do, as doctor does', async () => {
    type Checks = { checks: { data: { name: string; status: string; advice: string | null }[] } };
    const checks = async () => {
      const { status, body } = await api.get('system/checks');
      expect(status).toBe(200);
      return (body as Checks).checks.data;
    };
    let data = await checks();
    const of = (name: string) => data.find((check) => check.name === name);
    const isWhole = async () => {
      data = await checks();
      // A broker says of a group it has just begun to look after that nobody does yet.
      const consumers = of('consumers')?.advice ?? '';
      return consumers.startsWith('Start') && of(`topic ${visits.name}`) !== undefined && of('redis')?.status === 'ok';
    };
    await waitUntil(isWhole, { timeoutMs: 60_000, describe: 'all checks' });
    expect(of('consumers')).toMatchObject({ status: 'fail', advice: expect.stringContaining('Start a consumer') });
    expect(of('consumers')).toMatchObject({
      foundCode: 'group-state',
      adviceCode: 'start-consumer',
      values: { members: 0 },
    });
    expect(of('migrations')).toMatchObject({ status: 'ok', foundCode: 'migrations-done', adviceCode: null });
    expect(of('redis')).toMatchObject({ status: 'ok' });
    expect(of(`topic ${visits.name}`)).toMatchObject({ status: 'warn' });
  });

  it('has one open verification at a time', async () => {
    const [{ body: first }, { body: second }] = await Promise.all([post('verifications'), post('verifications')]);
    expect(first).toMatchObject({ state: 'waiting', differences: null });
    expect(second['id']).toBe(first['id']);
    const { body } = await api.get('system/verifications');
    expect(body).toMatchObject({ verifications: { data: [{ id: first['id'] }] } });
  });

  it('has minutes of gateways and files of the archive page by page', async () => {
    await api.database.query(
      `INSERT INTO source_audits (source, minute, sequence, visits, checksum, answered, refused, in_doubt, final, status, missing)
       SELECT 'gateway ' || nth, '2026-11-01', 1, 5, 0, 0, 0, 0, true, CASE nth WHEN 3 THEN 'equal' ELSE 'missing' END,
         CASE nth WHEN 3 THEN 0 ELSE 1 END
       FROM generate_series(1, 3) AS nth`,
    );
    const minutes = async (query: string) => {
      const { status, body } = await api.get(`system/audit-minutes?itemsPerPage=1${query}`);
      expect(status).toBe(200);
      return (body as { auditMinutes: { data: { source: string }[]; next: string | null } }).auditMinutes;
    };
    const first = await minutes('');
    const second = await minutes(`&after=${first.next}`);
    expect([first.data, second.data].flat().map(({ source }) => source)).toEqual(['gateway 2', 'gateway 1']);
    expect(second.next).toBeNull();
    expect((await minutes('&all=true')).data).toMatchObject([{ source: 'gateway 3', status: 'equal' }]);
    const answers = await Promise.all(
      ['archive-files', 'archive-files?after=1.eA', 'audit-minutes?after=x', 'dead-letters?after=1'].map((path) =>
        api.get(`system/${path}`),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 400]);
  });

  it('tells of a damaged file of the archive as every other surface does: its state, and what to do', async () => {
    await api.database.query("SELECT set_kept_from('2025-04-01Z')");
    await api.database.query(
      `WITH file AS (
         INSERT INTO archive_files (id, path, level, period_start, period_end, visits, checksum, bytes, sha256, incarnation, state, ended_at)
         VALUES (gen_random_uuid(), 'life/2025-03/lost.parquet', 'month', '2025-03-01Z', '2025-04-01Z', 5, 7, 99, sha256('x'),
           gen_random_uuid(), 'damaged', now())
         RETURNING id
       )
       INSERT INTO archive_file_hours SELECT id, '2025-03-10 10:00Z', 5, 7 FROM file`,
    );
    await api.database.query(`INSERT INTO link_traffic VALUES (1, '2025-03-10 10:00Z', 0, 0, 5, 7)`);
    const isSeen = async () => (await whole()).archive?.damaged.files === 1;
    await waitUntil(isSeen, { describe: 'the damaged file' });
    const checkOfFiles = async () => {
      const { body } = await api.get('system/checks');
      return (body as { checks: { data: { name: string; status: string }[] } }).checks.data.find(
        ({ name }) => name === 'archive files',
      );
    };
    await waitUntil(async () => (await checkOfFiles())?.status === 'fail', { describe: 'the check that fails' });
    expect(await checkOfFiles()).toMatchObject({
      ...{ foundCode: 'files-damaged', adviceCode: 'restore-files' },
      values: { count: 1, path: 'life/2025-03/lost.parquet' },
    });
    await api.database.query('DELETE FROM archive_files');
    await api.database.query('DELETE FROM link_traffic WHERE link_id = 1');
  });

  it('tells of sums that are known to be wrong: where, since when and what to run', async () => {
    await api.database.query(
      `INSERT INTO doubted_sums (from_time, to_time, checks, since) VALUES ('2026-01-01Z', '2026-01-02Z', '{scopes}', '2026-01-03Z')`,
    );
    const checkOfSums = async () => {
      const { body } = await api.get('system/checks');
      return (body as { checks: { data: { name: string; status: string }[] } }).checks.data.find(
        ({ name }) => name === 'sums',
      );
    };
    await waitUntil(async () => (await checkOfSums())?.status === 'fail', { describe: 'the check that fails' });
    const [from, to, since] = ['01', '02', '03'].map((day) => `2026-01-${day}T00:00:00.000Z`);
    expect(await checkOfSums()).toMatchObject({
      ...{ foundCode: 'sums-doubted', adviceCode: 'rebuild-sums' },
      values: { from, to, since, checks: 'scopes' },
    });
    await api.database.query('DELETE FROM doubted_sums');
  });

  it('says that the brokers are another Kafka cluster than the ledger belongs to, and reads and sends nothing there', async () => {
    await putAside(visitRecord(buildVisitEvent()), 1);
    await api.database.query(`INSERT INTO ledger_cluster (cluster_id) VALUES ('elsewhere')`);
    const before = await visits.offsets();
    // What was looked at just before is said again for three seconds.
    const isSaid = async () => JSON.stringify((await api.get('system/checks')).body).includes('belongs to the Kafka');
    await waitUntil(isSaid, { describe: 'a check that says so' });
    const { data } = ((await api.get('system/checks')).body as { checks: { data: Record<string, unknown>[] } }).checks;
    expect(data.find(({ name }) => name === 'kafka')).toMatchObject({
      ...{ status: 'fail', foundCode: 'other-cluster', adviceCode: 'correct-cluster' },
      values: { bound: 'elsewhere' },
    });
    const refused = [await api.get('system/dead-letters'), await post('dead-letters/redrive', { places: ['1@0'] })];
    for (const { status, body } of refused) {
      expect([status, body]).toEqual([503, expect.objectContaining({ detail: expect.stringContaining('elsewhere') })]);
    }
    expect(await visits.offsets()).toEqual(before);
    expect(await system()).toMatchObject({ counting: null, deadLetters: null, uncounted: { visits: 0 } });
    await api.database.query('DELETE FROM ledger_cluster');
  });

  it('leaves what Kafka knows unknown while it is away, and answers the rest', async () => {
    const alone = await TestApi.start({ KAFKA_BROKERS: '127.0.0.1:1' });
    try {
      const found = await system(alone);
      expect(found).toMatchObject({
        ...{ unknown: expect.arrayContaining(['counting', 'deadLetters']), counting: null, deadLetters: null },
      });
      expect(found.uncounted).toMatchObject({ visits: 0 });
      const { status, body } = await alone.get('system/dead-letters');
      expect([status, body['type']]).toEqual([503, 'urn:hopcount:problem:kafka-away']);
      const checks = await alone.get('system/checks');
      expect(checks.status).toBe(200);
      expect(JSON.stringify(checks.body)).toContain('does not answer');
    } finally {
      await alone.stop();
    }
  }, 120_000);
});
