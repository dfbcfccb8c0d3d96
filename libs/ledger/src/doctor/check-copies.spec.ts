import { describe, expect, it } from '@jest/globals';

import { copyProblems } from './check-copies.js';

describe('copyProblems', () => {
  const problems = (brokers: number, replicas: number, settings: Record<string, string> = {}) =>
    copyProblems(
      {
        ...{ topic: 't', partitions: 12, replicas, inSyncReplicas: replicas },
        settings: new Map(Object.entries(settings)),
      },
      brokers,
    );

  it('finds nothing wrong with what topics create makes', () => {
    expect(problems(3, 3, { 'min.insync.replicas': '2', 'unclean.leader.election.enable': 'false' })).toEqual([]);
    expect(problems(7, 4, { 'min.insync.replicas': '3' })).toEqual([]);
    expect(problems(1, 1, { 'min.insync.replicas': '1' })).toEqual([]);
    expect(problems(2, 1)).toEqual([]);
  });

  it('names what could cost an acknowledged visit', () => {
    expect(problems(3, 1, { 'min.insync.replicas': '2' })).toEqual([expect.stringContaining('copies on 1 of 3')]);
    expect(problems(3, 2, { 'min.insync.replicas': '2' })).toEqual([expect.stringContaining('copies on 2 of 3')]);
    expect(problems(3, 3)).toEqual([expect.stringContaining('min.insync.replicas 1')]);
    expect(problems(1, 1, { 'unclean.leader.election.enable': 'true' })).toEqual([
      expect.stringContaining('lacks acknowledged visits'),
    ]);
  });
});
