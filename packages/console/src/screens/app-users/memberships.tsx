import { Anchor, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { hiddenStatus } from '../../api/shown-values.ts';
import { When } from '../../components/when.tsx';
import classes from '../policies/policies.module.css';
import { State } from '../who-can/users.tsx';
import type { AppUserDetails } from './queries.ts';

/** So many are looked for. */
const shownMax = 200;

/** The workspaces that the account is in. */
export function Memberships({ user: { id, memberships } }: { readonly user: AppUserDetails }) {
  const { org, env } = usePlace();
  return (
    <Stack gap="xs" component="section" aria-label="Workspaces">
      <Title order={2}>Workspaces</Title>
      {memberships.length === 0 ? (
        <Text size="sm" c="dimmed">
          The account is in no workspace: it has founded none, and has accepted no invitation.
        </Text>
      ) : (
        <div className={classes.scroll}>
          <Table aria-label="Workspaces" miw={560} highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Workspace</Table.Th>
                <Table.Th>Role</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>Joined</Table.Th>
                <Table.Th>Access</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {memberships.map(({ tenant_code, name, role, status, joined_at }) => (
                <Table.Tr key={tenant_code}>
                  <Table.Td>
                    <Anchor component={Link} to={`/o/${org}/${env}/workspaces/${tenant_code}`} size="sm">
                      {name}
                    </Anchor>
                    <Text size="xs" c="dimmed">
                      {tenant_code}
                    </Text>
                  </Table.Td>
                  <Table.Td>{role}</Table.Td>
                  <Table.Td>
                    <State status={status ?? hiddenStatus} />
                  </Table.Td>
                  <Table.Td>
                    <When at={joined_at} />
                  </Table.Td>
                  <Table.Td>
                    <Anchor
                      component={Link}
                      to={`/o/${org}/${env}/users/${id}`}
                      search={{ w: tenant_code } as never}
                      size="sm"
                      aria-label={`Groups and policies in ${tenant_code}`}
                    >
                      Groups and policies
                    </Anchor>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {memberships.length >= shownMax && (
        <Text size="sm" c="dimmed">
          The account may be in more workspaces: {shownMax} are shown.
        </Text>
      )}
    </Stack>
  );
}
