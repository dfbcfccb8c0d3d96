import { createLogger, Reach, Registry } from '@hopcount/runtime';
import type { LiveScope } from '@hopcount/statistics';
import { waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ApiMetrics } from '../../api.metrics.js';
import { EventStreams } from '../../live/event-streams.js';
import { LiveVisitsHub } from './live-visits-hub.js';

const logger = createLogger({ name: 'spec', level: 'silent' });

type Parts = ConstructorParameters<typeof LiveVisitsHub>;
type Asker = Parameters<LiveVisitsHub['ask']>[0];

const scopeOf = (linkId: number): LiveScope => ({
  reach: Reach.everything,
  scope: { of: 'link', linkId: String(linkId) },
  filters: [],
});
const asker = (id: number) => ({ kind: 'key', id, hash: Buffer.from([id]) }) as unknown as Asker;

describe('counts of live visits', () => {
  /** How many scopes each count was of. */
  let counts: number[];
  let isFailing: boolean;
  let hub: LiveVisitsHub;

  beforeEach(() => {
    counts = [];
    isFailing = false;
    const visits = {
      expectReached: () => undefined,
      read: (scopes: readonly LiveScope[]) => {
        counts.push(scopes.length);
        if (isFailing) return Promise.reject(new Error('no room for a temporary file'));
        const visited = { visits: counts.length, visitors: 0, ips: 0 };
        const answers = scopes.map(() => ({ minutes5: visited, minutes30: visited }));
        return Promise.resolve({ counts: answers, range: { from: 0, to: 0 }, uncounted: 0, checkpoints: [] });
      },
    };
    const parts = [
      visits,
      { read: () => Promise.resolve({ logEnd: null, logEndReadAt: 0 }) },
      { describe: () => ({}) },
      new EventStreams({ again: () => Promise.resolve(undefined) }, new ApiMetrics(new Registry()), logger),
      { reportingTimeZone: 'UTC' },
    ] as unknown as Parts;
    hub = new LiveVisitsHub(...parts);
  });
  afterEach(() => hub.onModuleDestroy());

  it('go on for who asks again, so that nobody who asks every second waits for one', async () => {
    expect(await hub.ask(asker(1), scopeOf(1))).toMatchObject({ minutes5: { visits: 1 } });
    await waitUntil(() => counts.length > 1, { describe: 'a count that nobody asked for' });
    await hub.onModuleDestroy();
    // No other one can be made.
    expect(await hub.ask(asker(1), scopeOf(1))).toMatchObject({ minutes5: { visits: counts.length } });
  });

  it('that fail are told to who asks, who is not answered with what was counted before', async () => {
    expect(await hub.ask(asker(1), scopeOf(1))).toMatchObject({ minutes5: { visits: 1 } });
    isFailing = true;
    const isTold = () =>
      hub.ask(asker(1), scopeOf(1)).then(
        () => false,
        () => true,
      );
    await waitUntil(isTold, { describe: 'what was counted before is too old' });
    // And it stays so: a count that failed makes nothing new again.
    await expect(hub.ask(asker(1), scopeOf(1))).rejects.toThrow('no room for a temporary file');
  });

  it('are of fifty scopes at most: who asked before makes room, who follows does not', async () => {
    for (let id = 1; id <= 50; id += 1) hub.ask(asker(id), scopeOf(id)).catch(() => undefined);
    await expect(hub.ask(asker(51), scopeOf(51))).rejects.toMatchObject({ code: 'too-many-readers' });
    await waitUntil(() => counts.length > 0, { describe: 'the first count' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(await hub.ask(asker(51), scopeOf(51))).toMatchObject({ minutes5: { visits: expect.any(Number) } });
    for (let id = 1; id <= 50; id += 1) hub.follow(asker(id), scopeOf(100 + id)).resume();
    await expect(hub.ask(asker(1), scopeOf(1))).rejects.toMatchObject({ code: 'too-many-readers' });
    expect(Math.max(...counts)).toBe(50);
  });
});
