import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Those that are sent, the preferred one first. */
const CODINGS = ['br', 'gzip'] as const;
type Coding = (typeof CODINGS)[number];
const COMPRESSIBLE = /^text\/|^image\/svg|[/+](json|javascript|yaml|x-yaml|manifest)/;
/** Less fits into one packet anyway. */
const WORTH_COMPRESSING = 1_024;
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const COMPRESS = { br: (body: Buffer) => promisify(brotliCompress)(body, BROTLI), gzip: promisify(gzip) };

interface PrebuiltAnswer {
  status: 200 | 304;
  headers: Record<string, string>;
  /** The same bytes for every client, however many are being answered. */
  body: Buffer | undefined;
}

/** A body that is answered again and again: made once, compressed once, and not sent to who has it. */
export class PrebuiltBody {
  readonly #etag: string;
  readonly #compressed = new Map<Coding, Promise<Buffer>>();

  constructor(
    readonly type: string,
    readonly plain: Buffer,
    private readonly options: {
      cacheControl?: string;
      compressed?: Partial<Record<Coding, Buffer>>;
      compress?: Record<Coding, (body: Buffer) => Promise<Buffer>>;
    } = {},
  ) {
    this.#etag = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
    for (const coding of CODINGS) {
      const made = options.compressed?.[coding];
      if (made !== undefined) this.#compressed.set(coding, Promise.resolve(made));
    }
  }

  async answer(asked: IncomingHttpHeaders): Promise<PrebuiltAnswer> {
    const coding = this.#codingFor(String(asked['accept-encoding'] ?? ''));
    // Other bytes have another name.
    const etag = coding === undefined ? `"${this.#etag}"` : `"${this.#etag}-${coding}"`;
    const headers = { 'cache-control': this.options.cacheControl ?? 'no-cache', etag, vary: 'accept-encoding' };
    if (isKnown(asked['if-none-match'], etag)) return { status: 304, headers, body: undefined };
    const typed = { ...headers, 'content-type': this.type };
    if (coding === undefined) return { status: 200, headers: typed, body: this.plain };
    return { status: 200, headers: { ...typed, 'content-encoding': coding }, body: await this.#compress(coding) };
  }

  #codingFor(accepted: string): Coding | undefined {
    if (this.plain.length < WORTH_COMPRESSING && this.#compressed.size === 0) return undefined;
    if (accepted === '' || !COMPRESSIBLE.test(this.type)) return undefined;
    const named = acceptedCodings(accepted);
    return CODINGS.find((coding) => named.has(coding));
  }

  #compress(coding: Coding): Promise<Buffer> {
    const known = this.#compressed.get(coding);
    if (known !== undefined) return known;
    const made = (this.options.compress ?? COMPRESS)[coding](this.plain);
    this.#compressed.set(coding, made);
    // A failure is answered to those who wait for it; the next request compresses again.
    made.catch(() => this.#compressed.delete(coding));
    return made;
  }
}

/** Those that are named; `;q=0` names what is not wanted. */
function acceptedCodings(header: string): Set<string> {
  const named = header.split(',').map((one) =>
    one
      .trim()
      .toLowerCase()
      .split(/\s*;\s*q=/),
  );
  return new Set(named.filter(([, weight = '1']) => Number(weight) > 0).map(([coding = '']) => coding));
}

function isKnown(given: string | undefined, etag: string): boolean {
  if (given === undefined) return false;
  return given.split(',').some((one) => ['*', etag, `W/${etag}`].includes(one.trim()));
}
