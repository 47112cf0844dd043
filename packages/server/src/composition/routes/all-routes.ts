/** Every route of both gateways, from the modules that serve them. */
import type { AnyRoute } from '../../api/route.ts';
import { type AuditRouteDeps, auditRoutes } from '../../audit/routes.ts';
import { type AutomationRouteDeps, automationRoutes } from '../../automation/port.ts';
import { type BackupRouteDeps, backupRoutes } from '../../backup/routes.ts';
import { type EntityRouteDeps, entityJobRoutes, entityRoutes } from '../../entities/port.ts';
import { type OwnRouteDeps, ownRoutes } from '../../gateway/own-routes.ts';
import { authzenRoutes, type IamRouteDeps, iamRoutes } from '../../iam/port.ts';
import { type IdentityRouteDeps, identityRoutes } from '../../identity/port.ts';
import { type MailRouteDeps, mailRoutes } from '../../mail/routes.ts';
import { type MeteringRouteDeps, meteringRoutes } from '../../metering/metering-routes.ts';
import { type PromotionRouteDeps, promotionRoutes } from '../../promotion/port.ts';
import { type RecordRouteDeps, recordRoutes } from '../../records/port.ts';
import { type TransferRouteDeps, transferRoutes } from '../../transfer/port.ts';
import { type AlertRouteDeps, alertRoutes } from '../../webhooks/routes.ts';
import { type DoctorRouteDeps, doctorRoutes } from '../operations/routes/doctor.ts';
import { type ErrorRouteDeps, errorRoutes } from '../operations/routes/errors.ts';
import { type HealthRouteDeps, healthRoutes } from '../operations/routes/health.ts';
import { type MetricsRouteDeps, metricsRoute } from '../operations/routes/metrics.ts';
import { type OrgRouteDeps, operatorOrgRoutes } from '../operations/routes/orgs.ts';
import { type OverviewRouteDeps, overviewRoutes } from '../operations/routes/overview.ts';

export type RouteDeps = OwnRouteDeps &
  AlertRouteDeps &
  AuditRouteDeps &
  AutomationRouteDeps &
  BackupRouteDeps &
  DoctorRouteDeps &
  EntityRouteDeps &
  ErrorRouteDeps &
  HealthRouteDeps &
  Omit<IamRouteDeps, 'appRoutes'> &
  IdentityRouteDeps &
  MailRouteDeps &
  MeteringRouteDeps &
  MetricsRouteDeps &
  OrgRouteDeps &
  OverviewRouteDeps &
  PromotionRouteDeps &
  RecordRouteDeps &
  TransferRouteDeps;

export interface Routes {
  readonly app: readonly AnyRoute[];
  readonly management: readonly AnyRoute[];
}

export function allRoutes(deps: RouteDeps): Routes {
  const modules = [recordRoutes, transferRoutes, automationRoutes, identityRoutes, promotionRoutes, meteringRoutes].map(
    (routesOf) => routesOf(deps),
  );
  const own = ownRoutes(deps);
  const app = [...modules.flatMap((routes) => routes.app ?? []), ...authzenRoutes(deps), ...own.app];
  const management = [
    ...modules.flatMap((routes) => routes.management ?? []),
    ...iamRoutes({ ...deps, appRoutes: app }),
    ...entityRoutes(deps),
    ...entityJobRoutes(deps),
    ...alertRoutes(deps),
    ...overviewRoutes(deps),
    ...mailRoutes(deps),
    ...auditRoutes(deps),
    ...backupRoutes(deps),
    metricsRoute(deps),
    ...operatorOrgRoutes(deps),
    ...errorRoutes(deps),
    ...healthRoutes(deps),
    ...doctorRoutes(deps),
    ...own.management,
  ];
  return { app, management };
}
