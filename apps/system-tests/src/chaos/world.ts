import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ShortUrl } from '@hopcount/contracts';

import { AcknowledgedChanges } from '../harness/acknowledged-changes.js';
import { ArchiveFiles } from '../harness/archive-files.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import type { Random } from '../harness/random.js';
import { type RunningStack, startStack } from '../harness/stack.js';
import { VisitorLoad } from '../harness/visitor-load.js';
import { ArchiveVolume } from './archive-volume.js';
import { Counters } from './counters.js';
import { FailpointFolder } from '../harness/failpoint-folder.js';
import { FedCounts } from './fed-counts.js';
import { LateVisits } from './late-visits.js';
import { type Nodes, openServices, type Proxies, type Topology } from './services.js';

const LINKS = 30;
const CONCURRENCY = 16;
const RECONNECT_ONE_IN = 50;
/** Small, so that one run can fill it; 8 s of an outage under this load fit in. */
const SPOOL_MAX_BYTES = 4 * 1_024 * 1_024;
export const SESSION_TIMEOUT_MS = 6_000;
/** Links and edits that must not be lost; no more of them than a check at the end can look at. */
const CHANGE_PAUSE_MS = 1_000;
const PURGE_EVERY_MS = 30_000;
const TO_PURGE = 30;
const VISITS_TO_PURGE = 300;

/** What a fault may touch. */
export interface World {
  readonly stack: RunningStack;
  readonly ledger: Ledger;
  readonly links: readonly ShortUrl[];
  /** The visitors; a fault that makes visits of its own adds what was acknowledged here. */
  readonly load: VisitorLoad;
  readonly failpoints: FailpointFolder;
  readonly proxies: Proxies;
  /** Of the replicated topology. */
  readonly nodes?: Nodes | undefined;
  readonly counters: Counters;
  readonly archive: ArchiveFiles;
  readonly archiveVolume: ArchiveVolume;
  /** Of closed hours, all the time. */
  readonly late: LateVisits;
  /** Counts of hosts, all the time. */
  readonly fed: FedCounts;
  /** Links, edits, keys and purges, all the time. */
  readonly changes: AcknowledgedChanges;
  /** Of each link a fault purged, by its code: before when its visits are gone, epoch milliseconds. */
  readonly purged: Map<string, number>;
  /** Links with a limit that faults made, and how many visits each may have. */
  readonly limited: { link: ShortUrl; limit: number }[];
  /** Other links that faults made, to be checked as well. */
  readonly made: ShortUrl[];
  /** Paths of the archive's files that faults damaged. */
  readonly damaged: Set<string>;
  /** Seeded anew for every fault. */
  readonly random: Random;
}

export interface WorldOptions {
  seed: number;
  /** Of visits that come late; absent: that of LateVisits. */
  latePauseMs?: number | undefined;
  gateways: number;
  consumers: number;
  topology: Topology;
}

export interface OpenWorld extends Omit<World, 'random'> {
  /** Resolves when the last change is answered. */
  stopChanges(): Promise<void>;
  close(): Promise<void>;
}

