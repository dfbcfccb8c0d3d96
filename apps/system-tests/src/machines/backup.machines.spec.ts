import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ShortUrl } from '@hopcount/contracts';
import { testS3, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';

import { type BackedUpPostgres, type BackupBucket, startBackedUpPostgres } from '../harness/backed-up-postgres.js';
import { makeCertificates } from '../harness/certificates.js';
import { type CliResult, runCli, runCliWith } from '../harness/cli.js';
import { expectEverythingCounted } from '../harness/counting.spec-helpers.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import { type RunningStack, startStack } from '../harness/stack.js';
import { openTlsFront } from '../harness/tls-front.js';
import { VisitorLoad } from '../harness/visitor-load.js';

const START_MS = 240_000;
const MORE_VISITS = 2_000;

/** With TLS in front, as pgBackRest speaks nothing else; behind it an S3 of this machine. */
class Bucket {
  private constructor(
    readonly place: BackupBucket,
    readonly close: () => Promise<void>,
  ) {}

  static async open(): Promise<Bucket> {
    const folder = mkdtempSync(join(tmpdir(), 'hopcount-bucket-'));
    chmodSync(folder, 0o755); // PostgreSQL's user reads the authority
    makeCertificates(folder);
    const s3 = await testS3();
    const front = await openTlsFront(folder, Number(new URL(s3.endpoint).port));
    const [key, secret] = [process.env['AWS_ACCESS_KEY_ID']!, process.env['AWS_SECRET_ACCESS_KEY']!];
    const authority = join(folder, 'authority.pem');
    const place = { url: `s3://${s3.bucket}/hopcount`, port: front.port, authority, key, secret };
    return new Bucket(place, async () => {
      await s3.close();
      await front.close();
      rmSync(folder, { recursive: true, force: true });
    });
  }
}

describe.each(['a folder', 'a bucket'])('PostgreSQL backed up by pgBackRest into %s', (where) => {
  let bucket: Bucket | undefined;
  let postgres: BackedUpPostgres;
  let stack: RunningStack;
  let ledger: Ledger;
  let load: VisitorLoad;
  let api: LinksApi;
  let links: ShortUrl[];

  beforeAll(async () => {
    links = [];
    bucket = where === 'a bucket' ? await Bucket.open() : undefined;
    postgres = await startBackedUpPostgres(bucket?.place);
    stack = await startStack({ env: { DATABASE_URL: postgres.url } });
    api = new LinksApi(stack.file);
    links.push(...(await api.createPages(10)));
    load = new VisitorLoad({ gatewayUrl: stack.file.gatewayUrl, links, concurrency: 16, seed: 23 });
  }, START_MS);
  afterAll(async () => {
    load?.close();
    await ledger?.close();
    await stack?.stop();
    await postgres?.stop();
    await bucket?.close();
  }, START_MS);

  const moreVisits = async (when: string) => {
    const wanted = load.acknowledged.size + MORE_VISITS;
    const isThere = () => load.acknowledged.size >= wanted;
    await waitUntil(isThere, { timeoutMs: 120_000, describe: `${MORE_VISITS} more visits ${when}` });
  };
  const query = async (sql: string) => {
    const pool = new Pool({ connectionString: postgres.url, max: 1 });
    try {
      return (await pool.query<Record<string, string>>(sql)).rows[0] ?? {};
    } finally {
      await pool.end();
    }
  };
  /** What is committed now is in the archive afterwards. */
  const archiveWal = async () => {
    const { file } = await query('SELECT pg_walfile_name(pg_switch_wal()) AS file');
    const isArchived = async () =>
      ((await query('SELECT last_archived_wal AS file FROM pg_stat_archiver')).file ?? '') >= file!;
    await waitUntil(isArchived, { timeoutMs: 60_000, everyMs: 200, describe: `${file} to be archived` });
  };

  const services = () => ({ HOPCOUNT_DATA_DIR: stack.dataDir });
  const run = async (command: string): Promise<CliResult> => {
    const answer = await postgres.runbook(command, services());
    if (answer.code !== 0) throw new Error(`${command} ended with ${answer.code}: ${answer.stderr}`);
    return answer;
  };
  const saidOfBackups = async () => {
    const settings = { ...postgres.access, PGBACKREST_CONFIG: postgres.config, BACKUP_MAX_AGE_HOURS: '1' };
    const { stdout } = await runCliWith({ ...services(), ...settings }, 'doctor', '-o', 'json');
    const lines = JSON.parse(stdout) as { check: string; status: string; found: string }[];
    const { status, found } = lines.find(({ check }) => check === 'backup') ?? {};
    return `${status}: ${found}`;
  };

  it('loses its data folder under load and is restored: no redirect fails, every visit is counted once', async () => {
    const halt = new AbortController();
    const running = load.run(Number.MAX_SAFE_INTEGER, { signal: halt.signal, pauseMs: 20 });
    let later: ShortUrl;
    try {
      await moreVisits('before the backup');
      expect(await saidOfBackups()).toBe('fail: there is none');
      await run('backup');
      expect(await saidOfBackups()).toMatch(/^ok: the last one \(\S+F\) is 0\.\d hours old$/);
      // PostgreSQL runs there.
      const { code, stderr } = await postgres.runbook('restore', services());
      expect([code, stderr]).toEqual([2, expect.stringContaining('is not empty')]);
      later = await api.create({ longUrl: 'https://example.com/after-the-backup' });
      await archiveWal();
      await moreVisits('after it');
      await postgres.destroy();
      await moreVisits('without a database');
      await run('restore');
      await postgres.start();
      await moreVisits('with the restored one');
    } finally {
      halt.abort();
      await running;
    }
    expect([[...load.refused], load.inDoubt.size]).toEqual([[], 0]);
    ledger = await Ledger.open(postgres.url);
    await expectEverythingCounted(stack, { ledger, links, load });
    expect((await runCli(stack.file, 'verify')).code).toBe(0);
    expect(readdirSync(postgres.besides).sort()).toEqual(['backup.json', 'secrets.json', 'spool']);
    const known = await query(`SELECT count(*)::text AS count FROM links WHERE code = '${later.shortCode}'`);
    expect(known.count).toBe('1');
  }, 400_000);
});
