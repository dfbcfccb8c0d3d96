import { REPLAY_HEADERS } from '@hopcount/contracts';
import { type BatchContext, type DeadLetter, type RecordBatch } from '@hopcount/kafka';
import type { ClaimOutcome } from '@hopcount/redis';
import { AppError, createLogger, Registry } from '@hopcount/runtime';
import type { EnrichedVisit, VisitBatch } from '@hopcount/statistics';
import { buildVisitEvent, newEventId } from '@hopcount/testing';
import { describe, expect, it } from '@jest/globals';

import { OwnedPartitions } from '../assignment/owned-partitions.js';
import { createConsumerMetrics } from '../consumer.metrics.js';
import { createCommitVisits, type DecodedBatch } from './commit-visits.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const checkpoint = { group: 'g', topic: 't', partition: 4, epoch: 7n, nextOffset: 100n };
const context = { isCurrent: () => true } as BatchContext;

interface Settings {
  claims?: Record<string, ClaimOutcome>;
  trustClaimsFrom?: bigint;
  lockHeld?: boolean;
  commit?: Error;
  unstorable?: string[];
}

/** The step with fakes that write down what happens, in order. */
function harness(settings: Settings = {}) {
  const events: string[] = [];
  const ids = (list: readonly { eventId: string }[]) => list.map(({ eventId }) => eventId.slice(-2)).join(',');
  const short = (list: readonly string[]) => list.map((id) => id.slice(-2)).join(',');
  const owned = new OwnedPartitions();
  owned.take(4, {
    checkpoint,
    trustClaimsFrom: settings.trustClaimsFrom ?? 100n,
    incarnation: 'inc',
    unended: undefined,
    proven: true,
  });
  const commitVisits = createCommitVisits({
    owned,
    claims: {
      claim: (_, eventIds) => {
        events.push(`claim ${short(eventIds)}`);
        return Promise.resolve(eventIds.map((id) => settings.claims?.[id.slice(-2)] ?? 'claimed'));
      },
      markDone: (_, eventIds) => void events.push(`done ${short(eventIds)}`) as unknown as Promise<void>,
      release: (_, eventIds) => void events.push(`release ${short(eventIds)}`) as unknown as Promise<void>,
    },
    locks: {
      acquireRead: (linkIds) => {
        events.push(`lock ${linkIds.length}`);
        const release = () => Promise.resolve(events.push('unlock') > 0);
        return Promise.resolve({ held: settings.lockHeld ?? true, signal: new AbortController().signal, release });
      },
    },
    deadLetters: {
      write: (letters: DeadLetter[]) => {
        if (letters.length > 0) events.push(`dead ${letters.map(({ reason }) => reason).join(',')}`);
        return Promise.resolve();
      },
    },
    enrichVisit: (visit) => ({ ...visit, occurredAtMs: visit.occurredAt }) as unknown as EnrichedVisit,
    commitBatch: async (batch: VisitBatch, { onUnstorable }) => {
      if (settings.commit !== undefined) throw settings.commit;
      const bad = batch.visits.filter(({ eventId }) => settings.unstorable?.includes(eventId.slice(-2)));
      if (bad.length > 0) await onUnstorable(bad);
      const kept = batch.visits.filter((visit) => !bad.includes(visit));
      events.push(`commit ${ids(kept)} → ${batch.nextOffset}`);
      const next = { ...checkpoint, nextOffset: batch.nextOffset };
      return { checkpoint: next, inserted: kept.map(({ eventId }) => eventId), duplicates: 0, purged: 0 };
    },
    metrics: createConsumerMetrics(new Registry()),
    logger,
  });
  return { commitVisits, events, owned };
}

