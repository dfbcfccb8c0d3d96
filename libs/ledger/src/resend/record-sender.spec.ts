import { describe, expect, it } from '@jest/globals';

import { intoBatches } from './record-sender.js';

describe('intoBatches', () => {
  const items = (count: number, sizeBytes: number) =>
    Array.from({ length: count }, (_, id) => ({ id, record: { value: Buffer.alloc(sizeBytes) } }));

  it('keeps the order and leaves nothing out', () => {
    const batches = intoBatches(items(1_234, 10), undefined);
    expect(batches.map((batch) => batch.length)).toEqual([500, 500, 234]);
    expect(batches.flat().map(({ id }) => id)).toEqual([...Array(1_234).keys()]);
  });

  it('stays below the bytes of a request, and sends one that is larger by itself', () => {
    expect(intoBatches(items(10, 200_000), undefined).map((batch) => batch.length)).toEqual([2, 2, 2, 2, 2]);
    expect(intoBatches(items(3, 900_000), undefined).map((batch) => batch.length)).toEqual([1, 1, 1]);
  });

  it('sends no more at once than a second may carry', () => {
    expect(intoBatches(items(7, 10), 3).map((batch) => batch.length)).toEqual([3, 3, 1]);
    expect(intoBatches([], 3)).toEqual([]);
  });
});
