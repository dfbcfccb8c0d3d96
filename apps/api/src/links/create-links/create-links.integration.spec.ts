import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { shortUrlBatchSchema } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';

import { TestApi } from '../../api.spec-helpers.js';

let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.stop());

const send = (shortUrls: unknown, headers: Record<string, string> = {}) =>
  api.request('POST', '/rest/v3/short-urls/batch', { body: { shortUrls }, headers });
async function create(shortUrls: unknown, headers: Record<string, string> = {}) {
  const { status, body } = await send(shortUrls, headers);
  expect([status, shortUrlBatchSchema.safeParse(body).error]).toEqual([200, undefined]);
  return shortUrlBatchSchema.parse(body);
}
const linkCount = async () => (await api.database.query('SELECT FROM links')).length;

describe('creating many short URLs', () => {
  it('creates a thousand, each as by itself, and says of each that cannot be created why', async () => {
    const wanted: unknown[] = Array.from({ length: 1_000 }, (_, index) => ({
      longUrl: `https://many.example/${index}`,
      tags: [`t${index % 7}`, 'many'],
      ...(index % 2 === 0 ? { customSlug: `many ${index}` } : {}),
      ...(index % 10 === 0 ? { domain: `d${index % 3}.example`, groupId: 'g' } : {}),
    }));
    wanted[1] = { longUrl: 'javascript:alert(1)' };
    wanted[500] = { longUrl: 'https://many.example/500', limit: 3 };
    wanted[999] = { longUrl: 'https://many.example/999', customSlug: 'many-2' };
    const { created, results } = await create(wanted);
    expect([created, results.length, await linkCount()]).toEqual([997, 1_000, 997]);
    const problems = results.flatMap((result, index) => ('problem' in result ? [[index, result.problem]] : []));
    expect(problems).toEqual([
      [1, expect.objectContaining({ status: 422, type: 'urn:hopcount:problem:unsafe-target' })],
      [500, expect.objectContaining({ status: 400, invalidElements: ['limit'] })],
      [999, expect.objectContaining({ status: 400, customSlug: 'many-2' })],
    ]);
    for (const index of [0, 2, 3, 998]) {
      const result = results[index]!;
      if (!('shortUrl' in result)) throw new Error(`no link ${index}`);
      const { shortUrl } = result;
      expect(shortUrl).toMatchObject({ longUrl: `https://many.example/${index}`, tags: [`t${index % 7}`, 'many'] });
      const domain = shortUrl.domain === null ? '' : `?domain=${shortUrl.domain}`;
      expect((await api.get(`short-urls/${shortUrl.shortCode}${domain}`)).body).toEqual(shortUrl);
    }
    expect((await api.get('short-urls?tags[]=many')).body).toMatchObject({
      shortUrls: { pagination: { totalItems: 997 } },
    });
    const waiting = async () => (await api.database.query('SELECT FROM link_outbox')).length;
    await waitUntil(async () => (await waiting()) === 0, { describe: 'every link to be announced' });
  });

  it('is as if they were created one after the other', async () => {
    const longUrl = 'https://ordered.example/';
    const before = await linkCount();
    const { created, results } = await create([
      { longUrl, findIfExists: true, tags: ['x'] },
      { longUrl, findIfExists: true },
      { longUrl, customSlug: 'ordered' },
      { longUrl, customSlug: 'ordered' },
      { longUrl, customSlug: 'ordered', findIfExists: true },
      { longUrl, findIfExists: true, tags: ['y'] },
      { longUrl: 'https://ordered.example:443', findIfExists: true, tags: ['y'] },
    ]);
    const codes = results.map((result) =>
      'shortUrl' in result ? result.shortUrl.shortCode : result.problem['customSlug'],
    );
    expect(codes).toEqual([codes[0], codes[0], 'ordered', 'ordered', 'ordered', codes[5], codes[5]]);
    expect(results.map((result) => ('shortUrl' in result ? result.isNew : 'problem'))).toEqual([
      true,
      false,
      true,
      'problem',
      false,
      true,
      false,
    ]);
    expect([created, (await linkCount()) - before]).toEqual([3, 3]);
  });

  it('happens once for an Idempotency-Key, wherever the answer was lost', async () => {
    const wanted = [{ longUrl: 'https://again.example/' }, { longUrl: ' ' }];
    const before = await linkCount();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send(wanted, { 'idempotency-key': 'k', 'x-request-id': 'r' })),
    );
    for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]!.body]);
    expect((await linkCount()) - before).toBe(1);
    // The key is of the request, not of the address alone.
    const single = { body: { longUrl: 'https://again.example/' }, headers: { 'idempotency-key': 'k' } };
    expect((await api.request('POST', '/rest/v3/short-urls', single)).status).toBe(422);
    expect((await send([...wanted, ...wanted], { 'idempotency-key': 'k' })).status).toBe(422);
  });

  it('happens whole or not at all', async () => {
    await api.database.query('ALTER TABLE link_tags ADD CONSTRAINT broken CHECK (position < 3) NOT VALID');
    const before = await linkCount();
    const headers = { 'idempotency-key': 'broken' };
    const wanted = [
      { longUrl: 'https://whole.example/' },
      { longUrl: 'https://whole.example/', tags: ['a', 'b', 'c'] },
    ];
    expect((await send(wanted, headers)).status).toBe(500);
    expect(await linkCount()).toBe(before);
    await api.database.query('ALTER TABLE link_tags DROP CONSTRAINT broken');
    expect((await create(wanted, headers)).created).toBe(2);
  });

  it('takes a larger body than other operations, within bounds', async () => {
    const wanted = Array.from({ length: 200 }, (_, index) => ({
      longUrl: `https://large.example/${index}${'a'.repeat(1_900)}`,
    }));
    expect(JSON.stringify(wanted).length).toBeGreaterThan(300_000);
    expect((await create(wanted)).created).toBe(200);
    expect((await send('x'.repeat(5_000_000))).status).toBe(413);
    const large = { body: { longUrl: 'https://example.com', note: 'x'.repeat(300_000) } };
    expect((await api.request('POST', '/rest/v3/short-urls', large)).status).toBe(413);
  });

  it.each([[[]], [Array.from({ length: 1_001 }, () => ({ longUrl: 'https://example.com' }))], ['x'], [undefined]])(
    'refuses %.40j as a batch',
    async (given) => {
      const { body } = await send(given);
      expect([body['status'], body['invalidElements']]).toEqual([400, ['shortUrls']]);
    },
  );
});
