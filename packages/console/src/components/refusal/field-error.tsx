import type { ComponentPropsWithoutRef } from 'react';
import { Sentence } from '../sentence.tsx';

/** The line below an input that says what is wrong with it: names in backticks are shown as code, as in alerts. */
export function FieldError({ children, ...rest }: ComponentPropsWithoutRef<'p'>) {
  return <p {...rest}>{markedError(children)}</p>;
}

/** An error as it is shown; one without names in backticks stays as it is. */
export function markedError(error: ComponentPropsWithoutRef<'p'>['children']) {
  return typeof error === 'string' && error.includes('`') ? <Sentence text={error} /> : error;
}
