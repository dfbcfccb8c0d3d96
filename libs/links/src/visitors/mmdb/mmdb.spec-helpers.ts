const MARKER = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')]);
const SEPARATOR = Buffer.alloc(16);
type Value = string | number | { [key: string]: Value };

/** A file in MaxMind's format (https://maxmind.github.io/MaxMind-DB) of a few networks of IPv4, in a tree of either version. */
export function mmdbOf(
  databaseType: string,
  ipVersion: 4 | 6,
  networks: readonly { network: string; bits: number; record: Value }[],
  recordBits: 24 | 32 = 24,
): Buffer {
  const data: Buffer[] = [];
  const tree: Node[] = [[undefined, undefined]];
  for (const { network, bits, record } of networks) {
    const offset = Buffer.concat(data).length;
    data.push(encode(record));
    const address = network.split('.').map((part) => Number(part).toString(2).padStart(8, '0'));
    insert(tree, '0'.repeat(ipVersion === 6 ? 96 : 0) + address.join('').slice(0, bits), offset);
  }
  const records = tree.flat().map((next) => {
    const bytes = Buffer.alloc(recordBits / 8);
    const value =
      next === undefined ? tree.length : 'node' in next ? next.node : tree.length + SEPARATOR.length + next.data;
    bytes.writeUIntBE(value, 0, bytes.length);
    return bytes;
  });
  const metadata = {
    ...{ binary_format_major_version: 2, binary_format_minor_version: 0, build_epoch: 1_700_000_000 },
    ...{ database_type: databaseType, ip_version: ipVersion, node_count: tree.length, record_size: recordBits },
  };
  return Buffer.concat([...records, SEPARATOR, ...data, MARKER, encode(metadata)]);
}

type Next = { node: number } | { data: number } | undefined;
type Node = [Next, Next];

function insert(tree: Node[], path: string, data: number): void {
  let node = tree[0]!;
  for (const bit of path.slice(0, -1)) {
    const next = node[Number(bit)];
    const place = next !== undefined && 'node' in next ? next.node : tree.push([undefined, undefined]) - 1;
    node[Number(bit)] = { node: place };
    node = tree[place]!;
  }
  node[Number(path.at(-1))] = { data };
}

/** A control byte (type and length) and the value: strings are type 2, unsigned numbers 6, maps 7. */
function encode(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, 4), bytes]);
  }
  const entries = Object.entries(value);
  return Buffer.concat([control(7, entries.length), ...entries.flatMap(([key, one]) => [encode(key), encode(one)])]);
}

function control(type: number, length: number): Buffer {
  return length < 29 ? Buffer.from([type * 32 + length]) : Buffer.from([type * 32 + 29, length - 29]);
}
