import type { App } from './register.ts';
import { inScope, isOfScope, type Scope } from './scope.ts';

export interface Question {
  readonly action: string;
  readonly entity: string;
  readonly id?: string | undefined;
  readonly properties?: object | undefined;
}

interface PendingEvaluation {
  readonly question: Question;
  readonly resolve: (decision: boolean) => void;
  readonly reject: (error: unknown) => void;
}

interface Decision {
  readonly decision: boolean;
  readonly context?: { readonly error?: { readonly status: number; readonly message: string } };
}

/** As many as the platform takes in one call. */
const questionsMax = 100;

const batches = new WeakMap<App, { readonly scope: Scope; readonly waiting: PendingEvaluation[] }>();

/** Asks whether the user may do something, in one call with all that is asked in the same turn of the event loop. */
export function evaluate(app: App, scope: Scope, question: Question): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const open = batches.get(app);
    if (open !== undefined && isOfScope(open.scope, scope)) {
      open.waiting.push({ question, resolve, reject });
      return;
    }
    const waiting = [{ question, resolve, reject }];
    const batch = { scope, waiting };
    batches.set(app, batch);
    setTimeout(() => {
      if (batches.get(app) === batch) batches.delete(app);
      for (let at = 0; at < waiting.length; at += questionsMax)
        void send(app, scope, waiting.slice(at, at + questionsMax));
    });
  });
}

async function send(app: App, scope: Scope, waiting: readonly PendingEvaluation[]): Promise<void> {
  try {
    const subject = { type: 'user', id: app.session?.userId };
    const evaluations = waiting.map(({ question: { action, entity, id, properties } }) => ({
      action: { name: action },
      resource: { type: entity, ...(id !== undefined && { id }), ...(properties !== undefined && { properties }) },
    }));
    const reply = await inScope(app, scope, () =>
      app.request('POST', '/access/v1/evaluations', { body: { subject, evaluations } }),
    );
    settle(waiting, (reply as { readonly evaluations: readonly Decision[] }).evaluations);
  } catch (error) {
    for (const { reject } of waiting) reject(error);
  }
}

function settle(waiting: readonly PendingEvaluation[], decisions: readonly Decision[]): void {
  for (const [index, { resolve, reject }] of waiting.entries()) {
    const decision = decisions[index];
    const message = decision === undefined ? 'the reply has no decision for it' : decision.context?.error?.message;
    if (message === undefined) resolve(decision?.decision === true);
    else reject(new Error(message));
  }
}
