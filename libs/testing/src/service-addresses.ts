/**
 * Where the real services of a test run are. `npm test` starts them and sets these variables; there
 * is no default, so that a test never writes to a stack somebody uses.
 */
export type TestService = 'DATABASE_URL' | 'REDIS_URL' | 'KAFKA_BROKERS';

/** @throws Error that says which variable is missing. */
export function serviceAddress(service: TestService): string {
  // eslint-disable-next-line no-restricted-properties -- test tooling has no main.ts that could hand it over
  const value = process.env[service];
  if (value === undefined || value === '') {
    throw new Error(`${service} is not set: integration tests need real services (npm test starts them)`);
  }
  return value;
}

/** Of consumers that tests kill: the shortest that the broker allows. */
export function sessionTimeoutMs(): number {
  // eslint-disable-next-line no-restricted-properties -- as above
  return Number(process.env['TEST_SESSION_TIMEOUT_MS'] ?? 6_000);
}
