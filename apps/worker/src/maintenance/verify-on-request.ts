import { randomUUID } from 'node:crypto';

import { closedBefore } from '@hopcount/archive';
import { readDoubted, StatisticsVerifier, trustSums, VerificationRequests } from '@hopcount/ledger';
import { Database } from '@hopcount/postgres';

import { openArchive } from '../archive/archive-jobs.js';
import type { JobDefinition } from '../jobs/interval-job.js';
import type { JobsDeps } from '../jobs/start-jobs.js';

const LOOK_MS = 1_000;
const HEARD_EVERY_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30 * 60_000;
/** A stopping worker ends what its statements have begun, however long they would take. */
const END_CONNECTIONS = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1';

/** Makes the verifications that somebody asked the api for. Two at once take different ones. */
export function verifyOnRequest(deps: JobsDeps): JobDefinition {
  const requests = new VerificationRequests(deps.database);
  const work = async (signal: AbortSignal) => {
    const holder = randomUUID();
    const id = await requests.claim(holder);
    if (id === undefined) return;
    const run = new AbortController();
    const stop = () => run.abort();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    let step = '';
    const tell = async () => {
      // Another worker took it, after a silence: this one's word counts no more.
      if (!(await requests.heard(id, holder, step))) stop();
    };
    const tellSoon = () =>
      void tell().catch((error: unknown) =>
        deps.logger.warn({ err: error }, 'the progress of a verification could not be written'),
      );
    const timer = setInterval(tellSoon, HEARD_EVERY_MS);
    try {
      const counts = await verify(deps, run.signal, (now) => {
        step = now;
        tellSoon();
      });
      await requests.end(id, holder, { outcome: counts.differences > 0 ? 'mismatch' : 'done', counts });
      if (counts.differences > 0) deps.logger.error({ counts }, 'numbers differ from the ledger; run hopcount verify');
    } catch (error) {
      if (run.signal.aborted) return await requests.release(id, holder);
      await requests.end(id, holder, { outcome: 'failed', error: (error as Error).message });
      throw error;
    } finally {
      clearInterval(timer);
      signal.removeEventListener('abort', stop);
    }
  };
  const waitsFor = `EXISTS (SELECT FROM operator_actions WHERE command = 'verify' AND ended_at IS NULL)`;
  return { name: 'verify-on-request', intervalMs: LOOK_MS, waitsFor, work };
}

/** What `hopcount verify` does, on connections of its own. */
async function verify(deps: JobsDeps, signal: AbortSignal, onStep: (step: string) => void) {
  const { config } = deps;
  const applicationName = `hopcount-verify-${randomUUID()}`;
  const options = { url: config.databaseUrl, applicationName, poolSize: 2, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
  const database = await Database.connect(options);
  // If it fails, the statements end by their timeout.
  const end = () => void deps.database.query(END_CONNECTIONS, [applicationName]).catch(() => undefined);
  signal.addEventListener('abort', end, { once: true });
  const tell = (step: string) => {
    signal.throwIfAborted();
    onStep(step);
  };
  try {
    tell('');
    const archive = openArchive({ ...deps, database });
    const doubted = await readDoubted(database);
    const slots = config.slots === 'off' ? 'off' : 'on';
    const ledger = await new StatisticsVerifier(database).verify({
      slots,
      archived: archive !== undefined,
      onStep: tell,
    });
    const before = closedBefore(Date.now(), config.sealAfter);
    const files = await archive?.verify(before, { onStep: (month) => tell(`files of ${month}`) });
    const inFiles = files?.differences.length ?? 0;
    const differences = ledger.differences.length + inFiles;
    if (!ledger.isDoubted && inFiles === 0) await trustSums(database, doubted, { archived: files !== undefined });
    return { visits: ledger.checked.visits, differences };
  } finally {
    signal.removeEventListener('abort', end);
    await database.close();
  }
}
