/**
 * Codes of the errors this library throws (as AppError). Those a client sees carry the name of a
 * problem in contracts; the last six stay inside a server.
 */
export const LINKS_ERRORS = {
  'invalid-data': 'A field of the link cannot be taken; details: invalidElements (names of the fields).',
  'non-unique-slug': 'The custom slug is taken on that domain; details: customSlug, domain (absent on the default).',
  'reserved-slug': 'The custom slug belongs to a route, or to one that may come; details: customSlug.',
  'unsafe-target': 'The long URL leads where a public redirect must not; details: reason.',
  'short-url-not-found': 'No link has that code on that domain; details: shortCode, domain (absent on the default).',
  'forbidden-tag-operation': 'Who asks reaches some links only, and tags are of all of them.',
  'tag-conflict': 'Another tag has the new name; details: oldName, newName.',
  'tag-not-found': 'No tag has that name; details: tag.',
  'domain-not-found': 'No domain has that name; details: authority.',
  'group-not-found': 'No group has that id; details: groupId.',
  'group-conflict': 'A group has that id already; details: groupId.',
  'group-not-empty': 'The group has links; details: groupId, shortUrlsCount, deletedShortUrlsCount.',
  'group-has-roles': 'Users have roles in the group, and who asks does not administer; details: groupId, usersCount.',
  'abuse-report-not-found': 'No report has that id.',
  'block-not-found': 'No block has that id.',
  'block-list-full': 'As many blocks are kept as gateways can hold.',
  'alert-not-found': 'No alert has that id, or it is of somebody else.',
  'email-not-configured': 'No mail server is set, so alerts by e-mail cannot be created.',
  'too-many-alerts': 'There are as many alerts as there may be, of one owner or in all.',
  'webhook-not-found': 'No webhook has that id.',
  'webhook-delivery-not-found': 'No event with that id is among the newest that were posted to the webhook.',
  'too-many-webhooks': 'There are as many webhooks as there may be.',
  'group-move-unfinished': 'Not all links of the group were moved in time; the next request goes on; details as above.',
  'idempotency-key-reused': 'The key came with another request in the last 24 hours.',
  'limit-not-set':
    'Visits of the link are still being added up, so its first limit cannot be set yet; try again in a moment.',
  'version-conflict': 'The link is no longer the version the caller looked at; details: shortCode, version (current).',
  'link-filter-unsettled':
    'Redis is away and the filter of codes was replaced again and again while a link was created; retryable.',
  'worker-lease-lost': 'No snowflake worker id is held right now, so no id may be made; retryable.',
  'ids-exhausted': 'The clock is outside 2025 to 2094, the times that ids of links can hold.',
  'link-lookup-failed': 'No cache holds the link and PostgreSQL does not answer; retryable.',
  'passwords-busy': 'As many passwords of links are being hashed as may be; retryable.',
  'codes-exhausted': 'Every code tried was taken; with random codes that means a defect.',
} as const;

declare module '@hopcount/runtime' {
  interface ErrorCodes extends Record<keyof typeof LINKS_ERRORS, string> {}
}
