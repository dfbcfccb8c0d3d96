import { createLogger } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { type SealedSegment, SegmentQueue } from './segment-queue.js';

const SEGMENTS = 3_000;

describe('the queue of spool segments', () => {
  it('is asked for paths and sizes without looking at each segment, as adoption does for each file', () => {
    const queue = new SegmentQueue({
      logger: createLogger({ name: 'spec', level: 'silent' }),
      onDamage: () => undefined,
    });
    let looks = 0;
    const segmentOf = (nth: number): SealedSegment => ({
      get path() {
        looks += 1;
        return `/spool/one/${nth}.spool`;
      },
      get sizeBytes() {
        looks += 1;
        return 10;
      },
      ...{ events: 1, oldestMs: nth, adopted: nth % 3 === 0 },
    });
    queue.addFirst(Array.from({ length: SEGMENTS }, (_, nth) => segmentOf(nth)));
    for (let nth = 0; nth < 2 * SEGMENTS; nth += 1) {
      expect(queue.knows(`/spool/one/${nth}.spool`)).toBe(nth < SEGMENTS);
      expect(queue.sizeBytes).toEqual({ own: 20_000, adopted: 10_000 });
    }
    expect(looks).toBeLessThan(10 * SEGMENTS);
  });
});
