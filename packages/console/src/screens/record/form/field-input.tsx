import { Button, Group, Input, PasswordInput, Select, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Actor } from '../../../api/app.ts';
import { jsonEditorPart } from '../../../components/json/json-editor-part.tsx';
import { type Field, isRequired } from '../../entities/definition.ts';
import classes from '../record.module.css';
import { type Control, controlOf, type Input as FormInput } from './inputs.ts';
import { LookupInput } from './lookup-input.tsx';

const JsonEditor = jsonEditorPart(90);

export interface FieldInputProps {
  readonly actor: Actor;
  readonly field: Field;
  readonly input: FormInput;
  /** The stored value, for what is shown and not edited. */
  readonly stored: unknown;
  /** The names of the records that lookups lead to, by their ids. */
  readonly names: ReadonlyMap<string, string>;
  readonly isNew: boolean;
  /** Whether the view leaves out what is stored. */
  readonly isUnseen?: boolean;
  /** Whether a dialog that opens gives it the focus. */
  readonly isFirst?: boolean;
  readonly isReadOnly: boolean;
  readonly error: string | undefined;
  readonly onChange: (input: FormInput) => void;
}

interface ControlProps extends FieldInputProps {
  readonly common: {
    readonly label: string;
    readonly description: string | undefined;
    readonly error: string | undefined;
    readonly withAsterisk: boolean;
    readonly readOnly: boolean;
  };
  readonly placeholder: string | undefined;
}

const unseenHint = 'The view `default` does not show it: what is typed here replaces what is stored.';

/** One field of a record, by its type. */
export function FieldInput(props: FieldInputProps) {
  const { field, isNew, isReadOnly, isFirst = false, isUnseen = false, error } = props;
  const common = {
    label: field.name,
    description: isUnseen ? unseenHint : hintsOf(field),
    error,
    withAsterisk: isRequired(field) && field.default === undefined,
    readOnly: isReadOnly,
    ...(isFirst ? { 'data-autofocus': true } : {}),
  };
  const placeholder = isNew && field.default !== undefined ? `${asText(field.default)} if left empty` : undefined;
  const Shown = shownBy[controlOf(field)];
  return <Shown {...props} common={common} placeholder={placeholder} />;
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const textOf = (input: FormInput): string => (typeof input === 'string' ? input : '');
const listOf = (input: FormInput): readonly string[] => (Array.isArray(input) ? input : []);

function Line({ input, onChange, common, placeholder }: ControlProps) {
  return (
    <TextInput
      {...common}
      placeholder={placeholder}
      value={textOf(input)}
      onChange={({ currentTarget: { value } }) => onChange(value)}
    />
  );
}

function LongText({ input, onChange, common, placeholder }: ControlProps) {
  return (
    <Textarea
      {...common}
      placeholder={placeholder}
      autosize
      maxRows={14}
      value={textOf(input)}
      onChange={({ currentTarget: { value } }) => onChange(value)}
    />
  );
}

function NumberLine({ input, onChange, common, placeholder }: ControlProps) {
  return (
    <TextInput
      {...common}
      placeholder={placeholder}
      inputMode="decimal"
      value={textOf(input)}
      onChange={({ currentTarget: { value } }) => onChange(value)}
    />
  );
}

function Choice({ field, input, onChange, common, placeholder }: ControlProps) {
  const text = textOf(input);
  const offered = controlOf(field) === 'boolean' ? ['true', 'false'] : (field.enumValues ?? []);
  const data = [...new Set(text === '' ? offered : [...offered, text])];
  return (
    <Select
      {...common}
      placeholder={placeholder ?? 'No value'}
      data={data}
      clearable={!common.readOnly}
      value={text === '' ? null : text}
      onChange={(value) => onChange(value ?? '')}
    />
  );
}

function Time({ field, input, onChange, common }: ControlProps) {
  const text = textOf(input);
  const isDate = controlOf(field) === 'date';
  const at = isDate || text === '' ? undefined : new Date(text);
  const utc = at === undefined || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
  const inUtc = utc === undefined ? undefined : `${utc.replace('T', ' ').replace(/(:00)?\.000Z$|Z$/, '')} UTC`;
  const description = [common.description, inUtc].filter((part) => part !== undefined).join(' · ');
  return (
    <TextInput
      {...common}
      description={description === '' ? undefined : description}
      type={isDate ? 'date' : 'datetime-local'}
      step={isDate ? undefined : 1}
      value={text}
      onChange={({ currentTarget: { value } }) => onChange(value)}
    />
  );
}

function List({ field, input, onChange, common }: ControlProps) {
  const { enumValues } = (field.items as Field | undefined) ?? {};
  return (
    <TagsInput
      {...common}
      placeholder={common.readOnly ? undefined : 'Type a value, then Enter'}
      data={enumValues === undefined ? [] : [...enumValues]}
      splitChars={[]}
      allowDuplicates
      value={[...listOf(input)]}
      onChange={onChange}
    />
  );
}

function Secret({ input, onChange, common, isNew, isReadOnly }: ControlProps) {
  if (input === null)
    return (
      <Labelled {...common}>
        <Group gap="xs">
          <Text size="sm">The stored value will be cleared.</Text>
          <Button variant="default" size="compact-xs" onClick={() => onChange('')}>
            Keep it
          </Button>
        </Group>
      </Labelled>
    );
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <PasswordInput
        {...common}
        className={classes.grow}
        autoComplete="off"
        description={['Encrypted: it is never shown again.', common.description].filter(Boolean).join(' ')}
        placeholder={isNew ? undefined : 'Type to replace what is stored'}
        value={textOf(input)}
        onChange={({ currentTarget: { value } }) => onChange(value)}
      />
      {!isNew && !isReadOnly && (
        <Button variant="default" onClick={() => onChange(null)}>
          Clear
        </Button>
      )}
    </Group>
  );
}

