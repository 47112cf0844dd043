import { Anchor, Badge, Code, Group, List, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { SearchIcon } from '../../components/icons.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Screen } from '../../components/screen.tsx';
import { When } from '../../components/when.tsx';
import { RunNow } from '../logic-blocks/run-now.tsx';
import { cronWords } from './cron-words.ts';
import { localTime } from './local-time.ts';
import { PauseSchedule } from './pause-schedule.tsx';
import { type Schedule, schedulesQuery } from './queries.ts';
import classes from './schedules.module.css';

/** The logic blocks that run by themselves, and when. */
export function Schedules() {
  const { env } = usePlace();
  const { q = '' } = useSearch({ from: '/o/$org/$env/schedules' });
  const navigate = useNavigate();
  const schedules = useQuery(schedulesQuery(env));
  return (
    <Screen title="Schedules" intro="Logic blocks that run by themselves, at the times of a cron pattern.">
      <Loaded query={schedules}>
        {(all) => {
          if (all.length === 0) return <NoSchedules />;
          const found = all.filter(({ name }) => name.includes(q.trim().toLowerCase()));
          return (
            <Stack>
              <TextInput
                aria-label="Search schedules"
                placeholder="Search by name"
                leftSection={<SearchIcon />}
                value={q}
                maxLength={128}
                maw={384}
                onChange={({ currentTarget: { value } }) =>
                  void navigate({
                    to: '.',
                    search: (kept: object) => ({ ...kept, q: value === '' ? undefined : value }) as never,
                    replace: true,
                  })
                }
              />
              {found.length === 0 && (
                <EmptyState title="No schedule has this name">Search for a part of the name.</EmptyState>
              )}
              {found.map((schedule) => (
                <ScheduleCard key={schedule.name} schedule={schedule} />
              ))}
            </Stack>
          );
        }}
      </Loaded>
    </Screen>
  );
}

function NoSchedules() {
  const { org, env } = usePlace();
  return (
    <EmptyState title="No schedules yet">
      A{' '}
      <Anchor component={Link} underline="always" to={`/o/${org}/${env}/logic-blocks`}>
        logic block
      </Anchor>{' '}
      runs by itself once its content has a schedule: a cron pattern and a time zone, beside <Code>run_as</Code> app and
      policies of its own.
      {env === 'prod' && ' Make it in test. A deploy brings it here.'}
    </EmptyState>
  );
}

function ScheduleCard({ schedule }: { readonly schedule: Schedule }) {
  const { org, env, adminReason } = usePlace();
  const { name, cron, timezone, missed, workspaces, paused } = schedule;
  const reason = env === 'prod' ? adminReason : undefined;
  const words = cronWords(cron);
  return (
    <Paper withBorder className={classes.card} component="section" aria-label={name}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <Group gap="xs">
            <Title order={2} size="h4">
              <Anchor component={Link} to={`/o/${org}/${env}/logic-blocks/${name}`} inherit>
                {name}
              </Anchor>
            </Title>
            {paused && (
              <Badge variant="dot" color="yellow">
                Paused
              </Badge>
            )}
          </Group>
          <Group gap="xs">
            <RunNow block={name} reason={reason} label={`Run now: ${name}`} size="compact-sm" />
            <PauseSchedule name={name} isPaused={paused} reason={reason} />
          </Group>
        </Group>
        <div className={classes.facts}>
          <Fact label="When">
            {words !== undefined && <Text size="sm">{words}</Text>}
            <Text size="sm" c="dimmed">
              <Code>{cron}</Code> in {timezone}
            </Text>
          </Fact>
          <Fact label="Where">
            <Text size="sm">{workspaces === 'all' ? 'In each workspace' : 'In the workspace main'}</Text>
            <Text size="sm" c="dimmed">
              {missed === 'once'
                ? 'Times that were missed are made up for by one run.'
                : 'Times that were missed are skipped.'}
            </Text>
          </Fact>
          <Fact label={paused ? 'Next times, once it is resumed' : 'Next times'}>
            <NextTimes schedule={schedule} />
          </Fact>
          <Fact label="Last time">
            <LastTime schedule={schedule} />
          </Fact>
        </div>
      </Stack>
    </Paper>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={2}>
        {label}
      </Text>
      {children}
    </div>
  );
}

function NextTimes({ schedule: { next, timezone } }: { readonly schedule: Schedule }) {
  if (next.length === 0) return <Text size="sm">None any more.</Text>;
  return (
    <List size="sm" listStyleType="none">
      {next.map((at, index) => (
        <List.Item key={at}>
          {localTime(at, timezone)}
          {index === 0 && (
            <>
              {' '}
              (<When at={at} />)
            </>
          )}
        </List.Item>
      ))}
    </List>
  );
}

const codeWords: Readonly<Record<string, string>> = { workspace_suspended: 'the workspace is suspended' };
const lastWords = { started: 'Begun', skipped: 'Missed and skipped', refused: 'Refused' } as const;

function LastTime({ schedule: { last, timezone, name } }: { readonly schedule: Schedule }) {
  const { org, env } = usePlace();
  if (last === null) return <Text size="sm">Not yet.</Text>;
  const { due, state, run, code } = last;
  const runs = `/o/${org}/${env}/runs`;
  return (
    <Text size="sm">
      {lastWords[state]}
      {code === undefined ? '' : ` (${codeWords[code] ?? code})`}, {localTime(due, timezone)}.{' '}
      {run === undefined ? (
        <Anchor
          component={Link}
          underline="always"
          to={runs}
          search={{ block: name, trigger: 'schedule' } as never}
          size="sm"
        >
          Its runs
        </Anchor>
      ) : (
        <Anchor component={Link} underline="always" to={`${runs}/${run}`} size="sm">
          The run
        </Anchor>
      )}
    </Text>
  );
}
