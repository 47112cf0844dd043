import { Badge, Paper, Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Screen } from '../../../components/screen.tsx';
import { SearchedList, useSearched } from '../../../components/searched-list.tsx';
import { When } from '../../../components/when.tsx';
import { OperationsLink } from '../operations-link.tsx';
import { OperatedOrg } from './operated-org.tsx';
import { usersMax } from './org-words.ts';
import classes from './orgs.module.css';
import { type ListedOrg, orgsQuery } from './queries.ts';
import { Share } from './share.tsx';

/** The orgs of the platform, or one of them. */
export function OperatedOrgs({ item }: { readonly item: string | undefined }) {
  return item === undefined ? <OrgList /> : <OperatedOrg org={item} />;
}

function OrgList() {
  const searched = useSearched();
  const pages = useInfiniteQuery(orgsQuery(searched.settled));
  return (
    <Screen
      title="Orgs"
      intro="The orgs of this platform, each with its plan and its usage since the first of this month."
    >
      <SearchedList
        what="orgs"
        by="code or name"
        searched={searched}
        pages={pages}
        none={{
          title: 'No orgs yet',
          text: 'An org is founded by the first person of it who signs up in the console.',
        }}
        notFound="No org has this in its code or name"
      >
        {(items) => <OrgTable orgs={items} />}
      </SearchedList>
    </Screen>
  );
}

const numbers = new Intl.NumberFormat('en');

function OrgTable({ orgs }: { readonly orgs: readonly ListedOrg[] }) {
  const number = classes.number ?? '';
  return (
    <Paper withBorder style={{ overflowX: 'auto' }}>
      <Table aria-label="Orgs" miw={820}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Org</Table.Th>
            <Table.Th>Plan</Table.Th>
            <Table.Th className={number}>Calls this month</Table.Th>
            <Table.Th className={number}>Records added</Table.Th>
            <Table.Th className={number}>Runs</Table.Th>
            <Table.Th className={number}>Builders</Table.Th>
            <Table.Th>Environments</Table.Th>
            <Table.Th>Founded</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {orgs.map(({ code, name, plan, usage, org_users, has_prod, created_at }) => (
            <Table.Tr key={code}>
              <Table.Td>
                <OperationsLink screen="orgs" item={code} className={classes.name ?? ''}>
                  {code}
                </OperationsLink>
                <Text size="xs" c="dimmed" className={classes.long ?? ''}>
                  {name}
                </Text>
              </Table.Td>
              <Table.Td>
                <Badge variant="outline" color="gray" tt="none" miw="max-content">
                  {plan.name}
                </Badge>
              </Table.Td>
              <Table.Td className={number}>
                <Stack gap={4}>
                  {numbers.format(usage.api_calls.month)}
                  <Share what="Calls this month" used={usage.api_calls.month} limit={plan.limits.api_calls_per_month} />
                </Stack>
              </Table.Td>
              <Table.Td className={number}>{numbers.format(usage.records_added)}</Table.Td>
              <Table.Td className={number}>{numbers.format(usage.runs)}</Table.Td>
              <Table.Td className={number}>{org_users >= usersMax ? `${usersMax} or more` : org_users}</Table.Td>
              <Table.Td>{has_prod ? 'test, production' : 'test'}</Table.Td>
              <Table.Td>
                <When at={created_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
