import type { Queryable } from '@hopcount/postgres';
import { createLogger } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { LinkReports } from './link-reports.js';

const logger = createLogger({ name: 'test', level: 'silent' });

/** @param query what PostgreSQL answers; Redis is away */
function reportsWith(query: () => Promise<unknown[]>): LinkReports {
  const buckets = { take: () => Promise.resolve(undefined) };
  return new LinkReports({
    database: { query } as unknown as Queryable,
    buckets,
    logger,
    secret: 'secret of the test',
  });
}

describe('reports of visitors', () => {
  it('hold one connection at a time, also while PostgreSQL does not answer, and none afterwards', async () => {
    const answers: ((rows: unknown[]) => void)[] = [];
    const reports = reportsWith(() => new Promise((resolve) => answers.push(resolve)));
    const first = reports.report('1', 'spam', '192.0.2.1');
    expect(await reports.report('2', 'spam', '192.0.2.2')).toBe('failed');
    expect(await first).toBe('failed');
    expect([await reports.report('3', 'spam', '192.0.2.3'), answers.length]).toEqual(['failed', 1]);

    answers[0]!([{ id: '1' }]);
    const next = reports.report('4', 'spam', '192.0.2.4');
    while (answers.length < 2) await new Promise(setImmediate);
    answers[1]!([{ id: '2' }]);
    expect(await next).toBe('taken');
  });

  it('are ten of an IPv6 /56 and fifteen of a /48, however many /64 it has', async () => {
    const reports = reportsWith(() => Promise.resolve([{ id: '1' }]));
    const outcomesFrom = async (network: (n: number) => string) => {
      const outcomes: string[] = [];
      for (let n = 0; n < 21; n += 1) outcomes.push(await reports.report(String(n), 'spam', `${network(n)}::1`));
      return outcomes.filter((outcome) => outcome === 'taken').length;
    };
    expect(await outcomesFrom((n) => `2001:db8:7:${n}`)).toBe(10);
    expect(await outcomesFrom((n) => `2001:db8:7:${n}00`)).toBe(5);
    expect(await outcomesFrom((n) => `2001:db9:${n}`)).toBe(21);
  });
});
