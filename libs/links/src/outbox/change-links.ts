import type { Database, Transaction } from '@hopcount/postgres';
import { failpoint } from '@hopcount/runtime';

import type { LinkOutbox } from './link-outbox.js';

const CONFLICT_RETRIES = 4;

export interface LinkChanges {
  database: Database;
  outbox: Pick<LinkOutbox, 'announce'>;
  /** Before the announcement. */
  onCommit?: (() => void) | undefined;
}

/** One transaction, which holds the announcement of what it changes; once it is committed, that is delivered. */
export async function changeLinks<Result>(
  { database, outbox, onCommit }: LinkChanges,
  work: (tx: Transaction) => Promise<Result>,
  isChange: (result: Result) => boolean,
): Promise<Result> {
  const result = await database.transaction(
    async (tx) => {
      const done = await work(tx);
      failpoint('links.before-commit');
      return done;
    },
    { conflictRetries: CONFLICT_RETRIES },
  );
  failpoint('links.after-commit-before-announce');
  onCommit?.();
  if (isChange(result)) await outbox.announce();
  return result;
}
