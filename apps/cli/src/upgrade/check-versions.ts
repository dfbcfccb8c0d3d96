import { sourceVersion, VISIT_VERSION_WRITTEN, VISIT_VERSIONS_READ } from '@hopcount/contracts';
import type { AboutMember } from '@hopcount/kafka';
import { type Check, fail, ok, warn } from '@hopcount/ledger';

import { plural } from '../output/output.js';

/** What this version's visits and consumers are; others in tests. */
export interface Contract {
  written: number;
  read: readonly number[];
}
const OWN: Contract = { written: VISIT_VERSION_WRITTEN, read: VISIT_VERSIONS_READ };

/** Consumers that run, and whether they read what gateways of this version write: else they go first. */
export function judgeConsumers(members: (AboutMember | undefined)[], own: Contract = OWN): Check {
  const versions = members.map((about) => about?.version ?? 'one that does not say');
  const found =
    members.length === 0 ? 'no consumer runs' : `${plural(members.length, 'consumer')} of version ${each(versions)}`;
  const behind = members.filter((about) => !(about?.reads ?? [1]).includes(own.written)).length;
  return behind === 0
    ? ok('versions of consumers', `${found}, all read visits of version ${own.written}`)
    : warn(
        'versions of consumers',
        `${found}, ${behind} cannot read visits of version ${own.written}`,
        'Upgrade all consumers before the first gateway: what they cannot read becomes dead letters until it is redriven.',
      );
}

/** Visits that wait in the topic were written by gateways that run or ran; consumers of this version have to read them. */
export function judgeWritten(versions: number[], own: Contract = OWN): Check {
  const found = versions.length === 0 ? 'no visit is in the topic' : `version ${each(versions.map(String))}`;
  const unread = versions.filter((version) => !own.read.includes(version));
  return unread.length === 0
    ? ok('newest visits', found)
    : fail('newest visits', found, 'Consumers of this version cannot read them: take a later version.');
}

/** Of visits as they are in the topic; what is none has no version. */
export function versionsOf(values: (Buffer | null)[]): number[] {
  const versions = values.map((value) => /"version":\s*(\d+)/.exec(value?.toString() ?? '')?.[1]);
  return [...new Set(versions.flatMap((version) => (version === undefined ? [] : [Number(version)])))];
}

/** `source` ends in `@` and the version of its gateway. */
export function judgeGateways(sources: string[]): Check {
  if (sources.length === 0) return ok('versions of gateways', 'none has reported lately');
  const versions = sources.map((source) => sourceVersion(source) ?? 'one that does not say');
  return ok('versions of gateways', `${plural(sources.length, 'gateway')} of version ${each(versions)}`);
}

function each(versions: string[]): string {
  return [...new Set(versions)].sort().join(', ');
}
