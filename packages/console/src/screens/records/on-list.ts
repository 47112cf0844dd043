/** What the screen of an entity's records hands to what is mounted in it: the panel of a record, the bar of the selection, import and export. */
import type { Actor } from '../../api/app.ts';
import type { Entity } from '../entities/queries.ts';

/** A record as a list shows it: at least its id and its version. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly version: number };

/** The records that were selected, by their ids, in the order in which they were selected. */
export type Selection = ReadonlyMap<string, Row>;

export interface OnList {
  readonly actor: Actor;
  readonly entity: Entity;
  /** The filters, words and order of the list as parameters of the API, for an export of what is shown. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly selection: Selection;
  readonly clearSelection: () => void;
  /** Shows the record in the panel: its id goes into the address (`?r=`). */
  readonly onOpen: (id: string) => void;
  /** Takes the record out of the address. */
  readonly onClose: () => void;
  /** Reads the list again, after records were written. */
  readonly refresh: () => void;
}
