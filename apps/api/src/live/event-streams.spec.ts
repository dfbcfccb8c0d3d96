import { setImmediate as turn } from 'node:timers/promises';

import { createLogger, Reach, Registry } from '@hopcount/runtime';
import { waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ApiMetrics } from '../api.metrics.js';
import { HostAlertStream } from '../hosts/host-alert-stream.js';
import { EventStream, type LiveReader, type StreamSettings } from './event-stream.js';
import { EventStreams, type StreamKind, STREAMS } from './event-streams.js';
import { LiveStream } from './live-stream.js';
import { parseTopics } from './live-topics.js';

const LOOK_EVERY_MS = 10;
const logger = createLogger({ name: 'spec', level: 'silent' });
const topics = parseTopics(['https://shlink.io/new-visit']);
const link = { code: 'abc', domain: 's.test', authorKeyId: null, groupId: null };

interface Kind {
  kind: StreamKind;
  make: (reader: LiveReader, settings: StreamSettings) => EventStream;
  /** Tells it an event of so many bytes. */
  tell: (stream: EventStream, bytes: number, nth: number) => void;
}

/** Whatever the api streams. */
const KINDS: Kind[] = [
  {
    kind: 'visits',
    make: (reader, settings) => new LiveStream(topics, reader, settings),
    tell: (stream, bytes) =>
      (stream as LiveStream).send({ cursor: { seen: '5:5:' }, link, domain: 's.test', data: 'x'.repeat(bytes) }),
  },
  {
    kind: 'counts',
    make: (reader, settings) => new EventStream(reader, settings),
    tell: (stream, bytes) => stream.write(`data: ${'x'.repeat(bytes)}\n\n`),
  },
  {
    kind: 'alerts',
    make: (reader, settings) => new HostAlertStream(reader, 0, settings),
    tell: (stream, bytes, nth) => (stream as HostAlertStream).send(nth, 'x'.repeat(bytes)),
  },
];

describe.each(KINDS)('a stream of $kind', ({ kind, make, tell }) => {
  let streams: EventStreams;
  /** By id of the key: what it may follow now. */
  let reaches: Map<number, Reach>;
  let isAway: boolean;
  let errors: Error[];

  beforeEach(() => {
    [reaches, isAway, errors] = [new Map<number, Reach>(), false, []];
    const again = ({ hash }: { hash: Buffer }) => {
      const [id = 0] = hash;
      const reach = reaches.get(id);
      if (isAway) return Promise.reject(new Error('PostgreSQL is away'));
      return Promise.resolve(reach && { kind: 'key', id, hash, scopes: ['statistics:read'], reach });
    };
    streams = new EventStreams({ again } as never, new ApiMetrics(new Registry()), logger, LOOK_EVERY_MS);
  });
  afterEach(() => streams.close());

  /** @param more of the settings of its kind */
  const follow = (id: number, more: Partial<StreamSettings> = {}) => {
    reaches.set(id, Reach.everything);
    const reader: LiveReader = { kind: 'key', id, hash: Buffer.from([id]), reach: Reach.everything };
    const leave = streams.enter(kind, reader);
    const stream = streams.add(make(reader, { ...STREAMS[kind], ...more }), leave);
    stream.on('error', (error) => errors.push(error));
    return stream;
  };
  const reading = (stream: EventStream) => {
    const got = { bytes: 0, text: '', isEnded: false };
    stream.on('data', (chunk: Buffer) => {
      got.bytes += chunk.length;
      got.text += chunk.toString().slice(0, 100);
    });
    stream.on('end', () => (got.isEnded = true));
    return got;
  };

  it('holds no more for a slow reader than its bound, closes one that takes nothing, and serves the others', async () => {
    const [stuck, quick] = [follow(1, { patienceMs: 300 }), follow(2, { patienceMs: 300 })];
    const got = reading(quick);
    const { mostWaitingBytes } = STREAMS[kind];
    for (let nth = 1; nth <= 1_000; nth += 1) tell(stuck, 1_000, nth);
    expect(stuck.readableLength).toBeGreaterThanOrEqual(mostWaitingBytes);
    expect(stuck.readableLength).toBeLessThan(mostWaitingBytes + 2_000);
    for (let nth = 1; nth <= 1_000; nth += 1) {
      tell(quick, 1_000, nth);
      await turn();
    }
    await waitUntil(() => stuck.destroyed, { describe: 'the close' });
    expect([quick.isOpen, got.bytes > 2 * mostWaitingBytes, errors]).toEqual([true, true, []]);
  });

  it('whose key is revoked is told nothing more, also while its reader has not taken what came before', async () => {
    const [revoked, other] = [follow(1), follow(2)];
    for (let nth = 1; nth <= 3; nth += 1) tell(revoked, 10, nth);
    reaches.delete(1);
    await waitUntil(() => !revoked.isOpen, { describe: 'the end' });
    // What is not taken yet hides the end from `readableEnded`; a push now would be an error.
    expect(revoked.readableEnded).toBe(false);
    tell(revoked, 10, 4);
    revoked.end();
    await turn();
    const got = reading(revoked);
    await waitUntil(() => got.isEnded, { describe: 'what was told before' });
    expect([got.text.match(/^data: /gm)?.length, errors, other.isOpen]).toEqual([3, [], true]);
  });

  it('whose key reaches something else is ended', async () => {
    const stream = follow(1);
    reaches.set(1, Reach.of({ keyId: 1, authoredOnly: true, domain: null, noOrphanVisits: false }));
    await waitUntil(() => !stream.isOpen, { describe: 'the end' });
  });

  it('that was ended is closed when its reader takes nothing, and its place is free', async () => {
    const stream = follow(1, { patienceMs: 100 });
    tell(stream, 10, 1);
    stream.end();
    await waitUntil(() => stream.destroyed, { describe: 'the close' });
    for (let nth = 0; nth < STREAMS[kind].ofOne; nth += 1) follow(1);
    expect(() => follow(1)).toThrow(expect.objectContaining({ code: 'too-many-readers', retryable: true }));
  });

  it('goes on while PostgreSQL is away, and ends with its token', async () => {
    isAway = true;
    const [lasting, ending] = [follow(1), follow(2, { endsAtMs: Date.now() + 100 })];
    await waitUntil(() => !ending.isOpen, { describe: 'the end of the token' });
    expect(lasting.isOpen).toBe(true);
  });

  it('on which nothing comes is kept alive', () => {
    const stream = follow(1);
    stream.look({ aliveEveryMs: 0 });
    expect(String(stream.read())).toBe(': alive\n\n');
  });

  it('ends when the process does, and none begins then', async () => {
    const stream = follow(1);
    tell(stream, 10, 1);
    await streams.close();
    tell(stream, 10, 2);
    const got = reading(stream);
    await waitUntil(() => got.isEnded, { describe: 'the end' });
    expect([got.text.match(/^data: /gm)?.length, errors]).toEqual([1, []]);
    expect(() => follow(2)).toThrow(expect.objectContaining({ code: 'too-many-readers' }));
  });
});
