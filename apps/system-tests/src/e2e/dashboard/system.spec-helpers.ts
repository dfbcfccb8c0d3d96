import { DEAD_LETTER_HEADERS, type VisitEventV1 } from '@hopcount/contracts';
import { newEventId, visitRecord, waitUntil } from '@hopcount/testing';
import { expect, it } from '@jest/globals';

import { type DashboardPage, ORIGIN, SCRIPT, TEST_MS } from './dashboard-page.spec-helpers.js';

/** The page for who operates it. Counts a visit more than there were. */
export function systemCases(opened: () => DashboardPage): void {
  it(
    'plans, starts, pauses, resumes and cancels a job by keyboard alone, on a phone as well',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      const panel = page.locator('section[aria-label="Jobs"]');
      const state = (name: string) => panel.locator(`tbody tr:first-child [data-job-state=${name}]:visible`).waitFor();
      const isFocused = async (text: RegExp) => {
        const focused = () =>
          page.evaluate(
            "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.slice(0, 40)",
          );
        await waitUntil(async () => text.test(String(await focused())), { describe: `the focus on ${text.source}` });
      };
      await page.goto(`${ORIGIN}/system`);
      await panel.getByText('No jobs yet.').waitFor();
      await panel.getByRole('button', { name: 'Plan a job' }).press('Enter');
      await isFocused(/^Rebuild numbers/);
      await page.keyboard.press('Tab');
      await page.keyboard.type('1');
      await page.keyboard.press('Enter');
      await isFocused(/^Plan a job$/);
      await state('planned');
      await panel
        .getByText(/^Plan: links: \d+ · differences: \d+$/)
        .and(panel.locator(':visible'))
        .waitFor();
      await panel.getByRole('button', { name: /^Start job/ }).press('Enter');
      await state('running');
      await isFocused(/^Pause job/);
      expect(await dashboard.barriers()).toEqual([]);
      await dashboard.fitsPhone();
      await page.keyboard.press('Enter');
      await state('paused');
      await isFocused(/^Resume job/);
      await page.keyboard.press('Enter');
      await state('running');
      await isFocused(/^Pause job/);
      await page.keyboard.press('Tab');
      await isFocused(/^Cancel job/);
      await page.keyboard.press('Enter');
      await state('cancelled');
      await isFocused(/^Jobs$/);
    },
    TEST_MS,
  );

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
