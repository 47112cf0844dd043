import { policyLabApi } from '@freehold/contract/management/access/policy-lab';
import type { InputError } from '@freehold/contract/problem';
import { parseStatements } from '../../access/port.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import { Problem } from '../../lib/problem.ts';
import type { IamRouteDeps } from './deps.ts';

/** What recorded calls say of policies. Nothing here changes anything, so production may be asked about. */
export function policyLabRoutes({ lab: policyLab }: IamRouteDeps): readonly AnyRoute[] {
  return [
    serve(
      policyLabApi.replayAccess,
      ({ body }, { org }) => {
        const { env = 'test', tenant_code: tenantCode, draft, principals, since, limit } = body;
        const parsed = parseStatements(draft.statements);
        if (!('statements' in parsed)) throw new Problem('validation_failed', 'the draft has mistakes');
        return policyLab.replay(org.code, {
          ...{ env, tenantCode, principals, limit },
          draft: { policyId: draft.policy_id, name: draft.name, statements: parsed.statements },
          since: since === undefined ? undefined : Date.parse(since),
        });
      },
      { mistakes: replayMistakes },
    ),
    serve(policyLabApi.suggestPolicy, ({ query }, { org }) => policyLab.suggest(org.code, query)),
    serve(policyLabApi.listReported, ({ query }, { org }) => policyLab.reported(org.code, query)),
  ];
}

/** What is wrong with a replay beside the kinds of its members. */
function replayMistakes(sent: unknown): readonly InputError[] {
  const body = isObject(sent) ? sent : {};
  const draft = isObject(body.draft) ? body.draft : {};
  const isNew = draft.policy_id === undefined;
  const errors: InputError[] = [];
  if (isNew && body.principals === undefined)
    errors.push({
      pointer: '/principals',
      code: 'required',
      message: 'a new policy needs `principals`: who would hold it',
    });
  if (!isNew && body.principals !== undefined)
    errors.push({
      pointer: '/principals',
      code: 'contradiction',
      message: 'with `policy_id` the draft is held by the present holders',
    });
  const parsed = draft.statements === undefined ? undefined : parseStatements(draft.statements);
  if (parsed === undefined || 'statements' in parsed) return errors;
  return [...errors, ...parsed.errors.map((error) => ({ ...error, pointer: `/draft/statements${error.pointer}` }))];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
