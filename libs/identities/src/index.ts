export * from './api-keys/api-keys.js';
export {
  type ApiKeyRecord,
  ApiKeyRegistry,
  type IssuedApiKey,
  LONGEST_GRACE_SECONDS,
} from './api-keys/key-registry.js';
export { AuditLog, type AuditQuery, isAuditEntryId } from './audit/audit-log.js';
export { type Asker, Identities, type Identity, reachFor } from './identity.js';
export { IDENTITIES_ERRORS } from './identities.errors.js';
export { Invites, type IssuedInvite, type Maker, type OpenInvite } from './users/invites.js';
export { OpenIdProvider, type ProviderFlow, type ProviderSettings } from './provider/openid-provider.js';
export { ProviderSignIn } from './provider/provider-sign-in.js';
export { type ShareIdentity, type ShareLinkRecord, ShareLinks, type SharedView } from './share-links/share-links.js';
export { Passwords } from './users/passwords.js';
export { Sealer } from './users/sealer.js';
export { SecondFactors } from './users/second-factors.js';
export { type Browser, SESSION_SECONDS, Sessions, type UserIdentity } from './users/sessions.js';
export { SignIn } from './users/sign-in.js';
export { type UserRecord, Users } from './users/users.js';
