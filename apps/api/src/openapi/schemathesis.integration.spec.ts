import { testApiKey, type TestTopic, testTopic } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';
import { installSchemathesis, runSchemathesis } from './schemathesis.spec-helpers.js';

const CHECKS = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance', 'response_schema_conformance'],
  ...['response_headers_conformance', 'unsupported_method', 'allow_header_conformance'],
  ...['missing_required_header', 'ignored_auth', 'negative_data_rejection'],
];
/** Their answers do not end: only what they refuse is asked for. */
const STREAMS = '/live$|/stream$';
/** Each operation; edge cases of every parameter come on top. */
const RANDOM_REQUESTS = 2;
/** Of the key that asks: no request that is made up ends or changes it. */
const FIRST_ID = 2_000_000_001;
/** Passwords and links that are made up are refused as wrong ones, not as too many. */
const LIMITS = ['FAILED_KEY_LIMIT', 'SIGN_IN_LIMIT', 'SIGN_IN_ADDRESS_LIMIT', 'SIGN_IN_ACCOUNT_LIMIT'];

let api: TestApi;
let counts: TestTopic;
let key: string;

beforeAll(async () => {
  await installSchemathesis();
  counts = await testTopic({ label: 'counts' });
  const limits = Object.fromEntries(LIMITS.map((name) => [name, '1000000:1000']));
  api = await TestApi.start({ ...limits, HOST_COUNTS_TOPIC: counts.name });
  await api.database.query(`ALTER TABLE api_keys ALTER COLUMN id RESTART WITH ${FIRST_ID}`);
  ({ key } = await testApiKey(api.database));
}, 240_000);
afterAll(async () => {
  await api.stop();
  await counts.delete();
});

describe('requests that schemathesis makes of the OpenAPI document, valid and not', () => {
  it.each([
    ['all but streams', ['--exclude-path-regex', STREAMS, '--mode', 'all', '--phases', 'examples,coverage,fuzzing']],
    ['streams', ['--include-path-regex', STREAMS, '--mode', 'negative', '--phases', 'coverage,fuzzing']],
  ])(
    'are answered as the document says: %s',
    async (_, which) => {
      const { isClean, report } = await runSchemathesis([
        `${api.url}/rest/openapi.json`,
        ...['--header', `X-Api-Key: ${key}`],
        ...['--checks', CHECKS.join(',')],
        ...['--max-examples', String(RANDOM_REQUESTS), '--seed', '7', '--no-shrink', '--continue-on-failure'],
        ...which,
      ]);
      if (!isClean) throw new Error(report);
      expect(report).toMatch(/\d{2,} generated/);
    },
    400_000,
  );
});
