import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

/**
 * Who may import whom (style guide, section 1). Each project carries one `type:` and one `scope:`
 * tag in its package.json; anything not allowed here is an error.
 */
const DEP_CONSTRAINTS = [
  { sourceTag: 'type:contracts', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:runtime', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:platform', onlyDependOnLibsWithTags: ['type:contracts', 'type:runtime'] },
  { sourceTag: 'type:domain', onlyDependOnLibsWithTags: ['type:contracts', 'type:runtime', 'type:platform'] },
  {
    sourceTag: 'type:questions',
    onlyDependOnLibsWithTags: ['type:contracts', 'type:runtime', 'type:platform', 'scope:ledger'],
  },
  {
    sourceTag: 'type:app',
    onlyDependOnLibsWithTags: ['type:contracts', 'type:runtime', 'type:platform', 'type:domain', 'type:questions'],
  },
  { sourceTag: 'scope:gateway', notDependOnLibsWithTags: ['scope:ledger', 'scope:statistics'] },
  { sourceTag: 'type:testing', onlyDependOnLibsWithTags: ['type:contracts'] },
  // Drives built processes: what it checks must not be computed by the code under test.
  { sourceTag: 'type:system-tests', onlyDependOnLibsWithTags: ['type:contracts', 'type:testing'] },
];

const boundaries = (depConstraints) => [
  'error',
  { enforceBuildableLibDependency: false, allow: [], banTransitiveDependencies: false, depConstraints },
];

/** Specs, and nothing else, may also import the testing library. */
const SPEC_DEP_CONSTRAINTS = DEP_CONSTRAINTS.map((constraint) =>
  ['type:runtime', 'type:platform', 'type:domain', 'type:questions', 'type:app'].includes(constraint.sourceTag)
    ? { ...constraint, onlyDependOnLibsWithTags: [...constraint.onlyDependOnLibsWithTags, 'type:testing'] }
    : constraint,
);

/** The one project each vendor may be imported from. */
const VENDOR_HOMES = {
  kafkajs: ['libs/kafka', 'libs/testing', 'apps/system-tests'],
  ioredis: ['libs/redis', 'libs/testing', 'apps/system-tests'],
  redlock: ['libs/redis'],
  typeorm: ['libs/postgres'],
  pg: ['libs/postgres', 'libs/testing', 'apps/system-tests'],
  pino: ['libs/runtime'],
  'prom-client': ['libs/runtime'],
};

const vendorRules = Object.entries(VENDOR_HOMES).map(([vendor, homes]) => [vendor, homes]);

function restrictedImports(project) {
  const paths = vendorRules
    .filter(([, homes]) => !homes.includes(project))
    .map(([name, homes]) => ({ name, message: `${name} lives in ${homes[0]}; use what that lib exports.` }));
  return ['error', { paths }];
}

const projects = [
  ...['contracts', 'runtime', 'kafka', 'postgres', 'redis', 'links', 'ledger', 'statistics', 'testing'].map(
    (name) => `libs/${name}`,
  ),
  ...['gateway', 'consumer', 'worker', 'api', 'cli', 'system-tests'].map((name) => `apps/${name}`),
];

const TEST_FILES = ['**/*.spec.ts', '**/*.spec-helpers.ts', 'apps/system-tests/**'];

export default tseslint.config(
  { ignores: ['**/dist', '**/node_modules', '.data', '.nx', 'coverage', '**/*.mjs', '**/*.cjs', '**/*.js'] },
  {
    files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.spec.json', tsconfigRootDir: import.meta.dirname } },
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': boundaries(DEP_CONSTRAINTS),
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-extraneous-class': 'off',
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
      ],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['apps/*/src/main.ts'], rules: { 'no-restricted-properties': 'off' } },
  ...projects.map((project) => ({
    files: [`${project}/src/**/*.ts`],
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
      '@nx/enforce-module-boundaries': boundaries(SPEC_DEP_CONSTRAINTS),
    },
  },
);
