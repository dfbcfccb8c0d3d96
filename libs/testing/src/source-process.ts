import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const LOADER = new URL('./run-typescript.mjs', import.meta.url).href;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface ProcessOptions {
  /** Of Node and V8. */
  flags?: string[];
  environment?: NodeJS.ProcessEnv;
  stdio?: StdioOptions;
}

/** A Node process that runs `script`, an ES module that may import this repository's libs from their sources. */
export function startSourceProcess(script: string, options: ProcessOptions = {}): ChildProcess {
  return start(['--import', LOADER, '--conditions=@hopcount/source'], script, options);
}

/** The same with the libs as they are built (`npm test` builds them first): for many processes, as it starts in a third of the time. */
export function startBuiltProcess(script: string, options: ProcessOptions = {}): ChildProcess {
  return start([], script, options);
}

function start(flags: string[], script: string, options: ProcessOptions): ChildProcess {
  return spawn(process.execPath, [...(options.flags ?? []), ...flags, '--input-type=module', '-e', script], {
    cwd: ROOT,
    // eslint-disable-next-line no-restricted-properties -- the child needs PATH and the addresses of the test run
    env: { ...process.env, NODE_OPTIONS: '', ...options.environment },
    stdio: options.stdio ?? ['ignore', 'pipe', 'pipe'],
  });
}
