import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';

/** Removes the entity with its records, once its name is typed. */
export function RemoveEntity({ name }: { readonly name: string }) {
  const { org, env, readOnlyReason } = usePlace();
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const remove = useMutation({
    mutationFn: () => call('removeEntity', { query: { entityname: name } }),
    onSuccess: async () => {
      await navigate({ to: '/o/$org/$env/entities', params: { org, env } });
      await queryClient.invalidateQueries({ queryKey: ['entities'] });
    },
  });
  const close = () => {
    setIsAsking(false);
    setTyped('');
    remove.reset();
  };
  return (
    <>
      <ReasonedButton reason={readOnlyReason} variant="default" color="red" onClick={() => setIsAsking(true)}>
        Remove
      </ReasonedButton>
      <Modal opened={isAsking} onClose={close} title={`Remove ${name} and its records?`}>
        <Stack>
          <Text size="sm">
            Its API and its records in all workspaces of test are gone at once. Production keeps its own until a deploy
            takes it out there.
          </Text>
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
              reason={typed === name ? undefined : 'Type the name of the entity first.'}
              color="red"
              loading={remove.isPending}
              onClick={() => remove.mutate()}
            >
              Remove the entity
            </ReasonedButton>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
