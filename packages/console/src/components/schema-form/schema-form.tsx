import { Button, Fieldset, Group, Select, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { descriptionOf } from './description-of.tsx';
import { ElementsInput } from './elements-input.tsx';
import { HeadersInput } from './headers-input.tsx';
import { JsonValueInput } from './json-value-input.tsx';
import { fits, initialOf, inputOf, isObject, labelOf, type Schema, toVariant, withMember } from './schema.ts';
import { BooleanInput, ChoiceInput, NumberValueInput, TextsInput, TextValueInput } from './value-inputs.tsx';
import type { ValueProps } from './value-props.ts';

/** The input of one value by its schema; a value that the input cannot show is edited as JSON. */
function ValueInput(props: ValueProps) {
  const { schema, value } = props;
  const input = inputOf(schema);
  if (value !== undefined && !fits(input, value)) return <JsonValueInput {...props} />;
  switch (input.kind) {
    case 'choice':
      return <ChoiceInput {...props} values={input.values} />;
    case 'text':
      return <TextValueInput {...props} />;
    case 'number':
      return <NumberValueInput {...props} />;
    case 'boolean':
      return <BooleanInput {...props} />;
    case 'texts':
      return <TextsInput {...props} />;
    case 'headers':
      return <HeadersInput {...props} />;
    case 'elements':
      return <ElementsInput {...props} element={input.element} render={(element) => <ElementInput {...element} />} />;
    case 'nullable':
      return <NullableInput {...props} schema={{ ...describedAs(schema), ...input.schema }} />;
    case 'variants':
      return <VariantInput {...props} member={input.member} variants={input.variants} />;
    case 'members':
      return <ObjectInput {...props} />;
    case 'json':
      return <JsonValueInput {...props} />;
  }
}

function describedAs({ description }: Schema): Schema {
  return description === undefined ? {} : { description };
}

function ElementInput(props: ValueProps) {
  return isObject(props.value) ? <MemberInputs {...props} /> : <ValueInput {...props} />;
}

/** A value that may be `null`, which an empty input stands for. */
function NullableInput({ value, onChange, ...rest }: ValueProps) {
  return (
    <ValueInput
      {...rest}
      isRequired={false}
      value={value === null ? undefined : value}
      onChange={(given) => onChange(given === undefined ? null : given)}
    />
  );
}

/** An object as a group of its members. An optional object is added and taken out as a whole. */
function ObjectInput(props: ValueProps) {
  const { schema, label, value, isReadOnly, isRequired = false, onChange } = props;
  if (value === undefined)
    return isReadOnly ? null : (
      <Group>
        <Button variant="default" size="compact-sm" onClick={() => onChange(initialOf(schema))}>
          Add {label.toLowerCase()}
        </Button>
      </Group>
    );
  return (
    <Fieldset legend={label}>
      <Stack gap="sm">
        {schema.description !== undefined && (
          <Text size="sm" c="dimmed">
            {descriptionOf(schema)}
          </Text>
        )}
        <MemberInputs {...props} value={value} />
        {!isRequired && !isReadOnly && (
          <Group>
            <Button variant="subtle" color="red" size="compact-sm" onClick={() => onChange(undefined)}>
              Remove {label.toLowerCase()}
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  );
}

interface VariantProps extends ValueProps {
  readonly member: string;
  readonly variants: ReadonlyMap<string, Schema>;
}

/** An object of one of several shapes, which one of its members names. */
function VariantInput({ member, variants, ...props }: VariantProps) {
  const { value, pointer, isReadOnly, errorAt, onChange } = props;
  if (typeof value !== 'object' || value === null) return null;
  const name = String(Reflect.get(value, member));
  const schema = variants.get(name);
  return (
    <>
      <Select
        label={labelOf(member)}
        data={[...variants.keys()]}
        value={name}
        error={errorAt(`${pointer}/${member}`)}
        readOnly={isReadOnly}
        allowDeselect={false}
        onChange={(chosen) => onChange(toVariant(value, schema ?? {}, variants.get(chosen ?? name) ?? {}))}
      />
      {schema !== undefined && <MemberInputs {...props} schema={schema} value={value} />}
    </>
  );
}

interface MembersProps extends Omit<ValueProps, 'label'> {
  /** Members that stand elsewhere, such as the name of the item. */
  readonly without?: ReadonlySet<string>;
}

/** The members of an object by its schema, in its order; members that the schema does not have are in the JSON alone. */
export function MemberInputs({ schema, value, pointer, onChange, without, isRequired: _, ...rest }: MembersProps) {
  const input = inputOf(schema);
  if (input.kind === 'variants')
    return (
      <VariantInput {...rest} {...input} schema={schema} value={value} pointer={pointer} onChange={onChange} label="" />
    );
  const object: object = typeof value === 'object' && value !== null ? value : {};
  return Object.entries(schema.properties ?? {})
    .filter(([name, member]) => member.const === undefined && without?.has(name) !== true)
    .map(
      ([name, member]): ReactNode => (
        <ValueInput
          {...rest}
          key={name}
          schema={member}
          label={member.title ?? labelOf(name)}
          value={Reflect.get(object, name)}
          pointer={`${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`}
          isRequired={schema.required?.includes(name) === true}
          onChange={(given) => onChange(withMember(object, name, given))}
        />
      ),
    );
}
