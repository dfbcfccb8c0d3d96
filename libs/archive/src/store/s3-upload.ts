import { type FileHandle, open } from 'node:fs/promises';

import { failpoint } from '@hopcount/runtime';

import { type S3Objects, sha256, TAKEN } from './s3-objects.js';

/** What is larger goes in parts of this size, one after the other: so much memory, and no more. */
const PART_BYTES = 8 << 20;
/** S3 takes no more; a file of 80 GB would need larger ones. */
const MOST_PARTS = 10_000;

/** The second time of a request whose first answer was lost. */
export const DONE = [...TAKEN, 'NoSuchUpload'];

interface Part {
  PartNumber: number;
  ETag: string | undefined;
  ChecksumSHA256: string;
}

/**
 * Brings a file under a name that is not taken.
 * @throws S3's `PreconditionFailed` or `NoSuchUpload` where it is: perhaps by this file, when an answer was lost
 */
export async function upload(objects: S3Objects, written: string, path: string): Promise<void> {
  const file = await open(written, 'r');
  try {
    const { size } = await file.stat();
    if (size > PART_BYTES) return await putParts(objects, file, size, path);
    const bytes = await readAt(file, 0, size);
    failpoint('archive.before-rename');
    await objects.put(path, bytes, { onlyNew: true });
  } finally {
    await file.close();
  }
}

async function putParts(objects: S3Objects, file: FileHandle, size: number, path: string): Promise<void> {
  const object = objects.object(path);
  const { UploadId } = await objects.ask((sdk, client) =>
    client.send(new sdk.CreateMultipartUploadCommand({ ...object, ChecksumAlgorithm: 'SHA256' })),
  );
  const upload = { ...object, UploadId };
  try {
    const Parts: Part[] = [];
    const step = Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS));
    for (let from = 0; from < size; from += step) {
      const Body = await readAt(file, from, Math.min(step, size - from));
      const part = { PartNumber: Parts.length + 1, ChecksumSHA256: sha256(Body) };
      const { ETag } = await objects.ask((sdk, client) =>
        client.send(new sdk.UploadPartCommand({ ...upload, ...part, Body })),
      );
      Parts.push({ ...part, ETag });
    }
    failpoint('archive.before-rename');
    const whole = { ...upload, MultipartUpload: { Parts }, IfNoneMatch: '*' };
    await objects.ask((sdk, client) => client.send(new sdk.CompleteMultipartUploadCommand(whole)), DONE);
  } catch (error) {
    // What cannot be ended now is ended a day later.
    await objects.ask((sdk, client) => client.send(new sdk.AbortMultipartUploadCommand(upload))).catch(() => undefined);
    throw error;
  }
}

/** Parts of uploads that a killed process left are kept, and paid for, until somebody ends the upload. */
export async function endUploads(objects: S3Objects, folder: string, beforeMs: number): Promise<void> {
  const { Bucket, Key: Prefix } = objects.object(`${folder}/`);
  const { Uploads = [] } = await objects.ask((sdk, client) =>
    client.send(new sdk.ListMultipartUploadsCommand({ Bucket, Prefix })),
  );
  for (const { Key, UploadId, Initiated } of Uploads) {
    if (Initiated === undefined || Initiated.getTime() >= beforeMs) continue;
    await objects.ask((sdk, client) => client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId })));
  }
}

async function readAt(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let read = 0; read < length;) {
    const { bytesRead } = await file.read(bytes, read, length - read, from + read);
    if (bytesRead === 0) throw new Error('the file became shorter while it was read');
    read += bytesRead;
  }
  return bytes;
}
