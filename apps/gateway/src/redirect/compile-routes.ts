import { createHash } from 'node:crypto';

import type { LinkPolicy, RedirectCondition, ResolvedLink, SplitTarget } from '@hopcount/links';
import { addressPattern } from '@hopcount/runtime';

import { RedirectTarget, type TargetRules } from './redirect-target.js';
import type { VisitorFacts } from './visitor-facts.js';

/** Where one visitor goes; `name` goes into the visit. */
export interface Route {
  name: string;
  target: RedirectTarget;
}

export interface CompiledRoutes {
  /** Undefined: to the long URL. */
  choose(visitor: VisitorFacts): Route | undefined;
  /** Whether geography is asked for. */
  needsPlace: boolean;
  /** Whether a page comes before one of the targets. */
  mayWarn: boolean;
}

type Test = (visitor: VisitorFacts) => boolean;

/** A link's rules and split, or undefined when it has none. */
export function compileRoutes(
  link: ResolvedLink,
  { rules = [], split = [] }: LinkPolicy,
  targets: TargetRules,
): CompiledRoutes | undefined {
  if (rules.length === 0 && split.length === 0) return undefined;
  const compiled = rules.flatMap((rule, index) => {
    const target = targetOf(rule, targets);
    const conditions = conditionsOf(rule);
    if (target === undefined || conditions === undefined) return [];
    return [{ route: { name: `rule:${index + 1}`, target }, tests: conditions.map(compileCondition) }];
  });
  const parts = splitTargets(split, targets);
  const divide = compileSplit(link.id, parts);
  return {
    choose: (visitor) => compiled.find(({ tests }) => tests.every((test) => test(visitor)))?.route ?? divide(visitor),
    needsPlace: rules.some((rule) => conditionsOf(rule)?.some(asksForPlace) === true),
    mayWarn: [...compiled, ...parts].some(({ route }) => route.target.action === 'warn'),
  };
}

interface SplitPart {
  route: Route;
  weight: number;
}

function splitTargets(split: readonly SplitTarget[], rules: TargetRules): SplitPart[] {
  return split.flatMap((part, index) => {
    const target = targetOf(part, rules);
    const { weight } = fieldsOf(part);
    return target === undefined || typeof weight !== 'number'
      ? []
      : [{ route: { name: `split:${index + 1}`, target }, weight }];
  });
}

/** A visitor's place in the split depends on visitor and link only, so it is the same on every gateway. */
function compileSplit(linkId: string, targets: readonly SplitPart[]): (visitor: VisitorFacts) => Route | undefined {
  const sum = targets.reduce((total, { weight }) => total + weight, 0);
  return (visitor) => {
    if (targets.length === 0) return undefined;
    const digest = createHash('sha256').update(`${linkId} ${visitor.visitorKey()}`).digest();
    let left = (digest.readUIntBE(0, 6) / 2 ** 48) * sum;
    return targets.find(({ weight }) => (left -= weight) < 0)?.route;
  };
}

const NEVER: Test = () => false;

/** What a later version or a hand wrote may have any shape; the api has judged the rest. */
function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function targetOf(value: unknown, rules: TargetRules): RedirectTarget | undefined {
  const { longUrl } = fieldsOf(value);
  return typeof longUrl === 'string' ? RedirectTarget.of(longUrl, rules) : undefined;
}

/** Undefined: nobody knows whom the rule is for. */
function conditionsOf(rule: unknown): readonly unknown[] | undefined {
  const { conditions } = fieldsOf(rule);
  return Array.isArray(conditions) ? (conditions as unknown[]) : undefined;
}

function asksForPlace(condition: unknown): boolean {
  const { type } = fieldsOf(condition);
  return typeof type === 'string' && type.startsWith('geolocation-');
}

const BROWSERS = new Map(
  Object.entries({
    chrome: /^(Mobile )?Chrom(e|ium)\b/,
    firefox: /^(Mobile )?Firefox\b/,
    edge: /^Edge\b/,
    safari: /^(Mobile )?Safari$/,
    opera: /^Opera\b/,
    android_browser: /^Android Browser$/,
  }),
);
const NOT_LINUX = /^(Windows|macOS|ChromeOS|.*BSD|DragonFly|Solaris|Haiku|BeOS|OS\/2|AIX|HP-UX|Unix|Hurd)$/;

const DEVICES = new Map(
  Object.entries<Test>({
    android: ({ device }) => device.os === 'Android',
    ios: ({ device }) => device.os === 'iOS',
    mobile: ({ device }) => device.device === 'mobile' || device.device === 'tablet',
    windows: ({ device }) => device.os === 'Windows',
    macos: ({ device }) => device.os === 'macOS',
    linux: ({ device }) => device.device === 'desktop' && !NOT_LINUX.test(device.os),
    chromeos: ({ device }) => device.os === 'ChromeOS',
    desktop: ({ device }) => device.device === 'desktop',
  }),
);

/** What is unknown here holds for nobody. */
function compileCondition(condition: unknown): Test {
  const { type, matchKey, matchValue } = fieldsOf(condition) as Partial<RedirectCondition>;
  const [key, value] = [matchKey ?? '', matchValue ?? ''];
  if (typeof key !== 'string' || typeof value !== 'string') return NEVER;
  switch (type) {
    case 'device':
      return DEVICES.get(value) ?? NEVER;
    case 'browser': {
      const pattern = BROWSERS.get(value);
      return pattern === undefined ? NEVER : ({ device }) => pattern.test(device.browser);
    }
    case 'language': {
      const language = value.toLowerCase().replaceAll('_', '-');
      return ({ languages }) => languages.has(language);
    }
    case 'query-param':
      return ({ parameters }) => parameters.get(key)?.includes(value) === true;
    case 'any-value-query-param':
      return ({ parameters }) => parameters.has(key);
    case 'valueless-query-param':
      return ({ parameters }) => parameters.get(key)?.includes('') === true;
    case 'ip-address': {
      const isMeant = addressPattern(value);
      return isMeant === undefined ? NEVER : ({ address }) => address !== null && isMeant(address);
    }
    case 'geolocation-country-code':
      return ({ place }) => place.country === value;
    case 'geolocation-city-name': {
      const city = value.trim().toLowerCase();
      return ({ place }) => place.city.toLowerCase() === city;
    }
    case 'before-date':
      return before(value);
    case 'after-date':
      return after(value);
    case undefined:
    default:
      return NEVER;
  }
}

function before(value: string): Test {
  const limitMs = Date.parse(value);
  return ({ nowMs }) => nowMs < limitMs;
}

function after(value: string): Test {
  const limitMs = Date.parse(value);
  return ({ nowMs }) => nowMs > limitMs;
}
