import { Anchor, Group, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { When } from '../../components/when.tsx';
import { counted } from '../../components/words/counted.ts';
import { itemQuery } from '../config/queries.ts';
import { DeliveryState } from './delivery-list.tsx';
import type { EventContent } from './event-content.ts';
import classes from './events.module.css';
import { type Delivery, deliveryQuery, eventsKey, isUnderWay, useActingReason } from './queries.ts';
import { durationOf } from './words.ts';

/** One delivery of an event: of which write, and what became of each attempt. */
export function DeliveryScreen() {
  const { env } = usePlace();
  const { delivery: id } = useParams({ from: '/o/$org/$env/deliveries/$delivery' });
  const delivery = useQuery(deliveryQuery(env, id));
  const isGone = delivery.error instanceof ApiProblem && delivery.error.code === 'not_found';
  return (
    <Screen
      title="Delivery"
      intro={delivery.data && <DeliveryState state={delivery.data.state} />}
      actions={delivery.data && <SendAgain delivery={delivery.data} />}
    >
      {isGone ? (
        <EmptyState title="This delivery is not known">
          Deliveries are kept for 7 days once they have arrived, or as the plan says, and for 30 days if they were given
          up.
        </EmptyState>
      ) : (
        <Loaded query={delivery} skeleton={<Skeleton height={320} />}>
          {(data) => (
            <Stack gap="lg">
              <Facts delivery={data} />
              <Attempts delivery={data} />
            </Stack>
          )}
        </Loaded>
      )}
    </Screen>
  );
}

const written = { create: 'Created', update: 'Updated', delete: 'Deleted' } as const;

function Facts({ delivery }: { readonly delivery: Delivery }) {
  const { org, env } = usePlace();
  const { id, event, entity, op, record, tenant_code, written_at, next_at, count } = delivery;
  const item = useQuery({ ...itemQuery({ env, kind: 'event', name: event }), retry: false });
  // A run has the id of the delivery that began it.
  const hasRun =
    delivery.state === 'delivered' && (item.data?.content as EventContent | undefined)?.event_type === 'logicblock';
  return (
    <dl className={classes.facts}>
      <dt>Event</dt>
      <dd>
        <Anchor component={Link} to={`/o/${org}/${env}/events/${event}`} size="sm">
          {event}
        </Anchor>
      </dd>
      <dt>Write</dt>
      <dd>
        {written[op]} <When at={written_at} />
      </dd>
      <dt>Record</dt>
      <dd>
        {op === 'delete' ? (
          entity
        ) : (
          <Anchor
            component={Link}
            to={`/o/${org}/${env}/records/${entity}`}
            search={{ w: tenant_code, r: record } as never}
            size="sm"
          >
            {entity}
          </Anchor>
        )}{' '}
        <CopyId value={record} what="record id" />
      </dd>
      <dt>Workspace</dt>
      <dd>{tenant_code}</dd>
      <dt>Sent</dt>
      <dd>
        {counted(count, 'time')}
        <NextAttempt at={next_at} />
      </dd>
      {hasRun && (
        <>
          <dt>Run</dt>
          <dd>
            <Group gap="xs">
              <CopyId value={id} what="run id" />
              <Anchor component={Link} to={`/o/${org}/${env}/runs/${id}`} size="sm" underline="always">
                Show the run
              </Anchor>
            </Group>
          </dd>
        </>
      )}
      <dt>Id</dt>
      <dd>
        <CopyId value={id} what="delivery id" />
      </dd>
    </dl>
  );
}

function NextAttempt({ at }: { readonly at: string | null }) {
  if (at === null) return null;
  if (Date.parse(at) > Date.now())
    return (
      <>
        , again <When at={at} />
      </>
    );
  return (
    <>
      , and due again. It waits while the event is paused, its endpoint is left alone, its workspace is suspended, or
      the plan’s deliveries of the day are used up.
    </>
  );
}

function Attempts({ delivery: { attempts, count } }: { readonly delivery: Delivery }) {
  return (
    <Stack gap="xs" component="section" aria-label="Attempts">
      <Title order={2}>Attempts</Title>
      {count > attempts.length && (
        <Text size="sm" c="dimmed">
          The last {attempts.length} of {count}.
        </Text>
      )}
      <Paper withBorder className={classes.scroll}>
        <Table aria-label="Attempts" miw={640}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>When</Table.Th>
              <Table.Th className={classes.number}>Status</Table.Th>
              <Table.Th className={classes.number}>Took</Table.Th>
              <Table.Th>Answer</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {attempts.toReversed().map(({ at, status, ms, answer }) => (
              <Table.Tr key={`${at} ${status} ${ms} ${answer}`}>
                <Table.Td>
                  <When at={at} />
                </Table.Td>
                <Table.Td className={classes.number}>{status ?? 'none'}</Table.Td>
                <Table.Td className={classes.number}>{durationOf(ms)}</Table.Td>
                <Table.Td className={classes.answer}>
                  {answer === undefined || answer === '' ? (
                    <Text size="sm" c="dimmed">
                      {answer === '' ? 'empty' : 'for org admins'}
                    </Text>
                  ) : (
                    answer
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
    </Stack>
  );
}

function SendAgain({ delivery: { id, state } }: { readonly delivery: Delivery }) {
  const { env } = usePlace();
  const actingReason = useActingReason();
  const send = useMutation({
    mutationFn: () => call('redeliver', { params: { id }, query: { env } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [eventsKey] }),
  });
  return (
    <Group gap="xs">
      <ReasonedButton
        reason={actingReason ?? (isUnderWay(state) ? 'It is being sent already.' : undefined)}
        loading={send.isPending}
        onClick={() => send.mutate()}
      >
        Send again
      </ReasonedButton>
      <ProblemAlert error={send.error} />
    </Group>
  );
}
