import { Anchor, Button, Group, List, Paper, Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { When } from '../../components/when.tsx';
import classes from '../policies/policies.module.css';
import { EnforceStatement } from './enforce-statement.tsx';
import { type ReportedUse, reportedQuery } from './queries.ts';
import { wouldOf } from './words.ts';

/** What statements that are only reported would have done. */
export function ReportedTab({ workspace }: { readonly workspace: string }) {
  const { env } = usePlace();
  const pages = useInfiniteQuery(reportedQuery({ env, workspace }));
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        A statement with “Only report” changes no answer. This is which recorded calls it would have denied or allowed,
        each statement alone. The numbers are estimates: of calls of a day that are alike, a few are kept as samples.
      </Text>
      <Loaded query={pages}>
        {({ pages: all }) => {
          const items = all.flatMap((page) => page.items);
          return items.length > 0 ? (
            <UseTable items={items} workspace={workspace} />
          ) : (
            <EmptyState title="Nothing is reported yet">
              Set a statement of a policy to “Only report” and save it. From then on each call of a user to which it
              applies is recorded, and shows here within a minute.
            </EmptyState>
          );
        }}
      </Loaded>
      {pages.data !== undefined && <ProblemAlert error={pages.error} />}
      {pages.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </Stack>
  );
}

function UseTable({ items, workspace }: { readonly items: readonly ReportedUse[]; readonly workspace: string }) {
  return (
    <Paper withBorder className={classes.scroll}>
      <Table aria-label="Reported statements" miw={760}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Statement</Table.Th>
            <Table.Th>Would have done</Table.Th>
            <Table.Th>Last call</Table.Th>
            <Table.Th>Examples</Table.Th>
            <Table.Th aria-label="Actions" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((use) => (
            <Table.Tr key={`${use.policy_id} ${use.policy} ${use.index} ${use.Sid}`}>
              <Row use={use} workspace={workspace} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function Row({ use, workspace }: { readonly use: ReportedUse; readonly workspace: string }) {
  const { org, env } = usePlace();
  const { policy_id, policy, logicblock, index, Sid, Effect, would_deny, would_allow, last_at, examples } = use;
  const [to, search] =
    logicblock === undefined
      ? [`/o/${org}/${env}/policies/${policy_id}`, { w: workspace, statement: index + 1 }]
      : [`/o/${org}/${env}/logic-blocks/${logicblock}`, { w: workspace }];
  return (
    <>
      <Table.Td>
        <Anchor component={Link} to={to} search={search as never} size="sm" fw={500}>
          {Sid || `Statement ${index + 1}`}
        </Anchor>
        <Text size="xs" c="dimmed">
          {logicblock === undefined ? `${Effect}, of policy ${policy}` : `${Effect}, of the ${policy}`}
        </Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm">{wouldOf(would_deny, would_allow)}</Text>
      </Table.Td>
      <Table.Td>
        <When at={last_at} />
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <List size="sm" listStyleType="none" spacing={4}>
          {examples.map(({ user_id, action, resource, at, would }) => (
            <List.Item key={`${user_id} ${action} ${resource} ${at}`}>
              <Group gap={6}>
                <Anchor
                  component={Link}
                  to={`/o/${org}/${env}/simulator`}
                  search={{ w: workspace, member: user_id, action, resource } as never}
                  size="sm"
                >
                  {action}
                </Anchor>
                <Text size="xs" c="dimmed" component="span">
                  {resource}, would {would}
                </Text>
              </Group>
            </List.Item>
          ))}
        </List>
      </Table.Td>
      <Table.Td>{logicblock === undefined && <EnforceStatement use={use} workspace={workspace} />}</Table.Td>
    </>
  );
}
