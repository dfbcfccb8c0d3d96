import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { Reach } from '@hopcount/runtime';

import { STREAMS } from './event-streams.js';
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
      STREAMS.visits,
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
    const stream = new LiveStream(topics, { ...ANYBODY, reach }, STREAMS.visits);
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

  it.each(['', 'https://shlink.io/new-short-url', 'https://shlink.io/new-visit/', 'https://other.example/new-visit'])(
    'of the topic "%s" is refused',
    (topic) => {
      expect(() => parseTopics([topic])).toThrow(expect.objectContaining({ code: 'invalid-data' }));
    },
  );
});
