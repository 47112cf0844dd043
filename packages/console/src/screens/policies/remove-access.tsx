import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { callApp } from '../../api/app.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { accessKey } from './queries.ts';
import { useBuilder } from './use-builder.ts';

interface Props {
  readonly entity: 'aclpolicy' | 'group';
  readonly id: string;
  readonly name: string;
  readonly what: 'policy' | 'group';
  /** The screen that lists them. */
  readonly list: 'policies' | 'groups';
  /** Why it cannot be removed. */
  readonly reason: string | undefined;
  /** Whom it affects. */
  readonly children: ReactNode;
}

/** Removes a policy or a group once its name is typed. */
export function RemoveAccess({ entity, id, name, what, list, reason, children }: Props) {
  const { org, env } = usePlace();
  const actor = useBuilder();
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const remove = useMutation({
    mutationFn: async () => {
      if (actor !== undefined) await callApp(actor, 'DELETE', `/delete/${entity}/${id}`);
    },
    onSuccess: async () => {
      await navigate({ to: `/o/$org/$env/${list}`, params: { org, env }, ignoreBlocker: true });
      queryClient.removeQueries({ queryKey: [accessKey, what] });
      await queryClient.invalidateQueries({ queryKey: [accessKey] });
    },
  });
  const close = () => {
    setIsAsking(false);
    setTyped('');
    remove.reset();
  };
  return (
    <>
      <ReasonedButton reason={reason} variant="default" color="red" onClick={() => setIsAsking(true)}>
        Delete
      </ReasonedButton>
      <Modal opened={isAsking} onClose={close} title={`Delete the ${what} ${name}?`}>
        <Stack>
          {children}
          <TextInput
            label={`Type ${name} to confirm it`}
            value={typed}
            autoComplete="off"
            data-autofocus
            onChange={({ currentTarget: { value } }) => setTyped(value)}
          />
          <ProblemAlert error={remove.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <ReasonedButton
              reason={typed === name ? undefined : `Type the name of the ${what} first.`}
              color="red"
              loading={remove.isPending}
              onClick={() => remove.mutate()}
            >
              Delete the {what}
            </ReasonedButton>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
