// @ts-check
// The broker's jars: those of KAFKA_HOME, or the ones Maven fetched.
import { join } from 'node:path';

import { StackError } from '../output.mjs';
import { ROOT } from '../settings.mjs';
import { fetchedJars, fetchJars, holds } from './maven-jars.mjs';

const KAFKA = {
  name: 'kafka-4.1.0',
  title: 'Apache Kafka',
  main: /^kafka-server-\d.*\.jar$/,
  pom: join(ROOT, 'deploy/local/kafka/pom.xml'),
};

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined} folder of jars; undefined: to be fetched with Maven
 * @throws {StackError} when KAFKA_HOME is given and holds none
 */
export function kafkaJars(env) {
  const home = env['KAFKA_HOME'];
  if (!home) return fetchedJars(KAFKA, env);
  const libs = join(home, 'libs');
  if (!holds(libs, KAFKA)) throw new StackError(`KAFKA_HOME is ${home}, but ${libs} holds no kafka-server jar.`);
  return libs;
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} log
 * @returns {Promise<string>}
 */
export function fetchKafkaJars(env, log) {
  return fetchJars(KAFKA, env, log);
}
