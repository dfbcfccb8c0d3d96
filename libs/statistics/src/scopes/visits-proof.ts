import { type ArchiveReader, EVERYBODY, readKeptFrom, type VisitsSum } from '@hopcount/archive';
import { BUCKET_MS, bucketOf, type InstantRange, noteDoubted } from '@hopcount/ledger';
import { classifyPostgresError, type Database } from '@hopcount/postgres';

import { areEqual } from '../read/exactness.js';
import {
  type AnswerState,
  type AskedScope,
  type ChosenVisits,
  type QuestionSettings,
  ScopeQuestions,
} from './scope-questions.js';
import { sumBuckets } from './scope-traffic.js';

/** What a number was counted from, and what was counted when the visits were committed. */
export interface VisitsProofFound {
  /** The visits that the question counts: those of the range that its filters let through. */
  used: VisitsSum;
  /** All visits of the whole quarter hours that hold the range, as they are read now. */
  rows: VisitsSum;
  /** The same as it was added up by the commits. Where the answer is exact, both are equal. */
  buckets: VisitsSum;
  /** Of which `rows` and `buckets` are. */
  quarterHours: InstantRange;
  /**
   * Whose visits `rows` and `buckets` are. Of a group where the ledger dropped a part of the range they are everybody's:
   * nobody knew the group of what was purged there since.
   */
  comparedOf: 'scope' | 'all';
}

const NOTHING: VisitsSum = { visits: 0, checksum: '0' };

/** Proves that visits of any scope are all there, each once: their number and the XOR of their ids. */
export class VisitsProof {
  readonly #questions: ScopeQuestions;

  constructor(
    private readonly database: Database,
    private readonly archive: Pick<ArchiveReader, 'visits' | 'unknown' | 'recheck'>,
    settings: QuestionSettings = {},
  ) {
    this.#questions = new ScopeQuestions(database, archive, settings);
  }

  /**
   * If the proof disagrees, compares the files it read with their SHA-256 and reads once more without damaged ones. If it still
   * disagrees, notes the range: answers made of its sums are inexact from then on.
   */
  async read(query: ChosenVisits): Promise<AnswerState & VisitsProofFound> {
    const found = await this.#read(query);
    if (agrees(found)) return found;
    const again = (await this.archive.recheck(found.quarterHours)) ? await this.#read(query) : found;
    // Where visits are missing, files are wrong and may be whole again; else sums are.
    if (!agrees(again) && again.unknown.length === 0) await this.#note(again.quarterHours);
    return again;
  }

  async #note(range: InstantRange): Promise<void> {
    try {
      await noteDoubted(this.database, { checks: ['proof'], range });
    } catch (error) {
      // Only a standby answers: this answer says that the counts differ, and the next proof notes it.
      if (classifyPostgresError(error) !== 'unavailable') throw error;
    }
  }

  #read(query: ChosenVisits): Promise<AnswerState & VisitsProofFound> {
    const work = async ({ tx, of, looked }: AskedScope): Promise<VisitsProofFound> => {
      const { filters } = query;
      const quarterHours = { from: bucketOf(query.from), to: bucketOf(query.to + BUCKET_MS - 1) };
      if (query.from >= query.to) {
        return { used: NOTHING, rows: NOTHING, buckets: NOTHING, quarterHours: query, comparedOf: 'scope' };
      }
      const isOfAll = of.groupId !== undefined && quarterHours.from < (await readKeptFrom(tx));
      const compared = isOfAll ? EVERYBODY : of;
      await looked.expectAffordable([quarterHours], compared);
      const rows = await looked.visits(quarterHours, (visits) => visits.sum([]), compared);
      const isSame = !isOfAll && filters.length === 0 && isWhole(query);
      const used = isSame ? rows : await looked.visits(query, (visits) => visits.sum(filters));
      const buckets = await sumBuckets(tx, compared, quarterHours);
      looked.compare({ range: quarterHours, rows, buckets });
      return { used, rows, buckets, quarterHours, comparedOf: isOfAll ? 'all' : 'scope' };
    };
    return this.#questions.ask(query, work);
  }
}

function agrees({ rows, buckets }: VisitsProofFound): boolean {
  return areEqual(rows, buckets);
}

function isWhole({ from, to }: InstantRange): boolean {
  return from === bucketOf(from) && to === bucketOf(to);
}
