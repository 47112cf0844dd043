import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ApiProblem } from '../api/problem.ts';
import { ProblemAlert } from './problem-alert.tsx';
import { ReasonedButton } from './reasoned-button.tsx';

/** As long as the audit log keeps a reason. */
const longestReason = 500;

interface Props {
  readonly action: string;
  readonly isDangerous?: true;
  /** Whether it may be left out. */
  readonly isOptional?: true;
  /** Why it cannot be done yet, beside a missing reason. */
  readonly missing?: string | undefined;
  readonly work: { readonly isPending: boolean; readonly error: Error | null };
  readonly onSend: (reason: string) => void;
  readonly onClose: () => void;
  /** What it does. */
  readonly children: ReactNode;
}

/** Asks why a thing is done to a user. The audit log keeps the answer. */
export function ReasonForm({ action, isDangerous, isOptional, missing, work, onSend, onClose, children }: Props) {
  const [reason, setReason] = useState('');
  const storedReason = reason.trim();
  const missingReason = storedReason === '' && isOptional !== true ? 'Say why first.' : undefined;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if ((missing ?? missingReason) === undefined) onSend(storedReason);
  };
  const problem = work.error instanceof ApiProblem ? work.error : undefined;
  return (
    <form onSubmit={send}>
      <Stack>
        {children}
        <TextInput
          label="Reason"
          description="The audit log keeps it for good. Name no private data in it."
          value={reason}
          required={isOptional !== true}
          maxLength={longestReason}
          error={problem?.errorAt('/reason')}
          autoComplete="off"
          data-autofocus
          onChange={({ currentTarget: { value } }) => setReason(value)}
        />
        <ProblemAlert error={work.error} shownAtFields={['/reason']} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <ReasonedButton
            type="submit"
            reason={missing ?? missingReason}
            loading={work.isPending}
            {...(isDangerous ? { color: 'red' } : {})}
          >
            {action}
          </ReasonedButton>
        </Group>
      </Stack>
    </form>
  );
}
