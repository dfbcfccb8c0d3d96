import { HttpException } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { ARCHIVE_ERRORS } from '@hopcount/archive';
import { PROBLEMS } from '@hopcount/contracts';
import { IDENTITIES_ERRORS } from '@hopcount/identities';
import { KAFKA_ERRORS } from '@hopcount/kafka';
import { LEDGER_ERRORS } from '@hopcount/ledger';
import { LINKS_ERRORS } from '@hopcount/links';
import { REDIS_ERRORS } from '@hopcount/redis';
import { AppError, type ErrorCode, RUNTIME_ERRORS } from '@hopcount/runtime';
import { STATISTICS_ERRORS } from '@hopcount/statistics';
import { TRANSFER_ERRORS } from '@hopcount/transfer';

import { API_ERRORS } from '../api.errors.js';
import { toProblem } from './to-problem.js';

/** An AppError with a code that is in no table does not compile, so these are all that can be thrown here. */
const TABLES = {
  ...{
    API_ERRORS,
    ARCHIVE_ERRORS,
    IDENTITIES_ERRORS,
    KAFKA_ERRORS,
    LEDGER_ERRORS,
    LINKS_ERRORS,
    REDIS_ERRORS,
    RUNTIME_ERRORS,
    STATISTICS_ERRORS,
    TRANSFER_ERRORS,
  },
};
const thrown = Object.values(TABLES).flatMap((table) => Object.keys(table) as ErrorCode[]);
const becomes = (error: unknown) => toProblem(error, 'request-1').code;

describe('the codes of errors', () => {
  it.each(Object.entries(TABLES))('of %s say what they mean', (_, table) => {
    for (const meaning of Object.values(table)) expect(meaning).toMatch(/^.{10,}$/);
  });

  it('make every problem that clients are told of, and nothing else', () => {
    const ofHttp = [400, 404, 405, 413, 415, 500].map((status) => becomes(new HttpException('x', status)));
    const lost = Object.assign(new Error('read'), { code: 'ECONNRESET' });
    const problems = [...thrown.map((code) => becomes(new AppError(code, 'x'))), ...ofHttp, becomes(lost)];
    expect([...new Set(problems)].sort()).toEqual(Object.keys(PROBLEMS).sort());
  });

  it('that are no problem stay inside', () => {
    const inner = thrown.filter((code) => !Object.hasOwn(PROBLEMS, code));
    expect(inner).toContain('worker-lease-lost');
    for (const code of inner) {
      expect(becomes(new AppError(code, 'x'))).toBe('internal-server-error');
      expect(becomes(new AppError(code, 'x', { retryable: true }))).toBe('service-unavailable');
    }
  });
});
