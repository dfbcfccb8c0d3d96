import { randomBytes } from 'node:crypto';

import { call } from './http.js';
import type { RunningStack } from './stack.js';

const someSecret = () => randomBytes(20).toString('hex');
const FORM = 'application/x-www-form-urlencoded';

/**
 * People, a visitor and a receiver of webhooks hand over each of their secrets, rightly and wrongly. The first of the people makes their
 * account by the link that `npm start` printed, which makes one owner and no other.
 * @returns these secrets
 * @throws when one does not do what it is for
 */
export async function handOverSecrets({ file, printed }: Pick<RunningStack, 'file' | 'printed'>): Promise<string[]> {
  const ask = async (method: string, path: string, body?: object, headers?: Record<string, string>) => {
    const answer = await call(`${file.apiUrl}/rest/v3/${path}`, {
      method,
      headers: { ...(headers ?? { 'x-api-key': file.apiKey }), ...(body && { 'content-type': 'application/json' }) },
      body: JSON.stringify(body),
    });
    return { ...answer, told: JSON.parse(answer.body || '{}') as Record<string, string> };
  };
  const [email, password, wrong] = ['ada@example.com', someSecret(), someSecret()];
  const page = { 'sec-fetch-site': 'same-origin' };
  const [, origin = '', invite = ''] =
    /Make your account \(the link works once\): (http\S+)#([\w-]+)/.exec(printed) ?? [];
  expectStatus(200, await call(origin, { headers: { accept: 'text/html' } }));
  const person = { token: invite, email, name: 'Ada', password };
  const accepted = expectStatus(200, await ask('POST', 'users/accept', person, page));
  if (accepted.told['role'] !== 'owner') throw new Error(`not an owner's account: ${accepted.body}`);
  expectStatus(404, await ask('POST', 'users/accept', { ...person, email: 'eve@example.com' }, page));
  const cookies = [accepted.headers['set-cookie']];
  expectStatus(401, await ask('POST', 'session', { email, password: wrong }, page));
  cookies.push(expectStatus(200, await ask('POST', 'session', { email, password }, page)).headers['set-cookie']);
  const sessions = cookies.map((cookie) => /=([^;]+)/.exec(String(cookie))?.[1] ?? '');
  const signedIn = { ...page, cookie: `__Host-hopcount=${sessions.at(-1)}` };
  const factor = expectStatus(200, await ask('POST', 'session/second-factor', { password }, signedIn));

  const link = { longUrl: 'https://example.com/', password: someSecret() };
  const { shortUrl = '' } = expectStatus(200, await ask('POST', 'short-urls', link)).told;
  const tried = someSecret();
  const submit = (given: string) =>
    call(file.gatewayUrl + new URL(shortUrl).pathname, {
      ...{ method: 'POST', body: new URLSearchParams({ password: given }).toString() },
      headers: { 'content-type': FORM },
    });
  expectStatus(401, await submit(tried));
  const opened = expectStatus(303, await submit(link.password));
  const pass = /=([^;]+)/.exec(String(opened.headers['set-cookie']))?.[1] ?? '';

  const webhook = { url: 'https://hooks.example.com/', events: ['link.created'] };
  const { secret: signing = '' } = (await ask('POST', 'webhooks', webhook)).told;
  const { token: follower = '' } = expectStatus(200, await ask('GET', 'mercure-info')).told;
  await Promise.all([
    fetch(`${file.apiUrl}/rest/v3/live?topic=x&authorization=${follower}`).then((answer) => answer.body?.cancel()),
    ask('GET', `session?token=${invite}`, undefined, signedIn),
  ]);
  const secret = factor.told['secret'] ?? '';
  return [invite, password, wrong, ...sessions, secret, link.password, tried, pass, signing, follower];
}

function expectStatus<Answer extends { status: number; body: string }>(status: number, answer: Answer): Answer {
  if (answer.status !== status) throw new Error(`${answer.status} instead of ${status}: ${answer.body}`);
  return answer;
}
