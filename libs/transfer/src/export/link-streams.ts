import { Transform, type TransformCallback } from 'node:stream';

import type { ExportedLink } from '@hopcount/contracts';
import { CSV_BOM, type CsvCell, csvLine } from '@hopcount/runtime';

import { joinTags } from './tag-text.js';

const NEWLINE = 0x0a;

type Column = readonly [name: string, value: (link: ExportedLink) => CsvCell];

/** Every field; `csv` imports read the same names. */
const COLUMNS: readonly Column[] = [
  ['shortUrl', ({ shortUrl }) => shortUrl],
  ['shortCode', ({ shortCode }) => shortCode],
  ['domain', ({ domain }) => domain],
  ['longUrl', ({ longUrl }) => longUrl],
  ['title', ({ title }) => title],
  ['tags', ({ tags }) => joinTags(tags)],
  ['dateCreated', ({ dateCreated }) => dateCreated],
  ['validSince', ({ meta }) => meta.validSince],
  ['validUntil', ({ meta }) => meta.validUntil],
  ['maxVisits', ({ meta }) => meta.maxVisits],
  ['expiredUrl', ({ expiredUrl }) => expiredUrl],
  ['disabled', ({ disabled }) => disabled],
  ['warn', ({ warn }) => warn],
  ['hasPassword', ({ hasPassword }) => hasPassword],
  ['crawlable', ({ crawlable }) => crawlable],
  ['forwardQuery', ({ forwardQuery }) => forwardQuery],
  ['extraPath', ({ extraPath }) => extraPath],
  ['redirectStatus', ({ redirectStatus }) => redirectStatus],
  ['groupId', ({ groupId }) => groupId],
  ['note', ({ note }) => note],
  ['redirectRules', ({ redirectRules }) => (redirectRules.length === 0 ? null : JSON.stringify(redirectRules))],
  ['split', ({ split }) => (split.length === 0 ? null : JSON.stringify(split))],
  ['visits', ({ visitsSummary }) => visitsSummary.total],
  ['nonBotVisits', ({ visitsSummary }) => visitsSummary.nonBots],
  ['botVisits', ({ visitsSummary }) => visitsSummary.bots],
  ['id', ({ id }) => id],
];

const CSV_COLUMNS = COLUMNS.map(([name]) => name);

/** What PostgreSQL sends of links, a line of JSON each. */
export abstract class LinkStream extends Transform {
  #bytes = 0;

  /** By the reader, so far. */
  get bytesTaken(): number {
    return this.#bytes - this.readableLength;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const output = this.toOutput(chunk);
    this.#bytes += output.length;
    done(null, output);
  }

  protected abstract toOutput(chunk: Buffer): Buffer;
}

export class LinksAsLines extends LinkStream {
  protected toOutput(chunk: Buffer): Buffer {
    return chunk;
  }
}

/** Lines of JSON become rows of CSV, chunk by chunk. */
export class LinksAsCsv extends LinkStream {
  #rest = Buffer.alloc(0);
  #header: string;

  constructor({ bom = false }: { bom?: boolean }) {
    super();
    this.#header = (bom ? CSV_BOM : '') + csvLine(CSV_COLUMNS);
  }

  protected toOutput(chunk: Buffer): Buffer {
    const bytes = Buffer.concat([this.#rest, chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    this.#rest = bytes.subarray(end);
    const lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1);
    return Buffer.from(this.#takeHeader() + lines.map(toRow).join(''));
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#takeHeader());
  }

  #takeHeader(): string {
    const header = this.#header;
    this.#header = '';
    return header;
  }
}

function toRow(line: string): string {
  const link = JSON.parse(line) as ExportedLink;
  return csvLine(COLUMNS.map(([, value]) => value(link)));
}
