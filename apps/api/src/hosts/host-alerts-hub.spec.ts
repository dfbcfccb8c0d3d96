import { createLogger, Reach, Registry } from '@hopcount/runtime';
import type { HostAlertEvent } from '@hopcount/statistics';
import { waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ApiMetrics } from '../api.metrics.js';
import { EventStreams } from '../live/event-streams.js';
import type { HostAlertStream } from './host-alert-stream.js';
import { HostAlertsHub } from './host-alerts-hub.js';

const logger = createLogger({ name: 'spec', level: 'silent' });

type Parts = ConstructorParameters<typeof HostAlertsHub>;
type Asker = Parameters<HostAlertsHub['follow']>[0];

const asker = (id: number) => ({ kind: 'key', id, hash: Buffer.from([id]) }) as unknown as Asker;
const event = (id: number) =>
  ({
    id,
    alertId: '1',
    kind: 0,
    name: 'com.example',
    what: 'opened',
    at: '2026-06-10T10:00:00+00:00',
  }) as HostAlertEvent;

describe('surges that are followed', () => {
  let told: HostAlertEvent[];
  let questions: (number | null)[];
  let isRefused: boolean;
  let hub: HostAlertsHub;
  let streams: EventStreams;

  beforeEach(() => {
    told = [1, 2, 3].map(event);
    questions = [];
    isRefused = false;
    const alerts = {
      events: (after: number | null, limit: number) => {
        questions.push(after);
        const events = after === null ? [] : told.filter(({ id }) => id > after).slice(-limit);
        return Promise.resolve({ head: told.at(-1)?.id ?? 0, events });
      },
    };
    const known = { kind: 'key', scopes: ['statistics:read'], reach: Reach.everything };
    const identities = { again: () => Promise.resolve(isRefused ? undefined : known) };
    streams = new EventStreams(identities as never, new ApiMetrics(new Registry()), logger, 20);
    hub = new HostAlertsHub(...([alerts, streams] as unknown as Parts));
  });
  afterEach(async () => {
    await streams.close();
    await hub.onModuleDestroy();
  });

  /** What comes out of a stream. */
  function read(stream: HostAlertStream) {
    const got = { ids: [] as number[], text: '', isEnded: false };
    stream.on('data', (part: Buffer) => {
      got.text += part.toString();
      got.ids = [...got.text.matchAll(/^id: (\d+)\ndata/gm)].map(([, id]) => Number(id));
    });
    stream.on('end', () => (got.isEnded = true));
    return got;
  }
  const follow = (id: number, after?: number) => read(hub.follow(asker(id), Reach.everything, after));

  it('are asked for once for all, and told to each behind what it has', async () => {
    const readers = [follow(1), follow(2, 1), follow(3, 0)];
    await waitUntil(() => readers.every(({ text }) => text.includes('id: ')), { describe: 'the first look' });
    expect([readers.map(({ ids }) => ids), questions]).toEqual([[[], [2, 3], [1, 2, 3]], [0]]);
    told.push(event(7));
    await waitUntil(() => readers.every(({ ids }) => ids.includes(7)), { describe: 'what is new' });
    expect(readers.map(({ ids }) => ids)).toEqual([[7], [2, 3, 7], [1, 2, 3, 7]]);
    expect(new Set(questions.slice(1))).toEqual(new Set([3]));
    expect(readers[0]?.text).toContain('"host":"example.com"');
  });

  it('of more than a thousand the newest are told, behind a gap', async () => {
    told = Array.from({ length: 1_500 }, (_, nth) => event(nth + 1));
    const [late, current] = [follow(1, 100), follow(2, 1_400)];
    await waitUntil(() => late.ids.includes(1_500), { describe: 'all that is told' });
    expect([late.text.indexOf('event: gap') < late.text.indexOf('id: 501\n'), late.ids.length]).toEqual([true, 1_000]);
    // Told once, and nothing was read again for who was slow.
    expect([late.text.split('event: gap').length - 1, questions.filter((after) => after !== 1_500)]).toEqual([
      1,
      [100],
    ]);
    expect([current.text.includes('event: gap'), current.ids.length]).toEqual([false, 100]);
  });

  it('end for who is refused', async () => {
    const reader = follow(1);
    await waitUntil(() => reader.text !== '', { describe: 'the first look' });
    isRefused = true;
    await waitUntil(() => reader.isEnded, { describe: 'the end of the stream' });
  });

  it('that were ended are told nothing more, also while their reader has not taken what came before', async () => {
    const stream = hub.follow(asker(1), Reach.everything, 1);
    const errors: Error[] = [];
    stream.on('error', (error) => errors.push(error));
    await waitUntil(() => stream.cursor === 3, { describe: 'the first look' });
    isRefused = true;
    await waitUntil(() => !stream.isOpen, { describe: 'the refusal' });
    isRefused = false;
    const another = follow(2);
    await waitUntil(() => another.text !== '', { describe: 'the place of another' });
    told.push(event(7));
    await waitUntil(() => another.ids.includes(7), { describe: 'what is told to another' });
    const got = read(stream);
    await waitUntil(() => got.isEnded, { describe: 'what was told before' });
    expect([got.ids, errors]).toEqual([[2, 3], []]);
  });
});
