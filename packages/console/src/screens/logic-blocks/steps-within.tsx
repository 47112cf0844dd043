import { Button, Fieldset, Group, Stack } from '@mantine/core';
import { JsonValueInput } from '../../components/schema-form/json-value-input.tsx';
import { labelOf, withMember } from '../../components/schema-form/schema.ts';
import { MemberInputs } from '../../components/schema-form/schema-form.tsx';
import type { StepForm } from './step-form.ts';
import { newCase, type Within } from './step-schemas.ts';
import { isSteps } from './steps.ts';

interface Props {
  readonly form: StepForm;
  readonly within: Within;
  /** The step that has them. */
  readonly step: object;
  readonly pointer: string;
  readonly onChange: (step: object) => void;
}

/** The steps within a step. What is no list of steps is edited as JSON. */
export function StepsWithin({ form, within, step, pointer, onChange }: Props) {
  const value: unknown = Reflect.get(step, within.member) ?? [];
  const label = labelOf(within.member);
  const set = (next: unknown) => onChange(withMember(step, within.member, next));
  if (within.kind === 'steps' && isSteps(value)) {
    const own = within.member === 'steps' ? 'Steps within it' : label;
    return (
      <form.List
        form={form}
        label={own}
        steps={value}
        pointer={pointer}
        // An optional list that is empty is left out.
        onChange={(steps) => set(steps.length === 0 && within.member !== 'steps' ? undefined : steps)}
      />
    );
  }
  if (within.kind === 'branches' && isBranches(value))
    return <Branches form={form} within={within} branches={value} pointer={pointer} onChange={set} />;
  if (within.kind === 'cases' && isSteps(value) && value.every((one) => isSteps(Reflect.get(one, within.steps) ?? [])))
    return <Cases form={form} within={within} cases={value} pointer={pointer} onChange={set} />;
  return (
    <JsonValueInput
      schema={{}}
      label={label}
      value={value}
      pointer={pointer}
      isReadOnly={form.isReadOnly}
      errorAt={form.errorAt}
      onChange={set}
    />
  );
}

function isBranches(value: unknown): value is readonly (readonly object[])[] {
  return Array.isArray(value) && value.every(isSteps);
}

interface BranchesProps {
  readonly form: StepForm;
  readonly within: Extract<Within, { readonly kind: 'branches' }>;
  readonly branches: readonly (readonly object[])[];
  readonly pointer: string;
  readonly onChange: (branches: readonly (readonly object[])[]) => void;
}

function Branches({ form, within: { least, most }, branches, pointer, onChange }: BranchesProps) {
  return (
    <Stack gap="xs">
      {branches.map((steps, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a branch has no other identity than its place
        <Stack key={index} gap={4}>
          <form.List
            form={form}
            label={`Branch ${index + 1}`}
            steps={steps}
            pointer={`${pointer}/${index}`}
            onChange={(changed) => onChange(branches.with(index, changed))}
          />
          {!form.isReadOnly && branches.length > least && (
            <RemoveButton what={`branch ${index + 1}`} onClick={() => onChange(branches.toSpliced(index, 1))} />
          )}
        </Stack>
      ))}
      {!form.isReadOnly && branches.length < most && (
        <Group>
          <Button variant="default" size="compact-sm" onClick={() => onChange([...branches, []])}>
            Add a branch
          </Button>
        </Group>
      )}
    </Stack>
  );
}

interface CasesProps {
  readonly form: StepForm;
  readonly within: Extract<Within, { readonly kind: 'cases' }>;
  readonly cases: readonly object[];
  readonly pointer: string;
  readonly onChange: (cases: readonly object[]) => void;
}

function Cases({ form, within, cases, pointer, onChange }: CasesProps) {
  const { isReadOnly, errorAt } = form;
  return (
    <Stack gap="xs">
      {cases.map((one, index) => {
        const steps: unknown = Reflect.get(one, within.steps) ?? [];
        const set = (changed: object) => onChange(cases.with(index, changed));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a case has no other identity than its place
          <Fieldset key={index} legend={`Case ${index + 1}`}>
            <Stack gap="sm">
              <MemberInputs
                schema={within.element}
                value={one}
                pointer={`${pointer}/${index}`}
                isReadOnly={isReadOnly}
                errorAt={errorAt}
                onChange={(value) => set(value as object)}
              />
              <form.List
                form={form}
                label={`Steps of case ${index + 1}`}
                steps={isSteps(steps) ? steps : []}
                pointer={`${pointer}/${index}/${within.steps}`}
                onChange={(changed) => set({ ...one, [within.steps]: changed })}
              />
              {!isReadOnly && cases.length > 1 && (
                <RemoveButton what={`case ${index + 1}`} onClick={() => onChange(cases.toSpliced(index, 1))} />
              )}
            </Stack>
          </Fieldset>
        );
      })}
      {!isReadOnly && (
        <Group>
          <Button variant="default" size="compact-sm" onClick={() => onChange([...cases, newCase(within)])}>
            Add a case
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function RemoveButton({ what, onClick }: { readonly what: string; readonly onClick: () => void }) {
  return (
    <Group>
      <Button variant="subtle" color="red" size="compact-sm" onClick={onClick}>
        Remove {what}
      </Button>
    </Group>
  );
}
