import { describe, expect, it } from '@jest/globals';

import { type Finding, judgeCanary } from './judge-canary.js';
import { type Observed, observe } from './observed.js';

const WELL: Observed = {
  ...observe([], []),
  ...{ sources: 1, visits: 5_000, settledVisits: 5_000, equalMinutes: 10, gateways: 1 },
  ...{ answers: 5_000, p99Seconds: 0.01 },
};
const BASELINE: Observed = { ...WELL, visits: 50_000, settledVisits: 50_000, answers: 50_000, equalMinutes: 60 };

const judge = (canary: Partial<Observed>, baseline: Partial<Observed> = {}) =>
  judgeCanary({ ...WELL, ...canary }, { ...BASELINE, ...baseline }, 1_000);
const notGo = ({ findings }: { findings: Finding[] }) =>
  findings.filter(({ verdict }) => verdict !== 'go').map(({ verdict, check }) => `${verdict}: ${check}`);

describe('judgeCanary', () => {
  it('says go when every visit of enough is counted and nothing is worse than in the baseline', () => {
    expect(judge({}).verdict).toBe('go');
    expect(judge({ inDoubtMinutes: 3, failures: 4 }).verdict).toBe('go');
  });

  it('waits while fewer visits are settled than say anything, however well all looks', () => {
    const early = judge({ settledVisits: 999, openMinutes: 2 });
    expect([early.verdict, notGo(early)]).toEqual(['wait', ['wait: visits settled']]);
    expect(early.findings[0]!.why).toContain('2 minutes');
  });

  it('does not wait for more visits once one of the few is missing', () => {
    expect(judge({ settledVisits: 10, missingVisits: 1, differentMinutes: 1 }).verdict).toBe('back');
  });

  it.each([
    ['visits missing', { missingVisits: 1 }],
    ['visits surplus', { surplusVisits: 1 }],
    ['different minutes', { differentMinutes: 1 }],
    ['dead letters', { deadLetters: 1 }],
    ['answered without a visit', { answeredVisits: 1 }],
    ['minutes unreported', { unreportedMinutes: 1 }],
    ['gateways ready', { notReady: 1 }],
    ['answers 5xx', { failures: 30, refusedVisits: 30 }],
    ['p99 of redirects, ms', { p99Seconds: 0.03 }],
    ['age of the spool, s', { spoolAgeSeconds: 61, spooledVisits: 5 }],
    ['rejected, bytes', { rejectedBytes: 1 }],
  ])('says back for: %s', (check, canary) => {
    const judgement = judge(canary);
    expect([judgement.verdict, notGo(judgement)]).toEqual(['back', [`back: ${check}`]]);
  });

  it.each([
    ['visits missing', { missingVisits: 1 }, { missingVisits: 10 }],
    ['dead letters', { deadLetters: 1 }, { deadLetters: 20 }],
    ['answered without a visit', { answeredVisits: 1 }, { answeredVisits: 100 }],
    ['gateways ready', { notReady: 1 }, { notReady: 1 }],
    ['age of the spool, s', { spoolAgeSeconds: 90 }, { spoolAgeSeconds: 90 }],
    ['rejected, bytes', { rejectedBytes: 10 }, { rejectedBytes: 10 }],
  ])('waits when the baseline is as bad: %s', (check, canary, baseline) => {
    const judgement = judge(canary, baseline);
    expect([judgement.verdict, notGo(judgement)]).toEqual(['wait', [`wait: ${check}`]]);
  });

  it('holds failures and p99 against those of the baseline', () => {
    expect(judge({ failures: 30 }, { failures: 300 }).verdict).toBe('go');
    expect(judge({ p99Seconds: 0.03 }, { p99Seconds: 0.02 }).verdict).toBe('go');
    expect(judge({ p99Seconds: 0.03, answers: 900 }).verdict).toBe('go');
  });

  it('waits while no process of the canary answers, or one of them was killed', () => {
    expect(notGo(judge({ gateways: 0 }))).toEqual(['wait: gateways ready']);
    expect(notGo(judge({ unauditedMinutes: 1, unauditedVisits: 7 }))).toEqual(['wait: minutes unaudited']);
  });

  it('judges a canary that has every visitor by what may not be at all', () => {
    const alone = (canary: Partial<Observed>) => judgeCanary({ ...WELL, ...canary }, observe([], []), 1_000).verdict;
    expect([alone({}), alone({ missingVisits: 1 }), alone({ failures: 100 })]).toEqual(['go', 'back', 'back']);
  });
});
