import { Controller, Headers, Query, Res } from '@nestjs/common';
import { ParquetFiles } from '@hopcount/archive';
import { MATRIX_DIMENSIONS, type VisitsMatrixAnswer, visitsMatrixSchema } from '@hopcount/contracts';
import type { Reach } from '@hopcount/runtime';
import { VisitsMatrix } from '@hopcount/statistics';
import type { FastifyReply } from 'fastify';

import { clientGone } from '../../http/client-gone.js';
import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { EXACT, formatOf, PROBLEMS, ROW_TYPES, sendAnswer, sendRows } from '../statistics-answer.js';
import { VisitsQuestions } from '../visits-statistics/visits-questions.js';
import { type MatrixQuery, matrixQuery } from '../visits-statistics/visits-statistics.query.js';
import { MATRIX_EXAMPLES } from './visits-matrix.examples.js';

@Controller()
export class VisitsMatrixController {
  constructor(
    private readonly questions: VisitsQuestions,
    private readonly matrix: VisitsMatrix,
    private readonly parquet: ParquetFiles,
  ) {}

  @Operation('GET /rest/v3/statistics/matrix', {
    id: 'getVisitsMatrix',
    scope: 'statistics:read',
    takesShareLink: true,
    summary: 'Visits by two dimensions at once, such as the hour and the day of the week',
    description:
      `Names: ${MATRIX_DIMENSIONS.join(', ')}. Hours (00 to 23) and days of the week (1 to 7, from Monday) are those of the zone, and all of ` +
      `them are there; with an hour the range may have 10,000 hours. As a file each cell is a row, with ` +
      `"others" in \`rowIs\` or \`columnIs\` where it is that of all others. ${EXACT}`,
    tag: 'Statistics',
    query: matrixQuery,
    answer: visitsMatrixSchema,
    contentType: ROW_TYPES,
    examples: MATRIX_EXAMPLES,
    problems: PROBLEMS,
  })
  async read(
    @Reached() reach: Reach,
    @Query() query: MatrixQuery,
    @Headers('if-none-match') known: string | undefined,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { rows, columns, rowLimit, columnLimit, format: named, ...question } = query;
    for (const [side, name] of Object.entries({ rows, columns })) this.questions.expectShown(side, name);
    const format = formatOf(named, accept);
    const asked = await this.questions.understand(reach, question, clientGone(reply));
    const size = { rows: rowLimit, columns: columnLimit };
    const { cells, ...found } = await this.matrix.read({ ...asked.query, ...asked.range, rows, columns, size });
    const { rows: foundRows, columns: foundColumns, ...state } = found;
    const visits = sumOf(cells.map(sumOf));
    const described = this.questions.describe(asked, state);
    const side = ({ values, number }: typeof foundRows) => {
      const shown = sumOf(values.map((value) => value.visits));
      return { values, other: { values: number - values.length, visits: visits - shown } };
    };
    const answer: VisitsMatrixAnswer = {
      ...described,
      visits,
      rows: { dimension: rows, ...side(foundRows) },
      columns: { dimension: columns, ...side(foundColumns) },
      cells,
    };
    if (format === 'json') return sendAnswer(reply, known, answer);
    return sendRows({ reply, known, parquet: this.parquet, bom: query.bom }, format, {
      ...{ name: 'matrix', columns: FILE_COLUMNS, rows: toRows(answer), described },
    });
  }
}

const FILE_COLUMNS = ['rowIs', 'row', 'columnIs', 'column', 'visits'];

/** A row for each cell; those of all others only where there are such values. */
function toRows({ rows, columns, cells }: VisitsMatrixAnswer) {
  const places = ({ values, other }: VisitsMatrixAnswer['rows']) => [
    ...values.map(({ value }) => ({ is: 'value', value })),
    ...(other.values === 0 ? [] : [{ is: 'others', value: null }]),
  ];
  const ofColumns = places(columns);
  return places(rows).flatMap((row, nth) =>
    ofColumns.map((column, place) => ({
      ...{ rowIs: row.is, row: row.value, columnIs: column.is, column: column.value },
      visits: cells[nth]?.[place] ?? 0,
    })),
  );
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
