import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { tableOf } from './cells.ts';
import { type MatrixRow, readMatrix } from './queries.ts';
import { saveCsv } from './save-csv.ts';

/** Saves what all users of the workspace may do, page by page. */
export function ExportMatrix({ workspace }: { readonly workspace: string }) {
  const { env } = usePlace();
  const [done, setDone] = useState(0);
  const running = useRef<AbortController>(undefined);
  const save = useMutation({
    mutationFn: async () => {
      const abort = new AbortController();
      running.current = abort;
      setDone(0);
      const rows: MatrixRow[] = [];
      let nexttoken: string | null = '';
      while (nexttoken !== null) {
        const query = { env, tenant_code: workspace, pagesize: 50, nexttoken };
        const page: Awaited<ReturnType<typeof readMatrix>> = await readMatrix(query, abort.signal);
        rows.push(...page.items);
        nexttoken = page.nexttoken;
        setDone(rows.length);
      }
      saveCsv(`access-${workspace}-${env}.csv`, tableOf(rows));
    },
  });
  const isStopped = save.error instanceof DOMException;
  return (
    <Group gap="sm">
      {save.isPending && (
        <>
          <Text size="sm" c="dimmed" role="status">
            {done} users
          </Text>
          <Button variant="subtle" onClick={() => running.current?.abort()}>
            Stop
          </Button>
        </>
      )}
      <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
        Export access as CSV
      </Button>
      {!isStopped && <ProblemAlert error={save.error} />}
    </Group>
  );
}
