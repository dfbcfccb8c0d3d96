import type { TestApi } from '../api.spec-helpers.js';
import type { TestProvider } from './test-provider.spec-helpers.js';

interface Options {
  of?: TestApi;
  cookies?: string[];
  query?: string;
}

interface Opened {
  status: number;
  type: string | undefined;
  to: string;
  set: string[];
  session: string | undefined;
}

/** What browsers are sent when they sign in with a provider; `origin` is where they think that the api is. */
export class TestBrowsers {
  constructor(
    private readonly api: TestApi,
    private readonly provider: TestProvider,
    private readonly origin: string,
  ) {}

  /** As a browser opens it. */
  async open(
    address: string,
    { of = this.api, cookies = [] }: Options = {},
    more: Record<string, string> = {},
  ): Promise<Opened> {
    const headers = { ...more, cookie: cookies.join('; ') };
    const answer = await fetch(address.replace(this.origin, of.url), { redirect: 'manual', headers });
    const text = await answer.text();
    const type = text === '' ? '' : (JSON.parse(text) as { type: string }).type.split(':').at(-1);
    const set = answer.headers.getSetCookie();
    const session = set.find((line) => line.startsWith('__Host-hopcount='));
    return {
      status: answer.status,
      type,
      to: answer.headers.get('location') ?? '',
      set,
      session: session?.split(';')[0],
    };
  }

  async begin({ of, query = '' }: Options = {}): Promise<Opened & { cookies: string[] }> {
    const begun = await this.open(`${this.origin}/rest/v3/session/oidc${query}`, { of: of ?? this.api });
    return { ...begun, cookies: begun.set.map((line) => line.split(';')[0] ?? '') };
  }

  async signIn(who: string, options: Options = {}): Promise<Opened> {
    const { to, cookies } = await this.begin(options);
    const back = await this.provider.signIn(to, who);
    return this.open(back, { ...options, cookies: [...cookies, ...(options.cookies ?? [])] });
  }
}
