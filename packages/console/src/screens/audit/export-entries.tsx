import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { download } from '../record/save-file.ts';
import { type AuditSearch, queryOf } from './audit-search.ts';
import { continuationOf, withoutContinuation } from './exported-file.ts';

type Format = 'csv' | 'jsonl';

const types: Readonly<Record<Format, string>> = { csv: 'text/csv', jsonl: 'application/x-ndjson' };

interface Props {
  readonly search: AuditSearch;
  readonly workspace: string | undefined;
}

/** The entries that are chosen, as one file. A long log comes in several parts. */
export function ExportEntries({ search, workspace }: Props) {
  const [parts, setParts] = useState(0);
  const running = useRef<AbortController>(undefined);
  const save = useMutation({
    mutationFn: async (format: Format) => {
      const abort = new AbortController();
      running.current = abort;
      const texts: string[] = [];
      let nexttoken: string | undefined = '';
      while (nexttoken !== undefined) {
        setParts(texts.length + 1);
        const query = { ...queryOf(search), tenant_code: workspace, format, nexttoken };
        const text = String(await call('exportAuditEntries', { query, signal: abort.signal }));
        nexttoken = continuationOf(format, text);
        texts.push(withoutContinuation(format, text, { isFirst: texts.length === 0, isLast: nexttoken === undefined }));
      }
      download(`audit.${format}`, new Blob([...texts], { type: types[format] }));
    },
  });
  const isStopped = save.error instanceof DOMException;
  return (
    <Group gap="sm">
      <Button
        variant="default"
        loading={save.isPending && save.variables === 'csv'}
        disabled={save.isPending}
        onClick={() => save.mutate('csv')}
      >
        Export as CSV
      </Button>
      <Button
        variant="default"
        loading={save.isPending && save.variables === 'jsonl'}
        disabled={save.isPending}
        onClick={() => save.mutate('jsonl')}
      >
        Export as JSON lines
      </Button>
      {save.isPending && (
        <>
          <Text size="sm" c="dimmed" role="status">
            Reading part {parts}
          </Text>
          <Button variant="default" onClick={() => running.current?.abort()}>
            Stop
          </Button>
        </>
      )}
      {!isStopped && <ProblemAlert error={save.error} />}
    </Group>
  );
}
