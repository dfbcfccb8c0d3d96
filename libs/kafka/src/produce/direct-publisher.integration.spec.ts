import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

import { assertSameIds, freePort, FreezingProxy, testTopic, type TestTopic, waitUntil } from '@hopcount/testing';
import { createLogger, type Logger } from '@hopcount/runtime';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { KafkaPublisher } from '../publisher/kafka-publisher.js';
import { DirectPublisher } from './direct-publisher.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const record = (key: string) => ({ key, value: `value of ${key} \u00fc`, headers: { traceparent: 't' } });
const ROTATE = { partition: 'rotate' } as const;

describe('DirectPublisher', () => {
  let topic: TestTopic;
  let kafkajs: KafkaPublisher;
  let publisher: DirectPublisher;

  beforeEach(async () => {
    topic = await testTopic({ partitions: 4, label: 'direct' });
    const connection = { brokers: topic.brokers, clientId: 'test', logger, requestTimeoutMs: 1_500 };
    kafkajs = new KafkaPublisher(connection);
    publisher = new DirectPublisher(kafkajs, { ...connection, topic: topic.name });
  });
  afterEach(async () => {
    publisher.close();
    await kafkajs.close();
    await topic.delete();
  });

  let published = 0;
  /** Publishes until a request goes that way; returns the keys of all. */
  const until = async (path: 'socket' | 'kafkajs', by: DirectPublisher): Promise<string[]> => {
    const before = by.requests[path];
    const keys: string[] = [];
    await waitUntil(
      async () => {
        const key = `own-${(published += 1)}`;
        await by.publish(topic.name, [record(key)], ROTATE);
        keys.push(key);
        return by.requests[path] > before;
      },
      { timeoutMs: 30_000, everyMs: 20, describe: `a request by ${path}` },
    );
    return keys;
  };
  const untilOwn = () => until('socket', publisher);
  /** Its own connections go through that port. */
  const through = (port: number, more: { requestTimeoutMs?: number; logger?: Logger } = {}) =>
    new DirectPublisher(kafkajs, {
      ...{ brokers: topic.brokers, clientId: 'proxied', logger, requestTimeoutMs: 500, topic: topic.name, ...more },
      wayTo: () => ({ host: '127.0.0.1', port }),
    });
  const keysIn = async () => (await topic.readAll()).map(({ key }) => String(key));

  it('has its records in Kafka, unchanged and in their order, when it resolves', async () => {
    const first = await untilOwn();
    const keys = Array.from({ length: 1_000 }, (_, index) => `k${index}`);
    await publisher.publish(topic.name, keys.map(record), ROTATE);
    const read = await topic.readAll();
    expect(read.filter(({ key }) => String(key).startsWith('k')).map(({ key }) => String(key))).toEqual(keys);
    expect(read.length).toBe(keys.length + first.length);
    const last = read.find(({ key }) => String(key) === 'k999');
    expect(last?.value).toEqual(Buffer.from('value of k999 \u00fc'));
    expect(last?.headers).toEqual({ traceparent: Buffer.from('t') });
    expect(publisher.requests.socket).toBe(2);
  });

  it('rotates whole calls over the partitions', async () => {
    await untilOwn();
    const before = await topic.offsets();
    for (let call = 0; call < 8; call += 1)
      await publisher.publish(topic.name, [record(`${call}a`), record(`${call}b`)], ROTATE);
    const after = await topic.offsets();
    const added = after.map(({ high }, nth) => Number(high) - Number(before[nth]?.high));
    expect(added).toEqual([4, 4, 4, 4]);
    expect(publisher.requests.socket).toBe(9);
  });

  it('sends records of another topic by kafkajs', async () => {
    await untilOwn();
    const other = await testTopic({ label: 'direct-other' });
    await publisher.publish(other.name, [record('a')], ROTATE);
    expect((await other.readAll()).map(({ key }) => String(key))).toEqual(['a']);
    expect(publisher.requests.socket).toBe(1);
    await other.delete();
  });

  it('tells records that are refused for good, and goes on', async () => {
    await untilOwn();
    await topic.configure({ 'max.message.bytes': '2000' });
    const large = { key: 'large', value: 'v'.repeat(5_000) };
    const isRejected = () =>
      publisher.publish(topic.name, [large], ROTATE).then(
        () => false,
        (error: { code?: string }) => error.code === 'broker-rejected',
      );
    await waitUntil(isRejected, { timeoutMs: 20_000, describe: 'the limit is in force' });
    await untilOwn();
  });

  it('finds partitions that are added, and a topic that was deleted and made again', async () => {
    await untilOwn();
    await topic.addPartitions(6);
    const isUsed = async () => {
      await untilOwn();
      return (await topic.offsets()).every(({ high }) => high !== '0');
    };
    await waitUntil(isUsed, { timeoutMs: 30_000, everyMs: 100, describe: 'all six have records' });
    await topic.delete();
    await expect(publisher.publish(topic.name, [record('nowhere')], ROTATE)).rejects.toMatchObject({
      code: 'kafka-unavailable',
    });
    topic = await testTopic({ partitions: 2, name: topic.name });
    await waitUntil(() => untilOwn().then(() => true), { timeoutMs: 30_000, describe: 'the new topic is used' });
    expect((await keysIn()).length).toBeGreaterThan(0);
  });

  it('sends the same records by kafkajs when the connection forgets, and connects again', async () => {
    const [broker = ''] = topic.brokers;
    const proxy = await FreezingProxy.listen(new URL(`tcp://${broker}`));
    const sockets = through(proxy.port);
    try {
      await until('socket', sockets);
      const { socket, kafkajs: others } = sockets.requests;
      proxy.forget();
      await sockets.publish(topic.name, [record('forgotten')], ROTATE);
      expect(sockets.requests).toEqual({ socket, kafkajs: others + 1 });
      expect(proxy.swallowed).toBeGreaterThan(0);
      expect(await keysIn()).toContain('forgotten');
      await until('socket', sockets);
    } finally {
      sockets.close();
      await proxy.close();
    }
  });

  it('loses nothing when the connections are cut again and again', async () => {
    const cutter = await cuttingProxy(topic.brokers[0] ?? '');
    const sockets = through(cutter.port, { requestTimeoutMs: 1_500 });
    const keys: string[] = [];
    try {
      const isDone = async () => {
        const some = Array.from({ length: 5 }, (_, nth) => `cut-${keys.length + nth}`);
        await Promise.all(some.map((key) => sockets.publish(topic.name, [record(key)], ROTATE)));
        keys.push(...some);
        return cutter.cuts >= 5;
      };
      await waitUntil(isDone, { timeoutMs: 60_000, everyMs: 1, describe: 'five cuts' });
    } finally {
      sockets.close();
      await cutter.close();
    }
    expect(sockets.requests.socket).toBeGreaterThan(0);
    assertSameIds([...new Set(await keysIn())], keys);
  });

  it('sends the same records again when Kafka has written them but the answer is lost', async () => {
    const proxy = await losingProxy(topic.brokers[0] ?? '');
    const sockets = through(proxy.port);
    try {
      await until('socket', sockets);
      const { socket, kafkajs: others } = sockets.requests;
      proxy.isLosing = true;
      const keys = ['silent-1', 'silent-2'];
      await sockets.publish(topic.name, keys.map(record), ROTATE);
      expect(sockets.requests).toEqual({ socket, kafkajs: others + 1 });
      expect(proxy.lost).toBe(1);
      const read = (await topic.readAll()).filter(({ key }) => String(key).startsWith('silent'));
      const contents = read.map(({ key, value, headers }) => ({ key, value, headers }));
      expect(contents.map(({ key }) => String(key))).toEqual([...keys, ...keys]);
      expect(contents.slice(2)).toEqual(contents.slice(0, 2));
    } finally {
      sockets.close();
      await proxy.close();
    }
  });

  it('connects again after the broker has closed an idle connection, and does not warn of it', async () => {
    const warnings: string[] = [];
    const warned = createLogger({ name: 'test', level: 'warn' }, () => ({ write: (line) => void warnings.push(line) }));
    const proxy = await losingProxy(topic.brokers[0] ?? '');
    const sockets = through(proxy.port, { logger: warned });
    try {
      await until('socket', sockets);
      await proxy.end();
      await until('kafkajs', sockets);
      await until('socket', sockets);
      expect(warnings).toEqual([]);
      proxy.isLosing = true;
      await sockets.publish(topic.name, [record('late')], ROTATE);
      expect(warnings).toEqual([expect.stringContaining('did not answer in 500 ms')]);
    } finally {
      sockets.close();
      await proxy.close();
    }
  });

  it('leaves a broker alone that throttles it, keeps the connection, and uses it again', async () => {
    const answerBytes = 52 + topic.name.length;
    const throttled: Socket[] = [];
    const proxy = await answersProxy(topic.brokers[0] ?? '', (client) => (chunk) => {
      // The last field of an answer to Produce is its throttle_time_ms.
      if (chunk.length === answerBytes) {
        chunk.writeInt32BE(700, answerBytes - 4);
        throttled.push(client);
      }
      client.write(chunk);
    });
    const sockets = through(proxy.port);
    try {
      await until('socket', sockets);
      await until('kafkajs', sockets);
      await until('socket', sockets);
      expect([throttled.length, new Set(throttled).size]).toEqual([2, 1]);
    } finally {
      sockets.close();
      await proxy.close();
    }
  });

  it('sends by kafkajs and warns while Kafka does not answer who leads, and uses its own connections afterwards', async () => {
    const warnings: string[] = [];
    const warned = createLogger({ name: 'test', level: 'warn' }, () => ({ write: (line) => void warnings.push(line) }));
    const proxy = await FreezingProxy.listen(new URL(`tcp://${topic.brokers[0]}`));
    proxy.freeze();
    const connection = { brokers: [`127.0.0.1:${proxy.port}`], clientId: 'unanswered', logger: warned };
    const unanswered = new DirectPublisher(kafkajs, { ...connection, topic: topic.name, requestTimeoutMs: 300 });
    try {
      const keys: string[] = [];
      const isAskedTwice = async () => {
        keys.push(...(await until('kafkajs', unanswered)));
        return proxy.swallowed >= 2;
      };
      await waitUntil(isAskedTwice, { timeoutMs: 20_000, everyMs: 50, describe: 'Kafka was asked twice' });
      expect(warnings).toEqual([expect.stringContaining('Kafka does not say who leads its partitions')]);
      expect(unanswered.requests).toEqual({ socket: 0, kafkajs: keys.length });
      proxy.thaw();
      keys.push(...(await until('socket', unanswered)));
      assertSameIds(keys, await keysIn());
    } finally {
      unanswered.close();
      await proxy.close();
    }
  });

  it('fails in bounded time while the brokers are away', async () => {
    const connection = { brokers: [`127.0.0.1:${await freePort()}`], clientId: 'away', logger, requestTimeoutMs: 300 };
    const away = new KafkaPublisher(connection);
    const nowhere = new DirectPublisher(away, { ...connection, topic: topic.name });
    await expect(nowhere.publish(topic.name, [record('a')], ROTATE)).rejects.toMatchObject({
      code: 'kafka-unavailable',
    });
    nowhere.close();
    await away.close();
  });
});

