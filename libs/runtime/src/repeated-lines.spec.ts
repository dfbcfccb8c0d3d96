import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { createLogger } from './logger.js';

interface Line {
  level: number;
  msg: string;
  repeated?: number;
  reason?: string;
  job?: string;
  err?: { message: string; stack: string };
}

const full = (port = 1) => Object.assign(new Error(`ENOSPC: no space left, ${port}`), { code: 'ENOSPC', stack: '' });

describe('a log line that repeats', () => {
  let lines: Line[];
  const logger = () =>
    createLogger({ name: 'spec', level: 'info' }, () => ({
      write: (line) => void lines.push(JSON.parse(line) as Line),
    }));

  beforeEach(() => {
    jest.useFakeTimers();
    lines = [];
  });
  afterEach(() => void jest.useRealTimers());

  it('is written whole once, then counted at intervals, and is whole again after a pause', async () => {
    const log = logger();
    for (let nth = 0; nth < 19_000; nth += 1) log.error({ err: full(nth) }, 'visits cannot be written');
    expect(lines).toMatchObject([{ msg: 'visits cannot be written', err: { message: 'ENOSPC: no space left, 0' } }]);
    await jest.advanceTimersByTimeAsync(30_000);
    expect(lines[1]).toMatchObject({ level: 50, repeated: 18_999, reason: 'ENOSPC: no space left, 0' });
    expect(lines[1]).not.toHaveProperty('err');
    log.error({ err: full() }, 'visits cannot be written');
    await jest.advanceTimersByTimeAsync(30_000);
    expect(lines[2]).toMatchObject({ repeated: 1 });
    await jest.advanceTimersByTimeAsync(30_000);
    log.error({ err: full() }, 'visits cannot be written');
    expect(lines.slice(3)).toMatchObject([{ err: { message: 'ENOSPC: no space left, 1' } }]);
  });

  it.each<[string, (log: ReturnType<typeof logger>, nth: number) => void]>([
    ['another message', (log, nth) => log.error({ err: full() }, 'abc'.slice(nth))],
    ['another level', (log, nth) => log[(['warn', 'error', 'fatal'] as const)[nth]!]({ err: full() }, 'x')],
    ['another error', (log, nth) => log.error({ err: new Error('abc'.slice(nth)) }, 'x')],
    ['another job', (log, nth) => log.error({ err: full(), job: 'abc'.slice(nth) }, 'x')],
    ['a level below a warning', (log) => log.info({ err: full() }, 'x')],
  ])('is told apart from one with %s', (_what, write) => {
    const log = logger();
    for (let nth = 0; nth < 3; nth += 1) write(log, nth);
    expect(lines).toHaveLength(3);
  });

  it('is counted together with those of child loggers', () => {
    const log = logger();
    for (let nth = 0; nth < 5; nth += 1) log.child({ requestId: nth }).error(full(), 'request failed');
    expect(lines).toHaveLength(1);
  });

  it('without an error is written twenty times: its fields may differ', async () => {
    const log = logger();
    for (let nth = 0; nth < 100; nth += 1) log.warn({ code: `c${nth}` }, 'corrected');
    expect(lines).toHaveLength(20);
    await jest.advanceTimersByTimeAsync(30_000);
    expect(lines.at(-1)).toMatchObject({ repeated: 80 });
  });

  it('stays limited when its text comes from outside and is never the same', async () => {
    const log = logger();
    const text = (nth: number) => String.fromCodePoint(0x4e00 + nth);
    for (let nth = 0; nth < 5_000; nth += 1) log.error({ err: new Error(text(nth)) }, 'request failed');
    for (let nth = 0; nth < 5_000; nth += 1) log.error(text(nth));
    expect(lines.length).toBeLessThan(1_100);
    await jest.advanceTimersByTimeAsync(30_000);
    const counted = lines.reduce((sum, { repeated }) => sum + (repeated ?? 0), 0);
    expect(counted + lines.filter(({ repeated }) => repeated === undefined).length).toBe(10_000);
  });
});
