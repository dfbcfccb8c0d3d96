import { connect, createServer, type Server, type Socket } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type AppError, createLogger } from '@hopcount/runtime';
import { freePort, testTopic, type TestTopic, waitUntil } from '@hopcount/testing';

import { KafkaPublisher } from './kafka-publisher.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const record = (key: string) => ({
  key,
  value: `value of ${key} \u00fc`,
  headers: { ce_id: key, bytes: Buffer.from([0, 255]) },
});

describe('KafkaPublisher', () => {
  let topic: TestTopic;
  let publisher: KafkaPublisher;

  beforeEach(async () => {
    topic = await testTopic({ partitions: 4, label: 'publisher' });
    publisher = new KafkaPublisher({ brokers: topic.brokers, clientId: 'test', logger, requestTimeoutMs: 1_000 });
  });
  afterEach(async () => {
    await publisher.close();
    await topic.delete();
  });

  it('has its records in Kafka, unchanged, when it resolves', async () => {
    await publisher.publish(topic.name, [record('a'), { key: null, value: null }], { partition: 2 });
    const [first, second] = await topic.readAll();
    expect(first).toMatchObject({
      partition: 2,
      offset: '0',
      key: Buffer.from('a'),
      value: Buffer.from('value of a \u00fc'),
    });
    expect(first?.headers).toMatchObject({ ce_id: Buffer.from('a'), bytes: Buffer.from([0, 255]) });
    expect(second).toMatchObject({ partition: 2, key: null, value: null });
  });

  it('keeps all records of a call in their order', async () => {
    const keys = Array.from({ length: 1_000 }, (_, index) => `k${index}`);
    await publisher.publish(topic.name, keys.map(record), { partition: 'rotate' });
    const read = await topic.readAll();
    expect(read.map(({ key }) => String(key))).toEqual(keys);
    expect(new Set(read.map(({ partition }) => partition)).size).toBe(1);
  });

  it('rotates whole calls over the partitions', async () => {
    for (let i = 0; i < 8; i += 1)
      await publisher.publish(topic.name, [record(`${i}a`), record(`${i}b`)], { partition: 'rotate' });
    const perPartition = new Map<number, string[]>();
    for (const { partition, key } of await topic.readAll()) {
      perPartition.set(partition, [...(perPartition.get(partition) ?? []), String(key)]);
    }
    expect([...perPartition.values()].map((keys) => keys.length)).toEqual([4, 4, 4, 4]);
    for (const keys of perPartition.values()) expect(keys[0]?.[0]).toBe(keys[1]?.[0]);
  });

  it('never resolves for a partition it does not know, and finds one that is added', async () => {
    await publisher.publish(topic.name, [record('a')]);
    const publish = () => publisher.publish(topic.name, [record('b')], { partition: 4 });
    await expect(publish()).rejects.toMatchObject({ code: 'kafka-unavailable' });
    await topic.addPartitions(5);
    const isTaken = () => publish().then(() => true);
    await waitUntil(isTaken, { timeoutMs: 20_000, everyMs: 200, describe: 'the new partition is known' });
    expect((await topic.readAll()).map(({ partition }) => partition)).toContain(4);
  });

  it('refuses what goes to no topic, and goes on', async () => {
    await expect(publisher.publish(`${topic.name}-missing`, [record('a')])).rejects.toMatchObject({
      code: 'kafka-unavailable',
    });
    await publisher.publish(topic.name, [record('b')]);
    expect(await topic.readAll()).toHaveLength(1);
  });

  it('tells records that are refused for good from a broker that is away', async () => {
    await topic.configure({ 'max.message.bytes': '2000' });
    const large = { key: 'large', value: 'v'.repeat(5_000) };
    const isRejected = () =>
      publisher.publish(topic.name, [record('a'), large]).catch((error: AppError) => error.code === 'broker-rejected');
    await waitUntil(isRejected, { describe: 'the limit is in force' });
    for (let i = 0; i < 4; i += 1) {
      await expect(publisher.publish(topic.name, [large])).rejects.toMatchObject({
        code: 'broker-rejected',
        retryable: false,
      });
    }
    await publisher.publish(topic.name, [record('b')]);
    expect((await topic.readAll()).map(({ key }) => String(key))).toContain('b');
  });

  it('fails in bounded time while the broker is away and connects by itself when it comes', async () => {
    const port = await freePort();
    const away = new KafkaPublisher({
      brokers: [`127.0.0.1:${port}`],
      clientId: 'away',
      logger,
      requestTimeoutMs: 500,
    });
    const startedMs = performance.now();
    await expect(away.publish(topic.name, [record('a')])).rejects.toMatchObject({
      code: 'kafka-unavailable',
      retryable: true,
    });
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    const proxy = await forward(port, topic.brokers[0]!);
    await waitUntil(
      () =>
        away.publish(topic.name, [record('b')]).then(
          () => true,
          () => false,
        ),
      { describe: 'a connection' },
    );
    expect((await topic.readAll()).map(({ key }) => String(key))).toEqual(['b']);
    await away.close();
    proxy.close();
  });

  it('fails in bounded time on a broker that accepts and never answers', async () => {
    const sockets = new Set<Socket>();
    const mute = createServer((socket) => sockets.add(socket));
    const port = await freePort();
    await new Promise<void>((resolve) => mute.listen(port, '127.0.0.1', resolve));
    const stuck = new KafkaPublisher({
      brokers: [`127.0.0.1:${port}`],
      clientId: 'stuck',
      logger,
      requestTimeoutMs: 300,
    });
    const startedMs = performance.now();
    await expect(stuck.publish(topic.name, [record('a')])).rejects.toMatchObject({ code: 'kafka-unavailable' });
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    await stuck.close();
    sockets.forEach((socket) => socket.destroy());
    mute.close();
  });
});

function forward(port: number, broker: string): Promise<Server> {
  const [host = '', target = ''] = broker.split(':');
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      const upstream = connect(Number(target), host);
      socket.pipe(upstream).pipe(socket);
      socket.on('error', () => upstream.destroy());
      upstream.on('error', () => socket.destroy());
    }).listen(port, '127.0.0.1', () => resolve(server));
  });
}
