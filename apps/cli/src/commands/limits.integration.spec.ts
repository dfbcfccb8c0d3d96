import { FollowedLimits } from '@hopcount/links';
import { StatementPool } from '@hopcount/postgres';
import { createLogger } from '@hopcount/runtime';
import { testDatabase, type TestDatabase, testRedis, type TestRedis, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { cliOn } from '../cli.spec-helpers.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const ENVIRONMENT = { readLimit: { burst: 5_000, perSecond: 1_000 } };
const NEVER_MS = 3_600_000;

describe('limits', () => {
  let server: TestDatabase;
  let redis: TestRedis;
  let database: StatementPool;
  let process: FollowedLimits<typeof ENVIRONMENT>;
  let hopcount: ReturnType<typeof cliOn>;

  beforeAll(async () => {
    [server, redis] = await Promise.all([testDatabase(), testRedis()]);
    hopcount = cliOn(server, { REDIS_URL: redis.url });
    database = new StatementPool({ url: server.url, applicationName: 'limits-spec' });
    const parts = { database, logger, redis: { url: redis.url, name: 'test', logger } };
    process = new FollowedLimits(parts, ENVIRONMENT, NEVER_MS);
    await process.start();
  });
  afterAll(async () => {
    await process.stop();
    await database.close();
    await redis.close();
    await server.drop();
  });

  const limits = async (...argv: string[]) => {
    const result = await hopcount(['limits', ...argv, '-o', 'json']);
    return { ...result, json: JSON.parse(result.stdout || 'null') as Record<string, unknown> };
  };
  const storedOf = async (name: string) => {
    const lines = (await limits()).json as unknown as { name: string; stored: string | null }[];
    return lines.find((line) => line.name === name)?.stored;
  };
  const untilPerSecond = (perSecond: number) =>
    waitUntil(() => process.now.readLimit.perSecond === perSecond, { describe: `${perSecond} a second` });

  it('are planned, set and unset on processes that run, and shown', async () => {
    const plan = await limits('set', 'READ_LIMIT', '10:5');
    expect([plan.json, plan.stderr]).toEqual([
      { limit: 'READ_LIMIT', before: "the environment's (default 5000:1000)", after: '10:5', followedBy: 'api' },
      expect.stringContaining('Nothing was changed'),
    ]);
    expect(await storedOf('READ_LIMIT')).toBeNull();
    const set = await limits('set', 'READ_LIMIT', '10:5', '--execute');
    expect([set.code, set.stderr]).toEqual([0, expect.stringMatching(/Every api process follows within a second/)]);
    await untilPerSecond(5);
    expect(await storedOf('READ_LIMIT')).toBe('10:5');
    expect((await limits('unset', 'READ_LIMIT', '--execute')).json).toMatchObject({ before: '10:5' });
    await untilPerSecond(1_000);
    expect(await storedOf('READ_LIMIT')).toBeNull();
    expect(
      await server.query('SELECT command, outcome, operator, arguments FROM operator_actions ORDER BY id'),
    ).toEqual([
      {
        ...{ command: 'limits set', outcome: 'done', operator: 'spec' },
        arguments: { name: 'READ_LIMIT', value: '10:5', before: null },
      },
      {
        ...{ command: 'limits unset', outcome: 'done', operator: 'spec' },
        arguments: { name: 'READ_LIMIT', value: null, before: '10:5' },
      },
    ]);
  });

  it('that cannot be are refused with what can be, before anything is asked', async () => {
    expect(await limits('set', 'READ_LIMIT', '5/s', '--execute')).toMatchObject({
      ...{ code: 2, stderr: expect.stringMatching(/READ_LIMIT cannot be "5\/s": give .* such as 100:10/) },
    });
    expect(await limits('set', 'NO_LIMIT', '1:1', '--execute')).toMatchObject({
      ...{ code: 2, stderr: expect.stringMatching(/no limit NO_LIMIT.* REDIRECT_LIMIT/) },
    });
    expect((await limits('unset', 'no_limit', '--execute')).code).toBe(2);
    expect(await storedOf('READ_LIMIT')).toBeNull();
  });

  it('of redirects say that they hold only where redirects are limited', async () => {
    expect((await limits('set', 'REDIRECT_LIMIT', '10:5', '--execute')).stderr).toMatch(
      /Every gateway follows[^]*RATE_LIMIT_REDIRECTS is true/,
    );
    await limits('set', 'RATE_LIMIT_REDIRECTS', 'true', '--execute');
    expect((await limits('set', 'REDIRECT_LIMIT', '20:5', '--execute')).stderr).not.toContain('RATE_LIMIT_REDIRECTS');
  });

  it('are stored without Redis, too: processes follow a little later', async () => {
    await redis.stop();
    const set = await limits('set', 'WRITE_LIMIT', '10:5', '--execute');
    expect([set.code, set.stderr]).toEqual([0, expect.stringMatching(/every api process follows within a minute/)]);
    expect(await storedOf('WRITE_LIMIT')).toBe('10:5');
  });
});
