import { Button, Group, Paper, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { When } from '../../components/when.tsx';
import { counted } from '../../components/words/counted.ts';
import { ActivateDialog } from './activate-dialog.tsx';
import { Checks } from './checks.tsx';
import classes from './deploy.module.css';
import { ChangeBadge, ItemName } from './item-name.tsx';
import { keyOf } from './items.ts';
import type { AllStaged, Check, StagedItem } from './queries.ts';

/** What waits to become live, and the dialog that makes it live. */
export function Staged({ staged }: { readonly staged: AllStaged }) {
  // They outlive a refused activation and the list, so that nothing that was typed is lost.
  const [note, setNote] = useState('');
  const [reviewed, setReviewed] = useState<AllStaged>();
  return (
    <>
      {staged.items.length === 0 ? (
        <EmptyState title="Nothing is staged">
          Select items that differ and publish them. What is staged stays as it was frozen, and becomes live all at
          once.
        </EmptyState>
      ) : (
        <StagedList staged={staged} onActivate={() => setReviewed(staged)} />
      )}
      {reviewed !== undefined && (
        <ActivateDialog staged={reviewed} note={note} onNote={setNote} close={() => setReviewed(undefined)} />
      )}
    </>
  );
}

const pageSize = 10;

interface ListProps {
  readonly staged: AllStaged;
  readonly onActivate: () => void;
}

/** The staged items with the checks of each; what stands against it first. */
function StagedList({ staged: { items, checks }, onActivate }: ListProps) {
  const { adminReason } = usePlace();
  const [count, setCount] = useState(pageSize);
  const withdrawAll = useMutation({
    mutationFn: () => call('withdrawAll'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deploy'] }),
  });
  const inOrder = worstFirst(items, checks);
  const general = checks.filter(({ name }) => name === undefined);
  return (
    <Paper withBorder>
      <Group justify="space-between" className={classes.item}>
        <Text size="sm" c="dimmed">
          {counted(items.length, 'item')}
        </Text>
        <Group gap="xs">
          <Button variant="default" size="xs" loading={withdrawAll.isPending} onClick={() => withdrawAll.mutate()}>
            Withdraw all
          </Button>
          <ReasonedButton reason={adminReason ?? refusal(checks)} size="xs" onClick={onActivate}>
            Activate
          </ReasonedButton>
        </Group>
        <ProblemAlert error={withdrawAll.error} />
      </Group>
      {general.length > 0 && (
        <div className={classes.item}>
          <Checks checks={general} />
        </div>
      )}
      <ul aria-label="Staged items" className={classes.list}>
        {inOrder.slice(0, count).map((item) => (
          <StagedRow key={keyOf(item)} item={item} checks={checksOf(item, checks)} />
        ))}
      </ul>
      {items.length > count && (
        <Group className={classes.item} gap="sm">
          <Button variant="default" size="compact-sm" onClick={() => setCount(count + pageSize)}>
            Show more staged items
          </Button>
          <Text size="sm" c="dimmed">
            {count} of {items.length}
          </Text>
        </Group>
      )}
    </Paper>
  );
}

/** Why no activation can be made of it; records alone can be overridden. */
function refusal(checks: readonly Check[]): string | undefined {
  const isRefused = checks.some(({ level, check }) => level === 'error' && check !== 'records');
  return isRefused ? 'A check stands against it. Correct what it says in test, and publish the item again.' : undefined;
}

function checksOf(item: StagedItem, checks: readonly Check[]): readonly Check[] {
  return checks.filter(({ kind, name }) => kind === item.kind && name === item.name);
}

const weights = { error: 0, warning: 1, info: 2 } as const;

function worstFirst(items: readonly StagedItem[], checks: readonly Check[]): readonly StagedItem[] {
  const worst = new Map<string, number>();
  for (const { kind = '', name = '', level } of checks) {
    const key = keyOf({ kind, name });
    worst.set(key, Math.min(worst.get(key) ?? weights.info, weights[level]));
  }
  const weightOf = (item: StagedItem): number => worst.get(keyOf(item)) ?? weights.info;
  return items.toSorted((one, other) => weightOf(one) - weightOf(other));
}

function StagedRow({ item, checks }: { readonly item: StagedItem; readonly checks: readonly Check[] }) {
  const { kind, name, change, staged_at: at, release_id: release, note, reason } = item;
  const withdraw = useMutation({
    mutationFn: () => call('withdraw', { params: { kind, name } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deploy'] }),
  });
  return (
    <li className={classes.item}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Group gap="xs">
          <ItemName item={item} env={change === 'remove' ? 'prod' : 'test'} />
          {change === 'remove' && <ChangeBadge change="removed" />}
        </Group>
        <Button
          variant="default"
          size="compact-sm"
          style={{ flex: 'none' }}
          loading={withdraw.isPending}
          aria-label={`Withdraw ${name}`}
          onClick={() => withdraw.mutate()}
        >
          Withdraw
        </Button>
      </Group>
      <ProblemAlert error={withdraw.error} />
      <Text size="xs" c="dimmed">
        {release}, staged <When at={at} />
        {note === undefined ? '' : `: ${note}`}
      </Text>
      {reason !== undefined && (
        <Text size="sm">
          <Sentence text={`came along: ${reason}`} />
        </Text>
      )}
      <Checks checks={checks} />
    </li>
  );
}
