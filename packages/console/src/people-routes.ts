import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { lazyRouteComponent } from './components/lazy.tsx';
import { screenFiles } from './screen-files.ts';
import { readSearched, readTab } from './search-params.ts';

interface AppUsersSearch {
  readonly q?: string | undefined;
  readonly state?: 'active' | 'disabled' | 'password_suspended';
}

function readAppUsers({ q, state }: Record<string, unknown>): AppUsersSearch {
  return {
    ...readSearched({ q }),
    ...(state === 'active' || state === 'disabled' || state === 'password_suspended' ? { state } : {}),
  };
}

interface WorkspacesSearch {
  readonly q?: string | undefined;
  readonly state?: 'suspended';
}

function readWorkspaces({ q, state }: Record<string, unknown>): WorkspacesSearch {
  return { ...readSearched({ q }), ...(state === 'suspended' ? { state } : {}) };
}

function readWorkspace(search: Record<string, unknown>): { readonly tab?: string; readonly q?: string | undefined } {
  return { ...readTab(search), ...readSearched(search) };
}

/** The screens of the people of an app and of its workspaces, below the frame of all screens. */
export function peopleRoutes<Place extends AnyRoute>(place: Place) {
  const getParentRoute = () => place;
  const appUsers = createRoute({
    getParentRoute,
    path: 'app-users',
    validateSearch: readAppUsers,
    component: lazyRouteComponent(screenFiles['app-users'], 'AppUsers'),
  });
  const appUser = createRoute({
    getParentRoute,
    path: 'app-users/$user',
    component: lazyRouteComponent(screenFiles['app-users/$user'], 'AppUserScreen'),
  });
  const personalData = createRoute({
    getParentRoute,
    path: 'app-users/$user/personal-data',
    component: lazyRouteComponent(screenFiles['app-users/$user/personal-data'], 'PersonalData'),
  });
  const workspaces = createRoute({
    getParentRoute,
    path: 'workspaces',
    validateSearch: readWorkspaces,
    component: lazyRouteComponent(screenFiles.workspaces, 'Workspaces'),
  });
  const workspace = createRoute({
    getParentRoute,
    path: 'workspaces/$workspace',
    validateSearch: readWorkspace,
    component: lazyRouteComponent(screenFiles['workspaces/$workspace'], 'WorkspaceScreen'),
  });
  return [appUsers, appUser, personalData, workspaces, workspace] as const;
}
