import { serviceAddress, testDatabase, type TestDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { NO_STACK } from './cli.spec-helpers.js';
import { run } from './run.js';

describe('the command line', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  const hopcount = async (argv: string[], environment: NodeJS.ProcessEnv = {}) => {
    const output = { stdout: '', stderr: '' };
    const stream = (name: keyof typeof output) => ({ write: (text: string) => (output[name] += text) });
    const addresses = {
      DATABASE_URL: database.url,
      KAFKA_BROKERS: serviceAddress('KAFKA_BROKERS'),
      HOPCOUNT_DATA_DIR: NO_STACK,
    };
    const code = await run(
      argv,
      { ...addresses, ...environment },
      { stdout: stream('stdout'), stderr: stream('stderr') },
    );
    return { code, ...output };
  };

  it('creates an API key and keeps only its hash', async () => {
    const { code, stdout } = await hopcount(['api-keys', 'create', '--name', 'spec', '-o', 'json']);
    expect(code).toBe(0);
    const { apiKey } = JSON.parse(stdout) as { apiKey: string };
    expect(apiKey.length).toBeGreaterThan(20);
    const rows = await database.query<{ name: string; key_hash: Buffer }>('SELECT name, key_hash FROM api_keys');
    expect(rows.map((row) => row.name)).toEqual(['spec']);
    expect(rows[0]?.key_hash.toString('latin1')).not.toContain(apiKey);
  });

  it('lists, rotates, disables, enables and revokes API keys by their name, and notes who did', async () => {
    const given = ['--scope', 'links:read', '--scope', 'statistics:read', '--only-domain', 'go.test', '--no-orphans'];
    expect(
      (await hopcount(['api-keys', 'create', '--name', 'partner', '--expires', '2040-01-01', ...given])).code,
    ).toBe(0);
    const rotated = await hopcount(['api-keys', 'rotate', 'partner', '--grace-seconds', '60', '-o', 'json']);
    expect((JSON.parse(rotated.stdout) as { apiKey: string }).apiKey).toMatch(/^hc_live_/);
    const listed = async () => {
      const keys = JSON.parse((await hopcount(['api-keys', '-o', 'json'])).stdout) as Record<string, unknown>[];
      return keys.find(({ name }) => name === 'partner');
    };
    expect(await listed()).toMatchObject({
      ...{ state: 'active', scopes: 'links:read statistics:read', roles: 'go.test, no orphan visits' },
      ...{ expires: '2040-01-01T00:00:00.000Z', previousUntil: expect.any(String) },
    });
    for (const [command, state] of [
      ['disable', 'disabled'],
      ['enable', 'active'],
      ['revoke', 'revoked'],
    ] as const) {
      expect(await hopcount(['api-keys', command, 'partner'])).toMatchObject({ code: 0, stdout: '' });
      expect(await listed()).toMatchObject({ state });
    }
    const { code, stderr } = await hopcount(['api-keys', 'enable', 'partner']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('could be changed')]);
    const actions = await database.query<{ command: string; outcome: string }>(
      `SELECT command, outcome FROM operator_actions WHERE command LIKE 'api-keys %' ORDER BY id`,
    );
    expect(actions.map(({ command, outcome }) => `${command} ${outcome}`)).toEqual([
      ...['api-keys rotate done', 'api-keys disable done', 'api-keys enable done', 'api-keys revoke done'],
      'api-keys enable failed',
    ]);
    expect((await hopcount(['api-keys', 'create', '--name', 'x', '--scope', 'everything'])).code).toBe(2);
    expect((await hopcount(['api-keys', 'create', '--name', 'x', '--scope', 'admin', '--authored-only'])).code).toBe(1);
    expect((await hopcount(['api-keys', 'revoke', 'nobody'])).code).toBe(1);
  });

  it('invites, lists, disables, enables and resets users by their email, and notes who did', async () => {
    const invited = await hopcount(['users', 'invite', '--role', 'owner', '-o', 'json']);
    const { link } = JSON.parse(invited.stdout) as { link: string };
    // Browsers keep no cookie from http://127.0.0.1.
    expect(link).toMatch(/^http:\/\/localhost:\d+\/invite#[\w-]{43}$/);
    expect(JSON.stringify(await database.query('SELECT * FROM invites'))).not.toContain(link.split('#')[1]);
    await database.query(
      `INSERT INTO users (email, name, password_hash, role) VALUES ('ada@x.test', 'Ada', '-', 'owner'), ('bob@x.test', 'Bob', '-', 'viewer')`,
    );
    const stateOf = async (email: string) => {
      const users = JSON.parse((await hopcount(['users', '-o', 'json'])).stdout) as Record<string, unknown>[];
      return users.find((user) => user['email'] === email)?.['state'];
    };
    expect((await hopcount(['users', 'disable', 'Bob@x.test'])).code).toBe(0);
    expect(await stateOf('bob@x.test')).toBe('disabled');
    expect((await hopcount(['users', 'enable', 'bob@x.test'])).code).toBe(0);
    expect(await stateOf('bob@x.test')).toBe('active');
    expect((await hopcount(['users', 'reset', 'bob@x.test', '-o', 'json'])).stdout).toContain('/invite#');
    const links = async () =>
      JSON.parse((await hopcount(['users', 'invites', '-o', 'json'])).stdout) as { id: number; for: string }[];
    const [reset, invite] = await links();
    expect([reset?.for, invite?.for]).toEqual(['bob@x.test', 'a new account']);
    expect((await hopcount(['users', 'invites', '--withdraw', String(reset?.id)])).code).toBe(0);
    expect(await links()).toEqual([invite]);
    expect((await hopcount(['users', 'invites', '--withdraw', String(reset?.id)])).code).toBe(1);
    await database.query(
      `INSERT INTO provider_identities (issuer, subject, user_id) SELECT 'x', 'bob', id FROM users WHERE name = 'Bob'`,
    );
    const unbound = await hopcount(['users', 'unbind', 'bob@x.test']);
    expect([unbound.code, unbound.stderr]).toEqual([0, expect.stringContaining('password, second factor')]);
    expect(await database.query(`SELECT FROM users WHERE name = 'Bob' AND password_hash = '-'`)).toEqual([]);
    expect(await database.query('SELECT FROM provider_identities')).toEqual([]);
    const remove = (email: string) => hopcount(['users', 'delete', email]);
    const removed = [await remove('bob@x.test'), await remove('bob@x.test'), await remove('ada@x.test')];
    expect(removed.map(({ code }) => code)).toEqual([0, 1, 1]);
    expect(removed[0]?.stderr).toContain('to keep somebody out, use disable');
    for (const command of ['disable', 'unbind']) {
      const last = await hopcount(['users', command, 'ada@x.test']);
      expect([last.code, last.stderr]).toEqual([1, expect.stringContaining('last owner')]);
    }
    expect((await hopcount(['users', 'invite', '--group', 'none=member'])).code).toBe(1);
    expect((await hopcount(['users', 'invite', '--group', 'none=king'])).code).toBe(2);
    await database.query(
      `INSERT INTO sessions (token_hash, user_id, expires_at) SELECT '\\x00', id, now() + interval '1 day' FROM users`,
    );
    expect((await hopcount(['users', 'end-sessions'])).code).toBe(2);
    const ended = await hopcount(['users', 'end-sessions', '--everybody']);
    expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining('Ended: 1 session, 1 link.')]);
    expect(await database.query('SELECT 1 FROM sessions UNION ALL SELECT 1 FROM invites')).toEqual([]);
    const actions = await database.query<{ command: string; outcome: string }>(
      `SELECT command, outcome FROM operator_actions WHERE command LIKE 'users %' ORDER BY id`,
    );
    expect(actions.map(({ command, outcome }) => `${command} ${outcome}`)).toEqual([
      ...['users invite done', 'users disable done', 'users enable done', 'users reset done'],
      ...[
        'users invites done',
        'users invites failed',
        'users unbind done',
        'users delete done',
        'users delete failed',
        'users delete failed',
      ],
      ...['users disable failed', 'users unbind failed', 'users invite failed', 'users end-sessions done'],
    ]);
  });

  it('says up to date when every migration was applied', async () => {
    const { code, stdout, stderr } = await hopcount(['migrate']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('up to date');
  });

  it('verifies: 0 without and 3 with differences, which go to stdout', async () => {
    expect(await hopcount(['verify'])).toMatchObject({ code: 0, stdout: '' });
    await database.query('INSERT INTO link_visit_slots VALUES (7, false, 0, 3)');
    const { code, stdout } = await hopcount(['verify', '-o', 'csv']);
    await database.query('DELETE FROM link_visit_slots');
    expect(code).toBe(3);
    expect(stdout).toMatch(/^slots,7,non-bots,0,3$/m);
  });

  it("runs whatever a setting of the services says that is none of a command's", async () => {
    expect(await hopcount(['verify'], { LOG_LEVEL: 'WARNING' })).toMatchObject({ code: 0 });
  });

  it('reports the lag of every partition', async () => {
    await hopcount(['topics', 'create']);
    const { code, stdout, stderr } = await hopcount(['lag', '-o', 'json']);
    expect(code === 0 ? '' : stderr).toBe('');
    const report = JSON.parse(stdout) as { pending: number; partitions: { partition: number }[] };
    expect(report.partitions.map((one) => one.partition)).toEqual([...Array(12).keys()]);
    expect(report.pending).toBeGreaterThanOrEqual(0);
  });

  it('lists dead letters without becoming a member of any group that counts', async () => {
    const { code, stderr } = await hopcount(['dead-letters', 'list', '--limit', '5', '-o', 'json']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/dead letters/);
  });

  it('says what to do when a service is away, and never shows a password', async () => {
    const away = await hopcount(['verify'], { DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x' });
    expect(away.code).toBe(1);
    expect(away.stderr).toMatch(
      /PostgreSQL does not answer at 127\.0\.0\.1:1 \(connect ECONNREFUSED.*\): run `npm start`/,
    );
    expect(away.stderr).not.toContain('secret');
    const kafka = await hopcount(['lag'], { KAFKA_BROKERS: '127.0.0.1:1' });
    expect(kafka.code).toBe(1);
    expect(kafka.stderr).toMatch(/Kafka does not answer at 127\.0\.0\.1:1 \(.*ECONNREFUSED.*\): run `npm start`/);
    const noDatabase = await hopcount(['verify'], { DATABASE_URL: `${new URL('/no_such_one', database.url).href}` });
    expect([noDatabase.code, noDatabase.stderr]).toEqual([
      1,
      expect.stringMatching(/"no_such_one" does not exist.*DATABASE_URL/),
    ]);
    const noTopic = await hopcount(['lag'], { VISITS_TOPIC: 'no-such-topic' });
    expect([noTopic.code, noTopic.stderr]).toEqual([1, expect.stringMatching(/no-such-topic.*topics create/)]);
  });

  it('ends wrong usage with 2 and help with 0', async () => {
    expect((await hopcount(['lag', '-o', 'xml'])).code).toBe(2);
    expect((await hopcount(['api-keys', 'create'])).code).toBe(2);
    expect((await hopcount(['no-such-command'])).code).toBe(2);
    expect((await hopcount(['--help'], { DATABASE_URL: 'nonsense' })).code).toBe(0);
    expect((await hopcount(['verify', '--link', 'no-such-code'])).code).toBe(1);
  });
});
