import { Alert, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ChangeList } from './change-list.tsx';
import { Confirmation } from './confirmation.tsx';
import { comparedQuery, type Release, readAgain } from './queries.ts';

interface Props {
  /** The activation whose configuration was live when the dialog was opened. */
  readonly live: number;
  /** Where to go; undefined for the release before the live one. */
  readonly version: number | undefined;
  readonly close: () => void;
}

/** Goes back, or forward again, once it is shown what that changes and the app is named. */
export function RollbackDialog({ live, version, close }: Props) {
  const from = useQuery({ ...comparedQuery(live, live), enabled: version === undefined });
  const target = version ?? from.data?.previous;
  const compared = useQuery({ ...comparedQuery(target ?? 0, live), enabled: target !== undefined });
  return (
    <Dialog onClose={close} title={titleOf(live, target)} size="lg">
      {target === undefined && from.isSuccess ? (
        <Text size="sm">The first release is live. There is nothing to go back to.</Text>
      ) : (
        <Loaded query={target === undefined ? from : compared} skeleton={<Skeleton height={220} />}>
          {(release) =>
            target === undefined ? <Skeleton height={220} /> : <Rollback release={release} close={close} />
          }
        </Loaded>
      )}
    </Dialog>
  );
}

function titleOf(live: number, target: number | undefined): string {
  if (target === undefined) return 'Roll back one step?';
  return target > live ? `Go forward to release ${target}?` : `Roll back to release ${target}?`;
}

interface RollbackProps {
  readonly release: Release;
  readonly close: () => void;
}

function Rollback({ release, close }: RollbackProps) {
  const [note, setNote] = useState('');
  // What was shown first. If another release becomes live meanwhile, the platform refuses, and the change is shown again.
  const [shown, setShown] = useState(release);
  const { live = 0, items = [] } = shown.compared ?? {};
  const rollback = useMutation({
    mutationFn: () =>
      call('rollback', {
        body: { version: shown.version, live, ...(note.trim() === '' ? {} : { note: note.trim() }) },
      }),
    onSuccess: async () => {
      close();
      await readAgain();
    },
    onError: async (error) => {
      if (!(error instanceof ApiProblem) || error.code !== 'version_mismatch') return;
      setShown(await queryClient.fetchQuery({ ...comparedQuery(shown.version, live), staleTime: 0 }));
      await queryClient.invalidateQueries({ queryKey: ['deploy', 'releases'] });
    },
  });
  const isBehind = rollback.error instanceof ApiProblem && rollback.error.code === 'version_mismatch';
  return (
    <Stack>
      <Text size="sm">
        Production serves the configuration of release {shown.version} at once. Records stay as they are; fields that it
        lacks are hidden and come back with a later release. What is staged stays staged.
      </Text>
      <section aria-label="What changes in production">
        {items.length === 0 ? (
          <Text size="sm">Nothing changes: its configuration is live.</Text>
        ) : (
          <ChangeList items={items} />
        )}
      </section>
      <TextInput
        label="Note"
        description="For the history, such as why."
        maxLength={1000}
        value={note}
        onChange={({ currentTarget: { value } }) => setNote(value)}
      />
      <ProblemAlert error={rollback.error} />
      {isBehind && (
        <Alert color="yellow" title={`Release ${live} is live meanwhile.`}>
          What goes back from there is shown above now.
        </Alert>
      )}
      <Confirmation
        action={
          shown.version > live ? `Go forward to release ${shown.version}` : `Roll back to release ${shown.version}`
        }
        reason={items.length === 0 ? 'Its configuration is live already.' : undefined}
        isPending={rollback.isPending}
        onConfirm={() => rollback.mutate()}
        close={close}
      />
    </Stack>
  );
}
