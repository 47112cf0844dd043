import { Button, Grid, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { callWhole } from '../../api/call.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ImportArchive } from './import-archive.tsx';

/** Configuration as files: to keep it in a repository, and to bring it into test from there. */
export function FilesTab() {
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Export />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <ImportArchive />
      </Grid.Col>
    </Grid>
  );
}

function Export() {
  const download = useMutation({
    mutationFn: (env: 'test' | 'prod') => callWhole('exportConfig', { query: { env }, headers: { Accept: '*/*' } }),
    onSuccess: ({ body, headers }, env) => {
      const name = /filename="?([\w.-]+)/.exec(headers.get('content-disposition') ?? '')?.[1];
      save(new Blob([String(body)], { type: 'application/x-tar' }), name ?? `config-${env}.tar`);
    },
  });
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="export">
      <Stack gap="sm">
        <Title order={2} id="export">
          Export
        </Title>
        <Text size="sm">
          A tar archive with a JSON file for each item, the same bytes for the same configuration. It has no records, no
          users and no secrets.
        </Text>
        <Group>
          <Button
            variant="default"
            loading={download.isPending && download.variables === 'test'}
            onClick={() => download.mutate('test')}
          >
            Download test
          </Button>
          <Button
            variant="default"
            loading={download.isPending && download.variables === 'prod'}
            onClick={() => download.mutate('prod')}
          >
            Download production
          </Button>
        </Group>
        <ProblemAlert error={download.error} />
      </Stack>
    </Paper>
  );
}

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
