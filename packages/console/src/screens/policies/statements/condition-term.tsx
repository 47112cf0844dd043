import { conditionOperators, setQualifiers } from '@freehold/contract/condition-operators';
import { Autocomplete, Button, Checkbox, Group, SegmentedControl, Select, Stack, TagsInput, Text } from '@mantine/core';
import { useState } from 'react';
import classes from '../policies.module.css';
import {
  infoOf,
  type KeyInfo,
  type keyGroups,
  meaningOf,
  operatorOf,
  operatorsFor,
  partsOf,
} from './condition-keys.ts';
import { type Scalar, type Term, withValues } from './statement-form.ts';

interface Props {
  readonly term: Term;
  readonly groups: ReturnType<typeof keyGroups>;
  readonly isReadOnly: boolean;
  /** Whether the operator compares this key in another row already. */
  readonly isTaken: (term: Term) => boolean;
  readonly onChange: (term: Term) => void;
  readonly onRemove: () => void;
}

/** One condition: what is looked at, how it is compared, and with what. */
export function ConditionTerm({ term, groups, isReadOnly, isTaken, onChange, onRemove }: Props) {
  const [refused, setRefused] = useState<string>();
  const info = infoOf(term.key, groups);
  const change = (changed: Term) => {
    const taken = isTaken(changed);
    setRefused(
      taken ? `${changed.operator} compares ${changed.key} in another condition: add the values there.` : undefined,
    );
    if (!taken) onChange(changed);
  };
  return (
    <Stack gap="xs">
      <div className={classes.termInputs}>
        <KeyInput
          term={term}
          groups={groups}
          isReadOnly={isReadOnly}
          onChange={(key) => change({ ...term, key, operator: operatorAfter(term, infoOf(key, groups)) })}
        />
        <OperatorInput
          term={term}
          info={info}
          isReadOnly={isReadOnly}
          onChange={(operator) => change({ ...term, operator })}
        />
        <ValuesInput term={term} info={info} isReadOnly={isReadOnly} onChange={onChange} />
      </div>
      {refused !== undefined && (
        <Text size="sm" c="red" role="alert">
          {refused}
        </Text>
      )}
      <Group justify="space-between" gap="xs">
        <Qualifiers term={term} isReadOnly={isReadOnly} onChange={(operator) => change({ ...term, operator })} />
        {!isReadOnly && (
          <Button variant="subtle" color="red" size="compact-sm" onClick={onRemove}>
            Remove condition
          </Button>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {term.key === '' ? 'Choose what the condition looks at.' : meaningOf(term.operator)}
        {info === undefined ? '' : ` Looks at ${info.about}.`}
      </Text>
    </Stack>
  );
}

/** A new condition gets the operator that fits the value; a condition with values keeps its operator. */
function operatorAfter(term: Term, info: KeyInfo | undefined): string {
  if (info === undefined || term.values.length > 0 || term.key !== '') return term.operator;
  const base = operatorsFor(info.kind)[0]?.items[0] ?? 'StringEquals';
  return operatorOf({ qualifier: info.isList === true ? 'ForAnyValue:' : '', base, isIfExists: false });
}

interface KeyInputProps {
  readonly term: Term;
  readonly groups: ReturnType<typeof keyGroups>;
  readonly isReadOnly: boolean;
  readonly onChange: (key: string) => void;
}

function KeyInput({ term, groups, isReadOnly, onChange }: KeyInputProps) {
  // Each letter would be another key, so a key counts once it is complete.
  const [typed, setTyped] = useState(term.key);
  const settle = (key: string) => {
    setTyped(key);
    if (key !== '' && key !== term.key) onChange(key);
  };
  return (
    <Autocomplete
      label="What"
      placeholder="record.status"
      data={groups.map(({ group, keys }) => ({ group, items: keys.map(({ key }) => key) }))}
      value={typed}
      readOnly={isReadOnly}
      maxDropdownHeight={280}
      onChange={setTyped}
      onOptionSubmit={settle}
      onBlur={() => settle(typed.trim() === '' ? term.key : typed.trim())}
      onKeyDown={({ key }) => {
        if (key === 'Enter') settle(typed.trim());
      }}
    />
  );
}

interface OperatorProps {
  readonly term: Term;
  readonly info?: KeyInfo | undefined;
  readonly isReadOnly: boolean;
  readonly onChange: (operator: string) => void;
}

function OperatorInput({ term, info, isReadOnly, onChange }: OperatorProps) {
  const parts = partsOf(term.operator);
  const groups = operatorsFor(info?.kind);
  const isKnown = parts.base in conditionOperators;
  return (
    <Select
      label="Operator"
      data={isKnown ? [...groups] : [...groups, { group: 'As written', items: [parts.base] }]}
      value={parts.base}
      searchable
      allowDeselect={false}
      readOnly={isReadOnly}
      maxDropdownHeight={320}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{option.value}</Text>
          <Text size="xs" c="dimmed">
            {conditionOperators[option.value]?.meaning}
          </Text>
        </div>
      )}
      onChange={(base) => {
        if (base === null) return;
        onChange(operatorOf(base === 'Null' ? { qualifier: '', base, isIfExists: false } : { ...parts, base }));
      }}
    />
  );
}

