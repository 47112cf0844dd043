import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { lazyRouteComponent } from './components/lazy.tsx';
import { screenFiles } from './screen-files.ts';

/** What an org has settled, a page for each subject, below the frame of all screens. */
export function settingsRoutes<Place extends AnyRoute>(place: Place) {
  const getParentRoute = () => place;
  const settings = createRoute({
    getParentRoute,
    path: 'settings',
    component: lazyRouteComponent(screenFiles.settings, 'Settings'),
  });
  const settingsProviders = createRoute({
    getParentRoute,
    path: 'settings/providers',
    validateSearch: ({ test }: Record<string, unknown>): { readonly test?: string } =>
      typeof test === 'string' ? { test } : {},
    component: lazyRouteComponent(screenFiles['settings/providers'], 'Providers'),
  });
  const settingsOrigins = createRoute({
    getParentRoute,
    path: 'settings/origins',
    component: lazyRouteComponent(screenFiles['settings/origins'], 'Origins'),
  });
  const settingsPasswords = createRoute({
    getParentRoute,
    path: 'settings/passwords',
    component: lazyRouteComponent(screenFiles['settings/passwords'], 'Passwords'),
  });
  const settingsAccess = createRoute({
    getParentRoute,
    path: 'settings/access',
    component: lazyRouteComponent(screenFiles['settings/access'], 'AccessSettings'),
  });
  const settingsOutgoingCalls = createRoute({
    getParentRoute,
    path: 'settings/outgoing-calls',
    component: lazyRouteComponent(screenFiles['settings/outgoing-calls'], 'OutgoingCalls'),
  });
  const settingsClientIds = createRoute({
    getParentRoute,
    path: 'settings/client-ids',
    component: lazyRouteComponent(screenFiles['settings/client-ids'], 'ClientIds'),
  });
  const settingsAlerts = createRoute({
    getParentRoute,
    path: 'settings/alerts',
    component: lazyRouteComponent(screenFiles['settings/alerts'], 'Alerts'),
  });

  return [
    settings,
    settingsProviders,
    settingsOrigins,
    settingsPasswords,
    settingsAccess,
    settingsOutgoingCalls,
    settingsClientIds,
    settingsAlerts,
    ...otherRoutes(place),
  ] as const;
}

/** Whether the steps are shown of an application that also replaces what the workspace has changed. */
function readReplaced({ replace }: Record<string, unknown>): { readonly replace?: 'local' } {
  return replace === 'local' ? { replace } : {};
}

/** The settings of builders, of tenancy, of mails and of what workspaces start with. */
function otherRoutes<Place extends AnyRoute>(place: Place) {
  const getParentRoute = () => place;
  const settingsBuilders = createRoute({
    getParentRoute,
    path: 'settings/builders',
    component: lazyRouteComponent(screenFiles['settings/builders'], 'BuilderSignIn'),
  });
  const settingsTenancy = createRoute({
    getParentRoute,
    path: 'settings/tenancy',
    component: lazyRouteComponent(screenFiles['settings/tenancy'], 'Tenancy'),
  });
  const settingsMails = createRoute({
    getParentRoute,
    path: 'settings/mail',
    component: lazyRouteComponent(screenFiles['settings/mail'], 'Mails'),
  });
  const settingsMail = createRoute({
    getParentRoute,
    path: 'settings/mail/$mail',
    component: lazyRouteComponent(screenFiles['settings/mail/$mail'], 'MailScreen'),
  });
  const settingsTemplates = createRoute({
    getParentRoute,
    path: 'settings/templates',
    component: lazyRouteComponent(screenFiles['settings/templates'], 'WorkspaceTemplates'),
  });
  const settingsTemplateWorkspace = createRoute({
    getParentRoute,
    path: 'settings/templates/workspaces/$workspace',
    validateSearch: readReplaced,
    component: lazyRouteComponent(screenFiles['settings/templates/workspaces/$workspace'], 'WorkspaceDrift'),
  });
  const settingsTemplateApplication = createRoute({
    getParentRoute,
    path: 'settings/templates/applications/$application',
    component: lazyRouteComponent(screenFiles['settings/templates/applications/$application'], 'ApplicationScreen'),
  });
  return [
    settingsBuilders,
    settingsTenancy,
    settingsMails,
    settingsMail,
    settingsTemplates,
    settingsTemplateWorkspace,
    settingsTemplateApplication,
  ] as const;
}
