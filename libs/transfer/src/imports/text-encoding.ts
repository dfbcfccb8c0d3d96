import { isAscii } from 'node:buffer';

import { AppError } from '@hopcount/runtime';

export interface TextEncoding {
  /** A label of the WHATWG Encoding Standard in its canonical form, as TextDecoder takes it. */
  charset: string;
  /** Nothing in the file or beside it says so: it is what is left when the bytes are no UTF-8. */
  isAssumed: boolean;
}

/** Bytes of Windows-1252 that stand for nothing. */
const UNDEFINED_BYTES: ReadonlySet<number> = new Set([0x00, 0x81, 0x8d, 0x8f, 0x90, 0x9d]);
const NEWLINE = 0x0a;
const HEAD_BYTES = 1_024;

/** How files begin that are often taken for CSV, and what to do with them. */
const MAGIC: readonly (readonly [prefix: readonly number[], advice: string])[] = [
  [[0x1f, 0x8b], 'The file is compressed with gzip twice. Unpack it (gunzip FILE), then import what is in it.'],
  [
    [0x50, 0x4b, 0x03, 0x04],
    'The file is a ZIP archive or a spreadsheet (xlsx, ods, Numbers). In the spreadsheet choose "Save as" or "Export", format "CSV UTF-8"; unpack an archive. Then import the CSV file.',
  ],
  [
    [0xd0, 0xcf, 0x11, 0xe0],
    'The file is an Excel workbook (xls). In Excel choose "Save as", format "CSV UTF-8", and import the CSV file.',
  ],
  [[0x42, 0x5a, 0x68], 'The file is compressed with bzip2. Unpack it first, then import what is in it.'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'The file is compressed with Zstandard. Unpack it first, then import what is in it.'],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'The file is compressed with xz. Unpack it first, then import what is in it.'],
  [[0x37, 0x7a, 0xbc, 0xaf], 'The file is a 7-Zip archive. Unpack it first, then import what is in it.'],
  [[0x25, 0x50, 0x44, 0x46], 'The file is a PDF document. Export the links as CSV or JSON.'],
];

/** @throws AppError `unreadable-file`: no character set has that name. @returns its canonical name */
export function parseCharset(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch (error) {
    throw new AppError('unreadable-file', `There is no character set "${label.slice(0, 40)}". Use for example utf-8.`, {
      cause: error,
    });
  }
}

/**
 * Finds out in which character set the text of a file is, while its bytes pass by: it holds none of them but the first
 * thousand. All bytes count, because a file may be ASCII up to its last line. In this order: a byte order mark, what was
 * declared, the NULs that UTF-16 has in every other byte of ASCII, UTF-8 when all bytes are; else CSV is Windows-1252.
 */
export class EncodingDetector {
  #head = Buffer.alloc(0);
  #line = 1;
  /** Line of the first byte that is no UTF-8; undefined: none. */
  #firstInvalidLine: number | undefined;
  #invalid = 0;
  /** Characters of several bytes. */
  #multibyte = 0;
  #isText = true;
  /** Of a character that has begun: bytes to come, and the range of the next one. */
  #missing = 0;
  #low = 0x80;
  #high = 0xbf;

  constructor(private readonly declared: string | null) {}

