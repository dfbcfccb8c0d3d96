import { DAY_MS, HOUR_MS } from '@hopcount/ledger';
import { describe, expect, it } from '@jest/globals';

import type { ArchiveFile, ArchiveLevel } from '../manifest/archive-file.js';
import { planMerges } from './plan-merges.js';

const DAY = Date.parse('2026-09-10T00:00:00Z');
const NOW = Date.parse('2026-11-01T12:00:00Z');
const LENGTH: Record<ArchiveLevel, number> = { hour: HOUR_MS, day: DAY_MS, month: 30 * DAY_MS };

const file = (level: ArchiveLevel, from: number, more: Partial<ArchiveFile> = {}): ArchiveFile => ({
  id: `${level} ${new Date(from).toISOString().slice(5, 13)}`,
  path: '',
  level,
  period: { from, to: from + LENGTH[level] },
  visits: 1,
  checksum: 1n,
  bytes: 100,
  sha256: '',
  sealedAt: NOW - 10 * DAY_MS,
  state: 'active',
  ...more,
});
const plan = (files: ArchiveFile[], more: { closedBefore?: number; maxBytes?: number } = {}) =>
  planMerges(files, { closedBefore: NOW, nowMs: NOW, maxBytes: 1_000, ...more }).map(({ level, files: merged }) => [
    level,
    ...merged.map(({ id }) => id),
  ]);

describe('which files become one', () => {
  it('the hours of a closed day, and only when it is closed', () => {
    const hours = [0, 5, 23, 24].map((hour) => file('hour', DAY + hour * HOUR_MS));
    const day = ['day', 'hour 09-10T00', 'hour 09-10T05', 'hour 09-10T23'];
    expect(plan(hours, { closedBefore: DAY + DAY_MS })).toEqual([day]);
    expect(plan(hours, { closedBefore: DAY + 23 * HOUR_MS })).toEqual([]);
  });

  it('the days of a month that ended two days ago, once no hours wait', () => {
    const days = [0, 1, 2].map((day) => file('day', DAY + day * DAY_MS));
    const october = Date.parse('2026-10-01T00:00:00Z');
    expect(plan(days, { closedBefore: october + 2 * DAY_MS })).toEqual([
      ['month', 'day 09-10T00', 'day 09-11T00', 'day 09-12T00'],
    ]);
    expect(plan(days, { closedBefore: october + DAY_MS })).toEqual([]);
    expect(plan([...days, file('hour', DAY)])).toEqual(
      [['day', 'hour 09-10T00', 'day 09-10T00']].map((one) => expect.arrayContaining(one)),
    );
  });

  it('late hours and what they belong to, at most once a day', () => {
    const day = file('day', DAY);
    expect(plan([day, file('hour', DAY, { sealedAt: NOW - HOUR_MS })], { closedBefore: DAY + 2 * DAY_MS })).toEqual([]);
    expect(plan([day, file('hour', DAY)], { closedBefore: DAY + 2 * DAY_MS })).toHaveLength(1);
    const month = file('month', Date.parse('2026-09-01T00:00:00Z'));
    expect(plan([month, file('hour', DAY)])).toEqual([['month', month.id, 'hour 09-10T00']]);
    expect(plan([month, file('hour', DAY, { sealedAt: NOW })])).toEqual([]);
  });

  it('many late hours and what they belong to within minutes, once no more of them come; few of them if that is cheap', () => {
    const closed = { closedBefore: DAY + 2 * DAY_MS };
    const late = (count: number, minutes: number) =>
      Array.from({ length: count }, (_, n) => file('hour', DAY + n * HOUR_MS, { sealedAt: NOW - minutes * 60_000 }));
    const day = file('day', DAY);
    expect(plan([day, ...late(4, 6)], closed)).toHaveLength(1);
    expect(plan([day, ...late(4, 4)], closed)).toEqual([]);
    expect(plan([day, ...late(3, 6)], closed)).toEqual([]);
    expect(plan([day, ...late(1, 6)], { ...closed, maxBytes: 200 * 16 })).toHaveLength(1);
    expect(plan([day, ...late(1, 4)], { ...closed, maxBytes: 200 * 16 })).toEqual([]);
  });

  it('adjoining ones, up to the largest size', () => {
    const days = [0, 1, 2, 3, 4].map((day) => file('day', DAY + day * DAY_MS, { bytes: day === 2 ? 900 : 300 }));
    expect(plan(days)).toEqual([
      ['month', 'day 09-10T00', 'day 09-11T00'],
      ['month', 'day 09-13T00', 'day 09-14T00'],
    ]);
    expect(plan([file('month', DAY, { bytes: 300 }), file('month', DAY, { bytes: 300 })])).toEqual([]);
  });
});
