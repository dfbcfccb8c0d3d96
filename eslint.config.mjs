// @ts-check
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

import { noSwallowedErrors } from './deploy/checks/no-swallowed-errors.mjs';

/**
 * Who may import whom (style guide, section 1). Each project carries one `type:` and one `scope:`
 * tag in its package.json; anything not allowed here is an error.
 */
const DEP_CONSTRAINTS = [
  { sourceTag: 'type:contracts', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:runtime', onlyDependOnLibsWithTags: [] },
  // Published, and for browsers: nothing of ours comes with it.
  { sourceTag: 'type:client', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:platform', onlyDependOnLibsWithTags: ['type:contracts', 'type:runtime'] },
  {
    // Names of hosts are read in one way; libs/hosts itself is pure and knows no domain.
    sourceTag: 'type:domain',
    onlyDependOnLibsWithTags: ['type:contracts', 'type:runtime', 'type:platform', 'scope:hosts'],
  },
  {
    sourceTag: 'type:identities',
    onlyDependOnLibsWithTags: ['type:contracts', 'type:runtime', 'type:platform', 'scope:links'],
  },
  {
    sourceTag: 'type:archive',
    onlyDependOnLibsWithTags: ['type:contracts', 'type:runtime', 'type:platform', 'scope:ledger'],
  },
  {
    sourceTag: 'type:questions',
    onlyDependOnLibsWithTags: [
      'type:contracts',
      'type:runtime',
      'type:platform',
      'scope:ledger',
      'scope:hosts',
      'type:archive',
    ],
  },
  {
    sourceTag: 'type:transfer',
    onlyDependOnLibsWithTags: ['type:contracts', 'type:runtime', 'type:platform', 'type:domain'],
  },
  {
    sourceTag: 'type:app',
    onlyDependOnLibsWithTags: [
      'type:contracts',
      'type:runtime',
      'type:platform',
      'type:domain',
      'type:archive',
      'type:questions',
      'type:transfer',
      'type:identities',
    ],
  },
  {
    sourceTag: 'scope:gateway',
    notDependOnLibsWithTags: [
      'scope:ledger',
      'scope:archive',
      'scope:statistics',
      'scope:hosts',
      'scope:transfer',
      'scope:identities',
    ],
  },
  { sourceTag: 'scope:consumer', notDependOnLibsWithTags: ['scope:archive'] },
  // Pages in browsers: they know the api as every client does.
  { sourceTag: 'type:dashboard', onlyDependOnLibsWithTags: ['type:client', 'type:contracts'] },
  // Rules and dashboards: they know the names of metrics and nothing else of ours.
  { sourceTag: 'type:observability', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:testing', onlyDependOnLibsWithTags: ['type:contracts'] },
  // Drives built processes: what it checks must not be computed by the code under test.
  { sourceTag: 'type:system-tests', onlyDependOnLibsWithTags: ['type:contracts', 'type:client', 'type:testing'] },
];

/** @param {object[]} depConstraints @returns {['error', object]} */
const boundaries = (depConstraints) => [
  'error',
  { enforceBuildableLibDependency: false, allow: [], banTransitiveDependencies: false, depConstraints },
];

/** Specs, and nothing else, may also import the testing library, and those of apps the client. */
const SPEC_DEP_CONSTRAINTS = DEP_CONSTRAINTS.map(
  (/** @type {{sourceTag: string, onlyDependOnLibsWithTags?: string[]}} */ constraint) =>
    [
      'type:runtime',
      'type:platform',
      'type:domain',
      'type:archive',
      'type:questions',
      'type:transfer',
      'type:identities',
      'type:app',
    ].includes(constraint.sourceTag)
      ? {
          ...constraint,
          onlyDependOnLibsWithTags: [
            ...(constraint.onlyDependOnLibsWithTags ?? []),
            'type:testing',
            ...(constraint.sourceTag === 'type:app' ? ['type:client'] : []),
          ],
        }
      : constraint,
);

/** The projects each vendor may be imported from; the first is its home. @type {Record<string, string[]>} */
const VENDOR_HOMES = {
  kafkajs: ['libs/kafka', 'libs/testing', 'apps/system-tests'],
  ioredis: ['libs/redis', 'libs/testing', 'apps/system-tests'],
  redlock: ['libs/redis'],
  typeorm: ['libs/postgres'],
  pg: ['libs/postgres', 'libs/testing', 'apps/system-tests'],
  'pg-copy-streams': ['libs/postgres', 'apps/system-tests'],
  '@duckdb/node-api': ['libs/archive', 'apps/system-tests'],
  '@aws-sdk/client-s3': ['libs/archive'],
  'openid-client': ['libs/identities'],
  '@node-rs/argon2': ['libs/runtime'],
  pino: ['libs/runtime'],
  'prom-client': ['libs/runtime'],
  'openapi-fetch': ['libs/client'],
  '@grafana/grafana-foundation-sdk': ['deploy/observability'],
};

/** @param {string} project @returns {['error', object]} */
function restrictedImports(project) {
  const paths = Object.entries(VENDOR_HOMES)
    .filter(([, homes]) => !homes.includes(project))
    .map(([name, homes]) => ({ name, message: `${name} lives in ${homes[0]}; use what that lib exports.` }));
  return ['error', { paths }];
}

const projects = [
  ...[
    'contracts',
    'client',
    'runtime',
    'outbound',
    'kafka',
    'postgres',
    'redis',
    'links',
    'identities',
    'ledger',
    'archive',
    'statistics',
    'hosts',
    'transfer',
    'testing',
  ].map((name) => `libs/${name}`),
  ...['gateway', 'consumer', 'worker', 'api', 'cli', 'dashboard', 'system-tests'].map((name) => `apps/${name}`),
  'deploy/observability',
];

const UNCLEARED = 'Bytes that are not written would be what other requests left there: use Buffer.alloc.';

/** @type {import('eslint').Linter.RulesRecord} */
const SIZES = {
  'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
  'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
};

const TEST_FILES = ['**/*.spec.ts', '**/*.spec-helpers.ts', 'apps/system-tests/**'];

export default tseslint.config(
  { ignores: ['**/dist', '**/node_modules', '.data', '.nx', 'coverage', '**/*.generated.ts'] },
  {
    files: [
      'apps/*/src/**/*.ts',
      'apps/dashboard/src/**/*.tsx',
      'libs/*/src/**/*.ts',
      'deploy/observability/src/**/*.ts',
    ],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': boundaries(DEP_CONSTRAINTS),
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-extraneous-class': 'off',
      // Tables of error codes are added to `ErrorCodes` that way.
      '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'with-single-extends' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Settings are parsed once, in main.ts (see runtime/config.ts).',
        },
        ...['allocUnsafe', 'allocUnsafeSlow'].map((property) => ({ object: 'Buffer', property, message: UNCLEARED })),
      ],
      ...SIZES,
    },
  },
  {
    // Plain JavaScript with types in comments, so that nothing has to be built before it runs.
    files: ['**/*.mjs'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './deploy/tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      ...SIZES,
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      // What JSON.parse returns gets its type in a comment, which TypeScript checks and ESLint does not see.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  {
    files: ['apps/*/src/main.ts', 'apps/consumer/src/preparation/main.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['apps/dashboard/src/**/*.{ts,tsx}'],
    languageOptions: {
      parserOptions: { project: './apps/dashboard/tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // Routes are left by throwing where to go instead.
      '@typescript-eslint/only-throw-error': 'off',
    },
  },
  {
    files: ['**/*.{ts,tsx,mjs}'],
    plugins: { hopcount: { rules: { 'no-swallowed-errors': noSwallowedErrors } } },
    rules: { 'hopcount/no-swallowed-errors': 'error' },
  },
  ...projects.map((project) => ({
    files: [`${project}/src/**/*.{ts,tsx}`],
    rules: { 'no-restricted-imports': restrictedImports(project) },
  })),
  {
    // Nest reads constructor types at run time: a type-only import would erase them.
    files: ['apps/*/src/**/*.ts', 'libs/postgres/src/entities/**/*.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    files: TEST_FILES,
    rules: {
      'max-lines-per-function': 'off',
      'no-restricted-properties': 'off',
      'hopcount/no-swallowed-errors': 'off',
      '@nx/enforce-module-boundaries': boundaries(SPEC_DEP_CONSTRAINTS),
    },
  },
);
