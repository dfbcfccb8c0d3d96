import {
  type BatchService,
  createKafkaMetrics,
  KafkaAdmin,
  type KafkaConnection,
  startBatchService,
} from '@hopcount/kafka';
import { isListedSuffix } from '@hopcount/hosts';
import { HostPublication, HostReplicas, KnownPeers } from '@hopcount/ledger';
import type { Database } from '@hopcount/postgres';
import { AppError, type KafkaServers, type Logger, Registry } from '@hopcount/runtime';

import type { JobDefinition } from '../jobs/interval-job.js';
import type { WorkerConfig } from '../worker.config.js';
import type { WorkerMetrics } from '../worker.metrics.js';
import { FollowPeer } from './follow-peer.js';
import { type HostPeer, peerServers } from './host-peers.settings.js';
import { measurePeers } from './measure-peers.js';
import { OwnStates } from './own-states.js';
import { publishHosts } from './publish-hosts.js';
import { stopPublishing } from './stop-publishing.js';

interface PeersDeps {
  config: WorkerConfig;
  /** To this data centre's own brokers. */
  connection: KafkaConnection;
  database: Database;
  registry: Registry;
  metrics: WorkerMetrics;
  logger: Logger;
}

/**
 * Of a peer's broker that owes an answer: what was sent just before the way to it was there again may be lost for good, and all that is new waits
 * behind it. Longer than it may hold a request on purpose (a second), but for a join.
 */
const SILENCE_MS = 2_500;

export interface RunningPeers {
  jobs: JobDefinition[];
  /** After the jobs. */
  close(): Promise<void>;
}

/**
 * Counts by host of several data centres: says in a topic what was counted here, and reads what each peer says, from its own brokers. Where one is
 * away everything else goes on.
 * @throws AppError `invalid-config`
 */
export async function startPeers(deps: PeersDeps): Promise<RunningPeers> {
  const { config, database, registry, metrics, logger } = deps;
  const { datacenter, hostPeers, hostStateTopic, totalsIntervalMs: intervalMs } = config;
  if (hostPeers.some(({ dc }) => dc === datacenter)) {
    throw new AppError('invalid-config', `HOST_PEERS names "${datacenter}", which is this one (DATACENTER).`);
  }
  const servers = peerServers(hostPeers, config);
  const known = new KnownPeers(database);
  if (hostPeers.length === 0) return { jobs: [stopPublishing(known, logger)], close: () => Promise.resolve() };
  const states = new OwnStates({ ...deps.connection, clientId: 'hopcount-worker-states' }, hostStateTopic);
  const publication = new HostPublication(database, datacenter, states);
  const replicas = new HostReplicas(database, { isSuffix: isListedSuffix });
  await replicas.add(hostPeers.map(({ dc }) => dc));
  measurePeers(registry, database);
  const followed = await Promise.all(
    hostPeers.map((peer) => follow(peer, servers.get(peer.dc)!, deps, { replicas, known })),
  );
  return {
    jobs: [publishHosts({ publication, intervalMs, metrics, logger })],
    close: async () => {
      await Promise.all([states.close(), ...followed.map((one) => one.close())]);
    },
  };
}

/** In a group of its own at the peer's brokers: one worker at a time. */
async function follow(
  { dc, topic }: HostPeer,
  servers: KafkaServers,
  { config, metrics, logger }: PeersDeps,
  { replicas, known }: { replicas: HostReplicas; known: KnownPeers },
): Promise<Pick<BatchService, 'close'>> {
  const connection = { ...servers, clientId: `hopcount-worker-peer-${dc}`, logger, silenceMs: SILENCE_MS };
  const admin = new KafkaAdmin(connection);
  const peer = new FollowPeer({ dc, topic, admin, replicas, known, metrics, logger });
  const options = {
    ...connection,
    topic,
    groupId: `${config.consumerGroup}-hosts-at-${config.datacenter}`,
    sessionTimeoutMs: config.sessionTimeoutMs,
    // What it tells would be named as that of the audits; how old a peer's counts are tells more.
    metrics: createKafkaMetrics(new Registry()),
    onAssigned: peer.assign,
  };
  const service = await startBatchService(options, (batch) => peer.onBatch(batch));
  return {
    close: async () => {
      await service.close();
      await admin.close();
    },
  };
}
