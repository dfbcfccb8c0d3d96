import { NotFoundException, PayloadTooLargeException } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { type ProblemCode, PROBLEMS } from '@hopcount/contracts';
import { AppError } from '@hopcount/runtime';
import { errorCodes } from 'fastify';

import { toProblem } from './to-problem.js';

const connectionLost = Object.assign(new Error('read'), { code: 'ECONNRESET' });

describe('an error becomes a problem', () => {
  it.each<[string, unknown, ProblemCode]>([
    ['a known code', new AppError('reserved-slug', 'x'), 'reserved-slug'],
    ['an unknown code', new AppError('codes-exhausted', 'inner text'), 'internal-server-error'],
    [
      'an unknown code that may pass',
      new AppError('worker-lease-lost', 'x', { retryable: true }),
      'service-unavailable',
    ],
    ['the router', new NotFoundException(), 'not-found'],
    ['an HTTP exception', new PayloadTooLargeException(), 'payload-too-large'],
    ['the body limit', new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(), 'payload-too-large'],
    ['the media type', new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE('x'), 'unsupported-media-type'],
    ['an empty body', new errorCodes.FST_ERR_CTP_EMPTY_JSON_BODY(), 'malformed-request-body'],
    ['broken JSON', Object.assign(new SyntaxError('x'), { statusCode: 400 }), 'malformed-request-body'],
    ['a lost database', connectionLost, 'service-unavailable'],
    ['a deadlock', Object.assign(new Error('x'), { code: '40P01' }), 'service-unavailable'],
    ['a question to a standby that replays', Object.assign(new Error('x'), { code: '40001' }), 'service-unavailable'],
    ['a bug', new TypeError('undefined is not a function'), 'internal-server-error'],
    ['a bug with a status', Object.assign(new Error('x'), { statusCode: 404 }), 'internal-server-error'],
    ['no error at all', 'text', 'internal-server-error'],
    ['nothing', undefined, 'internal-server-error'],
  ])('%s', (_, error, code) => {
    const known = toProblem(error, 'request-1');
    expect(known.code).toBe(code);
    expect(known.problem).toMatchObject({ ...PROBLEMS[code], instance: 'request-1' });
  });

  it('that keeps what is inside to itself', () => {
    const inner = new AppError('codes-exhausted', 'password is hunter2', { details: { password: 'hunter2' } });
    for (const error of [inner, new Error('hunter2'), connectionLost]) {
      expect(JSON.stringify(toProblem(error, 'r'))).not.toMatch(/hunter2|ECONNRESET/);
    }
  });

  it('whose extensions cannot pose as its own members', () => {
    const error = new AppError('invalid-data', 'x', { details: { status: 200, type: 'x', invalidElements: ['a'] } });
    expect(toProblem(error, 'r').problem).toMatchObject({ ...PROBLEMS['invalid-data'], invalidElements: ['a'] });
  });
});
