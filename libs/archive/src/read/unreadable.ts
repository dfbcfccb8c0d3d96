import { AppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';

/** What cannot be read now may know what nobody else does. */
export function unreadable(cause: AppError): AppError {
  const code = cause.code === 'archive-cache-full' ? 'archive-question-too-large' : 'archive-unreadable';
  return new AppError(code, ARCHIVE_ERRORS[code], { retryable: true, cause });
}
