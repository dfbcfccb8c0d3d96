import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { answerOf } from '@hopcount/client';
import {
  findChromium,
  openPage,
  testDatabase,
  type TestDatabase,
  testTopic,
  type TestTopic,
  waitUntil,
  type WatchedPage,
} from '@hopcount/testing';
import axe from 'axe-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { type AppProcess, startApiProcess, startConsumerProcess, startGatewayProcess } from '../harness/app-process.js';
import { runCli, servicesOf } from '../harness/cli.js';
import { call } from '../harness/http.js';
import { LinksApi } from '../harness/links.js';

const TEST_MS = 180_000;
const ORIGIN = 'http://localhost:8081';
const PASSWORD = 'a rather long one';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const SCRIPT = '<img src=x onerror="window.wasRun=1"><script>window.wasRun=1</script>';
/** The page asks who is signed in; that nobody is, Chromium writes in red. */
const NOBODY_YET = /status of 401 .*\/rest\/v3\/session\)/;

interface Violation {
  id: string;
  impact: string | null;
  nodes: { html: string }[];
}

/** RFC 6238, as apps make codes of a Base32 secret. */
function codeOf(secret: string): string {
  const bits = [...secret].map((sign) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'));
  const key = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const digest = createHmac('sha1', key).update(step).digest();
  const at = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

const chromium = findChromium();
if (chromium === undefined) process.stderr.write('SKIPPED: the dashboard, as there is no Chromium.\n');

(chromium === undefined ? describe.skip : describe)('the dashboard', () => {
  let [database, topic, deadLetters, folder]: [TestDatabase?, TestTopic?, TestTopic?, string?] = [];
  let links: LinksApi;
  let browser: WatchedPage;
  const running: AppProcess[] = [];
  const recoveryCodes: string[] = [];
  const email = `ada-${Date.now().toString(36)}@x.test`;

  beforeAll(async () => {
    [database, topic, deadLetters, folder] = await Promise.all([
      testDatabase(),
      testTopic({ label: 'visits' }),
      testTopic({ label: 'visits.dlq' }),
      mkdtemp(join(tmpdir(), 'hopcount-dashboard-')),
    ]);
    const { stdout } = await runCli(servicesOf(database), 'api-keys', 'create', '--name', 'spec', '-o', 'json');
    const api = await startApiProcess({ database });
    const gateway = await startGatewayProcess({ topic, database, spoolFolder: folder });
    running.push(api, gateway, await startConsumerProcess({ topic, database, deadLetters }));
    for (const app of running) await app.ready();
    links = new LinksApi({ apiUrl: api.url, apiKey: (JSON.parse(stdout) as { apiKey: string }).apiKey });
    await links.create({ longUrl: 'https://example.com/sale', customSlug: 'sale', tags: ['spring'] });
    await links.create({ longUrl: 'https://example.com/other', customSlug: 'other', title: SCRIPT });
    const visit = (path: string, userAgent: string, referer: string) =>
      call(gateway.url + path, { headers: { host: 'localhost:8080', 'user-agent': userAgent, referer } });
    for (let n = 0; n < 3; n += 1) await visit('/sale', FIREFOX, 'https://news.test/today');
    for (let n = 0; n < 2; n += 1) await visit('/sale', IPHONE, 'javascript:alert(1)');
    await visit(`/other?utm_campaign=${encodeURIComponent(SCRIPT)}`, SCRIPT, `https://hostile.test/${SCRIPT}`);
    await waitUntil(async () => (await totals()).visits === 6, { timeoutMs: 30_000, describe: 'the visits counted' });
    browser = await openPage(chromium!, { 'localhost:8081': new URL(api.url).host });
  }, TEST_MS);
  afterEach(async () => {
    expect(browser.errors.splice(0).filter((error) => !NOBODY_YET.test(error))).toEqual([]);
    expect(await browser.page.evaluate(() => 'wasRun' in globalThis)).toBe(false);
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all(running.map((app) => app.stop()));
    await Promise.all([topic?.delete(), deadLetters?.delete(), database?.drop(), rm(folder!, { recursive: true })]);
  }, TEST_MS);

  async function totals(filter?: string) {
    const query = { range: 'last7days', timeZone: 'Europe/Berlin', ...(filter && { 'filter[]': [filter] }) } as const;
    return (await answerOf(links.client.GET('/rest/v3/statistics/totals', { params: { query } }))).totals;
  }
  const shown = (name: string) => browser.page.locator(`[data-total=${name}]`);
  const heading = (name: string) => browser.page.getByRole('heading', { name, level: 1 }).waitFor();
  const tokenOf = async (role: string) => {
    const { token } = await answerOf(
      links.client.POST('/rest/v3/users/invites', { body: { role: role as 'owner' | 'viewer' } }),
    );
    return token;
  };
  /** As a page of the dashboard asks. */
  const ask = (method: string, path: string, body: object) =>
    browser.page.evaluate(
      async ([how, where, what]) => {
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(`/rest/v3/${where}`, { method: how, headers, body: what });
        return { status: answer.status, body: (await answer.json().catch(() => ({}))) as Record<string, unknown> };
      },
      [method, path, JSON.stringify(body)] as const,
    );
  const signOut = async () => {
    await browser.page.goto(`${ORIGIN}/profile`);
    await browser.page.getByRole('button', { name: 'Sign out' }).click();
    await heading('Sign in');
  };
  /** What axe says is serious. */
  const barriers = async () => {
    await browser.page.evaluate(axe.source);
    const { violations } = await browser.page.evaluate(
      () =>
        (globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }).axe.run() as Promise<{
          violations: Violation[];
        }>,
    );
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  };

  it(
    'takes the link of the first owner, and signs in with a password and a second factor, back to where somebody wanted to go',
    async () => {
      const { page } = browser;
      await page.goto(`${ORIGIN}/invite#${await tokenOf('owner')}`);
      await page.getByLabel('Email address').fill(email);
      await page.getByLabel('Name').fill('Ada');
      await page.getByRole('textbox', { name: /^Password/ }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Go on' }).click();
      await heading('Overview');
      const { secret } = (await ask('POST', 'session/second-factor', { password: PASSWORD })).body;
      const { body } = await ask('POST', 'session/second-factor/confirm', { code: codeOf(String(secret)) });
      recoveryCodes.push(...(body['recoveryCodes'] as string[]));
      await signOut();
      await page.goto(`${ORIGIN}/links?search=sale`);
      await heading('Sign in');
      expect(await barriers()).toEqual([]);
      await page.getByLabel('Email address').fill(email);
      await page.getByRole('textbox', { name: /^Password/ }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByLabel('One-time code').fill(recoveryCodes[0] ?? '');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await heading('Links');
      expect(page.url()).toBe(`${ORIGIN}/links?search=sale`);
      // Chromium writes that the api asked for the code.
      browser.errors.splice(0);
    },
    TEST_MS,
  );

  it(
    'shows the numbers of the api, filters them by a click, and goes back',
    async () => {
      const { page } = browser;
      await page.goto(`${ORIGIN}/`);
      const all = await totals();
      await waitUntil(async () => (await shown('visits').innerText()) === String(all.visits), {
        timeoutMs: 15_000,
        describe: 'the number of visits',
      });
      for (const name of ['visitors', 'ips'] as const) expect(await shown(name).innerText()).toBe(String(all[name]));
      expect(await shown('human').innerText()).toBe(String(all.byClass.human));
      await page.locator('canvas').waitFor();
      expect(await barriers()).toEqual([]);
      await page.getByRole('button', { name: 'Firefox', exact: true }).click();
      await page.waitForURL(/[?&]filter=browser%3DFirefox/);
      const some = await totals('browser=Firefox');
      await waitUntil(async () => (await shown('visits').innerText()) === String(some.visits), {
        timeoutMs: 15_000,
        describe: 'the number of visits',
      });
      await page.reload();
      await waitUntil(async () => (await shown('visits').innerText()) === String(some.visits), {
        timeoutMs: 15_000,
        describe: 'the number of visits',
      });
      await page.goBack();
      await waitUntil(async () => (await shown('visits').innerText()) === String(all.visits), {
        timeoutMs: 15_000,
        describe: 'the number of visits',
      });
      expect(page.url()).not.toContain('filter');
      await page.getByText('Table', { exact: true }).click();
      await page.getByRole('row').filter({ hasText: 'goes on' }).getByText('6', { exact: true }).first().waitFor();
    },
    TEST_MS,
  );

  it(
    'creates a link from one field, takes it back, and shows what others wrote as text',
    async () => {
      const { page } = browser;
      await page.goto(`${ORIGIN}/links`);
      await page.getByText(SCRIPT, { exact: true }).waitFor();
      expect(await barriers()).toEqual([]);
      await page.getByLabel('Address to shorten').fill('https://example.com/made-here');
      await page.getByLabel('Address to shorten').press('Enter');
      const row = page.getByRole('row').filter({ hasText: 'https://example.com/made-here' });
      await row.waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await row.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'localhost:8080/other' }).click();
      await heading(SCRIPT);
      await waitUntil(async () => (await shown('visits').innerText()) === '1', {
        timeoutMs: 15_000,
        describe: 'the number of visits',
      });
      await page.getByText(SCRIPT, { exact: true }).nth(1).waitFor();
      expect(await barriers()).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'shows an owner a new key once, and it works',
    async () => {
      const { page } = browser;
      await page.goto(`${ORIGIN}/api-keys`);
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('made here');
      expect(await barriers()).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click();
      const shownOnce = page.locator('pre[aria-label="The key"]');
      await page.getByRole('button', { name: 'I have kept it' }).waitFor();
      const apiKey = (await shownOnce.innerText()).trim();
      const client = new LinksApi({ apiUrl: running[0]!.url, apiKey }).client;
      expect((await answerOf(client.GET('/rest/v3/tags'))).tags.data).toEqual(['spring']);
      await page.getByRole('button', { name: 'I have kept it' }).click();
      await page.getByRole('row').filter({ hasText: 'made here' }).waitFor();
      await page.reload();
      await page.getByRole('row').filter({ hasText: 'made here' }).waitFor();
      expect(await page.content()).not.toContain(apiKey);
      for (const path of ['users', 'tags', 'domains', 'groups']) {
        await page.goto(`${ORIGIN}/${path}`);
        await page.getByRole('table').first().or(page.getByText('no groups yet')).waitFor();
        expect(await barriers()).toEqual([]);
      }
    },
    TEST_MS,
  );

  it(
    'lets viewers look, and offers them nothing that they may not do',
    async () => {
      const { page } = browser;
      await signOut();
      await page.goto(`${ORIGIN}/invite#${await tokenOf('viewer')}`);
      await page.getByLabel('Email address').fill(`viewer-${email}`);
      await page.getByLabel('Name').fill('Vic');
      await page.getByRole('textbox', { name: /^Password/ }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Go on' }).click();
      await heading('Overview');
      await page.goto(`${ORIGIN}/links`);
      await page.getByRole('row').filter({ hasText: 'localhost:8080/sale' }).waitFor();
      expect(await page.getByLabel('Address to shorten').count()).toBe(0);
      await page.getByRole('button', { name: /^Actions for .*sale/ }).click();
      await page.getByRole('menuitem', { name: 'QR code' }).waitFor();
      expect(await page.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0);
      expect((await ask('POST', 'short-urls', { longUrl: 'https://example.com/' })).status).toBe(403);
      await page.goto(`${ORIGIN}/api-keys`);
      await page.getByText('Your role does not allow this.').waitFor();
      expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
      await page.goto(`${ORIGIN}/tags`);
      await page.getByRole('row').filter({ hasText: 'spring' }).waitFor();
      expect(await page.getByRole('button', { name: 'Actions for spring' }).count()).toBe(0);
      browser.errors.splice(0);
    },
    TEST_MS,
  );
});
