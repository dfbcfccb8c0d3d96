import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

import { afterEach, describe, expect, it } from '@jest/globals';

import { BadHttp } from './bad-http.js';
import { createBoundedServer, endedConnections } from './bounded-server.js';

const LARGE = Buffer.alloc(1_024 * 1_024, 'a');
const ended: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

async function serve(handle: RequestListener, bounds?: Parameters<typeof createBoundedServer>[2]): Promise<number> {
  const server = createBoundedServer({}, handle, bounds);
  const badHttp = new BadHttp();
  badHttp.follow(server);
  server.on('clientError', badHttp.refuse);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ended.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

async function client(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  ended.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const gets = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `GET /${from + n} HTTP/1.1\r\nhost: a\r\n\r\n`).join('');

/** Reads until so many answers are here. @returns their bodies, in order */
async function bodiesOf(socket: Socket, count: number): Promise<string[]> {
  let text = '';
  let ends = 0;
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    text += chunk.toString('latin1');
    ends += chunk.filter((byte) => byte === '>'.charCodeAt(0)).length;
    if (ends >= count) return [...text.matchAll(/\r\n\r\n<([^>]*)>/g)].map(([, body]) => String(body));
  }
  throw new Error(`the connection ended after ${text.length} bytes`);
}

/** Some time for a server that does too much to do it. */
async function turns(): Promise<void> {
  for (let n = 0; n < 200; n += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('a bounded server', () => {
  it('answers pipelined requests one after the other, all of them and in order, bodies included', async () => {
    let running = 0;
    let most = 0;
    const port = await serve((request, response) => {
      most = Math.max(most, (running += 1));
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () =>
        setImmediate(() => {
          running -= 1;
          response.end(`<${request.url} ${Buffer.concat(chunks).length}>`);
        }),
      );
    });
    const socket = await client(port);
    const large = `POST /large HTTP/1.1\r\nhost: a\r\ncontent-length: ${LARGE.length}\r\n\r\n`;
    socket.write(gets(1_400));
    socket.write(large);
    socket.write(LARGE);
    socket.write(gets(1_400, 1_400));
    const bodies = await bodiesOf(socket, 2_801);
    const expected = Array.from({ length: 2_800 }, (_, n) => `/${n} 0`);
    expected.splice(1_400, 0, `/large ${LARGE.length}`);
    expect(bodies).toEqual(expected);
    expect(most).toBe(1);
    // The connection serves on as any other.
    socket.write(gets(1, 7));
    expect(await bodiesOf(socket, 1)).toEqual(['/7 0']);
  });

  it('begins no answer, and reads no request, while an earlier answer is not read', async () => {
    let begun = 0;
    let bytesRead = () => 0;
    const port = await serve((request, response) => {
      begun += 1;
      bytesRead = () => request.socket.bytesRead;
      response.end(LARGE);
    });
    const socket = await client(port);
    socket.pause();
    socket.write(gets(100_000));
    await turns();
    // What the system takes for a client that does not read is at most some MB; a read of the socket is 64 KB.
    expect([begun < 16, bytesRead() < 1_024 * 256]).toEqual([true, true]);
    // Others are served.
    const other = await client(port);
    other.write(gets(1));
    expect(String((await once(other, 'data'))[0])).toContain('200 OK');
  });

  it('reads no request while a slow one is answered', async () => {
    const answer = new Map<string, () => void>();
    let bytesRead = () => 0;
    const port = await serve((request, response) => {
      answer.set(request.url ?? '', () => response.end('<ok>'));
      bytesRead = () => request.socket.bytesRead;
    });
    const socket = await client(port);
    socket.write(gets(100_000));
    await turns();
    expect([answer.size, bytesRead() <= 64 * 1_024]).toEqual([1, true]);
    answer.get('/0')?.();
    expect(await bodiesOf(socket, 1)).toEqual(['ok']);
    await turns();
    expect([...answer.keys()]).toEqual(['/0', '/1']);
  });

  it('does nothing for a client that left before its request had its turn', async () => {
    const begun: string[] = [];
    let answerFirst: () => void = () => undefined;
    const port = await serve((request, response) => {
      begun.push(request.url ?? '');
      answerFirst = () => response.end('late');
    });
    const socket = await client(port);
    socket.write(gets(3));
    await turns();
    socket.resetAndDestroy();
    await turns();
    answerFirst();
    await turns();
    expect(begun).toEqual(['/0']);
  });

  it('does not handle a request whose body turned out to be broken before its turn came', async () => {
    const begun: string[] = [];
    let answerFirst: () => void = () => undefined;
    const port = await serve((request, response) => {
      begun.push(request.url ?? '');
      answerFirst = () => response.end('first');
    });
    const socket = await client(port);
    socket.write(`${gets(1)}GET /1 HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nno length\r\n`);
    await turns();
    answerFirst();
    let text = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString();
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(begun).toEqual(['/0']);
  });

  it('ends the connection whose requests would be more than may wait in all, and no other', async () => {
    const port = await serve((request, response) => void (request.url === '/0' || response.end('<ok>')), {
      mostWaiting: 100,
    });
    const [modest, greedy] = [await client(port), await client(port)];
    modest.write(gets(50));
    await turns();
    greedy.write(gets(60));
    await once(greedy.resume(), 'close');
    // What waited for it waits no more.
    const third = await client(port);
    third.write(gets(50));
    await turns();
    expect([modest.destroyed, third.destroyed]).toEqual([false, false]);
  });

  it('ends the connection with the most pending requests, and none of the modest ones that come later', async () => {
    const port = await serve((request, response) => void (request.url === '/0' || response.end('<ok>')), {
      mostWaiting: 100,
    });
    const before = endedConnections().waiting;
    const greedy = await client(port);
    greedy.write(gets(100));
    await turns();
    const modest = [await client(port), await client(port)];
    for (const socket of modest) socket.write(gets(5));
    await once(greedy.resume(), 'close');
    await turns();
    expect(modest.map(({ closed }) => closed)).toEqual([false, false]);
    expect(endedConnections().waiting - before).toBe(1);
  });

  it.each([
    ['a usual target', gets(1)],
    ['a target with bytes that are not percent-encoded', 'GET /größe HTTP/1.1\r\nhost: a\r\n\r\n'],
  ])('ends the connection of a client that takes nothing of its answer, not that of a slow one: %s', async (_, get) => {
    // The system holds some megabytes for the slow one: the server sees nothing taken until they are read, on a loaded machine late.
    const port = await serve((_, response) => void response.end(Buffer.alloc(16 * LARGE.length)), { unreadMs: 2_000 });
    const before = endedConnections().unread;
    const [silent, slow] = [await client(port), await client(port)];
    let received = 0;
    slow.on('data', (chunk: Buffer) => {
      received += chunk.length;
      slow.pause();
      setTimeout(() => slow.resume(), 4);
    });
    silent.pause();
    for (const socket of [silent, slow]) socket.write(get);
    const isCut = once(slow, 'close');
    while (received < 16 * LARGE.length && !slow.destroyed) await Promise.race([once(slow, 'data'), isCut]);
    expect(received).toBeGreaterThanOrEqual(16 * LARGE.length);
    while (endedConnections().unread === before) await turns();
    silent.resume();
    await once(silent, 'close');
    expect(silent.bytesRead).toBeLessThan(16 * LARGE.length);
    expect(endedConnections().unread - before).toBe(1);
  });
});
