import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { WORKER_APPLICATION_NAME } from '@hopcount/contracts';
import { PartitionCheckpoints, VisitCommitter } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import {
  buildVisitEvent,
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  visitRecord,
} from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { cliOn, type CliResult, SpecConsumer } from '../cli.spec-helpers.js';

const SEGMENT = 'gone-0000000001.spool';

describe('doctor and topics', () => {
  let visits: TestTopic;
  let letters: TestTopic;
  let server: TestDatabase;
  let hopcount: (argv: string[], environment?: Record<string, string>) => Promise<CliResult>;

  beforeAll(async () => {
    [visits, letters, server] = await Promise.all([
      testTopic({ partitions: 2, label: 'visits' }),
      testTopic({ partitions: 1, label: 'letters' }),
      testDatabase(),
    ]);
    // Whatever the broker's default is.
    await visits.configure({ 'message.timestamp.type': 'CreateTime' });
    const group = `group-${visits.name}`;
    hopcount = cliOn(server, { VISITS_TOPIC: visits.name, DEAD_LETTER_TOPIC: letters.name, CONSUMER_GROUP: group });
    await visits.produce([buildVisitEvent({ linkId: '21' }), buildVisitEvent({ linkId: '22' })].map(visitRecord));
    const consumer = await SpecConsumer.on(server, visits, group);
    await consumer.readOn();
    await consumer.close();
  });
  afterAll(() => Promise.all([visits.delete(), letters.delete(), server.drop()]));

  type Line = { check: string; status: string; found: string; advice: string | null };
  const doctor = async (environment: Record<string, string> = {}) => {
    const result = await hopcount(['doctor', '-o', 'json'], environment);
    const lines = JSON.parse(result.stdout) as Line[];
    return { ...result, line: (check: string) => lines.find((one) => one.check === check) };
  };

  it('says what is right, and that nobody counts', async () => {
    const worker = await Database.connect({ url: server.url, applicationName: WORKER_APPLICATION_NAME });
    await server.query('UPDATE host_surge_search SET until = now()');
    const { code, line } = await doctor({ AUDIT_TOPIC: `${visits.name}.none` });
    await worker.close();
    expect(code).toBe(1);
    expect(line('consumers')).toMatchObject({ status: 'fail', advice: expect.stringContaining('Start a consumer') });
    expect(line(`topic ${visits.name}.none`)).toMatchObject({ status: 'fail', found: 'missing' });
    for (const check of [
      'migrations',
      'postgres',
      'kafka',
      'redis',
      'clock',
      'worker',
      'backlog',
      'ledger partitions',
      'ledger months',
      'surges of hosts',
      'id space',
      'retention',
      'dead letters',
    ]) {
      expect([check, line(check)?.status]).toEqual([check, 'ok']);
    }
    // Two partitions and the gateway's time: the spec's own topic is not as topics create would make it.
    expect(line(`topic ${visits.name}`)).toMatchObject({
      status: 'warn',
      found: expect.stringMatching(/2 partitions.*LogAppendTime/),
    });
  });

  it('warns of months without a partition, of a worker nobody started and of what waits for it', async () => {
    const [month] = await server.query<{ name: string }>(
      "SELECT to_char((now() + interval '2 months') AT TIME ZONE 'UTC', 'YYYY_MM') AS name",
    );
    await server.query(`DROP TABLE visits_${month!.name}`);
    await server.query("INSERT INTO link_outbox (link_id, changed_at) VALUES (1, now() - interval '1 hour')");
    await server.query("UPDATE host_surge_search SET until = now() - interval '1 hour'");
    await server.query("UPDATE hash_key_setting SET fingerprint = 'of another secret'");
    await server.query(
      "INSERT INTO host_peers (dc, as_of) VALUES ('oslo', now()), ('paris', now() - interval '1 hour')",
    );
    const { line } = await doctor({ HOPCOUNT_SECRET: 'a secret for tests that is long enough' });
    expect(line('hash keys')).toMatchObject({ status: 'fail', found: expect.stringContaining('HOPCOUNT_HASH_SECRET') });
    expect(line('surges of hosts')).toMatchObject({
      status: 'warn',
      advice: expect.stringContaining('Start a worker'),
    });
    expect(line('data centres')).toMatchObject({
      status: 'warn',
      found: expect.stringMatching(/oslo \d+ s old; paris 36/),
    });
    expect(line('ledger partitions')).toMatchObject({
      status: 'warn',
      found: `none for ${month!.name.replace('_', '-')}`,
    });
    expect(line('worker')).toMatchObject({ status: 'warn', advice: expect.stringContaining('Start a worker') });
    expect(line('backlog')).toMatchObject({ status: 'warn', found: expect.stringContaining('1 change of links') });
    await server.query('DELETE FROM link_outbox');
    await server.query("DELETE FROM host_peers WHERE dc = 'paris'");
    expect((await doctor()).line('data centres')).toMatchObject({ status: 'ok' });
    await server.query('DELETE FROM host_peers');
    await server.query("SELECT create_visit_partitions(now(), now() + interval '2 months')");
  });

  it('names codes that only the case of letters tells apart, when LOOSE_CODES is or will be set', async () => {
    expect((await doctor()).line('loose codes')).toBeUndefined();
    expect((await doctor({ LOOSE_CODES: 'true' })).line('loose codes')).toMatchObject({ status: 'ok' });
    await server.query("INSERT INTO domains (authority) VALUES ('a.test'), ('b.test')");
    await server.query(
      `INSERT INTO links (id, domain_id, code, long_url, deleted_at)
       SELECT n, (SELECT id FROM domains WHERE authority = domain), code, 'https://example.com', gone
       FROM (VALUES (31, 'a.test', 'sale', NULL), (32, 'a.test', 'SALE', NULL), (33, 'b.test', 'Sale', NULL),
         (34, 'b.test', 'sAle', now())) AS given (n, domain, code, gone)`,
    );
    expect((await doctor({ LOOSE_CODES: 'true' })).line('loose codes')).toMatchObject({
      status: 'warn',
      found: '1 code of several links: a.test: SALE, sale',
    });
  });

  it('warns before generated codes get longer', async () => {
    await server.query("INSERT INTO link_counts SELECT id, 99, 4900000000 FROM domains WHERE authority = 'a.test'");
    expect((await doctor()).line('id space')).toMatchObject({
      status: 'warn',
      found: expect.stringMatching(/^codes of 7 characters: 96.7 % used; time of ids until 2094-09-07: \d.\d % used$/),
      advice: expect.stringContaining('8 characters'),
    });
    await server.query('DELETE FROM link_counts WHERE slot = 99');
  });

  it('warns of months beyond LEDGER_DAYS that no archive holds', async () => {
    await server.query("SELECT create_visit_partitions('2025-01-01Z', '2025-02-01Z')");
    const database = await Database.connect({ url: server.url, applicationName: 'spec' });
    const checkpoint = await new PartitionCheckpoints(database).takeOwnership(
      { group: 'g', topic: 't', partition: 0 },
      'spec',
    );
    const visits = [enrichedVisit({ atMs: Date.UTC(2025, 0, 7) })];
    await new VisitCommitter(database, { slots: 8 }).commit({ checkpoint, nextOffset: 2n, lastRecordAtMs: 1, visits });
    await database.close();
    expect((await doctor()).line('ledger months')).toMatchObject({
      status: 'warn',
      found: '1 month beyond LEDGER_DAYS, first visits_2025_01',
      advice: expect.stringContaining('set ARCHIVE_URL'),
    });
    expect((await doctor({ ARCHIVE_URL: '/nowhere' })).line('ledger months')).toMatchObject({
      found: expect.stringContaining('files lack 1 hour of it'),
      advice: expect.stringContaining('archive seal'),
    });
    await server.query('DELETE FROM link_traffic WHERE bucket < $1', [new Date('2025-02-01Z')]);
    await server.query('DROP TABLE visits_2025_01, visits_2025_02');
  });

  it('names waiting letters, what a spool holds, an old schema and services that are away', async () => {
    await letters.produce([{ key: 'k', value: '{' }]);
    const dataDir = mkdtempSync(join(tmpdir(), 'hopcount-doctor-'));
    mkdirSync(join(dataDir, 'spool', 'gone'), { recursive: true });
    writeFileSync(join(dataDir, 'spool', 'gone', SEGMENT), 'not published');
    const applied = await server.query('DELETE FROM schema_migrations RETURNING "timestamp", name');
    const old = await doctor({ HOPCOUNT_DATA_DIR: dataDir });
    expect(old.line('migrations')).toMatchObject({
      status: 'fail',
      advice: expect.stringContaining('hopcount migrate'),
    });
    expect(old.line('spool')).toMatchObject({ status: 'warn', found: '13 bytes not published' });
    renameSync(join(dataDir, 'spool', 'gone', SEGMENT), join(dataDir, 'spool', 'gone', `${SEGMENT}.damaged`));
    const torn = await doctor({ SPOOL_DIR: join(dataDir, 'spool') });
    expect(torn.line('spool')).toMatchObject({ status: 'warn', advice: expect.stringContaining(`${SEGMENT}.damaged`) });
    const noFolder = await doctor({ SPOOL_DIR: join(dataDir, 'spool', 'gone', `${SEGMENT}.damaged`) });
    expect(noFolder.line('spool')).toMatchObject({ status: 'warn', found: expect.stringMatching(/^cannot be read/) });
    for (const { timestamp, name } of applied)
      await server.query('INSERT INTO schema_migrations ("timestamp", name) VALUES ($1, $2)', [timestamp, name]);
    const away = await doctor({ REDIS_URL: 'redis://127.0.0.1:1' });
    expect(away.line('dead letters')).toMatchObject({ status: 'warn', found: '1 waiting' });
    expect(away.line('redis')?.status).toBe('warn');
    const dark = await doctor({ KAFKA_BROKERS: '127.0.0.1:1', DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x' });
    expect([dark.code, dark.line('kafka')?.status, dark.line('postgres')?.status]).toEqual([1, 'fail', 'fail']);
    expect(dark.stdout).not.toContain('secret');
  });

  it('lists the topics with their sizes and problems', async () => {
    const { code, stdout } = await hopcount(['topics', '-o', 'json']);
    const rows = JSON.parse(stdout) as { topic: string; records: number; problems: string | null }[];
    expect([code, rows.find(({ topic }) => topic === visits.name)]).toEqual([
      0,
      expect.objectContaining({
        partitions: 2,
        records: 2,
        published: 2,
        problems: expect.stringContaining('LogAppendTime'),
      }),
    ]);
  });

  it('F28: lag, doctor and verify name what retention removed before it was counted', async () => {
    expect((await doctor()).line('retention')).toMatchObject({ status: 'ok' });
    const [end] = (await visits.offsets()).filter(({ partition }) => partition === 0).map(({ high }) => Number(high));
    const start = BigInt((end ?? 0) + 4);
    const events = Array.from({ length: 6 }, () => buildVisitEvent());
    await visits.produce(events.map((event) => ({ ...visitRecord(event), partition: 0 })));
    await visits.dropBefore([{ partition: 0, offset: String(start) }]);
    const lag = async () => {
      const { stdout, stderr } = await hopcount(['lag', '-o', 'json']);
      const { pending, lost } = JSON.parse(stdout) as { pending: number; lost: number };
      return { pending, lost, saysSo: stderr.includes('LOST: 4') };
    };
    expect(await lag()).toEqual({ pending: 2, lost: 4, saysSo: true });
    const unread = await doctor();
    expect(unread.line('retention')).toMatchObject({ status: 'fail', found: expect.stringContaining('4 records') });
    expect((await hopcount(['verify'])).stderr).not.toContain('LOST');

    const database = await Database.connect({ url: server.url, applicationName: 'spec', poolSize: 1 });
    const { PartitionCheckpoints } = await import('@hopcount/ledger');
    const checkpoints = new PartitionCheckpoints(database);
    const ref = { group: `group-${visits.name}`, topic: visits.name, partition: 0 };
    const owned = await checkpoints.takeOwnership(ref, 'spec');
    expect(await checkpoints.recordLoss(owned, start)).toMatchObject({ lost: 4n, checkpoint: { nextOffset: start } });
    await expect(checkpoints.recordLoss(owned, start + 1n)).rejects.toMatchObject({ code: 'checkpoint-fenced' });
    await database.close();
    expect(await lag()).toEqual({ pending: 2, lost: 4, saysSo: true });
    const noted = await doctor();
    expect(noted.line('retention')).toMatchObject({ status: 'warn', found: expect.stringContaining('4 records') });
    expect((await hopcount(['verify'])).stderr).toContain('LOST: 4 records removed by retention');
  });
});
