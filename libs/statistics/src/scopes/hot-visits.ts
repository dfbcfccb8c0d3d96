import { BUCKET_MS, bucketOf } from '@hopcount/ledger';
import { type Database, loadSql } from '@hopcount/postgres';

import { inTime, orTooLong } from '../read/in-time.js';
import { Snapshots } from '../read/snapshot.js';

const READ = loadSql(import.meta.url, 'sql/hot-visits.sql');
const TIMEOUT_MS = 5_000;
/** However many ask: all visits of the last half hour are added up at most so often. */
const KEPT_MS = 10_000;

export const HOT_LINKS_AT_MOST = 1_000;
const DOMAINS_AT_MOST = 1_000;

interface Row {
  domain: string | null;
  code: string | null;
  visits: number;
}

export interface HotVisits {
  /** The quarter of an hour that is open, and the one before. */
  sinceMs: number;
  untilMs: number;
  /** Of all links. */
  visits: number;
  /** Most visits first, as all. */
  domains: { domain: string; visits: number }[];
  links: { domain: string; code: string; visits: number }[];
}

/** Links and domains with the most visits of late, for what spreads load. Kept for ten seconds. */
export class HotVisitsReader {
  #kept: { answer: Promise<HotVisits>; untilMs: number } | undefined;

  constructor(private readonly database: Database) {}

  /** @throws AppError `too-many-questions`, `answer-takes-too-long` */
  read(keyId: number | null): Promise<HotVisits> {
    const nowMs = Date.now();
    if (this.#kept !== undefined && nowMs < this.#kept.untilMs) return this.#kept.answer;
    const kept = { answer: this.#ask(nowMs, keyId), untilMs: nowMs + KEPT_MS };
    this.#kept = kept;
    kept.answer.catch(() => {
      if (this.#kept === kept) this.#kept = undefined;
    });
    return kept.answer;
  }

  async #ask(untilMs: number, keyId: number | null): Promise<HotVisits> {
    const sinceMs = bucketOf(untilMs) - BUCKET_MS;
    const values = [new Date(sinceMs), HOT_LINKS_AT_MOST, DOMAINS_AT_MOST];
    try {
      const rows = await Snapshots.shared(this.database).run(
        (tx) => inTime(tx, TIMEOUT_MS, (hurried) => hurried.query<Row>(READ, values)),
        { keyId },
      );
      return { sinceMs, untilMs, ...sorted(rows) };
    } catch (error) {
      throw orTooLong(error);
    }
  }
}

function sorted(rows: readonly Row[]): Pick<HotVisits, 'visits' | 'domains' | 'links'> {
  const found: Pick<HotVisits, 'visits' | 'domains' | 'links'> = { visits: 0, domains: [], links: [] };
  for (const { domain, code, visits } of rows) {
    if (domain === null) found.visits = visits;
    else if (code === null) found.domains.push({ domain, visits });
    else found.links.push({ domain, code, visits });
  }
  return found;
}
