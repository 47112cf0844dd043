import { Paper, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ApiProblem } from '../../../api/problem.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { Screen } from '../../../components/screen.tsx';
import { When } from '../../../components/when.tsx';
import { counted } from '../../../components/words/counted.ts';
import { OperationsLink } from '../operations-link.tsx';
import { usersMax } from './org-words.ts';
import classes from './orgs.module.css';
import { PlanPanel } from './plan-panel.tsx';
import { type OrgDetails, orgQuery } from './queries.ts';

/** What the operator sees and sets of one org. */
export function OperatedOrg({ org }: { readonly org: string }) {
  const details = useQuery(orgQuery(org));
  const isMissing = details.error instanceof ApiProblem && details.error.code === 'not_found';
  return (
    <Screen title={org} intro={<OperationsLink screen="orgs">All orgs</OperationsLink>}>
      {isMissing ? (
        <EmptyState title="No org has this code">Codes are lower-case letters and digits.</EmptyState>
      ) : (
        <Loaded query={details}>
          {(data) => (
            <Stack gap="xl">
              <Facts details={data} />
              <MonthUsage usage={data.usage} />
              <Environments environments={data.environments} />
              <PlanPanel org={org} plan={data.plan} used={data.used} />
            </Stack>
          )}
        </Loaded>
      )}
    </Screen>
  );
}

function Facts({ details: { name, created_at, org_users, requires_second_factor } }: { readonly details: OrgDetails }) {
  const builders = org_users >= usersMax ? `${usersMax} builders or more` : counted(org_users, 'builder');
  return (
    <Text className={classes.long ?? ''}>
      {name}, founded <When at={created_at} />, has {builders}. A second factor is{' '}
      {requires_second_factor ? 'required of them' : 'not required of them'}.
    </Text>
  );
}

const numbers = new Intl.NumberFormat('en');

function MonthUsage({ usage }: { readonly usage: OrgDetails['usage'] }) {
  const figures = [
    ['Calls today', usage.api_calls.today],
    ['Calls', usage.api_calls.month],
    ['Records added', usage.records_added],
    ['Runs', usage.runs],
    ['Deliveries', usage.deliveries],
    ['Script seconds', Math.ceil(usage.script_ms / 100) / 10],
    ['Mails', usage.mails],
  ] as const;
  return (
    <Stack gap="sm" component="section" aria-label="Usage this month">
      <Title order={2}>Usage this month</Title>
      <Text size="sm" c="dimmed">
        Since the first of this month in UTC, in both environments together.
      </Text>
      <SimpleGrid cols={{ base: 2, sm: 4, lg: 7 }} component="dl" m={0}>
        {figures.map(([label, value]) => (
          <Paper key={label} withBorder p="sm">
            <Text component="dt" size="sm" c="dimmed">
              {label}
            </Text>
            <Text component="dd" m={0} size="lg" fw={600} className={classes.figure ?? ''}>
              {numbers.format(value)}
            </Text>
          </Paper>
        ))}
      </SimpleGrid>
    </Stack>
  );
}

function Environments({ environments: { test, prod } }: Pick<OrgDetails, 'environments'>) {
  const rows = [
    { name: 'Test', ...test, release: undefined },
    ...(prod === null ? [] : [{ name: 'Production', ...prod }]),
  ];
  return (
    <Stack gap="sm" component="section" aria-label="Environments">
      <Title order={2}>Environments</Title>
      <Paper withBorder style={{ overflowX: 'auto' }}>
        <Table aria-label="Environments" miw={560}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Environment</Table.Th>
              <Table.Th className={classes.number ?? ''}>Records</Table.Th>
              <Table.Th className={classes.number ?? ''}>Entities</Table.Th>
              <Table.Th className={classes.number ?? ''}>Indexes</Table.Th>
              <Table.Th>Live release</Table.Th>
              <Table.Th>Since</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ name, records, entities, indexes, release, created_at }) => (
              <Table.Tr key={name}>
                <Table.Td>{name}</Table.Td>
                <Table.Td className={classes.number ?? ''}>{numbers.format(records)}</Table.Td>
                <Table.Td className={classes.number ?? ''}>{numbers.format(entities)}</Table.Td>
                <Table.Td className={classes.number ?? ''}>{numbers.format(indexes)}</Table.Td>
                <Table.Td>{releaseOf(release)}</Table.Td>
                <Table.Td>{created_at === null ? 'not known' : <When at={created_at} />}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      {prod === null && (
        <Text size="sm" c="dimmed">
          The org has no production environment yet.
        </Text>
      )}
    </Stack>
  );
}

type Release = NonNullable<OrgDetails['environments']['prod']>['release'];

/** Test has no releases. */
function releaseOf(release: Release | undefined) {
  if (release === undefined) return 'none: test has no releases';
  if (release === null) return 'none yet';
  return (
    <>
      {release.version}, live since <When at={release.live_since} />
    </>
  );
}
