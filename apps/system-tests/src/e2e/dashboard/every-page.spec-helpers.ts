import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from '@jest/globals';

import { type DashboardPage, ORIGIN, TEST_MS } from './dashboard-page.spec-helpers.js';

/** Of what everybody sees and what administrators see: all routes but those before anybody is signed in. */
const PAGES = [
  ...['', 'links', 'links/sale', 'links/sale/visits', 'recycle-bin', 'import', 'hosts', 'hosts?kind=referrer&by=site'],
  ...['orphan-visits', 'statistics/series', 'statistics/referrer', 'statistics/country', 'statistics/links'],
  ...[
    'alerts',
    'tags',
    'domains',
    'groups',
    'api-keys',
    'users',
    'webhooks',
    'blocks',
    'audit-log',
    'settings',
    'profile',
  ],
  ...['system', 'no-such-page', 'links/no-such-link'],
];
const LOOKS = {
  'phone, dark': { viewport: { width: 360, height: 740 }, colorScheme: 'dark', language: 'en' },
  'wide, light': { viewport: { width: 2_560, height: 1_440 }, colorScheme: 'light', language: 'en' },
  'laptop, dark, Chinese': { viewport: { width: 1_280, height: 800 }, colorScheme: 'dark', language: 'zh-CN' },
} as const;
/** Looked at by people: whoever runs the tests keeps them. */
const PICTURES = 'test-results/dashboard';

export function everyPageCases(opened: () => DashboardPage): void {
  it.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])(
    'has no barriers on any page, and none stands out at the side: %s',
    async (look) => {
      const dashboard = opened();
      const { page } = dashboard;
      const before = page.viewportSize();
      const { viewport, colorScheme, language } = LOOKS[look];
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.evaluate(`localStorage.setItem('hopcount.language', '${language}')`);
      const folder = join(PICTURES, look.replaceAll(', ', '-'));
      await mkdir(folder, { recursive: true });
      const found: Record<string, string[]> = {};
      for (const path of PAGES) {
        await page.goto(`${ORIGIN}/${path}`);
        await page.getByRole('heading', { level: 1 }).or(page.getByRole('alert')).first().waitFor();
        // What is drawn in panels is wanted when something is done once they are there.
        for (let time = 0; time < 2; time += 1) {
          await dashboard.act();
          await dashboard.whenWhole(60_000);
        }
        const wide = Number(await page.evaluate('document.scrollingElement.scrollWidth'));
        found[path] = [...(await dashboard.barriers()), ...(wide > viewport.width ? [`${wide} pixels wide`] : [])];
        await page.screenshot({
          path: join(folder, `${path.replaceAll(/\W+/g, '-') || 'overview'}.png`),
          fullPage: true,
        });
      }
      expect(found).toEqual(Object.fromEntries(PAGES.map((path) => [path, []])));
      await page.evaluate("localStorage.removeItem('hopcount.language')");
      await page.emulateMedia({ colorScheme: 'light' });
      if (before !== null) await page.setViewportSize(before);
      // Chromium writes that there was no such link.
      dashboard.browser.errors.splice(0);
    },
    2 * TEST_MS,
  );
}
