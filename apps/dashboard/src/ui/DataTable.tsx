import { Checkbox, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';

import classes from './data-table.module.css';

export interface Column<Row> {
  key: string;
  title: string;
  isNumeric?: boolean;
  /** Whether the api sorts by it; the name of the order. */
  order?: string;
  /** Left out on phones. */
  isExtra?: boolean;
  /** Takes what room there is on phones. */
  isWide?: boolean;
  cell: (row: Row) => ReactNode;
}

export interface Selection<Row> {
  has: (row: Row) => boolean;
  /** Others have no box. */
  canSelect: (row: Row) => boolean;
  onSelect: (rows: readonly Row[], isSelected: boolean) => void;
  /** What the box of a row says to screen readers. */
  nameOf: (row: Row) => string;
  nameOfAll: string;
}

interface Props<Row> {
  /** What the table is of, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** `field-ASC` or `field-DESC`. */
  order?: string;
  onOrder?: (order: string) => void;
  /** Absent: rows cannot be selected. */
  selection?: Selection<Row> | undefined;
}

/** Rows as the api answered them: it sorts and pages, this shows. (Mantine's table brings its scroll area and floating-ui: 17 KB.) */
export function DataTable<Row>({ label, columns, rows, keyOf, order, onOrder, selection }: Props<Row>) {
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={label}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            {selection !== undefined && <SelectAll rows={rows.filter(selection.canSelect)} selection={selection} />}
            {columns.map((column) => (
              <Heading key={column.key} column={column} order={order} onOrder={onOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} aria-selected={selection?.has(row)}>
              {selection !== undefined && (
                <td className={classes.action}>
                  {selection.canSelect(row) && (
                    <Checkbox
                      size="xs"
                      checked={selection.has(row)}
                      onChange={({ currentTarget }) => selection.onSelect([row], currentTarget.checked)}
                      aria-label={selection.nameOf(row)}
                    />
                  )}
                </td>
              )}
              {columns.map((column) => (
                <td key={column.key} className={cellClass(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** @param rows those that can be selected */
function SelectAll<Row>({ rows, selection }: { rows: readonly Row[]; selection: Selection<Row> }) {
  const selected = rows.filter((row) => selection.has(row)).length;
  return (
    <th className={classes.action}>
      <Checkbox
        size="xs"
        checked={selected === rows.length}
        indeterminate={selected > 0 && selected < rows.length}
        onChange={({ currentTarget }) => selection.onSelect(rows, currentTarget.checked)}
        aria-label={selection.nameOfAll}
      />
    </th>
  );
}

interface HeadingProps {
  column: Omit<Column<never>, 'cell'>;
  order: string | undefined;
  onOrder: ((order: string) => void) | undefined;
}

function Heading({ column, order, onOrder }: HeadingProps) {
  const { title, order: field } = column;
  const [sortedBy, direction] = order?.split('-') ?? [];
  const isSorted = field !== undefined && sortedBy === field;
  const sort = isSorted ? (direction === 'ASC' ? 'ascending' : 'descending') : undefined;
  return (
    <th className={cellClass(column)} aria-sort={sort} scope="col">
      {field === undefined || onOrder === undefined ? (
        title
      ) : (
        <UnstyledButton
          className={classes.sort}
          onClick={() => onOrder(`${field}-${sort === 'descending' ? 'ASC' : 'DESC'}`)}
        >
          {title}
          <span aria-hidden="true">{sort === undefined ? ' ↕' : sort === 'ascending' ? ' ↑' : ' ↓'}</span>
        </UnstyledButton>
      )}
    </th>
  );
}

/** What has no title is a button or a menu, at the edge. */
function cellClass({ isNumeric, isExtra, isWide, title }: Omit<Column<never>, 'cell'>): string {
  const names = [
    isNumeric === true && 'numeric',
    isExtra === true && classes.extra,
    isWide === true && classes.wide,
    title === '' && classes.action,
  ];
  return names.filter((name) => name !== false).join(' ');
}
