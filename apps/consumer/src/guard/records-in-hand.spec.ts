import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { RecordsInHand } from './records-in-hand.js';

describe('RecordsInHand', () => {
  it('lets many be in hand together, or one alone, and everybody come to an end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.record({ alone: fc.boolean(), fails: fc.boolean() }), { maxLength: 12 }),
        async (scheduler, pieces) => {
          const hand = new RecordsInHand();
          const inHand = new Set<number>();
          let ended = 0;
          const all = pieces.map(async ({ alone, fails }, index) => {
            const work = async () => {
              inHand.add(index);
              if (alone) expect([...inHand]).toEqual([index]);
              expect([...inHand].filter((other) => pieces[other]?.alone)).toEqual(alone ? [index] : []);
              await scheduler.schedule(Promise.resolve());
              inHand.delete(index);
              if (fails) throw new Error('given up');
            };
            await hand.hold(alone ? 'alone' : 'together', () => true, work).catch(() => undefined);
            ended += 1;
          });
          await scheduler.waitFor(Promise.all(all));
          expect(ended).toBe(pieces.length);
        },
      ),
    );
  });

  it('does not make those wait who can go together', async () => {
    const hand = new RecordsInHand();
    let both = 0;
    let meet: () => void = () => undefined;
    const met = new Promise<void>((resolve) => (meet = resolve));
    const work = () => {
      if ((both += 1) === 2) meet();
      return met;
    };
    await Promise.all([hand.hold('together', () => true, work), hand.hold('together', () => true, work)]);
    expect(both).toBe(2);
  });

  it('lets go of who waits for nobody any more, and of those behind', async () => {
    const hand = new RecordsInHand();
    let finish: () => void = () => undefined;
    const first = hand.hold(
      'together',
      () => true,
      () => new Promise<void>((resolve) => (finish = resolve)),
    );
    let isCurrent = true;
    const alone = hand.hold(
      'alone',
      () => isCurrent,
      () => Promise.resolve('taken'),
    );
    const behind = hand.hold(
      'together',
      () => true,
      () => Promise.resolve('taken'),
    );
    isCurrent = false;
    await expect(alone).rejects.toMatchObject({ code: 'batch-abandoned' });
    expect(await behind).toBe('taken');
    finish();
    await first;
  });
});
