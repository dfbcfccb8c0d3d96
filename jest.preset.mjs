// @ts-check
import { joinedVendors } from './jest.vendors.mjs';

/**
 * Shared by the unit and integration projects: TypeScript through swc (decorator metadata on), ES
 * modules, and workspace libraries resolved to their sources (`@hopcount/source` export condition).
 */
export const preset = {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@hopcount/source', 'node'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1', ...(await joinedVendors()) },
  modulePathIgnorePatterns: ['/dist/', '/.data/', '/.nx/'],
};
