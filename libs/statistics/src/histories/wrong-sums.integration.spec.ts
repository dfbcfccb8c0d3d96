import { HOST_KINDS } from '@hopcount/contracts';
import { DAY_MS, HostFold, LedgerRebuild, noteDoubted, readDoubted, trustSums } from '@hopcount/ledger';
import { Database } from '@hopcount/postgres';
import { Reach } from '@hopcount/runtime';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { HostSeries } from '../hosts/host-series.js';
import { areEqual, exactnessOf } from '../read/exactness.js';
import type { StatisticsScope } from '../scopes/statistics-scope.js';
import { VisitsProof } from '../scopes/visits-proof.js';
import { FROM, ScopedHistory, SPAN } from './scoped-history.spec-helpers.js';

const STARTS = [0, 1, 2].map((day) => FROM + day * DAY_MS);
/** Of one bucket of the last day, which stays in the ledger. */
const ONE = (
  scope: string,
  id: string,
) => `ctid = (SELECT ctid FROM scope_traffic WHERE scope = '${scope}' AND scope_id = '${id}'
  AND bucket >= '2026-05-12Z' LIMIT 1)`;

const MANY_MORE_VISITS = `INSERT INTO visits
  SELECT (jsonb_populate_record(visit, jsonb_build_object('event_id', gen_random_uuid()))).*
  FROM visits AS visit, generate_series(1, 10000)
  WHERE event_id = (SELECT event_id FROM visits WHERE occurred_at >= '2026-05-12Z' LIMIT 1)`;

