import { createHmac } from 'node:crypto';

import { answerOf } from '@hopcount/client';
import { expect, it } from '@jest/globals';

import { LinksApi } from '../../harness/links.js';
import { type DashboardPage, ORIGIN, PASSWORD, TEST_MS } from './dashboard-page.spec-helpers.js';

/** RFC 6238, as apps make codes of a Base32 secret. */
function codeOf(secret: string): string {
  const bits = [...secret].map((sign) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'));
  const key = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const digest = createHmac('sha1', key).update(step).digest();
  const at = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** In the profile, where a wrong password signs nobody out. @returns the recovery codes */
async function setUpSecondFactor(dashboard: DashboardPage): Promise<string[]> {
  const { page } = dashboard;
  const dialog = page.getByRole('dialog');
  const shown = (name: string) => page.locator(`pre[aria-label="${name}"]`);
  await page.goto(`${ORIGIN}/profile`);
  await page.getByRole('row').filter({ hasText: 'Here' }).filter({ hasText: 'Linux' }).waitFor();
  expect(await dashboard.barriers()).toEqual([]);
  await page.getByRole('button', { name: 'Set up a second factor' }).click();
  await dialog.getByRole('textbox', { name: /^Password/ }).fill(`${PASSWORD}, not`);
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByText('Email address, password or code is wrong.').waitFor();
  await dialog.getByRole('textbox', { name: /^Password/ }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Next' }).click();
  const secret = await shown('The secret').innerText();
  const qrCode = dialog.getByRole('img', { name: 'QR code of the secret' });
  // Its address says all of it, but it is decoded later.
  const width = qrCode.evaluate(async (image) => {
    const picture = image as unknown as { naturalWidth: number; decode(): Promise<void> };
    await picture.decode();
    return picture.naturalWidth;
  });
  expect(await width).toBeGreaterThan(100);
  expect(await dashboard.barriers()).toEqual([]);
  await dialog.getByLabel('One-time code').fill(codeOf(secret.replaceAll(/\s/g, '')));
  await dialog.getByRole('button', { name: 'Turn it on' }).click();
  const codes = (await shown('Recovery codes').innerText()).trim().split('\n');
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByRole('button', { name: 'Remove the second factor' }).waitFor();
  expect(await page.content()).not.toContain(codes[0]);
  return codes;
}

/** Somebody signs in, and stays signed in as the owner. */
export function ownerCases(opened: () => DashboardPage): void {
  const recoveryCodes: string[] = [];

  it(
    'takes the link of the first owner, and signs in with a password and a second factor, back to where somebody wanted to go',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await page.goto(`${ORIGIN}/invite#${await dashboard.invite('owner')}`);
      await page.getByLabel('Email address').fill(dashboard.email);
      await page.getByLabel('Name').fill('Ada');
      expect(await dashboard.barriers()).toEqual([]);
      await page.getByRole('textbox', { name: /^Password/ }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Go on' }).click();
      await dashboard.heading('Overview');
      recoveryCodes.push(...(await setUpSecondFactor(dashboard)));
      await dashboard.signOut();
      let asked = 0;
      page.on('request', (request) => (asked += Number(request.url().endsWith('/rest/v3/session'))));
      await page.goto(`${ORIGIN}/links?search=sale`);
      await dashboard.heading('Sign in');
      expect(asked).toBe(1);
      expect(await dashboard.barriers()).toEqual([]);
      await page.getByLabel('Email address').fill(dashboard.email);
      await page.getByRole('textbox', { name: /^Password/ }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByLabel('One-time code').fill(recoveryCodes[0] ?? '');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await dashboard.heading('Links');
      expect(page.url()).toBe(`${ORIGIN}/links?search=sale`);
      // Chromium writes that the api asked for the code.
      dashboard.browser.errors.splice(0);
    },
    TEST_MS,
  );

  it(
    'shows an owner a new key once, and it works',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await page.goto(`${ORIGIN}/api-keys`);
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('made here');
      expect(await dashboard.barriers()).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click();
      const shownOnce = page.locator('pre[aria-label="The key"]');
      await page.getByRole('button', { name: 'I have kept it' }).waitFor();
      const apiKey = (await shownOnce.innerText()).trim();
      const client = new LinksApi({ apiUrl: dashboard.stack.api.url, apiKey }).client;
      expect((await answerOf(client.GET('/rest/v3/tags'))).tags.data).toEqual(['spring']);
      await page.getByRole('button', { name: 'I have kept it' }).click();
      await page.getByRole('row').filter({ hasText: 'made here' }).waitFor();
      await page.reload();
      await page.getByRole('row').filter({ hasText: 'made here' }).waitFor();
      expect(await page.content()).not.toContain(apiKey);
      for (const path of ['users', 'tags', 'domains', 'groups']) {
        await page.goto(`${ORIGIN}/${path}`);
        await page.getByRole('table').first().or(page.getByText('no groups yet')).waitFor();
        expect(await dashboard.barriers()).toEqual([]);
      }
    },
    TEST_MS,
  );
}

/** Signs the owner out. */
export function viewerCases(opened: () => DashboardPage): void {
  it(
    'lets viewers look, and offers them nothing that they may not do',
    async () => {
      const dashboard = opened();
      const { page } = dashboard;
      await dashboard.signOut();
      await page.goto(`${ORIGIN}/invite#${await dashboard.invite('viewer')}`);
      await page.getByLabel('Email address').fill(`viewer-${dashboard.email}`);
      await page.getByLabel('Name').fill('Vic');
      await page.getByRole('textbox', { name: /^Password/ }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Go on' }).click();
      await dashboard.heading('Overview');
      await page.goto(`${ORIGIN}/links`);
      await page.getByRole('row').filter({ hasText: 'localhost:8080/sale' }).waitFor();
      expect(await page.getByLabel('Address to shorten').count()).toBe(0);
      await page.getByRole('button', { name: /^Actions for .*sale/ }).click();
      await page.getByRole('menuitem', { name: 'QR code' }).waitFor();
      expect(await page.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0);
      expect((await dashboard.ask('POST', 'short-urls', { longUrl: 'https://example.com/' })).status).toBe(403);
      for (const path of ['api-keys', 'users', 'webhooks', 'blocks', 'audit-log']) {
        await page.goto(`${ORIGIN}/${path}`);
        await page.getByText('Your role does not allow this.').waitFor();
        expect([path, (await dashboard.ask('GET', path)).status]).toEqual([path, 403]);
      }
      expect(await page.getByRole('link', { name: /^(API keys|Users|Webhooks|Blocks|Audit log)$/ }).count()).toBe(0);
      await page.goto(`${ORIGIN}/alerts`);
      await page.getByText('You have no alerts yet.').waitFor();
      await page.getByRole('button', { name: 'Create alert' }).click();
      const address = page.getByRole('dialog').getByLabel('E-mail address');
      expect([await address.inputValue(), await address.isEditable()]).toEqual([`viewer-${dashboard.email}`, false]);
      await page.goto(`${ORIGIN}/tags`);
      await page.getByRole('row').filter({ hasText: 'spring' }).waitFor();
      expect(await page.getByRole('button', { name: 'Actions for spring' }).count()).toBe(0);
      dashboard.browser.errors.splice(0);
    },
    TEST_MS,
  );
}
