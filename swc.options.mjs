// @ts-check
/**
 * How TypeScript becomes JavaScript, for specs and for what runs: types are only left out here, `npm run typecheck` reads them.
 * Nest and TypeORM ask for the types of constructors and columns at run time.
 * @type {import('@swc/core').Options}
 */
export const SWC_OPTIONS = {
  swcrc: false,
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
  module: { type: 'es6' },
};
