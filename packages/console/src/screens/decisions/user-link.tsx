import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import type { Decision } from './queries.ts';

/** The user whose call was denied; a link where the user is in a workspace. */
export function UserLink({ decision: { env, tenant_code, user_id, email } }: { readonly decision: Decision }) {
  const { org } = usePlace();
  if (tenant_code === '') return email ?? user_id;
  return (
    <Anchor component={Link} to={`/o/${org}/${env}/users/${user_id}`} search={{ w: tenant_code } as never} size="sm">
      {email ?? user_id}
    </Anchor>
  );
}
