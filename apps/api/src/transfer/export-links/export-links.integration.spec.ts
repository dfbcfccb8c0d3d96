import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ExportedLink } from '@hopcount/contracts';
import { Reach } from '@hopcount/runtime';
import { testApiKey, waitUntil } from '@hopcount/testing';
import { exportLinks } from '@hopcount/transfer';

import { TestApi } from '../../api.spec-helpers.js';

const EXPORT = '/rest/v3/exports/links';
const AS_CSV = { format: 'csv', totals: 'slots', publicScheme: 'http' } as const;

describe('GET exports/links', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await TestApi.start();
    const links = [
      {
        longUrl: 'https://example.com/?a=1,2&b="x"',
        customSlug: 'müsli-🥣',
        title: '=1+1',
        tags: ['a|b', 'c,d', 'plain'],
        note: 'two\nlines',
        validSince: '2026-01-01T00:00:00+00:00',
        validUntil: '2030-01-01T00:00:00+00:00',
        expiredUrl: 'https://example.com/over',
      },
      { longUrl: 'https://example.org/', customSlug: 'x', domain: 'other.test', crawlable: true, redirectStatus: 308 },
      { longUrl: 'https://example.org/', customSlug: 'gone' },
      { longUrl: 'https://example.org/', customSlug: 'ruled', forwardQuery: false, extraPath: 'append', groupId: 'g' },
    ];
    for (const link of links) expect((await api.create(link)).status).toBe(200);
    const rules = {
      redirectRules: [
        {
          longUrl: 'https://example.org/de',
          conditions: [{ type: 'language', matchKey: null, matchValue: 'de' }],
        },
      ],
      split: [{ longUrl: 'https://example.org/b', weight: 3 }],
    };
    expect(await api.request('POST', '/rest/v3/short-urls/ruled/redirect-rules', { body: rules })).toMatchObject({
      status: 200,
    });
    expect((await api.request('DELETE', '/rest/v3/short-urls/gone')).status).toBe(204);
    await api.database.query(
      `INSERT INTO link_visit_slots (link_id, slot_id, potential_bot, visits)
       SELECT id, s, s = 2, 10 * s FROM links, generate_series(1, 2) AS s WHERE code = 'ruled'`,
    );
  });
  afterAll(() => api.stop());

  const exported = async () => {
    const response = await fetch(`${api.url}${EXPORT}?format=jsonl`, { headers: { 'x-api-key': api.apiKey } });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await response.text()).split('\n');
    expect(lines.pop()).toBe('');
    return lines.map((line) => JSON.parse(line) as ExportedLink);
  };

  it('has each link as the API answers it, with its rules, oldest first', async () => {
    const links = await exported();
    expect(links.map(({ shortCode }) => shortCode)).toEqual(['müsli-🥣', 'x', 'ruled']);
    for (const { redirectRules, split, ...shortUrl } of links) {
      const domain = shortUrl.domain === null ? '' : `?domain=${shortUrl.domain}`;
      const one = await api.get(`short-urls/${encodeURIComponent(shortUrl.shortCode)}${domain}`);
      expect(shortUrl).toEqual(one.body);
      const rules = await api.get(`short-urls/${encodeURIComponent(shortUrl.shortCode)}/redirect-rules${domain}`);
      const withPriority = redirectRules.map((rule, index) => ({ ...(rule as object), priority: index + 1 }));
      expect([withPriority, split]).toEqual([rules.body['redirectRules'], rules.body['split']]);
    }
    expect(links[2]).toMatchObject({
      visitsSummary: { total: 30, nonBots: 10, bots: 20 },
      split: [{ longUrl: 'https://example.org/b', weight: 3 }],
    });
  });

  it('says the same as CSV, without formulas', async () => {
    const answer = await api.get('exports/links');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const { text } = answer.body as { text: string };
    expect(text.split('\n')[0]).toMatch(/^shortUrl,shortCode,domain,longUrl,title,tags,dateCreated,/);
    expect(text).toContain(`,"https://example.com/?a=1,2&b=""x""",'=1+1,"[""a|b"",""c,d"",""plain""]",`);
    expect(text).toContain('"two\nlines"');
    expect(text).toContain(',30,10,20,');
  });

  it.each([['format=xml'], ['page=1']])('refuses ?%s', async (query) => {
    expect((await api.get(`exports/links?${query}`)).status).toBe(400);
  });

  it('is closed when its reader stops, also after PostgreSQL has sent all', async () => {
    const links = exportLinks(Reach.everything, api.resources.database, { ...AS_CSV, patienceMs: 50 });
    links.once('error', () => undefined);
    await once(links, 'finish');
    expect(links.readableEnded).toBe(false);
    await waitUntil(() => links.destroyed, { describe: 'the export to be closed' });
  });

  describe('of many links', () => {
    // More than the kernel keeps for one socket (tcp_rmem, up to 32 MB on a connection that has read a lot before).
    const LINKS = 60_000;
    const NOTE_BYTES = 1_000;
    const waitingForReaders = async () => {
      const rows = await api.database.query<{ wait_event: string | null }>(
        `SELECT wait_event FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%COPY (%' AND state = 'active'
         AND pid <> pg_backend_pid()`,
      );
      return rows.map(({ wait_event: event }) => event);
    };
    const open = (apiKey = api.apiKey) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { 'x-api-key': apiKey };
        get(`${api.url}${EXPORT}?format=csv`, { headers }, resolve).on('error', reject);
      });
    const isStalled = () =>
      waitUntil(async () => (await waitingForReaders()).includes('ClientWrite'), {
        describe: 'PostgreSQL to wait for the reader',
      });

    beforeAll(async () => {
      await api.database.query(
        `INSERT INTO links (id, domain_id, code, long_url, note)
         SELECT 1000 + n, (SELECT id FROM domains WHERE is_default), 'many' || n, 'https://example.com/' || n, repeat('n', ${NOTE_BYTES})
         FROM generate_series(1, ${LINKS}) AS n`,
      );
    }, 120_000);

    it('PostgreSQL keeps what a slow reader has not taken, and the reader gets all of it', async () => {
      const response = await open();
      await isStalled();
      expect(response.readableLength).toBeLessThan(1_000_000);
      let bytes = 0;
      let rows = 0;
      let stalls = 0;
      for await (const chunk of response as AsyncIterable<Buffer>) {
        const before = bytes;
        bytes += chunk.length;
        rows += chunk.toString('latin1').split('\n').length - 1;
        // Every few megabytes: what the sockets hold between is not in our memory.
        if (Math.floor(before / 8_000_000) !== Math.floor(bytes / 8_000_000) && bytes < 20_000_000) {
          await isStalled();
          stalls += 1;
        }
      }
      expect(bytes).toBeGreaterThan(LINKS * NOTE_BYTES);
      expect(stalls).toBeGreaterThan(1);
      // The header and the three of before, one of which has two lines.
      expect(rows).toBe(LINKS + 5);
    });

    it('a reader that takes a little now and then does not keep the query for ever', async () => {
      const links = exportLinks(Reach.everything, api.resources.database, { ...AS_CSV, deadlineMs: 200 });
      links.once('error', () => undefined);
      const isClosed = () => {
        links.read(1);
        return links.destroyed;
      };
      await waitUntil(isClosed, { describe: 'the export to be closed' });
      await waitUntil(async () => (await waitingForReaders()).length === 0, { describe: 'the query to end' });
    });

    it('a reader that leaves ends the query; one of a key and two of all run at once, beside the audit log', async () => {
      const newKey = async () => (await testApiKey(api.database, { scopes: ['links:read'] })).key;
      const key = await newKey();
      const readers = [await open(key)];
      await isStalled();
      expect((await api.get('exports/links', { 'x-api-key': key })).status).toBe(503);
      readers.push(await open(await newKey()));
      expect(readers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
      expect((await api.get('exports/links')).status).toBe(503);
      expect((await api.get('exports/audit-log')).status).toBe(200);
      for (const reader of readers) reader.destroy();
      await waitUntil(async () => (await waitingForReaders()).length === 0, { describe: 'the queries to end' });
      const again = await open();
      expect(again.statusCode).toBe(200);
      again.destroy();
    });
  });
});
