import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { JsonValueInput } from '../../components/schema-form/json-value-input.tsx';
import { isObject, type Schema } from '../../components/schema-form/schema.ts';
import { JsonInputsOf } from '../../components/schema-form/unread-texts.ts';
import { useDraft } from '../../components/use-draft.ts';
import { runsKey } from '../runs/queries.ts';
import { useRunWorkspace, WorkspaceInput } from './workspace-input.tsx';

interface Props {
  readonly block: string;
  /** Why it cannot be begun here; undefined where it can. */
  readonly reason: string | undefined;
  /** Left out where the input is empty, as that of a schedule. */
  readonly hasInput?: true | undefined;
  /** What the button is called for those who do not see what stands beside it. */
  readonly label?: string;
  readonly size?: 'compact-sm';
}

export const inputSchema: Schema = { description: 'A JSON object that fits the input schema of the block.' };

/** Begins a run of a live block, and leads to it. */
export function RunNow({ block, reason, hasInput, label, size }: Props) {
  const [isConfirming, setIsConfirming] = useState(false);
  return (
    <>
      <ReasonedButton
        reason={reason}
        variant="default"
        {...(size === undefined ? {} : { size })}
        {...(label === undefined ? {} : { 'aria-label': label })}
        onClick={() => setIsConfirming(true)}
      >
        Run now
      </ReasonedButton>
      <Modal opened={isConfirming} onClose={() => setIsConfirming(false)} title={`Run ${block} now?`}>
        {isConfirming && <Ask block={block} hasInput={hasInput} close={() => setIsConfirming(false)} />}
      </Modal>
    </>
  );
}

function Ask({ block, hasInput, close }: Pick<Props, 'block' | 'hasInput'> & { readonly close: () => void }) {
  const { org, env } = usePlace();
  const navigate = useNavigate();
  const { code, setCode } = useRunWorkspace({ isOpen: true });
  const draft = useDraft<{ readonly input: unknown }>({ input: {} }, () => undefined);
  const { input } = draft.value;
  const begin = useMutation({
    mutationFn: () =>
      call('beginRun', {
        params: { name: block },
        query: { env },
        body: { tenant_code: code.trim(), ...(isObject(input) ? { input: { ...input } } : {}) },
      }),
    onSuccess: async ({ run }) => {
      await queryClient.invalidateQueries({ queryKey: [runsKey] });
      close();
      await navigate({ to: '/o/$org/$env/runs/$run', params: { org, env, run } });
    },
  });
  const reason =
    code.trim() === ''
      ? 'Name a workspace first.'
      : (draft.whyInvalid ?? (isObject(input) ? undefined : 'The input is a JSON object.'));
  return (
    <Stack>
      <Text size="sm">
        {env === 'prod'
          ? 'It runs in production, as the app, by the policies of the block. It writes and sends as any other run does.'
          : 'It runs in test, in your name. It writes and sends as any other run does.'}
      </Text>
      <WorkspaceInput value={code} onChange={setCode} />
      {hasInput === true && (
        <JsonInputsOf value={draft}>
          <JsonValueInput
            schema={inputSchema}
            label="Input"
            value={input}
            pointer="/input"
            isReadOnly={false}
            errorAt={() => undefined}
            onChange={(value) => draft.setValue({ input: value ?? {} })}
          />
        </JsonInputsOf>
      )}
      <ProblemAlert error={begin.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Close
        </Button>
        <ReasonedButton reason={reason} loading={begin.isPending} onClick={() => begin.mutate()}>
          Begin the run
        </ReasonedButton>
      </Group>
    </Stack>
  );
}
