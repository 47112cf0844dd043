import { Alert, Anchor, Autocomplete, Button, Group, Paper, Select, Stack, Table, Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { Screen } from '../../components/screen.tsx';
import { When } from '../../components/when.tsx';
import { blockNamesQuery } from '../config/queries.ts';
import { runsQuery } from './queries.ts';
import { periodNames, type RunFilters, type RunState, runStates, type Trigger, triggers } from './run-filters.ts';
import { duration, failedPassesText, isOpen, periodWords, stateWords, triggerWords } from './run-words.ts';
import classes from './runs.module.css';
import { StateBadge } from './state-badge.tsx';

/** The runs of logic blocks, the latest first. The list follows them while one of them works. */
export function Runs() {
  const { env, workspace } = usePlace();
  const filters = useSearch({ from: '/o/$org/$env/runs' });
  const pages = useInfiniteQuery({ ...runsQuery(env, workspace, filters), placeholderData: keepPreviousData });
  const isNarrowed = workspace !== undefined || Object.values(filters).some((value) => value !== undefined);
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  const isCut = pages.data?.pages.at(-1)?.partial === true;
  return (
    <Screen
      title="Runs"
      intro="Calls of logic blocks that wrote, waited or sent something, and all that began without a caller."
      actions={
        <Button variant="default" loading={pages.isRefetching} onClick={() => void pages.refetch()}>
          Refresh
        </Button>
      }
    >
      <Filters filters={filters} />
      <Loaded query={pages}>
        {() => (items.length === 0 ? <NoRuns isNarrowed={isNarrowed} isCut={isCut} /> : <RunTable items={items} />)}
      </Loaded>
      {pages.data !== undefined && <ProblemAlert error={pages.error} />}
      {isCut && items.length > 0 && (
        <Alert
          classNames={{ title: classes.alertTitle ?? '' }}
          color="yellow"
          title="There are more runs to look through"
        >
          The filters fit few of the runs that were read so far.
        </Alert>
      )}
      {pages.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          {isCut ? 'Look further' : 'Show more'}
        </Button>
      )}
    </Screen>
  );
}

function NoRuns({ isNarrowed, isCut }: { readonly isNarrowed: boolean; readonly isCut: boolean }) {
  if (isCut) return <EmptyState title="Not found so far">There are more runs to look through.</EmptyState>;
  if (isNarrowed)
    return <EmptyState title="No run fits these filters">Runs are kept for some days after their end.</EmptyState>;
  return (
    <EmptyState title="No runs yet">
      A run is shown here once a logic block writes, waits or sends something. Begin one with “Run now” at a logic
      block.
    </EmptyState>
  );
}

function Filters({ filters }: { readonly filters: RunFilters }) {
  const navigate = useNavigate();
  const set = (change: RunFilters) =>
    void navigate({ to: '.', search: (kept: object) => ({ ...kept, ...change }) as never, replace: true });
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label="Runs">
      <BlockFilter block={filters.block} onChange={(block) => set({ block })} />
      <Select
        label="State"
        placeholder="All"
        clearable
        data={runStates.map((value) => ({ value, label: stateWords[value] }))}
        value={filters.state ?? null}
        onChange={(state) => set({ state: (state ?? undefined) as RunState | undefined })}
      />
      <Select
        label="Begun by"
        placeholder="All"
        clearable
        data={triggers.map((value) => ({ value, label: triggerWords[value] }))}
        value={filters.trigger ?? null}
        onChange={(trigger) => set({ trigger: (trigger ?? undefined) as Trigger | undefined })}
      />
      <Select
        label="Begun in"
        placeholder="All the time"
        clearable
        data={periodNames.map((value) => ({ value, label: periodWords[value] }))}
        value={filters.since ?? null}
        onChange={(since) => set({ since: periodNames.find((one) => one === since) })}
      />
    </Group>
  );
}

interface BlockFilterProps {
  readonly block: string | undefined;
  readonly onChange: (block: string | undefined) => void;
}

/** A whole name: chosen from the list, or typed and ended by Enter. A part of a name narrows nothing. */
function BlockFilter({ block, onChange }: BlockFilterProps) {
  const { env } = usePlace();
  const names = useQuery(blockNamesQuery(env));
  const [typed, setTyped] = useState(block ?? '');
  // The address may be changed by a link, too.
  useEffect(() => setTyped(block ?? ''), [block]);
  const settle = (text: string) => {
    const name = text.trim().toLowerCase();
    if (name !== (block ?? '')) onChange(name === '' ? undefined : name);
  };
  return (
    <Autocomplete
      label="Logic block"
      placeholder="All"
      data={names.data ?? []}
      limit={50}
      value={typed}
      maxLength={128}
      clearable
      clearButtonProps={{ 'aria-label': 'All logic blocks' }}
      onChange={(text) => {
        setTyped(text);
        if (text === '') settle(text);
      }}
      onOptionSubmit={settle}
      onBlur={() => settle(typed)}
      onKeyDown={({ key, currentTarget }) => {
        // An option that is marked is submitted in place of what was typed.
        if (key === 'Enter' && !currentTarget.hasAttribute('aria-activedescendant')) settle(typed);
      }}
    />
  );
}

interface Row {
  readonly id: string;
  readonly block: string;
  readonly tenant_code: string;
  readonly trigger: { readonly kind: Trigger; readonly name?: string | undefined };
  readonly state: RunState;
  readonly started_at: string;
  readonly ended_at?: string | undefined;
  readonly failed_passes?: number | undefined;
  readonly error?: { readonly code: string; readonly step?: string | undefined } | undefined;
}

function RunTable({ items }: { readonly items: readonly Row[] }) {
  const { org, env } = usePlace();
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="Runs" miw={760}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Logic block</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Begun</Table.Th>
            <Table.Th>By</Table.Th>
            <Table.Th>Workspace</Table.Th>
            <Table.Th>Took</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map(({ id, block, state, tenant_code, trigger, started_at, ended_at, failed_passes, error }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Anchor
                  component={Link}
                  to={`/o/${org}/${env}/runs/${id}`}
                  fw={500}
                  aria-label={`${block}, ${stateWords[state].toLowerCase()}, begun ${started_at}`}
                >
                  {block}
                </Anchor>
              </Table.Td>
              <Table.Td>
                <Stack gap={2}>
                  <StateBadge state={state} />
                  {failed_passes !== undefined && (
                    <Text size="xs" c="dimmed">
                      {failedPassesText(failed_passes)}
                    </Text>
                  )}
                  {error !== undefined && (
                    <Text size="xs" c="dimmed">
                      {error.code}
                      {error.step === undefined ? '' : ` at ${error.step}`}
                    </Text>
                  )}
                </Stack>
              </Table.Td>
              <Table.Td>
                <When at={started_at} />
              </Table.Td>
              <Table.Td>
                {triggerWords[trigger.kind]}
                {trigger.name !== undefined && trigger.name !== block ? ` (${trigger.name})` : ''}
              </Table.Td>
              <Table.Td>{tenant_code}</Table.Td>
              <Table.Td>{took({ state, started_at, ended_at })}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function took({ state, started_at, ended_at }: Pick<Row, 'state' | 'started_at' | 'ended_at'>): string {
  if (ended_at === undefined || isOpen(state)) return '';
  return duration(Date.parse(ended_at) - Date.parse(started_at));
}
