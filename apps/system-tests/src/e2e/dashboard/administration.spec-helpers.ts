import { waitUntil } from '@hopcount/testing';
import { expect, it } from '@jest/globals';

import { type DashboardPage, ORIGIN, TEST_MS } from './dashboard-page.spec-helpers.js';

/** Another share link, shown to a stranger until its last day is over. Nobody waits for that: the day is changed. */
async function endsByItself(dashboard: DashboardPage, shared: DashboardPage['page']): Promise<void> {
  const expirationDate = new Date(Date.now() + 3_600_000).toISOString();
  const asked = { name: 'for an hour', shortCode: 'sale', filters: [], expirationDate };
  const { status, body } = await dashboard.ask('POST', 'share-links', asked);
  expect(status).toBe(200);
  await shared.goto(String(body['link']).replace(/^https?:\/\/[^/]+/, ORIGIN));
  await shared.locator('[data-total=visits]', { hasText: /^5$/ }).waitFor();
  const { database } = dashboard.stack;
  await database.query(`UPDATE share_links SET expires_at = now() - interval '1 second' WHERE name = 'for an hour'`);
  // What a link shows is known for three seconds: so long parts of the page may still be shown.
  const showsNothing = async () => {
    await shared.reload();
    await shared.getByText('This link has ended').first().waitFor();
    return (await shared.locator('[data-total=visits]').filter({ hasText: /\d/ }).count()) === 0;
  };
  await waitUntil(showsNothing, { timeoutMs: 60_000, describe: 'a link that has ended, without numbers' });
  await database.query(`DELETE FROM share_links WHERE name = 'for an hour'`);
}

