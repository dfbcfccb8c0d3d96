import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

import { waitUntil } from '@hopcount/testing';
import { afterEach, describe, expect, it } from '@jest/globals';

import { LargePages } from './large-pages.js';

/** More than the system takes of an answer whose client does not read. */
const PAGE = Buffer.alloc(16 * 1_024 * 1_024, 'x');
const KEY = { kind: 'key', id: 1 } as const;
const OTHER_KEY = { kind: 'key', id: 2 } as const;

describe('large pages', () => {
  const closing: (() => void)[] = [];
  afterEach(() => closing.splice(0).forEach((close) => close()));

  /** Each connection asks for a page; `send` ends the first one that may be made. */
  async function serve(bounds: ConstructorParameters<typeof LargePages>[0]) {
    const pages = new LargePages({ checkMs: 20, ...bounds });
    const begun: ServerResponse[] = [];
    const refused: unknown[] = [];
    const server = createServer((request, response) => {
      const asker = request.headers['x-other'] === undefined ? KEY : OTHER_KEY;
      pages.enter(asker, response).then(
        () => begun.push(response),
        (error: unknown) => {
          refused.push(error);
          response.writeHead(503).end();
        },
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    const ask = async (headers = ''): Promise<Socket> => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
      // The server may end it.
      socket.on('error', () => undefined);
      closing.push(() => socket.destroy());
      await once(socket, 'connect');
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
      return socket;
    };
    const become = (count: number, of: unknown[]) =>
      waitUntil(() => Promise.resolve(of.length === count), { describe: `${count} pages`, timeoutMs: 10_000 });
    return { pages, ask, begun, refused, haveBegun: (count: number) => become(count, begun), become };
  }

  it('are made so many at a time, for all keys together, and the next one when one has ended', async () => {
    const { ask, begun, haveBegun } = await serve({ mostMade: 2, checkMs: 60_000 });
    for (let n = 0; n < 4; n += 1) await ask(n % 2 === 0 ? '' : 'X-Other: 1\r\n');
    await haveBegun(2);
    // Later than both others could have come.
    await ask().then((socket) => socket.destroy());
    expect(begun).toHaveLength(2);
    begun[0]?.end('short');
    await haveBegun(3);
    begun[1]?.end('short');
    await haveBegun(4);
  });

  it('wait while too much of those before them is unsent, until its client takes it', async () => {
    const { ask, begun, haveBegun } = await serve({ mostMade: 2, mostUnsentBytes: 1_024, checkMs: 60_000 });
    const slow = await ask();
    await haveBegun(1);
    begun[0]?.end(PAGE);
    await ask();
    await ask();
    expect(begun).toHaveLength(1);
    slow.resume();
    await haveBegun(3);
  });

  it('do not wait for a client that takes nothing: its connection ends', async () => {
    const { ask, begun, haveBegun } = await serve({ mostMade: 2, mostUnsentBytes: 1_024 });
    const silent = await ask();
    await haveBegun(1);
    begun[0]?.end(PAGE);
    await ask();
    await haveBegun(2);
    const ended = once(silent.resume(), 'close');
    await ended;
    expect(silent.bytesRead).toBeLessThan(PAGE.length);
  });

  it('are refused, to be asked for again, where a key asks for too many or one waits for too long', async () => {
    const { ask, begun, refused, haveBegun, become } = await serve({ mostMade: 1, most: { ofAll: 9, ofOne: 2 } });
    await ask();
    await haveBegun(1);
    await ask();
    await ask();
    await become(1, refused);
    await ask('X-Other: 1\r\n');
    // Both that wait.
    await become(3, refused);
    expect(refused).toEqual(Array(3).fill(expect.objectContaining({ code: 'too-many-pages', retryable: true })));
    begun[0]?.end();
    await ask();
    await haveBegun(2);
  });

  it('take no place for a client that has left before, whose response closes no more', async () => {
    const { ask, begun, haveBegun, pages } = await serve({ mostMade: 1, checkMs: 60_000 });
    const socket = await ask();
    await haveBegun(1);
    const [left] = begun;
    const closed = once(left!, 'close');
    socket.destroy();
    await closed;
    for (let n = 0; n < 20; n += 1) {
      await expect(pages.enter(KEY, left!)).rejects.toMatchObject({ code: 'too-many-pages' });
    }
    await ask();
    await haveBegun(2);
  });

  it('are not made for a client that left while it waited', async () => {
    const { ask, begun, refused, haveBegun, become } = await serve({ mostMade: 1, checkMs: 60_000 });
    await ask();
    await haveBegun(1);
    (await ask()).destroy();
    await become(1, refused);
    begun[0]?.end();
    await ask();
    await haveBegun(2);
  });
});
