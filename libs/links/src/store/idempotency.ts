import { createHash } from 'node:crypto';

import { type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

const CLAIM_KEY = loadSql(import.meta.url, 'sql/claim-idempotency-key.sql');
const READ_ANSWER = 'SELECT request, answer FROM idempotency_keys WHERE /* whose */ = $1 AND key = $2';
const KEEP_ANSWER = 'UPDATE idempotency_keys SET answer = $3, results = $4 WHERE /* whose */ = $1 AND key = $2';
const WHOSE = { key: 'api_key_id', user: 'user_id' };
const EXPIRE_KEYS = loadSql(import.meta.url, 'sql/expire-idempotency-keys.sql');

/** A request that has its effect once, however often it comes. */
export interface OnceOnly {
  by: { kind: keyof typeof WHOSE; id: number };
  /** As the client chose it. */
  key: string;
  /** All that was asked for: the same key with another text is refused. */
  request: string;
}

/**
 * What `work` answered to the first request of that key in the last 24 hours; `work` runs in the same transaction as the
 * key is written, so the effect, the key and the answer are there together or not at all. Who comes meanwhile waits
 * for that transaction. A request that failed leaves no key.
 * @throws AppError `idempotency-key-reused`, and whatever `work` throws
 */
export async function answerOnce<Answer>(
  tx: Transaction,
  once: OnceOnly,
  work: () => Promise<{ answer: Answer; results: number }>,
): Promise<Answer> {
  const { by, key, request } = once;
  const query = <Row>(text: string, ...values: unknown[]) =>
    tx.query<Row>(text.replaceAll('/* whose */', WHOSE[by.kind]), [by.id, key, ...values]);
  const digest = createHash('sha256').update(request).digest();
  const isFirst = (await query(CLAIM_KEY, digest)).length > 0;
  if (isFirst) {
    const { answer, results } = await work();
    await query(KEEP_ANSWER, JSON.stringify(answer), results);
    return answer;
  }
  const [kept] = await query<{ request: Buffer; answer: string }>(READ_ANSWER);
  // It went between the two statements: its time was over.
  if (kept === undefined) return answerOnce(tx, once, work);
  if (!kept.request.equals(digest)) {
    throw new AppError(
      'idempotency-key-reused',
      'This Idempotency-Key was used for another request in the last 24 hours. Send a new key with a new request.',
    );
  }
  return JSON.parse(kept.answer) as Answer;
}

/** Answers of so many links are kept; above that the oldest go before their 24 hours. */
const RESULTS_KEPT = 1_000_000;
const KEYS_PER_STATEMENT = 5_000;

/** For the worker. @returns how many keys went */
export async function expireIdempotencyKeys(
  database: Database,
  { signal, resultsKept = RESULTS_KEPT }: { signal?: AbortSignal; resultsKept?: number } = {},
): Promise<number> {
  let expired = 0;
  for (let some = KEYS_PER_STATEMENT; some === KEYS_PER_STATEMENT && signal?.aborted !== true; expired += some) {
    some = (await database.execute(EXPIRE_KEYS, [resultsKept, KEYS_PER_STATEMENT])).affected;
  }
  return expired;
}
