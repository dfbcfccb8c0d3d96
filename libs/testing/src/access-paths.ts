import type { TestDatabase } from './test-database.js';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: PlanNode[];
}

/**
 * How PostgreSQL would reach the rows of a statement with these values: the indexes that it would use, and `all of x` where it would
 * read a table from end to end. Those of partitions stand under the names of their table's.
 */
export async function accessPaths(
  database: Pick<TestDatabase, 'query'>,
  statement: string,
  values: unknown[],
): Promise<string[]> {
  const [row] = await database.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
    `EXPLAIN (FORMAT JSON, COSTS OFF) ${statement}`,
    values,
  );
  const parents = new Map(
    (
      await database.query<{ part: string; whole: string }>(
        `SELECT part.relname AS part, whole.relname AS whole FROM pg_inherits
         JOIN pg_class AS part ON part.oid = inhrelid JOIN pg_class AS whole ON whole.oid = inhparent`,
      )
    ).map(({ part, whole }) => [part, whole]),
  );
  const nameOf = (name = '?') => parents.get(name) ?? name;
  const visit = (node: PlanNode): string[] => [
    ...(node['Index Name'] === undefined ? [] : [nameOf(node['Index Name'])]),
    ...(node['Node Type'] === 'Seq Scan' ? [`all of ${nameOf(node['Relation Name'])}`] : []),
    ...(node.Plans ?? []).flatMap(visit),
  ];
  return [...new Set((row?.['QUERY PLAN'] ?? []).flatMap(({ Plan }) => visit(Plan)))].sort();
}
