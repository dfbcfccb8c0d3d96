import { describe, expect, it } from '@jest/globals';

import { expiredMonths } from './ledger-months.js';

describe('expiredMonths', () => {
  it('names the months that end at or before the horizon, oldest first, and no other table', () => {
    const tables = ['visits_2025_02', 'visits_2024_12', 'visits_default', 'visits_2025_01', 'visits_2025_03'];
    expect(expiredMonths(tables, Date.UTC(2025, 2, 1))).toEqual([
      { name: 'visits_2024_12', fromMs: Date.UTC(2024, 11), toMs: Date.UTC(2025, 0) },
      { name: 'visits_2025_01', fromMs: Date.UTC(2025, 0), toMs: Date.UTC(2025, 1) },
      { name: 'visits_2025_02', fromMs: Date.UTC(2025, 1), toMs: Date.UTC(2025, 2) },
    ]);
    expect(expiredMonths(tables, Date.UTC(2025, 2, 1) - 1).map(({ name }) => name)).not.toContain('visits_2025_02');
  });
});
