import { createRequire } from 'node:module';

import { createClassifyVisit } from './classify-visit.js';
import { createIdentifyDevice } from './identify-device.js';

/** Of agents of a corpus that nobody here wrote. */
export interface Verdicts {
  right: number;
  wrong: number;
  unknown: number;
}

export type Judged = Record<'bots' | 'people' | 'device' | 'system' | 'browser', Verdicts>;

interface Detector {
  detect(userAgent: string): { os?: { name?: string; family?: string }; client?: { type?: string; name?: string } };
}

const load = createRequire(import.meta.url);
const NO_SIGNALS = { purpose: null, doNotTrack: false };
/** The same system or browser by another name, in lower case. */
const SAME = new Map([
  ['mac', 'macos'],
  ['gnu/linux', 'linux'],
  ['chrome os', 'chromeos'],
  ['ipados', 'ios'],
  ['chrome mobile', 'chrome'],
  ['mobile chrome', 'chrome'],
  ['chrome mobile ios', 'chrome'],
  ['mobile safari', 'safari'],
  ['mobile firefox', 'firefox'],
  ['firefox mobile', 'firefox'],
  ['firefox mobile ios', 'firefox'],
  ['microsoft edge', 'edge'],
  ['samsung browser', 'samsung internet'],
  ['opera mobile', 'opera'],
  ['opera mobi', 'opera'],
  ['google search app', 'gsa'],
  ['internet explorer', 'ie'],
  ['duckduckgo privacy browser', 'duckduckgo'],
  ['yandex browser', 'yandex'],
]);

/** Agents of crawlers, by crawler-user-agents (MIT). */
export function crawlerAgents(): string[] {
  const crawlers = load('crawler-user-agents') as { instances: string[] }[];
  return [...new Set(crawlers.flatMap(({ instances }) => instances))];
}

/** Agents of browsers as a large site saw them, with their kind of device, by user-agents (BSD-2-Clause); the most frequent first. */
function browserAgents(): { userAgent: string; deviceCategory: string }[] {
  const path = load.resolve('user-agents').replace(/index\.cjs$/, 'user-agents.json');
  const agents = load(path) as { userAgent: string; deviceCategory: string; weight: number }[];
  const sorted = [...agents].sort((a, b) => b.weight - a.weight);
  return [...new Map(sorted.map((agent) => [agent.userAgent, agent])).values()];
}

/**
 * Our labels held against those of others: bots and people by what the corpus is of, devices by what the corpus says, systems
 * and browsers by Matomo's rules (node-device-detector, MIT), of the `most` most frequent agents.
 */
export function judgeLabels(most = Infinity): Judged {
  const classify = createClassifyVisit();
  const identify = createIdentifyDevice();
  const judged: Judged = { bots: none(), people: none(), device: none(), system: none(), browser: none() };
  for (const userAgent of crawlerAgents()) {
    const label = classify({ userAgent, signals: NO_SIGNALS });
    judged.bots[label === 'bot' || label === 'preview' ? 'right' : 'wrong'] += 1;
  }
  const browsers = browserAgents();
  for (const { userAgent, deviceCategory } of browsers) {
    judged.people[classify({ userAgent, signals: NO_SIGNALS }) === 'human' ? 'right' : 'wrong'] += 1;
    judged.device[verdict(identify({ userAgent, clientHints: null }).device, [deviceCategory])] += 1;
  }
  const DeviceDetector = load('node-device-detector') as new (options: object) => Detector;
  const detector = new DeviceDetector({ clientIndexes: true, deviceIndexes: true, osIndexes: true });
  for (const { userAgent } of browsers.slice(0, most)) {
    const { os, client } = detector.detect(userAgent);
    const ours = identify({ userAgent, clientHints: null });
    if (os?.name) judged.system[verdict(ours.os, [os.name, os.family ?? ''])] += 1;
    if (client?.type === 'browser') judged.browser[verdict(ours.browser, [client.name ?? ''])] += 1;
  }
  return judged;
}

function none(): Verdicts {
  return { right: 0, wrong: 0, unknown: 0 };
}

function verdict(ours: string, theirs: readonly string[]): keyof Verdicts {
  if (ours === 'unknown') return 'unknown';
  return theirs.some((name) => plain(name) === plain(ours)) ? 'right' : 'wrong';
}

function plain(name: string): string {
  const lower = name.toLowerCase();
  return SAME.get(lower) ?? lower;
}
