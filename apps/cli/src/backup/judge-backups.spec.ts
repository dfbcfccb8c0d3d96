import { describe, expect, it } from '@jest/globals';

import { judgeLastBackup, olderThanRetention } from './judge-backups.js';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-09-10T12:00:00Z');
const backup = (hoursAgo: number) => ({ label: `${hoursAgo}`, type: 'full', endedMs: NOW - hoursAgo * HOUR });
const judged = async (backups: Parameters<typeof judgeLastBackup>[0]) => {
  const { status, found } = await judgeLastBackup(backups, { maxAgeHours: 26, nowMs: NOW });
  return `${status}: ${found}`;
};

describe('the last backup', () => {
  it('is well until it is too old', async () => {
    expect(await judged([backup(200), backup(26)])).toBe('ok: the last one (26) is 26.0 hours old');
    expect(await judged([backup(200), backup(27)])).toBe('fail: the last one (27) is 27.0 hours old, 26 may it be');
  });

  it('fails where there is none', async () => {
    expect(await judged([])).toBe('fail: there is none');
    expect(await judged(undefined)).toBe('fail: there is none');
  });
});

describe('backups that are older than what Kafka keeps', () => {
  it('are named, none where it keeps everything', () => {
    const backups = [backup(200), backup(100)];
    expect(olderThanRetention(backups, 168 * HOUR, NOW)).toEqual([backup(200)]);
    expect(olderThanRetention(backups, -1, NOW)).toEqual([]);
  });
});
