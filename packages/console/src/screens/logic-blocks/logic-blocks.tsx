import { Anchor, Badge, Group, Paper, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { SearchedList, useSearched } from '../../components/searched-list.tsx';
import { When } from '../../components/when.tsx';
import { stateWords } from '../runs/run-words.ts';
import { StateBadge } from '../runs/state-badge.tsx';
import { cronWords } from '../schedules/cron-words.ts';
import classes from './logic-blocks.module.css';
import { blocksQuery, type ListedBlock } from './queries.ts';

/** The logic blocks, with what starts each of them. */
export function LogicBlocks() {
  const { org, env, readOnlyReason } = usePlace();
  const navigate = useNavigate();
  const searched = useSearched();
  return (
    <Screen
      title="Logic blocks"
      intro="Steps that read, decide and write. They run when they are called, on events, on a schedule, or on messages."
      actions={
        <ReasonedButton
          reason={readOnlyReason}
          onClick={() => void navigate({ to: '/o/$org/$env/new-logic-block', params: { org, env } })}
        >
          New logic block
        </ReasonedButton>
      }
    >
      <SearchedList
        what="logic blocks"
        by="name"
        searched={searched}
        pages={useInfiniteQuery(blocksQuery(env, searched.settled.toLowerCase()))}
        none={{
          title: 'No logic blocks yet',
          text:
            env === 'test'
              ? 'A logic block is a list of steps, such as: read an order, refuse if it is closed, else close it and send a mail. Make one with “New logic block”.'
              : 'Make them in test. A deploy brings them here.',
        }}
        notFound="No logic block has this name"
      >
        {(items) => <BlockTable items={items} />}
      </SearchedList>
    </Screen>
  );
}

function BlockTable({ items }: { readonly items: readonly ListedBlock[] }) {
  const { org, env } = usePlace();
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="Logic blocks" miw={720}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Started by</Table.Th>
            <Table.Th>Last run</Table.Th>
            <Table.Th className={classes.number}>Steps</Table.Th>
            <Table.Th className={classes.number}>Version</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((block) => (
            <Table.Tr key={block.name}>
              <Table.Td>
                <Anchor component={Link} to={`/o/${org}/${env}/logic-blocks/${block.name}`} fw={500}>
                  {block.name}
                </Anchor>
                {block.description !== undefined && (
                  <Text size="xs" c="dimmed" lineClamp={2} maw={360}>
                    {block.description}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                <Starts block={block} />
              </Table.Td>
              <Table.Td>
                <LastRun block={block} />
              </Table.Td>
              <Table.Td className={classes.number}>{block.steps}</Table.Td>
              <Table.Td className={classes.number}>{block.version}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

const eventsNamed = 3;

/** Every block can be called. */
function Starts({ block: { schedule, hook, events } }: { readonly block: ListedBlock }) {
  const others = events.length - eventsNamed;
  return (
    <Group gap={4}>
      <Badge variant="default">call</Badge>
      {schedule !== null && (
        <Badge variant="light" tt="none">
          {cronWords(schedule.cron) ?? schedule.cron}, {schedule.timezone}
          {schedule.paused ? ' (paused)' : ''}
        </Badge>
      )}
      {hook && (
        <Badge variant="light" color="grape">
          hook
        </Badge>
      )}
      {events.length > 0 && (
        <Badge variant="light" color="indigo" tt="none">
          event {events.slice(0, eventsNamed).join(', ')}
          {others > 0 ? ` and ${others} more` : ''}
        </Badge>
      )}
    </Group>
  );
}

function LastRun({ block: { name, last_run } }: { readonly block: ListedBlock }) {
  const { org, env } = usePlace();
  if (last_run === null)
    return (
      <Text size="sm" c="dimmed">
        none lately
      </Text>
    );
  const { id, state, started_at } = last_run;
  return (
    <Group gap="xs">
      <StateBadge state={state} />
      <Anchor
        component={Link}
        to={`/o/${org}/${env}/runs/${id}`}
        size="sm"
        aria-label={`Last run of ${name}: ${stateWords[state].toLowerCase()}`}
      >
        <When at={started_at} />
      </Anchor>
    </Group>
  );
}
