import type { ArchiveReader } from '@hopcount/archive';
import { type MatrixDimension, TIME_DIMENSIONS, VISIT_DIMENSIONS } from '@hopcount/contracts';
import type { InstantRange } from '@hopcount/ledger';
import type { RandomSource } from '@hopcount/ledger/spec-helpers';
import type { Database } from '@hopcount/postgres';
import { expect } from '@jest/globals';

import { quarterHoursAt } from '../range/local-time.js';
import type { StatisticsRange } from '../range/statistics-range.js';
import { ExplainedVisits } from '../scopes/explained-visits.js';
import type { AnswerState, ChosenVisits, QuestionSettings } from '../scopes/scope-questions.js';
import { VisitsMatrix } from '../scopes/visits-matrix.js';
import { VisitsProof } from '../scopes/visits-proof.js';
import { VisitsStatisticsReader } from '../scopes/visits-statistics-reader.js';
import {
  inOrder,
  isInScope,
  localName,
  matrixOf,
  type MatrixSideModel,
  newestFirst,
  passes,
  type ScopedVisit,
  sumOf,
  TAGGED,
  valueOf,
  valuesOf,
} from './scope-model.spec-helpers.js';

type Query = ChosenVisits & StatisticsRange;

interface Known {
  /** The visits that the question counts. */
  inside: readonly ScopedVisit[];
  all: readonly ScopedVisit[];
  dropped: number;
  archive: Pick<ArchiveReader, 'visits' | 'unknown' | 'recheck'>;
  settings: QuestionSettings;
}

const OFTEN_TIMES = Array.from({ length: 6 }, () => TIME_DIMENSIONS).flat();
const isTime = (dimension: MatrixDimension) => TIME_DIMENSIONS.some((known) => known === dimension);

/** What stands behind the numbers of a scope, and matrices of it, against the model. */
export class ScopeEvidence {
  readonly happened = {
    provenByAll: 0,
    furtherPages: 0,
    crossedByTime: 0,
    crossedByTimes: 0,
    provenByTime: 0,
    linksCut: 0,
  };

  constructor(
    private readonly database: Database,
    private readonly random: RandomSource,
  ) {}

  async expect(query: Query, known: Known, onState: (state: AnswerState) => void): Promise<void> {
    onState(await this.#expectProof(query, known));
    await this.#expectVisits(query, known, onState);
    onState(await this.#expectMatrix(query, known));
    await this.#expectTimes(query, known);
    onState(await this.#expectLinks(query, known));
  }

  /**
   * By visits, of those that no filter but one of classes chooses: buckets say them. From behind one visit to before another, so that
   * quarters of an hour are cut which hold visits on both sides. Draws nothing, either.
   */
  async #expectLinks(asked: Query, { all, archive, settings }: Known): Promise<AnswerState> {
    const filters = asked.filters.filter(({ dimension }) => dimension === 'class');
    const isIn = (visit: ScopedVisit, { from, to }: InstantRange) =>
      visit.occurredAtMs >= from && visit.occurredAtMs < to && isInScope(visit, asked.scope, TAGGED);
    const times = all.flatMap((visit) => (isIn(visit, asked) ? [visit.occurredAtMs] : [])).sort((a, b) => a - b);
    const [first = asked.from, last = asked.to] = [times[times.length >> 2], times[(times.length * 3) >> 2]];
    const query = { ...asked, filters, uniques: 'none' as const, from: first, to: last };
    if (times.length > 0 && first < last) query.from += 1;
    const inside = all.filter((visit) => isIn(visit, query) && passes(visit, filters));
    const page = { order: 'visits', isAscending: false, offset: 0, limit: 3 } as const;
    const links = inOrder(valuesOf(inside, 'link'), page);
    const reader = new VisitsStatisticsReader(this.database, archive, settings);
    const { rows, values, visits, ...state } = await reader.values(query, 'link', page);
    expect({ query, rows, values, visits }).toEqual({
      ...{ query, values: links.length, visits: inside.length },
      rows: links.slice(0, page.limit).map(({ value, visits: some }) => ({ value, visits: some })),
    });
    this.happened.linksCut += inside.length > 0 && state.readFrom.ledgerHours > 0 ? 1 : 0;
    return state;
  }

  /** Those of the hour and the day of the week of one of them; of every fourth question. Draws nothing: other histories stay as they are. */
  async #expectTimes(query: Query, { inside, archive, settings }: Known): Promise<void> {
    const some = inside[inside.length >> 1];
    if (some === undefined || inside.length % 4 !== 0) return;
    const times = TIME_DIMENSIONS.map((dimension) => ({
      ...{ dimension, values: [localName(some, dimension, query.timeZone)], isExcluded: false },
    }));
    const filters = [...query.filters, quarterHoursAt(query, times)];
    const { used } = await new VisitsProof(this.database, archive, settings).read({ ...query, filters });
    const chosen = inside.filter((visit) =>
      times.every(({ dimension, values }) => values.includes(localName(visit, dimension, query.timeZone))),
    );
    expect({ query, times, used }).toEqual({ query, times, used: sumOf(chosen) });
    this.happened.provenByTime += chosen.length < inside.length ? 1 : 0;
  }

  async #expectProof(query: Query, { inside, all, dropped, archive, settings }: Known): Promise<AnswerState> {
    const proof = await new VisitsProof(this.database, archive, settings).read(query);
    const { used, rows, buckets, quarterHours, comparedOf, ...state } = proof;
    const isGroup = query.scope.of === 'group' && query.from < query.to;
    expect(comparedOf).toBe(isGroup && quarterHours.from < dropped ? 'all' : 'scope');
    const compared = all.filter(
      (visit) =>
        visit.occurredAtMs >= quarterHours.from &&
        visit.occurredAtMs < quarterHours.to &&
        (comparedOf === 'all' || isInScope(visit, query.scope, TAGGED)),
    );
    const [expectedUsed, expected] = [sumOf(inside), sumOf(compared)];
    expect({ query, used, rows, buckets }).toEqual({ query, used: expectedUsed, rows: expected, buckets: expected });
    expect([quarterHours.from <= query.from, quarterHours.to >= query.to]).toEqual([true, true]);
    this.happened.provenByAll += comparedOf === 'all' ? 1 : 0;
    return state;
  }

