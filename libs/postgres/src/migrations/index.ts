import { Foundation1763683200000 } from './0001-foundation.js';
import { Archive1763769600000 } from './0002-archive.js';
import { HourFolds1763856000000 } from './0003-hour-folds.js';
import { Aggregates1763942400000 } from './0004-aggregates.js';
import { Retention1764028800000 } from './0005-retention.js';
import { ChangesOfLinks1764115200000 } from './0006-changes-of-links.js';
import { LinkSettings1764201600000 } from './0007-link-settings.js';
import { LifeOfLinks1764288000000 } from './0008-life-of-links.js';
import { LinkRules1764374400000 } from './0009-link-rules.js';
import { LinkLimits1764460800000 } from './0010-link-limits.js';
import { Organise1764547200000 } from './0011-organise.js';
import { VisitFeed1764633600000 } from './0012-visit-feed.js';
import { TitlesAndLeases1764720000000 } from './0013-titles-and-leases.js';
import { Imports1764806400000 } from './0014-imports.js';
import { LooseCodes1764892800000 } from './0015-loose-codes.js';
import { LinkFilter1764979200000 } from './0016-link-filter.js';
import { VisitImports1765065600000 } from './0017-visit-imports.js';
import { Identities1765152000000 } from './0018-identities.js';
import { AuditLog1765238400000 } from './0019-audit-log.js';
import { Users1765324800000 } from './0020-users.js';
import { ProviderIdentities1765411200000 } from './0021-provider-identities.js';
import { Webhooks1765497600000 } from './0022-webhooks.js';
import { Blocks1765584000000 } from './0023-blocks.js';
import { UsersEnd1765670400000 } from './0024-users-end.js';
import { LinkPasswords1765756800000 } from './0025-link-passwords.js';
import { InviteMakers1765843200000 } from './0026-invite-makers.js';
import { WebhooksGone1765929600000 } from './0027-webhooks-gone.js';
import { LinkWarnings1766016000000 } from './0028-link-warnings.js';
import { AuditMore1766102400000 } from './0029-audit-more.js';
import { LinkAnomalies1766188800000 } from './0030-link-anomalies.js';
import { WarningsAndReports1766361600000 } from './0032-warnings-and-reports.js';
import { CachedPlans1766620800000 } from './0035-cached-plans.js';
import { Creations1767225600000 } from './0042-creations.js';
import { ChangesWithoutHours1767052800000 } from './0040-changes-without-hours.js';
import { Erasures1766448000000 } from './0033-erasures.js';
import { HashKeySetting1767398400000 } from './0044-hash-key-setting.js';
import { VisitHosts1767484800000 } from './0045-visit-hosts.js';
import { HostTraffic1767571200000 } from './0046-host-traffic.js';
import { HostAlerts1767657600000 } from './0047-host-alerts.js';
import { HostSums1767744000000 } from './0048-host-sums.js';
import { VisitLabels1766275200000 } from './0031-visit-labels.js';
import { Relabels1766707200000 } from './0036-relabels.js';
import { PlansOfTagTotals1768089600000 } from './0052-plans-of-tag-totals.js';
import { ShareLinks1768262400000 } from './0054-share-links.js';
import { HostBatches1768176000000 } from './0053-host-batches.js';
import { HostFeedDays1768348800000 } from './0055-host-feed-days.js';
import { ReferrerSuffixes1768435200000 } from './0056-referrer-suffixes.js';
import { QuietHosts1768521600000 } from './0057-quiet-hosts.js';
import { HostPeers1768608000000 } from './0058-host-peers.js';
import { WebhookDeliveries1768780800000 } from './0060-webhook-deliveries.js';
import { DevicesAndSharedTags1768867200000 } from './0061-devices-and-shared-tags.js';
import { QuietHostsByTime1769126400000 } from './0064-quiet-hosts-by-time.js';
import { VisitWriters1769731200000 } from './0071-visit-writers.js';
import { GatewayStates1769817600000 } from './0072-gateway-states.js';
import { ImportReports1770076800000 } from './0075-import-reports.js';
import { UnattributedPurges1770336000000 } from './0078-unattributed-purges.js';
import { AttributedPeers1770422400000 } from './0079-attributed-peers.js';
import { DoubtedSums1770508800000 } from './0080-doubted-sums.js';
import { DoubtsNamed1770595200000 } from './0081-doubts-named.js';
import { MadeUpPasswords1770681600000 } from './0082-made-up-passwords.js';
import { LedgerCluster1770768000000 } from './0083-ledger-cluster.js';
import { Settings1770854400000 } from './0084-settings.js';
import { HostEpochs1768953600000 } from './0062-host-epochs.js';
import { Alerts1770940800000 } from './0085-alerts.js';
import { OperatorJobs1771027200000 } from './0086-operator-jobs.js';
import { AlertMails1771113600000 } from './0087-alert-mails.js';

/** In the order they are applied; append only. */
export const MIGRATIONS = [
  Foundation1763683200000,
  Archive1763769600000,
  HourFolds1763856000000,
  Aggregates1763942400000,
  Retention1764028800000,
  ChangesOfLinks1764115200000,
  LinkSettings1764201600000,
  LifeOfLinks1764288000000,
  LinkRules1764374400000,
  LinkLimits1764460800000,
  Organise1764547200000,
  VisitFeed1764633600000,
  TitlesAndLeases1764720000000,
  Imports1764806400000,
  LooseCodes1764892800000,
  LinkFilter1764979200000,
  VisitImports1765065600000,
  Identities1765152000000,
  AuditLog1765238400000,
  Users1765324800000,
  ProviderIdentities1765411200000,
  Webhooks1765497600000,
  Blocks1765584000000,
  UsersEnd1765670400000,
  LinkPasswords1765756800000,
  InviteMakers1765843200000,
  WebhooksGone1765929600000,
  LinkWarnings1766016000000,
  AuditMore1766102400000,
  LinkAnomalies1766188800000,
  VisitLabels1766275200000,
  CachedPlans1766620800000,
  Erasures1766448000000,
  Relabels1766707200000,
  WarningsAndReports1766361600000,
  Creations1767225600000,
  ChangesWithoutHours1767052800000,
  HashKeySetting1767398400000,
  PlansOfTagTotals1768089600000,
  VisitHosts1767484800000,
  HostTraffic1767571200000,
  HostAlerts1767657600000,
  HostSums1767744000000,
  ShareLinks1768262400000,
  HostBatches1768176000000,
  HostFeedDays1768348800000,
  ReferrerSuffixes1768435200000,
  QuietHosts1768521600000,
  HostPeers1768608000000,
  WebhookDeliveries1768780800000,
  DevicesAndSharedTags1768867200000,
  HostEpochs1768953600000,
  QuietHostsByTime1769126400000,
  VisitWriters1769731200000,
  GatewayStates1769817600000,
  ImportReports1770076800000,
  UnattributedPurges1770336000000,
  AttributedPeers1770422400000,
  DoubtedSums1770508800000,
  DoubtsNamed1770595200000,
  MadeUpPasswords1770681600000,
  LedgerCluster1770768000000,
  Settings1770854400000,
  Alerts1770940800000,
  OperatorJobs1771027200000,
  AlertMails1771113600000,
];
