import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

import { FreezingProxy, serviceAddress, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Kafka, logLevel } from 'kafkajs';

import { watchedSocketFactory } from './watched-socket.js';

const SILENCE_MS = 200;
/** One of the looks at a socket; the fifth in a row that finds it waiting is too much. */
const LOOK_MS = SILENCE_MS / 4;
const FEW = 4;
/** More than any limit below. */
const MANY = 50;

const limits = { silenceMs: SILENCE_MS };

/** The looks are the only thing on a false clock: sockets are real, and a slow machine changes nothing. */
const useFalseIntervals = () =>
  jest.useFakeTimers({
    doNotFake: [
      ...(['Date', 'hrtime', 'performance', 'nextTick', 'queueMicrotask'] as const),
      ...(['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
    ],
  });
const look = (times: number) => jest.advanceTimersByTime(times * LOOK_MS);

describe('a socket to a broker', () => {
  const open = new Set<{ destroy: () => unknown }>();
  const servers = new Set<Server>();
  afterEach(async () => {
    for (const socket of open) socket.destroy();
    await Promise.all([...servers].map((server) => new Promise((resolve) => server.close(resolve))));
    open.clear();
    servers.clear();
  });

  const listen = async (onConnection: (socket: Socket) => void) => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      open.add(socket);
      socket.on('error', () => undefined);
      onConnection(socket);
    });
    servers.add(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as { port: number }).port;
  };
  const silently = (socket: Socket) => socket.resume();
  const answering = (socket: Socket) => socket.on('data', (bytes) => socket.write(bytes));

  /** As kafkajs does it: listeners at once, `ssl` null. */
  const connected = async (port: number, joinSilenceMs?: number) => {
    const factory = watchedSocketFactory({ ...limits, ...(joinSilenceMs === undefined ? {} : { joinSilenceMs }) });
    const seen = { read: 0, errors: [] as unknown[] };
    const socket = await new Promise<Socket>((resolve) => {
      const made = factory({ host: '127.0.0.1', port, ssl: null, onConnect: () => resolve(made) } as never);
      made.on('data', (bytes) => (seen.read += bytes.length));
      made.on('error', (error) => seen.errors.push(error));
    });
    open.add(socket);
    return { socket, seen };
  };
  const request = (apiKey: number) => {
    const bytes = Buffer.alloc(16);
    bytes.writeInt16BE(apiKey, 4);
    return bytes;
  };

  describe('looked at', () => {
    beforeEach(() => void useFalseIntervals());
    afterEach(() => void jest.useRealTimers());

    /** A request whose answer has arrived. */
    const ask = async ({ socket, seen }: Awaited<ReturnType<typeof connected>>) => {
      const before = seen.read;
      socket.write(request(3));
      await waitUntil(() => seen.read > before, { describe: 'the answer' });
    };

    it('is given up when the broker owes an answer and stays silent', async () => {
      const { socket, seen } = await connected(await listen(silently));
      socket.write(request(3));
      look(FEW);
      expect(socket.destroyed).toBe(false);
      look(1);
      expect(socket.destroyed).toBe(true);
      await waitUntil(() => seen.errors.length > 0, { describe: 'kafkajs hears of it' });
      expect(seen.errors).toEqual([expect.objectContaining({ code: 'ETIMEDOUT' })]);
    });

    it('is given up when the answers end, also while requests go on', async () => {
      let answers = 1;
      const port = await listen((socket) => socket.on('data', (bytes) => answers-- > 0 && socket.write(bytes)));
      const connection = await connected(port);
      await ask(connection);
      for (let silent = 0; silent < FEW; silent += 1) {
        connection.socket.write(request(3));
        look(1);
        expect(connection.socket.destroyed).toBe(false);
      }
      look(1);
      expect(connection.socket.destroyed).toBe(true);
    });

    it('is kept while answers come', async () => {
      const connection = await connected(await listen(answering));
      for (let asked = 0; asked < 5; asked += 1) {
        await ask(connection);
        connection.socket.write(request(3));
        look(FEW - 1);
        await ask(connection);
      }
      expect(connection.socket.destroyed).toBe(false);
    });

    it('is kept while nothing is asked, at first and after an answer', async () => {
      const connection = await connected(await listen(answering));
      look(MANY);
      await ask(connection);
      look(MANY);
      expect(connection.socket.destroyed).toBe(false);
    });

    it('may be silent for longer after a JoinGroup', async () => {
      const { socket } = await connected(await listen(silently), 20 * LOOK_MS);
      socket.write(request(11));
      look(19);
      expect(socket.destroyed).toBe(false);
      look(1);
      expect(socket.destroyed).toBe(true);
    });

    it('is closed without an error when it was ended and the other side never answers', async () => {
      const { socket, seen } = await connected(await listen(silently));
      const closed = once(socket, 'close');
      socket.write(request(3));
      socket.end();
      look(FEW + 1);
      await closed;
      expect(seen.errors).toEqual([]);
    });
  });

  it('is kept when this process was stopped and the answer has arrived meanwhile', async () => {
    const worker = new Worker(
      `const server = require('node:net').createServer((socket) => socket.on('data', (bytes) => socket.write(bytes)));
       server.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(server.address().port));`,
      { eval: true },
    );
    const [port] = (await once(worker, 'message')) as [number];
    const { socket, seen } = await connected(port);
    socket.write(request(3));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 * SILENCE_MS);
    await waitUntil(() => seen.read > 0 || socket.destroyed, { describe: 'the answer' });
    expect(socket.destroyed).toBe(false);
    await worker.terminate();
  });

  it('is replaced by kafkajs: a flow that was forgotten does not last', async () => {
    const [broker = ''] = serviceAddress('KAFKA_BROKERS').split(',');
    const proxy = await FreezingProxy.listen(new URL(`tcp://${broker}`));
    const factory = watchedSocketFactory({ silenceMs: 1_200 });
    const admin = new Kafka({
      clientId: 'watched-socket-spec',
      brokers: [broker],
      requestTimeout: 1_000,
      retry: { retries: 0 },
      // Whatever address the broker names, the way to it is the proxy.
      socketFactory: (args) => factory({ ...args, host: '127.0.0.1', port: proxy.port }),
      logLevel: logLevel.NOTHING,
    }).admin();
    await admin.connect();
    try {
      await admin.listTopics();
      proxy.forget();
      await expect(admin.listTopics()).rejects.toThrow();
      await waitUntil(() => admin.listTopics(), { describe: 'kafkajs asks over a new connection', timeoutMs: 10_000 });
      expect(proxy.swallowed).toBeGreaterThan(0);
    } finally {
      await admin.disconnect();
      await proxy.close();
    }
  });
});