/** A stack of its own, behind proxies, with failpoints to be armed and visitors to be let loose. */
export async function openWorld(options: WorldOptions): Promise<OpenWorld> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hopcount-chaos-'));
  // PostgreSQL drops root's rights and must reach its files.
  await chmod(dataDir, 0o711);
  const undo: (() => unknown)[] = [() => rm(dataDir, { recursive: true, force: true })];
  const close = async () => {
    for (const step of undo.reverse()) await step();
  };
  try {
    const failpoints = new FailpointFolder(join(dataDir, 'failpoints'));
    const services = await openServices(options.topology);
    undo.push(() => services.close());
    const archiveVolume = await ArchiveVolume.make(dataDir);
    const folders = { failpoints: failpoints.path, archive: archiveVolume.path };
    const stack = await startStack({ dataDir, env: { ...stackEnv(options, folders), ...services.env } });
    undo.push(() => stack.halt());
    const ledger = await Ledger.open(stack.file.databaseUrl);
    undo.push(() => ledger.close());
    const links = await makeLinks(new LinksApi(stack.file), LINKS, 'chaos');
    const { gatewayUrl, opsUrls } = stack.file;
    const visitors = { concurrency: CONCURRENCY, visitors: 500, reconnectOneIn: RECONNECT_ONE_IN };
    const load = new VisitorLoad({ gatewayUrl, links, seed: options.seed, ...visitors });
    undo.push(() => load.close());
    const counters = new Counters(
      [...opsUrls.gateway, ...opsUrls.consumer, ...opsUrls.worker],
      ['hopcount_spool_events', 'hopcount_spool_oldest_age_seconds'],
    );
    undo.push(() => counters.stop());
    const brokers = stack.file.kafkaBrokers;
    const { latePauseMs: pauseMs } = options;
    const late = await LateVisits.start({ brokers, links, load, seed: options.seed + 1, ...(pauseMs && { pauseMs }) });
    undo.push(() => late.stop());
    const fed = FedCounts.start(stack.file, options.seed + 2);
    undo.push(() => fed.stop());
    const archive = new ArchiveFiles(ledger, archiveVolume.path);
    const purged = new Map<string, number>();
    const { changes, toPurge, stopChanges } = await startChanges(stack, load, purged);
    undo.push(stopChanges);
    const observed = {
      ledger,
      archive,
      archiveVolume,
      late,
      ...{ fed, changes, stopChanges, purged },
      limited: [],
      made: toPurge,
      damaged: new Set<string>(),
    };
    const { proxies, nodes } = services;
    return { stack, links, load, failpoints, proxies, nodes, counters, ...observed, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Links that are visited once, so that there is something to purge. */
async function startChanges({ file }: RunningStack, load: VisitorLoad, purged: Map<string, number>) {
  const toPurge = await makeLinks(new LinksApi(file), TO_PURGE, 'to-purge');
  const before = new VisitorLoad({ gatewayUrl: file.gatewayUrl, links: toPurge, concurrency: CONCURRENCY });
  await before.run(VISITS_TO_PURGE);
  before.close();
  load.absorb(before);
  const options = { pauseMs: CHANGE_PAUSE_MS, purgeEveryMs: PURGE_EVERY_MS, purged };
  const changes = new AcknowledgedChanges(file, [...toPurge], options);
  const halt = new AbortController();
  const running = changes.run(halt.signal);
  const stopChanges = async () => {
    halt.abort();
    await running;
  };
  return { changes, toPurge, stopChanges };
}

function stackEnv(
  { gateways, consumers }: WorldOptions,
  { failpoints, archive }: { failpoints: string; archive: string },
): Record<string, string> {
  return {
    // Anything but production: there failpoints refuse to be armed.
    NODE_ENV: 'test',
    HOPCOUNT_FAILPOINTS: failpoints,
    // Extra consumers are started by the suite itself and must hash visitors alike.
    HOPCOUNT_SECRET: randomUUID() + randomUUID(),
    GATEWAYS: String(gateways),
    CONSUMERS: String(consumers),
    TRUSTED_PROXIES: '127.0.0.1/32',
    SESSION_TIMEOUT_MS: String(SESSION_TIMEOUT_MS),
    SPOOL_MAX_BYTES: String(SPOOL_MAX_BYTES),
    VISIT_DURABILITY_FAILURE: 'refuse',
    ARCHIVE_URL: archive,
    ARCHIVE_MEMORY: '256MB',
    SEAL_AFTER: '1m',
    SEAL_INTERVAL_MS: '1000',
    SEAL_SWEEP_INTERVAL_MS: '2000',
    LOG_LEVEL: 'info',
  };
}

async function makeLinks(api: LinksApi, count: number, name: string): Promise<ShortUrl[]> {
  const links: ShortUrl[] = [];
  for (let index = 0; index < count; index += 1) {
    links.push(await api.create({ longUrl: `https://example.com/${name}/${index}` }));
  }
  return links;
}
