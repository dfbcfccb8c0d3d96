export { answerOf, type HopcountClient, type HopcountClientOptions, createHopcountClient } from './client.js';
export { HopcountProblem, type Problem } from './problem.js';
export type { components, operations, paths } from './rest-api.generated.js';
