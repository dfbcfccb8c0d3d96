import { DAY_MS, HOUR_MS, hourOf } from '@hopcount/ledger';
import { Reach } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { seriesOf } from './scope-model.spec-helpers.js';
import { FROM, ScopedHistory, SPAN } from './scoped-history.spec-helpers.js';

const ofAll = { reach: Reach.everything, ...SPAN, scope: { of: 'all' }, filters: [], uniques: 'all' } as const;

describe('visitors by day, of which those of past days are kept', () => {
  it('are right again after each visit that comes late, each seal and each purge', async () => {
    const history = await ScopedHistory.open(71);
    const starts = [0, 1, 2].map((day) => FROM + day * DAY_MS);
    const expectDays = async () => {
      for (let time = 0; time < 3; time += 1) {
        const { points } = await history.files.visits.series(ofAll, starts);
        expect(points).toEqual(seriesOf(history.visits, starts));
      }
    };
    const hours = Array.from({ length: 24 }, (_, hour) => FROM + hour * HOUR_MS);
    const hasVisits = (hour: number) => history.visits.some(({ occurredAtMs }) => hourOf(occurredAtMs) === hour);
    try {
      await history.commit(120);
      await history.files.seal(FROM + DAY_MS + 6 * HOUR_MS);
      await expectDays();
      await history.files.seal(FROM + 2 * DAY_MS);
      await expectDays();
      await history.commit(5, FROM + 1);
      await expectDays();
      await history.files.seal(FROM + 2 * DAY_MS);
      await expectDays();
      // No file has this hour of the first day.
      await history.commit(
        5,
        hours.find((hour) => !hasVisits(hour)),
      );
      await expectDays();
      await history.files.seal(FROM + 2 * DAY_MS);
      await expectDays();
      await history.purge(true, { linkId: '2', beforeMs: FROM + 12 * HOUR_MS });
      await expectDays();
    } finally {
      await history.close();
    }
  });
});
