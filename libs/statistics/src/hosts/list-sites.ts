import { AppError } from '@hopcount/runtime';

/** Public suffixes whose children are looked at: there are not many more in use. */
const SUFFIXES_AT_MOST = 5_000;
/** Of these so many in one question, and of each so many children; of one that has more so many at once. */
const OPENED_AT_ONCE = 50;
const FIRST_ROWS = 10;
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

/** Children of a name (null: the top) behind a row. */
export interface ChildrenAsked<Row> {
  of: string | null;
  after: Row | undefined;
}

interface SitesDeps<Row extends Sum> {
  isSuffix: (name: string) => boolean;
  /** @returns of each so many children, the largest first */
  read: (asked: readonly ChildrenAsked<Row>[], limit: number) => Promise<Row[][]>;
  /** What a suffix has of its own; null: nothing. */
  alone: (suffix: Row) => Row | null;
}

/**
 * The sites (public suffix and one label) with the most visits, in their order. What is below a suffix is no larger than the suffix: so the
 * largest of all that is known is next, and where it is a suffix, what is below it becomes known, with that of suffixes that will soon be
 * next. No sum of sites is kept, and no list of suffixes stands in a key.
 * @throws AppError `answer-takes-too-long`
 */
export async function listSites<Row extends Sum>(limit: number, deps: SitesDeps<Row>): Promise<Row[]> {
  const { isSuffix, read, alone } = deps;
  const sites: Row[] = [];
  const opened = new Set<string | null>();
  const known = new Set<Children<Row>>();
  const open = async (names: readonly (string | null)[], rows: number) => {
    if (opened.size + names.length > SUFFIXES_AT_MOST) throw tooMany();
    for (const name of names) opened.add(name);
    const asked = names.map((of) => ({ of, after: undefined }));
    const found = await read(asked, rows);
    for (const [nth, of] of names.entries()) {
      const children = found[nth] ?? [];
      if (children.length > 0) known.add({ of, rows: children, isEnd: children.length < rows });
    }
  };
  await open([null], ROWS_AT_ONCE);
  for (;;) {
    const largest = largestOf(known);
    const row = largest?.rows.shift();
    if (largest === undefined || row === undefined) return sites;
    if (largest.rows.length === 0 && !largest.isEnd) {
      largest.rows = (await read([{ of: largest.of, after: row }], ROWS_AT_ONCE))[0] ?? [];
      largest.isEnd = largest.rows.length < ROWS_AT_ONCE;
    }
    if (largest.rows.length === 0) known.delete(largest);
    if (largest.of === row.name || !isSuffix(row.name)) sites.push(row);
    else {
      const own = alone(row);
      if (own !== null) known.add({ of: row.name, rows: [own], isEnd: true });
      if (!opened.has(row.name)) {
        const soon = suffixesOf(known, (name) => !opened.has(name) && name !== row.name && isSuffix(name));
        await open([row.name, ...soon], FIRST_ROWS);
      }
    }
    if (sites.length >= limit) return sites;
  }
}

function largestOf<Row extends Sum>(known: ReadonlySet<Children<Row>>): Children<Row> | undefined {
  let largest: Children<Row> | undefined;
  for (const children of known) {
    const [head] = children.rows;
    if (head !== undefined && head.visits > (largest?.rows[0]?.visits ?? Number.NEGATIVE_INFINITY)) largest = children;
  }
  return largest;
}

/** The largest ones of all rows that were read; what a suffix has of its own has its name, too. */
function suffixesOf<Row extends Sum>(known: ReadonlySet<Children<Row>>, isWanted: (name: string) => boolean): string[] {
  const rows = [...known].flatMap(({ of, rows }) => rows.filter(({ name }) => name !== of && isWanted(name)));
  const largest = rows.sort((one, other) => other.visits - one.visits).slice(0, OPENED_AT_ONCE - 1);
  return largest.map(({ name }) => name);
}

function tooMany(): AppError {
  const message = 'There are too many public suffixes: ask for fewer sites.';
  return new AppError('answer-takes-too-long', message, { retryable: false });
}
