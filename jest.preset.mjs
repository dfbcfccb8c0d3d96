// @ts-check
import { joinedVendors } from './jest.vendors.mjs';
import { SWC_OPTIONS } from './swc.options.mjs';

/**
 * Shared by the unit and integration projects: TypeScript through swc (decorator metadata on), ES
 * modules, and workspace libraries resolved to their sources (`@hopcount/source` export condition).
 */
export const preset = {
  // The usual one is in the folder that a run leaves nothing of.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@hopcount/source', 'node'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { ...SWC_OPTIONS, sourceMaps: 'inline' }],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1', ...(await joinedVendors()) },
  modulePathIgnorePatterns: ['/dist/', '/.data/', '/.nx/'],
};
