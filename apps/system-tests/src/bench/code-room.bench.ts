import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { BenchStack } from './bench-stack.js';
import { type CodeGrowth, growthOf } from './code-growth.js';
import { spreadOf } from './numbers.js';
import type { Figure, Section } from './report.js';

const LINKS_A_DAY = 1e8;
const YEARS = 10;
const LINKS = LINKS_A_DAY * 365 * YEARS;
/** Codes of the simulation are this much shorter, so each of its links stands for 47^3 or 28^3 of ten years. */
const SHORTER = 3;
const SIMULATED = Math.round(LINKS / 47 ** SHORTER);
/** Of a snowflake code: a permutation of 64 bits in Base62, 10 characters if it is below 62^10. */
const SHARE_OF_TEN = 62 ** 10 / 2 ** 64;
const IDS_A_MS = LINKS_A_DAY / 86_400_000;
const IDS_A_MS_OF_MACHINE = 4_096;

/**
 * In a process of its own, as an api draws them, of the built library. Random codes are those of LinkCodes itself, with an
 * alphabet as it is and three characters less. Ids are drawn at the pace of 10^8 a day for a second of each month of ten years.
 */
const DRAW = `
import { SNOWFLAKE_EPOCH_MS, SNOWFLAKE_END_MS, readSnowflake, Snowflakes } from './libs/links/dist/ids/snowflake.js';
import { LinkCodes } from './libs/links/dist/codes/link-codes.js';
import { randomCode } from './libs/links/dist/codes/random-code.js';
const wanted = { custom: null, prefix: '', length: null };
const options = { secret: 'only for a benchmark, forty characters ...' };
const ids = new Snowflakes({ current: () => 1 });

function random(looseCodes) {
  const makeRandomCode = (length, alphabet) => randomCode(length - ${SHORTER}, alphabet);
  const codes = new LinkCodes(ids, { ...options, codeStrategy: 'random', looseCodes, makeRandomCode });
  const taken = new Set();
  const lengths = [];
  let [collisions, ofOne] = [0, 0];
  while (taken.size < ${SIMULATED}) {
    const { code } = codes.draw(wanted, ofOne);
    if (taken.has(code)) { ofOne += 1; collisions += 1; continue; }
    // Of one that collided three times in a row the code alone is longer.
    if (ofOne < 3 && code.length > (lengths.at(-1)?.length ?? 0)) lengths.push({ length: code.length, fromLinks: taken.size });
    taken.add(code);
    ofOne = 0;
  }
  return { lengths, collisions };
}

function snowflake() {
  let nowMs = 0;
  const ids = new Snowflakes({ current: () => 1 }, () => Math.floor(nowMs));
  const codes = new LinkCodes(ids, { ...options, codeStrategy: 'snowflake' });
  const taken = new Set();
  let [drawn, ofTen, aheadMs] = [0, 0, 0];
  for (let month = 0; month < ${YEARS * 12}; month += 1) {
    const startMs = Date.now() + month * 365 / 12 * 86_400_000;
    for (nowMs = startMs; nowMs < startMs + 1_000; nowMs += ${1 / IDS_A_MS}) {
      const { id, code } = codes.draw(wanted, 0);
      drawn += 1;
      if (code.length === 10) ofTen += 1;
      taken.add(code);
      aheadMs = Math.max(aheadMs, readSnowflake(BigInt(id)).timeMs - Math.floor(nowMs));
    }
  }
  return { drawn, collisions: drawn - taken.size, ofTen, aheadMs, endsAt: new Date(SNOWFLAKE_END_MS).getUTCFullYear() };
}
console.log(JSON.stringify({ random: random(false), loose: random(true), snowflake: snowflake() }));`;

interface Drawn {
  random: Omit<CodeGrowth, 'worst'>;
  loose: Omit<CodeGrowth, 'worst'>;
  snowflake: { drawn: number; collisions: number; ofTen: number; aheadMs: number; endsAt: number };
}

