import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { TypedConfirmation } from '../../../components/typed-confirmation.tsx';
import { operate } from '../operate.ts';
import { type Backup, backupsQuery } from './queries.ts';

interface Props {
  readonly backup: Backup;
  /** Whether no other complete backup is shown. */
  readonly isLast: boolean;
  readonly onClose: () => void;
}

export function RemoveBackup({ backup, isLast, onClose }: Props) {
  const client = useQueryClient();
  const { name, state } = backup;
  const remove = useMutation({
    mutationFn: () => operate('removeBackup', { params: { name } }),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries({ queryKey: backupsQuery.queryKey });
    },
  });
  return (
    <TypedConfirmation
      title="Delete a backup"
      name={name}
      what="backup"
      action="Delete the backup"
      work={{ ...remove, mutate: () => remove.mutate() }}
      onClose={onClose}
    >
      <Text size="sm">
        {state === 'complete' ? 'The file is deleted from the folder for backups.' : 'It leaves the list.'} It cannot be
        brought back.
      </Text>
      {isLast && (
        <Text size="sm" fw={600}>
          It is the only complete backup in the list.
        </Text>
      )}
    </TypedConfirmation>
  );
}
