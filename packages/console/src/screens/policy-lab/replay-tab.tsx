import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { Loaded } from '../../components/loaded.tsx';
import { policyQuery } from '../policies/queries.ts';
import { DraftEditor } from './draft-editor.tsx';
import { PolicySelect } from './named-select.tsx';

/** A draft of a policy, and what it would have done to the recorded calls. */
export function ReplayTab({ workspace }: { readonly workspace: string }) {
  const { policy } = useSearch({ from: '/o/$org/$env/policy-lab' });
  const navigate = useNavigate();
  const choose = (chosen: string | undefined) =>
    void navigate({ to: '.', search: (kept: object) => ({ ...kept, policy: chosen }) as never });
  return (
    <Stack gap="lg">
      <Group align="flex-end" gap="sm">
        <PolicySelect
          key={policy}
          workspace={workspace}
          label="Policy to change"
          chosen={policy === 'new' ? undefined : policy}
          onChange={choose}
        />
        <Button variant="default" onClick={() => choose('new')} disabled={policy === 'new'}>
          Start a new policy
        </Button>
      </Group>
      {policy === undefined ? (
        <Text size="sm" c="dimmed">
          Choose a policy and edit its statements, or start a new one. A replay then decides the recorded calls of the
          workspace again, as though the draft held.
        </Text>
      ) : policy === 'new' ? (
        <DraftEditor key="new" workspace={workspace} />
      ) : (
        <Stored key={policy} workspace={workspace} id={policy} />
      )}
    </Stack>
  );
}

function Stored({ workspace, id }: { readonly workspace: string; readonly id: string }) {
  const { env } = usePlace();
  const policy = useQuery(policyQuery({ env, workspace }, id));
  return (
    <Loaded query={policy} skeleton={<Skeleton height={420} />}>
      {(stored) => <DraftEditor workspace={workspace} stored={stored} />}
    </Loaded>
  );
}
