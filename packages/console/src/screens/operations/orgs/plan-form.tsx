import { Alert, Button, Group, List, Radio, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { TypedConfirmation } from '../../../components/typed-confirmation.tsx';
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx';
import { operate } from '../operate.ts';
import { LimitInputs } from './limit-inputs.tsx';
import { type Reached, reachedLimits, type Used } from './limits.ts';
import {
  chosen,
  type DraftFaults,
  draftOf,
  faultsOf,
  limitsOf,
  type PlanChoice,
  planOf,
  type StoredPlan,
} from './plan-draft.ts';
import { orgKey } from './queries.ts';

interface Props {
  readonly org: string;
  readonly plan: StoredPlan;
  readonly used: Used;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

const choices: readonly { readonly value: PlanChoice; readonly label: string; readonly description: string }[] = [
  { value: 'unlimited', label: 'Unlimited', description: 'Nothing is limited.' },
  { value: 'free', label: 'Free', description: 'Limits for trying the platform.' },
  { value: 'pro', label: 'Pro', description: 'Limits for an app in use.' },
  { value: 'own', label: 'A plan of its own', description: 'A name and limits that you choose.' },
];

/** Sets the plan of an org. Where the new limits are used up already, the code of the org is typed to confirm it. */
export function PlanForm({ org, plan, used, onDone, onCancel }: Props) {
  const [draft, setDraft] = useState(() => draftOf(plan));
  const [faults, setFaults] = useState<DraftFaults>();
  const [isConfirming, setIsConfirming] = useState(false);
  const client = useQueryClient();
  const set = useMutation({
    mutationFn: () => operate('changePlan', { params: { org }, body: planOf(draft) }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [orgKey] });
      onDone();
    },
  });
  const reached = reachedLimits(limitsOf(draft), used);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = faultsOf(draft);
    setFaults(found);
    if (found !== undefined) return;
    if (reached.length > 0) setIsConfirming(true);
    else set.mutate();
  };
  const isDirty = JSON.stringify(planOf(draft)) !== JSON.stringify(planOf(draftOf(plan)));
  return (
    <form onSubmit={submit}>
      <UnsavedGuard isDirty={isDirty && !set.isSuccess} />
      <Stack>
        <Radio.Group label="Plan" value={draft.choice} onChange={(value) => setDraft(chosen(draft, choiceOf(value)))}>
          <Stack gap="xs" mt={4}>
            {choices.map((choice) => (
              <Radio key={choice.value} {...choice} />
            ))}
          </Stack>
        </Radio.Group>
        {draft.choice === 'own' && (
          <TextInput
            label="Name of the plan"
            description="The builders of the org see it."
            maw="24rem"
            maxLength={64}
            value={draft.ownName}
            error={faults?.name}
            onChange={({ currentTarget: { value } }) => setDraft({ ...draft, ownName: value })}
          />
        )}
        <LimitInputs draft={draft} used={used} faults={faults} onChange={setDraft} />
        <ReachedAlert reached={reached} />
        {!isConfirming && <ProblemAlert error={set.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={set.isPending}>
            Set the plan
          </Button>
        </Group>
      </Stack>
      {isConfirming && (
        <TypedConfirmation
          title={`Set limits that ${org} has used up`}
          name={org}
          what="org"
          action="Set the plan"
          work={{ ...set, mutate: () => set.mutate() }}
          onClose={() => setIsConfirming(false)}
        >
          <ReachedList reached={reached} />
        </TypedConfirmation>
      )}
    </form>
  );
}

function choiceOf(value: string): PlanChoice {
  return choices.find((choice) => choice.value === value)?.value ?? 'own';
}

function ReachedAlert({ reached }: { readonly reached: readonly Reached[] }) {
  if (reached.length === 0) return null;
  return (
    <Alert color="orange" title="The org has used up these limits already">
      <ReachedList reached={reached} />
    </Alert>
  );
}

const numbers = new Intl.NumberFormat('en');

function ReachedList({ reached }: { readonly reached: readonly Reached[] }) {
  return (
    <List size="sm" spacing={4}>
      {reached.map(({ name, label, used, limit, reached: sentence }) => (
        <List.Item key={name}>
          {label}: {numbers.format(used)} used, of {numbers.format(limit)}. {sentence}
        </List.Item>
      ))}
    </List>
  );
}
