import { useCallback, useState } from 'react';
import type { Row, Selection } from './on-list.ts';

/** Records stay selected while they are scrolled out of sight and out of memory, so their number is bounded. */
export const selectionMax = 2_000;

const none: Selection = new Map();

/** The records that are selected. @param list What they are selected in: in another list none is. */
export function useSelection(list: unknown) {
  const [state, setState] = useState({ list, selection: none });
  const selection = state.list === list ? state.selection : none;
  const select = useCallback(
    (rows: readonly Row[], isSelected: boolean) =>
      setState((before) => ({
        list,
        selection: changed(before.list === list ? before.selection : none, rows, isSelected),
      })),
    [list],
  );
  const clear = useCallback(() => setState({ list, selection: none }), [list]);
  return { selection, select, clear };
}

function changed(before: Selection, rows: readonly Row[], isSelected: boolean): Selection {
  const after = new Map(before);
  for (const row of rows) {
    if (!isSelected) after.delete(row.id);
    else if (after.size < selectionMax || after.has(row.id)) after.set(row.id, row);
  }
  return after;
}
