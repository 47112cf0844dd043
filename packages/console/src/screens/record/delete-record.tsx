import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { callApp } from '../../api/app.ts';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import type { OnList } from '../records/on-list.ts';
import { recordTitle } from '../records/record-title.ts';
import { Dependents, useForbidding } from './dependents.tsx';
import { SaveProblem } from './form/save-problem.tsx';
import type { Refusal } from './permissions.ts';
import { type Job, pathOf, type StoredRecord } from './record-queries.ts';
import { RemovalJob } from './removal-job.tsx';
import { forgetRecords } from './save-record.ts';

interface Props {
  readonly list: OnList;
  readonly id: string;
  readonly stored: StoredRecord;
  readonly refusal: Refusal | undefined;
}

/** Deletes a record, once the user has seen what refers to it. What is too much for one commit is a job. */
export function DeleteRecord({ list, id, stored, refusal }: Props) {
  const [isConfirming, setIsConfirming] = useState(false);
  return (
    <>
      <ReasonedButton
        reason={refusal?.reason}
        variant="default"
        size="compact-sm"
        color="red"
        onClick={() => setIsConfirming(true)}
      >
        Delete
      </ReasonedButton>
      <Modal
        opened={isConfirming}
        onClose={() => setIsConfirming(false)}
        title={`Delete ${recordTitle(stored.record)}?`}
        keepMounted={false}
      >
        <Confirmation list={list} id={id} tag={stored.tag} onCancel={() => setIsConfirming(false)} />
      </Modal>
    </>
  );
}

interface ConfirmationProps {
  readonly list: OnList;
  readonly id: string;
  readonly tag: string | undefined;
  readonly onCancel: () => void;
}

function Confirmation({ list, id, tag, onCancel }: ConfirmationProps) {
  const { actor, entity } = list;
  const name = entity.entityName;
  const [typed, setTyped] = useState('');
  const [job, setJob] = useState<Job>();
  const forbidding = useForbidding({ actor, entity: name, id });
  const end = async () => {
    list.onClose();
    await forgetRecords(actor, name);
    list.refresh();
  };
  const remove = useMutation({
    mutationFn: () =>
      callApp(actor, 'DELETE', pathOf('delete', name, id), { headers: tag === undefined ? {} : { 'If-Match': tag } }),
    onSuccess: async ({ status, body }) => {
      if (status === 202) setJob(body as Job);
      else await end();
    },
  });
  if (job !== undefined) return <RemovalJob actor={actor} started={job} onDone={() => void end()} onClose={onCancel} />;
  if (forbidding.length > 0)
    return (
      <Stack>
        <Dependents actor={actor} entity={name} id={id} />
        <Text size="sm">
          The record can be deleted once no {forbidding.join(', ')} refers to it: change or delete those first.
        </Text>
        <Group justify="flex-end">
          <Button data-autofocus onClick={onCancel}>
            Close
          </Button>
        </Group>
      </Stack>
    );
  return (
    <Stack>
      <Dependents actor={actor} entity={name} id={id} />
      <TextInput
        label="Type delete to confirm it"
        value={typed}
        autoComplete="off"
        data-autofocus
        onChange={({ currentTarget: { value } }) => setTyped(value)}
      />
      <SaveProblem error={remove.error} fields={[]} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <ReasonedButton
          reason={typed.trim() === 'delete' ? undefined : 'Type delete first.'}
          color="red"
          loading={remove.isPending}
          onClick={() => remove.mutate()}
        >
          Delete the record
        </ReasonedButton>
      </Group>
      <Text size="xs" c="dimmed">
        A deleted record cannot be brought back.
      </Text>
    </Stack>
  );
}
