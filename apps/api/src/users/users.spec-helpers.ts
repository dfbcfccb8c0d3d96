import { expect } from '@jest/globals';

import { type Answer, TestApi } from '../api.spec-helpers.js';

export const PASSWORD = 'a rather long one';
export const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };
/** Attempts to sign in are counted in a Redis that outlives this run. */
export const HOST = `${Date.now().toString(36)}-${process.pid}.test`;

interface Given {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  cookie?: string;
  /** Instead of the first one. */
  of?: TestApi;
}

export const cookieOf = ({ headers }: Answer) => headers.get('set-cookie')?.split(';')[0] ?? '';

/** People of an api. */
export class TestUsers {
  #made = 0;

  constructor(private readonly api: TestApi) {}

  /** Without a key unless the headers have one. */
  ask(path: string, { method = 'GET', body, headers = SAME_ORIGIN, cookie, of = this.api }: Given = {}) {
    return of.request(method, `/rest/v3/${path}`, {
      body,
      headers: { 'x-api-key': '', ...headers, ...(cookie === undefined ? {} : { cookie: `a=b; ${cookie}` }) },
    });
  }

  /** @returns the token of its link */
  async invite(body: object): Promise<string> {
    const answer = await this.api.request('POST', '/rest/v3/users/invites', { body });
    expect(answer.body).toHaveProperty('token');
    return answer.body['token'] as string;
  }

  accept(token: string, email?: string, password = PASSWORD) {
    const body = { token, password, ...(email && { email, name: 'Somebody' }) };
    return this.ask('users/accept', { method: 'POST', body });
  }

  signIn(email: string, password = PASSWORD, more: Given = {}) {
    return this.ask('session', { method: 'POST', body: { email, password }, ...more });
  }

  /** Signed in. */
  async create(roles: object = { role: 'member' }) {
    const email = `user-${(this.#made += 1)}@${HOST}`;
    const answer = await this.accept(await this.invite(roles), email);
    expect(answer.status).toBe(200);
    return { email, id: answer.body['id'] as number, cookie: cookieOf(answer) };
  }

  async isSignedIn(cookie: string, of = this.api): Promise<boolean> {
    return (await this.ask('session', { cookie, of })).status === 200;
  }
}
