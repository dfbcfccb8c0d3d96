import { setTimeout as sleep } from 'node:timers/promises';

import { answerOf } from '@hopcount/client';
import { findChromium, openPage, waitUntil, type WatchedPage } from '@hopcount/testing';

import { LinksApi } from '../harness/links.js';
import { seededRandom, zipfPicker } from '../harness/random.js';
import { type BenchStack, forgetVisits, LINKS } from './bench-stack.js';
import { countedOffsets } from './counted.js';
import { rateWithLighthouse } from './lighthouse.js';
import { spreadOf } from './numbers.js';
import { produceVisits } from './produce-visits.js';
import type { Figure, Section } from './report.js';

const VISITS = 50_000;
const THROTTLING = 4;
const PAGES = { overview: '/', links: '/links', 'a link': '/links/bench-0' };
/** A page on which nothing is done for so long is done loading. */
const CALM_MS = 5_000;
const LONGEST_MS = 30_000;
const LEAST_SCORE = 95;

/** What the browser says of a load, in milliseconds since it began. */
interface Seen {
  paintedMs: number;
  numbersMs: number;
  /** Begin and length of what kept the page busy for more than 50 ms. */
  busy: [number, number][];
  shifted: number;
}

const WATCH = `
  const seen = (globalThis.seen = { paintedMs: 0, numbersMs: 0, busy: [], shifted: 0 });
  const watch = (type, see) =>
    new PerformanceObserver((list) => list.getEntries().forEach(see)).observe({ type, buffered: true });
  watch('paint', ({ name, startTime }) => name === 'first-contentful-paint' && (seen.paintedMs = startTime));
  watch('longtask', ({ startTime, duration }) => seen.busy.push([startTime, duration]));
  watch('layout-shift', ({ value, hadRecentInput }) => hadRecentInput || (seen.shifted += value));
  new MutationObserver(() => {
    const isShown = document.querySelector('[data-total=visits] button, tbody tr') !== null;
    if (isShown && seen.numbersMs === 0) seen.numbersMs = performance.now();
  }).observe(document, { childList: true, subtree: true });
`;

/** Pages of the dashboard in Chromium, nothing cached, on a processor four times slower. */
export async function benchDashboard(bench: BenchStack): Promise<Section[]> {
  const chromium = findChromium();
  if (chromium === undefined) throw new Error('there is no Chromium');
  await forgetVisits(bench.pool);
  const before = await countedOffsets(bench);
  await produceVisits(bench.stack.file.kafkaBrokers, VISITS, { nextLink: zipfPicker(seededRandom(3), LINKS) });
  await waitUntil(async () => (await countedOffsets(bench)) - before >= VISITS, {
    timeoutMs: 120_000,
    describe: 'the visits counted',
  });
  const { host, port } = new URL(bench.stack.file.apiUrl);
  const { cookie, section } = await watchLoads(bench, await openPage(chromium, { [host]: `127.0.0.1:${port}` }));
  return [section, await rate(bench, { chromium, cookie })];
}

