import { describe, expect, it } from '@jest/globals';

import { roomFor } from './room.js';

const measures = { widthOf: (text: string) => text.length * 7, width: 400 };
const asText = (count: number) => String(count);
const days = (count: number) => Array.from({ length: count }, (_, nth) => `2026-01-${String(nth).padStart(2, '0')}`);

describe('the room around lines', () => {
  it.each([0, 1, 7, 99, 900, 1_000, 123_456_789])('holds the round number above %i', (most) => {
    const { left } = roomFor(days(3), asText, most, measures);
    const above = 10 ** Math.ceil(Math.log10(Math.max(1, most) * 1.25));
    const nearly = most > 0.8 * above ? above : most;
    expect(left).toBeGreaterThanOrEqual(measures.widthOf(asText(nearly)) + 8);
  });

  it.each([2, 7, 24, 25, 31, 92, 400])('names as many of %i points as do not touch', (count) => {
    const { left, right, everyNth } = roomFor(days(count), asText, 10, measures);
    const apart = ((measures.width - left - right) / (count - 1)) * everyNth;
    if (everyNth < count - 1) expect(apart).toBeGreaterThanOrEqual(measures.widthOf('2026-01-00') + 8);
    expect(right).toBeGreaterThanOrEqual(measures.widthOf('2026-01-00') / 2);
  });

  it('holds half of the widest name at its end, however many letters it has', () => {
    const widthOf = (text: string) => [...text].reduce((sum, one) => sum + (one === 'W' ? 20 : 5), 0);
    expect(roomFor(['iii', 'iWW'], asText, 1, { ...measures, widthOf }).right).toBeGreaterThanOrEqual(22);
  });

  it('names each point where there are few, and one of one', () => {
    expect(roomFor(days(4), asText, 10, measures).everyNth).toBe(1);
    expect(roomFor(days(1), asText, 10, measures).everyNth).toBe(1);
    expect(roomFor([], asText, 0, measures).everyNth).toBe(1);
  });
});
