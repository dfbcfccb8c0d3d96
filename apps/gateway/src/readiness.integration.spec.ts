import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  testDatabase,
  type TestDatabase,
  testRedis,
  type TestRedis,
  testTopic,
  type TestTopic,
  waitUntil,
} from '@hopcount/testing';

import { gatewayEnvironment, insertLink, startGateway, TEST_DOMAIN, type TestGateway } from './gateway.spec-helpers.js';

/** A way to PostgreSQL that can be made to hang: connections stay, and new ones come, but no byte gets through. */
async function hangingWay(target: URL) {
  const sockets = new Set<Socket>();
  let frozen = false;
  let heldBytes = 0;
  const pass = (from: Socket, to: Socket) => {
    const held: Buffer[] = [];
    from.on('data', (chunk: Buffer) => {
      if (frozen) {
        heldBytes += chunk.length;
        held.push(chunk);
      } else to.write(Buffer.concat([...held.splice(0), chunk]));
    });
    from.on('close', () => to.destroy());
    from.on('error', () => to.destroy());
    thaws.push(() => void to.write(Buffer.concat(held.splice(0))));
  };
  const thaws: (() => void)[] = [];
  const server: Server = createServer((socket) => {
    const upstream = connect(Number(target.port), target.hostname);
    sockets.add(socket);
    pass(socket, upstream);
    pass(upstream, socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.href,
    /** Bytes that came in and went nowhere. */
    heldBytes: () => heldBytes,
    freeze: () => void (frozen = true),
    thaw: () => {
      frozen = false;
      for (const thaw of thaws) thaw();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('readiness while PostgreSQL hangs', () => {
  let database: TestDatabase;
  let topic: TestTopic;
  let redis: TestRedis;
  let way: Awaited<ReturnType<typeof hangingWay>>;
  let gateway: TestGateway;
  let environment: Record<string, string>;

  beforeAll(async () => {
    database = await testDatabase();
    topic = await testTopic({ label: 'readiness' });
    redis = await testRedis();
    await insertLink(database, { code: 'known' });
    way = await hangingWay(new URL(database.url));
    const more = { DATABASE_URL: way.url, REDIS_URL: redis.url };
    environment = gatewayEnvironment({ database, topic, audits: topic, more });
    gateway = await startGateway(environment);
  });

  afterAll(async () => {
    way?.close();
    await gateway?.close();
    await topic?.delete();
    await redis?.close();
    await database?.drop();
    rmSync(environment['SPOOL_DIR']!, { recursive: true, force: true });
  });

  const readiness = async () => {
    const { status, body } = await gateway.ask('/readyz');
    return { status, check: (JSON.parse(body) as { checks: Record<string, unknown> }).checks['postgresql'] };
  };

  it('is a warning: known links come from the caches', async () => {
    const headers = { host: TEST_DOMAIN };
    expect((await gateway.ask('/known', { headers })).status).toBe(302);
    expect(await readiness()).toEqual({ status: 200, check: { status: 'pass' } });
    way.freeze();
    const heldBefore = way.heldBytes();
    const asked = await Promise.all([readiness(), readiness(), readiness()]);
    for (const answer of asked) {
      expect(answer).toEqual({ status: 200, check: { status: 'warn', detail: 'no answer in 1000 ms' } });
    }
    expect(way.heldBytes()).toBeGreaterThan(heldBefore);
    expect((await gateway.ask('/known', { headers })).status).toBe(302);
    way.thaw();
    await waitUntil(async () => JSON.stringify((await readiness()).check) === '{"status":"pass"}', {
      describe: 'PostgreSQL answering again',
    });
  });
});
