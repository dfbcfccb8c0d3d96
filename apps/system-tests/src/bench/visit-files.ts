import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import type { VisitEventV1 } from '@hopcount/contracts';

/** What any product can be told of a visit. Addresses are cut to /24 and /48, visitors are random. */
const COLUMNS = ['time', 'visitor', 'url', 'referrer', 'user_agent', 'language', 'address'] as const;
const KEPT_LINES = 5_000;

/** The same visits as `visits.csv` (RFC 4180, with a header) and `visits.ndjson`, in the order in which they are added. */
export class VisitFiles {
  readonly #csv: LineFile;
  readonly #ndjson: LineFile;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#csv = new LineFile(join(folder, 'visits.csv'));
    this.#ndjson = new LineFile(join(folder, 'visits.ndjson'));
    this.#csv.add(COLUMNS.join(','));
  }

  add(visit: VisitEventV1): void {
    const row = {
      time: new Date(visit.occurredAt).toISOString(),
      visitor: visit.visitorId,
      url: visit.destination,
      referrer: visit.referrer,
      user_agent: visit.userAgent,
      language: visit.acceptLanguage,
      address: visit.clientIp,
    };
    this.#csv.add(COLUMNS.map((name) => quoted(row[name] ?? '')).join(','));
    this.#ndjson.add(JSON.stringify(row));
  }

  close(): void {
    this.#csv.close();
    this.#ndjson.close();
  }
}

/** As it is: unlike our exports no spreadsheet is to open it. */
function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

class LineFile {
  readonly #file: number;
  #lines: string[] = [];

  constructor(path: string) {
    this.#file = openSync(path, 'w');
  }

  add(line: string): void {
    if (this.#lines.push(line) === KEPT_LINES) this.#write();
  }

  close(): void {
    this.#write();
    closeSync(this.#file);
  }

  #write(): void {
    if (this.#lines.length > 0) writeSync(this.#file, `${this.#lines.join('\n')}\n`);
    this.#lines = [];
  }
}
