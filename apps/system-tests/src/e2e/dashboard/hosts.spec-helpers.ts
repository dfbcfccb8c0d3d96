import { answerOf } from '@hopcount/client';
import { expect, it } from '@jest/globals';

import { type DashboardPage, ON_WINDOWS, ORIGIN, TEST_MS } from './dashboard-page.spec-helpers.js';

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
}
