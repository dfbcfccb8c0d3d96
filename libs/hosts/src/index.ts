export { HOSTS_ERRORS } from './hosts.errors.js';
export { hostName } from './names/host-name.js';
export * from './names/labels.js';
export { type Host, type HostRefusal, normaliseHost } from './names/normalise-host.js';
export { createReadHost, parseHostName, targetHostOf } from './names/read-host.js';
export { isListedSuffix, SITE_LIST_VERSION, siteOf } from './names/site-of.js';
export { isNewer, type ReplicaRow, rowsAfterLoss } from './replicas/replica-rows.js';
export { type CountMistake, formatCountLines, type HostCount, parseCountLines } from './tree/count-lines.js';
export { type HostSums, HostTree } from './tree/host-tree.js';
export {
  type HostListQuery,
  type HostPosition,
  type HostRow,
  listBelow,
  listChildren,
  listSites,
} from './tree/list-hosts.js';
export { slotOf, SLOTS } from './tree/name-index.js';
export { pruneHosts } from './tree/prune-hosts.js';
export { CELL_MS, HostWindows, WINDOW_MS } from './windows/host-windows.js';
export { bucketsOf, type HostPast, surgeBase, utcDaysBefore } from './windows/surge-base.js';
export { SurgeDetector, type SurgeEvent } from './windows/surge-detector.js';
export { SURGE_RULES, type SurgeRules, type SurgeState } from './windows/surge-state.js';
