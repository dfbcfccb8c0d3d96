import { AppError, type Logger } from '@hopcount/runtime';
import type { Configuration, CustomFetchOptions } from 'openid-client';

import { failureOfAttempt, reasonOf, unavailable } from './provider-failure.js';

/** What the provider says of itself is asked for again after so long; its keys after five minutes (openid-client). */
const KNOWN_FOR_MS = 3_600_000;
/** One that did not answer is not asked again for so long: many who sign in would all wait for it. */
const AWAY_FOR_MS = 5_000;
/** Of each request. */
const TIMEOUT_SECONDS = 5;
const LARGEST_ANSWER = 512 * 1_024;

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Where the provider sends people back to. */
  redirectUri: string;
  /** Whose accounts are made when they first come; null: nobody's. */
  newcomers: { domains: readonly string[]; role: 'viewer' | 'member' } | null;
}

/** What one browser begins with, and has to come back with. */
export interface ProviderFlow {
  state: string;
  nonce: string;
  verifier: string;
}

/** Who came back. */
export interface ProviderPerson {
  issuer: string;
  /** For ever the same person's at this issuer. */
  subject: string;
  /** Asked for when it is needed. @returns email only if the provider has verified it */
  profile(): Promise<{ email: string | undefined; name: string | undefined }>;
}

/** Sign-in at an OpenID Connect provider: authorization code flow with PKCE (S256), state and nonce. */
export class OpenIdProvider {
  #known: { configuration: Configuration; until: number } | undefined;
  #asking: Promise<Configuration> | undefined;
  #awayUntil = 0;

  /** @param settings undefined: there is none */
  constructor(
    readonly settings: ProviderSettings | undefined,
    private readonly options: { logger: Pick<Logger, 'error'>; timeoutSeconds?: number },
  ) {}

  /** @returns where to send the browser. @throws AppError `no-provider`, `provider-unavailable` */
  async begin(): Promise<{ address: string; flow: ProviderFlow }> {
    const { redirectUri } = this.expectSettings();
    const oidc = await import('openid-client');
    const configuration = await this.#discover();
    return this.#told(unavailable, async () => {
      const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
      const address = oidc.buildAuthorizationUrl(configuration, {
        ...{ redirect_uri: redirectUri, scope: 'openid email profile', state, nonce },
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return { address: address.href, flow: { state, nonce, verifier } };
    });
  }

  /**
   * @param flow what this browser began with
   * @param search what it came back with
   * @throws AppError `no-provider`, `provider-unavailable`, `provider-sign-in-failed`
   */
  async finish(flow: ProviderFlow, search: string): Promise<ProviderPerson> {
    const address = new URL(this.expectSettings().redirectUri);
    address.search = search;
    const oidc = await import('openid-client');
    const configuration = await this.#discover();
    const tokens = await this.#told(failureOfAttempt, () =>
      oidc.authorizationCodeGrant(configuration, address, {
        ...{ expectedState: flow.state, expectedNonce: flow.nonce, pkceCodeVerifier: flow.verifier },
        idTokenExpected: true,
      }),
    );
    const claims = tokens.claims();
    if (claims === undefined || !/^[\x20-\x7e]{1,255}$/.test(claims.sub)) {
      throw new AppError('provider-sign-in-failed', 'The provider does not say who you are.');
    }
    const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
    return {
      issuer: claims.iss,
      subject: claims.sub,
      profile: async () => {
        const isTold = typeof claims['email'] === 'string' || !hasMore;
        const said = isTold
          ? claims
          : await this.#told(failureOfAttempt, () =>
              oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub),
            );
        const [email, name] = [textOf(said['email']), textOf(said['name'])];
        return { email: said['email_verified'] === true ? email : undefined, name };
      },
    };
  }

  /** @throws AppError `no-provider` */
  expectSettings(): ProviderSettings {
    if (this.settings !== undefined) return this.settings;
    throw new AppError('no-provider', 'No provider is set up here (OIDC_ISSUER): sign in with a password.');
  }

  /** One request for all who wait. */
  async #discover(): Promise<Configuration> {
    const nowMs = performance.now();
    if (this.#known !== undefined && nowMs < this.#known.until) return this.#known.configuration;
    if (nowMs < this.#awayUntil) throw unavailable();
    this.#asking ??= this.#told(unavailable, () => this.#ask())
      .then((configuration) => {
        this.#known = { configuration, until: performance.now() + KNOWN_FOR_MS };
        return configuration;
      })
      .catch((error: unknown) => {
        this.#awayUntil = performance.now() + AWAY_FOR_MS;
        throw error;
      })
      .finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #ask(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.expectSettings();
    const oidc = await import('openid-client');
    const [basic, post] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)];
    const server = new URL(issuer);
    const configuration = await oidc.discovery(
      server,
      clientId,
      undefined,
      (as, ...request) => {
        // What the specification assumes of a provider that does not say.
        const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = as;
        return (methods.includes('client_secret_basic') ? basic : post)(as, ...request);
      },
      {
        timeout: this.options.timeoutSeconds ?? TIMEOUT_SECONDS,
        [oidc.customFetch]: fetchBounded,
        // The signature, too, though the answer comes from the provider itself.
        execute: [
          oidc.enableNonRepudiationChecks,
          ...(server.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
        ],
      },
    );
    // Some providers speak for many issuers under one address: whoever has any of these could be anybody here.
    if (new URL(configuration.serverMetadata().issuer).href !== server.href) {
      throw new TypeError('the provider names another issuer than OIDC_ISSUER');
    }
    return configuration;
  }

  async #told<T>(problemOf: (error: unknown) => AppError, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code === 'provider-unavailable') {
        this.options.logger.error({ reason: reasonOf(error) }, 'the sign-in provider does not answer as it should');
      }
      throw problem;
    }
  }
}

/** No answer fills the memory, whoever sends it. */
async function fetchBounded(address: string, options: CustomFetchOptions): Promise<Response> {
  const { status, headers, body } = await fetch(address, options);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > LARGEST_ANSWER) throw new TypeError('the answer of the provider is too large');
    chunks.push(chunk);
  }
  return new Response(size === 0 ? null : Buffer.concat(chunks), { status, headers });
}

function textOf(claim: unknown): string | undefined {
  return typeof claim === 'string' ? claim : undefined;
}
