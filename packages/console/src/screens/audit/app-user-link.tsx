import { Anchor } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import type { Environment } from '../../api/session.ts';

interface Props {
  readonly id: string;
  readonly env: Environment | undefined;
}

/** To the account of a user of the app, which the log knows by its id alone. Nothing where no org is shown. */
export function AppUserLink({ id, env }: Props) {
  const { org } = useParams({ strict: false });
  if (org === undefined || env === undefined) return null;
  return (
    <Anchor component={Link} to={`/o/${org}/${env}/app-users/${id}`} size="sm">
      The account of this user
    </Anchor>
  );
}
