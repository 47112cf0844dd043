import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog/dialog.tsx';
import { ProblemAlert } from './problem-alert.tsx';
import { ReasonedButton } from './reasoned-button.tsx';

interface Props {
  readonly title: string;
  /** What is typed to confirm it. */
  readonly name: string;
  /** What has the name, such as `entity`. */
  readonly what: string;
  /** The action, as on the button. */
  readonly action: string;
  readonly work: { readonly mutate: () => void; readonly isPending: boolean; readonly error: Error | null };
  readonly onClose: () => void;
  /** What it affects. */
  readonly children: ReactNode;
}

/** Asks before something is destroyed: its name is to be typed. */
export function TypedConfirmation({ title, name, what, action, work, onClose, children }: Props) {
  const [typed, setTyped] = useState('');
  return (
    <Dialog onClose={onClose} title={title}>
      <Stack>
        {children}
        <TextInput
          label={`Type ${name} to confirm it`}
          value={typed}
          autoComplete="off"
          data-autofocus
          onChange={({ currentTarget: { value } }) => setTyped(value)}
        />
        <ProblemAlert error={work.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <ReasonedButton
            reason={typed === name ? undefined : `Type the name of the ${what} first.`}
            color="red"
            loading={work.isPending}
            onClick={() => work.mutate()}
          >
            {action}
          </ReasonedButton>
        </Group>
      </Stack>
    </Dialog>
  );
}