/** A proxy to the broker. `onAnswer` is made for each connection and handles the bytes that the broker sends. */
async function answersProxy(broker: string, onAnswer: (client: Socket, upstream: Socket) => (chunk: Buffer) => void) {
  const [host = '', port = ''] = broker.split(':');
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = connect(Number(port), host);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined));
    client.pipe(upstream);
    upstream.on('data', onAnswer(client, upstream));
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  /** Resolves when the other sides have closed their connections, too. */
  const end = async () => {
    const open = [...sockets].filter((socket) => !socket.destroyed);
    const closed = open.map((socket) => once(socket, 'close'));
    for (const socket of open) socket.end();
    await Promise.all(closed);
  };
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as { port: number }).port, end, close };
}

/** Closes a connection after 4 KB of answers, in the middle of one. */
async function cuttingProxy(broker: string) {
  const count = { cuts: 0 };
  const proxy = await answersProxy(broker, (client, upstream) => {
    let passed = 0;
    return (chunk) => {
      passed += chunk.length;
      if (passed < 4_096) return void client.write(chunk);
      count.cuts += 1;
      client.end(chunk.subarray(0, chunk.length / 2));
      upstream.destroy();
    };
  });
  return Object.assign(count, proxy);
}

/** Loses answers while `isLosing`; requests pass. */
async function losingProxy(broker: string) {
  const state = { isLosing: false, lost: 0 };
  const proxy = await answersProxy(broker, (client) => (chunk) => {
    if (!state.isLosing) return void client.write(chunk);
    state.lost += 1;
  });
  return Object.assign(state, proxy);
}
