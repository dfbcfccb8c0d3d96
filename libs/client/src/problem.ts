import type { components } from './rest-api.generated.js';

/** RFC 9457. */
export type Problem = components['schemas']['Problem'];

/** The api refused. */
export class HopcountProblem extends Error {
  /** undefined: something between here and the api answered in its place. */
  readonly problem: Problem | undefined;

  constructor(
    readonly status: number,
    said: unknown,
  ) {
    const problem = isProblem(said) ? said : undefined;
    super(problem === undefined ? `HTTP ${status}` : problem.detail);
    this.name = 'HopcountProblem';
    this.problem = problem;
  }
}

function isProblem(said: unknown): said is Problem {
  return typeof said === 'object' && said !== null && 'type' in said && 'detail' in said;
}
