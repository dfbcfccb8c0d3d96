import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import Provider, { type Configuration } from 'oidc-provider';

export const CLIENT = { client_id: 'hopcount', client_secret: 'a secret of tests, 32 characters' };

interface Claims {
  email?: string;
  email_verified?: boolean;
  name?: string;
}

/** A real OpenID Connect provider on this machine, in which whoever is named signs in without a password. */
export class TestProvider {
  /** By subject. */
  readonly people = new Map<string, Claims>();
  /** Paths, in order. */
  readonly asked: string[] = [];
  /** What becomes of the next tokens. */
  tamper: (idToken: string) => string = (idToken) => idToken;
  /** Answers 503, nothing at all, or without an end. */
  ill: '' | 'refusing' | 'silent' | 'endless' = '';
  /** Who signs in next. */
  who = '';

  private constructor(
    readonly issuer: string,
    private readonly server: Server,
    private readonly key: KeyObject,
  ) {}

  static async start(...redirectUris: string[]): Promise<TestProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const test = new TestProvider(issuer, server, privateKey);
    const provider = new Provider(issuer, test.#settings(redirectUris));
    provider.use(async (context, next) => {
      test.asked.push(context.path);
      if (test.ill === 'silent') await new Promise(() => undefined);
      if (test.ill === 'refusing') return void (context.status = 503);
      if (test.ill === 'endless') return void (context.body = { issuer, more: 'x'.repeat(1 << 20) });
      await next();
      const body = context.body as { id_token?: string } | undefined;
      if (context.path === '/token' && body?.id_token !== undefined) body.id_token = test.tamper(body.id_token);
    });
    const answer = provider.callback();
    server.on('request', (request, response) => {
      const isSigningIn = request.url?.startsWith('/interaction/') === true;
      if (isSigningIn) void provider.interactionFinished(request, response, { login: { accountId: test.who } });
      else void answer(request, response);
    });
    return test;
  }

  /** As a browser that was there never before. @returns where it is sent back to */
  async signIn(address: string, who: string): Promise<string> {
    this.who = who;
    const jar = new Map<string, string>();
    let at = address;
    while (new URL(at).origin === this.issuer) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(at, { redirect: 'manual', headers: { cookie } });
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        jar.set(name, value);
      }
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`the provider answers ${answer.status}: ${await answer.text()}`);
      at = new URL(location, at).href;
    }
    return at;
  }

  /** Signed by the provider's own key, saying something else. */
  signing(change: object): (idToken: string) => string {
    return (idToken) => {
      const content = changed(idToken, change);
      return `${content}.${sign('RSA-SHA256', Buffer.from(content), this.key).toString('base64url')}`;
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #settings(redirectUris: string[]): Configuration {
    const jwk = { ...this.key.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'RS256' };
    return {
      clients: [{ ...CLIENT, redirect_uris: redirectUris }],
      jwks: { keys: [jwk] as never },
      cookies: { keys: ['only for tests'] },
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
      pkce: { required: () => true },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...this.people.get(sub) }) }),
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({ clientId: CLIENT.client_id, accountId: oidc.session?.accountId ?? '' });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    };
  }
}

/** Without a signature. */
export function changed(idToken: string, change: object, header?: object): string {
  const [head = '', body = ''] = idToken.split('.');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
  return [header === undefined ? head : encode(header), encode({ ...claims, ...change })].join('.');
}

function encode(content: object): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}
