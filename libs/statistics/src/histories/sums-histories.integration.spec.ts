import { isDeepStrictEqual } from 'node:util';

import { HOST_KINDS, HOST_SCOPES, type HostScope } from '@hopcount/contracts';
import { HostTotals, type InstantRange } from '@hopcount/ledger';
import { Reach } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { HostLists } from '../hosts/host-lists.js';
import { HostSeries } from '../hosts/host-series.js';
import { seriesStarts } from '../range/intervals.js';
import { exactnessOf, exactnessOfHostSums } from '../read/exactness.js';
import type { StatisticsScope } from '../scopes/statistics-scope.js';
import { isInScope, type ScopedVisit, seriesOf, totalsOf, valueOf } from './scope-model.spec-helpers.js';
import { ALL, GROUPS, JUNE, LINKS, SumsHistory } from './sums-history.spec-helpers.js';

const STEPS = 12;
const NAMES = ['com', 'com.example', 'test.s', '~direct', '~unknown'];
const NO_TAGS: ReadonlySet<string> = new Set();
const SCOPES: readonly StatisticsScope[] = [
  { of: 'all' },
  { of: 'domain', domainId: 1 },
  { of: 'domain', domainId: 2 },
  ...GROUPS.map((groupId) => ({ of: 'group', groupId }) as const),
  ...LINKS.map((linkId) => ({ of: 'link', linkId }) as const),
];
const KINDS = HOST_KINDS.filter((kind) => kind !== 'fed');

/** One answer: what it said, and what is right. */
interface Answer {
  of: unknown;
  exact: boolean;
  found: unknown;
  right: unknown;
}

const within =
  ({ from, to }: InstantRange) =>
  ({ occurredAtMs }: ScopedVisit) =>
    occurredAtMs >= from && occurredAtMs < to;

async function scopeAnswers(history: SumsHistory, range: InstantRange): Promise<Answer[]> {
  const { visits, files } = history;
  const starts = seriesStarts(range, 'day', 'UTC');
  const answers: Answer[] = [];
  for (const scope of SCOPES) {
    const inside = visits.filter((visit) => within(range)(visit) && isInScope(visit, scope, NO_TAGS));
    const right = totalsOf(inside);
    for (const uniques of history.random.pick([['none'], ['all'], ['none', 'all']] as const)) {
      const query = { reach: Reach.everything, ...range, scope, filters: [], uniques };
      const totals = await files.visits.totals(query);
      const series = await files.visits.series(query, starts);
      if (series.readFrom.days > 0) history.did('answered from days');
      const plain = { visits: right.visits, byClass: right.byClass };
      const points = seriesOf(inside, starts).map((point) => (uniques === 'all' ? point : { visits: point.visits }));
      answers.push(
        {
          of: ['totals', scope, uniques, range],
          ...exactnessOf(totals),
          found: totals.totals,
          right: uniques === 'all' ? right : plain,
        },
        { of: ['series', scope, uniques, range], ...exactnessOf(series), found: series.points, right: points },
      );
    }
  }
  for (const linkId of LINKS) {
    const answer = await files.reader.read({ linkId, ...range, timeZone: 'UTC', interval: 'day' });
    const inside = visits.filter((visit) => within(range)(visit) && visit.linkId === linkId);
    const found = [
      answer.totals,
      answer.series.map(({ visits: some, visitors, ips }) => ({ visits: some, visitors, ips })),
    ];
    answers.push({
      of: ['link', linkId, range],
      exact: answer.exact,
      found,
      right: [totalsOf(inside), seriesOf(inside, starts)],
    });
  }
  return answers;
}

async function hostAnswers(history: SumsHistory, range: InstantRange): Promise<Answer[]> {
  const { visits, files, ledger, random } = history;
  const answers: Answer[] = [];
  const hosts = new HostSeries(ledger.database, files.files);
  const memory = new HostTotals(ledger.database, { names: 10_000 });
  await memory.follow();
  const inside = visits.filter(within(range));
  for (const kind of KINDS) {
    const scope = random.pick(HOST_SCOPES);
    const answer = await hosts.read({ kind, names: NAMES, scope, ...range, starts: [range.from] });
    answers.push({
      of: ['hosts', kind, scope, range],
      exact: exactnessOf(answer).exact,
      found: answer.hosts.map(({ totals, allTime }) => [totals.visits, allTime.visits]),
      right: NAMES.map((name) => [countOf(inside, kind, name, scope), countOf(visits, kind, name, scope)]),
    });
    for (const name of NAMES) {
      const total = memory.read({ kind, name, scope })!;
      const found = total.visits.reduce((sum, one) => sum + one, 0);
      const { exact } = exactnessOfHostSums(total.isAttributed);
      answers.push({ of: ['memory', kind, scope, name], exact, found, right: countOf(visits, kind, name, scope) });
    }
  }
  return answers;
}

