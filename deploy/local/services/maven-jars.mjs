// @ts-check
// Jars that Maven fetched into a cache that all stacks of this user share.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import { run } from '../processes.mjs';

/**
 * @typedef {object} Jars
 * @property {string} name of the folder in the cache, with its version
 * @property {string} title for people
 * @property {RegExp} main a jar without which the folder is not what it should be
 * @property {string} pom lists what to fetch
 */

/**
 * @param {Jars} jars
 * @param {NodeJS.ProcessEnv} env
 */
function cacheFolder({ name }, env) {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'hopcount', name);
}

/**
 * @param {string} folder
 * @param {Jars} jars
 */
export function holds(folder, { main }) {
  return existsSync(folder) && readdirSync(folder).some((name) => main.test(name));
}

/**
 * @param {Jars} jars
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined} folder of jars; undefined: to be fetched
 */
export function fetchedJars(jars, env) {
  const cache = cacheFolder(jars, env);
  return holds(cache, jars) ? cache : undefined;
}

/**
 * Fetches the jars once. They appear in the cache in one rename, so that an interrupted download, or
 * another process that does the same at the same time, never leaves half of them there.
 * @param {Jars} jars
 * @param {NodeJS.ProcessEnv} env
 * @param {string} log
 * @returns {Promise<string>}
 */
export async function fetchJars(jars, env, log) {
  const cache = cacheFolder(jars, env);
  const download = `${cache}.${process.pid}`;
  mkdirSync(dirname(cache), { recursive: true });
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${download}`];
  try {
    const failure = `Maven could not fetch ${jars.title}`;
    await run('mvn', ['-q', '-B', '-f', jars.pom, ...goal], { env, log, failure });
    try {
      renameSync(download, cache);
    } catch (error) {
      if (!holds(cache, jars)) throw error;
    }
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
  return cache;
}
