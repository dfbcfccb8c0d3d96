import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * The last line of versions for Node 20. Fetched into npm's cache when it is first used: with all it needs it is 185 MB in 201
 * packages, which each installation of this project would take along, for one benchmark.
 */
const PACKAGE = 'lighthouse@12.8.2';
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;
export type Category = (typeof CATEGORIES)[number];

interface Report {
  categories: Record<Category, { score: number | null; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, { score: number | null; title: string; displayValue?: string }>;
}

export interface Rating {
  /** From 0 to 100. */
  scores: Record<Category, number>;
  /** What takes points away. */
  failed: string[];
}

interface Options {
  chromium: string;
  /** Of somebody who is signed in. */
  cookie?: string | undefined;
  isDark: boolean;
}

/** Its phone with a processor four times slower, over the network as it is: from this machine. Nothing is simulated. */
const THROTTLING = [
  ...['--throttling-method=devtools', '--throttling.cpuSlowdownMultiplier=4', '--throttling.requestLatencyMs=0'],
  ...['--throttling.downloadThroughputKbps=0', '--throttling.uploadThroughputKbps=0'],
];

export async function rateWithLighthouse(url: string, { chromium, cookie, isDark }: Options): Promise<Rating> {
  // Blink's number of "dark" is 0, of "light" 1.
  const flags = `--headless=new --no-sandbox --disable-gpu --blink-settings=preferredColorScheme=${isDark ? 0 : 1}`;
  const { stdout } = await promisify(execFile)(
    'npm',
    [
      ...['exec', '--yes', `--package=${PACKAGE}`, '--', 'lighthouse', url, '--quiet', '--output=json'],
      ...THROTTLING,
      ...[`--only-categories=${CATEGORIES.join(',')}`, `--chrome-flags=${flags}`, '--no-enable-error-reporting'],
      ...(cookie === undefined ? [] : [`--extra-headers=${JSON.stringify({ Cookie: cookie })}`]),
    ],
    { env: { ...process.env, CHROME_PATH: chromium, npm_config_ignore_scripts: 'true' }, maxBuffer: 64 << 20 },
  );
  const { categories, audits } = JSON.parse(stdout) as Report;
  const scoreOf = (name: Category) => [name, Math.round((categories[name].score ?? Number.NaN) * 100)] as const;
  const failed = CATEGORIES.flatMap((name) => categories[name].auditRefs)
    .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
    .map(({ id }) => `${id}${audits[id]?.displayValue === undefined ? '' : ` (${audits[id].displayValue})`}`);
  return { scores: Object.fromEntries(CATEGORIES.map(scoreOf)) as Rating['scores'], failed };
}
