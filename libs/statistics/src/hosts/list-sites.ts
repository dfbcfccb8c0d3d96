import { AppError } from '@hopcount/runtime';

/** Public suffixes whose children are looked at: there are not many more in use. */
const SUFFIXES_AT_MOST = 5_000;
/** Children of a suffix that are read at once. */
const ROWS_AT_ONCE = 100;

interface Sum {
  name: string;
  /** With all below it. */
  visits: number;
  own: number;
}

/** Children of one name, the largest first, read as far as they are needed. */
interface Children<Row> {
  of: string | null;
  rows: Row[];
  isEnd: boolean;
}

/**
 * The sites (public suffix and one label) with the most visits, in their order. What is below a suffix is no larger than the suffix: so the
 * largest of all that is known is next, and where it is a suffix, what is below it becomes known. No sum of sites is kept, and no list of
 * suffixes stands in a key.
 * @param read children of a name (null: the top) behind a row, the largest first
 * @param alone what a suffix has of its own; null: nothing
 * @throws AppError `answer-takes-too-long`
 */
export async function listSites<Row extends Sum>(
  limit: number,
  isSuffix: (name: string) => boolean,
  read: (of: string | null, after: Row | undefined, limit: number) => Promise<Row[]>,
  alone: (suffix: Row) => Row | null,
): Promise<Row[]> {
  const sites: Row[] = [];
  const known: Children<Row>[] = [{ of: null, rows: [], isEnd: false }];
  const fill = async (children: Children<Row>, after?: Row) => {
    children.rows = await read(children.of, after, Math.min(limit, ROWS_AT_ONCE));
    children.isEnd = children.rows.length === 0;
  };
  await fill(known[0]!);
  for (;;) {
    const largest = largestOf(known);
    const row = largest?.rows.shift();
    if (largest === undefined || row === undefined) return sites;
    if (largest.rows.length === 0 && !largest.isEnd) await fill(largest, row);
    if (largest.of === row.name || !isSuffix(row.name)) sites.push(row);
    else {
      const own = alone(row);
      if (own !== null) known.push({ of: row.name, rows: [own], isEnd: true });
      const below: Children<Row> = { of: row.name, rows: [], isEnd: false };
      await fill(below);
      known.push(below);
    }
    if (sites.length >= limit) return sites;
    if (known.length > SUFFIXES_AT_MOST)
      throw new AppError('answer-takes-too-long', 'There are too many public suffixes: ask for fewer sites.', {
        retryable: false,
      });
  }
}

function largestOf<Row extends Sum>(known: readonly Children<Row>[]): Children<Row> | undefined {
  let largest: Children<Row> | undefined;
  for (const children of known) {
    const [head] = children.rows;
    if (head !== undefined && head.visits > (largest?.rows[0]?.visits ?? Number.NEGATIVE_INFINITY)) largest = children;
  }
  return largest;
}
