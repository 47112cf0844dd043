import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';

interface Props {
  readonly name: string;
  /** The groups of new workspaces that name it. */
  readonly groups: readonly string[];
  readonly reason: string | undefined;
  readonly isRemoving: boolean;
  readonly error: unknown;
  readonly onRemove: () => void;
}

/** Takes a template out of what new workspaces get. */
export function RemoveTemplate({ name, groups, reason, isRemoving, error, onRemove }: Props) {
  const [isConfirming, setIsConfirming] = useState(false);
  return (
    <>
      <ReasonedButton reason={reason} variant="subtle" color="red" onClick={() => setIsConfirming(true)}>
        Delete the template
      </ReasonedButton>
      <Modal opened={isConfirming} onClose={() => setIsConfirming(false)} title={`Delete the template ${name}?`}>
        <Stack>
          <Text size="sm">
            Workspaces that are founded from now on do not get it
            {groups.length === 0 ? '' : `, and their groups ${groups.join(', ')} begin without it`}. Workspaces that
            exist keep their policies. Earlier versions of the setting keep the template.
          </Text>
          <ProblemAlert error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setIsConfirming(false)} data-autofocus>
              Cancel
            </Button>
            <Button color="red" loading={isRemoving} onClick={onRemove}>
              Delete
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
