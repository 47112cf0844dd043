import type { RequestEnvelope } from '../api/request.ts';
import type { AppCaller } from '../identity/port.ts';
import type { Clock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { type AuthorizeDeps, authorizeAction } from './pipeline/authorize.ts';

export type MayAct = (caller: AppCaller, request: RequestEnvelope, action: 'updateworkspace') => Promise<boolean>;

/** Decides as the call that it stands for: `PUT /user/workspace`. */
export function createMayAct(deps: AuthorizeDeps & { readonly clock: Clock }): MayAct {
  return async (caller, { requestId, ip, head }, action) => {
    const asking = { caller, requestId, ip, origin: head.headers.origin, time: deps.clock.now() };
    const asked = { method: 'PUT', resource: '/user/workspace', params: {}, query: '', takesBody: false };
    try {
      await authorizeAction(deps, asking, { action, ...asked });
      return true;
    } catch (error) {
      if (error instanceof Problem && error.code === 'access_denied') return false;
      throw error;
    }
  };
}
