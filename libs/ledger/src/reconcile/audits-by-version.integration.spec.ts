import { Database } from '@hopcount/postgres';
import { newEventId, testDatabase, type TestDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { auditsByVersion, type VersionAudit } from './audits-by-version.js';

const MINUTE = 60_000;
const NOW = Math.floor(Date.now() / MINUTE) * MINUTE;
const NOTHING = {
  ...{ sources: 0, visits: 0, settledVisits: 0, equalMinutes: 0, inDoubtMinutes: 0, differentMinutes: 0 },
  ...{ openMinutes: 0, missingVisits: 0, surplusVisits: 0, answeredVisits: 0, refusedVisits: 0 },
  ...{ unreportedMinutes: 0, unauditedMinutes: 0, unauditedVisits: 0, deadLetters: 0 },
};

interface Report {
  source: string;
  minutesAgo: number;
  visits?: number;
  status?: string | null;
  missing?: number;
  answered?: number;
  refused?: number;
  final?: boolean;
}

describe('audits by version', () => {
  let server: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'spec' });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });
  beforeEach(() => database.query('TRUNCATE source_audits, source_traffic, refused_visits, visits'));

  const at = (minutesAgo: number) => new Date(NOW - minutesAgo * MINUTE).toISOString();
  const report = ({ source, minutesAgo, visits = 10, status = 'equal', ...more }: Report) =>
    database.query(
      `INSERT INTO source_audits (source, minute, sequence, visits, checksum, answered, refused, in_doubt, final, status, missing)
       VALUES ($1, $2, 1, $3, 0, $4, $5, 0, $6, $7, $8)`,
      [source, at(minutesAgo), visits, more.answered ?? 0, more.refused ?? 0, more.final ?? false, status, more.missing ?? 0], // prettier-ignore
    );
  const count = (source: string, minutesAgo: number, visits = 10) =>
    database.query('INSERT INTO source_traffic (source, minute, visits, checksum) VALUES ($1, $2, $3, 0)', [
      ...[source, at(minutesAgo), visits],
    ]);
  const refuse = (source: string, minutesAgo: number) =>
    database.query(
      `INSERT INTO refused_visits (occurred_at, event_id, source, reason) VALUES ($1, $2, $3, 'malformed')`,
      [at(minutesAgo), newEventId(NOW - minutesAgo * MINUTE), source],
    );
  const read = async (minutes = 60): Promise<[string, Partial<VersionAudit>][]> =>
    (await auditsByVersion(database, NOW - minutes * MINUTE, NOW)).map(({ version, ...audit }) => [version, audit]);

  it('adds up what became of the reports of each version, those of nameless ones apart', async () => {
    await report({ source: 'gw-a-1@1.0+a', minutesAgo: 3 });
    await report({ source: 'gw-a-1@1.0+a', minutesAgo: 2, status: 'in-doubt', missing: -1 });
    await report({ source: 'gw-b-2@1.0+a', minutesAgo: 2, status: null, answered: 4, refused: 5 });
    await report({ source: 'gw-c-3@2.0', minutesAgo: 2, status: 'missing', missing: 7 });
    await report({ source: 'gw-c-3@2.0', minutesAgo: 1, status: 'surplus', missing: -2 });
    await report({ source: 'gw-old-4', minutesAgo: 1 });
    await report({ source: 'gw-c-3@2.0', minutesAgo: 61, status: 'missing', missing: 100 });
    await refuse('gw-c-3@2.0', 5);
    expect(await read()).toEqual([
      ['', { ...NOTHING, sources: 1, visits: 10, settledVisits: 10, equalMinutes: 1 }],
      [
        '1.0+a',
        {
          ...NOTHING,
          ...{ sources: 2, visits: 30, settledVisits: 20, equalMinutes: 1, inDoubtMinutes: 1, openMinutes: 1 },
          ...{ answeredVisits: 4, refusedVisits: 5 },
        },
      ],
      [
        '2.0',
        {
          ...NOTHING,
          ...{ sources: 1, visits: 20, differentMinutes: 2, missingVisits: 7, surplusVisits: 2, deadLetters: 1 },
        },
      ],
    ]);
  });

  it('tells minutes a process passed over from those of one that was killed, and from young ones', async () => {
    await count('gw-a-1@1.0', 30);
    await report({ source: 'gw-a-1@1.0', minutesAgo: 29 });
    await count('gw-b-2@2.0', 30, 6);
    await count('gw-c-3@3.0', 2);
    expect(await read()).toMatchObject([
      ['1.0', { unreportedMinutes: 1, unauditedMinutes: 0 }],
      ['2.0', { unreportedMinutes: 0, unauditedMinutes: 1, unauditedVisits: 6 }],
      ['3.0', { unreportedMinutes: 0, unauditedMinutes: 0 }],
    ]);
  });
});
