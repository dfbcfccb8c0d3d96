import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { Archive, ParquetFiles } from '@hopcount/archive';
import { readParquetFile } from '@hopcount/archive/spec-helpers';
import type { ExportedVisit } from '@hopcount/contracts';
import { DAY_MS, type EnrichedVisit, LedgerRetention } from '@hopcount/ledger';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';
import { Reach } from '@hopcount/runtime';
import { VisitSequence } from '@hopcount/statistics';
import { exportVisitCells, exportVisits } from '@hopcount/transfer';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../../api.spec-helpers.js';

const SEPTEMBER = Date.parse('2026-09-03T10:00:00Z');
const OCTOBER = Date.parse('2026-10-01T00:00:00Z');
const MANY = 5_200;

describe('GET exports/visits', () => {
  let api: TestApi;
  let root: string;
  let archive: Archive;
  let visits: EnrichedVisit[];
  let ids: string[];

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'export-visits-'));
    api = await TestApi.start({ ARCHIVE_URL: root, VISITOR_IP: 'full' });
    const { database } = api.resources;
    archive = new Archive(database, { root, memoryMb: 256 });
    await api.database.query(`SELECT create_visit_partitions('2026-09-01Z', '2026-09-02Z')`);
    const create = async (body: Record<string, unknown>) =>
      (await api.create({ longUrl: 'https://example.com/', ...body })).body['id'] as string;
    const one = await create({ customSlug: 'one' });
    const two = await create({ customSlug: 'two', domain: 'o.test' });
    const commit = await openLedger(database);
    // More than a piece in one bucket, many of them in the same millisecond, on both sides of what will be dropped.
    visits = [SEPTEMBER, OCTOBER].flatMap((atMs) => [
      ...Array.from({ length: MANY }, (_, nth) =>
        enrichedVisit({
          ...{ atMs: atMs + (nth >> 6), linkId: one, network: 'AS64500', channel: 'paid', route: 'rule:1' },
          utm: { source: 'mail', medium: null, campaign: '=spring', term: null, content: null },
        }),
      ),
      enrichedVisit({
        atMs: atMs + 2 * DAY_MS,
        linkId: two,
        class: 'bot',
        referrer: '=1+1',
        country: 'FR',
        city: 'Paris',
      }),
      enrichedVisit({ atMs: atMs + 2 * DAY_MS + 1, linkId: two, visitor: null, userAgent: null, latitude: 48.5 }),
    ]);
    await commit(visits);
    ids = visits.map(({ eventId }) => eventId).sort();
  });
  afterAll(async () => {
    await api.stop();
    rmSync(root, { recursive: true });
  });

  const lines = async (query = '') => {
    const url = `${api.url}/rest/v3/exports/visits?format=jsonl${query}`;
    const response = await fetch(url, { headers: { 'x-api-key': api.apiKey } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    const text = await response.text();
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as ExportedVisit);
  };
  const idsOf = async (query = '') => (await lines(query)).map(({ eventId }) => eventId);

  const parquet = async (path: string) => {
    const headers = { 'x-api-key': api.apiKey, accept: 'application/vnd.apache.parquet' };
    const response = await fetch(`${api.url}/rest/v3/${path}`, { headers });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, headers.accept]);
    return readParquetFile(await response.arrayBuffer());
  };

  it('is read piece by piece: each visit comes once, in order, though its month is dropped meanwhile', async () => {
    expect(await idsOf()).toEqual(ids);
    const sequence = new VisitSequence(api.resources.database, api.resources.archive);
    const range = {
      reach: Reach.everything,
      from: undefined,
      to: Date.now(),
      linkId: undefined,
      excludeBots: false,
      after: undefined,
    };
    const seen: string[][] = [];
    for await (const piece of sequence.read(range)) {
      seen.push(piece.map(({ eventId }) => eventId));
      if (seen.length > 1) continue;
      await archive.seal(await archive.dueHours(OCTOBER, 'all'));
      const retention = new LedgerRetention(api.resources.database, { ledgerDays: 45, archive });
      expect(await retention.dropMonths(OCTOBER + 47 * DAY_MS)).toEqual([{ month: '2026-09', kept: null }]);
    }
    expect(seen.length).toBeGreaterThan(2);
    expect(Math.max(...seen.map(({ length }) => length))).toBe(5_000);
    expect(seen.flat()).toEqual(ids);
  });

  it('has the months that only files have, and goes on behind any visit', async () => {
    expect(await api.database.query('SELECT FROM visits WHERE occurred_at < $1', ['2026-10-01Z'])).toEqual([]);
    expect(await idsOf()).toEqual(ids);
    for (const nth of [0, 63, 4_999, MANY + 1, MANY + 2, 2 * MANY + 3]) {
      expect(await idsOf(`&after=${ids[nth]}`)).toEqual(ids.slice(nth + 1));
    }
  });

  it('is of one short URL, of a range, without bots, as asked', async () => {
    const [bot, person] = visits.filter(({ linkId }) => linkId !== visits[0]?.linkId);
    expect(await lines('&shortCode=two&domain=o.test&endDate=2026-09-30')).toEqual([
      {
        ...{
          eventId: bot?.eventId,
          date: '2026-09-05T10:00:00.000Z',
          class: 'bot',
          referer: '=1+1',
          userAgent: 'Mozilla/5.0',
        },
        ...{ shortUrl: 'http://o.test/two', shortCode: 'two', domain: 'o.test', redirectUrl: 'https://example.com/' },
        ...{ country: 'FR', region: null, city: 'Paris', latitude: null, longitude: null, os: 'Linux' },
        ...{ browser: 'Firefox', device: 'desktop', referrerHost: 'example.org', language: 'en', importedFrom: null },
        ...{ groupId: null, osVersion: null, browserVersion: '140', network: null, channel: 'direct' },
        ...{ classReason: 'person', route: null, utmSource: null, utmMedium: null, utmCampaign: null },
        ...{ utmTerm: null, utmContent: null },
      },
      expect.objectContaining({ eventId: person?.eventId, userAgent: null, latitude: 48.5 }),
    ]);
    expect(await idsOf('&shortCode=two&domain=o.test&excludeBots=1')).toHaveLength(2);
    expect(await idsOf('&startDate=2026-10-03&endDate=2026-10-03')).toEqual(ids.slice(-2));
    expect(await idsOf('&startDate=2026-10-04')).toEqual([]);
    expect((await lines('&shortCode=one'))[0]).toMatchObject({ shortUrl: 'http://s.test/one', domain: null });
  });

  it('says the same as CSV, without formulas', async () => {
    const answer = await api.get('exports/visits?shortCode=two&domain=o.test');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const rows = (answer.body as { text: string }).text.split('\n');
    expect(rows).toHaveLength(6);
    expect(rows[0]).toMatch(/^eventId,date,shortUrl,shortCode,domain,referer,userAgent,class,country,/);
    expect(rows[1]).toContain(",http://o.test/two,two,o.test,'=1+1,Mozilla/5.0,bot,FR,,Paris,,,Linux,Firefox,desktop,");
    expect((await api.get('exports/visits?startDate=2027-01-01')).body).toEqual({ text: `${rows[0]}\n` });
  });

  it('tells what statistics know of a visit, of files and ledger', async () => {
    const [first, last] = [(await lines('&shortCode=one'))[0], (await lines('&shortCode=one')).at(-1)];
    const known = {
      osVersion: null,
      browserVersion: '140',
      network: 'AS64500',
      channel: 'paid',
      classReason: 'person',
    };
    const utm = { utmSource: 'mail', utmMedium: null, utmCampaign: '=spring', utmTerm: null, utmContent: null };
    expect([first, last]).toEqual([first, last].map((visit) => ({ ...visit, ...known, ...utm, route: 'rule:1' })));
    const header =
      'groupId,osVersion,browserVersion,network,channel,classReason,route,utmSource,utmMedium,utmCampaign,';
    const { text } = (await api.get('exports/visits?shortCode=one&endDate=2026-09-30')).body as { text: string };
    expect(text.split('\n')[0]).toContain(header);
    expect(text.split('\n')[1]).toContain(",,140,AS64500,paid,person,rule:1,mail,,'=spring,");
  });

  it.each([
    'exports/visits?shortCode=two&domain=o.test',
    'exports/links?format=csv',
    'exports/audit-log?format=csv',
    'statistics/totals?range=today&format=csv',
    'hosts/report?month=2026-10',
  ])('as CSV begins with a byte order mark, unless none is asked for: %s', async (path) => {
    const bytesOf = async (query: string) => {
      const response = await fetch(`${api.url}/rest/v3/${path}${query}`, { headers: { 'x-api-key': api.apiKey } });
      return Buffer.from(await response.arrayBuffer());
    };
    const [marked, plain] = [await bytesOf(''), await bytesOf('&bom=false')];
    expect([...marked.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(marked.subarray(3).toString()).toBe(plain.toString());
  });

  it('says the same as Parquet, of files and ledger, behind any visit, with texts as they are', async () => {
    const all = await parquet(`exports/visits?format=parquet&after=${ids[MANY]}`);
    expect(all.rows.map(({ eventId }) => eventId)).toEqual(ids.slice(MANY + 1));
    expect(all.about).toMatchObject({ after: ids[MANY] });
    const { rows, types } = await parquet('exports/visits?format=parquet&shortCode=two&domain=o.test');
    const text = await lines('&shortCode=two&domain=o.test');
    const at = (date: string) => date.replace('T', ' ').replace('.000Z', '+00').replace('Z', '+00');
    expect(rows).toEqual(text.map((visit) => ({ ...visit, date: at(visit.date) })));
    expect(types).toMatchObject({ date: 'TIMESTAMP WITH TIME ZONE', latitude: 'DOUBLE', referer: 'VARCHAR' });
    expect((await parquet('exports/visits?format=parquet&startDate=2027-01-01')).rows).toEqual([]);
  });

  it('is there for statistics, too: with types and with what is said of them, totals and cells as rows', async () => {
    const two = 'shortCode=two&domain=o.test&startDate=2026-09-05';
    const { rows, types, about } = await parquet(`statistics/series?${two}&endDate=2026-09-06&timeZone=Asia/Kolkata`);
    expect([rows, types['start'], about]).toEqual([
      [
        { start: '2026-09-04 18:30:00+00', visits: 2, visitors: 1, ips: 1 },
        { start: '2026-09-05 18:30:00+00', visits: 0, visitors: 0, ips: 0 },
      ],
      'TIMESTAMP WITH TIME ZONE',
      expect.objectContaining({ exact: true, timeZone: 'Asia/Kolkata' }),
    ]);
    expect((await parquet(`statistics/totals?${two}&endDate=2026-10-31&uniques=visitors`)).rows).toEqual([
      { visits: 4, visitors: 1, human: 2, bot: 2, preview: 0, prefetch: 0, 'opted-out': 0 },
    ]);
    const cells = await api.get(
      `statistics/matrix?${two}&endDate=2026-10-31&rows=country&columns=class&rowLimit=1&format=csv`,
    );
    expect(cells.body['text']).toBe(
      'rowIs,row,columnIs,column,visits\nvalue,FR,value,bot,2\nvalue,FR,value,human,0\nothers,,value,bot,0\nothers,,value,human,2\n',
    );
  });

  it('has whole addresses that can be asked for where they are kept', async () => {
    const { body } = await api.get(
      'statistics/dimensions/ip?startDate=2026-09-01&endDate=2026-10-31&shortCode=two&domain=o.test',
    );
    expect(body).toMatchObject({ visits: 4, values: { data: [{ value: '81.2.69.0', visits: 4 }] } });
  });

  it.each(['csv', 'jsonl', 'parquet'] as const)(
    'as %s has a few pieces in memory, however many there are, and is read no faster than it is taken',
    async (format) => {
      const { database } = api.resources;
      const many = new ManyPieces();
      if (format === 'parquet') {
        const columns = [{ name: 'eventId', type: 'VARCHAR' }] as const;
        const cells = exportVisitCells(database, many.read(), { publicScheme: 'https' });
        const ids = async function* () {
          for await (const rows of cells) yield many.watch(rows.map((row) => row.slice(0, 1)));
        };
        const files = new ParquetFiles({ root, rowsOfAPart: 1_000 });
        (await files.open({ columns, rows: ids(), about: {} }, new AbortController().signal)).destroy();
      } else {
        let lines = 0;
        for await (const chunk of exportVisits(database, many.read(), { format, publicScheme: 'https' })) {
          lines += (chunk as Buffer).toString().split('\n').length - 1;
          for (let turns = 0; turns < 20; turns += 1) await turn();
          expect(many.visits - lines).toBeLessThanOrEqual(4 * PIECE);
        }
      }
      expect(many.visits).toBe(PIECES * PIECE);
      // Rows of a Parquet file are watched, too.
      expect(many.mostHeld).toBeLessThanOrEqual(8);
    },
    60_000,
  );

  it.each([
    ['format=xml', 400],
    ['page=1', 400],
    ['domain=o.test', 400],
    ['after=x', 400],
    ['startDate=x', 400],
    ['shortCode=none', 404],
  ])('refuses ?%s: %i', async (query, status) => {
    expect((await api.get(`exports/visits?${query}`)).status).toBe(status);
  });
});

const PIECES = 60;
const PIECE = 500;
/** All of Jest's memory is gone through. */
const LOOKED_AT_EVERY = 20;

/** Pieces of visits, or of what is made of them, of which it knows how many somebody still holds. */
class ManyPieces {
  visits = 0;
  mostHeld = 0;
  readonly #pieces: WeakRef<object>[] = [];

  watch<Piece extends object>(piece: Piece): Piece {
    this.#pieces.push(new WeakRef(piece));
    return piece;
  }

  async *read() {
    const visit = {
      ...enrichedVisit({ atMs: OCTOBER }),
      ...{ occurredAt: OCTOBER, importedFrom: null, groupId: null, classReason: 0, utm: null },
    };
    for (let nth = 0; nth < PIECES; nth += 1) {
      this.visits += PIECE;
      yield this.watch(Array.from({ length: PIECE }, () => ({ ...visit })));
      if (nth % LOOKED_AT_EVERY !== LOOKED_AT_EVERY - 1) continue;
      // What was looked at in this turn is held until its end.
      await turn();
      collectGarbage();
      this.mostHeld = Math.max(this.mostHeld, this.#pieces.filter((one) => one.deref() !== undefined).length);
    }
  }
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
