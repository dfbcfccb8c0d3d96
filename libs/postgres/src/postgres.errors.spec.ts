import { describe, expect, it } from '@jest/globals';

import { classifyPostgresError } from './postgres.errors.js';

const withCode = (code: string) => Object.assign(new Error('x'), { code });

describe('a PostgreSQL failure', () => {
  it.each([
    ['ECONNREFUSED', 'unavailable'],
    ['57P01', 'unavailable'],
    ['53300', 'unavailable'],
    ['53100', 'unavailable'],
    ['25006', 'unavailable'],
    ['25P03', 'unavailable'],
    ['57014', 'unavailable'],
    ['08006', 'unavailable'],
    ['58030', 'unavailable'],
    ['40P01', 'conflict'],
    ['40001', 'conflict'],
    ['22021', 'data'],
    ['22P05', 'data'],
    ['22001', 'data'],
    ['54000', 'data'],
    ['42703', 'defect'],
    ['23503', 'defect'],
  ])('%s is %s', (code, failure) => {
    expect(classifyPostgresError(withCode(code))).toBe(failure);
  });

  it('is recognised inside what TypeORM and Node wrap it in', () => {
    expect(classifyPostgresError({ name: 'QueryFailedError', driverError: withCode('40001') })).toBe('conflict');
    expect(classifyPostgresError(new AggregateError([withCode('ECONNREFUSED')], 'connect'))).toBe('unavailable');
    expect(classifyPostgresError(new Error('Connection terminated unexpectedly'))).toBe('unavailable');
    expect(classifyPostgresError(new TypeError('x is not a function'))).toBe('defect');
    expect(classifyPostgresError(undefined)).toBe('defect');
  });
});
