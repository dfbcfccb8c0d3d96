// @ts-check
// How the scripts speak: one line per finished step with its duration, one sentence per failure.
import { appendFileSync, closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Something the person at the terminal can act on; printed without a stack trace. */
export class StackError extends Error {}

/** @typedef {(line: string) => void} Say */

/**
 * Runs one step and reports it with the time it took.
 * @template T
 * @param {Say} say
 * @param {string} title
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(say, title, work) {
  const startedAtMs = Date.now();
  say(`  …  ${title}`);
  const result = await work();
  say(`  ok ${title} (${((Date.now() - startedAtMs) / 1000).toFixed(1)} s)`);
  return result;
}

/**
 * The last lines of a log, for the message about whoever wrote it.
 * @param {string} path
 * @param {number} [lines]
 */
export function tail(path, lines = 20) {
  const maxBytes = 16_384;
  try {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const buffer = Buffer.alloc(Math.min(size, maxBytes));
      readSync(file, buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8').trimEnd().split('\n').slice(-lines).join('\n');
    } finally {
      closeSync(file);
    }
  } catch {
    // No log yet.
    return '(no output)';
  }
}

/**
 * @param {string} path
 * @param {string} line
 */
export function appendLine(path, line) {
  appendFileSync(path, `${new Date().toISOString()} ${line}\n`);
}
