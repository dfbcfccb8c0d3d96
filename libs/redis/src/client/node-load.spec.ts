import { describe, expect, it } from '@jest/globals';

import { NodeLoadRatios } from './node-load.js';

const node = (name: string, keys: number, operations: number) => ({ node: name, id: name, slots: 1, keys, operations });

describe('the load of nodes of a Redis Cluster', () => {
  it('is keys and operations since the last look, against the mean of all nodes', () => {
    const ratios = new NodeLoadRatios();
    expect(ratios.look([node('a', 6_000, 1e6), node('b', 2_000, 5), node('c', 1_000, 5)])).toEqual([
      { node: 'a', kind: 'keys', ratio: 2 },
      { node: 'b', kind: 'keys', ratio: expect.closeTo(0.67, 2) },
      { node: 'c', kind: 'keys', ratio: expect.closeTo(0.33, 2) },
    ]);
    // b was started again, c is new.
    const second = ratios.look([node('a', 6_000, 1e6 + 5_000), node('b', 2_000, 0), node('d', 1_000, 9_000)]);
    expect(second.filter(({ kind }) => kind === 'operations')).toEqual([
      { node: 'a', kind: 'operations', ratio: 3 },
      { node: 'b', kind: 'operations', ratio: 0 },
      { node: 'd', kind: 'operations', ratio: 0 },
    ]);
  });

  it('is not said of a few keys, or without a cluster', () => {
    expect(new NodeLoadRatios().look([node('a', 2_000, 0), node('b', 0, 0), node('c', 0, 0)])).toEqual([]);
    expect(new NodeLoadRatios().look([])).toEqual([]);
  });
});
