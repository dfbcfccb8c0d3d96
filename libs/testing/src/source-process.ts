import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const LOADER = new URL('./run-typescript.mjs', import.meta.url).href;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A Node process that runs `script`, an ES module that may import this repository's libs from their sources. */
export function startSourceProcess(
  script: string,
  options: { environment?: NodeJS.ProcessEnv; stdio?: StdioOptions } = {},
): ChildProcess {
  const flags = ['--import', LOADER, '--conditions=@hopcount/source', '--input-type=module'];
  return spawn(process.execPath, [...flags, '-e', script], {
    cwd: ROOT,
    // eslint-disable-next-line no-restricted-properties -- the child needs PATH and the addresses of the test run
    env: { ...process.env, NODE_OPTIONS: '', ...options.environment },
    stdio: options.stdio ?? ['ignore', 'pipe', 'pipe'],
  });
}
