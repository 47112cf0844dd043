import type { ComponentType } from 'react';
import type { StepKind } from './step-schemas.ts';

/** The common part of the editors of all steps of a block. */
export interface StepForm {
  readonly kinds: ReadonlyMap<string, StepKind>;
  readonly isReadOnly: boolean;
  /** The steps of the whole block, within which each id is unique. */
  readonly all: unknown;
  readonly errorAt: (pointer: string) => string | undefined;
  /** Whether anything at the pointer or below it is wrong. */
  readonly isWrongAt: (pointer: string) => boolean;
  /** The list of steps, which steps that have others within them show too. */
  readonly List: ComponentType<StepListProps>;
}

export interface StepListProps {
  readonly form: StepForm;
  readonly label: string;
  readonly steps: readonly object[];
  /** Where the list stands in the content. */
  readonly pointer: string;
  readonly onChange: (steps: readonly object[]) => void;
}
