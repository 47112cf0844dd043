import type { Schema } from './schema.ts';

/** What the input of a value gets. */
export interface ValueProps {
  readonly schema: Schema;
  readonly label: string;
  readonly value: unknown;
  /** The position of the value, as a JSON pointer. */
  readonly pointer: string;
  readonly isReadOnly: boolean;
  readonly isRequired?: boolean;
  /** The sentence about the value at a pointer, if there is one. */
  readonly errorAt: (pointer: string) => string | undefined;
  readonly onChange: (value: unknown) => void;
}
