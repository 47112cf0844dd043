import { Stack } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { Actor } from '../../../api/app.ts';
import { ApiProblem } from '../../../api/problem.ts';
import type { Field } from '../../entities/definition.ts';
import type { StoredRecord } from '../record-queries.ts';
import { FieldInput } from './field-input.tsx';
import type { Input } from './inputs.ts';
import { isWithin } from './save-problem.tsx';
import type { RecordDraft } from './use-draft-record.ts';

interface Props {
  readonly actor: Actor;
  readonly fields: readonly Field[];
  readonly draft: RecordDraft;
  readonly isNew: boolean;
  readonly isReadOnly: boolean;
  /** The fields whose values the form does not know. */
  readonly unseen?: ReadonlySet<string>;
  /** What the platform refused; its mistakes stand at their fields until these are changed. */
  readonly problem: unknown;
  /** The fields that were changed since then. */
  readonly changedSince: ReadonlySet<string>;
  readonly onChange: (name: string, input: Input) => void;
}

/** A record field by field, each with its mistake. */
export function RecordForm({
  actor,
  fields,
  draft,
  isNew,
  isReadOnly,
  unseen,
  problem,
  changedSince,
  onChange,
}: Props) {
  const form = useRef<HTMLDivElement>(null);
  // A form of one field, or of a new record, is opened to be typed into.
  const isTypedInto = isNew || fields.length === 1;
  useEffect(() => {
    if (isTypedInto) form.current?.querySelector<HTMLElement>('input, textarea, button')?.focus();
  }, [isTypedInto]);
  return (
    <Stack gap="md" ref={form}>
      {fields.map((field, place) => (
        <FieldInput
          key={field.name}
          actor={actor}
          field={field}
          input={draft.inputs[field.name] ?? null}
          stored={draft.base.record[field.name]}
          names={draft.base.names}
          isNew={isNew}
          isUnseen={unseen?.has(field.name) === true}
          isFirst={isTypedInto && place === 0}
          isReadOnly={isReadOnly}
          error={
            draft.changes.mistakes[field.name] ??
            (changedSince.has(field.name) ? undefined : mistakeAt(problem, field.name))
          }
          onChange={(input) => onChange(field.name, input)}
        />
      ))}
    </Stack>
  );
}

function mistakeAt(problem: unknown, name: string): string | undefined {
  if (!(problem instanceof ApiProblem)) return undefined;
  const mistakes = problem.errors.filter(({ pointer }) => isWithin(pointer, name));
  return mistakes.length === 0 ? undefined : mistakes.map(({ message }) => message).join('; ');
}

export const emptyRecord: StoredRecord = { record: {}, tag: undefined, names: new Map() };
