import type { InstantRange } from '@hopcount/ledger';

export type ArchiveLevel = 'hour' | 'day' | 'month';

/** Number of visits, and XOR of the 62 random bits of their ids. */
export interface VisitSum {
  visits: number;
  checksum: bigint;
}

export interface ArchiveFile extends VisitSum {
  id: string;
  /** Within the archive's folder. */
  path: string;
  level: ArchiveLevel;
  /** All its visits lie in it; other files may hold visits of it, too. */
  period: InstantRange;
  bytes: number;
  sha256: string;
  sealedAt: number;
  state: 'active' | 'replaced' | 'damaged' | 'expired';
}

/** A file that is not in the manifest yet. */
export type NewArchiveFile = Omit<ArchiveFile, 'state' | 'sealedAt'> & {
  hours: ({ hour: number } & VisitSum)[];
};
