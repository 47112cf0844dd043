import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccessContext } from '../context/context.ts';
import type { ReferenceRequest } from './reference-evaluator.ts';

/** Decisions as data: each case names a guarantee, and is to hold of everything that decides. */
export interface DecisionCase {
  readonly name: string;
  /** The `statements` of each policy that the caller holds. */
  readonly policies: readonly unknown[];
  readonly requests: readonly CaseRequest[];
}

export interface CaseRequest {
  /** The default is to read an order: `getorder` on `/item/order/1`. */
  readonly action?: string;
  readonly resource?: string;
  /** The values that the case depends on; everything else is as in `plainContext`. */
  readonly context?: CaseContext;
  readonly decision: 'allowed' | 'explicit_deny' | 'implicit_deny';
  /** Some of the fields that the caller may use, and some that it may not. */
  readonly usable?: readonly string[];
  readonly hidden?: readonly string[];
}

type CaseContext = Partial<Omit<AccessContext, 'request' | 'user' | 'tenant'>> & {
  readonly user?: Partial<AccessContext['user']>;
  readonly tenant?: Partial<AccessContext['tenant']>;
  readonly request?: Partial<Omit<AccessContext['request'], 'queryParameters' | 'ip'>> & {
    readonly queryParameters?: Readonly<Record<string, string>>;
    /** Null where it is not known. */
    readonly ip?: string | null;
  };
};

export const decisionCases: readonly DecisionCase[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'decision-cases.json'), 'utf8'),
);

export function toRequest({ action = 'getorder', resource = '/item/order/1', context }: CaseRequest): ReferenceRequest {
  const { request, user, tenant, ...rest } = context ?? {};
  const { queryParameters = {}, ip = plainContext.request.ip, ...others } = request ?? {};
  return {
    action,
    resource,
    context: {
      ...plainContext,
      ...rest,
      user: { ...plainContext.user, ...user },
      tenant: { ...plainContext.tenant, ...tenant },
      request: {
        ...plainContext.request,
        ...others,
        ip: ip ?? undefined,
        queryParameters: new Map(Object.entries(queryParameters)),
      },
    },
  };
}

const plainContext: AccessContext = {
  request: { method: 'GET', path: '/', pathParameters: {}, queryParameters: new Map(), ip: '127.0.0.1', time: 0 },
  user: { id: 'someone', email: 'someone@example.com' },
  tenant: { id: 'tenant', code: 'code' },
  jwt: {},
};
