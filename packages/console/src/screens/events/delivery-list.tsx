import { Anchor, Badge, Button, Group, Paper, Stack, Table, Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { When } from '../../components/when.tsx';
import { DeliveryFilters } from './delivery-filters.tsx';
import type { DeliverySearch } from './delivery-search.ts';
import classes from './events.module.css';
import { type Delivery, deliveriesQuery } from './queries.ts';
import { SendManyAgain } from './send-many-again.tsx';
import { stateColors, stateWords } from './words.ts';

interface Props {
  /** The event whose deliveries are listed; left out, those of all of them. */
  readonly event?: string;
}

/** Deliveries, the newest first, with filters that stand in the address. */
export function DeliveryList({ event }: Props) {
  const { env } = usePlace();
  const searched: DeliverySearch = useSearch({ strict: false });
  const filter = { ...searched, ...(event === undefined ? {} : { event }) };
  const deliveries = useInfiniteQuery({ ...deliveriesQuery(env, filter), placeholderData: keepPreviousData });
  const { hasNextPage, isFetchingNextPage, isFetching } = deliveries;
  const isNarrowed = [searched.event, searched.state, searched.since, searched.until].some((one) => one !== undefined);
  return (
    <Stack>
      <Group align="flex-end" justify="space-between">
        <DeliveryFilters filter={filter} isOfOneEvent={event !== undefined} />
        <Group gap="xs">
          <Button
            variant="default"
            loading={isFetching && !isFetchingNextPage}
            onClick={() => void deliveries.refetch()}
          >
            Refresh
          </Button>
          <SendManyAgain filter={filter} />
        </Group>
      </Group>
      <Loaded query={deliveries}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          return items.length === 0 ? (
            <None isNarrowed={isNarrowed} hasMore={hasNextPage} />
          ) : (
            <DeliveryTable items={items} isOfOneEvent={event !== undefined} />
          );
        }}
      </Loaded>
      {deliveries.isFetchNextPageError && <ProblemAlert error={deliveries.error} />}
      {hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={isFetchingNextPage}
          onClick={() => void deliveries.fetchNextPage()}
        >
          {deliveries.data?.pages.at(-1)?.items.length === 0 ? 'Search further' : 'Show more'}
        </Button>
      )}
    </Stack>
  );
}

function None({ isNarrowed, hasMore }: { readonly isNarrowed: boolean; readonly hasMore: boolean }) {
  if (hasMore) return <EmptyState title="None found so far">There are earlier deliveries to search.</EmptyState>;
  if (isNarrowed) return <EmptyState title="No such delivery">No delivery meets all of these filters.</EmptyState>;
  return (
    <EmptyState title="No deliveries yet">
      What an event has sent after a write is listed here with its attempts: for 7 days once it has arrived, or as the
      plan says, and for 30 days if it was given up.
    </EmptyState>
  );
}

interface TableProps {
  readonly items: readonly Delivery[];
  readonly isOfOneEvent: boolean;
}

function DeliveryTable({ items, isOfOneEvent }: TableProps) {
  const { org, env } = usePlace();
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="Deliveries" miw={860}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Written</Table.Th>
            {!isOfOneEvent && <Table.Th>Event</Table.Th>}
            <Table.Th>State</Table.Th>
            <Table.Th>Workspace</Table.Th>
            <Table.Th className={classes.number}>Attempts</Table.Th>
            <Table.Th>Last answer</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map(({ id, state, event, entity, written_at, tenant_code, count, attempts, next_at }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Anchor component={Link} to={`/o/${org}/${env}/deliveries/${id}`} size="sm" fw={500}>
                  <When at={written_at} />
                </Anchor>
              </Table.Td>
              {!isOfOneEvent && (
                <Table.Td>
                  <Text size="sm">{event}</Text>
                  <Text size="xs" c="dimmed">
                    {entity}
                  </Text>
                </Table.Td>
              )}
              <Table.Td>
                <DeliveryState state={state} />
                {next_at !== null && (
                  <Text size="xs" c="dimmed">
                    {Date.parse(next_at) > Date.now() ? <When at={next_at} /> : 'due, and waits'}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>{tenant_code}</Table.Td>
              <Table.Td className={classes.number}>{count}</Table.Td>
              <Table.Td>
                <Answer attempt={attempts.at(-1)} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

export function DeliveryState({ state }: Pick<Delivery, 'state'>) {
  return (
    <Badge variant="dot" color={stateColors[state]} tt="none" component="span" miw="max-content">
      {stateWords[state]}
    </Badge>
  );
}

function Answer({ attempt }: { readonly attempt: Delivery['attempts'][number] | undefined }) {
  if (attempt === undefined) return null;
  return (
    <Text size="sm" className={classes.excerpt} title={attempt.answer}>
      {attempt.status === null ? '' : `${attempt.status} `}
      {attempt.answer}
    </Text>
  );
}
