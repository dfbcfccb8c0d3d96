import type { Abstract, FactoryProvider } from '@nestjs/common';

/** Of each parameter a class (its constructor may be private) that makes such. */
type Tokens<Given extends unknown[]> = { [Index in keyof Given]: Abstract<Given[Index]> };

/** A class of a library, which knows nothing of Nest, made of other provided classes. */
export function provide<Instance, Given extends unknown[]>(
  type: new (...given: Given) => Instance,
  ...tokens: Tokens<Given>
): FactoryProvider<Instance> {
  return { provide: type, inject: [...tokens], useFactory: (...given: unknown[]) => new type(...(given as Given)) };
}