  async #expectVisits(query: Query, { inside, archive, settings }: Known, onState: (state: AnswerState) => void) {
    const explained = new ExplainedVisits(this.database, archive, { ...settings, firstLookedAt: 1 });
    const limit = 10 + this.random.below(40);
    const ids: string[] = [];
    for (let before: string | undefined; ;) {
      const { visits, ...state } = await explained.read(query, { before, limit });
      onState(state);
      ids.push(...visits.map(({ eventId }) => eventId));
      before = visits.at(-1)?.eventId;
      if (visits.length < limit) break;
      this.happened.furtherPages += 1;
    }
    expect({ query, limit, ids }).toEqual({ query, limit, ids: newestFirst(inside) });
  }

  async #expectMatrix(query: Query, { inside, archive, settings }: Known): Promise<AnswerState> {
    const { random } = this;
    const draw = () => random.pick<MatrixDimension>([...VISIT_DIMENSIONS, ...OFTEN_TIMES]);
    const [rows, columns] = [draw(), draw()];
    const size = { rows: 1 + random.below(3), columns: 1 + random.below(3) };
    const ask = () => new VisitsMatrix(this.database, archive, settings).read({ ...query, rows, columns, size });
    const matrix = await ask();
    // Asked again, it is made of what was kept.
    expect(await ask()).toEqual(matrix);
    const { rows: foundRows, columns: foundColumns, cells, ...state } = matrix;
    const sides: [MatrixSideModel, MatrixSideModel] = [
      toSide(rows, size.rows, query.timeZone),
      toSide(columns, size.columns, query.timeZone),
    ];
    expect({ query, rows, columns, sides: [foundRows, foundColumns], cells }).toEqual({
      ...{ query, rows, columns },
      ...matrixOf(inside, sides),
    });
    this.happened.crossedByTime += inside.length > 0 && isTime(rows) !== isTime(columns) ? 1 : 0;
    this.happened.crossedByTimes += inside.length > 0 && isTime(rows) && isTime(columns) ? 1 : 0;
    return state;
  }
}

function toSide(dimension: MatrixDimension, limit: number, timeZone: string): MatrixSideModel {
  if (dimension === 'hour' || dimension === 'weekday') {
    const names = {
      hour: Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0')),
      weekday: ['1', '2', '3', '4', '5', '6', '7'],
    };
    return { nameOf: (visit) => localName(visit, dimension, timeZone), all: names[dimension], limit };
  }
  return { nameOf: (visit) => valueOf(visit, dimension), all: [], limit };
}
