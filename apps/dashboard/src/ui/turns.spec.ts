import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { holdTurns, nextTurn } from './turns.js';

describe('parts of a page', () => {
  beforeAll(() => {
    // A browser that knows no idle time.
    Object.assign(globalThis, { window: {} });
    jest.useFakeTimers();
  });
  afterAll(() => {
    jest.useRealTimers();
    Reflect.deleteProperty(globalThis, 'window');
  });

  const come = (names: readonly string[]) => {
    const came: string[] = [];
    for (const name of names) void nextTurn().then(() => came.push(name));
    return came;
  };

  it('come one after the other', async () => {
    const came = come(['a', 'b']);
    await jest.advanceTimersByTimeAsync(150);
    expect(came).toEqual(['a']);
    await jest.advanceTimersByTimeAsync(150);
    expect(came).toEqual(['a', 'b']);
  });

  it('wait for all that go before them, those that were announced later, too', async () => {
    const came = come(['a', 'b']);
    await jest.advanceTimersByTimeAsync(150);
    const release = [holdTurns(), holdTurns()];
    release[0]?.();
    // The one that had its turn already comes.
    await jest.advanceTimersByTimeAsync(1_000);
    expect(came).toEqual(['a', 'b']);
    const later = come(['c']);
    await jest.advanceTimersByTimeAsync(500);
    expect(later).toEqual([]);
    release[1]?.();
    await jest.advanceTimersByTimeAsync(150);
    expect(later).toEqual(['c']);
  });

  it('wait for nothing for longer than two seconds', async () => {
    holdTurns();
    const came = come(['a']);
    await jest.advanceTimersByTimeAsync(1_999);
    expect(came).toEqual([]);
    await jest.advanceTimersByTimeAsync(151);
    expect(came).toEqual(['a']);
  });
});
