import { useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import type { ContentFormProps } from './content-form.tsx';

type Refused = Pick<ContentFormProps, 'problem' | 'at'>;

export interface Tried {
  /** What the form shows at its fields: how a trial was refused since the last save, or else how that was. */
  refused(saved: unknown, at: ContentFormProps['at']): Refused;
  /** Says how a trial of the content as it is typed was refused; without an error, that nothing is to be shown of one. */
  onTried(error?: unknown): void;
}

/** The body of a trial has the content as a member. */
export function useTried(): Tried {
  const [tried, setTried] = useState<ApiProblem | undefined>();
  return {
    refused: (saved, at) =>
      tried === undefined
        ? { problem: saved instanceof ApiProblem ? saved : undefined, at }
        : { problem: tried, at: '/content' },
    onTried: (error) => setTried(error instanceof ApiProblem && error.errors.some(isOfContent) ? error : undefined),
  };
}

function isOfContent({ pointer }: ApiProblem['errors'][number]): boolean {
  return pointer === '/content' || pointer.startsWith('/content/');
}
