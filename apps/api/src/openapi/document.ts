import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

import { HOPCOUNT_VERSION } from '../version.js';
import { API_KEY_SECURITY } from './operation.js';
import { SCHEMAS } from './schemas.js';
import { toOpenApiSchema } from './to-open-api-schema.js';

const DESCRIPTION = `Short links whose every visit is counted exactly once.

Manage links, read their visits and statistics. Send an API key in the \`X-Api-Key\` header. Errors are
RFC 9457 problems (\`application/problem+json\`); \`type\` says which. \`v1\`, \`v2\` and \`v3\` in the path are equal.`;

/** Addresses that are the same under another name, or no part of the API. */
const LEFT_OUT = /^\/rest\/(v1|v2|docs|openapi\.json)|^\/(livez|readyz|metrics)$/;

/** The OpenAPI 3 document of the running application. */
export function createDocument(app: INestApplication): OpenAPIObject {
  const settings = new DocumentBuilder()
    .setTitle('Hopcount REST API')
    .setDescription(DESCRIPTION)
    .setVersion(HOPCOUNT_VERSION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'This server')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-Api-Key' }, API_KEY_SECURITY)
    .build();
  const document = SwaggerModule.createDocument(app, settings);
  const paths = Object.entries(document.paths).filter(([path]) => !LEFT_OUT.test(path));
  // One controller answers both addresses, and operation ids must be unique.
  const versionedHealth = document.paths['/rest/v3/health']?.get;
  if (versionedHealth !== undefined) versionedHealth.operationId = 'healthV3';
  return {
    ...document,
    paths: Object.fromEntries(paths),
    components: { ...document.components, schemas: componentSchemas() as never },
  };
}

function componentSchemas(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, schema]) => {
      return [name, toOpenApiSchema(schema, 'output')];
    }),
  );
}
