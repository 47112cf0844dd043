import { Drawer, Group, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { CopyId } from '../../components/copy-id.tsx';
import { LineSkeletons, Loaded } from '../../components/loaded.tsx';
import type { OnList } from '../records/on-list.ts';
import { recordTitle } from '../records/record-title.ts';
import { DeleteRecord } from './delete-record.tsx';
import { EditRecord } from './edit-record.tsx';
import { NewRecord } from './new-record.tsx';
import { permissionsQuery, type Refusal, readOnlyRecords } from './permissions.ts';
import classes from './record.module.css';
import { RecordFacts } from './record-facts.tsx';
import { RecordJson } from './record-json.tsx';
import { fieldsOf, recordQuery, type StoredRecord } from './record-queries.ts';
import { RelatedRecords } from './related-records.tsx';
import { useFocusBack } from './use-focus-back.ts';

interface Props {
  readonly list: OnList;
  /** The id of the record, or `new`. */
  readonly id: string;
}

/** A record beside the list: its fields, what refers to it, and its JSON. */
export function RecordPanel({ list, id }: Props) {
  const name = list.entity.entityName;
  const isNew = id === 'new';
  const heading = useRef<HTMLSpanElement>(null);
  const shown = useRef(id);
  useEffect(() => {
    // Another record takes the place of the form or link that had the focus, such as the new one once it is created.
    if (shown.current !== id && document.activeElement === document.body) heading.current?.focus();
    shown.current = id;
  }, [id]);
  useFocusBack();
  return (
    <Drawer
      opened
      // In a task of its own: the question about unsaved changes would take the same Escape for its answer.
      onClose={() => setTimeout(list.onClose)}
      position="right"
      size="lg"
      title={
        <span ref={heading} tabIndex={-1} className={classes.heading}>
          {isNew ? `New ${name}` : name}
        </span>
      }
      closeButtonProps={{ 'aria-label': 'Close the record' }}
      overlayProps={{ backgroundOpacity: 0.25 }}
      transitionProps={{ duration: 0 }}
    >
      {isNew ? <NewRecord key={name} list={list} /> : <Stored key={`${name} ${id}`} list={list} id={id} />}
    </Drawer>
  );
}

function Stored({ list, id }: Props) {
  const { actor, entity } = list;
  const record = useQuery(recordQuery(actor, entity, id));
  return (
    <Loaded query={record} skeleton={<LineSkeletons lines={8} />}>
      {(stored) => <StoredTabs list={list} id={id} stored={stored} />}
    </Loaded>
  );
}

interface StoredProps extends Props {
  readonly stored: StoredRecord;
}

function StoredTabs({ list, id, stored }: StoredProps) {
  const { actor, entity } = list;
  const reason = readOnlyRecords(actor);
  const [tab, setTab] = useState<string | null>('fields');
  const permissions = useQuery(permissionsQuery(actor, entity.entityName, id));
  const updateRefusal: Refusal | undefined =
    reason === undefined ? permissions.data?.update : { reason, decisionId: undefined };
  const deleteRefusal = reason === undefined ? permissions.data?.delete : updateRefusal;
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start" gap="xs">
        <div>
          <Text fw={600}>{recordTitle(stored.record)}</Text>
          <CopyId value={id} what="id of the record" />
        </div>
        <DeleteRecord list={list} id={id} stored={stored} refusal={deleteRefusal} />
      </Group>
      {/* Kept mounted, so that what was typed stays when another tab is looked at. */}
      <Tabs value={tab} onChange={setTab}>
        <Tabs.List mb="md">
          <Tabs.Tab value="fields">Fields</Tabs.Tab>
          <Tabs.Tab value="related">Related</Tabs.Tab>
          <Tabs.Tab value="json">JSON</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="fields">
          <EditRecord list={list} id={id} fields={fieldsOf(entity.create)} stored={stored} refusal={updateRefusal} />
          <RecordFacts actor={actor} entity={entity} record={stored.record} />
        </Tabs.Panel>
        <Tabs.Panel value="related">
          {tab === 'related' && <RelatedRecords actor={actor} entity={entity.entityName} id={id} />}
        </Tabs.Panel>
        <Tabs.Panel value="json">{tab === 'json' && <RecordJson record={stored.record} />}</Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
