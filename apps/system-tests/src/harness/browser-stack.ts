import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { testDatabase, testTopic } from '@hopcount/testing';

import { type AppProcess, startApiProcess, startConsumerProcess, startGatewayProcess } from './app-process.js';
import { runCli, servicesOf } from './cli.js';

/** What a page in a browser needs behind it: one process of each app that it asks, and a key. */
export interface BrowserStack {
  api: AppProcess;
  gateway: AppProcess;
  apiKey: string;
  close(): Promise<void>;
}

export async function openBrowserStack(): Promise<BrowserStack> {
  const [database, topic, deadLetters, folder] = await Promise.all([
    testDatabase(),
    testTopic({ label: 'visits' }),
    testTopic({ label: 'visits.dlq' }),
    mkdtemp(join(tmpdir(), 'hopcount-browser-')),
  ]);
  const running: AppProcess[] = [];
  const close = async () => {
    await Promise.all(running.map((app) => app.stop()));
    await Promise.all([topic.delete(), deadLetters.delete(), database.drop(), rm(folder, { recursive: true })]);
  };
  try {
    const { stdout } = await runCli(servicesOf(database), 'api-keys', 'create', '--name', 'spec', '-o', 'json');
    const { apiKey } = JSON.parse(stdout) as { apiKey: string };
    const api = await startApiProcess({ database });
    running.push(api);
    const gateway = await startGatewayProcess({ topic, database, spoolFolder: folder });
    running.push(gateway, await startConsumerProcess({ topic, database, deadLetters }));
    for (const app of running) await app.ready();
    return { api, gateway, apiKey, close };
  } catch (error) {
    await close();
    throw error;
  }
}
