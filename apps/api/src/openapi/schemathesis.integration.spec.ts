import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';
import { installSchemathesis, runSchemathesis } from './schemathesis.spec-helpers.js';

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];
/** Each operation; edge cases of every parameter come on top. */
const RANDOM_REQUESTS = 4;

let api: TestApi;

beforeAll(async () => {
  await installSchemathesis();
  api = await TestApi.start();
}, 240_000);
afterAll(() => api.stop());

describe('requests that schemathesis makes of the OpenAPI document, valid and not', () => {
  it('are all answered as the document says', async () => {
    const { isClean, report } = await runSchemathesis([
      `${api.url}/rest/openapi.json`,
      ...['--header', `X-Api-Key: ${api.apiKey}`],
      ...['--checks', CHECKS.join(',')],
      ...['--phases', 'examples,coverage,fuzzing', '--mode', 'all'],
      ...['--max-examples', String(RANDOM_REQUESTS), '--seed', '7', '--no-shrink', '--continue-on-failure'],
      // Answers that do not end, or wait for the next second; and nobody ends the key that asks.
      ...['--exclude-path-regex', '/live$|/stream$|/api-keys/|/session|/users'],
    ]);
    if (!isClean) throw new Error(report);
    expect(report).toMatch(/\d{3,} generated/);
  }, 180_000);
});
