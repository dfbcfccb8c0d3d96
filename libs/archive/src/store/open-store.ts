import { join, resolve } from 'node:path';

import { WorkFolder } from '../files/work-folder.js';
import type { ArchiveStore } from './archive-store.js';
import { FileCache } from './file-cache.js';
import { FolderStore } from './folder-store.js';
import { type BucketAddress, S3Objects } from './s3-objects.js';
import { S3Store } from './s3-store.js';

export interface BucketRoot extends BucketAddress {
  /** Copies of what is read, what is being written and what DuckDB spills. */
  cacheFolder: string;
  /** Most bytes of copies. */
  cacheBytes: number;
}

/** A folder, made when first written to; or a bucket. */
export type ArchiveRoot = string | BucketRoot;

/** For what is being written: all of it may be lost. */
export function workFolderOf(root: ArchiveRoot): WorkFolder {
  return new WorkFolder(join(typeof root === 'string' ? resolve(root) : root.cacheFolder, 'work'));
}

export function openStore(root: ArchiveRoot): { store: ArchiveStore; work: WorkFolder } {
  const work = workFolderOf(root);
  if (typeof root === 'string') {
    return { store: new FolderStore(resolve(root), work), work };
  }
  const { cacheFolder, cacheBytes } = root;
  const cache = new FileCache(cacheFolder, work, cacheBytes);
  return { store: new S3Store(new S3Objects(root), cache, work), work };
}
