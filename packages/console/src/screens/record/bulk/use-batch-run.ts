import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Actor } from '../../../api/app.ts';
import { type BatchProgress, type Operation, runBatch } from './batch-run.ts';

const atFirst: BatchProgress = { done: 0, failures: [] };

export interface BatchRun {
  readonly progress: BatchProgress;
  readonly total: number;
  readonly isRunning: boolean;
  readonly isOver: boolean;
  /** Why a call got no answer; `start` goes on with it. */
  readonly error: Error | null;
  readonly start: (operations: readonly Operation[]) => void;
  readonly stop: () => void;
}

/** A run of many changes, from its start to its end. */
export function useBatchRun(actor: Actor, onEnd: () => void): BatchRun {
  const [progress, setProgress] = useState(atFirst);
  const [operations, setOperations] = useState<readonly Operation[]>([]);
  const [key] = useState(() => crypto.randomUUID());
  const aborter = useRef<AbortController>(undefined);
  const run = useMutation({
    mutationFn: (wanted: readonly Operation[]) => {
      aborter.current = new AbortController();
      setOperations(wanted);
      return runBatch(actor, wanted, {
        key,
        from: progress,
        onProgress: setProgress,
        signal: aborter.current.signal,
      });
    },
    onSettled: onEnd,
  });
  return {
    progress,
    total: operations.length,
    isRunning: run.isPending,
    isOver: run.isSuccess,
    error: run.error,
    start: (wanted) => run.mutate(operations.length === 0 ? wanted : operations),
    stop: () => aborter.current?.abort(),
  };
}
