import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { z } from 'zod';

const SCRIPTS = fileURLToPath(new URL('.', import.meta.url));
export const AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
const CONNECTIONS = 64;

const resultSchema = z.object({
  requests: z.number(),
  durationUs: z.number(),
  p50Us: z.number(),
  p99Us: z.number(),
  statusErrors: z.number(),
  lost: z.number(),
  late: z.number(),
});

export interface WrkResult {
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers of 400 and above, and lost or late connections. */
  errors: number;
  /** Of these: connections refused, reset or ended, and those without an answer for 10 s, each time wrk looks. */
  lost: number;
  late: number;
}

/** wrk is a Debian package; as root it is installed when missing. */
export function requireWrk(): void {
  const present = () => spawnSync('wrk', ['-v']).error === undefined;
  if (present()) return;
  if (process.getuid?.() === 0) spawnSync('apt-get', ['install', '-y', '-q', 'wrk'], { stdio: 'ignore' });
  if (!present()) throw new Error('wrk is missing: install it (Debian and Ubuntu: apt-get install wrk).');
}

/** 1 thread, 64 keep-alive connections unless told, on one core of its own when there are two. */
export async function runWrk(options: {
  url: string;
  host: string;
  links: number;
  seconds: number;
  seed: number;
  core: string | null;
  /** `zipf` (default): links as they are visited; `scan`: codes that are no links. */
  visits?: 'zipf' | 'scan';
  /** Before and after a link's number in the path; default: `bench-` and nothing. */
  prefix?: string;
  suffix?: string;
  headers?: Record<string, string>;
  connections?: number;
  /** Of a connection before a request, on average; default 0: the next follows the answer. */
  pauseMs?: number;
}): Promise<WrkResult> {
  const args = [
    '-t1',
    `-c${options.connections ?? CONNECTIONS}`,
    `-d${options.seconds}s`,
    '--timeout',
    '10s',
    '-s',
    `${SCRIPTS}${options.visits ?? 'zipf'}.lua`,
    ...Object.entries(options.headers ?? {}).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    options.url,
  ];
  const { links, seed, host, prefix = 'bench-', suffix = '', pauseMs = 0 } = options;
  args.push('--', String(links), String(seed), host, AGENT, prefix, String(pauseMs), suffix);
  const [command, all] = options.core === null ? ['wrk', args] : ['taskset', ['-c', options.core, 'wrk', ...args]];
  const { stdout } = await promisify(execFile)(command, all);
  const line = stdout.split('\n').find((text) => text.startsWith('{'));
  if (line === undefined) throw new Error(`wrk printed no result:\n${stdout}`);
  const result = resultSchema.parse(JSON.parse(line));
  return {
    requests: result.requests,
    perSecond: result.requests / (result.durationUs / 1e6),
    p50Ms: result.p50Us / 1_000,
    p99Ms: result.p99Us / 1_000,
    errors: result.statusErrors + result.lost + result.late,
    lost: result.lost,
    late: result.late,
  };
}
