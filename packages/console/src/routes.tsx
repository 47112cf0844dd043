/** Every screen and its address. A screen is loaded when it is first opened. */
import {
  createRoute,
  createRouter,
  notFound,
  redirect,
  retainSearchParams,
  type SearchMiddleware,
} from '@tanstack/react-router';
import { accountRoutes, root } from './account-routes.ts';
import { onFactorRequired } from './api/factor-required.ts';
import { queryClient } from './api/query-client.ts';
import { isEnvironment, meQuery } from './api/session.ts';
import { automationRoutes } from './automation-routes.ts';
import { blockRoutes } from './block-routes.ts';
import { lazyRouteComponent } from './components/lazy.tsx';
import { NotFound } from './components/not-found.tsx';
import { ScreenError } from './components/screen-error.tsx';
import { labRoutes } from './lab-routes.ts';
import { orgRoutes } from './org-routes.ts';
import { peopleRoutes } from './people-routes.ts';
import { screenFiles } from './screen-files.ts';
import { readListSearch } from './screens/records/list/list-search.ts';
import type { Simulation } from './screens/simulator/simulation.ts';
import { readSearched, readTab } from './search-params.ts';
import { settingsRoutes } from './settings-routes.ts';
import { enterOrg } from './shell/enter-org.ts';
import { Shell } from './shell/shell.tsx';

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    const me = await queryClient.ensureQueryData(meQuery).catch(() => undefined);
    if (me === undefined) throw redirect({ to: '/sign-in' });
    throw redirect({ to: '/o/$org/$env', params: { org: me.org.code, env: 'test' } });
  },
});
const org = createRoute({
  getParentRoute: () => root,
  path: '/o/$org',
  beforeLoad: ({ params }) => {
    if (isEnvironment(params.org)) throw notFound();
  },
});
const orgIndex = createRoute({
  getParentRoute: () => org,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/o/$org/$env', params: { org: params.org, env: 'test' } });
  },
});

interface ActorSearch {
  readonly w?: string | undefined;
  readonly u?: string | undefined;
}

function readActor({ w, u }: Record<string, unknown>): ActorSearch {
  return { ...(typeof w === 'string' ? { w } : {}), ...(typeof u === 'string' ? { u } : {}) };
}

const retain = retainSearchParams<ActorSearch>(['w', 'u']);

/**
 * The workspace, and the user in whose name records are read, stay chosen from screen to screen. A link into another
 * workspace leaves the user behind, who may not be in it.
 */
const keepActor: SearchMiddleware<ActorSearch> = ({ search, next }) => {
  const kept = retain({ search, next });
  return kept.w === search.w || next(search).u !== undefined ? kept : { ...kept, u: undefined };
};

