import type { AnyRoute } from '../../api/route.ts';
import type { ConfigReaders } from '../../config/port.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Iam } from '../open-iam.ts';

export interface IamRouteDeps extends Pick<Iam, 'decisions' | 'matrix' | 'overview' | 'simulator' | 'lab'> {
  readonly clock: Clock;
  readonly configs: ConfigReaders;
  /** Those of the app gateway: what a call would ask the policies is found in them. */
  readonly appRoutes: readonly AnyRoute[];
}
