import { HOST_BATCH_DAYS, type ProblemCode, problemSchema, PROBLEMS } from '@hopcount/contracts';
import { PACKAGE_VERSION } from '@hopcount/runtime';
import { z } from 'zod';

import { type OperationExample, type RoutedOperation, statusOf } from '../http/operation.js';
import { SESSION_COOKIE } from '../session/session-cookie.js';

const DESCRIPTION = `Short links whose every visit is counted exactly once.

Manage links, read their visits and statistics. Send an API key in the \`X-Api-Key\` header; pages that people sign in to have a
session cookie instead, with which only pages of this address change anything. Errors are
RFC 9457 problems (\`application/problem+json\`); \`type\` says which. \`v1\`, \`v2\` and \`v3\` in the path are equal.
An address that nothing is served at is ${PROBLEMS['not-found'].status} \`${PROBLEMS['not-found'].type}\`, one that answers
other methods ${PROBLEMS['method-not-allowed'].status} \`${PROBLEMS['method-not-allowed'].type}\`.

Responses of statistics and hosts have a field \`exact\`; files and plain text have it in the header \`X-Statistics\`. Responses in Shlink's format have
no such field: query \`/statistics\` for the same visits.

Each API key and each user has limits: of reads, statistics, writes, and links it creates. \`RateLimit-Policy\` and \`RateLimit\` say which
one a request counts for and what is left of it; beyond it the answer is ${PROBLEMS['too-many-requests'].status} with \`Retry-After\`.`;

/** What any operation may answer, and what it may answer beside that when it asks for a key or takes a body. */
const EVERY_OPERATION = ['service-unavailable', 'internal-server-error'] as const;
const KEYED = [
  'too-many-requests',
  'missing-authentication',
  'invalid-api-key',
  'signed-out',
  'cross-site-request',
  'missing-scope',
  'invalid-data',
  'malformed-request-body',
] as const;
const READING_A_BODY = ['payload-too-large', 'unsupported-media-type'] as const;

/** Node's limit for address and headers, found before anything is routed. */
const TOO_LONG = {
  description: 'Address and headers are longer than 16 KB.',
  content: { 'application/problem+json': { schema: reference(problemSchema) } },
};

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  description: 'ETag of the short URL as it was read; when it was changed meanwhile, the answer is 409.',
  schema: { type: 'string', examples: ['"3"'] },
};

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    '1 to 255 printable ASCII characters. Within 24 hours the same request with the same key and API key is answered as the first time and creates nothing again; another request with it is 422. A request that failed leaves no key. (Above a million links created with keys in 24 hours the oldest keys go earlier.)',
  schema: { type: 'string', minLength: 1, maxLength: 255, examples: ['0b5b7a3e-2f5c-4b0c-9d0d-6a2a4b6f2f11'] },
};

const NEEDED_IDEMPOTENCY_KEY = {
  ...IDEMPOTENCY_KEY,
  required: true,
  description: `1 to 255 printable ASCII characters. Within ${HOST_BATCH_DAYS} days the same request with the same key and API key has its effect once; another one with it is 422.`,
};

const RETRY_AFTER = { description: 'Seconds.', schema: { type: 'integer', minimum: 1 } };

const TO_ELSEWHERE = {
  description: 'The browser goes to the address in Location.',
  headers: { Location: { schema: { type: 'string', format: 'uri' } } },
};

const JSON_TYPE = 'application/json';

type Examples = NonNullable<RoutedOperation['examples']>;
type JsonSchema = Record<string, unknown> & { properties?: Record<string, JsonSchema>; required?: string[] };

/** The OpenAPI 3.1 document (its schemas are plain JSON Schema) of these operations. */
export function createDocument(operations: readonly RoutedOperation[]) {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations.filter(({ isHidden }) => isHidden !== true)) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hopcount REST API',
      description: DESCRIPTION,
      version: PACKAGE_VERSION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This server' }],
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        apiKeyInQuery: { type: 'apiKey', in: 'query', name: 'apiKey' },
        session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
        shareLink: { type: 'apiKey', in: 'header', name: 'X-Share-Token' },
      },
    },
  };
}

