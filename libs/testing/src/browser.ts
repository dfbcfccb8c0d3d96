import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Browser, Page } from 'playwright-core';

export type { Locator } from 'playwright-core';

/** Where Chromium is; undefined without one. `npm test` installs it where it may. */
export function findChromium(): string | undefined {
  // eslint-disable-next-line no-restricted-properties -- test tooling has no main.ts that could hand it over
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders.map((folder) => join(folder, 'chromium')).find((path) => existsSync(path));
}

export interface WatchedPage {
  page: Page;
  /** What a developer would see in red: errors in the console, exceptions, requests that left this machine. */
  errors: string[];
  close(): Promise<void>;
}

/** @param hosts what stands for host names and ports, such as `{ 'localhost:8080': '127.0.0.1:41234' }`; all others are unknown */
export async function openPage(executablePath: string, hosts: Record<string, string>): Promise<WatchedPage> {
  const rules = [...Object.entries(hosts).map(([from, to]) => `MAP ${from} ${to}`), 'MAP * ~NOTFOUND'];
  // Only here: loading it takes longer than most specs.
  const { chromium } = await import('playwright-core');
  const browser: Browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox', // which root cannot have
      '--disable-background-networking',
      // Debian's Chromium asks for one, which without hardware is made of processor time.
      ...['--disable-gpu', '--disable-gpu-rasterization', '--disable-software-rasterizer'],
      `--host-resolver-rules=${rules.join(', ')}, EXCLUDE 127.0.0.1`,
    ],
  });
  const page = await browser.newPage({
    viewport: { width: 1_400, height: 1_000 },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    // Contrast is not measured in the middle of a fade.
    reducedMotion: 'reduce',
  });
  page.setDefaultTimeout(60_000);
  const errors: string[] = [];
  const allowed = new Set(Object.keys(hosts));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => errors.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    const { protocol, host, hostname } = new URL(request.url());
    if (protocol.startsWith('http') && hostname !== '127.0.0.1' && !allowed.has(host)) errors.push(`asked ${host}`);
  });
  return { page, errors, close: () => browser.close() };
}
