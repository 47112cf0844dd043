import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { keyOfKind } from '../../components/item-versions.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import type { Schema } from '../../components/schema-form/schema.ts';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import { useDraft } from '../../components/use-draft.ts';
import { ContentForm } from './content-form.tsx';
import type { ContentTabProps } from './content-tab.tsx';
import { type Kind, kinds } from './kinds.ts';
import { useTried } from './use-tried.ts';

interface Props extends Pick<ContentTabProps, 'Form' | 'check' | 'below'> {
  readonly kind: Kind;
  readonly schema: Schema;
  readonly initial: object;
  /** Where the items of the kind are listed. */
  readonly list: string;
  /** Goes on to the item, which is made. */
  readonly onMade: (name: string) => Promise<void>;
}

/** The name and the content of an item that is to be made. */
export function NewItem({ kind, schema, initial, list, onMade, ...editor }: Props) {
  const { readOnlyReason } = usePlace();
  const { Form = ContentForm, check = () => undefined, below } = editor;
  const { nameMember = 'name', singular } = kinds[kind];
  const draft = useDraft(initial, check);
  const name = String(Reflect.get(draft.value, nameMember) ?? '');
  const { refused, onTried } = useTried();
  const make = useMutation({
    mutationFn: () => call('makeConfigItem', { params: { kind }, body: { name, content: draft.value } }),
    onMutate: () => onTried(),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [keyOfKind(kind)] });
      await onMade(name);
    },
  });
  const { problem, at } = refused(make.error, '/content');
  const isReadOnly = readOnlyReason !== undefined;
  const isDirty = draft.whyInvalid !== undefined || JSON.stringify(draft.value) !== JSON.stringify(initial);
  const reason = readOnlyReason ?? draft.whyInvalid ?? (name === '' ? `The ${singular} needs a name.` : undefined);
  return (
    <Stack>
      <UnsavedGuard isDirty={isDirty && !make.isSuccess} />
      <TextInput
        label={`Name of the ${singular}`}
        description="A lower-case letter and then a to z, 0 to 9, _ and -. It stays as it is."
        value={name}
        error={problem?.errorAt('/name') ?? problem?.errorAt(`/content/${nameMember}`)}
        readOnly={draft.mistake !== undefined || isReadOnly}
        required
        maw={360}
        onChange={({ currentTarget: { value } }) => draft.setValue({ ...draft.value, [nameMember]: value })}
      />
      <Form kind={kind} schema={schema} draft={draft} isReadOnly={isReadOnly} problem={problem} at={at} />
      <ProblemAlert error={make.error} />
      <Group justify="flex-end">
        <Button component={Link} to={list} variant="default">
          Cancel
        </Button>
        <ReasonedButton reason={reason} loading={make.isPending} onClick={() => make.mutate()}>
          {`Save the ${singular}`}
        </ReasonedButton>
      </Group>
      {below?.(draft, onTried)}
    </Stack>
  );
}
