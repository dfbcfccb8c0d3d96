import { createLogger } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { DueJobs } from './due-jobs.js';

const logger = createLogger({ name: 'test', level: 'silent' });

describe('DueJobs', () => {
  const told: string[] = [];
  const jobOf = (name: string) => ({
    name,
    waitsFor: `${name} waits`,
    runIfDue: (isDue: boolean) => void told.push(`${name} ${isDue}`),
  });
  const lookWith = async (answer: () => Promise<unknown[]>) => {
    told.length = 0;
    const questions: string[] = [];
    const query = (text: string) => {
      questions.push(text);
      return answer() as Promise<never[]>;
    };
    await new DueJobs([jobOf('one'), jobOf('two')], 1_000, { database: { query }, logger }).look();
    return questions;
  };

  it('asks once for all of them', async () => {
    const questions = await lookWith(() => Promise.resolve([{ one: true, two: false }]));
    expect([questions, told]).toEqual([['SELECT one waits AS "one", two waits AS "two"'], ['one true', 'two false']]);
  });

  it('runs all of them when that cannot be asked', async () => {
    await lookWith(() => Promise.reject(new Error('PostgreSQL is away')));
    expect(told).toEqual(['one true', 'two true']);
  });
});
