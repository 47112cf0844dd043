import { Button, Code, Group, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { Screen } from '../../../components/screen.tsx';
import { When } from '../../../components/when.tsx';
import { cronWords } from '../../schedules/cron-words.ts';
import { operate } from '../operate.ts';
import { BackupTable } from './backup-table.tsx';
import { DownloadBackup } from './download-backup.tsx';
import { type Backup, type BackupPage, backupsQuery, isAtWork } from './queries.ts';
import { RemoveBackup } from './remove-backup.tsx';
import { lastTested, sizeOf, testSentence } from './words.ts';

/** The backups of the platform: made by the schedule or here, downloaded, tested and deleted. */
export function Backups() {
  const client = useQueryClient();
  const backups = useInfiniteQuery(backupsQuery);
  const [downloaded, setDownloaded] = useState<Backup>();
  const [removed, setRemoved] = useState<Backup>();
  const onSuccess = () => client.invalidateQueries({ queryKey: backupsQuery.queryKey });
  const make = useMutation({ mutationFn: () => operate('makeBackup'), onSuccess });
  const test = useMutation({
    mutationFn: ({ name }: Backup) => operate('testBackup', { params: { name } }),
    onSuccess,
  });
  const pages = backups.data?.pages ?? [];
  const items = pages.flatMap((page) => page.items);
  const busy = items.some(isAtWork) ? 'A backup or a restore test is running. One runs at a time.' : undefined;
  const [first] = pages;
  return (
    <Screen
      title="Backups"
      intro="Each file holds the whole platform: all orgs, all records, and all keys."
      actions={
        first?.unavailable === null && (
          <ReasonedButton reason={busy} loading={make.isPending} onClick={() => make.mutate()}>
            Make a backup
          </ReasonedButton>
        )
      }
    >
      <ProblemAlert error={make.error ?? test.error} />
      <Loaded query={backups}>
        {() =>
          first === undefined || first.unavailable !== null ? (
            <NoBackups why={first?.unavailable ?? ''} />
          ) : (
            <Stack>
              <About page={first} shown={items} />
              {items.length === 0 ? (
                <EmptyState title="No backup yet">
                  <Code>freehold restore</Code> makes the platform again from a backup. Make the first one, and test
                  that it can be restored. The platform serves meanwhile.
                </EmptyState>
              ) : (
                <BackupTable
                  backups={items}
                  busy={busy}
                  onTest={(backup) => test.mutate(backup)}
                  onDownload={setDownloaded}
                  onRemove={setRemoved}
                />
              )}
              {backups.hasNextPage && (
                <Group justify="center">
                  <Button
                    variant="default"
                    loading={backups.isFetchingNextPage}
                    onClick={() => void backups.fetchNextPage()}
                  >
                    Show more
                  </Button>
                </Group>
              )}
            </Stack>
          )
        }
      </Loaded>
      {downloaded !== undefined && <DownloadBackup backup={downloaded} onClose={() => setDownloaded(undefined)} />}
      {removed !== undefined && (
        <RemoveBackup
          backup={removed}
          isLast={items.filter(({ state }) => state === 'complete').length === 1 && removed.state === 'complete'}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </Screen>
  );
}

/** When the next one is made, and whether there is room for it. */
function About({ page: { schedule, room }, shown }: { readonly page: BackupPage; readonly shown: readonly Backup[] }) {
  const tested = lastTested(shown);
  const isShort = room !== null && room.free_bytes < room.needed_bytes;
  return (
    <Paper withBorder p="md">
      <Stack gap={4}>
        {schedule === null ? (
          <Text size="sm">
            No schedule is set: backups are made here alone. <Code>FREEHOLD_BACKUP_SCHEDULE</Code>, such as{' '}
            <Code>0 3 * * *</Code>, has the platform make them.
          </Text>
        ) : (
          <Text size="sm">
            {cronWords(schedule.cron) ?? schedule.cron} (UTC) a backup is made and its restore is tested
            {schedule.next_at !== null && (
              <>
                , next <When at={schedule.next_at} />
              </>
            )}
            . The last {schedule.keep} whose test passed are kept.
          </Text>
        )}
        {tested?.test != null && (
          <Text
            size="sm"
            style={{ overflowWrap: 'anywhere' }}
            {...(tested.test.result === 'passed' ? {} : { c: 'red' })}
          >
            The last restore test, <When at={tested.test.at} />, of {tested.name}: {testSentence(tested)}
          </Text>
        )}
        {tested === undefined && shown.length > 0 && (
          <Text size="sm">No restore of these backups was tested yet: test one, so that you know that it works.</Text>
        )}
        {room !== null && (
          <Text size="sm" c={isShort ? 'red' : 'dimmed'}>
            The disk of the folder has {sizeOf(room.free_bytes)} free, and a backup needs about{' '}
            {sizeOf(room.needed_bytes)} while it is made{isShort ? ': free some space' : ''}.
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

function NoBackups({ why }: { readonly why: string }) {
  return (
    <EmptyState title="This platform makes no backups">
      {why.charAt(0).toUpperCase() + why.slice(1)}. The documentation, under Operate, says how backups are made.
    </EmptyState>
  );
}
