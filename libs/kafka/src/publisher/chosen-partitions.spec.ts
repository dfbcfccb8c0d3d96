import { describe, expect, it } from '@jest/globals';

import { ChosenPartitions } from './chosen-partitions.js';

const argsOf = (value: string) => ({ topic: 't', partitionMetadata: [], message: { value } });

describe('the partitions chosen for records', () => {
  it('stay the same for every try', () => {
    let next = 0;
    const choose = new ChosenPartitions().by(() => next++);
    const [one, other] = [argsOf('one'), argsOf('other')];
    expect([choose(one), choose(other), choose(one), choose(other)]).toEqual([0, 1, 0, 1]);
  });

  it('have to acknowledge something, each of them', () => {
    const chosen = new ChosenPartitions();
    const choose = chosen.by(({ message }) => Number(message.value));
    const all = ['0', '2', '2'].map(argsOf);
    all.forEach(choose);
    const messages = all.map(({ message }) => message);
    expect(() => chosen.expectAll(messages, [{ partition: 0 }, { partition: 2 }])).not.toThrow();
    expect(() => chosen.expectAll(messages, [{ partition: 0 }, { partition: 1 }])).toThrow('partition 2');
  });
});
