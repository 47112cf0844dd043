import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';

/** Makes a workspace of the test environment. */
export function NewWorkspace() {
  const { env, adminReason } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const inProduction =
    env === 'prod' ? 'In production the users of the app found the workspaces. Make one in test.' : undefined;
  return (
    <>
      <ReasonedButton reason={inProduction ?? adminReason} onClick={() => setIsOpen(true)}>
        New workspace
      </ReasonedButton>
      {isOpen && (
        <Dialog onClose={() => setIsOpen(false)} title="New workspace">
          <WorkspaceForm onClose={() => setIsOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

function WorkspaceForm({ onClose }: { readonly onClose: () => void }) {
  const { org } = usePlace();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [code, setCode] = useState('');
  const make = useMutation({
    mutationFn: () => {
      const wanted = code.trim() === '' ? {} : { code: code.trim() };
      return call('createOrgWorkspace', { body: { env: 'test', name: name.trim(), ...wanted } });
    },
    onSuccess: async (workspace) => {
      onClose();
      void queryClient.invalidateQueries({ queryKey: ['overview'] });
      await queryClient.invalidateQueries({ queryKey: ['workspaces', 'test'] });
      await navigate({ to: `/o/${org}/test/workspaces/${workspace.code}` });
    },
  });
  const problem = make.error instanceof ApiProblem ? make.error : undefined;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <form onSubmit={send}>
      <Stack>
        <TextInput
          label="Name"
          description="Such as the name of a customer. Its members see it."
          required
          data-autofocus
          maxLength={128}
          value={name}
          error={problem?.errorAt('/name')}
          onChange={({ currentTarget: { value } }) => setName(value)}
        />
        <TextInput
          label="Code"
          description="Names the workspace in tokens and addresses. Left empty, it is made from the name."
          placeholder="From the name"
          maxLength={63}
          value={code}
          error={problem?.errorAt('/code')}
          onChange={({ currentTarget: { value } }) => setCode(value)}
        />
        <ProblemAlert error={make.error} shownAtFields={['/name', '/code']} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <ReasonedButton
            type="submit"
            reason={name.trim() === '' ? 'Name the workspace.' : undefined}
            loading={make.isPending}
          >
            Create the workspace
          </ReasonedButton>
        </Group>
      </Stack>
    </form>
  );
}
