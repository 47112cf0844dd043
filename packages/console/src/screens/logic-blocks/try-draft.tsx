import { Alert, Badge, Button, Collapse, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { JsonValueInput } from '../../components/schema-form/json-value-input.tsx';
import { isObject } from '../../components/schema-form/schema.ts';
import { JsonInputsOf } from '../../components/schema-form/unread-texts.ts';
import { type Draft, useDraft } from '../../components/use-draft.ts';
import { Labelled, StepCard } from '../runs/step-card.tsx';
import classes from './logic-blocks.module.css';
import type { BlockTest } from './queries.ts';
import { inputSchema } from './run-now.tsx';
import { placeIn } from './steps.ts';
import { useRunWorkspace, WorkspaceInput } from './workspace-input.tsx';

interface Props {
  readonly draft: Draft<object>;
  /** Has what is wrong with the content shown at its steps. */
  readonly onTried: (error: unknown) => void;
}

/** Does the steps of the content as it is typed, with sample values, and writes nothing. */
export function TryDraft({ draft, onTried }: Props) {
  const { code, setCode, isCleared, ask, settled } = useRunWorkspace();
  const given = useDraft<Samples>({ input: {} }, () => undefined);
  const samples = given.value;
  const test = useMutation({
    mutationFn: async (content: object) =>
      call('testLogicBlock', {
        body: {
          ...{ content: { ...content }, tenant_code: await settled() },
          ...{ input: objectOf(samples.input), record: sampleOf(samples.record), before: sampleOf(samples.before) },
        },
      }),
    onSettled: (_test, error) => onTried(error),
  });
  return (
    <Paper withBorder p="md" component="section" aria-label="Try it" onFocusCapture={ask}>
      <Stack>
        <div>
          <Title order={2} size="h4">
            Try it
          </Title>
          <Text size="sm" c="dimmed">
            The steps as they are typed here are done in test, saved or not. Records are read, and nothing is written,
            sent or waited for.
          </Text>
        </div>
        <WorkspaceInput value={code} onChange={setCode} />
        <JsonInputsOf value={given}>
          <JsonValueInput
            schema={inputSchema}
            label="Sample input"
            value={samples.input}
            pointer="/input"
            isReadOnly={false}
            errorAt={() => undefined}
            onChange={(input) => given.setValue({ ...samples, input: input ?? {} })}
          />
          <SampleRecords samples={samples} onChange={given.setValue} />
        </JsonInputsOf>
        <Group>
          <ReasonedButton
            reason={whyNotTried(draft, given, isCleared)}
            loading={test.isPending}
            onClick={() => test.mutate(draft.value)}
          >
            Run the draft
          </ReasonedButton>
        </Group>
        <ProblemAlert error={test.error} placeOf={(pointer) => placeIn({ content: test.variables }, pointer)} />
        {test.data !== undefined && <Outcome test={test.data} />}
      </Stack>
    </Paper>
  );
}

function whyNotTried(draft: Draft<object>, given: Draft<Samples>, isCleared: boolean): string | undefined {
  const whyInvalid = draft.whyInvalid ?? given.whyInvalid;
  if (whyInvalid !== undefined) return whyInvalid;
  if (isCleared) return 'Name a workspace first.';
  return isObject(given.value.input) ? undefined : 'The input is a JSON object.';
}

function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? { ...value } : {};
}

interface Samples {
  readonly input: unknown;
  readonly record?: unknown;
  readonly before?: unknown;
}

/** Left out of the call where none is given. */
function sampleOf(value: unknown): Record<string, unknown> | undefined {
  return isObject(value) ? { ...value } : undefined;
}

function SampleRecords({
  samples,
  onChange,
}: {
  readonly samples: Samples;
  readonly onChange: (samples: Samples) => void;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const common = { schema: {}, isReadOnly: false, errorAt: () => undefined };
  return (
    <div>
      <Button variant="subtle" size="compact-sm" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        Sample records of an event
      </Button>
      <Collapse expanded={isOpen}>
        {isOpen && (
          <Stack gap="xs" mt="xs">
            <JsonValueInput
              {...common}
              label="What templates read as record"
              pointer="/record"
              value={samples.record}
              onChange={(record) => onChange({ ...samples, record })}
            />
            <JsonValueInput
              {...common}
              label="What templates read as before"
              pointer="/before"
              value={samples.before}
              onChange={(before) => onChange({ ...samples, before })}
            />
          </Stack>
        )}
      </Collapse>
    </div>
  );
}

function Outcome({ test: { returns, error, steps, cut } }: { readonly test: BlockTest }) {
  return (
    <Stack gap="sm" component="section" aria-label="Outcome">
      <Alert
        role="status"
        classNames={{ title: classes.alertTitle ?? '' }}
        color={error === undefined ? 'teal' : 'red'}
        title={
          error === undefined
            ? 'It came to its end'
            : error.step === undefined
              ? 'It was refused'
              : `It was refused at the step ${error.step}`
        }
      >
        {error === undefined ? 'Nothing was written or sent.' : `${error.message} (${error.code})`}
      </Alert>
      {cut === true && <Text size="sm">Values are left out: together they are more than 1 MB.</Text>}
      {steps.length > 0 && (
        <Stack gap="xs" component="ol" className={classes.list ?? ''} aria-label="Steps that were done">
          {steps.map((step) => (
            <StepCard
              key={step.path}
              step={step}
              badges={
                step.skipped === true && (
                  <Badge variant="dot" color="yellow">
                    made up
                  </Badge>
                )
              }
            />
          ))}
        </Stack>
      )}
      {returns !== undefined && <Labelled label="What it returned" title="Returned" value={returns} />}
    </Stack>
  );
}
