// @ts-check
// Kafka, PostgreSQL and Redis: each one started here unless the environment names one that runs elsewhere.
import { join } from 'node:path';

import { step } from './output.mjs';
import { prepareKafka } from './services/kafka.mjs';
import { preparePostgres } from './services/postgres.mjs';
import { prepareRedis } from './services/redis.mjs';
import { filesOf, loadSecrets } from './stack-file.mjs';

/** @typedef {{kafkaBrokers: string, databaseUrl: string, databaseAdminUrl?: string | undefined, redisUrl: string}} Addresses */

/**
 * @param {import('./settings.mjs').Settings} settings
 * @param {NodeJS.ProcessEnv} env
 * @param {import('./supervisor.mjs').Supervisor} supervisor
 * @param {{isThrowaway?: boolean}} [options] isThrowaway: what they hold need not outlive a crash of the machine
 * @returns {Promise<Addresses>} once all answer
 */
export async function startServices(settings, env, supervisor, options = {}) {
  const { databaseUrl } = settings.given;
  const [kafkaBrokers, database, redisUrl] = await Promise.all([
    settings.given.kafkaBrokers ?? startKafka(settings, env, supervisor, options),
    databaseUrl === undefined ? startPostgres(settings, env, supervisor, options) : { databaseUrl },
    settings.given.redisUrl ?? startRedis(settings, env, supervisor),
  ]);
  return { kafkaBrokers, ...database, redisUrl };
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

/** @type {(settings: import('./settings.mjs').Settings, env: NodeJS.ProcessEnv, supervisor: import('./supervisor.mjs').Supervisor, options: {isThrowaway?: boolean}) => Promise<{databaseUrl: string, databaseAdminUrl: string}>} */
async function startPostgres({ ports, dataDir }, env, supervisor, options) {
  return step(supervisor.say, `PostgreSQL on 127.0.0.1:${ports.postgres}`, async () => {
    const log = join(filesOf(dataDir).logs, 'postgres.log');
    const { databasePassword: password, applicationPassword } = loadSecrets(dataDir);
    const wanted = { port: ports.postgres, dataDir, password, applicationPassword, log, env, ...options };
    const { spec, url, adminUrl, version, folder } = await preparePostgres(wanted);
    await supervisor.start(spec);
    if (!folder.startsWith(dataDir)) {
      supervisor.say(`     PostgreSQL ${version} keeps its files in ${folder}: its user cannot reach ${dataDir}`);
    }
    return { databaseUrl: url, databaseAdminUrl: adminUrl };
  });
}

/** @type {(settings: import('./settings.mjs').Settings, env: NodeJS.ProcessEnv, supervisor: import('./supervisor.mjs').Supervisor) => Promise<string>} */
async function startRedis({ ports, dataDir }, env, supervisor) {
  return step(supervisor.say, `Redis on 127.0.0.1:${ports.redis}`, async () => {
    const log = join(filesOf(dataDir).logs, 'redis.log');
    const { redisPassword: password } = loadSecrets(dataDir);
    await supervisor.start(prepareRedis({ port: ports.redis, folder: join(dataDir, 'redis'), password, log, env }));
    return `redis://:${password}@127.0.0.1:${ports.redis}`;
  });
}
