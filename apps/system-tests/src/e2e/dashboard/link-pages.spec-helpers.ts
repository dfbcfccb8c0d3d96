import { answerOf } from '@hopcount/client';
import { waitUntil } from '@hopcount/testing';
import { expect, it } from '@jest/globals';

import { type DashboardPage, FIREFOX, IPHONE, ORIGIN, PASSWORD, TEST_MS } from './dashboard-page.spec-helpers.js';

const CSV = `longUrl,shortCode
https://example.com/imported,imported
javascript:alert(1),refused
`;

/** The recycle bin, imports, and the rules of a link. */
export function linkPagesCases(opened: () => DashboardPage): void {
  it(
    'restores a link from the recycle bin, and deletes it for good once its code is typed',
    async () => {
      const dashboard = opened();
      const { page, links } = dashboard;
      await links.create({ longUrl: 'https://example.com/bin', customSlug: 'binned' });
      const remove = () => dashboard.ask('DELETE', 'short-urls/binned', {});
      await remove();
      await page.goto(`${ORIGIN}/recycle-bin`);
      const row = page.getByRole('row').filter({ hasText: '/binned' });
      await row.getByRole('button', { name: /^Restore/ }).click();
      await row.waitFor({ state: 'detached' });
      expect((await links.find('binned')).longUrl).toBe('https://example.com/bin');
      await remove();
      await page.reload();
      expect(await dashboard.barriers()).toEqual([]);
      await row.getByRole('button', { name: /^Delete for good/ }).click();
      const dialog = page.getByRole('dialog');
      const purge = dialog.getByRole('button', { name: 'Delete for good' });
      await dialog.getByLabel('Type binned to confirm').fill('binne');
      expect(await purge.isDisabled()).toBe(true);
      await dialog.getByLabel('Type binned to confirm').fill('binned');
      await purge.click();
      await row.waitFor({ state: 'detached' });
      expect((await dashboard.ask('POST', 'deleted-short-urls/binned/restore', {})).status).toBe(404);
      dashboard.browser.errors.splice(0);
    },
    TEST_MS,
  );

  it(
    'imports a file, and says of the row that it did not take why',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await page.goto(`${ORIGIN}/import`);
      expect(await dashboard.barriers()).toEqual([]);
      const file = { name: 'links.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) };
      await page.locator('input[type=file]').setInputFiles(file);
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page
        .getByRole('status')
        .getByText('Done')
        .or(page.getByText('Done', { exact: true }))
        .first()
        .waitFor({
          timeout: 60_000,
        });
      const number = (name: string) => page.locator(`[data-import=${name}]`).innerText();
      expect([await number('rows'), await number('created'), await number('refused')]).toEqual(['2', '1', '1']);
      await page.getByRole('row').filter({ hasText: 'unsafe-target' }).getByText('3', { exact: true }).waitFor();
      const report = await page.getByRole('link', { name: 'Download report (CSV)' }).getAttribute('href');
      expect(report).toMatch(/\/rest\/v3\/imports\/\d+\/report$/);
      expect(page.url()).toMatch(/import\?id=\d+$/);
      expect((await dashboard.links.find('imported')).longUrl).toBe('https://example.com/imported');
      expect(await dashboard.barriers()).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'writes rules as sentences, and gateways follow them',
    async () => {
      const dashboard = opened();
      const { page, links } = dashboard;
      await links.create({ longUrl: 'https://example.com/all', customSlug: 'ruled' });
      await page.goto(`${ORIGIN}/links/ruled`);
      await page.getByText('Everybody → https://example.com/all').waitFor();
      await page.getByRole('button', { name: 'Edit rules' }).click();
      const drawer = page.getByRole('dialog');
      await drawer.getByRole('button', { name: 'Add a rule' }).click();
      await drawer.getByLabel('is', { exact: true }).selectOption('iOS');
      await drawer.getByLabel('Leads to').fill('https://example.com/app');
      expect(await dashboard.barriers()).toEqual([]);
      await drawer.getByRole('button', { name: 'Save' }).click();
      await page.getByText('If the device is iOS → https://example.com/app').waitFor();
      await page.getByText('Who would go where?').click();
      await page.getByRole('button', { name: 'Try' }).click();
      await page.getByText('Rule 1 applies:').waitFor();
      await page.getByLabel('Browser', { exact: true }).selectOption('Linux, Firefox');
      await page.getByRole('button', { name: 'Try' }).click();
      await page.getByText('No rule applies:').waitFor();
      expect(await dashboard.barriers()).toEqual([]);
      const leadsTo = async (userAgent: string) => (await dashboard.visit('/ruled', userAgent, '')).headers['location'];
      await waitUntil(async () => (await leadsTo(IPHONE)) === 'https://example.com/app', {
        timeoutMs: 30_000,
        describe: 'the gateway to follow the rule',
      });
      expect(await leadsTo(FIREFOX)).toBe('https://example.com/all');
    },
    TEST_MS,
  );
}

/** Somebody with a role in one group. Ends signed in as them. */
export function groupViewerCases(opened: () => DashboardPage): void {
  it(
    'shows who views one group its links only, and nothing that changes them',
    async () => {
      const dashboard = opened();
      const { page, links } = dashboard;
      await links.makeGroup('press');
      await answerOf(
        links.client.POST('/rest/v3/short-urls', {
          body: { longUrl: 'https://example.com/press', customSlug: 'ours', groupId: 'press' },
        }),
      );
      const { token } = await answerOf(
        links.client.POST('/rest/v3/users/invites', { body: { groups: { press: 'viewer' } } }),
      );
      await dashboard.signOut();
      await page.goto(`${ORIGIN}/invite#${token}`);
      await page.getByLabel('Email address').fill(`press-${dashboard.email}`);
      await page.getByLabel('Name').fill('Pat');
      await page.getByRole('textbox', { name: /^Password/ }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Go on' }).click();
      await dashboard.heading('Overview');
      await page.goto(`${ORIGIN}/links`);
      await page.getByRole('row').filter({ hasText: 'localhost:8080/ours' }).waitFor();
      expect(await page.getByRole('row').filter({ hasText: 'localhost:8080/sale' }).count()).toBe(0);
      expect(await page.getByRole('checkbox').count()).toBe(0);
      await page.goto(`${ORIGIN}/links/ours`);
      await page.getByText('Everybody → https://example.com/press').waitFor();
      expect(await page.getByRole('button', { name: 'Edit rules' }).count()).toBe(0);
      await page.goto(`${ORIGIN}/links/sale`);
      await page.getByRole('alert').waitFor();
      expect((await dashboard.ask('PATCH', 'short-urls/sale', { disabled: true })).status).toBe(403);
      await page.goto(`${ORIGIN}/import`);
      await page.getByText('Your role does not allow this.').waitFor();
      const read = await page.evaluate(async () => (await fetch('/rest/v3/short-urls/sale')).status);
      expect(read).toBe(404);
      dashboard.browser.errors.splice(0);
    },
    TEST_MS,
  );
}
