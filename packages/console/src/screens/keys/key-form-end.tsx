import { Button, Group, TextInput } from '@mantine/core';
import { ApiProblem } from '../../api/problem.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';

interface Props {
  /** A day, or empty. */
  readonly until: string;
  readonly make: { readonly error: Error | null; readonly isPending: boolean };
  readonly onUntil: (day: string) => void;
  readonly onCancel: () => void;
}

/** What the forms of both kinds of keys end with: when the key expires, what was refused, and the buttons. */
export function KeyFormEnd({ until, make: { error, isPending }, onUntil, onCancel }: Props) {
  const problem = error instanceof ApiProblem ? error : undefined;
  return (
    <>
      <TextInput
        type="date"
        label="Expires after"
        description="Left out, it does not expire."
        value={until}
        error={problem?.errorAt('/expires_at') && 'Choose a day to come.'}
        onChange={({ currentTarget: { value } }) => onUntil(value)}
      />
      <ProblemAlert error={error} shownAtFields={['/name', '/expires_at']} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={isPending}>
          Create the key
        </Button>
      </Group>
    </>
  );
}
