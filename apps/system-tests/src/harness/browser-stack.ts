import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type TestDatabase, testDatabase, testRedis, testTopic, type TestTopic } from '@hopcount/testing';

import {
  type AppProcess,
  startApiProcess,
  startConsumerProcess,
  startGatewayProcess,
  startWorkerProcess,
} from './app-process.js';
import { type CliResult, runCli, servicesOf } from './cli.js';

/** What a page in a browser needs behind it: one process of each app that it asks, and a key. */
export interface BrowserStack {
  api: AppProcess;
  gateway: AppProcess;
  apiKey: string;
  /** Imports what is in a CSV file, where there is a worker that does it. */
  import(csv: string): Promise<CliResult>;
  database: TestDatabase;
  visits: TestTopic;
  deadLetters: TestTopic;
  close(): Promise<void>;
}

/** @param hasWorker for what is done beside: imports, titles, webhooks */
export async function openBrowserStack({ hasWorker = false } = {}): Promise<BrowserStack> {
  const [database, redis, topic, deadLetters, folder] = await Promise.all([
    testDatabase(),
    // Its own: another stack of this domain would have its links and its leases there.
    testRedis(),
    testTopic({ label: 'visits' }),
    testTopic({ label: 'visits.dlq' }),
    mkdtemp(join(tmpdir(), 'hopcount-browser-')),
  ]);
  const running: AppProcess[] = [];
  const close = async () => {
    await Promise.all(running.map((app) => app.stop()));
    await Promise.all([
      redis.close(),
      topic.delete(),
      deadLetters.delete(),
      database.drop(),
      rm(folder, { recursive: true }),
    ]);
  };
  try {
    const { stdout } = await runCli(servicesOf(database), 'api-keys', 'create', '--name', 'spec', '-o', 'json');
    const { apiKey } = JSON.parse(stdout) as { apiKey: string };
    const environment = {
      VISITS_TOPIC: topic.name,
      DEAD_LETTER_TOPIC: deadLetters.name,
      CONSUMER_GROUP: `group-${topic.name}`,
      REDIS_URL: redis.url,
    };
    // Alerts by e-mail can be made; no mail server takes them.
    const [from, mail] = [{ SMTP_FROM: 'hopcount@example.com' }, { SMTP_URL: 'smtp://127.0.0.1:1' }];
    const api = await startApiProcess({ database, environment: { ...environment, ...from } });
    running.push(api);
    const ofRedis = { REDIS_URL: redis.url };
    const gateway = await startGatewayProcess({ topic, database, spoolFolder: folder, environment: ofRedis });
    running.push(gateway, await startConsumerProcess({ topic, database, deadLetters, environment: ofRedis }));
    if (hasWorker)
      running.push(await startWorkerProcess({ topic, database, environment: { ...ofRedis, ...from, ...mail } }));
    for (const app of running) await app.ready();
    const importFile = async (csv: string) => {
      const file = join(folder, 'import.csv');
      await writeFile(file, csv);
      return runCli(servicesOf(database), 'import', file, '--from', 'csv', '--execute');
    };
    return { api, gateway, apiKey, database, visits: topic, deadLetters, import: importFile, close };
  } catch (error) {
    await close();
    throw error;
  }
}
