import { platformHealthApi } from '@freehold/contract/management/operator/health';
import type { ReplyOf } from '@freehold/contract/route';
import type { AnyRoute } from '../../../api/route.ts';
import { serve } from '../../../api/serve.ts';

export interface HealthRouteDeps {
  readonly nodeHealth: { read(): Promise<ReplyOf<typeof platformHealthApi.readPlatformHealth>> };
}

/** How the node is, for the operator. */
export function healthRoutes({ nodeHealth }: HealthRouteDeps): readonly AnyRoute[] {
  return [serve(platformHealthApi.readPlatformHealth, () => nodeHealth.read())];
}