/** A batch at offsets from 100: visits whose ids end in the given letters, `!` for a refused record. */
function batchOf(...kinds: string[]): DecodedBatch {
  const batch: RecordBatch = { topic: 't', partition: 4, highWatermark: 200n, records: [] };
  const decoded: DecodedBatch = { batch, visits: [], refused: [] };
  for (const [index, kind] of kinds.entries()) {
    const record = { offset: 100n + BigInt(index), key: null, value: null, headers: {}, timestampMs: 1 };
    batch.records.push(record);
    const detail = { step: 'decodeVisit', detail: '', attempts: 1 };
    if (kind === '!') decoded.refused.push({ topic: 't', partition: 4, record, reason: 'not-json', ...detail });
    else decoded.visits.push({ record, visit: buildVisitEvent({ eventId: newEventId().slice(0, -2) + kind }) });
  }
  return decoded;
}

describe('commitVisits', () => {
  it('claims, locks, puts aside, commits, marks and unlocks, in this order', async () => {
    const { commitVisits, events, owned } = harness();
    await expect(commitVisits(batchOf('aa', '!', 'bb'), context)).resolves.toBe(103n);
    expect(events).toEqual(['claim aa,bb', 'lock 1', 'dead not-json', 'commit aa,bb → 103', 'done aa,bb', 'unlock']);
    expect(owned.get(4)?.checkpoint.nextOffset).toBe(103n);
  });

  it('moves on past a batch with nothing to count', async () => {
    const { commitVisits, events } = harness();
    await expect(commitVisits(batchOf('!', '!'), context)).resolves.toBe(102n);
    expect(events).toEqual(['claim ', 'dead not-json,not-json', 'commit  → 102', 'done ']);
  });

  it("D3: skips what is done, and only that; others' claims and silence go to the ledger", async () => {
    const { commitVisits, events } = harness({ claims: { aa: 'done', bb: 'held', cc: 'unknown' } });
    await commitVisits(batchOf('aa', 'bb', 'cc'), context);
    expect(events).toContain('commit bb,cc → 103');
  });

  it('believes no done mark at offsets below the checkpoint', async () => {
    const { commitVisits, events } = harness({ claims: { aa: 'done', bb: 'done' }, trustClaimsFrom: 101n });
    await commitVisits(batchOf('aa', 'bb'), context);
    expect(events).toContain('commit aa → 102');
  });

  it('believes no done mark of a visit an operator sent again: the ledger decides', async () => {
    const { commitVisits, events } = harness({ claims: { aa: 'done', bb: 'done' } });
    const batch = batchOf('aa', 'bb');
    for (const { record } of batch.visits.slice(1)) record.headers[REPLAY_HEADERS.action] = Buffer.from('7');
    await commitVisits(batch, context);
    expect(events).toContain('commit bb → 102');
  });

  it('commits without the lock', async () => {
    const { commitVisits, events } = harness({ lockHeld: false });
    await commitVisits(batchOf('aa'), context);
    expect(events).toContain('commit aa → 101');
  });

  it('puts unstorable visits aside before the commit and leaves them unmarked', async () => {
    const { commitVisits, events } = harness({ unstorable: ['bb'] });
    await commitVisits(batchOf('aa', 'bb', 'cc'), context);
    expect(events).toEqual([
      'claim aa,bb,cc',
      'lock 1',
      'dead unstorable',
      'commit aa,cc → 103',
      'done aa,cc',
      'unlock',
    ]);
  });

  it('gives back its own claims and the lock when the commit fails, and keeps ownership', async () => {
    const { commitVisits, events, owned } = harness({ claims: { bb: 'held' }, commit: new Error('defect') });
    await expect(commitVisits(batchOf('aa', 'bb'), context)).rejects.toThrow('defect');
    expect(events.slice(-2)).toEqual(['release aa', 'unlock']);
    expect(owned.get(4)).toBeDefined();
  });

  it('drops the ownership when it is fenced, and takes no batch without', async () => {
    const { commitVisits, owned } = harness({ commit: new AppError('checkpoint-fenced', 'not ours') });
    await expect(commitVisits(batchOf('aa'), context)).rejects.toMatchObject({ code: 'checkpoint-fenced' });
    expect(owned.get(4)).toBeUndefined();
    await expect(commitVisits(batchOf('aa'), context)).rejects.toMatchObject({ code: 'partition-not-owned' });
  });
});
