import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { AuditEntry } from '@hopcount/contracts';
import { testDatabase, type TestDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type CliResult, cliOn } from '../cli.spec-helpers.js';

describe('blocks', () => {
  let server: TestDatabase;
  let folder: string;
  let hopcount: (argv: string[]) => Promise<CliResult>;

  beforeAll(async () => {
    server = await testDatabase();
    hopcount = cliOn(server);
    folder = await mkdtemp(join(tmpdir(), 'hopcount-blocks-'));
    await server.query(`INSERT INTO domains (authority, is_default) VALUES ('s.test', true)`);
  });
  afterAll(async () => {
    await server?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const blocks = async (...argv: string[]) => {
    const result = await hopcount(['blocks', ...argv, '-o', 'json']);
    return { ...result, json: JSON.parse(result.stdout || 'null') as Record<string, unknown> };
  };
  const values = async () => {
    const rows = (await blocks()).json as unknown as { kind: string; value: string }[];
    return rows.map(({ kind, value }) => `${kind} ${value}`);
  };

  it('are planned, added with a reason, listed and removed', async () => {
    const plan = await blocks('add', 'link', 'AbC');
    expect([plan.json, plan.stderr]).toEqual([
      { kind: 'link', value: 's.test/AbC', action: 'block' },
      expect.stringContaining('Nothing was changed'),
    ]);
    expect(await values()).toEqual([]);
    const added = await blocks('add', 'host', 'Evil.example', '--reason', 'phishing', '--execute');
    expect(added.json).toEqual({ id: expect.any(String), kind: 'host', value: 'evil.example', action: 'block' });
    expect((await blocks('list')).json).toMatchObject([{ value: 'evil.example', reason: 'phishing' }]);
    const id = String(added.json['id']);
    expect((await blocks('add', 'host', 'evil.example', '--warn', '--execute')).json).toMatchObject({ action: 'warn' });
    expect((await blocks()).json).toMatchObject([{ id, action: 'warn', reason: '' }]);
    expect((await blocks('remove', id)).stderr).toContain('Nothing was changed');
    expect(await values()).toEqual(['host evil.example']);
    expect((await blocks('remove', id, '--execute')).json).toEqual({ removed: 1 });
    expect(await blocks('remove', id, '--execute')).toMatchObject({ code: 1, stderr: expect.stringContaining(id) });
    expect(await blocks('add', 'host', 'com', '--execute')).toMatchObject({ code: 1 });
  });

  it('of a file are all hosts it names, once', async () => {
    const file = join(folder, 'list.txt');
    await writeFile(
      file,
      '# a list\n0.0.0.0 localhost\n0.0.0.0 a.example b.example\r\n||c.example^\na.example\n/ads/*\n',
    );
    const plan = await blocks('import', file);
    expect([plan.json, plan.stderr]).toEqual([{ hosts: 3, linesPassedOver: 1 }, expect.stringContaining('line 6')]);
    expect((await blocks('import', file, '--execute')).json).toEqual({ hosts: 3, linesPassedOver: 1, added: 3 });
    expect((await blocks('import', file, '--execute')).json).toMatchObject({ added: 0 });
    expect((await values()).sort()).toEqual(['host a.example', 'host b.example', 'host c.example']);
    await writeFile(file, 'a.example\nw.example\n');
    expect((await blocks('import', file, '--warn', '--execute')).json).toMatchObject({ added: 1 });
    expect((await blocks('list', '--search', 'w.ex')).json).toMatchObject([{ action: 'warn' }]);
    expect(await blocks('import', join(folder, 'nothing'), '--execute')).toMatchObject({ code: 2 });
    expect(await server.query(`SELECT command, outcome FROM operator_actions WHERE command = 'blocks import'`)).toEqual(
      Array(3).fill({ command: 'blocks import', outcome: 'done' }),
    );
  });

  it('are made of what visitors reported, which is listed and dismissed', async () => {
    await server.query(
      `WITH link AS (
         INSERT INTO links (id, domain_id, code, long_url)
         SELECT 1, id, 'odd', 'https://odd.example/' FROM domains RETURNING id
       ) INSERT INTO abuse_reports (link_id, cause, reports) SELECT id, 'phishing', 7 FROM link`,
    );
    const [report] = (await blocks('reports')).json as unknown as { id: string }[];
    expect(report).toMatchObject({ shortUrl: 's.test/odd', longUrl: 'https://odd.example/', reports: 7 });
    const id = report?.id ?? '';
    expect((await blocks('reports', '--dismiss', id)).stderr).toContain('Nothing was changed');
    expect((await blocks('reports', '--dismiss', id, '--execute')).json).toEqual({ dismissed: 1 });
    expect((await blocks('reports')).json).toEqual([]);
    expect((await blocks('reports', '--dismiss', id, '--execute')).code).toBe(1);
  });

  it('leave rows in the audit log, in the name of the operator', async () => {
    await blocks('add', 'host', 'audited.example', '--reason', 'x', '--execute');
    const listed = await hopcount(['audit', '--object', 'audited.example', '-o', 'json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([
      {
        actor: 'cli spec',
        action: 'create',
        kind: 'block',
        before: '',
        after: expect.stringContaining('"reason":"x"'),
      },
    ]);
    const ofWeek = await hopcount(['audit', '--object', 'audited.example', '--range', 'last7days', '-o', 'json']);
    expect(ofWeek.stdout).toBe(listed.stdout);
    expect((await hopcount(['audit', '--range', 'lastYear', '-o', 'json'])).stdout).toBe('[]\n');
    // As if the command had been a while ago: what is younger than a second is for the next export.
    await server.query(`UPDATE audit_log SET at = at - interval '5 seconds'`);
    const exported = await hopcount(['audit', 'export', '--actor', 'spec', '-o', 'json']);
    const entries = exported.stdout.trim().split('\n');
    const seen = entries
      .map((line) => JSON.parse(line) as AuditEntry)
      .map(({ action, object }) => `${action} ${object}`);
    expect(seen.slice(-3)).toEqual(['create blocks add', 'create audited.example', 'end blocks add']);
    expect((await hopcount(['audit', 'export', '--kind', 'tag'])).stdout.trim().split('\n')).toHaveLength(1);
    expect((await hopcount(['audit', '--kind', 'x'])).code).toBe(2);
    expect((await hopcount(['audit', '--after', 'x'])).code).toBe(1);
  });

  it('end at a number, with nothing added', async () => {
    await server.query(
      `INSERT INTO blocks (kind, value) SELECT 'host', 'h' || n || '.example' FROM generate_series(1, 249994) AS n`,
    );
    // As many in one statement are one row of the audit log.
    const [row] =
      await server.query(`SELECT object, objects, jsonb_array_length(after -> 'first') AS first FROM audit_log
      ORDER BY id DESC LIMIT 1`);
    expect(row).toEqual({ object: null, objects: 249_994, first: 100 });
    const file = join(folder, 'two.txt');
    await writeFile(file, 'd.example\ne.example\n');
    const full = await blocks('import', file, '--execute');
    expect([full.code, full.stderr]).toEqual([1, expect.stringContaining('250000')]);
    expect(await server.query(`SELECT FROM blocks WHERE value = 'd.example'`)).toEqual([]);
    expect((await blocks('add', 'host', 'd.example', '--execute')).code).toBe(0);
  });

  it('and webhooks are listed, tested and enabled', async () => {
    const [{ id } = { id: 0 }] = await server.query<{ id: number }>(
      `INSERT INTO webhooks (url, description, events, visits, secret, enabled, disabled_reason)
       VALUES ('https://x.example.com/', '', '{link.created}', '{}', '\\x00', false, 'It is away.') RETURNING id`,
    );
    const webhooks = async (...argv: string[]) => {
      const { code, stdout, stderr } = await hopcount(['webhooks', ...argv, '-o', 'json']);
      return { code, stderr, json: JSON.parse(stdout || 'null') as unknown };
    };
    expect((await webhooks()).json).toEqual([
      expect.objectContaining({ id, enabled: 'no', failure: 'It is away.', waiting: 0 }),
    ]);
    expect(await webhooks('test', String(id), '--execute')).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining('It is disabled') },
    });
    expect((await webhooks('enable', String(id))).stderr).toContain('Nothing was changed');
    expect((await webhooks('enable', String(id), '--execute')).json).toEqual({ waiting: 0 });
    expect((await webhooks('test', String(id), '--execute')).json).toEqual({ eventId: expect.any(String) });
    expect((await webhooks()).json).toEqual([expect.objectContaining({ enabled: 'yes', failure: null, waiting: 1 })]);
    expect((await webhooks('enable', '999', '--execute')).code).toBe(1);
  });
});
