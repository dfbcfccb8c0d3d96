import { waitUntil } from '@hopcount/testing';
import { expect, it } from '@jest/globals';

import { type DashboardPage, ORIGIN, TEST_MS } from './dashboard-page.spec-helpers.js';

export function alertsCases(opened: () => DashboardPage): void {
  it(
    'makes alerts by e-mail and webhook, says in words what they tell and why a mail was not sent, and deletes them',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      const dialog = page.getByRole('dialog');
      const row = (name: string) => page.getByRole('row').filter({ hasText: name });
      await page.goto(`${ORIGIN}/links`);
      await page.getByRole('link', { name: 'Alerts' }).click();
      await page.getByText('You have no alerts yet.').waitFor();
      expect(await dashboard.barriers()).toEqual([]);
      await page.getByRole('button', { name: 'Create alert' }).press('Enter');
      // What is usual stands there: only a name is missing.
      await page.keyboard.type('Far fewer');
      expect(await dialog.getByLabel('E-mail address').inputValue()).toBe(dashboard.email);
      await dialog.getByLabel('E-mail address').fill('ada@example');
      await page.keyboard.press('Enter');
      await dialog.locator('.mantine-InputWrapper-error', { hasText: 'Give one plain e-mail address' }).waitFor();
      expect(await dashboard.barriers()).toEqual([]);
      await dashboard.fitsPhone();
      await dialog.getByLabel('E-mail address').fill(dashboard.email);
      await page.keyboard.press('Enter');
      await row('Far fewer').getByText('At most 1/3 of the usual visits in 1 hour', { exact: true }).waitFor();
      await row('Far fewer').getByText('All short URLs', { exact: true }).waitFor();
      await row('Far fewer').getByText('Watching').waitFor();
      await row('Far fewer').getByRole('button', { name: 'Actions for Far fewer' }).click();
      await page.getByRole('menuitem', { name: 'Send a test' }).click();
      await row('Far fewer').getByText('Not delivered').waitFor({ timeout: 60_000 });
      await row('Far fewer').getByText('The connection to the mail server failed').waitFor();
      expect(await dashboard.barriers()).toEqual([]);

      await page.getByRole('button', { name: 'Create alert' }).click();
      await dialog.getByLabel('Name').fill('Sale is quiet');
      await dialog.getByLabel('What to watch').selectOption('One short URL');
      await dialog.getByLabel('Short URL or short code').fill('http://localhost:8080/sale');
      await dialog.getByLabel('Condition').selectOption('Fewer visits than a number');
      await dialog.getByLabel('Visits').fill('1');
      await dialog.getByLabel('Within').selectOption('1 day');
      await dialog.getByLabel('Send to').selectOption('Webhook');
      await dialog.getByLabel(/^URL/).fill('https://hooks.example.com/quiet');
      await dialog.getByRole('button', { name: 'Create alert' }).click();
      expect(await page.locator('pre[aria-label="The signing secret"]').innerText()).toMatch(/^whsec_/);
      await page.getByRole('button', { name: 'I have kept it' }).click();
      await row('Sale is quiet').getByText('localhost:8080/sale', { exact: true }).waitFor();
      await row('Sale is quiet').getByText('No visits in 1 day', { exact: true }).waitFor();
      await row('Sale is quiet')
        .getByRole('button', { name: /^Actions/ })
        .click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      await dialog.getByLabel('Visits').fill('25');
      await page.keyboard.press('Enter');
      await row('Sale is quiet').getByText('Fewer than 25 visits in 1 day', { exact: true }).waitFor();
      const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
      await waitUntil(async () => (await focused()) === 'Actions for Sale is quiet', { describe: 'the focus is back' });
      await row('Sale is quiet')
        .getByRole('button', { name: /^Actions/ })
        .click();
      await page.getByRole('menuitem', { name: 'Disable' }).click();
      await row('Sale is quiet').getByText('Disabled').waitFor();

      for (const name of ['Sale is quiet', 'Far fewer']) {
        await row(name)
          .getByRole('button', { name: /^Actions/ })
          .click();
        await page.getByRole('menuitem', { name: 'Delete' }).click();
        await dialog.getByText(name).waitFor();
        await dialog.getByRole('button', { name: 'Delete' }).click();
        await row(name).waitFor({ state: 'detached' });
      }
      await page.getByText('You have no alerts yet.').waitFor();
      // Chromium writes that the address was refused.
      dashboard.browser.errors.splice(0);
    },
    TEST_MS,
  );

  it(
    'tells an owner whose alert it is, and that its mail goes to nobody else',
    async () => {
      const dashboard = opened();
      const { page, stack } = dashboard;
      await stack.database.query(
        `INSERT INTO users (email, name, password_hash, role) VALUES ('ben@x.test', 'Ben', 'none', 'member')`,
      );
      await stack.database.query(`WITH alert AS (
          INSERT INTO alerts (user_id, name, subject, kind, window_minutes, threshold, time_zone, channel, looked_until)
          SELECT id, 'Of Ben', 'all', 'above', 60, 5, 'UTC', 'email', now() FROM users WHERE email = 'ben@x.test' RETURNING id
        ) INSERT INTO webhooks (url, description, events, visits, secret, alert_id)
          SELECT 'mailto:ben@x.test', '', '{}', '{}', 'x', id FROM alert`);
      await page.goto(`${ORIGIN}/alerts`);
      const row = page.getByRole('row').filter({ hasText: 'Of Ben' });
      await row.getByText('by ben@x.test').waitFor();
      await row.getByRole('button', { name: /^Actions/ }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      const email = page.getByRole('dialog').getByLabel('E-mail address');
      expect([await email.inputValue(), await email.getAttribute('readonly')]).toEqual(['ben@x.test', '']);
      expect(await dashboard.barriers()).toEqual([]);
      await stack.database.query(`DELETE FROM users WHERE email = 'ben@x.test'`);
    },
    TEST_MS,
  );
}
