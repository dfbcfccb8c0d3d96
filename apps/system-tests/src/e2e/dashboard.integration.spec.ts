import { findChromium, waitUntil } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';

import { administrationCases } from './dashboard/administration.spec-helpers.js';
import { alertsCases } from './dashboard/alerts.spec-helpers.js';
import { DashboardPage, FIREFOX, IPHONE, SCRIPT, TEST_MS } from './dashboard/dashboard-page.spec-helpers.js';
import { groupViewerCases, linkPagesCases } from './dashboard/link-pages.spec-helpers.js';
import { linksCases, organiseCases } from './dashboard/links.spec-helpers.js';
import { evidenceCases } from './dashboard/evidence.spec-helpers.js';
import { hostsCases } from './dashboard/hosts.spec-helpers.js';
import { ownerCases, viewerCases } from './dashboard/people.spec-helpers.js';
import { loadingCases, looksCases } from './dashboard/loading.spec-helpers.js';
import { everyPageCases } from './dashboard/every-page.spec-helpers.js';
import { narrowingCases, oddTimesCases, statisticsCases, viewCases } from './dashboard/statistics.spec-helpers.js';
import { systemCases } from './dashboard/system.spec-helpers.js';

const chromium = findChromium();
if (chromium === undefined) process.stderr.write('SKIPPED: the dashboard, as there is no Chromium.\n');

/** One stack and one browser for all topics, in this order: the first signs in, the last signs out. */
(chromium === undefined ? describe.skip : describe)('the dashboard', () => {
  let dashboard: DashboardPage | undefined;
  const opened = () => dashboard!;

  beforeAll(async () => {
    dashboard = await DashboardPage.open(chromium!);
    const { links } = dashboard;
    await links.create({ longUrl: 'https://example.com/sale', customSlug: 'sale', tags: ['spring'] });
    await links.create({ longUrl: 'https://example.com/other', customSlug: 'other', title: SCRIPT });
    for (let n = 0; n < 3; n += 1) await dashboard.visit('/sale', FIREFOX, 'https://news.test/today');
    for (let n = 0; n < 2; n += 1) await dashboard.visit('/sale', IPHONE, 'javascript:alert(1)');
    await dashboard.visit(
      `/other?utm_campaign=${encodeURIComponent(SCRIPT)}`,
      SCRIPT,
      `https://hostile.test/${SCRIPT}`,
    );
    await waitUntil(async () => (await dashboard!.totals()).visits === 6, {
      timeoutMs: 30_000,
      describe: 'the visits counted',
    });
  }, TEST_MS);
  afterEach(() => dashboard?.expectQuiet());
  afterAll(() => dashboard?.close(), TEST_MS);

  ownerCases(opened);
  statisticsCases(opened);
  viewCases(opened);
  narrowingCases(opened);
  hostsCases(opened);
  loadingCases(opened);
  looksCases(opened);
  evidenceCases(opened);
  linksCases(opened);
  linkPagesCases(opened);
  organiseCases(opened);
  administrationCases(opened);
  alertsCases(opened);
  systemCases(opened);
  everyPageCases(opened);
  oddTimesCases(opened);
  viewerCases(opened);
  groupViewerCases(opened);
});