/** The frame of all screens. Below it the user is signed in to the org of the address. */
const place = createRoute({
  getParentRoute: () => org,
  path: '$env',
  validateSearch: readActor,
  search: { middlewares: [keepActor] },
  beforeLoad: async ({ params, location, preload }) => {
    if (!isEnvironment(params.env)) throw notFound();
    // A link that is pointed at is not followed yet: entering another org switches the session.
    if (preload) return;
    const entered = await enterOrg(params.org);
    if (entered === 'signed out') throw redirect({ to: '/sign-in', search: { next: location.href } });
    if (entered === 'needs factor') throw redirect({ to: '/second-factor', search: { next: location.href } });
    if (entered === 'no member') throw notFound();
  },
  component: Shell,
});
const home = createRoute({
  getParentRoute: () => place,
  path: '/',
  component: lazyRouteComponent(screenFiles[''], 'Home'),
});
const account = createRoute({
  getParentRoute: () => place,
  path: 'account',
  component: lazyRouteComponent(screenFiles.account, 'Account'),
});
const entities = createRoute({
  getParentRoute: () => place,
  path: 'entities',
  validateSearch: ({ q, view }: Record<string, unknown>): { readonly q?: string; readonly view?: 'model' } => ({
    ...(typeof q === 'string' ? { q } : {}),
    ...(view === 'model' ? { view } : {}),
  }),
  component: lazyRouteComponent(screenFiles.entities, 'Entities'),
});
const newEntity = createRoute({
  getParentRoute: () => place,
  path: 'new-entity',
  component: lazyRouteComponent(screenFiles['new-entity'], 'NewEntity'),
});
const entity = createRoute({
  getParentRoute: () => place,
  path: 'entities/$entity',
  validateSearch: readTab,
  component: lazyRouteComponent(screenFiles['entities/$entity'], 'EntityScreen'),
});
const deploy = createRoute({
  getParentRoute: () => place,
  path: 'deploy',
  validateSearch: ({ tab, q, page }: Record<string, unknown>) => ({
    ...(typeof tab === 'string' ? { tab } : {}),
    ...(typeof q === 'string' ? { q } : {}),
    ...(typeof page === 'number' && Number.isInteger(page) && page > 1 ? { page } : {}),
  }),
  component: lazyRouteComponent(screenFiles.deploy, 'Deploy'),
});
const config = createRoute({
  getParentRoute: () => place,
  path: 'config',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/o/$org/$env/config/$kind', params: { ...params, kind: 'settings' } });
  },
});
const configList = createRoute({
  getParentRoute: () => place,
  path: 'config/$kind',
  beforeLoad: ({ params }) => {
    if (params.kind === 'logicblock') throw redirect({ to: '/o/$org/$env/logic-blocks', params });
  },
  component: lazyRouteComponent(screenFiles['config/$kind'], 'ConfigList'),
});
const configItem = createRoute({
  getParentRoute: () => place,
  path: 'config/$kind/$name',
  validateSearch: readTab,
  beforeLoad: ({ params, search: { tab } }) => {
    if (params.kind !== 'logicblock') return;
    throw redirect({ to: '/o/$org/$env/logic-blocks/$name', params, search: tab === undefined ? {} : { tab } });
  },
  component: lazyRouteComponent(screenFiles['config/$kind/$name'], 'ConfigItem'),
});
const newConfigItem = createRoute({
  getParentRoute: () => place,
  path: 'new-config/$kind',
  beforeLoad: ({ params }) => {
    if (params.kind === 'logicblock') throw redirect({ to: '/o/$org/$env/new-logic-block', params });
  },
  component: lazyRouteComponent(screenFiles['new-config/$kind'], 'NewConfigItem'),
});
const records = createRoute({
  getParentRoute: () => place,
  path: 'records',
  validateSearch: ({ q }: Record<string, unknown>): { readonly q?: string | undefined } =>
    typeof q === 'string' ? { q } : {},
  component: lazyRouteComponent(screenFiles.records, 'Records'),
});
const entityRecords = createRoute({
  getParentRoute: () => place,
  path: 'records/$entity',
  validateSearch: readListSearch,
  component: lazyRouteComponent(screenFiles['records/$entity'], 'EntityRecords'),
});

const api = createRoute({
  getParentRoute: () => place,
  path: 'api',
  validateSearch: ({ api, entity, group, op, q, v }: Record<string, unknown>): ApiSearch => ({
    ...(api === 'management' ? { api } : {}),
    ...(typeof entity === 'string' ? { entity } : {}),
    ...(typeof group === 'string' ? { group } : {}),
    ...(typeof op === 'string' ? { op } : {}),
    ...(typeof q === 'string' ? { q } : {}),
    ...(typeof v === 'object' && v !== null ? { v: textsOf(v) } : {}),
  }),
  component: lazyRouteComponent(screenFiles.api, 'Api'),
});

/** The API, an entity or a group of routes, one of its operations by its id, values of its parameters, and what is searched for. */
interface ApiSearch {
  readonly api?: 'management' | undefined;
  readonly entity?: string | undefined;
  readonly group?: string | undefined;
  readonly op?: string | undefined;
  readonly q?: string | undefined;
  readonly v?: Readonly<Record<string, string>> | undefined;
}

function textsOf(given: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value === 'string'));
}

const users = createRoute({
  getParentRoute: () => place,
  path: 'users',
  validateSearch: ({ q }: Record<string, unknown>): { readonly q?: string } => (typeof q === 'string' ? { q } : {}),
  component: lazyRouteComponent(screenFiles.users, 'Users'),
});

interface UserSearch {
  readonly q?: string;
  readonly state?: 'allowed' | 'conditional' | 'denied' | 'none';
  readonly page?: number;
  /** The cell that is explained, by its action. */
  readonly cell?: string;
}

