import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import type { OnList } from '../../records/on-list.ts';
import { tagOf } from '../record-queries.ts';
import { forgetRecords } from '../save-record.ts';
import { BatchOutcome } from './batch-outcome.tsx';
import { useBatchRun } from './use-batch-run.ts';

interface Props {
  readonly list: OnList;
  readonly onClose: () => void;
}

/** Deletes the selected records as they were when they were selected. */
export function BulkDelete({ list, onClose }: Props) {
  const { actor, entity } = list;
  // The rows go on changing while the run is on its way.
  const [selected] = useState(() => [...list.selection.values()]);
  const [typed, setTyped] = useState('');
  const run = useBatchRun(actor, () => {
    void forgetRecords(actor, entity.entityName);
    list.refresh();
  });
  const operations = selected.map((row) => {
    const tag = tagOf(row);
    const if_match = tag === undefined ? {} : { if_match: tag };
    return { action: 'delete' as const, entity: entity.entityName, id: row.id, ...if_match };
  });
  if (run.total > 0) return <BatchOutcome run={run} done="deleted" rows={selected} list={list} onClose={onClose} />;
  return (
    <Stack>
      <Text size="sm">
        They are deleted as they were when you selected them: a record that was changed since then stays. Records that
        refer to them are cleared, deleted too, or forbid it, as the lookups say.
      </Text>
      <TextInput
        label={`Type ${selected.length} to confirm it`}
        value={typed}
        autoComplete="off"
        data-autofocus
        onChange={({ currentTarget: { value } }) => setTyped(value)}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <ReasonedButton
          color="red"
          reason={typed.trim() === String(selected.length) ? undefined : `Type ${selected.length} first.`}
          onClick={() => run.start(operations)}
        >
          Delete the records
        </ReasonedButton>
      </Group>
    </Stack>
  );
}
