import { useState } from 'react';
import { type Definition, readDefinition, textOf } from './definition.ts';

/** A definition that is edited as a form and as JSON, the two kept in step. */
export interface Draft {
  /** What both show; while the text is no JSON, what it was before. */
  readonly definition: Definition;
  readonly text: string;
  /** Why the text is no definition. */
  readonly mistake: string | undefined;
  setDefinition(definition: Definition): void;
  setText(text: string): void;
}

interface State {
  readonly definition: Definition;
  readonly text: string;
  readonly mistake?: string;
}

const stateOf = (definition: Definition): State => ({ definition, text: textOf(definition) });

export function useDraft(initial: Definition): Draft {
  const [state, setState] = useState(() => stateOf(initial));
  return {
    definition: state.definition,
    text: state.text,
    mistake: state.mistake,
    setDefinition: (definition) => setState(stateOf(definition)),
    setText: (text) =>
      setState(({ definition }) => {
        const read = readDefinition(text);
        return typeof read === 'string' ? { definition, text, mistake: read } : { definition: read, text };
      }),
  };
}
