import { Group, Text } from '@mantine/core';
import { usePlace } from '../../../api/session.ts';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { counted } from '../../../components/words/counted.ts';

interface Props {
  readonly chosen: number;
  readonly onApply: (to: 'all' | 'chosen') => void;
}

/** As many as one application may name. */
const chosenMax = 200;

export function ApplyBar({ chosen, onApply }: Props) {
  const { adminReason } = usePlace();
  const reason =
    chosen === 0
      ? 'Choose workspaces in the list first.'
      : chosen > chosenMax
        ? `Choose at most ${chosenMax} workspaces, or all.`
        : undefined;
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" role="status">
        {chosen === 0 ? 'No workspace is chosen' : `${counted(chosen, 'workspace')} chosen`}
      </Text>
      <Group gap="xs">
        <ReasonedButton reason={adminReason ?? reason} variant="default" onClick={() => onApply('chosen')}>
          Apply to the chosen ones
        </ReasonedButton>
        <ReasonedButton reason={adminReason} onClick={() => onApply('all')}>
          Apply to all that differ
        </ReasonedButton>
      </Group>
    </Group>
  );
}
