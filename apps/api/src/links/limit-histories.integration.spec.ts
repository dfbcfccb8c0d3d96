import { EndedUses, VisitPurger } from '@hopcount/ledger';
import { enrichedVisit, eventIdAt, Ledger, noLock } from '@hopcount/ledger/spec-helpers';
import { LinkUses } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

const START = Date.now() - 3_600_000;
const TAKER = { source: 'gw-a', spool: '018f0000-0000-7000-8000-000000000000' };

/** Everything that can happen to the uses of a link, in any order, held against the few lines that say what is right. */
type Step =
  | { do: 'take'; uses: number }
  | { do: 'publish' | 'commit' | 'give-back' | 'end'; pick: number }
  | { do: 'commit-again' | 'late' | 'after-the-end' | 'purge' }
  | { do: 'limit'; max: number | null };

const steps = fc.array(
  fc.oneof<fc.WeightedArbitrary<Step>[]>(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('take' as const), uses: fc.integer({ min: 1, max: 5 }) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constantFrom('publish' as const, 'commit' as const, 'give-back' as const, 'end' as const),
        pick: fc.integer({ min: 1, max: 4 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('commit-again' as const, 'late' as const, 'after-the-end' as const, 'purge' as const),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('limit' as const),
        max: fc.option(fc.integer({ min: 1, max: 15 }), { nil: null }),
      }),
    },
  ),
  { minLength: 5, maxLength: 25 },
);

interface Visit {
  eventId: string;
  madeMs: number;
  route: string | null;
}

