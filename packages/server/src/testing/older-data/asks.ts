import { bearer, call, type Gateways, type Headers, operatorKey } from './calls.ts';
import { operations, valueOfEachType } from './definitions.ts';
import type { Filled } from './fill.ts';

/** Something that a caller asked for, and what the answer was. */
export interface RecordedRequest {
  readonly who: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Headers;
  readonly status: number;
  readonly answer: unknown;
}

export interface Caller {
  readonly gateway: keyof Gateways;
  readonly headers: Headers;
}

/** What stands beside the data of a fixture. */
export interface Answers {
  /** When all was asked, in RFC 3339: a test goes on from then. */
  readonly asked_at: string;
  /** The addresses that the answers name. */
  readonly gateways: Gateways;
  readonly callers: Readonly<Record<string, Caller>>;
  readonly requests: readonly RecordedRequest[];
  readonly filled: Pick<Filled, 'customerId' | 'thingId' | 'releases' | 'orgInvitation' | 'productionClientId'> & {
    readonly clientId: string;
  };
}

export async function ask(gateways: Gateways, filled: Filled): Promise<Answers> {
  const callers = callersOf(filled);
  const requests: RecordedRequest[] = [];
  for (const one of [...asksOfApp(filled), ...asksOfManagement()]) {
    const caller = callers[one.who];
    if (caller === undefined) throw new Error(`no caller is \`${one.who}\``);
    const { method, path, body, headers } = one;
    const url = `${gateways[caller.gateway]}${path}`;
    const { status, body: answer } = await call(method, url, { body, headers: { ...caller.headers, ...headers } });
    if (status >= 500) throw new Error(`${method} ${path} is answered ${status}`);
    requests.push({ ...one, status, answer });
  }
  const { customerId, thingId, releases, orgInvitation, productionClientId, org } = filled;
  const named = { customerId, thingId, releases, orgInvitation, productionClientId, clientId: org.clientId };
  return { asked_at: new Date().toISOString(), gateways, callers, requests, filled: named };
}

function callersOf(filled: Filled): Readonly<Record<string, Caller>> {
  const ofApp = (token: string): Caller => ({ gateway: 'app', headers: bearer(token) });
  const ofManagement = (token: string): Caller => ({ gateway: 'management', headers: bearer(token) });
  const { org, developer, founder, member, suspended, other, impersonated, server, pipeline } = filled;
  return {
    builder: ofManagement(org.token),
    developer: ofManagement(developer),
    pipeline: ofManagement(pipeline),
    guarded: ofManagement(filled.guarded),
    operator: ofManagement(operatorKey),
    founder: ofApp(founder.token),
    member: ofApp(member.token),
    suspended: ofApp(suspended.token),
    disabled: ofApp(filled.disabled.token),
    other: ofApp(other.token),
    server: ofApp(server),
    impersonated: ofApp(impersonated),
    production: ofApp(filled.production.token),
    productionServer: ofApp(filled.productionServer),
  };
}

type Ask = Omit<RecordedRequest, 'status' | 'answer'>;

const entities = ['user', 'group', 'userrole', 'aclpolicy', 'useraclpolicy', 'usergroup', 'customer', 'thing'];
const listers = ['founder', 'other', 'server', 'impersonated', 'production', 'productionServer'];

function asksOfApp({ founder, customerId, thingId }: Filled): readonly Ask[] {
  const app = '/app/shop';
  const get = (who: string, path: string): Ask => ({ who, method: 'GET', path: `${app}${path}` });
  const post = (who: string, path: string, body: unknown, headers: Headers = {}): Ask => {
    return { who, method: 'POST', path: `${app}${path}`, body, headers };
  };
  const queries = [
    'sortby=title',
    'sortby=day&sortdir=desc',
    'sortby=seats',
    'q=emile',
    `owner=${founder.id}`,
    `customer_id=${customerId}`,
    'state=done',
    'number=3',
    'view=row',
  ];
  const own = ['/count/thing', '/user/me', '/user/tenants', '/user/invitations', '/user/permissions'];
  return [
    ...listers.flatMap((who) => entities.map((entity) => get(who, `/list/${entity}?pagesize=100`))),
    ...queries.map((query) => get('founder', `/list/thing?${query}`)),
    get('founder', `/item/thing/${thingId}?view=short`),
    ...own.map((path) => get('founder', path)),
    post('founder', '/create/thing', { ...valueOfEachType, customer_id: customerId }, idempotent('create-one')),
    ...['atomic', 'independent'].map((mode) =>
      post('founder', '/batch', { mode, operations }, idempotent(`batch-${mode}`)),
    ),
    get('other', '/user/tenants'),
    get('member', '/list/thing'),
    get('member', `/item/thing/${thingId}`),
    { who: 'member', method: 'DELETE', path: `${app}/delete/thing/${thingId}` },
    post('member', '/create/aclpolicy', { name: 'x', statements: [] }),
    get('suspended', '/list/thing'),
    get('disabled', '/list/thing'),
    post('server', '/create/thing', { title: 'denied' }),
    get('production', '/list/extra'),
  ];
}

function idempotent(key: string): Headers {
  return { 'idempotency-key': key };
}

const builderPaths = [
  '/auth/me',
  '/auth/sessions',
  '/org',
  '/org/users',
  '/org/settings',
  '/org/service-keys?env=test',
  '/org/service-keys?env=prod',
  '/org/alerts/webhook',
  '/org/refused-origins',
  '/org/app-users?env=test&state=disabled',
  '/org/person-jobs?env=test',
  '/api/entities',
  '/api/entity?entityName=thing',
  '/api/entity?entityName=customer',
  '/api/entity?entityName=customer&env=prod',
  '/api/entity/endpoints?entity=thing',
  '/deploy/diff',
  '/deploy/staged',
  '/deploy/history',
  '/deploy/history/1',
  '/deploy/history/2',
  '/deploy/history/3',
  '/deploy/retired',
  '/deploy/keys',
  '/audit?pagesize=200',
  '/audit?tenant_code=main&pagesize=200',
  '/acl/matrix?tenant_code=main',
  '/config/entity',
  '/config/event',
  '/config/logicblock',
  '/config/crew',
  '/config/settings',
  '/config/entity/thing/versions',
  '/observability',
  '/observability/export?metric=records&format=jsonl',
];

function asksOfManagement(): readonly Ask[] {
  const get = (who: string, path: string): Ask => ({ who, method: 'GET', path });
  return [
    ...builderPaths.map((path) => get('builder', path)),
    get('developer', '/auth/me'),
    get('guarded', '/auth/second-factors'),
    get('pipeline', '/deploy/staged'),
    get('operator', '/platform/orgs/shop/plan'),
    get('operator', '/platform/keys'),
    get('operator', '/platform/audit'),
  ];
}
