import type { Fault } from '../fault.js';
import type { Topology } from '../services.js';
import { ARCHIVE_FAULTS } from './archive.js';
import { BLOCK_FAULTS } from './blocks.js';
import { CONSUMER_FAULTS } from './consumers.js';
import { DELIVERY_FAULTS } from './deliveries.js';
import { FAILPOINT_FAULTS } from './failpoints.js';
import { FEED_FAULTS } from './feed.js';
import { GATEWAY_FAULTS } from './gateways.js';
import { KEY_FAULTS } from './keys.js';
import { LINK_FAULTS } from './links.js';
import { NETWORK_FAULTS } from './network.js';
import { NODE_FAULTS } from './nodes.js';
import { POSTGRES_FAULTS } from './postgres.js';
import { PROCESS_FAULTS } from './processes.js';
import { SERVICE_FAULTS } from './services.js';

export const FAULTS: readonly Fault[] = [
  ...FAILPOINT_FAULTS,
  ...PROCESS_FAULTS,
  ...SERVICE_FAULTS,
  ...POSTGRES_FAULTS,
  ...NETWORK_FAULTS,
  ...DELIVERY_FAULTS,
  ...CONSUMER_FAULTS,
  ...GATEWAY_FAULTS,
  ...LINK_FAULTS,
  ...BLOCK_FAULTS,
  ...KEY_FAULTS,
  ...FEED_FAULTS,
  ...ARCHIVE_FAULTS,
  ...NODE_FAULTS,
];

/** Those that make sense there. */
export function faultsOf(topology: Topology): Fault[] {
  return FAULTS.filter((fault) => (fault.topology ?? topology) === topology);
}

/** @throws Error naming a fault that does not exist */
export function faultsNamed(names: readonly string[]): Fault[] {
  return names.map((name) => {
    const fault = FAULTS.find((one) => one.name === name);
    if (fault === undefined) throw new Error(`there is no fault ${name}`);
    return fault;
  });
}
