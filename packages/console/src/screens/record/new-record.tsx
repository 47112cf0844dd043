import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import type { OnList } from '../records/on-list.ts';
import { controlOf } from './form/inputs.ts';
import { emptyRecord, RecordForm } from './form/record-form.tsx';
import { SaveProblem } from './form/save-problem.tsx';
import { useDraftRecord } from './form/use-draft-record.ts';
import { readOnlyRecords } from './permissions.ts';
import classes from './record.module.css';
import { fieldsOf } from './record-queries.ts';
import { createRecord, forgetRecords } from './save-record.ts';

/** The form of a record that is to be created. */
export function NewRecord({ list }: { readonly list: OnList }) {
  const { actor, entity, onOpen } = list;
  const fields = fieldsOf(entity.create).filter((field) => controlOf(field) !== 'computed');
  const draft = useDraftRecord(fields, emptyRecord);
  const { body, mistakes } = draft.changes;
  const wrong = Object.keys(mistakes);
  const [changedSince, setChangedSince] = useState<ReadonlySet<string>>(new Set());
  // A repeat of the same body, after a reply that was lost, makes no second record.
  const [attempt, setAttempt] = useState<{ readonly text: string; readonly key: string }>();
  const create = useMutation({
    mutationFn: () => {
      const text = JSON.stringify(body);
      const key = attempt?.text === text ? attempt.key : crypto.randomUUID();
      setAttempt({ text, key });
      return createRecord(actor, entity.entityName, body, key);
    },
    onMutate: () => setChangedSince(new Set()),
    onSuccess: async () => {
      draft.discard();
      await forgetRecords(actor, entity.entityName);
      list.refresh();
    },
  });
  // Once the form is empty again, so that its guard lets go.
  const made = draft.isDirty ? undefined : create.data;
  const open = useRef(onOpen);
  open.current = onOpen;
  useEffect(() => {
    if (made !== undefined) open.current(made);
  }, [made]);
  const send = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (wrong.length === 0) create.mutate();
  };
  const reason = readOnlyRecords(actor) ?? (wrong.length === 0 ? undefined : `Correct ${wrong.join(', ')} first.`);
  return (
    <form onSubmit={send} noValidate>
      <UnsavedGuard isDirty={draft.isDirty} />
      <RecordForm
        actor={actor}
        fields={fields}
        draft={draft}
        isNew
        isReadOnly={readOnlyRecords(actor) !== undefined}
        problem={create.error}
        changedSince={changedSince}
        onChange={(name, input) => {
          setChangedSince((before) => new Set(before).add(name));
          draft.set(name, input);
        }}
      />
      <Stack gap="xs" className={classes.bar} mt="md">
        <SaveProblem error={create.error} fields={fields} />
        <Group justify="flex-end">
          <Button variant="default" onClick={list.onClose}>
            Cancel
          </Button>
          <ReasonedButton type="submit" reason={reason} loading={create.isPending}>
            {`Create the ${entity.entityName}`}
          </ReasonedButton>
        </Group>
      </Stack>
    </form>
  );
}
