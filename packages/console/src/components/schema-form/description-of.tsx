import type { ReactNode } from 'react';
import { Sentence } from '../sentence.tsx';
import type { Schema } from './schema.ts';

/** The description of a schema, with names as code; undefined where it has none. */
export function descriptionOf({ description }: Schema): ReactNode {
  return description === undefined ? undefined : <Sentence text={description} />;
}
