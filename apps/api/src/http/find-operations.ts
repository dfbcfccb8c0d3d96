import type { DynamicModule, Type } from '@nestjs/common';
import { MetadataScanner } from '@nestjs/core';

import { operationOf, type RoutedOperation } from './operation.js';

/** Where Nest keeps the path of a route. */
const NEST_ROUTE = 'path';

/**
 * The operations of all controllers of a module and of those that it imports. Nothing is started for it: the document
 * can be made without any service.
 * @throws when a route lacks @Operation: nobody would have said who may call it
 */
export function findOperations(module: Type): RoutedOperation[] {
  const scanner = new MetadataScanner();
  return controllersOf(module, new Set()).flatMap(({ name, prototype }) =>
    scanner.getAllMethodNames(prototype as object).flatMap((method) => {
      const handler = (prototype as Record<string, object>)[method] as object;
      const operation = operationOf(handler);
      if (operation === undefined && Reflect.hasMetadata(NEST_ROUTE, handler)) {
        throw new Error(`${name}.${method} is a route without @Operation.`);
      }
      return operation ?? [];
    }),
  );
}

function controllersOf(module: Type, seen: Set<Type>): Type[] {
  if (seen.has(module)) return [];
  seen.add(module);
  const listed = (name: 'imports' | 'controllers') =>
    (Reflect.getMetadata(name, module) as (Type | DynamicModule)[] | undefined) ?? [];
  return [
    ...listed('controllers').filter((entry) => typeof entry === 'function'),
    ...listed('imports').flatMap((entry) => controllersOf(typeof entry === 'function' ? entry : entry.module, seen)),
  ];
}
