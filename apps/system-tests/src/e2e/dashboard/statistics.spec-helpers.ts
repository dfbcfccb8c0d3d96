import { answerOf } from '@hopcount/client';
import { waitUntil } from '@hopcount/testing';
import { expect, it } from '@jest/globals';

import { type DashboardPage, FIREFOX, LONG_DAY, ORIGIN, TEST_MS } from './dashboard-page.spec-helpers.js';

/** Long before what the other cases ask for. */
const TYPED_DAY = '2026-03-07';

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

/** How the numbers of one view become those of another. */
export function viewCases(opened: () => DashboardPage): void {
  it(
    'filters by one value after the other, takes any of them away, and goes back through all of it',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      const [firefox, news] = ['browser=Firefox', 'referrer=news.test'];
      const sees = async (...filters: string[]) => {
        await page.waitForURL((url) => url.searchParams.getAll('filter').join() === filters.join());
        await dashboard.seesTotal('visits', (await dashboard.totals(filters)).visits);
        const chips = page.getByRole('group', { name: 'Filters' }).getByRole('button');
        expect(await chips.count()).toBe(filters.length);
      };
      await page.goto(`${ORIGIN}/`);
      await sees();
      await page.getByRole('button', { name: 'news.test', exact: true }).click();
      await sees(news);
      await page.getByRole('button', { name: 'Firefox', exact: true }).click();
      await sees(news, firefox);
      // Of all panels, not of the totals alone.
      const browsers = page.getByRole('region', { name: 'Browsers', exact: true });
      await browsers.getByRole('row').filter({ hasText: 'Firefox' }).getByText('100%').waitFor();
      expect(await browsers.getByRole('row').count()).toBe(2);
      await page.getByRole('button', { name: 'Remove the filter Referrers = news.test' }).click();
      await sees(firefox);
      for (const before of [[news, firefox], [news], []]) {
        await page.goBack();
        await sees(...before);
      }
      await page.goForward();
      await sees(news);
    },
    TEST_MS,
  );

  it(
    'holds a range against the one before it, and says how much more there is',
    async () => {
      const dashboard = opened();
      const { page, links } = dashboard;
      await links.create({ longUrl: 'https://example.com/compared', customSlug: 'compared' });
      const before = new Date(Date.now() - 9 * 86_400_000).toISOString();
      const rows = [before, before].map((date) => `,compared,${date}`);
      await dashboard.import(
        ['longUrl,shortCode,date', 'https://example.com/compared,compared,', ...rows, ''].join('\n'),
      );
      for (let n = 0; n < 3; n += 1) await dashboard.visit('/compared', FIREFOX, '');
      await dashboard.counted('compared', 3);
      await page.goto(`${ORIGIN}/links/compared`);
      await dashboard.seesTotal('visits', 3);
      await page.getByLabel('Compare with').selectOption('The time before');
      await page.waitForURL(/compare=previous/);
      const query = {
        range: 'last7days',
        shortCode: 'compared',
        timeZone: 'Europe/Berlin',
        compare: 'previous',
      } as const;
      const { compared } = await answerOf(links.client.GET('/rest/v3/statistics/totals', { params: { query } }));
      expect(compared?.totals.visits).toBe(2);
      const totals = page.getByRole('region', { name: 'Totals' });
      await totals.getByText('+50% (before: 2)').first().waitFor();
      // The key of the curve has its line, too.
      await page.getByRole('region', { name: 'Visits over time' }).getByText('Compared range').waitFor();
      expect(await dashboard.barriers()).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'compares the variants of a link: where its visitors were split to, and what chance may make of it',
    async () => {
      const dashboard = opened();
      const { page, links } = dashboard;
      await links.create({ longUrl: 'https://example.com/all', customSlug: 'split' });
      const targets = ['https://example.com/a', 'https://example.com/b'];
      const split = targets.map((longUrl) => ({ longUrl, weight: 1 }));
      const { status } = await dashboard.ask('POST', 'short-urls/split/redirect-rules', { redirectRules: [], split });
      expect(status).toBe(200);
      const went: Record<string, number> = {};
      for (let n = 0; n < 8; n += 1) {
        // Each visitor always goes to the same one.
        const { headers } = await dashboard.visit('/split', FIREFOX.replaceAll('140', String(130 + n)), '');
        const target = String(headers['location']);
        went[target] = (went[target] ?? 0) + 1;
      }
      expect(Object.keys(went).filter((target) => !targets.includes(target))).toEqual([]);
      await dashboard.counted('split', 8);
      await page.goto(`${ORIGIN}/links/split`);
      const variants = page.getByRole('table', { name: 'Variants' });
      await variants.waitFor();
      for (const target of targets) {
        const [, visits, share, wanted] = await variants
          .getByRole('row')
          .filter({ hasText: target })
          .getByRole('cell')
          .allInnerTexts();
        const part = (went[target] ?? 0) / 8;
        expect([target, visits, wanted]).toEqual([target, String(went[target] ?? 0), '50%']);
        const [shown = 0, low = 0, high = 0] = (share?.match(/[\d.]+(?=%)/g) ?? []).map(Number);
        expect(Math.abs(shown - part * 100)).toBeLessThan(1);
        // Of eight visits little can be said.
        expect([low <= shown, shown <= high, high - low > 20]).toEqual([true, true, true]);
      }
      expect(await dashboard.barriers()).toEqual([]);
    },
    TEST_MS,
  );
}

