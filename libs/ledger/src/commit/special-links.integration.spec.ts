import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { HOUR_MS } from '../buckets.js';
import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { Ledger } from '../ledger.spec-helpers.js';

const FOLDED_FROM = Date.parse('2026-09-01T10:00:00Z');

describe('a batch of usual, hot and limited links', () => {
  let ledger: Ledger;

  beforeAll(async () => {
    ledger = await Ledger.open();
    for (const link of ['1', '2', '3', '4']) await ledger.addLink(link);
    await ledger.server.query(`INSERT INTO link_limits (link_id, max_uses) VALUES (2, 5), (4, 5)`);
    await ledger.server.query(`INSERT INTO link_heat (link_id, heat, slots, folded_from) VALUES (3, 9, 2, $1)`, [
      new Date(FOLDED_FROM),
    ]);
    const commit = await ledger.consumer();
    const times = [FOLDED_FROM - 1, FOLDED_FROM, FOLDED_FROM + HOUR_MS];
    await commit(['1', '2', '3'].flatMap((linkId) => times.map((atMs) => enrichedVisit({ linkId, atMs }))));
  });
  afterAll(() => ledger.close());

  it('uses the limited ones, as often as they were visited', async () => {
    const rows = await ledger.server.query('SELECT link_id::int AS link, used::int FROM link_limits ORDER BY 1');
    expect(rows).toEqual([
      { link: 2, used: 3 },
      { link: 4, used: 0 },
    ]);
  });

  it('folds the hot one from its hour on', async () => {
    const deltas = await ledger.server.query('SELECT link_id::int AS link, hour FROM link_fold_deltas ORDER BY hour');
    expect(deltas).toEqual([FOLDED_FROM, FOLDED_FROM + HOUR_MS].map((ms) => ({ link: 3, hour: new Date(ms) })));
  });
});
