import { AppError } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { Attempts } from './attempts.js';

const withCode = (code: string) => Object.assign(new Error('x'), { code });
const appError = (
  code: 'archive-no-space' | 'archive-folder-missing' | 'archive-store-away' | 'archive-engine-failed',
) => new AppError(code, 'x');

describe('one of several hours that fails', () => {
  async function run(error: Error) {
    const attempts = new Attempts(undefined);
    const done: string[] = [];
    const all = async () => {
      await attempts.run('first', () => Promise.reject(error));
      await attempts.run('second', () => {
        done.push('second');
        return Promise.resolve();
      });
    };
    const thrown = await all().catch((reason: unknown) => reason);
    return { thrown, failed: attempts.failed, done };
  }

  it.each(['57014', '53100', '53200', '58030', '25P03', '22P02', 'EACCES', 'EIO'])(
    'with %s delays only itself',
    async (code) => {
      const error = withCode(code);
      expect(await run(error)).toEqual({ thrown: undefined, failed: [{ what: 'first', error }], done: ['second'] });
    },
  );

  it('for what DuckDB says delays only itself, whatever its words', async () => {
    const error = appError('archive-engine-failed');
    error.message = 'Conversion Error: "connection timeout terminated"';
    expect(await run(error)).toMatchObject({ thrown: undefined, done: ['second'] });
  });

  it.each(['08006', '57P01', '57P03', 'ECONNREFUSED', 'ECONNRESET', 'ENOSPC'])('with %s ends all', async (code) => {
    const error = withCode(code);
    expect(await run(error)).toEqual({ thrown: error, failed: [], done: [] });
  });

  it('for want of space, of the store or of a connection ends all', async () => {
    const lost = new Error('Connection terminated unexpectedly');
    for (const error of [
      ...(['archive-no-space', 'archive-folder-missing', 'archive-store-away'] as const).map(appError),
      lost,
    ]) {
      expect(await run(error)).toEqual({ thrown: error, failed: [], done: [] });
    }
  });
});
