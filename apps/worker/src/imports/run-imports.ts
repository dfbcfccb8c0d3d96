import type { Archive } from '@hopcount/archive';
import { VisitCommitter } from '@hopcount/ledger';
import { LinkFilter, LinkStore, Snowflakes, WorkerLease } from '@hopcount/links';
import { Reach } from '@hopcount/runtime';
import { type ImportRow, ImportStore, runImport } from '@hopcount/transfer';

import type { JobDefinition } from '../jobs/interval-job.js';
import type { JobsDeps } from '../jobs/start-jobs.js';
import { createOpenMonths } from './open-months.js';

const INTERVAL_MS = 1_000;
const DEFAULT_DOMAIN = 'SELECT authority FROM domains WHERE is_default';

type Deps = Pick<JobsDeps, 'config' | 'database' | 'redis' | 'outbox' | 'logger'>;

/** Takes imports to their end, one after the other. Two at once: each chunk is written by one of them. */
export function runImports(
  { config, database, redis, outbox, logger }: Deps,
  archive: Pick<Archive, 'restore'> | undefined,
): JobDefinition {
  const imports = new ImportStore(database);
  const committer = new VisitCommitter(database, config);

  /** Ids are made under a worker id of its own, held for as long as there is something to import. */
  async function run(first: ImportRow, signal: AbortSignal): Promise<void> {
    const lease = new WorkerLease(database, { logger });
    await lease.start();
    try {
      const [domain] = await database.query<{ authority: string }>(DEFAULT_DOMAIN);
      if (domain === undefined) return; // no api has run yet: there is nothing links could be created on
      const { allowPrivateTargets, targetSchemes, looseCodes } = config;
      const links = new LinkStore(database, new Snowflakes(lease), outbox, {
        ...{ defaultDomain: domain.authority, allowPrivateTargets, targetSchemes, looseCodes },
        filter: new LinkFilter(redis),
        isQuiet: true,
        // A snowflake code would need the secret; any code that is free serves a link that came without.
        ...{ codeStrategy: 'random', secret: '' },
      });
      const openMonths = createOpenMonths({ database, archive, logger, what: 'an import brings visits of it' });
      for (
        let next: ImportRow | undefined = first;
        next !== undefined && !signal.aborted;
        next = await imports.next()
      ) {
        await runImport({ database, links, imports, committer, openMonths }, next, signal);
        const { id, state, rowsDone, created, updated, unchanged, refused, failure } = await imports.get(
          Reach.everything,
          next.id,
        );
        logger.info({ import: id, state, rowsDone, created, updated, unchanged, refused, failure }, 'import');
      }
    } finally {
      await lease.close();
    }
  }

  const work = async (signal: AbortSignal) => {
    const first = await imports.next();
    if (first !== undefined) await run(first, signal);
  };
  const waitsFor = `EXISTS (SELECT FROM imports WHERE state IN ('waiting', 'running'))`;
  return { name: 'run-imports', intervalMs: INTERVAL_MS, waitsFor, work };
}
