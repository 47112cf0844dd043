import { Select, Stack, TextInput } from '@mantine/core';
import { JsonValueInput } from '../../components/schema-form/json-value-input.tsx';
import { isObject, withMember } from '../../components/schema-form/schema.ts';
import type { StepForm } from './step-form.ts';
import { isSteps, textMember } from './steps.ts';

interface Props {
  readonly form: StepForm;
  readonly step: object;
  /** That of the step. */
  readonly pointer: string;
  readonly onChange: (step: object) => void;
}

type Way = 'ends' | 'continue' | 'goto' | 'steps';

const initial: Readonly<Record<Way, unknown>> = {
  ends: undefined,
  continue: 'continue',
  goto: { goto: '' },
  steps: { steps: [] },
};

/** What is done where a step is refused, or a pass of a loop. What the form does not know is edited as JSON. */
export function OnErrorInput({ form, step, pointer, onChange }: Props) {
  const { isReadOnly, errorAt } = form;
  const value: unknown = Reflect.get(step, 'on_error');
  const at = `${pointer}/on_error`;
  const set = (given: unknown) => onChange(withMember(step, 'on_error', given));
  const way = wayOf(value);
  if (way === undefined)
    return (
      <JsonValueInput {...{ schema: {}, label: 'On error', value, pointer: at, isReadOnly, errorAt, onChange: set }} />
    );
  const steps: unknown = isObject(value) ? Reflect.get(value, 'steps') : undefined;
  return (
    <Stack gap="xs">
      <Select
        label="On error"
        data={waysOf(textMember(step, 'type') === 'loop')}
        value={way}
        error={errorAt(at)}
        readOnly={isReadOnly}
        allowDeselect={false}
        onChange={(chosen) => set(initial[(chosen ?? 'ends') as Way])}
      />
      {way === 'goto' && isObject(value) && (
        <TextInput
          label="Later step"
          description="The id of a step behind this one, in the same list."
          value={textMember(value, 'goto')}
          error={errorAt(`${at}/goto`)}
          readOnly={isReadOnly}
          onChange={({ currentTarget }) => set({ goto: currentTarget.value })}
        />
      )}
      {way === 'steps' && isSteps(steps) && (
        <form.List
          form={form}
          label={`Steps after an error of ${textMember(step, 'id')}`}
          steps={steps}
          pointer={`${at}/steps`}
          onChange={(changed) => set({ steps: changed })}
        />
      )}
    </Stack>
  );
}

function wayOf(value: unknown): Way | undefined {
  if (value === undefined) return 'ends';
  if (value === 'continue') return 'continue';
  if (!isObject(value) || Object.keys(value).length !== 1) return undefined;
  if (typeof Reflect.get(value, 'goto') === 'string') return 'goto';
  return isSteps(Reflect.get(value, 'steps')) ? 'steps' : undefined;
}

function waysOf(isLoop: boolean): readonly { readonly value: Way; readonly label: string }[] {
  const next = isLoop ? 'the next pass' : 'the next step';
  return [
    { value: 'ends', label: 'The run ends' },
    { value: 'continue', label: `Go on with ${next}` },
    { value: 'steps', label: `Do other steps, then ${next}` },
    { value: 'goto', label: 'Go on at a later step' },
  ];
}
