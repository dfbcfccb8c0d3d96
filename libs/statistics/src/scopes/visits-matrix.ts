import type { ArchiveReader, CrossedBy, Matrix, MatrixSide, MatrixSize } from '@hopcount/archive';
import { type MatrixDimension, TIME_DIMENSIONS, type TimeDimension } from '@hopcount/contracts';
import type { Database } from '@hopcount/postgres';

import { LABELS, type LocalTimes, localTimes, nameOfLabel } from '../range/local-time.js';
import type { StatisticsRange } from '../range/statistics-range.js';
import { type AnswerState, type ChosenVisits, type QuestionSettings, ScopeQuestions } from './scope-questions.js';
import { VisitsStatisticsReader } from './visits-statistics-reader.js';

export interface MatrixQuery extends ChosenVisits, StatisticsRange {
  rows: MatrixDimension;
  columns: MatrixDimension;
  size: MatrixSize;
}

/** Visits by two dimensions at once. */
export class VisitsMatrix {
  readonly #questions: ScopeQuestions;
  readonly #series: VisitsStatisticsReader;

  constructor(database: Database, archive: Pick<ArchiveReader, 'visits' | 'unknown'>, settings: QuestionSettings = {}) {
    this.#questions = new ScopeQuestions(database, archive, settings);
    this.#series = new VisitsStatisticsReader(database, archive, settings);
  }

  /** Of hours and weekdays all there are; of others those with the most visits. @throws AppError `invalid-range` */
  async read(query: MatrixQuery): Promise<AnswerState & Matrix> {
    const { rows, columns, size } = query;
    const times = localTimes(query, [rows, columns].filter(isTime));
    if (isTime(rows) && isTime(columns)) return this.#ofTimes(query, times, [rows, columns]);
    return this.#questions.ask(query, async ({ looked }): Promise<Matrix> => {
      if (query.from >= query.to) return withLabels(EMPTY, rows, columns);
      await looked.expectAffordable([query]);
      const by = { rows: crossedBy(rows, times), columns: crossedBy(columns, times) };
      const sizes = {
        rows: isTime(rows) ? LABELS[rows].length : size.rows,
        columns: isTime(columns) ? LABELS[columns].length : size.columns,
      };
      const found = await looked.visits(query, (visits) => visits.matrix(by, query.filters, sizes));
      return withLabels(found, rows, columns);
    });
  }

  /** Sums of a series: where nothing but classes is filtered, no visit is looked at. */
  async #ofTimes(
    query: MatrixQuery,
    { starts, labels }: LocalTimes,
    [rows, columns]: [TimeDimension, TimeDimension],
  ): Promise<AnswerState & Matrix> {
    const { points, ...state } = await this.#series.series({ ...query, uniques: 'none' }, starts);
    const cells = LABELS[rows].map(() => [...LABELS[columns].map(() => 0), 0]);
    for (const [point, { visits }] of points.entries()) {
      const row = cells[LABELS[rows].indexOf(labels[rows][point] ?? 0)];
      const column = LABELS[columns].indexOf(labels[columns][point] ?? 0);
      if (row !== undefined) row[column] = (row[column] ?? 0) + visits;
    }
    const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
    const side = (dimension: TimeDimension, visits: (place: number) => number): MatrixSide => ({
      values: LABELS[dimension].map((label, place) => ({
        value: nameOfLabel(dimension, label),
        visits: visits(place),
      })),
      number: LABELS[dimension].length,
    });
    return {
      ...state,
      rows: side(rows, (place) => sumOf(cells[place] ?? [])),
      columns: side(columns, (place) => sumOf(cells.map((row) => row[place] ?? 0))),
      cells: [...cells, [...LABELS[columns].map(() => 0), 0]],
    };
  }
}

const EMPTY: Matrix = { rows: { values: [], number: 0 }, columns: { values: [], number: 0 }, cells: [[0]] };

function isTime(dimension: MatrixDimension): dimension is TimeDimension {
  return TIME_DIMENSIONS.some((known) => known === dimension);
}

function crossedBy(dimension: MatrixDimension, { starts, labels }: LocalTimes): CrossedBy {
  return isTime(dimension) ? { by: 'point', starts, labels: labels[dimension] } : { by: 'value', of: dimension };
}

/** Labels instead of what was found of them: all, by time, under their names. */
function withLabels({ cells, ...found }: Matrix, rows: MatrixDimension, columns: MatrixDimension): Matrix {
  const places = (dimension: MatrixDimension, side: MatrixSide) =>
    isTime(dimension)
      ? LABELS[dimension].map((label) => side.values.findIndex(({ value }) => value === String(label)))
      : side.values.map((_, place) => place);
  const named = (dimension: MatrixDimension, side: MatrixSide): MatrixSide => {
    if (!isTime(dimension)) return side;
    const values = LABELS[dimension].map((label) => ({
      value: nameOfLabel(dimension, label),
      visits: side.values.find(({ value }) => value === String(label))?.visits ?? 0,
    }));
    return { values, number: values.length };
  };
  // Behind the last: all others.
  const rowPlaces = [...places(rows, found.rows), found.rows.values.length];
  const columnPlaces = [...places(columns, found.columns), found.columns.values.length];
  return {
    rows: named(rows, found.rows),
    columns: named(columns, found.columns),
    cells: rowPlaces.map((row) => columnPlaces.map((column) => cells[row]?.[column] ?? 0)),
  };
}
