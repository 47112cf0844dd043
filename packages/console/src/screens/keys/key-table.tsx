import { Badge, Button, Paper, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { teamQuery } from '../../api/team.ts';
import { When } from '../../components/when.tsx';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly created_by: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

interface Props<K extends Key> {
  readonly label: string;
  readonly keys: readonly K[];
  /** The purpose of a key, and the name of that column. */
  readonly column: string;
  readonly show: (key: K) => ReactNode;
  readonly onRevoke: (key: K) => void;
}

export function KeyTable<K extends Key>({ label, keys, column, show, onRevoke }: Props<K>) {
  const team = useQuery(teamQuery);
  const nameOf = (id: string) => team.data?.items.find((member) => member.id === id)?.name;
  return (
    <Paper withBorder style={{ overflowX: 'auto' }}>
      <Table aria-label={label} miw={760}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>{column}</Table.Th>
            <Table.Th>Created</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Expires</Table.Th>
            <Table.Th />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <Table.Tr key={key.id}>
              <Table.Td>
                <Text size="sm" fw={500}>
                  {key.name}
                </Text>
              </Table.Td>
              <Table.Td>{show(key)}</Table.Td>
              <Table.Td>
                <When at={key.created_at} /> by {nameOf(key.created_by) ?? 'a former member'}
              </Table.Td>
              <Table.Td>{key.last_used_at === null ? 'not yet' : <When at={key.last_used_at} />}</Table.Td>
              <Table.Td>
                <Expiry at={key.expires_at} />
              </Table.Td>
              <Table.Td ta="right">
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  aria-label={`Revoke the key ${key.name}`}
                  onClick={() => onRevoke(key)}
                >
                  Revoke
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function Expiry({ at }: { readonly at: string | null }) {
  if (at === null) return 'never';
  if (Date.parse(at) > Date.now()) return <When at={at} />;
  return (
    <Badge color="gray" variant="outline" tt="none">
      expired
    </Badge>
  );
}
