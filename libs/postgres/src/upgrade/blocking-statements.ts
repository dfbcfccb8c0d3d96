import type { Node } from 'libpg-query';

import { alterTableRules, type Found } from './alter-table-rules.js';
import { lastWords, readStatements, type Statement, walk } from './read-statements.js';

/** What a migration may not hold, and what to do instead. Everybody else works while it runs, with the previous version's code. */
export const FORBIDDEN = {
  unparsable: 'PostgreSQL does not take it.',
  'builds-index':
    'Writers wait until the index is built: CREATE INDEX CONCURRENTLY, in a migration of its own with `transaction = false`.',
  'concurrent-not-alone':
    'CONCURRENTLY cannot run in a transaction, which several statements of a file are: one statement a file, `transaction = false` in its class.',
  'rewrites-table':
    'The table is written anew while everybody waits: add a column, fill it in batches by a job of the worker, read it in the next version.',
  'scans-under-lock':
    'Everybody waits while all rows are looked at: add the constraint NOT VALID, and VALIDATE it in the next migration.',
  'validates-too-soon':
    'In one transaction with what added it the lock is held while all rows are looked at: VALIDATE in a migration of its own.',
  'sets-not-null':
    'Everybody waits while all rows are looked at: add CHECK (column IS NOT NULL) NOT VALID, validate it in the next migration, then SET NOT NULL, which finds it.',
  'needs-a-value':
    'Rows that are there have none, and the previous version gives none: add the column with a default, or without NOT NULL.',
  'locks-table':
    'Writers wait until the migration ends: take the weakest lock that does, and none that stops ROW EXCLUSIVE.',
  'changes-rows':
    'Rows stay locked until the migration ends, however many they are: let a job of the worker do it in batches.',
  'reads-big-table':
    'All of a table that grows is read while locks are held: let a job of the worker do it in batches.',
  'still-used':
    'The previous version still uses it while this one is rolled out: drop it one version later, and say so in EXCEPTIONS.',
  'hides-statements': 'What a block of code does cannot be looked at: write the statements.',
  'ends-transaction': 'A migration is one transaction: what is before this would stay if the rest failed.',
  'empties-table': 'Everybody waits, and what the previous version wrote is gone: delete in batches.',
} as const;

export type Rule = keyof typeof FORBIDDEN;

export interface Problem {
  rule: Rule;
  line: number;
  /** A sentence with the table or column it is about. */
  text: string;
}

/** Tables that do not grow with visits, links or hosts: a statement over all their rows takes milliseconds. */
const SMALL = new Set([
  ...[
    'alert_mails',
    'alerts',
    'anomaly_search',
    'api_keys',
    'archive_folder',
    'consumer_checkpoints',
    'domains',
    'doubted_sums',
    'group_roles',
    'groups',
    'operator_jobs',
  ],
  ...['hash_key_setting', 'host_datacenter', 'host_feed_ended', 'host_peers', 'host_surge_search', 'invites'],
  ...[
    'ledger_cluster',
    'ledger_incarnation',
    'ledger_labels',
    'ledger_retention',
    'orphan_horizon',
    'provider_identities',
  ],
  ...['recovery_codes', 'relabels', 'schema_migrations', 'sessions', 'share_links', 'slot_backfill', 'tags', 'users'],
  ...['visit_feed_state', 'webhooks', 'worker_leases'],
]);

/** LOCK TABLE … IN SHARE UPDATE EXCLUSIVE MODE; the next ones stop writers. */
const HARMLESS_LOCK = 4;
const DROPPED_TOO_SOON = new Set(['OBJECT_TABLE', 'OBJECT_VIEW', 'OBJECT_FUNCTION', 'OBJECT_TYPE', 'OBJECT_TRIGGER']);

/** What of a migration would make commits wait, or break the previous version. `earlier`: the migrations before it. */
export async function findBlocking(sql: string, earlier: string[] = []): Promise<Problem[]> {
  let statements: Statement[];
  try {
    statements = await readStatements(sql);
  } catch (error) {
    return [{ rule: 'unparsable', line: 1, text: `${(error as Error).message}. ${FORBIDDEN.unparsable}` }];
  }
  const made = madeHere(statements);
  const own: Own = {
    isNew: (table) => made.has(table),
    isBig: (table) => !made.has(table) && !SMALL.has(table),
    isAlone: statements.length === 1,
    validChecks: await validNotNullChecks(earlier),
    addedHere: constraintsAddedBy(statements),
  };
  return statements.flatMap(({ node, line }) =>
    rulesOf(node, own).map(({ rule, about }) => ({ rule, line, text: `${about}: ${FORBIDDEN[rule]}` })),
  );
}

export interface Own {
  /** Made by this migration: nobody uses it yet. */
  isNew(table: string): boolean;
  isBig(table: string): boolean;
  isAlone: boolean;
  /** `table.column` of checks that earlier migrations validated. */
  validChecks: Set<string>;
  addedHere: Set<string>;
}

