import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { UuidV7Source } from './uuid-v7.js';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const timeOf = (id: string) => parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

describe('UUIDv7 ids', () => {
  it('are well formed, unique and rising, whatever the clock does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 2 ** 47 }), { minLength: 1, maxLength: 300 }), (clock) => {
        let tick = 0;
        const source = new UuidV7Source(() => clock[tick++ % clock.length] ?? 1);
        const ids = Array.from({ length: clock.length * 2 }, () => source.next());
        expect(ids.every((id) => UUID_V7.test(id))).toBe(true);
        expect(new Set(ids).size).toBe(ids.length);
        expect([...ids].sort()).toEqual(ids);
      }),
    );
  });

  it('carry the millisecond they were made in', () => {
    expect(timeOf(new UuidV7Source(() => 1_763_719_183_360).next())).toBe(1_763_719_183_360);
  });

  it('move the time on by a millisecond when the counter of one is full', () => {
    const source = new UuidV7Source(() => 1_000);
    const ids = Array.from({ length: 4_097 }, () => source.next());
    expect(timeOf(ids[4_095] ?? '')).toBe(1_000);
    expect(timeOf(ids[4_096] ?? '')).toBe(1_001);
  });

  it('do not share their random bits', () => {
    const source = new UuidV7Source(() => 1_000);
    const tails = new Set(Array.from({ length: 10_000 }, () => source.next().slice(19)));
    expect(tails.size).toBe(10_000);
  });
});
