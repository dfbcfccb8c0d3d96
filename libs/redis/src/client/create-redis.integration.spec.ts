import { connect, createServer, type Server, type Socket } from 'node:net';

import { createLogger } from '@hopcount/runtime';
import { testRedisServer, type TestRedis, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { createRedis } from './create-redis.js';
import { RedisSubscription } from './redis-subscription.js';

const logger = createLogger({ name: 'test', level: 'silent' });

/** On the way to Redis; once told to, the next connections are lost in the moment they ask to subscribe. */
class LosingProxy {
  connectionsToLose = 0;
  lost = 0;
  readonly #open = new Set<Socket>();
  readonly #server: Server;

  constructor(targetPort: number) {
    this.#server = createServer((client) => {
      const redis = connect(targetPort, '127.0.0.1');
      for (const socket of [client, redis]) {
        this.#open.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => [client, redis].forEach((end) => this.#open.delete(end.destroy())));
      }
      redis.on('data', (bytes) => client.write(bytes));
      client.on('data', (bytes) => {
        if (this.connectionsToLose === 0 || !/subscribe/i.test(bytes.toString())) return void redis.write(bytes);
        this.connectionsToLose -= 1;
        this.lost += 1;
        client.destroy();
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `redis://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  loseAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async close(): Promise<void> {
    this.loseAll();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

let server: TestRedis;
let proxy: LosingProxy;
let proxyUrl: string;

beforeAll(async () => {
  server = await testRedisServer();
  proxy = new LosingProxy(server.port);
  proxyUrl = await proxy.listen();
});
afterAll(async () => {
  await proxy?.close();
  await server?.close();
});

it('a subscriber whose connection is lost in the moment it subscribes anew goes on, and hears again', async () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', onUnhandled);
  let subscribed = 0;
  const heard: string[] = [];
  const subscription = new RedisSubscription({ url: proxyUrl, name: 'test', logger }, 'news', {
    onMessage: (message) => heard.push(message),
    onSubscribed: () => (subscribed += 1),
  });
  await waitUntil(() => subscribed === 1, { describe: 'the first subscription' });

  proxy.connectionsToLose = 3;
  proxy.loseAll();
  await waitUntil(() => subscribed === 2, { describe: 'the subscription after the losses' });
  await server.client.publish('news', 'again');
  await waitUntil(() => heard.length > 0, { describe: 'the message' });

  subscription.close();
  expect(proxy.lost).toBe(3);
  expect(heard).toEqual(['again']);
  process.off('unhandledRejection', onUnhandled);
  expect(unhandled).toEqual([]);
});

it('an answer that this process was too busy to read is not late, one that does not come is', async () => {
  const client = createRedis({ url: server.url, name: 'test', logger, commandTimeoutMs: 200 });
  const keepBusy = (ms: number) => {
    for (const end = performance.now() + ms; performance.now() < end;);
  };
  try {
    await waitUntil(() => client.status === 'ready', { describe: 'a connection' });
    await client.ping();
    const answer = client.ping();
    await new Promise((resolve) => setImmediate(resolve));
    keepBusy(600);
    expect(await answer).toBe('PONG');
    // Redis answers when this process has been busy for the time-out and longer, so the command had no time of it yet.
    await server.client.client('PAUSE', 500);
    const slow = client.get('x');
    await new Promise((resolve) => setImmediate(resolve));
    keepBusy(400);
    expect(await slow).toBeNull();
    server.freeze();
    await expect(client.get('x')).rejects.toThrow('Command timed out');
  } finally {
    server.thaw();
    client.disconnect();
  }
});