const user = createRoute({
  getParentRoute: () => place,
  path: 'users/$user',
  validateSearch: ({ q, state, page, cell }: Record<string, unknown>): UserSearch => ({
    ...(typeof q === 'string' ? { q } : {}),
    ...(state === 'allowed' || state === 'conditional' || state === 'denied' || state === 'none' ? { state } : {}),
    ...(typeof page === 'number' && Number.isInteger(page) && page > 1 ? { page } : {}),
    ...(typeof cell === 'string' ? { cell } : {}),
  }),
  component: lazyRouteComponent(screenFiles['users/$user'], 'User'),
});
const simulator = createRoute({
  getParentRoute: () => place,
  path: 'simulator',
  validateSearch: (search: Record<string, unknown>): Simulation => textsOf(search),
  component: lazyRouteComponent(screenFiles.simulator, 'Simulator'),
});
const decisions = createRoute({
  getParentRoute: () => place,
  path: 'decisions',
  validateSearch: ({ id, user: of, all }: Record<string, unknown>): DecisionsSearch => ({
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof of === 'string' ? { user: of } : {}),
    ...(all === true ? { all } : {}),
  }),
  component: lazyRouteComponent(screenFiles.decisions, 'Decisions'),
});

interface DecisionsSearch {
  /** A decision id or a request id. */
  readonly id?: string;
  readonly user?: string;
  readonly all?: true;
}

const policies = createRoute({
  getParentRoute: () => place,
  path: 'policies',
  validateSearch: (search): { readonly q?: string | undefined; readonly view?: 'templates' | undefined } => ({
    ...readSearched(search),
    ...(search.view === 'templates' ? { view: 'templates' } : {}),
  }),
  component: lazyRouteComponent(screenFiles.policies, 'Policies'),
});
const newPolicy = createRoute({
  getParentRoute: () => place,
  path: 'new-policy',
  component: lazyRouteComponent(screenFiles['new-policy'], 'NewPolicy'),
});
const policy = createRoute({
  getParentRoute: () => place,
  path: 'policies/$policy',
  validateSearch: ({ tab, statement }: Record<string, unknown>): PolicySearch => ({
    ...readTab({ tab }),
    ...(typeof statement === 'number' && Number.isInteger(statement) && statement > 0 ? { statement } : {}),
  }),
  component: lazyRouteComponent(screenFiles['policies/$policy'], 'PolicyScreen'),
});

interface PolicySearch {
  readonly tab?: string;
  /** The place of the statement that is looked for, from 1. */
  readonly statement?: number;
}

const policyTemplate = createRoute({
  getParentRoute: () => place,
  path: 'policy-template',
  validateSearch: ({ name }: Record<string, unknown>): { readonly name?: string } =>
    typeof name === 'string' ? { name } : {},
  component: lazyRouteComponent(screenFiles['policy-template'], 'TemplateScreen'),
});
const groups = createRoute({
  getParentRoute: () => place,
  path: 'groups',
  validateSearch: readSearched,
  component: lazyRouteComponent(screenFiles.groups, 'Groups'),
});
const group = createRoute({
  getParentRoute: () => place,
  path: 'groups/$group',
  component: lazyRouteComponent(screenFiles['groups/$group'], 'GroupScreen'),
});

/** For who runs the platform, without a session. Its frame shows the screen that the address names. */
const operations = createRoute({
  getParentRoute: () => root,
  path: 'operations/{-$screen}/{-$item}',
  component: lazyRouteComponent(() => import('./screens/operations/operations.tsx'), 'Operations'),
});

/** Access control of a workspace. */
const access = [policies, newPolicy, policy, policyTemplate, groups, group] as const;

const routeTree = root.addChildren([
  index,
  ...accountRoutes,
  operations,
  org.addChildren([
    orgIndex,
    place.addChildren([
      home,
      account,
      entities,
      newEntity,
      entity,
      records,
      entityRecords,
      api,
      config,
      configList,
      configItem,
      newConfigItem,
      deploy,
      users,
      user,
      simulator,
      decisions,
      ...access,
      ...settingsRoutes(place),
      ...orgRoutes(place),
      ...peopleRoutes(place),
      ...automationRoutes(place),
      ...blockRoutes(place),
      ...labRoutes(place),
    ]),
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: new URL(document.baseURI).pathname,
  defaultPreload: 'intent',
  defaultErrorComponent: ScreenError,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

// An admin has required a factor while the user was at work: the address is entered anew, and leads to where one is added.
onFactorRequired(() => {
  queryClient.removeQueries(meQuery);
  void router.invalidate();
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
