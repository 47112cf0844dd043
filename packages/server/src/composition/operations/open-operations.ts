import { platformDoctorApi } from '@freehold/contract/management/operator/doctor';
import { platformErrorsApi } from '@freehold/contract/management/operator/errors';
import { platformHealthApi } from '@freehold/contract/management/operator/health';
import { platformApi } from '@freehold/contract/management/platform';
import type { ConsoleSite } from '../../api/headers/console-cookie.ts';
import { requireOwnHost } from '../../api/headers/host.ts';
import type { RoutesOfModule } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
import { type MetricsText, metricsReply } from '../../gateway/metrics-gateway.ts';
import type { ComposedSpaces } from '../compose-spaces.ts';
import { createDiagnoses } from './diagnoses.ts';
import { createNodeHealth, type NodeHealth, type NodeHealthDeps } from './node-health.ts';
import { type OrgRouteDeps, operatorOrgRoutes } from './routes/orgs.ts';
import { type OverviewRouteDeps, overviewRoutes } from './routes/overview.ts';
import { recordFacts, type ScrapedDeps } from './scraped-facts.ts';

export interface OperationsDeps
  extends Pick<NodeHealthDeps, 'config' | 'clock' | 'measurement' | 'nodeId'>,
    Omit<OverviewRouteDeps, 'waitingJobs' | 'orgWorkspaces'>,
    Pick<OrgRouteDeps, 'metering'> {
  readonly onFault: (error: unknown) => void;
  readonly signingKeys: ScrapedDeps['signingKeys'];
  readonly jobs: Pick<NodeHealthDeps, 'sweepLease'> & { readonly waiting: OverviewRouteDeps['waitingJobs'] };
  readonly orgs: Pick<OverviewRouteDeps, 'orgWorkspaces'> & Pick<OrgRouteDeps, 'platformOrgs'>;
  readonly site: ConsoleSite;
  /** Whether metrics are served without a key, as in development. */
  readonly metricsAreOpen: boolean;
}

export interface Operations {
  readonly routes: RoutesOfModule;
  readonly metrics: MetricsText;
  readonly listening: NodeHealth['listening'];
  close(): Promise<void>;
}

/** Shows the operator a running platform, and a builder the beginning of an org. */
export function openOperations(
  { spaces, platform, isDraining, readiness }: ComposedSpaces,
  { onFault: onError, jobs, orgs, site, metricsAreOpen, ...deps }: OperationsDeps,
): Operations {
  const { measurement, clock, config, signingKeys } = deps;
  const readFacts = recordFacts(measurement.metrics, { config, clock, spaces, readiness, signingKeys });
  const metrics: MetricsText = {
    text: async () => {
      await readFacts();
      return measurement.metrics.text();
    },
  };
  const { sweepLease } = jobs;
  const nodeHealth = createNodeHealth({ ...deps, spaces, platform, isDraining, sweepLease, onError });
  const diagnoses = createDiagnoses(clock);
  const access = metricsAreOpen ? ('public' as const) : ('operator' as const);
  return {
    metrics,
    routes: {
      management: [
        ...overviewRoutes({ ...deps, ...orgs, waitingJobs: jobs.waiting }),
        ...operatorOrgRoutes({ ...deps, ...orgs }),
        serveReply({ ...platformApi.readMetrics, access }, ({ head }) => {
          if (metricsAreOpen) requireOwnHost(site, head);
          return metricsReply(metrics);
        }),
        serve(platformErrorsApi.listErrors, ({ query: { request_id: requestId, pagesize: pageSize, nexttoken } }) =>
          measurement.errorLog.list({ requestId, pageSize, nexttoken }),
        ),
        serve(platformHealthApi.readPlatformHealth, () => nodeHealth.read()),
        serve(platformDoctorApi.readDiagnosis, () => diagnoses.read()),
      ],
    },
    listening: nodeHealth.listening,
    close: nodeHealth.close,
  };
}
