import type { RoutesOfModule } from '../../api/route.ts';
import { configItemRoutes } from './config-items.ts';
import { deployRoutes } from './deploy.ts';
import { deployArchiveRoutes } from './deploy-archive.ts';
import type { PromotionRouteDeps } from './deps.ts';

export type { PromotionRouteDeps };

export function promotionRoutes(deps: PromotionRouteDeps): RoutesOfModule {
  return { management: [...configItemRoutes(deps), ...deployRoutes(deps), ...deployArchiveRoutes(deps)] };
}
