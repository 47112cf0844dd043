import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { ShownOnce } from '../../components/org/shown-once.tsx';
import { foundWorkspacesQuery, WorkspaceSelect } from '../../components/org/workspace-select.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { appUsersKey } from './queries.ts';

/** Makes an account of the test environment, with a password. */
export function NewAppUser() {
  const { env, adminReason } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const inProduction =
    env === 'prod'
      ? 'In production users sign up in the app, or are invited on the page of a workspace. Make an account in test.'
      : undefined;
  return (
    <>
      <ReasonedButton reason={inProduction ?? adminReason} onClick={() => setIsOpen(true)}>
        New app user
      </ReasonedButton>
      {isOpen && (
        <Dialog onClose={() => setIsOpen(false)} title="New app user" closeOnClickOutside={false}>
          <Making onClose={() => setIsOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

/** The workspace of the code that an app with one workspace has, which its first user founds. */
const mainCode = 'main';

function Making({ onClose }: { readonly onClose: () => void }) {
  const { workspace } = usePlace();
  const [email, setEmail] = useState('');
  const [chosen, setChosen] = useState<string>();
  const found = useQuery(foundWorkspacesQuery('test', ''));
  const codes = found.data?.items.map(({ code }) => code) ?? [];
  const first = codes.includes(mainCode) ? mainCode : (codes[0] ?? mainCode);
  const code = chosen ?? workspace ?? first;
  const make = useMutation({
    mutationFn: () => call('createAppUser', { body: { env: 'test', tenant_code: code, email: email.trim() } }),
    onSuccess: async () => {
      for (const key of [appUsersKey, 'workspaces', 'overview'])
        await queryClient.invalidateQueries({ queryKey: [key] });
    },
  });
  const problem = make.error instanceof ApiProblem ? make.error : undefined;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    make.mutate();
  };
  if (make.data !== undefined) return <Made {...make.data} onClose={onClose} />;
  return (
    <form onSubmit={send}>
      <Stack>
        <TextInput
          label="Email"
          type="email"
          required
          data-autofocus
          autoComplete="off"
          value={email}
          error={problem?.errorAt('/email')}
          onChange={({ currentTarget: { value } }) => setEmail(value)}
        />
        <WorkspaceSelect value={code} error={problem?.errorAt('/tenant_code')} onChange={setChosen} />
        <Text size="sm" c="dimmed">
          The first user of a workspace is its admin. Later ones get its policy of new members.
        </Text>
        <ProblemAlert error={make.error ?? found.error} shownAtFields={['/email', '/tenant_code']} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <ReasonedButton
            type="submit"
            reason={email.trim() === '' ? 'Enter the email of the user.' : undefined}
            loading={make.isPending}
          >
            Create the user
          </ReasonedButton>
        </Group>
      </Stack>
    </form>
  );
}

interface CreatedUserProps {
  readonly email: string;
  readonly tenant_code: string;
  readonly password: string | null;
  readonly onClose: () => void;
}

function Made({ email, tenant_code, password, onClose }: CreatedUserProps) {
  if (password !== null)
    return (
      <ShownOnce value={password} what="password" onDone={onClose}>
        {email} is in the workspace {tenant_code}, and signs in to the app with this password.
      </ShownOnce>
    );
  return (
    <Stack>
      <Alert color="teal" role="status" title={`${email} is in the workspace ${tenant_code}`}>
        <Text size="sm">The password was mailed to this address.</Text>
      </Alert>
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}
