import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { Installation } from './installation.spec-helpers.js';

describe('an import of visits', () => {
  let here: Installation;
  beforeEach(async () => {
    here = await Installation.open();
  });
  afterEach(() => here.close());

  const domains = ['Go.Example', 'go.example', ' GO.EXAMPLE. '];
  const codes = ['Gr\u00fc\u00dfe', 'Gru\u0308\u00dfe', ' Gr\u00fc\u00dfe '];
  const spellings = domains.flatMap((domain) => codes.map((code) => [domain, code] as const));

  it('counts a visit once, however the file of visits and that of links spell domain and code', async () => {
    const takeLink = ([domain, code]: readonly [string, string]) =>
      here.take(`longUrl,shortCode,domain\nhttps://example.com/,${code},${domain}\n`);
    const takeVisit = ([domain, code]: readonly [string, string]) =>
      here.take(`date,shortCode,domain\n2026-09-10T10:00:00Z,${code},${domain}\n`);
    expect(await takeLink(spellings[0]!)).toMatchObject({ created: 1 });
    expect(await takeVisit(spellings[0]!)).toMatchObject({ visits: 1 });
    for (const spelling of spellings) {
      expect(await takeLink(spelling)).toMatchObject({ created: 0, unchanged: 1 });
      expect(await takeVisit(spelling)).toMatchObject({ visits: 0, existingVisits: 1, refused: 0 });
    }
  });

  it('counts a visit once that an earlier version imported under the spelling of the file', async () => {
    const { server } = here.ledger;
    const links = 'longUrl,shortCode,domain\nhttps://example.com/,old,Go.Example\n';
    await here.take(links);
    await server.query(`UPDATE import_links SET source_key = 'Go.Example/old' WHERE source_key = 'go.example/old'`);
    expect(await here.take('date,shortCode,domain\n2026-09-10T10:00:00Z,old,Go.Example\n')).toMatchObject({
      visits: 1,
    });
    // The id that the earlier version gave it.
    expect(await server.query(`SELECT event_id::text AS id FROM visits WHERE imported_from = 'old'`)).toEqual([
      { id: '01a08ac2-8900-7dac-8f16-7f1f9c7b969b' },
    ]);
    await server.query(`UPDATE links SET deleted_at = now() WHERE code = 'old'`);
    expect(await here.take(links)).toMatchObject({ created: 0, reasons: { 'deleted-here': 1 } });
  });
});

describe('an import that names a domain', () => {
  let here: Installation;
  beforeEach(async () => {
    here = await Installation.open();
  });
  afterEach(() => here.close());

  const take = (text: string, domain: string | null) => here.take(text, 'csv', 'old', { domain });
  const LINK = 'longUrl,shortCode\nhttps://example.com/,a\n';
  const LINK_THERE = 'longUrl,shortCode,domain\nhttps://example.com/,a,go.example\n';
  const VISIT = 'date,shortCode\n2026-09-10T10:00:00Z,a\n';
  const VISIT_THERE = 'date,shortCode,domain\n2026-09-10T10:00:00Z,a,Go.Example\n';
  const placesOf = () =>
    here.ledger.server.query(
      `SELECT authority, count(*)::int AS visits
       FROM visits JOIN links ON links.id = link_id JOIN domains ON domains.id = domain_id
       GROUP BY 1 ORDER BY 1`,
    );

  it.each([
    ['links without a domain, visits with theirs', LINK, 'go.example', [VISIT_THERE]],
    ['links with a domain, visits without', LINK_THERE, null, [VISIT]],
    ['both kinds of rows', `${LINK_THERE}https://example.com/,a,\n`, 'go.example', [VISIT, VISIT_THERE]],
  ])('is where rows without a domain belong: %s', async (_, links, domain, files) => {
    expect(await take(links, domain)).toMatchObject({ refused: 0 });
    for (const file of files) await take(file, 'GO.example');
    expect(await placesOf()).toEqual([{ authority: 'go.example', visits: 1 }]);
    for (const file of [VISIT, VISIT_THERE])
      expect(await take(file, 'go.example')).toMatchObject({ visits: 0, existingVisits: 1, refused: 0 });
  });

  it('leaves rows that name another domain there', async () => {
    await take(`${LINK_THERE}https://example.com/,a,other.example\n`, null);
    const file = `${VISIT_THERE}2026-09-10T10:00:00Z,a,\n2026-09-10T11:00:00Z,a,\n`;
    expect(await take(file, 'other.example')).toMatchObject({ visits: 3, refused: 0 });
    expect(await placesOf()).toEqual([
      { authority: 'go.example', visits: 1 },
      { authority: 'other.example', visits: 2 },
    ]);
  });

  it('is refused by line and field where it is not known, and so is a code that the domain does not have', async () => {
    await take(LINK, 'go.example');
    const file = `${VISIT_THERE}2026-09-10T10:00:00Z,a,no.example\n2026-09-10T10:00:00Z,b,go.example\n`;
    const { id } = await take(file, 'go.example');
    expect(await here.imports.remarksOf(id)).toMatchObject([
      { line: 3, field: 'domain', reason: 'unknown-link', detail: expect.stringContaining('no domain "no.example"') },
      { line: 4, field: 'shortCode', reason: 'unknown-link', detail: expect.stringContaining('"b" on "go.example"') },
    ]);
    const wrong = await take('date,shortCode\n2026-09-10T10:00:00Z,b\n', 'wrong.example');
    expect(await here.imports.remarksOf(wrong.id)).toMatchObject([{ line: 2, field: 'domain' }]);
  });
});

