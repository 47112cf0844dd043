import { Alert, Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';

const empty = { current_password: '', new_password: '' };

export function ChangePassword() {
  const [typed, setTyped] = useState(empty);
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () => call('changePassword', { body: typed }),
    onSuccess: () => setTyped(empty),
  });
  const isDirty = typed !== empty && Object.values(typed).some((text) => text !== '');
  const send = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          value={typed.current_password}
          onChange={({ currentTarget }) => setTyped({ ...typed, current_password: currentTarget.value })}
        />
        <PasswordInput
          label="New password"
          description="At least 10 characters. Every other session of yours ends."
          autoComplete="new-password"
          minLength={10}
          required
          value={typed.new_password}
          error={error instanceof ApiProblem ? error.errorAt('/new_password') : undefined}
          onChange={({ currentTarget }) => setTyped({ ...typed, new_password: currentTarget.value })}
        />
        <ProblemAlert error={error} shownAtFields={['/new_password']} />
        {isSuccess && !isDirty && (
          <Alert color="green" role="status">
            Your password is changed.
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={isPending}>
            Change the password
          </Button>
        </Group>
      </Stack>
      <UnsavedGuard isDirty={isDirty && !isPending} />
    </form>
  );
}
