import { Button, Code, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Dialog } from '../../../components/dialog/dialog.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { openTarget } from '../../record/save-file.ts';
import { keyHolder, operateStream } from '../operate.ts';
import type { Backup } from './queries.ts';
import { shellDownload, sizeOf } from './words.ts';

interface Props {
  readonly backup: Backup;
  readonly onClose: () => void;
}

/**
 * Saves the file as it comes, where the browser lets a page do so; else the browser keeps all of it until it is complete.
 * The key goes out in a header, so there is no address that another program could take the file from. A download ends with
 * the page that shows it, and is use of the page: the area is not locked under it.
 */
export function DownloadBackup({ backup, onClose }: Props) {
  const { name, bytes } = backup;
  const [done, setDone] = useState(0);
  const aborter = useRef<AbortController>(undefined);
  useEffect(() => () => aborter.current?.abort(), []);
  const note = (bytes: number) => {
    keyHolder.touch();
    setDone(bytes);
  };
  const run = useMutation({
    mutationFn: async () => {
      const target = await openTarget(name);
      if (target === undefined) return 'not wanted';
      aborter.current = new AbortController();
      setDone(0);
      const stream = await operateStream('downloadBackup', { params: { name }, signal: aborter.current.signal });
      await target.write(stream.pipeThrough(counted(note)), 'application/x-tar');
      return 'saved';
    },
  });
  return (
    <Dialog onClose={onClose} title="Download a backup">
      <Stack>
        <Text size="sm">
          {name}, {sizeOf(bytes ?? 0)}. It holds every record and every key of the platform: keep it encrypted, and not
          in a folder that is shared.
        </Text>
        <Text size="sm" c="dimmed">
          A large file is better downloaded in a shell, with the operator key in a variable:
        </Text>
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {shellDownload(name, location.origin)}
        </Code>
        {run.isPending && (
          <>
            <Progress value={(100 * done) / Math.max(1, bytes ?? 1)} aria-label="Download" />
            <Text size="sm" role="status">
              {sizeOf(done)} of {sizeOf(bytes ?? 0)}
            </Text>
          </>
        )}
        {run.data === 'saved' && (
          <Text size="sm" role="status">
            Saved {sizeOf(done)}.
          </Text>
        )}
        <ProblemAlert error={run.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {run.isPending ? 'Cancel' : 'Close'}
          </Button>
          <Button loading={run.isPending} onClick={() => run.mutate()} data-autofocus>
            Save the file
          </Button>
        </Group>
      </Stack>
    </Dialog>
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