/** Ways to narrow what is looked at: days that are typed, and a place within another one. */
export function narrowingCases(opened: () => DashboardPage): void {
  it(
    'takes days that are typed, and says so when the last is before the first',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      const times = [`${TYPED_DAY}T12:00:00Z`, `${TYPED_DAY}T13:00:00Z`, '2026-03-09T12:00:00Z'];
      const rows = times.map((date) => `,typed,${date}`);
      await dashboard.import(['longUrl,shortCode,date', 'https://example.com/typed,typed,', ...rows, ''].join('\n'));
      await page.goto(`${ORIGIN}/links/typed`);
      await dashboard.seesTotal('visits', 0);
      await page.getByLabel('Range', { exact: true }).selectOption('Other days …');
      await page.getByLabel('First day').fill(TYPED_DAY);
      await page.getByLabel('Last day').fill('2026-03-01');
      await page.getByText('It is before the first day.').waitFor();
      expect(page.url()).not.toContain('2026-03-01');
      await page.getByLabel('Last day').fill('2026-03-08');
      await page.waitForURL(
        ({ searchParams }) => searchParams.get('from') === TYPED_DAY && searchParams.get('to') === '2026-03-08',
      );
      await dashboard.seesTotal('visits', 2);
      expect(await dashboard.barriers()).toEqual([]);
      await page.goBack();
      await dashboard.seesTotal('visits', 0);
    },
    TEST_MS,
  );

  it(
    'leads from the world to the regions of a country and to the cities of a region',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      const at = (place: string) => `,placed,${TYPED_DAY}T12:00:00Z,${place}`;
      const visits = [
        'DE,Bavaria,Munich',
        'DE,Bavaria,Munich',
        'DE,Bavaria,Fuerth',
        'DE,Hesse,Kassel',
        'FR,Brittany,Brest',
      ];
      await dashboard.import(
        [
          'longUrl,shortCode,date,country,region,city',
          'https://example.com/placed,placed,,,,',
          ...visits.map(at),
          '',
        ].join('\n'),
      );
      const places = page.getByRole('region', { name: 'Places', exact: true });
      const sees = async (chosen: string[], shown: string[]) => {
        const chosenIn = (url: URL) => url.searchParams.getAll('filter').map((filter) => filter.split('=')[0]);
        await page.waitForURL((url) => chosenIn(url).join() === chosen.join());
        for (const row of shown) {
          const [name = '', count = ''] = row.split(' ');
          await places
            .getByRole('row')
            .filter({ hasText: name })
            .getByRole('button', { name: count, exact: true })
            .waitFor();
        }
      };
      await page.goto(`${ORIGIN}/links/placed?from=${TYPED_DAY}&to=${TYPED_DAY}`);
      await dashboard.act();
      await places.locator('canvas').waitFor();
      await sees([], ['Germany 4', 'France 1']);
      await places.getByRole('button', { name: 'Germany', exact: true }).click();
      await sees(['country'], ['Bavaria 3', 'Hesse 1']);
      await places.getByRole('button', { name: 'Bavaria, DE', exact: true }).click();
      await sees(['country', 'region'], ['Munich 2', 'Fuerth 1']);
      await page.goBack();
      await sees(['country'], ['Bavaria 3', 'Hesse 1']);
      await page.goBack();
      await places.locator('canvas').waitFor();
      await sees([], ['Germany 4', 'France 1']);
    },
    TEST_MS,
  );
}

