// @ts-check
// Kafka, PostgreSQL and Redis: each one started here unless the environment names one that runs elsewhere.
import { join } from 'node:path';

import { step } from './output.mjs';
import { prepareKafka } from './services/kafka.mjs';
import { preparePostgres } from './services/postgres.mjs';
import { prepareRedis } from './services/redis.mjs';
import { filesOf, loadSecrets } from './stack-file.mjs';

/**
 * @param {import('./settings.mjs').Settings} settings
 * @param {NodeJS.ProcessEnv} env
 * @param {import('./supervisor.mjs').Supervisor} supervisor
 * @param {{isThrowaway?: boolean}} [options] isThrowaway: what they hold need not outlive a crash of the machine
 * @returns {Promise<{kafkaBrokers: string, databaseUrl: string, redisUrl: string}>} once all answer
 */
export async function startServices(settings, env, supervisor, options = {}) {
  const [kafkaBrokers, databaseUrl, redisUrl] = await Promise.all([
    settings.given.kafkaBrokers ?? startKafka(settings, env, supervisor, options),
    settings.given.databaseUrl ?? startPostgres(settings, env, supervisor, options),
    settings.given.redisUrl ?? startRedis(settings, env, supervisor),
  ]);
  return { kafkaBrokers, databaseUrl, redisUrl };
}

/** @type {(settings: import('./settings.mjs').Settings, env: NodeJS.ProcessEnv, supervisor: import('./supervisor.mjs').Supervisor, options: {isThrowaway?: boolean}) => Promise<string>} */
async function startKafka({ ports, proxyPorts, dataDir }, env, supervisor, options) {
  return step(supervisor.say, `Apache Kafka 4.1 on 127.0.0.1:${ports.kafka}`, async () => {
    const log = join(filesOf(dataDir).logs, 'kafka.log');
    await supervisor.start(
      await prepareKafka({
        port: ports.kafka,
        advertisedPort: proxyPorts.kafka,
        folder: join(dataDir, 'kafka'),
        log,
        env,
        ...options,
      }),
    );
    return `127.0.0.1:${ports.kafka}`;
  });
}

/** @type {(settings: import('./settings.mjs').Settings, env: NodeJS.ProcessEnv, supervisor: import('./supervisor.mjs').Supervisor, options: {isThrowaway?: boolean}) => Promise<string>} */
async function startPostgres({ ports, dataDir }, env, supervisor, options) {
  return step(supervisor.say, `PostgreSQL on 127.0.0.1:${ports.postgres}`, async () => {
    const log = join(filesOf(dataDir).logs, 'postgres.log');
    const password = loadSecrets(dataDir).databasePassword;
    const wanted = { port: ports.postgres, dataDir, password, log, env, ...options };
    const { spec, url, version, folder } = await preparePostgres(wanted);
    await supervisor.start(spec);
    if (!folder.startsWith(dataDir)) {
      supervisor.say(`     PostgreSQL ${version} keeps its files in ${folder}: its user cannot reach ${dataDir}`);
    }
    return url;
  });
}

/** @type {(settings: import('./settings.mjs').Settings, env: NodeJS.ProcessEnv, supervisor: import('./supervisor.mjs').Supervisor) => Promise<string>} */
async function startRedis({ ports, dataDir }, env, supervisor) {
  return step(supervisor.say, `Redis on 127.0.0.1:${ports.redis}`, async () => {
    const log = join(filesOf(dataDir).logs, 'redis.log');
    await supervisor.start(prepareRedis({ port: ports.redis, folder: join(dataDir, 'redis'), log, env }));
    return `redis://127.0.0.1:${ports.redis}`;
  });
}