describe('a sum that is not that of its visits', () => {
  let history: ScopedHistory;
  beforeEach(async () => {
    history = await ScopedHistory.open(94);
    await history.commit(300);
  });
  afterEach(() => history.close());

  const asked = (scope: StatisticsScope) =>
    ({ reach: Reach.everything, ...SPAN, scope, filters: [], uniques: 'all' }) as const;
  async function read(scope: StatisticsScope) {
    const { files, ledger } = history;
    // Before the proof, from which on no sum of the range is exact.
    const sums = { ...asked(scope), uniques: 'none' } as const;
    const answers = [
      await files.visits.totals(asked(scope)),
      await files.visits.series(asked(scope), STARTS),
      await files.visits.totals(sums),
      await files.visits.series(sums, STARTS),
    ];
    const proof = await new VisitsProof(ledger.database, files.files).read(asked(scope));
    const { rows, buckets } = proof;
    return { agree: areEqual(rows, buckets), exact: [...answers, proof].map((answer) => exactnessOf(answer).exact) };
  }

  it.each<[string, StatisticsScope, string]>([
    ['all links', { of: 'all' }, `UPDATE scope_traffic SET visits = visits + 1 WHERE ${ONE('all', '')}`],
    ['a domain', { of: 'domain', domainId: 2 }, `DELETE FROM scope_traffic WHERE ${ONE('domain', '2')}`],
    [
      'a group',
      { of: 'group', groupId: 'g-1' },
      `UPDATE scope_traffic SET scope_id = 'g-9' WHERE ${ONE('group', 'g-1')}`,
    ],
    [
      'a link',
      { of: 'link', linkId: '2' },
      `UPDATE link_traffic SET visits = visits + 2 WHERE ctid = (
      SELECT ctid FROM link_traffic WHERE link_id = 2 AND bucket >= '2026-05-12Z' LIMIT 1)`,
    ],
    ['tagged links', { of: 'tag', tagId: 1 }, `DELETE FROM link_traffic WHERE link_id = 4 AND bucket >= '2026-05-12Z'`],
  ])('of %s is exact in no answer', async (_, scope, damage) => {
    expect(await read(scope)).toEqual({ agree: true, exact: [true, true, true, true, true] });
    expect((await history.ledger.database.execute(damage)).affected).toBeGreaterThan(0);
    expect(await read(scope)).toEqual({ agree: false, exact: [false, false, false, false, false] });
    const uniques = await history.files.visits.series(asked(scope), STARTS);
    expect(uniques.compared.map(({ rows, buckets }) => areEqual(rows, buckets))).toEqual([true, true, false]);
  });

  it.each([
    [
      'says that its visits are too many to look at',
      'UPDATE scope_traffic SET visits = visits + 1000000; UPDATE host_traffic SET p = p + 1',
    ],
    ['lacks so many visits that nobody looks at all of them', MANY_MORE_VISITS],
  ])('and %s is exact in no answer made of it', async (_, damage) => {
    const { files, ledger } = history;
    await new HostFold(ledger.database).fold();
    const query = { ...asked({ of: 'all' }), uniques: 'none' } as const;
    const hosts = new HostSeries(ledger.database, files.files);
    const read = async () => {
      const ofHost = { kind: 'target', names: ['com'], starts: STARTS, ...SPAN, scope: 'subtree' } as const;
      return [
        await files.visits.totals(query),
        await files.visits.series(query, STARTS),
        await files.visits.totals({ ...query, scope: { of: 'domain', domainId: 2 } }),
        await hosts.read(ofHost),
      ].map((answer) => exactnessOf(answer).exact);
    };
    expect(await read()).toEqual([true, true, true, true]);
    await ledger.server.query(damage);
    expect(await read()).toEqual([false, false, false, false]);
  });

  it.each([
    ['is too large', 'SET p = p + 1'],
    ['is of another class', 'SET class = 4'],
    [
      'is of another day',
      `SET bucket = (SELECT time FROM generate_series(timestamptz '2026-05-11Z', '2026-05-11T23:45Z', interval '15 minutes') AS time
        WHERE NOT EXISTS (SELECT FROM host_traffic WHERE bucket = time) LIMIT 1)`,
    ],
  ])('of a host that %s is exact in no answer of its range', async (_, damage) => {
    const { files, ledger } = history;
    await new HostFold(ledger.database).fold();
    const hosts = new HostSeries(ledger.database, files.files);
    const question = { kind: 'target', names: ['com'], starts: STARTS, ...SPAN } as const;
    const read = async (to: number) => {
      const answers = [];
      for (const scope of ['subtree', 'below'] as const) answers.push(await hosts.read({ ...question, to, scope }));
      return answers.map((answer) => exactnessOf(answer).exact);
    };
    expect(await read(SPAN.to)).toEqual([true, true]);
    const { affected } = await ledger.database.execute(`UPDATE host_traffic ${damage} WHERE ctid = (
      SELECT sums.ctid FROM host_traffic AS sums JOIN hosts ON hosts.id = host_id
      WHERE hosts.kind = ${HOST_KINDS.indexOf('target')} AND name LIKE 'com.%' AND bucket >= '2026-05-12Z' AND NOT EXISTS (
        SELECT FROM host_traffic AS other WHERE (other.host_id, other.bucket, other.class) = (sums.host_id, sums.bucket, 4)
      ) LIMIT 1)`);
    expect(affected).toBe(1);
    expect(await read(SPAN.to)).toEqual([false, false]);
    expect(await read(FROM + DAY_MS)).toEqual([true, true]);
  });

  it.each([
    ['of another class', 'class = 4'],
    ['of another quarter of an hour', "bucket = bucket + interval '7 days'"],
  ])('and counts visits as %s is exact in no answer made of it', async (_, change) => {
    const { files, ledger } = history;
    const to = SPAN.to + 7 * DAY_MS;
    const read = async () => {
      const answers = [];
      for (const scope of [{ of: 'all' }, { of: 'link', linkId: '2' }] as const)
        for (const uniques of ['none', 'all'] as const)
          answers.push(await files.visits.totals({ ...asked(scope), to, uniques }));
      return answers.map((answer) => exactnessOf(answer).exact);
    };
    expect(await read()).toEqual([true, true, true, true]);
    for (const [table, chosen] of [
      ['scope_traffic', "scope = 'all'"],
      ['link_traffic', 'link_id = 2'],
    ])
      await ledger.server.query(`UPDATE ${table} SET ${change} WHERE ctid = (
        SELECT ctid FROM ${table} WHERE ${chosen} AND class = 0 AND bucket >= '2026-05-12Z' ORDER BY bucket DESC LIMIT 1)`);
    expect(await read()).toEqual([false, false, false, false]);
  });

  it('makes every answer of its range inexact once a proof has found it, until a rebuild or a clean verification', async () => {
    const { ledger, files } = history;
    const sums = async (to: number) => {
      const query = { ...asked({ of: 'group', groupId: 'g-1' }), uniques: 'none', to } as const;
      return [await files.visits.totals(query), await files.visits.series(query, STARTS.slice(0, 2))].map(exactnessOf);
    };
    await ledger.server.query(`UPDATE scope_traffic SET scope_id = 'g-9' WHERE ${ONE('group', 'g-1')}`);
    const lastDay = { from: FROM + 2 * DAY_MS, to: SPAN.to };
    const proof = { ...asked({ of: 'group', groupId: 'g-1' }), ...lastDay };
    await new VisitsProof(ledger.database, files.files).read(proof);
    const inexact = { exact: false, inexact: [lastDay] };
    expect(await sums(SPAN.to)).toEqual([inexact, inexact]);
    const exact = { exact: true, inexact: [] };
    expect(await sums(lastDay.from)).toEqual([exact, exact]);
    const doubted = await readDoubted(ledger.database);
    await new LedgerRebuild(ledger.database).rebuildScopes();
    await trustSums(ledger.database, doubted, { archived: true });
    expect(await sums(SPAN.to)).toEqual([exact, exact]);
    // The history marks some visits as imported afterwards, which have no source.
    expect((await ledger.differences()).filter(({ check }) => check !== 'sources')).toEqual([]);
  });

  it('that no proof shows is exact in no answer once it was verified', async () => {
    const { ledger, files } = history;
    // Of another class: number and checksum of all visits are the same.
    await ledger.server.query(`UPDATE link_traffic SET class = 4 WHERE link_id = 2 AND class = 0 AND bucket = (
      SELECT min(bucket) FROM link_traffic AS of_link WHERE link_id = 2 AND class = 0
        AND NOT EXISTS (SELECT FROM link_traffic AS other WHERE other.link_id = 2 AND other.class = 4 AND other.bucket = of_link.bucket))`);
    const [link, all] = [asked({ of: 'link', linkId: '2' }), asked({ of: 'all' })];
    const read = async () => {
      const page = { order: 'visits', isAscending: false, offset: 0, limit: 9 } as const;
      const answers = [
        await files.visits.totals(link),
        await files.visits.totals({ ...link, uniques: 'none' }),
        await files.visits.totals(all),
        await files.visits.values(all, 'link', page),
        await files.visits.values({ ...all, uniques: 'none' }, 'country', page),
      ].map((answer) => exactnessOf(answer).exact);
      const ofLink = await files.reader.read({ linkId: '2', ...SPAN, timeZone: 'UTC', interval: 'day' });
      return [...answers, ofLink.exact];
    };
    // The link's few visits are compared by class, but not in the statistics of a link.
    expect(await read()).toEqual([false, false, true, true, true, true]);
    expect(await new VisitsProof(ledger.database, files.files).read(link)).toMatchObject({
      compared: [expect.anything()],
    });
    expect((await ledger.differences()).map(({ check }) => check)).toContain('buckets');
    expect(await read()).toEqual([false, false, false, false, false, false]);
  });

  it('is told by a proof that can write nothing', async () => {
    const { ledger, files } = history;
    await ledger.server.query(`UPDATE scope_traffic SET scope_id = 'g-9' WHERE ${ONE('group', 'g-1')}`);
    const readOnly = await Database.connect({ url: ledger.server.url, applicationName: 'spec', isReadOnly: true });
    const proof = await new VisitsProof(readOnly, files.files).read(asked({ of: 'group', groupId: 'g-1' }));
    await readOnly.close();
    expect([exactnessOf(proof).exact, await readDoubted(ledger.database)]).toEqual([false, undefined]);
  });

  it('that is found while all is compared stays doubted', async () => {
    const { database } = history.ledger;
    await noteDoubted(database, { checks: ['proof'], range: { from: FROM, to: FROM + DAY_MS } });
    const before = await readDoubted(database);
    await noteDoubted(database, { checks: ['proof'], range: { from: FROM + DAY_MS, to: SPAN.to } });
    await trustSums(database, before, { archived: true });
    expect(await readDoubted(database)).toMatchObject(SPAN);
  });

  it('of its first days makes all time of a link inexact, though no bucket of theirs is left', async () => {
    const { server, database } = history.ledger;
    const query = { linkId: '2', period: 'allTime', timeZone: 'UTC', interval: 'day' } as const;
    await server.query(`UPDATE links SET created_at = to_timestamp($1 / 1000.0) WHERE id = 2`, [FROM]);
    await server.query(`DELETE FROM link_traffic WHERE link_id = 2 AND bucket < to_timestamp($1 / 1000.0)`, [
      FROM + DAY_MS,
    ]);
    expect(await history.files.reader.read(query)).toMatchObject({ exact: true });
    await noteDoubted(database, { checks: ['buckets'], range: { from: FROM, to: FROM + DAY_MS } });
    expect(await history.files.reader.read(query)).toMatchObject({ exact: false });
  });

  it('of a link is exact neither in the statistics of the link', async () => {
    const query = { linkId: '2', ...SPAN, timeZone: 'UTC', interval: 'day' } as const;
    expect(await history.files.reader.read(query)).toMatchObject({ exact: true, inexact: [] });
    await history.ledger.server.query(`UPDATE link_traffic SET visits = visits + 2 WHERE ctid = (
      SELECT ctid FROM link_traffic WHERE link_id = 2 LIMIT 1)`);
    const range = { startDate: '2026-05-10T00:00:00+00:00', endDate: '2026-05-13T00:00:00+00:00' };
    expect(await history.files.reader.read(query)).toMatchObject({ exact: false, inexact: [range] });
  });
});
