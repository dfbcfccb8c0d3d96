import { HOST_KINDS, type HostKind, type HostScope, visitClassFromNumber, VISIT_CLASSES } from '@hopcount/contracts';
import { loadSql, type Transaction } from '@hopcount/postgres';

import { type HostSums, noHostSums } from './host-questions.js';

const COUNT_DATA_CENTRES = loadSql(import.meta.url, 'sql/count-data-centres.sql');

/** What of a name's visits of all time a data centre counted. */
export interface HostDataCentre extends HostSums {
  name: string;
  /** It is this one. */
  isOwn: boolean;
  /** All it had counted by then; null: nothing is known of it yet. */
  asOf: Date | null;
}

interface CountedRow {
  name: string;
  isOwn: boolean;
  asOf: Date | null;
  class: number | null;
  visits: number | null;
}

/**
 * @param allTime of all of them together, in the same snapshot
 * @returns this one first; [] where there are no others
 */
export async function readDataCentres(
  tx: Transaction,
  { kind, name, scope }: { kind: HostKind; name: string; scope: HostScope },
  allTime: HostSums,
): Promise<HostDataCentre[]> {
  const rows = await tx.query<CountedRow>(COUNT_DATA_CENTRES, [HOST_KINDS.indexOf(kind), name, scope]);
  const centres = new Map<string, HostDataCentre>();
  for (const { name: dc, isOwn, asOf, class: number, visits } of rows) {
    const centre = centres.get(dc) ?? { name: dc, isOwn, asOf, ...noHostSums() };
    centres.set(dc, centre);
    if (number === null || visits === null) continue;
    centre.byClass[visitClassFromNumber(number)] += visits;
    centre.visits += visits;
  }
  const all = [...centres.values()];
  const own = all.find(({ isOwn }) => isOwn);
  if (own === undefined) return all;
  own.visits = allTime.visits;
  Object.assign(own.byClass, allTime.byClass);
  for (const peer of all) {
    if (peer.isOwn) continue;
    own.visits -= peer.visits;
    for (const visitClass of VISIT_CLASSES) own.byClass[visitClass] -= peer.byClass[visitClass];
  }
  return all;
}
