import { type Archive, closedBefore, type SealReport } from '@hopcount/archive';
import type { JobKind } from '@hopcount/contracts';
import type { KafkaAdmin, KafkaConnection } from '@hopcount/kafka';
import {
  allVisitsTotal,
  compareScope,
  countLinks,
  countsOf,
  type CountedUpTo,
  EVERYTHING,
  HOUR_MS,
  type JobRun,
  type JobWork,
  type OffsetRangeText,
  planRedrive,
  rangeFromText,
  rangesBetween,
  rangeToText,
  type RedriveCheckpoint,
  type ReplayRun,
  runRebuild,
  runRedrive,
  runReplay,
  sendMissing,
  verifyAll,
  type VerifyCheckpoint,
  type VerifyFilesOptions,
} from '@hopcount/ledger';
import type { Database } from '@hopcount/postgres';
import { AppError, inSteps, type Logger, Reach } from '@hopcount/runtime';

import type { WorkerConfig } from '../worker.config.js';

const CHUNK_LINKS = 200;
const MOST_LETTERS = 10_000;
const MOST_RECORDS = 5_000_000;
const WAIT_MS = 120_000;

export interface WorksDeps {
  config: WorkerConfig;
  /** Of the job's own. */
  database: Database;
  connection: KafkaConnection;
  admin: KafkaAdmin;
  counted: Pick<CountedUpTo, 'measure'>;
  /** On the same database; undefined without ARCHIVE_URL. */
  archive: Archive | undefined;
  logger: Logger;
}

/** Each kind of job is what the command of the same name does, by the same functions of the libraries. */
export function jobWorks(deps: WorksDeps): Record<JobKind, JobWork> {
  return {
    rebuild: rebuildWork(deps),
    verify: verifyWork(deps),
    redrive: redriveWork(deps),
    seal: sealWork(deps),
    replay: replayWork(deps),
  };
}

function rebuildWork({ config, database, archive, logger }: WorksDeps): JobWork {
  const slots = config.slots === 'off' ? 'off' : 'on';
  return {
    plan: async ({ shown }) => {
      const differences = await compareScope(database, EVERYTHING, { slots, shown });
      return { links: await countLinks(database, EVERYTHING), differences: differences.length };
    },
    run: async ({ checkpoint, parameters, shown, keep }) => {
      const { counts, left, failed } = await runRebuild({
        ...{ database, slots, archive, shown, scope: EVERYTHING, chunkLinks: CHUNK_LINKS },
        ratePerSecond: rateOf(parameters),
        begin: checkpoint,
        keep: (at) => keep(at, { ...at.counts }),
        onFailedMonth: ({ what, error }) => logger.error({ err: error, what }, 'files of a month could not be read'),
      });
      const outcome = left.length > 0 || failed > 0 ? 'mismatch' : 'done';
      return { outcome, counts: { ...counts, differencesLeft: left.length, monthsFailed: failed } };
    },
  };
}

/** A run that was killed or paused is continued after the last month of the ledger or of files that it compared. */
function verifyWork({ config, database, archive, logger }: WorksDeps): JobWork {
  return {
    plan: async () => {
      const source = config.slots === 'off' ? 'traffic' : 'slots';
      return { visits: (await allVisitsTotal(Reach.everything, database, source)).total };
    },
    run: async ({ shown, signal, checkpoint, keep }) => {
      const before = closedBefore(Date.now(), config.sealAfter);
      const verifyFiles = (open: Archive, options: VerifyFilesOptions) =>
        inSteps(shown, 'months of files', (onStep) => open.verify(before, { ...options, onStep, signal }));
      const { counts } = await verifyAll({
        ...{ database, shown, slots: config.slots === 'off' ? 'off' : 'on', keep },
        verifyFiles: archive && ((options) => verifyFiles(archive, options)),
        begin: 'ledger' in checkpoint ? (checkpoint as unknown as VerifyCheckpoint) : undefined,
      });
      const { differences } = counts;
      if (differences > 0) logger.error({ differences }, 'numbers differ from the ledger; run hopcount verify');
      return { outcome: differences > 0 ? 'mismatch' : 'done', counts };
    },
  };
}

