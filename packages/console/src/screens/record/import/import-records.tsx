import { Alert, Button, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { arrived, lazyPart } from '../../../components/lazy.tsx';
import { LineSkeletons } from '../../../components/loaded.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import type { OnList } from '../../records/on-list.ts';
import { readOnlyRecords } from '../permissions.ts';
import { ChooseFile } from './choose-file.tsx';
import type { ImportFile } from './import-file.ts';

const ImportSteps = lazyPart(async () => (await import('./import-steps.tsx')).ImportSteps, <LineSkeletons />);

/** Makes records of the rows of a file: choose it, map its columns, check it, write it. */
export function ImportRecords({ list }: { readonly list: OnList }) {
  const { actor, entity } = list;
  const [isOpen, setIsOpen] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const read = useMutation({
    mutationFn: async (file: File): Promise<{ readonly name: string; readonly file: ImportFile }> => {
      const { readImportFile } = await arrived(() => import('./import-file.ts'));
      return { name: file.name, file: await readImportFile(file) };
    },
  });
  const close = () => {
    setIsOpen(false);
    read.reset();
  };
  return (
    <>
      <ReasonedButton reason={readOnlyRecords(actor)} variant="default" size="xs" onClick={() => setIsOpen(true)}>
        Import
      </ReasonedButton>
      <Modal
        opened={isOpen}
        onClose={close}
        title={`Import into ${entity.entityName}`}
        size="xl"
        withCloseButton={!isBusy}
        closeOnEscape={!isBusy}
        closeOnClickOutside={false}
      >
        {read.data === undefined ? (
          <Stack>
            <ChooseFile isReading={read.isPending} onChoose={(file) => read.mutate(file)} />
            {read.isError && (
              <Alert color="red" role="alert" title="This file cannot be imported">
                {read.error.message}
              </Alert>
            )}
          </Stack>
        ) : (
          <>
            <Text size="sm" mb="sm">
              {read.data.name}, {read.data.file.rows.length} rows{' '}
              {!isBusy && (
                <Button variant="default" size="compact-xs" onClick={() => read.reset()}>
                  Choose another file
                </Button>
              )}
            </Text>
            <ImportSteps list={list} file={read.data.file} onBusy={setIsBusy} onClose={close} />
          </>
        )}
      </Modal>
    </>
  );
}
