import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { When } from '../../components/when.tsx';
import type { RunDetails } from './queries.ts';
import { duration, failedPassesText, triggerWords } from './run-words.ts';
import { StateBadge } from './state-badge.tsx';

/** The facts that are known of a run beside its steps. */
export function RunFacts({ run }: { readonly run: RunDetails }) {
  const { org, env } = usePlace();
  const { id, block, version, state, tenant_code, started_at, ended_at, retried_as, depth, chain, failed_passes } = run;
  const base = `/o/${org}/${env}`;
  return (
    <Group gap="xl" align="flex-start">
      <Fact label="State">
        <StateBadge state={state} />
      </Fact>
      {failed_passes !== undefined && <Fact label="Loops">{failedPassesText(failed_passes)}</Fact>}
      <Fact label="Logic block">
        <Anchor component={Link} underline="always" to={`${base}/logic-blocks/${block}`} size="sm">
          {block}
        </Anchor>
        , version {version}
      </Fact>
      <Fact label="Workspace">{tenant_code}</Fact>
      <Fact label="Begun">
        <When at={started_at} />
      </Fact>
      {ended_at !== undefined && <Fact label="Took">{duration(Date.parse(ended_at) - Date.parse(started_at))}</Fact>}
      <Fact label="By">
        <StartedBy run={run} base={base} />
      </Fact>
      <Fact label="In the name of">{nameOf(run)}</Fact>
      {retried_as !== undefined && (
        <Fact label="Retried as">
          <Anchor component={Link} underline="always" to={`${base}/runs/${retried_as}`} size="sm">
            a later run
          </Anchor>
        </Fact>
      )}
      {depth > 0 && <Fact label="Led to it">{chain.join(' → ')}</Fact>}
      <Fact label="Id">
        <CopyId value={id} what="id of the run" />
      </Fact>
    </Group>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Stack gap={2}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" component="div">
        {children}
      </Text>
    </Stack>
  );
}

function StartedBy({ run, base }: { readonly run: RunDetails; readonly base: string }) {
  const { kind, id, name } = run.trigger;
  if (kind === 'retry' && id !== undefined)
    return (
      <>
        A retry of{' '}
        <Anchor component={Link} underline="always" to={`${base}/runs/${id}`} size="sm">
          an earlier run
        </Anchor>
      </>
    );
  if (kind === 'schedule')
    return (
      <>
        <Anchor component={Link} underline="always" to={`${base}/schedules`} size="sm">
          Its schedule
        </Anchor>
        {id === undefined ? '' : `, due ${id.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')}`}
      </>
    );
  return name === undefined ? triggerWords[kind] : `${triggerWords[kind]}, ${name}`;
}

function nameOf({ user: { kind, id } }: RunDetails): string {
  switch (kind) {
    case 'app':
      return 'the app';
    case 'builder':
      return 'a builder';
    case 'service_key':
      return `a service key, ${id}`;
    case 'person':
      return `a user, ${id}`;
  }
}
