import { Alert, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { meQuery, usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { When } from '../../components/when.tsx';
import classes from './events.module.css';
import { type EventState, eventsKey, useActingReason } from './queries.ts';

interface Props {
  readonly name: string;
  readonly isPaused: boolean;
}

/** Holds what an event sends, or ends that. */
export function PauseEvent({ name, isPaused }: Props) {
  const { env } = usePlace();
  const actingReason = useActingReason();
  const change = useMutation({
    mutationFn: () => call(isPaused ? 'resumeEvent' : 'pauseEvent', { params: { name }, query: { env } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [eventsKey, 'states'] }),
  });
  return (
    <Group gap="xs">
      <ProblemAlert error={change.error} />
      <ReasonedButton
        reason={actingReason}
        variant={isPaused ? 'filled' : 'default'}
        loading={change.isPending}
        onClick={() => change.mutate()}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </ReasonedButton>
    </Group>
  );
}

/** Has what waits sent without a pause before it, such as after the repair of a receiver. */
export function SendNow({ name }: Pick<Props, 'name'>) {
  const { env } = usePlace();
  const actingReason = useActingReason();
  const send = useMutation({
    mutationFn: () => call('resumeEvent', { params: { name }, query: { env } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [eventsKey] }),
  });
  return (
    <Group gap="xs">
      <ProblemAlert error={send.error} />
      <ReasonedButton reason={actingReason} variant="default" loading={send.isPending} onClick={() => send.mutate()}>
        Send what waits now
      </ReasonedButton>
    </Group>
  );
}

interface NoticeProps {
  readonly name: string;
  readonly paused: NonNullable<EventState['paused']>;
}

export function PausedNotice({ name, paused: { at, by } }: NoticeProps) {
  const { data: me } = useQuery(meQuery);
  return (
    <Alert color="yellow" role="note" title="Paused" classNames={{ title: classes.alertTitle ?? '' }}>
      <Text size="sm">
        {me?.user.id === by ? 'You paused it' : 'A builder paused it'} <When at={at} />. Writes go on, and what {name}{' '}
        would send waits in its order. After a resume it is sent at once; what is older than 24 hours by then is sent
        once.
      </Text>
    </Alert>
  );
}
