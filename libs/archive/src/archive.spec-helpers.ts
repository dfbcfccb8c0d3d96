import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { DuckDBConnection } from '@duckdb/node-api';
import {
  DAY_MS,
  type EnrichedVisit,
  LedgerRetention,
  type MonthArchive,
  PartitionCheckpoints,
  type People,
  VisitEraser,
  VisitPurger,
} from '@hopcount/ledger';
import { Ledger, noLock } from '@hopcount/ledger/spec-helpers';
import type { TestS3 } from '@hopcount/testing';

import { Archive, type ArchiveSettings } from './archive.js';
import { ArchiveReader } from './read/archive-reader.js';
import type { ArchiveFile } from './manifest/archive-file.js';
import type { ArchiveRoot, BucketRoot } from './store/open-store.js';

type SpecOptions = Pick<ArchiveSettings, 'maxFileBytes' | 'dayLimits'>;

/** A ledger, a consumer of it, and an archive in a folder of its own, or in a bucket that is one. */
export class ArchiveSpec {
  readonly damaged: string[] = [];
  #archive: Archive;

  private constructor(
    readonly ledger: Ledger,
    /** The archive's files on disk. */
    readonly root: string,
    readonly bucket: BucketRoot | undefined,
    readonly commit: Awaited<ReturnType<Ledger['consumer']>>,
    private readonly options: SpecOptions,
  ) {
    this.#archive = this.openArchive();
  }

  static async open({ s3, ...options }: SpecOptions & { s3?: TestS3 | undefined } = {}): Promise<ArchiveSpec> {
    const ledger = await Ledger.open();
    await ledger.server.query(`SELECT create_visit_partitions('2026-09-01Z', '2026-09-02Z')`);
    const local = mkdtempSync(join(tmpdir(), 'archive-'));
    const bucket = s3 && bucketOf(s3, local);
    const root = s3 && bucket ? join(s3.folder, bucket.prefix) : local;
    mkdirSync(root, { recursive: true });
    return new ArchiveSpec(ledger, root, bucket, await ledger.consumer(), options);
  }

  async close(): Promise<void> {
    await this.ledger.close();
    rmSync(this.root, { recursive: true, force: true });
    if (this.bucket !== undefined) rmSync(this.bucket.cacheFolder, { recursive: true, force: true });
  }

  /**
   * Remembers PostgreSQL as it is. @returns what restores it: PostgreSQL as it was, in another life (as a consumer
   * makes it that finds Kafka ahead of its checkpoint), beside the folder as it is by then
   */
  async backup(): Promise<() => Promise<ArchiveSpec>> {
    const copy = await this.ledger.server.copy();
    return async () => {
      const ledger = await Ledger.on(copy);
      await new PartitionCheckpoints(ledger.database).renewIncarnation('ledger-restored');
      return new ArchiveSpec(ledger, this.root, this.bucket, await ledger.consumer(), this.options);
    };
  }

  get archive(): Archive {
    return this.#archive;
  }

  /** Another process on the same archive. */
  openArchive(root: ArchiveRoot = this.bucket ?? this.root, settings: Partial<ArchiveSettings> = {}): Archive {
    const onDamaged = ({ path }: { path: string }) => this.damaged.push(path);
    const { ledger, options } = this;
    return new Archive(ledger.database, {
      root,
      memoryMb: 256,
      onDamaged,
      // So that files of a few visits have summaries of links, made one after the other.
      summarisedVisits: 3,
      summarisedAtOnce: 3,
      ...options,
      ...settings,
    });
  }

  /** What a process that starts anew knows: nothing of files it has looked at. */
  restart(): void {
    this.#archive = this.openArchive();
  }

  async seal(before: number) {
    return this.archive.seal(await this.archive.dueHours(before, 'all'));
  }

  async purge(linkId: string, beforeMs: number): Promise<void> {
    await new VisitPurger(this.ledger.database, noLock, { hasSlots: true }).purge(linkId, { beforeMs });
  }

  /** As the command does. @returns how many visits went */
  async erase(people: People): Promise<number> {
    const eraser = new VisitEraser(this.ledger.database, { hasSlots: true, visitsPerTransaction: 2 });
    const erasure = await eraser.mark(people);
    const visits = await eraser.erase(erasure);
    const { dropped, failed } = await this.archive.erasePeople(erasure, eraser.inFiles(erasure));
    if (failed[0] !== undefined) throw failed[0].error;
    await eraser.finish(erasure);
    return visits + dropped;
  }

