import { Group, List, Paper, Radio, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { When } from '../../../components/when.tsx';
import { readAppUsersAgain } from '../queries.ts';
import { EraseDialog } from './erase-dialog.tsx';
import { type Person, type PersonJob, personJobsQuery, type RecordChoice } from './queries.ts';
import { choices, countsOf } from './sentences.ts';

interface Props {
  readonly person: Person;
  readonly email: string;
  readonly jobs: readonly PersonJob[];
  /** Why no job can be begun now. */
  readonly reason: string | undefined;
}

/** Erases the person, once a preview of the same choice was read. */
export function EraseCard({ person, email, jobs, reason }: Props) {
  const [records, setRecords] = useState<RecordChoice>('keep');
  const [isConfirming, setIsConfirming] = useState(false);
  const again = () => queryClient.invalidateQueries(personJobsQuery(person));
  const { env, id } = person;
  const sent = { params: { id }, body: { env, records } };
  const preview = useMutation({
    mutationFn: () => call('eraseAppUser', { ...sent, query: { dry_run: true } }),
    onSuccess: again,
  });
  const erase = useMutation({
    mutationFn: () => call('eraseAppUser', { ...sent, body: { ...sent.body, confirm: email } }),
    onSuccess: async () => {
      setIsConfirming(false);
      await readAppUsersAgain();
      await again();
    },
  });
  const previewed = jobs.find((job) => job.dry_run && job.records === records && job.state === 'done');
  const unread = previewed === undefined ? 'Preview the erase with this choice first.' : undefined;
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="erase">
      <Stack gap="sm">
        <Title order={2} id="erase">
          Erase
        </Title>
        <Text size="sm">
          Removes the account, its sign-ins, memberships and invitations from this environment. From the beginning on
          the account opens nothing. It cannot be undone.
        </Text>
        <Radio.Group
          label="What becomes of the person’s records"
          value={records}
          onChange={(value) => setRecords(choices.find((choice) => choice.value === value)?.value ?? 'keep')}
        >
          <Stack gap="xs" mt="xs">
            {choices.map((choice) => (
              <Radio key={choice.value} {...choice} />
            ))}
          </Stack>
        </Radio.Group>
        <ProblemAlert error={preview.error} />
        <Group>
          <ReasonedButton
            reason={reason}
            variant="default"
            loading={preview.isPending}
            onClick={() => preview.mutate()}
          >
            Preview the erase
          </ReasonedButton>
          <ReasonedButton reason={reason ?? unread} color="red" onClick={() => setIsConfirming(true)}>
            Erase the person
          </ReasonedButton>
        </Group>
      </Stack>
      {isConfirming && previewed !== undefined && (
        <EraseDialog email={email} work={erase} onClose={() => setIsConfirming(false)}>
          <Text size="sm" component="div">
            The preview that was made <When at={previewed.created_at} /> has found this. It cannot be undone.
          </Text>
          <List size="sm">
            {countsOf(previewed)
              .filter(([, count]) => count > 0)
              .map(([label, count]) => (
                <List.Item key={label}>
                  {label}: {count}
                </List.Item>
              ))}
          </List>
        </EraseDialog>
      )}
    </Paper>
  );
}

/** Has the data of the person collected into a file. */
export function ExportCard({ person, reason }: Pick<Props, 'person' | 'reason'>) {
  const { env, id } = person;
  const collect = useMutation({
    mutationFn: () => call('exportAppUser', { params: { id }, body: { env } }),
    onSuccess: () => queryClient.invalidateQueries(personJobsQuery(person)),
  });
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="export">
      <Stack gap="sm" align="flex-start">
        <Title order={2} id="export">
          Export
        </Title>
        <Text size="sm">
          Collects the account, its sign-ins, memberships and invitations, and the records that the person owns or
          created, as JSON Lines. Encrypted fields are left out. The file is kept for 7 days.
        </Text>
        <ProblemAlert error={collect.error} />
        <ReasonedButton reason={reason} variant="default" loading={collect.isPending} onClick={() => collect.mutate()}>
          Collect the data
        </ReasonedButton>
      </Stack>
    </Paper>
  );
}
