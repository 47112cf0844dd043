import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { meQuery, usePlace } from '../../api/session.ts';
import { teamQuery } from '../../api/team.ts';
import { AdminsOnly } from '../../components/org/admins-only.tsx';
import { Screen } from '../../components/screen.tsx';
import { deployKeysQuery } from '../keys/queries.ts';
import { AuditFilters } from './audit-filters.tsx';
import type { AuditSearch } from './audit-search.ts';
import { ChainState } from './chain-state.tsx';
import type { Entry, Names } from './described-entry.ts';
import { FoundEntries } from './entry-results.tsx';
import { ExportEntries } from './export-entries.tsx';
import { entriesQuery } from './queries.ts';

/** Who did what to the org, and whether the log is whole. */
export function Audit() {
  return (
    <Screen
      title="Audit log"
      intro="Who changed what in the org, the latest first. No entry can be changed or removed without a trace."
    >
      <AdminsOnly what="who changed what">
        <AuditLog />
      </AdminsOnly>
    </Screen>
  );
}

function AuditLog() {
  const { workspace } = usePlace();
  const search = useAuditSearch();
  const entries = useInfiniteQuery(entriesQuery(search, workspace));
  const items = entries.data?.pages.flatMap((page) => page.items) ?? [];
  const names = useNames(items);
  const isNarrowed = Object.keys(search).length > 0;
  return (
    <Stack gap="lg">
      <ChainState workspace={workspace} />
      <Stack gap="sm">
        <AuditFilters search={search} names={names} />
        {workspace !== undefined && <OfWorkspace workspace={workspace} />}
        <ExportEntries search={search} workspace={workspace} />
      </Stack>
      <FoundEntries
        {...{ entries, names, isNarrowed }}
        empty={{
          narrowed: 'Choose less narrowly: another person, another kind of action, or a longer period.',
          none: 'Each change of the org, its configuration, its keys and its workspaces is noted here.',
        }}
      />
    </Stack>
  );
}

/** What of the address chooses among the entries: only what is chosen, so that an address has one list. */
function useAuditSearch(): AuditSearch {
  const { who, what, object, in: env, from, to, request } = useSearch({ from: '/o/$org/$env/audit' });
  const search = { who, what, object, in: env, from, to, request };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

/** Names of keys are asked for only if an entry has one. */
function useNames(items: readonly Entry[]): Names {
  const { data: me } = useQuery(meQuery);
  const team = useQuery(teamQuery);
  const hasDeployKeys = items.some(({ actor }) => actor.kind === 'deploy_key');
  const deployKeys = useQuery({ ...deployKeysQuery, enabled: hasDeployKeys });
  return new Map([
    ...(deployKeys.data?.items ?? []).map(({ id, name }) => [id, name] as const),
    ...(team.data?.items ?? []).flatMap(({ id, name }) => (name === undefined ? [] : [[id, name] as const])),
    ...(me === undefined ? [] : [[me.user.id, me.user.name] as const]),
  ]);
}

function OfWorkspace({ workspace }: { readonly workspace: string }) {
  const navigate = useNavigate();
  const showAll = () => void navigate({ to: '.', search: (kept: object) => ({ ...kept, w: undefined }) as never });
  return (
    <Paper withBorder p="xs">
      <Group gap="sm">
        <Text size="sm">Only what was done in or to the workspace {workspace}.</Text>
        <Button size="compact-sm" variant="default" onClick={showAll}>
          Show the whole org
        </Button>
      </Group>
    </Paper>
  );
}