/** Whether ten years of 10^8 links a day fit into codes and ids, by a formula that is compared with codes that are drawn. */
export async function benchCodeRoom(bench: BenchStack): Promise<Section[]> {
  const runs: Drawn[] = [];
  for (let run = 1; run <= bench.runs; run += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', DRAW]);
    runs.push(JSON.parse(stdout) as Drawn);
    bench.say(`  run ${run}: ${stdout.trim()}`);
  }
  return [
    {
      title: `Room for codes: ${YEARS} years, 10^8 links a day, all of one domain and one process`,
      notes: [
        `Simulated: ${SIMULATED.toLocaleString('en-US')} codes with ${SHORTER} characters less, against the formula for as many.`,
        'A day is that on which codes grow. After a restart a process begins with 7 characters and judges a thousand draws again.',
      ],
      figures: [
        ...randomFigures('random', 47, runs),
        ...randomFigures('loose', 28, runs),
        ...snowflakeFigures(runs.map(({ snowflake }) => snowflake)),
      ],
    },
  ];
}

function randomFigures(strategy: 'random' | 'loose', alphabet: number, runs: readonly Drawn[]): Figure[] {
  const { lengths, collisions, worst } = growthOf({ alphabet, length: 7 }, LINKS);
  const short = growthOf({ alphabet, length: 7 - SHORTER }, SIMULATED);
  const ratio = (simulated: (drawn: Drawn) => number, expected: number) =>
    spreadOf(runs.map((drawn) => simulated(drawn) / expected));
  const grew = short.lengths.slice(1);
  return [
    ...lengths.slice(1).map(({ length, fromLinks }) => ({
      name: `${strategy}: ${length} characters`,
      unit: 'from day',
      value: spreadOf([fromLinks / LINKS_A_DAY]),
    })),
    { name: `${strategy}: collisions of 1,000 creations`, unit: '', value: spreadOf([(1_000 * collisions) / LINKS]) },
    {
      name: `${strategy}: at most, just before codes grow`,
      unit: '',
      value: spreadOf([1_000 * worst]),
      target: { atMost: 10 },
    },
    {
      name: `${strategy}: collisions, simulated / formula`,
      unit: 'x',
      value: ratio((drawn) => drawn[strategy].collisions, short.collisions),
    },
    ...grew.map(({ length, fromLinks }, nth) => ({
      name: `${strategy}: links before ${length} characters, simulated / formula`,
      unit: 'x',
      value: ratio((drawn) => drawn[strategy].lengths[nth + 1]?.fromLinks ?? Number.NaN, fromLinks),
    })),
  ];
}

function snowflakeFigures(runs: readonly Drawn['snowflake'][]): Figure[] {
  const of = (value: (run: Drawn['snowflake']) => number) => spreadOf(runs.map(value));
  return [
    { name: 'snowflake: codes of 10 characters, formula', unit: '%', value: spreadOf([100 * SHARE_OF_TEN]) },
    {
      name: 'snowflake: codes of 10 characters, drawn',
      unit: '%',
      value: of(({ drawn, ofTen }) => (100 * ofTen) / drawn),
    },
    { name: 'snowflake: codes drawn', unit: '', value: of(({ drawn }) => drawn) },
    {
      name: 'snowflake: collisions among them',
      unit: '',
      value: of(({ collisions }) => collisions),
      target: { atMost: 0 },
    },
    {
      name: 'snowflake: ids ahead of the clock',
      unit: 'ms',
      value: of(({ aheadMs }) => aheadMs),
      target: { atMost: 0 },
    },
    { name: 'snowflake: ids end in', unit: 'year', value: of(({ endsAt }) => endsAt) },
    {
      name: `snowflake: ids a ms that are needed, of ${IDS_A_MS_OF_MACHINE.toLocaleString('en-US')} of one machine`,
      unit: '',
      value: spreadOf([IDS_A_MS]),
    },
  ];
}
