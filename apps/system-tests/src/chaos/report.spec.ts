import { describe, expect, it } from '@jest/globals';

import { chaosMarkdown, type ChaosReport, type FaultReport } from './report.js';

const fault = (name: string, recoveryMs: number): FaultReport => ({
  name,
  rows: ['F14'],
  seed: 1,
  startedMs: 0,
  lastedMs: 2_000,
  recoveryMs,
  acknowledgedMeanwhile: 10,
  proof: { what: 'keys forgotten', count: 4 },
});
const report: ChaosReport = {
  seed: 7,
  startedMs: 0,
  loadMs: 90_000,
  checkMs: 4_000,
  acknowledged: 1_000,
  inDoubt: 3,
  refused: { 503: 2 },
  counted: 1_001,
  fed: { batches: 9, sentAgain: 4, inDoubt: 2, otherCounts: 1, takenBack: 3 },
  changed: 21,
  atLeast: { dedupeHits: 12 },
  highest: { spoolEvents: 40 },
  faults: [fault('redis-flushall', 100), fault('redis-flushall', 900), fault('redis-flushall', 300)],
  violations: [],
};

describe('the report', () => {
  it('adds up the times a fault was injected', () => {
    const text = chaosMarkdown(report);
    expect(text).toContain('# Chaos, seed 7: passed');
    expect(text).toContain('| redis-flushall | F14 | 3 | 12 keys forgotten | 2 | 0.3 / 0.9 |');
    expect(text).toContain('| dedupe hits | ≥ 12 |');
    expect(text).toContain('| links, keys and purges acknowledged | 21 |');
    expect(text).toContain('| refused | 2 × 503 |');
    expect(text).toContain('| of them sent again | 4 times; 2 answers were in doubt |');
  });

  it('shows what went wrong first', () => {
    const text = chaosMarkdown({ ...report, violations: ['lost (1): x'] });
    expect(text).toContain('# Chaos, seed 7: FAILED');
    expect(text.indexOf('lost (1)')).toBeLessThan(text.indexOf('| fault |'));
  });
});
