// @ts-check
// The processes of a test run: builds and Jest, each ended when the run is interrupted.
import { spawn } from 'node:child_process';

import { ROOT } from './settings.mjs';
import { readJson } from './stack-file.mjs';

/**
 * Each spec file loads its modules anew, which with Node's 16 MB are collected again and again: a fifth of the processor
 * time of a run.
 */
const YOUNG_HEAP = '--max-semi-space-size=32';

/** In this order and one at a time; what a file left open (a timer, a socket) must not keep the run for ever. */
export const IN_BAND = ['--runInBand', '--forceExit'];

/** What has to be ended when the run is interrupted. @type {Set<import('node:child_process').ChildProcess>} */
export const children = new Set();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    process.exitCode = 130;
    for (const child of children) child.kill('SIGTERM');
  });
}

/**
 * @param {string[]} args of node
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} exit code
 */
function node(args, env) {
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] });
  children.add(child);
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      children.delete(child);
      resolve(code ?? 1);
    });
  });
}

/**
 * @param {string[]} projects
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {string} resultFile
 * @param {string[]} [options]
 * @returns {Promise<{passed: number, failed: number}>}
 */
export async function jest(projects, args, env, resultFile, options = []) {
  const code = await node(
    [
      ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', YOUNG_HEAP],
      '--disable-warning=TimeoutNegativeWarning',
      'node_modules/jest/bin/jest.js',
      ...['--selectProjects', ...projects, '--json', `--outputFile=${resultFile}`, ...options],
      // A pattern need not be of every project; a whole run without a test is none.
      ...(args.length > 0 ? ['--passWithNoTests', ...args] : []),
    ],
    env,
  );
  /** @typedef {{numPassedTests: number, numFailedTests: number, numRuntimeErrorTestSuites: number}} Result */
  const result = /** @type {Result | undefined} */ (readJson(resultFile));
  if (!result) return { passed: 0, failed: 1 };
  // A file that does not even load holds tests nobody could count: it is one failure.
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return { passed: result.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

export async function build() {
  if ((await node(['deploy/local/build.mjs'], process.env)) === 0) return true;
  process.stderr.write('The build failed: nothing could be tested.\n');
  return false;
}
