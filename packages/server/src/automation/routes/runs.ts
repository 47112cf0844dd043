import { runsApi } from '@freehold/contract/management/runs';
import { requireProd } from '../../api/environments.ts';
import type { RequestEnvelope } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { BuilderCaller } from '../../identity/port.ts';
import { notFound } from '../../lib/problem.ts';
import { mayBeId } from '../../records/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { LogicBlockContent } from '../kinds/logicblock.ts';
import type { RunName } from '../runs/control-run.ts';
import type { AutomationRouteDeps } from './deps.ts';

interface RunRequest extends RequestEnvelope {
  readonly query: { readonly env: Environment };
  readonly params: { readonly id: string };
}

/** The runs of logic blocks, for builders. */
export function runRoutes({ runs, drafts, items }: AutomationRouteDeps): readonly AnyRoute[] {
  return [
    serve(runsApi.listRuns, ({ query: { env, since, pagesize: pageSize, nexttoken, ...query } }, { org }) =>
      runs.list(
        { env, orgCode: org.code },
        { ...query, since: since === undefined ? undefined : Date.parse(since), pageSize, nexttoken },
      ),
    ),
    serve(runsApi.readRun, (request, { org }) => runs.show(nameOf(request, org.code))),
    serve(runsApi.cancelRun, async (request, caller) => {
      await runs.cancel(nameOf(request, caller.org.code), caller.command.auditContext);
    }),
    serve(runsApi.retryRun, (request, caller) =>
      runs.retry(nameOf(request, caller.org.code), {
        by: caller.command.auditContext,
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
      const by = caller.command.auditContext;
      return drafts.run({ orgCode, tenantCode, content: content as LogicBlockContent, input, record, before, by });
    }),
    serve(runsApi.beginRun, (request, caller) => {
      const { tenant_code: tenantCode, input = {} } = request.body;
      const by = caller.command.auditContext;
      return runs.begin({ ...begun(request, caller), tenantCode, block: request.params.name, input, by });
    }),
  ];
}

/** @throws Problem `conflict` where there is no production. */
function begun(request: RequestEnvelope & { readonly query: { readonly env: Environment } }, caller: BuilderCaller) {
  const { env } = request.query;
  if (env === 'prod') requireProd(caller);
  return { env, orgCode: caller.org.code };
}

/** @throws Problem `not_found` for what is no id. */
function nameOf({ query: { env }, params: { id } }: RunRequest, orgCode: string): RunName {
  if (!mayBeId(id)) throw notFound();
  return { env, orgCode, id };
}
