import { readFile } from 'node:fs/promises';

import { waitUntil } from '@hopcount/testing';
import { expect, it } from '@jest/globals';

import { type DashboardPage, ORIGIN, SCRIPT, TEST_MS } from './dashboard-page.spec-helpers.js';

/** Specs are compiled without the types of browsers. */
interface WithClipboard {
  navigator: { clipboard: { readText(): Promise<string> } };
}

/** The page of links. */
export function linksCases(opened: () => DashboardPage): void {
  const rowOf = (text: string) => opened().page.getByRole('row').filter({ hasText: text });
  const press = (name: string | RegExp) => opened().page.getByRole('button', { name }).click();
  const says = (text: string) => opened().page.getByText(text).waitFor();

  it(
    'creates a link from one field, copies and takes it back, and shows what others wrote as text',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: ORIGIN });
      await page.goto(`${ORIGIN}/links`);
      await page.getByText(SCRIPT, { exact: true }).waitFor();
      expect(await dashboard.barriers()).toEqual([]);
      await page.getByLabel('Address to shorten').fill('https://example.com/made-here');
      await page.getByLabel('Address to shorten').press('Enter');
      await rowOf('https://example.com/made-here').waitFor();
      await says('Created, and copied');
      const copied = await page.evaluate(() => (globalThis as unknown as WithClipboard).navigator.clipboard.readText());
      await page.getByRole('link', { name: copied.replace('http://', ''), exact: true }).waitFor();
      await press('Undo');
      await rowOf('https://example.com/made-here').waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'localhost:8080/other' }).click();
      await dashboard.heading(SCRIPT);
      await dashboard.seesTotal('visits', 1);
      await page.getByText(SCRIPT, { exact: true }).nth(1).waitFor();
      expect(await dashboard.barriers()).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'creates a link with all it can have, and edits it',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await page.goto(`${ORIGIN}/links`);
      await press('More options');
      const drawer = page.getByRole('dialog');
      await drawer.getByRole('textbox', { name: 'Leads to', exact: true }).fill('https://example.com/whole');
      await drawer.getByLabel('Own code').fill('whole');
      await drawer.getByLabel('Title').fill('All of it');
      await drawer.getByLabel('Visits at most').fill('7');
      await drawer.getByLabel('Leads to afterwards').fill('https://example.com/over');
      expect(await dashboard.barriers()).toEqual([]);
      await drawer.getByRole('button', { name: 'Create', exact: true }).click();
      await rowOf('All of it').waitFor();
      expect(await dashboard.links.find('whole')).toMatchObject({
        ...{ title: 'All of it', expiredUrl: 'https://example.com/over' },
        meta: { maxVisits: 7 },
      });
      await press(/^Actions for .*\/whole/);
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      await drawer.getByLabel('Title').fill('Another title');
      await drawer.getByRole('button', { name: 'Save' }).click();
      await rowOf('Another title').waitFor();
    },
    TEST_MS,
  );

  it(
    'lists links of a group and of a state, as the address says, in both languages',
    async () => {
      const dashboard = opened();
      const { page, links } = dashboard;
      await links.makeGroup('boutique');
      const longUrl = 'https://example.com/listed';
      await links.create({ longUrl, customSlug: 'listed-on', groupId: 'boutique' });
      await links.create({ longUrl, customSlug: 'listed-off', groupId: 'boutique', disabled: true });
      await page.goto(`${ORIGIN}/links`);
      await page.getByLabel('State', { exact: true }).selectOption('Disabled');
      await page.getByLabel('Group', { exact: true }).selectOption('boutique');
      await rowOf('listed-off').waitFor();
      await rowOf('listed-on').waitFor({ state: 'detached' });
      expect(new URL(page.url()).search).toBe('?state=disabled&group=boutique');
      expect(await dashboard.barriers()).toEqual([]);
      await dashboard.fitsPhone();
      await page.evaluate("localStorage.setItem('hopcount.language', 'zh-CN')");
      await page.reload();
      await press('移除筛选条件 状态 = 已停用');
      await rowOf('listed-on').waitFor();
      await page.evaluate("localStorage.removeItem('hopcount.language')");
      await page.goBack();
      await page.reload();
      await press('Remove the filter Group = boutique');
      await rowOf('listed-off').waitFor();
      await page.getByLabel('State', { exact: true }).selectOption('In the recycle bin');
      await dashboard.heading('Recycle bin');
    },
    TEST_MS,
  );

  it(
    'changes many links at once, says which it could not, and takes it back',
    async () => {
      const dashboard = opened();
      const { page, links } = dashboard;
      for (const code of ['many-1', 'many-2', 'many-3'])
        await links.create({ longUrl: 'https://example.com/', customSlug: code, tags: ['before'] });
      const each = (codes: string[]) => Promise.all(codes.map((code) => links.find(code)));
      await page.goto(`${ORIGIN}/links?search=many-`);
      await page.getByLabel('Select all on this page').check();
      await says('3 links selected');
      await press('Add tags');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Tags').fill('picked');
      await dialog.getByLabel('Tags').press('Enter');
      await dialog.getByRole('button', { name: 'Add tags' }).click();
      await says('Add tags: 3 of 3 done.');
      for (const { tags } of await each(['many-1', 'many-2', 'many-3'])) expect(tags).toEqual(['before', 'picked']);
      expect(await dashboard.barriers()).toEqual([]);
      await press('Undo');
      await says('Add tags, taken back: 3 of 3 done.');
      for (const { tags } of await each(['many-1', 'many-2', 'many-3'])) expect(tags).toEqual(['before']);

      expect((await dashboard.ask('DELETE', 'short-urls/many-3', {})).status).toBe(204);
      await press('Disable');
      await says('Disable: 2 of 3 done. 1 failed:');
      await page.getByRole('listitem').filter({ hasText: 'localhost:8080/many-3' }).waitFor();
      for (const { disabled } of await each(['many-1', 'many-2'])) expect(disabled).toBe(true);
      await rowOf('many-3').waitFor({ state: 'detached' });
      // Somebody else was faster: that is not taken back.
      expect((await dashboard.ask('PATCH', 'short-urls/many-2', { disabled: false })).status).toBe(200);
      await press('Undo');
      await says('Disable, taken back: 2 of 2 done. 1 was left as it is.');
      for (const { disabled } of await each(['many-1', 'many-2'])) expect(disabled).toBe(false);

      await page.getByRole('region', { name: 'Selected links' }).getByRole('button', { name: 'Delete' }).click();
      await says('No link matches.');
      // What was done stays at hand on other pages.
      await page.getByRole('navigation').getByRole('link', { name: 'Groups' }).click();
      await page.waitForURL(/\/groups$/);
      await press('Undo');
      await says('Delete, taken back: 2 of 2 done.');
      await page.goBack();
      await rowOf('many-1').waitFor();
      await rowOf('many-2').waitFor();
      // Chromium writes that there was no third one.
      dashboard.browser.errors.splice(0);
    },
    TEST_MS,
  );

  it(
    'shows a QR code as it is downloaded',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await page.goto(`${ORIGIN}/links?search=sale`);
      await press(/^Actions for .*\/sale/);
      await page.getByRole('menuitem', { name: 'QR code' }).click();
      const dialog = page.getByRole('dialog');
      const picture = dialog.getByRole('img', { name: 'QR code of http://localhost:8080/sale' });
      const isShown = () =>
        picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0);
      await waitUntil(isShown, { timeoutMs: 30_000, describe: 'the picture' });
      await dialog.getByLabel('Size').selectOption('600 px');
      expect(await dashboard.barriers()).toEqual([]);
      const download = page.waitForEvent('download');
      await dialog.getByRole('link', { name: 'Download PNG' }).click();
      expect((await download).suggestedFilename()).toBe('sale.png');
      const png = await readFile(await (await download).path());
      expect(png.subarray(1, 4).toString()).toBe('PNG');
      // Of its first chunk: how wide it is, with what readers need around the code.
      expect(png.readUInt32BE(16)).toBeGreaterThanOrEqual(600);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    },
    TEST_MS,
  );

  it(
    'keeps views by name in the browser, and goes back',
    async () => {
      const { page } = opened();
      // There is one page: it leads there.
      await page.goto(`${ORIGIN}/links?search=sale&page=9`);
      await rowOf('/sale').waitFor();
      await press('Views');
      await page.getByRole('menuitem', { name: 'Save this view' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Mine');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByLabel('Search').fill('other');
      await rowOf('/other').waitFor();
      await press('Views');
      await page.getByRole('menuitem', { name: 'Mine', exact: true }).click();
      await page.waitForURL(/search=sale/);
      await rowOf('/sale').waitFor();
      await page.goBack();
      await rowOf('/other').waitFor();
      await waitUntil(async () => (await page.getByLabel('Search').inputValue()) === 'other', {
        timeoutMs: 30_000,
        describe: 'the search of before',
      });
    },
    TEST_MS,
  );
}

/** What links are put in order by. */
export function organiseCases(opened: () => DashboardPage): void {
  it(
    'renames, merges and deletes tags, makes a group and gives its links to another, and sends visitors of a domain somewhere',
    async () => {
      const dashboard = opened();
      const { page, links } = dashboard;
      await links.create({ longUrl: 'https://example.com/', customSlug: 'in-order', tags: ['one', 'two'] });
      const dialog = page.getByRole('dialog');
      const choose = async (of: string, action: string) => {
        await page.getByRole('button', { name: `Actions for ${of}` }).click();
        await page.getByRole('menuitem', { name: action }).click();
        await dialog.waitFor();
        await page.getByRole('menu').waitFor({ state: 'detached' });
        expect(await dashboard.barriers()).toEqual([]);
      };
      const confirm = async (name: string) => {
        await dialog.getByRole('button', { name }).click();
        await dialog.waitFor({ state: 'detached' });
      };
      await page.goto(`${ORIGIN}/tags`);
      await choose('one', 'Rename');
      await dialog.getByRole('textbox').fill('first');
      await confirm('Rename');
      await choose('first', 'Merge');
      await dialog.getByRole('textbox').fill('two');
      await confirm('Merge');
      expect((await links.find('in-order')).tags).toEqual(['two']);
      await choose('two', 'Delete');
      await confirm('Delete');
      expect((await links.find('in-order')).tags).toEqual([]);

      await links.makeGroup('archive');
      await page.goto(`${ORIGIN}/groups`);
      await page.getByRole('button', { name: 'Create a group' }).click();
      await dialog.getByLabel('Id').fill('season');
      await confirm('Create a group');
      await choose('season', 'Rename');
      await dialog.getByRole('textbox').fill('Season');
      await confirm('Rename');
      await links.edit('in-order', { groupId: 'season' });
      await page.reload();
      await choose('Season', 'Delete');
      await dialog.getByLabel('Its links go to').selectOption('archive');
      await confirm('Delete');
      expect((await links.find('in-order')).groupId).toBe('archive');

      await page.goto(`${ORIGIN}/domains`);
      await page.getByRole('button', { name: 'Add a domain' }).click();
      await dialog.getByRole('textbox').nth(0).fill('go.test');
      await dialog.getByRole('textbox').nth(1).fill('https://example.com/start');
      await confirm('Save');
      await page.getByRole('row').filter({ hasText: 'go.test' }).getByText('https://example.com/start').waitFor();
    },
    TEST_MS,
  );
}
