import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createLogger } from '@hopcount/runtime';
import { waitUntil } from '@hopcount/testing';
import { afterEach, describe, expect, it } from '@jest/globals';

import { RequestLog } from './request-log.js';

const EVENT = '0199c2a0-0000-7000-8000-0000000000ff';

describe('the log of requests', () => {
  let server: Server | undefined;
  afterEach(() => void server?.close());

  it('is one line at debug, with the event id of the visit and nothing of who came', async () => {
    const lines: string[] = [];
    const logger = createLogger({ name: 'spec', level: 'debug' }, () => ({ write: (line) => void lines.push(line) }));
    const log = RequestLog.at(logger)!;
    const handle = log.around((request, response) => {
      if (request.url?.startsWith('/known') === true) log.became(request, EVENT);
      response.writeHead(302, ['set-cookie', 'hc_visitor=tasty']);
      response.end();
    });
    server = createServer(handle).listen(0, '127.0.0.1');
    await waitUntil(() => server!.listening, { describe: 'the server' });
    const { port } = server.address() as AddressInfo;
    for (const path of ['/known?email=ada@example.com', '/other']) {
      get({ port, path, headers: { cookie: 'hc_visitor=tasty', 'user-agent': 'Browser/1' }, agent: false }).end();
    }
    await waitUntil(() => lines.length === 2, { describe: 'two lines' });
    const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const expected = { msg: 'request', method: 'GET', status: 302, durationMs: expect.any(Number) };
    expect(said).toEqual(expect.arrayContaining([expect.objectContaining({ ...expected, eventId: EVENT })]));
    expect(said.filter(({ eventId }) => eventId === undefined)).toMatchObject([expected]);
    for (const personal of ['ada@example.com', 'tasty', 'Browser', '127.0.0.1', 'known']) {
      expect(lines.join('')).not.toContain(personal);
    }
  });

  it('is nothing, and costs nothing, above debug', () => {
    expect(RequestLog.at(createLogger({ name: 'spec', level: 'info' }))).toBeUndefined();
  });
});