const ofSeveral = [
  { value: '', label: 'One value' },
  ...Object.entries(setQualifiers).map(([value]) => ({
    value,
    label: value === 'ForAnyValue:' ? 'Any of several' : 'All of several',
  })),
];

function Qualifiers({ term, isReadOnly, onChange }: OperatorProps) {
  const parts = partsOf(term.operator);
  if (parts.base === 'Null') return <span />;
  return (
    <Group gap="md">
      <SegmentedControl
        aria-label="How many values"
        size="xs"
        data={ofSeveral}
        value={parts.qualifier}
        readOnly={isReadOnly}
        onChange={(qualifier) =>
          onChange(operatorOf({ ...parts, qualifier, isIfExists: qualifier === '' && parts.isIfExists }))
        }
      />
      <Checkbox
        label="Also without a value"
        size="xs"
        checked={parts.isIfExists}
        disabled={isReadOnly || parts.qualifier !== ''}
        onChange={({ currentTarget: { checked } }) => onChange(operatorOf({ ...parts, isIfExists: checked }))}
      />
    </Group>
  );
}

interface ValuesProps {
  readonly term: Term;
  readonly info: KeyInfo | undefined;
  readonly isReadOnly: boolean;
  readonly onChange: (term: Term) => void;
}

const truths = [
  { value: 'true', label: 'true' },
  { value: 'false', label: 'false' },
];

function ValuesInput({ term, info, isReadOnly, onChange }: ValuesProps) {
  const operand = conditionOperators[partsOf(term.operator).base]?.operand;
  const texts = term.values.map(String);
  const [only = ''] = texts;
  const set = (values: readonly Scalar[]) => onChange({ ...term, ...withValues(term, values) });
  if (operand === 'boolean' && texts.length <= 1 && (only === '' || only === 'true' || only === 'false'))
    return (
      <div>
        <Text size="sm" fw={500} mb={4}>
          Value
        </Text>
        <SegmentedControl
          aria-label="Value"
          data={truths}
          value={only}
          readOnly={isReadOnly}
          onChange={(chosen) => set([typeof term.values[0] === 'boolean' ? chosen === 'true' : chosen])}
        />
      </div>
    );
  const offered = [...(info?.values ?? []), ...(operand === 'text' ? variables : [])];
  return (
    <TagsInput
      label={texts.length > 1 ? 'Values' : 'Value'}
      placeholder={texts.length === 0 ? examples[operand ?? 'text'] : ''}
      data={offered}
      value={texts}
      readOnly={isReadOnly}
      splitChars={[]}
      acceptValueOnBlur
      // A value that stays is left as it was written: 5 does not become "5".
      onChange={(now) => set(now.map((text) => term.values.find((value) => String(value) === text) ?? text))}
    />
  );
}

const variables = ['user.id', 'user.email', 'tenant.id', 'tenant.code'].map((key) => `$\u007b${key}}`);

const examples = {
  text: 'Enter adds a value',
  pattern: 'draft*',
  number: '100',
  date: '2026-03-31 or 2026-03-31T12:00:00Z',
  boolean: 'true',
  address: '10.0.0.0/8',
} as const;
