// @ts-check
// The broker's jars: those of KAFKA_HOME, or the ones Maven fetched into a cache that all stacks of
// this user share.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import { StackError } from '../output.mjs';
import { run } from '../processes.mjs';
import { ROOT } from '../settings.mjs';

export const KAFKA_VERSION = '4.1.0';
const POM = join(ROOT, 'deploy/local/kafka/pom.xml');

/** @param {NodeJS.ProcessEnv} env */
function cacheFolder(env) {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), `hopcount/kafka-${KAFKA_VERSION}`);
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined} folder of jars; undefined: to be fetched with Maven
 * @throws {StackError} when KAFKA_HOME is given and holds none
 */
export function kafkaJars(env) {
  const home = env['KAFKA_HOME'];
  if (home) {
    const libs = join(home, 'libs');
    if (!hasBroker(libs)) throw new StackError(`KAFKA_HOME is ${home}, but ${libs} holds no kafka-server jar.`);
    return libs;
  }
  const cache = cacheFolder(env);
  return hasBroker(cache) ? cache : undefined;
}

/** @param {string} folder */
function hasBroker(folder) {
  return existsSync(folder) && readdirSync(folder).some((name) => /^kafka-server-\d.*\.jar$/.test(name));
}

/**
 * Fetches the jars once. They appear in the cache in one rename, so that an interrupted download, or
 * a second stack that does the same at the same time, never leaves half of them there.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} log
 * @returns {Promise<string>}
 */
export async function fetchKafkaJars(env, log) {
  const cache = cacheFolder(env);
  const download = `${cache}.${process.pid}`;
  mkdirSync(dirname(cache), { recursive: true });
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${download}`];
  try {
    await run('mvn', ['-q', '-B', '-f', POM, ...goal], { env, log, failure: 'Maven could not fetch Apache Kafka' });
    try {
      renameSync(download, cache);
    } catch (error) {
      if (!hasBroker(cache)) throw error;
    }
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
  return cache;
}
