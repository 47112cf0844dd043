import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from '../grid.module.css';
import { type Column, widthOf } from '../list/columns.ts';
import type { PagesState, RecordPages } from '../list/record-pages.ts';
import type { Row, Selection } from '../on-list.ts';
import { cellId, GridRow } from './grid-row.tsx';
import { useActiveCell } from './use-active-cell.ts';

interface Props {
  readonly label: string;
  readonly pages: RecordPages;
  readonly state: PagesState;
  readonly columns: readonly Column[];
  readonly hidden: ReadonlySet<string>;
  /** The fields that take values. */
  readonly editable: ReadonlySet<string>;
  readonly selection: Selection;
  readonly openId: string | undefined;
  /** The cells of the names of the columns. */
  readonly header: ReactNode;
  /** The row of the totals, where they are shown. */
  readonly footer: ReactNode | undefined;
  readonly onOpen: (id: string) => void;
  readonly onEdit: (id: string, column: Column) => void;
  readonly onSelect: (rows: readonly Row[], isSelected: boolean) => void;
}

const rowPixels = 34;
const totalsPixels = 46;
const checkPixels = 40;
const waitingRows = 12;

/**
 * The records as rows, of which only those in sight are on the page. The grid has one place in the order of the Tab key, and
 * names its active cell.
 */
export function RecordGrid({ label, pages, state, columns, selection, header, footer, ...props }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const { known, isLoading } = state;
  const virtual = useVirtualizer({
    count: known === 0 && isLoading ? waitingRows : known,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPixels,
    overscan: 10,
    scrollPaddingEnd: rowPixels + (footer === undefined ? 0 : totalsPixels),
  });
  const { active, onKeyDown, onClick } = useActiveCell({
    ...{ pages, columns, selection, onOpen: props.onOpen, onEdit: props.onEdit, onSelect: props.onSelect },
    onMove: (place) => virtual.scrollToIndex(place),
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  // Also where nothing but the state has changed: behind a page that was read another one may be in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as said above.
  useEffect(() => pages.show(first, last), [pages, first, last, state]);
  const isInSight = active.place >= first && active.place <= last && known > 0;
  const template = `${checkPixels}px ${columns.map((column) => `${widthOf(column)}px`).join(' ')}`;
  const described = {
    'aria-label': label,
    'aria-rowcount': state.isComplete ? known + 1 : -1,
    'aria-colcount': columns.length + 1,
    'aria-multiselectable': true,
    'aria-busy': isLoading,
    ...(isInSight ? { 'aria-activedescendant': cellId(active.place, active.column) } : {}),
  };
  return (
    <div ref={scroller} className={classes.scroller} data-totals={footer !== undefined || undefined}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the role of a table in which the keyboard works.
        role="grid"
        tabIndex={0}
        {...described}
        className={classes.grid}
        style={{ '--columns': template } as never}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        <thead className={classes.header}>
          <tr aria-rowindex={1} className={classes.names}>
            <th aria-colindex={1} scope="col" className={classes.check}>
              <SelectAll selection={selection} pages={pages} onSelect={props.onSelect} />
            </th>
            {header}
          </tr>
        </thead>
        <tbody className={classes.body} style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => (
            <GridRow
              key={index}
              {...rowAt(pages, index, selection)}
              {...{
                place: index,
                start,
                columns,
                hidden: props.hidden,
                editable: props.editable,
                openId: props.openId,
              }}
              active={active.place === index ? active.column : undefined}
            />
          ))}
        </tbody>
        {footer !== undefined && <tfoot className={classes.footer}>{footer}</tfoot>}
      </table>
    </div>
  );
}

function rowAt(pages: RecordPages, place: number, selection: Selection) {
  const row = pages.rowAt(place);
  return { row, isSelected: row !== undefined && selection.has(row.id) };
}

interface SelectAllProps extends Pick<Props, 'selection' | 'pages' | 'onSelect'> {}

function SelectAll({ selection, pages, onSelect }: SelectAllProps) {
  const { known } = pages.state();
  const isAll = selection.size > 0 && selection.size >= known;
  return (
    <input
      type="checkbox"
      checked={isAll}
      disabled={known === 0}
      ref={(box) => {
        if (box !== null) box.indeterminate = selection.size > 0 && !isAll;
      }}
      onChange={() => (selection.size === 0 ? onSelect(pages.rows(), true) : onSelect([...selection.values()], false))}
      aria-label={selection.size === 0 ? 'Select all records that are loaded' : 'Select none'}
    />
  );
}
