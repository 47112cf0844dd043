import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { LineSkeletons, Loaded } from '../../components/loaded.tsx';
import type { OnList } from '../records/on-list.ts';
import { EditRecord } from './edit-record.tsx';
import { readOnlyRecords } from './permissions.ts';
import { fieldsOf, recordQuery } from './record-queries.ts';
import { useFocusBack } from './use-focus-back.ts';

interface Props {
  readonly list: OnList;
  readonly id: string;
  /** The name of the field. */
  readonly field: string;
}

/** One field of a record, edited where it is seen in the list. A change by another person is compared as in the panel. */
export function CellEdit({ list, id, field }: Props) {
  const { actor, entity } = list;
  const record = useQuery({ ...recordQuery(actor, entity, id), staleTime: 0 });
  const reason = readOnlyRecords(actor);
  useFocusBack();
  return (
    <Modal opened onClose={() => setTimeout(list.onClose)} title={`Edit ${field}`} transitionProps={{ duration: 0 }}>
      <Loaded query={record} skeleton={<LineSkeletons lines={2} />}>
        {(stored) => (
          <EditRecord
            list={list}
            id={id}
            fields={fieldsOf(entity.create).filter(({ name }) => name === field)}
            stored={stored}
            refusal={reason === undefined ? undefined : { reason, decisionId: undefined }}
            onSaved={list.onClose}
          />
        )}
      </Loaded>
    </Modal>
  );
}