/** Its browser is closed afterwards: what slows a page down keeps a core busy, and Lighthouse needs both. */
async function watchLoads(bench: BenchStack, watched: WatchedPage): Promise<{ section: Section; cookie: string }> {
  try {
    await signIn(bench, watched);
    const cookies = await watched.page.context().cookies(bench.stack.file.apiUrl);
    await slowDown(watched);
    const section = await timeLoads(bench, watched);
    return { section, cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') };
  } finally {
    await watched.close();
  }
}

async function timeLoads(bench: BenchStack, watched: WatchedPage): Promise<Section> {
  const loads: Record<string, Seen[]> = {};
  for (let run = 1; run <= bench.runs; run += 1) {
    for (const [name, path] of Object.entries(PAGES)) {
      const seen = await load(watched, bench.stack.file.apiUrl + path);
      (loads[name] ??= []).push(seen);
      const tasks = seen.busy.map(([beginMs, lengthMs]) => `${Math.round(lengthMs)} at ${Math.round(beginMs)}`);
      bench.say(
        `  run ${run}: ${name}: interactive after ${Math.round(interactiveMs(seen))} ms; tasks of ${tasks.join(', ')} ms`,
      );
    }
  }
  return {
    title: `Pages of the dashboard, ${THROTTLING}× CPU throttling`,
    notes: [
      `${VISITS.toLocaleString('en-US')} visits; Chromium on this machine, beside the stack, with an empty cache each time; network not throttled.`,
      `Interactive: the end of the last task above 50 ms before ${CALM_MS / 1_000} s without one.`,
    ],
    figures: Object.entries(loads).flatMap(([name, seen]) => figuresOf(name, seen)),
  };
}

/** By Lighthouse, in the light and in the dark. */
async function rate(bench: BenchStack, { chromium, cookie }: { chromium: string; cookie: string }): Promise<Section> {
  const scores: Record<string, number[]> = {};
  for (let run = 1; run <= bench.runs; run += 1) {
    for (const [name, path] of Object.entries({ 'sign-in': '/sign-in', ...PAGES })) {
      for (const isDark of [false, true]) {
        const who = path === '/sign-in' ? undefined : cookie;
        const rating = await rateWithLighthouse(bench.stack.file.apiUrl + path, { chromium, cookie: who, isDark });
        const page = isDark ? `${name}, dark` : name;
        for (const [category, score] of Object.entries(rating.scores))
          (scores[`${page}: ${category}`] ??= []).push(score);
        bench.say(`  run ${run}: ${page}: ${Object.values(rating.scores).join(' ')}; ${rating.failed.join(', ')}`);
      }
    }
  }
  return {
    title: 'Pages of the dashboard, rated by Lighthouse',
    notes: ['Its phone with 4× CPU throttling; network not throttled, nothing simulated.'],
    figures: Object.entries(scores).map(([name, values]) => ({
      ...{ name, unit: '', value: spreadOf(values), target: { atLeast: LEAST_SCORE } },
    })),
  };
}

function figuresOf(page: string, loads: readonly Seen[]): Figure[] {
  return [
    { name: `${page}: first paint`, unit: 'ms', value: spreadOf(loads.map(({ paintedMs }) => paintedMs)) },
    { name: `${page}: numbers shown`, unit: 'ms', value: spreadOf(loads.map(({ numbersMs }) => numbersMs)) },
    {
      ...{ name: `${page}: interactive`, unit: 'ms', value: spreadOf(loads.map(interactiveMs)) },
      target: { atMost: 1_500 },
    },
    {
      ...{ name: `${page}: layout shift`, unit: 'score', value: spreadOf(loads.map(({ shifted }) => shifted)) },
      target: { atMost: 0.01 },
    },
  ];
}

function interactiveMs({ paintedMs, busy }: Seen): number {
  let calmMs = paintedMs;
  for (const [beginMs, lengthMs] of busy) {
    if (beginMs - calmMs > CALM_MS) break;
    calmMs = Math.max(calmMs, beginMs + lengthMs);
  }
  return calmMs;
}

async function load({ page }: WatchedPage, url: string): Promise<Seen> {
  await page.goto(url);
  await page.locator('[data-total=visits] button, tbody tr').first().waitFor();
  const read = () => page.evaluate<Seen>('globalThis.seen');
  for (let waitedMs = 0; waitedMs < LONGEST_MS; waitedMs += CALM_MS) {
    const before = await read();
    await sleep(CALM_MS);
    if ((await read()).busy.length === before.busy.length) break;
  }
  return read();
}

async function slowDown({ page }: WatchedPage): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: THROTTLING });
  await page.addInitScript({ content: WATCH });
}

async function signIn({ stack }: BenchStack, { page }: WatchedPage): Promise<void> {
  const { client } = new LinksApi(stack.file);
  const { token } = await answerOf(client.POST('/rest/v3/users/invites', { body: { role: 'owner' } }));
  await page.goto(`${stack.file.apiUrl}/invite#${token}`);
  await page.getByLabel('Email address').fill(`bench-${Date.now().toString(36)}@x.test`);
  await page.getByLabel('Name').fill('Bench');
  await page.getByRole('textbox', { name: /^Password/ }).fill('a rather long one');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}
