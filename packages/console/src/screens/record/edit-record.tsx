import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { queryClient } from '../../api/query-client.ts';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import type { Field } from '../entities/definition.ts';
import { Denial } from '../records/denial.tsx';
import type { OnList } from '../records/on-list.ts';
import { ConflictView } from './conflict/conflict-view.tsx';
import type { RecordValues } from './form/inputs.ts';
import { RecordForm } from './form/record-form.tsx';
import { SaveProblem } from './form/save-problem.tsx';
import { useDraftRecord } from './form/use-draft-record.ts';
import { MayNotChange, type ReadAlone } from './may-not-change.tsx';
import type { Refusal } from './permissions.ts';
import classes from './record.module.css';
import { recordQuery, type StoredRecord, unseenFields } from './record-queries.ts';
import { changeRecord, forgetRecords, isConflict, isHidden } from './save-record.ts';

interface Props {
  readonly list: OnList;
  readonly id: string;
  /** The fields that are shown. */
  readonly fields: readonly Field[];
  /** The record as it was read last. */
  readonly stored: StoredRecord;
  readonly refusal: Refusal | undefined;
  /** Once it is stored, and read again. */
  readonly onSaved?: () => void;
}

/** The form of a stored record. A change by another person meanwhile is compared, and overwrites nothing. */
export function EditRecord(props: Props) {
  const { list, id, fields, stored, refusal } = props;
  const draft = useDraftRecord(fields, stored);
  const [isComparing, setIsComparing] = useState(false);
  const [changedSince, setChangedSince] = useState<ReadonlySet<string>>(new Set());
  const save = useSave(props, {
    onSend: () => setChangedSince(new Set()),
    onSaved: () => {
      draft.discard();
      setIsComparing(false);
    },
    onConflict: () => setIsComparing(true),
  });
  // The record is still there: so a policy, which tells users nothing of what it hides, refuses the change.
  const isReadAlone = isHidden(save.error) && save.readAgain === save.error;
  const { body, mistakes } = draft.changes;
  const isBehind = draft.isDirty && stored.tag !== draft.base.tag;
  if (isComparing && isBehind)
    return (
      <>
        <UnsavedGuard isDirty={draft.isDirty} />
        <ConflictView
          key={stored.tag}
          fields={fields}
          before={draft.base}
          mine={body}
          theirs={stored}
          error={isConflict(save.error) ? null : save.error}
          isSaving={save.isPending}
          onSave={(changes) => save.mutate({ tag: stored.tag, body: changes })}
          onBack={() => setIsComparing(false)}
        />
      </>
    );
  const send = (event: FormEvent) => {
    event.preventDefault();
    // A dialog inside passes its events through this form.
    event.stopPropagation();
    if (draft.isDirty && Object.keys(mistakes).length === 0) save.mutate({ tag: draft.base.tag, body });
  };
  return (
    <form onSubmit={send} noValidate>
      <UnsavedGuard isDirty={draft.isDirty} />
      {refusal !== undefined && <Refused refusal={refusal} />}
      {isBehind && <Behind onCompare={() => setIsComparing(true)} />}
      <RecordForm
        actor={list.actor}
        fields={fields}
        draft={draft}
        isNew={false}
        unseen={unseenFields(list.entity)}
        isReadOnly={refusal !== undefined}
        problem={save.error}
        changedSince={changedSince}
        onChange={(name, input) => {
          setChangedSince((before) => new Set(before).add(name));
          draft.set(name, input);
        }}
      />
      {(draft.isDirty || save.isError) && (
        <SaveBar
          error={save.error}
          readAlone={isReadAlone ? { actor: list.actor, entity: list.entity.entityName, id } : undefined}
          fields={fields}
          mistakes={Object.keys(mistakes)}
          isSaving={save.isPending}
          onDiscard={() => {
            draft.discard();
            save.reset();
          }}
        />
      )}
      {save.isSuccess && !draft.isDirty && (
        <Text size="sm" role="status" mt="sm">
          Saved.
        </Text>
      )}
    </form>
  );
}

interface SaveEvents {
  readonly onSend: () => void;
  readonly onSaved: () => void;
  /** Once the record was read again. */
  readonly onConflict: () => void;
}

function useSave({ list, id, onSaved: onDone }: Props, { onSend, onSaved, onConflict }: SaveEvents) {
  const { actor, entity, refresh } = list;
  const name = entity.entityName;
  const [readAgain, setReadAgain] = useState<unknown>();
  const readNow = () => queryClient.fetchQuery({ ...recordQuery(actor, entity, id), staleTime: 0 });
  const save = useMutation({
    mutationFn: async ({ tag, body }: { readonly tag: string | undefined; readonly body: RecordValues }) => {
      if (Object.keys(body).length > 0) await changeRecord(actor, name, { id, tag, body });
    },
    onMutate: onSend,
    onSuccess: async () => {
      onSaved();
      await forgetRecords(actor, name);
      refresh();
      onDone?.();
    },
    onError: async (error) => {
      if (isHidden(error) && actor.user !== undefined && (await isThere(readNow))) setReadAgain(error);
      if (!isConflict(error)) return;
      await readNow();
      onConflict();
    },
  });
  /** The refusal after which the record could be read all the same. */
  return { ...save, readAgain };
}

async function isThere(read: () => Promise<unknown>): Promise<boolean> {
  return await read().then(
    () => true,
    () => false,
  );
}

function Refused({ refusal }: { readonly refusal: Refusal }) {
  return (
    <Alert color="gray" mb="md" title="Read only">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{refusal.reason}</Text>
        {refusal.decisionId !== undefined && <Denial decision={refusal.decisionId} />}
      </Stack>
    </Alert>
  );
}

function Behind({ onCompare }: { readonly onCompare: () => void }) {
  return (
    <Alert color="yellow" mb="md" title="The record was changed while you edited it.">
      <Button variant="default" size="compact-sm" onClick={onCompare}>
        Compare with your changes
      </Button>
    </Alert>
  );
}

interface SaveBarProps {
  readonly error: unknown;
  /** The record, where its reader may read it and not change it. */
  readonly readAlone: ReadAlone | undefined;
  readonly fields: readonly Field[];
  readonly mistakes: readonly string[];
  readonly isSaving: boolean;
  readonly onDiscard: () => void;
}

/** Below the form of a stored record: what went wrong, and what can be done. */
function SaveBar({ error, readAlone, fields, mistakes, isSaving, onDiscard }: SaveBarProps) {
  return (
    <Stack gap="xs" className={classes.bar} mt="md">
      {readAlone === undefined ? (
        <SaveProblem error={error} fields={fields} />
      ) : (
        <MayNotChange error={error} {...readAlone} />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onDiscard}>
          Discard the changes
        </Button>
        <ReasonedButton
          type="submit"
          reason={mistakes.length === 0 ? undefined : `Correct ${mistakes.join(', ')} first.`}
          loading={isSaving}
        >
          Save
        </ReasonedButton>
      </Group>
    </Stack>
  );
}
