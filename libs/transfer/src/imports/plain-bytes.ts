import { createGunzip } from 'node:zlib';

import { AppError } from '@hopcount/runtime';

const GZIP = Buffer.from([0x1f, 0x8b]);

/**
 * The bytes of a file, unpacked if they are gzip. The limit holds for what is sent and for what is in it, so unpacking a
 * file that grows without end stops there.
 * @throws AppError `import-too-large`, `unreadable-file` (damaged, cut short, or followed by other bytes); what `bytes` throws
 */
export async function* plainBytes(bytes: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  const { isGzip, all } = await peek(limited(bytes, maxBytes));
  yield* isGzip ? limited(gunzipped(all), maxBytes) : all;
}

async function* limited(bytes: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxBytes) throw new AppError('import-too-large', tooLarge(maxBytes));
    yield chunk;
  }
}

async function peek(bytes: AsyncGenerator<Buffer>) {
  const seen: Buffer[] = [];
  let head = Buffer.alloc(0);
  while (head.length < GZIP.length) {
    const next = await bytes.next();
    if (next.done === true) break;
    seen.push(next.value);
    head = Buffer.concat([head, next.value.subarray(0, GZIP.length)]);
  }
  async function* all() {
    try {
      yield* seen;
      yield* bytes;
    } finally {
      await bytes.return(undefined);
    }
  }
  return { isGzip: head.subarray(0, GZIP.length).equals(GZIP), all: all() };
}

async function* gunzipped(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const closed = new Promise<void>((resolve) => gunzip.once('close', resolve));
  let sent = 0;
  const feed = async () => {
    for await (const chunk of bytes) {
      if (gunzip.destroyed) return;
      sent += chunk.length;
      // A write that is under way when the stream is destroyed has no callback.
      await Promise.race([new Promise((resolve) => gunzip.write(chunk, resolve)), closed]);
    }
    gunzip.end();
  };
  const fed = feed().catch((error: unknown) => void gunzip.destroy(error as Error));
  try {
    yield* gunzip as AsyncIterable<Buffer>;
    await fed;
  } catch (error) {
    throw isZlibError(error) ? damaged(error) : error;
  } finally {
    gunzip.destroy();
    // The caller may close the file only after reading has ended.
    await fed;
  }
  if (gunzip.bytesWritten < sent) throw damaged();
}

function isZlibError(error: unknown): boolean {
  return /^Z_/.test(String((error as { code?: unknown } | null)?.code));
}

function damaged(cause?: unknown): AppError {
  return new AppError(
    'unreadable-file',
    'The gzip file is damaged or incomplete. Compress it again, or unpack it (gunzip FILE) and import the unpacked file.',
    { cause },
  );
}

function tooLarge(maxBytes: number): string {
  return `A file may have ${maxBytes / 1_024 / 1_024} MB here, unpacked. \`hopcount import\` takes larger ones; or cut it in several, a file of visits never between two of the same link and second.`;
}
