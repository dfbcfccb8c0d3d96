// @ts-check
// Apache Kafka in KRaft mode: broker and controller in one process.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { answers, freePort } from '../ports.mjs';
import { javaCommand } from '../prerequisites.mjs';
import { run } from '../processes.mjs';
import { ROOT } from '../settings.mjs';
import { fetchKafkaJars, kafkaJars } from './kafka-jars.mjs';

/** From the broker's on; a multiple of sixteen, see OPS_PORTS_FROM. */
const CONTROLLER_PORT_FROM = 1_008;
const LOGGING = join(ROOT, 'deploy/local/kafka/log4j2.properties');

/**
 * One node among several.
 * @typedef {{id: string, nodeId: number, controllerPorts: number[]}} Cluster id: the same for all its nodes; nodeId: from 1
 *   on; controllerPorts: of each node, in their order
 */

/**
 * Prepares the data folder and describes the process.
 * @param {{port: number, advertisedPort?: number, folder: string, log: string, env: NodeJS.ProcessEnv,
 *   formatOptions?: string[], isThrowaway?: boolean, cluster?: Cluster}} options formatOptions: more for StorageTool's format,
 *   such as users; isThrowaway: for tests, which kill consumers and wait for their sessions to end; cluster: of which this
 *   is one node, default: of itself alone
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
  cluster,
}) {
  const jars = kafkaJars(env) ?? (await fetchKafkaJars(env, log));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const settings = join(folder, 'server.properties');
  // Any text identifies a cluster, but one that begins with "-" is taken for an option.
  const node = cluster ?? {
    id: randomUUID(),
    nodeId: 1,
    controllerPorts: [await freePort(port + CONTROLLER_PORT_FROM)],
  };
  const properties = serverProperties({ port, advertisedPort }, node, join(folder, 'data'));
  writeFileSync(settings, isThrowaway ? `${properties}group.min.session.timeout.ms=1000\n` : properties);
  const java = javaCommand(env);
  const base = ['-cp', `${jars}/*`, `-Dlog4j2.configurationFile=${LOGGING}`];
  if (!existsSync(join(folder, 'data/meta.properties'))) {
    const format = ['kafka.tools.StorageTool', 'format', '-t', node.id, '-c', settings, ...formatOptions];
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
 * Internal topics have a copy on up to three nodes, each of which is a rack of its own: a consumer may read from the copy in its. LogAppendTime: the consumer's "counted up to" is the broker's clock,
 * not that of whichever gateway sent a record.
 * @param {{port: number, advertisedPort: number}} ports advertised: where clients are sent
 * @param {Cluster} cluster
 * @param {string} dataFolder
 */
function serverProperties({ port, advertisedPort }, { nodeId, controllerPorts }, dataFolder) {
  const copies = Math.min(controllerPorts.length, 3);
  const voters = controllerPorts.map((controller, index) => `${index + 1}@127.0.0.1:${controller}`);
  const controllerPort = controllerPorts[nodeId - 1];
  return `process.roles=broker,controller
node.id=${nodeId}
controller.quorum.voters=${voters.join(',')}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${advertisedPort}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=${dataFolder}
offsets.topic.replication.factor=${copies}
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=${copies}
transaction.state.log.min.isr=${Math.max(copies - 1, 1)}
share.coordinator.state.topic.replication.factor=${copies}
share.coordinator.state.topic.min.isr=${Math.max(copies - 1, 1)}
broker.rack=rack-${nodeId}
replica.selector.class=org.apache.kafka.common.replica.RackAwareReplicaSelector
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
log.message.timestamp.type=LogAppendTime
`;
}
