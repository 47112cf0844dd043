import { Table, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, useRef, useState } from 'react';
import { stateNames } from '../../components/decision/cell-state.ts';
import { StateMark } from '../../components/decision/state-mark.tsx';
import { type Cells, type CellVerb, stateOf } from './cells.ts';
import classes from './who-can.module.css';

interface Props {
  readonly label: string;
  /** What the rows are, as the head of their column. */
  readonly what: string;
  readonly verbs: readonly CellVerb[];
  readonly rows: readonly (readonly [name: string, cells: Cells])[];
  /** The action of the cell that is explained. */
  readonly chosen: string | undefined;
  readonly onChoose: (name: string, verb: CellVerb) => void;
}

interface CellPosition {
  readonly row: number;
  readonly column: number;
}

/** Entities or logic blocks by verbs. It has one place in the order of the Tab key; arrows move in it, Enter shows why. */
export function MatrixGrid({ label, what, verbs, rows, chosen, onChoose }: Props) {
  const [active, setActive] = useState<CellPosition>({ row: 0, column: 0 });
  const body = useRef<HTMLTableSectionElement>(null);
  const row = Math.min(active.row, rows.length - 1);
  const move = (event: KeyboardEvent) => {
    const to = moved({ row, column: active.column }, event, { row: rows.length - 1, column: verbs.length - 1 });
    if (to === undefined) return;
    event.preventDefault();
    setActive(to);
    body.current?.querySelector<HTMLElement>(`[data-place="${to.row} ${to.column}"]`)?.focus();
  };
  return (
    <div className={classes.scroll}>
      <Table
        role="grid"
        aria-label={label}
        className={classes.grid}
        verticalSpacing={4}
        miw={verbs.length > 1 ? 620 : undefined}
        highlightOnHover
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{what}</Table.Th>
            {verbs.map((verb) => (
              <Table.Th key={verb} scope="col">
                {verb}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody ref={body} onKeyDown={move}>
          {rows.map(([name, cells], place) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{name}</Table.Th>
              {verbs.map((verb, column) => {
                const cell = cells[verb];
                if (cell === undefined) return null;
                const state = stateOf(cell);
                return (
                  <Table.Td key={verb} role="gridcell">
                    <UnstyledButton
                      className={classes.cell}
                      data-place={`${place} ${column}`}
                      tabIndex={place === row && column === active.column ? 0 : -1}
                      aria-label={`${verb} ${name}: ${stateNames[state]}`}
                      aria-pressed={chosen === verb + name}
                      title={`${stateNames[state]}. Show why`}
                      onClick={() => {
                        setActive({ row: place, column });
                        onChoose(name, verb);
                      }}
                    >
                      <StateMark state={state} />
                    </UnstyledButton>
                  </Table.Td>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function moved(
  { row, column }: CellPosition,
  { key, ctrlKey }: KeyboardEvent,
  last: CellPosition,
): CellPosition | undefined {
  switch (key) {
    case 'ArrowUp':
      return { row: Math.max(0, row - 1), column };
    case 'ArrowDown':
      return { row: Math.min(last.row, row + 1), column };
    case 'ArrowLeft':
      return { row, column: Math.max(0, column - 1) };
    case 'ArrowRight':
      return { row, column: Math.min(last.column, column + 1) };
    case 'Home':
      return ctrlKey ? { row: 0, column: 0 } : { row, column: 0 };
    case 'End':
      return ctrlKey ? last : { row, column: last.column };
    default:
      return undefined;
  }
}
