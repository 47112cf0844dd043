import { runsApi } from '@freehold/contract/management/runs';
import type { Drafts, LogicBlockContent, RunName, Runs } from '../../../../automation/port.ts';
import type { OrgCaller } from '../../../../identity/port.ts';
import type { Clock } from '../../../../lib/clock.ts';
import { notFound } from '../../../../lib/problem.ts';
import type { ConfigItems } from '../../../../promotion/port.ts';
import { mayBeId } from '../../../../records/port.ts';
import type { Environment } from '../../../../tenancy/port.ts';
import { auditContextOf } from '../../../pipeline/audit-context.ts';
import type { RequestEnvelope } from '../../../request.ts';
import { requireProd } from '../../../routing/deploy-caller.ts';
import type { ManagementRoute } from '../../../routing/management-route.ts';
import { serve } from '../../../serve.ts';

export interface RunServices {
  readonly runs: Runs;
  readonly drafts: Drafts;
  readonly items: ConfigItems;
  readonly clock: Clock;
}

interface RunRequest extends RequestEnvelope {
  readonly query: { readonly env: Environment };
  readonly params: { readonly id: string };
}

/** The runs of logic blocks, for builders. */
export function runRoutes({ runs, drafts, items, clock }: RunServices): readonly ManagementRoute[] {
  return [
    serve(runsApi.listRuns, ({ query: { env, since, pagesize: pageSize, nexttoken, ...query } }, { org }) =>
      runs.list(
        { env, orgCode: org.code },
        { ...query, since: since === undefined ? undefined : Date.parse(since), pageSize, nexttoken },
      ),
    ),
    serve(runsApi.readRun, (request, { org }) => runs.show(nameOf(request, org.code))),
    serve(runsApi.cancelRun, async (request, caller) => {
      await runs.cancel(nameOf(request, caller.org.code), auditContextOf(clock, request, caller));
    }),
    serve(runsApi.retryRun, (request, caller) =>
      runs.retry(nameOf(request, caller.org.code), {
        by: auditContextOf(clock, request, caller),
        from: request.body?.from,
      }),
    ),
    serve(runsApi.listLogicBlocks, ({ query: { env, q = '', pagesize: pageSize, nexttoken } }, { org }) =>
      runs.blocks({ env, orgCode: org.code }, { q: q.trim().toLowerCase(), pageSize, nexttoken }),
    ),
    serve(runsApi.testLogicBlock, async (request, caller) => {
      const { content: sent, tenant_code: tenantCode, input = {}, record, before } = request.body;
      const orgCode = caller.org.code;
      // The errors of the content say what is wrong with a name.
      const name = typeof sent.name === 'string' ? sent.name : '';
      const content = await items.check({ orgCode, kind: 'logicblock', name, content: sent, at: '/content' });
      const by = auditContextOf(clock, request, caller);
      return drafts.run({ orgCode, tenantCode, content: content as LogicBlockContent, input, record, before, by });
    }),
    serve(runsApi.beginRun, (request, caller) => {
      const { tenant_code: tenantCode, input = {} } = request.body;
      const by = auditContextOf(clock, request, caller);
      return runs.begin({ ...begun(request, caller), tenantCode, block: request.params.name, input, by });
    }),
  ];
}

/** @throws Problem `conflict` where there is no production. */
function begun(request: RequestEnvelope & { readonly query: { readonly env: Environment } }, caller: OrgCaller) {
  const { env } = request.query;
  if (env === 'prod') requireProd(caller);
  return { env, orgCode: caller.org.code };
}

/** @throws Problem `not_found` for what is no id. */
function nameOf({ query: { env }, params: { id } }: RunRequest, orgCode: string): RunName {
  if (!mayBeId(id)) throw notFound();
  return { env, orgCode, id };
}
