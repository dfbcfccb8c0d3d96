import { createHash } from 'node:crypto';

import { type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

const CLAIM_KEYS = loadSql(import.meta.url, 'sql/claim-idempotency-keys.sql');
const READ_ANSWERS =
  'SELECT key, request, answer FROM idempotency_keys WHERE /* whose */ = $1 AND key = ANY ($2::text[])';
const FREE_KEYS = 'DELETE FROM idempotency_keys WHERE /* whose */ = $1 AND key = ANY ($2::text[])';
/** Of several, for a key that another process holds; then they are to be tried one by one. */
const WAIT_SHORTLY = "SET LOCAL lock_timeout = '1s'";
const WAIT_AS_EVER = 'SET LOCAL lock_timeout = DEFAULT';
const KEEP_ANSWERS = loadSql(import.meta.url, 'sql/keep-answers.sql');
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

/** To a request, and how many links it is about. */
export interface Answered<Answer> {
  answer: Answer;
  results: number;
}

/**
 * What was answered to the first request of each key in the last 24 hours. `work` is given the places of those that are the
 * first, and answers them in that order; it runs in the same transaction as their keys are written, so the effect, the key and the
 * answer are there together or not at all. Who comes meanwhile waits for that transaction: several for a second, one for as long
 * as a statement may take. A request that failed leaves no key, and one that `work` refuses, of which it wrote nothing, neither.
 * @param given of one author, no two of the same key
 * @returns an `idempotency-key-reused` for another request under a key. @throws what `work` throws
 */
export async function answerEachOnce<Answer>(
  tx: Transaction,
  given: readonly OnceOnly[],
  work: (places: number[]) => Promise<(Answered<Answer> | AppError)[]>,
): Promise<(Answer | AppError)[]> {
  const answers = new Map<string, Answer | AppError>();
  const isFirst = await claim(tx, given, answers);
  const places = given.flatMap(({ key }, place) => (isFirst.has(key) ? [place] : []));
  const refused: string[] = [];
  const kept: (Answered<Answer> & { key: string })[] = [];
  for (const [nth, one] of (places.length === 0 ? [] : await work(places)).entries()) {
    const key = given[places[nth] as number]?.key ?? '';
    answers.set(key, one instanceof AppError ? one : one.answer);
    if (one instanceof AppError) refused.push(key);
    else kept.push({ key, ...one });
  }
  const query = queryOf(tx, given);
  if (refused.length > 0) await query(FREE_KEYS, refused);
  if (kept.length > 0) {
    const texts = kept.map(({ answer }) => JSON.stringify(answer));
    const keys = kept.map(({ key }) => key);
    const results = kept.map((one) => one.results);
    await query(KEEP_ANSWERS, keys, texts, results);
  }
  return given.map(({ key }) => answers.get(key) as Answer | AppError);
}

/** @param answers gets those of the other keys. @returns the keys that nobody has used yet; they are the caller's now */
async function claim<Answer>(
  tx: Transaction,
  given: readonly OnceOnly[],
  answers: Map<string, Answer | AppError>,
): Promise<Set<string>> {
  const query = queryOf(tx, given);
  const isFirst = new Set<string>();
  if (given.length > 1) await tx.query(WAIT_SHORTLY);
  for (
    let open = [...given];
    open.length > 0;
    open = open.filter(({ key }) => !isFirst.has(key) && !answers.has(key))
  ) {
    const keys = open.map(({ key }) => key);
    const digests = new Map(open.map(({ key, request }) => [key, createHash('sha256').update(request).digest()]));
    for (const { key } of await query<{ key: string }>(CLAIM_KEYS, keys, [...digests.values()])) isFirst.add(key);
    const others = keys.filter((key) => !isFirst.has(key));
    // Those that are missing here went between the two statements: their time was over.
    for (const kept of others.length === 0 ? [] : await query<Kept>(READ_ANSWERS, others)) {
      const isSame = digests.get(kept.key)?.equals(kept.request) === true;
      answers.set(kept.key, isSame ? (JSON.parse(kept.answer) as Answer) : reused());
    }
  }
  if (given.length > 1) await tx.query(WAIT_AS_EVER);
  return isFirst;
}

/** The same of one request. @throws AppError `idempotency-key-reused`, and whatever `work` throws */
export async function answerOnce<Answer>(
  tx: Transaction,
  once: OnceOnly,
  work: () => Promise<Answered<Answer>>,
): Promise<Answer> {
  const [answer] = await answerEachOnce(tx, [once], async () => [await work()]);
  if (answer instanceof AppError) throw answer;
  return answer as Answer;
}

interface Kept {
  key: string;
  request: Buffer;
  answer: string;
}

/** Statements about the keys of their author. */
function queryOf(tx: Transaction, [first]: readonly OnceOnly[]) {
  return <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
    first === undefined
      ? Promise.resolve([])
      : tx.query<Row>(text.replaceAll('/* whose */', WHOSE[first.by.kind]), [first.by.id, ...values]);
}

function reused(): AppError {
  return new AppError(
    'idempotency-key-reused',
    'This Idempotency-Key was used for another request in the last 24 hours. Send a new key with a new request.',
  );
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
