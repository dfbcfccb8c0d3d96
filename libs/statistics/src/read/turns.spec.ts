import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { type Asker, Turns } from './turns.js';

describe('questions that take turns', () => {
  let turns: Turns;
  let begun: string[];
  let abandoned: string[];
  let ends: Map<string, () => void>;
  let restsMs: (tookMs: number) => number;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    turns = new Turns({ atOnce: 1, lightAtOnce: 1, restMs: (tookMs) => restsMs(tookMs) });
    restsMs = () => 0;
    begun = [];
    abandoned = [];
    ends = new Map();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** It is under way until end() is told its name, and answered with it. */
  function ask(name: string, asker: Asker = {}): Promise<string> {
    const work = (signal: AbortSignal) =>
      new Promise<string>((resolve) => {
        begun.push(name);
        signal.addEventListener('abort', () => abandoned.push(name));
        ends.set(name, () => resolve(name));
      });
    return turns.run(work, asker);
  }

  async function end(name: string): Promise<void> {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  }

  it('begin while there is room, light ones beside the others', async () => {
    void ask('totals of a link over visits');
    void ask('countries');
    void ask('totals', { isLight: true });
    void ask('days', { isLight: true });
    expect(begun).toEqual(['totals of a link over visits', 'totals']);
    await end('totals');
    expect(begun.slice(2)).toEqual(['days']);
    await end('totals of a link over visits');
    expect(begun.slice(3)).toEqual(['countries']);
  });

  it('are those of one key after another, however many one of them has asked before', async () => {
    for (const name of ['a1', 'a2', 'a3']) void ask(name, { keyId: 1 });
    for (const name of ['b1', 'b2']) void ask(name, { keyId: 2 });
    void ask('c1', { keyId: null });
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) {
      expect(begun.at(-1)).toBe(name);
      await end(name);
    }
  });

  it('are answered together where they are equal and none has begun, of the same reader only', async () => {
    const [reader, other] = [{}, {}];
    void ask('first');
    const answers = [ask('one', { same: [reader, 'q'] }), ask('two', { same: [reader, 'q'] })];
    const apart = [ask('three', { same: [other, 'q'] }), ask('four', { same: [reader, 'r'] })];
    await end('first');
    // The answer to the first two is of a snapshot before this one.
    const later = ask('five', { same: [reader, 'q'] });
    for (const name of ['one', 'three', 'four', 'five']) await end(name);
    expect(await Promise.all([...answers, ...apart, later])).toEqual(['one', 'one', 'three', 'four', 'five']);
  });

  it('are not begun once nobody waits for them, and those under way are told', async () => {
    const clients = Array.from({ length: 4 }, () => new AbortController());
    const [first, second, third, fourth] = clients.map(({ signal }) => signal);
    const same: Asker['same'] = [{}, 'q'];
    const abandonedOne: Asker['same'] = [{}, 'r'];
    const left = [ask('first', { gone: first }), ask('second', { gone: second, same: abandonedOne })];
    const refused = Promise.all(left.map((answer) => expect(answer).rejects.toMatchObject({ code: 'client-gone' })));
    const [shared, stays] = [ask('shared', { gone: third, same }), ask('shared', { gone: fourth, same })];
    const alsoLeft = expect(shared).rejects.toMatchObject({ code: 'client-gone' });
    clients.slice(0, 3).forEach((client) => client.abort());
    await Promise.all([refused, alsoLeft]);
    expect(abandoned).toEqual(['first']);
    const again = ask('second again', { same: abandonedOne });
    await end('first');
    expect(begun).toEqual(['first', 'shared']);
    await end('shared');
    expect(await stays).toBe('shared');
    await end('second again');
    expect(await again).toBe('second again');
    await expect(ask('late', { gone: first })).rejects.toMatchObject({ code: 'client-gone' });
  });

  it('rest before the next one that is not light, in proportion to how long they took, but only where some wait', async () => {
    restsMs = (tookMs) => 3 * tookMs;
    for (const name of ['first', 'second']) void ask(name);
    void ask('light', { isLight: true });
    void ask('light too', { isLight: true });
    jest.advanceTimersByTime(100);
    for (const name of ['light', 'first']) await end(name);
    jest.advanceTimersByTime(299);
    void ask('third');
    expect(begun).toEqual(['first', 'light', 'light too']);
    jest.advanceTimersByTime(1);
    expect(begun.at(-1)).toBe('second');
    jest.advanceTimersByTime(10);
    await end('second');
    jest.advanceTimersByTime(30);
    expect(begun.at(-1)).toBe('third');
    jest.advanceTimersByTime(10);
    await end('third');
    void ask('alone');
    expect(begun.at(-1)).toBe('alone');
  });
});
