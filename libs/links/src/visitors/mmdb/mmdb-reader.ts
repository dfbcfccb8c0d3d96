import ipaddr from 'ipaddr.js';

import { decodeValue } from './decode-value.js';
import { PagedFile } from './paged-file.js';

const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
/** The format's own limit: metadata are in the last bytes of a file. */
const METADATA_BYTES = 128 * 1_024;
const SEPARATOR_BYTES = 16;

interface Tree {
  file: PagedFile;
  databaseType: string;
  ipVersion: 4 | 6;
  nodeCount: number;
  nodeBytes: number;
  /** Where addresses of IPv4 begin. */
  ipv4Node: number;
}

/**
 * A file in MaxMind's format, read by pages: 4 MB of memory instead of the 60 to 70 a file of cities has, and a file is
 * opened at once. Answers what the reader of the `maxmind` package does.
 */
export class MmdbReader {
  #tree: Tree;

  /** @throws Error: it cannot be read, or is something else */
  constructor(
    private readonly path: string,
    private readonly checkMs?: number,
  ) {
    this.#tree = openTree(path, checkMs);
  }

  get databaseType(): string {
    return this.#tree.databaseType;
  }

  get ipVersion(): 4 | 6 {
    return this.#tree.ipVersion;
  }

  /** @param address as `normaliseAddress` leaves it @throws Error: the file is damaged, or being written over */
  get(address: string): unknown {
    if (this.#tree.file.isOverwritten()) this.#openAgain();
    const tree = this.#tree;
    const bytes = ipaddr.parse(address).toByteArray();
    if (bytes.length === 16 && tree.ipVersion === 4) return null;
    const found = follow(tree, bytes.length === 4 ? tree.ipv4Node : 0, bytes);
    if (found <= tree.nodeCount) return null;
    const treeBytes = tree.nodeCount * tree.nodeBytes;
    return decodeValue(tree.file, treeBytes + SEPARATOR_BYTES, treeBytes + found - tree.nodeCount);
  }

  #openAgain(): void {
    const old = this.#tree.file;
    this.#tree = openTree(this.path, this.checkMs);
    old.close();
  }
}

function openTree(path: string, checkMs?: number): Tree {
  const file = new PagedFile(path, checkMs);
  try {
    return readTree(file);
  } catch (error) {
    file.close();
    throw error;
  }
}

function readTree(file: PagedFile): Tree {
  const tailFrom = Math.max(0, file.size - METADATA_BYTES);
  const marker = file.bytes(tailFrom, file.size - tailFrom).lastIndexOf(MARKER);
  if (marker === -1) throw new RangeError('it is not in the format of MaxMind');
  const from = tailFrom + marker + MARKER.length;
  const metadata = decodeValue(file, from, from) as Record<string, unknown>;
  const { record_size: recordBits, node_count: nodeCount, database_type: databaseType } = metadata;
  if (recordBits !== 24 && recordBits !== 28 && recordBits !== 32)
    throw new RangeError('its records have no known size');
  const nodeBytes = recordBits / 4;
  if (typeof nodeCount !== 'number' || nodeCount * nodeBytes > file.size) throw new RangeError('its tree is cut off');
  const ipVersion = metadata['ip_version'] === 4 ? 4 : 6;
  const tree = { file, databaseType: String(databaseType), ipVersion, nodeCount, nodeBytes, ipv4Node: 0 } as const;
  return ipVersion === 4 ? tree : { ...tree, ipv4Node: follow(tree, 0, new Array<number>(12).fill(0)) };
}

/** @returns the node, or what stands behind the tree: `nodeCount` for nothing, more for a record */
function follow({ file, nodeCount, nodeBytes }: Tree, from: number, bytes: readonly number[]): number {
  let node = from;
  for (let bit = 0; bit < bytes.length * 8 && node < nodeCount; bit += 1) {
    const isRight = ((bytes[bit >> 3]! >> (7 - (bit & 7))) & 1) === 1;
    node = childOf(file.memory, file.find(node * nodeBytes, nodeBytes), nodeBytes, isRight);
  }
  return node;
}

/** Two numbers of 24, 28 or 32 bits; of those of 28, the byte in the middle has the highest four of each. */
function childOf(memory: Buffer, at: number, nodeBytes: number, isRight: boolean): number {
  if (nodeBytes === 8) return memory.readUInt32BE(isRight ? at + 4 : at);
  const low = isRight ? at + nodeBytes - 3 : at;
  const number = (memory[low]! << 16) | (memory[low + 1]! << 8) | memory[low + 2]!;
  if (nodeBytes === 6) return number;
  const middle = memory[at + 3]!;
  return ((isRight ? middle & 15 : middle >> 4) << 24) | number;
}
