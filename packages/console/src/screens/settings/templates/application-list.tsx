import { Anchor, Badge, Paper, Stack, Table, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../../api/session.ts';
import { When } from '../../../components/when.tsx';
import { counted } from '../../../components/words/counted.ts';
import type { Application } from './queries.ts';
import classes from './templates.module.css';

/** The last applications and previews; nothing where there are none. */
export function ApplicationList({ items }: { readonly items: readonly Application[] }) {
  const { org, env } = usePlace();
  if (items.length === 0) return null;
  return (
    <Stack gap="sm">
      <Title order={2}>Applications</Title>
      <Paper withBorder className={classes.scroll}>
        <Table highlightOnHover aria-label="Applications">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Begun</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Result</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map((application) => (
              <Table.Tr key={application.id}>
                <Table.Td>
                  <Anchor
                    component={Link}
                    to={`/o/${org}/${env}/settings/templates/applications/${application.id}`}
                    fw={500}
                  >
                    <When at={application.created_at} />
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <StateBadge state={application.state} />
                </Table.Td>
                <Table.Td>{resultOf(application)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
    </Stack>
  );
}

const colors = {
  previewing: 'blue',
  previewed: 'yellow',
  running: 'blue',
  done: 'teal',
  cancelled: 'gray',
  failed: 'red',
} as const;

const labels = { previewed: 'waits for its start' } as const;

export function StateBadge({ state }: Pick<Application, 'state'>) {
  return (
    <Badge variant="dot" color={colors[state]} tt="none">
      {state === 'previewed' ? labels.previewed : state}
    </Badge>
  );
}

function resultOf({ state, looked, differ, done, failed }: Application): string {
  if (state === 'previewing') return `${counted(looked, 'workspace')} looked at`;
  if (differ === 0) return 'No workspace differs';
  const left = failed === 0 ? '' : `, ${failed} left as they are`;
  return state === 'previewed' ? `${counted(differ, 'workspace')} would change` : `${done} of ${differ} changed${left}`;
}
