import { newEventId } from '@hopcount/testing';
import { describe, expect, it } from '@jest/globals';

import { assertConserved, withoutPurged } from './conservation.js';

const load = (acknowledged: string[], inDoubt: string[] = [], repeatedIds: string[] = []) => ({
  acknowledged: new Map(acknowledged.map((id) => [id, 'code'])),
  inDoubt: new Set(inDoubt),
  repeatedIds,
});
const counted = (...visits: [id: string, nonce: string][]) =>
  visits.map(([eventId, nonce]) => ({ eventId, linkId: '1', nonce }));

describe('assertConserved', () => {
  it('lets a request in doubt be counted once or not at all', () => {
    assertConserved(load(['a'], ['n2']), counted(['a', 'n1']));
    assertConserved(load(['a'], ['n2']), counted(['a', 'n1'], ['b', 'n2']));
  });

  it('sees a request in doubt that was counted under two ids', () => {
    expect(() => assertConserved(load([], ['n2']), counted(['b', 'n2'], ['c', 'n2']))).toThrow(/counted twice/);
  });

  it('sees a loss, an invention and an id given out twice', () => {
    expect(() => assertConserved(load(['a', 'b']), counted(['a', 'n1']))).toThrow(/lost \(1\): b/);
    expect(() => assertConserved(load(['a']), counted(['a', 'n1'], ['z', 'n9']))).toThrow(/invented \(1\): z/);
    expect(() => assertConserved(load(['a'], [], ['a']), counted(['a', 'n1']))).toThrow(/ids twice/);
  });
});

describe('withoutPurged', () => {
  it('leaves out visits of purged links from before the purge, and no others', () => {
    const [early, late, other] = [newEventId(999), newEventId(1_000), newEventId(1)];
    const acknowledged = new Map([
      [early, 'a'],
      [late, 'a'],
      [other, 'b'],
    ]);
    expect([...withoutPurged(acknowledged, new Map([['a', 1_000]])).keys()]).toEqual([late, other]);
  });
});
