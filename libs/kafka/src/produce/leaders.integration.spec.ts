import { createServer } from 'node:net';

import { FreezingProxy, testTopic, type TestTopic } from '@hopcount/testing';
import { createLogger } from '@hopcount/runtime';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Leaders } from './leaders.js';

const TIMEOUT_MS = 2_000;
const logger = createLogger({ name: 'test', level: 'silent' });

describe('asking Kafka who leads the partitions of a topic', () => {
  let topic: TestTopic;
  let leaders: Leaders | undefined;

  beforeEach(async () => {
    topic = await testTopic({ partitions: 3, label: 'leaders' });
  });
  afterEach(async () => {
    leaders?.close();
    leaders = undefined;
    await topic.delete();
  });
  const ask = async (brokers: string[]) => {
    leaders ??= new Leaders({ brokers, clientId: 'test', logger }, topic.name, TIMEOUT_MS);
    return (await leaders.ask()).map(({ partition }) => partition).sort();
  };

  it('asks the next broker when one accepts connections and never answers', async () => {
    const accepted: unknown[] = [];
    const silent = createServer((socket) => accepted.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    expect(await ask([`127.0.0.1:${port}`, ...topic.brokers])).toEqual([0, 1, 2]);
    expect(accepted).toHaveLength(1);
    silent.close();
  });

  it('fails when a broker that answered before is silent, and asks again over a new connection', async () => {
    const proxy = await FreezingProxy.listen(new URL(`tcp://${topic.brokers[0]}`));
    const brokers = [`127.0.0.1:${proxy.port}`];
    try {
      expect(await ask(brokers)).toEqual([0, 1, 2]);
      proxy.freeze();
      await expect(ask(brokers)).rejects.toThrow(`no answer in ${TIMEOUT_MS} ms`);
      expect(proxy.swallowed).toBe(1);
      await expect(ask(brokers)).rejects.toThrow();
      proxy.thaw();
      expect(await ask(brokers)).toEqual([0, 1, 2]);
    } finally {
      await proxy.close();
    }
  });
});
