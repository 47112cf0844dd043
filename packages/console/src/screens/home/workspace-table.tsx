import { Anchor, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { Loaded } from '../../components/loaded.tsx';
import { firstWorkspace } from '../workspaces/first-workspace.ts';
import type { Usage } from './first-steps.tsx';
import { overviewQuery } from './overview.tsx';

const figures = new Intl.NumberFormat('en');

/** The first workspaces by their codes; the switch at the top finds the others. */
export function WorkspaceTable({ usage }: { readonly usage: Usage | undefined }) {
  const { env } = usePlace();
  const overview = useQuery(overviewQuery(env));
  const callsOf = (code: string): number =>
    usage?.usage.by_workspace.find((row) => row.env === env && row.tenant_code === code)?.api_calls.today ?? 0;
  return (
    <Loaded query={overview}>
      {({ workspaces: { items, more } = { items: [], more: false } }) =>
        items.length === 0 ? (
          <Text size="sm" c="dimmed">
            None yet. {firstWorkspace(env)}
          </Text>
        ) : (
          <>
            <Table.ScrollContainer type="native" minWidth={380}>
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Code</Table.Th>
                    <Table.Th ta="right">Members</Table.Th>
                    <Table.Th ta="right">Records</Table.Th>
                    <Table.Th ta="right">Calls today</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map(({ code, members, records }) => (
                    <Table.Tr key={code}>
                      <Table.Td>
                        <Anchor component={Link} to="." search={{ w: code } as never} size="sm">
                          {code}
                        </Anchor>
                      </Table.Td>
                      <Table.Td ta="right">{figures.format(members)}</Table.Td>
                      <Table.Td ta="right">{figures.format(records)}</Table.Td>
                      <Table.Td ta="right">{figures.format(callsOf(code))}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
            {more && (
              <Text size="xs" c="dimmed">
                There are more. Find one by its code in the switch at the top.
              </Text>
            )}
          </>
        )
      }
    </Loaded>
  );
}
