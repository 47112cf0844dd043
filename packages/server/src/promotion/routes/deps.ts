import { requireProd } from '../../api/environments.ts';
import type { Callers } from '../../api/route.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { PromotionModule } from '../open-promotion.ts';

export interface PromotionRouteDeps extends Pick<PromotionModule, 'promotion' | 'items'> {
  readonly templateApplications: {
    apply(asked: Command & { readonly env: Environment }): Promise<{ readonly id: string }>;
  };
}

export type Command = Callers['publish']['command'];

/** A change that needs production. @throws Problem `conflict` where there is none yet. */
export function deployCommand(caller: Pick<Callers['publish'], 'org' | 'command'>): Command {
  requireProd(caller);
  return caller.command;
}
