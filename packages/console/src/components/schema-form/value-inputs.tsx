import { NumberInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { descriptionOf } from './description-of.tsx';
import type { ValueProps } from './value-props.ts';

const commonOf = ({ schema, label, pointer, isReadOnly, isRequired = false, errorAt }: ValueProps) => ({
  label,
  description: descriptionOf(schema),
  error: errorAt(pointer),
  required: isRequired,
  readOnly: isReadOnly,
});

export function ChoiceInput({ values, ...props }: ValueProps & { readonly values: readonly string[] }) {
  const { value, isRequired = false, onChange } = props;
  return (
    <Select
      {...commonOf(props)}
      data={[...values]}
      value={typeof value === 'string' ? value : null}
      allowDeselect={!isRequired}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  );
}

/** Texts of which more is allowed than this, and that no pattern describes, get several lines. */
const longText = 300;

export function TextValueInput(props: ValueProps) {
  const { schema, value, isRequired = false, onChange } = props;
  const text = typeof value === 'string' ? value : '';
  const set = (typed: string) => onChange(typed === '' && !isRequired ? undefined : typed);
  if ((schema.maxLength ?? 0) > longText && schema.pattern === undefined)
    return (
      <Textarea
        {...commonOf(props)}
        autosize
        minRows={2}
        maxRows={16}
        value={text}
        onChange={({ currentTarget }) => set(currentTarget.value)}
      />
    );
  return <TextInput {...commonOf(props)} value={text} onChange={({ currentTarget }) => set(currentTarget.value)} />;
}

export function NumberValueInput(props: ValueProps) {
  const { schema, value, onChange } = props;
  return (
    <NumberInput
      {...commonOf(props)}
      hideControls
      allowDecimal={schema.type !== 'integer'}
      value={typeof value === 'number' ? value : ''}
      onChange={(typed) => onChange(typeof typed === 'number' ? typed : undefined)}
    />
  );
}

export function BooleanInput(props: ValueProps) {
  const { schema, label, value, pointer, isReadOnly, errorAt, onChange } = props;
  return (
    <Switch
      label={label}
      description={descriptionOf(schema)}
      error={errorAt(pointer)}
      checked={value === true}
      disabled={isReadOnly}
      onChange={({ currentTarget: { checked } }) => onChange(checked)}
    />
  );
}

export function TextsInput(props: ValueProps) {
  const { schema, value, pointer, isReadOnly, isRequired = false, errorAt, onChange } = props;
  const texts = Array.isArray(value) ? value.map(String) : [];
  const ofElements = texts.map((_, index) => errorAt(`${pointer}/${index}`)).find((error) => error !== undefined);
  return (
    <TagsInput
      {...commonOf(props)}
      description={descriptionOf(schema) ?? (isReadOnly ? undefined : 'Enter adds one')}
      error={errorAt(pointer) ?? ofElements}
      value={texts}
      onChange={(given) => onChange(given.length === 0 && !isRequired ? undefined : given)}
    />
  );
}
