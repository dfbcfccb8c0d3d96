import { HttpException } from '@nestjs/common';
import { type Problem, type ProblemCode, PROBLEMS } from '@hopcount/contracts';
import { classifyPostgresError } from '@hopcount/postgres';
import { type AppError, isAppError } from '@hopcount/runtime';

export interface KnownProblem {
  code: ProblemCode;
  problem: Problem;
}

/** What a client is told about an error: nothing of the inside but what a problem code is for. Pure. */
export function toProblem(error: unknown, requestId: string): KnownProblem {
  const { code, detail, extensions } = describe(error);
  const { status, title, type } = PROBLEMS[code];
  return { code, problem: { ...extensions, type, title, detail, status, instance: requestId } };
}

interface Description {
  code: ProblemCode;
  detail: string;
  extensions?: Readonly<Record<string, unknown>>;
}

function describe(error: unknown): Description {
  if (isAppError(error)) {
    if (isProblemCode(error.code)) {
      return { code: error.code, detail: error.message, extensions: { ...reasonsOf(error), ...error.details } };
    }
    return error.retryable
      ? { code: 'service-unavailable', detail: 'This cannot be answered right now. Try again shortly.' }
      : { code: 'internal-server-error', detail: BROKEN };
  }
  const status = statusOf(error);
  if (status !== undefined) return describeHttpError(status);
  const failure = classifyPostgresError(error);
  if (failure === 'unavailable') {
    return { code: 'service-unavailable', detail: 'The database cannot be reached right now. Try again shortly.' };
  }
  // Of two transactions, or of a question to a standby with what it replays.
  if (failure === 'conflict') {
    return { code: 'service-unavailable', detail: 'Another change was under way. Try again shortly.' };
  }
  return { code: 'internal-server-error', detail: BROKEN };
}

/** Rules that are not a schema's name the wrong fields and say in one sentence why. */
function reasonsOf({ details, message }: AppError): { reasons?: { field: string; reason: string }[] } {
  const fields = details['invalidElements'] as string[] | undefined;
  return fields === undefined ? {} : { reasons: fields.map((field) => ({ field, reason: message })) };
}

const BROKEN = 'An unexpected error happened. It was logged under the request id in `instance`.';

/** Errors of Nest's router and of Fastify's parsers: there is no code of ours in them, but a status. */
function describeHttpError(status: number): Description {
  switch (status) {
    case 404:
    case 414:
      return { code: 'not-found', detail: 'Nothing is served at this address.' };
    case 405:
      return { code: 'method-not-allowed', detail: 'This address does not answer that method.' };
    case 413:
      return { code: 'payload-too-large', detail: 'The request body is larger than this API takes.' };
    case 415:
      return {
        code: 'unsupported-media-type',
        detail: 'Request bodies are JSON: send `content-type: application/json`.',
      };
    default:
      return status >= 400 && status < 500
        ? { code: 'malformed-request-body', detail: 'The request could not be read.' }
        : { code: 'internal-server-error', detail: BROKEN };
  }
}

/** Only errors that say they are about HTTP: a status on any other error is a coincidence. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  if (typeof statusCode === 'number' && typeof code === 'string' && code.startsWith('FST_')) return statusCode;
  // Fastify's JSON parser throws a bare SyntaxError with a status.
  return error instanceof SyntaxError && typeof statusCode === 'number' ? statusCode : undefined;
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}
