import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { decideStart, type PartitionPositions } from './decide-start.js';

const decide = (checkpoint: number, committed: number | null, low: number, high: number) =>
  decideStart({
    checkpoint: BigInt(checkpoint),
    committed: committed === null ? null : BigInt(committed),
    low: BigInt(low),
    high: BigInt(high),
  });

describe('decideStart', () => {
  it('goes on where both agree, believing done marks about what is not there yet', () => {
    expect(decide(70, 70, 0, 90)).toMatchObject({ start: 70n, trustClaimsFrom: 90n, reason: 'usual' });
    expect(decide(70, 70, 0, 90)).toMatchObject({ restartTopic: false, renewIncarnation: false });
  });

  it('reads a topic nobody read from its beginning', () => {
    expect(decide(0, null, 12, 90)).toMatchObject({ start: 12n, reason: 'first-read' });
  });

  it('goes back to the checkpoint of a restored database and disowns every mark', () => {
    expect(decide(40, 70, 0, 90)).toMatchObject({ start: 40n, renewIncarnation: true, reason: 'ledger-restored' });
    expect(decide(0, 70, 5, 90)).toMatchObject({ start: 5n, renewIncarnation: true, reason: 'ledger-restored' });
  });

  it('replays from where the operator put the group, believing no mark', () => {
    expect(decide(70, 0, 0, 90)).toMatchObject({ start: 0n, trustClaimsFrom: 90n, renewIncarnation: false });
  });

  it('L5: reads everything when the group was deleted', () => {
    expect(decide(70, null, 10, 90)).toMatchObject({ start: 10n, trustClaimsFrom: 90n, reason: 'group-reset' });
  });

  it('starts a topic that was made anew from its beginning', () => {
    for (const committed of [null, 0, 70, 200]) {
      expect(decide(70, committed, 0, 30)).toMatchObject({ start: 0n, restartTopic: true, renewIncarnation: true });
    }
    // Exactly at the end is no new topic.
    expect(decide(70, 70, 0, 70)).toMatchObject({ start: 70n, restartTopic: false });
  });

  it('starts where the log begins when retention was faster', () => {
    expect(decide(70, 70, 80, 90)).toMatchObject({ start: 80n });
  });

  it('never skips a record that may be uncounted, and never believes a mark about one', () => {
    const offset = fc.bigInt({ min: 0n, max: 50n });
    const positions = fc
      .record({ checkpoint: offset, committed: fc.option(offset), low: offset, length: offset })
      .map(({ length, ...rest }): PartitionPositions => ({ ...rest, high: rest.low + length }));
    fc.assert(
      fc.property(positions, (at) => {
        const { start, restartTopic, trustClaimsFrom } = decideStart(at);
        const countedBelow = restartTopic ? at.low : at.checkpoint;
        const firstUncounted = countedBelow > at.low ? countedBelow : at.low;
        expect(start >= at.low && start <= at.high).toBe(true);
        expect(start <= firstUncounted).toBe(true);
        // Any row of what is in the log may have been lost since it was marked.
        expect(trustClaimsFrom).toBe(at.high);
      }),
    );
  });
});
