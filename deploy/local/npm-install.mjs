// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { step } from './output.mjs';
import { run } from './processes.mjs';
import { ROOT } from './settings.mjs';

/**
 * `npm ci` when what is installed is not what package-lock.json says.
 * @param {NodeJS.ProcessEnv} env
 * @param {import('./output.mjs').Say} say
 * @param {string} log
 */
export async function installDependencies(env, say, log) {
  if (isInstalled()) return;
  // NODE_ENV=production would leave out the compiler.
  await step(say, 'npm ci', () => run('npm', ['ci', '--include=dev'], { cwd: ROOT, env, log }));
}

/**
 * Compares versions, not times: a checkout or a copy changes times without changing content.
 */
export function isInstalled() {
  const wanted = packagesOf(join(ROOT, 'package-lock.json'));
  const present = packagesOf(join(ROOT, 'node_modules/.package-lock.json'));
  if (present === undefined) return false;
  return Object.entries(wanted ?? {}).every(([path, entry]) => {
    if (!path.includes('node_modules/') || entry.link) return true;
    const installed = present[path];
    // Packages for other platforms are in the lock file and rightly not on the disk.
    return installed === undefined
      ? entry.optional === true || entry.peer === true
      : installed.version === entry.version;
  });
}

/** @typedef {Record<string, {version?: string, link?: boolean, optional?: boolean, peer?: boolean}>} Packages */

/**
 * @param {string} path
 * @returns {Packages | undefined}
 */
function packagesOf(path) {
  try {
    return /** @type {{packages?: Packages}} */ (JSON.parse(readFileSync(path, 'utf8'))).packages;
  } catch {
    // No such file, or damaged: everything is installed anew.
    return undefined;
  }
}