  /** Drops September 2026, as the worker would. @returns why it was kept; null: it is gone */
  async drop(archive: MonthArchive = this.archive): Promise<string | null | undefined> {
    const retention = new LedgerRetention(this.ledger.database, { ledgerDays: 45, archive });
    const reports = await retention.dropMonths(Date.UTC(2026, 9, 1) + 47 * DAY_MS, { attempts: 20, pauseMs: 20 });
    return reports.find(({ month }) => month === '2026-09')?.kept;
  }

  /** Where each visit is answered from: number of those in the ledger, ids of those in files. */
  async where(): Promise<{ ledger: number; files: string[] }> {
    const [row] = await this.ledger.server.query<{ n: number }>('SELECT count(*)::int AS n FROM visits');
    return { ledger: row?.n ?? 0, files: await this.contents() };
  }

  /** What an export of months that the ledger dropped has: ids, oldest first. */
  async listed(): Promise<string[]> {
    const reader = new ArchiveReader(this.ledger.database, { root: this.bucket ?? this.root, memoryMb: 256 });
    const question = { from: 0, to: Date.UTC(2026, 9, 1), linkIds: undefined, exceptClasses: [] };
    const page = { after: '00000000-0000-0000-0000-000000000000', limit: 1_000 };
    const rows = await this.ledger.database.transaction((tx) =>
      reader.dropped.next<{ id: string }>(tx, question, 'event_id::VARCHAR AS id', page),
    );
    await reader.close();
    return rows.map(({ id }) => id);
  }

  active(): Promise<ArchiveFile[]> {
    return this.archive.manifest.files({ from: 0, to: Date.UTC(9999, 0) });
  }

  /** What is being written, and copies in use. */
  inWork(): string[] {
    return readdirSync(join(this.bucket?.cacheFolder ?? this.root, 'work'));
  }

  pathOf(file: Pick<ArchiveFile, 'path'>): string {
    return join(this.root, file.path);
  }

  /** All active files with other rows in them, as if they had been sealed so. `select`: of their columns, in DuckDB's words. */
  async forgeFiles(select: string): Promise<void> {
    for (const file of await this.active()) {
      const [path, forged] = [this.pathOf(file), `${this.pathOf(file)}.forged`];
      await onDuckDb((connection) =>
        connection.run(`COPY (SELECT ${select} FROM read_parquet('${path}')) TO '${forged}' (FORMAT parquet)`),
      );
      renameSync(forged, path);
      const bytes = readFileSync(path);
      await this.ledger.server.query('UPDATE archive_files SET sha256 = $2, bytes = $3 WHERE id = $1', [
        file.id,
        createHash('sha256').update(bytes).digest(),
        bytes.length,
      ]);
    }
    this.restart();
  }

  /** Every Parquet file on disk. */
  onDisk(): string[] {
    return readdirSync(this.root, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.parquet'))
      .sort();
  }

  /** All files in use hold these visits and no others, each once, and everything agrees with the buckets. */
  async contents(): Promise<string[]> {
    return readEventIds((await this.active()).map((file) => this.pathOf(file)));
  }
}

function bucketOf({ bucket, endpoint }: TestS3, cacheFolder: string): BucketRoot {
  return { bucket, endpoint, prefix: randomUUID(), cacheFolder, cacheBytes: 1 << 30, patienceMs: 1_000 };
}

export async function readRows<Row>(from: readonly string[] | string, select = '*'): Promise<Row[]> {
  if (from.length === 0) return [];
  const source = typeof from === 'string' ? from : `read_parquet([${from.map((path) => `'${path}'`).join(', ')}])`;
  return onDuckDb(async (connection) => {
    const reader = await connection.runAndReadAll(`SELECT ${select} FROM ${source}`);
    return reader.getRowObjectsJson() as Row[];
  });
}

/** A DuckDB of its own: what checks a file must not share code with what writes it. */
async function onDuckDb<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    await connection.run(`SET TimeZone = 'UTC'`);
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Where each column stands in a file, of all its row groups. */
export async function columnChunks(path: string): Promise<{ column: string; from: number; bytes: number }[]> {
  const rows = await readRows<{ column: string; start: string; bytes: string }>(
    `parquet_metadata('${path}')`,
    `path_in_schema AS column, coalesce(dictionary_page_offset, data_page_offset) AS start, total_compressed_size AS bytes`,
  );
  return rows.map(({ column, start, bytes }) => ({ column, from: Number(start), bytes: Number(bytes) }));
}

async function readEventIds(paths: readonly string[]): Promise<string[]> {
  const rows = await readRows<{ id: string }>(paths, 'event_id::VARCHAR AS id');
  return rows.map(({ id }) => id).sort();
}

export const hourAt = (time: string) => Date.parse(`2026-09-${time}:00:00Z`);
export const eventIdsOf = (visits: readonly EnrichedVisit[]) => visits.map(({ eventId }) => eventId).sort();
