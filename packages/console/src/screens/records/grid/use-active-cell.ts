import { type KeyboardEvent, type MouseEvent, useRef, useState } from 'react';
import type { Column } from '../list/columns.ts';
import type { RecordPages } from '../list/record-pages.ts';
import type { Row, Selection } from '../on-list.ts';
import { copiedText } from './cell-text.ts';

export interface Cell {
  /** That of the record in the list. */
  readonly place: number;
  readonly column: number;
}

interface Options {
  readonly pages: RecordPages;
  readonly columns: readonly Column[];
  readonly selection: Selection;
  readonly onOpen: (id: string) => void;
  /** Edits the field that a column shows. */
  readonly onEdit: (id: string, column: Column) => void;
  readonly onSelect: (rows: readonly Row[], isSelected: boolean) => void;
  /** Brings a record into sight. */
  readonly onMove: (place: number) => void;
}

/** What keys and clicks do in the grid: arrows move its active cell, Space selects the record, Enter and a click open it, F2 edits the cell. */
export function useActiveCell({ pages, columns, selection, onOpen, onEdit, onSelect, onMove }: Options) {
  const [active, setActive] = useState<Cell>({ place: 0, column: 0 });
  // Where a range of selected records begins.
  const anchor = useRef(0);
  const { known } = pages.state();
  const move = (to: Cell, isExtending: boolean) => {
    const place = clamp(to.place, known - 1);
    setActive({ place, column: clamp(to.column, columns.length - 1) });
    onMove(place);
    if (!isExtending) anchor.current = place;
    else onSelect(between(pages, anchor.current, place), true);
  };
  const toggle = (place: number, isRange: boolean) => {
    const row = pages.rowAt(place);
    if (row === undefined) return;
    const rows = isRange ? between(pages, anchor.current, place) : [row];
    anchor.current = place;
    onSelect(rows, !selection.has(row.id));
  };
  const open = (place: number) => {
    const row = pages.rowAt(place);
    if (row !== undefined) onOpen(row.id);
  };
  const edit = ({ place, column }: Cell) => {
    const [row, of] = [pages.rowAt(place), columns[column]];
    if (row !== undefined && of !== undefined) onEdit(row.id, of);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const to = moved(active, event, known);
    if (to !== undefined) move(to, event.shiftKey);
    else if (event.key === 'Enter') open(active.place);
    else if (event.key === 'F2') edit(active);
    else if (event.key === ' ') toggle(active.place, event.shiftKey);
    else if (event.key === 'a' && isCommand) onSelect(pages.rows(), true);
    else if (event.key === 'c' && isCommand && isNothingMarked()) copyCell(pages, columns, active);
    else return;
    event.preventDefault();
  };
  const onClick = (event: MouseEvent) => {
    const clicked = cellAt(event.target);
    if (clicked === undefined) return;
    setActive(clicked.cell);
    if (clicked.what === 'check') toggle(clicked.cell.place, event.shiftKey);
    else if (clicked.what === 'copy') copyCell(pages, columns, clicked.cell);
    else if (clicked.what === 'edit') edit(clicked.cell);
    else if (isNothingMarked()) open(clicked.cell.place);
  };
  return { active, onKeyDown, onClick };
}

function moved({ place, column }: Cell, { key, ctrlKey, metaKey }: KeyboardEvent, known: number): Cell | undefined {
  const isFar = ctrlKey || metaKey;
  const steps: Readonly<Record<string, Cell>> = {
    ArrowDown: { place: place + 1, column },
    ArrowUp: { place: place - 1, column },
    ArrowLeft: { place, column: column - 1 },
    ArrowRight: { place, column: column + 1 },
    PageDown: { place: place + rowsOfPage, column },
    PageUp: { place: place - rowsOfPage, column },
    Home: isFar ? { place: 0, column } : { place, column: 0 },
    End: isFar ? { place: known - 1, column } : { place, column: Number.POSITIVE_INFINITY },
  };
  return steps[key];
}

const rowsOfPage = 15;

function clamp(value: number, max: number): number {
  return Math.max(0, Math.min(value, max));
}

/** The records from one place to another that are in memory. */
function between(pages: RecordPages, from: number, to: number): readonly Row[] {
  const [low, high] = from < to ? [from, to] : [to, from];
  return Array.from({ length: high - low + 1 }, (_, at) => pages.rowAt(low + at)).filter((row) => row !== undefined);
}

function copyCell(pages: RecordPages, columns: readonly Column[], { place, column }: Cell): void {
  const [row, of] = [pages.rowAt(place), columns[column]];
  if (row !== undefined && of !== undefined) void navigator.clipboard.writeText(copiedText(of, row));
}

/** Whether no text is marked, which a key or a click is then about. */
function isNothingMarked(): boolean {
  return globalThis.getSelection()?.isCollapsed !== false;
}

/** The parts of a row that a click can be about. */
const parts = ['check', 'copy', 'edit'] as const;

interface Clicked {
  readonly cell: Cell;
  readonly what: (typeof parts)[number] | 'row';
}

function cellAt(target: EventTarget): Clicked | undefined {
  if (!(target instanceof Element)) return undefined;
  const place = target.closest<HTMLElement>('[data-place]')?.dataset.place;
  if (place === undefined) return undefined;
  const column = target.closest<HTMLElement>('[data-column]')?.dataset.column ?? '0';
  const what = parts.find((part) => target.closest(`[data-${part}]`) !== null) ?? 'row';
  return { cell: { place: Number(place), column: Number(column) }, what };
}
