import type { Node } from 'libpg-query';

export interface Statement {
  node: Node;
  /** Of the file, from 1. */
  line: number;
}

/** PostgreSQL's own parser, loaded when it is asked for: it is 1.7 MB that no service needs. @throws its SqlError */
export async function readStatements(sql: string): Promise<Statement[]> {
  const { parse } = await import('libpg-query');
  const { stmts = [] } = await parse(sql);
  const bytes = Buffer.from(sql);
  return stmts.flatMap(({ stmt: node, stmt_location: from = 0, stmt_len: length }) => {
    if (node === undefined) return [];
    const end = length === undefined ? undefined : from + length;
    const skipped = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[^]*?\*\/)*/.exec(bytes.subarray(from, end).toString())?.[0] ?? '';
    const line = `${bytes.subarray(0, from).toString()}${skipped}`.split('\n').length;
    return [{ node, line }];
  });
}

/** Calls `visit` with every object below `tree` under the name it stands under (`UpdateStmt`, `RangeVar`, …). */
export function walk(tree: unknown, visit: (kind: string, value: Record<string, unknown>) => void): void {
  if (Array.isArray(tree)) {
    for (const one of tree) walk(one, visit);
  } else if (typeof tree === 'object' && tree !== null) {
    for (const [kind, value] of Object.entries(tree as Record<string, unknown>)) {
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        visit(kind, value as Record<string, unknown>);
      }
      walk(value, visit);
    }
  }
}

/** Names of a DropStmt's objects, of a function's name, …: what the last word of each is. */
export function lastWords(nodes: Node[] | undefined): string[] {
  return (nodes ?? []).map((node) => {
    let word = '';
    walk([node], (kind, value) => {
      if (kind === 'String' && typeof value['sval'] === 'string') word = value['sval'];
    });
    return word;
  });
}