function rulesOf(node: Node, own: Own): Found[] {
  const name = (relation: { relname?: string } | undefined) => relation?.relname ?? '';
  if ('IndexStmt' in node) {
    const { relation, concurrent } = node.IndexStmt;
    if (concurrent === true) return own.isAlone ? [] : [{ rule: 'concurrent-not-alone', about: name(relation) }];
    return own.isBig(name(relation)) ? [{ rule: 'builds-index', about: name(relation) }] : [];
  }
  if ('AlterTableStmt' in node) return alterTableRules(node.AlterTableStmt, own);
  if ('LockStmt' in node) {
    const { relations = [], mode = 0 } = node.LockStmt;
    const tables = relations.map((one) => ('RangeVar' in one ? name(one.RangeVar) : ''));
    return mode > HARMLESS_LOCK ? [{ rule: 'locks-table', about: tables.join(', ') }] : [];
  }
  if ('DropStmt' in node) {
    const { removeType = '', objects, concurrent } = node.DropStmt;
    if (concurrent === true && !own.isAlone) return [{ rule: 'concurrent-not-alone', about: 'DROP INDEX' }];
    const dropped = lastWords(objects).filter((one) => !own.isNew(one));
    return DROPPED_TOO_SOON.has(removeType) && dropped.length > 0
      ? [{ rule: 'still-used', about: dropped.join(', ') }]
      : [];
  }
  if ('RenameStmt' in node) {
    const { relation, subname } = node.RenameStmt;
    const about = [name(relation), subname].filter(Boolean).join('.');
    return own.isNew(name(relation)) ? [] : [{ rule: 'still-used', about }];
  }
  if ('DoStmt' in node) return [{ rule: 'hides-statements', about: 'DO' }];
  if ('TransactionStmt' in node) return [{ rule: 'ends-transaction', about: 'BEGIN, COMMIT or the like' }];
  if ('TruncateStmt' in node) return [{ rule: 'empties-table', about: 'TRUNCATE' }];
  if ('VacuumStmt' in node && node.VacuumStmt.is_vacuumcmd === true)
    return [{ rule: 'rewrites-table', about: 'VACUUM' }];
  if ('ClusterStmt' in node || 'ReindexStmt' in node || 'RefreshMatViewStmt' in node) {
    return [{ rule: 'rewrites-table', about: Object.keys(node)[0]?.replace('Stmt', '') ?? '' }];
  }
  if ('CreateFunctionStmt' in node || 'ViewStmt' in node) return [];
  return rowRules(node, own);
}

/** Of statements that read or change rows, however deep in them. */
function rowRules(node: Node, own: Own): Found[] {
  const found: Found[] = [];
  const changed = new Set<string>();
  walk(node, (kind, value) => {
    if (kind !== 'UpdateStmt' && kind !== 'DeleteStmt' && kind !== 'MergeStmt') return;
    const { relname = '' } = (value['relation'] ?? {}) as { relname?: string };
    changed.add(relname);
    if (own.isBig(relname)) found.push({ rule: 'changes-rows', about: relname });
  });
  if ('CreateStmt' in node || 'CreateTrigStmt' in node) return found;
  walk(node, (kind, value) => {
    if (kind !== 'RangeVar') return;
    const { relname = '' } = value as { relname?: string };
    if (own.isBig(relname) && !changed.has(relname) && !isNameOfQuery(node, relname)) {
      found.push({ rule: 'reads-big-table', about: relname });
    }
  });
  return found;
}

/** `WITH relname AS (…)` */
function isNameOfQuery(node: Node, relname: string): boolean {
  let is = false;
  walk(node, (kind, value) => {
    if (kind === 'CommonTableExpr' && value['ctename'] === relname) is = true;
  });
  return is;
}

function madeHere(statements: Statement[]): Set<string> {
  const made = new Set<string>();
  for (const { node } of statements) {
    if ('CreateStmt' in node) made.add(node.CreateStmt.relation?.relname ?? '');
    if ('CreateTableAsStmt' in node) made.add(node.CreateTableAsStmt.into?.rel?.relname ?? '');
    if ('CreateFunctionStmt' in node) made.add(lastWords(node.CreateFunctionStmt.funcname?.slice(-1)).join(''));
  }
  return made;
}

function constraintsAddedBy(statements: Statement[]): Set<string> {
  const added = new Set<string>();
  walk(
    statements.map(({ node }) => node),
    (kind, value) => {
      if (kind === 'Constraint' && typeof value['conname'] === 'string') added.add(value['conname']);
    },
  );
  return added;
}

/** CHECK (column IS NOT NULL) that some migration added and some later one validated. */
async function validNotNullChecks(migrations: string[]): Promise<Set<string>> {
  const columns = new Map<string, string>();
  const valid = new Set<string>();
  for (const sql of migrations.filter((text) => /validate\s+constraint/i.test(text) || /not\s+valid/i.test(text))) {
    for (const { node } of await readStatements(sql)) {
      if (!('AlterTableStmt' in node)) continue;
      const table = node.AlterTableStmt.relation?.relname ?? '';
      for (const cmd of node.AlterTableStmt.cmds ?? []) {
        if (!('AlterTableCmd' in cmd)) continue;
        const { subtype, name, def } = cmd.AlterTableCmd;
        if (subtype === 'AT_AddConstraint' && def !== undefined && 'Constraint' in def) {
          const test = def.Constraint.raw_expr;
          if (test !== undefined && 'NullTest' in test && test.NullTest.nulltesttype === 'IS_NOT_NULL') {
            const column = test.NullTest.arg !== undefined ? lastWords([test.NullTest.arg]).join('') : '';
            columns.set(`${table} ${def.Constraint.conname ?? ''}`, `${table}.${column}`);
          }
        }
        const checked = columns.get(`${table} ${name ?? ''}`);
        if (subtype === 'AT_ValidateConstraint' && checked !== undefined) valid.add(checked);
      }
    }
  }
  return valid;
}
