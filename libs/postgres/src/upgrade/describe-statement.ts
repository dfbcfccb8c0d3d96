import type { AlterTableCmd, Node } from 'libpg-query';

import { lastWords, readStatements } from './read-statements.js';

type Kind = Node extends infer One ? (One extends object ? keyof One : never) : never;

/** What its statements do, each in a few words. */
export async function describeMigration(sql: string): Promise<string[]> {
  return (await readStatements(sql)).map(({ node }) => describeStatement(node));
}

/** In a few words, for somebody who is about to apply it: `adds sessions.user_agent`. */
function describeStatement(node: Node): string {
  if ('CreateStmt' in node) return `creates table ${node.CreateStmt.relation?.relname ?? ''}`;
  if ('IndexStmt' in node) {
    const { relation, idxname, concurrent, unique } = node.IndexStmt;
    const how = `${unique === true ? 'unique ' : ''}index${concurrent === true ? ' (concurrently)' : ''}`;
    return `creates ${how} ${idxname ?? ''} on ${relation?.relname ?? ''}`;
  }
  if ('AlterTableStmt' in node) {
    const { relation, cmds = [] } = node.AlterTableStmt;
    const table = relation?.relname ?? '';
    return cmds.map((cmd) => ('AlterTableCmd' in cmd ? describeChange(table, cmd.AlterTableCmd) : '')).join(', ');
  }
  if ('DropStmt' in node) {
    const kind = (node.DropStmt.removeType ?? '').replace('OBJECT_', '').toLowerCase();
    return `drops ${kind} ${lastWords(node.DropStmt.objects).join(', ')}`;
  }
  if ('RenameStmt' in node) {
    const { relation, subname, newname } = node.RenameStmt;
    return `renames ${[relation?.relname, subname].filter(Boolean).join('.')} to ${newname ?? ''}`;
  }
  if ('CreateFunctionStmt' in node)
    return `creates function ${lastWords(node.CreateFunctionStmt.funcname?.slice(-1)).join('')}`;
  if ('CreateTrigStmt' in node) return `creates trigger on ${node.CreateTrigStmt.relation?.relname ?? ''}`;
  if ('InsertStmt' in node) return `fills ${node.InsertStmt.relation?.relname ?? ''}`;
  if ('UpdateStmt' in node) return `updates ${node.UpdateStmt.relation?.relname ?? ''}`;
  if ('DeleteStmt' in node) return `deletes from ${node.DeleteStmt.relation?.relname ?? ''}`;
  return OTHERS[Object.keys(node)[0] as Kind] ?? `runs ${Object.keys(node)[0]?.replace('Stmt', '') ?? ''}`;
}

const OTHERS: Partial<Record<Kind, string>> = {
  SelectStmt: 'calls functions',
  DoStmt: 'runs a block of code',
  LockStmt: 'locks tables',
  CreateStatsStmt: 'creates statistics of columns',
  CommentStmt: 'comments',
  CreateSeqStmt: 'creates a sequence',
  ViewStmt: 'creates a view',
  CreateEnumStmt: 'creates a type',
};

function describeChange(table: string, cmd: AlterTableCmd): string {
  const { subtype, name, def } = cmd;
  const column = def !== undefined && 'ColumnDef' in def ? (def.ColumnDef.colname ?? '') : '';
  const constraint = def !== undefined && 'Constraint' in def ? (def.Constraint.conname ?? 'a constraint') : '';
  const changes: Record<string, string> = {
    AT_AddColumn: `adds ${table}.${column}`,
    AT_DropColumn: `drops ${table}.${name ?? ''}`,
    AT_AddConstraint: `adds constraint ${constraint} to ${table}`,
    AT_DropConstraint: `drops constraint ${name ?? ''} of ${table}`,
    AT_ValidateConstraint: `validates constraint ${name ?? ''} of ${table}`,
  };
  return changes[subtype ?? ''] ?? `changes ${[table, name].filter(Boolean).join('.')}`;
}
