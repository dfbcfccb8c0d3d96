import { answerOf } from '@hopcount/client';
import { type Locator, openPage, waitUntil, type WatchedPage } from '@hopcount/testing';
import axe from 'axe-core';
import { expect } from '@jest/globals';

import { type BrowserStack, openBrowserStack } from '../../harness/browser-stack.js';
import { call } from '../../harness/http.js';
import { LinksApi } from '../../harness/links.js';

export const TEST_MS = 180_000;
export const ORIGIN = 'http://localhost:8081';
export const PASSWORD = 'a rather long one';
export const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
export const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
export const ON_WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
/** In Berlin it has 25 hours: the clock shows 02:00 to 02:59 twice. */
export const LONG_DAY = '2025-10-26';
export const SCRIPT = '<img src=x onerror="window.wasRun=1"><script>window.wasRun=1</script>';
/** The page asks who is signed in; that nobody is, Chromium writes in red. */
const NOBODY_YET = /status of 401 .*\/rest\/v3\/session\)/;
/** Pages ask again every 30 s: what they missed they show at the second or third time. */
const SHOWN_WITHIN_MS = 90_000;

interface Violation {
  id: string;
  impact: string | null;
  nodes: { html: string }[];
}

const noneIsBusy = (busy: Locator, timeoutMs: number): Promise<unknown> =>
  waitUntil(async () => (await busy.count()) === 0, { timeoutMs, describe: `all of ${busy.page().url()}` });

/** The dashboard in Chromium, on a stack of its own whose visits came through the gateway. */
export class DashboardPage {
  private constructor(
    readonly stack: BrowserStack,
    readonly browser: WatchedPage,
    readonly links: LinksApi,
    /** Of the owner that the first case makes. */
    readonly email: string,
  ) {}

  static async open(chromium: string): Promise<DashboardPage> {
    const stack = await openBrowserStack({ hasWorker: true });
    const links = new LinksApi({ apiUrl: stack.api.url, apiKey: stack.apiKey });
    const browser = await openPage(chromium, { 'localhost:8081': new URL(stack.api.url).host });
    return new DashboardPage(stack, browser, links, `ada-${Date.now().toString(36)}@x.test`);
  }

  get page(): WatchedPage['page'] {
    return this.browser.page;
  }

  /** Links and visits of a CSV file. */
  async import(csv: string): Promise<void> {
    const { code, stdout, stderr } = await this.stack.import(csv);
    if (code !== 0) throw new Error(`the import ended with ${code}: ${stdout}${stderr}`);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.stack.close();
  }

  /** Nothing in red, and nothing that visitors wrote was run. */
  async expectQuiet(): Promise<void> {
    expect(this.browser.errors.splice(0).filter((error) => !NOBODY_YET.test(error))).toEqual([]);
    expect(await this.page.evaluate(() => 'wasRun' in globalThis)).toBe(false);
  }

  visit(path: string, userAgent: string, referer: string, headers: Record<string, string> = {}) {
    return call(this.stack.gateway.url + path, {
      headers: { host: 'localhost:8080', 'user-agent': userAgent, referer, ...headers },
    });
  }

  async totals(filter?: string | string[], timeZone = 'Europe/Berlin', range: 'last7days' | 'today' = 'last7days') {
    const query = { range, timeZone, ...(filter && { 'filter[]': [filter].flat() }) } as const;
    return (await answerOf(this.links.client.GET('/rest/v3/statistics/totals', { params: { query } }))).totals;
  }

  /** Visits of a link that were made just now: before the page is asked, which would ask again in half a minute only. */
  async counted(shortCode: string, visits: number): Promise<void> {
    const params = { query: { range: 'last7days', shortCode } as const };
    const isCounted = async () =>
      (await answerOf(this.links.client.GET('/rest/v3/statistics/totals', { params }))).totals.visits === visits;
    await waitUntil(isCounted, { timeoutMs: SHOWN_WITHIN_MS, describe: `${visits} visits of ${shortCode}` });
  }

  /** As anybody does who looks at a page: what is out of sight is loaded then. */
  async act(page = this.page): Promise<void> {
    for (const place of [3, 4]) await page.mouse.move(place, place);
  }

  /** Where a total stands. */
  shown(name: string): Locator {
    return this.page.locator(`[data-total=${name}]`);
  }

  async seesTotal(name: string, count: number): Promise<void> {
    let shown = '';
    await this.act();
    const isThere = async () => (shown = await this.shown(name).innerText()) === String(count);
    await waitUntil(isThere, { timeoutMs: SHOWN_WITHIN_MS, describe: name }).catch((error: unknown) => {
      throw new Error(`${name} at ${this.page.url()}: ${shown} is shown, not ${count}`, { cause: error });
    });
  }

  /** Also on a phone nothing stands out at its side. */
  async fitsPhone(): Promise<void> {
    const size = this.page.viewportSize();
    await this.page.setViewportSize({ width: 360, height: 740 });
    const width = async () => Number(await this.page.evaluate('document.scrollingElement.scrollWidth'));
    // A busy machine takes a moment to lay it out anew.
    await waitUntil(async () => (await width()) <= 360, { describe: 'all of the page between its sides' });
    if (size !== null) await this.page.setViewportSize(size);
  }

  heading(name: string): Promise<void> {
    return this.page.getByRole('heading', { name, level: 1 }).waitFor();
  }

  async invite(role: 'owner' | 'viewer'): Promise<string> {
    const { token } = await answerOf(this.links.client.POST('/rest/v3/users/invites', { body: { role } }));
    return token;
  }

  /** As a page of the dashboard asks. */
  ask(method: string, path: string, body?: object) {
    return this.page.evaluate(
      async ([how, where, what]) => {
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(`/rest/v3/${where}`, { method: how, headers, ...(what !== null && { body: what }) });
        return { status: answer.status, body: (await answer.json().catch(() => ({}))) as Record<string, unknown> };
      },
      [method, path, body === undefined ? null : JSON.stringify(body)] as const,
    );
  }

  async signOut(): Promise<void> {
    await this.page.goto(`${ORIGIN}/profile`);
    await this.page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await this.heading('Sign in');
  }

  /** Until no part of the page is on its way. */
  async whenWhole(timeoutMs = 30_000): Promise<void> {
    await noneIsBusy(this.page.locator('main [aria-busy=true]'), timeoutMs);
  }

  /** What axe says is serious. What was known is pale while another answer is awaited: that is waited for. */
  async barriers(page = this.page): Promise<string[]> {
    await noneIsBusy(page.locator('[aria-busy=true]:not(.mantine-Skeleton-root)'), 30_000);
    // It takes longer to be read than to look: once for each page that is loaded.
    if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
    const { violations } = await page.evaluate(async () => {
      const { axe: loaded } = globalThis as unknown as { axe: typeof axe };
      // Of all that is well nothing is described, and no styles are fetched a second time.
      const { violations: found } = await loaded.run({ resultTypes: ['violations'], preload: false });
      return { violations: found as unknown as Violation[] };
    });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }
}
