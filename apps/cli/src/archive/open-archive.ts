import type { Archive } from '@hopcount/archive';
import type { Database } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import type { CliConfig } from '../cli.config.js';
import type { Services } from '../connections.js';

/**
 * Not imported at the top of a command: most commands do without the library behind it.
 * @throws AppError `invalid-config`: no ARCHIVE_URL
 */
export async function openArchive(database: Database, config: CliConfig): Promise<Archive> {
  const { Archive: Opened, archiveRoot } = await import('@hopcount/archive');
  const root = archiveRoot(config);
  if (root === undefined) throw new AppError('invalid-config', 'Set ARCHIVE_URL as the workers have it.');
  return new Opened(database, { root, memoryMb: config.archiveMemory });
}

/** Before it hours are closed: by what is counted, and by their age. */
export async function readClosedBefore({ config, database, admin }: Services): Promise<number> {
  const { CountedUpTo } = await import('@hopcount/ledger');
  const { closedBefore } = await import('@hopcount/archive');
  const { consumerGroup: group, visitsTopic: topic } = config;
  const counted = new CountedUpTo(database, { group, topic, logEnds: () => admin.topicOffsets(topic) });
  return closedBefore(Date.now(), config.sealAfter, await counted.measure());
}
