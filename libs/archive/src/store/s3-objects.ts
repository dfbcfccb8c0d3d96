import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

import type { S3Client } from '@aws-sdk/client-s3';
import { AppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';

/** Where the objects are. Credentials, region and profiles are the SDK's own matter: AWS_* and its files. */
export interface BucketAddress {
  bucket: string;
  /** Without slashes at its ends; empty: the whole bucket. */
  prefix: string;
  /** Of another provider than AWS; then the bucket stands in the path, not in the host. */
  endpoint?: string | undefined;
  /** Tests only: how long an answer, or the next bytes of one, may take. */
  patienceMs?: number;
}

type Sdk = typeof import('@aws-sdk/client-s3');

/** For the first bytes of an answer, and for the next ones. */
const PATIENCE_MS = 10_000;
/** For an answer to what is sent: 8 MB at 130 KB/s. */
const SENDING_MS = 60_000;
const CONNECT_MS = 3_000;
/** With pauses that double from 100 ms: enough for a lost connection, too few to hold up a question. */
const ATTEMPTS = 3;
const REASON_LENGTH = 300;

/** There is no such object, or no such bucket. */
const MISSING = ['NoSuchKey', 'NoSuchBucket', 'NotFound'];
/** Something is under the name already. */
export const TAKEN = ['PreconditionFailed'];

export interface StoredObject {
  bytes: number;
  /** Ends with AppError `archive-store-away` where it stalls or breaks off. */
  chunks: AsyncIterable<Uint8Array>;
}

/**
 * The objects below a prefix. Whatever the server does not do is AppError `archive-store-away`: only what it says
 * about an object (it is not there, it was there before) is an answer. The SDK is loaded when first needed.
 */
export class S3Objects {
  readonly name: string;
  #loading: Promise<{ sdk: Sdk; client: S3Client }> | undefined;

  constructor(private readonly address: BucketAddress) {
    this.name = `s3://${[address.bucket, address.prefix].filter(Boolean).join('/')}`;
  }

  /** @returns what `consume` makes of the object; undefined when there is no such object */
  async read<T>(path: string, consume: (object: StoredObject) => Promise<T>): Promise<T | undefined> {
    const get = (sdk: Sdk, client: S3Client) =>
      client.send(new sdk.GetObjectCommand(this.object(path)), { requestTimeout: this.#patienceMs });
    const object = await this.ask(get, MISSING).catch((error: unknown) => {
      if (MISSING.includes(nameOf(error))) return undefined;
      throw error;
    });
    if (object === undefined) return undefined;
    const body = object.Body as Readable;
    try {
      return await consume({ bytes: object.ContentLength ?? 0, chunks: this.#whileItComes(body) });
    } finally {
      body.destroy();
    }
  }

  /** The server refuses bytes that are not those of the SHA-256 sent with them. */
  async put(path: string, Body: Buffer, options: { onlyNew: boolean }): Promise<void> {
    const condition = options.onlyNew ? { IfNoneMatch: '*' } : {};
    const object = { ...this.object(path), Body, ChecksumSHA256: sha256(Body), ...condition };
    await this.ask((sdk, client) => client.send(new sdk.PutObjectCommand(object)), TAKEN);
  }

  async remove(path: string): Promise<void> {
    await this.ask((sdk, client) => client.send(new sdk.DeleteObjectCommand(this.object(path))));
  }

  /** Below a folder, a page of at most 1,000 at a time. */
  async *list(folder: string): AsyncIterable<{ path: string; writtenMs: number }> {
    const below = folder === '' ? '' : `${folder}/`;
    const { Bucket, Key: Prefix } = this.object(below);
    let next: string | undefined;
    do {
      const query = { Bucket, Prefix, ...(next === undefined ? {} : { ContinuationToken: next }) };
      const page = await this.ask((sdk, client) => client.send(new sdk.ListObjectsV2Command(query)));
      for (const { Key, LastModified } of page.Contents ?? []) {
        if (Key === undefined || LastModified === undefined) continue;
        yield { path: Key.slice(Prefix.length - below.length), writtenMs: LastModified.getTime() };
      }
      next = page.NextContinuationToken;
    } while (next !== undefined);
  }

  /** Bucket and key of a path, as commands take them. */
  object(path: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.address;
    return { Bucket: bucket, Key: prefix === '' ? path : `${prefix}/${path}` };
  }

  /** @throws AppError `archive-store-away`; the server's error where its name is one of `answers` */
  async ask<T>(request: (sdk: Sdk, client: S3Client) => Promise<T>, answers: readonly string[] = []): Promise<T> {
    try {
      const { sdk, client } = await (this.#loading ??= this.#load());
      return await request(sdk, client);
    } catch (error) {
      throw answers.includes(nameOf(error)) ? error : this.away(error);
    }
  }

  async #load(): Promise<{ sdk: Sdk; client: S3Client }> {
    // The SDK's own switch: it writes to stderr that its versions of 2027 will want a newer Node; this one is pinned.
    // eslint-disable-next-line no-restricted-properties -- it can be set in no other way
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
    const sdk = await import('@aws-sdk/client-s3');
    const { endpoint, patienceMs = SENDING_MS } = this.address;
    const client = new sdk.S3Client({
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      maxAttempts: ATTEMPTS,
      // What is sent has the SHA-256 given to it here; what comes is held against the manifest's.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: patienceMs, throwOnRequestTimeout: true },
    });
    return { sdk, client };
  }

  get #patienceMs(): number {
    return this.address.patienceMs ?? PATIENCE_MS;
  }

  async *#whileItComes(body: Readable): AsyncIterable<Uint8Array> {
    const stalled = () => body.destroy(new Error(`no more bytes came within ${this.#patienceMs} ms`));
    const patience = setTimeout(stalled, this.#patienceMs);
    try {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        patience.refresh();
        yield chunk;
      }
    } catch (error) {
      throw this.away(error);
    } finally {
      clearTimeout(patience);
    }
  }

  away(error: unknown): AppError {
    const reason = reasonOf(error);
    return new AppError('archive-store-away', `${ARCHIVE_ERRORS['archive-store-away']} ${reason}`, {
      cause: error,
      retryable: true,
      details: { store: this.name, reason },
    });
  }
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** As S3 writes it. */
export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/** The SDK has a name and a status where the server sent no text. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, $metadata } = error as { code?: string; $metadata?: { httpStatusCode?: number } };
  const parts = [error.name, code, $metadata?.httpStatusCode, error.message];
  return [...new Set(parts.filter((part) => part !== undefined && part !== 'Error'))].join(' ').slice(0, REASON_LENGTH);
}
