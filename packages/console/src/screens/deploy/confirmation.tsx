import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { usePlace } from '../../api/session.ts';
import { ReasonedButton } from '../../components/reasoned-button.tsx';

interface Props {
  /** The text of the button. */
  readonly action: string;
  /** Why it may not be done yet for another reason than a missing confirmation. */
  readonly reason: string | undefined;
  readonly isPending: boolean;
  readonly onConfirm: () => void;
  readonly close: () => void;
}

/** The end of a dialog that changes production: the code of the app is typed before anything happens. */
export function Confirmation({ action, reason, isPending, onConfirm, close }: Props) {
  const { org } = usePlace();
  const [typed, setTyped] = useState('');
  return (
    <>
      <TextInput
        label={`Type ${org} to confirm it`}
        description="The code of the app whose production changes."
        value={typed}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => setTyped(value)}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <ReasonedButton
          reason={reason ?? (typed === org ? undefined : 'Type the code of the app first.')}
          loading={isPending}
          onClick={onConfirm}
        >
          {action}
        </ReasonedButton>
      </Group>
    </>
  );
}
