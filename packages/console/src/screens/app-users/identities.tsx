import { Stack, Table, Text, Title } from '@mantine/core';
import { CopyId } from '../../components/copy-id.tsx';
import { When } from '../../components/when.tsx';
import classes from '../policies/policies.module.css';
import type { AppUserDetails } from './queries.ts';

/** By what the account is signed in to. */
export function Identities({ user }: { readonly user: AppUserDetails }) {
  const { email, email_verified, has_password, proved_by, providers } = user;
  return (
    <Stack gap="xs" component="section" aria-label="Identities">
      <Title order={2}>Identities</Title>
      <div className={classes.scroll}>
        <Table aria-label="Identities" miw={520}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Signs in by</Table.Th>
              <Table.Th>As</Table.Th>
              <Table.Th>Since</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <Table.Tr>
              <Table.Td>Password</Table.Td>
              <Table.Td>{has_password ? email : proved_by === null ? 'no password' : 'password suspended'}</Table.Td>
              <Table.Td />
            </Table.Tr>
            {providers.map(({ issuer, subject, linked_at }) => (
              <Table.Tr key={`${issuer} ${subject}`}>
                <Table.Td>{issuer}</Table.Td>
                <Table.Td>
                  {subject === undefined ? 'for org admins' : <CopyId value={subject} what="subject" />}
                </Table.Td>
                <Table.Td>
                  <When at={linked_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      <Text size="sm" c="dimmed">
        {email_verified
          ? `${email} is verified: a provider that verifies the same address signs in to this account.`
          : `${email} is not verified.`}
      </Text>
    </Stack>
  );
}
