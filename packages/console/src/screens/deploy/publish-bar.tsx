import { Alert, Button, Group, List, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import { counted } from '../../components/words/counted.ts';
import classes from './deploy.module.css';
import { comesAlong, keyOf, kindNames } from './items.ts';
import type { Difference } from './queries.ts';

interface Props {
  readonly differences: readonly Difference[];
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

/** Stages what is chosen, with a note. A refusal leaves the choice and the note as they are. */
export function PublishBar({ differences, chosen, onChoose }: Props) {
  const all = new Map(differences.map((one) => [keyOf(one), one]));
  const along = comesAlong(all, chosen);
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
  const clear = () => {
    onChoose(new Set());
    setNote('');
    publish.reset();
  };
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
            title={`${counted(data.staged.length, 'item is', 'items are')} staged, as ${data.release_id}.`}
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
      {(count > 0 || note !== '' || publish.isError) && (
        <Paper withBorder p="sm" component="section" aria-label="Publish" className={classes.publish}>
          <Stack gap="xs">
            <Text size="sm">
              {count === 0
                ? 'Nothing that is selected differs any more.'
                : `Publishing freezes ${count === 1 ? 'this item as it is' : `these ${count} items as they are`} now and stages ${count === 1 ? 'it' : 'them'}. Nothing changes in production yet.`}
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
              <Button variant="default" onClick={clear}>
                Clear
              </Button>
              {count > 0 && (
                <Button loading={publish.isPending} onClick={() => publish.mutate()}>
                  Publish {counted(count, 'item')}
                </Button>
              )}
            </Group>
          </Stack>
        </Paper>
      )}
    </>
  );
}
