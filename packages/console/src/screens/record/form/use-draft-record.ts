import { useState } from 'react';
import type { Field } from '../../entities/definition.ts';
import type { StoredRecord } from '../record-queries.ts';
import { type Changes, changesOf, type Input, type Inputs, inputsOf, isSame } from './inputs.ts';

/** What was typed into the form of a record, on top of the record as it was when typing began. */
export interface RecordDraft {
  /** What the form shows the changes of: while there are none, the record as it was read last. */
  readonly base: StoredRecord;
  readonly inputs: Inputs;
  readonly changes: Changes;
  readonly isDirty: boolean;
  readonly set: (name: string, input: Input) => void;
  readonly discard: () => void;
}

interface Typed {
  readonly base: StoredRecord;
  readonly inputs: Inputs;
}

/** @param latest The record as it was read last. It does not take the place of what is being edited. */
export function useDraftRecord(fields: readonly Field[], latest: StoredRecord): RecordDraft {
  const [typed, setTyped] = useState<Typed>();
  const base = typed?.base ?? latest;
  const before = inputsOf(fields, base.record);
  const inputs = { ...before, ...typed?.inputs };
  return {
    base,
    inputs,
    changes: changesOf(fields, before, inputs),
    isDirty: typed !== undefined,
    set: (name, input) =>
      setTyped((current) => {
        const kept = { ...current?.inputs, [name]: input };
        const changed = Object.entries(kept).filter(([field, value]) => !isSame(value, before[field]));
        return changed.length === 0 ? undefined : { base, inputs: Object.fromEntries(changed) };
      }),
    discard: () => setTyped(undefined),
  };
}
