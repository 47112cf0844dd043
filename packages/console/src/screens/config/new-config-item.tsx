import { Button, Group, Skeleton, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { keyOfKind } from '../../components/item-versions.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { initialOf, type Schema } from '../../components/schema-form/schema.ts';
import { Screen } from '../../components/screen.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import { useDraft } from '../../components/use-draft.ts';
import { ContentForm } from './content-form.tsx';
import { isKind, type Kind, kinds } from './kinds.ts';
import { schemasQuery } from './queries.ts';

export function NewConfigItem() {
  const { kind } = useParams({ from: '/o/$org/$env/new-config/$kind' });
  const schemas = useQuery(schemasQuery);
  if (!isKind(kind) || kind === 'settings') return <NotFound />;
  return (
    <Screen title={`New ${kinds[kind].singular}`} intro={kinds[kind].intro}>
      <Loaded query={schemas} skeleton={<Skeleton height={420} />}>
        {(all) => {
          const schema = all.get(kind);
          return schema === undefined ? <NotFound /> : <Maker key={kind} kind={kind} schema={schema} />;
        }}
      </Loaded>
    </Screen>
  );
}

function Maker({ kind, schema }: { readonly kind: Kind; readonly schema: Schema }) {
  const { org, env, readOnlyReason } = usePlace();
  const navigate = useNavigate();
  const { nameMember = 'name', singular } = kinds[kind];
  const initial = initialOf(schema) as object;
  const draft = useDraft(initial, () => undefined);
  const name = String(Reflect.get(draft.value, nameMember) ?? '');
  const make = useMutation({
    mutationFn: () => call('makeConfigItem', { params: { kind }, body: { name, content: draft.value } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [keyOfKind(kind)] });
      await navigate({ to: '/o/$org/$env/config/$kind/$name', params: { org, env, kind, name }, ignoreBlocker: true });
    },
  });
  const problem = make.error instanceof ApiProblem ? make.error : undefined;
  const isDirty = draft.mistake !== undefined || JSON.stringify(draft.value) !== JSON.stringify(initial);
  const reason =
    readOnlyReason ??
    (draft.mistake !== undefined
      ? 'The JSON has a mistake.'
      : name === ''
        ? `The ${singular} needs a name.`
        : undefined);
  return (
    <Stack>
      <UnsavedGuard isDirty={isDirty && !make.isSuccess} />
      <TextInput
        label={`Name of the ${singular}`}
        description="A lower-case letter and then a to z, 0 to 9, _ and -. It stays as it is."
        value={name}
        error={problem?.errorAt('/name') ?? problem?.errorAt(`/content/${nameMember}`)}
        readOnly={draft.mistake !== undefined}
        required
        maw={360}
        onChange={({ currentTarget: { value } }) => draft.setValue({ ...draft.value, [nameMember]: value })}
      />
      <ContentForm
        kind={kind}
        schema={schema}
        draft={draft}
        isReadOnly={readOnlyReason !== undefined}
        problem={problem}
        at="/content"
      />
      <ProblemAlert error={make.error} />
      <Group justify="flex-end">
        <Button component={Link} to={`/o/${org}/${env}/config/${kind}`} variant="default">
          Cancel
        </Button>
        <ReasonedButton reason={reason} loading={make.isPending} onClick={() => make.mutate()}>
          {`Save the ${singular}`}
        </ReasonedButton>
      </Group>
    </Stack>
  );
}