  /** @throws AppError `unreadable-file`: bytes that are no text at all */
  push(bytes: Buffer): void {
    if (this.#head.length < HEAD_BYTES) {
      this.#head = Buffer.concat([this.#head, bytes.subarray(0, HEAD_BYTES - this.#head.length)]);
      for (const [prefix, advice] of MAGIC) {
        if (this.#head.subarray(0, prefix.length).equals(Buffer.from(prefix))) throw unreadable(advice);
      }
    }
    if (this.#missing === 0 && isAscii(bytes)) this.#takeAscii(bytes);
    else for (const byte of bytes) this.#take(byte);
  }

  /** The same as byte by byte, much faster. */
  #takeAscii(bytes: Buffer): void {
    if (bytes.includes(0)) this.#isText = false;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) this.#line += 1;
  }

  /** Once all bytes were pushed. @throws AppError `unreadable-file` */
  end(): TextEncoding {
    if (this.#missing > 0) this.#foundInvalid();
    const charset = this.#byMark() ?? this.#byDeclaration() ?? this.#byNuls();
    if (charset !== undefined) {
      if (charset === 'utf-8') this.#expectUtf8('The file says that it is UTF-8');
      else if (this.declared === null && this.#isJson(charset)) throw unreadable('JSON has to be UTF-8. Save it so.');
      return { charset, isAssumed: false };
    }
    if (this.#isJson('utf-8')) this.#expectUtf8('JSON has to be UTF-8');
    if (this.#invalid === 0) return { charset: 'utf-8', isAssumed: false };
    // Read as Windows-1252 all that is right in such a file would be garbled.
    if (this.#multibyte > this.#invalid) this.#expectUtf8('The file is UTF-8 for the most part');
    if (!this.#isText)
      throw unreadable(
        'The file is not text: it is neither UTF-8 nor Windows-1252. Save it as CSV in UTF-8, or say which character set it has.',
      );
    return { charset: 'windows-1252', isAssumed: true };
  }

  /** Bytes of UTF-8 as RFC 3629 has them. */
  #take(byte: number): void {
    if (UNDEFINED_BYTES.has(byte)) this.#isText = false;
    if (this.#missing > 0) {
      const isNext = byte >= this.#low && byte <= this.#high;
      [this.#low, this.#high] = [0x80, 0xbf];
      if (isNext) {
        this.#missing -= 1;
        if (this.#missing === 0) this.#multibyte += 1;
        return;
      }
      this.#missing = 0;
      this.#foundInvalid();
    }
    if (byte < 0x80) {
      if (byte === NEWLINE) this.#line += 1;
    } else if (byte >= 0xc2 && byte <= 0xf4) this.#begin(byte);
    else this.#foundInvalid();
  }

  #begin(byte: number): void {
    this.#missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    if (byte === 0xe0) this.#low = 0xa0;
    if (byte === 0xed) this.#high = 0x9f;
    if (byte === 0xf0) this.#low = 0x90;
    if (byte === 0xf4) this.#high = 0x8f;
  }

  #foundInvalid(): void {
    this.#invalid += 1;
    this.#firstInvalidLine ??= this.#line;
  }

  #byMark(): string | undefined {
    const [a, b, c, d] = this.#head;
    if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
    if (a === 0xff && b === 0xfe && c === 0 && d === 0) throw unreadable('The file is UTF-32. Save it as UTF-8.');
    if (a === 0xff && b === 0xfe) return 'utf-16le';
    return a === 0xfe && b === 0xff ? 'utf-16be' : undefined;
  }

  #byDeclaration(): string | undefined {
    if (this.declared === null) return undefined;
    const charset = parseCharset(this.declared);
    // UTF-16 without its byte order: what the bytes say.
    return /^utf-?16$/i.test(this.declared.trim()) ? (this.#byNuls() ?? charset) : charset;
  }

  /** Tables and JSON begin with ASCII. */
  #byNuls(): string | undefined {
    const [a, b, c, d] = [...this.#head.subarray(0, 4)].map((byte) => byte !== 0);
    if (a === true && b === false && c !== false && d !== true) return 'utf-16le';
    if (a === false && b === true && c !== true && d !== false) return 'utf-16be';
    return undefined;
  }

  #isJson(charset: string): boolean {
    return /^[\s\ufeff]*[[{]/.test(new TextDecoder(charset).decode(this.#head));
  }

  #expectUtf8(why: string): void {
    if (this.#firstInvalidLine === undefined) return;
    throw unreadable(
      `${why}, but line ${this.#firstInvalidLine} has bytes that are not. Save the file as UTF-8, or say which character set it has.`,
    );
  }
}

function unreadable(message: string): AppError {
  return new AppError('unreadable-file', message);
}

/** What {@link EncodingDetector} says of a whole file. @throws AppError `unreadable-file` */
export async function detectEncoding(bytes: AsyncIterable<Buffer>, declared: string | null): Promise<TextEncoding> {
  const detector = new EncodingDetector(declared);
  for await (const chunk of bytes) detector.push(chunk);
  return detector.end();
}

/** Text piece by piece. @throws AppError `unreadable-file`: bytes that are not of that character set */
export async function* decodeText(bytes: AsyncIterable<Buffer>, charset: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(charset, { fatal: true });
  let lines = 1;
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw new AppError('unreadable-file', `After line ${lines} the file has bytes that are not ${charset}.`, {
        cause: error,
      });
    }
  };
  for await (const chunk of bytes) {
    const text = decode(chunk);
    yield text;
    lines += text.split('\n').length - 1;
  }
  yield decode();
}
