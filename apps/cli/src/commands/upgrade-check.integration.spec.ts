import { readFileSync } from 'node:fs';

import { createKafkaMetrics, startBatchService } from '@hopcount/kafka';
import { createLogger, Registry } from '@hopcount/runtime';
import {
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  buildVisitEvent,
  visitRecord,
  waitUntil,
} from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { cliOn } from '../cli.spec-helpers.js';

const HANDBOOK = new URL('../../../../docs/operations/upgrade.md', import.meta.url);

interface Answer {
  mayBegin: boolean;
  checks: { status: string; check: string; found: string; advice: string | null }[];
}

describe('upgrade check', () => {
  let server: TestDatabase;
  let visits: TestTopic;
  let letters: TestTopic;
  let hopcount: ReturnType<typeof cliOn>;

  beforeAll(async () => {
    [server, visits, letters] = await Promise.all([
      testDatabase(),
      testTopic({ partitions: 1, label: 'visits' }),
      testTopic({ partitions: 1, label: 'letters' }),
    ]);
    const group = `group-${visits.name}`;
    hopcount = cliOn(server, { VISITS_TOPIC: visits.name, DEAD_LETTER_TOPIC: letters.name, CONSUMER_GROUP: group });
  });
  afterAll(() => Promise.all([server.drop(), visits.delete(), letters.delete()]));

  const check = async () => {
    const { code, stdout } = await hopcount(['upgrade', 'check', '-o', 'json']);
    const { mayBegin, checks } = JSON.parse(stdout) as Answer;
    return { code, mayBegin, line: (name: string) => checks.find((one) => one.check === name) };
  };

  it('says what is in the way: nobody counts, topics are missing, nothing is archived', async () => {
    const { code, mayBegin, line } = await check();
    expect([code, mayBegin]).toEqual([1, false]);
    expect(line('consumers')).toMatchObject({ status: 'fail', advice: expect.stringContaining('Start a consumer') });
    expect(line('schema')).toMatchObject({ status: 'ok', found: 'nothing to migrate' });
    expect(line('backup')).toMatchObject({ status: 'warn', advice: expect.stringContaining('Back up') });
    expect(line('verification')).toMatchObject({ status: 'warn' });
    expect(line('versions of consumers')).toMatchObject({
      status: 'ok',
      found: expect.stringContaining('no consumer'),
    });
    expect(line('dead letters')).toMatchObject({ status: 'ok' });
  });

  it('names gateways that report, the last verification, and visits that this version cannot read', async () => {
    await server.query(
      `INSERT INTO source_audits (source, minute, sequence, visits, checksum, answered, refused, in_doubt, final)
       VALUES ('gw-1@0.0.9', now(), 1, 0, 0, 0, 0, 0, false)`,
    );
    await server.query(
      `INSERT INTO operator_actions (command, arguments, operator, ended_at, outcome) VALUES ('verify', '{}', 'o', now(), 'done')`,
    );
    const visit = visitRecord(buildVisitEvent());
    await visits.produce([visit, { ...visit, value: JSON.stringify({ ...JSON.parse(visit.value), version: 9 }) }]);
    const { line } = await check();
    expect(line('versions of gateways')).toMatchObject({ found: '1 gateway of version 0.0.9' });
    expect(line('verification')).toMatchObject({ status: 'ok' });
    expect(line('newest visits')).toMatchObject({ status: 'fail', found: 'version 1, 9' });
  });

  it('says of each pending migration what it does and which statements would make commits wait', async () => {
    const [row] = await server.query<{ timestamp: string; name: string }>(
      `DELETE FROM schema_migrations WHERE name LIKE 'QuietHostsByTime%' RETURNING "timestamp", name`,
    );
    const { line } = await check();
    await server.query('INSERT INTO schema_migrations ("timestamp", name) VALUES ($1, $2)', [
      row?.timestamp,
      row?.name,
    ]);
    expect(line('schema')).toMatchObject({ status: 'ok', found: '1 migration to apply' });
    expect(line('migration 0064-quiet-hosts-by-time')).toMatchObject({
      status: 'warn',
      found: 'creates index quiet_host_traffic_by_time on quiet_host_traffic',
      advice: expect.stringMatching(/Line 2: quiet_host_traffic: .*CONCURRENTLY/),
    });
  });

  it('refuses a database of a later version, and says so in its exit code', async () => {
    await server.query(
      `INSERT INTO schema_migrations ("timestamp", name) VALUES (9999999999999, 'OfTomorrow9999999999999')`,
    );
    const { code, line } = await check();
    await server.query(`DELETE FROM schema_migrations WHERE name LIKE 'OfTomorrow%'`);
    expect(code).toBe(1);
    expect(line('schema')).toMatchObject({ status: 'fail', found: expect.stringContaining('OfTomorrow9999999999999') });
  });

  it('tells what it can of an empty database', async () => {
    const empty = await testDatabase({ schema: 'empty' });
    try {
      const { stdout } = await cliOn(empty, { VISITS_TOPIC: visits.name, DEAD_LETTER_TOPIC: letters.name })([
        ...['upgrade', 'check', '-o', 'json'],
      ]);
      const { checks } = JSON.parse(stdout) as Answer;
      expect(checks.find((one) => one.check === 'migration 0001-foundation')?.found).toContain('creates table links');
      expect(checks.find((one) => one.check === 'dead letters')).toMatchObject({
        status: 'warn',
        found: 'cannot be told with this schema',
      });
    } finally {
      await empty.drop();
    }
  });

  it('may begin where a consumer counts, and every command of the handbook does what it says', async () => {
    const commands = [...readFileSync(HANDBOOK, 'utf8').matchAll(/^hopcount (.+)$/gm)].map(([, line]) =>
      line?.split(' '),
    );
    expect(commands).toEqual(expect.arrayContaining([['upgrade', 'check'], ['migrate'], ['verify']]));
    const prefix = `upgrade-${visits.name}`;
    const topics = ['VISITS', 'DEAD_LETTER', 'AUDIT', 'ORPHAN', 'HOST_COUNTS'].map((name) => [
      `${name}_TOPIC`,
      `${prefix}.${name}`,
    ]);
    const settings = Object.fromEntries([...topics, ['CONSUMER_GROUP', prefix]]) as Record<string, string>;
    await hopcount(['topics', 'create'], settings);
    const consumer = await startBatchService(
      {
        ...{ brokers: visits.brokers, clientId: 'spec', groupId: prefix, topic: `${prefix}.VISITS` },
        logger: createLogger({ name: 'spec', level: 'silent' }),
        metrics: createKafkaMetrics(new Registry()),
        about: { version: '0.0.9', reads: [1] },
      },
      (batch) => Promise.resolve((batch.records.at(-1)?.offset ?? -1n) + 1n),
    );
    try {
      await waitUntil(async () => (await hopcount(['upgrade', 'check'], settings)).code === 0, {
        describe: 'a check that fails nothing',
        timeoutMs: 60_000,
      });
      const { stderr, stdout } = await hopcount(['upgrade', 'check'], settings);
      expect(stderr).toContain('The upgrade may begin.');
      expect(stdout).toContain('1 consumer of version 0.0.9');
      for (const argv of commands) expect([argv, (await hopcount(argv ?? [], settings)).code]).toEqual([argv, 0]);
    } finally {
      await consumer.close();
    }
  });
});