function describe(operation: RoutedOperation) {
  const { id, summary, description, tag, query, answer } = operation;
  const { contentType = JSON_TYPE, redirects = false, examples = {} } = operation;
  return {
    operationId: id,
    summary,
    description,
    tags: [tag],
    security: securityOf(operation),
    parameters: [
      ...[...operation.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
        ...{ name, in: 'path', required: true, schema: { type: 'string', examples: ['my-slug'] } },
        examples: valuesOf(examples, name ?? ''),
      })),
      ...(operation.takesIfMatch === true ? [IF_MATCH] : []),
      ...idempotencyKey(operation),
      ...(query === undefined ? [] : queryParameters(query, examples)),
    ],
    requestBody: requestBodyOf(operation),
    responses: {
      ...(redirects ? { 303: TO_ELSEWHERE } : {}),
      ...(answer === null && !redirects ? { 204: { description: 'Done.' } } : {}),
      ...(answer === null
        ? {}
        : {
            [statusOf(operation)]: {
              description: operation.isAccepted === true ? 'Taken; it is done soon.' : 'Done.',
              content: contentOf(answer, [contentType].flat(), examples),
            },
          }),
      ...problemResponses(problemsOf(operation)),
      431: TOO_LONG,
    },
  };
}

function idempotencyKey({ takesIdempotencyKey }: RoutedOperation): object[] {
  if (takesIdempotencyKey === undefined) return [];
  return [takesIdempotencyKey === 'needed' ? NEEDED_IDEMPOTENCY_KEY : IDEMPOTENCY_KEY];
}

/** OpenAPI 3.1: for a key these are the roles it must have. */
function securityOf({ scope, takesKeyInQuery, takesShareLink }: RoutedOperation): Record<string, string[]>[] {
  if (scope === 'public') return [];
  if (scope === 'user') return [{ session: [] }];
  return [
    { apiKey: [scope] },
    ...(takesKeyInQuery === true ? [{ apiKeyInQuery: [scope] }] : []),
    { session: [scope] },
    ...(takesShareLink === true ? [{ shareLink: [] }] : []),
  ];
}

function requestBodyOf({ body, takesFile = [], takesLines, examples = {} }: RoutedOperation) {
  const content: Record<string, { schema: JsonSchema; examples?: object | undefined }> = {};
  for (const type of takesFile) content[type] = { schema: { type: 'string', contentMediaType: type } };
  if (body !== undefined) {
    content[JSON_TYPE] = { schema: inline(body), examples: byName(examples, (example) => example.body) };
  }
  if (takesLines === true) content['text/plain'] = { schema: { type: 'string' } };
  // An empty body says as much as {}.
  const required = body?.safeParse({}).success !== true;
  return Object.keys(content).length === 0 ? undefined : { required, content };
}

