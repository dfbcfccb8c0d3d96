import type { JobOutcome } from '@hopcount/redis';
import { createLogger, Registry } from '@hopcount/runtime';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { createWorkerMetrics } from '../worker.metrics.js';
import { IntervalJob, type JobDefinition } from './interval-job.js';

const logger = createLogger({ name: 'test', level: 'silent' });

function jobOf(work: JobDefinition['work'], lockSays: 'ran' | 'busy' | 'unavailable') {
  const registry = new Registry();
  const metrics = createWorkerMetrics(registry);
  const lock = {
    runExclusive: async <T>(
      _name: string,
      _options: object,
      run: (signal: AbortSignal) => Promise<T>,
    ): Promise<JobOutcome<T>> =>
      lockSays === 'ran' ? { outcome: 'ran', value: await run(new AbortController().signal) } : { outcome: lockSays },
  };
  const job = new IntervalJob({ name: 'test', intervalMs: 5, work }, { lock, metrics, logger });
  const outcomes = async () =>
    (await metrics.jobRuns.get()).values.map(({ labels, value }) => `${labels.outcome} ${value}`);
  const durations = async () =>
    (await metrics.jobDuration.get()).values.find(({ metricName }) => metricName?.endsWith('_count'))?.value;
  return { job, outcomes, durations };
}

describe('IntervalJob', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('runs while it holds the lock, not while another does', async () => {
    let runs = 0;
    const work = () => Promise.resolve(void (runs += 1));
    await jobOf(work, 'ran').job.runOnce();
    expect(runs).toBe(1);
    const busy = jobOf(work, 'busy');
    await busy.job.runOnce();
    expect(runs).toBe(1);
    expect(await busy.outcomes()).toEqual(['busy 1']);
  });

  it('goes on while Redis is away: PostgreSQL fences each job', async () => {
    let runs = 0;
    const work = () => Promise.resolve(void (runs += 1));
    await jobOf(work, 'unavailable').job.runOnce();
    expect(runs).toBe(1);
  });

  it('counts a failure and runs again', async () => {
    let runs = 0;
    const work = () => (++runs < 3 ? Promise.reject(new Error('no')) : Promise.resolve());
    const { job, outcomes } = jobOf(work, 'ran');
    job.start();
    while (runs < 4) await jest.advanceTimersByTimeAsync(5);
    await job.stop();
    expect(await outcomes()).toContain('failed 2');
  });

  it('measures a run that fails like one that does not', async () => {
    const failing = jobOf(() => Promise.reject(new Error('no')), 'ran');
    await failing.job.runOnce();
    expect([await failing.outcomes(), await failing.durations()]).toEqual([['failed 1'], 1]);
  });

  it('tells a running job to end, waits for it, and starts no other', async () => {
    let runs = 0;
    let ended = false;
    const work = (signal: AbortSignal) => {
      runs += 1;
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(void (ended = true))));
    };
    const { job } = jobOf(work, 'ran');
    job.start();
    while (runs === 0) await jest.advanceTimersByTimeAsync(5);
    await job.stop();
    expect([ended, runs]).toEqual([true, 1]);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(runs).toBe(1);
  });

  it('runs when its rows are there, otherwise every half a minute, and never beside itself', async () => {
    let runs = 0;
    const { job } = jobOf(() => new Promise((resolve) => setTimeout(() => resolve(void (runs += 1)), 100)), 'ran');
    const looks = async (count: number, isDue: boolean) => {
      for (let look = 0; look < count; look += 1) {
        job.runIfDue(isDue);
        await jest.advanceTimersByTimeAsync(50);
      }
    };
    await looks(20, false);
    expect(runs).toBe(1);
    await looks(20, true);
    expect([runs > 3, runs < 12]).toEqual([true, true]);
    const before = runs;
    await looks(20, false);
    expect(runs).toBeLessThan(before + 2);
    await jest.advanceTimersByTimeAsync(31_000);
    await looks(3, false);
    expect(runs).toBeGreaterThan(before);
    await job.stop();
    const last = runs;
    await looks(20, true);
    expect(runs).toBe(last);
  });
});
