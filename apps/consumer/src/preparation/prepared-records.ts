import type { DeadLetterReason } from '@hopcount/contracts';
import type { VisitSource } from '@hopcount/ledger';

/** A record that is no visit: its place in the batch, and why. */
export interface RefusedRecord {
  index: number;
  reason: DeadLetterReason;
  detail: string;
}

/** What a batch's records are: each is a visit or refused. */
export interface PreparedRecords {
  /** Places in the batch of the records that are visits, and their event ids (an event may be there twice). */
  readonly indexes: Uint32Array;
  readonly eventIds: readonly string[];
  readonly refused: readonly RefusedRecord[];
  readonly visits: VisitSource;
  /** They are not asked for again. */
  release(): void;
}

/** Bytes → visits with what is known of each, and everything a commit needs of them if all are new. */
export type PrepareRecords = (values: readonly (Buffer | null)[]) => Promise<PreparedRecords>;
