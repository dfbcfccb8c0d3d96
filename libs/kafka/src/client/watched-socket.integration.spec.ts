import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { FreezingProxy, serviceAddress, waitUntil } from '@hopcount/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Kafka, logLevel } from 'kafkajs';

import { watchedSocketFactory } from './watched-socket.js';

const REQUEST_TIMEOUT_MS = 150;
const GRACE_MS = 50;
const SILENCE_MS = REQUEST_TIMEOUT_MS + GRACE_MS;
/** Long enough for any look that would be wrong. */
const LONG_MS = 5 * SILENCE_MS;

const limits = { requestTimeoutMs: REQUEST_TIMEOUT_MS, graceMs: GRACE_MS };

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

  it('is given up when the broker owes an answer and stays silent', async () => {
    const { socket, seen } = await connected(await listen(silently));
    socket.write(request(3));
    await waitUntil(() => socket.destroyed, { describe: 'the socket is given up' });
    await waitUntil(() => seen.errors.length > 0, { describe: 'kafkajs hears of it' });
    expect(seen.errors).toEqual([expect.objectContaining({ code: 'ETIMEDOUT' })]);
  });

  it('is given up when the answers end, also while requests go on', async () => {
    let answers = 3;
    const port = await listen((socket) => socket.on('data', (bytes) => answers-- > 0 && socket.write(bytes)));
    const { socket, seen } = await connected(port);
    await waitUntil(
      async () => {
        if (!socket.destroyed) socket.write(request(3));
        await sleep(20);
        return socket.destroyed;
      },
      { describe: 'the socket is given up' },
    );
    expect(seen.read).toBeGreaterThan(0);
  });

  it('is kept while answers come', async () => {
    const { socket, seen } = await connected(await listen(answering));
    for (let waitedMs = 0; waitedMs < LONG_MS; waitedMs += 20) {
      socket.write(request(3));
      await sleep(20);
    }
    expect(socket.destroyed).toBe(false);
    expect(seen.read).toBeGreaterThan(0);
  });

  it('is kept while nothing is asked, at first and after an answer', async () => {
    const { socket, seen } = await connected(await listen(answering));
    await sleep(LONG_MS);
    expect(socket.destroyed).toBe(false);
    socket.write(request(3));
    await waitUntil(() => seen.read > 0, { describe: 'the answer' });
    await sleep(LONG_MS);
    expect(socket.destroyed).toBe(false);
  });

  it('may be silent for longer after a JoinGroup', async () => {
    const { socket } = await connected(await listen(silently), 3 * LONG_MS);
    socket.write(request(11));
    await sleep(LONG_MS);
    expect(socket.destroyed).toBe(false);
    await waitUntil(() => socket.destroyed, { describe: 'the socket is given up in the end' });
  });

  it('is closed without an error when it was ended and the other side never answers', async () => {
    const { socket, seen } = await connected(await listen(silently));
    socket.write(request(3));
    socket.end();
    await waitUntil(() => socket.destroyed, { describe: 'the socket is closed' });
    await sleep(SILENCE_MS);
    expect(seen.errors).toEqual([]);
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
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LONG_MS);
    await waitUntil(() => seen.read > 0 || socket.destroyed, { describe: 'the answer' });
    expect(socket.destroyed).toBe(false);
    await worker.terminate();
  });

  it('is replaced by kafkajs: a flow that was forgotten does not last', async () => {
    const [broker = ''] = serviceAddress('KAFKA_BROKERS').split(',');
    const proxy = await FreezingProxy.listen(new URL(`tcp://${broker}`));
    const factory = watchedSocketFactory({ requestTimeoutMs: 1_000, graceMs: 200 });
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
