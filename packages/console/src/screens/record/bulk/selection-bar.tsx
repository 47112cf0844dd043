import { Button, Group, Modal, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { counted } from '../../../components/words/counted.ts';
import type { OnList } from '../../records/on-list.ts';
import { readOnlyRecords } from '../permissions.ts';
import classes from '../record.module.css';
import { BulkDelete } from './bulk-delete.tsx';
import { BulkEdit } from './bulk-edit.tsx';

/** The actions on all selected records together. */
export function SelectionBar({ list }: { readonly list: OnList }) {
  const { selection, actor, entity, clearSelection } = list;
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const reason = readOnlyRecords(actor);
  const count = counted(selection.size, 'record');
  const close = () => setOpen(undefined);
  return (
    <>
      <Paper withBorder p="xs" className={classes.selected} component="section" aria-label="Selected records">
        <Group justify="space-between" gap="xs">
          <Text size="sm" fw={600}>
            {count} selected
          </Text>
          <Group gap="xs">
            <ReasonedButton reason={reason} variant="default" size="compact-sm" onClick={() => setOpen('edit')}>
              Edit
            </ReasonedButton>
            <ReasonedButton
              reason={reason}
              variant="default"
              color="red"
              size="compact-sm"
              onClick={() => setOpen('delete')}
            >
              Delete
            </ReasonedButton>
            <Button variant="subtle" size="compact-sm" onClick={clearSelection}>
              Clear the selection
            </Button>
          </Group>
        </Group>
      </Paper>
      <Modal opened={open === 'edit'} onClose={close} title={`Edit ${count} of ${entity.entityName}`} size="lg">
        <BulkEdit list={list} onClose={close} />
      </Modal>
      <Modal opened={open === 'delete'} onClose={close} title={`Delete ${count} of ${entity.entityName}?`}>
        <BulkDelete list={list} onClose={close} />
      </Modal>
    </>
  );
}