describe('the uses of a link with a limit', () => {
  let ledger: Ledger;
  let other: Database;
  let lastLink = 5_000;

  beforeAll(async () => {
    ledger = await Ledger.open();
    other = await Database.connect({ url: ledger.server.url, applicationName: 'spec-other', poolSize: 4 });
  });
  afterAll(async () => {
    await other.close();
    await ledger.close();
  });

  const newLink = async (max: number) => {
    const id = String((lastLink += 1));
    await ledger.addLink(id);
    await ledger.server.query('UPDATE links SET max_visits = $2 WHERE id = $1', [id, max]);
    return id;
  };
  const limitOf = async (linkId: string) => {
    const [row] = await ledger.server.query('SELECT used::int, late::int FROM link_limits WHERE link_id = $1', [
      linkId,
    ]);
    return row;
  };

  /** What is counted is known to the millisecond: what ended in the same one is given back in the next. */
  const untilGivenBack = async (ended: EndedUses, uses: number) => {
    let given = 0;
    const isDone = async () => (given += await ended.giveBack()) >= uses;
    await waitUntil(isDone, { everyMs: 1, describe: `${uses} uses given back` });
    expect(given).toBe(uses);
  };

  it('are what the visits, in whatever order they are taken, counted, given back, purged and limited, leave', async () => {
    const commit = await ledger.consumer();
    const [near, far] = [new LinkUses(ledger.database, TAKER), new LinkUses(other, { ...TAKER, source: 'gw-b' })];
    const purger = new VisitPurger(ledger.database, noLock, { hasSlots: true });
    const ended = new EndedUses(ledger.database, {
      ...{ group: 'purge-spec', topic: 'visits', logEnds: () => Promise.resolve([]) },
      quietSeconds: 0,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const linkId = await newLink(7);
        const model = { max: 7 as number | null, used: 0, late: 0, purgedBeforeMs: 0 };
        let nowMs = START;
        const [taken, published, counted]: Visit[][] = [[], [], []];
        const open = new Set<string>();
        const newVisit = (route: string | null = null): Visit => {
          nowMs += 1;
          return { eventId: eventIdAt(nowMs), madeMs: nowMs, route };
        };
        const count = (visits: readonly Visit[]) =>
          commit(visits.map(({ eventId, route }) => enrichedVisit({ eventId, linkId, route })));

        for (const [index, step] of history.entries()) {
          const uses = index % 2 === 0 ? near : far;
          switch (step.do) {
            case 'take': {
              const visits = Array.from({ length: step.uses }, () => newVisit());
              const answers = await uses.take(visits.map(({ eventId }) => ({ linkId, eventId })));
              const free = model.max === null ? step.uses : Math.min(step.uses, Math.max(0, model.max - model.used));
              expect(answers).toEqual(visits.map((_, place) => place < free));
              for (const visit of visits.slice(0, free)) {
                taken!.push(visit);
                open.add(visit.eventId);
              }
              model.used += free;
              break;
            }
            case 'publish':
              published!.push(...taken!.splice(0, step.pick));
              break;
            case 'commit': {
              const visits = published!.splice(0, step.pick);
              await count(visits);
              for (const { eventId } of visits) open.delete(eventId);
              counted!.push(...visits.filter(({ madeMs }) => madeMs >= model.purgedBeforeMs));
              break;
            }
            case 'commit-again':
              await count(counted!);
              break;
            case 'late': {
              const visit = newVisit();
              await count([visit]);
              counted!.push(visit);
              model.used += 1;
              model.late += 1;
              break;
            }
            case 'after-the-end': {
              const visit = newVisit('expired');
              await count([visit]);
              counted!.push(visit);
              break;
            }
            case 'give-back':
            case 'end': {
              const ids = taken!.splice(0, step.pick).map(({ eventId }) => eventId);
              const more = [...ids, eventIdAt(nowMs)]; // and one that nobody took
              for (let again = 0; again < 2; again += 1)
                await (step.do === 'end' ? uses.end(more) : uses.giveBack(more));
              if (step.do === 'end') await untilGivenBack(ended, ids.length);
              for (const id of ids) open.delete(id);
              model.used -= ids.length;
              break;
            }
            case 'purge':
              model.purgedBeforeMs = nowMs + 1;
              await purger.purge(linkId, { beforeMs: nowMs + 1 });
              nowMs += 1;
              counted!.length = 0;
              break;
            case 'limit':
              model.max = step.max;
              await ledger.server.query('UPDATE links SET max_visits = $2 WHERE id = $1', [linkId, step.max]);
              break;
          }
          const rows = await ledger.server.query<{ id: string }>(
            'SELECT event_id AS id FROM link_uses WHERE link_id = $1',
            [linkId],
          );
          expect(rows.map(({ id }) => id).sort()).toEqual([...open].sort());
          expect(await limitOf(linkId)).toEqual({ used: model.used, late: model.late });
        }
      }),
      { numRuns: 25 },
    );
    expect(await ledger.differences()).toEqual([]);
  });

  it('are never more than the limit, whoever asks for them at once, and go to those who asked first', async () => {
    const [hot, cold] = [await newLink(100), await newLink(3)];
    const asked = Array.from({ length: 60 }, (_, chunk) =>
      Array.from({ length: 20 }, (_, place) => ({
        linkId: (chunk + place) % 10 === 0 ? cold : hot,
        eventId: place === 7 ? null : eventIdAt(START + chunk),
      })),
    );
    const uses = [ledger.database, other].map((database) => new LinkUses(database, TAKER));
    const answers = await Promise.all(asked.map((chunk, index) => uses[index % 2]!.take(chunk)));
    for (const linkId of [hot, cold]) {
      const granted = asked.flatMap((chunk, index) =>
        chunk.flatMap(({ eventId, linkId: of }, place) =>
          of === linkId && eventId !== null && answers[index]![place] === true ? [eventId] : [],
        ),
      );
      expect(granted).toHaveLength(linkId === hot ? 100 : 3);
      expect(await limitOf(linkId)).toEqual({ used: granted.length, late: 0 });
    }
    asked.forEach((chunk, index) => {
      const ofHot = chunk.flatMap(({ linkId, eventId }, place) =>
        linkId === hot && eventId !== null ? [answers[index]![place]] : [],
      );
      expect(ofHot).toEqual([...ofHot].sort((a, b) => Number(b) - Number(a)));
    });
    expect(await uses[0]!.take([hot, cold].map((linkId) => ({ linkId, eventId: null })))).toEqual([false, false]);
  });

  it('stay taken while their visit may still come: in the log, in the dead-letter topic', async () => {
    const linkId = await newLink(2);
    const uses = new LinkUses(ledger.database, TAKER);
    const [counted, refused] = [eventIdAt(START), eventIdAt(START + 1)];
    await uses.take([counted, refused].map((eventId) => ({ linkId, eventId })));
    await uses.end([counted, refused]);
    await ledger.server.query(
      `INSERT INTO refused_visits (occurred_at, event_id, source, reason) VALUES (now(), $1, $2, 'unstorable')`,
      [refused, TAKER.source],
    );
    let high = 1n;
    const ended = (quietSeconds: number) =>
      new EndedUses(ledger.database, {
        ...{ group: 'limit-spec', topic: 'limited', quietSeconds },
        logEnds: () => Promise.resolve([{ partition: 0, low: 0n, high }]),
      });
    const settler = ended(0);
    expect(await settler.giveBack()).toBe(0);
    await ledger.server.query(
      `INSERT INTO consumer_checkpoints (consumer_group, topic, partition, next_offset, owner_epoch, owner)
       VALUES ('limit-spec', 'limited', 0, 1, 1, 'spec')`,
    );
    high = 2n; // published later: not waited for
    expect(await ended(60).giveBack()).toBe(0);
    await untilGivenBack(settler, 1);
    expect(await settler.giveBack()).toBe(0);
    expect(await limitOf(linkId)).toEqual({ used: 1, late: 0 });
  });

  it('stay taken when a consumer that knew of none has counted their visit, purged or not', async () => {
    const linkId = await newLink(3);
    const uses = new LinkUses(ledger.database, TAKER);
    const ids = [eventIdAt(START + 1_000), eventIdAt(START + 2_000), eventIdAt(START + 3_000)];
    await uses.take(ids.map((eventId) => ({ linkId, eventId })));
    const rows = (
      await ledger.server.query('SELECT to_jsonb(u) AS row FROM link_uses AS u WHERE link_id = $1', [linkId])
    ).map(({ row }) => row);
    const commit = await ledger.consumer();
    await commit(ids.slice(0, 2).map((eventId) => enrichedVisit({ eventId, linkId })));
    await new VisitPurger(ledger.database, noLock, { hasSlots: true }).purge(linkId, { beforeMs: START + 1_500 });
    await ledger.server.query(
      `INSERT INTO link_uses SELECT left_over.* FROM jsonb_populate_recordset(NULL::link_uses, $1) AS left_over
       ON CONFLICT DO NOTHING`,
      [JSON.stringify(rows)],
    );
    await uses.end(ids);
    const settler = new EndedUses(ledger.database, {
      ...{ group: 'limit-spec', topic: 'limited', quietSeconds: 0, logEnds: () => Promise.resolve([]) },
    });
    await untilGivenBack(settler, 1);
    expect([await limitOf(linkId), await ledger.count('link_uses', linkId)]).toEqual([{ used: 2, late: 0 }, 0]);
    expect(await ledger.differences()).toEqual([]);
  });
});
