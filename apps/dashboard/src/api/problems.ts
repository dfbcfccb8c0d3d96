import { HopcountProblem } from '@hopcount/client';

const PREFIX = 'urn:hopcount:problem:';

/** What the api calls it: `second-factor-required`; undefined where it did not answer. */
export function problemCode(error: unknown): string | undefined {
  return error instanceof HopcountProblem ? error.problem?.type.replace(PREFIX, '') : undefined;
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof HopcountProblem && error.status === 401;
}

/** Whether asking again can help: nothing that was asked wrongly becomes right. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof HopcountProblem) || error.status >= 500 || error.status === 429;
}
