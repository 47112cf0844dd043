/** What builders do meanwhile: they change the configuration, bring it to production and back, and look at what happens. */
import type { CallOptions, Reply } from '../call.ts';
import { definition, manage, type Org, random } from '../org.ts';
import type { Expected, SoakCaller } from './soak-caller.ts';
import type { Stage } from './stage.ts';

type Ask = (method: string, path: string, expected: Expected | number, body?: unknown) => Promise<Reply<CreatedReply>>;

interface CreatedReply {
  readonly token?: string;
}

export async function build(caller: SoakCaller, { orgs, workplaces }: Stage): Promise<void> {
  const org = orgs[Math.floor(Math.random() * orgs.length)];
  const workplace = workplaces.find(({ admin }) => admin.org.code === org?.code && admin.org.clientId === org.clientId);
  if (org === undefined) return;
  const ask = createCall(caller, org);
  const works = [
    () => look(ask, workplace?.admin.tenantCode),
    () => look(ask, workplace?.admin.tenantCode),
    () => changeView(ask),
    () => comeAndGo(ask),
    () => ask('PUT', '/org/settings', 200, { group: 'acl', name: 'cache_seconds', value: pick([30, 60]) }),
    () => simulate(ask),
    () => signInAgain(caller, org),
  ];
  await pick(works)?.();
}

/** Some of what is in test becomes what is in production. */
export async function promote(caller: SoakCaller, { promoted }: Stage): Promise<void> {
  const ask = createCall(caller, promoted);
  await changeView(ask);
  await ask('GET', '/deploy/diff', 200);
  await ask('POST', '/deploy/publish', 201, { all: true, note: random() });
  await ask('GET', '/deploy/staged', 200);
  // Nothing is staged any more where a restart hid the answer.
  await ask('POST', '/deploy/activate', { statuses: [200], whenRepeated: [409] });
  if (Math.random() < 0.3) await ask('POST', '/deploy/rollback', 200);
  await ask('GET', '/deploy/history?pagesize=5', 200);
}

async function look(ask: Ask, tenantCode: string | undefined): Promise<void> {
  const paths = [
    '/org',
    '/org/users',
    '/org/settings',
    '/api/entities',
    '/api/entity?entityName=ticket',
    '/api/entity/endpoints?entity=ticket',
    '/observability',
    '/audit?pagesize=50',
    '/acl/decisions?pagesize=20',
    '/openapi.json',
    '/healthz',
    '/readyz',
    ...(tenantCode === undefined ? [] : [`/acl/matrix?tenant_code=${tenantCode}&pagesize=5`]),
  ];
  for (let looks = 0; looks < 3; looks++) await ask('GET', pick(paths) ?? '/org', 200);
}

async function changeView(ask: Ask): Promise<void> {
  const short = { fields: [{ name: 'title', as: `t${random()}` }] };
  await ask('PUT', '/api/get-ticket', 200, { Views: { short } });
}

/** An entity that is there for a moment. Its name is taken until what is left of it is removed in the background. */
async function comeAndGo(ask: Ask): Promise<void> {
  const name = pick(['visitor', 'guest', 'passer']) ?? '';
  const { status } = await ask(
    'POST',
    `/api/create-${name}`,
    { statuses: [201, 409] },
    definition(name, [{ name: 'title' }]),
  );
  if (status === 201) await ask('DELETE', `/api/entity?entityname=${name}`, { statuses: [204], whenRepeated: [404] });
}

async function simulate(ask: Ask): Promise<void> {
  const statements = [{ Effect: 'Allow', Action: ['list*'], Resource: ['*'] }];
  await ask('POST', '/acl/simulate', 200, { statements, method: 'GET', path: '/list/ticket' });
}

async function signInAgain(caller: SoakCaller, org: Org): Promise<void> {
  const { email, password, token } = org.builder;
  const login = await createCall(caller, org)('POST', '/auth/login', 200, { email, password });
  const own = { ...org, builder: { ...org.builder, token: login.body.token ?? token } };
  await createCall(caller, own)('GET', '/auth/me', 200);
  await createCall(caller, own)('POST', '/auth/logout', { statuses: [204], whenRepeated: [401] });
}

function createCall(caller: SoakCaller, org: Org): Ask {
  return (method, path, expected, body) => {
    const options: CallOptions = body === undefined ? {} : { body };
    return caller.ask(`${method} ${path.split('?')[0]}`, expected, () =>
      manage<CreatedReply>(org, method, path, options),
    );
  };
}

function pick<T>(choices: readonly T[]): T | undefined {
  return choices[Math.floor(Math.random() * choices.length)];
}
