import type { BlockCaller, RunCallers } from '../automation/port.ts';
import { type AppCaller, openWorkSession, type WorkSessionDeps } from '../people/port.ts';
import { requestAlone } from './authorization-request.ts';
import { type AuthorizeDeps, actorOf, authorize } from './authorize.ts';

/**
 * Those in whose names blocks run when no request waits for them. Each step is decided as a request is, by the rights
 * that its user has then. A run comes from no address and no origin: what policies grant by these is not granted to it.
 */
export function createRunCallers(deps: AuthorizeDeps & WorkSessionDeps): RunCallers {
  return {
    as: async (who, workspace, runId, block = '') => {
      const callerBy = (caller: AppCaller): BlockCaller => {
        const requester = () => ({ caller, requestId: runId, ip: '', origin: undefined, time: deps.clock.now() });
        return {
          workspace,
          actor: actorOf(requester()),
          user: { id: caller.claims.sub, email: caller.claims.email },
          entity: async (name) => (await deps.configs[workspace.env].current(workspace.orgCode)).entity(name),
          authorize: async (alone) => authorize(deps, requester(), requestAlone(alone)),
          asApp: (access) => callerBy({ ...caller, place: { workspace, access } }),
        };
      };
      const caller = await openWorkSession(deps, who, workspace);
      return callerBy(who.kind === 'app' ? { ...caller, block } : caller);
    },
  };
}
