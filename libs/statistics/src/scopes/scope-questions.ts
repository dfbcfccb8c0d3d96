import type { ArchiveReader, VisitFilter, VisitsOf } from '@hopcount/archive';
import { countUncounted, HOUR_MS, type InstantRange, type PartitionProgress, readCheckpoints } from '@hopcount/ledger';
import type { Database, Transaction } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import { COUNTED_FROM_VISITS, type Evidence } from '../read/exactness.js';
import { Snapshots } from '../read/snapshot.js';
import type { Asker } from '../read/turns.js';
import { VISITS_AT_MOST, type VisitsAtMost } from './affordable.js';
import { LookedAt } from './looked-at.js';
import { ScopeCounts } from './scope-counts.js';
import { type OrphansScope, resolveScope, type StatisticsScope } from './statistics-scope.js';

/** Which visits a question is about. */
export interface ChosenVisits extends InstantRange {
  /** Of the scope only what is in it. */
  reach: Reach;
  scope: StatisticsScope;
  /** All of them let a visit through that counts. */
  filters: readonly VisitFilter[];
  /** Read this group's checkpoints in the same snapshot, for describeFreshness(). */
  checkpointsOf?: { group: string; topic: string } | undefined;
  /** Aborted once nobody waits for the answer any more. */
  gone?: AbortSignal | undefined;
}

/** How a question waits for its turn. */
interface WaitsAs {
  /** What is asked of the visits, if equal questions may be answered together: with the query it says all. */
  same?: unknown;
  isLight?: boolean;
}

export interface AnswerState extends Evidence {
  uncounted: number;
  readFrom: { days: number; files: number; ledgerHours: number };
  checkpoints: PartitionProgress[];
}

/** Tests only. */
export interface QuestionSettings {
  visitsAtMost?: VisitsAtMost;
  /** So many links stand in a statement as numbers; of more their table is asked. */
  linksNamed?: number;
  /** Visits that a page of visits looks at first, at least. */
  firstLookedAt?: number;
}

/** One question, under its snapshot. */
export interface AskedScope {
  tx: Transaction;
  of: VisitsOf;
  looked: LookedAt;
}

const LINKS_NAMED = 1_000;

/** Opens questions about any scope: each under one snapshot, a few at a time. */
export class ScopeQuestions {
  readonly #snapshots: Snapshots;

  constructor(
    database: Database,
    private readonly archive: Pick<ArchiveReader, 'visits' | 'unknown'>,
    private readonly settings: QuestionSettings,
  ) {
    this.#snapshots = Snapshots.shared(database);
  }

  /** @throws AppError `too-many-questions`, `question-too-expensive`, `client-gone`; what the archive throws */
  ask<Answer>(
    query: ChosenVisits,
    answer: (asked: AskedScope) => Promise<Answer>,
    as: WaitsAs = {},
  ): Promise<AnswerState & Answer> {
    return this.#snapshots.run(
      async (tx, signal) => {
        const { checkpointsOf } = query;
        const checkpoints = checkpointsOf ? await readCheckpoints(tx, checkpointsOf.group, checkpointsOf.topic) : [];
        const uncounted = query.from < query.to ? await countUncounted(tx, query) : 0;
        const { linksNamed = LINKS_NAMED, visitsAtMost = VISITS_AT_MOST } = this.settings;
        const of = await resolveScope(tx, query, linksNamed);
        const looked = new LookedAt(tx, this.archive, of, visitsAtMost, { signal });
        const answered = await answer({ tx, of, looked });
        await looked.judgeDoubted(query);
        return { ...answered, ...looked.state(), uncounted, checkpoints };
      },
      this.#asker(query, as),
      { mayLag: query.checkpointsOf !== undefined },
    );
  }

  /** The same of orphan visits. Their table is bounded, so nothing is too expensive; what it keeps is all there is. */
  askOrphans<Answer>(
    query: ChosenVisits & { scope: OrphansScope },
    answer: (counts: ScopeCounts) => Promise<Answer>,
    as: WaitsAs = {},
  ): Promise<AnswerState & Answer> {
    const { from, to, reach, scope } = query;
    return this.#snapshots.run(
      async (tx) => {
        const sources = { fromLedger: [{ from, to }], unknown: [], files: undefined };
        const answered = await answer(new ScopeCounts(tx, { orphans: { reach, domain: scope.domain } }, sources));
        const ledgerHours = Math.ceil((to - from) / HOUR_MS);
        return {
          ...answered,
          uncounted: 0,
          ...COUNTED_FROM_VISITS,
          checkpoints: [],
          readFrom: { days: 0, files: 0, ledgerHours },
        };
      },
      this.#asker(query, as),
    );
  }

  #asker({ gone, ...query }: ChosenVisits, { same, isLight }: WaitsAs): Asker {
    const { keyId } = query.reach;
    return { keyId, gone, isLight, ...(same !== undefined && { same: [this, JSON.stringify([same, query])] }) };
  }
}
