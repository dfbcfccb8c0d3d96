import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { BadHttp } from './bad-http.js';
import { createBoundedServer } from './bounded-server.js';

const DEADLINE_MS = 1_000;
const LONGER_MS = 3 * DEADLINE_MS;
/** More than is read of a connection before its requests have had their turn. */
const LARGE = 512 * 1_024;
const TIMEOUTS = { requestTimeout: DEADLINE_MS, headersTimeout: DEADLINE_MS, connectionsCheckingInterval: 20 };

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;
const post = (path: string, bytes = LARGE) => `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${bytes}\r\n\r\n`;
const BODY = 'b'.repeat(LARGE);

let server: Server;
let socket: Socket;
let received: string;

beforeEach(async () => {
  server = createBoundedServer(TIMEOUTS, (request, response) => {
    // A body that does not come whole is an error of its request.
    answer(request, response).catch(() => undefined);
  });
  const badHttp = new BadHttp();
  badHttp.follow(server);
  await once(server.on('clientError', badHttp.refuse).listen(0, '127.0.0.1'), 'listening');
  received = '';
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
  socket.on('data', (chunk: string) => (received += chunk)).on('error', () => undefined);
  await once(socket, 'connect');
});
afterEach(() => {
  socket.destroy();
  server.closeAllConnections();
  server.close();
});

/** `/slow` is answered, and the body of `/unread` is read, when a deadline would long be over. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url !== '/now') await wait(LONGER_MS);
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) bytes += chunk.length;
  response.end(`<${bytes}>`);
}

const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

async function untilAnswered(count: number): Promise<void> {
  while (statuses().length < count && !socket.closed) await wait(5);
}

/** Sends a byte now and then: something always comes. @returns when the server has ended the connection */
async function dripUntilClosed(byte: string): Promise<void> {
  const timer = setInterval(() => socket.writable && socket.write(byte), 20);
  if (!socket.closed) await once(socket, 'close');
  clearInterval(timer);
}

describe('the deadline of a request', () => {
  it('does not count the time in which an earlier answer was not sent: a body', async () => {
    socket.write(get('/slow') + post('/now') + BODY);
    await untilAnswered(2);
    expect(statuses()).toEqual([200, 200]);
    expect(received).toContain(`<${LARGE}>`);
  });

  it('does not count it for a head of which a part had come', async () => {
    socket.write(get('/slow') + get('/now') + post('/now').slice(0, 12));
    await untilAnswered(2);
    socket.write(post('/now').slice(12) + BODY);
    await untilAnswered(3);
    expect(statuses()).toEqual([200, 200, 200]);
  });

  it('does not count the time in which a handler did not take the body', async () => {
    socket.write(post('/unread') + BODY);
    await untilAnswered(1);
    expect(statuses()).toEqual([200]);
    expect(received).toContain(`<${LARGE}>`);
  });

  it('is that of any request for what comes later on such a connection', async () => {
    socket.write(get('/slow') + post('/now') + BODY);
    await untilAnswered(2);
    socket.write(get('/now'));
    await untilAnswered(3);
    socket.write(post('/now'));
    await dripUntilClosed('b');
    expect(statuses()).toEqual([200, 200, 200, 408]);
  });

  it.each([
    ['a head', get('/now').slice(0, 20), 'h', [408]],
    ['a body', post('/now'), 'b', [408]],
    ['a body behind a slow answer', get('/slow') + post('/now'), 'b', [200, 408]],
    ['a head behind slow answers', `${get('/slow')}${get('/now')}GET /n`, 'h', [200, 200, 408]],
    ['a body that its handler takes slowly', post('/unread', 2 * LARGE) + BODY, 'b', [408]],
  ])('ends a connection on which %s comes byte by byte', async (_, begin, byte, expected) => {
    socket.write(begin);
    await dripUntilClosed(byte);
    expect(statuses()).toEqual(expected);
  });

  it('ends a connection whose late head comes at last, and its body byte by byte', async () => {
    socket.write(`${get('/slow')}${get('/now')}POST /n`);
    await untilAnswered(2);
    socket.write(post('/now').slice('POST /n'.length));
    await dripUntilClosed('b');
    expect(statuses()).toEqual([200, 200, 408]);
  });
});
