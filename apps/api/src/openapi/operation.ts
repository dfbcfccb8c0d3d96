import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiSecurity } from '@nestjs/swagger';
import { type ProblemCode, PROBLEMS } from '@hopcount/contracts';
import type { z } from 'zod';

import { EXAMPLES } from './examples.js';
import type { SchemaName } from './schemas.js';
import { toOpenApiSchema } from './to-open-api-schema.js';

export const API_KEY_SECURITY = 'apiKey';

export interface OperationDescription {
  id: string;
  summary: string;
  description?: string;
  tag: 'Short URLs' | 'Visits' | 'Statistics' | 'Operations';
  /** null: 204 without a body. */
  answer: Exclude<SchemaName, 'Problem'> | null;
  /** Content type of the answer; JSON unless named. */
  contentType?: string;
  /** Whether the path names a link. */
  hasCode?: boolean;
  /** Whether it can be bound to the version the client looked at. */
  takesIfMatch?: boolean;
  /** The schemas that the controller parses with: what is documented is what is checked. */
  query?: z.ZodObject;
  body?: z.ZodObject;
  problems: readonly ProblemCode[];
}

/** Everything the OpenAPI document says about one operation, from the schemas it runs with. */
export function Operation(operation: OperationDescription): MethodDecorator {
  const { id, summary, description, tag, answer, contentType = 'application/json' } = operation;
  return applyDecorators(
    ApiOperation({ operationId: id, summary, description, tags: [tag] }),
    answer === null
      ? ApiResponse({ status: 204, description: 'Done.' })
      : ApiResponse({ status: 200, description: 'Done.', content: { [contentType]: answerContent(answer) } }),
    ...problemsByStatus(operation.problems),
    ...(operation.hasCode === true
      ? [ApiParam({ name: 'code', description: 'Code of the link.', example: 'my-slug' })]
      : []),
    ...(operation.takesIfMatch === true ? [ApiHeader(IF_MATCH)] : []),
    ...queryParameters(operation.query),
    ...(operation.body === undefined
      ? []
      : [ApiBody({ required: true, schema: toOpenApiSchema(operation.body, 'input') })]),
  );
}

const IF_MATCH = {
  name: 'If-Match',
  required: false,
  description: 'ETag of the short URL as it was read; when it was changed meanwhile, the answer is 409.',
  schema: { type: 'string' as const, example: '"3"' },
};

/** An operation that asks for an API key. */
export function KeyedOperation(operation: OperationDescription): MethodDecorator {
  const problems: ProblemCode[] = [
    ...operation.problems,
    ...(['missing-authentication', 'invalid-api-key', 'service-unavailable', 'internal-server-error'] as const),
  ];
  return applyDecorators(ApiSecurity(API_KEY_SECURITY), Operation({ ...operation, problems }));
}

function answerContent(answer: Exclude<SchemaName, 'Problem'>) {
  return { schema: { $ref: `#/components/schemas/${answer}` }, example: EXAMPLES[answer] };
}

function problemsByStatus(codes: readonly ProblemCode[]): MethodDecorator[] {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus].map(([status, sameStatus]) =>
    ApiResponse({
      status,
      description: sameStatus.map((code) => PROBLEMS[code].title).join('; '),
      content: {
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/Problem' },
          examples: Object.fromEntries(sameStatus.map((code) => [code, { value: problemExample(code) }])),
        },
      },
    }),
  );
}

function problemExample(code: ProblemCode) {
  const { type, title, status } = PROBLEMS[code];
  return { type, title, detail: `${title}.`, status, instance: 'c0a8012e-5a4b-4a0e-9a2f-3f8a54a1f3b0' };
}

function queryParameters(query: z.ZodObject | undefined): MethodDecorator[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = toOpenApiSchema(query, 'input');
  return Object.entries(properties).map(([name, property]) => {
    const { description, example, default: fallback, ...schema } = property;
    const isList = Array.isArray(schema['anyOf']);
    return ApiQuery({
      name: isList ? `${name}[]` : name,
      required: required.includes(name),
      description: description as string,
      example,
      schema: isList ? { type: 'array', items: { type: 'string' } } : { ...schema, default: fallback },
    });
  });
}
