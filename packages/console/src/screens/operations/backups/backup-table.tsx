import { Badge, Button, Group, Paper, Progress, Stack, Table, Text } from '@mantine/core';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { When } from '../../../components/when.tsx';
import type { Backup } from './queries.ts';
import { makerOf, sizeOf, stateNames, testSentence } from './words.ts';

interface Props {
  readonly backups: readonly Backup[];
  /** Why no restore test can be begun now; undefined where one can. */
  readonly busy: string | undefined;
  readonly onTest: (backup: Backup) => void;
  readonly onDownload: (backup: Backup) => void;
  readonly onRemove: (backup: Backup) => void;
}

export function BackupTable({ backups, ...acts }: Props) {
  return (
    <Paper withBorder style={{ overflowX: 'auto' }}>
      <Table aria-label="Backups" miw={820}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Backup</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Restore test</Table.Th>
            <Table.Th />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {backups.map((backup) => (
            <BackupRow key={backup.name} backup={backup} {...acts} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function BackupRow({
  backup,
  busy,
  onTest,
  onDownload,
  onRemove,
}: Omit<Props, 'backups'> & { readonly backup: Backup }) {
  const { name, state, made_at, bytes, data_version, test } = backup;
  const isComplete = state === 'complete';
  const isBad = test?.result === 'failed' || test?.result === 'drifted';
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {makerOf(backup)}, <When at={made_at} />
          {bytes !== null && `, ${sizeOf(bytes)}`}
          {data_version !== null && `, data version ${data_version}`}
        </Text>
      </Table.Td>
      <Table.Td>
        <State backup={backup} />
      </Table.Td>
      <Table.Td>
        <Text size="sm" {...(isBad ? { c: 'red' } : {})}>
          {testSentence(backup)}
        </Text>
        {test !== null && test.result !== 'running' && (
          <Text size="sm" c="dimmed">
            <When at={test.at} />
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {isComplete && (
            <>
              <ReasonedButton
                reason={busy}
                size="compact-sm"
                variant="subtle"
                aria-label={`Test the restore of ${name}`}
                onClick={() => onTest(backup)}
              >
                Test
              </ReasonedButton>
              <Button
                size="compact-sm"
                variant="subtle"
                aria-label={`Download ${name}`}
                onClick={() => onDownload(backup)}
              >
                Download
              </Button>
            </>
          )}
          {state !== 'running' && (
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              aria-label={`Delete ${name}`}
              onClick={() => onRemove(backup)}
            >
              Delete
            </Button>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

function State({ backup: { state, percent, problem } }: { readonly backup: Backup }) {
  return (
    <Stack gap={4} align="flex-start">
      <Badge variant="dot" color={stateColors[state]} tt="none">
        {stateNames[state]}
      </Badge>
      {percent !== null && <Progress value={percent} w={120} aria-label="How far the backup is" />}
      {problem !== null && (
        <Text size="sm" maw={320}>
          {problem}
        </Text>
      )}
    </Stack>
  );
}

const stateColors: Readonly<Record<Backup['state'], string>> = { running: 'cyan', complete: 'teal', failed: 'red' };
