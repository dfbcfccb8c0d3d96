import { DEAD_LETTER_HEADERS, type VisitEventV1 } from '@hopcount/contracts';
import { newEventId, visitRecord, waitUntil } from '@hopcount/testing';
import { expect, it } from '@jest/globals';

import { type DashboardPage, ORIGIN, SCRIPT, TEST_MS } from './dashboard-page.spec-helpers.js';

/** The page for who operates it. Counts a visit more than there were. */
export function systemCases(opened: () => DashboardPage): void {
  it(
    'shows an operator what to do, and has a dead letter read, sent again and counted',
    async () => {
      const dashboard = opened();
      const { page, stack } = dashboard;
      const [counted] = await stack.visits.readAll();
      const visit = JSON.parse(String(counted?.value)) as VisitEventV1;
      const { visits: before } = await dashboard.totals();
      const headers = { [DEAD_LETTER_HEADERS.reason]: 'unstorable', [DEAD_LETTER_HEADERS.detail]: SCRIPT };
      const letter = visitRecord({ ...visit, eventId: newEventId(Date.now()) });
      await stack.deadLetters.produce([{ ...letter, partition: 0, headers: { ...letter.headers, ...headers } }]);
      await page.goto(`${ORIGIN}/system`);
      await dashboard.heading('System');
      // Its only gateway; without a topic of audits its reports wait on the disk.
      const gateways = page.getByRole('table', { name: 'Gateways' });
      await gateways.getByRole('row', { name: /^gw-\S+ \S+ \d+( \d+)?$/ }).waitFor();
      await page.getByText('1 dead letter waits.').waitFor();
      await page.getByRole('button', { name: 'Verify now' }).click();
      await page.locator('[data-verification=done]').getByText('every number equals the ledger').waitFor();
      await page.getByText(SCRIPT, { exact: true }).waitFor();
      // Marked like its row: that is when it can be read least.
      await page.getByRole('button', { name: 'Send again 0@0' }).hover();
      expect(await dashboard.barriers()).toEqual([]);
      await page.getByRole('button', { name: 'Read 0@0' }).click();
      await page.getByText('Sent again, it would be counted.').waitFor();
      expect(await dashboard.barriers()).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Send again 0@0' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
      await page.getByRole('row').filter({ hasText: '0@0' }).getByText('Sent again', { exact: true }).waitFor();
      await waitUntil(async () => (await dashboard.totals()).visits === before + 1, {
        timeoutMs: 30_000,
        describe: 'the visit of the letter is counted',
      });
      await page.getByText('1 dead letter waits.').waitFor({ state: 'detached' });
      await page.context().setOffline(true);
      await page.getByText('You are offline.').first().waitFor();
      // What is known can be read for as long as nothing newer is to be had.
      expect(await dashboard.barriers()).toEqual([]);
      await page.locator('[data-number=deadLetters]').getByText('0', { exact: true }).waitFor();
      await page.context().setOffline(false);
      await page.getByText('You are offline.').first().waitFor({ state: 'detached' });
      // Chromium writes of what was under way as the network went.
      dashboard.browser.errors.splice(0);
    },
    TEST_MS,
  );
}
