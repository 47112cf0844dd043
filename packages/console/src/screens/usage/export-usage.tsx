import { Button, Group, NativeSelect, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { download } from '../record/save-file.ts';

const metrics = [
  { value: '', label: 'Everything' },
  { value: 'api_calls', label: 'Calls' },
  { value: 'records', label: 'Records' },
  { value: 'runs', label: 'Runs' },
  { value: 'deliveries', label: 'Deliveries' },
  { value: 'script_ms', label: 'Time of scripts' },
  { value: 'mails', label: 'Mails' },
] as const;

type Metric = Exclude<(typeof metrics)[number]['value'], ''>;
type Format = 'csv' | 'jsonl';

/** The rows that all figures are summed from, as a file. */
export function ExportUsage() {
  const [chosen, setRequested] = useState({ metric: '', from: '', to: '' });
  const change = (changed: Partial<typeof chosen>) => setRequested({ ...chosen, ...changed });
  const save = useMutation({
    mutationFn: async (format: Format) => {
      const { from, to } = chosen;
      const metric = chosen.metric === '' ? undefined : (chosen.metric as Metric);
      const query = { format, metric, ...(from === '' ? {} : { from }), ...(to === '' ? {} : { to }) };
      const text = String((await call('exportUsage', { query })) ?? '');
      const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
      download(`usage.${format}`, new Blob([text], { type }));
    },
  });
  return (
    <Paper withBorder p="md" component="section" aria-label="Export">
      <Stack gap="sm">
        <Title order={2}>Export</Title>
        <Text size="sm">
          Calls by day and workspace, records by workspace and entity, work of automation by day: the rows that the
          figures are summed from. Without days it is this month.
        </Text>
        <Group align="flex-end" gap="sm">
          <NativeSelect
            label="What"
            data={[...metrics]}
            value={chosen.metric}
            onChange={({ currentTarget: { value } }) => change({ metric: value })}
          />
          <TextInput
            type="date"
            label="From"
            value={chosen.from}
            onChange={({ currentTarget: { value } }) => change({ from: value })}
          />
          <TextInput
            type="date"
            label="Until"
            value={chosen.to}
            onChange={({ currentTarget: { value } }) => change({ to: value })}
          />
          <Button
            variant="default"
            loading={save.isPending && save.variables === 'csv'}
            onClick={() => save.mutate('csv')}
          >
            Export as CSV
          </Button>
          <Button
            variant="default"
            loading={save.isPending && save.variables === 'jsonl'}
            onClick={() => save.mutate('jsonl')}
          >
            Export as JSON lines
          </Button>
        </Group>
        <ProblemAlert error={save.error} />
      </Stack>
    </Paper>
  );
}
