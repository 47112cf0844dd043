import { Group } from '@mantine/core';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import type { OnList } from '../records/on-list.ts';
import { ExportRecords } from './export-records.tsx';
import { ImportRecords } from './import/import-records.tsx';
import { readOnlyRecords } from './permissions.ts';

/** A new record, records from a file, and the list as a file. */
export function ListActions({ list }: { readonly list: OnList }) {
  return (
    <Group gap="xs">
      <ReasonedButton reason={readOnlyRecords(list.actor)} size="xs" onClick={() => list.onOpen('new')}>
        New record
      </ReasonedButton>
      <ImportRecords list={list} />
      <ExportRecords list={list} />
    </Group>
  );
}
