export { buildOrphanVisit, buildVisitEvent, newEventId, visitRecord } from './build-visit-event.js';
export { FreezingProxy } from './freezing-proxy.js';
export { freePort } from './free-port.js';
export { assertNoDuplicates, assertNoGaps, assertSameIds, type ConservationOptions } from './invariants.js';
export { serviceAddress, type TestService } from './service-addresses.js';
export { testDatabase, type TestDatabase, type TestDatabaseOptions } from './test-database.js';
export { testRedis, type TestRedis } from './test-redis.js';
export { type ReadRecord, testTopic, type TestRecord, type TestTopic, type TestTopicOptions } from './test-topic.js';
export { waitUntil, type WaitOptions } from './wait-until.js';
