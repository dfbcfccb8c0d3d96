import { waitUntil } from '@hopcount/testing';
import { expect, it } from '@jest/globals';

import { type DashboardPage, ORIGIN, TEST_MS } from './dashboard-page.spec-helpers.js';

const PHONE = { width: 360, height: 740 };
const WIDE = { width: 1_400, height: 1_000 };
const LOOKS = [
  { size: PHONE, colorScheme: 'light' },
  { size: PHONE, colorScheme: 'dark' },
  { size: WIDE, colorScheme: 'dark' },
  { size: WIDE, colorScheme: 'light' },
] as const;
/** What browsers say of what moved without somebody having done anything. */
const COUNT_SHIFTS = `
  globalThis.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shifted += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;
/** Below it nobody sees that something moved; browsers call 0.1 good. */
const MOST_SHIFTED = 0.01;

/** Specs are compiled without the types of browsers. */
const opacityOf = (element: unknown) =>
  Number(
    (globalThis as unknown as { getComputedStyle(of: unknown): { opacity: string } }).getComputedStyle(element).opacity,
  );

/** Names of what moves. Specs are compiled without the types of browsers. */
const MOVING = `document.getAnimations().filter((one) => one.playState === 'running').map((one) => one.animationName ?? one.transitionProperty)`;
const SCHEME = `document.documentElement.getAttribute('data-mantine-color-scheme')`;

/** On paper, and for who wants nothing to move. */
export function looksCases(opened: () => DashboardPage): void {
  it(
    'moves nothing for who wants no motion',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      for (const reducedMotion of ['no-preference', 'reduce'] as const) {
        await page.emulateMedia({ reducedMotion });
        await page.route('**/rest/v3/statistics/series?*', () => undefined);
        await page.goto(`${ORIGIN}/`);
        // Until its answer comes, which it never does, there is a box that pulsates.
        const awaited = page.getByRole('region', { name: 'Visits over time' }).locator('[aria-busy=true]');
        await awaited.waitFor();
        const isMoving = async () => (await page.evaluate<string[]>(MOVING)).length > 0;
        if (reducedMotion === 'reduce') expect(await page.evaluate(MOVING)).toEqual([]);
        else await waitUntil(isMoving, { timeoutMs: 30_000, describe: 'what moves' });
        await page.unrouteAll({ behavior: 'ignoreErrors' });
      }
      dashboard.browser.errors.splice(0);
    },
    TEST_MS,
  );

  it(
    'is printed in light colours, without what is clicked, and says what it shows',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.goto(`${ORIGIN}/links/sale?range=last30days&filter=browser%3DFirefox&zone=Asia%2FKathmandu`);
      await dashboard.seesTotal('visits', 3);
      await page.evaluate(`addEventListener('beforeprint', () => (globalThis.printed = ${SCHEME}))`);
      await page.pdf();
      expect([await page.evaluate('globalThis.printed'), await page.evaluate(SCHEME)]).toEqual(['light', 'dark']);
      await page.emulateMedia({ media: 'print' });
      await page.getByText(/^Last 30 days · Asia\/Kathmandu · .*Firefox$/).waitFor();
      await page.getByRole('region', { name: 'Totals' }).getByText('3', { exact: true }).first().waitFor();
      for (const name of ['Share this view', 'Saved views', 'Edit rules', 'Table and files: Referrers'])
        expect([name, await page.getByRole('button', { name }).filter({ visible: true }).count()]).toEqual([name, 0]);
      expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0);
      await page.emulateMedia({ media: null, colorScheme: 'light' });
    },
    TEST_MS,
  );
}

/** How pages come to be shown, also over a network that fails. */
export function loadingCases(opened: () => DashboardPage): void {
  it(
    'moves nothing on a page while its parts are loaded, on a phone and on a wide screen, in the light and in the dark',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await page.addInitScript({ content: COUNT_SHIFTS });
      for (const { size, colorScheme } of LOOKS) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        for (const path of ['', 'links', 'links/sale']) {
          await page.goto(`${ORIGIN}/${path}`);
          await page.locator('[data-total=visits] button, tbody tr').first().waitFor();
          await dashboard.act();
          await dashboard.whenWhole(60_000);
          const shifted = Number(await page.evaluate('globalThis.shifted'));
          expect([path, size.width, colorScheme, shifted < MOST_SHIFTED ? 0 : shifted]).toEqual([
            ...[path, size.width, colorScheme, 0],
          ]);
        }
      }
    },
    TEST_MS,
  );

  it(
    'keeps old numbers greyed while others are awaited, says why they do not come, and asks again',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      const all = await dashboard.totals();
      await page.goto(`${ORIGIN}/`);
      await dashboard.seesTotal('visits', all.visits);
      let lose = () => {};
      const lost = new Promise<void>((resolve) => (lose = resolve));
      await page.route('**/rest/v3/statistics/totals?*', async (route) => {
        await lost;
        await route.abort();
      });
      await page.keyboard.press('d');
      const old = page.locator('main [aria-busy=true]').filter({ has: dashboard.shown('visits') });
      await old.waitFor();
      expect(await dashboard.shown('visits').innerText()).toBe(String(all.visits));
      expect(await old.evaluate(opacityOf)).toBeLessThan(1);
      lose();
      const totals = page.getByRole('region', { name: 'Totals' });
      await totals.getByText('The server does not answer.').waitFor();
      await page.unrouteAll({ behavior: 'wait' });
      await totals.getByRole('button', { name: 'Try again' }).click();
      await dashboard.seesTotal('visits', (await dashboard.totals(undefined, 'Europe/Berlin', 'today')).visits);
      dashboard.browser.errors.splice(0);
    },
    TEST_MS,
  );

  it(
    'says of a page whose files it cannot have that the server does not answer, and shows it once it does',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      // A page that is whole by then: parts of the overview come later, and would say so, too.
      await page.goto(`${ORIGIN}/tags`);
      await dashboard.heading('Tags');
      await dashboard.whenWhole();
      await page.route('**/*', (route) => route.abort());
      await page.getByRole('link', { name: 'Webhooks' }).click();
      await page.getByRole('main').getByText('The server does not answer.').first().waitFor();
      await page.unrouteAll({ behavior: 'wait' });
      // A try that was under way may have found the server already: then there is nothing to click any more.
      const again = page.getByRole('button', { name: 'Try again' });
      await again.click({ timeout: 10_000 }).catch(() => undefined);
      await dashboard.heading('Webhooks');
      dashboard.browser.errors.splice(0);
    },
    TEST_MS,
  );
}
