import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

import { waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { seededRandom } from '../harness/random.js';
import { FaultProxy, kafkaClientId } from './fault-proxy.js';

describe('the fault proxy', () => {
  let echo: Server;
  let received: string;
  let proxy: FaultProxy;
  const open: Socket[] = [];

  beforeEach(async () => {
    received = '';
    echo = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        received += chunk.toString();
        socket.write(chunk);
      });
    });
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await FaultProxy.listen(0, (echo.address() as { port: number }).port);
  });

  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    await proxy.close();
    await new Promise((resolve) => echo.close(resolve));
  });

  async function client() {
    const socket = connect(proxy.port, '127.0.0.1');
    open.push(socket);
    const seen = { text: '', error: '' };
    socket.on('data', (chunk) => (seen.text += chunk.toString()));
    socket.on('error', (error: NodeJS.ErrnoException) => (seen.error = error.code ?? ''));
    await once(socket, 'connect');
    return { socket, seen };
  }

  it('passes bytes on, in order also when a delay ends', async () => {
    const { socket, seen } = await client();
    proxy.break({ kind: 'latency', ms: 80 });
    socket.write('slow ');
    await waitUntil(() => proxy.touched > 0, { describe: 'bytes are delayed' });
    proxy.heal();
    socket.write('fast');
    await waitUntil(() => seen.text === 'slow fast', { describe: 'both arrive' });
  });

  it('loses an answer after the request was done, and resets', async () => {
    const { socket, seen } = await client();
    proxy.break({ kind: 'lose-answers', share: 1, random: seededRandom(1) });
    socket.write('COMMIT');
    await new Promise((resolve) => socket.once('close', resolve));
    expect([received, seen, proxy.touched]).toEqual(['COMMIT', { text: '', error: 'ECONNRESET' }, 1]);
  });

  it('swallows everything without a word, and resets those connections when healed', async () => {
    const { socket, seen } = await client();
    proxy.break({ kind: 'blackhole' });
    socket.write('hello?');
    await waitUntil(() => proxy.touched > 0, { describe: 'bytes are swallowed' });
    expect([received, seen]).toEqual(['', { text: '', error: '' }]);
    proxy.heal();
    await new Promise((resolve) => socket.once('close', resolve));
    const next = await client();
    next.socket.write('again');
    await waitUntil(() => next.seen.text === 'again', { describe: 'a new connection works' });
  });

  it('tells Kafka clients apart by the id in their first request', () => {
    const request = Buffer.alloc(14 + 16);
    request.writeInt16BE(16, 12);
    request.write('hopcount-gateway', 14);
    expect(kafkaClientId(request)).toBe('hopcount-gateway');
    expect([kafkaClientId(Buffer.from('PING\r\n')), kafkaClientId(request.subarray(0, 20))]).toEqual(['', '']);
  });
});
