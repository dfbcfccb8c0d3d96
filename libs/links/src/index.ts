export { BlockList } from './blocks/block-list.js';
export { type BlockRecord, BlockStore } from './blocks/block-store.js';
export { FollowedBlocks } from './blocks/followed-blocks.js';
export type { BlockValue } from './blocks/parse-block.js';
export { readBlockLine } from './blocks/read-block-file.js';
export { decodeBase62, encodeBase62 } from './codes/base62.js';
export { MAX_CODE_LENGTH, normalizeCode, parseCustomSlug } from './codes/custom-slug.js';
export { RANDOM_CODE_ALPHABET, RANDOM_CODE_LENGTH, randomCode } from './codes/random-code.js';
export { isReservedSlug, RESERVED_SLUGS } from './codes/reserved-slugs.js';
export { decodeSnowflakeCode, SnowflakeCodes } from './codes/snowflake-code.js';
export { FilterBuilder } from './filter/build-filter.js';
export { LinkFilter } from './filter/link-filter.js';
export { ID_SPACE_WARNS_FROM, measureIdSpaces } from './ids/id-space.js';
export * from './ids/snowflake.js';
export { WorkerLease, type WorkerLeaseOptions } from './ids/worker-lease.js';
export { LinkUses, type UseAsked } from './limits/link-uses.js';
export { LINKS_ERRORS } from './links.errors.js';
export { LinkDirectory } from './organise/link-directory.js';
export { type DomainRecord, DomainSettings, type RedirectEdit } from './organise/domain-settings.js';
export { type GroupRecord, LinkGroups } from './organise/link-groups.js';
export { TagEditor } from './organise/tag-editor.js';
export { TAG_ORDER_FIELDS, TagList, type TagOrderField, type TagRecord } from './organise/tag-list.js';
export { foldTagChanges } from './organise/tag-totals.js';
export { FollowedLimits } from './rate-limits/followed-limits.js';
export {
  apiLimits,
  defaultOf,
  followersOf,
  gatewayLimits,
  isLimitName,
  LIMIT_NAMES,
  limitFault,
  type LimitName,
} from './rate-limits/limit-settings.js';
export { announceLimits, StoredLimits } from './rate-limits/stored-limits.js';
export { type AbuseReportRecord, AbuseReports, addAbuseReport } from './reports/abuse-reports.js';
export { canonicalAuthority, DEFAULT_DOMAIN_NAME, defaultDomain, parseAuthority } from './store/authority.js';
export { compareTexts } from './store/change-texts.js';
export { spellCode, spellDomain, spellGroup, spellTag } from './store/names.js';
export { storedGroups } from './organise/stored-groups.js';
export { type DeletedLink, LinkBin } from './store/link-bin.js';
export { type LinkEdit, LinkEditor, type NamedLink } from './store/link-editor.js';
export {
  LINK_ORDER_FIELDS,
  LinkList,
  type LinkListQuery,
  type LinkOrderField,
  type OrderDirection,
} from './store/link-list.js';
export { LINK_STATES } from './store/link-filter.js';
export type { LinkRecord } from './store/link-record.js';
export { decodeFormValue, MAX_PARAMETERS, queryParameters } from './rules/query-parameters.js';
export { readRoutes } from './rules/read-routes.js';
export { compileConditions, preferredLanguages, type RuleFacts } from './rules/rule-conditions.js';
export {
  BROWSERS,
  CONDITION_TYPES,
  conditionFault,
  type ConditionType,
  DEVICES,
  type RedirectCondition,
  type RedirectRule,
  type SplitTarget,
  ROUTE_LIMITS,
} from './rules/redirect-rules.js';
export {
  DEFAULT_SETTINGS,
  EXTRA_PATH_MODES,
  type ExtraPathMode,
  type LinkSettings,
  REDIRECT_STATUSES,
  type RedirectStatus,
} from './store/link-settings.js';
export type { Created } from './store/create-links.js';
export { hashUrls } from './store/hash-urls.js';
export { expireIdempotencyKeys, type OnceOnly } from './store/idempotency.js';
export { linkOf, LinkStore } from './store/link-store.js';
export type { NewLink } from './store/new-link.js';
export { LinkOutbox } from './outbox/link-outbox.js';
export { LinkChangeSubscription } from './resolution/link-changes.js';
export { LinkPasswords } from './passwords/link-passwords.js';
export { LONGEST_PASSWORD } from './passwords/password-hasher.js';
export { type CrawlableLink, listCrawlable } from './resolution/crawlable-links.js';
export { type LinkPolicy, readLinkPolicy } from './resolution/link-policy.js';
export type { KnownDomains } from './resolution/link-database.js';
export type { KnownHosts } from './resolution/known-hosts.js';
export { LinkResolver } from './resolution/link-resolver.js';
export type { Resolution, ResolvedLink } from './resolution/resolved-link.js';
export { type TitleRequest, TitleRequests } from './titles/title-requests.js';
export { alertBody, type AlertNews, type MailText } from './alerts/alert-body.js';
export { type AlertOwner, type AlertRecord, AlertStore, type AlertSubject } from './alerts/alert-store.js';
export { mailAddressOf, parseMailAddress } from './alerts/mail-address.js';
export { LinkAnomalies } from './webhooks/link-anomalies.js';
export { webhookHeaders } from './webhooks/sign-webhook.js';
export { type DeliveryFailure, MAILS_OF_A_DAY, type TakenEvent, WebhookQueue } from './webhooks/webhook-queue.js';
export { type WebhookDelivery, type WebhookRecord, WebhookStore } from './webhooks/webhook-store.js';
export {
  NOT_FOUND_FIELDS,
  type NotFoundField,
  type NotFoundRedirects,
  NotFoundTarget,
  notFoundDefaults,
  notFoundSettings,
} from './targets/not-found-target.js';
export { targetSchemes } from './targets/target-schemes.js';
