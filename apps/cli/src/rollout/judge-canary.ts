import type { Observed } from './observed.js';

export type Verdict = 'go' | 'wait' | 'back';

/** One thing that was looked at. `go`: nothing speaks against it. */
export interface Finding {
  verdict: Verdict;
  check: string;
  canary: number | null;
  baseline: number | null;
  why: string;
}

export interface Judgement {
  verdict: Verdict;
  findings: Finding[];
}

/** Share of requests that may fail beyond the baseline's, and the fewest failures that tell anything. */
const MORE_FAILURES = 0.005;
const FEWEST_FAILURES = 5;
/** A p99 is worse when it is so many times the baseline's and so much longer: buckets are coarse. */
const SLOWER_TIMES = 2;
const SLOWER_SECONDS = 0.01;
const SPOOL_AGE_SECONDS = 60;

/**
 * Whether a canary may take more visitors. What its own reports say of its visits, held against what was counted, decides
 * first: it may look well in every other way and lose them. What is as bad in the baseline is not the canary's doing: wait.
 */
export function judgeCanary(canary: Observed, baseline: Observed, minVisits: number): Judgement {
  const findings = [
    enough(canary, baseline, minVisits),
    ...COUNTED.map((what) => compareShares(what, canary, baseline)),
    killed(canary, baseline),
    answering(canary, baseline),
    failures(canary, baseline),
    slowness(canary, baseline, minVisits),
    spool(canary, baseline),
    rejected(canary, baseline),
  ];
  const verdicts = findings.map(({ verdict }) => verdict);
  return { verdict: verdicts.includes('back') ? 'back' : verdicts.includes('wait') ? 'wait' : 'go', findings };
}

interface Counted {
  check: string;
  of: (observed: Observed) => number;
  bad: string;
}

/** None of these may be there at all. */
const COUNTED: Counted[] = [
  { check: 'visits missing', of: ({ missingVisits }) => missingVisits, bad: 'made durable and never counted' },
  {
    check: 'visits surplus',
    of: ({ surplusVisits }) => surplusVisits,
    bad: 'counted beyond what its gateways know of',
  },
  {
    check: 'different minutes',
    of: ({ differentMinutes }) => differentMinutes,
    bad: 'other visits were counted than reported',
  },
  { check: 'dead letters', of: ({ deadLetters }) => deadLetters, bad: 'consumers cannot count what it writes' },
  {
    check: 'answered without a visit',
    of: ({ answeredVisits }) => answeredVisits,
    bad: 'neither Kafka nor the disk took them',
  },
  {
    check: 'minutes unreported',
    of: ({ unreportedMinutes }) => unreportedMinutes,
    bad: 'counted, and passed over by a process that spoke later',
  },
];

function enough(canary: Observed, baseline: Observed, minVisits: number): Finding {
  const [seen, other] = [canary.settledVisits, baseline.settledVisits];
  const about = { check: 'visits settled', canary: seen, baseline: other };
  if (seen >= minVisits)
    return { ...about, verdict: 'go', why: `${canary.equalMinutes} minutes equal, ${canary.inDoubtMinutes} in doubt` };
  return { ...about, verdict: 'wait', why: `fewer than ${minVisits}; ${canary.openMinutes} minutes are not settled` };
}

function compareShares({ check, of, bad }: Counted, canary: Observed, baseline: Observed): Finding {
  const about = { check, canary: of(canary), baseline: of(baseline) };
  if (of(canary) === 0) return { ...about, verdict: 'go', why: 'none' };
  const share = (observed: Observed) => of(observed) / Math.max(1, observed.visits + observed.answeredVisits);
  return againstBaseline(about, bad, share(canary) <= share(baseline));
}

function killed(canary: Observed, baseline: Observed): Finding {
  const about = {
    check: 'minutes unaudited',
    canary: canary.unauditedMinutes,
    baseline: baseline.unauditedMinutes,
  };
  if (canary.unauditedMinutes === 0) return { ...about, verdict: 'go', why: 'none' };
  return { ...about, verdict: 'wait', why: `a process was killed with ${canary.unauditedVisits} visits: look why` };
}

function answering(canary: Observed, baseline: Observed): Finding {
  const ready = ({ gateways, notReady }: Observed) => gateways - notReady;
  const about = { check: 'gateways ready', canary: ready(canary), baseline: ready(baseline) };
  if (canary.gateways === 0) return { ...about, verdict: 'wait', why: 'no operations port of this version answers' };
  if (canary.notReady === 0) return { ...about, verdict: 'go', why: 'all of them' };
  return againstBaseline(about, `${canary.notReady} not ready`, baseline.notReady > 0);
}

function failures(canary: Observed, baseline: Observed): Finding {
  const share = ({ failures: failed, answers }: Observed) => failed / Math.max(1, answers);
  const about = { check: 'answers 5xx', canary: canary.failures, baseline: baseline.failures };
  const isWorse = share(canary) > share(baseline) + MORE_FAILURES;
  const percent = `${(share(canary) * 100).toFixed(2)} %, baseline ${(share(baseline) * 100).toFixed(2)} %`;
  const refused = canary.refusedVisits > 0 ? `; ${canary.refusedVisits} as nothing could hold the visit` : '';
  if (isWorse && canary.failures >= FEWEST_FAILURES) return { ...about, verdict: 'back', why: percent + refused };
  return { ...about, verdict: 'go', why: percent + refused };
}

function slowness(canary: Observed, baseline: Observed, minVisits: number): Finding {
  const [own, other] = [canary.p99Seconds, baseline.p99Seconds];
  const about = { check: 'p99 of redirects, ms', canary: milliseconds(own), baseline: milliseconds(other) };
  if (own === undefined || other === undefined || Math.min(canary.answers, baseline.answers) < minVisits) {
    return { ...about, verdict: 'go', why: 'too few to compare' };
  }
  const isSlower = own > other * SLOWER_TIMES && own > other + SLOWER_SECONDS;
  return isSlower ? { ...about, verdict: 'back', why: 'slower' } : { ...about, verdict: 'go', why: 'as the baseline' };
}

function milliseconds(seconds: number | undefined): number | null {
  return seconds === undefined ? null : Math.round(seconds * 10_000) / 10;
}

function spool(canary: Observed, baseline: Observed): Finding {
  const about = {
    check: 'age of the spool, s',
    canary: Math.round(canary.spoolAgeSeconds),
    baseline: Math.round(baseline.spoolAgeSeconds),
  };
  if (canary.spoolAgeSeconds <= SPOOL_AGE_SECONDS) {
    return { ...about, verdict: 'go', why: `${canary.spooledVisits} visits on disk` };
  }
  const why = `${canary.spooledVisits} visits do not leave its disk`;
  return againstBaseline(about, why, baseline.spoolAgeSeconds > SPOOL_AGE_SECONDS);
}

function rejected(canary: Observed, baseline: Observed): Finding {
  const about = { check: 'rejected, bytes', canary: canary.rejectedBytes, baseline: baseline.rejectedBytes };
  if (canary.rejectedBytes === 0) return { ...about, verdict: 'go', why: 'none' };
  return againstBaseline(about, 'Kafka refuses what it writes', baseline.rejectedBytes >= canary.rejectedBytes);
}

function againstBaseline(about: Omit<Finding, 'verdict' | 'why'>, why: string, isSame: boolean): Finding {
  if (isSame) return { ...about, verdict: 'wait', why: `${why}; of the baseline, too: find out first` };
  return { ...about, verdict: 'back', why };
}
