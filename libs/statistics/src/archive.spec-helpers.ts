import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Archive, ArchiveReader } from '@hopcount/archive';
import type { Database } from '@hopcount/postgres';

import { LinkStatisticsReader } from './read/link-statistics-reader.js';
import { VisitsStatisticsReader } from './scopes/visits-statistics-reader.js';

/** A reader that knows of no files. */
export function ledgerReader(database: Database): LinkStatisticsReader {
  return new LinkStatisticsReader(database, new ArchiveReader(database, { root: undefined, memoryMb: 128 }));
}

export function ledgerVisitsReader(database: Database): VisitsStatisticsReader {
  return new VisitsStatisticsReader(database, new ArchiveReader(database, { root: undefined, memoryMb: 128 }));
}

/** A reader of the ledger and of an archive in a folder of its own. */
export class ReadArchive {
  readonly root = mkdtempSync(join(tmpdir(), 'read-archive-'));
  readonly archive: Archive;
  readonly files: Pick<ArchiveReader, 'link' | 'visits' | 'unknown' | 'dropped' | 'recheck'>;
  readonly reader: LinkStatisticsReader;
  readonly visits: VisitsStatisticsReader;
  #files: ArchiveReader;

  constructor(
    private readonly database: Database,
    settings: { maxFileBytes?: number; timeoutMs?: number } = {},
  ) {
    const { maxFileBytes, timeoutMs } = settings;
    // Few visits are enough for a summary, so that histories are answered from files with one and without.
    const summaries = { summarisedVisits: 3, summarisedAtOnce: 3 };
    this.archive = new Archive(database, { root: this.root, memoryMb: 256, maxFileBytes, ...summaries });
    this.#files = this.#open(timeoutMs);
    const current = () => this.#files;
    this.files = {
      link: (...question) => current().link(...question),
      visits: (...question) => current().visits(...question),
      unknown: (...question) => current().unknown(...question),
      recheck: (range) => current().recheck(range),
      get dropped() {
        return current().dropped;
      },
    };
    this.reader = new LinkStatisticsReader(database, this.files);
    this.visits = new VisitsStatisticsReader(database, this.files);
  }

  /** What a process that starts anew knows: nothing of files it has looked at. */
  async restart(): Promise<void> {
    await this.#files.close();
    this.#files = this.#open();
  }

  async seal(before: number): Promise<number> {
    const { visits, failed } = await this.archive.seal(await this.archive.dueHours(before, 'all'));
    if (failed.length > 0) throw new Error(`not sealed: ${failed.map(({ what }) => what).join(', ')}`);
    return visits;
  }

  async close(): Promise<void> {
    await this.#files.close();
    rmSync(this.root, { recursive: true });
  }

  #open(timeoutMs?: number): ArchiveReader {
    // So that distinct visitors of a few hundred visits are counted at once, and those of some more in parts.
    return new ArchiveReader(this.database, { root: this.root, memoryMb: 256, timeoutMs, idsAtOnce: 250 });
  }
}
