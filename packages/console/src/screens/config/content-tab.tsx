import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { keyOfKind } from '../../components/item-versions.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import type { Schema } from '../../components/schema-form/schema.ts';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import { type Draft, useDraft } from '../../components/use-draft.ts';
import { ConflictAlert } from './conflict-alert.tsx';
import { ContentForm, type ContentFormProps } from './content-form.tsx';
import { type Kind, kinds } from './kinds.ts';
import { type Item, itemQuery } from './queries.ts';
import { type Tried, useTried } from './use-tried.ts';

export interface ContentTabProps {
  readonly kind: Kind;
  readonly name: string;
  readonly schema: Schema;
  readonly item: Item;
  /** The form of the kind; left out, the form that its schema makes. */
  readonly Form?: ComponentType<ContentFormProps>;
  /** Says why the form cannot show a content. */
  readonly check?: (content: object) => string | undefined;
  /** What may be done with the content as it is typed. Its form shows how a trial was refused. */
  readonly below?: (draft: Draft<object>, onTried: Tried['onTried']) => ReactNode;
}

/** The content of an item. What another builder saves meanwhile takes the place of no text unasked. */
export function ContentTab(props: ContentTabProps) {
  const [taken, setTaken] = useState({ item: props.item, count: 0 });
  return (
    <Editor
      {...props}
      key={taken.count}
      item={taken.item}
      onTake={(item) => setTaken(({ count }) => ({ item, count: count + 1 }))}
    />
  );
}

function Editor({
  kind,
  name,
  schema,
  item,
  Form = ContentForm,
  below,
  check = () => undefined,
  onTake,
}: ContentTabProps & { readonly onTake: (item: Item) => void }) {
  const { readOnlyReason, adminReason } = usePlace();
  const [stored, setStored] = useState<Pick<Item, 'content' | 'tag'>>(item);
  const draft = useDraft(item.content, check);
  const isDirty = draft.whyInvalid !== undefined || JSON.stringify(draft.value) !== JSON.stringify(stored.content);
  const { refused, onTried } = useTried();
  const save = useMutation({
    mutationFn: async ({ content, tag }: Pick<Item, 'content' | 'tag'>) => {
      const headers = tag === undefined ? { 'If-None-Match': '*' } : { 'If-Match': tag };
      const saved = await call('replaceConfigItem', { params: { kind, name }, headers, body: content });
      // Not by the header: proxies that compress replies weaken tags, and `If-Match` takes no weak one.
      return { content, tag: `"${saved.version}"` };
    },
    onMutate: () => onTried(),
    onSuccess: async (saved) => {
      // The draft stays as it is: more may have been typed while this was saved.
      setStored(saved);
      await queryClient.invalidateQueries({ queryKey: [keyOfKind(kind)] });
    },
  });
  const isConflict = save.error instanceof ApiProblem && save.error.code === 'version_mismatch';
  const whyReadOnly = readOnlyReason ?? (kind === 'settings' ? adminReason : undefined);
  const reason = whyReadOnly ?? draft.whyInvalid ?? (isDirty ? undefined : 'Nothing is changed.');
  return (
    <Stack>
      <UnsavedGuard isDirty={isDirty} />
      <Form
        kind={kind}
        schema={schema}
        draft={draft}
        isReadOnly={whyReadOnly !== undefined}
        {...refused(save.error, '')}
      />
      {isConflict ? (
        <Conflict
          kind={kind}
          name={name}
          onTheirs={onTake}
          onMine={({ tag }) => save.mutate({ content: draft.value, tag })}
        />
      ) : (
        <ProblemAlert error={save.error} />
      )}
      <Group justify="flex-end">
        {save.isSuccess && !isDirty && (
          <Text size="sm" c="dimmed" role="status">
            Saved
          </Text>
        )}
        {isDirty && (
          <Button variant="default" onClick={() => draft.reset(stored.content)}>
            Discard the changes
          </Button>
        )}
        <ReasonedButton
          reason={reason}
          loading={save.isPending}
          onClick={() => save.mutate({ content: draft.value, tag: stored.tag })}
        >
          {`Save the ${kinds[kind].singular}`}
        </ReasonedButton>
      </Group>
      {below?.(draft, onTried)}
    </Stack>
  );
}

interface ConflictProps {
  readonly kind: Kind;
  readonly name: string;
  readonly onTheirs: (item: Item) => void;
  readonly onMine: (theirs: Item) => void;
}

/** Two builders changed the item: what the other one saved, and whose content is to stand. */
function Conflict({ kind, name, onTheirs, onMine }: ConflictProps) {
  const { env } = usePlace();
  const theirs = useQuery({
    ...itemQuery({ env, kind, name }),
    queryKey: [keyOfKind(kind), 'theirs', env, name],
    gcTime: 0,
  });
  return (
    <ConflictAlert
      theirs={theirs}
      reported={({ version }) => `This is stored now${version === undefined ? '' : ` as version ${version}`}:`}
      contentOf={({ content }) => content}
      onTheirs={onTheirs}
      onMine={onMine}
    />
  );
}
