import { Alert, Badge, Button, Collapse, Group, List, Modal, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { ApiProblem } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import { usePlace } from '../api/session.ts';
import classes from './item-versions.module.css';
import { JsonBlock } from './json-block.tsx';
import { LineSkeletons, Loaded } from './loaded.tsx';
import { ProblemAlert } from './problem-alert.tsx';
import { ReasonedButton } from './reasoned-button.tsx';
import { Sentence } from './sentence.tsx';
import { When } from './when.tsx';

const pagesize = 20;

/** The queries of a kind of config items, by the words that their keys begin with. */
export const keyOfKind = (kind: string) => (kind === 'entity' ? 'entities' : `config ${kind}`);

interface OfItem {
  readonly kind: string;
  readonly name: string;
}

/** Every version of a config item in test, what restoring it would change, and a way back to it. */
export function ItemVersions({ kind, name }: OfItem) {
  const params = { kind, name };
  const versions = useInfiniteQuery({
    queryKey: [keyOfKind(kind), 'versions', name],
    queryFn: ({ pageParam, signal }) =>
      call('listItemVersions', { params, query: { pagesize, nexttoken: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken ?? undefined,
  });
  return (
    <Stack gap="sm">
      <Loaded query={versions}>
        {({ pages }) =>
          pages
            .flatMap(({ items }) => items)
            .map((item) => <Version key={item.version} kind={kind} name={name} item={item} />)
        }
      </Loaded>
      {versions.isFetchNextPageError && <ProblemAlert error={versions.error} />}
      {versions.hasNextPage && (
        <Button
          variant="default"
          loading={versions.isFetchingNextPage}
          onClick={() => void versions.fetchNextPage()}
          w="fit-content"
        >
          Earlier versions
        </Button>
      )}
    </Stack>
  );
}

interface Item {
  readonly version: number;
  readonly action: string;
  readonly at: string;
  readonly active: boolean;
  readonly restored?: number | undefined;
}

function Version({ kind, name, item }: OfItem & { readonly item: Item }) {
  const { readOnlyReason } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const [isConfirming, setIsConfirming] = useState(false);
  const { version, action, at, active, restored } = item;
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between">
        <Group gap="xs">
          <Text fw={500}>Version {version}</Text>
          {active && (
            <Badge color="teal" variant="dot">
              live in test
            </Badge>
          )}
          <Text size="sm" c="dimmed">
            {action}
            {restored === undefined ? '' : ` from version ${restored}`} <When at={at} />
          </Text>
        </Group>
        {!active && (
          <Group gap="xs">
            <Button variant="default" size="compact-sm" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              Compare with the live version
            </Button>
            {action !== 'removed' && (
              <ReasonedButton
                reason={readOnlyReason}
                variant="default"
                size="compact-sm"
                onClick={() => setIsConfirming(true)}
              >
                Restore
              </ReasonedButton>
            )}
          </Group>
        )}
      </Group>
      <Collapse expanded={isOpen}>{isOpen && <Comparison kind={kind} name={name} version={version} />}</Collapse>
      <Modal
        opened={isConfirming}
        onClose={() => setIsConfirming(false)}
        title={`Restore version ${version}?`}
        size="lg"
      >
        {isConfirming && <Restore kind={kind} name={name} version={version} close={() => setIsConfirming(false)} />}
      </Modal>
    </Paper>
  );
}

interface OfVersion extends OfItem {
  readonly version: number;
}

/** The change that leads from the live version to this one. */
function Comparison({ kind, name, version }: OfVersion) {
  const params = { kind, name, version: String(version) };
  const compared = useQuery({
    queryKey: [keyOfKind(kind), 'versions', name, version],
    queryFn: ({ signal }) => call('readItemVersion', { params, query: { compare: 'active' }, signal }),
  });
  return (
    <Loaded query={compared} skeleton={<LineSkeletons lines={2} />}>
      {({ compared: difference, content }) => (
        <Stack gap="xs" mt="xs">
          {difference === undefined ? (
            <Text size="sm">There is no live version to compare with.</Text>
          ) : difference.summary.length === 0 ? (
            <Text size="sm">It is the same as the live version.</Text>
          ) : (
            <List size="sm" aria-label={`From the live version to version ${version}`}>
              {difference.summary.map((sentence) => (
                <List.Item key={sentence}>
                  <Sentence text={sentence} />
                </List.Item>
              ))}
            </List>
          )}
          <JsonBlock label="The change in JSON" value={difference?.changes ?? content} />
        </Stack>
      )}
    </Loaded>
  );
}

function Restore({ kind, name, version, close }: OfVersion & { readonly close: () => void }) {
  const restore = useMutation({
    mutationFn: (force: boolean) =>
      call('restoreConfigItem', { params: { kind, name }, query: { force }, body: { version } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [keyOfKind(kind)] });
      close();
    },
  });
  const { error } = restore;
  const mayForce =
    error instanceof ApiProblem && error.code === 'conflict' && error.body !== undefined && 'checked' in error.body;
  return (
    <Stack>
      <Comparison kind={kind} name={name} version={version} />
      <Text size="sm">
        It becomes a new version.
        {kind === 'entity' && ' Fields that it lacks are hidden, and their values are kept.'}
      </Text>
      <ProblemAlert error={error} />
      {mayForce && (
        <Alert color="yellow" classNames={{ title: classes.alertTitle ?? '' }} title="Records contradict this version">
          With force it is restored all the same. These records can still be read, and must meet the rules when they are
          next written.
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button color={mayForce ? 'red' : 'cyan'} loading={restore.isPending} onClick={() => restore.mutate(mayForce)}>
          {mayForce ? 'Restore with force' : 'Restore'}
        </Button>
      </Group>
    </Stack>
  );
}