/** Pages of owners, and what they tell others. */
export function administrationCases(opened: () => DashboardPage): void {
  it(
    'makes a webhook, blocks a host, and finds both in the audit log, filtered by the address',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      const dialog = page.getByRole('dialog');
      await page.goto(`${ORIGIN}/webhooks`);
      await page.getByRole('button', { name: 'Create a webhook' }).click();
      await dialog.getByLabel('Address').fill('https://hooks.example.com/made-here');
      expect(await dashboard.barriers()).toEqual([]);
      await dialog.getByRole('button', { name: 'Create a webhook' }).click();
      const secret = (await page.locator('pre[aria-label="The signing secret"]').innerText()).trim();
      expect(secret).toMatch(/^whsec_/);
      await page.getByRole('button', { name: 'I have kept it' }).click();
      const webhook = page.getByRole('row').filter({ hasText: 'https://hooks.example.com/made-here' });
      await webhook.getByRole('button', { name: /^Actions/ }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      await dialog.getByLabel('Description').fill('for the shop');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await webhook.getByText('for the shop').waitFor();
      await webhook.getByRole('button', { name: /^Actions/ }).click();
      await page.getByRole('menuitem', { name: 'Send a test event' }).click();
      await webhook.getByRole('button', { name: /^Actions/ }).click();
      await page.getByRole('menuitem', { name: 'Deliveries' }).click();
      // Nobody is there: what it was told when it was tried stands beside it.
      const delivery = dialog.getByRole('row').filter({ hasText: 'webhook.test' });
      await delivery.getByText('Tries again').waitFor({ timeout: 60_000 });
      expect(await dashboard.barriers()).toEqual([]);
      await dashboard.fitsPhone();
      await delivery.getByRole('button', { name: 'Send again' }).click();
      await page.getByText('It is posted again, under the same id.').waitFor();
      await page.goBack();
      await dialog.waitFor({ state: 'detached' });
      await webhook.getByRole('button', { name: /^Actions/ }).click();
      await page.getByRole('menuitem', { name: 'Disable' }).click();
      await webhook.getByText('Disabled').waitFor();
      await page.goto(`${ORIGIN}/blocks`);
      await page.getByRole('button', { name: 'Block', exact: true }).click();
      await dialog.getByLabel('What').fill('evil.example');
      await dialog.getByRole('button', { name: 'Block' }).click();
      await page.getByRole('button', { name: 'Remove the block of evil.example' }).click();
      expect(await dashboard.barriers()).toEqual([]);
      await dialog.getByRole('button', { name: 'Remove' }).click();
      await page.getByText('Nothing is blocked.').waitFor();
      await page.goto(`${ORIGIN}/audit-log?actor=Ada`);
      await page.getByRole('row').filter({ hasText: 'evil.example' }).first().waitFor();
      await page.getByLabel('Kind of thing').selectOption('Webhook');
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.waitForURL(/[?&]kind=webhook/);
      await page.getByRole('row').filter({ hasText: 'evil.example' }).first().waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Details' }).last().click();
      await dialog.getByText('https://hooks.example.com/made-here').waitFor();
      expect(await dialog.innerText()).not.toContain(secret);
      expect(await dashboard.barriers()).toEqual([]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.goBack();
      await page.getByRole('row').filter({ hasText: 'evil.example' }).first().waitFor();
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Export as CSV' }).click();
      expect((await download).suggestedFilename()).toMatch(/^audit-log/);
    },
    TEST_MS,
  );

  it(
    'shows who has the link one view without an account, until it is revoked',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await page.goto(`${ORIGIN}/links/sale`);
      await page.getByRole('button', { name: 'Share this view' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('for the agency');
      await page.getByRole('dialog').getByRole('button', { name: 'Share this view' }).click();
      const link = (await page.locator('pre[aria-label="The share link"]').innerText()).trim();
      const stranger = await page.context().browser()!.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin' });
      const shared = await stranger.newPage();
      const asked: string[] = [];
      shared.on('request', (request) => asked.push(request.url()));
      await shared.goto(link.replace(/^https?:\/\/[^/]+/, ORIGIN));
      await shared.getByRole('heading', { name: 'sale', level: 1 }).waitFor();
      await shared.locator('[data-total=visits]', { hasText: /^5$/ }).waitFor();
      await dashboard.act(shared);
      // Whose data places are is said to everybody; beside it nothing leads anywhere.
      const attribution = shared.locator('[data-attribution]');
      await attribution.getByRole('link', { name: 'db-ip.com' }).waitFor();
      const links = await attribution.getByRole('link').count();
      expect([await shared.getByRole('navigation').count(), await shared.getByRole('link').count()]).toEqual([
        0,
        links,
      ]);
      const token = new URL(link).hash.slice(1);
      expect(await dashboard.barriers(shared)).toEqual([]);
      const ask = (path: string) =>
        shared.evaluate(
          async ([what, who]) => (await fetch(`/rest/v3/${what}`, { headers: { 'x-share-token': who } })).status,
          [path, token] as const,
        );
      // Of its view only: neither another link, nor all, nor what is no statistic.
      expect([
        await ask('statistics/totals?shortCode=sale'),
        await ask('statistics/totals?shortCode=other'),
        await ask('statistics/totals'),
        await ask('short-urls/sale'),
      ]).toEqual([200, 403, 403, 401]);
      // Also after it looked at another time.
      await shared.getByLabel('Range').selectOption({ label: 'Last 30 days (T)' });
      await shared.waitForURL(/range=last30days/);
      await shared.reload();
      await shared.locator('[data-total=visits]', { hasText: /^5$/ }).waitFor();
      expect(asked.filter((address) => address.split('#')[0]?.includes(token))).toEqual([]);
      await endsByItself(dashboard, shared);
      await shared.goto(link.replace(/^https?:\/\/[^/]+/, ORIGIN));
      await page.goto(`${ORIGIN}/settings`);
      await page.getByRole('button', { name: 'Revoke for the agency' }).click();
      expect(await dashboard.barriers()).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('Nothing is shared.').waitFor();
      await shared.reload();
      await shared.getByText('This link has ended').first().waitFor();
      await stranger.close();
    },
    TEST_MS,
  );

  it(
    'is whole in Chinese, and has no barriers there',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await page.evaluate("localStorage.setItem('hopcount.language', 'zh-CN')");
      const titles = { webhooks: 'Webhook', blocks: '封禁', 'audit-log': '审计日志', settings: '设置', profile: 'Ada' };
      for (const [path, title] of Object.entries(titles)) {
        await page.goto(`${ORIGIN}/${path}`);
        await dashboard.heading(title);
        expect([path, await dashboard.barriers()]).toEqual([path, []]);
      }
      await page.goto(`${ORIGIN}/system`);
      const check = page.getByRole('row').filter({ hasText: '数据库迁移' });
      await check.getByText('已是最新').waitFor();
      await page.evaluate("localStorage.removeItem('hopcount.language')");
    },
    TEST_MS,
  );
}
