import { createWriteStream } from 'node:fs';

import type { Transaction } from '@hopcount/postgres';

import { COPY_OPTIONS } from './read-csv.js';

/**
 * What PostgreSQL selects, into a file that `readCsv` reads. COPY takes no parameters: instants and ids stand in the
 * text, and are made of digits. @returns how many rows
 */
export function copyOut(tx: Transaction, select: string, path: string, signal?: AbortSignal): Promise<number> {
  return tx.copyTo(`COPY (${select}) TO STDOUT ${COPY_OPTIONS}`, createWriteStream(path, { mode: 0o600 }), signal);
}
