import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';

export interface FieldErrors {
  /** What the server said of one field of the form. */
  at(name: string): string | undefined;
}

interface Props {
  readonly submit: string;
  /** Gets what was typed, by the names of the fields. */
  readonly onSubmit: (values: Readonly<Record<string, string>>) => Promise<void>;
  readonly fields: readonly string[];
  readonly children: (errors: FieldErrors) => ReactNode;
}

/** A short form. The server is the judge of what was typed; what it refuses stays in the fields. */
export function AccountForm({ submit, onSubmit, fields, children }: Props) {
  const { mutate, isPending, error } = useMutation({ mutationFn: onSubmit });
  const problem = error instanceof ApiProblem ? error : undefined;
  const pointers = fields.map((name) => `/${name}`);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    mutate(Object.fromEntries(fields.map((name) => [name, String(data.get(name) ?? '')])));
  };
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        {children({ at: (name) => problem?.errorAt(`/${name}`) })}
        <ProblemAlert error={error} shownAtFields={pointers} />
        <Button type="submit" loading={isPending} fullWidth mt="xs">
          {submit}
        </Button>
      </Stack>
    </form>
  );
}
