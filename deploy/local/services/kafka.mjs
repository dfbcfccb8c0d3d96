// @ts-check
// Apache Kafka as one KRaft node: broker and controller in one process.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { answers, freePort } from '../ports.mjs';
import { javaCommand } from '../prerequisites.mjs';
import { run } from '../processes.mjs';
import { ROOT } from '../settings.mjs';
import { fetchKafkaJars, kafkaJars } from './kafka-jars.mjs';

const LOGGING = join(ROOT, 'deploy/local/kafka/log4j2.properties');

/**
 * Prepares the data folder and describes the process.
 * @param {{port: number, advertisedPort?: number, folder: string, log: string, env: NodeJS.ProcessEnv,
 *   formatOptions?: string[], isThrowaway?: boolean}} options formatOptions: more for StorageTool's format, such as users;
 *   isThrowaway: for tests, which kill consumers and wait for their sessions to end
 * @returns {Promise<import('../child.mjs').ChildSpec>}
 */
export async function prepareKafka({
  port,
  advertisedPort = port,
  folder,
  log,
  env,
  formatOptions = [],
  isThrowaway = false,
}) {
  const jars = kafkaJars(env) ?? (await fetchKafkaJars(env, log));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const settings = join(folder, 'server.properties');
  const controllerPort = await freePort(port + 1000);
  const properties = serverProperties({ port, advertisedPort, controllerPort }, join(folder, 'data'));
  writeFileSync(settings, isThrowaway ? `${properties}group.min.session.timeout.ms=1000\n` : properties);
  const java = javaCommand(env);
  const base = ['-cp', `${jars}/*`, `-Dlog4j2.configurationFile=${LOGGING}`];
  if (!existsSync(join(folder, 'data/meta.properties'))) {
    // Any text identifies a cluster, but one that begins with "-" is taken for an option.
    const clusterId = randomUUID();
    const format = ['kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', settings, ...formatOptions];
    await run(java, [...base, ...format], { env, log });
  }
  return {
    name: 'kafka',
    kind: 'kafka',
    command: java,
    args: ['-Xmx512m', '-Xms128m', ...base, 'kafka.Kafka', settings],
    env,
    log,
    // The broker opens its port only once it has caught up with the metadata log.
    isReady: () => answers(port),
    readyTimeoutMs: 90_000,
    stopSignal: 'SIGTERM',
    stopGraceMs: 30_000,
  };
}

/**
 * One node cannot replicate, so every internal topic has one copy. LogAppendTime: the consumer's
 * "counted up to" is the broker's clock, not that of whichever gateway sent a record.
 * @param {{port: number, advertisedPort: number, controllerPort: number}} ports advertised: where clients are sent
 * @param {string} dataFolder
 */
function serverProperties({ port, advertisedPort, controllerPort }, dataFolder) {
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${advertisedPort}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=${dataFolder}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
log.message.timestamp.type=LogAppendTime
`;
}
