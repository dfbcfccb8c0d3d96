import type { RUNTIME_ERRORS } from './runtime.errors.js';

/**
 * Every code there is. A lib or app adds those of its table (`*.errors.ts`: code → what it means) by
 * `declare module '@hopcount/runtime'`, so that an error with a code that no table explains does not compile.
 * @public
 */
export interface ErrorCodes extends Record<keyof typeof RUNTIME_ERRORS, string> {}
export type ErrorCode = keyof ErrorCodes;

/**
 * The one error class of Hopcount. `code` is stable and documented in the lib's `<lib>.errors.ts`
 * (those a client can see: PROBLEMS in contracts); `retryable` says whether doing the same again can
 * help; `details` go to logs and, for client-visible codes, into the problem's extension members.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryable?: boolean; details?: Record<string, unknown> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.details = Object.freeze({ ...options.details });
  }
}

export function isAppError(error: unknown, code?: ErrorCode): error is AppError {
  return error instanceof AppError && (code === undefined || error.code === code);
}
