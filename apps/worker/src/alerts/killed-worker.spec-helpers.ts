import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startSourceProcess } from '@hopcount/testing';

/** What every such worker begins with; then it names what it does. */
const BEGIN = (databaseUrl: string) => `
  import { armFailpoints, createLogger, Registry } from '@hopcount/runtime';
  import { Database } from '@hopcount/postgres';
  import { checkAlerts } from './apps/worker/src/alerts/check-alerts.js';
  import { deliverWebhooks } from './apps/worker/src/webhooks/deliver-webhooks.js';
  import { createWorkerMetrics } from './apps/worker/src/worker.metrics.js';
  armFailpoints(process.env);
  const database = await Database.connect({ url: '${databaseUrl}', applicationName: 'killed' });
  const [metrics, logger] = [createWorkerMetrics(new Registry()), createLogger({ name: 'killed', level: 'silent' })];
`;

/** Another process that does one job and is killed at a failpoint. @returns what it wrote, and the signal that ended it */
export async function runKilled(point: string, databaseUrl: string, job: string): Promise<[string, string | null]> {
  const failpoints = mkdtempSync(join(tmpdir(), 'failpoints-'));
  writeFileSync(join(failpoints, point), 'kill:1');
  const script = `${BEGIN(databaseUrl)}
  await ${job}.work(new AbortController().signal);
  console.error('not killed');`;
  const child = startSourceProcess(script, { environment: { HOPCOUNT_FAILPOINTS: failpoints } });
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const signal = await new Promise<string | null>((resolve) => child.once('close', (_code, name) => resolve(name)));
  rmSync(failpoints, { recursive: true });
  return [output, signal];
}

/** The check of alerts at an instant up to which everything is counted. */
export function checkAt(at: number): string {
  return `checkAlerts({ config: {}, database, counted: { measure: async () => ${at} }, metrics, logger }, () => ${at})`;
}
