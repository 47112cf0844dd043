import { Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { EventTable } from './event-table.tsx';
import { eventStatesQuery, eventsQuery, statesOf } from './queries.ts';

/** The events of the environment, and what became of their deliveries. */
export function Events() {
  const { tab: requestedTab } = useSearch({ from: '/o/$org/$env/events' });
  const tab = requestedTab === 'deliveries' ? requestedTab : 'events';
  const navigate = useNavigate();
  return (
    <Screen
      title="Events"
      intro="What follows a write: a webhook, a mail, a record or a logic block."
      actions={<NewEvent />}
    >
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) =>
          void navigate({ to: '.', search: (next === null || next === 'events' ? {} : { tab: next }) as never })
        }
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="events">Events</Tabs.Tab>
          <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="events">
          <EventList />
        </Tabs.Panel>
        <Tabs.Panel value="deliveries">
          <DeliveryList />
        </Tabs.Panel>
      </Tabs>
    </Screen>
  );
}

function NewEvent() {
  const { org, env, readOnlyReason } = usePlace();
  const navigate = useNavigate();
  return (
    <ReasonedButton
      reason={readOnlyReason}
      onClick={() => void navigate({ to: '/o/$org/$env/new-config/$kind', params: { org, env, kind: 'event' } })}
    >
      New event
    </ReasonedButton>
  );
}

function EventList() {
  const { env } = usePlace();
  const events = useInfiniteQuery(eventsQuery(env));
  const states = useInfiniteQuery(eventStatesQuery(env));
  return (
    <Loaded query={events}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        if (items.length === 0)
          return (
            <EmptyState title="No events yet" action={env === 'test' ? <NewEvent /> : null}>
              {env === 'test'
                ? 'An event tells another system, sends a mail or runs a logic block when records of an entity are written. Make one, and try it with a sample.'
                : 'Make an event in test. A deploy brings it here.'}
            </EmptyState>
          );
        return (
          <Stack>
            <EventTable items={items} states={states.isSuccess ? statesOf(states.data.pages) : undefined} />
            <ProblemAlert error={states.error ?? (events.isFetchNextPageError ? events.error : null)} />
            <Group>
              <Button
                variant="default"
                loading={events.isRefetching}
                onClick={() => void Promise.all([events.refetch(), states.refetch()])}
              >
                Refresh
              </Button>
              {events.hasNextPage && (
                <Button
                  variant="default"
                  loading={events.isFetchingNextPage}
                  onClick={() => void events.fetchNextPage()}
                >
                  Show more
                </Button>
              )}
              {states.hasNextPage && (
                <>
                  <Button
                    variant="default"
                    loading={states.isFetchingNextPage}
                    onClick={() => void states.fetchNextPage()}
                  >
                    Count in further workspaces
                  </Button>
                  <Text size="sm" c="dimmed">
                    What waits is counted in some of the workspaces so far.
                  </Text>
                </>
              )}
            </Group>
          </Stack>
        );
      }}
    </Loaded>
  );
}
