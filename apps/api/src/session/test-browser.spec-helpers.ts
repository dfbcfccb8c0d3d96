import { findChromium, openPage } from '@hopcount/testing';

export const CHROMIUM = findChromium();
if (CHROMIUM === undefined) process.stderr.write('SKIPPED: signing in with a browser, as there is no Chromium.\n');

/** With the provider, in Chromium, which finds the api at its public address. */
export async function signInAndOut(apiUrl: string, publicUrl: string) {
  const browser = await openPage(CHROMIUM ?? '', { [new URL(publicUrl).host]: new URL(apiUrl).host });
  const { page } = browser;
  const cookiesOfHost = async () => (await page.context().cookies()).filter(({ name }) => name.startsWith('__Host-'));
  /** As a page of ours asks of the session. */
  const ask = (method: string) =>
    page.evaluate(async (how) => {
      const answer = await fetch('/rest/v3/session', { method: how });
      return { status: answer.status, text: await answer.text() };
    }, method);
  try {
    await page.goto(`${publicUrl}/rest/v3/session/oidc`, { waitUntil: 'commit' });
    const [at, cookies, { status, text }] = [page.url(), await cookiesOfHost(), await ask('GET')];
    const signedIn = { at, status, who: JSON.parse(text) as unknown };
    const ended = await ask('DELETE');
    const signedOut = { status: ended.status, cookies: await cookiesOfHost(), after: (await ask('GET')).status };
    return { signedIn, cookies, signedOut };
  } finally {
    await browser.close();
  }
}