/** Times that are not as others. Leaves visits of then without the ledger's rows: comes last of what proves numbers. */
export function oddTimesCases(opened: () => DashboardPage): void {
  it(
    'shows a day of 25 hours in the zone that is chosen, each hour by its own name',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await page.goto(`${ORIGIN}/statistics/series?from=${LONG_DAY}&to=${LONG_DAY}&zone=Asia/Kathmandu`);
      const names = async () => page.locator('tbody td:first-child').allInnerTexts();
      const has = (hours: number) =>
        waitUntil(async () => (await names()).length === hours, { timeoutMs: 30_000, describe: `${hours} hours` });
      await has(24);
      // Zones are listed once somebody comes near.
      await page.getByLabel('Time zone').focus();
      await page.getByLabel('Time zone').selectOption('Europe/Berlin');
      // It is the browser's own, which no address names.
      await page.waitForURL((url) => !url.searchParams.has('zone'));
      await has(25);
      expect(new Set(await names()).size).toBe(25);
      expect((await names()).filter((name) => name.includes('02:00'))).toEqual([
        ...[expect.stringContaining('GMT+1'), expect.stringContaining('GMT+2')],
      ]);
      await page.goBack();
      await has(24);
    },
    TEST_MS,
  );

  it(
    'marks what it shows of a time whose visits have left the store',
    async () => {
      const dashboard = opened();
      const { page, stack } = dashboard;
      const address = `${ORIGIN}/?from=${LONG_DAY}&to=${LONG_DAY}`;
      await page.goto(address);
      await dashboard.seesTotal('visits', 4);
      const browsers = page.getByRole('region', { name: 'Browsers', exact: true });
      await browsers.getByRole('button', { name: '4', exact: true }).waitFor();
      const mark = page.getByText('Partly lower than it was: 2 parts have left the store');
      expect(await mark.count()).toBe(0);
      // As when the month was dropped, of which no file was kept.
      await stack.database.query(`SELECT set_kept_from('2025-11-01')`);
      await stack.database.query(`DELETE FROM visits WHERE occurred_at < '2025-11-01'`);
      await page.reload();
      // Visits are known from sums, for ever; what they were is not, and that there were none would be a lie.
      await dashboard.seesTotal('visits', 4);
      await browsers.getByText('No visits in this range.').or(browsers.getByText('No visits')).first().waitFor();
      for (const name of ['Totals', 'Browsers', 'Places'])
        await page.getByRole('region', { name, exact: true }).filter({ has: mark }).waitFor();
      expect(await dashboard.barriers()).toEqual([]);
      await page.goto(`${ORIGIN}/`);
      await dashboard.seesTotal('visits', (await dashboard.totals()).visits);
      expect(await mark.count()).toBe(0);
    },
    TEST_MS,
  );
}
