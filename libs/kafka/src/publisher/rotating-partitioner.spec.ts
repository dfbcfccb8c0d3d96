import { describe, expect, it } from '@jest/globals';

import { rotatingPartitioner } from './rotating-partitioner.js';

const partition = (partitionId: number, leader = 1) => ({
  partitionId,
  leader,
  partitionErrorCode: 0,
  replicas: [1],
  isr: [1],
});
const choose = rotatingPartitioner(() => 77);
const at = (wanted: number | undefined, leaders = [1, 1, 1]) =>
  choose({
    topic: 't',
    partitionMetadata: leaders.map((leader, id) => partition(id, leader)),
    message: { value: 'v', ...(wanted === undefined ? {} : { partition: wanted }) },
  });

describe('rotatingPartitioner', () => {
  it('takes the partition it is told', () => {
    expect([at(0), at(2)]).toEqual([0, 2]);
  });

  it('asks the key when told nothing', () => {
    expect(at(undefined)).toBe(77);
  });

  it('walks round the partitions with the turn', () => {
    expect([-1, -2, -3, -4].map((turn) => at(turn))).toEqual([0, 1, 2, 0]);
  });

  it('passes over a partition without a leader', () => {
    expect([-1, -2, -3].map((turn) => at(turn, [1, -1, 1]))).toEqual([0, 2, 2]);
  });

  it('still names a partition when none has a leader', () => {
    expect(at(-2, [-1, -1, -1])).toBe(1);
  });
});
