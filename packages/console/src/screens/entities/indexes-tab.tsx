import { Alert, Badge, Group, List, Paper, Progress, Stack, Table, Text, Title } from '@mantine/core';
import { CopyId } from '../../components/copy-id.tsx';
import { counted } from '../../components/words/counted.ts';
import classes from './entities.module.css';
import type { Entity } from './queries.ts';

const figures = new Intl.NumberFormat('en');
const colours = { ready: 'teal', building: 'cyan', failed: 'red', filling: 'cyan' } as const;

/** The indexes of the entity, and what the platform does to its records in the background. */
export function IndexesTab({ entity: { indexes, fills = [] } }: { readonly entity: Entity }) {
  return (
    <Stack>
      {fills.length > 0 && (
        <section aria-label="Fields that are filled">
          <Title order={2} mb="sm">
            Fields that are filled
          </Title>
          <Stack gap="sm">
            {fills.map((fill) => (
              <Paper key={fill.field} withBorder p="sm">
                <Group justify="space-between">
                  <Text fw={500}>{fill.field}</Text>
                  <State state={fill.state} />
                </Group>
                {fill.state === 'filling' && <Done what={`field ${fill.field}`} done={fill.done} total={fill.total} />}
                {fill.failed !== undefined && (
                  <Text size="sm" mt="xs">
                    {counted(fill.failed.records, 'record')} got no value. Correct them or the expression; the next
                    change of the definition tries again.
                  </Text>
                )}
                <Records
                  examples={(fill.failed?.examples ?? []).map(({ tenant_code, id }) => ({ tenant_code, ids: [id] }))}
                />
              </Paper>
            ))}
          </Stack>
        </section>
      )}
      <Paper withBorder className={classes.scroll}>
        <Table aria-label="Indexes">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Index</Table.Th>
              <Table.Th>Kind</Table.Th>
              <Table.Th>State</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {indexes.map((index) => (
              <Table.Tr key={`${index.kind} ${index.name}`}>
                <Table.Td>
                  {index.name === 'q' && index.kind === 'search' ? 'words of the search' : index.name}
                </Table.Td>
                <Table.Td>{index.kind}</Table.Td>
                <Table.Td>
                  <State state={index.state} />
                  {index.state === 'building' && (
                    <Done what={`index ${index.name}`} done={index.done} total={index.total} />
                  )}
                  {index.crowded_in !== undefined && (
                    <Alert color="red" mt="xs" title={`Workspace ${index.crowded_in} has more than 10,000 groups.`}>
                      Figures are read from the records instead. Group by fewer fields; the next change of the
                      definition builds the aggregate again.
                    </Alert>
                  )}
                  {index.state === 'failed' && index.crowded_in === undefined && (
                    <Alert color="red" mt="xs" title="Records have the values of others.">
                      Correct them; the next change of the definition builds the index again.
                      <Records examples={index.duplicates ?? []} />
                    </Alert>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
    </Stack>
  );
}

function State({ state }: { readonly state: keyof typeof colours }) {
  return (
    <Badge color={colours[state]} variant="dot">
      {state}
    </Badge>
  );
}

interface DoneProps {
  readonly what: string;
  readonly done: number | undefined;
  readonly total: number | undefined;
}

function Done({ what, done = 0, total = 0 }: DoneProps) {
  return (
    <Group gap="xs" mt={4} wrap="nowrap">
      <Progress
        value={total === 0 ? 0 : (done / total) * 100}
        flex={1}
        size="sm"
        aria-label={`Progress of the ${what}`}
      />
      <Text size="xs" c="dimmed">
        {figures.format(done)} of {figures.format(total)}
      </Text>
    </Group>
  );
}

interface Example {
  readonly tenant_code: string;
  readonly ids: readonly string[];
}

function Records({ examples }: { readonly examples: readonly Example[] }) {
  if (examples.length === 0) return null;
  return (
    <List size="sm" mt="xs">
      {examples.map(({ tenant_code, ids }) => (
        <List.Item key={ids.join()}>
          {tenant_code}:{' '}
          {ids.map((id) => (
            <CopyId key={id} value={id} what="id of the record" />
          ))}
        </List.Item>
      ))}
    </List>
  );
}
