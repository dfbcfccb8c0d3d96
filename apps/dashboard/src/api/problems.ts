import { HopcountProblem } from '@hopcount/client';

/** What was given in a form was wrong, or a link that was opened has ended: nobody is signed out by that. */
const NOT_OF_SESSION = ['invalid-credentials', 'second-factor-required', 'share-link-ended'];

/** What the api calls it: `second-factor-required`; undefined where it did not answer. */
export function problemCode(error: unknown): string | undefined {
  return error instanceof HopcountProblem ? error.problem?.type.split(/[:/]/).at(-1) : undefined;
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof HopcountProblem && error.status === 401 && !NOT_OF_SESSION.includes(problemCode(error) ?? '');
}

/** Whether asking again can help: nothing that was asked wrongly becomes right. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof HopcountProblem) || error.status >= 500 || error.status === 429;
}
