import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { cliOn } from '../cli.spec-helpers.js';

describe('erasing visits on the local stack', () => {
  let server: TestDatabase;
  let dataDir: string;
  let hopcount: ReturnType<typeof cliOn>;
  beforeEach(async () => {
    server = await testDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'local-secrets-'));
    hopcount = cliOn(server, { HOPCOUNT_DATA_DIR: dataDir });
  });
  afterEach(async () => {
    await server.drop();
    rmSync(dataDir, { recursive: true });
  });
  const erase = () => hopcount(['visits', 'erase', '--address', '203.0.113.7', '--day', '2026-09-10']);
  const write = (text: string) => writeFileSync(join(dataDir, 'secrets.json'), text);

  it('takes the secret from the data folder of the stack', async () => {
    write(JSON.stringify({ hopcountSecret: 'f'.repeat(64), databasePassword: 'x', apiKeys: {} }));
    expect(await erase()).toMatchObject({ code: 0, stderr: expect.stringContaining('No visit of that person') });
  });

  it.each([
    ['there is no stack', undefined, 'Set HOPCOUNT_SECRET'],
    ['the file is no JSON', '{', 'is not what the local stack wrote'],
    ['the file has no secret', '{}', 'is not what the local stack wrote'],
  ])('says what to do where %s', async (_why, text, advice) => {
    if (text !== undefined) write(text);
    const { code, stderr } = await erase();
    expect([code !== 0, stderr]).toEqual([true, expect.stringContaining(advice)]);
  });
});
