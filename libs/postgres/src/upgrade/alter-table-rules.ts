import type { AlterTableCmd, AlterTableStmt, ColumnDef, Constraint } from 'libpg-query';

import type { Own, Rule } from './blocking-statements.js';
import { lastWords, walk } from './read-statements.js';

export interface Found {
  rule: Rule;
  /** Table, column or statement. */
  about: string;
}

/** The same for all rows of a statement, so a column that has it by default needs no new rows. */
const SAME_FOR_ALL_ROWS = new Set([
  'now',
  'transaction_timestamp',
  'statement_timestamp',
  'current_setting',
  'to_timestamp',
]);
const REWRITES = new Set([
  'AT_AlterColumnType',
  'AT_SetLogged',
  'AT_SetUnLogged',
  'AT_SetTableSpace',
  'AT_SetAccessMethod',
  'AT_SetExpression',
]);

/** Of constraints: all rows are looked at when it is added, or put into an index. */
const LOOKED_AT = new Set(['CONSTR_CHECK', 'CONSTR_FOREIGN', 'CONSTR_NOTNULL']);
const INDEXED = new Set(['CONSTR_UNIQUE', 'CONSTR_PRIMARY', 'CONSTR_EXCLUSION']);

export function alterTableRules({ relation, cmds = [], objtype }: AlterTableStmt, own: Own): Found[] {
  const table = relation?.relname ?? '';
  if (objtype !== 'OBJECT_TABLE' || own.isNew(table)) return [];
  return cmds.flatMap((cmd) => ('AlterTableCmd' in cmd ? ofChange(table, cmd.AlterTableCmd, own) : []));
}

function ofChange(table: string, { subtype = 'AT_AddColumn', name = '', def }: AlterTableCmd, own: Own): Found[] {
  const about = name === '' ? table : `${table}.${name}`;
  if (subtype === 'AT_DropColumn') return [{ rule: 'still-used', about }];
  if (subtype === 'AT_AddColumn' && def !== undefined && 'ColumnDef' in def) return ofColumn(table, def.ColumnDef, own);
  if (subtype === 'AT_AddConstraint' && def !== undefined && 'Constraint' in def) {
    return own.isBig(table) ? ofConstraint(table, def.Constraint) : [];
  }
  if (subtype === 'AT_ValidateConstraint') {
    return own.addedHere.has(name) && own.isBig(table) ? [{ rule: 'validates-too-soon', about }] : [];
  }
  if (!own.isBig(table)) return [];
  if (REWRITES.has(subtype)) return [{ rule: 'rewrites-table', about }];
  if (subtype === 'AT_SetNotNull') return own.validChecks.has(about) ? [] : [{ rule: 'sets-not-null', about }];
  if (subtype === 'AT_AttachPartition') return [{ rule: 'scans-under-lock', about }];
  if (subtype === 'AT_DetachPartition') return [{ rule: 'locks-table', about }];
  return [];
}

function ofColumn(table: string, column: ColumnDef, own: Own): Found[] {
  const about = `${table}.${column.colname ?? ''}`;
  const constraints = (column.constraints ?? []).flatMap((one) => ('Constraint' in one ? [one.Constraint] : []));
  const kinds = new Set(constraints.map(({ contype }) => contype));
  const preset = constraints.find(({ contype }) => contype === 'CONSTR_DEFAULT');
  const found: Found[] = [];
  const isFilled =
    preset !== undefined || kinds.has('CONSTR_IDENTITY') || kinds.has('CONSTR_GENERATED') || isSerial(column);
  if (kinds.has('CONSTR_NOTNULL') && !isFilled) found.push({ rule: 'needs-a-value', about });
  if (!own.isBig(table)) return found;
  if (
    kinds.has('CONSTR_IDENTITY') ||
    kinds.has('CONSTR_GENERATED') ||
    isSerial(column) ||
    (preset !== undefined && differsByRow(preset))
  ) {
    found.push({ rule: 'rewrites-table', about });
  }
  if (kinds.has('CONSTR_UNIQUE') || kinds.has('CONSTR_PRIMARY')) found.push({ rule: 'builds-index', about });
  // A new column that is null everywhere has nothing to look at.
  if (kinds.has('CONSTR_CHECK') || (kinds.has('CONSTR_FOREIGN') && preset !== undefined)) {
    found.push({ rule: 'scans-under-lock', about });
  }
  return found;
}

function ofConstraint(table: string, constraint: Constraint): Found[] {
  const about = `${table}, ${constraint.conname ?? 'a constraint'}`;
  const { contype = 'CONSTR_NULL', skip_validation: isNotValid, indexname } = constraint;
  if (LOOKED_AT.has(contype)) return isNotValid === true ? [] : [{ rule: 'scans-under-lock', about }];
  return INDEXED.has(contype) && indexname === undefined ? [{ rule: 'builds-index', about }] : [];
}

function differsByRow(preset: Constraint): boolean {
  let differs = false;
  walk([preset.raw_expr], (kind, value) => {
    if (kind !== 'FuncCall') return;
    const [called = ''] = lastWords((value as { funcname?: Parameters<typeof lastWords>[0] }).funcname?.slice(-1));
    if (!SAME_FOR_ALL_ROWS.has(called)) differs = true;
  });
  return differs;
}

function isSerial(column: ColumnDef): boolean {
  return /serial/.test(lastWords(column.typeName?.names?.slice(-1)).join(''));
}
