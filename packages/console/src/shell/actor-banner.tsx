import { Anchor, Button, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { forgetTokens } from '../api/app.ts';
import { memberQuery } from '../api/members.ts';
import { meQuery, usePlace } from '../api/session.ts';
import { forgetViewReason, keptViewReason, onViewReason } from '../api/view-reason.ts';
import { ReasonForm } from '../components/reason-form.tsx';
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
  const viewed = { org, env, user };
  const { data: me } = useQuery(meQuery);
  // What was said just now is kept a moment later.
  const [storedReason, setReason] = useState<{ readonly user: string; readonly reason: string }>();
  const reason = keptViewReason(viewed, me?.user.id) ?? (storedReason?.user === user ? storedReason.reason : undefined);
  const stop = (): void => {
    forgetViewReason(viewed);
    forgetTokens(viewed);
    void navigate({ to: '.', search: (kept) => ({ ...kept, u: undefined }) });
  };
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
        {reason !== undefined && ` Reason: ${reason}`}
      </Text>
      <Button size="compact-sm" variant="default" onClick={stop}>
        Stop
      </Button>
      <AskReason email={member.data?.email ?? user} onReason={(reason) => setReason({ user, reason })} onNone={stop} />
    </div>
  );
}

const nothingSent = { isPending: false, error: null };

/** The call that waits for the answer may come from a panel of the screen. */
const abovePanels = 390;

interface AskProps {
  readonly email: string;
  readonly onReason: (reason: string) => void;
  readonly onNone: () => void;
}

/** The question why a user of production is viewed, before the first call in the user's name. */
function AskReason({ email, onReason, onNone }: AskProps) {
  const [isConfirming, setIsConfirming] = useState(false);
  const answer = useRef<(reason: string | undefined) => void>(undefined);
  useEffect(() => {
    const end = onViewReason(
      () =>
        new Promise((resolve) => {
          answer.current = resolve;
          setIsConfirming(true);
        }),
    );
    return () => {
      end();
      // No call waits for an answer that cannot come.
      answer.current?.(undefined);
    };
  }, []);
  const close = (reason: string | undefined): void => {
    answer.current?.(reason);
    setIsConfirming(false);
    if (reason === undefined) onNone();
    else onReason(reason);
  };
  return (
    <Modal
      opened={isConfirming}
      onClose={() => close(undefined)}
      title={`View as ${email}`}
      keepMounted={false}
      zIndex={abovePanels}
    >
      <ReasonForm action="View as this user" work={nothingSent} onSend={close} onClose={() => close(undefined)}>
        <Text size="sm">
          This is a user of production. Records and API show what this user may read, for 15 minutes at a time.
        </Text>
      </ReasonForm>
    </Modal>
  );
}
