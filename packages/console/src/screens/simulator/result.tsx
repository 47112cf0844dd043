import { Code, Paper, Stack, Text, Title } from '@mantine/core';
import { usePlace } from '../../api/session.ts';
import { DecisionView } from '../../components/decision/decision-view.tsx';
import { LineSkeletons } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import type { Ready, Unready } from './simulation.ts';
import type { useSimulation } from './use-simulation.ts';

interface Props {
  readonly simulated: Ready | Unready;
  readonly result: ReturnType<typeof useSimulation>;
}

/** What would be decided. */
export function Result({ simulated, result: { data, error, isDeciding } }: Props) {
  const { workspace } = usePlace();
  return (
    <Paper withBorder p="md" component="section" aria-label="Decision">
      <Stack gap="sm" aria-busy={isDeciding}>
        <Title order={2}>Decision</Title>
        {'mistakes' in simulated ? (
          <Text size="sm" c="dimmed">
            {simulated.missing ?? 'What is typed cannot be read yet.'}
          </Text>
        ) : error !== null ? (
          <ProblemAlert error={error} />
        ) : data === undefined ? (
          <LineSkeletons lines={3} />
        ) : (
          <>
            <Text size="sm">
              <Code>{data.action}</Code> on <Code>{data.resource}</Code>
              {data.user === undefined ? ' by the draft' : ` by ${data.user.email}`}
            </Text>
            {data.user !== undefined && data.user.status !== 'active' && (
              <Text size="sm" c="red">
                The user is {data.user.status.replaceAll('_', ' ')} and is let in nowhere, whatever the policies say.
              </Text>
            )}
            <DecisionView decision={data} workspace={data.user === undefined ? undefined : workspace} />
          </>
        )}
      </Stack>
    </Paper>
  );
}
