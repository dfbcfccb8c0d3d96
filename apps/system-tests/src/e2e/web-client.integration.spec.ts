import { findChromium, type Locator, openPage, waitUntil, type WatchedPage } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { type BrowserStack, openBrowserStack } from '../harness/browser-stack.js';
import { call } from '../harness/http.js';
import { openShlinkSdk, type ShlinkSdk } from '../harness/shlink-sdk.js';
import { servePage, type ServedPage } from '../harness/web-client/serve-page.js';

const TEST_MS = 120_000;
const LONG_URL = 'https://example.com/made-in-a-browser';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

const chromium = findChromium();
if (chromium === undefined) process.stderr.write("SKIPPED: Shlink's web component, as there is no Chromium.\n");

(chromium === undefined ? describe.skip : describe)("Shlink's web component", () => {
  let stack: BrowserStack | undefined;
  let sdk: ShlinkSdk;
  let served: ServedPage | undefined;
  let browser: WatchedPage | undefined;

  beforeAll(async () => {
    stack = await openBrowserStack();
    const server = { baseUrl: stack.api.url, apiKey: stack.apiKey };
    sdk = await openShlinkSdk(server);
    served = await servePage(server);
    const address = new URL(stack.gateway.url).host;
    browser = await openPage(chromium!, { 'localhost:8080': address, 'links.test': address });
  }, TEST_MS);
  afterEach(() => expect(browser?.errors.splice(0)).toEqual([]));
  afterAll(async () => {
    await browser?.close();
    await Promise.all([served?.close(), stack?.close()]);
  }, TEST_MS);

  let recorded = 0;
  const visit = async (path: string, userAgent = FIREFOX, host = 'localhost:8080') => {
    const headers = { host, 'user-agent': userAgent, referer: 'https://news.test/today' };
    const answer = await call(`${stack!.gateway.url}${path}`, { headers });
    if (answer.headers['x-visit-id'] !== undefined) recorded += 1;
    return answer;
  };
  const allCounted = () =>
    waitUntil(async () => ((await sdk.getVisitsOverview()).nonOrphanVisits as { total: number }).total === recorded, {
      timeoutMs: 30_000,
      describe: 'the visits counted',
    });
  const open = async (path: string) => {
    await browser!.page.goto(served!.url + path);
    return browser!.page;
  };
  /** Once the page hears of visits: what happens before, it would never be told. */
  const openListening = async (path: string) => {
    const isStream = (type: string | undefined) => type?.startsWith('text/event-stream') === true;
    const listening = browser!.page.waitForResponse((response) => isStream(response.headers()['content-type']));
    await Promise.all([listening, open(path)]);
    return browser!.page;
  };
  const row = (text: string) => browser!.page.getByRole('row').filter({ hasText: text });
  const choose = async (text: string, option: string) => {
    await row(text).getByRole('button', { name: 'Options' }).click();
    await browser!.page.getByRole('menuitem', { name: option }).click();
  };

  it(
    'creates a link, lists it and filters the list',
    async () => {
      await sdk.createShortUrl({ longUrl: 'https://example.com/other', customSlug: 'other', domain: 'links.test' });
      const page = await open('/create-short-url');
      await page.getByPlaceholder('URL to be shortened').fill(LONG_URL);
      await page.getByPlaceholder('Custom slug').fill('web');
      await page.getByPlaceholder('Title').fill('Made in a browser');
      const tags = page.getByPlaceholder('Add tags to the URL');
      await tags.fill('Spring');
      await page.getByRole('option').waitFor();
      await tags.press('Enter');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The short URL is http://localhost:8080/web').waitFor();
      expect(await sdk.getShortUrl({ shortCode: 'web' })).toMatchObject({
        ...{ longUrl: LONG_URL, title: 'Made in a browser', tags: ['spring'], domain: null, forwardQuery: true },
      });
      expect((await visit('/web')).headers['location']).toBe(LONG_URL);

      await page.getByRole('link', { name: 'List short URLs' }).click();
      for (const text of ['Made in a browser', 'http://links.test/other']) await row(text).waitFor();
      await page.getByPlaceholder('Search...').fill('browser');
      await row('links.test').waitFor({ state: 'detached' });
      await row('Made in a browser').waitFor();
      await page.getByPlaceholder('Search...').fill('');
      await row('links.test').waitFor();
      await row('Made in a browser').getByRole('button', { name: 'spring' }).click();
      await row('links.test').waitFor({ state: 'detached' });
      expect(await row('Made in a browser').innerText()).toContain('http://localhost:8080/web');
    },
    TEST_MS,
  );

  it(
    'edits a link and gives it rules, which visitors follow',
    async () => {
      const page = await open('/list-short-urls/1');
      await choose('Made in a browser', 'Edit short URL');
      await page.getByPlaceholder('Title').fill('Edited in a browser');
      await page.getByLabel('Maximum visits allowed:').fill('50');
      await page.getByLabel('Enabled until:').fill('2099-07-01T12:00');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Short URL properly edited.').waitFor();
      expect(await sdk.getShortUrl({ shortCode: 'web' })).toMatchObject({
        title: 'Edited in a browser',
        // Entered in Berlin's summer.
        meta: { maxVisits: 50, validUntil: '2099-07-01T10:00:00+00:00', validSince: null },
      });

      await page.getByRole('link', { name: 'List short URLs' }).click();
      await choose('Edited in a browser', 'Manage redirect rules');
      await page.getByText('This short URL has no dynamic redirect rules').waitFor();
      await addRule('https://example.com/app', async (dialog) => {
        await dialog.getByLabel('Device type:').selectOption('ios');
      });
      await addRule('https://example.com/mail', async (dialog) => {
        await dialog.getByLabel('Type:', { exact: true }).selectOption('query-param');
        await dialog.getByLabel('Param name:').fill('from');
        await dialog.getByLabel('Param value:').fill('mail');
      });
      await page.getByRole('button', { name: 'Save rules' }).click();
      await page.getByText('Redirect rules properly saved.').waitFor();
      await waitUntil(async () => (await visit('/web', IPHONE)).headers['location'] === 'https://example.com/app', {
        ...{ timeoutMs: 5_000, describe: 'the rule to be followed' },
      });
      expect((await visit('/web?from=mail', CHROME)).headers['location']).toBe('https://example.com/mail?from=mail');
      await open('/short-code/web/redirect-rules');
      await page.getByRole('button', { name: 'Edit rule with priority 2' }).waitFor();
      await page.getByRole('link', { name: 'List short URLs' }).click();
      await row('Edited in a browser').getByTitle('This short URL has dynamic redirect rules').waitFor();
    },
    TEST_MS,
  );

  /** @param fill the one condition of the rule */
  async function addRule(longUrl: string, fill: (dialog: Locator) => Promise<void>) {
    const { page } = browser!;
    await page.getByRole('button', { name: 'Add rule' }).click();
    const dialog = page.locator('dialog[open]');
    await dialog.getByLabel('Long URL:').fill(longUrl);
    await dialog.getByRole('button', { name: 'Add condition' }).click();
    await fill(dialog);
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  it(
    'renames and deletes tags',
    async () => {
      const page = await open('/manage-tags');
      expect((await row('spring').innerText()).split(/\s+/)).toEqual(expect.arrayContaining(['spring', '1']));
      await choose('spring', 'Edit');
      await page.getByPlaceholder('Tag').fill('summer');
      await page.locator('dialog[open]').getByRole('button', { name: 'Save' }).click();
      await row('summer').waitFor();
      expect(await sdk.getShortUrl({ shortCode: 'web' })).toMatchObject({ tags: ['summer'] });
      await choose('summer', 'Delete tag');
      await page.locator('dialog[open]').getByRole('button', { name: 'Delete tag' }).click();
      await page.getByText('No tags found').waitFor();
      expect(await sdk.getShortUrl({ shortCode: 'web' })).toMatchObject({ tags: [] });
    },
    TEST_MS,
  );

  it(
    'shows which domains answer, and edits where they redirect',
    async () => {
      const page = await open('/manage-domains');
      for (const domain of ['localhost:8080', 'links.test']) {
        await row(domain).locator('svg[data-icon="check"]').waitFor();
      }
      await choose('links.test', 'Edit redirects');
      await page.locator('dialog[open]').getByLabel('Base URL').fill('https://example.com/home');
      await page.locator('dialog[open]').getByRole('button', { name: 'Save' }).click();
      await row('links.test').getByText('https://example.com/home').waitFor();
      const home = async () => (await visit('/', FIREFOX, 'links.test')).headers['location'];
      await waitUntil(async () => (await home()) === 'https://example.com/home', {
        ...{ timeoutMs: 5_000, describe: 'the redirect of the domain' },
      });
    },
    TEST_MS,
  );

  it(
    'draws the visits of a link, and more as they come',
    async () => {
      for (const userAgent of [FIREFOX, CHROME, IPHONE, BOT]) await visit('/web', userAgent);
      await allCounted();
      const page = await open('/short-code/web/visits');
      await page.getByText(`Visits (${recorded})`).waitFor();
      await page.getByTestId('line-chart-container').locator('svg.recharts-surface').first().waitFor();
      await page.getByRole('menuitem', { name: 'By context' }).click();
      await page.getByText('news.test').first().waitFor();
      for (const text of ['Firefox', 'Chrome', 'Safari', 'Linux', 'Windows', 'iOS']) {
        await page.getByText(text, { exact: true }).first().waitFor();
      }
      await page.getByRole('menuitem', { name: 'By location' }).click();
      await page.getByText('Countries').first().waitFor();
      await page.getByRole('menuitem', { name: 'List' }).click();
      await row('Firefox').first().waitFor();
      await page.getByRole('menuitem', { name: 'By time' }).click();

      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      const more = page.getByText(new RegExp(`Visits \\((?!${recorded}\\))\\d+\\)`)).first();
      // The component listens anew after each change of what it shows, and misses what comes meanwhile.
      const isTold = async () => {
        await visit('/web', CHROME);
        return more.waitFor({ timeout: 3_000 }).then(
          () => true,
          () => false,
        );
      };
      await waitUntil(isTold, { timeoutMs: 60_000, describe: 'a visit that the page was told of' });
      // Told, not asked for.
      expect(asked.filter((path) => path.endsWith('/visits'))).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'shows the numbers of all links, a domain and orphan visits',
    async () => {
      await visit('/web', FIREFOX);
      await allCounted();
      const page = await openListening('/overview');
      const card = (title: string) =>
        page.getByRole('link').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
      await card('Visits').getByText(String(recorded), { exact: true }).waitFor();
      await card('Short URLs').getByText('2', { exact: true }).waitFor();
      await visit('/web', FIREFOX);
      await card('Visits').getByText(String(recorded), { exact: true }).waitFor();
      for (const path of ['/non-orphan-visits', '/domain/localhost:8080_DEFAULT/visits']) {
        await open(path);
        await page.getByText(`Visits (${recorded})`).waitFor();
      }
      await open('/orphan-visits');
      await page.getByText('There are no visits matching current filter').waitFor();
    },
    TEST_MS,
  );
});
