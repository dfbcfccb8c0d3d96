import {
  HOST_KINDS,
  type HostStateV1,
  type HostSumsV1,
  visitClassFromNumber,
  visitClassNumber,
} from '@hopcount/contracts';
import type { ReplicaRow } from '@hopcount/hosts';
import { arrayLiteral } from '@hopcount/postgres';

/** What somebody counted of a name and class, as PostgreSQL has it. */
export interface StateRow extends ReplicaRow {
  kind: number;
  /** Labels reversed. */
  name: string;
  class: number;
}

export function toRow({ kind, class: visitClass, name, epoch, p, n }: HostSumsV1): StateRow {
  return { kind: HOST_KINDS.indexOf(kind), name, class: visitClassNumber(visitClass), epoch, p, n };
}

export function toState(dc: string, { kind, name, class: number, epoch, p, n }: StateRow): HostSumsV1 {
  return { version: 1, dc, epoch, kind: HOST_KINDS[kind]!, name, class: visitClassFromNumber(number), p, n };
}

export function isSums(state: HostStateV1): state is HostSumsV1 {
  return !('asOf' in state);
}

export function keyOfRow({ kind, name, class: number }: Pick<StateRow, 'kind' | 'name' | 'class'>): string {
  return `${kind} ${number} ${name}`;
}

/** Parallel arrays: kind, name, class. */
export function keyColumns(rows: readonly Pick<StateRow, 'kind' | 'name' | 'class'>[]): unknown[] {
  return [
    arrayLiteral(rows.map(({ kind }) => kind)),
    arrayLiteral(rows.map(({ name }) => name)),
    arrayLiteral(rows.map((row) => row.class)),
  ];
}

/** Parallel arrays: epoch, p, n. */
export function sumColumns(rows: readonly ReplicaRow[]): unknown[] {
  return [
    arrayLiteral(rows.map(({ epoch }) => epoch)),
    arrayLiteral(rows.map(({ p }) => p)),
    arrayLiteral(rows.map(({ n }) => n)),
  ];
}
