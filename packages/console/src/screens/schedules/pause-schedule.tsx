import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { schedulesKey } from './queries.ts';

interface Props {
  readonly name: string;
  readonly isPaused: boolean;
  /** Why the user may not; undefined if he may. */
  readonly reason: string | undefined;
}

/** Pauses a schedule or resumes it. */
export function PauseSchedule({ name, isPaused, reason }: Props) {
  const { env } = usePlace();
  const [isConfirming, setIsConfirming] = useState(false);
  const turn = useMutation({
    mutationFn: () => call(isPaused ? 'resumeSchedule' : 'pauseSchedule', { params: { name }, query: { env } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [schedulesKey] });
      setIsConfirming(false);
    },
  });
  const word = isPaused ? 'Resume' : 'Pause';
  return (
    <>
      <ReasonedButton
        reason={reason}
        variant="default"
        size="compact-sm"
        aria-label={`${word} ${name}`}
        onClick={() => setIsConfirming(true)}
      >
        {word}
      </ReasonedButton>
      <Modal opened={isConfirming} onClose={() => setIsConfirming(false)} title={`${word} ${name}?`}>
        <Stack>
          <Text size="sm">
            {isPaused
              ? 'It runs again from its next time on. What was due meanwhile is not made up for.'
              : `It begins no run in ${env === 'prod' ? 'production' : 'test'} until it is resumed. Runs that have begun go on, and a deploy does not resume it.`}
          </Text>
          <ProblemAlert error={turn.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setIsConfirming(false)}>
              Close
            </Button>
            <Button loading={turn.isPending} data-autofocus onClick={() => turn.mutate()}>
              {word} it
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
