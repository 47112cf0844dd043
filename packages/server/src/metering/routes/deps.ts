import type { ConsoleSite } from '../../api/headers/console-cookie.ts';
import type { Metering } from '../metering.ts';

export interface MeteringRouteDeps {
  readonly metering: Pick<Metering, 'report' | 'plans' | 'caps' | 'alertPercents' | 'parts' | 'today'>;
  readonly site: ConsoleSite;
  /** Where an org gets more. @param base the address of this gateway. */
  readonly upgradeUrl: (base: string) => string;
}
