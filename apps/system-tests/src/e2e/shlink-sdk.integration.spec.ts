import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { testDatabase, type TestDatabase, testTopic, type TestTopic, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type AppProcess, startApiProcess, startConsumerProcess, startGatewayProcess } from '../harness/app-process.js';
import { runCli } from '../harness/cli.js';
import { call } from '../harness/http.js';
import { openShlinkSdk, type SdkVisit, type ShlinkSdk } from '../harness/shlink-sdk.js';

const TEST_MS = 120_000;
const LONG_URL = 'https://example.com/shlink';
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

describe("Shlink's SDK", () => {
  let [database, topic, deadLetters, folder]: [TestDatabase?, TestTopic?, TestTopic?, string?] = [];
  let gateway: AppProcess;
  let sdk: ShlinkSdk;
  const running: AppProcess[] = [];

  beforeAll(async () => {
    [database, topic, deadLetters, folder] = await Promise.all([
      testDatabase(),
      testTopic({ label: 'visits' }),
      testTopic({ label: 'visits.dlq' }),
      mkdtemp(join(tmpdir(), 'hopcount-sdk-')),
    ]);
    const services = { databaseUrl: database.url, redisUrl: '', kafkaBrokers: '' };
    const { stdout } = await runCli(services, 'api-keys', 'create', '--name', 'spec', '-o', 'json');
    const { apiKey } = JSON.parse(stdout) as { apiKey: string };
    const api = await startApiProcess({ database });
    gateway = await startGatewayProcess({ topic, database, spoolFolder: folder });
    const consumer = await startConsumerProcess({ topic, database, deadLetters });
    running.push(api, gateway, consumer);
    for (const app of running) await app.ready();
    sdk = await openShlinkSdk({ baseUrl: api.url, apiKey });
  }, TEST_MS);
  afterAll(async () => {
    await Promise.all(running.map((app) => app.stop()));
    await Promise.all([topic?.delete(), deadLetters?.delete(), database?.drop(), rm(folder!, { recursive: true })]);
  }, TEST_MS);

  const visit = async (code: string, userAgent: string) =>
    call(`${gateway.url}/${code}`, { headers: { host: 'localhost:8080', 'user-agent': userAgent } });

  it(
    'goes through the life of a short URL',
    async () => {
      expect(await sdk.health()).toMatchObject({ status: 'pass', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
      const created = await sdk.createShortUrl({ longUrl: LONG_URL, customSlug: 'sdk', tags: ['Spring', 'docs'] });
      expect(created).toMatchObject({ shortCode: 'sdk', longUrl: LONG_URL, tags: ['spring', 'docs'], domain: null });
      await sdk.createShortUrl({ longUrl: 'https://example.com/other' });
      const { data, pagination } = await sdk.listShortUrls({ tags: ['spring'], itemsPerPage: '5', orderBy: undefined });
      expect([data, pagination.totalItems]).toEqual([[created], 1]);
      const edited = await sdk.updateShortUrl({ shortCode: 'sdk' }, { title: 'A title', longUrl: `${LONG_URL}2` });
      expect(edited).toEqual({ ...created, title: 'A title', longUrl: `${LONG_URL}2` });
      expect(await sdk.getShortUrl({ shortCode: 'sdk' })).toEqual(edited);

      const followed = await follow(sdk, 'https://shlink.io/new-visit/sdk');
      for (const userAgent of ['Mozilla/5.0 Firefox/140.0', BOT]) {
        expect((await visit('sdk', userAgent)).headers['location']).toBe(`${LONG_URL}2`);
      }
      await waitUntil(async () => (await sdk.getShortUrlVisits({ shortCode: 'sdk' }, {})).pagination.totalItems === 2, {
        ...{ timeoutMs: 30_000, everyMs: 50, describe: 'both visits counted' },
      });
      const visits = (await sdk.getShortUrlVisits({ shortCode: 'sdk' })).data;
      expect(visits.map(({ potentialBot, redirectUrl }) => [potentialBot, redirectUrl])).toEqual([
        [true, `${LONG_URL}2`],
        [false, `${LONG_URL}2`],
      ]);
      await waitUntil(() => Promise.resolve(followed.visits.length === 2), {
        ...{ timeoutMs: 10_000, everyMs: 20, describe: 'both visits told' },
      });
      followed.close();
      expect([...followed.visits].sort(byId)).toEqual([...visits].sort(byId));

      for (const list of [sdk.getTagVisits('spring'), sdk.getDomainVisits('DEFAULT'), sdk.getNonOrphanVisits()]) {
        expect((await list).data).toEqual(visits);
      }
      expect(
        (await sdk.getTagVisits('spring', { excludeBots: true, itemsPerPage: 1, page: 1 })).pagination,
      ).toMatchObject({
        ...{ totalItems: 1, pagesCount: 1 },
      });
      expect((await sdk.getOrphanVisits()).data).toEqual([]);
      expect((await sdk.getVisitsOverview()).nonOrphanVisits).toEqual({ total: 2, nonBots: 1, bots: 1 });
      expect((await sdk.getShortUrl({ shortCode: 'sdk' })).visitsSummary).toEqual({ total: 2, nonBots: 1, bots: 1 });

      expect(await sdk.deleteShortUrlVisits({ shortCode: 'sdk' })).toEqual({ deletedVisits: 2 });
      await sdk.deleteShortUrl({ shortCode: 'sdk' });
      await expect(sdk.getShortUrl({ shortCode: 'sdk' })).rejects.toMatchObject({
        ...{ status: 404, type: 'https://shlink.io/api/error/short-url-not-found', shortCode: 'sdk' },
      });
      await expect(sdk.getTagVisits('unknown')).rejects.toMatchObject({ tag: 'unknown', status: 404 });
    },
    TEST_MS,
  );

  it(
    'edits what it read: rules in another order, and a short URL with the fields it was created with',
    async () => {
      const id = { shortCode: 'read' };
      const given = {
        longUrl: LONG_URL,
        customSlug: 'read',
        tags: ['Bug Sale'],
        findIfExists: true,
        shortCodeLength: 5,
      };
      const created = await sdk.createShortUrl(given);
      const conditions = [{ type: 'device', matchKey: null, matchValue: 'android' }];
      const redirectRules = ['a', 'b'].map((name) => ({ longUrl: `${LONG_URL}/${name}`, conditions }));
      await sdk.setShortUrlRedirectRules(id, { redirectRules });
      const read = await sdk.getShortUrlRedirectRules(id);
      expect(await sdk.setShortUrlRedirectRules(id, read)).toEqual(read);
      // As the web client does it: what was read moves up, with its priority.
      const moved = await sdk.setShortUrlRedirectRules(id, { redirectRules: [...read.redirectRules].reverse() });
      expect(moved.redirectRules.map(({ longUrl, priority }) => [longUrl, priority])).toEqual([
        [`${LONG_URL}/b`, 1],
        [`${LONG_URL}/a`, 2],
      ]);
      const edited = await sdk.updateShortUrl(id, { ...given, domain: null, title: 'With all of it' });
      expect(edited).toEqual({ ...created, title: 'With all of it', hasRedirectRules: true });
      await expect(sdk.updateShortUrl(id, { ...given, customSlug: 'other' })).rejects.toMatchObject({
        ...{ status: 422, invalidElements: ['customSlug'] },
      });
      const { data } = await sdk.listShortUrls({ tags: ['Bug Sale'], excludeTags: ['Some Thing'] });
      expect(data).toEqual([edited]);
      expect((await sdk.listShortUrls({ excludeTags: ['BUG sale'] })).data).not.toContainEqual(edited);
    },
    TEST_MS,
  );

  it(
    'organises tags',
    async () => {
      for (const tags of [['mail'], ['mail', 'web']]) await sdk.createShortUrl({ longUrl: LONG_URL, tags });
      const names = async () => (await sdk.listTags()).data.filter((name) => ['letter', 'mail', 'web'].includes(name));
      expect(await names()).toEqual(['mail', 'web']);
      const none = { total: 0, nonBots: 0, bots: 0 };
      expect((await sdk.tagsStats()).data).toContainEqual({ tag: 'mail', shortUrlsCount: 2, visitsSummary: none });
      expect(await sdk.editTag({ oldName: 'mail', newName: 'letter' })).toEqual({ oldName: 'mail', newName: 'letter' });
      await expect(sdk.editTag({ oldName: 'letter', newName: 'web' })).rejects.toMatchObject({
        ...{ status: 409, type: 'https://shlink.io/api/error/tag-conflict', oldName: 'letter', newName: 'web' },
      });
      await expect(sdk.editTag({ oldName: 'mail', newName: 'x' })).rejects.toMatchObject({
        ...{ status: 404, type: 'https://shlink.io/api/error/tag-not-found', tag: 'mail' },
      });
      await sdk.deleteTags(['web', 'nothing']);
      expect(await names()).toEqual(['letter']);
      expect((await sdk.listShortUrls({ tags: ['letter'] })).pagination.totalItems).toBe(2);
    },
    TEST_MS,
  );

  it(
    'organises domains, which gateways follow',
    async () => {
      const redirects = { baseUrlRedirect: 'https://example.com/{DOMAIN}', regular404Redirect: null };
      const all = { ...redirects, invalidShortUrlRedirect: null };
      expect(await sdk.editDomainRedirects({ domain: 'Bücher.test', ...redirects })).toEqual(all);
      const { data, defaultRedirects } = await sdk.listDomains();
      expect(data[0]).toMatchObject({ domain: 'localhost:8080', isDefault: true });
      expect(data).toContainEqual({ domain: 'xn--bcher-kva.test', isDefault: false, redirects: all });
      expect(defaultRedirects).toEqual({
        baseUrlRedirect: null,
        regular404Redirect: null,
        invalidShortUrlRedirect: null,
      });
      const locationOf = async (path: string, host = 'xn--bcher-kva.test') =>
        (await call(`${gateway.url}${path}`, { headers: { host } })).headers['location'];
      // A gateway that was not told would look after five seconds.
      await waitUntil(async () => (await locationOf('/')) === 'https://example.com/xn--bcher-kva.test', {
        ...{ timeoutMs: 2_500, everyMs: 20, describe: 'the redirect of the domain' },
      });
      const created = await sdk.createShortUrl({ longUrl: LONG_URL, domain: 'bücher.test', customSlug: 'idn' });
      expect(created).toMatchObject({ domain: 'xn--bcher-kva.test', shortUrl: 'http://xn--bcher-kva.test/idn' });
      expect(await locationOf('/idn')).toBe(LONG_URL);
      expect(await sdk.health({ domain: new URL(gateway.url).host })).toMatchObject({ status: 'pass' });
    },
    TEST_MS,
  );
});

function byId(a: SdkVisit, b: SdkVisit): number {
  return a.eventId < b.eventId ? -1 : 1;
}

/** What a page with an EventSource of this topic gets. */
async function follow(sdk: ShlinkSdk, topic: string) {
  const { mercureHubUrl, token } = await sdk.mercureInfo();
  const query = new URLSearchParams({ topic, authorization: token ?? '' });
  const ending = new AbortController();
  const response = await fetch(`${mercureHubUrl}?${query.toString()}`, { signal: ending.signal });
  expect(response.status).toBe(200);
  const visits: SdkVisit[] = [];
  const read = async () => {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) visits.push((JSON.parse(data) as { visit: SdkVisit }).visit);
      }
    }
  };
  void read().catch(() => undefined);
  return { visits, close: () => ending.abort() };
}