function Computed({ stored, common }: ControlProps) {
  const isEmpty = stored === undefined || stored === null;
  const shown = isEmpty ? 'No value yet' : typeof stored === 'string' ? stored : JSON.stringify(stored);
  return (
    <Labelled {...common} withAsterisk={false}>
      <Text size="sm" className={classes.value ?? ''} {...(isEmpty ? { c: 'dimmed' } : {})}>
        {shown}
      </Text>
    </Labelled>
  );
}

function JsonText({ input, onChange, common }: ControlProps) {
  return (
    <Labelled {...common}>
      <div className={classes.json}>
        <JsonEditor label={`${common.label} in JSON`} text={textOf(input)} {...(common.readOnly ? {} : { onChange })} />
      </div>
    </Labelled>
  );
}

function Lookup({ actor, field, input, names, onChange, common }: ControlProps) {
  const entity = field.lookup?.entity ?? field.items?.lookup?.entity ?? '';
  const isList = controlOf(field) === 'lookups';
  const ids = isList ? listOf(input) : [textOf(input)].filter((id) => id !== '');
  return (
    <Labelled {...common}>
      <LookupInput
        actor={actor}
        entity={entity}
        label={common.label}
        ids={ids}
        names={names}
        isList={isList}
        isReadOnly={common.readOnly}
        onChange={(chosen) => onChange(isList ? chosen : (chosen[0] ?? ''))}
      />
    </Labelled>
  );
}

interface LabelledProps {
  readonly label: string;
  readonly description: string | undefined;
  readonly error: string | undefined;
  readonly withAsterisk: boolean;
  readonly children: ReactNode;
}

/** For what is no single element that a label could belong to. */
function Labelled({ label, description, error, withAsterisk, children }: LabelledProps) {
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={description}
      error={error}
      withAsterisk={withAsterisk}
      role="group"
      aria-label={label}
    >
      {children}
    </Input.Wrapper>
  );
}

const shownBy: Readonly<Record<Control, (props: ControlProps) => ReactNode>> = {
  line: Line,
  text: LongText,
  number: NumberLine,
  boolean: Choice,
  choice: Choice,
  date: Time,
  datetime: Time,
  list: List,
  lookup: Lookup,
  lookups: Lookup,
  json: JsonText,
  secret: Secret,
  computed: Computed,
};

/** What the definition says of the field, in a line. */
function hintsOf(field: Field): string | undefined {
  const { description, min, max, minlength, maxlength, pattern, colType, validate } = field;
  const unit = colType === 'array' ? 'elements' : 'characters';
  const bounds =
    validate === true
      ? [
          between(min, max, ''),
          between(minlength, maxlength, ` ${unit}`),
          pattern === undefined ? undefined : `matches ${pattern}`,
        ]
      : [];
  const computed = controlOf(field) === 'computed' ? 'Set by the platform' : undefined;
  const hints = [description, computed, ...bounds].filter((hint) => hint !== undefined && hint !== '');
  return hints.length === 0 ? undefined : hints.join(' · ');
}

function between(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? undefined : `at most ${most}${unit}`;
}
