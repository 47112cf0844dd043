import { queryOptions } from '@tanstack/react-query';
import { type Actor, callApp } from '../../api/app.ts';
import { isObject, recordsKey } from './record-queries.ts';

export interface Refusal {
  readonly reason: string;
  readonly decisionId: string | undefined;
}

/** What the actor may not do with a record; a member is undefined where nothing forbids it beforehand. */
export interface Permissions {
  readonly update: Refusal | undefined;
  readonly delete: Refusal | undefined;
}

/** The answers that are decisions of policies; any other one leaves it to the call. */
const decided: Readonly<Record<string, string>> = {
  explicit_deny: 'A policy of this user denies it.',
  implicit_deny: 'No policy of this user allows it.',
};

/** A builder who acts in his own name may do everything. */
export const permissionsQuery = (actor: Actor, entity: string, id: string) =>
  queryOptions({
    queryKey: [...recordsKey(actor, entity), 'permissions', id],
    queryFn: async ({ signal }): Promise<Permissions> => {
      const body = {
        subject: { type: 'user', id: actor.user },
        resource: { type: entity, id },
        evaluations: [
          { action: { name: 'update' }, resource: { type: entity, id, properties: {} } },
          { action: { name: 'delete' } },
        ],
      };
      const reply = await callApp(actor, 'POST', '/access/v1/evaluations', { body, signal });
      const { evaluations = [] } = reply.body as { readonly evaluations?: readonly unknown[] };
      return { update: refusalOf(evaluations[0]), delete: refusalOf(evaluations[1]) };
    },
    enabled: actor.user !== undefined,
  });

function refusalOf(evaluation: unknown): Refusal | undefined {
  if (!isObject(evaluation) || evaluation.decision !== false || !isObject(evaluation.context)) return undefined;
  const reason = decided[String(evaluation.context.reason)];
  const decisionId = evaluation.context.decision_id;
  if (reason === undefined) return undefined;
  return { reason, decisionId: typeof decisionId === 'string' ? decisionId : undefined };
}

/** Why no record is written where the actor is; undefined where records are. */
export function readOnlyRecords({ env }: Actor): string | undefined {
  return env === 'prod' ? 'Records of production are only read here: its own users change them.' : undefined;
}
