import { Paper, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { TypedConfirmation } from '../../components/typed-confirmation.tsx';
import { When } from '../../components/when.tsx';
import { counted } from '../../components/words/counted.ts';
import { retiredQuery } from './queries.ts';

const figures = new Intl.NumberFormat('en');

/** Entities that production no longer serves and whose records it keeps. */
export function RetiredTab() {
  const { adminReason } = usePlace();
  const retired = useQuery(retiredQuery);
  const [chosen, setRequested] = useState<string>();
  return (
    <Loaded query={retired}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState title="No entity is retired">
            An entity that a release takes out of production keeps its records here until they are removed for good.
          </EmptyState>
        ) : (
          <Stack>
            <Text size="sm" c="dimmed">
              A rollback to a release that has the entity brings it back with its records. So does publishing an entity
              of its name again.
            </Text>
            <Paper withBorder style={{ overflowX: 'auto' }}>
              <Table aria-label="Retired entities">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Entity</Table.Th>
                    <Table.Th ta="right">Records kept</Table.Th>
                    <Table.Th>Retired</Table.Th>
                    <Table.Th aria-label="Action" />
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map(({ name, records, retired_at }) => (
                    <Table.Tr key={name}>
                      <Table.Td fw={500}>{name}</Table.Td>
                      <Table.Td ta="right">{figures.format(records)}</Table.Td>
                      <Table.Td>
                        <When at={retired_at} />
                      </Table.Td>
                      <Table.Td ta="right">
                        <ReasonedButton
                          reason={adminReason}
                          variant="default"
                          size="compact-sm"
                          onClick={() => setRequested(name)}
                        >
                          Remove the records
                        </ReasonedButton>
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Paper>
            {chosen !== undefined && (
              <RemoveRecords
                name={chosen}
                records={items.find(({ name }) => name === chosen)?.records ?? 0}
                close={() => setRequested(undefined)}
              />
            )}
          </Stack>
        )
      }
    </Loaded>
  );
}

interface RemoveProps {
  readonly name: string;
  readonly records: number;
  readonly close: () => void;
}

function RemoveRecords({ name, records, close }: RemoveProps) {
  const remove = useMutation({
    mutationFn: () => call('removeRetired', { params: { name } }),
    onSuccess: async () => {
      close();
      await queryClient.invalidateQueries({ queryKey: ['deploy'] });
    },
  });
  return (
    <TypedConfirmation
      title={`Remove the records of ${name} for good?`}
      name={name}
      what="entity"
      action="Remove the records"
      work={remove}
      onClose={close}
    >
      <Text size="sm">
        {counted(records, 'record')} of production, in all workspaces, are removed in the background. No rollback brings
        them back.
      </Text>
    </TypedConfirmation>
  );
}
