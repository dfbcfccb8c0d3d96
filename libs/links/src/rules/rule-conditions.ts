import { addressPattern } from '@hopcount/runtime';

import type { DeviceFacts } from '../visitors/identify-device.js';
import type { RedirectCondition } from './redirect-rules.js';

/** What conditions are asked of: one visitor, at one moment. */
export interface RuleFacts {
  readonly device: Pick<DeviceFacts, 'os' | 'browser' | 'device'>;
  /** In lower case, also without their region. */
  readonly languages: ReadonlySet<string>;
  /** Values of each parameter of the query; `''` of one without a value. */
  readonly parameters: ReadonlyMap<string, readonly string[]>;
  readonly address: string | null;
  readonly place: { readonly country: string; readonly city: string };
  readonly nowMs: number;
}

type Test = (visitor: RuleFacts) => boolean;

/** @returns whether all of them hold for a visitor; what a later version or a hand wrote may have any shape */
export function compileConditions(conditions: readonly unknown[]): Test {
  const tests = conditions.map(compileCondition);
  const [first] = tests;
  if (tests.length === 1 && first !== undefined) return first;
  return (visitor) => tests.every((test) => test(visitor));
}

const MAX_LANGUAGES = 20;
const PREFERRED = 0.9;

/** Those of an `Accept-Language` with a q of 0.9 or more, in lower case, also without their region: `de-ch`, `de`. */
export function preferredLanguages(header: string): ReadonlySet<string> {
  const languages = new Set<string>();
  for (const item of header.split(',', MAX_LANGUAGES)) {
    const [tag = '', ...parameters] = item.split(';');
    const quality = parameters.map((text) => /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(text)?.[1]).find(Boolean) ?? '1';
    const language = tag.trim().toLowerCase().replaceAll('_', '-');
    if (!(Number(quality) >= PREFERRED) || language === '') continue;
    languages.add(language).add(language.split('-', 1)[0] as string);
  }
  return languages;
}

const NEVER: Test = () => false;

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
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
