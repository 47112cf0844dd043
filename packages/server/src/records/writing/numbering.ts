import type { Key, Scope } from '../../store/port.ts';

/** Gives numbers from 1 on. Each is given once; one whose record is refused is never given again. */
export interface Numbering {
  next(scope: Scope, entityName: string, fieldName: string): Promise<number>;
}

interface NumberRequest {
  readonly resolve: (number: number) => void;
  readonly reject: (error: unknown) => void;
}

interface NumberQueue {
  readonly key: Key;
  readonly waiting: NumberRequest[];
  readonly close: () => void;
}

/** A caller that comes while a counter is being moved waits for its next move, which serves all of them at once. */
export function createNumbering(): Numbering {
  const queues = new WeakMap<Scope, Map<string, NumberRequest[]>>();

  const serve = async (scope: Scope, queue: NumberQueue): Promise<void> => {
    while (queue.waiting.length > 0) {
      const served = queue.waiting.splice(0);
      try {
        const { sums } = await scope.commit([{ kind: 'add', ...queue.key, by: served.length }]);
        const last = sums[0] ?? 0;
        for (const [index, { resolve }] of served.entries()) resolve(last - served.length + 1 + index);
      } catch (error) {
        for (const { reject } of served) reject(error);
      }
    }
    // In the same turn in which no caller was found waiting: the next caller starts a queue that is served.
    queue.close();
  };
  return {
    next: (scope, entityName, fieldName) =>
      new Promise((resolve, reject) => {
        const key = numberKey(entityName, fieldName);
        const text = `${key.pk}\0${key.sk}`;
        const ofScope = queues.get(scope) ?? new Map<string, NumberRequest[]>();
        queues.set(scope, ofScope);
        const waiting = ofScope.get(text);
        if (waiting !== undefined) {
          waiting.push({ resolve, reject });
          return;
        }
        const first = [{ resolve, reject }];
        ofScope.set(text, first);
        void serve(scope, { key, waiting: first, close: () => ofScope.delete(text) });
      }),
  };
}

export function numberKey(entityName: string, fieldName: string): Key {
  return { pk: numberPartition(entityName), sk: fieldName };
}

export function numberPartition(entityName: string): string {
  return `number#${entityName}`;
}
