import { readMoment } from '@hopcount/contracts';
import { addressPattern } from '@hopcount/runtime';

export const DEVICES = ['android', 'ios', 'mobile', 'windows', 'macos', 'linux', 'chromeos', 'desktop'] as const;
export const BROWSERS = ['chrome', 'firefox', 'edge', 'safari', 'opera', 'android_browser'] as const;

export const CONDITION_TYPES = [
  'device',
  'browser',
  'language',
  'query-param',
  'any-value-query-param',
  'valueless-query-param',
  'ip-address',
  'geolocation-country-code',
  'geolocation-city-name',
  'before-date',
  'after-date',
] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

export interface RedirectCondition {
  type: ConditionType;
  matchKey: string | null;
  matchValue: string | null;
}

/** Visitors for whom all conditions hold go there. Of a link's rules the first one counts. */
export interface RedirectRule {
  longUrl: string;
  conditions: RedirectCondition[];
}

/** One of several targets between which visitors are split. */
export interface SplitTarget {
  longUrl: string;
  /** Its share is this of the sum. */
  weight: number;
}

/** Of one link, however its rules and targets come here. All gateways hold them for each link that is visited. */
export const ROUTE_LIMITS = {
  rules: 50,
  /** Of a rule. */
  conditions: 20,
  targets: 20,
  weight: 10_000,
  /** Of a condition's key or value. */
  text: 256,
  /** Of all together, as JSON. */
  characters: 65_536,
} as const;

/** Where a link leads by who asks; when nothing here says so, to its long URL. */
export interface LinkRoutes {
  redirectRules: RedirectRule[];
  /** For visitors no rule is about; empty: none. */
  split: SplitTarget[];
}

/** Why the condition means nothing, or undefined when it is fine. */
export function conditionFault({ type, matchKey, matchValue }: RedirectCondition): string | undefined {
  const isOneOf = (values: readonly string[]) =>
    values.includes(matchValue ?? '') ? undefined : `matchValue must be one of ${values.join(', ')}`;
  const isLike = (pattern: RegExp, what: string) =>
    pattern.test(matchValue ?? '') ? undefined : `matchValue must be ${what}`;
  const hasKey = matchKey ? undefined : 'matchKey must name the parameter';
  switch (type) {
    case 'device':
      return isOneOf(DEVICES);
    case 'browser':
      return isOneOf(BROWSERS);
    case 'language':
      return isLike(/^[a-z]{2,3}([-_][a-z0-9]{2,8})*$/i, 'a language such as de or pt-BR');
    case 'query-param':
      return hasKey ?? (matchValue ? undefined : 'matchValue must be the value of the parameter');
    case 'any-value-query-param':
    case 'valueless-query-param':
      return hasKey;
    case 'ip-address':
      return addressPattern(matchValue ?? '') === undefined
        ? 'matchValue must be an address, a CIDR block or an IPv4 address with wildcards (1.2.*.4)'
        : undefined;
    case 'geolocation-country-code':
      return isLike(/^[A-Z]{2}$/, 'a country as two capital letters (ISO 3166-1 alpha-2)');
    case 'geolocation-city-name':
      return matchValue?.trim() ? undefined : 'matchValue must be the name of a city';
    case 'before-date':
    case 'after-date':
      return isMoment(matchValue ?? '')
        ? undefined
        : 'matchValue must be an RFC 3339 date and time, such as 2026-12-31T23:59:59+00:00';
  }
}

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

function isMoment(text: string): boolean {
  return MOMENT.test(text) && readMoment(text) !== undefined;
}
