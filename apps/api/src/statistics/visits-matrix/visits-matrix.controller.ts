import { Controller, Headers, Query, Res } from '@nestjs/common';
import { MATRIX_DIMENSIONS, type VisitsMatrixAnswer, visitsMatrixSchema } from '@hopcount/contracts';
import type { Reach } from '@hopcount/runtime';
import { VisitsMatrix } from '@hopcount/statistics';
import type { FastifyReply } from 'fastify';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { EXACT, PROBLEMS, sendAnswer } from '../statistics-answer.js';
import { VisitsQuestions } from '../visits-statistics/visits-questions.js';
import { type MatrixQuery, matrixQuery } from '../visits-statistics/visits-statistics.query.js';

@Controller()
export class VisitsMatrixController {
  constructor(
    private readonly questions: VisitsQuestions,
    private readonly matrix: VisitsMatrix,
  ) {}

  @Operation('GET /rest/v3/statistics/matrix', {
    id: 'getVisitsMatrix',
    scope: 'statistics:read',
    summary: 'Visits by two dimensions at once, such as the hour and the day of the week',
    description:
      `Names: ${MATRIX_DIMENSIONS.join(', ')}. Hours (00 to 23) and days of the week (1 to 7, from Monday) are those of the zone, and all of ` +
      `them are there; with an hour the range may have 10,000 hours. ${EXACT}`,
    tag: 'Statistics',
    query: matrixQuery,
    answer: visitsMatrixSchema,
    problems: PROBLEMS,
  })
  async read(
    @Reached() reach: Reach,
    @Query() query: MatrixQuery,
    @Headers('if-none-match') known: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { rows, columns, rowLimit, columnLimit, ...question } = query;
    const asked = await this.questions.understand(reach, question);
    const size = { rows: rowLimit, columns: columnLimit };
    const { cells, ...found } = await this.matrix.read({ ...asked.query, ...asked.range, rows, columns, size });
    const { rows: foundRows, columns: foundColumns, ...state } = found;
    const visits = sumOf(cells.map(sumOf));
    const side = ({ values, number }: typeof foundRows) => {
      const shown = sumOf(values.map((value) => value.visits));
      return { values, other: { values: number - values.length, visits: visits - shown } };
    };
    const answer: VisitsMatrixAnswer = {
      ...this.questions.describe(asked, state),
      visits,
      rows: { dimension: rows, ...side(foundRows) },
      columns: { dimension: columns, ...side(foundColumns) },
      cells,
    };
    sendAnswer(reply, known, answer);
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
