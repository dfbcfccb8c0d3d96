import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import type { LiveVisitsAnswer } from '@hopcount/contracts';
import { Reach } from '@hopcount/runtime';

import { LiveVisitsStream } from '../statistics/live-visits/live-visits-stream.js';
import { type LiveMessage, LiveStream } from './live-stream.js';
import { parseTopics } from './live-topics.js';

const ANYBODY = { kind: 'key' as const, id: 7, hash: Buffer.alloc(32), reach: Reach.everything };
const message = (code: string | undefined, data = '{}', authorKeyId: number | null = null): LiveMessage => {
  const link = code === undefined ? undefined : { code, domain: 's.test', authorKeyId, groupId: null };
  return { cursor: { seen: '5:5:' }, link, domain: 's.test', data };
};

describe('a stream of events', () => {
  it('holds what was asked for', async () => {
    const taken: string[] = [];
    const stream = new LiveStream(
      parseTopics(['https://shlink.io/new-visit/abc', 'https://shlink.io/new-orphan-visit']),
      ANYBODY,
    );
    stream.on('data', (chunk: Buffer) => taken.push(String(chunk)));
    for (const code of ['abc', 'abd', undefined]) stream.send(message(code, `"${code}"`));
    await turn();
    expect(taken.join('')).toBe('id: 5:5:\ndata: "abc"\n\nid: 5:5:\ndata: "undefined"\n\n');
  });

  it('holds what its key reaches', async () => {
    const taken: string[] = [];
    const reach = Reach.of({ keyId: 7, authoredOnly: true, domain: null, noOrphanVisits: true });
    const topics = parseTopics(['https://shlink.io/new-visit', 'https://shlink.io/new-orphan-visit']);
    const stream = new LiveStream(topics, { ...ANYBODY, reach });
    stream.on('data', (chunk: Buffer) => taken.push(String(chunk)));
    for (const [code, author] of [
      ['mine', 7],
      ['others', 8],
      ['nobodys', null],
    ] as const) {
      stream.send(message(code, `"${code}"`, author));
    }
    stream.send(message(undefined));
    await turn();
    expect(taken.join('')).toBe('id: 5:5:\ndata: "mine"\n\n');
  });

  it('is full while its reader takes nothing, and ends when that goes on', async () => {
    const topics = parseTopics(['https://shlink.io/new-visit']);
    const [frozen, reading] = [new LiveStream(topics, ANYBODY, 60), new LiveStream(topics, ANYBODY, 60)];
    frozen.pipe(new Writable({ write: () => undefined }));
    let taken = 0;
    reading.on('data', (chunk: Buffer) => (taken += chunk.length));
    const text = `"${'x'.repeat(10_000)}"`;
    for (const stream of [frozen, reading]) {
      for (let nth = 0; nth < 100; nth += 1) {
        if (!stream.isFull) stream.send(message('abc', text));
        await turn();
      }
      await stream.drained();
    }
    expect([frozen.destroyed, reading.destroyed]).toEqual([true, false]);
    expect(taken).toBeGreaterThan(1_000_000);
  });

  it.each(['', 'https://shlink.io/new-short-url', 'https://shlink.io/new-visit/', 'https://other.example/new-visit'])(
    'of the topic "%s" is refused',
    (topic) => {
      expect(() => parseTopics([topic])).toThrow(expect.objectContaining({ code: 'invalid-data' }));
    },
  );
});

describe('a stream of counts', () => {
  const count = { timeZone: 'x'.repeat(1_000) } as LiveVisitsAnswer;

  it('leaves out counts for a reader that takes none, and ends when that goes on', () => {
    const stream = new LiveVisitsStream(ANYBODY, -1);
    for (let nth = 0; nth < 17; nth += 1) stream.send(count);
    const held = stream.readableLength;
    expect([stream.destroyed, held > 16_000]).toEqual([false, true]);
    stream.send(count);
    expect([stream.destroyed, stream.readableLength <= held]).toEqual([true, true]);
  });

  it('goes on for one that takes them', async () => {
    const stream = new LiveVisitsStream(ANYBODY, -1);
    let taken = 0;
    stream.on('data', () => (taken += 1));
    for (let nth = 0; nth < 50; nth += 1) {
      stream.send(count);
      await turn();
    }
    expect([stream.destroyed, taken]).toEqual([false, 50]);
  });
});
