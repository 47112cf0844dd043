import { Anchor, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { memberQuery } from '../api/members.ts';
import { usePlace } from '../api/session.ts';
import classes from './shell.module.css';

interface Props {
  readonly workspace: string;
  readonly user: string;
}

/** Says in whose name the app is called, on every screen, with the way back. */
export function ActorBanner({ workspace, user }: Props) {
  const { org, env } = usePlace();
  const navigate = useNavigate();
  const member = useQuery(memberQuery({ env, workspace }, user));
  return (
    <div className={classes.actor} role="note" aria-label="Acting as a user">
      <Text size="sm" className={classes.actorName ?? ''}>
        <strong>Acting as</strong>{' '}
        <Anchor component={Link} to={`/o/${org}/${env}/users/${user}`} size="sm" underline="always">
          {member.data?.email ?? user}
        </Anchor>
        {member.isError
          ? ', who is not in this workspace.'
          : env === 'prod'
            ? ': Records and API read what this user may read.'
            : ': Records and API do what this user may do.'}
      </Text>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => void navigate({ to: '.', search: (kept) => ({ ...kept, u: undefined }) })}
      >
        Stop
      </Button>
    </div>
  );
}
