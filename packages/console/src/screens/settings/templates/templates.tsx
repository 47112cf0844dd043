import { Anchor, Button, Skeleton, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePlace } from '../../../api/session.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { SettingsFrame } from '../settings-page.tsx';
import { ApplicationList } from './application-list.tsx';
import { ApplyBar } from './apply-bar.tsx';
import { ApplyDialog } from './apply-dialog.tsx';
import { DriftTable } from './drift-table.tsx';
import { applicationsQuery, driftQuery } from './queries.ts';

/** The template of new workspaces, the workspaces that differ from it, and what was applied to them. */
export function WorkspaceTemplates() {
  const { org, env } = usePlace();
  const drift = useInfiniteQuery(driftQuery(env));
  const applications = useQuery(applicationsQuery(env));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [applying, setApplying] = useState<'all' | 'chosen'>();
  const workspaces = drift.data?.pages.flatMap(({ items }) => items);
  return (
    <SettingsFrame path="templates">
      <Text size="sm">
        New workspaces begin with the policies and groups of the setting{' '}
        <Anchor
          component={Link}
          to={`/o/${org}/${env}/config/settings/tenancy.workspace_templates`}
          size="sm"
          underline="always"
        >
          tenancy.workspace_templates
        </Anchor>
        . A workspace keeps them when the template changes, until you apply it.
      </Text>
      {drift.isError && workspaces === undefined && <ProblemAlert error={drift.error} />}
      {workspaces === undefined ? (
        !drift.isError && <Skeleton height={320} />
      ) : workspaces.length === 0 ? (
        <EmptyState title="No workspaces yet">
          The first sign-in of an app user founds a workspace. It gets the template of that moment.
        </EmptyState>
      ) : (
        <Stack>
          <ApplyBar chosen={chosen.size} onApply={setApplying} />
          <DriftTable items={workspaces} chosen={chosen} onChoose={setChosen} />
          {drift.hasNextPage && (
            <Button variant="default" loading={drift.isFetchingNextPage} onClick={() => void drift.fetchNextPage()}>
              Show more workspaces
            </Button>
          )}
        </Stack>
      )}
      <Loaded query={applications} skeleton={<Skeleton height={120} />}>
        {({ items }) => <ApplicationList items={items} />}
      </Loaded>
      {applying !== undefined && (
        <ApplyDialog workspaces={applying === 'all' ? undefined : [...chosen]} close={() => setApplying(undefined)} />
      )}
    </SettingsFrame>
  );
}
