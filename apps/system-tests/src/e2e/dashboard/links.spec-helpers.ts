import { expect, it } from '@jest/globals';

import { type DashboardPage, ORIGIN, SCRIPT, TEST_MS } from './dashboard-page.spec-helpers.js';

/** The page of links. */
export function linksCases(opened: () => DashboardPage): void {
  it(
    'creates a link from one field, takes it back, and shows what others wrote as text',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await page.goto(`${ORIGIN}/links`);
      await page.getByText(SCRIPT, { exact: true }).waitFor();
      expect(await dashboard.barriers()).toEqual([]);
      await page.getByLabel('Address to shorten').fill('https://example.com/made-here');
      await page.getByLabel('Address to shorten').press('Enter');
      const row = page.getByRole('row').filter({ hasText: 'https://example.com/made-here' });
      await row.waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await row.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'localhost:8080/other' }).click();
      await dashboard.heading(SCRIPT);
      await dashboard.seesTotal('visits', 1);
      await page.getByText(SCRIPT, { exact: true }).nth(1).waitFor();
      expect(await dashboard.barriers()).toEqual([]);
    },
    TEST_MS,
  );
}
