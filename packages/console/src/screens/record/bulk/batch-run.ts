/** Many changes by the batch route, a hundred in a call, which can be stopped, and goes on where a call got no answer. */

import type { ProblemBody } from '@freehold/contract/problem';
import { type Actor, callApp } from '../../../api/app.ts';
import type { RecordValues } from '../form/inputs.ts';

export interface Operation {
  readonly action: 'update' | 'delete';
  readonly entity: string;
  readonly id: string;
  readonly data?: RecordValues;
  readonly if_match?: string;
}

export interface Failure {
  readonly id: string;
  readonly problem: ProblemBody;
}

export interface BatchProgress {
  /** The number of operations that have an answer. */
  readonly done: number;
  readonly failures: readonly Failure[];
}

const operationsMax = 100;

interface Options {
  /** Names the whole run, so that a call which is sent again is done once. */
  readonly key: string;
  readonly from: BatchProgress;
  readonly onProgress: (progress: BatchProgress) => void;
  readonly signal: AbortSignal;
}

interface Result {
  readonly status: number;
  readonly error?: ProblemBody;
}

/** Runs the operations that have no answer yet. Ends early if it is aborted between two calls. @throws ApiProblem. */
export async function runBatch(
  actor: Actor,
  operations: readonly Operation[],
  options: Options,
): Promise<BatchProgress> {
  const { key, from, onProgress, signal } = options;
  let progress = from;
  while (progress.done < operations.length && !signal.aborted) {
    const part = operations.slice(progress.done, progress.done + operationsMax);
    const { body } = await callApp(actor, 'POST', '/batch', {
      body: { mode: 'independent', operations: part },
      headers: { 'Idempotency-Key': `${key}-${progress.done}` },
    });
    const { results } = body as { readonly results: readonly Result[] };
    const failed = results.flatMap(({ error }, place): readonly Failure[] => {
      const id = part[place]?.id;
      return error === undefined || id === undefined ? [] : [{ id, problem: error }];
    });
    progress = { done: progress.done + part.length, failures: [...progress.failures, ...failed] };
    onProgress(progress);
  }
  return progress;
}
