import { z } from 'zod';

export type OpenApiSchema = Record<string, unknown> & {
  properties?: Record<string, OpenApiSchema>;
  required?: string[];
};

/** A zod schema in OpenAPI 3.0 terms; `input` is what clients write, before defaults and transformations. */
export function toOpenApiSchema(schema: z.ZodType, io: 'input' | 'output'): OpenApiSchema {
  const json = z.toJSONSchema(schema, { io, target: 'openapi-3.0', unrepresentable: 'any' }) as OpenApiSchema;
  delete json['$schema'];
  return json;
}
