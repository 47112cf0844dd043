import { Alert, Anchor, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Actor } from '../../api/app.ts';
import { memberQuery } from '../../api/members.ts';
import { ApiProblem } from '../../api/problem.ts';
import { CopyId } from '../../components/copy-id.tsx';

/** A record that its reader may read and not change. */
export interface ReadAlone {
  readonly actor: Actor;
  readonly entity: string;
  readonly id: string;
}

/** Why a change in the name of a user was refused, where the API says only that there is no such record. */
export function MayNotChange({ actor, entity, id, error }: ReadAlone & { readonly error: unknown }) {
  const { org, env, workspace, user = '' } = actor;
  const member = useQuery(memberQuery({ env, workspace }, user));
  const call = { member: user, method: 'PUT', path: `/update/${entity}/${id}`, record: id };
  return (
    <Alert color="red" role="alert" title={`${member.data?.email ?? user} may read this record, but not change it.`}>
      <Anchor
        component={Link}
        to={`/o/${org}/${env}/simulator`}
        search={{ w: workspace, ...call } as never}
        size="sm"
        underline="always"
      >
        See which policies decide it
      </Anchor>
      {error instanceof ApiProblem && error.requestId !== undefined && (
        <Group gap={6} mt="xs">
          <Text size="xs">{error.code}, request</Text>
          <CopyId value={error.requestId} what="request id" />
        </Group>
      )}
    </Alert>
  );
}