/** Of what is folded: lists are a second behind. */
async function hostLists({ visits, ledger }: SumsHistory): Promise<Answer[]> {
  const lists = new HostLists(ledger.database);
  const answers: Answer[] = [];
  for (const kind of KINDS) {
    const { hosts, isAttributed } = await lists.list({ kind, below: null, after: null, limit: 100 });
    const tops = new Set(visits.map((visit) => valueOf(visit, `${kind}Name`).split('.')[0]!));
    answers.push({
      of: ['list', kind],
      exact: exactnessOfHostSums(isAttributed).exact,
      found: hosts
        .filter((host) => host.visits !== 0)
        .map((host) => `${host.name} ${host.visits}`)
        .sort(),
      right: [...tops].map((name) => `${name} ${countOf(visits, kind, name, 'subtree')}`).sort(),
    });
  }
  return answers;
}

function countOf(visits: readonly ScopedVisit[], kind: (typeof KINDS)[number], name: string, scope: HostScope): number {
  return visits.filter((visit) => isMeant(valueOf(visit, `${kind}Name`), name, scope)).length;
}

function isMeant(host: string, name: string, scope: HostScope): boolean {
  if (scope === 'children') return host.startsWith(`${name}.`) && !host.slice(name.length + 1).includes('.');
  return (scope !== 'below' && host === name) || (scope !== 'self' && host.startsWith(`${name}.`));
}

/** Wrong answers that say they are exact. */
function expectHonest(answers: readonly Answer[]): void {
  const wrong = answers.filter(({ exact, found, right }) => exact && !isDeepStrictEqual(found, right));
  expect(wrong).toEqual([]);
}

describe('random histories of purges, moves, dropped and restored months', () => {
  const happened: Record<string, number> = { inexact: 0 };

  async function readAll(history: SumsHistory): Promise<Answer[]> {
    const { random } = history;
    const limits = [0, 0].map(() => ALL.from + random.below(ALL.to - ALL.from)).sort((a, b) => a - b);
    const cut = { from: limits[0]!, to: limits[1]! + 1 };
    const answers = [
      ...(await scopeAnswers(history, random.below(3) === 0 ? cut : ALL)),
      ...(await hostAnswers(history, random.below(2) === 0 ? cut : ALL)),
    ];
    await history.fold();
    answers.push(...(await hostLists(history)));
    happened['inexact']! += answers.filter(({ exact }) => !exact).length;
    return answers;
  }

  it.each([1, 2, 3])(
    'no wrong answer is called exact, and once all is settled each is right and exact (seed %d)',
    async (seed) => {
      const history = await SumsHistory.open(seed);
      const expectSettled = async () => {
        await history.settle();
        const answers = await readAll(history);
        expectHonest(answers);
        expect(answers.filter(({ exact }) => !exact).map(({ of }) => of)).toEqual([]);
        expect(await history.ledger.differences()).toEqual([]);
        expect((await history.files.archive.verify(JUNE)).differences).toEqual([]);
      };
      try {
        await history.commit(60);
        await history.drop(true);
        for (let step = 0; step < STEPS; step += 1) {
          await history.step();
          expectHonest(await readAll(history));
          expect(await history.ledger.differences()).toEqual([]);
          if (step % 5 === 4) await expectSettled();
        }
        await expectSettled();
        await history.rebuild();
        await expectSettled();
      } finally {
        await history.close();
      }
      for (const [what, times] of Object.entries(history.happened)) happened[what] = (happened[what] ?? 0) + times;
    },
    300_000,
  );

  it('nothing that matters was left out', () => {
    expect(Object.keys(happened).sort()).toEqual([
      'answered from days',
      'dropped',
      'imported into a dropped month',
      'inexact',
      'purged from a dropped month',
      'purged from another group',
      'rebuilt',
      'restored',
    ]);
    expect(Object.entries(happened).filter(([, times]) => times === 0)).toEqual([]);
  });
});
