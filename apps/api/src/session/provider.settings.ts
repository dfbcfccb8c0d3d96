import type { ProviderSettings } from '@hopcount/identities';
import { env } from '@hopcount/runtime';
import { z } from 'zod';

/** The route that the provider sends people back to. */
const CALLBACK = '/rest/v3/session/oidc/callback';
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/]|$)/;
const DOMAIN = /^[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)+$/;

const issuer = z
  .url()
  .refine((text) => text.startsWith('https://') || LOOPBACK.test(text), 'an https address (http on this machine only)')
  // As openid-client takes it, whatever that document says its issuer is would be believed.
  .refine((text) => !/\.well-known|[?#]/.test(text), 'the issuer itself, without what is behind it');

/** Sign-in with an OpenID Connect provider, beside passwords. */
export const providerSettings = {
  /** As the provider writes it; of one tenant. Unset: people sign in with passwords only. */
  OIDC_ISSUER: issuer.optional(),
  OIDC_CLIENT_ID: z.string().min(1).max(1_000).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).max(1_000).optional(),
  /** Who has no account gets one when the provider has verified an email address of exactly one of these; unset: nobody does. */
  OIDC_DOMAINS: env
    .list()
    .transform((domains) => domains.map((domain) => domain.toLowerCase()))
    .refine((domains) => domains.every((domain) => DOMAIN.test(domain)), 'domains such as example.com'),
  /** Role of everything that these accounts have. No owner is made that way. */
  OIDC_ROLE: z.enum(['viewer', 'member']).optional(),
};

interface ProviderConfig {
  oidcIssuer?: string | undefined;
  oidcClientId?: string | undefined;
  oidcClientSecret?: string | undefined;
  oidcDomains: readonly string[];
  oidcRole?: 'viewer' | 'member' | undefined;
  apiPublicUrl?: string | undefined;
}

/** Half of the settings is a mistake, and would close or open something that nobody meant. */
export function checkProviderSettings(
  given: { [Name in keyof typeof providerSettings]?: unknown } & { API_PUBLIC_URL?: unknown },
  context: z.core.$RefinementCtx,
): void {
  const missing = (name: string, why: string) => context.addIssue({ code: 'custom', path: [name], message: why });
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_DOMAINS, OIDC_ROLE, API_PUBLIC_URL } = given;
  const domains = OIDC_DOMAINS as readonly string[] | undefined;
  const hasDomains = domains !== undefined && domains.length > 0;
  if (OIDC_ISSUER !== undefined) {
    if (OIDC_CLIENT_ID === undefined) missing('OIDC_CLIENT_ID', 'needed with OIDC_ISSUER');
    if (OIDC_CLIENT_SECRET === undefined) missing('OIDC_CLIENT_SECRET', 'needed with OIDC_ISSUER');
    if (API_PUBLIC_URL === undefined) missing('API_PUBLIC_URL', 'needed with OIDC_ISSUER: people are sent back to it');
  } else if (OIDC_CLIENT_ID !== undefined || hasDomains) {
    missing('OIDC_ISSUER', 'needed with the other OIDC_ settings');
  }
  if (hasDomains && OIDC_ROLE === undefined) missing('OIDC_ROLE', 'needed with OIDC_DOMAINS: viewer or member');
  if (!hasDomains && OIDC_ROLE !== undefined) missing('OIDC_DOMAINS', 'needed with OIDC_ROLE: whose role it is');
}

/** undefined: there is none. */
export function toProvider(config: ProviderConfig): ProviderSettings | undefined {
  const { oidcIssuer, oidcClientId = '', oidcClientSecret = '', oidcDomains, oidcRole, apiPublicUrl = '' } = config;
  if (oidcIssuer === undefined) return undefined;
  return {
    ...{ issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret },
    // In the form in which it is named when the code is redeemed: providers compare the two letter by letter.
    redirectUri: new URL(`${apiPublicUrl}${CALLBACK}`).href,
    newcomers: oidcRole === undefined ? null : { domains: oidcDomains, role: oidcRole },
  };
}
