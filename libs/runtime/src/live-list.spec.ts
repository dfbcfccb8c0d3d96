import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { type Listed, LiveList, takeFirst } from './live-list.js';

describe('LiveList', () => {
  it('holds what was added and not removed, as a Set would', () => {
    const item = fc.nat({ max: 9 });
    fc.assert(
      fc.property(fc.array(fc.record({ adds: fc.boolean(), item })), (steps) => {
        const items: (Listed & { name: number })[] = Array.from({ length: 10 }, (_, name) => ({ name, place: -1 }));
        const list = new LiveList<(typeof items)[number]>();
        const model = new Set<number>();
        for (const step of steps) {
          const one = items[step.item] as (typeof items)[number];
          if (!step.adds) list.delete(one);
          else if (!model.has(step.item)) list.add(one);
          if (step.adds) model.add(step.item);
          else model.delete(step.item);
          expect([...list].map(({ name }) => name).sort()).toEqual([...model].sort());
          expect(list.size).toBe(model.size);
        }
      }),
    );
  });

  it('may lose each item as it is walked', () => {
    const list = new LiveList<Listed & { name: number }>();
    for (let name = 0; name < 5; name += 1) list.add({ name, place: -1 });
    const seen: number[] = [];
    for (const item of list) {
      seen.push(item.name);
      list.delete(item);
    }
    expect(seen.sort()).toEqual([0, 1, 2, 3, 4]);
    expect(list.size).toBe(0);
  });
});

it('takes the first of a short list that is meant, and nothing else', () => {
  const list = [1, 2, 3, 2];
  expect(takeFirst(list, (item) => item === 2)).toBe(2);
  expect(list).toEqual([1, 3, 2]);
  expect(takeFirst(list, (item) => item === 4)).toBeUndefined();
  expect(list).toEqual([1, 3, 2]);
});
