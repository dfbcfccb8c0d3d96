import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A page of docs/operations, whose blocks and commands the specs run. */
export class Handbook {
  readonly #text: string;

  constructor(page: string) {
    this.#text = readFileSync(join(process.cwd(), 'docs/operations', page), 'utf8');
  }

  /** The first block of that language. */
  block(language: string): string {
    const fence = `\`\`\`${language}\n`;
    const from = this.#text.indexOf(fence);
    if (from < 0) throw new Error(`the handbook has no block ${fence}`);
    return this.#text.slice(from + fence.length, this.#text.indexOf('```', from + fence.length));
  }

  /** The first command below that heading that begins with this. */
  command(heading: string, start: string): string {
    const section = this.#text.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
    const line = section?.split('\n').find((one) => one.startsWith(start));
    if (line === undefined) throw new Error(`the handbook has no command ${start} below ${heading}`);
    return line;
  }
}
