import {
  boundsOf,
  type OpenapiDocument,
  type Operation,
  type Parameter,
  resolved,
  typeOf,
} from '@freehold/docs/openapi/openapi';
import { type Filled, keyOf } from '@freehold/docs/openapi/request';
import { Select, Stack, TextInput } from '@mantine/core';
import { Sentence } from '../../components/sentence.tsx';
import classes from './api.module.css';
import { FilterInputs, isFilter } from './filter-inputs.tsx';

interface Props {
  readonly document: OpenapiDocument;
  readonly operation: Operation;
  readonly filled: Filled;
  readonly onChange: (parameter: Parameter, value: string) => void;
}

/** Every parameter with what it means and a value to try. Filters of fields, which come in pairs, and headers are folded away. */
export function ParameterInputs({ document, operation: { parameters }, filled, onChange }: Props) {
  const current = parameters.filter(({ deprecated }) => deprecated !== true);
  const filters = current.filter(isFilter);
  const headers = current.filter(isOptionalHeader);
  const others = current.filter((parameter) => !isFilter(parameter) && !isOptionalHeader(parameter));
  const inputOf = (parameter: Parameter) => (
    <ParameterInput
      key={keyOf(parameter)}
      document={document}
      parameter={parameter}
      value={filled.values[keyOf(parameter)] ?? ''}
      onChange={(value) => onChange(parameter, value)}
    />
  );
  return (
    <Stack gap="sm">
      {others.map(inputOf)}
      {filters.length > 0 && <FilterInputs filters={filters} inputOf={inputOf} />}
      {headers.length > 0 && (
        <details className={classes.details}>
          <summary>Headers that may be sent</summary>
          <Stack mt="xs" gap="xs">
            {headers.map(inputOf)}
          </Stack>
        </details>
      )}
    </Stack>
  );
}

function isOptionalHeader({ in: place, required = false }: Parameter): boolean {
  return place === 'header' && !required;
}

interface InputProps {
  readonly document: OpenapiDocument;
  readonly parameter: Parameter;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ParameterInput({ document, parameter, value, onChange }: InputProps) {
  const schema = resolved(document, parameter.schema);
  const { name, in: place, required = false, description, 'x-views': views } = parameter;
  const choices = schema.type === 'boolean' ? ['true', 'false'] : (views ?? schema.enum?.map(String));
  const byDefault = schema.default === undefined ? '' : `${String(schema.default)} if it is left out`;
  const words = [place, choices === undefined ? typeOf(schema) : '', boundsOf(schema)];
  const common = {
    label: name,
    description: isFilter(parameter) ? undefined : (
      <>
        <Sentence text={description} /> ({words.filter((word) => word !== '').join(', ')})
      </>
    ),
    placeholder: byDefault,
    required,
  };
  if (choices !== undefined)
    return (
      <Select
        {...common}
        data={[...choices]}
        value={value === '' ? null : value}
        clearable
        onChange={(chosen) => onChange(chosen ?? '')}
      />
    );
  return (
    <TextInput
      {...common}
      value={value}
      autoComplete="off"
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
