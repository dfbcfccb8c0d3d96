import { AppError } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { type ArchiveStore, type OpenHow, withOpened } from './archive-store.js';

const files = Array.from({ length: 20 }, (_, n) => ({ id: `${n}`, path: `${n}`, sha256: '' }));
const away = new AppError('archive-store-away', 'away');

/** Has some files at hand, one is lost, and fails for the rest. */
function storeWith(atHand: (n: number) => boolean, failure: Error) {
  const asked = { fetching: 0, copies: 0 };
  const open = new Set<string>();
  const stamps = new Map<string, string>();
  const store: Pick<ArchiveStore, 'open'> = {
    open: async ({ path }: { path: string }, { mayFetch }: OpenHow) => {
      asked[mayFetch ? 'fetching' : 'copies'] += 1;
      await new Promise(setImmediate);
      if (path === '7') return undefined;
      if (!atHand(Number(path))) throw failure;
      open.add(path);
      const stampNow = () => Promise.resolve(stamps.get(path) ?? 'as sealed');
      const close = () => Promise.resolve(void open.delete(path));
      return { path: `/local/${path}`, stamp: 'as sealed', stampNow, close };
    },
  };
  return { store: store as ArchiveStore, asked, open, stamps };
}
const isKnown = () => true;

describe('files opened for reading', () => {
  it('are handed out in their order without those that are no longer what was sealed, and closed afterwards', async () => {
    const { store, open } = storeWith(() => true, away);
    const unusable: string[] = [];
    const onUnusable = ({ path }: { path: string }) => Promise.resolve(void unusable.push(path));
    const work = withOpened(store, files, { isKnown, onUnusable }, (usable) => {
      expect(usable.map(({ local }) => local)).toEqual(
        files.filter(({ path }) => path !== '7').map(({ path }) => `/local/${path}`),
      );
      expect(open.size).toBe(19);
      return Promise.reject(new Error('of the work'));
    });
    await expect(work).rejects.toThrow('of the work');
    expect([unusable, open.size]).toEqual([['7'], 0]);
  });

  it('give no result when one of them was written to meanwhile, and tell so before anything is committed', async () => {
    const { store, open, stamps } = storeWith(() => true, away);
    const steps: string[] = [];
    const work = withOpened(store, files, { isKnown }, async (_, expectUnchanged) => {
      await expectUnchanged();
      stamps.set('3', 'written to');
      steps.push('read');
      await expectUnchanged();
      steps.push('committed');
    });
    await expect(work).rejects.toMatchObject({ code: 'archive-file-changed', details: { path: '/local/3' } });
    expect([steps, open.size]).toEqual([['read'], 0]);
    const late = withOpened(store, [files[4]!], { isKnown }, () => {
      stamps.set('4', 'written to');
      return Promise.resolve('a number');
    });
    await expect(late).rejects.toMatchObject({ code: 'archive-file-changed' });
  });

  it('are closed, and no more are asked for, when one cannot be opened', async () => {
    const { store, asked, open } = storeWith((n) => n < 5, away);
    const work = withOpened(store, files, { isKnown }, () => Promise.reject(new Error('never')));
    await expect(work).rejects.toBe(away);
    expect([asked.fetching < files.length, open.size]).toEqual([true, 0]);
  });

  it('are those at hand while the store is away, if whoever asks can do without the rest; it is asked once', async () => {
    const { store, asked, open } = storeWith((n) => n % 2 === 0, away);
    const reasons: AppError[] = [];
    const onAway = (error: AppError) => reasons.push(error);
    const usable = await withOpened(store, files, { isKnown, onAway }, (all) => Promise.resolve(all));
    expect(usable.map(({ path }) => Number(path))).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18]);
    expect([reasons[0], open.size]).toEqual([away, 0]);
    // Those under way when it first failed, and what followed those that were at hand.
    expect(asked.fetching).toBeLessThanOrEqual(8);
  });

  it('fail for any other reason even so', async () => {
    const { store } = storeWith((n) => n < 5, new Error('EACCES'));
    const work = withOpened(store, files, { isKnown, onAway: () => undefined }, () => Promise.resolve());
    await expect(work).rejects.toThrow('EACCES');
  });
});
