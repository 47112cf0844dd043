import { Alert, Button, Group, List, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import classes from './deploy.module.css';
import { kindNames } from './items.ts';
import type { Difference } from './queries.ts';

interface Props {
  readonly all: ReadonlyMap<string, Difference>;
  readonly chosen: ReadonlySet<string>;
  readonly along: ReadonlyMap<string, string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

/** Stages what is chosen, with a note. A refusal leaves the choice and the note as they are. */
export function PublishBar({ all, chosen, along, onChoose }: Props) {
  const [note, setNote] = useState('');
  const items = [...chosen].flatMap((key) => {
    const item = all.get(key);
    return item === undefined ? [] : [{ kind: item.kind, name: item.name }];
  });
  const publish = useMutation({
    mutationFn: () => call('publish', { body: { items, ...(note.trim() === '' ? {} : { note: note.trim() }) } }),
    onSuccess: () => {
      onChoose(new Set());
      setNote('');
    },
    // Also after a refusal: what others did meanwhile is why.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deploy'] }),
  });
  const { data } = publish;
  const count = items.length + along.size;
  return (
    <>
      <UnsavedGuard isDirty={note !== ''} />
      <div role="status" className={classes.publish}>
        {data !== undefined && count === 0 && (
          <Alert
            color="teal"
            withCloseButton
            closeButtonLabel="Close"
            onClose={publish.reset}
            title={`${data.staged.length} ${data.staged.length === 1 ? 'item is' : 'items are'} staged, as ${data.release_id}.`}
          >
            {data.added_dependencies.length > 0 && (
              <List size="sm" aria-label="Staged as well">
                {data.added_dependencies.map(({ kind, name, reason }) => (
                  <List.Item key={`${kind} ${name}`}>
                    {kindNames[kind]} {name} came along: <Sentence text={reason} />
                  </List.Item>
                ))}
              </List>
            )}
          </Alert>
        )}
      </div>
      {count > 0 && (
        <Paper withBorder p="sm" component="section" aria-label="Publish" className={classes.publish}>
          <Stack gap="xs">
            <Text size="sm">
              Publishing freezes {count === 1 ? 'this item' : `these ${count} items`} as they are now and stages them.
              Nothing changes in production yet.
            </Text>
            <ProblemAlert error={publish.error} />
            <Group gap="sm">
              <TextInput
                aria-label="Note of the publication"
                placeholder="Note, such as what it is for"
                maxLength={1000}
                value={note}
                onChange={({ currentTarget: { value } }) => setNote(value)}
                className={classes.search}
              />
              <Button variant="default" onClick={() => onChoose(new Set())}>
                Clear
              </Button>
              <Button loading={publish.isPending} onClick={() => publish.mutate()}>
                Publish {count} {count === 1 ? 'item' : 'items'}
              </Button>
            </Group>
          </Stack>
        </Paper>
      )}
    </>
  );
}
