import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Archive, ArchiveReader } from '@hopcount/archive';
import { DAY_MS, LedgerRetention } from '@hopcount/ledger';
import { Ledger } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import { createLogger, Reach } from '@hopcount/runtime';
import { VisitSequence } from '@hopcount/statistics';
import { exportLinks, exportVisits, type ImportSource, ImportStore } from '@hopcount/transfer';
import fc from 'fast-check';

import type { WorkerConfig } from '../worker.config.js';
import { runImports } from './run-imports.js';

export const OCTOBER = Date.UTC(2026, 9, 1);
const LIMIT = 1_000_000_000;

interface UploadOptions {
  domain?: string | null;
  changesLinks?: boolean;
}

/** An installation with an archive and a worker. */
export class Installation {
  readonly imports: ImportStore;
  readonly archive: Archive;
  /** As the setting of that name. */
  looseCodes = false;

  private constructor(
    readonly ledger: Ledger,
    readonly root: string,
  ) {
    this.imports = new ImportStore(ledger.database);
    this.archive = new Archive(ledger.database, { root, memoryMb: 256 });
  }

  static async open(): Promise<Installation> {
    return new Installation(await Ledger.open(), mkdtempSync(join(tmpdir(), 'import-visits-')));
  }

  async close(): Promise<void> {
    await this.ledger.close();
    rmSync(this.root, { recursive: true });
  }

  async work(
    database: Database = this.ledger.database,
    archive: Pick<Archive, 'restore'> = this.archive,
    signal = new AbortController().signal,
  ): Promise<void> {
    const config = {
      allowPrivateTargets: false,
      targetSchemes: ['http', 'https'],
      slots: 8,
      looseCodes: this.looseCodes,
    } as unknown as WorkerConfig;
    const parts = { redis: undefined as never, outbox: { announce: () => Promise.resolve() } as never };
    const logger = createLogger({ name: 'test', level: 'silent' });
    await runImports({ config, database, ...parts, logger }, archive).work(signal);
  }

  async upload(text: string, source: ImportSource = 'csv', name = 'old', options: UploadOptions = {}): Promise<string> {
    const bytes = async function* () {
      yield await Promise.resolve(Buffer.from(text));
    };
    return (await this.imports.upload(Reach.everything, { source, name, domain: null, ...options }, bytes(), LIMIT)).id;
  }

  async take(text: string, source: ImportSource = 'csv', name = 'old', options: UploadOptions = {}) {
    const id = await this.upload(text, source, name, options);
    await this.work();
    return this.imports.get(Reach.everything, id);
  }

  /** Visits by code and class, as the buckets have them, which `differences` holds against ledger and files. */
  async counts(): Promise<Record<string, number>> {
    const rows = await this.ledger.server.query<{ what: string; visits: number }>(
      `SELECT code || ' ' || class AS what, sum(visits)::int AS visits FROM link_traffic JOIN links ON links.id = link_id GROUP BY 1`,
    );
    return Object.fromEntries(rows.map(({ what, visits }) => [what, visits]));
  }

  async exported(format: 'csv' | 'jsonl'): Promise<{ links: string; visits: string }> {
    const { database } = this.ledger;
    const reader = new ArchiveReader(database, { root: this.root, memoryMb: 256 });
    const range = {
      reach: Reach.everything,
      from: undefined,
      to: Date.now(),
      linkId: undefined,
      excludeBots: false,
      after: undefined,
    };
    const pieces = new VisitSequence(database, reader).read(range);
    const text = { links: '', visits: '' };
    const options = { format, bom: true, publicScheme: 'http' } as const;
    for await (const chunk of exportLinks(Reach.everything, database, { ...options, totals: 'slots' }))
      text.links += String(chunk);
    for await (const chunk of exportVisits(database, pieces, options)) text.visits += String(chunk);
    await reader.close();
    return text;
  }

  /** Seals what is due and drops September and what is before. */
  async drop(): Promise<(string | null)[]> {
    await this.archive.seal(await this.archive.dueHours(OCTOBER, 'all'));
    const retention = new LedgerRetention(this.ledger.database, { ledgerDays: 45, archive: this.archive });
    return (await retention.dropMonths(OCTOBER + 47 * DAY_MS)).map(({ kept }) => kept);
  }

  async visitsOf(code: string): Promise<number> {
    return Object.entries(await this.counts()).reduce(
      (sum, [what, n]) => (what.startsWith(`${code} `) ? sum + n : sum),
      0,
    );
  }
}

export const LINKS = 'longUrl,shortCode\nhttps://example.com/a,a\nhttps://example.com/b,b\n';
export const visitRows = (...rows: string[]) => ['date,shortCode,userAgent,referrer', ...rows, ''].join('\n');

const PARTS = [
  ...[
    '"',
    '""',
    "'",
    "''",
    "'=",
    '=1+1',
    '|cmd',
    '\r\n',
    '\r',
    '\n',
    '\t@x',
    ';-1',
    ',',
    ' ',
    '\u00a0',
    '\ufeff',
    '\u200b',
    '🥣',
  ],
  ...['NULL', '\\N', 'null', '[1]', '{}', '-5', '+5', '1e3', '%00', 'x', '\u2028', '\uff1d', '\u001f', 'é', 'sep=;'],
];

/** Texts that files, spreadsheets and readers of them take for something else; each of them can be kept. */
export const NASTY_TEXTS = [
  ...PARTS,
  ...fc.sample(
    fc.array(fc.constantFrom(...PARTS), { minLength: 2, maxLength: 6 }).map((parts) => parts.join('')),
    { numRuns: 207, seed: 7 },
  ),
];