describe('an import with LOOSE_CODES', () => {
  let here: Installation;
  beforeEach(async () => {
    here = await Installation.open();
    here.looseCodes = true;
  });
  afterEach(() => here.close());

  const links = (...codes: string[]) =>
    here.take(`longUrl,shortCode\n${codes.map((code) => `https://example.com/,${code}\n`).join('')}`);
  const visits = (...codes: string[]) =>
    here.take(`date,shortCode\n${codes.map((code) => `2026-09-10T10:00:00Z,${code}\n`).join('')}`);

  it('takes rows for the same link, and counts a visit once, whatever the case of their letters', async () => {
    expect(await links('Sale', 'sale')).toMatchObject({ created: 1, unchanged: 1, refused: 0 });
    expect(await links('SALE')).toMatchObject({ created: 0, unchanged: 1, refused: 0 });
    expect(await visits('sale')).toMatchObject({ visits: 1, refused: 0 });
    for (const code of ['Sale', 'SALE', 'sale'])
      expect(await visits(code)).toMatchObject({ visits: 0, existingVisits: 1, refused: 0 });
    expect(await here.counts()).toEqual({ 'Sale 0': 1 });
  });

  it('refuses a row in another case that leads elsewhere', async () => {
    await links('Sale');
    expect(await here.take('longUrl,shortCode\nhttps://example.com/other,sale\n')).toMatchObject({
      refused: 1,
      reasons: { 'other-target': 1 },
    });
  });

  it('counts no visit twice that was imported before the setting changed, in either direction', async () => {
    here.looseCodes = false;
    await links('Sale');
    expect(await visits('Sale')).toMatchObject({ visits: 1 });
    here.looseCodes = true;
    for (const code of ['Sale', 'sale']) expect(await visits(code)).toMatchObject({ visits: 0, existingVisits: 1 });
    expect(await links('sale', 'SPRING')).toMatchObject({ created: 1, unchanged: 1 });
    expect(await visits('SPRING')).toMatchObject({ visits: 1 });
    here.looseCodes = false;
    expect(await visits('Sale', 'SPRING')).toMatchObject({ visits: 0, existingVisits: 2 });
    expect(await visits('sale')).toMatchObject({ visits: 0, reasons: { 'unknown-link': 1 } });
    expect(await here.counts()).toEqual({ 'SPRING 0': 1, 'Sale 0': 1 });
  });

  it('keeps two links apart that had their codes before', async () => {
    here.looseCodes = false;
    await here.take('longUrl,shortCode\nhttps://example.com/1,Sale\nhttps://example.com/2,sale\n', 'csv', 'before');
    here.looseCodes = true;
    const file = 'longUrl,shortCode\nhttps://example.com/1,Sale\nhttps://example.com/2,sale\n';
    expect(await here.take(file)).toMatchObject({ unchanged: 2, refused: 0 });
    expect(await visits('Sale', 'sale')).toMatchObject({ visits: 2 });
    expect(await visits('SALE')).toMatchObject({ visits: 0, reasons: { 'unknown-link': 1 } });
    expect(await here.counts()).toEqual({ 'Sale 0': 1, 'sale 0': 1 });
  });

  it('takes a row for a link that was created here, and meets its rows in every case', async () => {
    await here.take('longUrl,shortCode\nhttps://example.com/,SALE\n', 'csv', 'by hand');
    expect(await links('sale', 'Sale')).toMatchObject({ created: 0, unchanged: 2, refused: 0 });
    expect(await visits('Sale', 'SALE', 'sale')).toMatchObject({ visits: 3 });
    expect(await visits('SALE', 'SALE', 'SALE')).toMatchObject({ visits: 0, existingVisits: 3 });
  });

  it('says of a deleted link that it is deleted, in every case', async () => {
    await links('Sale');
    await here.ledger.server.query(`UPDATE links SET deleted_at = now() WHERE code = 'Sale'`);
    expect(await links('sale')).toMatchObject({ created: 0, reasons: { 'deleted-here': 1 } });
  });

  it('meets the rows of YOURLS, which have no domain', async () => {
    const log = (code: string) =>
      here.take(
        `click_id,click_time,shorturl,referrer,user_agent,ip_address,country_code\n7,2026-09-10 07:08:09,${code},direct,curl/8,,DE\n`,
        'yourls',
      );
    expect(await here.take('keyword,url\nOzh,https://example.com/\n', 'yourls')).toMatchObject({ created: 1 });
    expect(await log('ozh')).toMatchObject({ visits: 1 });
    expect(await log('Ozh')).toMatchObject({ visits: 0, existingVisits: 1 });
  });
});

describe('rows of files', () => {
  const row = fc.record({
    code: fc.constantFrom('Ab', 'ab', 'AB', 'cd'),
    domain: fc.constantFrom('', 'go.example', 'GO.example', 'other.example'),
  });
  const rows = fc.array(row, { minLength: 1, maxLength: 6 });

  it('are of one link where the link store says so, and of no other: any codes, domains and settings', async () => {
    const here = await Installation.open();
    const [home] = await here.ledger.server.query<{ authority: string }>(
      'SELECT authority FROM domains WHERE is_default',
    );
    let runs = 0;
    const property = fc.asyncProperty(
      ...([fc.boolean(), fc.constantFrom(null, 'go.example'), rows, rows] as const),
      async (loose, domain, links, visits) => {
        const name = `run ${(runs += 1)}`;
        here.looseCodes = loose;
        const linkOf = (one: { code: string; domain: string }) =>
          `${one.domain.toLowerCase() || (domain ?? home!.authority)}/${loose ? one.code.toLowerCase() : one.code}`;
        const codeOf = ({ code }: { code: string }) => `${code}-${runs}`;
        const take = (text: string) => here.take(text, 'csv', name, { domain });
        const present = new Set(links.map(linkOf));
        const file = links.map((one) => `https://example.com/,${codeOf(one)},${one.domain}\n`).join('');
        expect(await take(`longUrl,shortCode,domain\n${file}`)).toMatchObject({
          ...{ created: present.size, unchanged: links.length - present.size, refused: 0 },
        });
        // Visits of one link are alike: their ids count them, however each row spells the link.
        const known = visits.filter((one) => present.has(linkOf(one)));
        const lines = visits.map((one) => `2026-09-10T10:00:00Z,${codeOf(one)},${one.domain}\n`);
        const first = await take(`date,shortCode,domain\n${lines.join('')}`);
        expect(first).toMatchObject({ visits: known.length, refused: visits.length - known.length });
        const again = await take(`date,shortCode,domain\n${lines.reverse().join('')}`);
        expect(again).toMatchObject({ visits: 0, existingVisits: known.length });
        const counted = await here.ledger.server.query<{ n: number }>(
          'SELECT count(*)::int AS n FROM visits WHERE imported_from = $1 GROUP BY link_id ORDER BY 1',
          [name],
        );
        const expected = [...present].map((link) => known.filter((one) => linkOf(one) === link).length);
        expect(counted.map(({ n }) => n)).toEqual(expected.filter((n) => n > 0).sort((a, b) => a - b));
      },
    );
    await fc.assert(property, { numRuns: 40 });
    await here.close();
  }, 60_000);
});