function redriveWork({ config, database, connection, admin }: WorksDeps): JobWork {
  const servicesOf = ({ shown }: JobRun) => ({ config, database, connection, admin, shown });
  const choiceOf = ({ parameters }: JobRun) => ({
    ...{ limit: MOST_LETTERS, again: false, ratePerSecond: rateOf(parameters) },
    reason: parameters['reason'] === undefined ? undefined : String(parameters['reason']),
  });
  return {
    plan: async (run) => {
      const { tally, expected } = await planRedrive(servicesOf(run), choiceOf(run));
      const { letters, alreadyCounted, purged, refusedAgain } = tally;
      return { letters, alreadyCounted, purged, refusedAgain, expectedCountChange: expected.size };
    },
    run: (run) => {
      const { actionId, checkpoint } = run;
      if (actionId === null) throw new Error('a job that was started has an audit row');
      return runRedrive(servicesOf(run), choiceOf(run), {
        ...{ actionId, waitMs: WAIT_MS, signal: run.signal },
        begin: 'ranges' in checkpoint ? (checkpoint as unknown as RedriveCheckpoint) : undefined,
        keep: (at) => run.keep(at, { ...at.tally }),
      });
    },
  };
}

/** Run again over the same range after a kill: the ledger says what is missing still. */
function replayWork({ config, database, connection, admin }: WorksDeps): JobWork {
  const topic = config.visitsTopic;
  const servicesOf = ({ shown }: JobRun) => ({ config, database, connection, admin, shown });
  const requestOf = async ({ parameters, checkpoint, createdAt }: JobRun) => {
    const kept = checkpoint['ranges'] as OffsetRangeText[] | undefined;
    // What is started is what the plan was of.
    const fromMs = createdAt.getTime() - Number(parameters['lastHours']) * HOUR_MS;
    const ranges = kept?.map(rangeFromText) ?? (await rangesBetween(admin, topic, { fromMs }));
    return { topic, ranges, limit: MOST_RECORDS, ratePerSecond: rateOf(parameters) };
  };
  return {
    plan: async (run) => {
      const { tally, expected } = await runReplay(servicesOf(run), await requestOf(run));
      const { records, counted, missing, notReadYet, purged, refused } = tally;
      return { records, counted, missing, notReadYet, purged, refused, expectedCountChange: expected.size };
    },
    run: async (run) => {
      const { actionId } = run;
      if (actionId === null) throw new Error('a job that was started has an audit row');
      const request = await requestOf(run);
      const ranges = request.ranges.map(rangeToText);
      await run.keep({ ranges }, {});
      const onTaken = (replay: ReplayRun) => run.keep({ ranges }, countsOf(replay));
      return sendMissing(servicesOf(run), { ...request, actionId, waitMs: WAIT_MS, signal: run.signal, onTaken });
    },
  };
}

type SealedCounts = Record<'hours' | 'visits' | 'removedVisits' | 'failed', number>;

/** The archive's manifest says what is sealed: hours that a killed run has sealed are not due any more. */
function sealWork({ config, counted, archive, logger }: WorksDeps): JobWork {
  const due = async () => {
    if (archive === undefined) throw new AppError('invalid-config', 'The workers have no archive: set ARCHIVE_URL.');
    const before = closedBefore(Date.now(), config.sealAfter, await counted.measure());
    return { archive, hours: await archive.dueHours(before, 'all') };
  };
  return {
    plan: async () => ({ dueHours: (await due()).hours.length }),
    run: async ({ shown, signal, keep, checkpoint }) => {
      const before = (checkpoint['sealed'] ?? {}) as Partial<SealedCounts>;
      const { archive: open, hours } = await due();
      const progress = shown.startProgress('hours', hours.length);
      let looked = 0;
      const countsOf = ({ hours: sealed, visits, removedVisits, failed }: SealReport) => ({
        hours: sealed + (before.hours ?? 0),
        visits: visits + (before.visits ?? 0),
        removedVisits: removedVisits + (before.removedVisits ?? 0),
        failed: failed.length,
      });
      const onHours = async (count: number, report: SealReport) => {
        progress.at((looked += count));
        await keep({ sealed: countsOf(report) }, countsOf(report));
      };
      const { attributed, ...report } = await open.seal(hours, { signal, onHours });
      signal.throwIfAborted();
      for (const { what, error } of report.failed) logger.error({ err: error, what }, 'an hour could not be sealed');
      const outcome = report.failed.length > 0 ? 'mismatch' : 'done';
      return { outcome, counts: { ...countsOf(report), attributed } };
    },
  };
}

function rateOf({ ratePerSecond }: JobRun['parameters']): number | undefined {
  return ratePerSecond === undefined ? undefined : Number(ratePerSecond);
}
