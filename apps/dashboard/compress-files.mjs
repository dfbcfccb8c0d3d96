// @ts-check
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Below it the header that says so costs as much as it saves. */
const LEAST_BYTES = 500;
const TEXTS = /^assets\/.*\.(js|css|svg|json)$/;
const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/**
 * Writes `x.br` and `x.gz` beside each file: compressed once, as well as can be, and not by the server that is asked for it first.
 * @returns {import('vite').Plugin}
 */
export function compressFiles() {
  return {
    name: 'compressed files',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const texts = Object.values(bundle).filter(({ fileName }) => TEXTS.test(fileName));
      await Promise.all(
        texts.map(async (output) => {
          const body = Buffer.from(output.type === 'chunk' ? output.code : output.source);
          if (body.length < LEAST_BYTES) return;
          const file = join(dir, output.fileName);
          const params = {
            [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
            [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
          };
          await writeFile(`${file}.br`, await brotli(body, { params }));
          await writeFile(`${file}.gz`, await zip(body, { level: 9 }));
        }),
      );
    },
  };
}
