import { setTimeout as sleep } from 'node:timers/promises';

import type { UseAsked } from '@hopcount/links';
import { createLogger } from '@hopcount/runtime';
import { waitUntil } from '@hopcount/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';

import { LimitGate } from './limit-gate.js';
import { UseReturns } from './use-returns.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const HOT = { id: '1', version: '1' };
const COLD = { id: '2', version: '1' };

/** PostgreSQL, which answers when it is told to. */
class FakeUses {
  readonly statements: { asked: readonly UseAsked[]; answer: (free: number | Error) => void }[] = [];
  readonly returned: string[] = [];
  readonly ended: string[] = [];
  isAway = false;

  take(asked: readonly UseAsked[]): Promise<boolean[]> {
    return new Promise((resolve, reject) => {
      const answer = (free: number | Error) =>
        free instanceof Error ? reject(free) : resolve(asked.map((_, place) => place < free));
      this.statements.push({ asked, answer });
    });
  }
  giveBack(eventIds: readonly string[]): Promise<void> {
    if (this.isAway) return Promise.reject(new Error('away'));
    this.returned.push(...eventIds);
    return Promise.resolve();
  }
  end(eventIds: readonly string[]): Promise<void> {
    this.ended.push(...eventIds);
    return Promise.resolve();
  }
}

let uses: FakeUses;
let returns: UseReturns;
let gate: LimitGate;
let spoolHoldsVisits: boolean;
const open = (settings = {}) => {
  uses = new FakeUses();
  spoolHoldsVisits = false;
  returns = new UseReturns(uses, () => Promise.resolve(spoolHoldsVisits), logger, 50);
  gate = new LimitGate(uses, returns, logger, settings);
};
beforeEach(() => open());
const idsOf = (statement: number) => uses.statements[statement]?.asked.map(({ eventId }) => eventId);
const untilReturned = (ids: string[]) =>
  waitUntil(() => ids.every((id) => uses.returned.includes(id)), { describe: `${ids.join()} are given back` });

describe('the gate of links with a limit', () => {
  it('asks of a link once at a time, of others beside it, and in order of arrival', async () => {
    const answers = ['a', 'b', 'c'].map((id) => gate.ask(HOT, id));
    const other = gate.ask(COLD, 'x');
    expect([idsOf(0), idsOf(1), uses.statements.length]).toEqual([['a'], ['x'], 2]);
    uses.statements[1]!.answer(1);
    expect(await other).toBe(true);
    expect(uses.statements).toHaveLength(2);
    uses.statements[0]!.answer(1);
    expect(await answers[0]).toBe(true);
    await waitUntil(() => uses.statements.length === 3, { describe: 'the next statement' });
    expect(idsOf(2)).toEqual(['b', 'c']);
    uses.statements[2]!.answer(1);
    expect(await Promise.all(answers)).toEqual([true, true, false]);
    expect(gate.outcomes).toEqual({ taken: 3, 'used-up': 1, unavailable: 0 });
  });

  it('remembers that a link is used up, for that version of it and a moment, and never that it is free', async () => {
    open({ usedUpMs: 1_000 });
    const first = gate.ask(HOT, 'a');
    uses.statements[0]!.answer(0);
    expect(await first).toBe(false);
    expect([await gate.ask(HOT, 'b'), uses.statements.length]).toEqual([false, 1]);
    const raised = gate.ask({ ...HOT, version: '2' }, 'c');
    uses.statements[1]!.answer(1);
    expect(await raised).toBe(true);
    const again = gate.ask({ ...HOT, version: '2' }, 'd');
    expect(uses.statements).toHaveLength(3);
    uses.statements[2]!.answer(0);
    expect(await again).toBe(false);
    await sleep(1_010);
    void gate.ask({ ...HOT, version: '2' }, 'e').catch(() => undefined);
    expect(uses.statements).toHaveLength(4);
  });

  it('does not wait for ever: what was taken for a visitor who is gone is given back', async () => {
    open({ patienceMs: 30 });
    const sent = gate.ask(HOT, 'sent');
    const waiting = gate.ask(HOT, 'waiting');
    await expect(sent).rejects.toMatchObject({ code: 'limit-undecided', retryable: true });
    await expect(waiting).rejects.toMatchObject({ code: 'limit-undecided' });
    uses.statements[0]!.answer(1);
    await untilReturned(['sent']);
    expect([uses.returned, uses.statements.length]).toEqual([['sent'], 1]);
  });

  it('gives back what a lost answer may have taken, also when that happens later, and until PostgreSQL is there', async () => {
    uses.isAway = true;
    const asked = gate.ask(HOT, 'a');
    uses.statements[0]!.answer(new Error('connection lost'));
    await expect(asked).rejects.toMatchObject({ code: 'limit-undecided' });
    expect(returns.waiting).toBe(1);
    uses.isAway = false;
    await waitUntil(() => returns.waiting === 0, { describe: 'nothing left' });
    expect(uses.returned.length).toBeGreaterThanOrEqual(1);
    open();
    void gate.ask(HOT, 'b').catch(() => undefined);
    uses.statements[0]!.answer(new Error('connection lost'));
    await waitUntil(() => returns.waiting === 0 && uses.returned.length > 0, { describe: 'nothing left' });
    // The first time may have been before the take.
    expect(uses.returned).toEqual(['b', 'b']);
  });

  it('lets a use whose visit may be anywhere end only when the spool holds none', async () => {
    spoolHoldsVisits = true;
    returns.end('a');
    returns.giveBack(['b']);
    await waitUntil(() => returns.waiting === 1, { describe: 'the other is given back' });
    expect([uses.ended, uses.returned]).toEqual([[], ['b']]);
    spoolHoldsVisits = false;
    await waitUntil(() => returns.waiting === 0, { describe: 'nothing left' });
    expect(uses.ended).toEqual(['a']);
  });

  it('keeps at most 100,000: one that was given back before makes room for one that was not', async () => {
    returns = new UseReturns(uses, () => Promise.resolve(false), logger);
    returns.giveBack(
      Array.from({ length: 100_000 }, (_, id) => String(id)),
      { inDoubt: true },
    );
    returns.giveBack(['too many']);
    expect([returns.waiting, returns.dropped]).toEqual([100_000, 1]);
    await waitUntil(() => uses.returned.length >= 100_000, { describe: 'all are tried' });
    returns.giveBack(['new']);
    await untilReturned(['new']);
    expect(returns.dropped).toBe(1);
    await returns.close();
  });

  it('refuses at once when too many wait', async () => {
    const waiting = Array.from({ length: 10_001 }, (_, id) => gate.ask(HOT, String(id)));
    const all = Promise.allSettled(waiting);
    await expect(gate.ask(COLD, 'x')).rejects.toMatchObject({ code: 'limit-undecided' });
    uses.statements[0]!.answer(0);
    expect((await all).map(({ status }) => status)).toEqual(waiting.map(() => 'fulfilled'));
  });
});
