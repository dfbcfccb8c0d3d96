import { createRequire } from 'node:module';

import { inUnclearedMemory } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { encodeProduceBody, type ProduceArguments } from './encode-produce.js';
import { installFastProduce } from './fast-produce.js';
import { MessageBundle } from './message-bundle.js';

type Encode = (args: object) => { encode: () => Promise<{ buffer: Buffer }> };
const kafkajsRequest = createRequire(import.meta.url)('kafkajs/src/protocol/requests/produce/v3/request.js') as Encode;

const bytes = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.uint8Array().map((array) => Buffer.from(array)),
);
const message = fc.record({
  key: fc.oneof(bytes, fc.constant(null)),
  value: fc.oneof(bytes, fc.constant(null), fc.string({ minLength: 60, maxLength: 20_000 })),
  headers: fc.dictionary(
    fc.string({ minLength: 1 }),
    fc.oneof(bytes, fc.array(bytes, { minLength: 1, maxLength: 3 })),
    {
      maxKeys: 8,
      noNullPrototype: true,
    },
  ),
});

describe('encodeProduceBody', () => {
  beforeEach(() => {
    jest.useFakeTimers({ now: 1_800_000_000_123, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('writes the bytes kafkajs writes, whatever memory held before', async () => {
    const messages = fc.array(message, { minLength: 1, maxLength: 70 });
    await fc.assert(
      fc.asyncProperty(messages, fc.nat(11), fc.nat(60_000), async (all, partition, timeout) => {
        const args: ProduceArguments = {
          acks: -1,
          timeout,
          topicData: [{ topic: 'visits', partitions: [{ partition, messages: all }] }],
        };
        const theirs = await kafkajsRequest(args).encode();
        for (const byte of [0, 0xab]) {
          const ours = await inUnclearedMemory(byte, () => encodeProduceBody(args));
          expect(ours.equals(theirs.buffer)).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('writes several topics and partitions', async () => {
    const messages = [{ key: 'k', value: 'v', headers: { a: 'b' } }, { value: 'w' }];
    const partitions = [
      { partition: 0, messages },
      { partition: 7, messages: messages.slice(1) },
    ];
    const args = { acks: 1, timeout: 5, topicData: ['one', 'zwei \u00fc'].map((topic) => ({ topic, partitions })) };
    expect(encodeProduceBody(args).equals((await kafkajsRequest(args).encode()).buffer)).toBe(true);
  });

  it.each([40, 50, 63, 64, 8_170, 8_180, 8_191, 8_192, 1_048_550, 1_048_576, 2_000_000])(
    'writes a record with a value of %i bytes: a dead letter may be larger than what a broker takes by default',
    async (size) => {
      const messages = [{ key: null, value: Buffer.alloc(size, 7) }, { value: 'after it' }];
      const args = { acks: -1, timeout: 5, topicData: [{ topic: 't', partitions: [{ partition: 0, messages }] }] };
      expect(encodeProduceBody(args).equals((await kafkajsRequest(args).encode()).buffer)).toBe(true);
    },
  );

  it.each([
    ['here', {}],
    ['by kafkajs', { compression: 1 }],
    ['by kafkajs', { transactionalId: 't' }],
  ])('writes all records of a bundle, encoded %s (%o)', async (_, settings) => {
    expect(installFastProduce()).toBe(true);
    const messages = Array.from({ length: 40 }, (_, index) => ({ key: `k${index}`, value: 'v'.repeat(index) }));
    const args = (given: unknown[]) => ({
      ...{ acks: -1, timeout: 5, ...settings },
      topicData: [{ topic: 't', partitions: [{ partition: 3, messages: given }] }],
    });
    const produce = createRequire(import.meta.url)('kafkajs/src/protocol/requests/produce/index.js') as {
      protocol: (choice: { version: number }) => (args: object) => { request: ReturnType<Encode> };
    };
    const bundle = new MessageBundle(messages, 3);
    const written = await produce
      .protocol({ version: 7 })(args([bundle]))
      .request.encode();
    expect(bundle.isOpened).toBe(true);
    expect(written.buffer.equals((await kafkajsRequest(args(messages)).encode()).buffer)).toBe(true);
  });
});
