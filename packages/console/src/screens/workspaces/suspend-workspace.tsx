import { Modal, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ReasonForm } from '../../components/reason-form.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import type { Workspace } from './queries.ts';

interface Props {
  readonly workspace: Workspace;
}

/** Bars the members of the workspace until it is resumed. */
export function SuspendWorkspace({ workspace: { code, name, state } }: Props) {
  const { adminReason } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const founding = state === 'founding' ? 'The workspace is still being founded.' : undefined;
  return (
    <>
      <ReasonedButton reason={adminReason ?? founding} variant="default" color="red" onClick={() => setIsOpen(true)}>
        Suspend
      </ReasonedButton>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={`Suspend ${name}?`} keepMounted={false}>
        <SuspendForm code={code} onClose={() => setIsOpen(false)} />
      </Modal>
    </>
  );
}

function SuspendForm({ code, onClose }: { readonly code: string; readonly onClose: () => void }) {
  const { env } = usePlace();
  const [typed, setTyped] = useState('');
  const suspend = useMutation({
    mutationFn: (reason: string) => call('suspendWorkspace', { params: { tenant_code: code }, body: { env, reason } }),
    onSuccess: async () => {
      onClose();
      await readWorkspacesAgain();
    },
  });
  return (
    <ReasonForm
      action="Suspend the workspace"
      isDangerous
      missing={typed === code ? undefined : 'Type the code of the workspace first.'}
      work={suspend}
      onSend={suspend.mutate}
      onClose={onClose}
    >
      <Text size="sm">
        All calls of its members and service keys are refused at once. Records, memberships and policies stay, and jobs
        of the org go on. Deliveries of events and runs of logic blocks wait; messages to its hooks are refused, and due
        times of schedules pass. An admin of the org can resume the workspace.
      </Text>
      <TextInput
        label={`Type ${code} to confirm it`}
        value={typed}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => setTyped(value)}
      />
    </ReasonForm>
  );
}

/** Lets the members in again. */
export function ResumeWorkspace({ workspace: { code, name } }: Props) {
  const { env, adminReason } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  const resume = useMutation({
    mutationFn: (reason: string) =>
      call('resumeWorkspace', {
        params: { tenant_code: code },
        body: { env, ...(reason === '' ? {} : { reason }) },
      }),
    onSuccess: async () => {
      close();
      await readWorkspacesAgain();
    },
  });
  return (
    <>
      <ReasonedButton reason={adminReason} onClick={() => setIsOpen(true)}>
        Resume
      </ReasonedButton>
      <Modal opened={isOpen} onClose={close} title={`Resume ${name}?`} keepMounted={false}>
        <ReasonForm action="Resume the workspace" isOptional work={resume} onSend={resume.mutate} onClose={close}>
          <Text size="sm">
            Its members are let in again, with the tokens that they have. Deliveries and runs that waited go on within
            seconds; of very many, what comes behind the first 200 within a minute.
          </Text>
        </ReasonForm>
      </Modal>
    </>
  );
}

function readWorkspacesAgain(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['workspaces'] });
}
