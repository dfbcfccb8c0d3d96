import { hostSeriesSchema } from '@hopcount/contracts';
import { HostFold } from '@hopcount/ledger';
import { enrichedVisit, openLedger, randomSource } from '@hopcount/ledger/spec-helpers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';

describe('visits of a host up to now', () => {
  let api: TestApi;
  let commit: Awaited<ReturnType<typeof openLedger>>;
  const get = async (path: string) => {
    const { status, body } = await api.get(`hosts/${path}`);
    return [status, body] as const;
  };
  beforeAll(async () => {
    api = await TestApi.start();
    commit = await openLedger(api.resources.database);
  });
  afterAll(() => api.stop());

  it('are counted in a sliding window of any length, whatever of it is folded yet', async () => {
    const MINUTE_MS = 60_000;
    const random = randomSource(128);
    const start = Date.now();
    const drawn = Array.from({ length: 400 }, (_, nth) => {
      // Nothing is near the start of a window, which moves while the spec runs; some are of a clock that is ahead.
      const minutesAgo = random.below(3_000) + 0.5 - (nth % 10 === 0 ? 3_100 : 0);
      const targetHost = `${random.pick(['', 'a.', 'b.a.'])}window.example`;
      return { atMs: start - minutesAgo * MINUTE_MS, targetHost };
    });
    const visits = drawn.map((visit) => enrichedVisit({ linkId: '7', ...visit }));
    await commit(visits.slice(0, 250));
    await new HostFold(api.resources.database).fold();
    await commit(visits.slice(250));
    for (const minutes of [1, 5, 17, 60, 1_440, 2_999, 525_600]) {
      for (const [scope, isIn] of [
        ['subtree', () => true],
        ['self', (host: string) => host === 'window.example'],
        ['children', (host: string) => host === 'a.window.example'],
      ] as const) {
        const [status, body] = await get(`target/window.example/series?scope=${scope}&windowMinutes=${minutes}`);
        const { startDate, endDate, totals, exact } = hostSeriesSchema.parse(body);
        const [from, to] = [Date.parse(startDate), Date.parse(endDate)];
        const inWindow = drawn.filter(({ atMs, targetHost }) => atMs >= from && atMs < to && isIn(targetHost));
        expect([minutes, scope, status, exact, totals.visits]).toEqual([minutes, scope, 200, true, inWindow.length]);
        expect(to - from).toBe(minutes * MINUTE_MS);
        expect(to).toBeGreaterThanOrEqual(start);
      }
    }
    for (const wrong of ['windowMinutes=0', 'windowMinutes=525601', 'windowMinutes=5.5', 'windowMinutes=']) {
      const [status, body] = await get(`target/window.example/series?${wrong}`);
      expect([wrong, status, body['invalidElements']]).toEqual([wrong, 400, ['windowMinutes']]);
    }
    const [status, body] = await get('target/window.example/series?windowMinutes=5&range=today');
    expect([status, body['invalidElements']]).toEqual([400, ['range']]);
  });
});
