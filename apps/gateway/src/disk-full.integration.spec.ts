import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';

import { freePort, startSourceProcess, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ask, GatewayGround, insertLink, TEST_DOMAIN } from './gateway.spec-helpers.js';

/** A process of its own, whose files can be kept from growing: its writes fail as those of a full disk do. */
const GATEWAY = `
  import { startGateway } from './apps/gateway/src/gateway.spec-helpers.ts';
  const gateway = await startGateway(JSON.parse(process.env.GATEWAY_SETTINGS));
  process.on('message', async () => process.send({ report: await gateway.operations('/readyz') }));
  process.send(gateway.port);
`;
const VISITS = 300;

describe('a gateway without Kafka whose disk is full', () => {
  let ground: GatewayGround;
  let gateway: ChildProcess;
  let port: number;
  let log = '';

  beforeAll(async () => {
    ground = await GatewayGround.open({ KAFKA_BROKERS: `127.0.0.1:${await freePort()}`, LOG_LEVEL: 'warn' });
    await insertLink(ground.database, { code: 'x' });
    gateway = startSourceProcess(GATEWAY, {
      environment: { GATEWAY_SETTINGS: JSON.stringify(ground.environment) },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    gateway.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    [port] = (await once(gateway, 'message')) as [number];
  });
  afterAll(async () => {
    gateway?.kill('SIGKILL');
    await ground?.close();
  });

  const visit = async () => (await ask(port, '/x', { headers: { host: TEST_DOMAIN } })).status;
  const readiness = async () => {
    const { status } = await ask(port, '/readyz');
    const answer = once(gateway, 'message') as Promise<[{ report: string }]>;
    gateway.send('report');
    const { checks } = JSON.parse((await answer)[0].report) as { checks: { visits: { detail?: string } } };
    return { status, detail: checks.visits.detail };
  };
  const limitFiles = (limit: string) => execFileSync('prlimit', ['--pid', String(gateway.pid), `--fsize=${limit}:`]);

  it('is not ready until the disk takes visits again, and says once in its log why', async () => {
    expect([await visit(), (await readiness()).status]).toEqual([302, 200]);

    limitFiles('0');
    const answers = await Promise.all(Array.from({ length: VISITS }, visit));
    expect(new Set(answers)).toEqual(new Set([503]));
    for (let nth = 0; nth < 30; nth += 1) expect(await visit()).toBe(503);
    expect(await readiness()).toEqual({
      status: 503,
      detail: expect.stringMatching(/^Kafka is down .* and the disk does not take visits \(EFBIG/),
    });
    const told = log.split('\n').filter((line) => line.includes('visits cannot be written to the spool'));
    expect(told).toHaveLength(1);
    expect(JSON.parse(told[0]!)).toMatchObject({ err: { code: 'EFBIG' } });

    // No visitor asks now: a process that is not ready gets none.
    limitFiles('unlimited');
    await waitUntil(async () => (await readiness()).status === 200, { describe: 'a gateway that is ready again' });
    expect(await visit()).toBe(302);
  });
});
