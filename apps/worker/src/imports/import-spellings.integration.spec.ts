import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

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
