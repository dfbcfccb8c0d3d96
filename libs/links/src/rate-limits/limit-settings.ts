import { type Config, env } from '@hopcount/runtime';
import type { z } from 'zod';

/** Limits of requests on gateways. As all of this file: settings of the environment that a value in PostgreSQL overrides (FollowedLimits). */
export const gatewayLimits = {
  /** Limits requests by client address (IPv6: by /64), over all gateways; wants TRUSTED_PROXIES behind a proxy. */
  RATE_LIMIT_REDIRECTS: env.flag(false),
  /** Requests of an address: at once, and a second. */
  REDIRECT_LIMIT: env.bucket('100:10'),
  /** Of these, requests that find nothing: who tries codes is refused until they come back. */
  NOT_FOUND_LIMIT: env.bucket('30:0.5'),
};

export const apiLimits = {
  /** Off: the api limits nothing, and says nothing of limits. */
  API_RATE_LIMITS: env.flag(true),
  /** Of each API key: requests at once, and a second. */
  READ_LIMIT: env.bucket('5000:1000'),
  STATISTICS_LIMIT: env.bucket('500:100'),
  WRITE_LIMIT: env.bucket('5000:1000'),
  /** Of each API key: links, of a batch each one. */
  CREATE_LIMIT: env.bucket('10000:300'),
  /** Of each API key: counts of hosts it feeds, a batch 100 beside its lines. */
  HOST_COUNT_LIMIT: env.bucket('200000:2000'),
  /** Of each client address (IPv6: of a /64): requests with a key that is none. */
  FAILED_KEY_LIMIT: env.bucket('100:1'),
  /** Always on. Attempts to sign in: of each account from one client address (IPv6: a /64), and of a signed-in user's passwords and codes. */
  SIGN_IN_LIMIT: env.bucket('10:0.02'),
  /** Of each client address. */
  SIGN_IN_ADDRESS_LIMIT: env.bucket('50:0.1'),
  /** Of each account, from anywhere: those that failed. */
  SIGN_IN_ACCOUNT_LIMIT: env.bucket('100:0.2'),
};

const SCHEMAS = { ...gatewayLimits, ...apiLimits };

export type LimitName = keyof typeof SCHEMAS;
/** As the configurations of the processes have them. */
export type LimitValues = Config<z.ZodObject<typeof SCHEMAS>>;

export const LIMIT_NAMES = Object.keys(SCHEMAS) as LimitName[];

export function followersOf(name: LimitName): 'gateway' | 'api' {
  return name in gatewayLimits ? 'gateway' : 'api';
}

/** Undefined: it cannot be read. */
export function readLimit(name: LimitName, text: string): LimitValues[keyof LimitValues] | undefined {
  return SCHEMAS[name].safeParse(text).data;
}

/** As `readLimit` would take it. */
export function defaultOf(name: LimitName): string {
  const value = SCHEMAS[name].parse(undefined);
  return typeof value === 'boolean' ? String(value) : `${value.burst}:${value.perSecond}`;
}

/** Why a limit cannot be set to that, as a sentence; undefined: it can. */
export function limitFault(name: LimitName, value: string): string | undefined {
  if (readLimit(name, value) !== undefined) return undefined;
  const wanted =
    typeof SCHEMAS[name].parse(undefined) === 'boolean'
      ? 'give true or false'
      : 'give how many requests at once (1 to 9999999) and how many a second (above 0, at most four decimals), such as 100:10 or 30:0.5';
  return `${name} cannot be "${value}": ${wanted}.`;
}

export function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(SCHEMAS, name);
}
