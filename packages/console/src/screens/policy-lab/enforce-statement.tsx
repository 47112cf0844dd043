import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { callApp } from '../../api/app.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { JsonBlock } from '../../components/json-block.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { accessKey, type Policy, policyQuery } from '../policies/queries.ts';
import { useBuilder, useReadOnlyReason } from '../policies/use-builder.ts';
import type { ReportedUse } from './queries.ts';
import { wouldOf } from './words.ts';

interface Props {
  readonly use: ReportedUse;
  readonly workspace: string;
}

/** Has a statement that is only reported enforced; in production it says what to change. */
export function EnforceStatement({ use, workspace }: Props) {
  const { env } = usePlace();
  const [isConfirming, setIsConfirming] = useState(false);
  const name = use.Sid || `statement ${use.index + 1}`;
  return (
    <>
      <Button variant="default" size="compact-sm" aria-label={`Enforce ${name}`} onClick={() => setIsConfirming(true)}>
        {env === 'test' ? 'Enforce' : 'How to enforce'}
      </Button>
      <Modal
        opened={isConfirming}
        onClose={() => setIsConfirming(false)}
        title={`Enforce ${name} of ${use.policy}`}
        size="lg"
      >
        {isConfirming && <Enforce use={use} workspace={workspace} close={() => setIsConfirming(false)} />}
      </Modal>
    </>
  );
}

function Enforce({ use, workspace, close }: Props & { readonly close: () => void }) {
  const { env } = usePlace();
  const policy = useQuery({ ...policyQuery({ env, workspace }, use.policy_id), staleTime: 0 });
  return (
    <Loaded query={policy}>
      {(data) => {
        const statement = statementOf(data, use);
        return statement === undefined ? (
          <Text size="sm">The policy has no such statement any more, or it is enforced already.</Text>
        ) : (
          <Confirm use={use} policy={data} enforced={statement} close={close} />
        );
      }}
    </Loaded>
  );
}

/** The statement without its mode; undefined where what lies at its place is another one, or is enforced. */
function statementOf({ statements }: Policy, { index, Sid }: ReportedUse): object | undefined {
  const statement = statements[index];
  if (typeof statement !== 'object' || statement === null) return undefined;
  const { Mode, ...enforced } = statement as Readonly<Record<string, unknown>>;
  return Mode === 'report' && enforced.Sid === Sid ? enforced : undefined;
}

interface ConfirmProps {
  readonly use: ReportedUse;
  readonly policy: Policy;
  readonly enforced: object;
  readonly close: () => void;
}

function Confirm({ use, policy, enforced, close }: ConfirmProps) {
  const readOnlyReason = useReadOnlyReason();
  const actor = useBuilder();
  const save = useMutation({
    mutationFn: async () => {
      if (actor === undefined) return;
      await callApp(actor, 'PUT', `/update/aclpolicy/${policy.id}`, {
        headers: { 'If-Match': `"${policy.version}"` },
        body: { name: policy.name, statements: policy.statements.with(use.index, enforced) },
      });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [accessKey] });
      close();
    },
  });
  return (
    <Stack>
      <Text size="sm">
        It would have {wouldOf(use.would_deny, use.would_allow)}. Once it is enforced, it decides such calls at once,
        for everyone who holds the policy.
      </Text>
      <Text size="sm">
        {readOnlyReason === undefined
          ? 'The statement, as it is stored then:'
          : 'An admin of the workspace replaces the statement in the policy by this one, without its mode:'}
      </Text>
      <JsonBlock label="The enforced statement" value={enforced} />
      <ProblemAlert error={save.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <ReasonedButton reason={readOnlyReason} loading={save.isPending} onClick={() => save.mutate()}>
          Enforce the statement
        </ReasonedButton>
      </Group>
    </Stack>
  );
}
