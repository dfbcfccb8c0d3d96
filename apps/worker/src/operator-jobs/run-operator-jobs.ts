import { JOB_KINDS } from '@hopcount/contracts';
import type { KafkaAdmin, KafkaConnection } from '@hopcount/kafka';
import { HOUR_MS, OperatorJobs, runJob } from '@hopcount/ledger';

import { openArchive } from '../archive/archive-jobs.js';
import type { JobDefinition } from '../jobs/interval-job.js';
import type { JobsDeps } from '../jobs/start-jobs.js';
import { jobWorks } from './job-works.js';
import { openOwnDatabase } from './own-database.js';

const LOOK_MS = 1_000;

type Deps = Pick<JobsDeps, 'config' | 'database' | 'counted' | 'metrics' | 'logger'> & {
  connection: KafkaConnection;
  admin: KafkaAdmin;
};

/** What operators ask the api for: of each kind one at a time. Two workers at once take different jobs. */
export function operatorJobs(deps: Deps): JobDefinition[] {
  const { config, database, logger } = deps;
  const jobs = new OperatorJobs(database);
  const kinds = JOB_KINDS.map((kind): JobDefinition => {
    const work = async (signal: AbortSignal) => {
      const workOf = async (held: AbortSignal) => {
        const own = await openOwnDatabase(database, config.databaseUrl, held);
        const archive = openArchive({ ...deps, database: own.database });
        const works = jobWorks({ ...deps, database: own.database, archive });
        return { ...works[kind], [Symbol.asyncDispose]: () => own[Symbol.asyncDispose]() };
      };
      while (!signal.aborted && (await runJob({ jobs, kind, logger }, signal, workOf)));
    };
    const waitsFor = `EXISTS (SELECT FROM operator_jobs WHERE kind = '${kind}' AND state IN ('planning', 'running'))`;
    return { name: `operator-${kind}`, intervalMs: LOOK_MS, waitsFor, work };
  });
  const expire = async () => void (await jobs.expire());
  return [...kinds, { name: 'expire-operator-jobs', intervalMs: HOUR_MS, work: expire }];
}
