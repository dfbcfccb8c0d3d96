import { answerOf } from '@hopcount/client';
import { waitUntil } from '@hopcount/testing';
import { expect, it } from '@jest/globals';

import { type DashboardPage, ON_WINDOWS, ORIGIN, SCRIPT, TEST_MS } from './dashboard-page.spec-helpers.js';

const SURGE = {
  visits: 900,
  bots: 225,
  links: [{ domain: 'localhost:8080', shortCode: 'sale', visits: 800 }],
  referrers: [{ referrer: SCRIPT, visits: 900 }],
  countries: [{ country: 'DE', visits: 700 }],
};
const COMPARED = ['example.co.uk', 'ann.github.io'];

/** Where visits came from, name by name. */
export function hostsCases(opened: () => DashboardPage): void {
  it(
    'lists sites with their curves, compares two of them, and leads down the tree of one',
    async () => {
      const dashboard = opened();
      const { page, links } = dashboard;
      await links.create({ longUrl: 'https://example.com/hosted', customSlug: 'hosted' });
      for (const host of ['www.example.co.uk', 'example.co.uk', 'ann.github.io'])
        await dashboard.visit('/hosted', ON_WINDOWS, `https://${host}/`);
      // The page asks again after 15 s only.
      const sitesAsked = { path: { kind: 'referrer' as const }, query: { by: 'site' as const } };
      const counted = async () => {
        const { data } = (await answerOf(links.client.GET('/rest/v3/hosts/{kind}', { params: sitesAsked }))).hosts;
        return COMPARED.map((site) => data.find(({ host }) => host === site)?.visits);
      };
      const areCounted = async () => (await counted()).join() === '2,1';
      await waitUntil(areCounted, { timeoutMs: 60_000, describe: 'visits of the sites' });
      await page.goto(`${ORIGIN}/hosts?kind=referrer`);
      await page.getByLabel('Rows', { exact: true }).selectOption('Sites');
      const sites = page.getByRole('table', { name: 'Sites' });
      await sites.getByRole('img', { name: 'Visits of example.co.uk in the range' }).waitFor();
      for (const host of COMPARED) await sites.getByLabel(`Compare ${host}`).click();
      const params = {
        path: { kind: 'referrer' as const },
        query: { names: COMPARED.join(','), scope: 'subtree' as const },
      };
      const { hosts } = await answerOf(links.client.GET('/rest/v3/hosts/{kind}/compare', { params }));
      const comparison = page.getByRole('table', { name: 'Comparison' });
      for (const { host, totals } of hosts) {
        expect(totals.visits).toBeGreaterThan(0);
        const row = comparison.getByRole('row').filter({ hasText: host });
        await row
          .getByRole('cell', { name: String(totals.visits), exact: true })
          .first()
          .waitFor();
      }
      expect(new URL(page.url()).searchParams.getAll('hosts')).toEqual(COMPARED);
      expect(await dashboard.barriers()).toEqual([]);
      await dashboard.fitsPhone();
      await comparison.getByRole('button', { name: 'Leave out ann.github.io' }).click();
      await comparison.getByText('ann.github.io').waitFor({ state: 'detached' });
      await sites.getByRole('button', { name: 'example.co.uk', exact: true }).click();
      await page.getByRole('heading', { name: 'example.co.uk with all below it' }).waitFor();
      await page.getByRole('navigation', { name: 'Path' }).getByRole('button', { name: 'co.uk', exact: true }).click();
      await page.getByRole('table', { name: 'Below co.uk' }).getByText('example.co.uk').waitFor();
      await page.goBack();
      await page.goBack();
      await sites.waitFor();
    },
    TEST_MS,
  );

  it(
    'shows surges on a line of time, those that go on first, with what they are made of',
    async () => {
      const dashboard = opened();
      const { page, stack } = dashboard;
      // Worker and api have their own specs of how one is found; here is what is told of two.
      const add = (host: string, what: string, at: string, opened: string | null, explanation: object | null) =>
        stack.database.query<{ id: string }>(
          `INSERT INTO host_alerts (alert_id, kind, host, what, at, visits, base, is_new, reason, explanation)
           VALUES ($1, 0, $2, $3, $4, 1234, 10.5, false, CASE WHEN $3 = 'closed' THEN 'over' END, $5) RETURNING id`,
          [opened, host, what, at, explanation],
        );
      const [goesOn] = await add('test.surge.shop', 'opened', '2026-06-10T10:00Z', null, SURGE);
      await stack.database.query(`INSERT INTO host_surges VALUES (0, 'test.surge.shop', $1, '{"is": "open"}')`, [
        goesOn!.id,
      ]);
      const [over] = await add('test.calm', 'opened', '2026-06-11T10:00Z', null, null);
      await add('test.calm', 'closed', '2026-06-11T10:30Z', over!.id, null);
      await page.goto(`${ORIGIN}/hosts`);
      const surges = page.getByRole('region', { name: 'Surges' }).locator('ol > li');
      await surges.nth(1).waitFor();
      const [first, second] = [await surges.nth(0).innerText(), await surges.nth(1).innerText()];
      for (const text of ['10 Jun 2026, 12:00', 'Goes on', 'shop.surge.test', '1,234 visits', 'usual are 10.5'])
        expect(first).toContain(text);
      for (const text of ['900 visits, 25% by robots', 'localhost:8080/sale · 800', SCRIPT, 'Germany · 700'])
        expect(first).toContain(text);
      for (const text of ['11 Jun 2026, 12:00', 'Over at 11 Jun 2026, 12:30', 'none of them is explained'])
        expect(second).toContain(text);
      expect(await dashboard.barriers()).toEqual([]);
      await surges.getByRole('button', { name: 'shop.surge.test' }).click();
      await page.getByRole('heading', { name: 'shop.surge.test with all below it' }).waitFor();
      await stack.database.query('TRUNCATE host_surges, host_alerts CASCADE');
    },
    TEST_MS,
  );
}
