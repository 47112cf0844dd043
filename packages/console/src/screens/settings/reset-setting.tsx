import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { keyOfKind } from '../../components/item-versions.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { RemovalProblem } from '../config/removal-problem.tsx';

interface Props {
  /** `<group>.<name>`. */
  readonly name: string;
  /** Of the value that is shown: another one is not reset. */
  readonly version: number;
  readonly reason: string | undefined;
  readonly onReset: () => void;
}

/** Gives a setting its default back. */
export function ResetSetting({ name, version, reason, onReset }: Props) {
  const [isConfirming, setIsConfirming] = useState(false);
  /** The version when the reset was asked for. */
  const [seen, setSeen] = useState(version);
  const reset = useMutation({
    mutationFn: () =>
      call('removeConfigItem', { params: { kind: 'settings', name }, headers: { 'If-Match': `"${seen}"` } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [keyOfKind('settings')] });
      setIsConfirming(false);
      onReset();
    },
    onError: () => queryClient.invalidateQueries({ queryKey: [keyOfKind('settings')] }),
  });
  const ask = () => {
    reset.reset();
    setSeen(version);
    setIsConfirming(true);
  };
  return (
    <>
      <ReasonedButton reason={reason} variant="default" color="red" onClick={ask}>
        Reset to the default
      </ReasonedButton>
      <Modal opened={isConfirming} onClose={() => setIsConfirming(false)} title={`Reset ${name} to its default?`}>
        <Stack>
          <Text size="sm">
            The default applies in test within a second. The value of today stays among the versions of the setting.
          </Text>
          <RemovalProblem error={reset.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setIsConfirming(false)}>
              Cancel
            </Button>
            <Button color="red" loading={reset.isPending} onClick={() => reset.mutate()}>
              Reset it
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
