import { randomBytes } from 'node:crypto';

import { TEXT_LIMITS, VERSION_MARK } from '@hopcount/contracts';

/**
 * Names one process life: pids and host names alone come again. The version at its end is in each of its visits and
 * audits, so that releases can be told apart by what was counted of theirs.
 */
export function sourceName({ host, pid, version }: { host: string; pid: number; version: string }): string {
  const end = `-${pid}-${randomBytes(4).toString('hex')}${VERSION_MARK}${version}`;
  const name = host.toLowerCase().replace(/[^a-z0-9-]/g, '-');
  return `gw-${name.slice(0, Math.min(30, TEXT_LIMITS.source - 'gw-'.length - end.length))}${end}`;
}
