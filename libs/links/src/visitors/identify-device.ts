import { UNKNOWN, type VisitEventV1 } from '@hopcount/contracts';
import { UAParser } from 'ua-parser-js';

import { memoised } from './memoised.js';

export interface DeviceFacts {
  os: string;
  osVersion: string | null;
  browser: string;
  /** Major version only: the minor one would make a value per patch release. */
  browserVersion: string | null;
  device: DeviceClass;
}

export type DeviceClass = 'desktop' | 'mobile' | 'tablet' | 'tv' | 'console' | 'wearable' | 'unknown';

const LONGEST_NAME = 64;
const LONGEST_VERSION = 32;

/** Maps: names come from visitors, and `constructor` is one of every object's. */
const OS_NAMES = new Map([
  ['Mac OS', 'macOS'],
  ['Chromium OS', 'ChromeOS'],
  ['Chrome OS', 'ChromeOS'],
  ['KAIOS', 'KaiOS'],
]);
const MOBILE_OS = new Set(['Android', 'iOS', 'Windows Phone', 'Windows Mobile', 'BlackBerry', 'KaiOS', 'HarmonyOS']);
const DESKTOP_OS =
  /^(Windows|macOS|ChromeOS|Linux|Ubuntu|Debian|Fedora|Arch|CentOS|RedHat|Mint|SUSE|openSUSE|Gentoo|Manjaro|Slackware|elementary OS|FreeBSD|OpenBSD|NetBSD|DragonFly|Solaris|Haiku|BeOS|OS\/2|AIX|HP-UX|Unix|GNU|Hurd|Kubuntu|Xubuntu|Lubuntu|Raspbian|PCLinuxOS|Sabayon|Linspire|Zenwalk|VectorLinux|Mageia|Mandriva|Deepin)$/;

const DEVICE_TYPES = new Map<string, DeviceClass>([
  ['mobile', 'mobile'],
  ['tablet', 'tablet'],
  ['smarttv', 'tv'],
  ['console', 'console'],
  ['wearable', 'wearable'],
]);

/**
 * User agent (and client hints where it is silent) → operating system, browser, kind of device.
 * - The parser's own device type wins: it knows models.
 * - Without one, a mobile system is a phone if the agent says "Mobile" (Opera has words of its own; or the hint does), else a
 *   tablet (Google's own rule for Android); a known desktop system is a desktop.
 * - Hints fill gaps only: a frozen user agent still names system and browser, and a hint alone
 *   cannot tell a tablet from a desktop.
 */
export function createIdentifyDevice() {
  const factsOfAgent = memoised(parseAgent);
  return function identifyDevice(visit: Pick<VisitEventV1, 'userAgent' | 'clientHints'>): DeviceFacts {
    const facts = factsOfAgent(visit.userAgent ?? '');
    return visit.clientHints === null ? facts : fillGaps(facts, visit.clientHints);
  };
}

function parseAgent(userAgent: string): DeviceFacts {
  const parser = new UAParser(withoutOpenNaver(userAgent));
  const browser = parser.getBrowser();
  const system = parser.getOS();
  // The parser takes every Opera Mini for an iPhone's; feature phones with Java have no system to name.
  const isJavaPhone = /\bJ2ME\b/.test(userAgent);
  const facts: DeviceFacts = {
    os: isJavaPhone ? UNKNOWN : name(system.name),
    osVersion: isJavaPhone ? null : version(system.version),
    browser: name(browser.name),
    browserVersion: version(browser.version?.split('.')[0]),
    device: 'mobile',
  };
  if (isJavaPhone) return facts;
  // The version is that of a Mac which is not there.
  if (facts.os === 'macOS' && ONLY_ON_IOS.test(userAgent))
    return { ...facts, os: 'iOS', osVersion: null, device: 'tablet' };
  return { ...facts, device: deviceClass(parser.getDevice().type, facts.os, userAgent) };
}

/**
 * iPads ask for desktop pages as a Mac does. Browsers that exist for iOS only tell them apart, and so does `Mobile`; Safari
 * itself says the same on both.
 */
const ONLY_ON_IOS =
  /\b(?:(?:CriOS|EdgiOS|FxiOS|OPiOS|GSA|OPT|OPX|Focus|Klar)\/|FBAN\/(?:FBIOS|MessengerForiOS)|Mobile\b)/;

/**
 * The parser looks for a version between `naver(` and a `)` after it; where there is none it takes cubic time to find out,
 * 0.1 s for 500 characters.
 */
function withoutOpenNaver(userAgent: string): string {
  const start = userAgent.search(/naver\(/i);
  if (start === -1) return userAgent;
  const end = userAgent.indexOf(')', start);
  const hasVersion = end !== -1 && /\d\.[\w.]/.test(userAgent.slice(start, end));
  return hasVersion ? userAgent : userAgent.replace(/naver\(/gi, 'naver ');
}

function deviceClass(type: string | undefined, os: string, userAgent: string): DeviceClass {
  const known = type === undefined ? undefined : DEVICE_TYPES.get(type);
  if (known !== undefined) return known;
  if (type !== undefined) return UNKNOWN;
  if (MOBILE_OS.has(os))
    return os === 'Android' && !/\bMobile\b|\bOpera (?:Mini|Mobi)\//.test(userAgent) ? 'tablet' : 'mobile';
  return DESKTOP_OS.test(os) ? 'desktop' : UNKNOWN;
}

function fillGaps(facts: DeviceFacts, hints: NonNullable<VisitEventV1['clientHints']>): DeviceFacts {
  const platform = hints.platform?.replaceAll('"', '').trim() ?? '';
  const os = facts.os === UNKNOWN && platform !== '' && platform !== 'Unknown' ? name(platform) : facts.os;
  const brand = facts.browser === UNKNOWN ? mainBrand(hints.brands ?? '') : undefined;
  return {
    os,
    osVersion: facts.osVersion,
    browser: brand === undefined ? facts.browser : name(brand.name),
    browserVersion: brand === undefined ? facts.browserVersion : version(brand.version),
    device: facts.device === UNKNOWN ? hintedDevice(hints.mobile, os) : facts.device,
  };
}

function hintedDevice(mobile: string | null, os: string): DeviceClass {
  if (mobile === '?1') return 'mobile';
  if (mobile === '?0' && os === 'Android') return 'tablet';
  return DESKTOP_OS.test(os) ? 'desktop' : UNKNOWN;
}

/** `"Chromium";v="131", "Google Chrome";v="131", "Not_A Brand";v="24"` → Chrome 131; made-up brands say "Not". */
function mainBrand(brands: string): { name: string; version: string } | undefined {
  const listed = [...brands.matchAll(/"([^"]+)"\s*;\s*v="(\d+)/g)]
    .map(([, brand = '', major = '']) => ({ name: brand.replace(/^(Google|Microsoft) /, ''), version: major }))
    .filter((brand) => !/not.{0,3}a.{0,3}brand/i.test(brand.name));
  return listed.find((brand) => brand.name !== 'Chromium') ?? listed[0];
}

function name(value: string | undefined): string {
  if (value === undefined || value === '') return UNKNOWN;
  return (OS_NAMES.get(value) ?? value).slice(0, LONGEST_NAME);
}

function version(value: string | undefined): string | null {
  return value === undefined || value === '' ? null : value.slice(0, LONGEST_VERSION);
}
