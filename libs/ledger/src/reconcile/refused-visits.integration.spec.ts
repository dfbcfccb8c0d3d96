import { Database } from '@hopcount/postgres';
import { newEventId, type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { countUncounted } from './count-uncounted.js';
import { RefusedVisits } from './refused-visits.js';

const MINUTE = 60_000;
const START = Math.floor(Date.now() / MINUTE) * MINUTE - 20 * MINUTE;

describe('visits in the dead-letter topic', () => {
  let server: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'spec' });
  });
  beforeEach(() => database.query('TRUNCATE refused_visits, ledger_retention'));
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  it.each([
    ['without white space', (source: string) => JSON.stringify({ source, version: 1 })],
    ['with white space', (source: string) => JSON.stringify({ version: 1, source }, null, 2)],
    ['with a space after the colon', (source: string) => `{"source": "${source}"}`],
    ['with tabs and lines', (source: string) => `{"source"\t:\r\n "${source}"}`],
    ['with an escape', (source: string) => `{"source":"${source.replace('-', '\\u002d')}"}`],
    [
      'before one inside of a text',
      (source: string) => JSON.stringify({ source, referrer: 'https://x.test/?"source":"gw-9"' }),
    ],
    ['before one inside of an object', (source: string) => JSON.stringify({ source, utm: { source: 'gw-9' } })],
    ['that is no JSON', (source: string) => `{"broken, "source" : "${source}"`],
  ])('counts a refused visit as uncounted, as its gateway names itself: %s', async (_how, write) => {
    const eventId = newEventId(START + 5);
    const letter = { key: Buffer.from(eventId), value: Buffer.from(write('gw-1')), reason: 'unstorable' };
    await new RefusedVisits(database).note([letter]);
    expect(await database.query('SELECT source FROM refused_visits')).toEqual([{ source: 'gw-1' }]);
    expect(await countUncounted(database, { from: START, to: START + MINUTE })).toBe(1);
  });

  it('counts refused visits of months before kept_from as uncounted', async () => {
    const eventId = newEventId(START + 5);
    await database.query('INSERT INTO ledger_retention (kept_from) VALUES ($1)', [new Date(START + MINUTE)]);
    const letter = { key: Buffer.from(eventId), value: Buffer.from('{"source":"gw-1"}'), reason: 'unstorable' };
    await new RefusedVisits(database).note([letter]);
    expect(await countUncounted(database, { from: START, to: START + MINUTE })).toBe(1);
  });
});
