import { Alert, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { appUsersQuery, readAppUsersAgain } from '../queries.ts';
import { EraseDialog } from './erase-dialog.tsx';
import { type Person, personJobsQuery, type RecordChoice } from './queries.ts';

interface Props {
  readonly person: Person;
  /** As it was chosen for the erase that has failed. */
  readonly records: RecordChoice;
}

/** An erase that has failed is begun again: its account opens nothing, and only the list of accounts still has it. */
export function UnfinishedErase({ person, records }: Props) {
  const { env, id } = person;
  const [isConfirming, setIsConfirming] = useState(false);
  const found = useInfiniteQuery(appUsersQuery(env, id, undefined));
  const email = found.data?.pages[0]?.items.find((user) => user.id === id)?.email;
  const erase = useMutation({
    mutationFn: () => call('eraseAppUser', { params: { id }, body: { env, records, confirm: email ?? '' } }),
    onSuccess: async () => {
      setIsConfirming(false);
      await readAppUsersAgain();
      await queryClient.invalidateQueries(personJobsQuery(person));
    },
  });
  return (
    <Alert color="red" title="The erase of this person has failed.">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          The account opens nothing any more, but some of its data is still there. The report below says why. Erase the
          person again once that is mended: a new job goes on.
        </Text>
        <ReasonedButton
          reason={email === undefined ? 'The account is not there any more.' : undefined}
          color="red"
          onClick={() => setIsConfirming(true)}
        >
          Erase again
        </ReasonedButton>
      </Stack>
      {isConfirming && email !== undefined && (
        <EraseDialog email={email} work={erase} onClose={() => setIsConfirming(false)}>
          <Text size="sm">The records of the person are treated as chosen before. It cannot be undone.</Text>
        </EraseDialog>
      )}
    </Alert>
  );
}
