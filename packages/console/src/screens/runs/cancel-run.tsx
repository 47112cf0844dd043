import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { runsKey } from './queries.ts';

/** Ends a run that is not over. */
export function CancelRun({ id, reason }: { readonly id: string; readonly reason: string | undefined }) {
  const { env } = usePlace();
  const [isConfirming, setIsConfirming] = useState(false);
  const cancel = useMutation({
    mutationFn: () => call('cancelRun', { params: { id }, query: { env } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [runsKey] }),
    onSuccess: () => setIsConfirming(false),
  });
  return (
    <>
      <ReasonedButton reason={reason} variant="default" color="red" onClick={() => setIsConfirming(true)}>
        Cancel the run
      </ReasonedButton>
      <Modal opened={isConfirming} onClose={() => setIsConfirming(false)} title="Cancel the run?">
        <Stack>
          <Text size="sm">
            No further step is done. What the run has done stays done. It can be retried afterwards.
          </Text>
          <ProblemAlert error={cancel.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setIsConfirming(false)}>
              Let it go on
            </Button>
            <Button color="red" loading={cancel.isPending} onClick={() => cancel.mutate()}>
              Cancel it
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
