import { z } from 'zod';

/**
 * Every error a client can see: code → HTTP status, title and `type` URI (RFC 9457). Where Shlink's
 * REST v3 has the same error its URI is used, since its clients branch on it.
 */
const shlink = (slug: string) => `https://shlink.io/api/error/${slug}`;
const own = (slug: string) => `urn:hopcount:problem:${slug}`;

export const PROBLEMS = {
  'invalid-data': { status: 400, title: 'Invalid data', type: shlink('invalid-data') },
  'malformed-request-body': { status: 400, title: 'Malformed request body', type: shlink('malformed-request-body') },
  'non-unique-slug': { status: 400, title: 'Invalid custom slug', type: shlink('non-unique-slug') },
  'invalid-range': { status: 400, title: 'Invalid time range', type: own('invalid-range') },
  'invalid-time-zone': { status: 400, title: 'Invalid time zone', type: own('invalid-time-zone') },
  'question-too-expensive': {
    status: 400,
    title: 'The question is too expensive',
    type: own('question-too-expensive'),
  },
  'archive-export-too-large': {
    status: 400,
    title: 'The export is too large',
    type: own('export-too-large'),
  },
  'missing-authentication': { status: 401, title: 'Invalid authorization', type: shlink('missing-authentication') },
  'invalid-api-key': { status: 401, title: 'Invalid API key', type: shlink('invalid-api-key') },
  'invalid-credentials': { status: 401, title: 'Not signed in', type: own('invalid-credentials') },
  'provider-sign-in-failed': { status: 401, title: 'Not signed in', type: own('provider-sign-in-failed') },
  'second-factor-required': { status: 401, title: 'Code required', type: own('second-factor-required') },
  'signed-out': { status: 401, title: 'Signed out', type: own('signed-out') },
  'share-link-ended': { status: 401, title: 'Link has ended', type: own('share-link-ended') },
  'cross-site-request': { status: 403, title: 'Not from here', type: own('cross-site-request') },
  'not-admitted': { status: 403, title: 'No account', type: own('not-admitted') },
  'missing-scope': { status: 403, title: 'Not allowed', type: own('missing-scope') },
  'beyond-role': { status: 403, title: 'Not allowed', type: own('beyond-role') },
  'forbidden-tag-operation': {
    status: 403,
    title: 'Forbidden tag operation',
    type: shlink('forbidden-tag-operation'),
  },
  'no-provider': { status: 404, title: 'No provider', type: own('no-provider') },
  'api-key-not-found': { status: 404, title: 'API key not found', type: own('api-key-not-found') },
  'short-url-not-found': { status: 404, title: 'Short URL not found', type: shlink('short-url-not-found') },
  'abuse-report-not-found': { status: 404, title: 'Report not found', type: own('abuse-report-not-found') },
  'block-not-found': { status: 404, title: 'Block not found', type: own('block-not-found') },
  'dead-letter-not-found': { status: 404, title: 'Dead letter not found', type: own('dead-letter-not-found') },
  'job-not-found': { status: 404, title: 'Job not found', type: own('job-not-found') },
  'alert-not-found': { status: 404, title: 'Alert not found', type: own('alert-not-found') },
  'webhook-not-found': { status: 404, title: 'Webhook not found', type: own('webhook-not-found') },
  'webhook-delivery-not-found': {
    status: 404,
    title: 'Delivery not found',
    type: own('webhook-delivery-not-found'),
  },
  'tag-not-found': { status: 404, title: 'Tag not found', type: shlink('tag-not-found') },
  'domain-not-found': { status: 404, title: 'Domain not found', type: shlink('domain-not-found') },
  'group-not-found': { status: 404, title: 'Group not found', type: own('group-not-found') },
  'not-found': { status: 404, title: 'Not found', type: shlink('not-found') },
  'invite-not-found': { status: 404, title: 'Link not found', type: own('invite-not-found') },
  'session-not-found': { status: 404, title: 'Session not found', type: own('session-not-found') },
  'share-link-not-found': { status: 404, title: 'Share link not found', type: own('share-link-not-found') },
  'user-not-found': { status: 404, title: 'User not found', type: own('user-not-found') },
  'host-batch-not-found': { status: 404, title: 'Batch not found', type: own('host-batch-not-found') },
  'unreadable-file': { status: 400, title: 'File not readable', type: own('unreadable-file') },
  'import-not-found': { status: 404, title: 'Import not found', type: own('import-not-found') },
  'method-not-allowed': { status: 405, title: 'Method not allowed', type: own('method-not-allowed') },
  'api-key-conflict': { status: 409, title: 'API key exists', type: own('api-key-conflict') },
  'too-many-api-keys': { status: 409, title: 'Too many API keys', type: own('too-many-api-keys') },
  'user-conflict': { status: 409, title: 'User exists', type: own('user-conflict') },
  'too-many-share-links': { status: 409, title: 'Too many share links', type: own('too-many-share-links') },
  'too-many-users': { status: 409, title: 'Too many users', type: own('too-many-users') },
  'second-factor-exists': { status: 409, title: 'Second factor exists', type: own('second-factor-exists') },
  'last-owner': { status: 409, title: 'Last owner', type: own('last-owner') },
  'group-conflict': { status: 409, title: 'Group exists', type: own('group-conflict') },
  'host-batch-ended': { status: 409, title: 'Too long ago', type: own('host-batch-ended') },
  'block-list-full': { status: 409, title: 'Too many blocks', type: own('block-list-full') },
  'job-conflict': { status: 409, title: 'Job conflict', type: own('job-conflict') },
  'too-many-jobs': { status: 409, title: 'Too many jobs', type: own('too-many-jobs') },
  'email-not-configured': { status: 409, title: 'E-mail is not set up', type: own('email-not-configured') },
  'too-many-alerts': { status: 409, title: 'Too many alerts', type: own('too-many-alerts') },
  'too-many-webhooks': { status: 409, title: 'Too many webhooks', type: own('too-many-webhooks') },
  'too-many-imports': { status: 409, title: 'Too many imports', type: own('too-many-imports') },
  'group-not-empty': { status: 409, title: 'Group not empty', type: own('group-not-empty') },
  'group-has-roles': { status: 409, title: 'Group has roles', type: own('group-has-roles') },
  'tag-conflict': { status: 409, title: 'Tag conflict', type: shlink('tag-conflict') },
  'version-conflict': { status: 409, title: 'Changed meanwhile', type: own('version-conflict') },
  'payload-too-large': { status: 413, title: 'Payload too large', type: own('payload-too-large') },
  'import-too-large': { status: 413, title: 'File too large', type: own('import-too-large') },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type', type: own('unsupported-media-type') },
  'read-only-field': { status: 422, title: 'Field cannot be changed', type: own('read-only-field') },
  'unsafe-target': { status: 422, title: 'Target not allowed', type: own('unsafe-target') },
  'idempotency-key-reused': { status: 422, title: 'Key used before', type: own('idempotency-key-reused') },
  'reserved-slug': { status: 422, title: 'Reserved slug', type: own('reserved-slug') },
  'too-many-codes': { status: 429, title: 'Too many wrong codes', type: own('too-many-codes') },
  'too-many-counts': { status: 429, title: 'Too many counts in a day', type: own('too-many-counts') },
  'too-many-new-hosts': { status: 429, title: 'Too many new hosts', type: own('too-many-new-hosts') },
  'too-many-questions': { status: 429, title: 'Too many questions', type: own('too-many-questions') },
  'too-many-requests': { status: 429, title: 'Too many requests', type: own('too-many-requests') },
  'internal-server-error': { status: 500, title: 'Internal server error', type: shlink('internal-server-error') },
  'group-move-unfinished': {
    status: 503,
    title: 'Short URLs are still being moved',
    type: own('group-move-unfinished'),
  },
  'sign-in-unavailable': {
    status: 503,
    title: 'Nobody can sign in right now',
    type: own('sign-in-unavailable'),
  },
  'provider-unavailable': {
    status: 503,
    title: 'The provider does not answer',
    type: own('provider-unavailable'),
  },
  'limit-not-set': { status: 503, title: 'Limit not set yet', type: own('limit-not-set') },
  'purge-unfinished': { status: 503, title: 'Visits are still being deleted', type: own('purge-unfinished') },
  'archive-question-too-large': {
    status: 503,
    title: 'The question is too large',
    type: own('archive-question-too-large'),
  },
  'answer-takes-too-long': {
    status: 503,
    title: 'The answer takes too long',
    type: own('answer-takes-too-long'),
  },
  'archive-unreadable': { status: 503, title: 'The archive cannot be read', type: own('archive-unreadable') },
  'kafka-away': { status: 503, title: 'Kafka does not answer', type: own('kafka-away') },
  'service-unavailable': { status: 503, title: 'Service unavailable', type: own('service-unavailable') },
} as const satisfies Record<string, { status: number; title: string; type: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** Body of an `application/problem+json` answer. */
export const problemSchema = z
  .looseObject({
    type: z.string().meta({ description: 'Stable URI of the kind of problem.' }),
    title: z.string(),
    detail: z.string(),
    status: z.int(),
    instance: z.string().optional().meta({ description: 'The request id, as in the `x-request-id` header.' }),
    invalidElements: z.array(z.string()).optional().meta({ description: 'Names of the fields that cannot be used.' }),
    reasons: z
      .array(z.strictObject({ field: z.string(), reason: z.string() }))
      .optional()
      .meta({ description: 'Why, field by field; `tags.0` is the first of the tags.' }),
  })
  .meta({ id: 'Problem' });

export type Problem = z.infer<typeof problemSchema>;
