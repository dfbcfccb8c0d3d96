import type { Duplex } from 'node:stream';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { RequestLog } from '../request-log.js';
import { RequestTraces } from '../tracing/request-traces.js';
import type { Handle } from './exchange.js';
import {
  connectTo,
  exchange,
  type Mutation,
  mutated,
  pass,
  PIECES,
  readByNode,
  seen,
  servers,
  USUAL_HEADS,
} from './front.spec-helpers.js';
import { readHead } from './read-head.js';

/** Of turns of the event loop between two chunks: by then what came before is answered. */
const LONGEST_PAUSE = 8;

const mutations = fc.array(
  fc.record<Mutation>({
    kind: fc.constantFrom('insert', 'delete', 'replace', 'line', 'twice'),
    at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    piece: fc.oneof(
      fc.constantFrom(...PIECES),
      fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
    ),
  }),
  { maxLength: 4 },
);
const heads = fc.tuple(fc.constantFrom(...USUAL_HEADS), mutations).map(([head, made]) => mutated(head, made));

const answer: Handle = (request, response) => {
  const { cookie = 'none', 'x-forwarded-for': client = 'none' } = request.headers;
  const body = Buffer.from(request.url === '/page' ? 'a page' : '');
  response.writeHead(request.url === '/page' ? 404 : 302, [
    ...['location', `https://example.com${request.url}`.replace(/[^!-~]/g, '_')],
    ...['x-seen', `${request.method} ${cookie} ${String(client)}`.replace(/[^ -~]/g, '_')],
    ...['content-length', String(body.length)],
  ]);
  response.end(request.method === 'HEAD' || body.length === 0 ? undefined : body);
};
/** Its answer waits when the chunk turns out to be none. */
const BROKEN_BEHIND_UNENCODED = Buffer.from(
  'GET /caf\xe9 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'latin1',
);
/** Of a client that goes before. */
const leaving: Handle = (request, response) => {
  (request.socket as Duplex).destroy();
  setTimeout(() => answer(request, response), 1);
};
const late: Handle = (request, response) => void setImmediate(() => answer(request, response));

