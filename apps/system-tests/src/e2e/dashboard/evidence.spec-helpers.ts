import { answerOf } from '@hopcount/client';
import { waitUntil } from '@hopcount/testing';
import { expect, it } from '@jest/globals';

import { verifyLedger } from '../../harness/cli.js';
import { type DashboardPage, LONG_DAY, ON_WINDOWS, ORIGIN, TEST_MS } from './dashboard-page.spec-helpers.js';

const ZONES = ['Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns'];
/** In the first of these hours, in the second one, and in the last of the day. */
const ON_LONG_DAY = ['2025-10-26T00:10:00Z', '2025-10-26T01:20:00Z', '2025-10-26T01:30:00Z', '2025-10-26T22:59:59Z'];

/** What stands behind numbers, and whether they are those of the api. */
export function evidenceCases(opened: () => DashboardPage): void {
  it(
    'explains a number down to the single visit, and proves it',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await page.goto(`${ORIGIN}/links/sale`);
      await dashboard.seesTotal('visits', 5);
      const row = page
        .getByRole('region', { name: 'Browsers', exact: true })
        .getByRole('row')
        .filter({ hasText: 'Firefox' });
      await row.getByRole('button', { name: '3', exact: true }).click();
      const drawer = page.getByRole('dialog');
      await drawer.getByText('3 visits', { exact: true }).waitFor();
      await drawer.getByText('Both agree').waitFor();
      const query = { range: 'last7days' as const, shortCode: 'sale', 'filter[]': ['browser=Firefox'] };
      const { client } = dashboard.links;
      const proof = await answerOf(client.GET('/rest/v3/statistics/proof', { params: { query } }));
      await drawer.getByText(proof.used.checksum, { exact: true }).first().waitFor();
      const { visits } = await answerOf(client.GET('/rest/v3/statistics/explain', { params: { query } }));
      const lines = drawer.getByRole('listitem');
      await lines.nth(visits.length - 1).waitFor();
      expect(await lines.count()).toBe(visits.length);
      await lines.nth(1).locator('summary').click();
      await lines.nth(1).getByText(visits[1]!.eventId, { exact: true }).waitFor();
      await lines.nth(1).getByText('https://news.test/today', { exact: true }).waitFor();
      expect(await dashboard.barriers()).toEqual([]);
      // It is in the address: shared, and gone with "back".
      await page.reload();
      await drawer.getByText('3 visits', { exact: true }).waitFor();
      await page.goBack();
      await drawer.waitFor({ state: 'detached' });
      expect(new URL(page.url()).search).toBe('');
    },
    TEST_MS,
  );

  it(
    'leads from an hour of a weekday, and from all others, to the visits behind them',
    async () => {
      const dashboard = opened();
      const { page, links } = dashboard;
      await links.create({ longUrl: 'https://example.com/sources', customSlug: 'sources' });
      for (let nth = 0; nth < 10; nth += 1) await dashboard.visit('/sources', ON_WINDOWS, `https://from-${nth}.test/`);
      await dashboard.counted('sources', 10);
      await page.goto(`${ORIGIN}/links/sources`);
      await dashboard.seesTotal('visits', 10);
      const drawer = page.getByRole('dialog');
      const proven = (visits: number) =>
        drawer.locator('[data-proof=visits]', { hasText: new RegExp(`^${visits} visits?$`) }).waitFor();
      // Eight are listed.
      const referrers = page.getByRole('region', { name: 'Referrers', exact: true });
      await referrers.getByRole('row').filter({ hasText: '2 others' }).getByRole('button', { name: '2' }).click();
      await proven(2);
      await page.goBack();
      await drawer.waitFor({ state: 'detached' });
      await referrers.getByRole('link', { name: '2 others' }).click();
      await dashboard.heading('Referrers');
      for (let nth = 0; nth < 10; nth += 1)
        await page
          .getByRole('row')
          .filter({ hasText: `from-${nth}.test` })
          .waitFor();
      await page.goBack();
      const query = { range: 'last7days', shortCode: 'sources', timeZone: 'Europe/Berlin' } as const;
      const asked = { params: { query: { ...query, rows: 'weekday', columns: 'hour' } as const } };
      const { cells } = await answerOf(links.client.GET('/rest/v3/statistics/matrix', asked));
      const week = page.getByRole('table', { name: 'Hour and weekday' });
      await dashboard.act();
      await week.waitFor();
      // One stop of the Tab key; they may have come in two hours.
      expect(await week.locator('button[tabindex="0"]').count()).toBe(1);
      await week.locator('button[tabindex="0"]').focus();
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await proven(cells.flat().find((visits) => visits > 0)!);
      await drawer.getByText(/Day of the week = /).waitFor();
      expect(await dashboard.barriers()).toEqual([]);
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      await dashboard.fitsPhone();
    },
    TEST_MS,
  );

  it(
    'has a whole table of each panel, and files of what it shows',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      // Others of these cases visit with Firefox, too, without a referrer.
      await page.goto(`${ORIGIN}/?filter=browser%3DFirefox&filter=referrer%3Dnews.test`);
      await page.getByRole('button', { name: 'Table and files: Referrers' }).click();
      await page.getByRole('menuitem', { name: 'Whole table' }).click();
      await dashboard.heading('Referrers');
      await page.getByRole('row').filter({ hasText: 'news.test' }).getByRole('button', { name: '3' }).waitFor();
      await page.getByText('Not on this page: 0 values with 0 of 3 visits.').waitFor();
      expect(await dashboard.barriers()).toEqual([]);
      await page.getByRole('button', { name: 'Table and files: Referrers' }).click();
      const addressOf = (format: string) =>
        page.getByRole('menuitem', { name: `Export as ${format}` }).getAttribute('href');
      const fetched = async (format: string) =>
        page.evaluate(
          async (address) => {
            const answer = await fetch(address ?? '');
            return { type: answer.headers.get('content-type'), text: await answer.text() };
          },
          await addressOf(format),
        );
      expect((await fetched('CSV')).text.trim().split(/\r?\n/)).toEqual(['value,visits', 'news.test,3']);
      expect(JSON.parse((await fetched('JSONL')).text)).toEqual({ value: 'news.test', visits: 3 });
      expect((await fetched('Parquet')).text).toMatch(/^PAR1/);
      for (const path of ['statistics/series', 'statistics/links', 'links/sale/visits', 'hosts', 'orphan-visits']) {
        await page.goto(`${ORIGIN}/${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await dashboard.whenWhole();
        expect([path, await dashboard.barriers()]).toEqual([path, []]);
      }
    },
    TEST_MS,
  );

  it(
    'shows the numbers of the api in three zones, as do files of them, and each hour of a day that has 25',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      const rows = ON_LONG_DAY.map((date) => `,sale,${date}`);
      await dashboard.import(['longUrl,shortCode,date', 'https://example.com/sale,sale,', ...rows, ''].join('\n'));
      for (const timeZone of ZONES) {
        const query = { startDate: LONG_DAY, endDate: LONG_DAY, timeZone, interval: 'hour' } as const;
        const { series } = await answerOf(
          dashboard.links.client.GET('/rest/v3/statistics/series', { params: { query } }),
        );
        await page.goto(`${ORIGIN}/statistics/series?from=${LONG_DAY}&to=${LONG_DAY}&zone=${timeZone}`);
        const shown = async () => (await page.locator('tbody td:nth-child(2)').allInnerTexts()).map(Number);
        await waitUntil(async () => (await shown()).length === series.length, {
          timeoutMs: 30_000,
          describe: `the hours in ${timeZone}`,
        });
        expect([timeZone, await shown()]).toEqual([timeZone, series.map(({ visits }) => visits).reverse()]);
        await page.getByRole('button', { name: 'Table and files: Visits over time' }).click();
        const csv = await page.getByRole('menuitem', { name: 'Export as CSV' }).getAttribute('href');
        const exported = await page.evaluate(async (address) => (await fetch(address)).text(), csv ?? '');
        const [, ...lines] = exported.trim().split(/\r?\n/);
        expect([timeZone, lines.map((line) => Number(line.split(',')[1]))]).toEqual([
          ...[timeZone, series.map(({ visits }) => visits)],
        ]);
        await page.goto(`${ORIGIN}/?from=${LONG_DAY}&to=${LONG_DAY}&zone=${timeZone}`);
        await dashboard.seesTotal(
          'visits',
          series.reduce((sum, { visits }) => sum + visits, 0),
        );
        // The hour that is there twice: once on each of its days' two 02:00.
        if (timeZone === 'Europe/Berlin') {
          const all = series.map(({ visits }) => visits);
          expect([all.length, all[2], all[3], all[24]]).toEqual([25, 1, 2, 1]);
        }
      }
      expect(await verifyLedger(dashboard.stack.database)).toBe('clean');
    },
    TEST_MS,
  );

  it(
    'shows a visit of a link that was just made as it comes',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await page.goto(`${ORIGIN}/links`);
      await page.getByLabel('Address to shorten').fill('https://example.com/live');
      await page.getByLabel('Address to shorten').press('Enter');
      await page.getByRole('row').filter({ hasText: 'https://example.com/live' }).waitFor();
      const [created] = (
        await answerOf(
          dashboard.links.client.GET('/rest/v3/short-urls', { params: { query: { searchTerm: 'example.com/live' } } }),
        )
      ).shortUrls.data;
      await page.getByRole('link', { name: 'Overview' }).click();
      const feed = page.getByRole('list', { name: 'Visits as they come' });
      await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
      await page.locator('[data-live="30"] button').waitFor();
      await waitUntil(
        async () => {
          await dashboard.visit(`/${created!.shortCode}`, 'Mozilla/5.0 Firefox/140.0', 'https://news.test/');
          return (await feed.getByRole('listitem').filter({ hasText: created!.shortCode }).count()) > 0;
        },
        { timeoutMs: 30_000, describe: 'the visit in the feed' },
      );
      const seen = async () => Number(await page.locator('[data-live="5"]').innerText());
      await waitUntil(async () => (await seen()) > 0, { timeoutMs: 30_000, describe: 'the visit counted live' });
    },
    TEST_MS,
  );

  it(
    'chooses ranges by keys, and keeps views by name',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await page.goto(`${ORIGIN}/?filter=os%3DiOS`);
      await dashboard.seesTotal('visits', 2);
      await page.keyboard.press('m');
      await page.waitForURL(/range=monthToDate/);
      await page.keyboard.press('x');
      await page.waitForURL(/compare=previous/);
      await page.getByRole('button', { name: 'Saved views' }).click();
      await page.getByLabel('Save this view as').fill('Phones');
      await page.getByLabel('Save this view as').press('Enter');
      expect(await dashboard.barriers()).toEqual([]);
      await page.goto(`${ORIGIN}/`);
      await page.getByRole('button', { name: 'Saved views' }).click();
      // What is typed is typed, and no key of the page.
      await page.getByLabel('Save this view as').press('y');
      expect(page.url()).toBe(`${ORIGIN}/`);
      await page.getByRole('button', { name: 'Phones', exact: true }).click();
      await page.waitForURL((url) => {
        const { searchParams: said } = url;
        return said.get('filter') === 'os=iOS' && said.get('range') === 'monthToDate' && said.has('compare');
      });
    },
    TEST_MS,
  );
}
