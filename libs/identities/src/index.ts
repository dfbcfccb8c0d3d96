export * from './api-keys/api-keys.js';
export {
  type ApiKeyRecord,
  ApiKeyRegistry,
  type IssuedApiKey,
  LONGEST_GRACE_SECONDS,
} from './api-keys/key-registry.js';
export { IDENTITIES_ERRORS } from './identities.errors.js';
