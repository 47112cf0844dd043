import { Text } from '@mantine/core';
import type { Field } from '../../entities/definition.ts';
import { controlOf } from '../form/inputs.ts';
import classes from '../record.module.css';

interface Props {
  readonly field: Field;
  readonly value: unknown;
  readonly names: ReadonlyMap<string, string>;
}

/** A value of a field as text. */
export function ShownValue({ field, value, names }: Props) {
  const isEmpty = value === undefined || value === null;
  return (
    <Text size="sm" component="span" className={classes.value ?? ''} {...(isEmpty ? { c: 'dimmed' } : {})}>
      {isEmpty ? 'no value' : textOf(field, value, names)}
    </Text>
  );
}

function textOf(field: Field, value: unknown, names: ReadonlyMap<string, string>): string {
  const control = controlOf(field);
  if (control === 'secret') return 'a value that is not shown';
  const texts = (Array.isArray(value) ? value : [value]).map((one: unknown) => {
    const text = typeof one === 'string' ? one : JSON.stringify(one);
    return names.get(text) ?? text;
  });
  if (control === 'lookup' || control === 'lookups' || control === 'list') return texts.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}
