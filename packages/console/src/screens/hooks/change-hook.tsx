import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { WorkspaceSelect } from '../../components/org/workspace-select.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { type HookDetails, hooksKey } from './queries.ts';

interface Props {
  readonly hook: HookDetails;
}

/** What the environment says of a hook. No deploy changes it. */
function useChange({ name }: HookDetails) {
  const { env } = usePlace();
  return useMutation({
    mutationFn: (body: { readonly tenant_code?: string; readonly paused?: boolean }) =>
      call('setHook', { params: { name }, query: { env }, body }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [hooksKey] }),
  });
}

export function PauseHook({ hook }: Props) {
  const { adminReason } = usePlace();
  const change = useChange(hook);
  return (
    <Group gap="xs">
      <ProblemAlert error={change.error} />
      <ReasonedButton
        reason={adminReason}
        variant={hook.paused ? 'filled' : 'default'}
        loading={change.isPending}
        onClick={() => change.mutate({ paused: !hook.paused })}
      >
        {hook.paused ? 'Resume' : 'Pause'}
      </ReasonedButton>
    </Group>
  );
}

export function ChangeWorkspace({ hook }: Props) {
  const { adminReason } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <ReasonedButton reason={adminReason} variant="subtle" size="compact-xs" onClick={() => setIsOpen(true)}>
        Change the workspace
      </ReasonedButton>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={`In which workspace does ${hook.name} run?`}>
        {isOpen && <Choice hook={hook} close={() => setIsOpen(false)} />}
      </Modal>
    </>
  );
}

function Choice({ hook, close }: Props & { readonly close: () => void }) {
  const change = useChange(hook);
  const [chosen, setChosen] = useState(hook.tenant_code);
  const problem = change.error instanceof ApiProblem ? change.error : undefined;
  return (
    <Stack>
      <Text size="sm">
        Messages that come from now on begin their runs there. Runs that have begun stay where they are.
      </Text>
      <WorkspaceSelect value={chosen} isFocused error={problem?.errorAt('/tenant_code')} onChange={setChosen} />
      <ProblemAlert error={change.error} shownAtFields={['/tenant_code']} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <ReasonedButton
          reason={
            chosen === ''
              ? 'Choose a workspace first.'
              : chosen === hook.tenant_code
                ? 'It runs there already.'
                : undefined
          }
          loading={change.isPending}
          onClick={() => {
            if (chosen !== '') change.mutate({ tenant_code: chosen }, { onSuccess: close });
          }}
        >
          Change the workspace
        </ReasonedButton>
      </Group>
    </Stack>
  );
}
