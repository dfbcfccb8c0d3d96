import { describe, expect, it } from '@jest/globals';

import { closedBefore } from './archive.js';

describe('closed hours', () => {
  const now = Date.parse('2026-09-10T12:30:00Z');
  const at = (time: string) => Date.parse(`2026-09-10T${time}:00Z`);

  it('are those that ended before all that was published then is counted', () => {
    expect(closedBefore(now, 6 * 3_600_000, at('12:29'))).toBe(at('12:00'));
    expect(closedBefore(now, 6 * 3_600_000, at('11:59'))).toBe(at('11:00'));
  });

  it('and at the latest those that ended SEAL_AFTER ago, while nobody can tell', () => {
    expect(closedBefore(now, 6 * 3_600_000)).toBe(at('06:00'));
    expect(closedBefore(now, 6 * 3_600_000, at('02:00'))).toBe(at('06:00'));
  });
});
