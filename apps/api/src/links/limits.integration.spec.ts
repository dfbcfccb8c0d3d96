import { enrichedVisit, Ledger, pausePoint } from '@hopcount/ledger/spec-helpers';
import type { Database, Transaction } from '@hopcount/postgres';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';

let api: TestApi;
let ledger: Ledger;

beforeAll(async () => {
  api = await TestApi.start();
  ledger = await Ledger.on(api.database);
});
afterAll(async () => {
  await ledger.database.close();
  await api.stop();
});

const longUrl = 'https://example.com/limited';
const patch = (code: string, body: unknown) => api.request('PATCH', `/rest/v3/short-urls/${code}`, { body });
const create = async (body: object) => {
  const answer = await api.create({ longUrl, ...body });
  return answer.body as { id: string; shortCode: string };
};
const visitsOf = (linkId: string, visits: number) => Array.from({ length: visits }, () => enrichedVisit({ linkId }));
const limitOf = async (linkId: string) =>
  (
    await api.database.query('SELECT max_uses AS max, used::int, late::int FROM link_limits WHERE link_id = $1', [
      linkId,
    ])
  )[0];

describe('a limit of visits', () => {
  it('is set, raised, lowered, removed and set again; visits so far count, also those meanwhile', async () => {
    const { id, shortCode } = await create({ maxVisits: 3 });
    expect((await api.get(`short-urls/${shortCode}`)).body).toMatchObject({ meta: { maxVisits: 3 } });
    expect(await limitOf(id)).toEqual({ max: 3, used: 0, late: 0 });
    const commit = await ledger.consumer();
    await commit(visitsOf(id, 2));
    for (const maxVisits of [7, 1, null]) {
      expect((await patch(shortCode, { maxVisits })).body).toMatchObject({ meta: { maxVisits } });
      expect(await limitOf(id)).toEqual({ max: maxVisits, used: 2, late: 2 });
    }
    await commit(visitsOf(id, 2));
    await patch(shortCode, { maxVisits: 9 });
    expect(await limitOf(id)).toMatchObject({ max: 9, used: 4 });
    const plain = await create({});
    expect(await limitOf(plain.id)).toBeUndefined();
    expect(await ledger.differences()).toEqual([]);
  });

  it('set on a link whose visits are just being counted begins with all of them', async () => {
    const { id, shortCode } = await create({});
    await (
      await ledger.consumer()
    )(visitsOf(id, 5));
    const { reached, goOn, pause } = pausePoint();
    /** A commit that has read, before the limit was set, that there is none. */
    const through = {
      transaction: (work: (tx: Transaction) => Promise<unknown>) =>
        ledger.database.transaction((tx) =>
          work({
            ...tx,
            query: async <Row>(text: string, values?: unknown[]) => {
              const rows = await tx.query<Row>(text, values);
              if (text.includes('isLimited')) await pause();
              return rows;
            },
          }),
        ),
    } as unknown as Database;
    const counting = (await ledger.consumer(8, through))(visitsOf(id, 3));
    await reached;
    let isSet = false;
    const setting = patch(shortCode, { maxVisits: 20 }).then((answer) => ((isSet = true), answer));
    // One that begins now sees the row.
    await (
      await ledger.consumer()
    )(visitsOf(id, 2));
    expect(isSet).toBe(false);
    goOn();
    await counting;
    expect((await setting).status).toBe(200);
    expect(await limitOf(id)).toMatchObject({ max: 20, used: 10 });
    expect(await ledger.differences()).toEqual([]);
  });

  it('is part of what findIfExists compares, of a batch, and of the filter of lists', async () => {
    const first = await create({ longUrl: `${longUrl}/same`, maxVisits: 2 });
    const find = (maxVisits: number) => create({ longUrl: `${longUrl}/same`, maxVisits, findIfExists: true });
    expect((await find(2)).id).toBe(first.id);
    const second = await find(4);
    expect(second.id).not.toBe(first.id);
    const batch = await api.request('POST', '/rest/v3/short-urls/batch', {
      body: { shortUrls: [{ longUrl: `${longUrl}/same`, maxVisits: 5 }] },
    });
    expect(JSON.stringify(batch.body)).toContain('"maxVisits":5');
    await (
      await ledger.consumer()
    )([...visitsOf(first.id, 2), ...visitsOf(second.id, 3)]);
    const left = await api.get('short-urls?excludeMaxVisitsReached=true&searchTerm=limited/same');
    const found = JSON.stringify(left.body);
    expect([found.includes(first.id), found.includes(second.id)]).toEqual([false, true]);
  });

  it.each([301, 308])(
    'is refused with status %i, whichever comes second: a browser would not ask again',
    async (status) => {
      const both = { maxVisits: 5, redirectStatus: status };
      const refusal = {
        status: 400,
        body: { invalidElements: ['maxVisits', 'redirectStatus'], detail: expect.stringContaining('browsers') },
      };
      expect(await api.create({ longUrl, ...both })).toMatchObject(refusal);
      const limited = await create({ maxVisits: 5 });
      expect(await patch(limited.shortCode, { redirectStatus: status })).toMatchObject(refusal);
      const permanent = await create({ redirectStatus: status });
      expect(await patch(permanent.shortCode, { maxVisits: 5 })).toMatchObject(refusal);
      expect((await patch(permanent.shortCode, { maxVisits: 5, redirectStatus: null })).status).toBe(200);
    },
  );

  it('goes with a link that is purged for good', async () => {
    const { id, shortCode } = await create({ maxVisits: 5 });
    await api.database.query(
      `INSERT INTO link_uses (event_id, link_id, source, spool) VALUES (gen_random_uuid(), $1, 'gw', gen_random_uuid())`,
      [id],
    );
    await api.request('DELETE', `/rest/v3/short-urls/${shortCode}`);
    expect(await limitOf(id)).toBeDefined();
    let purging: ReturnType<typeof api.request> | undefined;
    // A commit that counts the visit, in the middle: it ends the use, and changes the limit after that.
    await ledger.database.transaction(async (tx) => {
      await tx.query('DELETE FROM link_uses WHERE link_id = $1', [id]);
      purging = api.request('DELETE', `/rest/v3/deleted-short-urls/${shortCode}`);
      const waits = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      await waitUntil(async () => (await api.database.query(waits)).length > 0, { describe: 'the purge waits' });
      await tx.query('SELECT FROM link_limits WHERE link_id = $1 FOR UPDATE NOWAIT', [id]);
    });
    expect((await purging)?.status).toBeLessThan(300);
    expect(await limitOf(id)).toBeUndefined();
    expect(await ledger.count('link_uses', id)).toBe(0);
  });
});
