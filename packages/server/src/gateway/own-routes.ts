/** The routes of the gateways themselves: documents, the page about an app, and the state of the process. */
import type { AnyRoute } from '../api/route.ts';
import type { ConfigReaders } from '../config/port.ts';
import type { ConfigKinds } from '../promotion/port.ts';
import { appDocumentRoutes, appReferenceRoutes, managementDocumentRoutes } from './routing/document-routes.ts';
import { type Operations, sharedRoutes } from './routing/process-routes.ts';
import { docsRoutes } from './site/docs-routes.ts';
import type { DocsSource } from './site-source.ts';

export type { Operations };

export interface OwnRouteDeps extends Operations {
  readonly configs: ConfigReaders;
  readonly docs: DocsSource;
  readonly configKinds: ConfigKinds;
  readonly operator: object | undefined;
  readonly inbox: object | undefined;
  readonly signInLinks: object | undefined;
}

export function ownRoutes(deps: OwnRouteDeps): {
  readonly app: readonly AnyRoute[];
  readonly management: readonly AnyRoute[];
} {
  return {
    app: [...appDocumentRoutes(deps), ...docsRoutes(deps), ...sharedRoutes(deps)],
    management: [
      ...appReferenceRoutes(deps),
      ...managementDocumentRoutes(deps),
      ...sharedRoutes(deps, () => deps.docs.current().is !== 'off'),
    ],
  };
}
