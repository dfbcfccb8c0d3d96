import { createRequire } from 'node:module';

type Protocol<Arguments, Request> = (choice: { version: number | string }) => (args: Arguments) => Request;

/**
 * A module of kafkajs 2.2.4 (the last release, of 2023) that it keeps to itself. Undefined where it is not found: then nothing is
 * replaced, and what kafkajs does merely costs what it did.
 */
export function kafkajsInternal<Module>(path: string): Partial<Module> | undefined {
  try {
    return createRequire(import.meta.url)(`kafkajs/src/${path}`) as Partial<Module>;
  } catch {
    // Another release of kafkajs: see above.
    return undefined;
  }
}

/**
 * Every request of a kind that this process's kafkajs makes from now on is what `make` makes of it.
 * @returns whether that is so
 */
export function wrapRequests<Arguments, Request>(
  kind: 'fetch' | 'produce',
  make: (args: Arguments, build: (args: Arguments) => Request) => Request,
): boolean {
  const definition = kafkajsInternal<{ protocol: Protocol<Arguments, Request> }>(`protocol/requests/${kind}/index.js`);
  const original = definition?.protocol;
  if (definition === undefined || typeof original !== 'function') return false;
  definition.protocol = (choice) => {
    const build = original(choice);
    return (args) => make(args, build);
  };
  return true;
}
