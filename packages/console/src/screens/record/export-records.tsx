import { Alert, Button, Group, Menu, Modal, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { fetchApp } from '../../api/app.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import type { OnList } from '../records/on-list.ts';
import { pathOf } from './record-queries.ts';
import { openTarget } from './save-file.ts';

const formats = [
  { format: 'csv', label: 'CSV', type: 'text/csv' },
  { format: 'jsonl', label: 'JSON Lines', type: 'application/x-ndjson' },
] as const;

type Format = (typeof formats)[number];

/** Saves what the list shows, all pages of it, as a file. */
export function ExportRecords({ list }: { readonly list: OnList }) {
  const { actor, entity, parameters } = list;
  const [bytes, setBytes] = useState(0);
  const aborter = useRef<AbortController>(undefined);
  const run = useMutation({
    mutationFn: async ({ format, type }: Format) => {
      const target = await openTarget(`${entity.entityName}.${format}`);
      if (target === undefined) return 'not wanted';
      aborter.current = new AbortController();
      setBytes(0);
      const { body } = await fetchApp(actor, 'GET', pathOf('export', entity.entityName), {
        query: { ...parameters, format },
        headers: { Accept: type },
        signal: aborter.current.signal,
      });
      if (body !== null) await target.write(body.pipeThrough(counted(setBytes)), type);
      return 'saved';
    },
  });
  const isAborted = run.error instanceof DOMException && run.error.name === 'AbortError';
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" size="xs" loading={run.isPending}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {formats.map((format) => (
            <Menu.Item key={format.format} onClick={() => run.mutate(format)}>
              {format.label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Modal
        opened={run.isPending || run.isError || run.data === 'saved'}
        onClose={() => (run.isPending ? aborter.current?.abort() : run.reset())}
        title={`Export of ${entity.entityName}`}
      >
        <Stack>
          {run.isPending && <Progress value={100} animated aria-label="Export" />}
          <Text size="sm" role="status">
            {run.isPending ? 'Reading' : run.isSuccess ? 'Saved' : 'Read'} {sizeOf(bytes)}
            {Object.keys(parameters).length === 0
              ? ', all records that this user may list.'
              : ', as the list is filtered.'}
          </Text>
          {run.isError &&
            (isAborted ? (
              <Text size="sm">The export was cancelled. No whole file was saved.</Text>
            ) : (
              <>
                <ProblemAlert error={run.error} />
                <Alert color="yellow" title="The file is not complete.">
                  Export it again.
                </Alert>
              </>
            ))}
          <Group justify="flex-end">
            {run.isPending ? (
              <Button variant="default" onClick={() => aborter.current?.abort()}>
                Cancel
              </Button>
            ) : (
              <Button variant="default" onClick={() => run.reset()}>
                Close
              </Button>
            )}
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

function counted(onBytes: (bytes: number) => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength;
      onBytes(bytes);
      controller.enqueue(chunk);
    },
  });
}

function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
