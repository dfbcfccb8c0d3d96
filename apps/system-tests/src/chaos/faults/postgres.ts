import { setTimeout as sleep } from 'node:timers/promises';

import { waitUntil } from '@hopcount/testing';
import { Client } from 'pg';

import type { Fault } from '../fault.js';
import type { World } from '../world.js';

const READ_ONLY_MS = 4_000;
const TERMINATE_TIMES = 10;

/** Past the proxy and past all of Hopcount's code, with an operator's rights. */
async function withOperator<T>({ stack }: World, work: (client: Client) => Promise<T>): Promise<T> {
  const { databaseUrl, databaseAdminUrl = databaseUrl } = stack.file;
  const client = new Client({ connectionString: databaseAdminUrl, application_name: 'chaos-operator' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const terminateBackends: Fault = {
  name: 'terminate-backends',
  rows: ['F17'],
  inject: async (world) => {
    let terminated = 0;
    await withOperator(world, async (client) => {
      for (let time = 0; time < TERMINATE_TIMES; time += 1) {
        // In the middle of a transaction first: an idle connection only has to be opened again.
        const { rowCount } = await client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE application_name LIKE 'hopcount-%' AND application_name <> 'hopcount-system-tests'
           ORDER BY state = 'idle' LIMIT 3`,
        );
        terminated += rowCount ?? 0;
        await sleep(100 + world.random() * 200);
      }
    });
    return { proof: () => Promise.resolve({ what: 'backends terminated', count: terminated }) };
  },
};

const readOnly: Fault = {
  name: 'read-only-postgres',
  rows: ['F19'],
  inject: async (world) => {
    const refused = await world.counters.since('hopcount_batch_retries_total', { sqlstate: '25006' });
    const set = (value: string) =>
      withOperator(world, async (client) => {
        await client.query('SET default_transaction_read_only = off');
        await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
        await client.query('SELECT pg_reload_conf()');
      });
    await set('on');
    await sleep(READ_ONLY_MS);
    return {
      heal: () => set('off'),
      proof: async () => ({ what: 'transactions refused as read-only', count: await refused() }),
    };
  },
};

/**
 * Holds the rows a commit adds to, waits until a commit waits for them, then asks for the checkpoint rows
 * that commit holds. PostgreSQL's detector runs in whoever has waited for a second: this session's own
 * is put off, so the consumer's transaction is the one that is ended. It looks once, so who observes has a connection already.
 */
const deadlock: Fault = {
  name: 'deadlock',
  rows: ['F18'],
  inject: async (world) => {
    const deadlocks = await world.counters.since('hopcount_batch_retries_total', { sqlstate: '40P01' });
    await withOperator(world, (client) =>
      withOperator(world, async (observer) => {
        await client.query("SET deadlock_timeout = '60s'");
        await client.query('BEGIN');
        await client.query('SELECT FROM link_traffic ORDER BY link_id, bucket, class FOR UPDATE');
        const isWaiting = () => isCommitWaiting(observer);
        await waitUntil(isWaiting, { timeoutMs: 20_000, everyMs: 10, describe: 'a commit waits' });
        await client.query('SELECT FROM consumer_checkpoints ORDER BY partition FOR UPDATE');
        await client.query('ROLLBACK');
      }),
    );
    return {
      proof: async () => ({ what: 'commits ended by the deadlock detector and done again', count: await deadlocks() }),
    };
  },
};

async function isCommitWaiting(observer: Client): Promise<boolean> {
  const { rowCount } = await observer.query(
    `SELECT FROM pg_stat_activity
     WHERE application_name = 'hopcount-consumer' AND wait_event_type = 'Lock' AND query LIKE '%link_traffic%'`,
  );
  return (rowCount ?? 0) > 0;
}

export const POSTGRES_FAULTS: Fault[] = [terminateBackends, readOnly, deadlock];