/** One name stands for one request and its answer, wherever parts of it are. */
function byName(examples: Examples, partOf: (example: OperationExample) => unknown): object | undefined {
  const parts = Object.entries(examples).flatMap(([name, example]) => {
    const value = partOf(example);
    return value === undefined ? [] : [[name, { summary: example.summary, value }] as const];
  });
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

function valuesOf(examples: Examples, parameter: string): object | undefined {
  return byName(examples, ({ parameters }) => parameters?.[parameter]);
}

function contentOf(answer: z.ZodType, types: readonly string[], examples: Examples) {
  const isText = (type: string) =>
    type === 'text/plain' || (answer.def.type !== 'string' && ['text/csv', 'application/x-ndjson'].includes(type));
  const schemaOf = (type: string) => {
    if (type.startsWith('application/vnd.')) return { type: 'string', contentMediaType: type };
    return isText(type) ? { type: 'string' } : reference(answer);
  };
  const examplesOf = (type: string) => (type === JSON_TYPE ? byName(examples, (example) => example.answer) : undefined);
  return Object.fromEntries(types.map((type) => [type, { schema: schemaOf(type), examples: examplesOf(type) }]));
}

/** Every problem an operation may answer. */
export function problemsOf(operation: RoutedOperation): ProblemCode[] {
  const { scope, path, method, problems = [], takesFile, takesIdempotencyKey, takesShareLink } = operation;
  return [
    ...problems,
    ...(takesIdempotencyKey !== undefined ? (['idempotency-key-reused'] as const) : []),
    ...(scope === 'public' ? [] : KEYED),
    ...(takesShareLink === true ? (['share-link-ended'] as const) : []),
    // The router's own answer to a parameter that is too long.
    ...(path.includes(':') ? (['not-found'] as const) : []),
    // Fastify reads the body of a deletion, too, and one that the operation does not take.
    ...(method === 'GET' ? [] : READING_A_BODY),
    ...(takesFile === undefined ? [] : (['import-too-large'] as const)),
    ...EVERY_OPERATION,
  ];
}

function problemResponses(codes: readonly ProblemCode[]): Record<number, object> {
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))];
  return Object.fromEntries(
    statuses.map((status) => {
      const same = codes.filter((code) => PROBLEMS[code].status === status);
      const examples = Object.fromEntries(same.map((code) => [code, { value: problemExample(code) }]));
      const content = { 'application/problem+json': { schema: reference(problemSchema), examples } };
      const headers = status === 429 ? { 'Retry-After': RETRY_AFTER } : undefined;
      return [status, { description: same.map((code) => PROBLEMS[code].title).join('; '), headers, content }];
    }),
  );
}

function problemExample(code: ProblemCode) {
  const { type, title, status } = PROBLEMS[code];
  return { type, title, detail: `${title}.`, status, instance: 'c0a8012e-5a4b-4a0e-9a2f-3f8a54a1f3b0' };
}

function queryParameters(query: z.ZodObject, all: Examples): object[] {
  const { properties = {}, required = [] } = inline(query);
  return Object.entries(properties).map(([property, { description, example, anyOf, ...schema }]) => {
    // Written `tags[]=a&tags[]=b`; one value may also come alone.
    const name = anyOf === undefined ? property : `${property}[]`;
    const examples = valuesOf(all, name);
    return {
      ...{ name, in: 'query', required: required.includes(property), description },
      // OpenAPI has either of them.
      ...(examples === undefined ? { example } : { examples }),
      schema: anyOf === undefined ? schema : { type: 'array', items: { type: 'string' } },
    };
  });
}

/** Everything in contracts that has a name. */
function componentSchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { uri: refTo, override: nameKeys });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutHeader(schema)]));
}

/** What clients write, before defaults and transformations. Parts of answers that may be sent back are among the components. */
function inline(schema: z.ZodType): JsonSchema {
  const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: nameKeys });
  return withoutHeader(JSON.parse(JSON.stringify(made).replaceAll('#/$defs/', refTo(''))) as object);
}

/** A record whose keys are known has a property for each: what makes types of the document reads no `propertyNames`. */
function nameKeys({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { propertyNames, additionalProperties: value } = jsonSchema;
  const keys = typeof propertyNames === 'object' ? propertyNames.enum : undefined;
  if (keys === undefined || typeof value !== 'object') return;
  jsonSchema.properties = Object.fromEntries(keys.map((key) => [String(key), value]));
  jsonSchema.additionalProperties = false;
  delete jsonSchema.propertyNames;
}

/** Inside of OpenAPI 3.1 the dialect is the default, the place is the id, and definitions are components. */
function withoutHeader(schema: object): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !['$schema', '$id', '$defs'].includes(name)));
}

/** @throws an answer needs a name (`.meta({ id })`), so that the document has it once */
function reference(schema: z.ZodType): object {
  const id = schema.meta()?.id;
  if (id === undefined) throw new Error('the schema of an answer has no id');
  return { $ref: refTo(id) };
}

function refTo(id: string): string {
  return `#/components/schemas/${id}`;
}
