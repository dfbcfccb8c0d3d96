import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

import { waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { BrokerSocket } from './broker-socket.js';
import { ProduceWire } from './produce-wire.js';

const TIMEOUT_MS = 300;
const FOR_EVER_MS = 60_000;
const TOPIC = 'visits \u00fc';
const PARTITION = 3;
const records = [{ key: 'k', value: 'v' }];

interface AnswerFields {
  correlationId: number;
  topic?: string;
  partition?: number;
  topics?: number;
  partitions?: number;
  errorCode?: number;
  throttleMs?: number;
  extra?: number;
}

/** Written from the protocol's description, not with the code that reads it. */
function answerBytes(fields: AnswerFields): Buffer {
  const { correlationId, topic = TOPIC, partition = PARTITION, topics = 1, partitions = 1 } = fields;
  const { errorCode = 0, throttleMs = 0, extra = 0 } = fields;
  const name = Buffer.from(topic);
  const bytes = Buffer.alloc(4 + 4 + 4 + 2 + name.length + 4 + 4 + 2 + 8 + 8 + 8 + 4 + extra);
  let at = bytes.writeInt32BE(bytes.length - 4, 0);
  at = bytes.writeInt32BE(correlationId, at);
  at = bytes.writeInt32BE(topics, at);
  at = bytes.writeInt16BE(name.length, at);
  at += name.copy(bytes, at);
  at = bytes.writeInt32BE(partitions, at);
  at = bytes.writeInt32BE(partition, at);
  at = bytes.writeInt16BE(errorCode, at);
  at = bytes.writeBigInt64BE(123n, at);
  at = bytes.writeBigInt64BE(-1n, at);
  at = bytes.writeBigInt64BE(0n, at);
  bytes.writeInt32BE(throttleMs, at);
  return bytes;
}

describe('BrokerSocket', () => {
  let server: Server;
  let broker: Socket;
  let client: BrokerSocket;
  let closed: Error[];
  /** Correlation ids of the requests the broker has read. */
  let asked: number[];
  let lastRequest: Buffer;

  const open = async (timeoutMs = FOR_EVER_MS) => {
    const reasons: Error[] = [];
    const seen: number[] = [];
    [closed, asked] = [reasons, seen];
    const accepted = once(server, 'connection');
    const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
    await once(socket, 'connect');
    [broker] = (await accepted) as [Socket];
    broker.setNoDelay(true).on('error', () => undefined);
    let read = Buffer.alloc(0);
    broker.on('data', (chunk: Buffer) => {
      read = Buffer.concat([read, chunk]);
      while (read.length >= 4 && read.length >= 4 + read.readInt32BE(0)) {
        seen.push(read.readInt32BE(8));
        lastRequest = read.subarray(0, 4 + read.readInt32BE(0));
        read = read.subarray(4 + read.readInt32BE(0));
      }
    });
    const wire = new ProduceWire({ clientId: 'test', topic: TOPIC, timeoutMs: TIMEOUT_MS });
    client = new BrokerSocket(socket, wire, { timeoutMs, onClose: (reason) => void reasons.push(reason) });
  };
  /** The request's outcome, and its id once the broker has read it. */
  const sent = async () => {
    const before = asked.length;
    const outcome = client.send(PARTITION, records).then(
      () => 'acknowledged',
      (error: Error) => error.message,
    );
    await waitUntil(() => asked.length > before, { everyMs: 1, describe: 'the broker has the request' });
    return { outcome, correlationId: asked.at(-1) ?? 0 };
  };

  beforeEach(async () => {
    server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    client.close(new Error('the test is over'));
    broker.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('asks for the acknowledgement of every in-sync replica', async () => {
    await open();
    await sent();
    const [apiKey, version] = [lastRequest.readInt16BE(4), lastRequest.readInt16BE(6)];
    const clientIdEnd = 14 + lastRequest.readInt16BE(12);
    const [transaction, acks] = [lastRequest.readInt16BE(clientIdEnd), lastRequest.readInt16BE(clientIdEnd + 2)];
    expect({ apiKey, version, transaction, acks }).toEqual({ apiKey: 0, version: 7, transaction: -1, acks: -1 });
    expect(lastRequest.readInt32BE(clientIdEnd + 4)).toBe(TIMEOUT_MS);
  });

  it('resolves each request at its own acknowledgement, in their order', async () => {
    await open();
    const all = [await sent(), await sent(), await sent()];
    expect(client.owed).toBe(3);
    const settled: number[] = [];
    for (const { outcome, correlationId } of all) void outcome.then(() => settled.push(correlationId));
    for (const [nth, { correlationId, outcome }] of all.entries()) {
      broker.write(answerBytes({ correlationId }));
      expect(await outcome).toBe('acknowledged');
      expect(settled).toEqual(all.slice(0, nth + 1).map((one) => one.correlationId));
    }
    expect([client.owed, client.isOpen, closed]).toEqual([0, true, []]);
  });

  it('understands an answer that is cut at any byte, and one that comes with the next', async () => {
    await open();
    const length = answerBytes({ correlationId: 0 }).length;
    for (let cut = 1; cut < length; cut += 1) {
      const { outcome, correlationId } = await sent();
      const bytes = answerBytes({ correlationId });
      broker.write(bytes.subarray(0, cut));
      // Back and forth once, so that the first part has been read by itself.
      const next = await sent();
      expect(client.owed).toBe(2);
      broker.write(Buffer.concat([bytes.subarray(cut), answerBytes({ correlationId: next.correlationId })]));
      expect([await outcome, await next.outcome]).toEqual(['acknowledged', 'acknowledged']);
    }
    expect(closed).toEqual([]);
  });

  it.each<[string, Omit<AnswerFields, 'correlationId'> & { idOff?: number }, RegExp]>([
    ['to another request', { idOff: 1 }, /another request/],
    ['to an earlier request', { idOff: -1 }, /another request/],
    ['for another partition', { partition: PARTITION + 1 }, /another partition/],
    ['for another topic', { topic: 'visits \u00fb' }, /another partition/],
    ['for no topic', { topics: 0 }, /another partition/],
    ['for two partitions', { partitions: 2 }, /another partition/],
    ['that is one byte too long', { extra: 1 }, /bytes instead of/],
    ['for a topic with a longer name', { topic: `${TOPIC}x` }, /bytes instead of/],
    ...[-1, 2, 3, 5, 6, 7, 10, 18, 19, 20, 22, 29, 44, 56, 87, 0x7fff].map(
      (errorCode): [string, { errorCode: number }, RegExp] => [
        `with error code ${errorCode}`,
        { errorCode },
        new RegExp(`error code ${errorCode} `),
      ],
    ),
  ])('rejects and closes at an answer %s', async (_, { idOff = 0, ...fields }, message) => {
    await open();
    const first = await sent();
    const second = await sent();
    broker.write(answerBytes({ correlationId: first.correlationId + idOff, ...fields }));
    expect(await first.outcome).toMatch(message);
    expect(await second.outcome).toMatch(message);
    expect([client.isOpen, client.owed, closed.length]).toEqual([false, 0, 1]);
    await expect(client.send(PARTITION, records)).rejects.toThrow('closed');
  });

  it.each([0, -1, 1, 0x7fff_ffff, -0x8000_0000, 0x48545450])(
    'closes at a length of %i as soon as that is read, without waiting for so many bytes',
    async (length) => {
      await open();
      const { outcome } = await sent();
      const bytes = Buffer.alloc(4);
      bytes.writeInt32BE(length);
      broker.write(bytes);
      expect(await outcome).toMatch(/bytes instead of/);
      expect(client.isOpen).toBe(false);
    },
  );

  it('closes at an answer without a request', async () => {
    await open();
    broker.write(answerBytes({ correlationId: 1 }));
    await waitUntil(() => !client.isOpen, { describe: 'it is closed' });
    expect(closed.map(({ message }) => message)).toEqual(['the broker answered without a request']);
  });

  it('closes when an answer is late, also while its first bytes are there', async () => {
    await open(TIMEOUT_MS);
    const { outcome, correlationId } = await sent();
    broker.write(answerBytes({ correlationId }).subarray(0, 20));
    expect(await outcome).toMatch('did not answer in');
    expect(client.isOpen).toBe(false);
  });

  it('takes an answer that arrived while this process was stopped', async () => {
    await open(TIMEOUT_MS);
    const { outcome, correlationId } = await sent();
    // From here the event loop comes to its timers before it reads sockets.
    await new Promise((resolve) => setImmediate(resolve));
    broker.write(answerBytes({ correlationId }));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * TIMEOUT_MS);
    expect(await outcome).toBe('acknowledged');
  });

  it.each([
    ['ends', (socket: Socket) => socket.end()],
    ['is reset', (socket: Socket) => socket.resetAndDestroy()],
  ])('rejects what has no answer when the connection %s in the middle of one', async (_, end) => {
    await open();
    const { outcome, correlationId } = await sent();
    const second = await sent();
    broker.write(answerBytes({ correlationId }));
    broker.write(answerBytes({ correlationId: second.correlationId }).subarray(0, 30));
    expect(await outcome).toBe('acknowledged');
    end(broker);
    expect(await second.outcome).toMatch(/closed the connection|ECONNRESET/);
    expect([client.isOpen, closed.length]).toEqual([false, 1]);
  });

  it('rests for as long as the broker asks', async () => {
    await open();
    const { outcome, correlationId } = await sent();
    broker.write(answerBytes({ correlationId, throttleMs: 200 }));
    expect(await outcome).toBe('acknowledged');
    expect([client.isFree, client.isOpen]).toEqual([false, true]);
    await waitUntil(() => client.isFree, { describe: 'it is free again' });
  });

  it('is not free while five requests have no answer', async () => {
    await open();
    const first = await sent();
    for (let more = 0; more < 3; more += 1) await sent();
    expect(client.isFree).toBe(true);
    await sent();
    expect(client.isFree).toBe(false);
    broker.write(answerBytes({ correlationId: first.correlationId }));
    await first.outcome;
    expect(client.isFree).toBe(true);
  });
});
