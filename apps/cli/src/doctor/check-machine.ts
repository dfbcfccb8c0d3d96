import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import type { Check } from '@hopcount/ledger';
import type { UnevenNode } from '@hopcount/redis';
import { isTlsFailure, parseRedisUrl, type ServerToAsk, silentServers } from '@hopcount/runtime';

import { addressIn, type CliConfig } from '../cli.config.js';
import { TRUST } from '../cli.errors.js';
import { silentLogger } from '../connections.js';
import { plural } from '../output/output.js';
import { silentOf } from '../while-answering.js';

const REDIS_WAIT_MS = 2_000;
/** Answered before a login, too: that there has to be one. */
const PING = Buffer.from('PING\r\n');

/** Redis only saves work: without it everything is counted, a little slower. */
export async function checkRedis(config: CliConfig): Promise<Check[]> {
  const { createRedis, findUnevenNode, waitForUse } = await import('@hopcount/redis');
  const { ok, warn } = await import('@hopcount/ledger');
  const url = addressIn(config, 'redisUrl');
  const client = createRedis({ url, name: 'hopcount-cli', logger: silentLogger });
  let failure: NodeJS.ErrnoException | undefined;
  client.on('error', (error: Error) => (failure = error));
  const servers = redisServers(url);
  try {
    const [{ isUsable, refusal }, silent] = await Promise.all([
      waitForUse(client, REDIS_WAIT_MS),
      silentServers(servers, REDIS_WAIT_MS),
    ]);
    if (silent.length > 0) {
      const advice = 'Counting goes on without it. Look at the machine and at the log there, then restart it.';
      return [warn('redis', `${addressesOf(silent)} gives no answer (waited ${REDIS_WAIT_MS / 1_000} s)`, advice)];
    }
    // A master that is away is the others' affair: what it has is not known.
    if (isUsable)
      return [ok('redis', 'answers'), ...(await judgeNodes(await findUnevenNode(client).catch(() => undefined)))];
    if (refusal !== undefined) return [warn('redis', refusal, 'Counting goes on without it; correct REDIS_URL.')];
    const said = failure === undefined ? '' : ` (${failure.message})`;
    const found = `${addressesOf(servers)} does not answer${said}`;
    const advice = isTlsFailure(failure?.code ?? '') ? `REDIS_URL: ${TRUST}` : 'start it, or set REDIS_URL.';
    return [warn('redis', found, `Counting goes on without it; ${advice}`)];
  } finally {
    client.disconnect();
  }
}

/** A node of a cluster with far more keys than the others, or without a slot. */
async function judgeNodes(uneven: UnevenNode | undefined): Promise<Check[]> {
  if (uneven === undefined) return [];
  const { warn } = await import('@hopcount/ledger');
  const { node, ratio, empty, fullest, command } = uneven;
  if (empty !== undefined) return [warn('redis nodes', `${empty} has no slots`, `Move slots to it: ${command}`)];
  const slots = fullest.map(({ slot, keys }) => `${slot} (${plural(keys, 'key')})`).join(', ');
  const found = `${node} has ${ratio.toFixed(1)} times as many keys as the mean of all nodes; its fullest slots: ${slots}`;
  return [warn('redis nodes', found, `Move slots to the other nodes: ${command}`)];
}

/** As REDIS_URL names them. */
function redisServers(url: string): ServerToAsk[] {
  const servers = parseRedisUrl(url);
  const single = ({ hostname, port }: URL) => ({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6_379) });
  const nodes = servers.kind === 'single' ? [single(new URL(servers.url))] : servers.nodes;
  return nodes.map((node) => ({ ...node, hello: PING }));
}

function addressesOf(servers: readonly ServerToAsk[]): string {
  return servers.map(({ host, port }) => `${host}:${port}`).join(', ');
}

/** Of those that are named, which may be away one by one: the cluster is there. */
export async function checkBrokers(config: CliConfig): Promise<Check> {
  const kafkaBrokers = addressIn(config, 'kafkaBrokers');
  const { ok, warn } = await import('@hopcount/ledger');
  const silent = await silentOf('Kafka', kafkaBrokers);
  if (silent.length === 0)
    return ok('brokers', `${plural(kafkaBrokers.length, 'address', 'addresses')} of KAFKA_BROKERS`);
  const advice = 'Look at the machine and at the log there, then restart it; or take it out of KAFKA_BROKERS.';
  return warn('brokers', `${silent.join(', ')} gives no answer`, advice);
}

/** What the gateways of this machine wrote to disk while Kafka was away and have not published yet. */
export async function checkSpool(config: CliConfig): Promise<Check> {
  const { ok, warn } = await import('@hopcount/ledger');
  const entries = await readdir(config.spoolDir, { recursive: true }).catch((error: NodeJS.ErrnoException) => error);
  if (!Array.isArray(entries)) {
    if (entries.code === 'ENOENT') return ok('spool', `no folder ${config.spoolDir} on this machine`);
    return warn(
      'spool',
      `cannot be read (${entries.message})`,
      'Correct SPOOL_DIR, or run this as the user of the gateways.',
    );
  }
  const damaged = entries.filter((name) => name.endsWith('.damaged'));
  if (damaged.length > 0) {
    const kept = `kept for you to look at: ${damaged.join(', ')}`;
    return warn('spool', plural(damaged.length, 'damaged segment'), `${kept} (in ${config.spoolDir}).`);
  }
  let bytes = 0;
  for (const entry of entries.filter((name) => name.endsWith('.spool'))) {
    // Published meanwhile.
    bytes += (await stat(join(config.spoolDir, entry)).catch(() => ({ size: 0 }))).size;
  }
  if (bytes === 0) return ok('spool', 'empty');
  const advice = 'A running gateway of this machine publishes them once Kafka answers.';
  return warn('spool', `${bytes} bytes not published`, advice);
}