describe('the head of a request', () => {
  it.each(USUAL_HEADS.slice(0, 4))('is read where it is usual: %j', async (head) => {
    const bytes = Buffer.from(head, 'latin1');
    const read = readHead(bytes);
    expect(read && seen({ ...read, socket: { destroyed: false } })).toEqual(await readByNode(bytes));
    expect(read).toBeDefined();
  });

  it.each([
    ['a body', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n'],
    ['a body in chunks', 'GET / HTTP/1.1\r\nHost: a\r\nTRANSFER-encoding: chunked\r\n\r\n'],
    ['another protocol', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'],
    ['a wait for 100', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n'],
    ['its end', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['HTTP/1.0', 'GET / HTTP/1.0\r\nHost: a\r\n\r\n'],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\nAccept: */*\r\n\r\n'],
    ['two cookies', 'GET / HTTP/1.1\r\nHost: a\r\nCookie: a\r\nCookie: b\r\n\r\n'],
    ['a method with a body', 'POST / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an absolute target', 'GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['bytes that are not encoded', 'GET /caf\xe9 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a folded line', 'GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n'],
    ['a blank before a colon', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n'],
    ['a control', 'GET / HTTP/1.1\r\nHost: a\r\nX: \u0001\r\n\r\n'],
    ['lines without CR', 'GET / HTTP/1.1\nHost: a\n\n'],
    ['another one behind it', 'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['more than 16 KB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(16_384)}\r\n\r\n`],
    ['more than 100 lines', `GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(100)}\r\n`],
  ])("is Node's with %s", (_, head) => {
    expect(readHead(Buffer.from(head, 'latin1'))).toBeUndefined();
  });

  it("is Node's at every byte before its end", () => {
    for (const head of USUAL_HEADS.slice(0, 4)) {
      for (let end = 0; end < head.length; end += 1)
        expect(readHead(Buffer.from(head.slice(0, end), 'latin1'))).toBeUndefined();
    }
  });

  it('is never read as anything but what Node reads', async () => {
    let read = 0;
    const sameAsNode = fc.asyncProperty(heads, async (bytes) => {
      const head = readHead(bytes);
      if (head === undefined) return;
      read += 1;
      expect(seen({ ...head, socket: { destroyed: false } })).toEqual(await readByNode(bytes));
    });
    await fc.assert(sameAsNode, { numRuns: Number(process.env['FUZZED_HEADS'] ?? 10_000) });
    expect(read).toBeGreaterThan(1_000);
  });
});

describe('a connection', () => {
  /** Heads, whole and damaged, one after the other, cut anywhere. */
  const streams = fc.tuple(
    fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...USUAL_HEADS).map((head) => Buffer.from(head, 'latin1')) },
        heads,
      ),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
    fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
    fc.boolean(),
    fc.constantFrom(0, 1, LONGEST_PAUSE),
  );

  it.each([
    ['at once', answer],
    ['later', late],
  ])('that is answered %s gets the bytes that Node would send, to the same requests', async (_, handle) => {
    const { node, front, handled, tally } = servers(handle);
    const sameBytes = fc.asyncProperty(streams, async ([requests, cuts, isSplit, turns]) => {
      handled.node.length = 0;
      handled.front.length = 0;
      const chunks = isSplit ? cutAt(Buffer.concat(requests), cuts) : requests;
      // Whether a broken request still has its turn when it turns out to be broken is a matter of time with Node, too.
      const isBroken = requests.some((bytes) => !USUAL_HEADS.includes(bytes.toString('latin1')));
      const pause = isBroken ? LONGEST_PAUSE : turns;
      const expected = await exchange(node, chunks, pause);
      expect(await exchange(front, chunks, pause)).toBe(expected);
      expect(handled.front).toEqual(handled.node);
    });
    await fc.assert(sameBytes, {
      numRuns: Number(process.env['FUZZED_STREAMS'] ?? 1_500),
      examples: [[[[BROKEN_BEHIND_UNENCODED], [], false, 8]]],
    });
    expect(Math.min(tally.front.requests, tally.front.handovers)).toBeGreaterThan(500);
  });
});

describe('a connection of the front', () => {
  const [FIRST = '', SECOND = ''] = USUAL_HEADS;

  it('handles nothing that comes behind an answer that ends it: it is asked for again elsewhere', async () => {
    const { front, handled } = servers((_, response) => {
      response.writeHead(302, ['content-length', '0', 'connection', 'close']);
      response.end();
    });
    await exchange(front, [Buffer.from(FIRST), Buffer.from(SECOND)], 1);
    expect(handled.front).toHaveLength(1);
  });

  it('ends a response once whose client has just gone, as one that did not arrive', async () => {
    const ends: boolean[] = [];
    const { front } = servers((request, response) => {
      response.once('close', () => ends.push(response.writableFinished));
      response.destroy();
      answer(request, response);
    });
    await exchange(front, [Buffer.from(FIRST)], 1);
    expect(ends).toEqual([false]);
  });

  it('waits for a client that is slow to read, as Node does', async () => {
    const sockets: Duplex[] = [];
    const body = Buffer.alloc(200_000, 'a');
    const { front, tally } = servers(({ socket }, response) => {
      sockets.push(socket as Duplex);
      response.writeHead(200, ['content-length', String(body.length)]);
      response.end(body);
    });
    const client = connectTo(front);
    client.write(FIRST);
    await pass(2);
    expect(sockets[0]?.emit('timeout')).toBe(true);
    expect([sockets[0]?.destroyed, tally.front]).toEqual([false, { requests: 1, handovers: 1 }]);
    client.destroy();
  });

  it('is logged and traced as one of Node, also when its client goes', async () => {
    const noted = { node: [] as unknown[], front: [] as unknown[] };
    const notedBy = async (by: keyof typeof noted, isGone: boolean) => {
      const logger = {
        isLevelEnabled: () => true,
        debug: (fields: object) => noted[by].push({ ...fields, durationMs: 0 }),
      };
      const root = {
        set: (fields: object) => noted[by].push(fields),
        fail: () => 0,
        end: () => noted[by].push('ended'),
      };
      const log = RequestLog.at(logger as never)!;
      const traces = new RequestTraces({ start: () => root } as never);
      const all = servers(traces.around(log.around(isGone ? leaving : late)));
      await exchange(all[by], [Buffer.from(FIRST)], 1);
      expect(all.tally.front.requests).toBe(by === 'front' ? 1 : 0);
    };
    for (const isGone of [false, true]) {
      await notedBy('node', isGone);
      await notedBy('front', isGone);
    }
    expect(noted.front).toEqual(noted.node);
    expect(noted.front).toContainEqual(expect.objectContaining({ status: 200, isCut: true }));
    expect(noted.front.filter((one) => one === 'ended')).toHaveLength(2);
  });
});

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => Math.floor(cut * bytes.length)).sort((a, b) => a - b), bytes.length];
  return places
    .slice(1)
    .map((end, at) => bytes.subarray(places[at], end))
    .filter(({ length }) => length > 0);
}
