import { expect, it } from '@jest/globals';

import { type DashboardPage, ORIGIN, TEST_MS } from './dashboard-page.spec-helpers.js';

/** What shows numbers. */
export function statisticsCases(opened: () => DashboardPage): void {
  it(
    'shows the numbers of the api, filters them by a click, and goes back',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await page.goto(`${ORIGIN}/`);
      const all = await dashboard.totals();
      await dashboard.seesTotal('visits', all.visits);
      for (const name of ['visitors', 'ips'] as const)
        expect(await dashboard.shown(name).innerText()).toBe(String(all[name]));
      expect(await dashboard.shown('human').innerText()).toBe(String(all.byClass.human));
      await page.locator('canvas').first().waitFor();
      expect(await dashboard.barriers()).toEqual([]);
      await page.getByRole('button', { name: 'Firefox', exact: true }).click();
      await page.waitForURL(/[?&]filter=browser%3DFirefox/);
      const some = await dashboard.totals('browser=Firefox');
      await dashboard.seesTotal('visits', some.visits);
      await page.reload();
      await dashboard.seesTotal('visits', some.visits);
      await page.goBack();
      await dashboard.seesTotal('visits', all.visits);
      expect(page.url()).not.toContain('filter');
      await page.getByText('Table', { exact: true }).click();
      await page.getByRole('row').filter({ hasText: 'goes on' }).getByText('6', { exact: true }).first().waitFor();
    },
    TEST_MS,
  );
}
