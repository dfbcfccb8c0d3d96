import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

import { operationOf, type RoutedOperation } from './operation.js';

/** Where Nest keeps the path of a route. */
const NEST_ROUTE = 'path';

/**
 * The operations of all controllers.
 * @throws when a route lacks @Operation: nobody would have said who may call it
 */
export function findOperations(app: NestFastifyApplication): RoutedOperation[] {
  const scanner = app.get(MetadataScanner, { strict: false });
  return app
    .get(DiscoveryService, { strict: false })
    .getControllers()
    .flatMap(({ metatype }) => {
      const { name, prototype } = metatype as { name: string; prototype: Record<string, object> };
      return scanner.getAllMethodNames(prototype).flatMap((method) => {
        const handler = prototype[method] as object;
        const operation = operationOf(handler);
        if (operation === undefined && Reflect.hasMetadata(NEST_ROUTE, handler)) {
          throw new Error(`${name}.${method} is a route without @Operation.`);
        }
        return operation ?? [];
      });
    });
}
