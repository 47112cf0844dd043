import { Alert, Code, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { usePlace } from '../../api/session.ts';
import { jsonEditorPart } from '../../components/json/json-editor-part.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { type Draft, useDraft } from '../../components/use-draft.ts';
import { definitionOf } from '../entities/definition.ts';
import { entityQuery } from '../entities/queries.ts';
import type { EventContent } from './event-content.ts';
import classes from './events.module.css';
import { useActingReason } from './queries.ts';
import { sampleOf } from './sample.ts';
import { durationOf } from './words.ts';

const JsonEditor = jsonEditorPart(220);

interface Props {
  readonly name: string;
  readonly content: EventContent;
}

/** Sends a sample by the event as it is live. */
export function TestTab({ name, content }: Props) {
  const { env } = usePlace();
  const entity = useQuery(entityQuery(env, content.entity_name));
  // What the platform has is no definition: the builder writes the sample.
  if (entity.isError) return <Tester name={name} content={content} sample={{}} />;
  return (
    <Loaded query={entity} skeleton={<Skeleton height={320} />}>
      {({ create }) => <Tester name={name} content={content} sample={sampleOf(definitionOf(create).UpdateParams)} />}
    </Loaded>
  );
}

const effects: Readonly<Record<EventContent['event_type'], string>> = {
  webhook: 'It is posted once to the address of the event, and says that it is a test.',
  mail: 'It is mailed to you alone.',
  record: 'Nothing is written: the answer says what would be done.',
  logicblock: 'Nothing is run: the answer says what would be done.',
  crew: 'Nothing is done: crews do not run yet.',
};

function Tester({ name, content, sample }: Props & { readonly sample: object }) {
  const { env } = usePlace();
  const actingReason = useActingReason();
  const record = useDraft(sample, () => undefined);
  const before = useDraft(sample, () => undefined);
  const isUpdate = content.event_optype === 'update';
  const test = useMutation({
    mutationFn: () =>
      call('testEvent', {
        params: { name },
        query: { env },
        body: { record: record.value, ...(isUpdate ? { before: before.value } : {}) },
      }),
  });
  const hasMistake = record.mistake !== undefined || (isUpdate && before.mistake !== undefined);
  return (
    <Stack>
      <Text size="sm">
        A sample meets the condition of the event, or does not. {effects[content.event_type]} No receipt is kept.
      </Text>
      <Group align="stretch" grow>
        <Sample label={isUpdate ? 'Record after the update' : 'Record'} draft={record} />
        {isUpdate && <Sample label="Record before the update" draft={before} />}
      </Group>
      <ProblemAlert error={test.error} />
      <Group>
        <ReasonedButton
          reason={actingReason ?? (hasMistake ? 'The JSON has a mistake.' : undefined)}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          Send the sample
        </ReasonedButton>
      </Group>
      {test.data !== undefined && <Outcome outcome={test.data} />}
    </Stack>
  );
}

function Sample({ label, draft }: { readonly label: string; readonly draft: Draft<object> }) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <Paper withBorder>
        <JsonEditor label={`${label} in JSON`} text={draft.text} onChange={draft.setText} />
      </Paper>
      {draft.mistake !== undefined && (
        <Text size="sm" c="red" role="alert">
          {draft.mistake}
        </Text>
      )}
    </Stack>
  );
}

interface Tested {
  readonly ran: boolean;
  readonly delivery?:
    | {
        readonly state: 'delivered' | 'failed' | 'refused';
        readonly status: number | null;
        readonly ms: number;
        readonly answer: string;
      }
    | undefined;
}

const titles = {
  delivered: 'The sample has arrived',
  failed: 'The sample did not arrive',
  refused: 'The sample was refused for good',
} as const;

function Outcome({ outcome: { ran, delivery } }: { readonly outcome: Tested }) {
  const title = !ran || delivery === undefined ? 'The sample does not meet the condition' : titles[delivery.state];
  return (
    <Alert
      color={!ran ? 'gray' : delivery?.state === 'delivered' ? 'teal' : 'red'}
      role="status"
      classNames={{ title: classes.alertTitle ?? '' }}
      title={title}
    >
      {!ran || delivery === undefined ? (
        <Text size="sm">Nothing was sent.</Text>
      ) : (
        <Stack gap="xs">
          <Text size="sm">
            {delivery.status === null ? '' : `Status ${delivery.status}, `}
            {durationOf(delivery.ms)}
          </Text>
          {delivery.answer !== '' && (
            <Code block className={classes.answer} tabIndex={0} role="region" aria-label="Answer">
              {delivery.answer}
            </Code>
          )}
        </Stack>
      )}
    </Alert>
  );
}
