import { memo } from 'react';
import { CopyIcon, EditIcon } from '../../../components/icons.tsx';
import classes from '../grid.module.css';
import type { Column } from '../list/columns.ts';
import type { Row } from '../on-list.ts';
import { cellText } from './cell-text.ts';

interface Props {
  /** Undefined while its page is being read. */
  readonly row: Row | undefined;
  readonly place: number;
  /** In pixels from the first row. */
  readonly start: number;
  readonly columns: readonly Column[];
  /** The fields that take values; the platform fills the others. */
  readonly editable: ReadonlySet<string>;
  /** Names of columns that a policy hides. */
  readonly hidden: ReadonlySet<string>;
  readonly isSelected: boolean;
  /** The id of the record that is open in the panel. */
  readonly openId: string | undefined;
  /** The column of the active cell, if the row has it. */
  readonly active: number | undefined;
}

/** The id by which the grid names its active cell. */
export function cellId(place: number, column: number): string {
  return `cell-${place}-${column}`;
}

/** A row of the grid. Clicks are taken by the grid, which finds the row by `data-place`. */
export const GridRow = memo(function GridRow({ row, place, start, columns, active, ...is }: Props) {
  return (
    <tr
      aria-rowindex={place + 2}
      aria-selected={is.isSelected}
      data-place={place}
      data-open={(row !== undefined && row.id === is.openId) || undefined}
      className={classes.row}
      style={{ transform: `translateY(${start}px)` }}
    >
      <td aria-colindex={1} className={classes.check} data-check>
        {row !== undefined && (
          <input
            type="checkbox"
            checked={is.isSelected}
            readOnly
            tabIndex={-1}
            aria-label={`Select record ${row.id}`}
          />
        )}
      </td>
      {columns.map((column, at) => (
        <td
          key={column.name}
          id={cellId(place, at)}
          aria-colindex={at + 2}
          data-column={at}
          data-kind={column.kind}
          data-active={active === at || undefined}
          className={classes.cell}
        >
          <Value column={column} row={row} isHidden={is.hidden.has(column.name)} />
          {/* For the pointer alone: F2 does the same, and the name of the cell stays its value. */}
          {active === at && is.editable.has(column.field) && (
            <button type="button" tabIndex={-1} data-edit className={classes.copy} title="Edit (F2)" aria-hidden="true">
              <EditIcon size={12} />
            </button>
          )}
        </td>
      ))}
    </tr>
  );
});

interface ValueProps {
  readonly column: Column;
  readonly row: Row | undefined;
  readonly isHidden: boolean;
}

const charactersShown = 200;

function Value({ column, row, isHidden }: ValueProps) {
  if (row === undefined) return <span className={classes.waiting} />;
  if (column.kind === 'secret') return <span className={classes.faint}>never shown</span>;
  const text = cellText(column, row);
  if (text === '') return isHidden ? <span className={classes.faint}>hidden</span> : null;
  if (column.name === 'id')
    return (
      <>
        <code>…{text.slice(-8)}</code>
        <button type="button" tabIndex={-1} data-copy className={classes.copy} aria-label={`Copy the id ${text}`}>
          <CopyIcon size={12} />
        </button>
      </>
    );
  return <span title={text.length > 24 ? text.slice(0, 2_000) : undefined}>{text.slice(0, charactersShown)}</span>;
}
